//===- launch.c - launches of kernels in the host function ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a fusion and the memory of its operands. Leaves gpu.launch_func with its arguments, and copies of operands that
// are updated in place elsewhere.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host_function.h"

#include "capi/diagnostics.h"
#include "ir/graph/in_place.h"

#include <stdlib.h>
#include <string.h>

/// The memory of the buffers that a fusion stores slices to and does not read, in order of the slices.
typedef struct {
  Host *host;
  MlirOperation fusion;
  MlirValue *buffers;
  intptr_t count, capacity;
} SliceBuffers;

static void addBuffer(MlirOperation update, void *data) {
  SliceBuffers *b = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(b->fusion); ++i)
    if (mlirValueEqual(irOperand(b->fusion, i), irOperand(update, 0)))
      return;
  IR_RESERVE_ONE(b->buffers, b->count, b->capacity);
  b->buffers[b->count++] = hostFlatMemref(b->host, update, irOperand(update, 0));
}

static MlirValue *sliceBuffers(Host *host, MlirOperation fusion, intptr_t *count) {
  SliceBuffers b = {.host = host, .fusion = fusion};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    hostForEachUpdate(irResult(fusion, i), addBuffer, &b);
  *count = b.count;
  return b.buffers;
}

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
  MlirOperation op =
      irOp(b, "gpu.launch_func", (IrValues){numFixed + count, operands}, IR_NO_TYPES,
           IR_ATTRS(irAttr(b, "kernel", irParseAttr(b->context, "@%s::@%s", host->shared->kernels.name, kernel->name)),
                    irAttr(b, "operandSegmentSizes", mlirDenseI32ArrayGet(b->context, 13, segments))));
  if (kernel->launch.barriers) // of the grid: all blocks have to be resident
    irSetAttr(op, "stitch.cooperative", mlirUnitAttrGet(b->context));
  free(operands);
}

/// The memory of operand `number`: of a scatter's update in place, that of the result.
static MlirValue operandMemory(Host *host, MlirOperation op, intptr_t number) {
  bool isUpdated = irScattersInPlace(op) && number < mlirOperationGetNumResults(op);
  return hostFlatMemref(host, op, isUpdated ? irResult(op, number) : irOperand(op, number));
}

/// The inputs, constants, symbols, outputs, buffers of slices, scratch memory and counter of an operation's kernel.
/// False after a diagnostic.
static bool collectArguments(Host *host, MlirOperation op, const HostKernel *kernel, const MlirValue *slices,
                             intptr_t numSlices, int64_t scratch, MlirValue *arguments, intptr_t *count) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    arguments[(*count)++] = operandMemory(host, op, i);
  for (intptr_t i = 0; i < kernel->numConstants; ++i)
    arguments[(*count)++] = hostConstantMemref(host, op, kernel->constants[i]);
  for (intptr_t i = 0; i < kernel->numSymbols; ++i)
    arguments[(*count)++] = hostArgumentMemref(host, kernel->symbols[i].argument);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!hostIsOnlySlice(irResult(op, i)) && !irScattersInPlace(op))
      arguments[(*count)++] = hostFlatMemref(host, op, irResult(op, i));
  for (intptr_t i = 0; i < numSlices; ++i)
    arguments[(*count)++] = slices[i];
  *count += hostAddSpares(host, op, arguments + *count);
  MlirType i8 = mlirIntegerTypeGet(host->b.context, 8), i32 = mlirIntegerTypeGet(host->b.context, 32);
  if (kernel->launch.scratch)
    arguments[(*count)++] = hostArenaView(host, scratch, i8, kernel->launch.scratch);
  if (kernel->launch.barriers) {
    arguments[(*count)++] = hostArenaView(host, host->counterBytes, i32, 1);
    host->counterBytes += HOST_COUNTER_STRIDE;
  }
  for (intptr_t i = 0; i < *count; ++i)
    if (mlirValueIsNull(arguments[i]))
      return false;
  return true;
}

void hostCopy(Host *host, MlirValue source, MlirValue target, const IrSymbol *symbol) {
  const HostKernel *kernel = hostCopyKernel(&host->shared->kernels, host->b.loc, irElementTypeOf(source),
                                            irNumElements(irShapeOf(source)), symbol);
  if (symbol)
    launch(host, kernel, 3, (MlirValue[]){source, hostArgumentMemref(host, symbol->argument), target});
  else
    launch(host, kernel, 2, (MlirValue[]){source, target});
}

/// Copies the operand of a scatter in place, if it is not in the memory of its result.
static bool copyUpdated(Host *host, MlirOperation op) {
  for (intptr_t i = 0; irScattersInPlace(op) && i < mlirOperationGetNumResults(op); ++i) {
    MlirValue source = hostFlatMemref(host, op, irOperand(op, i)), target = hostFlatMemref(host, op, irResult(op, i));
    if (mlirValueIsNull(source) || mlirValueIsNull(target))
      return false;
    if (!mlirValueEqual(source, target))
      hostCopy(host, source, target, NULL);
  }
  return true;
}

/// A fusion, or an operation that is a kernel of its own.
bool hostConvertKernel(Host *host, MlirOperation op) {
  bool isFusion = irOpIs(op, "stitch.fusion");
  if (!copyUpdated(host, op))
    return false;
  if (isFusion) {
    hostAttachSlices(op);
    hostAttachLoop(op);
  }
  const HostKernel *kernel =
      isFusion ? hostKernelFor(&host->shared->kernels, op) : hostOpKernelFor(&host->shared->kernels, op);
  if (!kernel)
    return false;
  int64_t scratch = kernel->launch.scratch ? hostArenaAllocate(&host->arena, kernel->launch.scratch) : 0;
  intptr_t numSlices;
  MlirValue *slices = sliceBuffers(host, op, &numSlices);
  intptr_t capacity = mlirOperationGetNumOperands(op) + 2 * mlirOperationGetNumResults(op) + kernel->numConstants +
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
