//===- ptx_prefetch.c - memory that is asked for before a wait ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread of the first warp of each block asks for a piece, by one instruction. Those before a grid barrier are a
// function of the module. Those before the wait for the kernels before come in front of all that LLVM writes, where
// that wait is put, too (grid_dependency.c).
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/ptx_prefetch.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"
#include "ir/plan/prefetch.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFETCH_FUNCTION "stitch_prefetch"

static const char functionText[] =
    "llvm.func internal @" PREFETCH_FUNCTION "(%memory: !llvm.ptr, %offset: i64, %bytes: i64, %piece: i64)\n"
    "    attributes {passthrough = [\"alwaysinline\", \"nounwind\"]} {\n"
    "  %warp = llvm.mlir.constant(32 : i32) : i32\n"
    "  %thread = nvvm.read.ptx.sreg.tid.x : i32\n"
    "  %isFirstWarp = llvm.icmp \"ult\" %thread, %warp : i32\n"
    "  llvm.cond_br %isFirstWarp, ^find, ^leave\n"
    "^find:\n"
    "  %block = nvvm.read.ptx.sreg.ctaid.x : i32\n"
    "  %before = llvm.mul %block, %warp : i32\n"
    "  %number = llvm.add %before, %thread : i32\n"
    "  %wide = llvm.zext %number : i32 to i64\n"
    "  %first = llvm.mul %wide, %piece : i64\n"
    "  %isThere = llvm.icmp \"ult\" %first, %bytes : i64\n"
    "  llvm.cond_br %isThere, ^ask, ^leave\n"
    "^ask:\n"
    "  %rest = llvm.sub %bytes, %first : i64\n"
    "  %size = llvm.intr.umin(%rest, %piece) : (i64, i64) -> i64\n"
    "  %narrow = llvm.trunc %size : i64 to i32\n"
    "  %from = llvm.add %offset, %first : i64\n"
    "  %global = llvm.addrspacecast %memory : !llvm.ptr to !llvm.ptr<1>\n"
    "  %address = llvm.getelementptr %global[%from] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8\n"
    "  nvvm.cp.async.bulk.prefetch %address, %narrow : !llvm.ptr<1>\n"
    "  llvm.br ^leave\n"
    "^leave:\n"
    "  llvm.return\n"
    "}\n";

static bool addFunction(MlirOperation gpuModule) {
  MlirOperation function =
      mlirOperationCreateParse(mlirOperationGetContext(gpuModule), mlirStringRefCreateFromCString(functionText),
                               mlirStringRefCreateFromCString("prefetch"));
  if (mlirOperationIsNull(function)) {
    stitchEmitOpError(gpuModule, "the function that prefetches cannot be made");
    return false;
  }
  mlirBlockInsertOwnedOperation(irBody(gpuModule, 0), 0, function);
  return true;
}

static int64_t pieceOf(MlirOperation op) {
  return planPrefetchPiece(irGetInt(op, "bytes", 0), irGetInt(op, "grid", 1));
}

static void lowerToCall(MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  MlirType i64 = mlirIntegerTypeGet(b.context, 64);
  MlirValue memory = kernelMemrefPointer(&b, irOperand(op, 0), kernelGpuIndexBits(b.block));
  irOp(&b, "llvm.call",
       IR_VALUES(memory, kernelConstant(&b, i64, irGetInt(op, "offset", 0)),
                 kernelConstant(&b, i64, irGetInt(op, "bytes", 0)), kernelConstant(&b, i64, pieceOf(op))),
       IR_NO_TYPES,
       IR_ATTRS(irSymbol(&b, "callee", PREFETCH_FUNCTION),
                irAttr(&b, "operandSegmentSizes", irParseAttr(b.context, "array<i32: 4, 0>")),
                irAttr(&b, "op_bundle_sizes", irParseAttr(b.context, "array<i32>"))));
}

/// Adds a prefetch to the text of the kernel's attribute; returns its new length.
static size_t describePrefetch(MlirOperation op, char *text, size_t size, size_t length) {
  int written = snprintf(text + length, size - length, "%s%ld %lld %lld %lld", length ? ";" : "",
                         (long)mlirBlockArgumentGetArgNumber(irOperand(op, 0)), (long long)irGetInt(op, "offset", 0),
                         (long long)irGetInt(op, "bytes", 0), (long long)pieceOf(op));
  return length + (size_t)written;
}

static void setAttribute(MlirOperation kernel, const char *text) {
  MlirContext context = mlirOperationGetContext(kernel);
  MlirAttribute pair[] = {
      mlirStringAttrGet(context, mlirStringRefCreateFromCString(STITCH_PREFETCH_ATTRIBUTE)),
      mlirStringAttrGet(context, mlirStringRefCreateFromCString(text)),
  };
  MlirAttribute entry = mlirArrayAttrGet(context, 2, pair);
  irSetAttr(kernel, "passthrough", mlirArrayAttrGet(context, 1, &entry));
}

/// Whether the kernel calls the function.
static bool lowerKernel(MlirOperation kernel, int arch) {
  enum { TEXT_OF_ONE = 88 }; // four numbers, and the separators
  KernelOps ops = kernelOpsCalled(kernel, "stitch.prefetch");
  size_t size = (size_t)ops.count * TEXT_OF_ONE + 1, length = 0;
  char *text = irAllocate(size);
  bool calls = false;
  for (intptr_t i = 0; i < ops.count; ++i) {
    bool isDropped = arch < PLAN_PREFETCH_ARCH, isAhead = irHasAttr(ops.data[i], "ahead");
    if (!isDropped && isAhead)
      length = describePrefetch(ops.data[i], text, size, length);
    else if (!isDropped)
      lowerToCall(ops.data[i]);
    calls |= !isDropped && !isAhead;
    mlirOperationDestroy(ops.data[i]);
  }
  if (length > 0)
    setAttribute(kernel, text);
  free(text);
  free(ops.data);
  return calls;
}

bool lowerPrefetches(MlirOperation gpuModule, int arch) {
  bool calls = false;
  IR_FOR_EACH_OP(op, irBody(gpuModule, 0))
    if (irOpIs(op, "gpu.func"))
      calls |= lowerKernel(op, arch);
  return !calls || addFunction(gpuModule);
}

//===----------------------------------------------------------------------===//
// As text
//===----------------------------------------------------------------------===//

static const char instructions[] = "\t{\n"
                                   "\t.reg .pred \t%%isAsked;\n"
                                   "\t.reg .b32 \t%%thread, %%block, %%narrow;\n"
                                   "\t.reg .b64 \t%%first, %%rest, %%memory;\n"
                                   "\tmov.u32 \t%%thread, %%tid.x;\n"
                                   "\tmov.u32 \t%%block, %%ctaid.x;\n"
                                   "\tsetp.lt.u32 \t%%isAsked, %%thread, %d;\n"
                                   "\tmad.lo.u32 \t%%thread, %%block, %d, %%thread;\n"
                                   "\tmul.wide.u32 \t%%first, %%thread, %lld;\n"
                                   "\tsetp.lt.and.u64 \t%%isAsked, %%first, %lld, %%isAsked;\n"
                                   "\tsub.u64 \t%%rest, %lld, %%first;\n"
                                   "\tmin.u64 \t%%rest, %%rest, %lld;\n"
                                   "\tcvt.u32.u64 \t%%narrow, %%rest;\n"
                                   "\tld.param.b64 \t%%memory, [%.*s_param_%ld];\n"
                                   "\tcvta.to.global.u64 \t%%memory, %%memory;\n"
                                   "\tadd.u64 \t%%memory, %%memory, %%first;\n"
                                   "\tadd.u64 \t%%memory, %%memory, %lld;\n"
                                   "\t@%%isAsked cp.async.bulk.prefetch.L2.global \t[%%memory], %%narrow;\n"
                                   "\t}\n";

size_t stitchPrefetchText(char *text, size_t size, const char *attribute, const char *name, int length) {
  size_t total = 0;
  long argument;
  long long offset, bytes, piece;
  for (const char *at = attribute; at && sscanf(at, "%ld %lld %lld %lld", &argument, &offset, &bytes, &piece) == 4;) {
    total += (size_t)snprintf(size > total ? text + total : NULL, size > total ? size - total : 0, instructions,
                              PLAN_PREFETCH_PIECES, PLAN_PREFETCH_PIECES, piece, bytes, bytes, piece, length, name,
                              argument, offset);
    at = strchr(at, ';');
    at = at ? at + 1 : NULL;
  }
  return total;
}
