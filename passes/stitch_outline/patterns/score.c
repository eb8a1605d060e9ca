//===- score.c - what patterns cost as kernels ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching 4.3 measures a pattern by running its kernel, or guesses from the bytes that it saves. Here each
// pattern is planned: it becomes a stitch.fusion in a module that lives for this alone, goes through the passes that
// plan kernels, and the cost model reads off its plan what it takes. So what a pattern costs is what it will cost if it
// is chosen: scratch memory, barriers, recomputation, launch and all. Of a kernel that has been measured
// (stitch-measured) it says that.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/threads.h"
#include "ir/mlir/build.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/plan.h"
#include "passes/common/fusion_body.h"
#include "passes/common/kernel_key.h"
#include "passes/common/kernel_module.h"
#include "passes/common/plan_kinds.h"
#include "passes/common/plan_module.h"
#include "passes/common/set_packing.h"
#include "passes/stitch_outline/patterns/patterns.h"

#include <stdlib.h>
#include <string.h>

/// Operations that are planned together, on one thread: enough to make little of a pass manager and a module.
enum { OPS_OF_MODULE = 1024 };

/// A copy of a pattern while it is filled.
typedef struct {
  const Outline *outline;
  const Fusion *fusion;
  MlirBlock body;
  IrMap copies; ///< operation -> its copy
  ValueList inputs;
} Copy;

static MlirOperation copyOf(const Copy *copy, MlirOperation op) {
  return (MlirOperation){(void *)(intptr_t)irMapGet(&copy->copies, op.ptr, 0)};
}

static MlirValue insideValue(Copy *copy, MlirValue value);

static MlirOperation addCopy(Copy *copy, MlirOperation op) {
  MlirOperation known = copyOf(copy, op);
  if (!mlirOperationIsNull(known))
    return known;
  MlirOperation clone = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(clone, i, insideValue(copy, irOperand(op, i)));
  mlirBlockAppendOwnedOperation(copy->body, clone);
  irMapSet(&copy->copies, op.ptr, (int64_t)(intptr_t)clone.ptr);
  return clone;
}

/// What stands for a value within the body, as in emit.c.
static MlirValue insideValue(Copy *copy, MlirValue value) {
  int64_t number = irNumberOf(&copy->outline->numbering, value);
  bool isInside = number >= 0 && (copy->outline->nodes[number].kind == NODE_FREE ||
                                  fusionHasMember(copy->outline, copy->fusion, number));
  if (isInside) {
    MlirOperation inside = addCopy(copy, copy->outline->nodes[number].op);
    return irResult(inside, mlirOpResultGetResultNumber(value));
  }
  int64_t known = copy->inputs.count, input = valueListAdd(&copy->inputs, value);
  if (input == known)
    mlirBlockAddArgument(copy->body, mlirValueGetType(value),
                         mlirLocationUnknownGet(mlirTypeGetContext(mlirValueGetType(value))));
  return mlirBlockGetArgument(copy->body, input);
}

static void listResults(const Copy *copy, ValueList *results) {
  for (int64_t i = 0; i < copy->fusion->count; ++i) {
    MlirOperation op = copy->outline->nodes[copy->fusion->members[i]].op;
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); ++j)
      if (isUsedOutsideFusion(copy->outline, copy->fusion, irResult(op, j)))
        valueListAdd(results, irResult(copyOf(copy, op), j));
  }
}

/// Adds a fusion of the pattern at the end of `block`, whose arguments have its inputs.
static void addFusion(Outline *outline, MlirBlock block, const Pattern *pattern) {
  Fusion fusion = {.members = pattern->nodes, .count = pattern->count, .first = pattern->nodes[0]};
  MlirLocation loc = mlirOperationGetLocation(outline->nodes[pattern->nodes[pattern->count - 1]].op);
  Copy copy = {.outline = outline, .fusion = &fusion, .body = mlirBlockCreate(0, NULL, NULL)};
  ValueList results = {0};
  fusionPlaceMembers(outline, &fusion);
  for (int64_t i = 0; i < fusion.count; ++i)
    addCopy(&copy, outline->nodes[fusion.members[i]].op);
  listResults(&copy, &results);
  for (int64_t i = 0; i < copy.inputs.count; ++i)
    copy.inputs.values[i] = mlirBlockAddArgument(block, mlirValueGetType(copy.inputs.values[i]), loc);
  FusionBody body = {copy.body, copy.inputs};
  fusionBodyClose(&body, "stitch.fusion", loc, &results, mlirBlockGetTerminator(block));
  valueListDestroy(&results);
  irMapDestroy(&copy.copies);
}

static MlirOperation enclosingModule(MlirBlock block) {
  MlirOperation op = mlirBlockGetParentOperation(block);
  while (!irOpIs(op, "builtin.module"))
    op = mlirOperationGetParentOperation(op);
  return op;
}

MlirOperation patternsModule(Outline *outline, Pattern *const *patterns, int64_t count) {
  MlirOperation around = enclosingModule(outline->block);
  MlirOperation module = mlirModuleGetOperation(mlirModuleCreateEmpty(mlirOperationGetLocation(around)));
  mlirBlockAppendOwnedOperation(irBody(around, 0), module);
  IrBuilder b = irBuilderAtEnd(irBody(module, 0), mlirOperationGetLocation(around));
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  IrBuilder inside = irBuilderAtEnd(block, b.loc);
  irOp(&inside, "func.return", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
  for (int64_t i = 0; i < count; ++i)
    addFusion(outline, block, patterns[i]);
  intptr_t numArguments = mlirBlockGetNumArguments(block);
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)(numArguments + 1));
  for (intptr_t i = 0; i < numArguments; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(block, i));
  MlirType type = mlirFunctionTypeGet(b.context, numArguments, types, 0, NULL);
  MlirOperation function = irOpWithEmptyRegion(
      &b, "func.func", IR_ATTRS(irString(&b, "sym_name", "patterns"), irType(&b, "function_type", type)));
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(function, 0), block);
  free(types);
  return module;
}

static MlirBlock bodyOfPatterns(MlirOperation module) {
  return irBody(mlirBlockGetFirstOperation(irBody(module, 0)), 0);
}

/// Takes kernels out of a module that have been planned with the same mappings to choose these. Leaves the patterns of
/// the others in `left`, and returns their number.
static int64_t takeKnown(MlirOperation module, Pattern *const *patterns, Pattern **left) {
  int64_t count = 0;
  IR_FOR_EACH_OP_REPLACING(op, bodyOfPatterns(module)) {
    if (!irOpIs(op, "stitch.fusion"))
      continue;
    Pattern *pattern = *patterns++;
    if (kernelTimeIsKnown(op, &pattern->kernelNs)) {
      mlirOperationRemoveFromParent(op);
      mlirOperationDestroy(op);
    } else {
      left[count++] = pattern;
    }
  }
  return count;
}

static bool readCosts(MlirOperation module, const StitchDevice *device, Pattern *const *patterns) {
  IR_FOR_EACH_OP(op, bodyOfPatterns(module)) {
    PlanCost cost;
    if (!irOpIs(op, "stitch.fusion"))
      continue;
    if (!planCostOfFusion(op, device, &cost))
      return false;
    (*patterns++)->kernelNs = cost.total;
  }
  return true;
}

/// Patterns that are planned together, and the module made of them.
typedef struct {
  Pattern *const *patterns;
  int64_t count;
  MlirOperation module;
  bool failed;
} Batch;

typedef struct {
  const StitchDevice *device;
  Batch *data;
  int count, capacity;
} Batches;

static void scoreBatch(void *data, int i) {
  const Batches *batches = data;
  Batch *batch = &batches->data[i];
  batch->failed = !planModuleUnverified(batch->module, PLAN_MAPPING_PASSES);
  if (batch->failed)
    return;
  Pattern **left = irAllocate(sizeof(*left) * (size_t)(batch->count + 1));
  if (takeKnown(batch->module, batch->patterns, left) > 0)
    batch->failed =
        !planModuleUnverified(batch->module, PLAN_MAPPED_PASSES) || !readCosts(batch->module, batches->device, left);
  free(left);
}

/// Plans all batches, side by side, and destroys their modules.
static bool scoreBatches(Outline *outline, Batches *batches) {
  MlirContext context = mlirOperationGetContext(enclosingModule(outline->block));
  bool remarks = stitchRemarksEnabled(context);
  if (remarks)
    stitchEnableRemarks(context, false);
  stitchRunInThreads(context, batches->count, scoreBatch, batches);
  if (remarks)
    stitchEnableRemarks(context, true);
  bool succeeded = true;
  for (int i = 0; i < batches->count; ++i) {
    succeeded = succeeded && !batches->data[i].failed;
    mlirOperationRemoveFromParent(batches->data[i].module);
    mlirOperationDestroy(batches->data[i].module);
  }
  free(batches->data);
  return succeeded;
}

/// New patterns by their kernels.
typedef struct {
  Patterns *patterns;
  StitchKernelKey *keys; ///< pattern -> its key
  bool *isWhole;         ///< pattern -> whether its key holds beyond the outline
  int64_t *first;        ///< pattern -> the first new one that is the same kernel
  bool *isKnown;         ///< pattern -> whether the context knows its time
} Kernels;

/// In the outline's arena.
static Kernels findKernels(Patterns *patterns, int64_t firstNew) {
  IrArena *arena = &patterns->outline->arena;
  MlirContext context = mlirOperationGetContext(mlirBlockGetParentOperation(patterns->outline->block));
  Kernels k = {patterns, IR_NEW_ARRAY(arena, StitchKernelKey, patterns->count + 1),
               IR_NEW_ARRAY(arena, bool, patterns->count + 1), IR_NEW_ARRAY(arena, int64_t, patterns->count + 1),
               IR_NEW_ARRAY(arena, bool, patterns->count + 1)};
  StitchKernelKey around = kernelKeyBegin();
  kernelKeyPutText(&around, PLAN_KERNEL_PASSES);
  kernelKeyPutModule(&around, mlirBlockGetParentOperation(patterns->outline->block));
  uint64_t capacity = 16;
  while (capacity < 2 * (uint64_t)patterns->count)
    capacity *= 2;
  int64_t *slots = irAllocateZeroed((size_t)capacity, sizeof(int64_t)); // 1 + pattern; 0: free
  for (int64_t i = firstNew; i < patterns->count; ++i) {
    k.keys[i] = around;
    k.isWhole[i] = keyOfPattern(patterns->outline, &patterns->data[i], &k.keys[i]);
    k.isKnown[i] = k.isWhole[i] && stitchKernelTimeFind(context, k.keys[i], &patterns->data[i].kernelNs, NULL);
    uint64_t at = k.keys[i].words[0] & (capacity - 1);
    while (slots[at] && memcmp(&k.keys[slots[at] - 1], &k.keys[i], sizeof(k.keys[i])) != 0)
      at = (at + 1) & (capacity - 1);
    slots[at] = slots[at] ? slots[at] : i + 1;
    k.first[i] = slots[at] - 1;
  }
  free(slots);
  return k;
}

/// Plans the new kernels, in batches.
static bool planKernels(const Kernels *k, const StitchDevice *device, int64_t firstNew) {
  Outline *outline = k->patterns->outline;
  Pattern **distinct = IR_NEW_ARRAY(&outline->arena, Pattern *, k->patterns->count + 1);
  Batches batches = {.device = device};
  int64_t begin = 0, end = 0, ops = 0;
  for (int64_t i = firstNew; i < k->patterns->count; ++i) {
    if (k->first[i] == i && !k->isKnown[i]) {
      distinct[end++] = &k->patterns->data[i];
      ops += k->patterns->data[i].count;
    }
    bool isFull = ops >= OPS_OF_MODULE || i + 1 == k->patterns->count;
    if (!isFull || begin == end)
      continue;
    IR_RESERVE_ONE(batches.data, batches.count, batches.capacity);
    batches.data[batches.count++] = (Batch){.patterns = distinct + begin,
                                            .count = end - begin,
                                            .module = patternsModule(outline, distinct + begin, end - begin)};
    begin = end;
    ops = 0;
  }
  return scoreBatches(outline, &batches);
}

/// What a person prefers counts less. `ops` has room for the pattern's.
static double preferenceOf(const Patterns *patterns, const Pattern *pattern, MlirOperation *ops) {
  const Outline *outline = patterns->outline;
  if (outline->rules.count == 0)
    return 1;
  for (int64_t k = 0; k < pattern->count; ++k)
    ops[k] = outline->nodes[pattern->nodes[k]].op;
  return rulesFactor(&outline->rules, ops, pattern->count);
}

bool scorePatterns(Patterns *patterns, int64_t firstNew) {
  Outline *outline = patterns->outline;
  MlirOperation around = mlirBlockGetParentOperation(outline->block);
  StitchDevice device;
  if (!planGetDevice(around, &device)) {
    stitchEmitOpError(around, "has no device to tell costs for: set stitch.device on the module");
    return false;
  }
  Kernels kernels = findKernels(patterns, firstNew);
  if (!planKernels(&kernels, &device, firstNew))
    return false;
  MlirOperation *operations = IR_NEW_ARRAY(&outline->arena, MlirOperation, outline->numNodes + 1);
  for (int64_t i = firstNew; i < patterns->count; ++i) {
    Pattern *pattern = &patterns->data[i];
    pattern->kernelNs = patterns->data[kernels.first[i]].kernelNs;
    pattern->ns = pattern->kernelNs * preferenceOf(patterns, pattern, operations);
    if (kernels.first[i] == i && kernels.isWhole[i])
      stitchKernelTimeAdd(mlirOperationGetContext(around), kernels.keys[i], pattern->kernelNs, (MlirAttribute){NULL});
  }
  return true;
}
