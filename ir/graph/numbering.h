//===- numbering.h - the operations of a block by number -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_GRAPH_NUMBERING_H
#define STITCH_IR_GRAPH_NUMBERING_H

#include "ir/mlir/map.h"
#include "ir/mlir/query.h"

/// All operations of a block, the terminator last, numbered in program order: an operand's number is smaller than its
/// user's. A snapshot: it does not follow changes of the block.
typedef struct {
  int64_t count;
  MlirOperation *ops;
  IrMap numbers; ///< operation -> number
} IrNumbering;

IrNumbering irNumberingCreate(MlirBlock block);
void irNumberingDestroy(IrNumbering *numbering);

/// The number of the operation that defines `value`; -1 for an argument, or if it is not in the block.
int64_t irNumberOf(const IrNumbering *numbering, MlirValue value);

/// Calls `visit` with the operands of `op` and with those of all operations in its regions: values that a region
/// captures are operands, too.
typedef void (*IrOperandVisitor)(MlirValue value, void *data);
void irForEachOperand(MlirOperation op, IrOperandVisitor visit, void *data);

#endif // STITCH_IR_GRAPH_NUMBERING_H
