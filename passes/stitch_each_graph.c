//===- stitch_each_graph.c - stitch-each-graph ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes any operation whose regions have operations of tg, with operations of other dialects between them or not. Runs
// `passes`, which take a module with one function @main of tg operations, on each of its graphs. A module that is one
// graph, with the private functions that it calls, is such a module itself. In others
//
//   - a function that is one graph becomes one with the functions that it calls,
//   - of the operations between those of other dialects (ir/graph/embedded.h), each graph becomes one, for a time,
//     in the place where it is to be computed.
//
// Calls of functions of tg operations belong to the graphs; all other calls are operations like those of other
// dialects. Private functions that nothing calls any more are erased. On anything but a module, functions are not
// looked into, since other threads may be at work there: calls stay.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/embedded.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"
#include "passes/common/graph_calls.h"
#include "stitch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_PASSES, OPTION_WHOLE };

typedef struct {
  StitchPassRun run;
  MlirOperation root;               ///< the planned operation
  GraphCalls *calls;                ///< NULL: calls stay
  MlirNamedAttribute attributes[8]; ///< of stitch, that the passes gave a module of a graph
  int numAttributes;
  int64_t numGraphs;
} Driver;

//===----------------------------------------------------------------------===//
// One graph
//===----------------------------------------------------------------------===//

/// The nearest attribute of that name of an operation and those around it; null if there is none.
static MlirAttribute attributeAround(MlirOperation op, const char *name) {
  MlirAttribute attribute = {NULL};
  for (; mlirAttributeIsNull(attribute) && !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
    attribute = irGetAttr(op, name);
  return attribute;
}

/// A temporary empty module, at the insertion point of `b`, with the device of the planned operation.
static MlirOperation createModule(const Driver *d, IrBuilder *b) {
  MlirOperation module = irOpWithRegions(b, "builtin.module", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS, 1, IR_NO_TYPES);
  MlirAttribute device = attributeAround(d->root, "stitch.device");
  if (!mlirAttributeIsNull(device))
    irSetAttr(module, "stitch.device", device);
  return module;
}

/// Keeps the attributes that the passes put on a whole module.
static void keepAttributes(Driver *d, MlirOperation module) {
  d->numAttributes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(module); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(module, i);
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    bool isKept = name.length > 7 && memcmp(name.data, "stitch.", 7) == 0;
    if (isKept && d->numAttributes < (int)(sizeof(d->attributes) / sizeof(d->attributes[0])))
      d->attributes[d->numAttributes++] = attribute;
  }
}

/// Runs the passes on a module with @main, which is returned; null after a diagnostic.
static MlirOperation runPasses(Driver *d, MlirOperation module) {
  ++d->numGraphs;
  const char *whole = stitchPassGetString(d->run, OPTION_WHOLE);
  if (*whole) {
    stitchEmitOpError(irFindFunction(module, "main"),
                      "is one of several graphs, or one between operations of other dialects, and %s takes a module "
                      "that is one graph",
                      whole);
    return (MlirOperation){NULL};
  }
  const char *passes = stitchPassGetString(d->run, OPTION_PASSES);
  if (mlirLogicalResultIsFailure(stitchPassRunPipeline(d->run, passes, module)))
    return (MlirOperation){NULL};
  keepAttributes(d, module);
  return irFindFunction(module, "main");
}

/// Puts the passes' result for a graph in its place.
static void inlineGraph(const IrEmbeddedGraph *graph, MlirOperation module, MlirOperation main) {
  MlirBlock body = irBody(main, 0);
  for (intptr_t i = 0; i < graph->numInputs; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i), graph->inputs[i]);
  IR_FOR_EACH_OP_REPLACING(op, body) {
    if (mlirOperationIsNull(irNextOp(op)))
      break; // the return
    mlirOperationRemoveFromParent(op);
    mlirBlockInsertOwnedOperationBefore(graph->block, module, op);
  }
}

/// The placeholders of a graph's outputs while it is planned elsewhere: results of an operation without meaning.
static MlirOperation createPlaceholder(const IrEmbeddedGraph *graph, IrBuilder *b) {
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)(graph->numOutputs + 1));
  for (intptr_t i = 0; i < graph->numOutputs; ++i)
    types[i] = mlirValueGetType(graph->outputs[i]);
  MlirOperation op = irOp(b, "builtin.unrealized_conversion_cast", (IrValues){graph->numInputs, graph->inputs},
                          (IrTypes){graph->numOutputs, types}, IR_NO_ATTRS);
  free(types);
  return op;
}

static void erasePlaceholder(MlirOperation placeholder, MlirOperation terminator) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(placeholder); ++i)
    mlirValueReplaceAllUsesOfWith(irResult(placeholder, i), irOperand(terminator, i));
  mlirOperationDestroy(placeholder);
}

static bool planEmbedded(IrEmbeddedGraph *graph, void *data) {
  Driver *d = data;
  if (graph->numOutputs == 0) { // nothing reads it, and it has no side effects
    for (intptr_t i = graph->numOps - 1; i >= 0; --i)
      mlirOperationDestroy(graph->ops[i]);
    return true;
  }
  MlirLocation loc = mlirOperationGetLocation(graph->ops[0]);
  IrBuilder b = mlirOperationIsNull(graph->before) ? irBuilderAtEnd(graph->block, loc) : irBuilderBefore(graph->before);
  b.loc = loc;
  MlirOperation module = createModule(d, &b), placeholder = createPlaceholder(graph, &b);
  IrBuilder inside = irBuilderAtEnd(irBody(module, 0), loc);
  MlirOperation function = irOutlineEmbeddedGraph(graph, &inside, "main");
  MlirValue *values = irAllocate(sizeof(MlirValue) * (size_t)(graph->numOutputs + 1));
  for (intptr_t i = 0; i < graph->numOutputs; ++i)
    values[i] = irResult(placeholder, i);
  irReplaceOutputs(graph, values);
  free(values);
  if (d->calls)
    graphCallsClone(d->calls, function, irBody(module, 0));
  MlirOperation main = runPasses(d, module);
  if (mlirOperationIsNull(main))
    return false;
  inlineGraph(graph, module, main);
  erasePlaceholder(placeholder, mlirBlockGetTerminator(irBody(main, 0)));
  mlirOperationDestroy(module);
  return true;
}

static bool belongsToGraphs(MlirOperation op, void *data) {
  const Driver *d = data;
  return irIsOfGraphs(op) || (d->calls && graphCallsIsOfGraphs(d->calls, op));
}

static bool planEmbeddedGraphs(Driver *d, MlirOperation root) {
  IrGraphFinder finder = {belongsToGraphs, planEmbedded, d};
  return irForEachEmbeddedGraph(root, &finder);
}

/// A function that is one graph.
static bool planFunction(Driver *d, MlirOperation function) {
  IrBuilder b = irBuilderBefore(function);
  MlirAttribute name = irGetAttr(function, "sym_name"), visibility = irGetAttr(function, "sym_visibility");
  MlirOperation module = createModule(d, &b);
  mlirOperationRemoveFromParent(function);
  mlirBlockAppendOwnedOperation(irBody(module, 0), function);
  irSetAttr(function, "sym_name", irStringAttr(b.context, "main"));
  mlirOperationRemoveAttributeByName(function, mlirStringRefCreateFromCString("sym_visibility"));
  graphCallsClone(d->calls, function, irBody(module, 0));
  MlirOperation main = runPasses(d, module);
  if (mlirOperationIsNull(main))
    return false;
  mlirOperationRemoveFromParent(main);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(module), module, main);
  mlirOperationDestroy(module);
  irSetAttr(main, "sym_name", name);
  if (!mlirAttributeIsNull(visibility))
    irSetAttr(main, "sym_visibility", visibility);
  return true;
}

//===----------------------------------------------------------------------===//
// Remarks on operations of other dialects
//===----------------------------------------------------------------------===//

typedef struct {
  struct {
    MlirStringRef name;
    int64_t count;
  } dialects[64]; ///< by their first operation; dialects behind the last count as one of it
  int numDialects;
  int64_t numGraphOps;
  MlirOperation root;
  GraphCalls *calls; ///< as the driver has them
} Census;

static MlirWalkResult findGraphOp(MlirOperation op, void *found) {
  *(bool *)found |= irIsOfGraphs(op);
  return *(bool *)found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/// An operation in which there are no graphs counts as one, whatever it consists of.
static MlirWalkResult count(MlirOperation op, void *data) {
  Census *c = data;
  if (irIsOfGraphs(op)) {
    ++c->numGraphOps;
    return MlirWalkResultSkip;
  }
  if (c->calls && graphCallsIsOfGraphs(c->calls, op))
    return MlirWalkResultAdvance;
  bool isModule = irOpIs(op, "builtin.module") || irOpIs(op, "gpu.module");
  if (isModule)
    return mlirOperationEqual(op, c->root) ? MlirWalkResultAdvance : MlirWalkResultSkip;
  if (irOpIs(op, "func.func") || irOpIs(op, "func.return"))
    return MlirWalkResultAdvance;
  MlirStringRef name = irOpName(op);
  const char *point = memchr(name.data, '.', name.length);
  name.length = point ? (size_t)(point - name.data) : name.length;
  int i = 0;
  while (i < c->numDialects && !mlirStringRefEqual(c->dialects[i].name, name))
    ++i;
  if (i == (int)(sizeof(c->dialects) / sizeof(c->dialects[0])))
    --i;
  else if (i == c->numDialects)
    c->dialects[c->numDialects++].name = name;
  ++c->dialects[i].count;
  bool holdsGraphs = false;
  mlirOperationWalk(op, findGraphOp, &holdsGraphs, MlirWalkPreOrder);
  return holdsGraphs ? MlirWalkResultAdvance : MlirWalkResultSkip;
}

/// "arith (2), linalg (1)"; the caller frees it.
static char *listDialects(const Census *c) {
  size_t size = 1;
  for (int i = 0; i < c->numDialects; ++i)
    size += c->dialects[i].name.length + 32;
  char *text = irAllocateZeroed(size, 1);
  for (int i = 0; i < c->numDialects; ++i)
    snprintf(text + strlen(text), size - strlen(text), "%s%.*s (%" PRId64 ")", i ? ", " : "",
             (int)c->dialects[i].name.length, c->dialects[i].name.data, c->dialects[i].count);
  return text;
}

/// Says which dialects have operations that are not planned. Whether there are some to plan; modules within, which say
/// it of themselves, may have others.
static bool report(const Driver *d, bool hasInner, bool innerHas) {
  Census c = {.root = d->root, .calls = d->calls};
  MlirOperation root = d->root;
  mlirOperationWalk(root, count, &c, MlirWalkPreOrder);
  if (stitchPassIsQuiet(d->run))
    return c.numGraphOps > 0;
  char *dialects = listDialects(&c);
  MlirLocation loc = mlirOperationGetLocation(root);
  if ((c.numGraphOps || innerHas) && c.numDialects)
    stitchEmitRemark(loc, "stitch-pipeline: operations of other dialects stay where they are: %s", dialects);
  else if (c.numDialects)
    stitchEmitRemark(loc,
                     "stitch-pipeline: finds no operations of tg to plan, which convert-linalg-to-tg, "
                     "convert-tosa-to-tg and convert-stablehlo-to-tg make; operations of other dialects: %s",
                     dialects);
  else if (!c.numGraphOps && !hasInner)
    stitchEmitRemark(loc, "stitch-pipeline: finds no operations of tg to plan");
  free(dialects);
  return c.numGraphOps > 0;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static void setAttributes(const Driver *d) {
  for (int i = 0; i < d->numAttributes; ++i)
    mlirOperationSetAttributeByName(d->root, mlirIdentifierStr(d->attributes[i].name), d->attributes[i].attribute);
}

static bool planMixedModule(Driver *d) {
  bool success = true;
  IR_FOR_EACH_OP_REPLACING(op, irBody(d->root, 0)) {
    if (!success)
      break;
    if (!graphCallsIsCalledOnly(d->calls, op)) // its callers have it
      success = graphCallsIsGraph(d->calls, op) ? planFunction(d, op) : planEmbeddedGraphs(d, op);
  }
  return success;
}

static bool planModule(StitchPassRun run, MlirOperation module, bool *hasGraphs);

/// The modules in a module are planned for themselves, with its device unless they have one.
static bool planInnerModules(StitchPassRun run, MlirOperation module, bool *hasSome, bool *haveGraphs) {
  bool success = true;
  IR_FOR_EACH_OP_REPLACING(op, irBody(module, 0)) {
    bool isInner = irOpIs(op, "builtin.module");
    *hasSome = *hasSome || isInner;
    success = success && (!isInner || planModule(run, op, haveGraphs));
  }
  return success;
}

static bool planModule(StitchPassRun run, MlirOperation module, bool *hasGraphs) {
  bool hasInner = false, innerHas = false;
  if (!planInnerModules(run, module, &hasInner, &innerHas))
    return false;
  bool isEmpty = mlirOperationIsNull(mlirBlockGetFirstOperation(irBody(module, 0)));
  GraphCalls calls = graphCallsOf(module);
  bool isOne = graphCallsIsOneGraph(&calls) && !isEmpty;
  Driver d = {.run = run, .root = module, .calls = &calls};
  bool success = true, hasOwn = isOne || report(&d, hasInner, innerHas);
  if (isOne)
    success = mlirLogicalResultIsSuccess(stitchPassRunPipeline(run, stitchPassGetString(run, OPTION_PASSES), module));
  else if (hasOwn || !hasInner)
    success = planMixedModule(&d);
  *hasGraphs = *hasGraphs || hasOwn || innerHas;
  setAttributes(&d);
  if (success && !isOne)
    graphCallsEraseUnused(&calls);
  graphCallsDestroy(&calls);
  return success;
}

static bool planOperation(StitchPassRun run, MlirOperation op) {
  Driver d = {.run = run, .root = op};
  bool isDeclared = irOpIs(op, "func.func") && mlirBlockIsNull(irBody(op, 0));
  bool success = isDeclared || !report(&d, false, false) || planEmbeddedGraphs(&d, op);
  setAttributes(&d);
  return success;
}

static void runEachGraph(StitchPassRun run, MlirOperation op) {
  bool hasGraphs = false;
  if (irOpIs(op, "builtin.module") ? !planModule(run, op, &hasGraphs) : !planOperation(run, op))
    stitchPassSignalFailure(run);
}

static const StitchPassOption options[] = {
    {"passes", "passes that run on a module for each graph, whose function is @main", STITCH_OPTION_PASSES, 0, NULL},
    {"whole", "the option that needs a module of one graph, if there is one: any other module is an error",
     STITCH_OPTION_STRING, 0, NULL},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchEachGraphPass = {
    .argument = "stitch-each-graph",
    .description =
        "Run passes on each graph of tg operations, wherever operations of other dialects stand between them",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runEachGraph,
};
