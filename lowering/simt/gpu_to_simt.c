//===- gpu_to_simt.c - kernels to coroutines for the CPU -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module whose gpu.modules hold kernels as docs/ir.md section 3 describes them. Replaces each gpu.module by a
// function in the LLVM dialect for each kernel, `KERNEL_simt`, which runs one GPU thread as an LLVM switched-resume
// coroutine: runtime/simt/simt.h has its calling convention. (While there are gpu.launch_func in the module, which have
// to find their kernels, the gpu.modules stay.)
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
// goes on or stops as failed (runtime/simt/simt_checker.c). The kernel describes its arguments.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/llvm.h"
#include "capi/pass.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/expand_ldmatrix.h"
#include "lowering/llvm/expand_mma.h"
#include "lowering/llvm/expand_tf32.h"
#include "lowering/llvm/expand_warpgroup.h"
#include "lowering/simt/coroutine.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

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

/// The kernel's arguments are pointers in an array; the kernel uses them as memrefs.
static void bindArguments(Coroutine *c, MlirBlock entry) {
  IrBuilder b = irBuilderBefore(mlirBlockGetTerminator(c->begin));
  intptr_t count = mlirBlockGetNumArguments(entry);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, i);
    MlirValue pointer = simtLoad(&b, c->arguments, i * (int64_t)sizeof(void *), irParseType(b.context, "!llvm.ptr"));
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
  Coroutine c = simtCreateCoroutine(module, kernel);
  simtDescribeCluster(kernel, &c);
  if (checks)
    simtDescribeBuffers(module, kernel, &c);
  bool ok = !checks || simtAddChecks(&c, kernel, ops);
  bindArguments(&c, irBody(kernel, 0));
  takeBody(&c, kernel);
  for (intptr_t i = 0; i < ops.count && ok; ++i)
    if (!mlirOperationEqual(ops.data[i], kernel))
      ok = simtLowerOp(&c, ops.data[i]);
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
/// of a GPU's result.
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

/// Control flow as branches, so that a block can be split at a stop. Numbers of f16 and bf16 are computed in f32, as an
/// x86 has no arithmetic for them; rounding after each operation gives a GPU's result. Branches come last: other passes
/// merge blocks that differ in a memref alone, and then the checks could not say which one is accessed.
static const char toBranches[] = "stitch-relaxed-arithmetic,expand-strided-metadata,"
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

/// Makes functions before `gpuModule` of its kernels. The rest of it is of no use afterwards.
static bool lowerModule(StitchPassRun pass, MlirOperation gpuModule, bool checks) {
  if (!kernelOpsAreRegistered(gpuModule))
    return false;
  expandWarpgroupProducts(gpuModule);
  if (!expandLdmatrix(gpuModule) || !expandMma(gpuModule) || !expandTf32(gpuModule))
    return false;
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

static bool lowerModules(StitchPassRun pass, MlirOperation module) {
  bool checks = stitchPassGetBool(pass, OPTION_CHECKS), keep = hasLaunches(module), ok = true;
  IR_FOR_EACH_OP_REPLACING(op, irBody(module, 0)) {
    if (irOpIs(op, "builtin.module"))
      ok = ok && lowerModules(pass, op);
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
  return ok;
}

static void run(StitchPassRun pass, MlirOperation module) {
  if (!lowerModules(pass, module))
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
    .takes = "gpu.module",
    .after = "convert-stitch-to-gpu",
    .run = run,
};
