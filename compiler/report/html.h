//===- html.h - writing HTML ---------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_REPORT_HTML_H
#define STITCH_COMPILER_REPORT_HTML_H

#include "mlir-c/IR.h"

#include <stdint.h>
#include <stdio.h>

/// Writes text so that it stands for itself, in content and in attributes in double quotes.
void htmlText(FILE *out, const char *text, size_t length);
void htmlString(FILE *out, const char *text);

/// The same as a callback of MLIR's printers; `file` is a FILE *.
void htmlPart(MlirStringRef part, void *file);

/// 1234567 as "1,234,567".
void htmlCount(FILE *out, int64_t count);

/// "1.2 MB": bytes with three digits.
void htmlBytes(FILE *out, int64_t bytes);

/// A tensor type as "8×16 f32"; other types as they print.
void htmlType(FILE *out, MlirType type);

#endif // STITCH_COMPILER_REPORT_HTML_H
