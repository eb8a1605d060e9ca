//===- size.c - stitch-enumerate: how long versions make a model file ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All versions are in one file, which is to be at most twice as long as with one of each. The length of a kernel there
// is known when it is compiled. Until then its instructions are counted, as the cost model has them, and its loads and
// stores. Bytes are those of sm_90 without the reference, PTX and machine code together: of files for other targets,
// and with the reference, more is there once. Equal kernels are there once; their launches, and calls of libraries,
// each time. Constants have a budget of their own: weights that lie side by side are there once more.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_enumerate/size.h"

#include "ir/graph/tg.h"
#include "ir/mlir/query.h"
#include "ir/plan/cost.h"
#include "ir/plan/plan.h"
#include "passes/common/kernel_list.h"

#include "mlir-c/BuiltinAttributes.h"
#include <stdio.h>
#include <stdlib.h>

/// Bytes. SIGNATURE: of each argument and result of the model. INSTRUCTION: of one for an element, of which a thread
/// has USUAL_ELEMENTS where nothing is planned. ACCESS: of a load or store of these, with its pointer. EXCHANGE: of a
/// reduction among threads. OPERATION: of another one. CALL: of a library, with a PROBLEM for each product in it.
enum {
  FILE_SIZE = 6500,
  SIGNATURE = 100,
  LAUNCH = 300,
  KERNEL = 2500,
  INSTRUCTION = 60,
  USUAL_ELEMENTS = 4,
  ACCESS = 160,
  EXCHANGE = 2000,
  OPERATION = 100,
  CALL = 270,
  PROBLEM = 20
};

typedef struct {
  IrMap defaults, others; ///< keys of kernels that are counted
  VersionSizes sizes;
} Count;

static const void *groupKey(MlirOperation op) {
  return (const void *)(uintptr_t)(1 + irGetInt(op, "stitch.group", 0)); // which no null pointer is
}

/// A thread's elements in registers, of each group of a planned kernel.
static IrMap elementsOfGroups(MlirOperation fusion) {
  IrMap elements = {0};
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    StitchMapping mapping;
    if (planGetMapping(op, &mapping))
      irMapSet(&elements, groupKey(op), mapping.vector * mapping.unroll);
  }
  return elements;
}

static int64_t kernelBytes(MlirOperation fusion) {
  IrMap elements = elementsOfGroups(fusion);
  int64_t bytes = KERNEL + ACCESS * mlirOperationGetNumResults(fusion);
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    bytes += INSTRUCTION * costInstructionsOf(op) * irMapGet(&elements, groupKey(op), USUAL_ELEMENTS);
    bytes += tgClassOfKind(tgKindOf(op)) == TG_CLASS_REDUCE ? EXCHANGE : 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      bytes += mlirValueIsABlockArgument(irOperand(op, i)) ? ACCESS : 0;
  }
  irMapDestroy(&elements);
  return bytes;
}

static int64_t callBytes(MlirOperation call) {
  int64_t bytes = CALL;
  IR_FOR_EACH_OP(op, irBody(call, 0)) {
    bytes += tgKindOf(op) == TG_dot ? PROBLEM : 0;
  }
  return bytes;
}

static void countFusion(Count *count, MlirOperation fusion, bool isDefault) {
  const void *key = (const void *)(uintptr_t)(kernelKeyOf(fusion) | 1); // which no null pointer is
  int64_t *size = isDefault ? &count->sizes.defaults : &count->sizes.others;
  *size += LAUNCH;
  if (irMapGet(&count->defaults, key, -1) >= 0 || (!isDefault && irMapGet(&count->others, key, -1) >= 0))
    return;
  irMapSet(isDefault ? &count->defaults : &count->others, key, 0);
  *size += kernelBytes(fusion);
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
  bool isCall = irOpIs(op, "stitch.library_call");
  if (isDefault == countsDefaults)
    *(isDefault ? &count->sizes.defaults : &count->sizes.others) += isCall ? callBytes(op) : OPERATION;
  if (isCall)
    return;
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

int64_t joiningBytes(int64_t numOperands) {
  return numOperands
             ? LAUNCH + KERNEL + ACCESS + numOperands * (ACCESS + COST_CONCATENATION * INSTRUCTION * USUAL_ELEMENTS)
             : 0;
}

int64_t splittingBytes(int64_t numResults) { return numResults ? LAUNCH + KERNEL + numResults * 2 * ACCESS : 0; }

int64_t launchesBytes(int64_t numLaunches) { return numLaunches * LAUNCH; }

int64_t callsBytes(int64_t numCalls, int64_t numProducts) { return numCalls * CALL + numProducts * PROBLEM; }

/// The bytes of a file without kernels.
static int64_t fileBytes(MlirOperation main) {
  MlirBlock body = irBody(main, 0);
  return FILE_SIZE +
         SIGNATURE * (mlirBlockGetNumArguments(body) + mlirOperationGetNumOperands(mlirBlockGetTerminator(body)));
}

int64_t versionBudget(MlirOperation main, int64_t growth) {
  VersionSizes sizes = versionSizes(&main, 1);
  return (sizes.defaults + fileBytes(main)) * growth / 100 - sizes.others;
}
