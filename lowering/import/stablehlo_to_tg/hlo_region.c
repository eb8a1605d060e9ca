//===- hlo_region.c - regions of operations -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operations with regions. Leaves tg's operation with the converted regions. A region without its expected form
// is an error.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_region.h"

#include "ir/mlir/query.h"

MlirOperation hloRegionEnd(MlirRegion region) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  if (mlirBlockIsNull(block) || !mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
    return (MlirOperation){NULL};
  MlirOperation end = mlirBlockGetTerminator(block);
  bool isReturn = !mlirOperationIsNull(end) && irOpIs(end, "stablehlo.return");
  return isReturn ? end : (MlirOperation){NULL};
}

intptr_t hloBlockLength(MlirBlock block) {
  intptr_t length = 0;
  IR_FOR_EACH_OP(op, block)
    ++length;
  return length;
}

bool hloCheckNumRegions(HloConversion *c, intptr_t expected) {
  intptr_t count = mlirOperationGetNumRegions(c->op);
  return count == expected || hloFail(c, "it must have %ld regions, got %ld", (long)expected, (long)count);
}

bool hloReplaceByRegionOp(HloConversion *c, const char *name, IrValues operands, IrAttrs attributes) {
  intptr_t numRegions = mlirOperationGetNumRegions(c->op);
  for (intptr_t i = 0; i < numRegions; ++i)
    if (mlirOperationIsNull(hloRegionEnd(mlirOperationGetRegion(c->op, i))))
      return hloFail(c, "region %ld is not one block that ends with stablehlo.return", (long)i);
  if (!c->convertRegions(c->op, c->arena))
    return false;
  MlirOperation op = irOpWithRegions(&c->b, name, operands, hloResultTypes(c), attributes, numRegions, IR_NO_TYPES);
  for (intptr_t i = 0; i < numRegions; ++i)
    mlirRegionTakeBody(mlirOperationGetRegion(op, i), mlirOperationGetRegion(c->op, i));
  return hloReplaceByResults(c, op);
}
