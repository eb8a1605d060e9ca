//===- host.c - the host function ----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes @main with planned fusions, library calls and control flow. Leaves the host function on memrefs of docs/ir.md,
// section 3: launches of kernels, calls, copies and views of the arena.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host_function.h"

#include "capi/diagnostics.h"
#include "ir/graph/in_place.h"
#include "ir/mlir/function.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Outputs that no kernel wrote: inputs, constants, and results that are returned twice. Of tensors without elements
/// there is nothing to copy.
static bool copyOutputs(Host *host, MlirOperation terminator) {
  for (intptr_t i = 0; i < host->numOutputs; ++i) {
    MlirValue value = irOperand(terminator, i);
    TensorPlace *place = hostPlaceOf(host, value);
    if (irNumElements(irShapeOf(value)) == 0)
      continue;
    if (place && place->kind == PLACE_OUTPUT && place->number == host->numInputs + i)
      continue;
    MlirValue source = hostFlatMemref(host, terminator, value);
    if (mlirValueIsNull(source))
      return false;
    IrSymbol symbol = irSymbolOf(terminator, mlirValueGetType(value));
    hostCopy(host, source, hostArgumentMemref(host, host->numInputs + i),
             mlirAttributeIsNull(symbol.name) ? NULL : &symbol);
  }
  return true;
}

/// Has readers of an update in place find it in the memory of the buffer.
static bool placeUpdate(Host *host, MlirOperation op) {
  MlirValue buffer = hostFlatMemref(host, op, irOperand(op, 0));
  if (!mlirValueIsNull(buffer) && !hostPlaceOf(host, irResult(op, 0)))
    hostPlaceAt(host, irResult(op, 0), buffer);
  return !mlirValueIsNull(buffer);
}

/// Whether an operation updates a buffer in place with a slice that the kernel of a fusion writes there.
static bool isWritten(MlirOperation op) {
  if (!irUpdatesInPlace(op))
    return false;
  MlirOperation computes = irDefiningOp(irWithoutReshapes(irOperand(op, 1)));
  return !mlirOperationIsNull(computes) && irOpIs(computes, "stitch.fusion");
}

static bool convertOperation(Host *host, MlirOperation op) {
  host->b.loc = mlirOperationGetLocation(op);
  if (hostIsKernel(op))
    return hostAllocateResults(host, op), hostConvertKernel(host, op);
  if (irOpIs(op, "stitch.library_call"))
    return hostAllocateResults(host, op), hostConvertLibraryCall(host, op);
  if (tgIsControlFlow(op))
    return hostAllocateResults(host, op), hostConvertControlFlow(host, op);
  if (irOpIs(op, "func.return"))
    return copyOutputs(host, op);
  if (isWritten(op))
    return placeUpdate(host, op);
  if (irOpIs(op, "tg.yield") || irOpIs(op, "stitch.yield") || tgKindOf(op) == TG_reshape ||
      tgKindOf(op) == TG_constant || irComputesStartsOnly(op))
    return true;
  if (tgKindOf(op) == TG_custom_call) {
    MlirStringRef target = mlirStringAttrGetValue(irGetAttr(op, "call_target_name"));
    stitchEmitOpError(op, "calls '%.*s', which is no function that Stitch knows", (int)target.length, target.data);
    return false;
  }
  stitchEmitOpError(op, tgIsMemoryIntensive(op) || tgKindOf(op) == TG_dot
                            ? "has no implementation outside of kernels and libraries: run the planning passes "
                              "(stitch-pipeline) first"
                            : "has no implementation outside of kernels and libraries");
  return false;
}

static bool convertBlock(Host *host, MlirBlock block) {
  bool isBody = mlirBlockEqual(block, irBody(host->source, 0)); // steps are of the body
  IR_FOR_EACH_OP(op, block) {
    if ((isBody && !hostBeginStep(host, op)) || !convertOperation(host, op))
      return false;
    hostReleaseAfter(host, op);
    if (isBody)
      hostEndStep(host, op);
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
      IR_ATTRS(irAttr(&b, "sym_name", irGetAttr(host->source, "sym_name")),
               irType(&b, "function_type", mlirFunctionTypeGet(b.context, count, types, 0, NULL)),
               irI64(&b, "stitch.inputs", host->numInputs), irI64(&b, "stitch.outputs", host->numOutputs)),
      1, (IrTypes){count, types});
  free(types);
  MlirAttribute visibility = irGetAttr(host->source, "sym_visibility");
  if (!mlirAttributeIsNull(visibility))
    irSetAttr(function, "sym_visibility", visibility);
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

/// Says which outputs begin as which inputs: `stitch.updated`, for each input the output or -1.
static void describeUpdates(const Host *host, MlirOperation function) {
  int64_t *outputs = irAllocate(sizeof(*outputs) * (size_t)(host->numInputs + 1));
  bool any = false;
  for (intptr_t i = 0; i < host->numInputs; ++i) {
    outputs[i] = hostUpdatedOutput(host, i);
    any |= outputs[i] >= 0;
  }
  if (any)
    irSetAttr(function, "stitch.updated", mlirDenseI64ArrayGet(host->b.context, host->numInputs, outputs));
  free(outputs);
}

static void hostDestroy(Host *host) {
  hostArenaDestroy(&host->arena);
  irMapDestroy(&host->placeOf);
  irMapDestroy(&host->numberOf);
  free(host->places);
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
    stitchEmitOpError(main, "takes or returns a value that is no tensor of static shape");
  return isStatic;
}

/// Copies results to the arguments that are their destinations, unless they are updated there.
static void copyToDestinations(Host *host) {
  for (intptr_t i = 0; i < host->numInputs; ++i) {
    intptr_t output = irDestinationOf(host->source, i);
    if (output < 0 || hostUpdatedOutput(host, i) == output ||
        irNumElements(irShapeOf(mlirBlockGetArgument(irBody(host->source, 0), i))) == 0)
      continue;
    hostCopy(host, hostArgumentMemref(host, host->numInputs + output), hostArgumentMemref(host, i), NULL);
  }
}

MlirOperation hostConvert(HostModule *shared, MlirOperation main) {
  MlirType functionType = mlirTypeAttrGetValue(irGetAttr(main, "function_type"));
  if (!isStaticFunction(main, functionType))
    return (MlirOperation){NULL};
  Host host = {.convertBlock = convertBlock,
               .shared = shared,
               .source = main,
               .b = irBuilderBefore(main),
               .numInputs = mlirFunctionTypeGetNumInputs(functionType),
               .numOutputs = mlirFunctionTypeGetNumResults(functionType)};
  int64_t barrierKernels = 0;
  mlirOperationWalk(main, countBarrierKernel, &barrierKernels, MlirWalkPreOrder);
  host.zeroedBytes = barrierKernels * HOST_COUNTER_STRIDE;
  if (host.zeroedBytes)
    hostArenaAllocate(&host.arena, host.zeroedBytes);
  MlirOperation function = createFunction(&host, functionType);
  host.body = irBody(function, 0);
  host.b = irBuilderAtEnd(host.body, mlirOperationGetLocation(main));
  host.arenaMemory = mlirBlockGetArgument(host.body, mlirBlockGetNumArguments(host.body) - 1);
  host.one = irConstantIndex(&host.b, 1);
  host.entry = irBuilderBefore(irDefiningOp(host.one));
  hostPlaceArguments(&host);
  hostPlaceWindows(&host, function);
  hostPlaceValues(&host);
  bool success = convertBlock(&host, irBody(main, 0));
  if (success) {
    copyToDestinations(&host);
    irOp(&host.b, "func.return", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
    hostOrderSteps(&host);
    setArenaSize(&host, function, host.arenaMemory);
    describeUpdates(&host, function);
    success = hostDescribeAdaptive(main, function);
  }
  mlirOperationDestroy(success ? main : function);
  hostDestroy(&host);
  return success ? function : (MlirOperation){NULL};
}
