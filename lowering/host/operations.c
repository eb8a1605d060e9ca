//===- operations.c - memory, launches and library calls -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes views, launches and library calls of the host function. Leaves pointer arithmetic and calls of
// stitchLaunchKernel and stitchLibraryCall, whose arguments are stored in one array of pointers on the stack.
//
//===----------------------------------------------------------------------===//

#include "lowering/host/llvm_host.h"

#include "ir/plan/plan.h"

void hostConvertView(HostConversion *h, MlirOperation op) {
  int64_t offset = 0;
  MlirValue base = hostValueOf(h, op, irOperand(op, 0));
  if (!hostConstantValue(irOperand(op, 1), &offset))
    hostFail(h, op, "must have a constant offset in host code");
  if (!h->failed)
    hostSetValue(h, irResult(op, 0), hostElementPointer(h, &h->entry, base, mlirIntegerTypeGet(h->context, 8), offset));
}

/// reinterpret_cast without offset: the same elements in another shape. (Parts of a buffer are views of the arena.)
void hostConvertReinterpretCast(HostConversion *h, MlirOperation op) {
  MlirValue base = hostValueOf(h, op, irOperand(op, 0));
  MlirAttribute offsets = irGetAttr(op, "static_offsets");
  bool isWhole = mlirOperationGetNumOperands(op) == 1 && mlirAttributeIsADenseI64Array(offsets) &&
                 mlirDenseArrayGetNumElements(offsets) == 1 && mlirDenseI64ArrayGetElement(offsets, 0) == 0;
  if (!isWhole)
    hostFail(h, op, "must have offset 0 and static sizes and strides in host code");
  if (!h->failed)
    hostSetValue(h, irResult(op, 0), base);
}

void hostConvertGetGlobal(HostConversion *h, MlirOperation op) {
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(irGetAttr(op, "name"));
  MlirOperation global = hostFindSymbol(irBody(h->module, 0), name);
  int64_t index = mlirOperationIsNull(global) ? -1 : irMapGet(&h->constants, global.ptr, -1);
  if (index < 0)
    return hostFail(h, op, "names no memref.global");
  MlirValue table = mlirBlockGetArgument(irBody(h->function, 0), HOST_CONSTANTS);
  hostSetValue(h, irResult(op, 0), hostLoadPointer(h, &h->entry, table, index));
}

/// The parts of a gpu.launch_func, from its segment sizes.
typedef struct {
  intptr_t grid;
  intptr_t block;
  intptr_t cluster;     ///< -1: none
  intptr_t sharedBytes; ///< -1: none
  intptr_t arguments;
  intptr_t numArguments;
} LaunchOperands;

static LaunchOperands launchOperands(MlirOperation op) {
  enum { DEPENDENCIES = 0, GRID = 1, BLOCK = 4, CLUSTER = 7, SHARED = 10, KERNEL_OPERANDS = 11, NUM_SEGMENTS = 13 };
  MlirAttribute sizes = irGetAttr(op, "operandSegmentSizes");
  intptr_t start[NUM_SEGMENTS + 1] = {0};
  for (intptr_t i = 0; i < NUM_SEGMENTS; ++i)
    start[i + 1] = start[i] + mlirDenseI32ArrayGetElement(sizes, i);
  return (LaunchOperands){
      .grid = start[GRID],
      .block = start[BLOCK],
      .cluster = start[CLUSTER] == start[CLUSTER + 1] ? -1 : start[CLUSTER],
      .sharedBytes = start[SHARED] == start[SHARED + 1] ? -1 : start[SHARED],
      .arguments = start[KERNEL_OPERANDS],
      .numArguments = start[KERNEL_OPERANDS + 1] - start[KERNEL_OPERANDS],
  };
}

static MlirOperation findKernel(HostConversion *h, MlirOperation launch) {
  MlirAttribute symbol = irGetAttr(launch, "kernel");
  MlirOperation module = hostFindSymbol(irBody(h->module, 0), mlirSymbolRefAttrGetRootReference(symbol));
  if (mlirOperationIsNull(module) || mlirSymbolRefAttrGetNumNestedReferences(symbol) != 1)
    return (MlirOperation){NULL};
  MlirAttribute nested = mlirSymbolRefAttrGetNestedReference(symbol, 0);
  return hostFindSymbol(irBody(module, 0), mlirSymbolRefAttrGetRootReference(nested));
}

/// Stores the pointers of `count` operands of `op` in the argument array.
static void storeArguments(HostConversion *h, MlirOperation op, intptr_t first, intptr_t count) {
  for (intptr_t i = 0; i < count && !h->failed; ++i) {
    MlirValue pointer = hostValueOf(h, op, irOperand(op, first + i));
    if (h->failed)
      return;
    MlirValue slot = hostElementPointer(h, &h->b, h->arguments, h->pointer, i);
    irOp(&h->b, "llvm.store", IR_VALUES(pointer, slot), IR_NO_TYPES, IR_NO_ATTRS);
  }
}

void hostConvertLaunch(HostConversion *h, MlirOperation op) {
  LaunchOperands o = launchOperands(op);
  int64_t grid[3], block[3], cluster[3] = {1, 1, 1}, sharedBytes = 0;
  bool constant = o.sharedBytes < 0 || hostConstantValue(irOperand(op, o.sharedBytes), &sharedBytes);
  for (int i = 0; i < 3; ++i)
    constant = constant && hostConstantValue(irOperand(op, o.grid + i), &grid[i]) &&
               hostConstantValue(irOperand(op, o.block + i), &block[i]) &&
               (o.cluster < 0 || hostConstantValue(irOperand(op, o.cluster + i), &cluster[i]));
  if (!constant)
    return hostFail(h, op, "must have constant grid, block, cluster and shared memory sizes");
  if (grid[1] != 1 || grid[2] != 1 || block[1] != 1 || block[2] != 1 || cluster[1] != 1 || cluster[2] != 1)
    return hostFail(h, op, "must be one-dimensional");
  MlirOperation kernel = findKernel(h, op);
  int64_t index = mlirOperationIsNull(kernel) ? -1 : irMapGet(&h->kernels, kernel.ptr, -1);
  if (index < 0)
    return hostFail(h, op, "names no kernel of this module");
  StitchLaunch launch;
  bool isPlanned = planGetLaunch(kernel, &launch), cooperative = isPlanned && launch.barriers > 0;
  if (cluster[0] != (isPlanned ? launch.cluster : 1)) // runtimes ask the kernel
    return hostFail(h, op, "must have the clusters that its kernel has");
  storeArguments(h, op, o.arguments, o.numArguments);
  if (h->failed)
    return;
  IrBuilder *b = &h->b;
  hostCallAt(h, op);
  hostCallAndCheck(h, "stitchLaunchKernel",
                   IR_VALUES(hostCallbacks(h), hostConstant(b, h->i64, index), hostConstant(b, h->i64, grid[0]),
                             hostConstant(b, h->i64, block[0]), hostConstant(b, h->i64, sharedBytes),
                             hostConstant(b, h->i64, cooperative), h->arguments,
                             hostConstant(b, h->i64, o.numArguments)));
}

void hostConvertCall(HostConversion *h, MlirOperation op) {
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(irGetAttr(op, "callee"));
  MlirOperation callee = hostFindSymbol(irBody(h->module, 0), name);
  int64_t index = mlirOperationIsNull(callee) ? -1 : irMapGet(&h->calls, callee.ptr, -1);
  if (index < 0)
    return hostFail(h, op, "calls a function without the attribute 'stitch.library'");
  storeArguments(h, op, 0, mlirOperationGetNumOperands(op));
  if (h->failed)
    return;
  hostCallAt(h, op);
  hostCallAndCheck(h, "stitchLibraryCall",
                   IR_VALUES(hostCallbacks(h), hostConstant(&h->b, h->i64, index), h->arguments));
}
