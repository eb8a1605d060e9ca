//===- root.c - the iteration space of a root -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the shape that a root's loop covers: its operand's for a reduce and for `stitch.by_operand`, its own else.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/plan/plan.h"

bool planGoesByOperand(MlirOperation root) { return irHasAttr(root, "stitch.by_operand"); }

IrShape planIterationShape(MlirOperation root) {
  bool byOperand = tgClassOfKind(tgKindOf(root)) == TG_CLASS_REDUCE || planGoesByOperand(root);
  return irShapeOf(byOperand ? irOperand(root, 0) : irResult(root, 0));
}
