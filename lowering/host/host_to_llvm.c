//===- host_to_llvm.c - convert-host-to-llvm -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the host function @main of docs/ir.md, section 3, with its loops and branches as upstream's convert-scf-to-cf
// leaves them. It only computes addresses, calls, and branches on values that it reads back. So every memref becomes
// one pointer, and the whole function becomes
//
//   llvm.func @stitch_host_main(%callbacks, %inputs, %outputs, %arena, %constants : !llvm.ptr) -> i32
//
// which is a StitchHostFunction (runtime/model.h). Launches, library calls and copies from the device to the host go
// through the three functions
//
//   llvm.func @stitchLaunchKernel(callbacks, kernel, grid, block, sharedBytes, cooperative, arguments, numArguments)
//   llvm.func @stitchLibraryCall(callbacks, call, pointers)
//   llvm.func @stitchReadDevice(callbacks, host, device, bytes)
//
// which the model writer defines. The first that does not return 0 ends the function with its result. The model writer
// also defines stitchAt(callbacks, site), stitchChoose(callbacks, variable) -> version, stitchChosen(callbacks,
// variable) and stitchStep(callbacks, step), which does not return 0 either if it fails.
//
// Leaves kernels (gpu.module) and constants (memref.global) as they are; @main and the library declarations are gone.
// Further facts for the model file are attributes of @stitch_host_main:
//
//   stitch.kernels = ["fusion_0", ...]     names in the order of `kernel`
//   stitch.library_calls = [{kind = "dot", ..., types = [memref<...>, ...]}, ...]  in the order of `call`
//   stitch.constants = [@constant_0, ...]  in the order of %constants
//   stitch.arena, stitch.zeroed            bytes
//   stitch.steps = [{super_epoch, after, on, variable, stream}, ...] the attributes of each stitch.step
//   stitch.adaptive, stitch.update         as @main has them (docs/ir.md, section 3), in the order of `variable`
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "lowering/host/llvm_host.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static void convertOperation(HostConversion *h, MlirOperation op) {
  static const struct {
    const char *name;
    void (*convert)(HostConversion *h, MlirOperation op);
  } conversions[] = {
      {"memref.view", hostConvertView},
      {"memref.reinterpret_cast", hostConvertReinterpretCast},
      {"memref.get_global", hostConvertGetGlobal},
      {"gpu.launch_func", hostConvertLaunch},
      {"func.call", hostConvertCall},
      {"func.return", hostConvertReturn},
      {"arith.constant", hostConvertConstant},
      {"arith.addi", hostConvertAdd},
      {"arith.cmpi", hostConvertCompare},
      {"arith.index_cast", hostConvertIndexCast},
      {"arith.index_castui", hostConvertIndexCast},
      {"arith.select", hostConvertSelect},
      {"memref.alloca", hostConvertAlloca},
      {"memref.load", hostConvertLoad},
      {"gpu.wait", hostConvertWait},
      {"gpu.memcpy", hostConvertRead},
      {"stitch.choose", hostConvertChoose},
      {"stitch.chosen", hostConvertChosen},
      {"stitch.step", hostConvertStep},
      {"stitch.join", hostConvertJoin},
      {"cf.br", hostConvertJump},
      {"cf.cond_br", hostConvertConditionalBranch},
      {"cf.switch", hostConvertSwitch},
  };
  for (size_t i = 0; i < sizeof(conversions) / sizeof(conversions[0]); ++i)
    if (irOpIs(op, conversions[i].name))
      return conversions[i].convert(h, op);
  hostFail(h, op, "has no place in host code");
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

static MlirOperation createFunction(IrBuilder *b, const char *name, const char *type) {
  MlirType functionType = irParseType(b->context, "!llvm.func<%s>", type);
  return irOpWithEmptyRegion(b, "llvm.func",
                             IR_ATTRS(irString(b, "sym_name", name), irType(b, "function_type", functionType)));
}

static MlirWalkResult countOperands(MlirOperation op, void *longest) {
  intptr_t count = mlirOperationGetNumOperands(op);
  if (count > *(intptr_t *)longest)
    *(intptr_t *)longest = count;
  return MlirWalkResultAdvance;
}

static intptr_t longestArgumentList(MlirOperation main) {
  intptr_t longest = 1;
  mlirOperationWalk(main, countOperands, &longest, MlirWalkPreOrder);
  return longest;
}

/// The function with three blocks: ^entry(arguments), ^body, ^failure(code). Calls, and the other blocks of @main, add
/// blocks before ^failure.
static void createHostFunction(HostConversion *h) {
  IrBuilder b = irBuilderBefore(h->main);
  createFunction(&b, "stitchLaunchKernel", "i32 (ptr, i64, i64, i64, i64, i64, ptr, i64)");
  createFunction(&b, "stitchLibraryCall", "i32 (ptr, i64, ptr)");
  createFunction(&b, "stitchReadDevice", "i32 (ptr, ptr, ptr, i64)");
  createFunction(&b, "stitchAt", "void (ptr, i64)");
  createFunction(&b, "stitchChoose", "i64 (ptr, i64)");
  createFunction(&b, "stitchChosen", "void (ptr, i64)");
  createFunction(&b, "stitchStep", "i32 (ptr, i64)");
  h->function = createFunction(&b, "stitch_host_main", "i32 (ptr, ptr, ptr, ptr, ptr)");
  MlirRegion region = mlirOperationGetRegion(h->function, 0);
  MlirBlock entry = mlirBlockCreate(0, NULL, NULL);
  for (int i = 0; i < HOST_NUM_ARGUMENTS; ++i)
    mlirBlockAddArgument(entry, h->pointer, b.loc);
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  h->failure = mlirBlockCreate(1, &h->i32, &b.loc);
  mlirRegionAppendOwnedBlock(region, entry);
  mlirRegionAppendOwnedBlock(region, body);
  mlirRegionAppendOwnedBlock(region, h->failure);
  h->entry = irBuilderAtEnd(entry, b.loc);
  h->b = irBuilderAtEnd(body, b.loc);
  MlirValue count = hostConstant(&h->entry, h->i64, longestArgumentList(h->main));
  h->arguments =
      irValueOf(&h->entry, "llvm.alloca", IR_VALUES(count), h->pointer, IR_ATTRS(irType(&b, "elem_type", h->pointer)));
}

/// @main's arguments are the inputs, the outputs, and the arena if there is one.
static void bindArguments(HostConversion *h, int64_t numInputs, int64_t numOutputs) {
  MlirBlock body = irBody(h->main, 0);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirValue table = mlirBlockGetArgument(irBody(h->function, 0), i < numInputs ? HOST_INPUTS : HOST_OUTPUTS);
    MlirValue pointer = i < numInputs + numOutputs
                            ? hostLoadPointer(h, &h->entry, table, i < numInputs ? i : i - numInputs)
                            : mlirBlockGetArgument(irBody(h->function, 0), HOST_ARENA);
    hostSetValue(h, mlirBlockGetArgument(body, i), pointer);
  }
}

static void finishFunction(HostConversion *h, int64_t arenaBytes) {
  irBranch(&h->entry, "llvm.br", IR_NO_VALUES, IR_BLOCKS(mlirBlockGetNextInRegion(h->entry.block)), IR_NO_ATTRS);
  IrBuilder b = irBuilderAtEnd(h->failure, h->b.loc);
  irOp(&b, "llvm.return", IR_VALUES(mlirBlockGetArgument(h->failure, 0)), IR_NO_TYPES, IR_NO_ATTRS);
  irSetAttr(h->function, "stitch.kernels", hostArrayOf(h, &h->kernelNames));
  irSetAttr(h->function, "stitch.library_calls", hostArrayOf(h, &h->callAttributes));
  irSetAttr(h->function, "stitch.library_names", hostArrayOf(h, &h->callNames));
  irSetAttr(h->function, "stitch.sites", hostArrayOf(h, &h->sites));
  irSetAttr(h->function, "stitch.constants", hostArrayOf(h, &h->constantNames));
  if (h->steps.count)
    irSetAttr(h->function, "stitch.steps", hostArrayOf(h, &h->steps));
  const char *const carried[] = {"stitch.adaptive", "stitch.update", "stitch.updated", "stitch.windows"};
  for (int i = 0; i < 4; ++i)
    if (irHasAttr(h->main, carried[i]))
      irSetAttr(h->function, carried[i], irGetAttr(h->main, carried[i]));
  irSetAttr(h->function, "stitch.arena", irI64Attr(h->context, arenaBytes));
  irSetAttr(h->function, "stitch.zeroed", irI64Attr(h->context, irGetInt(h->main, "stitch.zeroed", 0)));
}

static void eraseHostFunctions(HostConversion *h) {
  IR_FOR_EACH_OP_REPLACING(op, irBody(h->module, 0)) {
    if (irMapContains(&h->calls, op.ptr) || mlirOperationEqual(op, h->main))
      mlirOperationDestroy(op);
  }
}

/// Checks the form of @main before anything is built.
static bool checkMain(HostConversion *h, int64_t numInputs, int64_t numOutputs) {
  MlirRegion region = mlirOperationGetRegion(h->main, 0);
  MlirBlock body = mlirRegionGetFirstBlock(region);
  if (mlirBlockIsNull(body))
    hostFail(h, h->main, "must have a body");
  else if (numInputs < 0 || numOutputs < 0)
    hostFail(h, h->main, "must have the attributes 'stitch.inputs' and 'stitch.outputs'");
  else if (mlirBlockGetNumArguments(body) < numInputs + numOutputs ||
           mlirBlockGetNumArguments(body) > numInputs + numOutputs + 1)
    hostFail(h, h->main, "must have its inputs, its outputs and at most one arena as arguments");
  for (intptr_t i = 0; !h->failed && i < mlirBlockGetNumArguments(body); ++i)
    if (!mlirTypeIsAMemRef(mlirValueGetType(mlirBlockGetArgument(body, i))))
      hostFail(h, h->main, "must have memrefs as arguments");
  return !h->failed;
}

/// A block for each block of @main but the first, with its arguments.
static void createBlocks(HostConversion *h) {
  MlirBlock first = irBody(h->main, 0);
  irMapSet(&h->blocks, first.ptr, (int64_t)(intptr_t)h->b.block.ptr);
  for (MlirBlock from = mlirBlockGetNextInRegion(first); !mlirBlockIsNull(from);
       from = mlirBlockGetNextInRegion(from)) {
    MlirBlock to = mlirBlockCreate(0, NULL, NULL);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(from); ++i) {
      MlirType type = hostConvertedType(h, mlirValueGetType(mlirBlockGetArgument(from, i)));
      if (mlirTypeIsNull(type))
        return hostFail(h, h->main, "has a block argument that host code cannot compute"), mlirBlockDestroy(to);
      hostSetValue(h, mlirBlockGetArgument(from, i), mlirBlockAddArgument(to, type, h->entry.loc));
    }
    irMapSet(&h->blocks, from.ptr, (int64_t)(intptr_t)to.ptr);
    mlirRegionInsertOwnedBlockBefore(mlirOperationGetRegion(h->function, 0), h->failure, to);
  }
}

static void convertBlock(HostConversion *h, MlirBlock block) {
  h->b.block.ptr = (void *)(intptr_t)irMapGet(&h->blocks, block.ptr, 0);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op) && !h->failed;
       op = mlirOperationGetNextInBlock(op))
    convertOperation(h, op);
}

static void convertMain(HostConversion *h) {
  int64_t numInputs = irGetInt(h->main, "stitch.inputs", -1);
  int64_t numOutputs = irGetInt(h->main, "stitch.outputs", -1);
  if (!checkMain(h, numInputs, numOutputs))
    return;
  MlirBlock body = irBody(h->main, 0);
  bool hasArena = mlirBlockGetNumArguments(body) > numInputs + numOutputs;
  int64_t arenaBytes =
      hasArena ? irTensorBytes(mlirValueGetType(mlirBlockGetArgument(body, numInputs + numOutputs))) : 0;
  hostNumberSymbols(h);
  createHostFunction(h);
  bindArguments(h, numInputs, numOutputs);
  createBlocks(h);
  for (MlirBlock block = body; !mlirBlockIsNull(block) && !h->failed; block = mlirBlockGetNextInRegion(block))
    convertBlock(h, block);
  finishFunction(h, arenaBytes);
  if (!h->failed)
    eraseHostFunctions(h);
}

static void destroyHost(HostConversion *h) {
  irMapDestroy(&h->values);
  irMapDestroy(&h->blocks);
  irMapDestroy(&h->kernels);
  irMapDestroy(&h->calls);
  irMapDestroy(&h->constants);
  irMapDestroy(&h->adaptive);
  free(h->kernelNames.data);
  free(h->callAttributes.data);
  free(h->constantNames.data);
  free(h->callNames.data);
  free(h->steps.data);
  free(h->sites.data);
  irMapDestroy(&h->siteNumbers);
}

static void run(StitchPassRun pass, MlirOperation module) {
  MlirContext context = mlirOperationGetContext(module);
  HostConversion h = {
      .context = context,
      .module = module,
      .main = irFindFunction(module, "main"),
      .pointer = mlirLLVMPointerTypeGet(context, 0),
      .i32 = mlirIntegerTypeGet(context, 32),
      .i64 = mlirIntegerTypeGet(context, 64),
  };
  if (mlirOperationIsNull(h.main))
    hostFail(&h, module, "has no function @main");
  else
    convertMain(&h);
  destroyHost(&h);
  if (h.failed)
    stitchPassSignalFailure(pass);
}

static MlirDialectHandle (*const dependentDialects[])(void) = {mlirGetDialectHandle__llvm__};

const StitchPassInfo hostToLLVMPass = {
    .argument = "convert-host-to-llvm",
    .description = "Turn the host function into LLVM IR that launches kernels through callbacks",
    .anchor = "builtin.module",
    .dependentDialects = dependentDialects,
    .numDependentDialects = 1,
    .run = run,
};
