//===- stitch_templates.c - stitch-templates -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching 5.2 and 5.3: takes fusions with their whole plan, and a file of templates (docs/templates.md), which
// a person has written or stitch-tune. Each fusion that the file has a template for gets the template's mappings, the
// schemes, buffers and launch that follow from them, and the attribute stitch.templated. Fusions that are the same
// kernel have the same template. One that is to be two kernels, as --feedback has found, becomes these, and both may
// have templates, or be divided. A template that cannot be met is an error that says why, or a warning, and the plan
// stays as it was.
//
// With write=true it does the opposite: each fusion gets the attribute stitch.template, the file's text for its plan.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/plan/template_file.h"
#include "passes/common/kernel_cut.h"
#include "passes/common/kernel_list.h"
#include "passes/common/kernel_module.h"
#include "stitch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_FILE, OPTION_WARN, OPTION_WRITE };
enum { STATISTIC_KERNELS, STATISTIC_COVERED, STATISTIC_UNMET, STATISTIC_DIVIDED };

/// Of a fusion that cannot be divided as the file says, while others are.
#define UNDIVIDED "stitch.undivided"

typedef struct {
  StitchPassRun run;
  const char *path;
  TemplateFile file;
  bool warn;
  bool failed;
} TemplatesPass;

static void complain(TemplatesPass *t, MlirOperation fusion, const TemplateEntry *entry, const char *problem) {
  stitchPassAddStatistic(t->run, STATISTIC_UNMET, 1);
  const char *reason = problem ? problem : "out of memory";
  if (t->warn) {
    stitchEmitWarning(mlirOperationGetLocation(fusion), "the template in line %" PRId64 " of '%s' is not used: %s",
                      entry->line, t->path, reason);
    return;
  }
  stitchEmitOpError(fusion, "cannot have the template in line %" PRId64 " of '%s': %s", entry->line, t->path, reason);
  t->failed = true;
}

/// The file's entry for a fusion; NULL: none.
static const TemplateEntry *entryOf(const TemplatesPass *t, MlirOperation fusion) {
  return templateFileFind(&t->file, kernelKeyOf(fusion));
}

static void markTemplated(MlirOperation fusion) {
  irSetAttr(fusion, "stitch.templated", mlirUnitAttrGet(mlirOperationGetContext(fusion)));
}

/// Divides a fusion of which the file says so. False: it stays as it is.
static bool cutKernel(TemplatesPass *t, MlirOperation fusion, const StitchDevice *device) {
  const TemplateEntry *entry = entryOf(t, fusion);
  if (!entry || !kernelCutIsText(entry->text) || irHasAttr(fusion, UNDIVIDED))
    return false;
  KernelCut cut;
  char *problem = NULL;
  bool isMet = kernelCutByText(fusion, entry->text, device, &cut, &problem);
  if (isMet) {
    stitchRemark(fusion, "divided in two kernels, as line %" PRId64 " of '%s' says: %.0f and %.0f ns", entry->line,
                 t->path, cut.costs[0].total, cut.costs[1].total);
    for (int i = 0; i < KERNEL_CUT_PARTS; ++i)
      markTemplated(cut.fusions[i]);
    kernelModuleTake(cut.module, fusion);
    mlirOperationDestroy(cut.module);
    stitchPassAddStatistic(t->run, STATISTIC_DIVIDED, 1);
  } else {
    complain(t, fusion, entry, problem);
    irSetAttr(fusion, UNDIVIDED, mlirUnitAttrGet(mlirOperationGetContext(fusion)));
  }
  free(problem);
  return isMet;
}

/// Divides fusions, and their parts, until none is left to be divided: parts are smaller.
static void divideAll(TemplatesPass *t, MlirOperation module) {
  StitchDevice device;
  bool again = planGetDevice(module, &device);
  while (again && !t->failed) {
    Operations fusions = plannedKernels(module);
    again = false;
    for (intptr_t i = 0; i < fusions.count && !t->failed; ++i)
      again |= cutKernel(t, fusions.data[i], &device);
    free(fusions.data);
  }
  Operations fusions = plannedKernels(module);
  for (intptr_t i = 0; i < fusions.count; ++i)
    mlirOperationRemoveAttributeByName(fusions.data[i], mlirStringRefCreateFromCString(UNDIVIDED));
  free(fusions.data);
}

static void planByTemplate(TemplatesPass *t, MlirOperation fusion) {
  const TemplateEntry *entry = entryOf(t, fusion);
  stitchPassAddStatistic(t->run, STATISTIC_KERNELS, 1);
  char *problem = NULL;
  if (entry && kernelCutIsText(entry->text))
    return; // why it is not divided has been said
  if (entry && kernelApplyTemplate(&fusion, entry->text, &problem)) {
    stitchPassAddStatistic(t->run, STATISTIC_COVERED, 1);
    markTemplated(fusion);
  } else if (entry)
    complain(t, fusion, entry, problem);
  free(problem);
}

static void writeTemplate(MlirOperation fusion) {
  TemplateKernel kernel = templateKernelCreate(fusion);
  char *text = templateOf(&kernel), *entry = irAllocate(strlen(text) + 32);
  sprintf(entry, "kernel %016" PRIx64 "\n%s", kernel.names.key, text);
  irSetAttr(fusion, "stitch.template", irStringAttr(mlirOperationGetContext(fusion), entry));
  free(entry);
  free(text);
  templateKernelDestroy(&kernel);
}

static bool readTemplateFile(TemplatesPass *t, MlirOperation module) {
  char *problem = NULL;
  int64_t line = 0;
  bool ok = templateFileRead(t->path, /*alternatives=*/false, &t->file, &problem, &line);
  if (!ok && line > 0)
    stitchEmitError(mlirLocationFileLineColGet(mlirOperationGetContext(module), mlirStringRefCreateFromCString(t->path),
                                               (unsigned)line, 1),
                    "%s", problem ? problem : "out of memory");
  else if (!ok)
    stitchEmitOpError(module, "stitch-templates: %s", problem ? problem : "out of memory");
  free(problem);
  return ok;
}

static void runTemplates(StitchPassRun run, MlirOperation module) {
  TemplatesPass t = {
      .run = run, .path = stitchPassGetString(run, OPTION_FILE), .warn = stitchPassGetBool(run, OPTION_WARN)};
  if (*t.path)
    t.failed = !readTemplateFile(&t, module);
  if (t.file.count > 0 && !t.failed)
    divideAll(&t, module);
  Operations fusions = plannedKernels(module);
  for (intptr_t i = 0; i < fusions.count && t.file.count > 0 && !t.failed; ++i)
    planByTemplate(&t, fusions.data[i]);
  free(fusions.data);
  fusions = plannedKernels(module); // others are there now
  for (intptr_t i = 0; i < fusions.count && stitchPassGetBool(run, OPTION_WRITE); ++i)
    writeTemplate(fusions.data[i]);
  free(fusions.data);
  templateFileDestroy(&t.file);
  if (t.failed)
    stitchPassSignalFailure(run);
}

static const StitchPassOption options[] = {
    {"file", "templates of kernels (docs/templates.md)", STITCH_OPTION_STRING, 0, NULL},
    {"warn", "a template that cannot be met is a warning, and the plan stays", STITCH_OPTION_BOOL, 0, NULL},
    {"write", "write each plan as an attribute, stitch.template", STITCH_OPTION_BOOL, 0, NULL},
};

static const StitchValidValues valid[] = {
    {"file", "FILE"},
};

static const StitchPassStatistic statistics[] = {
    {"kernels", "kernels that could have a template"},
    {"covered", "kernels that are planned as their template says"},
    {"unmet", "templates that cannot be met"},
    {"divided", "kernels that are two, as the file says"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchTemplatesPass = {
    .argument = "stitch-templates",
    .description = "Plan kernels as their templates say (FusionStitching 5.2)",
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
    .run = runTemplates,
};
