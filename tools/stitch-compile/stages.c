//===- stages.c - the stages of a compilation ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // vasprintf

#include "capi/diagnostics.h"
#include "capi/parse.h"
#include "dialects/stitch/stitch.h"
#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/host/model_file/model_file.h"
#include "tools/report/sequence.h"
#include "tools/stitch-compile/compiler.h"
#include "tools/support/file.h"

#include "mlir-c/Pass.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

static void printError(MlirStringRef message, void *data) {
  (void)data;
  fprintf(stderr, "%.*s", (int)message.length, message.data);
}

/// Text in memory of its own; NULL without memory, after a message.
__attribute__((format(printf, 1, 2))) static char *formatted(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = NULL;
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length >= 0)
    return text;
  fprintf(stderr, "stitch-compile: error: out of memory\n");
  return NULL;
}

/// Runs a textual pipeline on a module.
static bool runPipeline(Compiler *c, MlirOperation module, const char *pipeline) {
  MlirPassManager manager =
      mlirPassManagerCreateOnOperation(c->context, mlirIdentifierStr(mlirOperationGetName(module)));
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  MlirLogicalResult result =
      mlirOpPassManagerAddPipeline(passes, mlirStringRefCreateFromCString(pipeline), printError, NULL);
  if (mlirLogicalResultIsFailure(result))
    fprintf(stderr, "stitch-compile: error: cannot run '%s'\n", pipeline);
  else
    result = mlirPassManagerRunOnOp(manager, module);
  mlirPassManagerDestroy(manager);
  return mlirLogicalResultIsSuccess(result);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

bool readModel(Compiler *c) {
  toolProgressBegin(c->progress, "read");
  const char *path = c->options->input;
  StitchFile file = {0};
  StitchStatus status = toolMapFile(path, &file.data, &file.size, &file.isMapped);
  if (status) {
    fprintf(stderr, "stitch-compile: error: %s\n", stitchStatusMessage(status));
    stitchStatusFree(status);
    return false;
  }
  MlirModule module = stitchParseModule(c->context, file, strcmp(path, "-") == 0 ? "" : path);
  if (mlirModuleIsNull(module)) {
    if (!c->hasErrors)
      fprintf(stderr, "%s: error: the text does not parse, and MLIR's parser gives no reason\n", path);
    return false;
  }
  c->graph = mlirModuleGetOperation(module);
  return true;
}

static MlirWalkResult checkGraphOp(MlirOperation op, void *data) {
  MlirStringRef name = irOpName(op);
  bool known = tgKindOf(op) != TG_NONE || irOpIs(op, "tg.yield") || irOpIs(op, "func.func") ||
               irOpIs(op, "func.return") || irOpIs(op, "builtin.module");
  if (known)
    return MlirWalkResultAdvance;
  stitchEmitError(mlirOperationGetLocation(op), "'%.*s' is neither StableHLO, TOSA nor tg: Stitch cannot compile it",
                  (int)name.length, name.data);
  *(bool *)data = false;
  return MlirWalkResultInterrupt;
}

/// Whether the module is a graph: nothing but functions of tg operations.
static bool checkGraph(Compiler *c) {
  bool ok = true;
  mlirOperationWalk(c->graph, checkGraphOp, &ok, MlirWalkPreOrder);
  return ok;
}

bool makeGraph(Compiler *c) {
  toolProgressBegin(c->progress, "simplify");
  char *pipeline = formatted("convert-vhlo-to-stablehlo,import-resources,select-entry{name=\"%s\"},"
                             "stablehlo-refine-shapes{dims=%s},"
                             "convert-stablehlo-to-tg,convert-tosa-to-tg,tg-dynamic-dims,tg-decompose,tg-simplify,"
                             "tg-dynamic-dims",
                             c->options->entry ? c->options->entry : "", c->options->dims ? c->options->dims : "");
  bool ok = pipeline && runPipeline(c, c->graph, pipeline);
  free(pipeline);
  ok = ok && checkGraph(c);
  if (ok)
    statisticsOfGraph(c->graph, &c->statistics);
  return ok;
}

bool makeReference(Compiler *c) {
  toolProgressBegin(c->progress, "reference");
  c->reference = mlirOperationClone(c->graph);
  return runPipeline(c, c->reference, "stitch-reference");
}

/// Clusters of blocks began with sm_90; one plan serves all targets.
static bool allTargetsHaveClusters(const CompileOptions *options) {
  for (int i = 0; i < options->numArchitectures; ++i)
    if (atoi(options->architectures[i] + strlen("sm_")) < 90)
      return false;
  return true;
}

/// A piece of an attribute's text, appended to the text that there is, if there is memory for it.
static void appendText(MlirStringRef piece, void *data) {
  char **text = data, *longer = NULL;
  if (*text && asprintf(&longer, "%s%.*s", *text, (int)piece.length, piece.data) < 0)
    longer = NULL;
  free(*text);
  *text = longer;
}

/// The figures of a device, as they stand between the angle brackets of its attribute. NULL without memory.
static char *figuresOfDevice(MlirAttribute device) {
  char *text = strdup("");
  mlirAttributePrint(device, appendText, &text);
  char *begin = text ? strchr(text, '<') : NULL, *end = begin ? strrchr(text, '>') : NULL;
  char *figures = end ? strndup(begin + 1, (size_t)(end - begin - 1)) : NULL;
  free(text);
  return figures;
}

bool chooseDevice(Compiler *c) {
  const char *asked = c->options->device ? c->options->device : "h200";
  MlirAttribute own = irGetAttr(c->graph, "stitch.device");
  bool isOwn = !c->options->device && !mlirAttributeIsNull(own) && stitchAttributeIsADevice(own);
  c->device = isOwn ? figuresOfDevice(own) : strdup(asked);
  if (!c->device)
    fprintf(stderr, "stitch-compile: error: out of memory\n");
  return c->device != NULL;
}

/// The attribute of the device; null after a diagnostic.
static MlirAttribute deviceAttr(Compiler *c) {
  char *text =
      formatted("#stitch.device<%s%s>", c->device, allTargetsHaveClusters(c->options) ? "" : ", cluster_blocks = 1");
  MlirAttribute device = {NULL};
  if (text)
    device = mlirAttributeParseGet(c->context, mlirStringRefCreateFromCString(text));
  free(text);
  if (mlirAttributeIsNull(device))
    fprintf(stderr, "stitch-compile: error: --device='%s' is no device\n", c->device);
  return device;
}

bool planModule(Compiler *c, MlirOperation module, const char *options) {
  MlirAttribute device = deviceAttr(c);
  if (mlirAttributeIsNull(device))
    return false;
  irSetAttr(module, "stitch.device", device);
  char *pipeline = formatted("stitch-pipeline{%s}", options);
  bool ok = pipeline && runPipeline(c, module, pipeline);
  free(pipeline);
  return ok;
}

bool makePlan(Compiler *c) {
  toolProgressBegin(c->progress, "plan");
  c->kernels = mlirOperationClone(c->graph);
  if (!planModule(c, c->kernels, c->options->pipeline))
    return false;
  toolProgressBegin(c->progress, "figures");
  statisticsOfPlan(c->kernels, &c->statistics);
  c->statistics.kernelsUnique = sequenceKernels(c->kernels);
  return true;
}

/// Launches are checked where the model is.
static bool keepsGraphs(const Compiler *c) { return c->options->emit == EMIT_SO && c->options->graphs; }

/// Moves the module @graphs out of the kernels' module, whose pipelines know nothing of it.
static void takeGraphs(Compiler *c) {
  IR_FOR_EACH_OP_REPLACING(op, irBody(c->kernels, 0)) {
    if (!irOpIs(op, "builtin.module"))
      continue;
    c->graphs = op;
    mlirOperationRemoveFromParent(op);
  }
}

bool makeKernels(Compiler *c) {
  toolProgressBegin(c->progress, "kernels");
  bool ok = runPipeline(c, c->kernels, keepsGraphs(c) ? "convert-stitch-to-gpu{graphs=true}" : "convert-stitch-to-gpu");
  takeGraphs(c);
  if (ok)
    statisticsOfKernels(c->kernels, &c->statistics);
  return ok;
}

/// What the launches compute is not in the text of the kernels.
static bool makeGraphsAlone(Compiler *c) {
  if (!keepsGraphs(c))
    return true;
  c->kernels = mlirOperationClone(c->graph);
  bool ok = planModule(c, c->kernels, c->options->pipeline) &&
            runPipeline(c, c->kernels, "convert-stitch-to-gpu{graphs=true}");
  takeGraphs(c);
  mlirOperationDestroy(c->kernels);
  c->kernels = (MlirOperation){NULL};
  return ok;
}

bool readKernels(Compiler *c) {
  toolProgressBegin(c->progress, "kernels");
  if (!makeGraphsAlone(c))
    return false;
  MlirModule module = mlirModuleCreateParseFromFile(c->context, mlirStringRefCreateFromCString(c->options->kernels));
  if (mlirModuleIsNull(module))
    return false; // the parser has said why
  c->kernels = mlirModuleGetOperation(module);
  statisticsOfKernels(c->kernels, &c->statistics);
  return true;
}

bool makeHost(Compiler *c) {
  toolProgressBegin(c->progress, "host");
  c->host = mlirOperationClone(c->kernels);
  return runPipeline(c, c->host, "func.func(convert-scf-to-cf),convert-host-to-llvm");
}

/// A copy of the module with the kernels alone.
static MlirOperation cloneKernels(Compiler *c) {
  MlirOperation copy = mlirOperationClone(c->kernels);
  IR_FOR_EACH_OP_REPLACING(op, irBody(copy, 0)) {
    if (!irOpIs(op, "gpu.module"))
      mlirOperationDestroy(op);
  }
  return copy;
}

bool makeSimt(Compiler *c) {
  toolProgressBegin(c->progress, "simt");
  c->simt = cloneKernels(c);
  return runPipeline(c, c->simt, c->options->checks ? "gpu-to-simt{checks=true}" : "gpu-to-simt");
}

/// Where compiled kernels are kept, or "off"; NULL without memory.
static char *cacheFolder(const CompileOptions *options) {
  const char *folder = options->cache ? options->cache : getenv("STITCH_CACHE");
  if (folder && *folder)
    return formatted("%s", folder);
  const char *home = getenv("XDG_CACHE_HOME");
  if (home && *home)
    return formatted("%s/stitch", home);
  home = getenv("HOME");
  return home && *home ? formatted("%s/.cache/stitch", home) : formatted("off");
}

bool makeImages(Compiler *c, const char *format) {
  toolProgressBegin(c->progress, format);
  c->images = cloneKernels(c);
  char architectures[MAX_ARCHITECTURES * 16] = "";
  for (int i = 0; i < c->options->numArchitectures; ++i) {
    size_t length = strlen(architectures);
    snprintf(architectures + length, sizeof(architectures) - length, "%s%s", i ? "," : "",
             c->options->architectures[i]);
  }
  char *cache = cacheFolder(c->options);
  char *pipeline = cache ? formatted("gpu-to-ptx{arch=%s format=%s cache=\"%s\"}", architectures, format, cache) : NULL;
  bool ok = pipeline && runPipeline(c, c->images, pipeline);
  free(pipeline);
  free(cache);
  return ok;
}

bool writeModel(Compiler *c) {
  toolProgressBegin(c->progress, "write");
  if (!runPipeline(c, c->graph, "tg-input-roles,tg-error-bounds"))
    return false;
  StitchModelParts parts = {
      .graph = c->graph,
      .host = c->host,
      .simt = c->simt,
      .images = c->images,
      .graphs = c->graphs,
      .reference = c->reference,
  };
  return mlirLogicalResultIsSuccess(stitchWriteModel(&parts, c->options->output));
}
