//===- lower_linear_algebra.c - Cholesky factors, triangular systems ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas that define them, element by element, in f64; f32 is rounded once, at the end. Libraries work in other
// orders and, for f32, in f32.
//
//===----------------------------------------------------------------------===//

#include "lowering/reference/tg_to_linalg/lower_loops.h"
#include "lowering/reference/tg_to_linalg/lower_rules.h"
#include "lowering/reference/tg_to_linalg/structured.h"
#include "lowering/scalar/scalar_complex.h"

#include <math.h>

/// f64, or a complex number of two.
static MlirType wideType(MlirType element) {
  MlirType f64 = mlirF64TypeGet(mlirTypeGetContext(element));
  return mlirTypeIsAComplex(element) ? mlirComplexTypeGet(f64) : f64;
}

/// The batch dimensions of a tensor of matrices.
static IrShape batchOf(IrShape shape) {
  shape.rank -= 2;
  return shape;
}

/// Loads the element in `row` and `column` of the matrix at which the batch's loops are.
static MlirValue loadAt(IrBuilder *b, const LoopNest *batch, IrShape shape, MlirValue buffer, MlirValue row,
                        MlirValue column) {
  MlirValue index[IR_MAX_RANK];
  for (intptr_t d = 0; d < shape.rank - 2; ++d)
    index[d] = batch->index[d];
  index[shape.rank - 2] = row;
  index[shape.rank - 1] = column;
  return loadElement(b, buffer, index);
}

static void storeAt(IrBuilder *b, const LoopNest *batch, IrShape shape, MlirValue element, MlirValue buffer,
                    MlirValue row, MlirValue column) {
  MlirValue index[IR_MAX_RANK];
  for (intptr_t d = 0; d < shape.rank - 2; ++d)
    index[d] = batch->index[d];
  index[shape.rank - 2] = row;
  index[shape.rank - 1] = column;
  storeElement(b, element, buffer, index);
}

/// A loop over [0, count) that hands `carried` on (null: nothing).
static MlirOperation loop(IrBuilder *b, MlirValue count, MlirValue carried, IrBuilder *body, MlirValue *index) {
  IrValues none = IR_NO_VALUES, one = {1, &carried};
  MlirOperation op =
      irFor(b, irConstantIndex(b, 0), count, irConstantIndex(b, 1), mlirValueIsNull(carried) ? none : one);
  *body = irBuilderAtEnd(irBody(op, 0), b->loc);
  *index = mlirBlockGetArgument(body->block, 0);
  return op;
}

static MlirValue multiplyElements(IrBuilder *b, MlirValue x, MlirValue y) {
  return scalarCombine(b, TG_mul, mlirValueGetType(x), x, y);
}

static MlirValue subtractElements(IrBuilder *b, MlirValue x, MlirValue y) {
  return scalarCombine(b, TG_sub, mlirValueGetType(x), x, y);
}

static MlirValue divideElements(IrBuilder *b, MlirValue x, MlirValue y) {
  return scalarCombine(b, TG_div, mlirValueGetType(x), x, y);
}

//===----------------------------------------------------------------------===//
// tg.cholesky
//===----------------------------------------------------------------------===//

typedef struct {
  IrShape shape;
  MlirType element, wide;
  MlirValue matrix, factor; ///< buffers: the operand's; L, in `wide`
  bool isLower;
  const LoopNest *batch;
} CholeskyLoops;

/// An element of the operand's lower triangle, or of the conjugate of its upper one.
static MlirValue loadLower(const CholeskyLoops *c, IrBuilder *b, MlirValue row, MlirValue column) {
  MlirValue x = loadAt(b, c->batch, c->shape, c->matrix, c->isLower ? row : column, c->isLower ? column : row);
  x = scalarConvert(b, x, c->element, c->wide);
  return c->isLower ? x : scalarConjugate(b, x);
}

static MlirValue loadFactor(const CholeskyLoops *c, IrBuilder *b, MlirValue row, MlirValue column) {
  return loadAt(b, c->batch, c->shape, c->factor, row, column);
}

/// A[row, column] - sum over k < column of L[row, k] conj(L[column, k])
static MlirValue residual(const CholeskyLoops *c, IrBuilder *b, MlirValue row, MlirValue column) {
  IrBuilder inner;
  MlirValue k;
  MlirOperation sum = loop(b, column, loadLower(c, b, row, column), &inner, &k);
  MlirValue product = multiplyElements(&inner, loadFactor(c, &inner, row, k),
                                       scalarConjugate(&inner, loadFactor(c, &inner, column, k)));
  irYield(&inner, IR_VALUES(subtractElements(&inner, mlirBlockGetArgument(inner.block, 1), product)));
  return irResult(sum, 0);
}

/// The root of a positive number, else NaN, which spreads to all elements behind it.
static MlirValue positiveRoot(IrBuilder *b, MlirValue x, MlirType wide) {
  MlirValue square = scalarRealPart(b, x);
  MlirType f64 = mlirValueGetType(square);
  MlirValue isPositive = irCmpF(b, IR_CMPF_OGT, square, irConstantFloat(b, f64, 0));
  MlirValue root = irSelect(b, isPositive, irUnary(b, "math.sqrt", square, f64), irConstantFloat(b, f64, NAN));
  return scalarConvert(b, root, f64, wide);
}

/// The rows of L from first to last, each from left to right.
static void computeFactor(const CholeskyLoops *c, IrBuilder *b, MlirValue size) {
  IrBuilder rows, columns;
  MlirValue row, column, none = {NULL};
  loop(b, size, none, &rows, &row);
  loop(&rows, row, none, &columns, &column);
  MlirValue quotient =
      divideElements(&columns, residual(c, &columns, row, column), loadFactor(c, &columns, column, column));
  storeAt(&columns, c->batch, c->shape, quotient, c->factor, row, column);
  irYield(&columns, IR_NO_VALUES);
  MlirValue diagonal = positiveRoot(&rows, residual(c, &rows, row, row), c->wide);
  storeAt(&rows, c->batch, c->shape, diagonal, c->factor, row, row);
  irYield(&rows, IR_NO_VALUES);
}

/// In each part.
static MlirValue notANumber(IrBuilder *b, MlirType type) {
  MlirValue part = irConstantFloat(b, mlirF64TypeGet(b->context), NAN);
  return mlirTypeIsAComplex(type) ? irValueOf(b, "complex.create", IR_VALUES(part, part), type, IR_NO_ATTRS) : part;
}

/// The result's triangle is L or its adjoint; NaN if L's last element is.
static void storeResult(const CholeskyLoops *c, IrBuilder *b, MlirValue size, MlirValue result) {
  IrBuilder rows, columns;
  MlirValue row, column, none = {NULL};
  MlirValue last = irSubI(b, size, irConstantIndex(b, 1));
  MlirValue end = scalarRealPart(b, loadFactor(c, b, last, last));
  MlirValue isDefinite = irCmpF(b, IR_CMPF_ORD, end, end);
  MlirValue nan = notANumber(b, c->wide), zero = scalarZero(b, c->element);
  loop(b, size, none, &rows, &row);
  loop(&rows, size, none, &columns, &column);
  MlirValue isInside = irCmpI(&columns, IR_CMPI_ULE, c->isLower ? column : row, c->isLower ? row : column);
  MlirValue x = loadFactor(c, &columns, c->isLower ? row : column, c->isLower ? column : row);
  x = irSelect(&columns, isDefinite, c->isLower ? x : scalarConjugate(&columns, x), nan);
  x = irSelect(&columns, isInside, scalarConvert(&columns, x, c->wide, c->element), zero);
  storeAt(&columns, c->batch, c->shape, x, result, row, column);
  irYield(&columns, IR_NO_VALUES);
  irYield(&rows, IR_NO_VALUES);
}

MlirValue lowerCholesky(const Lowering *l) {
  MlirType type = resultStorageType(l, 0), element = irElementType(type);
  CholeskyLoops c = {.shape = irTypeShape(type),
                     .element = element,
                     .wide = wideType(element),
                     .matrix = operandBuffer(l, 0),
                     .isLower = irGetInt(l->op, "triangle", 0) == TG_LOWER};
  c.factor = newBuffer(l->b, tensorWithElement(type, c.wide));
  MlirValue result = newBuffer(l->b, type);
  int64_t size = c.shape.dims[c.shape.rank - 1];
  if (size == 0)
    return bufferContents(l->b, result, type);
  LoopNest batch;
  beginLoops(l->b, &batch, batchOf(c.shape), IR_NO_VALUES);
  c.batch = &batch;
  MlirValue sizeValue = irConstantIndex(&batch.body, size);
  computeFactor(&c, &batch.body, sizeValue);
  storeResult(&c, &batch.body, sizeValue, result);
  endLoops(&batch, IR_NO_VALUES);
  return bufferContents(l->b, result, type);
}

//===----------------------------------------------------------------------===//
// tg.triangular_solve
//===----------------------------------------------------------------------===//

/// Each column of B (right: each row) is a system M x = b, where M is A, or its transpose or adjoint.
typedef struct {
  IrShape aShape, bShape;
  MlirType element, wide;
  MlirValue a, rhs, solution; ///< buffers; the solution is in `wide`
  bool isLeft;
  bool isTransposed, isConjugated; ///< M, of A
  bool isForward;                  ///< M is a lower triangle: its first row has one element
  bool hasUnitDiagonal;
  const LoopNest *batch;
} SolveLoops;

static MlirValue loadMatrix(const SolveLoops *s, IrBuilder *b, MlirValue row, MlirValue column) {
  MlirValue x = loadAt(b, s->batch, s->aShape, s->a, s->isTransposed ? column : row, s->isTransposed ? row : column);
  x = scalarConvert(b, x, s->element, s->wide);
  return s->isConjugated ? scalarConjugate(b, x) : x;
}

/// Element `number` of system `system`, of B or the solution.
static MlirValue loadOfSystem(const SolveLoops *s, IrBuilder *b, MlirValue buffer, MlirValue system, MlirValue number) {
  return loadAt(b, s->batch, s->bShape, buffer, s->isLeft ? number : system, s->isLeft ? system : number);
}

/// The row that is solved in step `step`.
static MlirValue rowOfStep(const SolveLoops *s, IrBuilder *b, MlirValue step, MlirValue last) {
  return s->isForward ? step : irSubI(b, last, step);
}

/// (b[row] - sum over the rows solved before of M[row, k] x[k]) / M[row, row]
static void solveRow(const SolveLoops *s, IrBuilder *b, MlirValue system, MlirValue step, MlirValue last) {
  MlirValue row = rowOfStep(s, b, step, last), before;
  IrBuilder inner;
  MlirValue start = scalarConvert(b, loadOfSystem(s, b, s->rhs, system, row), s->element, s->wide);
  MlirOperation sum = loop(b, step, start, &inner, &before);
  MlirValue k = rowOfStep(s, &inner, before, last);
  MlirValue product =
      multiplyElements(&inner, loadMatrix(s, &inner, row, k), loadOfSystem(s, &inner, s->solution, system, k));
  irYield(&inner, IR_VALUES(subtractElements(&inner, mlirBlockGetArgument(inner.block, 1), product)));
  MlirValue x = irResult(sum, 0);
  if (!s->hasUnitDiagonal)
    x = divideElements(b, x, loadMatrix(s, b, row, row));
  storeAt(b, s->batch, s->bShape, x, s->solution, s->isLeft ? row : system, s->isLeft ? system : row);
}

static SolveLoops readSolve(const Lowering *l) {
  TgTransposition transposition = irGetInt(l->op, "transposition", TG_NOT_TRANSPOSED);
  SolveLoops s = {.aShape = irShapeOf(irOperand(l->op, 0)),
                  .bShape = irShapeOf(irOperand(l->op, 1)),
                  .element = resultElementType(l),
                  .wide = wideType(resultElementType(l)),
                  .isLeft = irGetInt(l->op, "side", TG_LEFT) == TG_LEFT,
                  .isConjugated = transposition == TG_ADJOINT,
                  .hasUnitDiagonal = irHasAttr(l->op, "unit_diagonal")};
  // X op(A) = B has the rows op(A)^T x = b.
  s.isTransposed = (transposition != TG_NOT_TRANSPOSED) == s.isLeft;
  s.isForward = (irGetInt(l->op, "triangle", TG_LOWER) == TG_LOWER) != s.isTransposed;
  return s;
}

MlirValue lowerTriangularSolve(const Lowering *l) {
  MlirType type = resultStorageType(l, 0);
  SolveLoops s = readSolve(l);
  s.a = operandBuffer(l, 0);
  s.rhs = operandBuffer(l, 1);
  MlirType wideTensor = tensorWithElement(type, s.wide);
  s.solution = newBuffer(l->b, wideTensor);
  int64_t size = s.aShape.dims[s.aShape.rank - 1], systems = s.bShape.dims[s.bShape.rank - (s.isLeft ? 1 : 2)];
  LoopNest batch;
  beginLoops(l->b, &batch, batchOf(s.bShape), IR_NO_VALUES);
  s.batch = &batch;
  IrBuilder each, steps;
  MlirValue system, step, none = {NULL}, last = irConstantIndex(&batch.body, size - 1);
  loop(&batch.body, irConstantIndex(&batch.body, systems), none, &each, &system);
  loop(&each, irConstantIndex(&each, size), none, &steps, &step);
  solveRow(&s, &steps, system, step, last);
  irYield(&steps, IR_NO_VALUES);
  irYield(&each, IR_NO_VALUES);
  endLoops(&batch, IR_NO_VALUES);
  return convertedTensor(l->b, bufferContents(l->b, s.solution, wideTensor), s.wide, s.element);
}
