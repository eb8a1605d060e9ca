//===- lower_roots.c - square roots that share a test --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas's code for sqrt.rn is an approximation and a step of Newton's,
//
//   r = rsqrt.approx(x), s = x r
//   s + (x - s s) (r / 2)          by two fma
//
// behind a test whether x is so large or small, or negative, that it needs a subroutine, and a branch there and back
// for each root. The roots of a thread's vector are computed together: here the largest of their tests decides for all,
// and where it fails, all take sqrt.rn. The bits are the same.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/lower_roots.h"

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdlib.h>

/// Roots that one test decides for: more would need too many registers.
enum { MOST_ROOTS = 8 };

/// From 2^-101 to the largest float the three instructions are enough: ptxas compares the bits of x with these bounds.
enum { LEAST_BITS = 0x0d000000, SPAN_OF_BITS = 0x727fffff };

/// Roots of a block of which none is computed from another, and nothing in between reads one.
typedef struct {
  MlirOperation roots[MOST_ROOTS];
  intptr_t count;
} RootGroup;

static MlirValue fma(IrBuilder *b, MlirValue x, MlirValue y, MlirValue z) {
  return irValueOf(b, "math.fma", IR_VALUES(x, y, z), mlirValueGetType(x), IR_NO_ATTRS);
}

static MlirValue fastRoot(IrBuilder *b, MlirValue x) {
  MlirType f32 = mlirValueGetType(x);
  MlirValue r = kernelCallIntrinsic(b, "llvm.nvvm.rsqrt.approx.ftz.f", IR_VALUES(x), f32);
  MlirValue root = irMulF(b, x, r), half = irMulF(b, r, irConstantFloat(b, f32, 0.5));
  return fma(b, fma(b, irUnary(b, "arith.negf", root, f32), root, x), half, root);
}

/// Whether all arguments are neither too large nor too small, negative or NaN.
static MlirValue areAllOrdinary(IrBuilder *b, const RootGroup *group) {
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  MlirValue most = {NULL};
  for (intptr_t i = 0; i < group->count; ++i) {
    MlirValue bits = irUnary(b, "arith.bitcast", irOperand(group->roots[i], 0), i32);
    MlirValue above = irSubI(b, bits, irConstantInt(b, i32, LEAST_BITS));
    most = mlirValueIsNull(most) ? above : irMaxUI(b, most, above);
  }
  MlirValue ordinary = irCmpI(b, IR_CMPI_ULE, most, irConstantInt(b, i32, SPAN_OF_BITS));
  MlirType i1 = mlirIntegerTypeGet(b->context, 1);
  MlirValue yes = irConstantInt(b, i1, 1);
  return kernelCallIntrinsic(b, "llvm.expect", IR_VALUES(ordinary, yes), i1);
}

static void yieldRoots(MlirOperation choice, intptr_t region, const RootGroup *group, bool areFast) {
  IrBuilder b = irBuilderAtEnd(irBody(choice, region), mlirOperationGetLocation(choice));
  MlirValue roots[MOST_ROOTS];
  for (intptr_t i = 0; i < group->count; ++i) {
    MlirValue x = irOperand(group->roots[i], 0);
    roots[i] = areFast ? fastRoot(&b, x) : irUnary(&b, "math.sqrt", x, mlirValueGetType(x));
  }
  irYield(&b, (IrValues){group->count, roots});
}

/// Where the last one is, all arguments are known, and no root has been read.
static void lowerGroup(RootGroup *group) {
  if (group->count > 1) {
    IrBuilder b = irBuilderBefore(group->roots[group->count - 1]);
    MlirType types[MOST_ROOTS];
    for (intptr_t i = 0; i < group->count; ++i)
      types[i] = mlirValueGetType(irResult(group->roots[i], 0));
    MlirOperation choice = irIf(&b, areAllOrdinary(&b, group), (IrTypes){group->count, types}, /*hasElse=*/true);
    yieldRoots(choice, 0, group, /*areFast=*/true);
    yieldRoots(choice, 1, group, /*areFast=*/false);
    for (intptr_t i = 0; i < group->count; ++i) {
      mlirValueReplaceAllUsesOfWith(irResult(group->roots[i], 0), irResult(choice, i));
      mlirOperationDestroy(group->roots[i]);
    }
  }
  group->count = 0;
}

static bool readsGroup(MlirOperation op, const RootGroup *group) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    for (intptr_t j = 0; j < group->count; ++j)
      if (mlirValueEqual(irOperand(op, i), irResult(group->roots[j], 0)))
        return true;
  return false;
}

void lowerRoots(MlirOperation root) {
  KernelOps ops = kernelOpsCalled(root, NULL);
  RootGroup group = {.count = 0};
  MlirBlock block = {NULL};
  for (intptr_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    bool isElsewhere = mlirBlockIsNull(block) || !mlirBlockEqual(block, mlirOperationGetBlock(op));
    bool isRoot = irOpIs(op, "math.sqrt") && mlirTypeIsAF32(mlirValueGetType(irResult(op, 0)));
    if (isElsewhere || readsGroup(op, &group) || group.count == MOST_ROOTS)
      lowerGroup(&group);
    if (isRoot)
      group.roots[group.count++] = op;
    block = mlirOperationGetBlock(op);
  }
  lowerGroup(&group);
  free(ops.data);
}
