//===- generic.c - linalg.generic ----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/conversion.h"

#include "ir/mlir/arena.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// Reads the map of operand `number`; false if it is no projected permutation with constants.
static bool readMap(LinalgGeneric *g, intptr_t number, MlirAffineMap map) {
  MlirType type = mlirValueGetType(irOperand(g->op, number));
  IrShape shape = mlirTypeIsARankedTensor(type) ? irTypeShape(type) : (IrShape){0};
  bool seen[IR_MAX_RANK] = {false};
  if (mlirAffineMapGetNumSymbols(map) || mlirAffineMapGetNumResults(map) != shape.rank)
    return false;
  for (intptr_t i = 0; i < shape.rank; ++i) {
    MlirAffineExpr result = mlirAffineMapGetResult(map, i);
    if (mlirAffineExprIsAConstant(result)) {
      g->maps[number][i] = -1 - mlirAffineConstantExprGetValue(result);
      continue;
    }
    if (!mlirAffineExprIsADim(result))
      return false;
    int64_t dim = mlirAffineDimExprGetPosition(result);
    if (seen[dim])
      return false;
    seen[dim] = true;
    g->maps[number][i] = dim;
    g->sizes.dims[dim] = shape.dims[i];
  }
  return true;
}

static bool readLoops(LinalgGeneric *g) {
  MlirAttribute segments = irGetAttr(g->op, "operandSegmentSizes"), maps = irGetAttr(g->op, "indexing_maps");
  MlirAttribute iterators = irGetAttr(g->op, "iterator_types");
  g->numInputs = mlirDenseI32ArrayGetElement(segments, 0);
  g->numOutputs = mlirDenseI32ArrayGetElement(segments, 1);
  g->numDims = mlirArrayAttrGetNumElements(iterators);
  if (g->numDims > IR_MAX_RANK || g->numInputs + g->numOutputs > 2 * IR_MAX_RANK ||
      mlirOperationGetNumResults(g->op) != g->numOutputs)
    return false;
  MlirContext context = mlirOperationGetContext(g->op);
  MlirAttribute parallel = irParseAttr(context, "#linalg.iterator_type<parallel>");
  MlirAttribute reduction = irParseAttr(context, "#linalg.iterator_type<reduction>");
  g->sizes.rank = g->numDims;
  for (intptr_t i = 0; i < g->numDims; ++i) {
    g->sizes.dims[i] = -1;
    g->isReduction[i] = mlirAttributeEqual(mlirArrayAttrGetElement(iterators, i), reduction);
    if (!g->isReduction[i] && !mlirAttributeEqual(mlirArrayAttrGetElement(iterators, i), parallel))
      return false;
  }
  for (intptr_t i = 0; i < g->numInputs + g->numOutputs; ++i) {
    MlirType type = mlirValueGetType(irOperand(g->op, i));
    bool isNumber = i < g->numInputs && linalgIsElement(type);
    if ((!isNumber && !linalgIsTensor(type)) ||
        !readMap(g, i, mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i))))
      return false;
  }
  for (intptr_t i = 0; i < g->numDims; ++i)
    if (g->sizes.dims[i] < 0)
      return false;
  return irNumElements(g->sizes) < INT32_MAX;
}

/// Whether an output's dimensions are the parallel ones, each once.
static bool coversParallel(const LinalgGeneric *g, intptr_t output) {
  const int64_t *map = g->maps[g->numInputs + output];
  intptr_t rank = irShapeOf(irOperand(g->op, g->numInputs + output)).rank, numParallel = 0;
  for (intptr_t i = 0; i < g->numDims; ++i)
    numParallel += !g->isReduction[i];
  for (intptr_t i = 0; i < rank; ++i)
    if (map[i] < 0 || g->isReduction[map[i]])
      return false;
  return rank == numParallel;
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

/// An operand as a tensor of the whole iteration space.
static MlirValue inSpace(const LinalgGeneric *g, LinalgBody *body, intptr_t number) {
  MlirValue value = linalgBodyValue(body, irOperand(g->op, number));
  if (mlirValueIsNull(value) || !mlirTypeIsARankedTensor(mlirValueGetType(irOperand(g->op, number))))
    return value;
  IrShape shape = irShapeOf(value), kept = {0}, dims = {0};
  bool isIdentity = shape.rank == g->numDims;
  for (intptr_t i = 0; i < shape.rank; ++i) {
    int64_t dim = g->maps[number][i];
    isIdentity = isIdentity && dim == i;
    if (dim < 0) {
      value = tgSlice(body->b, value, i, -1 - dim, -dim);
      continue;
    }
    kept.dims[kept.rank++] = shape.dims[i];
    dims.dims[dims.rank++] = dim;
  }
  if (isIdentity)
    return value;
  if (kept.rank != shape.rank)
    value = tgReshape(body->b, value, tgWithShape(mlirValueGetType(value), kept));
  // An operand's dimensions in ascending order first.
  int64_t order[IR_MAX_RANK];
  IrShape ascending = {0};
  for (int64_t dim = 0; dim < g->numDims; ++dim)
    for (intptr_t i = 0; i < dims.rank; ++i)
      if (dims.dims[i] == dim) {
        order[ascending.rank] = i;
        ascending.dims[ascending.rank++] = dim;
      }
  value = linalgTranspose(body->b, value, order);
  return ascending.rank == g->numDims
             ? value
             : tgBroadcast(body->b, value, tgWithShape(mlirValueGetType(value), g->sizes), ascending);
}

/// A result whose dimensions are the parallel ones in ascending order as an output has them.
static MlirValue asOutput(const LinalgGeneric *g, IrBuilder *b, MlirValue value, intptr_t output) {
  const int64_t *map = g->maps[g->numInputs + output];
  int64_t position[IR_MAX_RANK], order[IR_MAX_RANK], count = 0;
  for (intptr_t i = 0; i < g->numDims; ++i)
    position[i] = g->isReduction[i] ? -1 : count++;
  for (intptr_t i = 0; i < count; ++i)
    order[i] = position[map[i]];
  return linalgTranspose(b, value, order);
}

//===----------------------------------------------------------------------===//
// Combiners
//===----------------------------------------------------------------------===//

typedef struct {
  const char *op;
  TgReduceKind kind;
} Combiner;

static const Combiner combiners[] = {
    {"arith.addf", TG_REDUCE_ADD},     {"arith.addi", TG_REDUCE_ADD},     {"arith.mulf", TG_REDUCE_MUL},
    {"arith.muli", TG_REDUCE_MUL},     {"arith.maximumf", TG_REDUCE_MAX}, {"arith.maxsi", TG_REDUCE_MAX},
    {"arith.minimumf", TG_REDUCE_MIN}, {"arith.minsi", TG_REDUCE_MIN},    {"arith.andi", TG_REDUCE_AND},
    {"arith.ori", TG_REDUCE_OR},       {"arith.xori", TG_REDUCE_XOR},
};

static const Combiner *findCombiner(MlirOperation op) {
  for (size_t i = 0; !mlirOperationIsNull(op) && i < sizeof(combiners) / sizeof(combiners[0]); ++i)
    if (irOpIs(op, combiners[i].op))
      return &combiners[i];
  return NULL;
}

/// The number that all elements of a tensor are known to be; null if it is not known.
static MlirAttribute knownElement(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (!mlirOperationIsNull(op) && irOpIs(op, "linalg.fill"))
    op = irDefiningOp(irOperand(op, 0));
  if (mlirOperationIsNull(op) || !(tgKindOf(op) == TG_constant || irOpIs(op, "arith.constant")))
    return (MlirAttribute){NULL};
  MlirAttribute data = irGetAttr(op, "value");
  if (!mlirAttributeIsADenseElements(data))
    return mlirAttributeIsAFloat(data) || mlirAttributeIsAInteger(data) ? data : (MlirAttribute){NULL};
  return mlirDenseElementsAttrIsSplat(data) ? mlirDenseElementsAttrGetSplatValue(data) : (MlirAttribute){NULL};
}

/// Whether a combiner leaves all numbers as they are if one operand is `value`.
static bool isIdentityOf(TgReduceKind kind, MlirValue value) {
  MlirAttribute element = knownElement(value);
  MlirType type = irElementTypeOf(value);
  if (mlirAttributeIsNull(element))
    return false;
  if (mlirAttributeIsAFloat(element)) {
    double number = mlirFloatAttrGetValueDouble(element);
    return kind == TG_REDUCE_ADD   ? number == 0
           : kind == TG_REDUCE_MUL ? number == 1
           : kind == TG_REDUCE_MAX ? number == -INFINITY
                                   : kind == TG_REDUCE_MIN && number == INFINITY;
  }
  int64_t number = mlirIntegerAttrGetValueInt(element), lowest, highest;
  if (irIsBool(type))
    return kind == TG_REDUCE_AND ? number != 0 : (kind == TG_REDUCE_OR || kind == TG_REDUCE_XOR) && number == 0;
  irIntegerRange(type, &lowest, &highest);
  switch (kind) {
  case TG_REDUCE_MUL:
    return number == 1;
  case TG_REDUCE_MAX:
    return number == lowest;
  case TG_REDUCE_MIN:
    return number == highest;
  case TG_REDUCE_AND:
    return number == -1;
  default:
    return number == 0;
  }
}

MlirValue linalgCombine(IrBuilder *b, TgReduceKind kind, MlirValue accumulator, MlirValue value) {
  static const char *const names[] = {"tg.add", "tg.mul", "tg.min", "tg.max", "tg.and", "tg.or", "tg.xor"};
  return isIdentityOf(kind, accumulator) ? value : tgBinary(b, names[kind], accumulator, value);
}

//===----------------------------------------------------------------------===//
// The two forms
//===----------------------------------------------------------------------===//

/// What the body's arguments are, as far as something reads them.
static bool setArguments(const LinalgGeneric *g, LinalgBody *body, bool withOutputs) {
  MlirBlock block = irBody(g->op, 0);
  for (intptr_t i = 0; i < g->numInputs + (withOutputs ? g->numOutputs : 0); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(argument)))
      continue;
    MlirValue value = inSpace(g, body, i);
    if (mlirValueIsNull(value))
      return false;
    linalgBodySet(body, argument, value);
  }
  return true;
}

/// All operations of the body but the terminator and `except`.
static bool setOperations(const LinalgGeneric *g, LinalgBody *body, MlirOperation except) {
  MlirOperation terminator = mlirBlockGetTerminator(irBody(g->op, 0));
  IR_FOR_EACH_OP(op, irBody(g->op, 0))
    if (!mlirOperationEqual(op, terminator) && !mlirOperationEqual(op, except) && !linalgBodyOperation(body, op))
      return false;
  return true;
}

static bool convertParallel(const LinalgGeneric *g, LinalgBody *body, MlirValue *results) {
  MlirOperation terminator = mlirBlockGetTerminator(irBody(g->op, 0));
  if (!setArguments(g, body, true) || !setOperations(g, body, (MlirOperation){NULL}))
    return false;
  for (intptr_t i = 0; i < g->numOutputs; ++i) {
    MlirValue value = linalgBodyValue(body, irOperand(terminator, i));
    if (mlirValueIsNull(value) || !coversParallel(g, i))
      return false;
    results[i] = asOutput(g, body->b, value, i);
  }
  return true;
}

/// What a combiner combines with the accumulator; null if it does something else with it.
static MlirValue combinedValue(const LinalgGeneric *g, MlirOperation combiner) {
  MlirValue accumulator = mlirBlockGetArgument(irBody(g->op, 0), g->numInputs);
  if (!irHasOneUse(accumulator) || !irHasOneUse(irResult(combiner, 0)))
    return (MlirValue){NULL};
  for (intptr_t i = 0; i < 2; ++i)
    if (mlirValueEqual(irOperand(combiner, i), accumulator))
      return irOperand(combiner, 1 - i);
  return (MlirValue){NULL};
}

static MlirValue reduceInSpace(const LinalgGeneric *g, LinalgBody *body, MlirOperation combiner, MlirValue combined,
                               TgReduceKind kind) {
  if (!setArguments(g, body, false) || !setOperations(g, body, combiner))
    return (MlirValue){NULL};
  MlirValue value = linalgBodyValue(body, combined);
  IrShape dims = {0};
  for (intptr_t i = 0; i < g->numDims; ++i)
    if (g->isReduction[i])
      dims.dims[dims.rank++] = i;
  return mlirValueIsNull(value) ? value : tgReduce(body->b, kind, value, dims);
}

static bool convertReduction(const LinalgGeneric *g, LinalgBody *body, MlirValue *results) {
  MlirOperation combiner = irDefiningOp(irOperand(mlirBlockGetTerminator(irBody(g->op, 0)), 0));
  const Combiner *kind = findCombiner(combiner);
  MlirValue combined = kind ? combinedValue(g, combiner) : (MlirValue){NULL}, output = irOperand(g->op, g->numInputs);
  MlirType element = irElementTypeOf(output);
  bool isArithmetic = kind && (!irIsBool(element) || kind->kind >= TG_REDUCE_AND);
  if (g->numOutputs != 1 || mlirValueIsNull(combined) || !isArithmetic || !coversParallel(g, 0))
    return false;
  MlirValue value = kind->kind == TG_REDUCE_ADD ? linalgContraction(body->b, g, combined, element) : (MlirValue){NULL};
  if (mlirValueIsNull(value))
    value = reduceInSpace(g, body, combiner, combined, kind->kind);
  if (mlirValueIsNull(value))
    return false;
  results[0] = linalgCombine(body->b, kind->kind, output, asOutput(g, body->b, value, 0));
  return true;
}

bool linalgConvertGeneric(IrBuilder *b, MlirOperation op, MlirValue *results) {
  LinalgGeneric g = {.op = op};
  if (!irOpIs(op, "linalg.generic") || !readLoops(&g))
    return false;
  LinalgBody body = {.b = b, .space = g.sizes};
  bool reduces = false;
  for (intptr_t i = 0; i < g.numDims; ++i)
    reduces = reduces || g.isReduction[i];
  bool success = reduces ? convertReduction(&g, &body, results) : convertParallel(&g, &body, results);
  linalgBodyDestroy(&body);
  return success;
}
