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
// So each element of C needs the words of A of the 4 lanes of its row, and those of B of the 4 lanes of its column.
// Products are exact in f32; they are added to C in ascending order.
//
//===----------------------------------------------------------------------===//

#include "lowering/llvm/expand_mma.h"

#include "capi/diagnostics.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/kernel.h"

#include <stdlib.h>

enum { QUAD = 4, WORDS_OF_A = 4, WORDS_OF_B = 2, ROWS = 2, COLUMNS = 2, HALVES = 2 };

typedef struct {
  IrBuilder b;
  MlirType element, wide; ///< f16 or bf16; two words as an integer
  MlirValue a, bOperand;
  MlirValue group, inGroup; ///< of the lane: g and t, as i32
} Expansion;

static MlirType vectorOf(MlirType element, int64_t count) { return mlirVectorTypeGet(1, &count, element); }

static MlirValue extract(Expansion *x, MlirValue vector, intptr_t rank, const int64_t *position, MlirType type) {
  return irValueOf(&x->b, "vector.extract", IR_VALUES(vector), type,
                   IR_ATTRS(irDims(&x->b, "static_position", rank, position)));
}

static MlirValue number(Expansion *x, int64_t value) {
  return irConstantInt(&x->b, mlirIntegerTypeGet(x->b.context, 32), value);
}

/// Two words of a lane, each two elements, as one integer.
static MlirValue packWords(Expansion *x, MlirValue fragment, int64_t first, int64_t second) {
  MlirValue elements[2 * HALVES];
  for (int64_t i = 0; i < 2 * HALVES; ++i) {
    int64_t position[] = {i < HALVES ? first : second, i % HALVES};
    elements[i] = extract(x, fragment, 2, position, x->element);
  }
  MlirValue vector = irValueOf(&x->b, "vector.from_elements", (IrValues){2 * HALVES, elements},
                               vectorOf(x->element, 2 * HALVES), IR_NO_ATTRS);
  MlirValue one = irUnary(&x->b, "vector.bitcast", vector, vectorOf(x->wide, 1));
  return extract(x, one, 1, (const int64_t[]){0}, x->wide);
}

/// What the lane `from` has of them, as f32: HALVES elements of each word.
static void receive(Expansion *x, MlirValue words, MlirValue from, MlirValue *elements) {
  MlirType f32 = mlirF32TypeGet(x->b.context), i1 = mlirIntegerTypeGet(x->b.context, 1);
  MlirOperation shuffle = irOp(&x->b, "gpu.shuffle", IR_VALUES(words, from, number(x, 32)), IR_TYPES(x->wide, i1),
                               IR_ATTRS(irAttr(&x->b, "mode", irParseAttr(x->b.context, "#gpu<shuffle_mode idx>"))));
  MlirValue one =
      irValueOf(&x->b, "vector.from_elements", IR_VALUES(irResult(shuffle, 0)), vectorOf(x->wide, 1), IR_NO_ATTRS);
  MlirValue all = irUnary(&x->b, "vector.bitcast", one, vectorOf(x->element, 2 * HALVES));
  for (int64_t i = 0; i < 2 * HALVES; ++i)
    elements[i] = irUnary(&x->b, "arith.extf", extract(x, all, 1, &i, x->element), f32);
}

static void findLane(Expansion *x) {
  MlirType i32 = mlirIntegerTypeGet(x->b.context, 32);
  MlirAttribute dimension = irParseAttr(x->b.context, "#gpu<dim x>");
  MlirValue thread = irValueOf(&x->b, "gpu.thread_id", IR_NO_VALUES, mlirIndexTypeGet(x->b.context),
                               IR_ATTRS(irAttr(&x->b, "dimension", dimension)));
  MlirValue lane = irRemUI(&x->b, irUnary(&x->b, "arith.index_castui", thread, i32), number(x, 32));
  x->group = irDivUI(&x->b, lane, number(x, QUAD));
  x->inGroup = irRemUI(&x->b, lane, number(x, QUAD));
}

/// Adds the products with what lane number `u` of the row's, and of each column's, four has.
static void addPart(Expansion *x, MlirValue rows[ROWS], MlirValue columns, int64_t u, MlirValue sums[ROWS][COLUMNS]) {
  MlirType f32 = mlirF32TypeGet(x->b.context);
  MlirValue a[ROWS][2 * HALVES], b[COLUMNS][2 * HALVES];
  MlirValue ofRow = irAddI(&x->b, irMulI(&x->b, x->group, number(x, QUAD)), number(x, u));
  for (int64_t r = 0; r < ROWS; ++r)
    receive(x, rows[r], ofRow, a[r]);
  for (int64_t c = 0; c < COLUMNS; ++c) {
    MlirValue column = irAddI(&x->b, irMulI(&x->b, x->inGroup, number(x, COLUMNS)), number(x, c));
    receive(x, columns, irAddI(&x->b, irMulI(&x->b, column, number(x, QUAD)), number(x, u)), b[c]);
  }
  for (int64_t r = 0; r < ROWS; ++r)
    for (int64_t c = 0; c < COLUMNS; ++c)
      for (int64_t i = 0; i < 2 * HALVES; ++i)
        sums[r][c] = irValueOf(&x->b, "math.fma", IR_VALUES(a[r][i], b[c][i], sums[r][c]), f32, IR_NO_ATTRS);
}

static void expandOne(MlirOperation op) {
  MlirType result = mlirValueGetType(irResult(op, 0)), f32 = irElementType(result);
  Expansion x = {.b = irBuilderBefore(op), .a = irOperand(op, 0), .bOperand = irOperand(op, 1)};
  x.element = irElementTypeOf(x.a);
  x.wide = mlirIntegerTypeGet(x.b.context, 64);
  findLane(&x);
  MlirValue rows[ROWS] = {packWords(&x, x.a, 0, 2), packWords(&x, x.a, 1, 3)};
  MlirValue columns = packWords(&x, x.bOperand, 0, 1), sums[ROWS][COLUMNS];
  for (int64_t r = 0; r < ROWS; ++r)
    for (int64_t c = 0; c < COLUMNS; ++c)
      sums[r][c] = extract(&x, irOperand(op, 2), 2, (const int64_t[]){r, c}, f32);
  for (int64_t u = 0; u < QUAD; ++u)
    addPart(&x, rows, columns, u, sums);
  MlirValue value = irOperand(op, 2);
  for (int64_t r = 0; r < ROWS; ++r) {
    MlirValue row =
        irValueOf(&x.b, "vector.from_elements", (IrValues){COLUMNS, sums[r]}, vectorOf(f32, COLUMNS), IR_NO_ATTRS);
    value = irValueOf(&x.b, "vector.insert", IR_VALUES(row, value), result,
                      IR_ATTRS(irDims(&x.b, "static_position", 1, &r)));
  }
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), value);
  mlirOperationDestroy(op);
}

static bool isOfShape(MlirValue value, int64_t words) {
  IrShape shape = irShapeOf(value);
  return shape.rank == 2 && shape.dims[0] == words && shape.dims[1] == 2;
}

bool mmaIsKnown(MlirOperation op) {
  MlirType element = irElementTypeOf(irOperand(op, 0));
  bool isKnown = (mlirTypeIsAF16(element) || mlirTypeIsABF16(element)) &&
                 mlirTypeIsAF32(irElementTypeOf(irResult(op, 0))) &&
                 mlirTypeEqual(element, irElementTypeOf(irOperand(op, 1))) && isOfShape(irOperand(op, 0), WORDS_OF_A) &&
                 isOfShape(irOperand(op, 1), WORDS_OF_B);
  if (!isKnown)
    stitchEmitOpError(op, "is no m16n8k16 of f16 or bf16 with sums in f32");
  return isKnown;
}

bool expandMma(MlirOperation root) {
  KernelOps found = kernelOpsCalled(root, "nvgpu.mma.sync");
  bool succeeded = true;
  for (intptr_t i = 0; i < found.count && succeeded; ++i) {
    succeeded = mmaIsKnown(found.data[i]);
    if (succeeded)
      expandOne(found.data[i]);
  }
  free(found.data);
  return succeeded;
}
