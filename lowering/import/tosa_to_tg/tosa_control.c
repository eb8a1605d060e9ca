//===- tosa_control.c - control flow, and refused operations --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes cond_if, while_loop and their ends. Leaves tg.if and tg.while. Custom operations are refused by an error.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/tosa_to_tg/tosa_conversion.h"

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// A predicate of one element as tg wants it, of rank 0; null after an error.
static MlirValue scalarPredicate(TosaConversion *c, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  bool isOne = mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type) &&
               mlirShapedTypeGetRank(type) <= IR_MAX_RANK && irIsBool(irElementType(type)) &&
               irNumElements(irTypeShape(type)) == 1;
  if (isOne)
    return tosaReshape(c, value, (IrShape){0});
  tosaFail(c, "the condition is not one i1");
  return (MlirValue){NULL};
}

/// The region's block, which ends with tosa.yield; null if it is not like that.
static MlirBlock onlyBlock(TosaConversion *c, intptr_t region) {
  MlirBlock block = irBody(c->op, region);
  return mlirBlockIsNull(block) || !mlirBlockIsNull(mlirBlockGetNextInRegion(block)) ? (MlirBlock){NULL} : block;
}

/// Puts `c->rule->to`, with the regions of the operation, in its place.
static bool replaceByRegions(TosaConversion *c, IrValues operands) {
  intptr_t numRegions = mlirOperationGetNumRegions(c->op), numResults = mlirOperationGetNumResults(c->op);
  MlirType *types = IR_NEW_ARRAY(&c->pass->arena, MlirType, numResults);
  for (intptr_t i = 0; i < numResults; ++i)
    types[i] = tosaResultType(c, i);
  MlirOperation op =
      irOpWithRegions(&c->b, c->rule->to, operands, (IrTypes){numResults, types}, IR_NO_ATTRS, numRegions, IR_NO_TYPES);
  for (intptr_t i = 0; i < numRegions; ++i)
    mlirRegionTakeBody(mlirOperationGetRegion(op, i), mlirOperationGetRegion(c->op, i));
  for (intptr_t i = 0; i < numResults; ++i)
    tosaReplaceResult(c, i, irResult(op, i));
  return true;
}

/// The branches take the operands as arguments; those of tg.if see the values themselves.
bool tosaConvertIf(TosaConversion *c) {
  MlirValue pred = scalarPredicate(c, tosaOperand(c, 0));
  if (mlirValueIsNull(pred))
    return false;
  for (intptr_t region = 0; region < 2; ++region) {
    MlirBlock block = onlyBlock(c, region);
    if (mlirBlockIsNull(block))
      return tosaFail(c, "region %ld is not one block", (long)region);
    for (intptr_t i = mlirBlockGetNumArguments(block); i-- > 0;) {
      mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, i), tosaOperand(c, i + 1));
      mlirBlockEraseArgument(block, (unsigned)i);
    }
  }
  return c->pass->convertRegions(c->op, c->pass) && replaceByRegions(c, IR_VALUES(pred));
}

bool tosaConvertWhile(TosaConversion *c) {
  for (intptr_t region = 0; region < 2; ++region)
    if (mlirBlockIsNull(onlyBlock(c, region)))
      return tosaFail(c, "region %ld is not one block", (long)region);
  intptr_t count = mlirOperationGetNumOperands(c->op);
  MlirValue *operands = IR_NEW_ARRAY(&c->pass->arena, MlirValue, count);
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = tosaOperand(c, i);
  return c->pass->convertRegions(c->op, c->pass) && replaceByRegions(c, (IrValues){count, operands});
}

static bool isConditionOfWhile(MlirBlock block) {
  MlirOperation parent = mlirBlockGetParentOperation(block);
  return irOpIs(parent, "tosa.while_loop") && mlirBlockEqual(block, irBody(parent, 0));
}

bool tosaConvertYield(TosaConversion *c) {
  intptr_t count = mlirOperationGetNumOperands(c->op);
  MlirValue *operands = IR_NEW_ARRAY(&c->pass->arena, MlirValue, count);
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = tosaOperand(c, i);
  if (isConditionOfWhile(c->b.block)) {
    if (count != 1)
      return tosaFail(c, "the condition is not one i1");
    operands[0] = scalarPredicate(c, operands[0]);
    if (mlirValueIsNull(operands[0]))
      return false;
  }
  irOp(&c->b, c->rule->to, (IrValues){count, operands}, IR_NO_TYPES, IR_NO_ATTRS);
  return true;
}

//===----------------------------------------------------------------------===//
// Refused operations
//===----------------------------------------------------------------------===//

bool tosaRefuseCustom(TosaConversion *c) {
  MlirStringRef name = mlirStringAttrGetValue(irGetAttr(c->op, "operator_name"));
  MlirStringRef domain = mlirStringAttrGetValue(irGetAttr(c->op, "domain_name"));
  return tosaFail(c, "custom operator '%.*s' of domain '%.*s' is unknown", (int)name.length, name.data,
                  (int)domain.length, domain.data);
}
