//===- stitch_library_types.c - stitch-library-types ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module of tg operations. Leaves no dot and no convolution of 8-bit floats or of integers below a byte, which
// the libraries do not have. Operands become f16 (f8E8M0FNU, whose exponents f16 does not have: f32) or bytes, which
// hold all of their numbers. The products of floats are summed in f32, as docs/ir.md says, and the sum is rounded once,
// by a conversion behind. The conversions are stitched with the product's neighbours.
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "stitch.h"

#include <stdlib.h>

/// Whether libraries lack the type: i1 they have.
static bool isNarrow(MlirType element) {
  if (irIsFloat(element))
    return mlirFloatTypeGetWidth(element) < 16;
  return irIsInteger(element) && !irIsBool(element) && mlirIntegerTypeGetWidth(element) < 8;
}

/// The type in which floats are multiplied: the wider of two, or the least that libraries have for both.
static MlirType factorType(MlirType a, MlirType b) {
  MlirType wide = isNarrow(a) ? b : a;
  bool hasExponents = mlirTypeIsAFloat8E8M0FNU(a) || mlirTypeIsAFloat8E8M0FNU(b); // more than f16 has
  if (isNarrow(wide))
    wide = mlirF16TypeGet(mlirTypeGetContext(a));
  return hasExponents && mlirTypeIsAF16(wide) ? mlirF32TypeGet(mlirTypeGetContext(a)) : wide;
}

static MlirType byteType(MlirType integer) {
  MlirContext context = mlirTypeGetContext(integer);
  return irIsUnsigned(integer) ? mlirIntegerTypeUnsignedGet(context, 8) : mlirIntegerTypeGet(context, 8);
}

/// The type in which the operand of type `element` is multiplied with one of type `other`.
static MlirType operandType(MlirType element, MlirType other) {
  if (irIsFloat(element))
    return factorType(element, other);
  return isNarrow(element) ? byteType(element) : element;
}

/// The type of the sums: that of the result if a library has it.
static MlirType sumType(MlirType element, bool hasNarrowOperands) {
  if (!irIsFloat(element))
    return isNarrow(element) ? byteType(element) : element;
  bool isRounded = isNarrow(element) || (hasNarrowOperands && mlirFloatTypeGetWidth(element) < 32);
  return isRounded ? mlirF32TypeGet(mlirTypeGetContext(element)) : element;
}

/// Behind a product whose result has become one of type `sum`, the conversion to its old type.
static void convertResult(MlirOperation product, MlirType sum) {
  MlirValue result = irResult(product, 0);
  MlirType element = irElementTypeOf(result);
  mlirValueSetType(result, tgWithElement(mlirValueGetType(result), sum));
  IrBuilder b = irBuilderBefore(mlirOperationGetNextInBlock(product));
  b.loc = mlirOperationGetLocation(product);
  MlirValue converted = tgConvert(&b, result, element);
  MlirOperation conversion = irDefiningOp(converted);
  mlirValueReplaceAllUsesExcept(result, converted, 1, &conversion);
}

static void convertProduct(MlirOperation product) {
  IrBuilder b = irBuilderBefore(product);
  MlirType operands[] = {irElementTypeOf(irOperand(product, 0)), irElementTypeOf(irOperand(product, 1))};
  MlirType element = irElementTypeOf(irResult(product, 0));
  MlirType sum = sumType(element, isNarrow(operands[0]) || isNarrow(operands[1]));
  for (intptr_t i = 0; i < 2; ++i) {
    MlirType type = operandType(operands[i], operands[1 - i]);
    mlirOperationSetOperand(product, i, tgConvert(&b, irOperand(product, i), type));
  }
  if (!mlirTypeEqual(sum, element))
    convertResult(product, sum);
}

static bool needsConversion(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  if (kind != TG_dot && kind != TG_convolution)
    return false;
  return isNarrow(irElementTypeOf(irOperand(op, 0))) || isNarrow(irElementTypeOf(irOperand(op, 1))) ||
         isNarrow(irElementTypeOf(irResult(op, 0)));
}

typedef struct {
  MlirOperation *ops;
  intptr_t count, capacity;
} RetypedProducts;

static MlirWalkResult findProduct(MlirOperation op, void *data) {
  RetypedProducts *products = data;
  if (needsConversion(op)) {
    IR_RESERVE_ONE(products->ops, products->count, products->capacity);
    products->ops[products->count++] = op;
  }
  return MlirWalkResultAdvance;
}

static void run(StitchPassRun pass, MlirOperation module) {
  (void)pass;
  RetypedProducts products = {0};
  mlirOperationWalk(module, findProduct, &products, MlirWalkPreOrder);
  for (intptr_t i = 0; i < products.count; ++i)
    convertProduct(products.ops[i]);
  free(products.ops);
}

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__};

const StitchPassInfo stitchLibraryTypesPass = {
    .argument = "stitch-library-types",
    .description = "Convert the operands of products whose types no library has",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .dependentDialects = dialects,
    .numDependentDialects = 1,
    .run = run,
};
