//===- compile.c - from a model's text to its model file -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   text ── import, simplify, analyse ──> graph ── plan ──> stitch.fusion ── kernels ──> gpu.module + host function
//                                           │                                  │           │           │
//                                           └── reference ──> LLVM             simt        images: PTX   host
//
// A module is cloned where the picture forks, so that each branch is a pipeline of its own.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // vasprintf

#include "tools/stitch-compile/compile.h"

#include "capi/bytecode.h"
#include "capi/diagnostics.h"
#include "capi/llvm.h"
#include "dialects/stitch/stitch.h"
#include "ir/build.h"
#include "ir/nesting.h"
#include "ir/query.h"
#include "ir/symbol.h"
#include "ir/tg.h"
#include "lowering/model_file/model_file.h"
#include "stitch.h"
#include "tools/report/report.h"
#include "tools/report/sequence.h"
#include "tools/stitch-compile/messages.h"
#include "tools/stitch-compile/report.h"
#include "tools/stitch-compile/statistics.h"
#include "tools/support/file.h"
#include "tools/support/progress.h"

#include "mlir-c/Dialect/GPU.h"
#include "mlir-c/Pass.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The modules of a compilation; each is null until it is made.
typedef struct {
  const CompileOptions *options;
  MlirContext context;
  ToolProgress *progress;
  bool hasErrors; ///< any that MLIR or a pass has reported
  Statistics statistics;
  char *device; ///< the figures of #stitch.device<...> that the model is planned for
  MlirOperation graph;
  MlirOperation kernels; ///< the plan, then kernels and host function
  MlirOperation host;
  MlirOperation simt;
  MlirOperation images;
  MlirOperation reference;
} Compiler;

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

/// The text goes through this program only to be refused with a clear message; the parser reads the file again, so that
/// its diagnostics name it.
static bool readModel(Compiler *c) {
  toolProgressBegin(c->progress, "read");
  const char *path = c->options->input;
  char *text = NULL;
  size_t size = 0;
  StitchStatus status = toolReadFile(path, &text, &size);
  if (status) {
    fprintf(stderr, "stitch-compile: error: %s\n", stitchStatusMessage(status));
    stitchStatusFree(status);
    return false;
  }
  bool isInput = strcmp(path, "-") == 0;
  if (!irCheckNesting(isInput ? "<stdin>" : path, text, size) || !stitchCheckBytecode(c->context, text, size)) {
    free(text);
    return false;
  }
  MlirModule module = isInput ? mlirModuleCreateParse(c->context, mlirStringRefCreate(text, size))
                              : mlirModuleCreateParseFromFile(c->context, mlirStringRefCreateFromCString(path));
  free(text);
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

/// Whether the module is a graph: nothing but a function @main of tg operations.
static bool checkGraph(Compiler *c) {
  bool ok = true;
  mlirOperationWalk(c->graph, checkGraphOp, &ok, MlirWalkPreOrder);
  if (ok && mlirOperationIsNull(irFindFunction(c->graph, "main"))) {
    stitchEmitOpError(c->graph, "has no function @main");
    ok = false;
  }
  return ok;
}

/// Any input -> one function @main of tg operations.
static bool makeGraph(Compiler *c) {
  toolProgressBegin(c->progress, "simplify");
  char *pipeline = formatted("stablehlo-refine-shapes{dims=%s},convert-stablehlo-to-tg,convert-tosa-to-tg,"
                             "tg-dynamic-dims,tg-decompose,tg-simplify,tg-dynamic-dims",
                             c->options->dims ? c->options->dims : "");
  bool ok = pipeline && runPipeline(c, c->graph, pipeline);
  free(pipeline);
  ok = ok && checkGraph(c);
  if (ok)
    statisticsOfGraph(c->graph, &c->statistics);
  return ok;
}

/// Whether sizes of the graph's inputs stay open (ir/symbol.h).
static bool hasOpenSizes(Compiler *c) {
  MlirOperation main = irFindFunction(c->graph, "main");
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(irBody(main, 0)); ++i)
    if (!mlirAttributeIsNull(irSymbolOfArgument(main, i).name))
      return true;
  return false;
}

/// The reference is made for known sizes: a model of its own.
static bool wantsReference(Compiler *c) {
  return c->options->emit == EMIT_SO && c->options->reference && !hasOpenSizes(c);
}

static bool makeReference(Compiler *c) {
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

/// The device is that of the command line, or else the model's own.
static bool chooseDevice(Compiler *c) {
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

/// Plans a module for the device, with options of stitch-pipeline.
static bool planModule(Compiler *c, MlirOperation module, const char *options) {
  MlirAttribute device = deviceAttr(c);
  if (mlirAttributeIsNull(device))
    return false;
  irSetAttr(module, "stitch.device", device);
  char *pipeline = formatted("stitch-pipeline{%s}", options);
  bool ok = pipeline && runPipeline(c, module, pipeline);
  free(pipeline);
  return ok;
}

static bool makePlan(Compiler *c) {
  toolProgressBegin(c->progress, "plan");
  c->kernels = mlirOperationClone(c->graph);
  if (!planModule(c, c->kernels, c->options->pipeline))
    return false;
  toolProgressBegin(c->progress, "figures");
  statisticsOfPlan(c->kernels, &c->statistics);
  c->statistics.kernelsUnique = sequenceKernels(c->kernels);
  return true;
}

static bool makeKernels(Compiler *c) {
  toolProgressBegin(c->progress, "kernels");
  bool ok = runPipeline(c, c->kernels, "convert-stitch-to-gpu");
  if (ok)
    statisticsOfKernels(c->kernels, &c->statistics);
  return ok;
}

/// What --emit=gpu has printed.
static bool readKernels(Compiler *c) {
  toolProgressBegin(c->progress, "kernels");
  MlirModule module = mlirModuleCreateParseFromFile(c->context, mlirStringRefCreateFromCString(c->options->kernels));
  if (mlirModuleIsNull(module))
    return false; // the parser has said why
  c->kernels = mlirModuleGetOperation(module);
  statisticsOfKernels(c->kernels, &c->statistics);
  return true;
}

static bool makeHost(Compiler *c) {
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

static bool makeSimt(Compiler *c) {
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

static bool makeImages(Compiler *c, const char *format) {
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

/// Has the graph say what the runtime wants to know of its inputs and outputs, and writes the file.
static bool writeModel(Compiler *c) {
  toolProgressBegin(c->progress, "write");
  if (!runPipeline(c, c->graph, "tg-input-roles,tg-error-bounds"))
    return false;
  StitchModelParts parts = {
      .graph = c->graph,
      .host = c->host,
      .simt = c->simt,
      .images = c->images,
      .reference = c->reference,
  };
  return mlirLogicalResultIsSuccess(stitchWriteModel(&parts, c->options->output));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static bool emitText(Compiler *c, const char *data, size_t size) {
  StitchStatus status = toolWriteFile(c->options->output ? c->options->output : "-", data, size);
  if (!status)
    return true;
  fprintf(stderr, "stitch-compile: error: %s\n", stitchStatusMessage(status));
  stitchStatusFree(status);
  return false;
}

static void printTo(MlirStringRef part, void *file) { fwrite(part.data, 1, part.length, file); }

static bool emitModule(Compiler *c, MlirOperation module) {
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

/// The PTX or cubin of the one architecture that --target names.
static bool emitImage(Compiler *c) {
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

static bool hasKernelTarget(const CompileOptions *o) { return o->simt || o->numArchitectures > 0; }

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

/// Plans the graph once more, to hear every remark, and once as XLA would fuse it, to compare.
static bool makeReport(Compiler *c) {
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

/// The whole compilation, up to the stage that is asked for.
static bool compile(Compiler *c) {
  const CompileOptions *o = c->options;
  if (!readModel(c) || !chooseDevice(c) || !makeGraph(c))
    return false;
  if (o->emit == EMIT_TG)
    return emitModule(c, c->graph);
  if (wantsReference(c) && !makeReference(c))
    return false;
  if (o->emit == EMIT_SO && !hasKernelTarget(o)) {
    if (wantsReference(c))
      return writeModel(c);
    fprintf(stderr, "stitch-compile: error: the reference alone needs one size for each dimension: --dim b=8\n");
    return false;
  }
  if (!o->kernels && (!makePlan(c) || (o->reportFile && !makeReport(c))))
    return false;
  if (o->emit == EMIT_REPORT)
    return true;
  if (o->emit == EMIT_PLAN)
    return emitModule(c, c->kernels);
  if (o->kernels ? !readKernels(c) : !makeKernels(c))
    return false;
  if (o->emit == EMIT_GPU)
    return emitModule(c, c->kernels);
  if (o->emit == EMIT_NVVM)
    return makeImages(c, "nvvm") && emitModule(c, c->images);
  if (o->emit == EMIT_PTX || o->emit == EMIT_CUBIN)
    return makeImages(c, o->emit == EMIT_PTX ? "isa" : "cubin") && emitImage(c);
  return makeHost(c) && (!o->simt || makeSimt(c)) &&
         (o->numArchitectures == 0 || makeImages(c, o->cubins ? "all" : "isa")) && writeModel(c);
}

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

static MlirContext createContext(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  stitchRegisterEverything(registry);
  mlirDialectHandleInsertDialect(stitchGetLoweringToLLVMHandle(), registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirDialectRegistryDestroy(registry);
  // Exporters leave attributes of dialects that say nothing about what is computed (mhlo.sharding).
  mlirContextSetAllowUnregisteredDialects(context, true);
  mlirContextLoadAllAvailableDialects(context);
  return context;
}

static void destroyCompiler(Compiler *c) {
  MlirOperation modules[] = {c->graph, c->kernels, c->host, c->simt, c->images, c->reference};
  for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); ++i)
    if (!mlirOperationIsNull(modules[i]))
      mlirOperationDestroy(modules[i]);
  free(c->device);
  mlirContextDestroy(c->context);
  toolProgressDestroy(c->progress);
}

/// What would only be found out at the end.
static bool checkOutput(Compiler *c, const char *path) {
  if (!path || strcmp(path, "-") == 0)
    return true;
  return mlirLogicalResultIsSuccess(
      stitchCheckOutputPath(mlirLocationUnknownGet(c->context), path, c->options->emit == EMIT_SO));
}

bool compileModel(const CompileOptions *options) {
  Compiler c = {.options = options, .context = createContext(), .progress = toolProgressCreate("stitch-compile")};
  printDiagnostics(c.context, &c.hasErrors);
  stitchEnableRemarks(c.context, options->remarks);
  bool ok = checkOutput(&c, options->output) && checkOutput(&c, options->statsFile) &&
            checkOutput(&c, options->reportFile) && compile(&c);
  toolProgressEnd(c.progress);
  if (ok && options->statsFile)
    ok = writeReport(options, c.device, &c.statistics, c.progress);
  destroyCompiler(&c);
  return ok;
}
