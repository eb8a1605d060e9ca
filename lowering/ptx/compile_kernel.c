//===- compile_kernel.c - one kernel to PTX ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is compiled alone, from the bitcode of its module. One that asks for more registers than it may use is
// compiled again for fewer (lowering/ptx/ptx_registers.h), and the best PTX is kept.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/compile_kernel.h"

#include "capi/llvm.h"
#include "lowering/llvm/compilation.h"
#include "lowering/llvm/kernel_cache.h"
#include "lowering/ptx/grid_dependency.h"
#include "lowering/ptx/hoist_loads.h"
#include "lowering/ptx/pipeline_loads.h"
#include "lowering/ptx/ptx_prefetch.h"
#include "lowering/ptx/ptx_registers.h"
#include "lowering/ptx/sink_comparisons.h"

#include "llvm-c/Core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Functions of this calling convention are kernels (llvm::CallingConv::PTX_Kernel).
enum { PTX_KERNEL = 71 };

static bool isKernel(LLVMValueRef f) { return !LLVMIsDeclaration(f) && LLVMGetFunctionCallConv(f) == PTX_KERNEL; }

int stitchCountKernels(const StitchLLVMCode *bitcode) {
  Compilation c;
  compilationBegin(&c, NULL);
  int count = 0;
  if (compilationRead(&c, bitcode))
    for (LLVMValueRef f = LLVMGetFirstFunction(c.module); f; f = LLVMGetNextFunction(f))
      count += isKernel(f);
  compilationEnd(&c);
  free(c.error);
  return count;
}

/// Removes all kernels but one, and reads the rest of the bitcode.
static bool keepKernel(Compilation *c, int number) {
  LLVMValueRef next;
  for (LLVMValueRef f = LLVMGetFirstFunction(c->module); f; f = next) {
    next = LLVMGetNextFunction(f);
    if (isKernel(f) && number-- != 0)
      LLVMDeleteFunction(f);
  }
  return compilationMaterialize(c);
}

/// All that the code depends on: the IR, the target, the passes, LLVM's version, and the library (by its content).
static void cacheKeyOf(Compilation *c, const char *libraryHash, char key[STITCH_CONTENT_HASH_TEXT]) {
  StitchContentHash hash;
  stitchContentHashBegin(&hash);
  const StitchLLVMTarget *t = c->target;
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  char version[64];
  snprintf(version, sizeof version, "kernel 14, LLVM %u.%u.%u", major, minor, patch);
  const char *parts[] = {version, t->triple, t->cpu, t->features, t->passes, libraryHash};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    stitchContentHashAdd(&hash, parts[i], strlen(parts[i]) + 1);
  char *text = LLVMPrintModuleToString(c->module);
  stitchContentHashAdd(&hash, text, strlen(text));
  LLVMDisposeMessage(text);
  stitchContentHashEnd(&hash, key);
}

/// A kernel that can be compiled more than once.
typedef struct {
  const StitchLLVMCode *bitcode;
  int number;
} KernelSource;

/// The options of a kernel for fewer registers.
typedef struct {
  StitchRegisterSaving saving;
  bool combinesEarly; ///< stitchCombineEarly
  bool ordersLoads;   ///< none goes before a store that it comes after
  bool leavesLoads;   ///< without stitchHoistLoads and stitchPipelineLoads
  bool loadsInTime;   ///< without stitchPipelineLoads
} KernelOptions;

/// Takes from LLVM the knowledge that an argument's memory is not written: loads of it stay between the stores around
/// them.
static void orderLoads(LLVMModuleRef module) {
  unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", strlen("noalias"));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (unsigned i = 1; isKernel(f) && i <= LLVMCountParams(f); ++i)
      LLVMRemoveEnumAttributeAtIndex(f, i, noalias);
}

static bool isInlineAssembly(LLVMValueRef instruction) {
  return LLVMIsACallInst(instruction) && LLVMIsAInlineAsm(LLVMGetCalledValue(instruction));
}

/// Inline assembly with side effects is for all threads of a warp together, as wgmma is: LLVM may not have it depend on
/// more conditions than it does. MLIR has no word for that.
static void keepTogether(LLVMModuleRef module) {
  unsigned kind = LLVMGetEnumAttributeKindForName("convergent", strlen("convergent"));
  LLVMAttributeRef convergent = LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, 0);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (isInlineAssembly(i) && LLVMGetInlineAsmHasSideEffects(LLVMGetCalledValue(i)))
          LLVMAddCallSiteAttribute(i, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, convergent);
}

/// Links, optimises and emits the module.
static bool make(Compilation *c, const KernelOptions *options, StitchLLVMCode *code) {
  keepTogether(c->module);
  if (!compilationLinkLibrary(c) || !compilationOptimize(c) || !compilationCheckCalls(c))
    return false;
  if (options->combinesEarly)
    stitchCombineEarly(c->module);
  if (options->ordersLoads)
    orderLoads(c->module);
  if (!options->leavesLoads && !options->loadsInTime)
    stitchPipelineLoads(c->module);
  if (!options->leavesLoads)
    stitchHoistLoads(c->module);
  stitchSinkComparisons(c->module);
  return compilationEmit(c, code);
}

/// Compiles the kernel once more. An error is the caller's.
static StitchLLVMCode compileAgain(Compilation *caller, const KernelSource *source, const KernelOptions *options) {
  Compilation c;
  compilationBegin(&c, caller->target);
  stitchContextSaveRegisters(c.context, options->saving);
  StitchLLVMCode code = {NULL, 0};
  if (compilationCreateMachine(&c) && compilationRead(&c, source->bitcode) && keepKernel(&c, source->number))
    make(&c, options, &code);
  compilationEnd(&c);
  caller->error = c.error;
  return code;
}

/// Code and its register count.
typedef struct {
  StitchLLVMCode code;
  KernelOptions options;
  StitchPTXRegisters registers;
} CompiledCode;

/// ptxas makes some room by moving instructions: kernels that need up to this many quarters of their registers in the
/// text's order have been seen to fit. The count says less the more they need.
enum { QUARTERS = 5 };

/// ptxas moves loads up while it thinks that there are registers for them. With several times as many loads as
/// registers it has been seen to be wrong, and to spill. Loads that stay where they are must fit there, though.
enum { MOST_MOVABLE = 4 };

static bool wantsOrder(const StitchPTXRegisters *r) {
  return r->live <= r->bound && r->movable > MOST_MOVABLE * r->bound;
}

static bool isBetter(const CompiledCode *a, const CompiledCode *b) {
  if (a->options.ordersLoads != b->options.ordersLoads)
    return a->registers.movable < b->registers.movable;
  return a->registers.live < b->registers.live && 4 * a->registers.live <= QUARTERS * a->registers.bound;
}

/// Replaces `best` by the kernel compiled with the options, if that is better.
static void improve(Compilation *c, const KernelSource *source, KernelOptions options, CompiledCode *best) {
  CompiledCode other = {.options = options, .code = compileAgain(c, source, &options)};
  if (c->error)
    return;
  other.registers = stitchMeasurePTXRegisters(&other.code);
  bool better = isBetter(&other, best);
  free(better ? best->code.data : other.code.data);
  if (better)
    *best = other;
}

/// A kernel with more live values than registers is compiled again for fewer: the omitted optimisations cost less than
/// spills would. Kernels that fit stay as they are. Returns false after an error.
static bool fitRegisters(Compilation *c, const KernelSource *source, StitchLLVMCode *code) {
  static const StitchRegisterSaving savings[] = {STITCH_WITHOUT_INVARIANTS, STITCH_WITHOUT_PAIRS};
  CompiledCode best = {.code = *code, .registers = stitchMeasurePTXRegisters(code)};
  if (best.registers.live > best.registers.bound)
    improve(c, source, (KernelOptions){.loadsInTime = true}, &best);
  if (!c->error && best.registers.live > best.registers.bound)
    improve(c, source, (KernelOptions){.leavesLoads = true}, &best);
  for (size_t i = 0; i < sizeof savings / sizeof *savings; ++i)
    if (!c->error && best.registers.live > best.registers.bound)
      improve(c, source, (KernelOptions){.saving = savings[i], .combinesEarly = true, .leavesLoads = true}, &best);
  KernelOptions ordered = best.options;
  ordered.ordersLoads = true;
  if (!c->error && wantsOrder(&best.registers))
    improve(c, source, ordered, &best);
  *code = best.code;
  return !c->error;
}

/// The prefetches of the module's only kernel (lowering/ptx/ptx_prefetch.h), a copy; NULL: none.
static char *prefetchesOf(LLVMModuleRef module) {
  LLVMValueRef kernel = LLVMGetFirstFunction(module);
  while (kernel && !isKernel(kernel))
    kernel = LLVMGetNextFunction(kernel);
  LLVMAttributeRef attribute =
      kernel ? LLVMGetStringAttributeAtIndex(kernel, LLVMAttributeFunctionIndex, STITCH_PREFETCH_ATTRIBUTE,
                                             strlen(STITCH_PREFETCH_ATTRIBUTE))
             : NULL;
  unsigned length;
  const char *text = attribute ? LLVMGetStringAttributeValue(attribute, &length) : NULL;
  return text ? strndup(text, length) : NULL;
}

char *stitchCompileKernel(const StitchLLVMCode *bitcode, int number, const StitchLLVMTarget *target,
                          const char *libraryHash, const char *cache, StitchLLVMCode *code, bool *wasBroken) {
  Compilation c;
  compilationBegin(&c, target);
  *code = (StitchLLVMCode){NULL, 0};
  *wasBroken = false;
  if (compilationCreateMachine(&c) && compilationRead(&c, bitcode) && keepKernel(&c, number)) {
    char key[STITCH_CONTENT_HASH_TEXT];
    if (cache) {
      cacheKeyOf(&c, libraryHash, key);
      *wasBroken = stitchCacheGet(cache, key, code) == STITCH_CACHE_BROKEN;
    }
    KernelSource source = {bitcode, number};
    bool isNew = !code->data && make(&c, &(KernelOptions){0}, code);
    if (isNew && target->savesRegisters)
      isNew = fitRegisters(&c, &source, code);
    if (isNew && stitchHasGridDependencies(target->cpu)) {
      char *prefetches = prefetchesOf(c.module);
      stitchWaitForGrids(code, prefetches);
      free(prefetches);
    }
    if (isNew && cache)
      stitchCachePut(cache, key, code); // without a folder to write to it is compiled again next time
  }
  compilationEnd(&c);
  return c.error;
}
