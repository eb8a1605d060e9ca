//===- gpu_to_ptx.c - kernels to PTX or machine code for NVIDIA GPUs -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module whose gpu.modules hold kernels as docs/ir.md section 3 describes them. Replaces each gpu.module by a
// gpu.binary of the same name, with one gpu.object for each architecture. The object is PTX that LLVM's NVPTX back end
// makes in this process, or, with format=cubin, ptxas's cubin. With format=all it has both where there is a ptxas that
// knows the architecture, else PTX alone. With format=nvvm it stops before LLVM IR and leaves the gpu.modules.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/llvm.h"
#include "capi/pass.h"
#include "dialects/stitch/stitch.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"
#include "ir/plan/plan.h"
#include "ir/plan/resources.h"
#include "lowering/llvm/expand_ldmatrix.h"
#include "lowering/llvm/expand_tf32.h"
#include "lowering/llvm/expand_warpgroup.h"
#include "lowering/llvm/llvm_kernel.h"
#include "lowering/llvm/llvm_object.h"
#include "lowering/ptx/architectures.h"
#include "lowering/ptx/compile_kernels.h"
#include "lowering/ptx/cuda_toolkit.h"
#include "lowering/ptx/device_math.h"
#include "lowering/ptx/keep_tails.h"
#include "lowering/ptx/lower_approximate.h"
#include "lowering/ptx/lower_async_copy.h"
#include "lowering/ptx/lower_conversions.h"
#include "lowering/ptx/lower_ldmatrix.h"
#include "lowering/ptx/lower_mma.h"
#include "lowering/ptx/lower_reciprocals.h"
#include "lowering/ptx/lower_roots.h"
#include "lowering/ptx/lower_votes.h"
#include "lowering/ptx/lower_warpgroup.h"
#include "lowering/ptx/merge_choices.h"
#include "lowering/ptx/narrow_arithmetic.h"
#include "lowering/ptx/pack_words.h"
#include "lowering/ptx/ptx_prefetch.h"

#include "mlir-c/Dialect/GPU.h"
#include "llvm-c/Core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_ARCH, OPTION_LIBDEVICE, OPTION_FORMAT, OPTION_CACHE };

/// Architectures and the oldest PTX that Stitch writes for them: 7.8 is the version that CUDA 11.8 reads. 8.0, of CUDA
/// 12.0, has bulk prefetches.
static const struct {
  const char *name;
  const char *features;
} architectures[] = {
    {"sm_70", "+ptx78"},  {"sm_75", "+ptx78"},  {"sm_80", "+ptx78"},  {"sm_86", "+ptx78"},
    {"sm_87", "+ptx78"},  {"sm_89", "+ptx78"},  {"sm_90", "+ptx80"},  {"sm_90a", "+ptx80"},
    {"sm_100", "+ptx86"}, {"sm_103", "+ptx88"}, {"sm_120", "+ptx87"},
};

/// gpu.object's formats, with the numbers of mlir::gpu::CompilationTarget.
enum { FORMAT_ASSEMBLY = 2, FORMAT_BINARY = 3 };

typedef struct {
  StitchPassRun pass;
  StitchBitcodeLibrary math; ///< libdevice, or its replacement
  bool ptx;                  ///< PTX is wanted
  char *ptxas;               ///< path of the program; NULL: no cubins are wanted
  const char *cache;         ///< folder of compiled kernels; NULL: none
} PtxCompiler;

//===----------------------------------------------------------------------===//
// To the NVVM dialect
//===----------------------------------------------------------------------===//

static bool runPipeline(PtxCompiler *c, const char *pipeline, MlirOperation op) {
  return mlirLogicalResultIsSuccess(stitchPassRunPipeline(c->pass, pipeline, op));
}

/// The promises of the launch: exactly so many threads in a block, and registers for each.
static void boundKernel(MlirOperation kernel) {
  MlirAttribute launch = irGetAttr(kernel, "stitch.launch");
  if (mlirAttributeIsNull(launch))
    return;
  StitchLaunch value = stitchLaunchAttrValue(launch);
  MlirContext context = mlirOperationGetContext(kernel);
  irSetAttr(kernel, "nvvm.reqntid", irParseAttr(context, "array<i32: %lld, 1, 1>", (long long)value.block));
  if (value.registers > 0 && value.registers <= PLAN_MOST_REGISTERS)
    irSetAttr(kernel, "nvvm.maxnreg", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), value.registers));
  mlirOperationRemoveAttributeByName(kernel, mlirStringRefCreateFromCString("stitch.launch"));
}

/// A shuffle moves 32 bits: values of 8 and 16 bits travel in the low part of a word. (Those of 64 bits, in two words,
/// are upstream's business.)
static void widenShuffles(MlirOperation gpuModule) {
  MlirType word = mlirIntegerTypeGet(mlirOperationGetContext(gpuModule), 32);
  KernelOps shuffles = kernelOpsCalled(gpuModule, "gpu.shuffle");
  for (intptr_t i = 0; i < shuffles.count; ++i) {
    MlirOperation shuffle = shuffles.data[i];
    MlirType type = mlirValueGetType(irOperand(shuffle, 0));
    int64_t bits = irElementBytes(type) * 8;
    if (bits != 8 && bits != 16)
      continue;
    MlirType narrow = mlirIntegerTypeGet(mlirOperationGetContext(gpuModule), irIsBool(type) ? 1 : (unsigned)bits);
    IrBuilder b = irBuilderBefore(shuffle);
    MlirValue sent = irUnary(&b, "arith.bitcast", irOperand(shuffle, 0), narrow);
    mlirOperationSetOperand(shuffle, 0, irUnary(&b, "arith.extui", sent, word));
    MlirValue received = irResult(shuffle, 0);
    mlirValueSetType(received, word);
    b = irBuilderAfter(shuffle);
    MlirValue cut = irUnary(&b, "arith.trunci", received, narrow);
    MlirValue value = irUnary(&b, "arith.bitcast", cut, type);
    mlirValueReplaceAllUsesExcept(received, value, 1, (MlirOperation[]){mlirOpResultGetOwner(cut)});
  }
  free(shuffles.data);
}

/// Loops that are to stay loops do so for LLVM and ptxas alike. convert-scf-to-cf carries the attribute on to the
/// branch back.
static void markLoops(MlirOperation gpuModule) {
  MlirAttribute annotation =
      irParseAttr(mlirOperationGetContext(gpuModule), "#llvm.loop_annotation<unroll = <disable = true>>");
  KernelOps loops = kernelOpsCalled(gpuModule, "scf.for");
  for (intptr_t i = 0; i < loops.count; ++i)
    if (!mlirAttributeIsNull(irGetAttr(loops.data[i], "stitch.rolled")))
      irSetAttr(loops.data[i], "llvm.loop_annotation", annotation);
  free(loops.data);
}

/// Branches have the attribute under a name of their own, which the conversion to them does not know.
static void keepLoops(MlirOperation gpuModule) {
  KernelOps branches = kernelOpsCalled(gpuModule, "llvm.br");
  for (intptr_t i = 0; i < branches.count; ++i) {
    MlirAttribute annotation = irGetAttr(branches.data[i], "llvm.loop_annotation");
    if (!mlirAttributeIsNull(annotation))
      irSetAttr(branches.data[i], "loop_annotation", annotation);
  }
  free(branches.data);
}

/// Memory that threads share must not look private to LLVM, which reads a global of internal linkage early across a
/// barrier. CUDA's `extern __shared__` is external, too. Blocks of columns that are swizzled by 128 bytes begin at
/// multiples of 1024.
static void exposeSharedMemory(MlirOperation gpuModule, bool isSwizzled) {
  IR_FOR_EACH_OP(op, irBody(gpuModule, 0)) {
    if (!irOpIs(op, "llvm.mlir.global"))
      continue;
    irSetAttr(op, "linkage", irParseAttr(mlirOperationGetContext(op), "#llvm.linkage<external>"));
    if (isSwizzled)
      irSetAttr(op, "alignment", irParseAttr(mlirOperationGetContext(op), "1024 : i64"));
  }
}

/// The number of an architecture: 80 of sm_80.
static int archNumber(const char *arch) { return atoi(arch + strlen("sm_")); }

/// The instruction ldmatrix began with sm_75, asynchronous copies to shared memory and TF32 with sm_80.
enum { FIRST_WITH_LDMATRIX = 75, FIRST_WITH_ASYNC_COPIES = 80, FIRST_WITH_TF32 = 80 };

/// Whether code is for one architecture alone, with all that it has: wgmma is not in "sm_90".
static bool isSpecific(const char *arch) { return arch[strlen(arch) - 1] == 'a'; }

/// Replaces operations of a warp or a warpgroup by the architecture's.
static bool lowerWarpOperations(MlirOperation gpuModule, const char *name) {
  int arch = archNumber(name);
  (isSpecific(name) ? lowerWarpgroupProducts : expandWarpgroupProducts)(gpuModule);
  lowerVotes(gpuModule);
  return lowerAsyncCopies(gpuModule, arch >= FIRST_WITH_ASYNC_COPIES) &&
         (arch < FIRST_WITH_LDMATRIX ? expandLdmatrix : lowerLdmatrix)(gpuModule) && lowerMma(gpuModule, arch) &&
         (arch >= FIRST_WITH_TF32 || expandTf32(gpuModule));
}

/// Erases the kernels with indices of `bits` bits.
static void eraseKernels(MlirOperation gpuModule, int bits) {
  KernelOps kernels = kernelOpsCalled(gpuModule, "gpu.func");
  for (intptr_t i = 0; i < kernels.count; ++i)
    if (kernelGpuIndexBits(irBody(kernels.data[i], 0)) == bits)
      mlirOperationDestroy(kernels.data[i]);
  free(kernels.data);
}

static bool hasSymbol(MlirOperation gpuModule, MlirAttribute name) {
  IR_FOR_EACH_OP(op, irBody(gpuModule, 0))
    if (mlirAttributeEqual(irGetAttr(op, "sym_name"), name))
      return true;
  return false;
}

/// Moves the operations of `from` that `to` lacks.
static void mergeModules(MlirOperation to, MlirOperation from) {
  MlirBlock block = irBody(to, 0);
  for (MlirOperation op = mlirBlockGetFirstOperation(irBody(from, 0)), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    MlirAttribute name = irGetAttr(op, "sym_name");
    if (mlirAttributeIsNull(name) || hasSymbol(to, name))
      continue;
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(block, op);
  }
}

static bool convertIndices(PtxCompiler *c, MlirOperation gpuModule, int bits) {
  char pipeline[256];
  snprintf(pipeline, sizeof(pipeline),
           "convert-scf-to-cf,expand-strided-metadata,"
           "convert-gpu-to-nvvm{index-bitwidth=%d use-bare-ptr-memref-call-conv=true},"
           "convert-vector-to-llvm,reconcile-unrealized-casts,canonicalize,cse",
           bits);
  return runPipeline(c, pipeline, gpuModule);
}

/// Upstream converts a module with indices of one width: kernels that need 64 bits are converted in a copy.
static bool convertKernels(PtxCompiler *c, MlirOperation gpuModule) {
  bool isWide = false;
  IR_FOR_EACH_OP(op, irBody(gpuModule, 0))
    isWide |= irHasAttr(op, PLAN_WIDE_INDICES);
  if (!isWide)
    return convertIndices(c, gpuModule, 32);
  MlirOperation wide = mlirOperationClone(gpuModule);
  MlirContext context = mlirOperationGetContext(gpuModule);
  irSetAttr(wide, "sym_name", irParseAttr(context, "\"stitch wide indices\"")); // a name that no module has
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(gpuModule), gpuModule, wide);
  eraseKernels(gpuModule, 64);
  eraseKernels(wide, 32);
  bool success = convertIndices(c, gpuModule, 32) && convertIndices(c, wide, 64);
  if (success)
    mergeModules(gpuModule, wide);
  mlirOperationDestroy(wide);
  return success;
}

static bool lowerToNVVM(PtxCompiler *c, MlirOperation gpuModule, const char *arch) {
  if (!kernelOpsAreRegistered(gpuModule))
    return false;
  IR_FOR_EACH_OP(op, irBody(gpuModule, 0))
    if (irOpIs(op, "gpu.func"))
      boundKernel(op);
  lowerApproximate(gpuModule, archNumber(arch));
  lowerNarrowReciprocals(gpuModule);
  if (!runPipeline(c, "stitch-relaxed-arithmetic,cse", gpuModule))
    return false;
  mergeChoices(gpuModule);
  narrowArithmetic(gpuModule, archNumber(arch));
  packWords(gpuModule, archNumber(arch));
  lowerConversions(gpuModule);
  if (!lowerPrefetches(gpuModule, archNumber(arch)))
    return false;
  if (!runPipeline(c,
                   "stitch-unpack-words,stitch-lower-grid-barrier,stitch-lower-cluster,math-"
                   "extend-to-supported-"
                   "types{target-type=f32}",
                   gpuModule))
    return false;
  KernelOps products = kernelOpsCalled(gpuModule, "stitch.warpgroup_product");
  free(products.data);
  if (!lowerWarpOperations(gpuModule, arch))
    return false;
  lowerReciprocals(gpuModule);
  lowerRoots(gpuModule);
  widenShuffles(gpuModule);
  markLoops(gpuModule);
  markTails(gpuModule);
  kernelLowerNativeMath(gpuModule);
  if (!convertKernels(c, gpuModule))
    return false;
  keepLoops(gpuModule);
  keepTails(gpuModule);
  exposeSharedMemory(gpuModule, products.count > 0);
  return true;
}

//===----------------------------------------------------------------------===//
// To PTX and machine code
//===----------------------------------------------------------------------===//

static MlirAttribute objectAttr(MlirContext context, const char *arch, const char *features, uint32_t format,
                                const StitchLLVMCode *code) {
  MlirAttribute target = irParseAttr(context, "#nvvm.target<chip = \"%s\", features = \"%s\">", arch, features);
  return mlirGPUObjectAttrGet(context, target, format, mlirStringRefCreate(code->data, code->size), (MlirAttribute){0});
}

/// The gpu.objects of all architectures.
typedef struct {
  MlirAttribute data[2 * sizeof architectures / sizeof *architectures];
  intptr_t count;
} Objects;

/// Assembles PTX, unless PTX is wanted, too, and would do alone on an architecture that ptxas does not know.
static bool assemble(PtxCompiler *c, MlirOperation gpuModule, const char *arch, const char *features,
                     const StitchLLVMCode *ptx, Objects *objects) {
  if (c->ptx && !stitchPtxasKnows(gpuModule, c->ptxas, arch))
    return true;
  StitchLLVMCode cubin;
  if (mlirLogicalResultIsFailure(stitchAssemblePTX(gpuModule, c->ptxas, arch, ptx, &cubin)))
    return false;
  objects->data[objects->count++] =
      objectAttr(mlirOperationGetContext(gpuModule), arch, features, FORMAT_BINARY, &cubin);
  free(cubin.data);
  return true;
}

/// Appends the requested objects of `gpuModule` for one architecture; false after an error. Kernels are short of
/// registers. So instructions take the addresses of arguments from constant memory, and ptxas, which alone knows the
/// registers, schedules instructions.
static bool compile(PtxCompiler *c, MlirOperation gpuModule, const char *arch, const char *features, Objects *objects) {
  if (!lowerToNVVM(c, gpuModule, arch))
    return false;
  StitchLLVMTarget target = {.triple = "nvptx64-nvidia-cuda",
                             .cpu = arch,
                             .features = features,
                             .passes = "default<O3>",
                             .library = &c->math,
                             .assembly = true,
                             .savesRegisters = true};
  StitchLLVMCode ptx;
  if (mlirLogicalResultIsFailure(stitchCompileKernels(gpuModule, &target, c->cache, &ptx)))
    return false;
  if (c->ptx)
    objects->data[objects->count++] =
        objectAttr(mlirOperationGetContext(gpuModule), arch, features, FORMAT_ASSEMBLY, &ptx);
  bool ok = !c->ptxas || assemble(c, gpuModule, arch, features, &ptx, objects);
  free(ptx.data);
  return ok;
}

/// Leaves the module as it is right before it becomes LLVM IR.
static bool showNVVM(PtxCompiler *c, MlirOperation module, const char *arch) {
  IR_FOR_EACH_OP(op, irBody(module, 0)) {
    if ((irOpIs(op, "gpu.module") && !lowerToNVVM(c, op, arch)) ||
        (irOpIs(op, "builtin.module") && !showNVVM(c, op, arch)))
      return false;
  }
  return true;
}

/// Clusters began with sm_90.
static bool checkClusters(MlirOperation gpuModule, const char *arch) {
  if (archNumber(arch) >= 90)
    return true;
  IR_FOR_EACH_OP(op, irBody(gpuModule, 0)) {
    StitchLaunch launch;
    if (!irOpIs(op, "gpu.func") || !planGetLaunch(op, &launch) || launch.cluster == 1)
      continue;
    stitchEmitOpError(op,
                      "runs in clusters of %lld blocks, which %s does not have: plan it for a device with "
                      "cluster_blocks = 1",
                      (long long)launch.cluster, arch);
    return false;
  }
  return true;
}

/// A memref is its address, an index has 32 bits, or 64; each value begins at a multiple of its size.
static int64_t parameterBytes(MlirOperation kernel) {
  MlirBlock body = irBody(kernel, 0);
  int64_t bytes = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(body, i));
    int64_t size = mlirTypeIsAMemRef(type)  ? 8
                   : mlirTypeIsAIndex(type) ? kernelGpuIndexBits(body) / 8
                                            : irElementBytes(type);
    bytes = (bytes + size - 1) / size * size + size;
  }
  return bytes;
}

/// CUDA programming guide, function parameters: 4096 bytes, more from PTX 8.1 on.
static bool checkParameters(MlirOperation gpuModule, const char *arch, const char *features) {
  int64_t most = atoi(features + strlen("+ptx")) < 81 ? 4096 : 32764;
  IR_FOR_EACH_OP(op, irBody(gpuModule, 0)) {
    if (!irOpIs(op, "gpu.func") || parameterBytes(op) <= most)
      continue;
    stitchEmitOpError(op,
                      "has %lld bytes of parameters, and a kernel for %s can have %lld: plan it with fewer inputs of a "
                      "fusion (max-operands)",
                      (long long)parameterBytes(op), arch, (long long)most);
    return false;
  }
  return true;
}

/// Index in `architectures` of the name that `text` begins with, of so many characters; -1 if there is none.
static int findArchitecture(const char *text, size_t length) {
  for (size_t i = 0; i < sizeof architectures / sizeof *architectures; ++i)
    if (strlen(architectures[i].name) == length && strncmp(architectures[i].name, text, length) == 0)
      return (int)i;
  return -1;
}

bool stitchIsArchitecture(const char *name) { return findArchitecture(name, strlen(name)) >= 0; }

/// Replaces a gpu.module by a gpu.binary with an object for each architecture of the list.
static bool replaceModule(PtxCompiler *c, MlirOperation gpuModule, const char *archs) {
  Objects objects = {.count = 0};
  size_t count = 0;
  for (const char *arch = archs; *arch; ++count) {
    size_t length = strcspn(arch, ",");
    int known = findArchitecture(arch, length);
    if (known < 0 || count == sizeof architectures / sizeof *architectures) {
      stitchEmitOpError(gpuModule, "cannot be compiled for the architecture '%.*s' twice", (int)length, arch);
      return false;
    }
    const char *name = architectures[known].name, *features = architectures[known].features;
    if (!checkClusters(gpuModule, name) || !checkParameters(gpuModule, name, features))
      return false;
    MlirOperation clone = mlirOperationClone(gpuModule);
    mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(gpuModule), gpuModule, clone);
    bool ok = compile(c, clone, name, features, &objects);
    mlirOperationDestroy(clone);
    if (!ok)
      return false;
    arch += length + (arch[length] == ',');
  }
  IrBuilder b = irBuilderBefore(gpuModule);
  irOp(&b, "gpu.binary", IR_NO_VALUES, IR_NO_TYPES,
       IR_ATTRS(irAttr(&b, "sym_name", irGetAttr(gpuModule, "sym_name")),
                irAttr(&b, "offloadingHandler", irParseAttr(b.context, "#gpu.select_object")),
                irAttr(&b, "objects", mlirArrayAttrGet(b.context, objects.count, objects.data))));
  mlirOperationDestroy(gpuModule);
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The file of math functions that the option stands for, released with free; NULL: Stitch's own.
static char *chooseLibdevice(const char *option) {
  if (strcmp(option, "none") == 0)
    return NULL;
  if (strcmp(option, "auto") == 0)
    return stitchFindLibdevice();
  char *path = irAllocate(strlen(option) + 1);
  return strcpy(path, option);
}

/// A file's content, which is the buffer's; false after an error.
static bool readLibrary(MlirOperation module, const char *path, LLVMMemoryBufferRef *buffer,
                        StitchBitcodeLibrary *math) {
  char *message = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, buffer, &message)) {
    stitchEmitOpError(module, "cannot be compiled: cannot read the library '%s': %s", path, message);
    LLVMDisposeMessage(message);
    return false;
  }
  *math = (StitchBitcodeLibrary){path, LLVMGetBufferStart(*buffer), LLVMGetBufferSize(*buffer)};
  return true;
}

static bool chooseFormat(PtxCompiler *c, MlirOperation module, const char *option) {
  bool all = strcmp(option, "all") == 0;
  c->ptx = all || strcmp(option, "isa") == 0;
  if (!all && (c->ptx || strcmp(option, "nvvm") == 0))
    return true;
  c->ptxas = stitchFindPtxas();
  if (all)
    return true;
  if (!c->ptxas)
    stitchEmitOpError(module, "gpu-to-ptx: format=cubin needs ptxas, which is neither in CUDA_HOME, CUDA_PATH, "
                              "/usr/local/cuda nor on the PATH");
  return c->ptxas != NULL;
}

static bool compileModules(PtxCompiler *c, MlirOperation module, const char *archs) {
  IR_FOR_EACH_OP_REPLACING(op, irBody(module, 0)) {
    if ((irOpIs(op, "builtin.module") && !compileModules(c, op, archs)) ||
        (irOpIs(op, "gpu.module") && !replaceModule(c, op, archs)))
      return false;
  }
  return true;
}

static void run(StitchPassRun pass, MlirOperation module) {
  PtxCompiler c = {.pass = pass, .math = stitchDeviceMath()};
  char *libdevice = chooseLibdevice(stitchPassGetString(pass, OPTION_LIBDEVICE));
  LLVMMemoryBufferRef buffer = NULL;
  const char *format = stitchPassGetString(pass, OPTION_FORMAT), *cache = stitchPassGetString(pass, OPTION_CACHE);
  c.cache = *cache && strcmp(cache, "off") != 0 ? cache : NULL;
  bool ok = chooseFormat(&c, module, format) && (!libdevice || readLibrary(module, libdevice, &buffer, &c.math));
  if (ok && strcmp(format, "nvvm") == 0)
    ok = showNVVM(&c, module, stitchPassGetString(pass, OPTION_ARCH));
  else
    ok = ok && compileModules(&c, module, stitchPassGetString(pass, OPTION_ARCH));
  if (!ok)
    stitchPassSignalFailure(pass);
  if (buffer)
    LLVMDisposeMemoryBuffer(buffer);
  free(libdevice);
  free(c.ptxas);
}

static const StitchPassOption options[] = {
    {"arch", "architectures, separated by commas", STITCH_OPTION_STRING, 0, "sm_90"},
    {"libdevice", "math functions: auto (the toolkit's if there is one), none (Stitch's own), or the path of libdevice",
     STITCH_OPTION_STRING, 0, "auto"},
    {"format",
     "isa (PTX), cubin (through ptxas), all (both where ptxas is found), or nvvm (the NVVM dialect, to look at)",
     STITCH_OPTION_STRING, 0, "isa"},
    {"cache", "folder where compiled kernels are kept for the next time, or off", STITCH_OPTION_STRING, 0, "off"},
};

static const StitchValidValues valid[] = {
    {"arch",
     "~(" STITCH_ARCHITECTURES ")(,(" STITCH_ARCHITECTURES "))*~some of " STITCH_ARCHITECTURES ", with commas between"},
    {"libdevice", "auto|none|FILE"},
    {"format", "isa|cubin|all|nvvm"},
};

static MlirDialectHandle (*const dialects[])(void) = {stitchGetLoweringToLLVMHandle};

const StitchPassInfo gpuToPTXPass = {
    .argument = "gpu-to-ptx",
    .description = "Compile gpu.modules to PTX or cubins for NVIDIA GPUs",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .dependentDialects = dialects,
    .numDependentDialects = 1,
    .takes = "gpu.module",
    .after = "convert-stitch-to-gpu",
    .run = run,
};
