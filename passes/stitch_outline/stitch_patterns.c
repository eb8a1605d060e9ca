//===- stitch_patterns.c - stitch-patterns -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching 4.3: patterns that the cost model may misjudge are to be measured. Takes graphs of tg operations.
// Replaces them by a function @main that has each complex pattern of algorithms 1 and 2 as a kernel with its whole
// plan. The tool stitch-tune --patterns times these. With the file that it writes (stitch-measured)
// plan=fusionstitching, cheapest and best choose by measured times.
//
// Complex are, as in the paper, patterns with reductions of different kinds (of rows, of columns, to a scalar) and
// patterns with products and reductions. Of more than `most` different ones those stay that save most by the model: the
// time of their operations as kernels of their own less theirs.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/plan/plan.h"
#include "passes/common/fusions.h"
#include "passes/common/kernel_list.h"
#include "passes/common/kernel_module.h"
#include "passes/common/plan_kinds.h"
#include "passes/common/plan_module.h"
#include "passes/stitch_outline/patterns/patterns.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_MOST };
enum { STATISTIC_PATTERNS, STATISTIC_COMPLEX, STATISTIC_KERNELS };

/// Nanoseconds that a pattern saves: on its fusion until they have been compared.
#define SAVED "stitch.saved_ns"

//===----------------------------------------------------------------------===//
// Which are complex
//===----------------------------------------------------------------------===//

enum { REDUCES_ROWS = 1, REDUCES_COLUMNS = 2, REDUCES_ALL = 4 };

/// The space of a reduce, by the last of its operand's dimensions.
static int kindOfReduce(MlirOperation op) {
  IrShape from = irShapeOf(irOperand(op, 0)), to = irShapeOf(irResult(op, 0));
  if (irNumElements(to) == 1)
    return REDUCES_ALL;
  IrShape dims = irGetDims(op, "dims");
  for (intptr_t i = 0; i < dims.rank; ++i)
    if (dims.dims[i] == from.rank - 1)
      return REDUCES_ROWS;
  return REDUCES_COLUMNS;
}

static bool isComplex(const Outline *outline, const Pattern *pattern) {
  int kinds = 0;
  bool hasProduct = false;
  for (int64_t i = 0; i < pattern->count; ++i) {
    MlirOperation op = outline->nodes[pattern->nodes[i]].op;
    if (irOpIs(op, "tg.reduce"))
      kinds |= kindOfReduce(op);
    hasProduct |= irOpIs(op, "tg.dot");
  }
  bool hasSeveral = (kinds & (kinds - 1)) != 0;
  return hasSeveral || (hasProduct && kinds != 0);
}

//===----------------------------------------------------------------------===//
// One graph
//===----------------------------------------------------------------------===//

typedef struct {
  Pattern *pattern;
  double saved;
  int64_t number;
} Proposal;

static int compareProposals(const void *a, const void *b) {
  const Proposal *x = a, *y = b;
  if (x->saved != y->saved)
    return x->saved > y->saved ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/// The cost of a pattern's operations as kernels of their own, less the cost of the pattern.
static double savedBy(const Pattern *pattern, const double *alone) {
  double ns = -pattern->ns;
  for (int64_t i = 0; i < pattern->count; ++i)
    ns += alone[pattern->nodes[i]];
  return ns;
}

static int64_t listProposals(const Patterns *patterns, Proposal *proposals) {
  Outline *outline = patterns->outline;
  double *alone = IR_NEW_ARRAY(&outline->arena, double, outline->numNodes + 1);
  memset(alone, 0, sizeof(*alone) * (size_t)outline->numNodes);
  for (int64_t i = 0; i < patterns->count; ++i)
    if (patterns->data[i].count == 1)
      alone[patterns->data[i].nodes[0]] = patterns->data[i].ns;
  int64_t count = 0;
  for (int64_t i = 0; i < patterns->count; ++i)
    if (isComplex(outline, &patterns->data[i]))
      proposals[count++] = (Proposal){&patterns->data[i], savedBy(&patterns->data[i], alone), i};
  qsort(proposals, (size_t)count, sizeof(*proposals), compareProposals);
  return count;
}

/// Plans proposals in a module within the current one, where they stay until all graphs have theirs.
static bool planProposals(Outline *outline, const Proposal *proposals, int64_t count) {
  Pattern **patterns = IR_NEW_ARRAY(&outline->arena, Pattern *, count + 1);
  for (int64_t i = 0; i < count; ++i)
    patterns[i] = proposals[i].pattern;
  MlirOperation module = patternsModule(outline, patterns, count);
  int64_t number = 0;
  MlirContext context = mlirOperationGetContext(module);
  IR_FOR_EACH_OP(op, irBody(mlirBlockGetFirstOperation(irBody(module, 0)), 0))
    if (irOpIs(op, "stitch.fusion"))
      irSetAttr(op, SAVED, mlirFloatAttrDoubleGet(context, mlirF64TypeGet(context), proposals[number++].saved));
  return planModuleBy(module, PLAN_KERNEL_PASSES);
}

static bool proposeInGraph(StitchPassRun run, MlirBlock block) {
  enum { MOST_OPERATIONS = 1024, MOST_OPERANDS = 256 };
  Outline outline = {.run = run,
                     .block = block,
                     .maxOps = MOST_OPERATIONS,
                     .layers = 2,
                     .maxOperands = MOST_OPERANDS,
                     .maxBytes = INT64_MAX,
                     .epilogues = true,
                     .device = outlineDevice(block)};
  outlinePrepare(&outline);
  Dependences dependences = findDependences(&outline);
  Patterns patterns;
  bool succeeded = proposePatterns(&outline, &dependences, /*all=*/false, &patterns);
  Proposal *proposals = IR_NEW_ARRAY(&outline.arena, Proposal, patterns.count + 1);
  int64_t count = succeeded ? listProposals(&patterns, proposals) : 0;
  stitchPassAddStatistic(run, STATISTIC_PATTERNS, patterns.count);
  stitchPassAddStatistic(run, STATISTIC_COMPLEX, count);
  if (count > 0)
    succeeded = planProposals(&outline, proposals, count);
  destroyPatterns(&patterns);
  irNumberingDestroy(&outline.numbering);
  irArenaDestroy(&outline.arena);
  return succeeded;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

typedef struct {
  MlirOperation fusion;
  double saved;
  int64_t number;
} PatternKernel;

static int compareKernels(const void *a, const void *b) {
  const PatternKernel *x = a, *y = b;
  if (x->saved != y->saved)
    return x->saved > y->saved ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/// The different kernels of all graphs, those first that save most.
static PatternKernel *listKernels(MlirOperation module, int64_t *count) {
  DistinctKernels distinct = distinctKernels(module);
  PatternKernel *kernels = irAllocate(sizeof(*kernels) * (size_t)(distinct.count + 1));
  for (int64_t i = 0; i < distinct.count; ++i) {
    double saved = mlirFloatAttrGetValueDouble(irGetAttr(distinct.data[i].fusion, SAVED));
    kernels[i] = (PatternKernel){distinct.data[i].fusion, saved, i};
  }
  *count = distinct.count;
  qsort(kernels, (size_t)distinct.count, sizeof(*kernels), compareKernels);
  free(distinct.data);
  return kernels;
}

static void makeEmptyMain(MlirOperation module) {
  IrBuilder b = irBuilderAtEnd(irBody(module, 0), mlirOperationGetLocation(module));
  MlirOperation function =
      irOpWithEmptyRegion(&b, "func.func",
                          IR_ATTRS(irString(&b, "sym_name", "main"),
                                   irType(&b, "function_type", mlirFunctionTypeGet(b.context, 0, NULL, 0, NULL))));
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  IrBuilder inside = irBuilderAtEnd(body, b.loc);
  irOp(&inside, "func.return", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(function, 0), body);
}

/// Puts a function with the kernels in the place of everything.
static void replaceGraphs(MlirOperation module, const PatternKernel *kernels, int64_t count) {
  MlirOperation *fusions = irAllocate(sizeof(*fusions) * (size_t)(count + 1)), made = {NULL};
  for (int64_t i = 0; i < count; ++i) {
    fusions[i] = kernels[i].fusion;
    mlirOperationRemoveAttributeByName(fusions[i], mlirStringRefCreateFromCString(SAVED));
  }
  if (count > 0)
    made = kernelModuleOfAll(fusions, count);
  IR_FOR_EACH_OP_REPLACING(op, irBody(module, 0)) {
    mlirOperationRemoveFromParent(op);
    mlirOperationDestroy(op);
  }
  if (count > 0) {
    MlirOperation function = irFindFunction(made, "main");
    mlirOperationRemoveFromParent(function);
    mlirBlockAppendOwnedOperation(irBody(module, 0), function);
    mlirOperationDestroy(made);
  } else {
    makeEmptyMain(module);
  }
  free(fusions);
}

static void runPatterns(StitchPassRun run, MlirOperation module) {
  StitchDevice device;
  int64_t most = stitchPassGetInt(run, OPTION_MOST), count;
  if (!planGetDevice(module, &device)) {
    stitchEmitOpError(module, "stitch-patterns: no device to tell costs for: set stitch.device");
    stitchPassSignalFailure(run);
    return;
  }
  planGraphs(run, module, proposeInGraph);
  PatternKernel *kernels = listKernels(module, &count);
  count = count < most ? count : most;
  stitchPassAddStatistic(run, STATISTIC_KERNELS, count);
  replaceGraphs(module, kernels, count);
  free(kernels);
}

static const StitchPassOption options[] = {
    {"most", "kernels at most, those that save most", STITCH_OPTION_INT, 64, NULL},
};

static const StitchValidValues valid[] = {
    {"most", "1.."},
};

static const StitchPassStatistic statistics[] = {
    {"patterns", "patterns that were proposed"},
    {"complex", "of these, complex ones"},
    {"kernels", "different kernels that are left"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchPatternsPass = {
    .argument = "stitch-patterns",
    .description = "Leave the complex patterns of a graph as kernels, to be measured (FusionStitching 4.3)",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runPatterns,
};
