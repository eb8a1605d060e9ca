//===- host_objects.c - modules to objects for this machine --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APOLLO's piecewise compilation (its section 4.4) of code for the CPU: a module is cut into parts, runs of whole
// functions of about the same size. LLVM makes an object of each, in an LLVM context of its own, since a context
// belongs to one thread. Constants that are local to a module are in each part that reads them.
//
//===----------------------------------------------------------------------===//

#include "lowering/llvm/host_objects.h"

#include "capi/llvm.h"
#include "capi/threads.h"
#include "ir/mlir/arena.h"
#include "lowering/llvm/compilation.h"

#include "llvm-c/BitWriter.h"
#include "llvm-c/Core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A part has no more than this, or one function: half a tenth of a second of LLVM's time.
enum { PART_INSTRUCTIONS = 1500 };

/// A function of this length that runs once is a list of calls, of which LLVM's time grows faster than the list.
enum { LONG_FUNCTION = 4000 };

static const StitchLLVMTarget hostTarget = {.passes = "default<O2>"};

/// Optimisations that need a whole module: arguments that are never read, or always the same, are not passed. A memref
/// is half a dozen of them.
static const StitchLLVMTarget wholeModule = {.passes = "function(instsimplify),ipsccp,deadargelim"};

/// Such functions are translated as they stand: no time is spent in them.
static const StitchLLVMTarget longFunction = {.passes = "default<O0>", .isUnoptimized = true};

/// Functions of a module with the numbers [first, end), in its order.
typedef struct {
  const StitchHostCode *module;
  int first, end;
  bool isLong; ///< one long function
} ModulePart;

struct StitchHostCode {
  StitchLLVMCode bitcode;
  ModulePart *parts;
  int numParts, capacity;
};

/// The work of all threads.
typedef struct {
  ModulePart *parts;
  StitchLLVMCode *objects;
  char **errors; ///< of each part
} ObjectsWork;

//===----------------------------------------------------------------------===//
// Cutting a module
//===----------------------------------------------------------------------===//

static int countInstructions(LLVMValueRef function) {
  int count = 0;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef op = LLVMGetFirstInstruction(block); op; op = LLVMGetNextInstruction(op))
      ++count;
  return count;
}

static bool isLocal(LLVMValueRef global) {
  LLVMLinkage linkage = LLVMGetLinkage(global);
  return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

/// Whether a module has memory that its functions share: then it is not cut into parts.
static bool sharesMemory(LLVMModuleRef module) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
    if (isLocal(g) && !LLVMIsGlobalConstant(g))
      return true;
  return false;
}

static void lengthenName(LLVMValueRef global, const char *separator, const char *suffix) {
  size_t length = 0;
  const char *name = LLVMGetValueName2(global, &length);
  size_t size = length + strlen(separator) + strlen(suffix) + 1;
  char *longer = irAllocate(size);
  int longerLength = snprintf(longer, size, "%.*s%s%s", (int)length, name, separator, suffix);
  LLVMSetValueName2(global, longer, (size_t)longerLength);
  free(longer);
}

/// Lets only other objects of the model call a function.
static void makeHidden(LLVMValueRef function, const StitchHostModule *about) {
  lengthenName(function, ".", about->name);
  lengthenName(function, "", about->program);
  LLVMSetLinkage(function, LLVMExternalLinkage);
  LLVMSetVisibility(function, LLVMHiddenVisibility);
}

/// Gives exported symbols of a module names that no other program has.
static void nameByProgram(LLVMModuleRef module, const char *program) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f && *program; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && !isLocal(f))
      lengthenName(f, "", program);
  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g && *program; g = LLVMGetNextGlobal(g))
    if (!LLVMIsDeclaration(g) && !isLocal(g))
      lengthenName(g, "", program);
}

static ModulePart *addModulePart(StitchHostCode *s, int first) {
  IR_RESERVE_ONE(s->parts, s->numParts, s->capacity);
  s->parts[s->numParts] = (ModulePart){.module = s, .first = first, .end = first};
  return &s->parts[s->numParts++];
}

/// LLVM finds out of functions that it sees that they do not throw; nothing here does.
static void setNoUnwind(LLVMModuleRef module) {
  unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", strlen("nounwind"));
  LLVMAttributeRef attribute = LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, 0);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, attribute);
}

/// A module whose functions share memory is one part.
static void cutModule(StitchHostCode *s, LLVMModuleRef module, const StitchHostModule *about) {
  bool isWhole = sharesMemory(module);
  int instructions = 0;
  ModulePart *part = addModulePart(s, 0);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    int own = countInstructions(f);
    bool isLong = about->longFunctionsRunOnce && own >= LONG_FUNCTION;
    bool isFull = part->isLong || isLong || instructions + own > PART_INSTRUCTIONS;
    if (!isWhole && instructions > 0 && isFull) {
      part = addModulePart(s, part->end);
      instructions = 0;
    }
    instructions += own;
    part->isLong = isLong || (isWhole && part->isLong);
    part->end++;
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f && s->numParts > 1; f = LLVMGetNextFunction(f))
    if (isLocal(f))
      makeHidden(f, about);
}

StitchHostCode *stitchTranslateHostModule(const StitchHostModule *module) {
  StitchHostCode *code = irAllocateZeroed(1, sizeof *code);
  Compilation c;
  compilationBegin(&c, &wholeModule);
  if (compilationCreateMachine(&c) && compilationTranslate(&c, module->module) && compilationOptimize(&c)) {
    setNoUnwind(c.module);
    nameByProgram(c.module, module->program);
    cutModule(code, c.module, module);
    LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(c.module);
    compilationCopyBuffer(&c, buffer, &code->bitcode);
    LLVMDisposeMemoryBuffer(buffer);
  }
  compilationEnd(&c);
  if (compilationReport(&c, module->module))
    return code;
  stitchHostCodeDestroy(code);
  return NULL;
}

void stitchHostCodeDestroy(StitchHostCode *code) {
  if (!code)
    return;
  free(code->bitcode.data);
  free(code->parts);
  free(code);
}

//===----------------------------------------------------------------------===//
// Compiling a part
//===----------------------------------------------------------------------===//

static void keepPart(Compilation *c, const ModulePart *part) {
  int number = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(c->module); f; f = LLVMGetNextFunction(f), ++number)
    if ((number < part->first || number >= part->end) && !LLVMIsDeclaration(f))
      stitchDropFunctionBody(f);
}

static void compilePart(void *data, int i) {
  ObjectsWork *w = data;
  const ModulePart *part = &w->parts[i];
  Compilation c;
  compilationBegin(&c, part->isLong ? &longFunction : &hostTarget);
  if (compilationCreateMachine(&c) && compilationRead(&c, &part->module->bitcode)) {
    keepPart(&c, part);
    if (compilationMaterialize(&c) && compilationOptimize(&c))
      compilationEmit(&c, &w->objects[i]);
  }
  compilationEnd(&c);
  w->errors[i] = c.error;
}

//===----------------------------------------------------------------------===//
// All modules
//===----------------------------------------------------------------------===//

/// The parts of all modules, in their order; their number.
static int listParts(ObjectsWork *w, StitchHostCode *const *modules, int numModules) {
  int count = 0;
  for (int i = 0; i < numModules; ++i)
    count += modules[i]->numParts;
  w->parts = irAllocateZeroed((size_t)count + 1, sizeof *w->parts);
  ModulePart *next = w->parts;
  for (int i = 0; i < numModules; ++i)
    for (int k = 0; k < modules[i]->numParts; ++k)
      *next++ = modules[i]->parts[k];
  return count;
}

/// Reports the errors of parts, in their order, and releases them; whether there were none.
static bool reportErrors(ObjectsWork *w, MlirOperation op, int count) {
  bool ok = true;
  for (int i = 0; i < count; ++i) {
    Compilation c = {.error = w->errors[i]};
    ok = compilationReport(&c, op) && ok;
  }
  return ok;
}

MlirLogicalResult stitchCompileHostObjects(MlirOperation op, StitchHostCode *const *modules, int count,
                                           StitchHostObjects *objects) {
  ObjectsWork w = {0};
  int numParts = listParts(&w, modules, count);
  w.objects = irAllocateZeroed((size_t)numParts + 1, sizeof *w.objects);
  w.errors = irAllocateZeroed((size_t)numParts + 1, sizeof *w.errors);
  stitchRunInThreads(mlirOperationGetContext(op), numParts, compilePart, &w);
  bool ok = reportErrors(&w, op, numParts);
  free(w.parts);
  free(w.errors);
  StitchHostObjects made = {w.objects, numParts};
  if (ok)
    *objects = made;
  else
    stitchHostObjectsDestroy(&made);
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

void stitchHostObjectsDestroy(StitchHostObjects *objects) {
  for (int i = 0; i < objects->count; ++i)
    free(objects->data[i].data);
  free(objects->data);
  *objects = (StitchHostObjects){NULL, 0};
}
