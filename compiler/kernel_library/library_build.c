//===- library_build.c - from a module to a library of its kernels --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each public function is compiled by itself, to a program for each bucket of sizes. Their results become files:
// images, constants, references as object files, and texts.
//
//===----------------------------------------------------------------------===//

#include "compiler/kernel_library/library_emit.h"

#include "capi/diagnostics.h"
#include "compiler/feedback.h"
#include "compiler/programs.h"
#include "ir/mlir/build.h"
#include "ir/mlir/location.h"

#include "mlir-c/Dialect/GPU.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static const char *formatted(IrArena *arena, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = irArenaAllocate(arena, (size_t)length + 1);
  va_start(arguments, format);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return text;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static bool isPublicFunction(MlirOperation op) {
  MlirAttribute visibility = irOpIs(op, "func.func") ? irGetAttr(op, "sym_visibility") : mlirAttributeGetNull();
  return irOpIs(op, "func.func") && !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))) &&
         (mlirAttributeIsNull(visibility) ||
          mlirStringRefEqual(mlirStringAttrGetValue(visibility), mlirStringRefCreateFromCString("public")));
}

/// Names that the header has for itself: NAME_load and the like, and enumerators.
static bool isReserved(const char *name) {
  static const char *const names[] = {"load",      "unload",       "call",          "call_on_host", "workspace",
                                      "message",   "library",      "status",        "success",      "invalid_argument",
                                      "no_driver", "wrong_gpu",    "out_of_memory", "cuda_error",   "num_functions",
                                      "constants", "constants_end"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
    if (strcasecmp(names[i], name) == 0)
      return true;
  return strncasecmp(name, "image_", 6) == 0;
}

/// Names that the library's sources have for functions of a file, whatever the library is called.
static bool isOfSources(const char *library, const char *function) {
  static const char *const names[] = {"find_function",   "open_driver", "load_module", "load_kernels",
                                      "load_constants",  "load_on",     "check_size",  "check_tensor",
                                      "check_workspace", "set_words",   "copy_input",  "may_begin_early",
                                      "launch_kernel",   "find_places", "run_on_gpu",  "run_with_memory"};
  size_t length = strlen(library);
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
    if (strncmp(names[i], library, length) == 0 && names[i][length] == '_' &&
        strcmp(names[i] + length + 1, function) == 0)
      return true;
  return false;
}

/// Whether two functions would have a name in common: themselves, or that of one's workspace.
static bool collide(const char *a, const char *b) {
  size_t length = strlen(a);
  return strcasecmp(a, b) == 0 || (strncasecmp(a, b, length) == 0 && strcasecmp(b + length, "_workspace") == 0);
}

static bool addFunction(KernelLibrary *library, MlirOperation op, LibraryFunction *f) {
  MlirStringRef name = mlirStringAttrGetValue(irGetAttr(op, "sym_name"));
  char *place = irLocationText(mlirOperationGetLocation(op));
  *f = (LibraryFunction){.name = formatted(library->arena, "%.*s", (int)name.length, name.data),
                         .place = formatted(library->arena, "%s", place),
                         .gradient = -1};
  free(place);
  f->cName = libraryIdentifier(library->arena, f->name);
  bool isTaken = isReserved(f->cName) || isOfSources(library->name, f->cName);
  for (intptr_t i = 0; i < library->numFunctions; ++i)
    isTaken |= collide(library->functions[i].cName, f->cName) || collide(f->cName, library->functions[i].cName);
  ++library->numFunctions;
  if (isTaken)
    stitchEmitOpError(op, "would be %s_%s in C, which the library has for something else: give it another name",
                      library->name, f->cName);
  return !isTaken;
}

/// The public functions of the module, or the one that --entry names.
static bool findLibraryFunctions(Compiler *c, KernelLibrary *library) {
  intptr_t count = 0;
  const char *entry = c->options->entry;
  IR_FOR_EACH_OP(op, irBody(c->graph, 0))
    count += isPublicFunction(op);
  library->functions = IR_NEW_ARRAY(library->arena, LibraryFunction, count + 1);
  bool ok = true;
  IR_FOR_EACH_OP(op, irBody(c->graph, 0)) {
    bool isAsked =
        irOpIs(op, "func.func") && entry &&
        mlirStringRefEqual(mlirStringAttrGetValue(irGetAttr(op, "sym_name")), mlirStringRefCreateFromCString(entry));
    if (ok && (entry ? isAsked && library->numFunctions == 0 : isPublicFunction(op)))
      ok = addFunction(library, op, &library->functions[library->numFunctions]);
  }
  if (ok && library->numFunctions == 0)
    stitchEmitOpError(c->graph, entry ? "has no function @%s" : "has no public function%s", entry ? entry : "");
  return ok && library->numFunctions > 0;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// The graph of a kernel alone is another module than was read: it gets the program's name, too.
static bool makePlanOf(Compiler *c, const char *name) {
  bool ok = (!c->options->kernel || makePlanOfKernel(c)) && makePlanWithFeedback(c);
  irSetAttr(c->graph, STITCH_MODEL_PROGRAM, irStringAttr(c->context, name));
  return ok;
}

static bool compileProgram(Compiler *c, void *name) {
  const StitchCompileOptions *o = c->options;
  StitchModelParts parts;
  return chooseDevice(c) && makeGraph(c) && makePlanOf(c, name) && libraryIsSupported(c->kernels) && makeKernels(c) &&
         makeImages(c, o->noCubins ? "isa" : "all") && completeProgram(c, &parts);
}

static bool compilePrograms(Compiler *c, KernelLibrary *library, LibraryFunction *f, const char *const *dims, int count,
                            StitchPadding padding) {
  f->programs = IR_NEW_ARRAY(library->arena, LibraryProgram, count);
  for (int i = 0; i < count; ++i) {
    LibraryProgram *program = &f->programs[f->numPrograms++];
    program->options = *c->options;
    program->options.entry = f->name;
    program->options.dims = dims[i];
    program->options.padding = padding;
    const char *name = formatted(library->arena, "_%s_%s_%d", library->name, f->cName, i);
    if (!compileWithin(c, &program->compiler, &program->options, name, compileProgram, (void *)(uintptr_t)name))
      return false;
  }
  return true;
}

static bool compileFunction(Compiler *c, KernelLibrary *library, LibraryFunction *f) {
  const StitchCompileOptions *options = c->options;
  if (!options->buckets)
    return compilePrograms(c, library, f, &options->dims, 1, options->padding);
  Programs list;
  StitchCompileOptions ofFunction = *options;
  ofFunction.entry = f->name;
  c->options = &ofFunction;
  bool ok = programsRead(options->dims, options->buckets, c->messages, &list);
  StitchPadding padding = ok ? paddingOf(c, list.dims[list.count - 1]) : STITCH_PADDING_NEVER;
  c->options = options;
  const char *dims[MAX_PROGRAMS]; // options keep them longer than the list
  for (int i = 0; ok && i < list.count; ++i)
    dims[i] = formatted(library->arena, "%s", list.dims[i]);
  ok = ok && compilePrograms(c, library, f, dims, list.count, padding);
  programsDestroy(&list);
  return ok;
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

static void printTo(MlirStringRef part, void *file) { fwrite(part.data, 1, part.length, file); }

/// The number in an attribute that prints as `#nvvm.target<chip = "sm_90", ...>`, and whether there is a letter behind
/// it.
static int64_t architectureOf(MlirAttribute target, bool *isExact) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (file) {
    mlirAttributePrint(target, printTo, file);
    fclose(file);
  }
  const char *chip = text ? strstr(text, "\"sm_") : NULL;
  char *end = NULL;
  int64_t number = chip ? strtoll(chip + 4, &end, 10) : 0;
  *isExact = chip && *end == 'a';
  free(text);
  return number;
}

static LibraryImage imageOf(const KernelLibrary *library, const LibraryFunction *f, const LibraryProgram *program,
                            MlirAttribute object) {
  enum { GPU_FORMAT_BINARY = 3 };
  MlirStringRef data = mlirGPUObjectAttrGetObject(object);
  LibraryImage image = {.isCubin = mlirGPUObjectAttrGetFormat(object) == GPU_FORMAT_BINARY, .data = data.data};
  image.architecture = architectureOf(mlirGPUObjectAttrGetTarget(object), &image.isExact);
  image.size = image.isCubin ? data.length : strnlen(data.data, data.length);
  const char *bucket = f->numPrograms > 1 ? formatted(library->arena, ".bucket%ld", (long)(program - f->programs)) : "";
  image.file = formatted(library->arena, "%s%s.sm_%lld%s.%s", f->cName, bucket, (long long)image.architecture,
                         image.isExact ? "a" : "", image.isCubin ? "cubin" : "ptx");
  return image;
}

static void readImages(KernelLibrary *library, const LibraryFunction *f, LibraryProgram *program) {
  IR_FOR_EACH_OP(op, irBody(program->compiler.images, 0)) {
    if (!irOpIs(op, "gpu.binary") || program->numKernels == 0)
      continue;
    MlirAttribute objects = irGetAttr(op, "objects");
    intptr_t count = mlirArrayAttrGetNumElements(objects);
    program->images = IR_NEW_ARRAY(library->arena, LibraryImage, count + 1);
    for (intptr_t i = 0; i < count; ++i)
      program->images[program->numImages++] = imageOf(library, f, program, mlirArrayAttrGetElement(objects, i));
  }
}

static bool readFunction(KernelLibrary *library, LibraryFunction *f) {
  bool ok = libraryReadSignature(library, f);
  for (intptr_t p = 0; p < f->numPrograms && ok; ++p) {
    ok = libraryReadHostCode(library, f, &f->programs[p]);
    if (ok)
      readImages(library, f, &f->programs[p]);
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

static bool compileReference(Compiler *c, void *data) {
  (void)data;
  return chooseDevice(c) && makeGraph(c) && beginPlainReference(c) && finishBranches(c);
}

/// The text of --dim with one size for each symbol that callers give.
static const char *dimsWith(KernelLibrary *library, const LibraryFunction *f, const char *dims, const int64_t *values) {
  const LibraryProgram *program = libraryLargest(f);
  const char *result = "";
  for (const char *at = dims; *at;) {
    int length = (int)strcspn(at, ","), name = (int)strcspn(at, "=");
    const char *comma = *result ? "," : "";
    intptr_t symbol = 0, count = libraryGiven(program);
    while (symbol < count && (strncmp(program->symbols[symbol].name, at, (size_t)name) != 0 ||
                              program->symbols[symbol].name[name] != '\0'))
      ++symbol;
    result = symbol < count
                 ? formatted(library->arena, "%s%s%.*s=%lld", result, comma, name, at, (long long)values[symbol])
                 : formatted(library->arena, "%s%s%.*s", result, comma, length, at);
    at += length + (at[length] == ',');
  }
  return result;
}

/// The smallest sizes, the largest ones, and some between.
static int64_t symbolSize(const LibraryFunction *f, intptr_t symbol, int reference) {
  int64_t low = f->programs[0].symbols[symbol].low, high = libraryLargest(f)->symbols[symbol].high;
  return reference == 0 ? high : reference == 1 ? low : low + (high - low) / 2;
}

/// A function that has no open sizes is compared once.
static bool addReferences(Compiler *c, KernelLibrary *library, LibraryFunction *f) {
  intptr_t numGiven = libraryGiven(libraryLargest(f));
  for (int i = 0; i < (numGiven ? LIBRARY_MAX_REFERENCES : 1); ++i) {
    LibraryReference *r = &f->references[f->numReferences++];
    r->values = IR_NEW_ARRAY(library->arena, int64_t, numGiven + 1);
    r->suffix = formatted(library->arena, "_%s_%s_reference%d", library->name, f->cName, i);
    if (numGiven == 0) {
      r->suffix = formatted(library->arena, "_%s_%s_0", library->name, f->cName); // of the program
      return beginPlainReference(&f->programs[0].compiler) && finishBranches(&f->programs[0].compiler);
    }
    for (intptr_t s = 0; s < numGiven; ++s)
      r->values[s] = symbolSize(f, s, i);
    r->options = *c->options;
    r->options.entry = f->name;
    r->options.buckets = NULL;
    r->options.padding = STITCH_PADDING_NEVER;
    r->options.dims = dimsWith(library, f, c->options->dims, r->values);
    Statistics statistics = c->statistics; // the library's are those of its programs
    bool ok = compileWithin(c, &r->compiler, &r->options, r->suffix, compileReference, NULL);
    c->statistics = statistics;
    if (!ok)
      return false;
  }
  return true;
}

static void collectCode(const Compiler *c, StitchHostCode **code, int *count) {
  if (c->branches[BRANCH_REFERENCE].code)
    code[(*count)++] = c->branches[BRANCH_REFERENCE].code;
}

static bool compileReferences(Compiler *c, const KernelLibrary *library, StitchHostObjects *objects) {
  int count = 0;
  StitchHostCode **code =
      irAllocate(sizeof(*code) * (size_t)(library->numFunctions * (LIBRARY_MAX_REFERENCES + 1) + 1));
  for (intptr_t i = 0; i < library->numFunctions; ++i) {
    collectCode(&library->functions[i].programs[0].compiler, code, &count);
    for (intptr_t r = 0; r < library->functions[i].numReferences; ++r)
      collectCode(&library->functions[i].references[r].compiler, code, &count);
  }
  bool ok = count == 0 || mlirLogicalResultIsSuccess(stitchCompileHostObjects(c->graph, code, count, objects));
  free(code);
  return ok;
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

static void addImages(const KernelLibrary *library, LibraryFiles *files) {
  for (intptr_t i = 0; i < library->numFunctions; ++i)
    for (intptr_t p = 0; p < library->functions[i].numPrograms; ++p) {
      const LibraryProgram *program = &library->functions[i].programs[p];
      for (intptr_t k = 0; k < program->numImages; ++k)
        libraryAddFile(files, (LibraryFile){.path = program->images[k].file,
                                            .data = (char *)(uintptr_t)program->images[k].data,
                                            .size = program->images[k].size,
                                            .isBorrowed = true});
    }
}

static void addConstants(const KernelLibrary *library, LibraryFiles *files) {
  if (library->constantBytes == 0)
    return;
  char *data = irAllocateZeroed((size_t)library->constantBytes, 1);
  for (intptr_t i = 0; i < library->numConstants; ++i)
    stitchModelCopyElements(library->constants[i].data, data + library->constants[i].offset,
                            library->constants[i].bytes);
  libraryAddFile(files, (LibraryFile){.path = formatted(library->arena, "%s.constants", library->name),
                                      .data = data,
                                      .size = (size_t)library->constantBytes});
}

static bool writeLibrary(Compiler *c, const KernelLibrary *library) {
  LibraryFiles files = {0};
  StitchHostObjects objects = {NULL, 0};
  bool ok = beginStage(c, "write") && compileReferences(c, library, &objects);
  if (ok) {
    addImages(library, &files);
    addConstants(library, &files);
  }
  for (int i = 0; i < objects.count; ++i)
    libraryAddFile(&files, (LibraryFile){.path = formatted(library->arena, "test/reference_%d.o", i),
                                         .data = objects.data[i].data,
                                         .size = objects.data[i].size,
                                         .isBorrowed = true});
  ok = ok && libraryAddTexts(c, library, objects.count, &files) && libraryWriteFolder(c, c->options->output, &files);
  libraryDestroyFiles(&files);
  stitchHostObjectsDestroy(&objects);
  return ok;
}

/// The last part of a path, as an identifier of C.
static const char *libraryName(IrArena *arena, const char *path) {
  size_t end = strlen(path);
  while (end > 1 && path[end - 1] == '/')
    --end;
  size_t begin = end;
  while (begin > 0 && path[begin - 1] != '/')
    --begin;
  return libraryIdentifier(arena, formatted(arena, "%.*s", (int)(end - begin), path + begin));
}

static const char *baseName(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool compileFunctions(Compiler *c, KernelLibrary *library) {
  // Functions of artifacts are found by name once they are those of a module.
  bool ok = runPipeline(c, c->graph, "convert-vhlo-to-stablehlo") && findLibraryFunctions(c, library);
  for (intptr_t i = 0; i < library->numFunctions && ok; ++i)
    ok = compileFunction(c, library, &library->functions[i]) && readFunction(library, &library->functions[i]);
  ok = ok && libraryFindGradients(library);
  for (intptr_t i = 0; i < library->numFunctions && ok && !c->options->noReference; ++i)
    ok = addReferences(c, library, &library->functions[i]);
  return ok;
}

bool compileKernelLibrary(Compiler *c) {
  if (!libraryCheckFolder(c, c->options->output))
    return false;
  IrArena arena = {0};
  KernelLibrary library = {.arena = &arena,
                           .name = libraryName(&arena, c->options->output),
                           .model = strcmp(c->options->name, "-") == 0 ? "standard input" : baseName(c->options->name)};
  bool ok = compileFunctions(c, &library);
  library.device = c->device ? c->device : "";
  ok = ok && writeLibrary(c, &library);
  for (intptr_t i = 0; i < library.numFunctions; ++i) {
    for (intptr_t p = 0; p < library.functions[i].numPrograms; ++p)
      destroyCompilation(&library.functions[i].programs[p].compiler);
    for (intptr_t r = 0; r < library.functions[i].numReferences; ++r)
      if (library.functions[i].references[r].compiler.messages) // it has been begun
        destroyCompilation(&library.functions[i].references[r].compiler);
  }
  free(library.constants);
  irArenaDestroy(&arena);
  return ok;
}
