//===- diagnostics.cpp - errors, warnings, notes and remarks -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"

#include "dialects/stitch/stitch_dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/Diagnostics.h"

#include <cstdarg>
#include <cstdio>
#include <string>

using namespace mlir;

static std::string formatted(const char *format, va_list arguments) {
  va_list copy;
  va_copy(copy, arguments);
  int length = vsnprintf(nullptr, 0, format, copy);
  va_end(copy);
  std::string text(length > 0 ? length : 0, '\0');
  if (length > 0)
    vsnprintf(text.data(), length + 1, format, arguments);
  return text;
}

#define FORMATTED(text)                                                                                                \
  va_list arguments;                                                                                                   \
  va_start(arguments, format);                                                                                         \
  std::string text = formatted(format, arguments);                                                                     \
  va_end(arguments)

void stitchEmitOpError(MlirOperation op, const char *format, ...) {
  FORMATTED(text);
  unwrap(op)->emitOpError() << text;
}

void stitchEmitError(MlirLocation loc, const char *format, ...) {
  FORMATTED(text);
  emitError(unwrap(loc)) << text;
}

void stitchEmitWarning(MlirLocation loc, const char *format, ...) {
  FORMATTED(text);
  emitWarning(unwrap(loc)) << text;
}

void stitchEmitRemark(MlirLocation loc, const char *format, ...) {
  FORMATTED(text);
  emitRemark(unwrap(loc)) << text;
}

void stitchRemark(MlirOperation op, const char *format, ...) {
  if (!stitchRemarksEnabled(mlirOperationGetContext(op)))
    return;
  FORMATTED(text);
  emitRemark(unwrap(op)->getLoc()) << text;
}

bool stitchRemarksEnabled(MlirContext context) {
  auto *dialect = unwrap(context)->getLoadedDialect<stitch::StitchDialect>();
  return dialect && dialect->remarksEnabled();
}

void stitchEnableRemarks(MlirContext context, bool enable) {
  unwrap(context)->getOrLoadDialect<stitch::StitchDialect>()->enableRemarks(enable);
}
