//===- stitch_measured.c - stitch-measured -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching 4.3, the evaluation of patterns by execution. Takes a module and a file of stitch-tune; leaves it
// with the attribute stitch.measured, in which each kernel that a GPU has timed has its nanoseconds, under its key
// (ir/plan/kernel_names.h). From then on the cost model takes the measured time of such a kernel
// (ir/plan/kernel_cost.h), in patterns as in plans. Times of the device simt are left out: they tell nothing about a
// GPU.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/template_file.h"
#include "stitch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_FILE };
enum { STATISTIC_MEASURED };

static bool isOfGpu(const TemplateEntry *entry) { return strstr(entry->notes, " on=sm_") != NULL; }

static void setMeasured(StitchPassRun run, MlirOperation module, const TemplateFile *file) {
  MlirContext context = mlirOperationGetContext(module);
  MlirNamedAttribute *times = irAllocate(sizeof(*times) * (size_t)(file->count + 1));
  intptr_t count = 0;
  for (int64_t i = 0; i < file->count; ++i) {
    const TemplateEntry *entry = &file->entries[i];
    double ns = templateNote(entry, "tuned_ns", 0);
    char key[PLAN_MEASURED_KEY];
    if (!isOfGpu(entry) || !(ns > 0))
      continue;
    planMeasuredKey(entry->key, key);
    times[count++] = mlirNamedAttributeGet(mlirIdentifierGet(context, mlirStringRefCreateFromCString(key)),
                                           mlirFloatAttrDoubleGet(context, mlirF64TypeGet(context), ns));
  }
  stitchPassAddStatistic(run, STATISTIC_MEASURED, count);
  if (count > 0)
    irSetAttr(module, PLAN_MEASURED, mlirDictionaryAttrGet(context, count, times));
  free(times);
}

static void runMeasured(StitchPassRun run, MlirOperation module) {
  const char *path = stitchPassGetString(run, OPTION_FILE);
  TemplateFile file = {0};
  char *problem = NULL;
  int64_t line = 0;
  if (templateFileRead(path, /*alternatives=*/false, &file, &problem, &line)) {
    setMeasured(run, module, &file);
  } else {
    stitchEmitOpError(module, "stitch-measured: %s:%lld: %s", path, (long long)line,
                      problem ? problem : "out of memory");
    stitchPassSignalFailure(run);
  }
  free(problem);
  templateFileDestroy(&file);
}

static const StitchPassOption options[] = {
    {"file", "a file of stitch-tune (docs/templates.md)", STITCH_OPTION_STRING, 0, NULL},
};

static const StitchValidValues valid[] = {
    {"file", "FILE"},
};

static const StitchPassStatistic statistics[] = {
    {"measured", "kernels with a time"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchMeasuredPass = {
    .argument = "stitch-measured",
    .description = "Have measured times of kernels in place of the cost model's (FusionStitching 4.3)",
    .anchor = "builtin.module",
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runMeasured,
};
