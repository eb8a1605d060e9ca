//===- hlo_map.c - map: its body, on whole tensors ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body computes one element of the result from one of each operand. Made of elementwise operations, it does the
// same to whole tensors.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_region.h"
#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

#include "ir/graph/tg.h"
#include "ir/graph/tg_body.h"
#include "ir/mlir/query.h"

bool hloMapBody(HloConversion *c, MlirBlock body, const MlirValue *arguments, IrShape shape, MlirValue *results) {
  MlirOperation end = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    TgKind kind = tgKindOf(op);
    bool isElementwise = tgClassOfKind(kind) == TG_CLASS_ELEMENTWISE && mlirOperationGetNumResults(op) == 1;
    MlirStringRef name = irOpName(op);
    if (kind != TG_constant && !isElementwise)
      return hloFail(c, "its body has a '%.*s', which is not elementwise", (int)name.length, name.data);
  }
  tgApplyBody(&c->b, body, arguments, shape, results);
  return true;
}

bool hloConvertMap(HloConversion *c) {
  if (!hloCheckNumRegions(c, 1))
    return false;
  MlirOperation end = hloRegionEnd(mlirOperationGetRegion(c->op, 0));
  if (mlirOperationIsNull(end) || mlirOperationGetNumOperands(end) != 1 || mlirOperationGetNumResults(c->op) != 1)
    return hloFail(c, "its body must be one block that returns one value");
  MlirBlock body = mlirOperationGetBlock(end);
  if (mlirBlockGetNumArguments(body) != mlirOperationGetNumOperands(c->op))
    return hloFail(c, "its body must take an argument for each operand");
  if (!c->convertRegions(c->op, c->arena))
    return false;
  intptr_t count = mlirOperationGetNumOperands(c->op);
  MlirValue *arguments = IR_NEW_ARRAY(c->arena, MlirValue, count + 1), result;
  for (intptr_t i = 0; i < count; ++i)
    arguments[i] = hloOperand(c, i);
  return hloMapBody(c, body, arguments, irTypeShape(hloResultType(c, 0)), &result) && hloReplaceResult(c, 0, result);
}
