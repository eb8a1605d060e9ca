//===- targets.c - fuzz targets -------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/targets.h"

#include "capi/parse.h"
#include "runtime/stitch_runtime.h"
#include "runtime/wirer/index.h"
#include "stitch.h"
#include "tools/support/npy.h"

#include "mlir-c/Diagnostics.h"
#include "mlir-c/Pass.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

//===----------------------------------------------------------------------===//
// The context, and its diagnostics
//===----------------------------------------------------------------------===//

static MlirContext context;
static int numErrors; ///< with a place, since the last input
static volatile int *reading;

static MlirLogicalResult countError(MlirDiagnostic diagnostic, void *data) {
  (void)data;
  bool hasPlace = !mlirLocationEqual(mlirDiagnosticGetLocation(diagnostic), mlirLocationUnknownGet(context));
  numErrors += mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError && hasPlace;
  return mlirLogicalResultSuccess();
}

static void printError(MlirStringRef message, void *data) {
  (void)data;
  fprintf(stderr, "%.*s", (int)message.length, message.data);
}

static MlirPassManager makePipeline(const char *text) {
  MlirPassManager manager = mlirPassManagerCreateOnOperation(context, mlirStringRefCreateFromCString("builtin.module"));
  MlirLogicalResult result = mlirOpPassManagerAddPipeline(mlirPassManagerGetAsOpPassManager(manager),
                                                          mlirStringRefCreateFromCString(text), printError, NULL);
  if (mlirLogicalResultIsSuccess(result))
    return manager;
  fprintf(stderr, "fuzz: cannot make the pipeline '%s'\n", text);
  exit(2);
}

typedef enum {
  IMPORT,
  SELECT,
  TO_GRAPH,
  ANALYSE,
  TO_LINALG,
  TO_PLAN,
  TO_KERNELS,
  TO_HOST,
  TO_SIMT,
  NUM_PIPELINES
} Pipeline;

static const char *const pipelineTexts[NUM_PIPELINES] = {
    [IMPORT] = "convert-vhlo-to-stablehlo,import-resources",
    [SELECT] = "select-entry",
    [TO_GRAPH] = "convert-stablehlo-to-tg,convert-tosa-to-tg,convert-linalg-to-tg,tg-simplify",
    [ANALYSE] = "tg-input-roles,tg-error-bounds",
    [TO_LINALG] = "convert-tg-to-linalg",
    [TO_PLAN] = "stitch-pipeline{device=h200}",
    [TO_KERNELS] = "stitch-verify-plan,convert-stitch-to-gpu",
    [TO_HOST] = "convert-host-to-llvm",
    [TO_SIMT] = "gpu-to-simt",
};
static MlirPassManager pipelines[NUM_PIPELINES];

void targetsPrepare(volatile int *isReading) {
  reading = isReading;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  stitchRegisterEverything(registry);
  // One thread: children are made by fork.
  context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirDialectRegistryDestroy(registry);
  mlirContextSetAllowUnregisteredDialects(context, true);
  mlirContextLoadAllAvailableDialects(context);
  mlirContextAttachDiagnosticHandler(context, countError, NULL, NULL);
  for (int i = 0; i < NUM_PIPELINES; ++i)
    pipelines[i] = makePipeline(pipelineTexts[i]);
}

MlirOperation targetsPlan(const char *text) {
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  MlirPassManager pipeline = makePipeline("stitch-pipeline{device=h200 plan=astitch}");
  MlirOperation planned = mlirModuleGetOperation(module);
  if (mlirModuleIsNull(module) || mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(pipeline, planned))) {
    fprintf(stderr, "fuzz: the graph of a target cannot be planned\n");
    exit(2);
  }
  mlirPassManagerDestroy(pipeline);
  return planned;
}

static MlirModule parse(const Input *input) {
  *reading = 1;
  char *copy = aligned_alloc(64, (input->size + 64) / 64 * 64);
  if (!copy) {
    fprintf(stderr, "fuzz: out of memory\n");
    exit(2);
  }
  memcpy(copy, input->data, input->size);
  copy[input->size] = '\0';
  // Inputs are short: every constant that is written as digits is a weight.
  MlirModule module = stitchParseModuleWithWeights(context, (StitchFile){copy, input->size, false}, "", 1);
  *reading = 0;
  return module;
}

static void appendTo(MlirStringRef part, void *file) { fwrite(part.data, 1, part.length, file); }

Input targetsRewrite(const Input *text, bool asBytecode) {
  MlirModule module = parse(text);
  if (mlirModuleIsNull(module))
    return inputCopy("", 0);
  char *data = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&data, &size);
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsPrintGenericOpForm(flags);
  if (file && asBytecode)
    mlirOperationWriteBytecode(mlirModuleGetOperation(module), appendTo, file);
  else if (file)
    mlirOperationPrintWithFlags(mlirModuleGetOperation(module), flags, appendTo, file);
  mlirOpPrintingFlagsDestroy(flags);
  mlirModuleDestroy(module);
  if (!file || fclose(file) != 0) {
    fprintf(stderr, "fuzz: out of memory\n");
    exit(2);
  }
  Input result = inputCopy(data, size);
  free(data);
  return result;
}

//===----------------------------------------------------------------------===//
// IR
//===----------------------------------------------------------------------===//

static bool runPipeline(Pipeline pipeline, MlirOperation module) {
  return mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(pipelines[pipeline], module));
}

/// On a copy, which may fail.
static bool tryPipeline(Pipeline pipeline, MlirOperation module) {
  MlirOperation copy = mlirOperationClone(module);
  bool success = runPipeline(pipeline, copy);
  mlirOperationDestroy(copy);
  return success;
}

/// Parses an input as a module, and uses it.
typedef bool (*UseModule)(MlirOperation module);

static Outcome runOnModule(const Input *input, UseModule use) {
  numErrors = 0;
  MlirModule module = parse(input);
  bool parses = !mlirModuleIsNull(module), accepted = parses && use(mlirModuleGetOperation(module));
  if (parses)
    mlirModuleDestroy(module);
  else if (numErrors == 0 && (strstr(input->data, "tosa.") || strncmp(input->data, "ML\xefR", 4) == 0))
    return OUTCOME_UNEXPLAINED;
  return accepted ? OUTCOME_ACCEPTED : numErrors > 0 ? OUTCOME_REFUSED : OUTCOME_SILENT;
}

static bool useKernels(MlirOperation module) {
  bool host = tryPipeline(TO_HOST, module);
  return tryPipeline(TO_SIMT, module) && host;
}

static bool usePlan(MlirOperation module) { return runPipeline(TO_KERNELS, module) && useKernels(module); }

static bool useGraph(MlirOperation module) {
  if (!runPipeline(IMPORT, module))
    return false;
  if (tryPipeline(SELECT, module)) // which refuses several functions
    runPipeline(SELECT, module);
  if (!runPipeline(TO_GRAPH, module))
    return false;
  bool ok = tryPipeline(ANALYSE, module);
  ok = tryPipeline(TO_LINALG, module) && ok;
  return runPipeline(TO_PLAN, module) && usePlan(module) && ok;
}

static Outcome runGraph(const Input *input) { return runOnModule(input, useGraph); }
static Outcome runPlan(const Input *input) { return runOnModule(input, usePlan); }
static Outcome runKernels(const Input *input) { return runOnModule(input, useKernels); }

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// A temporary file with the input in it; its name is written to `path`.
static void temporaryFile(const Input *input, char *path, size_t size) {
  const char *folder = getenv("TMPDIR");
  snprintf(path, size, "%s/stitch-fuzz-XXXXXX", folder ? folder : "/tmp");
  int file = mkstemp(path);
  if (file < 0 || write(file, input->data, input->size) != (ssize_t)input->size || close(file) != 0) {
    perror("fuzz: temporary file");
    exit(2);
  }
}

static Outcome outcomeOf(StitchStatus status) {
  if (!status)
    return OUTCOME_ACCEPTED;
  bool says = *stitchStatusMessage(status) != '\0';
  stitchStatusFree(status);
  return says ? OUTCOME_REFUSED : OUTCOME_SILENT;
}

static Outcome runNpy(const Input *input) {
  char path[4096];
  temporaryFile(input, path, sizeof(path));
  ToolNpyArray array;
  const StitchDataType f32 = {STITCH_TYPE_FLOAT, 32, 1}; // decides between types that a file does not tell apart
  StitchStatus status = toolNpyRead(path, f32, &array);
  if (!status)
    toolNpyFree(&array);
  unlink(path);
  return outcomeOf(status);
}

static Outcome runModel(const Input *input) {
  char path[4096];
  temporaryFile(input, path, sizeof(path));
  StitchModel *model = NULL;
  StitchStatus status = stitchModelLoad(path, &model);
  if (!status)
    stitchModelFree(model);
  unlink(path);
  return outcomeOf(status);
}

/// A profile index whose hash is right: the mutation wrote the hash, too.
static Outcome runIndex(const Input *input) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325); // FNV-1a
  for (size_t i = 0; i < input->size; ++i)
    hash = (hash ^ (uint8_t)input->data[i]) * UINT64_C(0x100000001b3);
  char end[32], path[4096], lock[4104];
  int length = snprintf(end, sizeof(end), "end %016" PRIx64 "\n", hash);
  Input sealed = inputCopy(input->data, input->size + (size_t)length);
  memcpy(sealed.data + input->size, end, (size_t)length + 1);
  temporaryFile(&sealed, path, sizeof(path));
  inputFree(&sealed);
  StitchIndex index = {0};
  StitchStatus status = stitchIndexSynchronize(&index, path, "model");
  stitchIndexDestroy(&index);
  snprintf(lock, sizeof(lock), "%s.lock", path);
  unlink(lock);
  unlink(path);
  return outcomeOf(status);
}

/// Plans the graph with a file that decides something, which an option of the pipeline names.
static Outcome runDecisions(const Input *input, const char *option) {
  char path[4096], text[4200];
  temporaryFile(input, path, sizeof(path));
  snprintf(text, sizeof(text), "stitch-pipeline{device=h200 plan=astitch %s=%s}", option, path);
  MlirPassManager pipeline = makePipeline(text);
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(targetsKernel));
  numErrors = 0;
  bool accepted = mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(pipeline, mlirModuleGetOperation(module)));
  mlirPassManagerDestroy(pipeline);
  mlirModuleDestroy(module);
  unlink(path);
  return accepted ? OUTCOME_ACCEPTED : numErrors > 0 ? OUTCOME_REFUSED : OUTCOME_SILENT;
}

static Outcome runRules(const Input *input) { return runDecisions(input, "rules"); }
static Outcome runTuned(const Input *input) { return runDecisions(input, "tuned"); }

static Outcome runTemplatesOf(const Input *input) {
  char path[4096];
  temporaryFile(input, path, sizeof(path));
  Outcome outcome = runTemplates(path);
  unlink(path);
  return outcome;
}

const Target targets[] = {
    {"graph", "StableHLO, TOSA, linalg or tg: conversion, simplification, planning, kernels, host code", true, false,
     runGraph},
    {"plan", "what stitch-compile --emit=plan prints: verification, kernels, host code", true, false, runPlan},
    {"kernels", "what stitch-compile --emit=gpu prints: host code, coroutines", true, false, runKernels},
    {"templates", "what stitch-compile --emit=templates prints: kernels planned so", false, true, runTemplatesOf},
    {"rules", "files of rules: the plan of a graph", false, true, runRules},
    {"tuned", "what stitch-tune has found to be fastest: the plan of a graph", false, true, runTuned},
    {"index", "profile indexes, with the hash that they must have", false, true, runIndex},
    {"npy", "NumPy's files", false, false, runNpy},
    {"model", "model files, as far as loading them", false, false, runModel},
    {NULL, NULL, false, false, NULL},
};
