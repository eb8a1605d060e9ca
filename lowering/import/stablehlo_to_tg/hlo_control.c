//===- hlo_control.c - calls, tuples, control flow, sort ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes calls, tuples, composites, if, case, while, sort and top_k of StableHLO. Leaves tg's operations with the
// converted regions. Tuples vanish, and a composite becomes a call of its decomposition.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_region.h"
#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

#include "ir/mlir/query.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Tuples, which exist between stablehlo.tuple and stablehlo.get_tuple_element alone
//===----------------------------------------------------------------------===//

static bool hasElementTypes(HloConversion *c) {
  MlirType tuple = hloResultType(c, 0);
  intptr_t count = mlirOperationGetNumOperands(c->op);
  if (!mlirTypeIsATuple(tuple) || mlirTupleTypeGetNumTypes(tuple) != count)
    return false;
  for (intptr_t i = 0; i < count; ++i)
    if (!mlirTypeEqual(mlirTupleTypeGetType(tuple, i), mlirValueGetType(hloOperand(c, i))))
      return false;
  return true;
}

bool hloConvertTuple(HloConversion *c) {
  if (mlirOperationGetNumResults(c->op) != 1)
    return hloFail(c, "it must have one result");
  if (!hasElementTypes(c))
    return hloFail(c, "its result must be a tuple of its operands' types");
  MlirOpOperand use = mlirValueGetFirstUse(irResult(c->op, 0));
  if (mlirOpOperandIsNull(use)) {
    mlirOperationDestroy(c->op);
    return true;
  }
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    MlirStringRef name = irOpName(user);
    if (!irOpIs(user, "stablehlo.get_tuple_element"))
      return hloFail(c, "tuples are only for stablehlo.get_tuple_element, and this one is for '%.*s'", (int)name.length,
                     name.data);
  }
  return true;
}

bool hloConvertGetTupleElement(HloConversion *c) {
  int64_t index;
  if (mlirOperationGetNumOperands(c->op) != 1 || mlirOperationGetNumResults(c->op) != 1)
    return hloFail(c, "it must have one operand and one result");
  MlirOperation tuple = irDefiningOp(hloOperand(c, 0));
  if (mlirOperationIsNull(tuple) || !irOpIs(tuple, "stablehlo.tuple"))
    return hloFail(c, "its operand is not the result of stablehlo.tuple");
  if (!hloIntAttr(c, "index", &index))
    return false;
  if (index < 0 || index >= mlirOperationGetNumOperands(tuple))
    return hloFail(c, "the tuple has no element %lld", (long long)index);
  MlirValue element = irOperand(tuple, index);
  if (!mlirTypeEqual(mlirValueGetType(element), hloResultType(c, 0)))
    return hloFail(c, "the result has another type than element %lld of the tuple", (long long)index);
  hloReplaceResult(c, 0, element);
  mlirOperationDestroy(c->op);
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(tuple, 0))))
    mlirOperationDestroy(tuple);
  return true;
}

/// A name with a point in it, neither at its beginning nor at its end.
static bool isInNamespace(MlirStringRef name) {
  const char *point = name.length > 1 ? memchr(name.data + 1, '.', name.length - 1) : NULL;
  return point && point + 1 < name.data + name.length;
}

/// A call of the function that decomposes the composite operation.
bool hloConvertComposite(HloConversion *c) {
  MlirAttribute callee = irGetAttr(c->op, "decomposition");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return hloFail(c, "attribute 'decomposition' is not the name of a function");
  MlirAttribute name = irGetAttr(c->op, "name");
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name) || !isInNamespace(mlirStringAttrGetValue(name)))
    return hloFail(c, "attribute 'name' is not NAMESPACE.NAME");
  return hloReplaceByResults(
      c, irOp(&c->b, "func.call", hloOperandsFrom(c, 0), hloResultTypes(c), IR_ATTRS(irAttr(&c->b, "callee", callee))));
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

bool hloConvertReturn(HloConversion *c) {
  if (mlirOperationGetNumResults(c->op) != 0)
    return hloFail(c, "it must not have results");
  irOp(&c->b, c->rule->to, hloOperandsFrom(c, 0), IR_NO_TYPES, IR_NO_ATTRS);
  return true;
}

/// if and while have two regions, case any number.
bool hloConvertRegionOp(HloConversion *c) {
  bool hasTwo = !irOpIs(c->op, "stablehlo.case");
  if (hasTwo && !hloCheckNumRegions(c, 2))
    return false;
  bool isWhile = irOpIs(c->op, "stablehlo.while");
  intptr_t numOperands = mlirOperationGetNumOperands(c->op);
  if (!isWhile && numOperands != 1)
    return hloFail(c, "it must have 1 operand, got %ld", (long)numOperands);
  return hloReplaceByRegionOp(c, c->rule->to, hloOperandsFrom(c, 0), IR_NO_ATTRS);
}

bool hloConvertSort(HloConversion *c) {
  if (mlirOperationGetNumOperands(c->op) == 0)
    return hloFail(c, "it must have operands");
  int64_t dim = irShapeOf(hloOperand(c, 0)).rank - 1;
  bool hasDim = !mlirAttributeIsNull(irGetAttr(c->op, "dimension"));
  if (!hloCheckNumRegions(c, 1) || (hasDim && !hloIntAttr(c, "dimension", &dim)))
    return false;
  MlirNamedAttribute attributes[] = {irI64(&c->b, "dim", dim), irUnit(&c->b, "is_stable")};
  return hloReplaceByRegionOp(c, c->rule->to, hloOperandsFrom(c, 0),
                              (IrAttrs){hloIsTrue(c, "is_stable") ? 2 : 1, attributes});
}

bool hloConvertTopK(HloConversion *c) {
  int64_t k;
  if (!hloIntAttr(c, "k", &k))
    return false;
  if (irHasAttr(c->op, "largest") && !hloIsTrue(c, "largest"))
    return hloFail(c, "only the largest elements are supported");
  return hloReplaceByResults(
      c, irOp(&c->b, c->rule->to, hloOperandsFrom(c, 0), hloResultTypes(c), IR_ATTRS(irI64(&c->b, "k", k))));
}
