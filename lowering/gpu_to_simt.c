//===- gpu_to_simt.c - kernels to coroutines for the CPU ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module whose gpu.modules hold kernels as docs/ir.md section 3 describes them. Leaves, in the place of each
// gpu.module, a function in the LLVM dialect for each kernel, `KERNEL_simt`, which runs one GPU thread as an LLVM
// switched-resume coroutine: runtime/simt/simt.h says how it is called. (While there are gpu.launch_func in the module,
// which have to find their kernels, the gpu.modules stay beside the functions.)
//
// A kernel becomes:
//
//   entry:   the size of the coroutine's frame is known to LLVM alone, so the coroutine asks for more room if it has
//            too little, and begins otherwise
//   body:    the kernel's blocks; thread ids are loaded from the StitchSimtThread; a barrier or shuffle writes there
//            why the thread stops, suspends, and goes on in a block of its own
//   leave:   returns to the scheduler
//
// With the option `checks`, each load and store is preceded by a call of the runtime, which decides whether the thread
// goes on or stops as failed (runtime/simt/checker.c), and the kernel says what its arguments are.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/llvm.h"
#include "capi/pass.h"
#include "ir/arena.h"
#include "ir/plan.h"
#include "ir/query.h"
#include "lowering/kernel.h"
#include "runtime/simt/simt.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The coroutine that a kernel becomes.
typedef struct {
  MlirOperation function;
  MlirBlock begin, leave;
  MlirValue thread, arguments;
  MlirValue noToken, no; ///< operands of every suspension
  int64_t sites;         ///< stops made so far
  MlirBlock failed;      ///< stops the thread after a check that fails; null without checks
} Coroutine;

//===----------------------------------------------------------------------===//
// The function around the body
//===----------------------------------------------------------------------===//

static const char coroutineText[] =
    "llvm.func @%.*s_simt(%%thread: !llvm.ptr, %%arguments: !llvm.ptr) -> !llvm.ptr attributes {\n"
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

/// Creates the coroutine of `kernel`, without its body, at the end of `module`.
static Coroutine createCoroutine(MlirOperation module, MlirOperation kernel) {
  MlirStringRef name = mlirStringAttrGetValue(irGetAttr(kernel, "sym_name"));
  size_t size = sizeof coroutineText + name.length + 64;
  char *text = irAllocate(size);
  snprintf(text, size, coroutineText, (int)name.length, name.data, STITCH_SIMT_FRAME_ALIGNMENT,
           (int)offsetof(StitchSimtThread, frameCapacity), (int)offsetof(StitchSimtThread, frame));
  MlirOperation function =
      mlirOperationCreateParse(mlirOperationGetContext(module), mlirStringRefCreateFromCString(text),
                               mlirStringRefCreateFromCString("coroutine"));
  free(text);
  if (mlirOperationIsNull(function))
    abort();
  mlirBlockAppendOwnedOperation(irBody(module, 0), function);
  MlirRegion region = mlirOperationGetRegion(function, 0);
  MlirBlock entry = nthBlock(region, 0);
  MlirOperation none = mlirBlockGetFirstOperation(entry);
  return (Coroutine){
      .function = function,
      .begin = nthBlock(region, 2),
      .leave = nthBlock(region, 3),
      .thread = mlirBlockGetArgument(entry, 0),
      .arguments = mlirBlockGetArgument(entry, 1),
      .noToken = irResult(none, 0),
      .no = irResult(mlirOperationGetNextInBlock(none), 0),
  };
}

//===----------------------------------------------------------------------===//
// Fields of the thread
//===----------------------------------------------------------------------===//

#define FIELD(member) (int64_t)offsetof(StitchSimtThread, member)

/// `pointer` + `bytes`.
static MlirValue offsetPointer(IrBuilder *b, MlirValue pointer, int64_t bytes) {
  char offset[64];
  snprintf(offset, sizeof offset, "array<i32: %lld>", (long long)bytes);
  return irValueOf(b, "llvm.getelementptr", IR_VALUES(pointer), mlirValueGetType(pointer),
                   IR_ATTRS(irAttr(b, "rawConstantIndices", irParseAttr(b->context, "%s", offset)),
                            irType(b, "elem_type", mlirIntegerTypeGet(b->context, 8))));
}

static MlirValue load(IrBuilder *b, MlirValue pointer, int64_t offset, MlirType type) {
  return irValueOf(b, "llvm.load", IR_VALUES(offsetPointer(b, pointer, offset)), type, IR_NO_ATTRS);
}

static void storeField(IrBuilder *b, Coroutine *c, int64_t field, MlirValue value) {
  irOp(b, "llvm.store", IR_VALUES(value, offsetPointer(b, c->thread, field)), IR_NO_TYPES, IR_NO_ATTRS);
}

static void storeNumber(IrBuilder *b, Coroutine *c, int64_t field, int64_t value) {
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  storeField(b, c, field, kernelConstant(b, i32, value));
}

//===----------------------------------------------------------------------===//
// Stops
//===----------------------------------------------------------------------===//

/// Splits the block before `op`, so that a thread stops there. On return `b` inserts where it goes on.
static void stop(IrBuilder *b, Coroutine *c, MlirOperation op, StitchSimtStop reason) {
  storeNumber(b, c, FIELD(stop), reason);
  storeNumber(b, c, FIELD(site), c->sites++);
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

static bool lowerBarrier(Coroutine *c, MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  stop(&b, c, op,
       irOpIs(op, "gpu.barrier")              ? STITCH_SIMT_BARRIER
       : irOpIs(op, "stitch.cluster_barrier") ? STITCH_SIMT_CLUSTER_BARRIER
                                              : STITCH_SIMT_GRID_BARRIER);
  mlirOperationDestroy(op);
  return true;
}

static bool attrIs(MlirOperation op, const char *name, const char *text) {
  return mlirAttributeEqual(irGetAttr(op, name), irParseAttr(mlirOperationGetContext(op), "%s", text));
}

static StitchSimtShuffleMode shuffleMode(MlirOperation op) {
  if (attrIs(op, "mode", "#gpu<shuffle_mode xor>"))
    return STITCH_SIMT_XOR;
  if (attrIs(op, "mode", "#gpu<shuffle_mode up>"))
    return STITCH_SIMT_UP;
  return attrIs(op, "mode", "#gpu<shuffle_mode down>") ? STITCH_SIMT_DOWN : STITCH_SIMT_IDX;
}

/// Threads exchange values as 64 bits.
static bool lowerShuffle(Coroutine *c, MlirOperation op) {
  MlirType type = mlirValueGetType(irOperand(op, 0));
  int64_t bits = irIsBool(type) ? 1 : 8 * irElementBytes(type);
  if (mlirTypeIsAShaped(type) || bits < 1 || bits > 64) {
    stitchEmitOpError(op, "shuffles a value that is not a number of at most 64 bits");
    return false;
  }
  IrBuilder b = irBuilderBefore(op);
  MlirType integer = mlirIntegerTypeGet(b.context, (unsigned)bits), i64 = mlirIntegerTypeGet(b.context, 64);
  MlirValue sent = irUnary(&b, "arith.bitcast", irOperand(op, 0), integer);
  storeField(&b, c, FIELD(value), bits < 64 ? irUnary(&b, "arith.extui", sent, i64) : sent);
  storeField(&b, c, FIELD(offset), irOperand(op, 1));
  storeField(&b, c, FIELD(width), irOperand(op, 2));
  storeNumber(&b, c, FIELD(mode), shuffleMode(op));
  stop(&b, c, op, STITCH_SIMT_SHUFFLE);
  MlirValue received = load(&b, c->thread, FIELD(value), i64);
  if (bits < 64)
    received = irUnary(&b, "arith.trunci", received, integer);
  MlirValue valid = load(&b, c->thread, FIELD(valid), mlirIntegerTypeGet(b.context, 32));
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), irUnary(&b, "arith.bitcast", received, type));
  mlirValueReplaceAllUsesOfWith(irResult(op, 1), irUnary(&b, "arith.trunci", valid, mlirIntegerTypeGet(b.context, 1)));
  mlirOperationDestroy(op);
  return true;
}

static bool lowerReturn(Coroutine *c, MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  storeNumber(&b, c, FIELD(stop), STITCH_SIMT_FINISHED);
  irBranch(&b, "cf.br", IR_NO_VALUES, IR_BLOCKS(c->leave), IR_NO_ATTRS);
  mlirOperationDestroy(op);
  return true;
}

//===----------------------------------------------------------------------===//
// Ids and memory
//===----------------------------------------------------------------------===//

static bool lowerId(Coroutine *c, MlirOperation op) {
  static const struct {
    const char *op;
    size_t field;
  } fields[] = {
      {"gpu.thread_id", offsetof(StitchSimtThread, threadId)},
      {"gpu.block_id", offsetof(StitchSimtThread, blockId)},
      {"gpu.block_dim", offsetof(StitchSimtThread, blockSize)},
      {"gpu.grid_dim", offsetof(StitchSimtThread, gridSize)},
      {"gpu.cluster_id", offsetof(StitchSimtThread, clusterId)},
      {"gpu.cluster_block_id", offsetof(StitchSimtThread, clusterRank)},
  };
  if (!attrIs(op, "dimension", "#gpu<dim x>")) {
    stitchEmitOpError(op, "asks for dimension y or z: launches are one-dimensional");
    return false;
  }
  IrBuilder b = irBuilderBefore(op);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
    if (!irOpIs(op, fields[i].op))
      continue;
    MlirValue id = load(&b, c->thread, (int64_t)fields[i].field, mlirIntegerTypeGet(b.context, 32));
    mlirValueReplaceAllUsesOfWith(irResult(op, 0), irUnary(&b, "arith.index_castui", id, mlirIndexTypeGet(b.context)));
  }
  mlirOperationDestroy(op);
  return true;
}

static bool lowerSharedMemory(Coroutine *c, MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  MlirValue pointer = load(&b, c->thread, FIELD(shared), irParseType(b.context, "!llvm.ptr"));
  MlirValue memref = kernelMemrefFromPointer(&b, pointer, mlirValueGetType(irResult(op, 0)), KERNEL_CPU_INDEX_BITS);
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), memref);
  mlirOperationDestroy(op);
  return true;
}

static bool lowerClusterMemory(Coroutine *c, MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  MlirType pointerType = irParseType(b.context, "!llvm.ptr"), i64 = mlirIntegerTypeGet(b.context, 64);
  MlirValue block = irUnary(&b, "arith.index_castui", irOperand(op, 1), i64);
  MlirValue slot = irValueOf(
      &b, "llvm.getelementptr", IR_VALUES(load(&b, c->thread, FIELD(clusterShared), pointerType), block), pointerType,
      IR_ATTRS(irAttr(&b, "rawConstantIndices", irParseAttr(b.context, "array<i32: -2147483648>")),
               irType(&b, "elem_type", pointerType)));
  MlirValue memref = kernelMemrefFromPointer(&b, load(&b, slot, 0, pointerType), mlirValueGetType(irResult(op, 0)),
                                             KERNEL_CPU_INDEX_BITS);
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), memref);
  mlirOperationDestroy(op);
  return true;
}

/// There is one address space on the CPU.
static MlirType withoutMemorySpace(MlirType type) {
  if (!mlirTypeIsAMemRef(type) || mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type)))
    return type;
  IrShape shape = irTypeShape(type);
  return mlirMemRefTypeGet(mlirShapedTypeGetElementType(type), shape.rank, shape.dims, mlirMemRefTypeGetLayout(type),
                           (MlirAttribute){NULL});
}

static void dropMemorySpaces(MlirOperation root, KernelOps ops) {
  IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(root, 0))
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
      MlirValue argument = mlirBlockGetArgument(block, i);
      mlirValueSetType(argument, withoutMemorySpace(mlirValueGetType(argument)));
    }
  for (intptr_t i = 0; i < ops.count; ++i)
    for (intptr_t j = 0; j < mlirOperationGetNumResults(ops.data[i]); ++j)
      mlirValueSetType(irResult(ops.data[i], j), withoutMemorySpace(mlirValueGetType(irResult(ops.data[i], j))));
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static bool argumentHas(MlirOperation kernel, intptr_t index, const char *name) {
  return !mlirAttributeIsNull(kernelArgumentAttribute(kernel, index, name));
}

/// What a kernel does with its argument `index`: inputs are read-only; scratch and the barriers' counter come last; an
/// output is aliased by nothing, while of a buffer that is not only a slice is written.
static StitchSimtRole roleOf(MlirOperation kernel, intptr_t index) {
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

/// A constant `KERNEL_simt_buffers`, the StitchSimtBuffer of each argument, which the kernel shows when it is asked for
/// the size of its frame.
static void describeBuffers(MlirOperation module, MlirOperation kernel, Coroutine *c) {
  MlirBlock entry = irBody(kernel, 0);
  intptr_t count = mlirBlockGetNumArguments(entry);
  enum { FIELDS = sizeof(StitchSimtBuffer) / sizeof(int64_t) };
  int64_t *fields = irAllocate(sizeof(StitchSimtBuffer) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(entry, i));
    fields[FIELDS * i] = memrefBytes(type);
    fields[FIELDS * i + 1] = irElementBytes(mlirShapedTypeGetElementType(type));
    fields[FIELDS * i + 2] = roleOf(kernel, i);
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
  MlirOperation refusal = mlirBlockGetTerminator(nthBlock(mlirOperationGetRegion(c->function, 0), 1));
  IrBuilder asked = irBuilderBefore(refusal);
  storeField(&asked, c, FIELD(buffers),
             irValueOf(&asked, "llvm.mlir.addressof", IR_NO_VALUES, irParseType(b.context, "!llvm.ptr"),
                       IR_ATTRS(irSymbol(&asked, "global_name", symbol))));
  free(symbol);
  free(fields);
}

/// Has a kernel that is asked for the size of its frame say how large its clusters are.
static void describeCluster(MlirOperation kernel, Coroutine *c) {
  StitchLaunch launch;
  if (!planGetLaunch(kernel, &launch) || launch.cluster == 1)
    return;
  IrBuilder asked = irBuilderBefore(mlirBlockGetTerminator(nthBlock(mlirOperationGetRegion(c->function, 0), 1)));
  storeField(&asked, c, FIELD(clusterSize),
             kernelConstant(&asked, mlirIntegerTypeGet(asked.context, 64), launch.cluster));
}

/// Where an access begins: a buffer and bytes into it.
typedef struct {
  MlirValue buffer; ///< i32: number of the argument; STITCH_SIMT_SHARED_BUFFER, or that of a block of the cluster
  MlirValue begin;
} Place;

/// The buffer that `memref` is a part of: an argument or shared memory, seen through a view or directly.
static bool findPlace(IrBuilder *b, MlirBlock entry, MlirValue memref, Place *place) {
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
  storeNumber(&b, c, FIELD(stop), STITCH_SIMT_FAILED);
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
static bool checkAccess(Coroutine *c, MlirBlock entry, MlirOperation op, const KernelAccess *access) {
  MlirType type = mlirValueGetType(access->memref), accessedType = mlirValueGetType(access->value);
  IrBuilder b = irBuilderBefore(op);
  Place place;
  if (mlirShapedTypeGetRank(type) != 1 || !findPlace(&b, entry, access->memref, &place)) {
    stitchEmitOpError(op, "cannot be checked: its memref is neither an argument nor shared memory nor a view of them");
    return false;
  }
  int64_t elementBytes = irElementBytes(mlirShapedTypeGetElementType(type));
  int64_t bytes = mlirTypeIsAVector(accessedType) ? irTypeShape(accessedType).dims[0] * elementBytes : elementBytes;
  int64_t size = mlirShapedTypeHasStaticShape(type) ? memrefBytes(type) : INT64_MAX;
  MlirType pointer = irParseType(b.context, "!llvm.ptr"), i32 = mlirIntegerTypeGet(b.context, 32);
  MlirType i64 = mlirIntegerTypeGet(b.context, 64);
  MlirValue offset = irMulI(&b, irOperand(op, access->isStore + 1), irConstantIndex(&b, elementBytes));
  MlirValue function = load(&b, c->thread, FIELD(access), pointer);
  MlirValue go = irValueOf(&b, "llvm.call",
                           IR_VALUES(function, c->thread, place.buffer,
                                     irUnary(&b, "arith.index_cast", place.begin, i64), kernelConstant(&b, i64, size),
                                     irUnary(&b, "arith.index_cast", offset, i64), kernelConstant(&b, i64, bytes),
                                     kernelConstant(&b, i64, irGetInt(op, "alignment", elementBytes)),
                                     kernelConstant(&b, i32, access->isStore)),
                           i32,
                           IR_ATTRS(irAttr(&b, "operandSegmentSizes", irParseAttr(b.context, "array<i32: 9, 0>")),
                                    irAttr(&b, "op_bundle_sizes", irParseAttr(b.context, "array<i32>"))));
  goOnIf(&b, c, op, go);
  return true;
}

static bool addChecks(Coroutine *c, MlirOperation kernel, KernelOps ops) {
  MlirBlock entry = irBody(kernel, 0);
  KernelAccess access;
  bool ok = true;
  for (intptr_t i = 0; i < ops.count && ok; ++i)
    if (kernelIsAccess(ops.data[i], &access))
      ok = checkAccess(c, entry, ops.data[i], &access);
  return ok;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static const struct {
  const char *op;
  bool (*lower)(Coroutine *c, MlirOperation op);
} lowerings[] = {
    {"gpu.barrier", lowerBarrier},
    {"stitch.cluster_barrier", lowerBarrier},
    {"stitch.grid_barrier", lowerBarrier},
    {"gpu.shuffle", lowerShuffle},
    {"gpu.return", lowerReturn},
    {"gpu.thread_id", lowerId},
    {"gpu.block_id", lowerId},
    {"gpu.block_dim", lowerId},
    {"gpu.grid_dim", lowerId},
    {"gpu.cluster_id", lowerId},
    {"gpu.cluster_block_id", lowerId},
    {"gpu.dynamic_shared_memory", lowerSharedMemory},
    {"stitch.cluster_memory", lowerClusterMemory},
};

static bool lowerOp(Coroutine *c, MlirOperation op) {
  for (size_t i = 0; i < sizeof lowerings / sizeof *lowerings; ++i)
    if (irOpIs(op, lowerings[i].op))
      return lowerings[i].lower(c, op);
  MlirStringRef name = irOpName(op);
  if (name.length < 4 || strncmp(name.data, "gpu.", 4) != 0)
    return true;
  stitchEmitOpError(op, "has no counterpart on the simt device");
  return false;
}

static bool checkArguments(MlirOperation kernel) {
  MlirBlock entry = irBody(kernel, 0);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(entry, i));
    if (mlirTypeIsAMemRef(type) && mlirShapedTypeGetRank(type) == 1 && mlirShapedTypeHasStaticShape(type))
      continue;
    stitchEmitOpError(kernel, "argument %d is not a memref of rank 1 and static shape", (int)i);
    return false;
  }
  return true;
}

/// The kernel's arguments are pointers in an array; what the kernel uses them as is a memref.
static void bindArguments(Coroutine *c, MlirBlock entry) {
  IrBuilder b = irBuilderBefore(mlirBlockGetTerminator(c->begin));
  intptr_t count = mlirBlockGetNumArguments(entry);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, i);
    MlirValue pointer = load(&b, c->arguments, i * (int64_t)sizeof(void *), irParseType(b.context, "!llvm.ptr"));
    MlirValue memref = kernelMemrefFromPointer(&b, pointer, mlirValueGetType(argument), KERNEL_CPU_INDEX_BITS);
    mlirValueReplaceAllUsesOfWith(argument, memref);
  }
  for (intptr_t i = count; i > 0; --i)
    mlirBlockEraseArgument(entry, (unsigned)(i - 1));
}

/// Moves the kernel's blocks between ^begin and ^leave.
static void takeBody(Coroutine *c, MlirOperation kernel) {
  MlirRegion source = mlirOperationGetRegion(kernel, 0);
  MlirRegion target = mlirOperationGetRegion(c->function, 0);
  MlirBlock entry = mlirRegionGetFirstBlock(source);
  for (MlirBlock block = entry; !mlirBlockIsNull(block); block = mlirRegionGetFirstBlock(source)) {
    mlirBlockDetach(block);
    mlirRegionInsertOwnedBlockBefore(target, c->leave, block);
  }
  mlirOperationDestroy(mlirBlockGetTerminator(c->begin));
  IrBuilder b = irBuilderAtEnd(c->begin, mlirOperationGetLocation(kernel));
  irBranch(&b, "cf.br", IR_NO_VALUES, IR_BLOCKS(entry), IR_NO_ATTRS);
}

/// Makes a coroutine in `module` of a kernel whose control flow is branches.
static bool lowerKernel(MlirOperation module, MlirOperation kernel, bool checks) {
  if (!checkArguments(kernel))
    return false;
  KernelOps ops = kernelOpsCalled(kernel, NULL);
  dropMemorySpaces(kernel, ops);
  Coroutine c = createCoroutine(module, kernel);
  describeCluster(kernel, &c);
  if (checks)
    describeBuffers(module, kernel, &c);
  bool ok = !checks || addChecks(&c, kernel, ops);
  bindArguments(&c, irBody(kernel, 0));
  takeBody(&c, kernel);
  for (intptr_t i = 0; i < ops.count && ok; ++i)
    if (!mlirOperationEqual(ops.data[i], kernel))
      ok = lowerOp(&c, ops.data[i]);
  free(ops.data);
  return ok;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static bool lowerKernels(MlirOperation gpuModule, MlirOperation module, bool checks) {
  IR_FOR_EACH_OP(op, irBody(gpuModule, 0)) {
    if (irOpIs(op, "gpu.func") ? lowerKernel(module, op, checks) : irOpIs(op, "gpu.module_end"))
      continue;
    if (!irOpIs(op, "gpu.func"))
      stitchEmitOpError(op, "is neither a kernel nor anything else that the simt device knows");
    return false;
  }
  return true;
}

/// Moves the functions of `source` before `place`; of a library function that is declared there already, the one
/// declaration stays.
static void moveFunctions(MlirOperation source, MlirOperation place) {
  MlirOperation target = mlirOperationGetParentOperation(place);
  MlirSymbolTable symbols = mlirSymbolTableCreate(target);
  IR_FOR_EACH_OP_REPLACING(op, irBody(source, 0)) {
    MlirStringRef name = mlirStringAttrGetValue(irGetAttr(op, "sym_name"));
    bool declaration = mlirBlockIsNull(irBody(op, 0));
    if (declaration && !mlirOperationIsNull(mlirSymbolTableLookup(symbols, name)))
      mlirOperationDestroy(op);
    else
      mlirOperationMoveBefore(op, place);
  }
  mlirSymbolTableDestroy(symbols);
}

/// f32, or a vector of it, in the place of another type of floating point.
static MlirType inF32(MlirType type) {
  MlirType f32 = mlirF32TypeGet(mlirTypeGetContext(type));
  if (!mlirTypeIsAVector(type))
    return f32;
  IrShape shape = irTypeShape(type);
  return mlirVectorTypeGet(shape.rank, shape.dims, f32);
}

/// A fused multiply-add of f16 or bf16 in f32. The sum is rounded twice, which in rare ties gives the other neighbour
/// of what a GPU gives.
static void widenFMA(MlirOperation op) {
  MlirType type = mlirValueGetType(irResult(op, 0));
  if (irElementBytes(irElementType(type)) != 2)
    return;
  IrBuilder b = irBuilderBefore(op);
  for (intptr_t i = 0; i < 3; ++i)
    mlirOperationSetOperand(op, i, irUnary(&b, "arith.extf", irOperand(op, i), inF32(type)));
  b = irBuilderAfter(op);
  mlirValueSetType(irResult(op, 0), inF32(type));
  MlirValue narrow = irUnary(&b, "arith.truncf", irResult(op, 0), type);
  mlirValueReplaceAllUsesExcept(irResult(op, 0), narrow, 1, (MlirOperation[]){irDefiningOp(narrow)});
}

/// f64 to bf16 by way of f32: not every C library has the direct way.
static void splitTruncation(MlirOperation op) {
  MlirType from = mlirValueGetType(irOperand(op, 0)), to = mlirValueGetType(irResult(op, 0));
  if (!mlirTypeIsAF64(irElementType(from)) || !mlirTypeIsABF16(irElementType(to)))
    return;
  IrBuilder b = irBuilderBefore(op);
  mlirOperationSetOperand(op, 0, irUnary(&b, "arith.truncf", irOperand(op, 0), inF32(from)));
}

static void widenNarrowFloats(MlirOperation gpuModule) {
  KernelOps ops = kernelOpsCalled(gpuModule, NULL);
  for (intptr_t i = 0; i < ops.count; ++i) {
    if (irOpIs(ops.data[i], "math.fma"))
      widenFMA(ops.data[i]);
    else if (irOpIs(ops.data[i], "arith.truncf"))
      splitTruncation(ops.data[i]);
  }
  free(ops.data);
}

/// Control flow as branches, so that a block can be split at a stop. f16 and bf16 are computed in f32, as an x86 has
/// no arithmetic for them; rounding after each operation gives what a GPU gives. Branches come last: other passes merge
/// blocks that differ in a memref alone, and then the checks could not say which one is accessed.
static const char toBranches[] = "expand-strided-metadata,"
                                 "arith-emulate-unsupported-floats{source-types=f16,bf16 target-type=f32},"
                                 "math-extend-to-supported-types{target-type=f32},"
                                 "math-expand-ops{ops=rsqrt,fpowi,clampf},stitch-cpu-math,convert-scf-to-cf";

/// The precise functions of libm, not their approximations.
static const char toLLVM[] =
    "convert-math-to-libm,"
    "convert-vector-to-llvm,finalize-memref-to-llvm,convert-complex-to-llvm,convert-arith-to-llvm,"
    "convert-func-to-llvm,convert-cf-to-llvm,convert-index-to-llvm,convert-ub-to-llvm,"
    "reconcile-unrealized-casts,canonicalize,cse";

static bool runPipeline(StitchPassRun pass, const char *pipeline, MlirOperation op) {
  return mlirLogicalResultIsSuccess(stitchPassRunPipeline(pass, pipeline, op));
}

/// Makes functions before `gpuModule` of its kernels. What is left of it afterwards is of no use.
static bool lowerModule(StitchPassRun pass, MlirOperation gpuModule, bool checks) {
  widenNarrowFloats(gpuModule);
  if (!runPipeline(pass, toBranches, gpuModule))
    return false;
  IrBuilder b = irBuilderBefore(gpuModule);
  MlirOperation module = irOpWithRegions(&b, "builtin.module", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS, 1, IR_NO_TYPES);
  bool ok = lowerKernels(gpuModule, module, checks) && runPipeline(pass, toLLVM, module);
  if (ok)
    moveFunctions(module, gpuModule);
  mlirOperationDestroy(module);
  return ok;
}

/// A launch has to find its kernel, so a module whose launches have not been lowered keeps its gpu.modules.
static bool hasLaunches(MlirOperation module) {
  KernelOps launches = kernelOpsCalled(module, "gpu.launch_func");
  free(launches.data);
  return launches.count > 0;
}

enum { OPTION_CHECKS };

static const StitchPassOption options[] = {
    {.name = "checks", .help = "Have the runtime check every access to memory", .kind = STITCH_OPTION_BOOL},
};

static void run(StitchPassRun pass, MlirOperation module) {
  bool checks = stitchPassGetBool(pass, OPTION_CHECKS), keep = hasLaunches(module), ok = true;
  IR_FOR_EACH_OP_REPLACING(op, irBody(module, 0)) {
    if (!ok || !irOpIs(op, "gpu.module"))
      continue;
    MlirOperation kept = keep ? mlirOperationClone(op) : (MlirOperation){NULL};
    ok = lowerModule(pass, op, checks);
    if (keep)
      mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(op), op, kept);
    mlirOperationDestroy(op);
  }
  if (!keep)
    mlirOperationRemoveAttributeByName(module, mlirStringRefCreateFromCString("gpu.container_module"));
  if (!ok)
    stitchPassSignalFailure(pass);
}

static MlirDialectHandle (*const dialects[])(void) = {stitchGetLoweringToLLVMHandle};

const StitchPassInfo gpuToSimtPass = {
    .argument = "gpu-to-simt",
    .description = "Convert the kernels of gpu.modules to LLVM coroutines, one for each GPU thread",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof options / sizeof *options,
    .dependentDialects = dialects,
    .numDependentDialects = 1,
    .run = run,
};
