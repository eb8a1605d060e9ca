//===- size.c - stitch-enumerate: how long versions make a model file ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All versions are in one file, which is to be at most twice as long as with one of each. What a kernel takes there is
// known when it is compiled. Until then an operation counts one and a kernel eight more, for its entry, its descriptor
// and the frame of its machine code: over the models of bench/astra, files of simt and of sm_90 grow so, to a quarter.
// Their shortest ones are as long as forty operations before there is any.
// Kernels that are equal are there once; what calls them, and libraries, each time. Constants have a budget of their
// own, in bytes: weights that lie side by side are there once more.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_enumerate/size.h"

#include "ir/mlir/query.h"
#include "passes/common/kernel_list.h"

#include "mlir-c/BuiltinAttributes.h"

enum { KERNEL_SIZE = 8, FILE_SIZE = 40 };

typedef struct {
  IrMap defaults, others; ///< keys of kernels that are counted
  VersionSizes sizes;
} Count;

static void countFusion(Count *count, MlirOperation fusion, bool isDefault) {
  const void *key = (const void *)(uintptr_t)(kernelKeyOf(fusion) | 1); // which no null pointer is
  int64_t *size = isDefault ? &count->sizes.defaults : &count->sizes.others;
  ++*size; // the launch
  if (irMapGet(&count->defaults, key, -1) >= 0 || (!isDefault && irMapGet(&count->others, key, -1) >= 0))
    return;
  irMapSet(isDefault ? &count->defaults : &count->others, key, 0);
  *size += KERNEL_SIZE;
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    ++*size;
  }
}

static void countOp(Count *count, MlirOperation op, bool isDefault, bool countsDefaults);

static void countBlock(Count *count, MlirBlock block, bool isDefault, bool countsDefaults) {
  IR_FOR_EACH_OP(op, block) {
    countOp(count, op, isDefault, countsDefaults);
  }
}

/// Counts an operation if it is one of those that are to be counted now: kernels of default versions come first, so
/// that equal ones of others are known.
static void countOp(Count *count, MlirOperation op, bool isDefault, bool countsDefaults) {
  if (irOpIs(op, "stitch.fusion")) {
    if (isDefault == countsDefaults)
      countFusion(count, op, isDefault);
    return;
  }
  if (isDefault == countsDefaults)
    ++*(isDefault ? &count->sizes.defaults : &count->sizes.others);
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    if (!mlirBlockIsNull(irBody(op, i)))
      countBlock(count, irBody(op, i), isDefault && !(irOpIs(op, "stitch.adaptive") && i > 0), countsDefaults);
}

VersionSizes versionSizes(const MlirOperation *ops, int64_t numOps) {
  Count count = {0};
  for (int countsDefaults = 1; countsDefaults >= 0; --countsDefaults)
    for (int64_t i = 0; i < numOps; ++i)
      countOp(&count, ops[i], /*isDefault=*/true, countsDefaults);
  irMapDestroy(&count.defaults);
  irMapDestroy(&count.others);
  return count.sizes;
}

static MlirWalkResult addConstant(MlirOperation op, void *bytes) {
  MlirAttribute value = irOpIs(op, "tg.constant") ? irGetAttr(op, "value") : mlirAttributeGetNull();
  bool isSplat =
      mlirAttributeIsNull(value) || (mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value));
  *(int64_t *)bytes += isSplat ? 0 : irTensorBytes(mlirValueGetType(irResult(op, 0)));
  return MlirWalkResultAdvance;
}

int64_t functionConstantBytes(MlirOperation function) {
  int64_t bytes = 0;
  mlirOperationWalk(function, addConstant, &bytes, MlirWalkPreOrder);
  return bytes;
}

int64_t versionBudget(MlirOperation main, int64_t growth) {
  VersionSizes sizes = versionSizes(&main, 1);
  return (sizes.defaults + FILE_SIZE) * growth / 100 - sizes.others;
}
