//===- compilation_results.c - the texts of a compilation -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the modules of a compilation. Leaves the texts that --emit asked for: modules, templates, candidates, images,
// the report.
//
//===----------------------------------------------------------------------===//

#include "compiler/compiler.h"

#include "capi/diagnostics.h"
#include "compiler/report/report.h"
#include "ir/mlir/query.h"
#include "ir/plan/rules.h"
#include "ir/plan/template.h"
#include "ir/plan/template_file.h"
#include "passes/common/candidates.h"
#include "passes/common/kernel_list.h"

#include "mlir-c/Dialect/GPU.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void writePart(MlirStringRef part, void *file) { fwrite(part.data, 1, part.length, file); }

bool emitModule(Compiler *c, MlirOperation module) {
  FILE *file = open_memstream(&c->results->text, &c->results->textSize);
  if (file)
    mlirOperationPrint(module, writePart, file);
  return (file && fclose(file) == 0) || messagesFail(c->messages, "out of memory");
}

static bool emitEntries(Compiler *c, bool (*write)(Compiler *c, FILE *file, const StitchDevice *device)) {
  StitchDevice device;
  FILE *file = open_memstream(&c->results->text, &c->results->textSize);
  if (!file)
    return messagesFail(c->messages, "out of memory");
  fprintf(file, TEMPLATE_FILE_HEADER);
  bool ok = planGetDevice(c->kernels, &device) && write(c, file, &device);
  return (fclose(file) == 0 || messagesFail(c->messages, "out of memory")) && ok;
}

static bool writeTemplates(Compiler *c, FILE *file, const StitchDevice *device) {
  DistinctKernels kernels = distinctKernels(c->kernels);
  for (int64_t i = 0; i < kernels.count; ++i) {
    PlanCost cost = {0};
    TemplateKernel kernel = templateKernelCreate(kernels.data[i].fusion);
    char *text = templateOf(&kernel);
    planCostOfFusion(kernels.data[i].fusion, device, &cost);
    fprintf(file, "\nkernel %016" PRIx64 " launches=%" PRId64 " model_ns=%.0f\n%s", kernels.data[i].key,
            kernels.data[i].launches, cost.total, text);
    free(text);
    templateKernelDestroy(&kernel);
  }
  free(kernels.data);
  return true;
}

bool emitTemplates(Compiler *c) { return emitEntries(c, writeTemplates); }

static bool writeCandidates(Compiler *c, FILE *file, const StitchDevice *device) {
  enum { MOST_CANDIDATES = 64 };
  DistinctKernels kernels = distinctKernels(c->kernels);
  bool isOne = kernels.count == 1;
  if (!isOne)
    messagesFail(c->messages, "candidates are of one kernel, and '%s' has %lld: --kernel names one", c->options->name,
                 (long long)kernels.count);
  Candidates candidates = {0};
  if (isOne)
    candidates = candidatesOf(kernels.data[0].fusion, device, (CandidateLimits){.most = MOST_CANDIDATES});
  if (candidates.count > 0)
    stitchRemark(kernels.data[0].fusion, "%lld templates tried, %lld of them among the best that can be planned",
                 (long long)candidates.numTried, (long long)candidates.count);
  for (int64_t i = 0; i < candidates.count; ++i)
    fprintf(file, "\nkernel %016" PRIx64 " model_ns=%.0f\n%s", kernels.data[0].key, candidates.data[i].cost.total,
            candidates.data[i].text);
  candidatesDestroy(&candidates);
  free(kernels.data);
  return isOne;
}

bool emitCandidates(Compiler *c) { return emitEntries(c, writeCandidates); }

bool emitImage(Compiler *c) {
  IR_FOR_EACH_OP(op, irBody(c->images, 0)) {
    if (!irOpIs(op, "gpu.binary"))
      continue;
    MlirAttribute object = mlirArrayAttrGetElement(irGetAttr(op, "objects"), 0);
    MlirStringRef data = mlirGPUObjectAttrGetObject(object);
    size_t length = c->options->emit == STITCH_EMIT_PTX ? strnlen(data.data, data.length) : data.length;
    char *text = malloc(length + 1);
    if (!text)
      return messagesFail(c->messages, "out of memory");
    memcpy(text, data.data, length);
    text[length] = '\0';
    c->results->text = text;
    c->results->textSize = length;
    return true;
  }
  return messagesFail(c->messages, "'%s' has no kernels", c->options->name);
}

static const char *fileName(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool keepPage(Compiler *c, const Report *report) {
  c->results->report = reportPage(report, &c->results->reportSize);
  return c->results->report || messagesFail(c->messages, "out of memory");
}

bool makeReport(Compiler *c) {
  if (!beginStage(c, "report"))
    return false;
  MlirOperation plan = mlirOperationClone(c->graph), fusedAsXla = mlirOperationClone(c->graph);
  rulesSet(fusedAsXla, NULL, 0); // XLA knows none
  Remarks remarks = {0};
  remarksPrepare(plan);
  MlirDiagnosticHandlerID handler = remarksBegin(&remarks, c->context);
  bool ok = planModule(c, plan, c->pipeline);
  remarksEnd(handler, c->context);
  ok = ok && planModule(c, fusedAsXla, "plan=xla");
  if (ok) {
    Statistics xla = {0};
    statisticsOfPlan(fusedAsXla, &xla);
    const char *title = strcmp(c->options->name, "-") == 0 ? "standard input" : fileName(c->options->name);
    Report report = {.title = title, .plan = plan, .statistics = &c->statistics, .xla = &xla, .remarks = &remarks};
    ok = keepPage(c, &report);
  }
  stitchEnableRemarks(c->context, c->options->remarks);
  remarksDestroy(&remarks);
  mlirOperationDestroy(plan);
  mlirOperationDestroy(fusedAsXla);
  return ok;
}
