//===- coroutine.c - the coroutine around a kernel -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a kernel as a gpu.func. Leaves the function around its body that the runtime's simt device calls for each
// thread. It is an LLVM coroutine that stops at barriers and exchanges, with the fields of the thread (runtime/simt).
//
//===----------------------------------------------------------------------===//

#include "lowering/simt/coroutine.h"

#include "capi/llvm.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"
#include "ir/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// The function around the body
//===----------------------------------------------------------------------===//

static const char coroutineText[] =
    "llvm.func @coroutine(%%thread: !llvm.ptr, %%arguments: !llvm.ptr) -> !llvm.ptr attributes {\n"
    "    passthrough = [\"presplitcoroutine\", \"nounwind\"]} {\n"
    "  %%noToken = llvm.mlir.none : !llvm.token\n"
    "  %%no = llvm.mlir.constant(false) : i1\n"
    "  %%null = llvm.mlir.zero : !llvm.ptr\n"
    "  %%alignment = llvm.mlir.constant(%d : i32) : i32\n"
    "  %%id = llvm.intr.coro.id %%alignment, %%null, %%null, %%null\n"
    "      : (i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> !llvm.token\n"
    "  %%size = llvm.intr.coro.size : i64\n"
    "  %%capacityField = llvm.getelementptr %%thread[%d] : (!llvm.ptr) -> !llvm.ptr, i8\n"
    "  %%capacity = llvm.load %%capacityField : !llvm.ptr -> i64\n"
    "  %%tooSmall = llvm.icmp \"uge\" %%size, %%capacity : i64\n"
    "  llvm.cond_br %%tooSmall, ^refuse, ^begin\n"
    "^refuse:\n"
    "  llvm.store %%size, %%capacityField : i64, !llvm.ptr\n"
    "  llvm.return %%null : !llvm.ptr\n"
    "^begin:\n"
    "  %%frameField = llvm.getelementptr %%thread[%d] : (!llvm.ptr) -> !llvm.ptr, i8\n"
    "  %%frame = llvm.load %%frameField : !llvm.ptr -> !llvm.ptr\n"
    "  %%handle = llvm.intr.coro.begin %%id, %%frame : (!llvm.token, !llvm.ptr) -> !llvm.ptr\n"
    "  llvm.br ^leave\n"
    "^leave:\n"
    "  %%ended = llvm.intr.coro.end %%handle, %%no, %%noToken : (!llvm.ptr, i1, !llvm.token) -> i1\n"
    "  llvm.return %%handle : !llvm.ptr\n"
    "}\n";

static MlirBlock nthBlock(MlirRegion region, int n) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  for (; n > 0; --n)
    block = mlirBlockGetNextInRegion(block);
  return block;
}

/// The symbol `NAME_simt` of a kernel.
static MlirAttribute coroutineName(MlirOperation kernel) {
  MlirStringRef name = mlirStringAttrGetValue(irGetAttr(kernel, "sym_name"));
  size_t size = name.length + sizeof "_simt";
  char *text = irAllocate(size);
  snprintf(text, size, "%.*s_simt", (int)name.length, name.data);
  MlirAttribute result = mlirStringAttrGet(mlirOperationGetContext(kernel), mlirStringRefCreateFromCString(text));
  free(text);
  return result;
}

Coroutine simtCreateCoroutine(MlirOperation module, MlirOperation kernel) {
  char text[sizeof coroutineText + 64];
  snprintf(text, sizeof text, coroutineText, STITCH_SIMT_FRAME_ALIGNMENT,
           (int)offsetof(StitchSimtThread, frameCapacity), (int)offsetof(StitchSimtThread, frame));
  MlirOperation function =
      mlirOperationCreateParse(mlirOperationGetContext(module), mlirStringRefCreateFromCString(text),
                               mlirStringRefCreateFromCString("coroutine"));
  if (mlirOperationIsNull(function))
    abort(); // the text is the same for all kernels
  irSetAttr(function, "sym_name", coroutineName(kernel));
  mlirBlockAppendOwnedOperation(irBody(module, 0), function);
  MlirRegion region = mlirOperationGetRegion(function, 0);
  MlirBlock entry = nthBlock(region, 0);
  MlirOperation none = mlirBlockGetFirstOperation(entry);
  return (Coroutine){
      .function = function,
      .refuse = nthBlock(region, 1),
      .begin = nthBlock(region, 2),
      .leave = nthBlock(region, 3),
      .thread = mlirBlockGetArgument(entry, 0),
      .arguments = mlirBlockGetArgument(entry, 1),
      .noToken = irResult(none, 0),
      .no = irResult(mlirOperationGetNextInBlock(none), 0),
  };
}

void simtDescribeCluster(MlirOperation kernel, Coroutine *c) {
  StitchLaunch launch;
  if (!planGetLaunch(kernel, &launch) || launch.cluster == 1)
    return;
  IrBuilder asked = irBuilderBefore(mlirBlockGetTerminator(c->refuse));
  simtStoreField(&asked, c, SIMT_FIELD(clusterSize),
                 kernelConstant(&asked, mlirIntegerTypeGet(asked.context, 64), launch.cluster));
}

//===----------------------------------------------------------------------===//
// Fields of the thread
//===----------------------------------------------------------------------===//

/// `pointer` + `bytes`.
static MlirValue offsetPointer(IrBuilder *b, MlirValue pointer, int64_t bytes) {
  char offset[64];
  snprintf(offset, sizeof offset, "array<i32: %lld>", (long long)bytes);
  return irValueOf(b, "llvm.getelementptr", IR_VALUES(pointer), mlirValueGetType(pointer),
                   IR_ATTRS(irAttr(b, "rawConstantIndices", irParseAttr(b->context, "%s", offset)),
                            irType(b, "elem_type", mlirIntegerTypeGet(b->context, 8))));
}

MlirValue simtLoad(IrBuilder *b, MlirValue pointer, int64_t offset, MlirType type) {
  return irValueOf(b, "llvm.load", IR_VALUES(offsetPointer(b, pointer, offset)), type, IR_NO_ATTRS);
}

void simtStoreField(IrBuilder *b, Coroutine *c, int64_t field, MlirValue value) {
  irOp(b, "llvm.store", IR_VALUES(value, offsetPointer(b, c->thread, field)), IR_NO_TYPES, IR_NO_ATTRS);
}

void simtStoreNumber(IrBuilder *b, Coroutine *c, int64_t field, int64_t value) {
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  simtStoreField(b, c, field, kernelConstant(b, i32, value));
}

//===----------------------------------------------------------------------===//
// Stops
//===----------------------------------------------------------------------===//

void simtStop(IrBuilder *b, Coroutine *c, MlirOperation op, StitchSimtStop reason) {
  simtStoreNumber(b, c, SIMT_FIELD(stop), reason);
  simtStoreNumber(b, c, SIMT_FIELD(site), c->sites++);
  MlirBlock resumed = stitchBlockSplitBefore(op);
  IrBuilder end = irBuilderAtEnd(b->block, b->loc);
  MlirType i8 = mlirIntegerTypeGet(b->context, 8);
  MlirValue way = irValueOf(&end, "llvm.intr.coro.suspend", IR_VALUES(c->noToken, c->no), i8, IR_NO_ATTRS);
  MlirValue goesOn = irValueOf(&end, "llvm.icmp", IR_VALUES(way, kernelConstant(&end, i8, 0)),
                               mlirIntegerTypeGet(b->context, 1), IR_ATTRS(irI64(&end, "predicate", 0)));
  irBranch(&end, "cf.cond_br", IR_VALUES(goesOn), IR_BLOCKS(resumed, c->leave),
           IR_ATTRS(irAttr(&end, "operandSegmentSizes", irParseAttr(b->context, "array<i32: 1, 0, 0>"))));
  b->block = resumed;
}
