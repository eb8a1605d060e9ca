//===- kernels.c - the gpu.module: one gpu.func for each distinct fusion -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a fusion with its whole plan, or an operation with a kernel of its own. Leaves a gpu.func for it. Fusions of
// equal text share one. Facts that the kernel's plan decides for ptxas are attributes: index width, rounds, traffic.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host.h"

#include "capi/diagnostics.h"
#include "ir/graph/in_place.h"
#include "ir/plan/resources.h"
#include "ir/plan/scan.h"
#include "ir/plan/skinny.h"
#include "ir/plan/staging.h"
#include "lowering/kernel/emit/emit.h"
#include "lowering/kernel/gpu/eliminate_barriers.h"
#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/kernel/gpu/stage_loads.h"
#include "lowering/kernel/ops/op_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Identity of fusions
//===----------------------------------------------------------------------===//

typedef struct {
  char *data;
  size_t length, capacity;
} KernelText;

static void appendText(MlirStringRef part, void *userData) {
  KernelText *text = userData;
  if (text->length + part.length + 1 > text->capacity) {
    text->capacity = 2 * (text->length + part.length + 1);
    text->data = irReallocate(text->data, text->capacity);
  }
  memcpy(text->data + text->length, part.data, part.length);
  text->length += part.length;
  text->data[text->length] = '\0';
}

/// Names of values are local to the operation, and those of its operands are not printed: equal text means equal
/// computation.
static char *printLocally(MlirOperation op) {
  KernelText text = {0};
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOperationPrintWithFlags(op, flags, appendText, &text);
  mlirOpPrintingFlagsDestroy(flags);
  return text.data;
}

//===----------------------------------------------------------------------===//
// Kernels of fusions
//===----------------------------------------------------------------------===//

/// An input or output of the fusion, whose size may be open.
static void addTensor(IrBuilder *b, const KernelPlan *plan, MlirType type, GpuArgumentUse use,
                      GpuArguments *arguments) {
  gpuAddTensor(b, arguments, type, use);
  intptr_t firstSymbol = mlirBlockGetNumArguments(plan->body) + plan->numConstants;
  for (intptr_t i = 0; i < plan->numSymbols; ++i)
    if (mlirAttributeEqual(irSymbolName(type), plan->symbols[i].name))
      gpuSetOpenSize(b, arguments, firstSymbol + i, plan->symbols[i].high);
}

/// Whether unrolled roots, one root after the other, read more than a thread has registers for. Ptxas moves all loads
/// before the first store if it may, and then runs out of registers; one root's loads in flight are enough.
static bool readsBeyondRegisters(const KernelPlan *plan) {
  for (intptr_t i = 0; i < plan->numLoops; ++i) {
    const KernelLoop *loop = &plan->loops[i];
    bool isStraight = loop->isOneSweep && loop->mapping.unroll == 1;
    if (isStraight && loop->words * loop->mapping.vector > plan->launch.registers)
      return true;
  }
  return false;
}

static bool hasSharedSums(const KernelPlan *plan, const KernelLoop *loop) {
  bool has = false;
  for (intptr_t i = 0; i < loop->numRoots; ++i)
    has |= plan->roots[loop->roots[i]].mapping.sumsInShared;
  return has;
}

/// Whether elements that threads keep across a grid barrier, or while they add others to sums in shared memory, take
/// half of their registers. There ptxas spills where it moves up further loads.
static bool keepsHalfOfRegisters(const KernelPlan *plan) {
  for (intptr_t i = 0; i < plan->numLoops; ++i) {
    const KernelLoop *loop = &plan->loops[i];
    int64_t kept = loop->wordsOfSpace * loop->mapping.vector * loop->mapping.unroll;
    bool isLong = loop->mapping.split > 1 ? plan->numPhases > 1 : hasSharedSums(plan, loop);
    if (loop->mapping.kind == STITCH_MAPPING_ROW && isLong && loop->words > loop->wordsOfSpace &&
        2 * kept >= plan->launch.registers)
      return true;
  }
  return false;
}

/// The results of a scan load their operands again (ops/cumulative.c).
static bool ordersInputs(const KernelPlan *plan) {
  return planIsScan(plan->fusion) || readsBeyondRegisters(plan) || keepsHalfOfRegisters(plan);
}

/// How a kernel uses an input.
static GpuArgumentUse inputUse(const KernelPlan *plan, intptr_t number) {
  if (kernelUpdatesInput(plan, number))
    return GPU_WORKING;
  return kernelCarriedInput(plan, number) >= 0 || ordersInputs(plan) ? GPU_ORDERED_INPUT : GPU_INPUT;
}

static void collectArguments(IrBuilder *b, const KernelPlan *plan, GpuArguments *arguments) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(plan->body); ++i)
    addTensor(b, plan, mlirValueGetType(mlirBlockGetArgument(plan->body, i)), inputUse(plan, i), arguments);
  for (intptr_t i = 0; i < plan->numConstants; ++i)
    gpuAddTensor(b, arguments, mlirValueGetType(irResult(plan->constants[i], 0)),
                 ordersInputs(plan) ? GPU_ORDERED_INPUT : GPU_INPUT);
  for (intptr_t i = 0; i < plan->numSymbols; ++i)
    gpuAddArgument(b, arguments, mlirIntegerTypeGet(b->context, 32), 1, GPU_INPUT);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(plan->fusion); ++i)
    if (!plan->unstored[i])
      addTensor(b, plan, mlirValueGetType(irResult(plan->fusion, i)),
                kernelCarriedResult(plan, i) < 0 ? GPU_OUTPUT : GPU_WORKING, arguments);
  for (intptr_t i = 0; i < plan->numSlices; ++i)
    if (plan->slices[i].memory < 0)
      gpuAddTensor(b, arguments, plan->slices[i].buffer, GPU_WORKING);
  for (intptr_t i = 0; i < plan->numCarried; ++i)
    gpuAddTensor(b, arguments, mlirValueGetType(irResult(plan->fusion, plan->carried[i].result)), GPU_WORKING);
  gpuAddWorkingMemory(b, arguments, &plan->launch);
}

static bool isLarge(MlirValue value) {
  return mlirTypeIsATensor(mlirValueGetType(value)) && irNumElements(irShapeOf(value)) > PLAN_MOST_NARROW_INDEX;
}

/// Whether some tensor of a fusion has more elements than a narrow index counts, in memory or not. Kernels of attention
/// have indices of their arguments alone.
static bool needsWideIndices(const KernelPlan *plan) {
  bool found = false;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(plan->body); ++i)
    found |= isLarge(mlirBlockGetArgument(plan->body, i));
  bool isAttention = irHasAttr(plan->fusion, "stitch.attention");
  IR_FOR_EACH_OP(op, plan->body)
    for (intptr_t i = 0; !isAttention && i < mlirOperationGetNumResults(op); ++i)
      found |= isLarge(irResult(op, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(plan->fusion); ++i)
    found |= isLarge(irResult(plan->fusion, i));
  for (intptr_t i = 0; i < plan->numSlices; ++i)
    found |= irNumElements(irTypeShape(plan->slices[i].buffer)) > PLAN_MOST_NARROW_INDEX;
  return found;
}

static void setWideIndices(MlirOperation function) {
  irSetAttr(function, PLAN_WIDE_INDICES, mlirUnitAttrGet(mlirOperationGetContext(function)));
}

static void setRounds(MlirOperation function, KernelRounds rounds) {
  irSetAttr(function, "stitch.rounds",
            mlirDenseI64ArrayGet(mlirOperationGetContext(function), 2, (const int64_t[]){rounds.most, rounds.even}));
}

static void setTraffic(MlirOperation function, int64_t read, int64_t written) {
  irSetAttr(function, "stitch.traffic",
            mlirDenseI64ArrayGet(mlirOperationGetContext(function), 2, (const int64_t[]){read, written}));
}

/// Emits until no root changes to shared memory any more: each round settles at least one, usually the first all.
static bool emitKernel(HostKernels *kernels, KernelPlan *plan, HostKernel *kernel) {
  IrBuilder b = irBuilderAtEnd(kernels->block, kernels->loc);
  GpuArguments arguments = {0};
  collectArguments(&b, plan, &arguments);
  bool startOver, success;
  Traffic traffic;
  MlirOperation function;
  do {
    function = gpuCreateFunction(&b, kernel->name, &arguments, &plan->launch);
    success = kernelEmit(plan, irBody(function, 0), &traffic, &startOver);
    if (startOver || !success)
      mlirOperationDestroy(function);
  } while (startOver && success);
  gpuArgumentsDestroy(&arguments);
  kernel->launch = plan->launch;
  kernel->launch.shared = kernelPlanSharedBytes(plan);
  if (success && kernel->launch.shared > plan->launch.shared) {
    stitchEmitOpError(plan->fusion, "needs %lld bytes of shared memory but its stitch.launch has %lld",
                      (long long)kernel->launch.shared, (long long)plan->launch.shared);
    mlirOperationDestroy(function);
    success = false;
  }
  if (success) {
    PlanStaging staging;
    eliminateBarriers(function);
    if (needsWideIndices(plan))
      setWideIndices(function);
    if (planGetStaging(plan->fusion, &staging))
      stageLoads(function, staging.offset, staging.bytes, kernel->launch.block);
    irSetAttr(function, "stitch.launch", stitchLaunchAttrGet(b.context, kernel->launch));
    KernelRounds rounds = kernelPlanRounds(plan);
    setTraffic(function, traffic.filled + plan->iterations * traffic.read, plan->iterations * traffic.written);
    setRounds(function, (KernelRounds){plan->iterations * rounds.most, plan->iterations * rounds.even});
  }
  return success;
}

/// The kernel whose text is `text`, which it takes over; a new one, called `prefix` and its number, if there is none.
static HostKernel *kernelOfText(HostKernels *kernels, char *text, const char *prefix, bool *isNew) {
  for (intptr_t i = 0; i < kernels->numKernels; ++i)
    if (strcmp(kernels->kernels[i].text, text) == 0) {
      free(text);
      *isNew = false;
      return &kernels->kernels[i];
    }
  IR_RESERVE_ONE(kernels->kernels, kernels->numKernels, kernels->capacity);
  HostKernel *kernel = &kernels->kernels[kernels->numKernels];
  *kernel = (HostKernel){.text = text};
  snprintf(kernel->name, sizeof(kernel->name), "%s_%ld", prefix, (long)kernels->numKernels++);
  *isNew = true;
  return kernel;
}

/// The prefix of the name of a fusion's kernel.
static const char *prefixOf(MlirOperation fusion) {
  return planIsScan(fusion) ? "scan" : planIsSkinny(fusion) ? "skinny" : "fusion";
}

const HostKernel *hostKernelFor(HostKernels *kernels, MlirOperation fusion) {
  bool isNew;
  HostKernel *kernel = kernelOfText(kernels, printLocally(fusion), prefixOf(fusion), &isNew);
  if (!isNew)
    return kernel;
  IrArena arena = {0};
  KernelPlan plan = {0};
  bool success = kernelPlanRead(fusion, &arena, &plan);
  if (success && kernels->writeStages)
    kernelPlanStages(&plan);
  if (success && !mlirBlockIsNull(kernels->graphs))
    hostAddFusionGraph(kernels->graphs, kernel->name, &plan);
  success = success && emitKernel(kernels, &plan, kernel);
  kernel->numConstants = plan.numConstants;
  kernel->constants = irAllocateZeroed((size_t)plan.numConstants + 1, sizeof(MlirAttribute));
  for (intptr_t i = 0; i < plan.numConstants; ++i)
    kernel->constants[i] = irGetAttr(plan.constants[i], "value");
  kernel->numSymbols = plan.numSymbols;
  kernel->symbols = irAllocateZeroed((size_t)plan.numSymbols + 1, sizeof(IrSymbol));
  for (intptr_t i = 0; i < plan.numSymbols; ++i)
    kernel->symbols[i] = plan.symbols[i];
  kernelPlanDestroy(&plan);
  irArenaDestroy(&arena);
  return success ? kernel : NULL;
}

//===----------------------------------------------------------------------===//
// Kernels of single operations
//===----------------------------------------------------------------------===//

/// Operand and result of a scatter's update in place are one argument.
static void collectOpArguments(IrBuilder *b, MlirOperation op, const StitchLaunch *launch, GpuArguments *arguments) {
  intptr_t numResults = mlirOperationGetNumResults(op), numUpdated = irScattersInPlace(op) ? numResults : 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    gpuAddTensor(b, arguments, mlirValueGetType(irOperand(op, i)), i < numUpdated ? GPU_WORKING : GPU_INPUT);
  for (intptr_t i = numUpdated; i < numResults; ++i)
    gpuAddTensor(b, arguments, mlirValueGetType(irResult(op, i)), GPU_OUTPUT);
  gpuAddWorkingMemory(b, arguments, launch);
}

const HostKernel *hostOpKernelFor(HostKernels *kernels, MlirOperation op) {
  bool isNew;
  HostKernel *kernel = kernelOfText(kernels, printLocally(op), tgNameOfKind(tgKindOf(op)), &isNew);
  if (!isNew)
    return kernel;
  if (!planGetLaunch(op, &kernel->launch)) {
    stitchEmitOpError(op, "has no stitch.launch: run the planning passes first");
    return NULL;
  }
  if (!mlirBlockIsNull(kernels->graphs))
    hostAddOpGraph(kernels->graphs, kernel->name, op);
  GpuArguments arguments = {0};
  IrBuilder b = irBuilderAtEnd(kernels->block, mlirOperationGetLocation(op));
  collectOpArguments(&b, op, &kernel->launch, &arguments);
  MlirOperation function = gpuCreateFunction(&b, kernel->name, &arguments, &kernel->launch);
  gpuArgumentsDestroy(&arguments);
  irSetAttr(function, "stitch.launch", stitchLaunchAttrGet(b.context, kernel->launch));
  if (!opKernelEmit(op, &kernel->launch, function))
    return NULL;
  eliminateBarriers(function);
  return kernel;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Copies `count` elements, a value of index type, from the kernel's first argument to its last.
static void emitCopy(IrBuilder *b, const StitchLaunch *launch, MlirValue count, MlirBlock body) {
  MlirValue block = irConstantIndex(b, launch->block);
  MlirValue first = irAddI(b, irMulI(b, gpuCoordinate(b, "gpu.block_id"), block), gpuCoordinate(b, "gpu.thread_id"));
  MlirOperation loop = irFor(b, first, count, irConstantIndex(b, launch->grid * launch->block), IR_NO_VALUES);
  IrBuilder inner = irBuilderAtEnd(irBody(loop, 0), b->loc);
  MlirValue index = mlirBlockGetArgument(irBody(loop, 0), 0), source = mlirBlockGetArgument(body, 0);
  MlirValue target = mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 1);
  MlirValue value = irValueOf(&inner, "memref.load", IR_VALUES(source, index), irElementTypeOf(source), IR_NO_ATTRS);
  irOp(&inner, "memref.store", IR_VALUES(value, target, index), IR_NO_TYPES, IR_NO_ATTRS);
  irYield(&inner, IR_NO_VALUES);
  irOp(b, "gpu.return", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
}

/// How many elements there are: `most` of them if the symbol, the kernel's argument 1, has its value `high`.
static MlirValue openCount(IrBuilder *b, MlirBlock body, int64_t most, int64_t high) {
  MlirType i32 = mlirIntegerTypeGet(b->context, 32), index = mlirIndexTypeGet(b->context);
  MlirValue symbol =
      irValueOf(b, "memref.load", IR_VALUES(mlirBlockGetArgument(body, 1), irConstantIndex(b, 0)), i32, IR_NO_ATTRS);
  return irMulI(b, irUnary(b, "arith.index_castui", symbol, index), irConstantIndex(b, most / high));
}

/// The flat tensor that is copied.
static MlirType copiedTensor(MlirType element, int64_t count, const IrSymbol *symbol) {
  return mlirRankedTensorTypeGet(1, &count, element, symbol ? symbol->name : mlirAttributeGetNull());
}

const HostKernel *hostCopyKernel(HostKernels *kernels, MlirLocation loc, MlirType element, int64_t count,
                                 const IrSymbol *symbol) {
  KernelText text = {0};
  char limit[24];
  int64_t high = symbol ? symbol->high : 0;
  MlirType tensor = copiedTensor(element, count, symbol);
  mlirTypePrint(tensor, appendText, &text);
  snprintf(limit, sizeof limit, " %lld", (long long)high);
  appendText(mlirStringRefCreateFromCString(limit), &text);
  bool isNew;
  HostKernel *kernel = kernelOfText(kernels, text.data, "copy", &isNew);
  if (!isNew)
    return kernel;
  if (!mlirBlockIsNull(kernels->graphs))
    hostAddCopyGraph(kernels->graphs, loc, kernel->name, tensor, high > 0);
  int64_t blocks = (count + 1023) / 1024;
  kernel->launch = (StitchLaunch){.grid = blocks < 1024 ? blocks : 1024, .block = 256, .registers = 32, .cluster = 1};
  GpuArguments arguments = {0};
  IrBuilder b = irBuilderAtEnd(kernels->block, loc);
  gpuAddArgument(&b, &arguments, element, count, GPU_INPUT);
  if (high) {
    gpuSetOpenSize(&b, &arguments, 1, high);
    gpuAddArgument(&b, &arguments, mlirIntegerTypeGet(b.context, 32), 1, GPU_INPUT);
  }
  gpuAddArgument(&b, &arguments, element, count, GPU_OUTPUT);
  if (high)
    gpuSetOpenSize(&b, &arguments, 1, high);
  MlirOperation function = gpuCreateFunction(&b, kernel->name, &arguments, &kernel->launch);
  irSetAttr(function, "stitch.launch", stitchLaunchAttrGet(b.context, kernel->launch));
  setTraffic(function, count * irElementBytes(element), count * irElementBytes(element));
  if (count > PLAN_MOST_NARROW_INDEX)
    setWideIndices(function);
  IrBuilder body = irBuilderAtEnd(irBody(function, 0), loc);
  MlirBlock block = irBody(function, 0);
  emitCopy(&body, &kernel->launch, high ? openCount(&body, block, count, high) : irConstantIndex(&body, count), block);
  gpuArgumentsDestroy(&arguments);
  return kernel;
}

void hostKernelsDestroy(HostKernels *kernels) {
  for (intptr_t i = 0; i < kernels->numKernels; ++i) {
    free(kernels->kernels[i].text);
    free(kernels->kernels[i].constants);
    free(kernels->kernels[i].symbols);
  }
  free(kernels->kernels);
  *kernels = (HostKernels){0};
}
