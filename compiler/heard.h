//===- heard.h - the remarks of a planning -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_HEARD_H
#define STITCH_COMPILER_HEARD_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  MlirLocation loc;
  char *place; ///< "model.py:12:3", or empty
  char *text;
} HeardRemark;

/// Zero-initialised it has heard nothing.
typedef struct {
  HeardRemark *data; ///< in their order
  int64_t count, capacity;
  char *error; ///< the first; NULL: none
  bool passesErrors;
  MlirContext context;
  MlirDiagnosticHandlerID handler;
} Heard;

/// Hears all remarks of a context from now on, and all else, too, unless `passesErrors`.
void heardBegin(Heard *heard, MlirContext context, bool passesErrors);
void heardEnd(Heard *heard);
void heardDestroy(Heard *heard);

#endif // STITCH_COMPILER_HEARD_H
