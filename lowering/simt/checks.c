//===- checks.c - checks of the accesses of a kernel ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a kernel on the CPU with plain loads and stores. Leaves a call of the checker before each access, with the
// buffer, the offset and the size. A failed check ends the thread.
//
//===----------------------------------------------------------------------===//

#include "lowering/simt/coroutine.h"

#include "capi/diagnostics.h"
#include "capi/llvm.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"
#include "ir/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>

static bool argumentHas(MlirOperation kernel, intptr_t index, const char *name) {
  return !mlirAttributeIsNull(kernelArgumentAttribute(kernel, index, name));
}

/// A kernel's use of its argument `index`. Inputs are read-only; scratch memory and the barriers' counter come last. An
/// output aliases no other argument. Other arguments are buffers that the kernel updates in part.
static StitchSimtRole roleOfArgument(MlirOperation kernel, intptr_t index) {
  if (argumentHas(kernel, index, "llvm.readonly"))
    return STITCH_SIMT_INPUT;
  StitchLaunch launch;
  if (!planGetLaunch(kernel, &launch))
    return STITCH_SIMT_INOUT;
  intptr_t fromEnd = mlirBlockGetNumArguments(irBody(kernel, 0)) - index;
  if (fromEnd <= (launch.barriers > 0) + (launch.scratch > 0))
    return STITCH_SIMT_SCRATCH;
  return argumentHas(kernel, index, "llvm.noalias") ? STITCH_SIMT_OUTPUT : STITCH_SIMT_INOUT;
}

static int64_t memrefBytes(MlirType type) {
  return irTypeShape(type).dims[0] * irElementBytes(mlirShapedTypeGetElementType(type));
}

/// The argument that the length of argument `index` depends on, and its largest value; zeros if it is always the same.
static void readOpenSize(MlirOperation kernel, intptr_t index, int64_t fields[2]) {
  MlirAttribute size = kernelArgumentAttribute(kernel, index, "stitch.size");
  bool isOpen =
      !mlirAttributeIsNull(size) && mlirAttributeIsADenseI64Array(size) && mlirDenseArrayGetNumElements(size) == 2;
  for (intptr_t i = 0; i < 2; ++i)
    fields[i] = isOpen ? mlirDenseI64ArrayGetElement(size, i) : 0;
}

void simtDescribeBuffers(MlirOperation module, MlirOperation kernel, Coroutine *c) {
  MlirBlock entry = irBody(kernel, 0);
  intptr_t count = mlirBlockGetNumArguments(entry);
  enum { FIELDS = sizeof(StitchSimtBuffer) / sizeof(int64_t) };
  int64_t *fields = irAllocate(sizeof(StitchSimtBuffer) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(entry, i));
    fields[FIELDS * i] = memrefBytes(type);
    fields[FIELDS * i + 1] = irElementBytes(mlirShapedTypeGetElementType(type));
    fields[FIELDS * i + 2] = roleOfArgument(kernel, i);
    readOpenSize(kernel, i, &fields[FIELDS * i + 3]);
  }
  // An array of no elements has no constant.
  int64_t length = count > 0 ? FIELDS * count : 1;
  if (count == 0)
    fields[0] = 0;
  IrBuilder b = irBuilderAtEnd(irBody(module, 0), mlirOperationGetLocation(kernel));
  MlirType i64 = mlirIntegerTypeGet(b.context, 64);
  MlirAttribute value =
      mlirDenseElementsAttrInt64Get(mlirRankedTensorTypeGet(1, &length, i64, (MlirAttribute){NULL}), length, fields);
  MlirStringRef name = mlirStringAttrGetValue(irGetAttr(kernel, "sym_name"));
  size_t size = name.length + sizeof "_simt_buffers";
  char *symbol = irAllocate(size);
  snprintf(symbol, size, "%.*s_simt_buffers", (int)name.length, name.data);
  irOpWithEmptyRegion(
      &b, "llvm.mlir.global",
      IR_ATTRS(irString(&b, "sym_name", symbol), irUnit(&b, "constant"), irAttr(&b, "value", value),
               irType(&b, "global_type", irParseType(b.context, "!llvm.array<%lld x i64>", (long long)length)),
               irAttr(&b, "linkage", irParseAttr(b.context, "#llvm.linkage<private>")),
               irAttr(&b, "addr_space", irParseAttr(b.context, "0 : i32"))));
  MlirOperation refusal = mlirBlockGetTerminator(c->refuse);
  IrBuilder asked = irBuilderBefore(refusal);
  simtStoreField(&asked, c, SIMT_FIELD(buffers),
                 irValueOf(&asked, "llvm.mlir.addressof", IR_NO_VALUES, irParseType(b.context, "!llvm.ptr"),
                           IR_ATTRS(irSymbol(&asked, "global_name", symbol))));
  free(symbol);
  free(fields);
}

/// Where an access begins: a buffer and bytes into it.
typedef struct {
  MlirValue buffer; ///< i32: number of the argument; STITCH_SIMT_SHARED_BUFFER, or that of a block of the cluster
  MlirValue begin;
} AccessPlace;

static bool findPlace(IrBuilder *b, MlirBlock entry, MlirValue memref, AccessPlace *place);

/// One of two buffers, as a persistent kernel alternates between them.
static bool selectPlace(IrBuilder *b, MlirBlock entry, MlirOperation select, AccessPlace *place) {
  AccessPlace a, c;
  if (!findPlace(b, entry, irOperand(select, 1), &a) || !findPlace(b, entry, irOperand(select, 2), &c))
    return false;
  MlirValue condition = irOperand(select, 0);
  place->buffer = irSelect(b, condition, a.buffer, c.buffer);
  place->begin = irAddI(b, place->begin, irSelect(b, condition, a.begin, c.begin));
  return true;
}

/// The buffer that `memref` is a part of: an argument or shared memory, seen through a view or directly.
static bool findPlace(IrBuilder *b, MlirBlock entry, MlirValue memref, AccessPlace *place) {
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  place->begin = irConstantIndex(b, 0);
  for (MlirOperation op = irDefiningOp(memref); !mlirOperationIsNull(op); op = irDefiningOp(memref)) {
    if (irOpIs(op, "gpu.dynamic_shared_memory")) {
      place->buffer = kernelConstant(b, i32, STITCH_SIMT_SHARED_BUFFER);
      return true;
    }
    if (irOpIs(op, "stitch.cluster_memory")) {
      place->buffer = irSubI(b, kernelConstant(b, i32, STITCH_SIMT_CLUSTER_BUFFER),
                             irUnary(b, "arith.index_castui", irOperand(op, 1), i32));
      return true;
    }
    if (irOpIs(op, "arith.select"))
      return selectPlace(b, entry, op, place);
    if (!irOpIs(op, "memref.view"))
      return false;
    place->begin = irAddI(b, place->begin, irOperand(op, 1));
    memref = irOperand(op, 0);
  }
  place->buffer = kernelConstant(b, i32, mlirBlockArgumentGetArgNumber(memref));
  return mlirBlockEqual(mlirBlockArgumentGetOwner(memref), entry);
}

static MlirBlock failedBlock(Coroutine *c, MlirOperation op) {
  if (!mlirBlockIsNull(c->failed))
    return c->failed;
  c->failed = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockBefore(mlirOperationGetRegion(c->function, 0), c->leave, c->failed);
  IrBuilder b = irBuilderAtEnd(c->failed, mlirOperationGetLocation(op));
  simtStoreNumber(&b, c, SIMT_FIELD(stop), STITCH_SIMT_FAILED);
  irBranch(&b, "cf.br", IR_NO_VALUES, IR_BLOCKS(c->leave), IR_NO_ATTRS);
  return c->failed;
}

/// Splits the block before `op`, which is only reached if `go` is not 0.
static void goOnIf(IrBuilder *b, Coroutine *c, MlirOperation op, MlirValue go) {
  MlirBlock failed = failedBlock(c, op), rest = stitchBlockSplitBefore(op);
  IrBuilder end = irBuilderAtEnd(b->block, b->loc);
  MlirValue ok = irCmpI(&end, IR_CMPI_NE, go, irConstantInt(&end, mlirValueGetType(go), 0));
  irBranch(&end, "cf.cond_br", IR_VALUES(ok), IR_BLOCKS(rest, failed),
           IR_ATTRS(irAttr(&end, "operandSegmentSizes", irParseAttr(b->context, "array<i32: 1, 0, 0>"))));
}

/// Has the runtime check a load or store of the kernel before it is done.
static bool checkAccess(Coroutine *c, MlirBlock entry, MlirOperation op, const KernelAccess *access,
                        StitchSimtAccess kind) {
  MlirType type = mlirValueGetType(access->memref), accessedType = access->type;
  IrBuilder b = irBuilderBefore(op);
  AccessPlace place;
  if (mlirShapedTypeGetRank(type) != 1 || !findPlace(&b, entry, access->memref, &place)) {
    stitchEmitOpError(op, "cannot be checked: its memref is neither an argument nor shared memory nor a view of them");
    return false;
  }
  int64_t elementBytes = irElementBytes(mlirShapedTypeGetElementType(type));
  int64_t bytes = mlirTypeIsAVector(accessedType) ? irTypeShape(accessedType).dims[0] * elementBytes : elementBytes;
  int64_t alignment = kind == STITCH_SIMT_COPY ? bytes : elementBytes;
  int64_t size = mlirShapedTypeHasStaticShape(type) ? memrefBytes(type) : INT64_MAX;
  MlirType pointer = irParseType(b.context, "!llvm.ptr"), i32 = mlirIntegerTypeGet(b.context, 32);
  MlirType i64 = mlirIntegerTypeGet(b.context, 64);
  MlirValue offset = irMulI(&b, access->index, irConstantIndex(&b, elementBytes));
  MlirValue function = simtLoad(&b, c->thread, SIMT_FIELD(access), pointer);
  MlirValue go =
      irValueOf(&b, "llvm.call",
                IR_VALUES(function, c->thread, place.buffer, irUnary(&b, "arith.index_cast", place.begin, i64),
                          kernelConstant(&b, i64, size), irUnary(&b, "arith.index_cast", offset, i64),
                          kernelConstant(&b, i64, bytes), kernelConstant(&b, i64, irGetInt(op, "alignment", alignment)),
                          kernelConstant(&b, i32, kind)),
                i32,
                IR_ATTRS(irAttr(&b, "operandSegmentSizes", irParseAttr(b.context, "array<i32: 9, 0>")),
                         irAttr(&b, "op_bundle_sizes", irParseAttr(b.context, "array<i32>"))));
  goOnIf(&b, c, op, go);
  return true;
}

/// A copy loads and stores, and its store ends at a wait.
static bool checkCopy(Coroutine *c, MlirBlock entry, MlirOperation op, const KernelCopy *copy) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(copy->target));
  MlirType type = mlirVectorTypeGet(1, &copy->elements, element);
  return checkAccess(c, entry, op, &(KernelAccess){copy->source, copy->sourceIndex, type, false}, STITCH_SIMT_LOAD) &&
         checkAccess(c, entry, op, &(KernelAccess){copy->target, copy->targetIndex, type, true}, STITCH_SIMT_COPY);
}

bool simtAddChecks(Coroutine *c, MlirOperation kernel, KernelOps ops) {
  MlirBlock entry = irBody(kernel, 0);
  KernelAccess access;
  KernelCopy copy;
  bool ok = true;
  for (intptr_t i = 0; i < ops.count && ok; ++i)
    if (kernelIsAccess(ops.data[i], &access))
      ok = checkAccess(c, entry, ops.data[i], &access, access.isStore ? STITCH_SIMT_STORE : STITCH_SIMT_LOAD);
    else if (kernelIsCopy(ops.data[i], &copy))
      ok = checkCopy(c, entry, ops.data[i], &copy);
  return ok;
}
