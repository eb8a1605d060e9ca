//===- constraints.c - constraints that tg cannot express -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most constraints of the StableHLO specification are found by the conversion of an operation, or by the verifiers of
// its replacement. Here are those of attributes and types that a conversion drops, changes or does not look at. A
// program for each is in test/operations/spec_table.py.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_region.h"
#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

#include "ir/mlir/query.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

typedef enum { BOOLEAN, INTEGER, FLOAT, COMPLEX } TypeClass;

static TypeClass classOf(MlirType element) {
  if (mlirTypeIsAComplex(element))
    return COMPLEX;
  return irIsFloat(element) ? FLOAT : irIsBool(element) ? BOOLEAN : INTEGER;
}

static int64_t bitsOf(MlirType element) {
  return mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : 8 * irElementBytes(element);
}

/// The specification's is_promotable: of one class, and not narrower.
static bool isPromotable(MlirType from, MlirType to) {
  return classOf(from) == classOf(to) && bitsOf(from) <= bitsOf(to);
}

static bool haveOneElementType(HloConversion *c, intptr_t i, intptr_t j, const char *names) {
  bool equal = mlirTypeEqual(irElementTypeOf(hloOperand(c, i)), irElementTypeOf(hloOperand(c, j)));
  return equal || hloFail(c, "%s must have the same element type", names);
}

/// The first arguments of a region's body are accumulators for operands, which may be promoted and not be narrowed.
static bool takesOperands(HloConversion *c, intptr_t region, intptr_t count) {
  MlirOperation end = hloRegionEnd(mlirOperationGetRegion(c->op, region));
  if (mlirOperationIsNull(end))
    return true; // the conversion reports the error
  MlirBlock body = mlirOperationGetBlock(end);
  for (intptr_t i = 0; i < count && i < mlirBlockGetNumArguments(body); ++i) {
    MlirType element = irElementTypeOf(hloOperand(c, i)), own = irElementTypeOf(mlirBlockGetArgument(body, i));
    if (mlirTypeIsARankedTensor(mlirValueGetType(mlirBlockGetArgument(body, i))) && !isPromotable(element, own))
      return hloFail(
          c, "its body must take operand %ld: the element type of the body's argument is narrower or of another kind",
          (long)i);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

static bool isSorted(HloConversion *c, const char *attribute, const char *field) {
  IrShape list;
  if (!hloListField(c, hloAttrText(c, attribute), field, &list))
    return false;
  for (intptr_t i = 1; i < list.rank; ++i)
    if (list.dims[i] < list.dims[i - 1])
      return hloFail(c, "'%s' must be sorted", field);
  return true;
}

/// Operands and the result of a product are of one kind; they may be of several widths, as JAX makes them.
static bool checkProductTypes(HloConversion *c) {
  TypeClass class = classOf(irElementType(hloResultType(c, 0)));
  for (intptr_t i = 0; i < 2; ++i) {
    TypeClass own = classOf(irElementTypeOf(hloOperand(c, i)));
    bool areIntegers = own <= INTEGER && class <= INTEGER;
    if (own != class && !areIntegers)
      return hloFail(c, "operand %ld and the result must have element types of one kind", (long)i);
  }
  return true;
}

static bool checkPrecisions(HloConversion *c) {
  MlirAttribute precisions = irGetAttr(c->op, "precision_config");
  if (mlirAttributeIsNull(precisions) || !mlirAttributeIsAArray(precisions))
    return true;
  intptr_t count = mlirArrayAttrGetNumElements(precisions);
  return count == 0 || count == 2 ||
         hloFail(c, "'precision_config' must have one element for each of the two operands");
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool checkCompare(HloConversion *c) {
  const char *type = hloEnumKeyword(c, "compare_type", "comparison_type");
  MlirType element = irElementTypeOf(hloOperand(c, 0));
  TypeClass class = classOf(element);
  bool isUnsigned = class == BOOLEAN || (class == INTEGER && irIsUnsigned(element));
  bool fits = !*type || !strcmp(type, "NOTYPE") ||
              (isUnsigned         ? !strcmp(type, "UNSIGNED")
               : class == INTEGER ? !strcmp(type, "SIGNED")
               : class == COMPLEX ? !strcmp(type, "FLOAT")
                                  : !strcmp(type, "FLOAT") || !strcmp(type, "TOTALORDER"));
  return fits || hloFail(c, "'compare_type' %s does not fit its operands' element type", type);
}

static bool checkConvolution(HloConversion *c) {
  if (mlirOperationGetNumOperands(c->op) < 2 || mlirOperationGetNumResults(c->op) != 1)
    return true; // the conversion says so
  return checkPrecisions(c) && checkProductTypes(c);
}

static bool checkDot(HloConversion *c) {
  const char *algorithm = hloAttrText(c, "algorithm");
  static const char *const counts[] = {"lhs_component_count", "rhs_component_count", "num_primitive_operations"};
  if (!checkPrecisions(c) || !checkProductTypes(c))
    return false;
  for (int i = 0; *algorithm && i < 3; ++i)
    if (hloIntField(algorithm, counts[i], 1) < 1)
      return hloFail(c, "'%s' of 'algorithm' must be positive", counts[i]);
  const char *precisions = hloAttrText(c, "precision_config");
  bool isDefault = !strstr(precisions, "HIGH"); // nor HIGHEST
  return !*algorithm || isDefault || hloFail(c, "'precision_config' must be DEFAULT where there is an 'algorithm'");
}

static bool checkMap(HloConversion *c) {
  IrShape dims;
  if (mlirOperationGetNumOperands(c->op) == 0)
    return hloFail(c, "it must have at least one operand");
  if (!hloListAttr(c, "dimensions", &dims))
    return false;
  bool isRange = dims.rank == irShapeOf(hloOperand(c, 0)).rank;
  for (intptr_t i = 0; i < dims.rank; ++i)
    isRange = isRange && dims.dims[i] == i;
  return isRange || hloFail(c, "'dimensions' must be all dimensions of the operands, in order");
}

static bool checkReduction(HloConversion *c) {
  intptr_t count = mlirOperationGetNumResults(c->op);
  if (mlirOperationGetNumOperands(c->op) != 2 * count)
    return true; // the conversion says so
  for (intptr_t i = 0; i < count; ++i)
    if (!haveOneElementType(c, i, count + i, "an operand and its initial value"))
      return false;
  return takesOperands(c, 0, count);
}

static bool checkScatter(HloConversion *c) {
  intptr_t numOperands = mlirOperationGetNumOperands(c->op), count = numOperands / 2;
  if (numOperands % 2 == 0)
    return true; // the conversion says so
  MlirOperation end = hloRegionEnd(mlirOperationGetRegion(c->op, 0));
  for (intptr_t i = 0; i < count; ++i) {
    if (!haveOneElementType(c, i, count + 1 + i, "an input and its updates"))
      return false;
    if (!irShapesEqual(irShapeOf(hloOperand(c, count + 1)), irShapeOf(hloOperand(c, count + 1 + i))))
      return hloFail(c, "all updates must have the same shape");
    if (i < mlirOperationGetNumResults(c->op) && !mlirOperationIsNull(end) && i < mlirOperationGetNumOperands(end) &&
        !mlirTypeEqual(irElementType(hloResultType(c, i)), irElementTypeOf(irOperand(end, i))))
      return hloFail(c, "result %ld must have the element type of the body's result", (long)i);
  }
  static const char *const sorted[] = {"update_window_dims", "inserted_window_dims", "input_batching_dims"};
  for (int i = 0; i < 3; ++i)
    if (!isSorted(c, "scatter_dimension_numbers", sorted[i]))
      return false;
  return takesOperands(c, 0, count);
}

static bool checkGather(HloConversion *c) {
  return isSorted(c, "dimension_numbers", "offset_dims") && isSorted(c, "dimension_numbers", "collapsed_slice_dims") &&
         isSorted(c, "dimension_numbers", "operand_batching_dims");
}

static bool checkSelectAndScatter(HloConversion *c) {
  return haveOneElementType(c, 0, 1, "the operand and the source") &&
         haveOneElementType(c, 0, 2, "the operand and the initial value");
}

/// Operand `i` has the shape of the result: an integer for each dimension and, where it is a constant, its size.
static bool saysShape(HloConversion *c, intptr_t i) {
  if (i >= mlirOperationGetNumOperands(c->op))
    return true; // the conversion says so
  IrShape result = irTypeShape(hloResultType(c, 0)), shape = irShapeOf(hloOperand(c, i));
  bool fits = shape.rank == 1 && shape.dims[0] == result.rank;
  MlirOperation constant = irDefiningOp(hloOperand(c, i));
  MlirAttribute value = !mlirOperationIsNull(constant) && irOpIs(constant, "tg.constant") ? irGetAttr(constant, "value")
                                                                                          : mlirAttributeGetNull();
  bool isKnown = fits && !mlirAttributeIsNull(value) && mlirAttributeIsADenseIntElements(value);
  int64_t bits = isKnown ? bitsOf(irElementType(mlirAttributeGetType(value))) : 0;
  for (intptr_t d = 0; (bits == 32 || bits == 64) && d < result.rank; ++d)
    fits = fits && result.dims[d] == (bits == 64 ? mlirDenseElementsAttrGetInt64Value(value, d)
                                                 : mlirDenseElementsAttrGetInt32Value(value, d));
  return fits || hloFail(c, "its result must have the shape that operand %ld says", (long)i);
}

static bool checkRng(HloConversion *c) { return saysShape(c, 2); }

static bool checkShapeFirst(HloConversion *c) { return saysShape(c, 0); }

static bool checkShapeSecond(HloConversion *c) { return saysShape(c, 1); }

/// The lists of broadcast dimensions: no dimension twice, and dimensions of the operand alone.
static bool checkDynamicBroadcast(HloConversion *c) {
  static const char *const lists[] = {"known_expanding_dimensions", "known_nonexpanding_dimensions"};
  if (mlirOperationGetNumOperands(c->op) < 2)
    return true; // the conversion says so
  if (!saysShape(c, 1))
    return false;
  intptr_t rank = irShapeOf(hloOperand(c, 0)).rank;
  bool isKnown[IR_MAX_RANK] = {false};
  for (int i = 0; i < 2; ++i) {
    IrShape dims;
    if (!hloListAttrOr(c, lists[i], 0, 0, &dims))
      return false;
    for (intptr_t k = 0; k < dims.rank; ++k) {
      if (dims.dims[k] < 0 || dims.dims[k] >= rank)
        return hloFail(c, "'%s' has dimension %lld, which is not in [0, %ld)", lists[i], (long long)dims.dims[k],
                       (long)rank);
      if (isKnown[dims.dims[k]])
        return hloFail(c, "'%s' has dimension %lld a second time", lists[i], (long long)dims.dims[k]);
      isKnown[dims.dims[k]] = true;
    }
  }
  return true;
}

/// The body of a collective reduction works in the type of its first argument.
static bool checkCollectiveReduction(HloConversion *c) {
  MlirOperation end =
      mlirOperationGetNumRegions(c->op) == 1 ? hloRegionEnd(mlirOperationGetRegion(c->op, 0)) : (MlirOperation){NULL};
  if (mlirOperationIsNull(end) || mlirBlockGetNumArguments(mlirOperationGetBlock(end)) == 0)
    return true; // the conversion reports the error
  MlirType type = mlirValueGetType(mlirBlockGetArgument(mlirOperationGetBlock(end), 0));
  for (intptr_t i = 0; mlirTypeIsARankedTensor(type) && i < mlirOperationGetNumOperands(c->op); ++i)
    if (!isPromotable(irElementTypeOf(hloOperand(c, i)), irElementType(type)))
      return hloFail(c, "the element type of its body must not be narrower than, or of another kind than, operand %ld",
                     (long)i);
  return true;
}

static bool checkRngBitGenerator(HloConversion *c) {
  const char *algorithm = hloEnumKeyword(c, "rng_algorithm", "rng_algorithm");
  if (mlirOperationGetNumOperands(c->op) != 1)
    return true; // the conversion says so
  IrShape state = irShapeOf(hloOperand(c, 0));
  int64_t size = state.rank == 1 ? state.dims[0] : -1;
  bool fits = !strcmp(algorithm, "THREE_FRY") ? size == 2
              : !strcmp(algorithm, "PHILOX")  ? size == 2 || size == 3
                                              : true;
  return fits || hloFail(c, "the state of the algorithm %s has %s elements", algorithm,
                         !strcmp(algorithm, "PHILOX") ? "2 or 3" : "2");
}

/// Of elementary functions: attribute 'result_accuracy'.
static bool checkAccuracy(HloConversion *c) {
  const char *text = hloAttrText(c, "result_accuracy");
  static const char *const fields[] = {"atol", "rtol", "ulps"};
  bool hasTolerance = false;
  for (int i = 0; *text && i < 3; ++i) {
    const char *field = strstr(text, fields[i]), *at = field ? strchr(field, '=') : NULL;
    double value = at ? strtod(at + 1, NULL) : 0.0;
    hasTolerance |= value != 0.0;
    if (value < 0.0)
      return hloFail(c, "'%s' of 'result_accuracy' must not be negative", fields[i]);
  }
  bool isTolerance = strstr(text, "TOLERANCE") != NULL;
  return !hasTolerance || isTolerance || hloFail(c, "'result_accuracy' has a tolerance, but its mode is not TOLERANCE");
}

static const struct {
  const char *name;
  bool (*check)(HloConversion *c);
} checks[] = {
    {"stablehlo.all_reduce", checkCollectiveReduction},
    {"stablehlo.collective_reduce", checkCollectiveReduction},
    {"stablehlo.compare", checkCompare},
    {"stablehlo.convolution", checkConvolution},
    {"stablehlo.dot_general", checkDot},
    {"stablehlo.dynamic_broadcast_in_dim", checkDynamicBroadcast},
    {"stablehlo.dynamic_conv", checkConvolution},
    {"stablehlo.dynamic_gather", checkGather},
    {"stablehlo.dynamic_iota", checkShapeFirst},
    {"stablehlo.dynamic_reshape", checkShapeSecond},
    {"stablehlo.gather", checkGather},
    {"stablehlo.map", checkMap},
    {"stablehlo.reduce", checkReduction},
    {"stablehlo.reduce_scatter", checkCollectiveReduction},
    {"stablehlo.reduce_window", checkReduction},
    {"stablehlo.rng", checkRng},
    {"stablehlo.rng_bit_generator", checkRngBitGenerator},
    {"stablehlo.scatter", checkScatter},
    {"stablehlo.select_and_scatter", checkSelectAndScatter},
};

bool hloKeepsConstraints(HloConversion *c) {
  for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); ++i)
    if (irOpIs(c->op, checks[i].name))
      return checks[i].check(c);
  return checkAccuracy(c);
}
