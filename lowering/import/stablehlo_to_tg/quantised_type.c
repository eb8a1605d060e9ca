//===- quantised_type.c - quantised types ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes types of the dialect quant, !quant.uniform<i8:f32, 0.5:3>. Leaves their parameters, or an error where they
// violate a constraint of the specification that the dialect does not check.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/quantised.h"

#include "mlir-c/Dialect/Quant.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static bool isQuantisedElement(MlirType element) { return mlirTypeIsAQuantizedType(element); }

bool quantIsQuantised(MlirType type) {
  return mlirTypeIsAShaped(type) && isQuantisedElement(mlirShapedTypeGetElementType(type));
}

static bool isPerAxis(MlirType element) { return mlirTypeIsAUniformQuantizedPerAxisType(element); }

static MlirType storageOf(MlirType element) {
  MlirType storage = mlirQuantizedTypeGetStorageType(element);
  if (mlirTypeIsNull(storage)) // of !quant.calibrated
    return element;
  if (mlirQuantizedTypeIsSigned(element) || !mlirTypeIsAInteger(storage))
    return storage;
  return mlirIntegerTypeUnsignedGet(mlirTypeGetContext(element), mlirIntegerTypeGetWidth(storage));
}

MlirType quantStorageType(MlirType type) {
  if (mlirTypeIsATuple(type)) {
    MlirType elements[64];
    intptr_t count = mlirTupleTypeGetNumTypes(type);
    if (count > (intptr_t)(sizeof(elements) / sizeof(elements[0])))
      return type;
    for (intptr_t i = 0; i < count; ++i)
      elements[i] = quantStorageType(mlirTupleTypeGetType(type, i));
    return mlirTupleTypeGet(mlirTypeGetContext(type), count, elements);
  }
  if (!quantIsQuantised(type) || !mlirTypeIsARankedTensor(type))
    return type;
  IrShape shape = irTypeShape(type);
  return mlirRankedTensorTypeGet(shape.rank, shape.dims, storageOf(mlirShapedTypeGetElementType(type)),
                                 mlirRankedTensorTypeGetEncoding(type));
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static intptr_t numScales(MlirType element) {
  return isPerAxis(element) ? mlirUniformQuantizedPerAxisTypeGetNumDims(element) : 1;
}

/// A scale as the expressed type has it.
static double scaleOf(MlirType element, intptr_t i) {
  double scale = isPerAxis(element) ? mlirUniformQuantizedPerAxisTypeGetScale(element, i)
                                    : mlirUniformQuantizedTypeGetScale(element);
  MlirType expressed = mlirQuantizedTypeGetExpressedType(element);
  return mlirFloatAttrGetValueDouble(mlirFloatAttrDoubleGet(mlirTypeGetContext(element), expressed, scale));
}

static int64_t zeroOf(MlirType element, intptr_t i) {
  return isPerAxis(element) ? mlirUniformQuantizedPerAxisTypeGetZeroPoint(element, i)
                            : mlirUniformQuantizedTypeGetZeroPoint(element);
}

static int64_t dimOf(MlirType element) {
  return isPerAxis(element) ? mlirUniformQuantizedPerAxisTypeGetQuantizedDimension(element) : -1;
}

Quantisation quantOf(HloConversion *c, MlirType tensor) {
  MlirType element = irElementType(tensor);
  intptr_t count = numScales(element);
  double *scales = IR_NEW_ARRAY(c->arena, double, count > 0 ? count : 1);
  double *zeros = IR_NEW_ARRAY(c->arena, double, count > 0 ? count : 1);
  for (intptr_t i = 0; i < count; ++i) {
    scales[i] = scaleOf(element, i);
    zeros[i] = (double)zeroOf(element, i);
  }
  return (Quantisation){.element = element,
                        .storage = storageOf(element),
                        .expressed = mlirQuantizedTypeGetExpressedType(element),
                        .min = mlirQuantizedTypeGetStorageTypeMin(element),
                        .max = mlirQuantizedTypeGetStorageTypeMax(element),
                        .dim = dimOf(element),
                        .count = count,
                        .scales = scales,
                        .zeros = zeros};
}

bool quantHaveOneBaseline(const Quantisation *a, const Quantisation *b) {
  return mlirTypeEqual(a->storage, b->storage) && mlirTypeEqual(a->expressed, b->expressed) && a->min == b->min &&
         a->max == b->max && a->dim == b->dim;
}

void quantStorageRange(const Quantisation *q, double *lowest, double *highest) {
  int64_t low, high;
  irIntegerRange(q->storage, &low, &high);
  *lowest = (double)low;
  *highest = (double)high;
}

bool quantIsSymmetric(const Quantisation *q) {
  for (intptr_t i = 0; i < q->count; ++i)
    if (q->zeros[i] != 0)
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

static bool isSupportedStorage(MlirType storage) {
  unsigned width = mlirTypeIsAInteger(storage) ? mlirIntegerTypeGetWidth(storage) : 0;
  return width == 2 || width == 4 || width == 8 || width == 16 || width == 32;
}

static bool isSupportedExpressed(MlirType expressed) {
  return mlirTypeIsAF16(expressed) || mlirTypeIsABF16(expressed) || mlirTypeIsAF32(expressed) ||
         mlirTypeIsAF64(expressed);
}

/// Writes down the error of a type; returns false.
static bool say(char *problem, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool say(char *problem, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(problem, size, format, arguments);
  va_end(arguments);
  return false;
}

/// Scales and zero points.
static bool haveParametersRanges(MlirType element, char *problem, size_t size) {
  int64_t min = mlirQuantizedTypeGetStorageTypeMin(element), max = mlirQuantizedTypeGetStorageTypeMax(element);
  for (intptr_t i = 0; i < numScales(element); ++i) {
    double scale = scaleOf(element, i);
    int64_t zero = zeroOf(element, i);
    if (!(scale > 0) || !isfinite(scale))
      return say(problem, size, "scales must be positive and finite in the expressed type");
    if (zero < min || zero > max)
      return say(problem, size, "zero point %lld is not one of the integers [%lld, %lld]", (long long)zero,
                 (long long)min, (long long)max);
  }
  return true;
}

static bool hasAxis(MlirType tensor, MlirType element, char *problem, size_t size) {
  IrShape shape = irTypeShape(tensor);
  int64_t dim = dimOf(element), count = numScales(element);
  if (dim >= shape.rank)
    return say(problem, size, "its tensor has no dimension %lld, for which it has scales", (long long)dim);
  return shape.dims[dim] == count || say(problem, size, "it has %lld scales for %lld slices of dimension %lld",
                                         (long long)count, (long long)shape.dims[dim], (long long)dim);
}

static bool isValid(MlirType type, char *problem, size_t size) {
  for (intptr_t i = 0; mlirTypeIsATuple(type) && i < mlirTupleTypeGetNumTypes(type); ++i)
    if (!isValid(mlirTupleTypeGetType(type, i), problem, size))
      return false;
  if (!quantIsQuantised(type))
    return true;
  MlirType element = mlirShapedTypeGetElementType(type);
  if (!mlirTypeIsARankedTensor(type) || mlirShapedTypeGetRank(type) > IR_MAX_RANK ||
      !mlirShapedTypeHasStaticShape(type))
    return say(problem, size, "its tensor must have a rank of at most %d and known sizes", IR_MAX_RANK);
  if (!isPerAxis(element) && !mlirTypeIsAUniformQuantizedType(element))
    return say(problem, size, "it must have one scale, or one for each slice of one dimension");
  if (!isSupportedStorage(mlirQuantizedTypeGetStorageType(element)))
    return say(problem, size, "its integers must have 2, 4, 8, 16 or 32 bits");
  if (!isSupportedExpressed(mlirQuantizedTypeGetExpressedType(element)))
    return say(problem, size, "only f16, bf16, f32 and f64 can be the expressed type");
  return haveParametersRanges(element, problem, size) && (!isPerAxis(element) || hasAxis(type, element, problem, size));
}

enum { PROBLEM_BYTES = 160 };

bool quantIsUsable(MlirType type) {
  char problem[PROBLEM_BYTES];
  return isValid(type, problem, sizeof(problem));
}

bool quantIsValid(HloConversion *c, MlirType type, const char *what, intptr_t number) {
  char problem[PROBLEM_BYTES];
  return isValid(type, problem, sizeof(problem)) ||
         hloFail(c, "the quantised type of %s %ld: %s", what, (long)number, problem);
}
