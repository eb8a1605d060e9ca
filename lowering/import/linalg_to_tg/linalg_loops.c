//===- linalg_loops.c - the loops of a linalg.generic ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the iteration space and the indexing maps of a linalg operation. Leaves operands as tensors of the whole space:
// transposed, broadcast, sliced with a stride, or gathered by computed indices.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/linalg_conversion.h"

#include "mlir-c/AffineMap.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// Reads the map of operand `number`, and sizes of the loops from it.
static bool readMap(LinalgGeneric *g, intptr_t number) {
  MlirAffineMap map = g->affine[number];
  MlirType type = mlirValueGetType(g->operands[number]);
  IrShape shape = mlirTypeIsARankedTensor(type) ? irTypeShape(type) : (IrShape){0};
  bool seen[IR_MAX_RANK] = {false};
  if (mlirAffineMapGetNumSymbols(map) || mlirAffineMapGetNumResults(map) != shape.rank)
    return false;
  for (intptr_t i = 0; i < shape.rank; ++i) {
    MlirAffineExpr result = mlirAffineMapGetResult(map, i);
    g->maps[number][i] = LINALG_OTHER;
    if (mlirAffineExprIsAConstant(result))
      g->maps[number][i] = -1 - mlirAffineConstantExprGetValue(result);
    if (!mlirAffineExprIsADim(result))
      continue;
    int64_t dim = mlirAffineDimExprGetPosition(result);
    if (!seen[dim])
      g->maps[number][i] = dim;
    seen[dim] = true;
    g->sizes.dims[dim] = shape.dims[i];
  }
  return true;
}

/// Whether as many iterations can be counted.
static bool isCountable(IrShape sizes) {
  int64_t count = 1;
  for (intptr_t i = 0; i < sizes.rank; ++i)
    if (__builtin_mul_overflow(count, sizes.dims[i], &count) || count > INT64_MAX / 64)
      return false;
  return true;
}

bool linalgReadLoops(LinalgGeneric *g, MlirOperation op) {
  MlirAttribute segments = irGetAttr(op, "operandSegmentSizes"), maps = irGetAttr(op, "indexing_maps");
  MlirAttribute iterators = irGetAttr(op, "iterator_types");
  *g = (LinalgGeneric){.op = op,
                       .numInputs = mlirDenseI32ArrayGetElement(segments, 0),
                       .numOutputs = mlirDenseI32ArrayGetElement(segments, 1),
                       .numDims = mlirArrayAttrGetNumElements(iterators)};
  if (g->numDims > IR_MAX_RANK || g->numInputs + g->numOutputs > 2 * IR_MAX_RANK ||
      mlirOperationGetNumResults(op) != g->numOutputs)
    return false;
  MlirAttribute parallel = irParseAttr(mlirOperationGetContext(op), "#linalg.iterator_type<parallel>");
  MlirAttribute reduction = irParseAttr(mlirOperationGetContext(op), "#linalg.iterator_type<reduction>");
  g->sizes.rank = g->numDims;
  for (intptr_t i = 0; i < g->numDims; ++i) {
    g->sizes.dims[i] = -1;
    g->isReduction[i] = mlirAttributeEqual(mlirArrayAttrGetElement(iterators, i), reduction);
    if (!g->isReduction[i] && !mlirAttributeEqual(mlirArrayAttrGetElement(iterators, i), parallel))
      return false;
  }
  for (intptr_t i = 0; i < g->numInputs + g->numOutputs; ++i) {
    g->operands[i] = i < g->numInputs ? linalgWithSizes(irOperand(op, i)) : irOperand(op, i);
    g->affine[i] = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    MlirType type = mlirValueGetType(g->operands[i]);
    bool isNumber = i < g->numInputs && linalgIsElement(type);
    if ((!isNumber && !linalgIsTensor(type)) || !readMap(g, i))
      return false;
  }
  for (intptr_t i = 0; i < g->numDims; ++i)
    if (g->sizes.dims[i] < 0)
      return false;
  return isCountable(g->sizes);
}

static bool addLinear(MlirAffineExpr expression, int64_t factor, LinalgLinear *linear) {
  if (mlirAffineExprIsADim(expression)) {
    linear->coefficients[mlirAffineDimExprGetPosition(expression)] += factor;
    return true;
  }
  if (mlirAffineExprIsAConstant(expression)) {
    linear->constant += factor * mlirAffineConstantExprGetValue(expression);
    return true;
  }
  if (!mlirAffineExprIsAAdd(expression) && !mlirAffineExprIsAMul(expression))
    return false;
  MlirAffineExpr lhs = mlirAffineBinaryOpExprGetLHS(expression), rhs = mlirAffineBinaryOpExprGetRHS(expression);
  if (mlirAffineExprIsAAdd(expression))
    return addLinear(lhs, factor, linear) && addLinear(rhs, factor, linear);
  return mlirAffineExprIsAConstant(rhs) && addLinear(lhs, factor * mlirAffineConstantExprGetValue(rhs), linear);
}

bool linalgReadLinear(const LinalgGeneric *g, intptr_t operand, intptr_t i, LinalgLinear *linear) {
  *linear = (LinalgLinear){0};
  if (!addLinear(mlirAffineMapGetResult(g->affine[operand], i), 1, linear))
    return false;
  for (int64_t dim = 0; dim < g->numDims; ++dim)
    if (linear->coefficients[dim]) {
      if (linear->count < 2)
        linear->dims[linear->count] = dim;
      ++linear->count;
    }
  return true;
}

intptr_t linalgPositionOf(const LinalgGeneric *g, intptr_t operand, int64_t dim) {
  intptr_t rank = irShapeOf(g->operands[operand]).rank;
  for (intptr_t i = 0; i < rank; ++i)
    if (g->maps[operand][i] == dim)
      return i;
  return -1;
}

bool linalgCoversParallel(const LinalgGeneric *g, intptr_t output) {
  intptr_t number = g->numInputs + output, numParallel = 0, covered = 0;
  IrShape shape = irShapeOf(g->operands[number]);
  for (intptr_t i = 0; i < g->numDims; ++i)
    numParallel += !g->isReduction[i];
  for (intptr_t i = 0; i < shape.rank; ++i) {
    int64_t dim = g->maps[number][i];
    if (dim == LINALG_OTHER || (dim >= 0 && g->isReduction[dim]) || (dim < 0 && shape.dims[i] != 1))
      return false;
    covered += dim >= 0;
  }
  return covered == numParallel;
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

MlirValue linalgTranspose(IrBuilder *b, MlirValue value, const int64_t *order) {
  IrShape shape = irShapeOf(value), result = {.rank = shape.rank};
  bool isIdentity = true;
  for (intptr_t i = 0; i < shape.rank; ++i) {
    isIdentity = isIdentity && order[i] == i;
    result.dims[i] = shape.dims[order[i]];
  }
  return isIdentity ? value
                    : irValueOf(b, "tg.transpose", IR_VALUES(value), tgWithShape(mlirValueGetType(value), result),
                                IR_ATTRS(irDims(b, "permutation", shape.rank, order)));
}

/// Elements start, start + stride, ... of a dimension, `count` of them; backwards with a negative stride.
static MlirValue takeElements(IrBuilder *b, MlirValue value, intptr_t dim, int64_t start, int64_t count,
                              int64_t stride) {
  IrShape shape = irShapeOf(value), starts = {.rank = shape.rank}, strides = {.rank = shape.rank}, limits = shape;
  int64_t lowest = stride < 0 ? start + (count - 1) * stride : start, step = stride < 0 ? -stride : stride;
  for (intptr_t i = 0; i < shape.rank; ++i)
    strides.dims[i] = 1;
  starts.dims[dim] = lowest;
  strides.dims[dim] = step;
  limits.dims[dim] = lowest + (count - 1) * step + 1;
  shape.dims[dim] = count;
  value = irValueOf(b, "tg.slice", IR_VALUES(value), tgWithShape(mlirValueGetType(value), shape),
                    IR_ATTRS(irDims(b, "starts", shape.rank, starts.dims), irDims(b, "limits", shape.rank, limits.dims),
                             irDims(b, "strides", shape.rank, strides.dims)));
  int64_t dims[] = {dim};
  return stride > 0 ? value
                    : irValueOf(b, "tg.reverse", IR_VALUES(value), mlirValueGetType(value),
                                IR_ATTRS(irDims(b, "dims", 1, dims)));
}

/// Whether an operand's dimensions are loops of their own, forwards or backwards and by any stride, or constants.
static bool isStrided(const LinalgGeneric *g, intptr_t number) {
  intptr_t rank = irShapeOf(g->operands[number]).rank;
  bool seen[IR_MAX_RANK] = {false};
  LinalgLinear linear;
  for (intptr_t i = 0; i < rank; ++i) {
    if (!linalgReadLinear(g, number, i, &linear) || linear.count > 1 || (linear.count && seen[linear.dims[0]]))
      return false;
    if (linear.count)
      seen[linear.dims[0]] = true;
  }
  return true;
}

/// The number at which each element of the space is, along a dimension that `expression` computes from those of the
/// space; null if it needs a symbol.
static MlirValue valueOfExpr(LinalgBody *body, MlirAffineExpr expression) {
  IrBuilder *b = body->b;
  const MlirValue none = {NULL};
  if (mlirAffineExprIsADim(expression))
    return linalgBodyIndex(body, mlirAffineDimExprGetPosition(expression));
  if (mlirAffineExprIsAConstant(expression))
    return tgSplatBits(b,
                       mlirRankedTensorTypeGet(body->space.rank, body->space.dims, mlirIntegerTypeGet(b->context, 64),
                                               mlirAttributeGetNull()),
                       (uint64_t)mlirAffineConstantExprGetValue(expression));
  if (!mlirAffineExprIsABinary(expression))
    return none;
  MlirValue lhs = valueOfExpr(body, mlirAffineBinaryOpExprGetLHS(expression));
  MlirValue rhs = valueOfExpr(body, mlirAffineBinaryOpExprGetRHS(expression));
  if (mlirValueIsNull(lhs) || mlirValueIsNull(rhs))
    return none;
  if (mlirAffineExprIsAAdd(expression))
    return tgAdd(b, lhs, rhs);
  if (mlirAffineExprIsAMul(expression))
    return tgMul(b, lhs, rhs);
  if (mlirAffineExprIsAMod(expression))
    return linalgModulo(b, lhs, rhs);
  return mlirAffineExprIsAFloorDiv(expression) ? linalgFloorDivide(b, lhs, rhs) : linalgCeilDivide(b, lhs, rhs);
}

static MlirValue byIndices(const LinalgGeneric *g, LinalgBody *body, intptr_t number, MlirValue value) {
  MlirValue indices[IR_MAX_RANK];
  intptr_t rank = irShapeOf(value).rank;
  for (intptr_t i = 0; i < rank; ++i) {
    indices[i] = valueOfExpr(body, mlirAffineMapGetResult(g->affine[number], i));
    if (mlirValueIsNull(indices[i]))
      return indices[i];
  }
  return linalgElementsAt(body->b, value, g->sizes, indices);
}

MlirValue linalgInSpace(const LinalgGeneric *g, LinalgBody *body, intptr_t number) {
  MlirValue value = linalgBodyValue(body, g->operands[number]);
  if (mlirValueIsNull(value) || !mlirTypeIsARankedTensor(mlirValueGetType(g->operands[number])))
    return value;
  if (!isStrided(g, number))
    return byIndices(g, body, number, value);
  IrShape shape = irShapeOf(value), kept = {0}, dims = {0};
  LinalgLinear linear;
  for (intptr_t i = 0; i < shape.rank; ++i) {
    linalgReadLinear(g, number, i, &linear);
    int64_t dim = linear.dims[0], stride = linear.count ? linear.coefficients[dim] : 1;
    int64_t count = linear.count ? g->sizes.dims[dim] : 1;
    if (linear.constant || stride != 1 || count != shape.dims[i])
      value = takeElements(body->b, value, i, linear.constant, count, stride);
    if (linear.count) {
      kept.dims[kept.rank++] = count;
      dims.dims[dims.rank++] = dim;
    }
  }
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

MlirValue linalgAsOutput(const LinalgGeneric *g, IrBuilder *b, MlirValue value, intptr_t output) {
  intptr_t number = g->numInputs + output, rank = irShapeOf(g->operands[number]).rank;
  int64_t position[IR_MAX_RANK], order[IR_MAX_RANK], count = 0, kept = 0;
  for (intptr_t i = 0; i < g->numDims; ++i)
    position[i] = g->isReduction[i] ? -1 : count++;
  for (intptr_t i = 0; i < rank; ++i)
    if (g->maps[number][i] >= 0)
      order[kept++] = position[g->maps[number][i]];
  value = linalgTranspose(b, value, order);
  return kept == rank ? value : tgReshape(b, value, mlirValueGetType(g->operands[number]));
}

//===----------------------------------------------------------------------===//
// Functions of one input
//===----------------------------------------------------------------------===//

enum { NO_INPUT = -1, MANY_INPUTS = -2 };

static intptr_t inputOf(const LinalgGeneric *g, MlirValue value, int *budget) {
  MlirBlock block = irBody(g->op, 0);
  if (--*budget < 0)
    return MANY_INPUTS;
  if (mlirValueIsABlockArgument(value) && mlirBlockEqual(mlirBlockArgumentGetOwner(value), block)) {
    intptr_t number = mlirBlockArgumentGetArgNumber(value);
    if (number >= g->numInputs)
      return MANY_INPUTS;
    return mlirTypeIsARankedTensor(mlirValueGetType(g->operands[number])) ? number : NO_INPUT;
  }
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), block))
    return NO_INPUT;
  if (irOpIs(op, "linalg.index"))
    return MANY_INPUTS;
  intptr_t input = NO_INPUT;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    intptr_t other = inputOf(g, irOperand(op, i), budget);
    if (other == MANY_INPUTS || (input >= 0 && other >= 0 && input != other))
      return MANY_INPUTS;
    input = other >= 0 ? other : input;
  }
  return input;
}

intptr_t linalgInputOf(const LinalgGeneric *g, MlirValue value) {
  int budget = 256;
  intptr_t input = inputOf(g, value, &budget);
  return input < 0 ? -1 : input;
}

static MlirValue inputItself(LinalgBody *body, MlirValue argument) {
  const LinalgGeneric *g = body->context;
  return linalgBodyValue(body, g->operands[mlirBlockArgumentGetArgNumber(argument)]);
}

MlirValue linalgOfInput(const LinalgGeneric *g, IrBuilder *b, MlirValue value, intptr_t number) {
  LinalgBody body = {.b = b,
                     .space = irShapeOf(g->operands[number]),
                     .block = irBody(g->op, 0),
                     .argument = inputItself,
                     .context = g};
  MlirValue result = linalgBodyValue(&body, value);
  linalgBodyDestroy(&body);
  return result;
}
