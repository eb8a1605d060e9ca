//===- compiler_stages.c - the stages of a compilation --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the stages of compile.c's picture: reading, simplifying, planning, kernels, machine code, and the parts of
// the model file. A stage runs one textual pipeline, and checks its result.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // vasprintf

#include "compiler/compiler.h"

#include "capi/diagnostics.h"
#include "capi/parse.h"
#include "compiler/planned_model.h"
#include "compiler/report/sequence.h"
#include "dialects/stitch/stitch.h"
#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/mlir/symbol.h"
#include "tools/support/tool_file.h"

#include "mlir-c/Pass.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Text in memory of its own; NULL without memory, after a message.
__attribute__((format(printf, 2, 3))) static char *formatted(Compiler *c, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = NULL;
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length >= 0)
    return text;
  messagesFail(c->messages, "out of memory");
  return NULL;
}

/// The model in memory of its own: a copy of the caller's, with a null byte behind it, or the file's bytes.
static bool readInput(Compiler *c, StitchFile *file) {
  const StitchCompileOptions *o = c->options;
  if (!o->model)
    return messagesCheck(c->messages, toolMapFile(o->name, &file->data, &file->size, &file->isMapped));
  size_t capacity = (o->modelSize / TOOL_FILE_ALIGNMENT + 1) * TOOL_FILE_ALIGNMENT;
  *file = (StitchFile){.data = aligned_alloc(TOOL_FILE_ALIGNMENT, capacity), .size = o->modelSize};
  if (!file->data)
    return messagesFail(c->messages, "out of memory");
  memcpy(file->data, o->model, o->modelSize);
  file->data[o->modelSize] = '\0';
  return true;
}

bool readModel(Compiler *c) {
  StitchFile file = {0};
  if (!beginStage(c, "read") || !readInput(c, &file))
    return false;
  const char *name = c->options->name;
  MlirModule module = stitchParseModule(c->context, file, strcmp(name, "-") == 0 ? "" : name);
  if (mlirModuleIsNull(module)) {
    if (!c->messages->firstError)
      stitchEmitError(mlirLocationFileLineColGet(c->context, mlirStringRefCreateFromCString(name), 0, 0),
                      "the text does not parse, and MLIR's parser gives no reason");
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
  stitchEmitError(mlirOperationGetLocation(op),
                  "'%.*s' is neither StableHLO, TOSA, linalg nor tg that Stitch can compile", (int)name.length,
                  name.data);
  *(bool *)data = false;
  return MlirWalkResultInterrupt;
}

/// Whether the module is a graph: nothing but functions of tg operations.
static bool checkGraph(Compiler *c) {
  bool ok = true;
  mlirOperationWalk(c->graph, checkGraphOp, &ok, MlirWalkPreOrder);
  return ok;
}

/// Keeps a planned model as the kernels, and leaves its graph without the plan.
static bool splitPlan(Compiler *c) {
  c->isPlanned = true;
  c->kernels = mlirOperationClone(c->graph);
  return dissolvePlan(c->graph);
}

/// Whether each operation is to be rounded as the graph has it: of the options of the pipeline the last one counts.
static bool isStrict(const Compiler *c) {
  static const char name[] = "precision=", strict[] = "strict";
  bool is = false;
  for (const char *at = c->pipeline; at && (at = strstr(at, name)); at += strlen(name))
    is = strncmp(at + strlen(name), strict, strlen(strict)) == 0;
  return is;
}

bool makeGraph(Compiler *c) {
  if (!beginStage(c, "simplify"))
    return false;
  if (isPlannedModel(c->graph) && !splitPlan(c))
    return false;
  char *pipeline =
      formatted(c,
                "convert-vhlo-to-stablehlo,remove-shardings,import-resources,select-entry{name=\"%s\"},"
                "stablehlo-refine-shapes{dims=%s padded=%s},"
                "convert-stablehlo-to-tg,convert-tosa-to-tg,convert-linalg-to-tg,"
                "stitch-rules{file=\"%s\" partial=%s},"
                "donate-arguments{pairs=%s},tg-dynamic-dims,tg-decompose,tg-raise-cumulatives{exact=%s},tg-simplify,"
                "tg-dynamic-dims,tg-pack",
                c->options->entry ? c->options->entry : "", c->options->dims ? c->options->dims : "",
                c->options->padding == STITCH_PADDING_ALWAYS ? "true" : "false",
                c->options->rules ? c->options->rules : "", c->options->partialRules ? "true" : "false",
                c->options->donate ? c->options->donate : "", isStrict(c) ? "true" : "false");
  bool ok = pipeline && runPipeline(c, c->graph, pipeline);
  free(pipeline);
  ok = ok && checkGraph(c);
  if (ok)
    statisticsOfGraph(c->graph, &c->statistics);
  return ok;
}

bool beginReference(Compiler *c) {
  return beginBranch(c, BRANCH_REFERENCE, mlirOperationClone(c->graph), "stitch-reference", stitchModelCodeOfReference);
}

bool beginPlainReference(Compiler *c) {
  return beginBranch(c, BRANCH_REFERENCE, mlirOperationClone(c->graph),
                     "stitch-reference{library-dot-min-flops=9223372036854775807}", stitchModelCodeOfPlainReference);
}

enum { LIMITS_BYTES = 80 };

/// The device parameters that not all targets have: one plan serves all of them. Clusters of blocks began with sm_90,
/// products of m16n8k16 with sm_80. Products of warpgroups are sm_90a's; the other targets do the same warp by warp.
static const char *limitsOfTargets(const Targets *targets, char buffer[LIMITS_BYTES]) {
  int least = 90;
  bool hasWarpgroups = false;
  for (int i = 0; i < targets->numArchitectures; ++i) {
    int number = atoi(targets->architectures[i] + strlen("sm_"));
    least = number < least ? number : least;
    hasWarpgroups |= strcmp(targets->architectures[i], "sm_90a") == 0;
  }
  const char *products = hasWarpgroups && least >= 80 ? ", product_warps = 4" : "";
  if (least >= 80)
    snprintf(buffer, LIMITS_BYTES, "%s%s", least >= 90 ? "" : ", cluster_blocks = 1", products);
  else
    snprintf(buffer, LIMITS_BYTES, ", cluster_blocks = 1, arch = %d", least);
  return buffer;
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
  return c->device || messagesFail(c->messages, "out of memory");
}

/// The attribute of the device; null after a diagnostic.
static MlirAttribute deviceAttr(Compiler *c) {
  char limits[LIMITS_BYTES],
      *text = formatted(c, "#stitch.device<%s%s>", c->device, limitsOfTargets(&c->targets, limits));
  MlirAttribute device = {NULL};
  if (text)
    device = mlirAttributeParseGet(c->context, mlirStringRefCreateFromCString(text));
  free(text);
  if (mlirAttributeIsNull(device))
    messagesFail(c->messages, "--device='%s' is no device", c->device);
  return device;
}

bool planModule(Compiler *c, MlirOperation module, const char *options) {
  MlirAttribute device = deviceAttr(c);
  if (mlirAttributeIsNull(device))
    return false;
  irSetAttr(module, "stitch.device", device);
  char *pipeline = formatted(c, "stitch-pipeline{%s}", options);
  bool ok = pipeline && runPipeline(c, module, pipeline);
  free(pipeline);
  return ok;
}

const char *tunedFile(const Compiler *c) { return c->options->tuned ? c->options->tuned : c->options->feedbackFile; }

/// Checks the options of a model that is a plan already: its device and rules are fixed.
static bool completePlan(Compiler *c) {
  const char *device = c->options->device;
  if (device || c->options->adaptive || c->options->pipeline || c->options->rules || c->options->donate)
    return messagesFail(c->messages,
                        "'%s' is a plan already: --device, --adaptive, --rules, --donate and --pipeline do not go with "
                        "it",
                        c->options->name);
  const char *file = c->options->templates ? c->options->templates : tunedFile(c) ? tunedFile(c) : "";
  char *pipeline = formatted(c, "stitch-templates{file=\"%s\" warn=%s},%sstitch-verify-plan", file,
                             c->options->templates ? "false" : "true", *file ? "stitch-prefetch," : "");
  bool ok = pipeline && runPipeline(c, c->kernels, pipeline);
  free(pipeline);
  return ok;
}

/// The result of plan=patterns can be printed and measured, but is not the model.
static bool checkPlan(Compiler *c) {
  static const char type[] = "function_type";
  StitchEmit emit = c->options->emit;
  bool isPlan = emit == STITCH_EMIT_PLAN || emit == STITCH_EMIT_TEMPLATES || emit == STITCH_EMIT_CANDIDATES;
  MlirAttribute graph = irGetAttr(irFindFunction(c->graph, "main"), type);
  if (isPlan || mlirAttributeEqual(graph, irGetAttr(irFindFunction(c->kernels, "main"), type)))
    return true;
  return messagesFail(c->messages, "plan=patterns does not compute the model: it is for --emit=plan and stitch-tune");
}

static bool makeWholePlan(Compiler *c) {
  if (!beginStage(c, "plan"))
    return false;
  if (c->isPlanned)
    return completePlan(c);
  c->kernels = mlirOperationClone(c->graph);
  return planModule(c, c->kernels, c->pipeline) && checkPlan(c);
}

/// Exponentials of attention are counted by tg-error-bounds wherever they may be such.
static MlirWalkResult findApproximation(MlirOperation op, void *found) {
  if (irHasAttr(op, "stitch.attention"))
    return MlirWalkResultSkip;
  *(bool *)found |= irHasAttr(op, "tg.approximate");
  return *(bool *)found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool takeFigures(Compiler *c) {
  if (!beginStage(c, "figures"))
    return false;
  mlirOperationWalk(c->kernels, findApproximation, &c->approximates, MlirWalkPreOrder);
  c->allowsTf32 = irHasAttr(c->kernels, "stitch.tf32");
  c->isInvariant = irHasAttr(c->kernels, IR_INVARIANT_ATTRIBUTE);
  statisticsOfPlan(c->kernels, &c->statistics);
  c->statistics.kernelsUnique = sequenceKernels(c->kernels);
  if (c->options->tuned)
    messagesNote(c->messages, "%lld of %lld kernels are planned by templates of '%s'",
                 (long long)c->statistics.fusionsOfTemplates, (long long)c->statistics.fusions, c->options->tuned);
  return true;
}

bool makePlan(Compiler *c) { return makeWholePlan(c) && takeFigures(c); }

bool makePlanOfKernel(Compiler *c) {
  if (!makeWholePlan(c))
    return false;
  if (!selectKernel(&c->kernels, strtoull(c->options->kernel, NULL, 16)))
    return messagesFail(c->messages, "'%s' has no kernel %s: --emit=templates lists those that there are",
                        c->options->name, c->options->kernel);
  mlirOperationDestroy(c->graph);
  c->graph = mlirOperationClone(c->kernels);
  c->statistics = (Statistics){0};
  if (!dissolvePlan(c->graph))
    return false;
  statisticsOfGraph(c->graph, &c->statistics);
  return takeFigures(c);
}

/// Whether the model keeps the graphs of its launches, for checks.
static bool keepsGraphs(const Compiler *c) { return c->options->emit == STITCH_EMIT_MODEL && !c->options->noGraphs; }

/// Moves the module @graphs out of the kernels' module, whose pipelines know nothing of it.
static void takeGraphs(Compiler *c) {
  IR_FOR_EACH_OP_REPLACING(op, irBody(c->kernels, 0)) {
    if (!irOpIs(op, "builtin.module"))
      continue;
    c->graphs = op;
    mlirOperationRemoveFromParent(op);
  }
}

static bool convertToKernels(Compiler *c) {
  char pass[64];
  snprintf(pass, sizeof(pass), "convert-stitch-to-gpu{graphs=%d stages=%d}", keepsGraphs(c), c->options->stages);
  return runPipeline(c, c->kernels, pass);
}

bool makeKernels(Compiler *c) {
  if (!beginStage(c, "kernels"))
    return false;
  bool ok = convertToKernels(c);
  takeGraphs(c);
  if (ok)
    statisticsOfKernels(c->kernels, &c->statistics);
  return ok;
}

/// Makes the graphs of launches from kernels of their own, because the printed kernels have none.
static bool makeGraphsAlone(Compiler *c) {
  if (!keepsGraphs(c))
    return true;
  c->kernels = mlirOperationClone(c->graph);
  bool ok = planModule(c, c->kernels, c->pipeline) && convertToKernels(c);
  takeGraphs(c);
  mlirOperationDestroy(c->kernels);
  c->kernels = (MlirOperation){NULL};
  return ok;
}

bool readKernels(Compiler *c) {
  if (!beginStage(c, "kernels"))
    return false;
  if (!makeGraphsAlone(c))
    return false;
  MlirModule module = mlirModuleCreateParseFromFile(c->context, mlirStringRefCreateFromCString(c->options->kernels));
  if (mlirModuleIsNull(module))
    return false; // the parser has said why
  c->kernels = mlirModuleGetOperation(module);
  statisticsOfKernels(c->kernels, &c->statistics);
  return true;
}

bool beginHost(Compiler *c) {
  return beginBranch(c, BRANCH_HOST, mlirOperationClone(c->kernels),
                     "func.func(convert-scf-to-cf),convert-host-to-llvm", stitchModelCodeOfHost);
}

/// A copy of a module with its kernels alone.
static MlirOperation cloneKernels(MlirOperation module) {
  MlirOperation copy = mlirOperationClone(module);
  IR_FOR_EACH_OP_REPLACING(op, irBody(copy, 0)) {
    if (!irOpIs(op, "gpu.module"))
      mlirOperationDestroy(op);
  }
  return copy;
}

bool beginSimt(Compiler *c) {
  return beginBranch(c, BRANCH_SIMT, cloneKernels(c->kernels),
                     c->options->checks ? "gpu-to-simt{checks=true}" : "gpu-to-simt", stitchModelCodeOfSimt);
}

/// Where compiled kernels are kept, or "off"; NULL without memory.
static char *cacheFolder(Compiler *c) {
  const char *folder = c->options->cache ? c->options->cache : getenv("STITCH_CACHE");
  if (folder && *folder)
    return formatted(c, "%s", folder);
  const char *home = getenv("XDG_CACHE_HOME");
  if (home && *home)
    return formatted(c, "%s/stitch", home);
  home = getenv("HOME");
  return home && *home ? formatted(c, "%s/.cache/stitch", home) : formatted(c, "off");
}

bool assembleKernels(Compiler *c, MlirOperation module, const char *format, MlirOperation *images) {
  *images = cloneKernels(module);
  char architectures[MAX_ARCHITECTURES * 16] = "";
  for (int i = 0; i < c->targets.numArchitectures; ++i) {
    size_t length = strlen(architectures);
    snprintf(architectures + length, sizeof(architectures) - length, "%s%s", i ? "," : "", c->targets.architectures[i]);
  }
  char *cache = cacheFolder(c);
  char *pipeline =
      cache ? formatted(c, "gpu-to-ptx{arch=%s format=%s cache=\"%s\"}", architectures, format, cache) : NULL;
  bool ok = pipeline && runPipeline(c, *images, pipeline);
  free(pipeline);
  free(cache);
  return ok;
}

bool makeImages(Compiler *c, const char *format) {
  return beginStage(c, format) && assembleKernels(c, c->kernels, format, &c->images);
}

/// Counts the roundings of the graph, with the products that the plan may round to TF32.
static bool countRoundings(Compiler *c) {
  char *pipeline = formatted(c, "%stg-input-roles,tg-error-bounds{approximate=%s}",
                             c->allowsTf32 ? "tg-allow-tf32," : "", c->approximates ? "true" : "false");
  bool ok = pipeline && runPipeline(c, c->graph, pipeline);
  free(pipeline);
  return ok;
}

bool completeProgram(Compiler *c, StitchModelParts *parts) {
  if (!beginStage(c, "write"))
    return false;
  if (!countRoundings(c))
    return false;
  *parts = (StitchModelParts){
      .graph = c->graph,
      .host = c->branches[BRANCH_HOST].module,
      .simt = c->branches[BRANCH_SIMT].module,
      .images = c->images,
      .writesStages = c->options->stages,
      .graphs = c->graphs,
      .reference = c->branches[BRANCH_REFERENCE].module,
  };
  for (int kind = 0; kind < NUM_BRANCHES; ++kind)
    if (c->branches[kind].code)
      parts->code[parts->numCode++] = c->branches[kind].code;
  return true;
}

bool writePrograms(Compiler *c, const StitchModelParts *programs, int count) {
  return mlirLogicalResultIsSuccess(stitchWriteModel(programs, count, c->options->output));
}
