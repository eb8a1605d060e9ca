//===- remarks.h - remarks of the planning passes, by operation -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_REPORT_REMARKS_H
#define STITCH_COMPILER_REPORT_REMARKS_H

#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"

typedef struct Remark {
  char *text;
  const struct Remark *next; ///< of the same operation, in the order of the passes
} Remark;

/// Remarks by the location of their operation.
typedef struct {
  IrMap places; ///< location -> index in `lists`
  struct {
    Remark *first, *last;
  } *lists;
  int64_t count, capacity;
  IrArena arena;
} Remarks;

/// Gives every operation of the module a location of its own. So a remark can be told from those of other operations of
/// the same source line.
void remarksPrepare(MlirOperation module);

/// Collects remarks in the context until remarksEnd. All other diagnostics go where they went before.
MlirDiagnosticHandlerID remarksBegin(Remarks *remarks, MlirContext context);
void remarksEnd(MlirDiagnosticHandlerID handler, MlirContext context);

/// The first remark on an operation; NULL if there is none.
const Remark *remarksOf(const Remarks *remarks, MlirOperation op);

void remarksDestroy(Remarks *remarks);

#endif // STITCH_COMPILER_REPORT_REMARKS_H
