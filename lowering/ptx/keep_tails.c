//===- keep_tails.c - loads that do not reach behind a tensor ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM makes one load of 16 bytes of three, five, six or seven neighbouring elements that begin at an aligned address,
// and drops the unused ones. At the end of a tensor they are behind it. That faults nowhere, as the hardware gives
// memory out in larger pieces. But a tensor may be a part of a caller's memory, of which its own bytes alone are given:
// compute-sanitizer reports an access out of bounds. LLVM leaves volatile loads as they are. So some elements behind a
// tensor's last whole 16 bytes are volatile: those behind a power of two of them. Two, four or eight become one load as
// before.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/keep_tails.h"

#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

enum { ALIGNED_BYTES = 16 };

/// The index of an element of a vector of memory; -1 if it is not constant.
static int64_t constantIndex(MlirOperation load) {
  MlirOperation index = mlirOperationGetNumOperands(load) == 2 ? irDefiningOp(irOperand(load, 1)) : (MlirOperation){0};
  return mlirOperationIsNull(index) || !irOpIs(index, "arith.constant")
             ? -1
             : mlirIntegerAttrGetValueInt(irGetAttr(index, "value"));
}

static bool isInTail(MlirOperation load) {
  MlirValue memory = irOperand(load, 0);
  int64_t index = constantIndex(load);
  if (!mlirValueIsABlockArgument(memory) || index < 0)
    return false;
  int64_t lanes = ALIGNED_BYTES / irElementBytes(irElementTypeOf(memory));
  int64_t elements = mlirShapedTypeGetDimSize(mlirValueGetType(memory), 0), rest = lanes ? elements % lanes : 0;
  int64_t together = 1;
  while (2 * together <= rest)
    together *= 2;
  return rest > together && index >= elements - rest + together;
}

void markTails(MlirOperation gpuModule) {
  KernelOps loads = kernelOpsCalled(gpuModule, "memref.load");
  for (intptr_t i = 0; i < loads.count; ++i)
    if (isInTail(loads.data[i]))
      irSetAttr(loads.data[i], "nontemporal", mlirBoolAttrGet(mlirOperationGetContext(gpuModule), 1));
  free(loads.data);
}

void keepTails(MlirOperation gpuModule) {
  MlirAttribute unit = mlirUnitAttrGet(mlirOperationGetContext(gpuModule));
  KernelOps loads = kernelOpsCalled(gpuModule, "llvm.load");
  for (intptr_t i = 0; i < loads.count; ++i)
    if (!mlirAttributeIsNull(irGetAttr(loads.data[i], "nontemporal"))) {
      mlirOperationRemoveAttributeByName(loads.data[i], mlirStringRefCreateFromCString("nontemporal"));
      irSetAttr(loads.data[i], "volatile_", unit);
    }
  free(loads.data);
}
