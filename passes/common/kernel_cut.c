//===- kernel_cut.c - one kernel becomes several -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each part is built from the values that it has to compute, one by one: clones and copies that planning made have one
// name (ir/plan/kernel_names.h) and are computed once again. Then all are planned from the beginning.
//
//===----------------------------------------------------------------------===//

#include "passes/common/kernel_cut.h"

#include "ir/mlir/build.h"
#include "ir/mlir/problem.h"
#include "ir/plan/persistent.h"
#include "ir/plan/plan.h"
#include "ir/plan/schedule.h"
#include "ir/plan/template.h"
#include "passes/common/fusion_body.h"
#include "passes/common/kernel_module.h"
#include "passes/common/plan_kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Roots that are tried.
enum { MOST_CUTS = 16 };

/// The beginning of a text.
#define CUT "CUT "

typedef struct {
  const TemplateKernel *kernel;
  MlirLocation loc;
  MlirBlock main;    ///< whose arguments are the operands of the kernel
  MlirOperation ret; ///< its end
  FusionBody body;   ///< of the current part
  IrMap made;        ///< name -> operation in the body
  IrMap known;       ///< name -> value of an earlier part
} Cutting;

//===----------------------------------------------------------------------===//
// One part
//===----------------------------------------------------------------------===//

/// The original of a copy behind a barrier.
static GraphOperand originOf(const IrGraph *graph, GraphOperand value) {
  while (value.node >= 0) {
    const GraphNode *n = &graph->nodes[value.node];
    bool isCopy = n->kind == TG_reshape &&
                  mlirTypeEqual(mlirValueGetType(irOperand(n->op, 0)), mlirValueGetType(irResult(n->op, 0)));
    if (!isCopy)
      break;
    value = n->operands[0];
  }
  return value;
}

/// An operation without its plan. (How exactly it computes, tg.contract say, stays.)
static MlirOperation cloneUnplanned(MlirOperation op) {
  static const char prefix[] = "stitch.";
  MlirOperation clone = mlirOperationClone(op);
  for (intptr_t i = mlirOperationGetNumAttributes(clone); i-- > 0;) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetAttribute(clone, i).name);
    if (name.length >= strlen(prefix) && memcmp(name.data, prefix, strlen(prefix)) == 0)
      mlirOperationRemoveAttributeByName(clone, name);
  }
  return clone;
}

/// The value in the current body.
static MlirValue valueInside(Cutting *c, GraphOperand wanted) {
  GraphOperand value = originOf(&c->kernel->graph, wanted);
  if (value.node < 0)
    return fusionBodyArgument(&c->body, mlirBlockGetArgument(c->main, value.number), c->loc);
  const char *name = c->kernel->names.names[value.node];
  MlirValue known = {(void *)(intptr_t)irMapGet(&c->known, name, 0)};
  if (!mlirValueIsNull(known))
    return fusionBodyArgument(&c->body, known, c->loc);
  MlirOperation made = {(void *)(intptr_t)irMapGet(&c->made, name, 0)};
  if (mlirOperationIsNull(made)) {
    const GraphNode *n = &c->kernel->graph.nodes[value.node];
    made = cloneUnplanned(n->op);
    for (int64_t i = 0; i < n->numOperands; ++i)
      mlirOperationSetOperand(made, i, valueInside(c, n->operands[i]));
    mlirBlockAppendOwnedOperation(c->body.block, made);
    irMapSet(&c->made, name, (int64_t)(intptr_t)made.ptr);
  }
  return irResult(made, value.number);
}

static void beginPart(Cutting *c) {
  c->body = fusionBodyCreate();
  c->made = (IrMap){0};
}

static MlirOperation endPart(Cutting *c, ValueList *results) {
  MlirOperation fusion = fusionBodyClose(&c->body, "stitch.fusion", c->loc, results, c->ret);
  irMapDestroy(&c->made);
  valueListDestroy(results);
  return fusion;
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

static GraphOperand resultOf(const IrGraph *graph, intptr_t number) {
  MlirValue value = irOperand(graph->terminator, number);
  if (!mlirValueIsAOpResult(value))
    return (GraphOperand){.node = -1, .number = mlirBlockArgumentGetArgNumber(value)};
  return (GraphOperand){.node = irGraphNode(graph, irDefiningOp(value)), .number = mlirOpResultGetResultNumber(value)};
}

/// A part that computes roots, whose values later parts read from memory.
static void computeRoots(Cutting *c, const int64_t *roots, int64_t count) {
  ValueList results = {0};
  int64_t *places = irAllocate(sizeof(*places) * (size_t)(count + 1));
  beginPart(c);
  for (int64_t i = 0; i < count; ++i)
    places[i] = valueListAdd(&results, valueInside(c, (GraphOperand){.node = roots[i]}));
  MlirOperation fusion = endPart(c, &results);
  for (int64_t i = 0; i < count; ++i)
    irMapSet(&c->known, c->kernel->names.names[roots[i]], (int64_t)(intptr_t)irResult(fusion, places[i]).ptr);
  free(places);
}

/// The results of the kernel, behind a last part for those that no part before has computed. Returns whether there is
/// one.
static bool computeRest(Cutting *c) {
  const IrGraph *graph = &c->kernel->graph;
  intptr_t count = mlirOperationGetNumOperands(graph->terminator);
  int64_t *places = irAllocate(sizeof(*places) * (size_t)(count + 1));
  ValueList results = {0};
  beginPart(c);
  for (intptr_t i = 0; i < count; ++i) {
    GraphOperand value = originOf(graph, resultOf(graph, i));
    int64_t known = value.node < 0 ? (int64_t)(intptr_t)mlirBlockGetArgument(c->main, value.number).ptr
                                   : irMapGet(&c->known, c->kernel->names.names[value.node], 0);
    places[i] = known ? -1 : valueListAdd(&results, valueInside(c, value));
    if (known)
      mlirOperationSetOperand(c->ret, i, (MlirValue){(void *)(intptr_t)known});
  }
  bool computes = results.count > 0;
  MlirOperation fusion = endPart(c, &results);
  for (intptr_t i = 0; i < count; ++i)
    if (places[i] >= 0)
      mlirOperationSetOperand(c->ret, i, irResult(fusion, places[i]));
  if (!computes)
    mlirOperationDestroy(fusion);
  free(places);
  return computes;
}

/// Begins a module in the place of the kernel's fusion, which is still in it.
static Cutting beginCutting(MlirOperation fusion, const TemplateKernel *kernel, MlirOperation *module) {
  *module = kernelModuleCreate(fusion);
  MlirBlock block = mlirOperationGetBlock(kernelModuleFusion(*module));
  return (Cutting){
      .kernel = kernel, .loc = mlirOperationGetLocation(fusion), .main = block, .ret = mlirBlockGetTerminator(block)};
}

static MlirOperation makeModule(MlirOperation fusion, const TemplateKernel *kernel, int64_t root, bool *computes) {
  MlirOperation module;
  Cutting c = beginCutting(fusion, kernel, &module);
  MlirOperation whole = kernelModuleFusion(module);
  computeRoots(&c, &root, 1);
  *computes = computeRest(&c);
  mlirOperationDestroy(whole);
  irMapDestroy(&c.known);
  return module;
}

//===----------------------------------------------------------------------===//
// The cheapest
//===----------------------------------------------------------------------===//

/// A part that cannot be planned is no cut, for whatever reason.
static bool planParts(MlirOperation module) {
  char *problem = NULL;
  bool succeeded = kernelModulePlan(module, PLAN_KERNEL_PASSES ",stitch-verify-plan", &problem);
  free(problem);
  return succeeded;
}

static bool costParts(KernelCut *cut, const StitchDevice *device) {
  MlirOperation op = mlirBlockGetFirstOperation(irBody(irFindFunction(cut->module, "main"), 0));
  for (int i = 0; i < KERNEL_CUT_PARTS; ++i, op = mlirOperationGetNextInBlock(op)) {
    cut->fusions[i] = op;
    if (!irOpIs(op, "stitch.fusion") || !planCostOfFusion(op, device, &cut->costs[i]))
      return false;
  }
  return true;
}

static double costOf(const KernelCut *cut) { return cut->costs[0].total + cut->costs[1].total; }

/// The cut at a root; without a module if there is none.
static KernelCut cutAt(MlirOperation fusion, const TemplateKernel *kernel, int64_t root, const StitchDevice *device) {
  bool computes;
  KernelCut cut = {.module = makeModule(fusion, kernel, root, &computes)};
  int length = snprintf(cut.text, sizeof(cut.text), CUT "%s;", kernel->names.names[root]);
  bool hasText = length > 0 && (size_t)length < sizeof(cut.text);
  if (hasText && computes && planParts(cut.module) && costParts(&cut, device))
    return cut;
  mlirOperationDestroy(cut.module);
  return (KernelCut){0};
}

/// Whether a kernel can be cut at a value: it is the result of an operation, and no copy of another one.
static bool isCuttable(const TemplateKernel *kernel, int64_t node) {
  return mlirOperationGetNumResults(kernel->graph.nodes[node].op) == 1 &&
         originOf(&kernel->graph, (GraphOperand){.node = node}).node == node;
}

KernelCut kernelCutCheapest(MlirOperation fusion, const StitchDevice *device) {
  if (irHasAttr(fusion, PLAN_PERSISTENT)) // an iteration of the loop inside is one kernel
    return (KernelCut){0};
  TemplateKernel kernel = templateKernelCreate(fusion);
  KernelCut best = {0};
  for (int64_t i = 0, tried = 0; i < kernel.numRoots && tried < MOST_CUTS; ++i) {
    if (!isCuttable(&kernel, kernel.roots[i]))
      continue;
    ++tried;
    KernelCut cut = cutAt(fusion, &kernel, kernel.roots[i], device);
    if (mlirOperationIsNull(cut.module))
      continue;
    bool isBetter = mlirOperationIsNull(best.module) || costOf(&cut) < costOf(&best);
    MlirOperation other = isBetter ? best.module : cut.module;
    if (!mlirOperationIsNull(other))
      mlirOperationDestroy(other);
    best = isBetter ? cut : best;
  }
  templateKernelDestroy(&kernel);
  return best;
}

//===----------------------------------------------------------------------===//
// The one that a text says
//===----------------------------------------------------------------------===//

static const char *skipBlanks(const char *text) { return text + strspn(text, " \t\r\n"); }

bool kernelCutIsText(const char *text) { return strncmp(skipBlanks(text), CUT, strlen(CUT)) == 0; }

/// The value of a name of `length` bytes; -1: there is none that a kernel can be cut at.
static int64_t nodeNamed(const TemplateKernel *kernel, const char *name, size_t length) {
  for (int64_t i = 0; i < kernel->graph.numNodes; ++i) {
    const char *its = kernel->names.names[i];
    if (its && strlen(its) == length && memcmp(its, name, length) == 0 && isCuttable(kernel, i))
      return i;
  }
  return -1;
}

bool kernelCutByText(MlirOperation fusion, const char *text, const StitchDevice *device, KernelCut *cut,
                     char **problem) {
  const char *name = skipBlanks(skipBlanks(text) + strlen(CUT));
  size_t length = strcspn(name, "; \t\r\n");
  const char *rest = skipBlanks(name + length);
  *cut = (KernelCut){0};
  if (length == 0 || *rest != ';' || *skipBlanks(rest + 1) != '\0')
    return irFail(problem, "a kernel that is two is written as 'CUT reduce_1;'");
  if (irHasAttr(fusion, PLAN_PERSISTENT))
    return irFail(problem, "a loop in a kernel cannot be cut");
  TemplateKernel kernel = templateKernelCreate(fusion);
  int64_t node = nodeNamed(&kernel, name, length);
  bool ok = node >= 0 || irFail(problem, "the kernel has no '%.*s' that it could be cut at", (int)length, name);
  if (ok)
    *cut = cutAt(fusion, &kernel, node, device);
  templateKernelDestroy(&kernel);
  return ok && (!mlirOperationIsNull(cut->module) ||
                irFail(problem, "there is no plan of two kernels that are cut at '%.*s'", (int)length, name));
}

//===----------------------------------------------------------------------===//
// At all grid barriers
//===----------------------------------------------------------------------===//

/// Whether a root's value is in memory behind its phase: others read it behind a barrier, or it is a result.
static bool isLeft(const TemplateKernel *kernel, int64_t node) {
  StitchScheme scheme;
  MlirOperation op = kernel->graph.nodes[node].op;
  return planGetScheme(op, &scheme) && (scheme == STITCH_SCHEME_GLOBAL || scheme == STITCH_SCHEME_INDEPENDENT);
}

/// The phase in which a root is complete.
static int64_t lastPhaseOf(const PlanSchedule *schedule, int64_t root) {
  int64_t finishes = schedule->finishedIn[root];
  return finishes >= 0 ? schedule->loops[finishes].phase : schedule->phases[root];
}

/// Lists the values that a phase leaves in memory, each once; false if one cannot be a part's.
static bool listLeft(const TemplateKernel *kernel, const PlanSchedule *schedule, int64_t phase, IrMap *listed,
                     int64_t *roots, int64_t *count) {
  *count = 0;
  for (int64_t i = 0; i < kernel->numRoots; ++i) {
    int64_t root = kernel->roots[i], origin = originOf(&kernel->graph, (GraphOperand){.node = root}).node;
    if (lastPhaseOf(schedule, root) != phase || !isLeft(kernel, root) || origin < 0 ||
        irMapContains(listed, kernel->names.names[origin]))
      continue;
    if (!isCuttable(kernel, origin))
      return false;
    irMapSet(listed, kernel->names.names[origin], 1);
    roots[(*count)++] = origin;
  }
  return true;
}

/// The parts of a module, one for each phase; false if there are no such parts.
static bool makePhases(MlirOperation fusion, const TemplateKernel *kernel, const PlanSchedule *schedule,
                       MlirOperation *module) {
  Cutting c = beginCutting(fusion, kernel, module);
  MlirOperation whole = kernelModuleFusion(*module);
  IrMap listed = {0};
  int64_t *roots = irAllocate(sizeof(*roots) * (size_t)(kernel->numRoots + 1)), count;
  bool succeeded = true;
  for (int64_t phase = 0; phase < schedule->numPhases && succeeded; ++phase) {
    succeeded = listLeft(kernel, schedule, phase, &listed, roots, &count);
    if (succeeded && count > 0)
      computeRoots(&c, roots, count);
  }
  if (succeeded) {
    computeRest(&c);
    mlirOperationDestroy(whole);
  }
  irMapDestroy(&listed);
  irMapDestroy(&c.known);
  free(roots);
  return succeeded;
}

MlirOperation kernelCutAtBarriers(MlirOperation fusion, const StitchDevice *device, double *ns) {
  IrArena arena = {0};
  TemplateKernel kernel = templateKernelCreate(fusion);
  PlanSchedule schedule;
  MlirOperation module = {NULL};
  bool succeeded = !irHasAttr(fusion, PLAN_PERSISTENT) && scheduleRead(fusion, &kernel.graph, &arena, &schedule) &&
                   schedule.numPhases > 1 && makePhases(fusion, &kernel, &schedule, &module) && planParts(module);
  *ns = 0;
  if (succeeded)
    IR_FOR_EACH_OP(op, irBody(irFindFunction(module, "main"), 0)) {
      PlanCost cost;
      succeeded = succeeded && (!irOpIs(op, "stitch.fusion") || planCostOfFusion(op, device, &cost));
      *ns += succeeded && irOpIs(op, "stitch.fusion") ? cost.total : 0;
    }
  if (!succeeded && !mlirOperationIsNull(module)) {
    mlirOperationDestroy(module);
    module = (MlirOperation){NULL};
  }
  templateKernelDestroy(&kernel);
  irArenaDestroy(&arena);
  return module;
}
