//===- peer_operands.c - operands of all members of a group ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the members' operands of a sum: a broadcast from each. stitch-communication makes one call of them.
//
//===----------------------------------------------------------------------===//

#include "passes/common/peer_operands.h"

#include "ir/mlir/query.h"
#include "ir/plan/communication.h"

static int64_t tableAt(MlirAttribute table, int64_t i) {
  return mlirDenseElementsAttrGetInt64Value(table, mlirDenseElementsAttrIsSplat(table) ? 0 : i);
}

/// Rows and columns.
static IrShape tableShape(MlirOperation op) { return irTypeShape(mlirAttributeGetType(irGetAttr(op, "groups"))); }

int64_t peersInGroup(MlirOperation collective) {
  MlirAttribute table = irGetAttr(collective, "groups");
  IrShape shape = tableShape(collective);
  for (int64_t i = 0; i < shape.dims[0] * shape.dims[1]; ++i)
    if (tableAt(table, i) < 0)
      return 0;
  return shape.dims[0] > 0 && shape.dims[1] > 1 && shape.dims[1] <= PEERS_MOST ? shape.dims[1] : 0;
}

bool peersAreAll(MlirOperation collective, int64_t processes) {
  MlirAttribute table = irGetAttr(collective, "groups");
  IrShape shape = tableShape(collective);
  for (int64_t i = 0; i < shape.dims[1]; ++i)
    if (tableAt(table, i) != i)
      return false;
  return shape.dims[0] == 1 && shape.dims[1] == processes;
}

void peersOperands(IrBuilder *b, MlirOperation collective, MlirValue own, MlirValue operands[PEERS_MOST]) {
  MlirAttribute groups = irGetAttr(collective, "groups");
  for (int64_t i = 0; i < peersInGroup(collective); ++i)
    operands[i] = irValueOf(b, "tg.collective_broadcast", IR_VALUES(own), mlirValueGetType(own),
                            IR_ATTRS(irAttr(b, "groups", planGroupsFrom(groups, i))));
}
