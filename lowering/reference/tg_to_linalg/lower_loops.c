//===- lower_loops.c - loop nests on buffers ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations whose writes depend on data (scatter), or whose iterations depend on each other (sort), are no linalg
// operations. They become loops that read the buffers of their operands and write a buffer of their own.
//
//===----------------------------------------------------------------------===//

#include "lowering/reference/tg_to_linalg/lower_loops.h"
#include "ir/mlir/arena.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

MlirType bufferTypeOf(MlirType tensor) {
  IrShape shape = irTypeShape(tensor);
  return mlirMemRefTypeContiguousGet(irElementType(tensor), shape.rank, shape.dims, mlirAttributeGetNull());
}

MlirValue newBuffer(IrBuilder *b, MlirType tensorType) {
  int32_t segments[] = {0, 0};
  return irValueOf(b, "memref.alloc", IR_NO_VALUES, bufferTypeOf(tensorType),
                   IR_ATTRS(irI64(b, "alignment", 64),
                            irAttr(b, "operandSegmentSizes", mlirDenseI32ArrayGet(b->context, 2, segments))));
}

MlirValue readOnlyBuffer(IrBuilder *b, MlirValue tensor) {
  return irValueOf(b, "bufferization.to_buffer", IR_VALUES(tensor), bufferTypeOf(mlirValueGetType(tensor)),
                   IR_ATTRS(irUnit(b, "read_only")));
}

void storeTensor(IrBuilder *b, MlirValue tensor, MlirValue buffer) {
  irOp(b, "bufferization.materialize_in_destination", IR_VALUES(tensor, buffer), IR_NO_TYPES,
       IR_ATTRS(irUnit(b, "restrict"), irUnit(b, "writable")));
}

MlirValue bufferContents(IrBuilder *b, MlirValue buffer, MlirType tensorType) {
  return irValueOf(b, "bufferization.to_tensor", IR_VALUES(buffer), tensorType, IR_ATTRS(irUnit(b, "restrict")));
}

MlirValue loadElement(IrBuilder *b, MlirValue buffer, const MlirValue *index) {
  intptr_t rank = irShapeOf(buffer).rank;
  MlirValue operands[IR_MAX_RANK + 1] = {buffer};
  for (intptr_t i = 0; i < rank; ++i)
    operands[i + 1] = index[i];
  return irValueOf(b, "memref.load", (IrValues){rank + 1, operands}, irElementTypeOf(buffer), IR_NO_ATTRS);
}

void storeElement(IrBuilder *b, MlirValue element, MlirValue buffer, const MlirValue *index) {
  intptr_t rank = irShapeOf(buffer).rank;
  MlirValue operands[IR_MAX_RANK + 2] = {element, buffer};
  for (intptr_t i = 0; i < rank; ++i)
    operands[i + 2] = index[i];
  irOp(b, "memref.store", (IrValues){rank + 2, operands}, IR_NO_TYPES, IR_NO_ATTRS);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void beginLoops(IrBuilder *b, LoopNest *nest, IrShape sizes, IrValues initial) {
  nest->rank = sizes.rank > 0 ? sizes.rank : 1;
  nest->numCarried = initial.count;
  nest->body = *b;
  MlirValue *carried = irAllocate(sizeof(MlirValue) * (size_t)(initial.count + 1));
  for (intptr_t i = 0; i < initial.count; ++i)
    carried[i] = initial.data[i];
  for (intptr_t d = 0; d < nest->rank; ++d) {
    IrBuilder *at = &nest->body;
    MlirValue size = irConstantIndex(at, sizes.rank > 0 ? sizes.dims[d] : 1);
    MlirValue zero = irConstantIndex(at, 0), one = irConstantIndex(at, 1);
    nest->loops[d] = irFor(at, zero, size, one, (IrValues){initial.count, carried});
    MlirBlock block = irBody(nest->loops[d], 0);
    nest->index[d] = mlirBlockGetArgument(block, 0);
    for (intptr_t i = 0; i < initial.count; ++i)
      carried[i] = mlirBlockGetArgument(block, 1 + i);
    nest->body = irBuilderAtEnd(block, b->loc);
  }
  nest->carried = carried;
}

void endLoops(LoopNest *nest, IrValues carried) {
  irYield(&nest->body, carried);
  MlirValue *results = (MlirValue *)nest->carried;
  for (intptr_t d = nest->rank - 1; d > 0; --d) {
    for (intptr_t i = 0; i < nest->numCarried; ++i)
      results[i] = irResult(nest->loops[d], i);
    IrBuilder outer = irBuilderAtEnd(irBody(nest->loops[d - 1], 0), nest->body.loc);
    irYield(&outer, (IrValues){nest->numCarried, results});
  }
  free(results);
  nest->carried = NULL;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

MlirValue windowPosition(IrBuilder *b, const LoopWindow *w, const MlirValue *window, const MlirValue *inWindow,
                         MlirValue *at) {
  MlirValue zero = irConstantIndex(b, 0);
  MlirValue isElement = irConstantInt(b, mlirIntegerTypeGet(b->context, 1), 1);
  for (intptr_t d = 0; d < w->sizes.rank; ++d) {
    MlirValue start = irMulI(b, window[d], irConstantIndex(b, w->strides.dims[d]));
    MlirValue offset = irMulI(b, inWindow[d], irConstantIndex(b, w->windowDilations.dims[d]));
    MlirValue place = irSubI(b, irAddI(b, start, offset), irConstantIndex(b, w->low.dims[d]));
    MlirValue dilation = irConstantIndex(b, w->baseDilations.dims[d]);
    MlirValue isWhole = irCmpI(b, IR_CMPI_EQ, irRemSI(b, place, dilation), zero);
    MlirValue isAfter = irCmpI(b, IR_CMPI_SGE, place, zero);
    at[d] = irDivSI(b, place, dilation);
    MlirValue isBefore = irCmpI(b, IR_CMPI_SLT, at[d], irConstantIndex(b, w->sizes.dims[d]));
    isElement = irAndI(b, isElement, irAndI(b, isWhole, irAndI(b, isAfter, isBefore)));
  }
  return isElement;
}
