//===- compiler_statistics.c - figures of a compilation -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a plan, traffic is counted from types, as AStitch's section 6 does: a kernel reads each input once and writes each
// output once. An input that is only indexed (gather, slice, dynamic_slice) counts with the elements that are taken
// from it. Kernels have their own count of traffic (`stitch.traffic`), which includes repeated reads and partial
// results in scratch memory.
//
//===----------------------------------------------------------------------===//

#include "compiler/compiler_statistics.h"

#include "compiler/longest_path.h"
#include "ir/graph/executions.h"
#include "ir/graph/tg.h"
#include "ir/graph/traffic.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/plan/communication.h"
#include "ir/plan/persistent.h"
#include "ir/plan/plan.h"

#include <string.h>

static int64_t bytesOfValue(MlirValue value) { return irTensorBytes(mlirValueGetType(value)); }

//===----------------------------------------------------------------------===//
// Graph
//===----------------------------------------------------------------------===//

/// The bytes that one operation would read and write as a kernel of its own. Constants and reshapes of dense tensors
/// cost nothing.
static int64_t unfusedBytes(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  if (kind == TG_constant || kind == TG_reshape || kind == TG_bitcast_convert)
    return 0;
  int64_t bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    bytes += irBytesReadOfOperand(op, i);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    bytes += bytesOfValue(irResult(op, i));
  return bytes;
}

static MlirWalkResult visitGraphOp(MlirOperation op, void *data) {
  Statistics *s = data;
  if (tgKindOf(op) == TG_NONE)
    return MlirWalkResultAdvance;
  ++s->ops;
  if (tgIsMemoryIntensive(op)) {
    ++s->memoryIntensiveOps;
    s->bytesUnfused += irTimesExecuted(op) * unfusedBytes(op);
  }
  return MlirWalkResultAdvance;
}

void statisticsOfGraph(MlirOperation module, Statistics *statistics) {
  mlirOperationWalk(module, visitGraphOp, statistics, MlirWalkPreOrder);
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

static void countFusion(MlirOperation fusion, Statistics *s) {
  int64_t times = irTimesExecuted(fusion);
  if (times == 0)
    return;
  ++s->fusions;
  s->launches += times / planIterationsInside(fusion);
  MlirBlock body = irBody(fusion, 0);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    s->bytesRead += times * irBytesReadOfInput(mlirBlockGetArgument(body, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    s->bytesWritten += times * bytesOfValue(irResult(fusion, i));
  int64_t requested[] = {[STITCH_SPACE_SHARED] = 0, [STITCH_SPACE_SCRATCH] = 0};
  IR_FOR_EACH_OP(op, body) {
    StitchScheme scheme;
    StitchBuffer buffer;
    if (planGetScheme(op, &scheme))
      ++s->schemeCounts[scheme];
    if (planGetBuffer(op, &buffer))
      requested[buffer.space] += buffer.size;
  }
  s->fusionsOfTemplates += irHasAttr(fusion, "stitch.templated");
  StitchLaunch launch;
  if (!planGetLaunch(fusion, &launch))
    return;
  s->gridBarriers += launch.barriers;
  if (launch.shared > s->sharedBytesMax)
    s->sharedBytesMax = launch.shared;
  s->sharedFusions += launch.shared > 0;
  s->sharedAllocated += launch.shared;
  s->sharedRequested += planReductionAreaBytes(fusion) + requested[STITCH_SPACE_SHARED];
  s->scratchAllocated += launch.scratch;
  s->scratchRequested += requested[STITCH_SPACE_SCRATCH];
}

static MlirWalkResult visitPlanOp(MlirOperation op, void *data) {
  Statistics *s = data;
  if (irOpIs(op, "stitch.fusion"))
    countFusion(op, s);
  if (irOpIs(op, "stitch.library_call") && irTimesExecuted(op) > 0) {
    ++s->libraryCalls;
    s->communicationCalls += planIsCommunication(op);
    s->launchesOfLibraries += irTimesExecuted(op);
  }
  return MlirWalkResultAdvance;
}

void statisticsOfPlan(MlirOperation module, Statistics *statistics) {
  mlirOperationWalk(module, visitPlanOp, statistics, MlirWalkPreOrder);
  statistics->launchesLeast = kernelsOnLongestPath(module);
  StitchDevice device;
  if (planGetDevice(module, &device))
    planCostOfModule(module, &device, &statistics->cost);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

typedef struct {
  MlirOperation module;
  Statistics *statistics;
} KernelVisit;

/// The kernel that a launch starts; null if it is not in the module.
static MlirOperation launchedKernel(MlirOperation module, MlirOperation launch) {
  MlirAttribute symbol = irGetAttr(launch, "kernel");
  if (mlirAttributeIsNull(symbol) || !mlirAttributeIsASymbolRef(symbol) ||
      mlirSymbolRefAttrGetNumNestedReferences(symbol) != 1)
    return (MlirOperation){NULL};
  MlirStringRef parent = mlirSymbolRefAttrGetRootReference(symbol), name = mlirSymbolRefAttrGetLeafReference(symbol);
  IR_FOR_EACH_OP(gpuModule, irBody(module, 0)) {
    if (!irOpIs(gpuModule, "gpu.module") ||
        !mlirStringRefEqual(mlirStringAttrGetValue(irGetAttr(gpuModule, "sym_name")), parent))
      continue;
    IR_FOR_EACH_OP(op, irBody(gpuModule, 0))
      if (irOpIs(op, "gpu.func") && mlirStringRefEqual(mlirStringAttrGetValue(irGetAttr(op, "sym_name")), name))
        return op;
  }
  return (MlirOperation){NULL};
}

/// Element `i` of an attribute that is a pair of numbers; 0 if the kernel has none, or if there is no kernel.
static int64_t ofPair(MlirOperation kernel, const char *name, intptr_t i) {
  MlirAttribute pair = mlirOperationIsNull(kernel) ? (MlirAttribute){NULL} : irGetAttr(kernel, name);
  bool isPair =
      !mlirAttributeIsNull(pair) && mlirAttributeIsADenseI64Array(pair) && mlirDenseArrayGetNumElements(pair) == 2;
  return isPair ? mlirDenseI64ArrayGetElement(pair, i) : 0;
}

static MlirWalkResult visitKernelOp(MlirOperation op, void *data) {
  KernelVisit *v = data;
  if (irOpIs(op, "gpu.func"))
    ++v->statistics->kernelsUnique;
  if (!irOpIs(op, "gpu.launch_func"))
    return MlirWalkResultAdvance;
  MlirOperation kernel = launchedKernel(v->module, op);
  int64_t times = irTimesExecuted(op);
  v->statistics->bytesRead += times * ofPair(kernel, "stitch.traffic", 0);
  v->statistics->bytesWritten += times * ofPair(kernel, "stitch.traffic", 1);
  v->statistics->rounds += times * ofPair(kernel, "stitch.rounds", 0);
  v->statistics->roundsEven += times * ofPair(kernel, "stitch.rounds", 1);
  return MlirWalkResultAdvance;
}

void statisticsOfKernels(MlirOperation module, Statistics *statistics) {
  statistics->kernelsUnique = statistics->bytesRead = statistics->bytesWritten = 0;
  statistics->rounds = statistics->roundsEven = 0;
  KernelVisit visit = {module, statistics};
  mlirOperationWalk(module, visitKernelOp, &visit, MlirWalkPreOrder);
}
