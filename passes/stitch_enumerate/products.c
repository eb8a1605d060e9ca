//===- products.c - stitch-enumerate: library calls that are products ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a stitch.library_call of a tg.dot. Leaves facts about its form (operands, free and contracted dimensions,
// flops) and builds a product, or a batch of products, of other operands.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/in_place.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/build.h"
#include "ir/plan/rules.h"
#include "passes/stitch_enumerate/enumerate.h"

static MlirBlock bodyOf(MlirOperation product) { return irBody(product, 0); }

MlirOperation dotOf(MlirOperation product) { return mlirBlockGetFirstOperation(bodyOf(product)); }

/// Types that every library multiplies and adds to a result.
static bool isLibraryFloat(MlirType type) {
  return mlirTypeIsAF32(type) || mlirTypeIsAF16(type) || mlirTypeIsABF16(type) || mlirTypeIsAF64(type);
}

static bool valueIsOpen(MlirValue value) {
  return !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(mlirValueGetType(value)));
}

bool isOpenOperand(MlirOperation product, int side) { return valueIsOpen(productOperand(product, side)); }

bool isOpenProduct(MlirOperation product) {
  return valueIsOpen(irResult(product, 0)) || isOpenOperand(product, LHS) || isOpenOperand(product, RHS);
}

bool isProduct(MlirOperation op) {
  if (!irOpIs(op, "stitch.library_call") || mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumOperands(op) != 2)
    return false;
  MlirOperation dot = dotOf(op), yield = mlirBlockGetTerminator(bodyOf(op));
  bool isAlone = tgKindOf(dot) == TG_dot && mlirOperationEqual(mlirOperationGetNextInBlock(dot), yield) &&
                 mlirValueEqual(irOperand(yield, 0), irResult(dot, 0));
  if (!isAlone)
    return false;
  MlirType element = irElementTypeOf(irResult(dot, 0));
  return isLibraryFloat(element) && mlirTypeEqual(irElementTypeOf(irOperand(dot, LHS)), element) &&
         mlirTypeEqual(irElementTypeOf(irOperand(dot, RHS)), element);
}

MlirValue productOperand(MlirOperation product, int side) {
  MlirValue inside = irOperand(dotOf(product), side);
  return irOperand(product, mlirBlockArgumentGetArgNumber(inside));
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

static const char *const batchNames[] = {"lhs_batch", "rhs_batch"};
static const char *const contractNames[] = {"lhs_contract", "rhs_contract"};

int64_t freeDim(MlirOperation product, int side) {
  MlirOperation dot = dotOf(product);
  IrShape batch = irGetDims(dot, batchNames[side]), contract = irGetDims(dot, contractNames[side]);
  intptr_t rank = irShapeOf(irOperand(dot, side)).rank;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!irContains(batch, dim) && !irContains(contract, dim))
      return dim;
  return -1;
}

int64_t freeElements(MlirOperation product, int side) {
  MlirOperation dot = dotOf(product);
  IrShape batch = irGetDims(dot, batchNames[side]), contract = irGetDims(dot, contractNames[side]);
  IrShape shape = irShapeOf(irOperand(dot, side));
  int64_t count = 1;
  for (intptr_t i = 0; i < shape.rank; ++i)
    count *= irContains(batch, i) || irContains(contract, i) ? 1 : shape.dims[i];
  return count;
}

int64_t resultDim(MlirOperation product, int side) {
  MlirOperation dot = dotOf(product);
  int64_t batch = irGetDims(dot, batchNames[LHS]).rank;
  int64_t free = irShapeOf(irOperand(dot, LHS)).rank - batch - irGetDims(dot, contractNames[LHS]).rank;
  return side == LHS ? batch : batch + free;
}

static bool shapesAgree(IrShape a, IrShape b, int64_t dim) {
  bool same = a.rank == b.rank;
  for (intptr_t i = 0; same && i < a.rank; ++i)
    same = i == dim || a.dims[i] == b.dims[i];
  return same;
}

bool haveSameForm(MlirOperation a, MlirOperation b, int side, int64_t dim) {
  MlirOperation x = dotOf(a), y = dotOf(b);
  bool same = mlirTypeEqual(irElementTypeOf(irResult(x, 0)), irElementTypeOf(irResult(y, 0))) &&
              tgPrecisionOf(x) == tgPrecisionOf(y);
  for (int i = LHS; i <= RHS; ++i)
    same = same && mlirAttributeEqual(irGetAttr(x, batchNames[i]), irGetAttr(y, batchNames[i])) &&
           mlirAttributeEqual(irGetAttr(x, contractNames[i]), irGetAttr(y, contractNames[i])) &&
           shapesAgree(irShapeOf(irOperand(x, i)), irShapeOf(irOperand(y, i)), i == side ? dim : -1);
  return same;
}

double flopsOf(MlirOperation product) {
  MlirOperation dot = dotOf(product);
  IrShape lhs = irShapeOf(irOperand(dot, LHS)), contract = irGetDims(dot, contractNames[LHS]);
  double flops = 2.0 * (double)irNumElements(irShapeOf(irResult(dot, 0)));
  for (intptr_t i = 0; i < contract.rank; ++i)
    flops *= (double)lhs.dims[contract.dims[i]];
  return flops;
}

bool isUpdate(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    IR_FOR_EACH_USE(use, irResult(op, i)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (irUpdatesInPlace(user) || (tgKindOf(user) == TG_reshape && isUpdate(user)))
        return true;
    }
  return false;
}

bool isFixed(MlirOperation op) {
  if (isUpdate(op))
    return true;
  Rules rules = rulesOf(op);
  bool isNamed = rulesName(&rules, op);
  rulesDestroy(&rules);
  return isNamed;
}

//===----------------------------------------------------------------------===//
// New products
//===----------------------------------------------------------------------===//

/// The dot of a product, of other operands.
static MlirValue buildDot(IrBuilder *b, MlirOperation product, MlirValue lhs, MlirValue rhs, MlirType result) {
  MlirOperation dot = dotOf(product);
  MlirNamedAttribute attributes[4];
  for (int i = LHS; i <= RHS; ++i) {
    attributes[2 * i] = irAttr(b, batchNames[i], irGetAttr(dot, batchNames[i]));
    attributes[2 * i + 1] = irAttr(b, contractNames[i], irGetAttr(dot, contractNames[i]));
  }
  return tgWithPrecisionOf(dot, irValueOf(b, "tg.dot", IR_VALUES(lhs, rhs), result, (IrAttrs){4, attributes}));
}

MlirValue buildProduct(MlirOperation like, MlirValue lhs, MlirValue rhs, MlirType result, MlirValue addend,
                       MlirOperation before) {
  MlirLocation loc = mlirOperationGetLocation(like);
  FusionBody body = fusionBodyCreate();
  MlirValue a = fusionBodyArgument(&body, lhs, loc), b = fusionBodyArgument(&body, rhs, loc);
  IrBuilder builder = irBuilderAtEnd(body.block, loc);
  MlirValue value = buildDot(&builder, like, a, b, result);
  if (!mlirValueIsNull(addend))
    value =
        irValueOf(&builder, "tg.add", IR_VALUES(value, fusionBodyArgument(&body, addend, loc)), result, IR_NO_ATTRS);
  ValueList results = {0};
  valueListAdd(&results, value);
  MlirOperation call = fusionBodyClose(&body, "stitch.library_call", loc, &results, before);
  valueListDestroy(&results);
  return irResult(call, 0);
}

static bool haveSameTypes(MlirOperation a, MlirOperation b) {
  bool same = mlirTypeEqual(mlirValueGetType(irResult(a, 0)), mlirValueGetType(irResult(b, 0)));
  for (int side = LHS; side <= RHS; ++side)
    same = same && mlirTypeEqual(mlirValueGetType(productOperand(a, side)), mlirValueGetType(productOperand(b, side)));
  return same;
}

bool canBeBatched(const MlirOperation *products, int64_t count) {
  enum { MOST = 64 }; // addresses of operands go with each call
  bool can = count <= MOST && irGetDims(dotOf(products[0]), batchNames[LHS]).rank == 0 && !isOpenProduct(products[0]);
  for (int64_t i = 1; i < count && can; ++i)
    can = haveSameTypes(products[i], products[0]);
  return can;
}

/// Dot i is of arguments 2 i and 2 i + 1, so that calls that share other operands have the same body.
MlirOperation buildBatch(const MlirOperation *products, int64_t count, MlirOperation before) {
  MlirLocation loc = mlirOperationGetLocation(products[0]);
  FusionBody body = fusionBodyCreate();
  ValueList results = {0};
  for (int64_t i = 0; i < count; ++i) {
    MlirValue lhs = fusionBodyOwnArgument(&body, productOperand(products[i], LHS), loc);
    MlirValue rhs = fusionBodyOwnArgument(&body, productOperand(products[i], RHS), loc);
    IrBuilder b = irBuilderAtEnd(body.block, loc);
    valueListAdd(&results, buildDot(&b, products[i], lhs, rhs, mlirValueGetType(irResult(products[i], 0))));
  }
  MlirOperation call = fusionBodyClose(&body, "stitch.library_call", loc, &results, before);
  valueListDestroy(&results);
  return call;
}
