//===- results.c - what a compilation prints -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/query.h"
#include "tools/report/report.h"
#include "tools/stitch-compile/compiler.h"
#include "tools/support/file.h"

#include "mlir-c/Dialect/GPU.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool emitText(Compiler *c, const char *data, size_t size) {
  StitchStatus status = toolWriteFile(c->options->output ? c->options->output : "-", data, size);
  if (!status)
    return true;
  fprintf(stderr, "stitch-compile: error: %s\n", stitchStatusMessage(status));
  stitchStatusFree(status);
  return false;
}

static void printTo(MlirStringRef part, void *file) { fwrite(part.data, 1, part.length, file); }

bool emitModule(Compiler *c, MlirOperation module) {
  char *text = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&text, &length);
  if (!file) {
    fprintf(stderr, "stitch-compile: error: out of memory\n");
    return false;
  }
  mlirOperationPrint(module, printTo, file);
  bool ok = fclose(file) == 0 && emitText(c, text, length);
  free(text);
  return ok;
}

bool emitImage(Compiler *c) {
  IR_FOR_EACH_OP(op, irBody(c->images, 0)) {
    if (!irOpIs(op, "gpu.binary"))
      continue;
    MlirAttribute object = mlirArrayAttrGetElement(irGetAttr(op, "objects"), 0);
    MlirStringRef data = mlirGPUObjectAttrGetObject(object);
    size_t length = c->options->emit == EMIT_PTX ? strnlen(data.data, data.length) : data.length;
    return emitText(c, data.data, length);
  }
  fprintf(stderr, "stitch-compile: error: '%s' has no kernels\n", c->options->input);
  return false;
}

static const char *fileName(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool writePage(Compiler *c, const Report *report) {
  size_t size = 0;
  char *page = reportPage(report, &size);
  StitchStatus status = page ? toolWriteFile(c->options->reportFile, page, size) : stitchStatusOutOfMemory();
  free(page);
  if (!status)
    return true;
  fprintf(stderr, "stitch-compile: error: %s\n", stitchStatusMessage(status));
  stitchStatusFree(status);
  return false;
}

bool makeReport(Compiler *c) {
  toolProgressBegin(c->progress, "report");
  MlirOperation plan = mlirOperationClone(c->graph), fusedAsXla = mlirOperationClone(c->graph);
  Remarks remarks = {0};
  remarksPrepare(plan);
  MlirDiagnosticHandlerID handler = remarksBegin(&remarks, c->context);
  bool ok = planModule(c, plan, c->options->pipeline);
  remarksEnd(handler, c->context);
  ok = ok && planModule(c, fusedAsXla, "plan=xla");
  if (ok) {
    Statistics xla = {0};
    statisticsOfPlan(fusedAsXla, &xla);
    const char *title = strcmp(c->options->input, "-") == 0 ? "standard input" : fileName(c->options->input);
    Report report = {.title = title, .plan = plan, .statistics = &c->statistics, .xla = &xla, .remarks = &remarks};
    ok = writePage(c, &report);
  }
  stitchEnableRemarks(c->context, c->options->remarks);
  remarksDestroy(&remarks);
  mlirOperationDestroy(plan);
  mlirOperationDestroy(fusedAsXla);
  return ok;
}
