//===- expand_mma.c - products of a warp without tensor cores ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the CPU's SIMT device, and for GPUs before sm_80. PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point
// type": lane l, with g = l / 4 and t = l % 4, has
//
//   of A, 16 x 16: rows g (words 0 and 2) and g + 8 (words 1 and 3), columns 2t and 2t + 1 (words 0 and 1), and 8 more
//   of B, 16 x 8:  rows 2t and 2t + 1 (word 0), and 8 more (word 1), column g
//   of C, 16 x 8:  rows g (the first two) and g + 8, columns 2t and 2t + 1
//
// "Matrix Fragments for mma.m16n8k8" and ".m16n8k4" with .tf32: of f32, whose low 13 bits count for nothing, a word is
// one element. Lane l has the same rows of A and columns of B, and the same of C, but
//
//   of A, 16 x 8:  column t (words 0 and 1) and t + 4 (words 2 and 3); of 16 x 4 the first two words alone
//   of B, 8 x 8:   rows t (word 0) and t + 4 (word 1); of 4 x 8 the first word alone
//
// So each element of C needs the words of A of the 4 lanes of its row, and those of B of the 4 lanes of its column.
// Products of 16 bits are exact in f32, as those of TF32 are; they are added to C lane by lane, in one order.
//
//===----------------------------------------------------------------------===//

#include "lowering/llvm/expand_mma.h"

#include "capi/diagnostics.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdlib.h>

enum { QUAD = 4, WORDS_OF_A = 4, WORDS_OF_B = 2, ROWS = 2, COLUMNS = 2, MOST_ELEMENTS = 4 };

typedef struct {
  IrBuilder b;
  MlirType element, wide;      ///< f16, bf16 or f32; a lane's words of a row of A, or of a column of B, as an integer
  int64_t words, wordElements; ///< how many these are, and elements of a word
  MlirValue a, bOperand;
  MlirValue group, inGroup; ///< of the lane: g and t, as i32
} MmaExpansion;

static MlirType vectorTypeOf(MlirType element, int64_t count) { return mlirVectorTypeGet(1, &count, element); }

static MlirValue extract(MmaExpansion *x, MlirValue vector, intptr_t rank, const int64_t *position, MlirType type) {
  return irValueOf(&x->b, "vector.extract", IR_VALUES(vector), type,
                   IR_ATTRS(irDims(&x->b, "static_position", rank, position)));
}

static MlirValue number(MmaExpansion *x, int64_t value) {
  return irConstantInt(&x->b, mlirIntegerTypeGet(x->b.context, 32), value);
}

static int64_t elementsOfLane(const MmaExpansion *x) { return x->words * x->wordElements; }

/// A lane's words of a row or column, the second one `distance` behind the first, as one integer.
static MlirValue packWords(MmaExpansion *x, MlirValue fragment, int64_t first, int64_t distance) {
  MlirValue elements[MOST_ELEMENTS];
  int64_t count = elementsOfLane(x);
  for (int64_t i = 0; i < count; ++i) {
    int64_t position[] = {first + i / x->wordElements * distance, i % x->wordElements};
    elements[i] = extract(x, fragment, 2, position, x->element);
  }
  MlirValue vector = irValueOf(&x->b, "vector.from_elements", (IrValues){count, elements},
                               vectorTypeOf(x->element, count), IR_NO_ATTRS);
  MlirValue one = irUnary(&x->b, "vector.bitcast", vector, vectorTypeOf(x->wide, 1));
  return extract(x, one, 1, (const int64_t[]){0}, x->wide);
}

/// The bits of an f32 that a tensor core reads.
static MlirValue readTf32(MmaExpansion *x, MlirValue element) {
  enum { LOW_BITS = 13 };
  MlirValue bits = irUnary(&x->b, "arith.bitcast", element, mlirIntegerTypeGet(x->b.context, 32));
  bits = irAndI(&x->b, bits, number(x, -(INT64_C(1) << LOW_BITS)));
  return irUnary(&x->b, "arith.bitcast", bits, x->element);
}

/// The elements of the lane `from`, as f32.
static void receive(MmaExpansion *x, MlirValue words, MlirValue from, MlirValue *elements) {
  MlirType f32 = mlirF32TypeGet(x->b.context), i1 = mlirIntegerTypeGet(x->b.context, 1);
  bool isF32 = mlirTypeIsAF32(x->element);
  MlirOperation shuffle = irOp(&x->b, "gpu.shuffle", IR_VALUES(words, from, number(x, 32)), IR_TYPES(x->wide, i1),
                               IR_ATTRS(irAttr(&x->b, "mode", irParseAttr(x->b.context, "#gpu<shuffle_mode idx>"))));
  MlirValue one =
      irValueOf(&x->b, "vector.from_elements", IR_VALUES(irResult(shuffle, 0)), vectorTypeOf(x->wide, 1), IR_NO_ATTRS);
  MlirValue all = irUnary(&x->b, "vector.bitcast", one, vectorTypeOf(x->element, elementsOfLane(x)));
  for (int64_t i = 0; i < elementsOfLane(x); ++i) {
    MlirValue element = extract(x, all, 1, &i, x->element);
    elements[i] = isF32 ? readTf32(x, element) : irUnary(&x->b, "arith.extf", element, f32);
  }
}

static void findLane(MmaExpansion *x) {
  MlirType i32 = mlirIntegerTypeGet(x->b.context, 32);
  MlirAttribute dimension = irParseAttr(x->b.context, "#gpu<dim x>");
  MlirValue thread = irValueOf(&x->b, "gpu.thread_id", IR_NO_VALUES, mlirIndexTypeGet(x->b.context),
                               IR_ATTRS(irAttr(&x->b, "dimension", dimension)));
  MlirValue lane = irRemUI(&x->b, irUnary(&x->b, "arith.index_castui", thread, i32), number(x, 32));
  x->group = irDivUI(&x->b, lane, number(x, QUAD));
  x->inGroup = irRemUI(&x->b, lane, number(x, QUAD));
}

/// Adds the products with the elements of lane number `u` of the row's four lanes, and of each column's four.
static void addPartialSum(MmaExpansion *x, MlirValue rows[ROWS], MlirValue columns, int64_t u,
                          MlirValue sums[ROWS][COLUMNS]) {
  MlirType f32 = mlirF32TypeGet(x->b.context);
  MlirValue a[ROWS][MOST_ELEMENTS], b[COLUMNS][MOST_ELEMENTS];
  MlirValue ofRow = irAddI(&x->b, irMulI(&x->b, x->group, number(x, QUAD)), number(x, u));
  for (int64_t r = 0; r < ROWS; ++r)
    receive(x, rows[r], ofRow, a[r]);
  for (int64_t c = 0; c < COLUMNS; ++c) {
    MlirValue column = irAddI(&x->b, irMulI(&x->b, x->inGroup, number(x, COLUMNS)), number(x, c));
    receive(x, columns, irAddI(&x->b, irMulI(&x->b, column, number(x, QUAD)), number(x, u)), b[c]);
  }
  for (int64_t r = 0; r < ROWS; ++r)
    for (int64_t c = 0; c < COLUMNS; ++c)
      for (int64_t i = 0; i < elementsOfLane(x); ++i)
        sums[r][c] = irValueOf(&x->b, "math.fma", IR_VALUES(a[r][i], b[c][i], sums[r][c]), f32, IR_NO_ATTRS);
}

static void expandMmaOp(MlirOperation op) {
  MlirType result = mlirValueGetType(irResult(op, 0)), f32 = irElementType(result);
  MmaExpansion x = {.b = irBuilderBefore(op), .a = irOperand(op, 0), .bOperand = irOperand(op, 1)};
  IrShape words = irShapeOf(x.bOperand);
  x.element = irElementTypeOf(x.a);
  x.words = words.dims[0];
  x.wordElements = words.dims[1];
  x.wide = mlirIntegerTypeGet(x.b.context, (unsigned)(32 * x.words));
  findLane(&x);
  MlirValue rows[ROWS] = {packWords(&x, x.a, 0, ROWS), packWords(&x, x.a, 1, ROWS)};
  MlirValue columns = packWords(&x, x.bOperand, 0, 1), sums[ROWS][COLUMNS];
  for (int64_t r = 0; r < ROWS; ++r)
    for (int64_t c = 0; c < COLUMNS; ++c)
      sums[r][c] = extract(&x, irOperand(op, 2), 2, (const int64_t[]){r, c}, f32);
  for (int64_t u = 0; u < QUAD; ++u)
    addPartialSum(&x, rows, columns, u, sums);
  MlirValue value = irOperand(op, 2);
  for (int64_t r = 0; r < ROWS; ++r) {
    MlirValue row =
        irValueOf(&x.b, "vector.from_elements", (IrValues){COLUMNS, sums[r]}, vectorTypeOf(f32, COLUMNS), IR_NO_ATTRS);
    value = irValueOf(&x.b, "vector.insert", IR_VALUES(row, value), result,
                      IR_ATTRS(irDims(&x.b, "static_position", 1, &r)));
  }
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), value);
  mlirOperationDestroy(op);
}

static bool isOfShape(MlirValue value, int64_t words, int64_t elements) {
  IrShape shape = irShapeOf(value);
  return shape.rank == 2 && shape.dims[0] == words && shape.dims[1] == elements;
}

static bool hasShapes(MlirOperation op) {
  MlirType element = irElementTypeOf(irOperand(op, 0));
  MlirValue a = irOperand(op, 0), b = irOperand(op, 1);
  if (mlirTypeIsAF16(element) || mlirTypeIsABF16(element))
    return isOfShape(a, WORDS_OF_A, 2) && isOfShape(b, WORDS_OF_B, 2);
  return mlirTypeIsAF32(element) && irHasAttr(op, "tf32Enabled") &&
         ((isOfShape(a, WORDS_OF_A, 1) && isOfShape(b, WORDS_OF_B, 1)) ||
          (isOfShape(a, WORDS_OF_A / 2, 1) && isOfShape(b, WORDS_OF_B / 2, 1)));
}

bool mmaIsKnown(MlirOperation op) {
  bool isKnown = mlirTypeIsAF32(irElementTypeOf(irResult(op, 0))) &&
                 mlirTypeEqual(irElementTypeOf(irOperand(op, 0)), irElementTypeOf(irOperand(op, 1))) && hasShapes(op);
  if (!isKnown)
    stitchEmitOpError(op, "is no m16n8k16 of f16 or bf16, and no m16n8k8 or m16n8k4 of tf32, with sums in f32");
  return isKnown;
}

bool expandMma(MlirOperation root) {
  KernelOps found = kernelOpsCalled(root, "nvgpu.mma.sync");
  bool succeeded = true;
  for (intptr_t i = 0; i < found.count && succeeded; ++i) {
    succeeded = mmaIsKnown(found.data[i]);
    if (succeeded)
      expandMmaOp(found.data[i]);
  }
  free(found.data);
  return succeeded;
}
