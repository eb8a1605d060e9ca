//===- hlo_combiner.c - combiners of two elements -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the region of a reduction or a scatter. Leaves its HloKind if it combines its two arguments by one operation,
// together with the identity of that kind for each element type.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_region.h"

#include "ir/graph/tg_build.h"
#include "ir/mlir/query.h"
#include "lowering/scalar/narrow.h"

#include <math.h>

/// A combiner of two elements; the index is the value of tg's `kind`.
typedef struct {
  const char *from; ///< the operation in the reduction's body
  const char *to;   ///< the elementwise operation that combines with an initial value
} Combiner;

static const Combiner combiners[] = {{"stablehlo.add", "tg.add"},     {"stablehlo.multiply", "tg.mul"},
                                     {"stablehlo.minimum", "tg.min"}, {"stablehlo.maximum", "tg.max"},
                                     {"stablehlo.and", "tg.and"},     {"stablehlo.or", "tg.or"},
                                     {"stablehlo.xor", "tg.xor"}};

const char *hloCombinerName(int kind) { return combiners[kind].to; }

int hloCombinerKind(MlirValue value, MlirValue a, MlirValue b) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || mlirOperationGetNumOperands(op) != 2)
    return -1;
  MlirValue x = irOperand(op, 0), y = irOperand(op, 1);
  bool combines = (mlirValueEqual(x, a) && mlirValueEqual(y, b)) || (mlirValueEqual(x, b) && mlirValueEqual(y, a));
  bool isComplex = mlirTypeIsAComplex(irElementTypeOf(value));
  for (int kind = 0; combines && kind < NUM_KINDS; ++kind)
    if (irOpIs(op, combiners[kind].from)) // tg orders no complex numbers
      return isComplex && (kind == KIND_MIN || kind == KIND_MAX) ? -1 : kind;
  return -1;
}

int hloRegionKind(HloConversion *c, intptr_t region) {
  MlirOperation end = hloRegionEnd(mlirOperationGetRegion(c->op, region));
  if (mlirOperationIsNull(end) || mlirOperationGetNumOperands(end) != 1)
    return -1;
  MlirBlock block = mlirOperationGetBlock(end);
  if (mlirBlockGetNumArguments(block) != 2 || hloBlockLength(block) != 2)
    return -1;
  return hloCombinerKind(irOperand(end, 0), mlirBlockGetArgument(block, 0), mlirBlockGetArgument(block, 1));
}

/// Types without infinities have a largest number, and f8E8M0FNU has no zero.
static MlirAttribute floatIdentityOf(MlirContext context, int kind, MlirType element) {
  bool isNarrow = scalarIsSmallFloat(element);
  double identity;
  if (kind == KIND_MIN)
    identity = isNarrow ? scalarLargestSmallFloat(element) : INFINITY;
  else if (kind == KIND_MAX)
    identity = isNarrow ? scalarLeastSmallFloat(element) : -INFINITY;
  else if (kind == KIND_MUL || (kind == KIND_ADD && scalarHasSign(element)))
    identity = kind == KIND_MUL ? 1.0 : 0.0;
  else
    return (MlirAttribute){NULL};
  return mlirFloatAttrDoubleGet(context, element, identity);
}

MlirAttribute hloIdentity(MlirContext context, int kind, MlirType element) {
  if (irIsFloat(element))
    return floatIdentityOf(context, kind, element);
  if (!mlirTypeIsAInteger(element))
    return (MlirAttribute){NULL};
  unsigned width = mlirIntegerTypeGetWidth(element);
  if (width < 1 || width > 64)
    return (MlirAttribute){NULL};
  bool isUnsigned = irIsUnsigned(element) || width == 1;
  uint64_t ones = width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
  uint64_t sign = width >= 64 ? (uint64_t)1 << 63 : (uint64_t)1 << (width - 1);
  const uint64_t identities[NUM_KINDS] = {0, 1, isUnsigned ? ones : ones ^ sign, isUnsigned ? 0 : sign, ones, 0, 0};
  // Sign-extended, as a signed type wants it.
  uint64_t value = identities[kind];
  if (!irIsUnsigned(element) && (value & sign))
    value |= ~ones;
  return mlirIntegerAttrGet(element, (int64_t)value);
}

/// Whether a splat of complex numbers is 0, or 1 of products.
static bool isComplexIdentity(MlirContext context, int kind, MlirType element, MlirAttribute value) {
  MlirType part = mlirComplexTypeGetElementType(element);
  if ((kind != KIND_ADD && kind != KIND_MUL) || !mlirAttributeIsAArray(value) ||
      mlirArrayAttrGetNumElements(value) != 2)
    return false;
  return mlirAttributeEqual(mlirArrayAttrGetElement(value, 0), floatIdentityOf(context, kind, part)) &&
         mlirAttributeEqual(mlirArrayAttrGetElement(value, 1), floatIdentityOf(context, KIND_ADD, part));
}

bool hloIsIdentity(HloConversion *c, int kind, MlirValue init) {
  MlirOperation op = irDefiningOp(init);
  while (!mlirOperationIsNull(op) && (irOpIs(op, "tg.broadcast") || irOpIs(op, "tg.reshape")))
    op = irDefiningOp(irOperand(op, 0));
  if (mlirOperationIsNull(op) || !irOpIs(op, "tg.constant"))
    return false;
  MlirAttribute value = irGetAttr(op, "value");
  if (!mlirAttributeIsADenseElements(value) || !mlirDenseElementsAttrIsSplat(value))
    return false;
  MlirAttribute splat = mlirDenseElementsAttrGetSplatValue(value);
  if (mlirTypeIsAComplex(irElementTypeOf(init)))
    return isComplexIdentity(c->b.context, kind, irElementTypeOf(init), splat);
  MlirAttribute identity = hloIdentity(c->b.context, kind, irElementTypeOf(init));
  return !mlirAttributeIsNull(identity) && mlirAttributeEqual(splat, identity);
}

MlirValue hloPromote(HloConversion *c, MlirValue value, MlirType element) {
  if (mlirTypeEqual(irElementTypeOf(value), element))
    return value;
  MlirType type = tgWithElement(mlirValueGetType(value), element);
  return irValueOf(&c->b, "tg.convert", IR_VALUES(value), type, IR_NO_ATTRS);
}
