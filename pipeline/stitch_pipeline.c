//===- pipeline.c - stitch-pipeline --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a graph of tg operations to fusions with their plan. `plan` chooses the columns of AStitch's ablation (table 4):
//
//   - xla: the fusion scope of XLA (a reduce, or an expensive operation before a broadcast, ends a kernel); a row is a
//     block
//   - atm: the same scope, with adaptive thread mapping
//   - hdm: exhaustive stitching, also across loops, with hierarchical data management, without dominant merging
//   - astitch: all
//
// tg-dynamic-dims comes before decompositions, which count elements, and behind simplifications, which must keep the
// symbols of types. stitch-verify-plan comes last: a plan that breaks a promise never reaches the code generator.
//
//===----------------------------------------------------------------------===//

#include "pipeline/stitch_pipeline.h"

#include "ir/mlir/arena.h"
#include "stitch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_DEVICE, OPTION_PLAN, OPTION_F32_EPILOGUES };

typedef struct {
  const char *name;
  const char *loops;   ///< what prepares loops
  const char *outline; ///< options of stitch-outline
  const char *behind;  ///< what follows it
  const char *dominants;
  const char *threadMapping;
} PlanKind;

/// Kernels of several loops, and of neighbouring iterations, can then be stitched.
#define LOOPS ",stitch-fuse-loops,stitch-rotate-loops"

static const PlanKind planKinds[] = {
    {"astitch", LOOPS, "", ",stitch-remote{policy=gain}", "", ""},
    {"hdm", LOOPS, "", ",stitch-remote{policy=gain}", "{merge=false}", ""},
    {"atm", "", "scope=xla epilogues=false", "", "{merge=false}", ""},
    {"xla", "", "scope=xla epilogues=false", "", "{merge=false}", "{adaptive=false vectorize=false}"},
};

static const PlanKind *findPlanKind(const char *name) {
  for (size_t i = 0; i < sizeof(planKinds) / sizeof(planKinds[0]); ++i)
    if (strcmp(planKinds[i].name, name) == 0)
      return &planKinds[i];
  return NULL;
}

static char *expandPipeline(const char *const *values, const char **error) {
  const PlanKind *kind = findPlanKind(values[OPTION_PLAN]);
  if (!kind) {
    *error = "plan must be astitch, hdm, atm or xla";
    return NULL;
  }
  const char *format = "tg-dynamic-dims,tg-decompose,tg-fold-empty,stitch-library-types,"
                       "tg-simplify,tg-dynamic-dims,stitch-set-device{device=%s}%s,"
                       "stitch-outline{%s f32-epilogues=%s}%s,stitch-dominants%s,stitch-thread-mapping%s,"
                       "stitch-tiles,stitch-schemes,stitch-buffers,stitch-launch,stitch-verify-plan";
  const char *device = values[OPTION_DEVICE], *f32 = values[OPTION_F32_EPILOGUES];
  char *text = NULL;
  size_t size = 0;
  for (int pass = 0; pass < 2; ++pass) { // its length, then itself
    int length = snprintf(text, size, format, device, kind->loops, kind->outline, f32, kind->behind, kind->dominants,
                          kind->threadMapping);
    if (!text)
      text = irAllocate(size = (size_t)length + 1);
  }
  return text;
}

static const char deviceHelp[] = "preset to plan for, if the module has no stitch.device:"
#define STITCH_DEVICE(name, ...) " " #name
#include "dialects/stitch/devices.def"
#undef STITCH_DEVICE
    ;

static const StitchPassOption options[] = {
    {"device", deviceHelp, STITCH_OPTION_STRING, 0, "h200"},
    {"plan", "astitch, or a part of it: hdm (no dominant merging), atm (scope of XLA), xla (nothing adaptive)",
     STITCH_OPTION_STRING, 0, "astitch"},
    {"f32-epilogues", "true: library calls compute gelu of f32, too, with an approximate tanh (docs/cuda.md)",
     STITCH_OPTION_STRING, 0, "false"},
};

const StitchPipelineInfo stitchPipeline = {
    .argument = "stitch-pipeline",
    .description = "From a graph of tg operations to fusions with their plan",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .expand = expandPipeline,
};

static void ignoreError(MlirStringRef message, void *userData) {
  (void)message;
  (void)userData;
}

MlirLogicalResult stitchAppendPipeline(MlirOpPassManager manager, const char *pipelineOptions,
                                       MlirStringCallback onError, void *userData) {
  const char *given = pipelineOptions ? pipelineOptions : "";
  size_t size = strlen(stitchPipeline.argument) + strlen(given) + 3;
  char *text = irAllocate(size);
  snprintf(text, size, "%s{%s}", stitchPipeline.argument, given);
  MlirLogicalResult result = mlirOpPassManagerAddPipeline(manager, mlirStringRefCreateFromCString(text),
                                                          onError ? onError : ignoreError, userData);
  free(text);
  return result;
}
