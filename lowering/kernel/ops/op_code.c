//===- op_code.c - building kernels of single operations -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/ops/op_code.h"

#include "lowering/kernel/gpu/elements.h"
#include "lowering/kernel/gpu/gpu_function.h"

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

MlirValue opTrue(OpKernel *k) { return irConstantInt(&k->b, mlirIntegerTypeGet(k->b.context, 1), 1); }

MlirValue opTimes(OpKernel *k, MlirValue a, int64_t factor) {
  return factor == 1 ? a : irMulI(&k->b, a, opIndex(k, factor));
}

MlirValue opQuotient(OpKernel *k, MlirValue a, int64_t divisor) {
  return divisor == 1 ? a : irDivUI(&k->b, a, opIndex(k, divisor));
}

MlirValue opRemainder(OpKernel *k, MlirValue a, int64_t divisor) {
  return divisor == 1 ? opIndex(k, 0) : irRemUI(&k->b, a, opIndex(k, divisor));
}

MlirValue opToI32(OpKernel *k, MlirValue index) {
  return irUnary(&k->b, "arith.index_castui", index, mlirIntegerTypeGet(k->b.context, 32));
}

MlirValue opFromI32(OpKernel *k, MlirValue value) {
  return irUnary(&k->b, "arith.index_castui", value, mlirIndexTypeGet(k->b.context));
}

MlirValue opLineElement(OpKernel *k, const Lines *lines, MlirValue line, MlirValue position) {
  MlirValue outer = opQuotient(k, line, lines->inner), inner = opRemainder(k, line, lines->inner);
  MlirValue inLines = irAddI(&k->b, opTimes(k, outer, lines->size), position);
  return irAddI(&k->b, opTimes(k, inLines, lines->inner), inner);
}

MlirValue opLinearize(OpKernel *k, const MlirValue *index, IrShape shape) {
  MlirValue linear = opIndex(k, 0);
  for (intptr_t i = 0; i < shape.rank; ++i)
    linear = i ? irAddI(&k->b, opTimes(k, linear, shape.dims[i]), index[i]) : index[i];
  return linear;
}

void opDelinearize(OpKernel *k, MlirValue linear, IrShape shape, MlirValue *index) {
  for (intptr_t i = shape.rank; i-- > 0;) {
    index[i] = i ? opRemainder(k, linear, shape.dims[i]) : linear;
    if (i)
      linear = opQuotient(k, linear, shape.dims[i]);
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

MlirValue opLoad(OpKernel *k, MlirValue memref, MlirType element, MlirValue index) {
  MlirValue value;
  memoryLoad(&k->b, memref, element, opTimes(k, index, memoryParts(element)), 1, &value);
  return value;
}

void opStore(OpKernel *k, MlirValue memref, MlirValue value, MlirValue index) {
  memoryStore(&k->b, memref, opTimes(k, index, memoryParts(mlirValueGetType(value))), 1, &value);
}

MlirValue opScratch(OpKernel *k, int64_t offset, int64_t count, MlirType element) {
  return memoryView(&k->b, k->scratch, offset, count, element);
}

MlirValue opShared(OpKernel *k, int64_t offset, int64_t count, MlirType element) {
  return memoryView(&k->b, k->shared, offset, count, element);
}

void opBlockBarrier(OpKernel *k) { gpuBarrier(&k->b); }

void opGridBarrier(OpKernel *k) { gpuGridBarrier(&k->b, k->counter, &k->launch); }

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static OpRegion enter(OpKernel *k, MlirOperation op) {
  OpRegion region = {op, k->b};
  k->b = irBuilderAtEnd(irBody(op, 0), k->b.loc);
  return region;
}

OpRegion opFor(OpKernel *k, MlirValue first, MlirValue end, MlirValue step, IrValues carried) {
  return enter(k, irFor(&k->b, first, end, step, carried));
}

OpRegion opForBelow(OpKernel *k, int64_t end, IrValues carried) {
  return opFor(k, opIndex(k, 0), opIndex(k, end), opIndex(k, 1), carried);
}

OpRegion opIf(OpKernel *k, MlirValue condition, IrTypes results) {
  return enter(k, irIf(&k->b, condition, results, /*hasElse=*/results.count > 0));
}

void opElse(OpKernel *k, OpRegion *region, IrValues yielded) {
  irYield(&k->b, yielded);
  k->b = irBuilderAtEnd(irBody(region->op, 1), k->b.loc);
}

void opEnd(OpKernel *k, OpRegion *region, IrValues yielded) {
  irYield(&k->b, yielded);
  k->b = region->outside;
}

OpRegion opTasks(OpKernel *k, int64_t tasks) {
  return opFor(k, k->block, opIndex(k, tasks), opIndex(k, k->launch.grid), IR_NO_VALUES);
}

OpRegion opGridElements(OpKernel *k, int64_t count) {
  MlirValue first = irAddI(&k->b, opTimes(k, k->block, k->launch.block), k->thread);
  return opFor(k, first, opIndex(k, count), opIndex(k, k->launch.grid * k->launch.block), IR_NO_VALUES);
}

OpRegion opBlockElements(OpKernel *k, int64_t count) {
  return opFor(k, k->thread, opIndex(k, count), opIndex(k, k->launch.block), IR_NO_VALUES);
}
