//===- tg_simplify.c - tg-simplify ---------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APOLLO section 3. Takes a module of functions of tg operations that call each other. Leaves the same without calls
// and without private functions, folded, without common subexpressions and dead operations, to a fixed point. The
// identities are the folders and canonicalisation patterns of the dialect (dialects/tg/tg_fold*.cpp and
// tg_canonicalize.cpp). Transposes around a dot end in its dimension numbers, so no operand of a dot is transposed in
// memory.
//
// A round is a canonicalisation, which runs to its own fixed point, and a CSE. Only if CSE merged something can
// another round find more: the rounds end with the first CSE that merges nothing. Then tg-count-loops counts loops.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "dialects/tg/tg_patterns.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"
#include "stitch.h"

#include "mlir-c/Support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_WITHOUT, OPTION_REASSOCIATE };
enum { STATISTIC_CALLS, STATISTIC_REMOVED, STATISTIC_ROUNDS };

//===----------------------------------------------------------------------===//
// The call graph
//===----------------------------------------------------------------------===//

typedef enum { UNSEEN, ACTIVE, DONE } FunctionState;

typedef struct {
  MlirOperation op;
  MlirStringRef name;
  FunctionState state;
  intptr_t firstCall, numCalls; ///< in CallGraph.calls
  intptr_t nextCall;            ///< while ACTIVE: the call to look at next
} CalledFunction;

typedef struct {
  CalledFunction *functions; ///< sorted by name
  intptr_t numFunctions, functionCapacity;
  MlirOperation *calls;
  intptr_t numCalls, callCapacity;
} CallGraph;

static int compareNames(MlirStringRef a, MlirStringRef b) {
  size_t length = a.length < b.length ? a.length : b.length;
  int order = length ? memcmp(a.data, b.data, length) : 0;
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compareFunctions(const void *a, const void *b) {
  return compareNames(((const CalledFunction *)a)->name, ((const CalledFunction *)b)->name);
}

static MlirWalkResult collectCall(MlirOperation op, void *userData) {
  CallGraph *graph = userData;
  if (irOpIs(op, "func.call")) {
    IR_RESERVE_ONE(graph->calls, graph->numCalls, graph->callCapacity);
    graph->calls[graph->numCalls++] = op;
  }
  return MlirWalkResultAdvance;
}

static CallGraph buildCallGraph(MlirOperation module) {
  CallGraph graph = {0};
  IR_FOR_EACH_OP(op, mlirModuleGetBody(mlirModuleFromOperation(module))) {
    if (!irOpIs(op, "func.func"))
      continue;
    IR_RESERVE_ONE(graph.functions, graph.numFunctions, graph.functionCapacity);
    CalledFunction *function = &graph.functions[graph.numFunctions++];
    *function = (CalledFunction){.op = op, .firstCall = graph.numCalls};
    function->name = mlirStringAttrGetValue(irGetAttr(op, "sym_name"));
    mlirOperationWalk(op, collectCall, &graph, MlirWalkPreOrder);
    function->numCalls = graph.numCalls - function->firstCall;
  }
  if (graph.numFunctions)
    qsort(graph.functions, (size_t)graph.numFunctions, sizeof(CalledFunction), compareFunctions);
  return graph;
}

static void destroyCallGraph(CallGraph *graph) {
  free(graph->functions);
  free(graph->calls);
}

static MlirStringRef calleeName(MlirOperation call) { return mlirFlatSymbolRefAttrGetValue(irGetAttr(call, "callee")); }

static CalledFunction *findCallee(CallGraph *graph, MlirOperation call) {
  CalledFunction key = {.name = calleeName(call)};
  if (!graph->numFunctions)
    return NULL;
  return bsearch(&key, graph->functions, (size_t)graph->numFunctions, sizeof(CalledFunction), compareFunctions);
}

static bool hasBody(CalledFunction *function) { return !mlirBlockIsNull(irBody(function->op, 0)); }

/// Emits an error at a call that cannot be inlined: of a function without a body, or of one that is being called.
static bool checkCall(MlirOperation call, CalledFunction *callee) {
  MlirStringRef name = calleeName(call);
  if (!callee || !hasBody(callee)) {
    stitchEmitOpError(call, "calls '%.*s', which has no body to inline", (int)name.length, name.data);
    return false;
  }
  if (callee->state == ACTIVE) {
    stitchEmitOpError(call, "calls '%.*s', which calls itself: a recursion cannot be inlined", (int)name.length,
                      name.data);
    return false;
  }
  return true;
}

/// Visits all functions that `root` calls, directly or not. False after an error.
static bool checkCallsFrom(CallGraph *graph, CalledFunction *root, CalledFunction **stack) {
  intptr_t depth = 0;
  stack[depth++] = root;
  root->state = ACTIVE;
  while (depth > 0) {
    CalledFunction *function = stack[depth - 1];
    if (function->nextCall == function->numCalls) {
      function->state = DONE;
      --depth;
      continue;
    }
    MlirOperation call = graph->calls[function->firstCall + function->nextCall++];
    CalledFunction *callee = findCallee(graph, call);
    if (!checkCall(call, callee))
      return false;
    if (callee->state == UNSEEN) {
      callee->state = ACTIVE;
      stack[depth++] = callee;
    }
  }
  return true;
}

static bool checkCalls(CallGraph *graph) {
  CalledFunction **stack = irAllocate(sizeof(CalledFunction *) * (size_t)(graph->numFunctions + 1));
  bool valid = true;
  for (intptr_t i = 0; valid && i < graph->numFunctions; ++i)
    if (graph->functions[i].state == UNSEEN)
      valid = checkCallsFrom(graph, &graph->functions[i], stack);
  free(stack);
  return valid;
}

//===----------------------------------------------------------------------===//
// Inlining
//===----------------------------------------------------------------------===//

/// The inliner leaves calls where an operation of the callee does not let itself be inlined.
static bool checkNoCallsLeft(MlirOperation module) {
  CallGraph graph = buildCallGraph(module);
  for (intptr_t i = 0; i < graph.numCalls; ++i) {
    MlirStringRef name = calleeName(graph.calls[i]);
    stitchEmitOpError(graph.calls[i], "cannot inline '%.*s'", (int)name.length, name.data);
  }
  bool none = graph.numCalls == 0;
  destroyCallGraph(&graph);
  return none;
}

/// `format` with the canonicalisation, without the patterns that are not wanted. The caller frees it.
static char *canonicalizing(StitchPassRun run, const char *format) {
  static const char some[] = "canonicalize{disable-patterns=%s}";
  const char *without = stitchPassGetString(run, OPTION_WITHOUT);
  size_t size = sizeof(some) + strlen(without);
  char *pass = irAllocate(size), *text = irAllocate(size + strlen(format));
  snprintf(pass, size, *without ? some : "canonicalize", without);
  snprintf(text, size + strlen(format), format, pass);
  free(pass);
  return text;
}

static bool inlineCalls(StitchPassRun run, MlirOperation module, int64_t *numCalls) {
  CallGraph graph = buildCallGraph(module);
  bool valid = checkCalls(&graph);
  *numCalls = graph.numCalls;
  destroyCallGraph(&graph);
  if (!valid)
    return false;
  if (*numCalls == 0)
    return true;
  char *inlining = canonicalizing(run, "inline{default-pipeline=%s}"); // which it does in between
  bool succeeded = mlirLogicalResultIsSuccess(stitchPassRunPipeline(run, inlining, module));
  free(inlining);
  return succeeded && checkNoCallsLeft(module);
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

static MlirWalkResult countOp(MlirOperation op, void *count) {
  (void)op;
  ++*(int64_t *)count;
  return MlirWalkResultAdvance;
}

static int64_t countOps(MlirOperation root) {
  int64_t count = 0;
  mlirOperationWalk(root, countOp, &count, MlirWalkPreOrder);
  return count;
}

static bool canonicalize(StitchPassRun run, MlirOperation module) {
  char *text = canonicalizing(run, "func.func(%s)");
  bool succeeded = mlirLogicalResultIsSuccess(stitchPassRunPipeline(run, text, module));
  free(text);
  return succeeded;
}

static bool simplifyToFixedPoint(StitchPassRun run, MlirOperation module, int64_t *numRounds) {
  int64_t merged;
  *numRounds = 0;
  do {
    ++*numRounds;
    if (!canonicalize(run, module))
      return false;
    int64_t before = countOps(module);
    if (mlirLogicalResultIsFailure(stitchPassRunPipeline(run, "func.func(cse)", module)))
      return false;
    merged = before - countOps(module);
  } while (merged > 0);
  return true;
}

static MlirWalkResult findLoop(MlirOperation op, void *found) {
  *(bool *)found |= tgKindOf(op) == TG_while;
  return *(bool *)found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/// Counting needs constants folded; a loop that never runs is then folded too.
static bool simplifyLoops(StitchPassRun run, MlirOperation module) {
  bool hasLoops = false;
  mlirOperationWalk(module, findLoop, &hasLoops, MlirWalkPreOrder);
  return !hasLoops ||
         (mlirLogicalResultIsSuccess(stitchPassRunPipeline(run, "tg-count-loops", module)) &&
          canonicalize(run, module) && mlirLogicalResultIsSuccess(stitchPassRunPipeline(run, "tg-hoist", module)));
}

/// False, after an error, if a pattern that is not wanted is not there.
static bool checkWithout(StitchPassRun run, MlirOperation module) {
  for (const char *name = stitchPassGetString(run, OPTION_WITHOUT); *name;) {
    size_t length = strcspn(name, ",");
    if (!tgHasPattern(mlirOperationGetContext(module), mlirStringRefCreate(name, length))) {
      stitchEmitOpError(module, "tg-simplify: no pattern is called '%.*s' (dialects/tg/tg_canonicalize*.cpp)",
                        (int)length, name);
      return false;
    }
    name += length + (name[length] == ',');
  }
  return true;
}

static bool simplifyModule(StitchPassRun run, MlirOperation module, int64_t *numCalls, int64_t *numRounds) {
  return checkWithout(run, module) && inlineCalls(run, module, numCalls) &&
         mlirLogicalResultIsSuccess(stitchPassRunPipeline(run, "symbol-dce", module)) &&
         simplifyToFixedPoint(run, module, numRounds) && simplifyLoops(run, module);
}

static void simplify(StitchPassRun run, MlirOperation module) {
  static const char reassociate[] = "tg.reassociate"; // which the patterns look for
  int64_t before = countOps(module), calls, rounds;
  bool reassociates = stitchPassGetBool(run, OPTION_REASSOCIATE);
  if (reassociates)
    irSetAttr(module, reassociate, mlirUnitAttrGet(mlirOperationGetContext(module)));
  bool succeeded = simplifyModule(run, module, &calls, &rounds);
  if (reassociates)
    mlirOperationRemoveAttributeByName(module, mlirStringRefCreateFromCString(reassociate));
  if (!succeeded) {
    stitchPassSignalFailure(run);
    return;
  }
  int64_t after = countOps(module);
  stitchPassAddStatistic(run, STATISTIC_CALLS, calls);
  stitchPassAddStatistic(run, STATISTIC_REMOVED, before - after);
  stitchPassAddStatistic(run, STATISTIC_ROUNDS, rounds);
  stitchRemark(module, "tg-simplify: %" PRId64 " operations became %" PRId64 ": %" PRId64 " calls, %" PRId64 " rounds",
               before, after, calls, rounds);
}

static const StitchPassOption options[] = {
    {"without",
     "patterns of dialects/tg/tg_canonicalize*.cpp that are not applied, by name and with commas between: SliceOfPad, "
     "say",
     STITCH_OPTION_STRING, 0, ""},
    {"reassociate",
     "sums, products and quotients of floats are put together as those of real numbers (docs/precision.md)",
     STITCH_OPTION_BOOL, 0, NULL},
};

static const StitchValidValues valid[] = {
    {"without", "~[A-Za-z0-9_]+(,[A-Za-z0-9_]+)*~names of patterns, with commas between"},
};

static const StitchPassStatistic statistics[] = {
    [STATISTIC_CALLS] = {"calls", "calls, all of which were inlined"},
    [STATISTIC_REMOVED] = {"removed-ops", "operations before minus operations after"},
    [STATISTIC_ROUNDS] = {"rounds", "canonicalisations until nothing changed"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo tgSimplifyPass = {
    .argument = "tg-simplify",
    .description =
        "Inline calls, fold, and remove common subexpressions, dead operations and needless movement of data",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = 3,
    .dependentDialects = dialects,
    .numDependentDialects = 2,
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .run = simplify,
};
