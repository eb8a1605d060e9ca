//===- expand_warpgroup.c - products of a warpgroup by its warps ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the CPU's SIMT device, and for all GPUs but those that code for sm_90a runs on. A warp of a warpgroup has 16 of
// its 64 rows, and each thread has the elements of these that mma.m16n8k16 gives it (PTX ISA, "Register Fragments for
// wgmma.mma_async.m64nNk16"). So each warp multiplies its rows by itself. Matrices are loaded by ldmatrix, whose lanes
// have the addresses of rows of 16 bytes: in blocks of columns with the swizzle of stitch.warpgroup_product.
//
//===----------------------------------------------------------------------===//

#include "lowering/llvm/expand_warpgroup.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"
#include "lowering/llvm/llvm_warpgroup.h"

#include <stdlib.h>

enum { WARP = 32, WARP_ROWS = 16, MATRIX = 8, STEP = 16, COLUMNS = 8, WORDS_OF_A = 4, WORDS_OF_B = 2, AT_ONCE = 2 };

typedef struct {
  IrBuilder b;
  WarpgroupProduct product;
  MlirType element;
  MlirValue lane, warp; ///< as i32; the warp's number in its warpgroup
} WarpgroupExpansion;

static MlirValue number(WarpgroupExpansion *x, int64_t value) {
  return irConstantInt(&x->b, mlirIntegerTypeGet(x->b.context, 32), value);
}

static void findLane(WarpgroupExpansion *x) {
  MlirType i32 = mlirIntegerTypeGet(x->b.context, 32);
  MlirValue thread = irValueOf(&x->b, "gpu.thread_id", IR_NO_VALUES, mlirIndexTypeGet(x->b.context),
                               IR_ATTRS(irAttr(&x->b, "dimension", irParseAttr(x->b.context, "#gpu<dim x>"))));
  MlirValue id = irUnary(&x->b, "arith.index_castui", thread, i32);
  x->lane = irRemUI(&x->b, id, number(x, WARP));
  x->warp = irRemUI(&x->b, irDivUI(&x->b, id, number(x, WARP)), number(x, WARPGROUP_WARPS));
}

/// The element at which 16 bytes begin: of a row, and of 8 columns whose number in a row is `chunk`.
static MlirValue chunkAddress(WarpgroupExpansion *x, int64_t rows, MlirValue row, MlirValue chunk) {
  MlirValue inPanel = irRemUI(&x->b, chunk, number(x, WARPGROUP_CHUNKS));
  MlirValue swizzled = irXorI(&x->b, inPanel, irRemUI(&x->b, row, number(x, WARPGROUP_CHUNKS)));
  MlirValue panel =
      irMulI(&x->b, irDivUI(&x->b, chunk, number(x, WARPGROUP_CHUNKS)), number(x, rows * WARPGROUP_PANEL));
  MlirValue inRow = irMulI(&x->b, swizzled, number(x, MATRIX));
  return irAddI(&x->b, irAddI(&x->b, panel, irMulI(&x->b, row, number(x, WARPGROUP_PANEL))), inRow);
}

/// Loads `matrices` matrices of 8 x 8 elements, first two side by side (`firstBeside`) or first two below each other:
/// `row` and `column` are those of the first one.
static MlirValue load(WarpgroupExpansion *x, MlirValue memory, int64_t rows, MlirValue row, int64_t column,
                      int64_t matrices, bool firstBeside, bool transpose) {
  MlirValue matrix = irRemUI(&x->b, irDivUI(&x->b, x->lane, number(x, MATRIX)), number(x, matrices));
  MlirValue first = irRemUI(&x->b, matrix, number(x, 2)), second = irDivUI(&x->b, matrix, number(x, 2));
  MlirValue below = firstBeside ? second : first, beside = firstBeside ? first : second;
  MlirValue inMatrix = irRemUI(&x->b, x->lane, number(x, MATRIX));
  MlirValue ofRow = irAddI(&x->b, irAddI(&x->b, row, irMulI(&x->b, below, number(x, MATRIX))), inMatrix);
  MlirValue chunk = irAddI(&x->b, beside, number(x, column / MATRIX));
  MlirValue place =
      irUnary(&x->b, "arith.index_castui", chunkAddress(x, rows, ofRow, chunk), mlirIndexTypeGet(x->b.context));
  MlirType type = mlirVectorTypeGet(2, (const int64_t[]){matrices, 2}, x->element);
  MlirContext context = x->b.context;
  return irValueOf(&x->b, "nvgpu.ldmatrix", IR_VALUES(memory, place), type,
                   IR_ATTRS(irAttr(&x->b, "transpose", mlirBoolAttrGet(context, transpose)),
                            irAttr(&x->b, "numTiles", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), matrices))));
}

/// The warp's rows of A for 16 elements that are contracted, from `depth` on.
static MlirValue loadLhs(WarpgroupExpansion *x, int64_t depth) {
  const WarpgroupProduct *p = &x->product;
  if (p->numFragments > 0)
    return irOperand(p->op, depth / STEP);
  MlirValue first = irUnary(&x->b, "arith.index_castui", p->lhsRow, mlirIntegerTypeGet(x->b.context, 32));
  MlirValue row = irAddI(&x->b, first, irMulI(&x->b, x->warp, number(x, WARP_ROWS)));
  return load(x, p->lhs, p->lhsRows, row, depth, WORDS_OF_A, /*firstBeside=*/false, /*transpose=*/false);
}

/// Fragments of B for `count` times 8 columns from `column` on.
static MlirValue loadRhs(WarpgroupExpansion *x, int64_t depth, int64_t column, int64_t count) {
  const WarpgroupProduct *p = &x->product;
  return p->transposed ? load(x, p->rhs, p->rhsRows, number(x, depth), column, count * WORDS_OF_B,
                              /*firstBeside=*/false, /*transpose=*/true)
                       : load(x, p->rhs, p->rhsRows, number(x, column), depth, count * WORDS_OF_B,
                              /*firstBeside=*/true, /*transpose=*/false);
}

/// Fragment number `which` of some.
static MlirValue halfOfWords(WarpgroupExpansion *x, MlirValue words, int64_t which) {
  MlirType type = mlirVectorTypeGet(2, (const int64_t[]){WORDS_OF_B, 2}, x->element);
  return irValueOf(
      &x->b, "vector.extract_strided_slice", IR_VALUES(words), type,
      IR_ATTRS(irAttr(&x->b, "offsets", irParseAttr(x->b.context, "[%lld]", (long long)(which * WORDS_OF_B))),
               irAttr(&x->b, "sizes", irParseAttr(x->b.context, "[%d]", WORDS_OF_B)),
               irAttr(&x->b, "strides", irParseAttr(x->b.context, "[1]"))));
}

static MlirValue multiplyFragments(WarpgroupExpansion *x, MlirValue lhs, MlirValue rhs, MlirValue sum) {
  return irValueOf(&x->b, "nvgpu.mma.sync", IR_VALUES(lhs, rhs, sum), mlirValueGetType(sum),
                   IR_ATTRS(irAttr(&x->b, "mmaShape", irParseAttr(x->b.context, "[16, 8, 16]"))));
}

static MlirValue zeros(WarpgroupExpansion *x, MlirType type) {
  MlirAttribute zero = mlirFloatAttrDoubleGet(x->b.context, irElementType(type), 0);
  return irValueOf(&x->b, "arith.constant", IR_NO_VALUES, type,
                   IR_ATTRS(irAttr(&x->b, "value", mlirDenseElementsAttrSplatGet(type, zero))));
}

static void expandProduct(MlirOperation op) {
  WarpgroupExpansion x = {.b = irBuilderBefore(op), .product = warpgroupProductOf(op)};
  const WarpgroupProduct *p = &x.product;
  x.element = irElementType(mlirValueGetType(p->rhs));
  findLane(&x);
  MlirValue *sums = irAllocate(sizeof(MlirValue) * (size_t)p->numResults);
  for (int64_t n = 0; n < p->numResults; ++n)
    sums[n] = p->numSums > 0 ? p->sums[n] : zeros(&x, mlirValueGetType(irResult(op, n)));
  for (int64_t depth = 0; depth < p->depth; depth += STEP) {
    MlirValue lhs = loadLhs(&x, depth);
    for (int64_t n = 0; n < p->numResults; n += AT_ONCE) {
      int64_t count = min64(AT_ONCE, p->numResults - n);
      MlirValue rhs = loadRhs(&x, depth, n * COLUMNS, count);
      for (int64_t i = 0; i < count; ++i)
        sums[n + i] = multiplyFragments(&x, lhs, count == 1 ? rhs : halfOfWords(&x, rhs, i), sums[n + i]);
    }
  }
  for (int64_t n = 0; n < p->numResults; ++n)
    mlirValueReplaceAllUsesOfWith(irResult(op, n), sums[n]);
  free(sums);
  warpgroupProductDestroy(&x.product);
  mlirOperationDestroy(op);
}

static void dropAny(MlirOperation op) {
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), irOperand(op, 0));
  mlirOperationDestroy(op);
}

void expandWarpgroupProducts(MlirOperation root) {
  kernelLowerCalled(root, "stitch.warpgroup_product", expandProduct);
  kernelLowerCalled(root, "stitch.warpgroup_any", dropAny);
}
