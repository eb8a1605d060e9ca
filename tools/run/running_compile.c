//===- running_compile.c - a model file from a model's text ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs stitch-compile for a model that is given as text, for the device of the run or as reference for its sizes, and
// loads the file.
//
//===----------------------------------------------------------------------===//

#include "tools/run/running_compile.h"

#include "runtime/device.h"
#include "tools/support/process.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, DIM_BYTES = 256 };

static bool isSameTensor(StitchDataType aType, int32_t aRank, const int64_t *aDims, StitchDataType bType, int32_t bRank,
                         const int64_t *bDims) {
  return stitchDataTypesEqual(aType, bType) && aRank == bRank &&
         (aRank == 0 || memcmp(aDims, bDims, sizeof(*aDims) * (size_t)aRank) == 0);
}

static StitchStatus isModelFile(const char *path, bool *result) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return stitchStatusMake(errno == ENOENT ? STITCH_NOT_FOUND : STITCH_IO_ERROR, "cannot read '%s': %s", path,
                            strerror(errno));
  char start[SELFMAG] = {0};
  bool readable = fread(start, 1, sizeof(start), file) == sizeof(start) || !ferror(file);
  int error = errno;
  fclose(file);
  if (!readable)
    return stitchStatusMake(STITCH_IO_ERROR, "cannot read '%s': %s", path, strerror(error));
  *result = memcmp(start, ELFMAG, SELFMAG) == 0;
  return NULL;
}

static StitchStatus runCompiler(const char **arguments) {
  pid_t process;
  bool succeeded = false;
  StitchStatus status = toolStart(arguments, NULL, &process);
  if (!status)
    status = toolWait(process, NULL, &succeeded);
  if (status || succeeded)
    return status;
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "the model does not compile");
}

/// The --target that the device needs.
static StitchStatus chooseTarget(const char *device, char *option, size_t size) {
  if (strncmp(device, "cuda", 4) != 0) {
    snprintf(option, size, "--target=%s", strcmp(device, "reference") == 0 ? "none" : "simt");
    return NULL;
  }
  int architecture = 0;
  StitchStatus status = stitchDeviceArchitecture(&(StitchSessionOptions){.device = device}, &architecture);
  snprintf(option, size, "--target=sm_%d", architecture);
  return status;
}

static StitchStatus compileForDevice(const RunOptions *o, const Run *run, const char *output) {
  (void)run;
  char compiler[PATH_BYTES], target[64];
  toolFindProgram("stitch-compile", compiler, sizeof(compiler));
  StitchStatus status = chooseTarget(o->device, target, sizeof(target));
  if (status)
    return status;
  const char **arguments = calloc((size_t)o->numCompileOptions + 9, sizeof(*arguments));
  if (!arguments)
    return stitchStatusOutOfMemory();
  int n = 0;
  arguments[n++] = compiler;
  arguments[n++] = o->model;
  arguments[n++] = "-o";
  arguments[n++] = output;
  arguments[n++] = target;
  if (strcmp(o->device, "reference") != 0 && !o->check)
    arguments[n++] = "--no-reference";
  if (!o->check)
    arguments[n++] = "--no-graphs";
  if (o->stages)
    arguments[n++] = "--stages";
  for (int i = 0; i < o->numCompileOptions; ++i)
    arguments[n++] = o->compileOptions[i];
  status = runCompiler(arguments);
  free(arguments);
  return status;
}

/// Whether "NAME=..." names a size that the model leaves open.
static bool isOpenSize(const Run *run, const char *text) {
  size_t length = strcspn(text, "=");
  for (int64_t i = 0; i < stitchModelNumSymbols(run->model); ++i) {
    const char *name = stitchModelSymbol(run->model, i).name;
    if (strlen(name) == length && memcmp(name, text, length) == 0)
      return true;
  }
  return false;
}

/// The sizes among the options of stitch-compile that stay, then those of the run. Returns how many arguments that is;
/// the texts of the latter are in `texts`.
static int referenceDims(const RunOptions *o, const Run *run, const char **arguments, char (*texts)[DIM_BYTES]) {
  static const char prefix[] = "--dim=";
  int n = 0;
  for (int i = 0; i < o->numCompileOptions; ++i) {
    const char *option = o->compileOptions[i];
    bool isPair = strcmp(option, "--dim") == 0 && i + 1 < o->numCompileOptions;
    bool isOne = strncmp(option, prefix, sizeof(prefix) - 1) == 0;
    const char *text = isPair ? o->compileOptions[++i] : option + sizeof(prefix) - 1;
    if ((!isPair && !isOne) || isOpenSize(run, text))
      continue;
    arguments[n++] = "--dim";
    arguments[n++] = text;
  }
  for (int64_t i = 0; i < stitchModelNumSymbols(run->model); ++i) {
    snprintf(texts[i], DIM_BYTES, "--dim=%s=%lld", stitchModelSymbol(run->model, i).name, (long long)run->values[i]);
    arguments[n++] = texts[i];
  }
  return n;
}

/// The reference alone, for the sizes of the run.
static StitchStatus compileForReference(const RunOptions *o, const Run *run, const char *output) {
  char compiler[PATH_BYTES];
  toolFindProgram("stitch-compile", compiler, sizeof(compiler));
  int64_t numSymbols = stitchModelNumSymbols(run->model);
  const char **arguments = calloc((size_t)(2 * o->numCompileOptions + numSymbols) + 6, sizeof(*arguments));
  char (*texts)[DIM_BYTES] = calloc((size_t)numSymbols + 1, sizeof(*texts));
  StitchStatus status = arguments && texts ? NULL : stitchStatusOutOfMemory();
  if (!status) {
    const char *fixed[] = {compiler, o->model, "-o", output, "--target=none"};
    memcpy(arguments, fixed, sizeof(fixed));
    referenceDims(o, run, arguments + sizeof(fixed) / sizeof(fixed[0]), texts);
    status = runCompiler(arguments);
  }
  free(texts);
  free(arguments);
  return status;
}

typedef StitchStatus (*CompileFunction)(const RunOptions *o, const Run *run, const char *output);

static StitchStatus compileAndLoad(const RunOptions *o, const Run *run, CompileFunction compile, StitchModel **model) {
  const char *root = getenv("TMPDIR");
  char folder[PATH_BYTES], file[PATH_BYTES + 16];
  int length = snprintf(folder, sizeof(folder), "%s/stitch-run-XXXXXX", root && *root ? root : "/tmp");
  if (length >= (int)sizeof(folder) || !mkdtemp(folder))
    return stitchStatusMake(STITCH_IO_ERROR, "cannot create the folder '%s': %s", folder, strerror(errno));
  snprintf(file, sizeof(file), "%s/model.so", folder);
  StitchStatus status = compile(o, run, file);
  if (!status)
    status = stitchModelLoad(file, model);
  unlink(file); // an open model does not need its name
  rmdir(folder);
  return status;
}

StitchStatus openModel(const RunOptions *o, StitchModel **model) {
  bool isModel = strcmp(o->model, "-") != 0;
  StitchStatus status = isModel ? isModelFile(o->model, &isModel) : NULL;
  if (status)
    return status;
  if (isModel && o->numCompileOptions)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "'%s' is compiled already: it takes no options of stitch-compile",
                            o->model);
  return isModel ? stitchModelLoad(o->model, model) : compileAndLoad(o, NULL, compileForDevice, model);
}

/// Whether a reference has the inputs and outputs of the run.
static StitchStatus checkReference(const RunOptions *o, const Run *run) {
  bool fits = stitchModelNumSymbols(run->reference) == 0 && stitchModelNumInputs(run->reference) == run->numInputs &&
              stitchModelNumOutputs(run->reference) == run->numOutputs;
  for (int64_t i = 0; fits && i < run->numInputs; ++i) {
    StitchInputInfo info = stitchModelInput(run->reference, i);
    fits = isSameTensor(info.dtype, info.rank, info.dims, run->inputInfos[i].dtype, run->inputInfos[i].rank,
                        run->inputInfos[i].dims);
  }
  for (int64_t i = 0; fits && i < run->numOutputs; ++i) {
    StitchOutputInfo info = stitchModelOutput(run->reference, i);
    fits = isSameTensor(info.dtype, info.rank, info.dims, run->outputInfos[i].dtype, run->outputInfos[i].rank,
                        run->outputInfos[i].dims);
  }
  return fits
             ? NULL
             : stitchStatusMake(STITCH_INVALID_ARGUMENT, "the reference '%s' has other inputs or outputs than this run",
                                o->referenceFile ? o->referenceFile : o->model);
}

StitchStatus openReference(const RunOptions *o, Run *run) {
  if (!o->referenceFile && stitchModelNumSymbols(run->model) == 0) {
    run->reference = stitchModelDescriptor(run->model)->reference ? run->model : NULL;
    return NULL;
  }
  bool isModel = strcmp(o->model, "-") != 0;
  StitchStatus status = isModel ? isModelFile(o->model, &isModel) : NULL;
  if (status)
    return status;
  if (o->referenceFile)
    status = stitchModelLoad(o->referenceFile, &run->reference);
  else if (isModel || strcmp(o->model, "-") == 0)
    return NULL;
  else
    status = compileAndLoad(o, run, compileForReference, &run->reference);
  return status ? status : checkReference(o, run);
}
