//===- kernel_cut.c - one kernel becomes two -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each part is built from the values that it has to compute, one by one: clones and copies that planning made have one
// name (ir/plan/kernel_names.h) and are computed once again. Then both are planned from the beginning.
//
//===----------------------------------------------------------------------===//

#include "passes/common/kernel_cut.h"

#include "capi/diagnostics.h"
#include "ir/mlir/build.h"
#include "ir/mlir/problem.h"
#include "ir/plan/persistent.h"
#include "ir/plan/template.h"
#include "passes/common/fusion_body.h"
#include "passes/common/kernel_module.h"
#include "passes/common/plan_kinds.h"
#include "passes/common/plan_module.h"

#include "mlir-c/Diagnostics.h"

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
  MlirBlock main;      ///< whose arguments are the operands of the kernel
  MlirOperation ret;   ///< its end
  const char *cutName; ///< of the root
  MlirValue cut;       ///< its value behind the first part; null before
  FusionBody body;     ///< of the current part
  IrMap made;          ///< name -> operation in the body
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
  if (!mlirValueIsNull(c->cut) && strcmp(name, c->cutName) == 0)
    return fusionBodyArgument(&c->body, c->cut, c->loc);
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

static void computeCut(Cutting *c, int64_t root) {
  ValueList results = {0};
  beginPart(c);
  valueListAdd(&results, valueInside(c, (GraphOperand){.node = root}));
  c->cut = irResult(endPart(c, &results), 0);
}

/// The results of the kernel, behind its second part; false if that would have nothing to compute.
static bool computeRest(Cutting *c, MlirValue *values) {
  const IrGraph *graph = &c->kernel->graph;
  intptr_t count = mlirOperationGetNumOperands(graph->terminator);
  int64_t *places = IR_NEW_ARRAY(&((TemplateKernel *)c->kernel)->names.arena, int64_t, count + 1);
  ValueList results = {0};
  beginPart(c);
  for (intptr_t i = 0; i < count; ++i) {
    GraphOperand value = originOf(graph, resultOf(graph, i));
    bool isCut = value.node >= 0 && strcmp(c->kernel->names.names[value.node], c->cutName) == 0;
    values[i] = value.node < 0 ? mlirBlockGetArgument(c->main, value.number) : c->cut;
    places[i] = value.node < 0 || isCut ? -1 : valueListAdd(&results, valueInside(c, value));
  }
  bool computes = results.count > 0;
  MlirOperation fusion = endPart(c, &results);
  for (intptr_t i = 0; i < count; ++i)
    if (places[i] >= 0)
      values[i] = irResult(fusion, places[i]);
  return computes;
}

static MlirOperation makeModule(MlirOperation fusion, const TemplateKernel *kernel, int64_t root, bool *computes) {
  MlirOperation module = kernelModuleCreate(fusion), whole = kernelModuleFusion(module);
  Cutting c = {.kernel = kernel,
               .loc = mlirOperationGetLocation(fusion),
               .main = mlirOperationGetBlock(whole),
               .ret = mlirBlockGetTerminator(mlirOperationGetBlock(whole)),
               .cutName = kernel->names.names[root]};
  MlirValue *values = irAllocate(sizeof(*values) * (size_t)(mlirOperationGetNumResults(fusion) + 1));
  computeCut(&c, root);
  *computes = computeRest(&c, values);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    mlirOperationSetOperand(c.ret, i, values[i]);
  mlirOperationDestroy(whole);
  free(values);
  return module;
}

//===----------------------------------------------------------------------===//
// The cheapest
//===----------------------------------------------------------------------===//

/// A part that cannot be planned is no cut; its diagnostics are dropped.
static MlirLogicalResult hear(MlirDiagnostic diagnostic, void *nothing) {
  (void)diagnostic, (void)nothing;
  return mlirLogicalResultSuccess();
}

static bool planParts(MlirOperation module) {
  MlirContext context = mlirOperationGetContext(module);
  bool remarks = stitchRemarksEnabled(context);
  stitchEnableRemarks(context, false);
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(context, hear, NULL, NULL);
  bool succeeded = planModuleBy(module, PLAN_KERNEL_PASSES ",stitch-verify-plan");
  mlirContextDetachDiagnosticHandler(context, handler);
  stitchEnableRemarks(context, remarks);
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
