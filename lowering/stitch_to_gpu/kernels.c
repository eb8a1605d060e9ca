//===- kernels.c - the gpu.module: one gpu.func for each distinct fusion ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/stitch_to_gpu/host.h"

#include "capi/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Identity of fusions
//===----------------------------------------------------------------------===//

typedef struct {
  char *data;
  size_t length, capacity;
} Text;

static void appendText(MlirStringRef part, void *userData) {
  Text *text = userData;
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
  Text text = {0};
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOperationPrintWithFlags(op, flags, appendText, &text);
  mlirOpPrintingFlagsDestroy(flags);
  return text.data;
}

//===----------------------------------------------------------------------===//
// gpu.func
//===----------------------------------------------------------------------===//

/// The arguments of a kernel under construction.
typedef struct {
  intptr_t count, capacity;
  MlirType *types;
  MlirAttribute *attributes;
} Arguments;

static intptr_t addArgument(IrBuilder *b, Arguments *arguments, MlirType element, int64_t count,
                            const char *attributes) {
  intptr_t capacity = arguments->capacity;
  IR_RESERVE_ONE(arguments->types, arguments->count, capacity);
  IR_RESERVE_ONE(arguments->attributes, arguments->count, arguments->capacity);
  arguments->types[arguments->count] = mlirMemRefTypeContiguousGet(element, 1, &count, mlirAttributeGetNull());
  arguments->attributes[arguments->count] = irParseAttr(b->context, "{llvm.align = 16 : i64%s}", attributes);
  return arguments->count++;
}

static intptr_t addTensorArgument(IrBuilder *b, Arguments *arguments, MlirType tensor, const char *attributes) {
  return addArgument(b, arguments, memoryType(irElementType(tensor)), irNumElements(irTypeShape(tensor)), attributes);
}

static MlirOperation createFunction(HostKernels *kernels, const char *name, const Arguments *arguments,
                                    const StitchLaunch *launch) {
  IrBuilder b = irBuilderAtEnd(kernels->block, kernels->loc);
  int32_t block[3] = {(int32_t)launch->block, 1, 1};
  MlirType type = mlirFunctionTypeGet(b.context, arguments->count, arguments->types, 0, NULL);
  return irOpWithRegions(
      &b, "gpu.func", IR_NO_VALUES, IR_NO_TYPES,
      IR_ATTRS(irString(&b, "sym_name", name), irType(&b, "function_type", type), irUnit(&b, "gpu.kernel"),
               irAttr(&b, "arg_attrs", mlirArrayAttrGet(b.context, arguments->count, arguments->attributes)),
               irAttr(&b, "gpu.known_block_size", mlirDenseI32ArrayGet(b.context, 3, block))),
      1, (IrTypes){arguments->count, arguments->types});
}

//===----------------------------------------------------------------------===//
// Kernels of fusions
//===----------------------------------------------------------------------===//

static void mapInput(Emitter *e, MlirValue value, intptr_t number, MlirBlock body) {
  irMapSet(&e->inputOf, value.ptr, number);
  e->inputs[number] = mlirBlockGetArgument(body, number);
}

static void emitterDestroy(Emitter *e) {
  indexContextDestroy(e->index);
  memoDestroy(&e->memo);
  irArenaDestroy(&e->arena);
  irMapDestroy(&e->inputOf);
  irMapDestroy(&e->boundAtoms);
  free(e->boundValues);
  free(e->inputs);
  free(e->outputs);
}

/// Emits the body of `function`. Returns false after a diagnostic; sets `startOver` if the plan learned something on
/// the way.
static bool emitBody(KernelPlan *plan, MlirOperation function, Traffic *traffic, bool *startOver) {
  MlirBlock body = irBody(function, 0);
  intptr_t numInputs = mlirBlockGetNumArguments(plan->body), numOutputs = mlirOperationGetNumResults(plan->fusion);
  intptr_t next = numInputs + plan->numConstants;
  Emitter e = {.b = irBuilderAtEnd(body, mlirOperationGetLocation(plan->fusion)),
               .index = indexContextCreate(),
               .plan = plan,
               .inputs = irAllocateZeroed((size_t)next + 1, sizeof(MlirValue)),
               .outputs = irAllocateZeroed((size_t)numOutputs + 1, sizeof(MlirValue))};
  for (intptr_t i = 0; i < numInputs; ++i)
    mapInput(&e, mlirBlockGetArgument(plan->body, i), i, body);
  for (intptr_t i = 0; i < plan->numConstants; ++i)
    mapInput(&e, irResult(plan->constants[i], 0), numInputs + i, body);
  for (intptr_t i = 0; i < numOutputs; ++i)
    e.outputs[i] = mlirBlockGetArgument(body, next++);
  if (plan->launch.scratch)
    e.scratch = mlirBlockGetArgument(body, next++);
  if (plan->launch.barriers)
    e.counter = mlirBlockGetArgument(body, next++);
  bool success = kernelEmit(&e);
  *startOver = e.startOver;
  *traffic = e.traffic;
  emitterDestroy(&e);
  return success;
}

static void collectArguments(IrBuilder *b, const KernelPlan *plan, Arguments *arguments) {
  const char *readOnly = ", llvm.noalias, llvm.readonly", *writeOnly = ", llvm.noalias";
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(plan->body); ++i)
    addTensorArgument(b, arguments, mlirValueGetType(mlirBlockGetArgument(plan->body, i)), readOnly);
  for (intptr_t i = 0; i < plan->numConstants; ++i)
    addTensorArgument(b, arguments, mlirValueGetType(irResult(plan->constants[i], 0)), readOnly);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(plan->fusion); ++i)
    addTensorArgument(b, arguments, mlirValueGetType(irResult(plan->fusion, i)), writeOnly);
  // What other blocks write is neither read-only nor unaliased.
  if (plan->launch.scratch)
    addArgument(b, arguments, mlirIntegerTypeGet(b->context, 8), plan->launch.scratch, "");
  if (plan->launch.barriers)
    addArgument(b, arguments, mlirIntegerTypeGet(b->context, 32), 1, "");
}

static void setTraffic(MlirOperation function, int64_t read, int64_t written) {
  irSetAttr(function, "stitch.traffic",
            mlirDenseI64ArrayGet(mlirOperationGetContext(function), 2, (const int64_t[]){read, written}));
}

/// Emits until no root changes to shared memory any more: each round settles at least one, usually the first all.
static bool emitKernel(HostKernels *kernels, KernelPlan *plan, HostKernel *kernel) {
  IrBuilder b = irBuilderAtEnd(kernels->block, kernels->loc);
  Arguments arguments = {0};
  collectArguments(&b, plan, &arguments);
  bool startOver, success;
  Traffic traffic;
  MlirOperation function;
  do {
    function = createFunction(kernels, kernel->name, &arguments, &plan->launch);
    success = emitBody(plan, function, &traffic, &startOver);
    if (startOver || !success)
      mlirOperationDestroy(function);
  } while (startOver && success);
  free(arguments.types);
  free(arguments.attributes);
  kernel->launch = plan->launch;
  kernel->launch.shared = kernelPlanSharedBytes(plan);
  if (success && kernel->launch.shared > plan->launch.shared) {
    stitchEmitOpError(plan->fusion, "needs %lld bytes of shared memory but its stitch.launch has %lld",
                      (long long)kernel->launch.shared, (long long)plan->launch.shared);
    mlirOperationDestroy(function);
    success = false;
  }
  if (success) {
    irSetAttr(function, "stitch.launch", stitchLaunchAttrGet(b.context, kernel->launch));
    setTraffic(function, traffic.read, traffic.written);
  }
  return success;
}

static HostKernel *addKernel(HostKernels *kernels) {
  IR_RESERVE_ONE(kernels->kernels, kernels->numKernels, kernels->capacity);
  HostKernel *kernel = &kernels->kernels[kernels->numKernels++];
  *kernel = (HostKernel){0};
  return kernel;
}

const HostKernel *hostKernelFor(HostKernels *kernels, MlirOperation fusion) {
  char *text = printLocally(fusion);
  for (intptr_t i = 0; i < kernels->numKernels; ++i)
    if (strcmp(kernels->kernels[i].text, text) == 0) {
      free(text);
      return &kernels->kernels[i];
    }
  HostKernel *kernel = addKernel(kernels);
  kernel->text = text;
  snprintf(kernel->name, sizeof(kernel->name), "fusion_%ld", (long)kernels->numKernels - 1);
  IrArena arena = {0};
  KernelPlan plan;
  bool success = kernelPlanRead(fusion, &arena, &plan) && emitKernel(kernels, &plan, kernel);
  kernel->numConstants = plan.numConstants;
  kernel->constants = irAllocateZeroed((size_t)plan.numConstants + 1, sizeof(MlirAttribute));
  for (intptr_t i = 0; i < plan.numConstants; ++i)
    kernel->constants[i] = irGetAttr(plan.constants[i], "value");
  kernelPlanDestroy(&plan);
  irArenaDestroy(&arena);
  return success ? kernel : NULL;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static MlirValue coordinate(IrBuilder *b, const char *name) {
  MlirAttribute x = irParseAttr(b->context, "#gpu<dim x>");
  return irValueOf(b, name, IR_NO_VALUES, mlirIndexTypeGet(b->context), IR_ATTRS(irAttr(b, "dimension", x)));
}

static void emitCopy(IrBuilder *b, const StitchLaunch *launch, int64_t count, MlirBlock body) {
  MlirValue block = irConstantIndex(b, launch->block);
  MlirValue first = irAddI(b, irMulI(b, coordinate(b, "gpu.block_id"), block), coordinate(b, "gpu.thread_id"));
  MlirOperation loop =
      irFor(b, first, irConstantIndex(b, count), irConstantIndex(b, launch->grid * launch->block), IR_NO_VALUES);
  IrBuilder inner = irBuilderAtEnd(irBody(loop, 0), b->loc);
  MlirValue index = mlirBlockGetArgument(irBody(loop, 0), 0), source = mlirBlockGetArgument(body, 0);
  MlirValue value = irValueOf(&inner, "memref.load", IR_VALUES(source, index), irElementTypeOf(source), IR_NO_ATTRS);
  irOp(&inner, "memref.store", IR_VALUES(value, mlirBlockGetArgument(body, 1), index), IR_NO_TYPES, IR_NO_ATTRS);
  irYield(&inner, IR_NO_VALUES);
  irOp(b, "gpu.return", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
}

const HostKernel *hostCopyKernel(HostKernels *kernels, MlirLocation loc, MlirType element, int64_t count) {
  Text text = {0};
  mlirTypePrint(mlirMemRefTypeContiguousGet(element, 1, &count, mlirAttributeGetNull()), appendText, &text);
  for (intptr_t i = 0; i < kernels->numKernels; ++i)
    if (strcmp(kernels->kernels[i].text, text.data) == 0) {
      free(text.data);
      return &kernels->kernels[i];
    }
  HostKernel *kernel = addKernel(kernels);
  kernel->text = text.data;
  snprintf(kernel->name, sizeof(kernel->name), "copy_%ld", (long)kernels->numKernels - 1);
  int64_t blocks = (count + 1023) / 1024;
  kernel->launch = (StitchLaunch){.grid = blocks < 1024 ? blocks : 1024, .block = 256, .registers = 32};
  Arguments arguments = {0};
  IrBuilder b = irBuilderAtEnd(kernels->block, loc);
  addArgument(&b, &arguments, element, count, ", llvm.noalias, llvm.readonly");
  addArgument(&b, &arguments, element, count, ", llvm.noalias");
  MlirOperation function = createFunction(kernels, kernel->name, &arguments, &kernel->launch);
  irSetAttr(function, "stitch.launch", stitchLaunchAttrGet(b.context, kernel->launch));
  setTraffic(function, count * irElementBytes(element), count * irElementBytes(element));
  IrBuilder body = irBuilderAtEnd(irBody(function, 0), loc);
  emitCopy(&body, &kernel->launch, count, irBody(function, 0));
  free(arguments.types);
  free(arguments.attributes);
  return kernel;
}

void hostKernelsDestroy(HostKernels *kernels) {
  for (intptr_t i = 0; i < kernels->numKernels; ++i) {
    free(kernels->kernels[i].text);
    free(kernels->kernels[i].constants);
  }
  free(kernels->kernels);
  *kernels = (HostKernels){0};
}
