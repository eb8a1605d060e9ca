//===- llvm_object.c - from the LLVM dialect to machine code --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // vasprintf

#include "lowering/llvm_object.h"

#include "capi/diagnostics.h"
#include "capi/llvm.h"
#include "lowering/kernel_cache.h"
#include "lowering/ptx_registers.h"

#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/BitReader.h"
#include "llvm-c/BitWriter.h"
#include "llvm-c/Core.h"
#include "llvm-c/Linker.h"
#include "llvm-c/Target.h"
#include "llvm-c/TargetMachine.h"
#include "llvm-c/Transforms/PassBuilder.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// One compilation: what is made on the way. It runs on any thread; whoever started it reports its error.
typedef struct {
  const StitchLLVMTarget *target;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMTargetMachineRef machine;
  char *error; ///< the first one; NULL: none
} Compilation;

static void initializeTargets(void) {
  LLVMInitializeAllTargetInfos();
  LLVMInitializeAllTargets();
  LLVMInitializeAllTargetMCs();
  LLVMInitializeAllAsmPrinters();
  LLVMInitializeAllAsmParsers();
}

/// Keeps the first error; returns false.
__attribute__((format(printf, 2, 3))) static bool failWith(Compilation *c, const char *format, ...) {
  if (c->error)
    return false;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&c->error, format, arguments) < 0)
    c->error = strdup("out of memory");
  va_end(arguments);
  return false;
}

static bool fail(Compilation *c, const char *what, char *message) {
  failWith(c, "%s: %s", what, message ? message : "unknown error");
  LLVMDisposeMessage(message);
  return false;
}

/// Reports the error of a compilation, if there is one.
static bool report(Compilation *c, MlirOperation op) {
  if (c->error)
    stitchEmitOpError(op, "%s", c->error);
  bool ok = !c->error;
  free(c->error);
  c->error = NULL;
  return ok;
}

static void onDiagnostic(LLVMDiagnosticInfoRef info, void *userData) {
  if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
    fail(userData, "LLVM cannot compile it", LLVMGetDiagInfoDescription(info));
}

static bool createMachine(Compilation *c) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initializeTargets);
  const StitchLLVMTarget *t = c->target;
  char *hostTriple = t->triple ? NULL : LLVMGetDefaultTargetTriple();
  const char *triple = t->triple ? t->triple : hostTriple;
  LLVMTargetRef target = NULL;
  char *message = NULL;
  bool found = !LLVMGetTargetFromTriple(triple, &target, &message);
  if (found) {
    LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
    LLVMTargetMachineOptionsSetCPU(options, t->cpu ? t->cpu : "");
    LLVMTargetMachineOptionsSetFeatures(options, t->features ? t->features : "");
    LLVMTargetMachineOptionsSetCodeGenOptLevel(options, LLVMCodeGenLevelAggressive);
    LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
    c->machine = LLVMCreateTargetMachineWithOptions(target, triple, options);
    LLVMDisposeTargetMachineOptions(options);
  }
  LLVMDisposeMessage(hostTriple);
  if (!found)
    return fail(c, "unknown target", message);
  return c->machine != NULL || fail(c, "no code generator for the target", NULL);
}

static void setTarget(Compilation *c, LLVMModuleRef module) {
  char *triple = LLVMGetTargetMachineTriple(c->machine);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(c->machine);
  LLVMSetTarget(module, triple);
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
  LLVMDisposeMessage(triple);
}

static bool translate(Compilation *c, MlirOperation op) {
  c->module = mlirTranslateModuleToLLVMIR(op, c->context);
  if (!c->module)
    return fail(c, "cannot be translated to LLVM IR", NULL);
  setTarget(c, c->module);
  return true;
}

/// Makes every function of a library linkonce_odr: LLVM's linker takes such a function only if it is called.
static void makeFunctionsOptional(LLVMModuleRef library) {
  for (LLVMValueRef f = LLVMGetFirstFunction(library); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) != LLVMInternalLinkage)
      LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
}

static bool linkLibrary(Compilation *c) {
  const StitchBitcodeLibrary *bitcode = c->target->library;
  if (!bitcode)
    return true;
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRange(bitcode->data, bitcode->size, bitcode->name, /*RequiresNull=*/0);
  LLVMModuleRef library = NULL; // which reads the bodies of functions when they are linked, and owns the buffer
  if (LLVMGetBitcodeModuleInContext2(c->context, buffer, &library)) {
    LLVMDisposeMemoryBuffer(buffer);
    free(c->error); // which does not name the library
    c->error = NULL;
    return failWith(c, "the library '%s' is not LLVM bitcode", bitcode->name);
  }
  setTarget(c, library);
  makeFunctionsOptional(library);
  return !LLVMLinkModules2(c->module, library) && !c->error;
}

static bool optimize(Compilation *c) {
  char *message = NULL;
  if (LLVMVerifyModule(c->module, LLVMReturnStatusAction, &message))
    return fail(c, "is not valid LLVM IR", message);
  LLVMDisposeMessage(message);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(c->module, c->target->passes, c->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (error) {
    char *text = LLVMGetErrorMessage(error);
    failWith(c, "LLVM's passes fail: %s", text);
    LLVMDisposeErrorMessage(text);
  }
  return !c->error;
}

/// An assembly text or object that calls what nobody defines would only fail when it is loaded, on another machine.
static bool checkCalls(Compilation *c) {
  if (!c->target->assembly)
    return true;
  for (LLVMValueRef f = LLVMGetFirstFunction(c->module); f; f = LLVMGetNextFunction(f)) {
    size_t length = 0;
    const char *name = LLVMGetValueName2(f, &length);
    if (!LLVMIsDeclaration(f) || LLVMGetIntrinsicID(f) || !LLVMGetFirstUse(f))
      continue;
    return failWith(c, "calls '%.*s', which no library defines", (int)length, name);
  }
  return true;
}

static bool copyBuffer(Compilation *c, LLVMMemoryBufferRef buffer, StitchLLVMCode *code) {
  size_t size = LLVMGetBufferSize(buffer);
  char *data = malloc(size + 1);
  if (!data)
    return failWith(c, "out of memory");
  memcpy(data, LLVMGetBufferStart(buffer), size);
  data[size] = '\0';
  *code = (StitchLLVMCode){data, size};
  return true;
}

static bool emit(Compilation *c, StitchLLVMCode *code) {
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL;
  LLVMCodeGenFileType type = c->target->assembly ? LLVMAssemblyFile : LLVMObjectFile;
  if (LLVMTargetMachineEmitToMemoryBuffer(c->machine, c->module, type, &message, &buffer))
    return fail(c, "no code can be made", message);
  bool ok = !c->error && copyBuffer(c, buffer, code);
  LLVMDisposeMemoryBuffer(buffer);
  return ok;
}

static void begin(Compilation *c, const StitchLLVMTarget *target) {
  *c = (Compilation){.target = target, .context = LLVMContextCreate()};
  LLVMContextSetDiagnosticHandler(c->context, onDiagnostic, c);
  if (target && target->savesRegisters)
    stitchContextSaveRegisters(c->context, STITCH_WITHOUT_POINTERS);
}

static void end(Compilation *c) {
  if (c->module)
    LLVMDisposeModule(c->module);
  if (c->machine)
    LLVMDisposeTargetMachine(c->machine);
  LLVMContextDispose(c->context);
}

static MlirLogicalResult result(bool ok) { return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure(); }

MlirLogicalResult stitchCompileLLVM(MlirOperation module, const StitchLLVMTarget *target, StitchLLVMCode *code) {
  Compilation c;
  begin(&c, target);
  if (createMachine(&c) && translate(&c, module) && linkLibrary(&c) && optimize(&c) && checkCalls(&c))
    emit(&c, code);
  end(&c);
  return result(report(&c, module));
}

MlirLogicalResult stitchTranslateToBitcode(MlirOperation module, const StitchLLVMTarget *target, StitchLLVMCode *code) {
  Compilation c;
  begin(&c, target);
  if (createMachine(&c) && translate(&c, module)) {
    LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(c.module);
    copyBuffer(&c, buffer, code);
    LLVMDisposeMemoryBuffer(buffer);
  }
  end(&c);
  return result(report(&c, module));
}

MlirLogicalResult stitchCompileHostObject(MlirOperation module, bool native, StitchLLVMCode *code) {
  char *cpu = native ? LLVMGetHostCPUName() : NULL;
  char *features = native ? LLVMGetHostCPUFeatures() : NULL;
  StitchLLVMTarget target = {.cpu = cpu, .features = features, .passes = "default<O2>"};
  MlirLogicalResult result = stitchCompileLLVM(module, &target, code);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  return result;
}

MlirLogicalResult stitchCompileHostIR(MlirOperation op, LLVMModuleRef module, StitchLLVMCode *code) {
  StitchLLVMTarget target = {.passes = "default<O1>"};
  Compilation c = {.target = &target, .context = LLVMGetModuleContext(module), .module = module};
  LLVMContextSetDiagnosticHandler(c.context, onDiagnostic, &c);
  if (createMachine(&c)) {
    setTarget(&c, module);
    if (optimize(&c))
      emit(&c, code);
  }
  if (c.machine)
    LLVMDisposeTargetMachine(c.machine);
  LLVMContextSetDiagnosticHandler(c.context, NULL, NULL);
  return result(report(&c, op));
}

//===----------------------------------------------------------------------===//
// One kernel of a module
//===----------------------------------------------------------------------===//

/// Functions of this calling convention are kernels (llvm::CallingConv::PTX_Kernel).
enum { PTX_KERNEL = 71 };

static bool isKernel(LLVMValueRef f) { return !LLVMIsDeclaration(f) && LLVMGetFunctionCallConv(f) == PTX_KERNEL; }

/// Reads all but the bodies of functions: a module can have hundreds of kernels, each of which is compiled alone.
static bool parse(Compilation *c, const StitchLLVMCode *bitcode) {
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(bitcode->data, bitcode->size, "kernels", 1);
  if (!LLVMGetBitcodeModuleInContext2(c->context, buffer, &c->module))
    return true; // which owns the buffer
  LLVMDisposeMemoryBuffer(buffer);
  return failWith(c, "LLVM cannot read its own bitcode");
}

int stitchCountKernels(const StitchLLVMCode *bitcode) {
  Compilation c;
  begin(&c, NULL);
  int count = 0;
  if (parse(&c, bitcode))
    for (LLVMValueRef f = LLVMGetFirstFunction(c.module); f; f = LLVMGetNextFunction(f))
      count += isKernel(f);
  end(&c);
  free(c.error);
  return count;
}

/// Removes all kernels but one, and reads what is left.
static bool keepKernel(Compilation *c, int number) {
  LLVMValueRef next;
  for (LLVMValueRef f = LLVMGetFirstFunction(c->module); f; f = next) {
    next = LLVMGetNextFunction(f);
    if (isKernel(f) && number-- != 0)
      LLVMDeleteFunction(f);
  }
  char *message = stitchMaterializeModule(c->module);
  return !message || fail(c, "LLVM cannot read its own bitcode", message);
}

/// All that the code depends on: the IR, the target, the passes, LLVM's version, and the library (by its content).
static void keyOf(Compilation *c, const char *libraryHash, char key[STITCH_CONTENT_HASH_TEXT]) {
  StitchContentHash hash;
  stitchContentHashBegin(&hash);
  const StitchLLVMTarget *t = c->target;
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  char version[64];
  snprintf(version, sizeof version, "kernel 5, LLVM %u.%u.%u", major, minor, patch);
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

/// What is done to a kernel for fewer registers.
typedef struct {
  StitchRegisterSaving saving;
  bool combinesEarly; ///< stitchCombineEarly
  bool ordersLoads;   ///< none goes before a store that it comes after
} KernelOptions;

/// Takes from LLVM the knowledge that what an argument points to is not written to: loads of it stay between the stores
/// that they are between.
static void orderLoads(LLVMModuleRef module) {
  unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", strlen("noalias"));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (unsigned i = 1; isKernel(f) && i <= LLVMCountParams(f); ++i)
      LLVMRemoveEnumAttributeAtIndex(f, i, noalias);
}

/// Links, optimises and emits the module.
static bool make(Compilation *c, const KernelOptions *options, StitchLLVMCode *code) {
  if (!linkLibrary(c) || !optimize(c) || !checkCalls(c))
    return false;
  if (options->combinesEarly)
    stitchCombineEarly(c->module);
  if (options->ordersLoads)
    orderLoads(c->module);
  return emit(c, code);
}

/// Compiles the kernel once more. An error is the caller's.
static StitchLLVMCode compileAgain(Compilation *caller, const KernelSource *source, const KernelOptions *options) {
  Compilation c;
  begin(&c, caller->target);
  stitchContextSaveRegisters(c.context, options->saving);
  StitchLLVMCode code = {NULL, 0};
  if (createMachine(&c) && parse(&c, source->bitcode) && keepKernel(&c, source->number))
    make(&c, options, &code);
  end(&c);
  caller->error = c.error;
  return code;
}

/// Code and what it asks for.
typedef struct {
  StitchLLVMCode code;
  KernelOptions options;
  StitchPTXRegisters registers;
} Candidate;

/// ptxas makes some room by moving instructions: kernels that need up to this many quarters of their registers as they
/// stand have been seen to fit, and the more they need, the less says the count.
enum { QUARTERS = 5 };

/// ptxas moves loads up while it thinks that there are registers for them. With several times as many loads as
/// registers it has been seen to be wrong, and to spill. Loads that stay where they are must fit there, though.
enum { MOST_MOVABLE = 4 };

static bool wantsOrder(const StitchPTXRegisters *r) {
  return r->live <= r->bound && r->movable > MOST_MOVABLE * r->bound;
}

static bool isBetter(const Candidate *a, const Candidate *b) {
  if (a->options.ordersLoads != b->options.ordersLoads)
    return a->registers.movable < b->registers.movable;
  return a->registers.live < b->registers.live && 4 * a->registers.live <= QUARTERS * a->registers.bound;
}

/// Replaces `best` by what the options make of the kernel, if that is better.
static void improve(Compilation *c, const KernelSource *source, KernelOptions options, Candidate *best) {
  Candidate other = {.options = options, .code = compileAgain(c, source, &options)};
  if (c->error)
    return;
  other.registers = stitchMeasurePTXRegisters(&other.code);
  bool better = isBetter(&other, best);
  free(better ? best->code.data : other.code.data);
  if (better)
    *best = other;
}

/// A kernel with more values live than it has registers for is compiled again for fewer: what is left out costs less
/// than spills would. Kernels that fit stay as they are. Returns false after an error.
static bool fitRegisters(Compilation *c, const KernelSource *source, StitchLLVMCode *code) {
  static const StitchRegisterSaving savings[] = {STITCH_WITHOUT_INVARIANTS, STITCH_WITHOUT_PAIRS};
  Candidate best = {.code = *code, .registers = stitchMeasurePTXRegisters(code)};
  for (size_t i = 0; i < sizeof savings / sizeof *savings; ++i)
    if (!c->error && best.registers.live > best.registers.bound)
      improve(c, source, (KernelOptions){.saving = savings[i], .combinesEarly = true}, &best);
  KernelOptions ordered = best.options;
  ordered.ordersLoads = true;
  if (!c->error && wantsOrder(&best.registers))
    improve(c, source, ordered, &best);
  *code = best.code;
  return !c->error;
}

char *stitchCompileKernel(const StitchLLVMCode *bitcode, int number, const StitchLLVMTarget *target,
                          const char *libraryHash, const char *cache, StitchLLVMCode *code, bool *wasBroken) {
  Compilation c;
  begin(&c, target);
  *code = (StitchLLVMCode){NULL, 0};
  *wasBroken = false;
  if (createMachine(&c) && parse(&c, bitcode) && keepKernel(&c, number)) {
    char key[STITCH_CONTENT_HASH_TEXT];
    if (cache) {
      keyOf(&c, libraryHash, key);
      *wasBroken = stitchCacheGet(cache, key, code) == STITCH_CACHE_BROKEN;
    }
    KernelSource source = {bitcode, number};
    bool isNew = !code->data && make(&c, &(KernelOptions){0}, code);
    if (isNew && target->savesRegisters)
      isNew = fitRegisters(&c, &source, code);
    if (isNew && cache)
      stitchCachePut(cache, key, code); // without a folder to write to it is compiled again next time
  }
  end(&c);
  return c.error;
}

MlirLogicalResult stitchWriteLLVMCode(MlirOperation op, const StitchLLVMCode *code, const char *path) {
  FILE *file = fopen(path, "wb");
  bool ok = file && fwrite(code->data, 1, code->size, file) == code->size;
  int error = errno;
  if (file && fclose(file) && ok) {
    error = errno;
    ok = false;
  }
  if (ok)
    return mlirLogicalResultSuccess();
  stitchEmitOpError(op, "cannot write '%s': %s", path, strerror(error));
  if (file)
    unlink(path);
  return mlirLogicalResultFailure();
}
