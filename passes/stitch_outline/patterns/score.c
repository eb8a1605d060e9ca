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
// is chosen: scratch memory, barriers, recomputation, launch and all.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/build.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/plan.h"
#include "passes/common/fusion_body.h"
#include "passes/stitch_outline/patterns/patterns.h"

#include <stdlib.h>

/// Operations that are planned together.
enum { OPS_OF_MODULE = 16384 };

static const char planPasses[] = "stitch-dominants,stitch-thread-mapping,stitch-tiles,stitch-schemes,stitch-buffers,"
                                 "stitch-launch";

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

/// A module within the one that is planned, with a function @patterns and in it a fusion for each of the patterns.
static MlirOperation makeModule(Outline *outline, const Pattern *patterns, int64_t count) {
  MlirOperation around = enclosingModule(outline->block);
  MlirOperation module = mlirModuleGetOperation(mlirModuleCreateEmpty(mlirOperationGetLocation(around)));
  mlirBlockAppendOwnedOperation(irBody(around, 0), module);
  IrBuilder b = irBuilderAtEnd(irBody(module, 0), mlirOperationGetLocation(around));
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  IrBuilder inside = irBuilderAtEnd(block, b.loc);
  irOp(&inside, "func.return", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
  for (int64_t i = 0; i < count; ++i)
    addFusion(outline, block, &patterns[i]);
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

static bool readCosts(MlirOperation module, const StitchDevice *device, Pattern *patterns) {
  MlirBlock block = irBody(mlirBlockGetFirstOperation(irBody(module, 0)), 0);
  int64_t number = 0;
  IR_FOR_EACH_OP(op, block) {
    PlanCost cost;
    if (!irOpIs(op, "stitch.fusion"))
      continue;
    if (!planCostOfFusion(op, device, &cost))
      return false;
    patterns[number++].ns = cost.total;
  }
  return true;
}

static bool scoreTogether(Outline *outline, const StitchDevice *device, Pattern *patterns, int64_t count) {
  MlirOperation module = makeModule(outline, patterns, count);
  MlirContext context = mlirOperationGetContext(module);
  bool remarks = stitchRemarksEnabled(context);
  stitchEnableRemarks(context, false);
  bool succeeded = mlirLogicalResultIsSuccess(stitchPassRunPipeline(outline->run, planPasses, module)) &&
                   readCosts(module, device, patterns);
  stitchEnableRemarks(context, remarks);
  mlirOperationRemoveFromParent(module);
  mlirOperationDestroy(module);
  return succeeded;
}

bool scorePatterns(Patterns *patterns) {
  Outline *outline = patterns->outline;
  StitchDevice device;
  if (!planGetDevice(mlirBlockGetParentOperation(outline->block), &device)) {
    stitchEmitOpError(mlirBlockGetParentOperation(outline->block),
                      "has no device to tell costs for: set stitch.device on the module");
    return false;
  }
  for (int64_t begin = 0, end; begin < patterns->count; begin = end) {
    int64_t ops = 0;
    for (end = begin; end < patterns->count && ops < OPS_OF_MODULE; ++end)
      ops += patterns->data[end].count;
    if (!scoreTogether(outline, &device, patterns->data + begin, end - begin))
      return false;
  }
  return true;
}
