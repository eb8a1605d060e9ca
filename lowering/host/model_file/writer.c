//===- writer.c - objects of a model, linked and put in their place ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the parts of a model's programs: graphs, kernels and host functions. Leaves a shared object, the model file, at
// `path`: descriptors and host code compiled to objects, and linked. All files are made in a temporary folder next to
// the output, so that the last step can be a rename: the output is there whole or not at all.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/host/model_file/model_file.h"
#include "runtime/seal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  const StitchModelParts *programs;
  int numPrograms;
  MlirOperation graph; ///< of the first, for messages
  char *folder;
  char **files; ///< all files in the folder
  int count, capacity;
} Output;

static char *formatted(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *formatted(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = irAllocate((size_t)length + 1);
  va_start(arguments, format);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return text;
}

static const char *addFile(Output *o, const char *name) {
  IR_RESERVE_ONE(o->files, o->count, o->capacity);
  o->files[o->count] = formatted("%s/%s", o->folder, name);
  return o->files[o->count++];
}

static bool createFolder(Output *o, const char *path) {
  o->folder = formatted("%s.XXXXXX", path);
  if (mkdtemp(o->folder))
    return true;
  stitchEmitOpError(o->graph, "cannot write '%s': %s", path, strerror(errno));
  free(o->folder);
  o->folder = NULL;
  return false;
}

static bool writeObject(Output *o, StitchLLVMCode *code, const char *name) {
  bool ok = mlirLogicalResultIsSuccess(stitchWriteLLVMCode(o->graph, code, addFile(o, name)));
  free(code->data);
  return ok;
}

static bool writeObjects(Output *o, StitchHostObjects *objects) {
  bool ok = true;
  for (int i = 0; ok && i < objects->count; ++i) {
    char name[32];
    snprintf(name, sizeof(name), "part%d.o", i);
    ok = mlirLogicalResultIsSuccess(stitchWriteLLVMCode(o->graph, &objects->data[i], addFile(o, name)));
  }
  return ok;
}

static bool compileCode(Output *o) {
  StitchHostObjects objects = {NULL, 0};
  StitchHostCode **code = irAllocate(sizeof(*code) * (size_t)o->numPrograms * STITCH_MODEL_MAX_CODE);
  int numCode = 0;
  for (int i = 0; i < o->numPrograms; ++i)
    for (int k = 0; k < o->programs[i].numCode; ++k)
      code[numCode++] = o->programs[i].code[k];
  bool ok = mlirLogicalResultIsSuccess(stitchCompileHostObjects(o->graph, code, numCode, &objects)) &&
            writeObjects(o, &objects);
  stitchHostObjectsDestroy(&objects);
  free(code);
  return ok;
}

static bool compileObjects(Output *o) {
  StitchLLVMCode descriptor;
  return mlirLogicalResultIsSuccess(
             stitchCompileDescriptor(o->programs, o->numPrograms, addFile(o, "constants.o"), &descriptor)) &&
         writeObject(o, &descriptor, "descriptor.o") && compileCode(o);
}

static bool linkObjects(Output *o, const char *path) {
  static const char text[] = "{ global: " STITCH_MODEL_SYMBOL "; local: *; };\n";
  StitchLLVMCode exports = {(char *)(uintptr_t)text, sizeof(text) - 1};
  int objects = o->count;
  const char *exportsFile = addFile(o, "exports"), *linked = addFile(o, "model.so");
  if (mlirLogicalResultIsFailure(stitchWriteLLVMCode(o->graph, &exports, exportsFile)) ||
      mlirLogicalResultIsFailure(
          stitchLinkModel(o->graph, (const char *const *)o->files, objects, exportsFile, linked)))
    return false;
  int error = stitchSealFile(linked);
  if (!error && rename(linked, path))
    error = errno;
  if (error)
    stitchEmitOpError(o->graph, "cannot write '%s': %s", path, strerror(error));
  return !error;
}

static void removeFolder(Output *o) {
  for (int i = 0; i < o->count; ++i) {
    unlink(o->files[i]);
    free(o->files[i]);
  }
  free(o->files);
  rmdir(o->folder);
  free(o->folder);
}

MlirLogicalResult stitchWriteModel(const StitchModelParts *programs, int count, const char *path) {
  Output o = {.programs = programs, .numPrograms = count, .graph = programs[0].graph};
  if (!createFolder(&o, path))
    return mlirLogicalResultFailure();
  bool ok = compileObjects(&o) && linkObjects(&o, path);
  removeFolder(&o);
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
