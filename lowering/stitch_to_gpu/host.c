//===- host.c - the host function ----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/stitch_to_gpu/host_function.h"

#include "capi/diagnostics.h"
#include "ir/in_place.h"

#include <stdlib.h>
#include <string.h>

/// Barrier counters stand this far apart: each is a kernel argument aligned to 16 bytes.
enum { COUNTER_STRIDE = 16 };

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static void launch(Host *host, const HostKernel *kernel, intptr_t count, const MlirValue *arguments) {
  IrBuilder *b = &host->b;
  MlirValue one = host->one;
  MlirValue grid = irConstantIndex(b, kernel->launch.grid), block = irConstantIndex(b, kernel->launch.block);
  MlirValue shared = irConstantInt(b, mlirIntegerTypeGet(b->context, 32), kernel->launch.shared);
  bool clusters = kernel->launch.cluster > 1;
  MlirValue cluster = clusters ? irConstantIndex(b, kernel->launch.cluster) : one;
  enum { MOST_FIXED = 10 };
  MlirValue fixed[MOST_FIXED] = {grid, one, one, block, one, one, cluster, one, one};
  intptr_t numFixed = clusters ? MOST_FIXED : MOST_FIXED - 3;
  fixed[numFixed - 1] = shared;
  MlirValue *operands = irAllocate(sizeof(MlirValue) * (size_t)(numFixed + count));
  memcpy(operands, fixed, sizeof(MlirValue) * (size_t)numFixed);
  memcpy(operands + numFixed, arguments, sizeof(MlirValue) * (size_t)count);
  // asyncDependencies, grid x y z, block x y z, cluster x y z, dynamic shared memory, arguments, async object
  int32_t segments[13] = {0, 1, 1, 1, 1, 1, 1, clusters, clusters, clusters, 1, (int32_t)count, 0};
  MlirOperation op = irOp(b, "gpu.launch_func", (IrValues){numFixed + count, operands}, IR_NO_TYPES,
                          IR_ATTRS(irAttr(b, "kernel", irParseAttr(b->context, "@kernels::@%s", kernel->name)),
                                   irAttr(b, "operandSegmentSizes", mlirDenseI32ArrayGet(b->context, 13, segments))));
  if (kernel->launch.barriers)
    irSetAttr(op, "stitch.cooperative", mlirUnitAttrGet(b->context));
  free(operands);
}

/// The inputs, constants, symbols, outputs, buffers of slices, scratch memory and counter of an operation's kernel.
/// False after a diagnostic.
static bool collectArguments(Host *host, MlirOperation op, const HostKernel *kernel, const MlirValue *slices,
                             intptr_t numSlices, int64_t scratch, MlirValue *arguments, intptr_t *count) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    arguments[(*count)++] = hostFlatMemref(host, op, irOperand(op, i));
  for (intptr_t i = 0; i < kernel->numConstants; ++i)
    arguments[(*count)++] = hostConstantMemref(host, op, kernel->constants[i]);
  for (intptr_t i = 0; i < kernel->numSymbols; ++i)
    arguments[(*count)++] = hostArgumentMemref(host, kernel->symbols[i].argument);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!hostIsOnlySlice(irResult(op, i)))
      arguments[(*count)++] = hostFlatMemref(host, op, irResult(op, i));
  for (intptr_t i = 0; i < numSlices; ++i)
    arguments[(*count)++] = slices[i];
  MlirType i8 = mlirIntegerTypeGet(host->b.context, 8), i32 = mlirIntegerTypeGet(host->b.context, 32);
  if (kernel->launch.scratch)
    arguments[(*count)++] = hostArenaView(host, scratch, i8, kernel->launch.scratch);
  if (kernel->launch.barriers) {
    arguments[(*count)++] = hostArenaView(host, host->counterBytes, i32, 1);
    host->counterBytes += COUNTER_STRIDE;
  }
  for (intptr_t i = 0; i < *count; ++i)
    if (mlirValueIsNull(arguments[i]))
      return false;
  return true;
}

/// A fusion, or an operation that is a kernel of its own.
static bool convertKernel(Host *host, MlirOperation op) {
  bool isFusion = irOpIs(op, "stitch.fusion");
  if (isFusion)
    hostAttachSlices(op);
  const HostKernel *kernel = isFusion ? hostKernelFor(&host->kernels, op) : hostOpKernelFor(&host->kernels, op);
  if (!kernel)
    return false;
  int64_t scratch = kernel->launch.scratch ? hostArenaAllocate(&host->arena, kernel->launch.scratch) : 0;
  intptr_t numSlices;
  MlirValue *slices = hostSliceBuffers(host, op, &numSlices);
  intptr_t capacity = mlirOperationGetNumOperands(op) + mlirOperationGetNumResults(op) + kernel->numConstants +
                      kernel->numSymbols + numSlices + 2;
  MlirValue *arguments = irAllocateZeroed((size_t)capacity, sizeof(MlirValue));
  intptr_t count = 0;
  bool success = collectArguments(host, op, kernel, slices, numSlices, scratch, arguments, &count);
  if (success)
    launch(host, kernel, count, arguments);
  if (kernel->launch.scratch)
    hostArenaRelease(&host->arena, scratch, kernel->launch.scratch);
  free(slices);
  free(arguments);
  return success;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

void hostCopy(Host *host, MlirValue source, MlirValue target, const IrSymbol *symbol) {
  const HostKernel *kernel = hostCopyKernel(&host->kernels, host->b.loc, irElementTypeOf(source),
                                            irNumElements(irShapeOf(source)), symbol ? symbol->high : 0);
  if (symbol)
    launch(host, kernel, 3, (MlirValue[]){source, hostArgumentMemref(host, symbol->argument), target});
  else
    launch(host, kernel, 2, (MlirValue[]){source, target});
}

/// Outputs that no kernel wrote: inputs, constants, and results that are returned twice. Of tensors without elements
/// there is nothing to copy.
static bool copyOutputs(Host *host, MlirOperation terminator) {
  for (intptr_t i = 0; i < host->numOutputs; ++i) {
    MlirValue value = irOperand(terminator, i);
    Place *place = hostPlaceOf(host, value);
    if (irNumElements(irShapeOf(value)) == 0)
      continue;
    if (place && place->kind == PLACE_OUTPUT && place->number == host->numInputs + i)
      continue;
    int64_t elements = irNumElements(irShapeOf(value));
    if (elements < 0 || elements > INT32_MAX) { // index arithmetic has 32 bits
      stitchEmitOpError(terminator, "returns a copy of a tensor of too many elements; a kernel indexes at most %d",
                        INT32_MAX);
      return false;
    }
    MlirValue source = hostFlatMemref(host, terminator, value);
    if (mlirValueIsNull(source))
      return false;
    IrSymbol symbol = irSymbolOf(terminator, mlirValueGetType(value));
    hostCopy(host, source, hostArgumentMemref(host, host->numInputs + i),
             mlirAttributeIsNull(symbol.name) ? NULL : &symbol);
  }
  return true;
}

/// Whether an operation updates a buffer in place with what the kernel of a fusion writes there.
static bool isWritten(MlirOperation op) {
  if (!irUpdatesInPlace(op))
    return false;
  MlirOperation computes = irDefiningOp(hostWithoutReshapes(irOperand(op, 1)));
  return !mlirOperationIsNull(computes) && irOpIs(computes, "stitch.fusion");
}

static bool convertOperation(Host *host, MlirOperation op) {
  host->b.loc = mlirOperationGetLocation(op);
  if (hostIsKernel(op))
    return hostAllocateResults(host, op), convertKernel(host, op);
  if (irOpIs(op, "stitch.library_call"))
    return hostAllocateResults(host, op), hostConvertLibraryCall(host, op);
  if (tgIsControlFlow(op))
    return hostAllocateResults(host, op), hostConvertControlFlow(host, op);
  if (irOpIs(op, "func.return"))
    return copyOutputs(host, op);
  if (irOpIs(op, "tg.yield") || tgKindOf(op) == TG_reshape || tgKindOf(op) == TG_constant || isWritten(op) ||
      irComputesStartsOnly(op))
    return true;
  stitchEmitOpError(op, "has no implementation outside of kernels and libraries");
  return false;
}

bool hostConvertBlock(Host *host, MlirBlock block) {
  IR_FOR_EACH_OP(op, block) {
    if (!convertOperation(host, op))
      return false;
    hostReleaseAfter(host, op);
  }
  return true;
}

static MlirWalkResult countBarrierKernel(MlirOperation op, void *count) {
  StitchLaunch config;
  *(int64_t *)count += planGetLaunch(op, &config) && config.barriers > 0;
  return MlirWalkResultAdvance;
}

/// `(inputs, outputs, arena)`; the arena's type is not known before the end and set then.
static MlirOperation createFunction(Host *host, MlirType functionType) {
  intptr_t count = host->numInputs + host->numOutputs + 1;
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)count);
  for (intptr_t i = 0; i < host->numInputs; ++i)
    types[i] = memoryMemref(mlirFunctionTypeGetInput(functionType, i));
  for (intptr_t i = 0; i < host->numOutputs; ++i)
    types[host->numInputs + i] = memoryMemref(mlirFunctionTypeGetResult(functionType, i));
  int64_t unknown = 0;
  types[count - 1] =
      mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(host->b.context, 8), 1, &unknown, mlirAttributeGetNull());
  IrBuilder b = irBuilderBefore(host->source);
  MlirOperation function = irOpWithRegions(
      &b, "func.func", IR_NO_VALUES, IR_NO_TYPES,
      IR_ATTRS(irString(&b, "sym_name", "main"),
               irType(&b, "function_type", mlirFunctionTypeGet(b.context, count, types, 0, NULL)),
               irI64(&b, "stitch.inputs", host->numInputs), irI64(&b, "stitch.outputs", host->numOutputs)),
      1, (IrTypes){count, types});
  free(types);
  return function;
}

static void setArenaSize(Host *host, MlirOperation function, MlirValue arena) {
  MlirType type =
      mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(host->b.context, 8), 1, &host->arena.size, mlirAttributeGetNull());
  mlirValueSetType(arena, type);
  intptr_t count = mlirBlockGetNumArguments(host->body);
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)count);
  for (intptr_t i = 0; i < count; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(host->body, i));
  irSetAttr(function, "function_type", mlirTypeAttrGet(mlirFunctionTypeGet(host->b.context, count, types, 0, NULL)));
  irSetAttr(function, "stitch.zeroed", irI64Attr(host->b.context, host->zeroedBytes));
  free(types);
}

static void createKernelModule(Host *host) {
  IrBuilder b = irBuilderBefore(host->source);
  MlirOperation kernels = irOpWithRegions(&b, "gpu.module", IR_NO_VALUES, IR_NO_TYPES,
                                          IR_ATTRS(irString(&b, "sym_name", "kernels")), 1, IR_NO_TYPES);
  host->kernels.block = irBody(kernels, 0);
  host->kernels.loc = b.loc;
  irSetAttr(host->module, "gpu.container_module", mlirUnitAttrGet(b.context));
}

static void hostDestroy(Host *host) {
  hostKernelsDestroy(&host->kernels);
  hostArenaDestroy(&host->arena);
  irMapDestroy(&host->placeOf);
  irMapDestroy(&host->numberOf);
  free(host->places);
  free(host->constants);
  free(host->problems);
}

static bool isStaticTensor(MlirType type) {
  return mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type);
}

static bool isStaticFunction(MlirOperation main, MlirType type) {
  bool isStatic = true;
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    isStatic &= isStaticTensor(mlirFunctionTypeGetInput(type, i));
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    isStatic &= isStaticTensor(mlirFunctionTypeGetResult(type, i));
  if (!isStatic)
    stitchEmitOpError(main, "takes or returns what is no tensor of static shape");
  return isStatic;
}

bool hostConvert(MlirOperation module, MlirOperation main) {
  MlirType functionType = mlirTypeAttrGetValue(irGetAttr(main, "function_type"));
  if (!isStaticFunction(main, functionType))
    return false;
  Host host = {.module = module,
               .source = main,
               .b = irBuilderBefore(main),
               .numInputs = mlirFunctionTypeGetNumInputs(functionType),
               .numOutputs = mlirFunctionTypeGetNumResults(functionType)};
  int64_t barrierKernels = 0;
  mlirOperationWalk(main, countBarrierKernel, &barrierKernels, MlirWalkPreOrder);
  host.zeroedBytes = barrierKernels * COUNTER_STRIDE;
  if (host.zeroedBytes)
    hostArenaAllocate(&host.arena, host.zeroedBytes);
  createKernelModule(&host);
  MlirOperation function = createFunction(&host, functionType);
  host.body = irBody(function, 0);
  host.b = irBuilderAtEnd(host.body, mlirOperationGetLocation(main));
  host.arenaMemory = mlirBlockGetArgument(host.body, mlirBlockGetNumArguments(host.body) - 1);
  host.one = irConstantIndex(&host.b, 1);
  host.entry = irBuilderBefore(irDefiningOp(host.one));
  hostPlaceAll(&host);
  bool success = hostConvertBlock(&host, irBody(main, 0));
  if (success) {
    irOp(&host.b, "func.return", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
    setArenaSize(&host, function, host.arenaMemory);
    mlirOperationDestroy(main);
  } else {
    mlirOperationDestroy(function);
  }
  hostDestroy(&host);
  return success;
}
