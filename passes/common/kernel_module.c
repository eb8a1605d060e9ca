//===- kernel_module.c - one kernel in a module of its own ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes one fusion, or several. Leaves a module whose function holds a copy, runs the planning passes on it, and reads
// the time of the plan off it. A template's choices become attributes of the copy, or of the original.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // asprintf

#include "passes/common/kernel_module.h"

#include "capi/diagnostics.h"
#include "ir/mlir/build.h"
#include "ir/mlir/problem.h"
#include "ir/plan/persistent.h"
#include "ir/plan/schedule.h"
#include "passes/common/kept_values.h"
#include "passes/common/kernel_key.h"
#include "passes/common/plan_kinds.h"
#include "passes/common/plan_module.h"

#include "mlir-c/Diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static MlirAttribute deviceOf(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !irHasAttr(op, "stitch.device"))
    op = mlirOperationGetParentOperation(op);
  return mlirOperationIsNull(op) ? (MlirAttribute){NULL} : irGetAttr(op, "stitch.device");
}

/// Types of the function around several fusions.
typedef struct {
  MlirType *data;
  intptr_t count, capacity;
} Types;

static void addType(Types *types, MlirType type) {
  IR_RESERVE_ONE(types->data, types->count, types->capacity);
  types->data[types->count++] = type;
}

/// Adds a copy of a fusion, with arguments of the block as its operands.
static MlirOperation addFusionCopy(MlirBlock body, MlirOperation fusion, Types *arguments) {
  MlirOperation copy = mlirOperationClone(fusion);
  planCopyLoop(fusion, copy);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(fusion); ++i) {
    MlirType type = mlirValueGetType(irOperand(fusion, i));
    addType(arguments, type);
    mlirOperationSetOperand(copy, i, mlirBlockAddArgument(body, type, mlirOperationGetLocation(fusion)));
  }
  mlirBlockAppendOwnedOperation(body, copy);
  return copy;
}

static MlirBlock makeBody(const MlirOperation *fusions, int64_t count, Types *arguments, Types *results) {
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  MlirValue *values = NULL;
  intptr_t numValues = 0, capacity = 0;
  for (int64_t i = 0; i < count; ++i) {
    MlirOperation copy = addFusionCopy(body, fusions[i], arguments);
    for (intptr_t j = 0; j < mlirOperationGetNumResults(copy); ++j) {
      IR_RESERVE_ONE(values, numValues, capacity);
      values[numValues++] = irResult(copy, j);
      addType(results, mlirValueGetType(irResult(copy, j)));
    }
  }
  IrBuilder b = irBuilderAtEnd(body, mlirOperationGetLocation(fusions[0]));
  irOp(&b, "func.return", (IrValues){numValues, values}, IR_NO_TYPES, IR_NO_ATTRS);
  free(values);
  return body;
}

MlirOperation kernelModuleOfAll(const MlirOperation *fusions, int64_t count) {
  MlirLocation loc = mlirOperationGetLocation(fusions[0]);
  MlirOperation module = mlirModuleGetOperation(mlirModuleCreateEmpty(loc));
  MlirAttribute device = deviceOf(fusions[0]);
  if (!mlirAttributeIsNull(device))
    irSetAttr(module, "stitch.device", device);
  Types arguments = {0}, results = {0};
  MlirBlock body = makeBody(fusions, count, &arguments, &results);
  IrBuilder b = irBuilderAtEnd(irBody(module, 0), loc);
  MlirType type = mlirFunctionTypeGet(b.context, arguments.count, arguments.data, results.count, results.data);
  MlirOperation function = irOpWithEmptyRegion(
      &b, "func.func", IR_ATTRS(irString(&b, "sym_name", "main"), irType(&b, "function_type", type)));
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(function, 0), body);
  free(arguments.data);
  free(results.data);
  return module;
}

MlirOperation kernelModuleCreate(MlirOperation fusion) { return kernelModuleOfAll(&fusion, 1); }

MlirOperation kernelModuleFusion(MlirOperation module) {
  MlirOperation first = mlirBlockGetFirstOperation(irBody(irFindFunction(module, "main"), 0));
  return irOpIs(first, "stitch.fusion") ? first : (MlirOperation){NULL};
}

//===----------------------------------------------------------------------===//
// Another plan
//===----------------------------------------------------------------------===//

/// Keeps the first error of a trial, and drops its diagnostics.
static void keepMessage(MlirStringRef part, void *text) {
  char **message = text, *longer = NULL;
  if (asprintf(&longer, "%s%.*s", *message ? *message : "", (int)part.length, part.data) < 0)
    return;
  free(*message);
  *message = longer;
}

static MlirLogicalResult onDiagnostic(MlirDiagnostic diagnostic, void *text) {
  char **message = text;
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError && !*message)
    mlirDiagnosticPrint(diagnostic, keepMessage, message);
  return mlirLogicalResultSuccess();
}

static const char *const requests[] = {PLAN_KEPT, PLAN_IN_SCRATCH, PLAN_COMPUTED_AGAIN};
enum { NUM_REQUESTS = sizeof(requests) / sizeof(requests[0]) };

static void removeAttr(MlirOperation op, const char *name) {
  mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString(name));
}

/// Whether a mapping goes through the rows and columns of that which the root has.
static bool hasSpaceOf(const StitchMapping *m, MlirOperation root) {
  StitchMapping planned;
  return planGetMapping(root, &planned) && m->kind == planned.kind && m->rows == planned.rows &&
         m->columns == planned.columns;
}

/// Takes the plan that follows from mappings off a fusion, and gives its roots other mappings. False after an error.
static bool setMappings(MlirOperation fusion, const TemplateKernel *kernel, const Schedule *schedules) {
  MlirContext context = mlirOperationGetContext(fusion);
  removeAttr(fusion, "stitch.launch");
  scheduleRemove(fusion);
  for (int64_t i = 0; i < kernel->graph.numNodes; ++i) {
    removeAttr(kernel->graph.nodes[i].op, "stitch.scheme");
    removeAttr(kernel->graph.nodes[i].op, "stitch.buffer");
  }
  for (int64_t i = 0; i < kernel->numRoots; ++i) {
    MlirOperation root = kernel->graph.nodes[kernel->roots[i]].op;
    const Schedule *schedule = &schedules[i];
    MlirAttribute mapping = stitchMappingAttrGetChecked(mlirOperationGetLocation(root), schedule->mapping);
    if (mlirAttributeIsNull(mapping))
      return false;
    if (!hasSpaceOf(&schedule->mapping, root))
      removeAttr(root, PLAN_STACKED);
    irSetAttr(root, "stitch.mapping", mapping);
    irSetAttr(root, schedule->isComputedAgain ? PLAN_COMPUTED_AGAIN : PLAN_KEPT, mlirUnitAttrGet(context));
    if (schedule->place == TEMPLATE_IN_SCRATCH)
      irSetAttr(root, PLAN_IN_SCRATCH, mlirUnitAttrGet(context));
  }
  return true;
}

/// Takes the requests off the roots again. A root that should be computed again and is still there is a problem.
static bool removeRequests(MlirOperation fusion, char **problem) {
  bool isMet = true;
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    if (irHasAttr(op, PLAN_COMPUTED_AGAIN) && isMet)
      isMet = irFail(problem, "a root without a schedule cannot be computed again where it is read: it reads a value "
                              "that is in no memory, or too many");
    for (int i = 0; i < NUM_REQUESTS; ++i)
      removeAttr(op, requests[i]);
  }
  return isMet;
}

/// Why a root that is wanted in shared memory is not there.
static bool explainScratch(MlirOperation fusion, MlirOperation root, const char *name, char **problem) {
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  GroupView view;
  StitchMapping *mappings;
  StitchDevice device;
  const char *obstacle = NULL;
  int64_t node = irGraphNode(&graph, root);
  bool isMapped = groupViewCreate(&view, &graph) && mappingsOf(&view, &mappings) && planGetDevice(fusion, &device);
  for (int64_t g = 0; isMapped && g < view.numGroups && !obstacle; ++g) {
    GroupRead *reads;
    int64_t count = readsOfMappedGroup(&view, mappings, g, &reads);
    for (int64_t i = 0; i < count && !obstacle; ++i)
      if (reads[i].root == node)
        obstacle = obstacleToRegional(&view, mappings, &reads[i], g);
    free(reads);
  }
  if (obstacle)
    irFail(problem, "'%s' cannot be in shared memory: %s", name, obstacle);
  else if (isMapped)
    irFail(problem, "'%s' cannot be in shared memory: a block has %lld bytes for all that is there at once", name,
           (long long)device.sharedPerBlock);
  groupViewDestroy(&view);
  irGraphDestroy(&graph);
  return false;
}

/// Values are where their schedules want them. Roots that planning has added are behind barriers of their own.
static bool checkPlaces(MlirOperation fusion, MlirOperation const *roots, const char *const *names,
                        const Schedule *schedules, int64_t count, char **problem) {
  static const char *const places[] = {[TEMPLATE_IN_PLACE] = "in no memory",
                                       [TEMPLATE_IN_SHARED] = "in shared memory",
                                       [TEMPLATE_IN_SCRATCH] = "in scratch memory"};
  for (int64_t i = 0; i < count; ++i) {
    if (schedules[i].isComputedAgain || schedules[i].place == TEMPLATE_ANYWHERE)
      continue;
    TemplatePlace place = templatePlaceOf(roots[i]);
    if (place == schedules[i].place)
      continue;
    if (schedules[i].place == TEMPLATE_IN_SHARED && place == TEMPLATE_IN_SCRATCH)
      return explainScratch(fusion, roots[i], names[i], problem);
    return irFail(problem, "'%s' is %s, not %s", names[i], places[place], places[schedules[i].place]);
  }
  return true;
}

/// Plans a trial, whose diagnostics are dropped: the first error is the `problem`.
static bool planQuietly(MlirOperation module, const TemplateKernel *kernel, const Schedule *schedules,
                        const char *passes, char **problem) {
  MlirContext context = mlirOperationGetContext(module);
  bool remarks = stitchRemarksEnabled(context);
  stitchEnableRemarks(context, false);
  char *message = NULL;
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(context, onDiagnostic, &message, NULL);
  bool succeeded = schedules
                       ? setMappings(kernelModuleFusion(module), kernel, schedules) && planModuleBy(module, passes)
                       : planModuleUnverified(module, passes);
  mlirContextDetachDiagnosticHandler(context, handler);
  stitchEnableRemarks(context, remarks);
  if (!succeeded)
    irFail(problem, "%s", message ? message : "planning fails without a reason");
  free(message);
  return succeeded;
}

bool kernelModulePlan(MlirOperation module, const char *passes, char **problem) {
  *problem = NULL;
  return planQuietly(module, NULL, NULL, passes, problem);
}

void kernelSetMappings(MlirOperation fusion, const StitchMapping *const *mappings) {
  int64_t node = 0;
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    if (irOpIs(op, "stitch.yield"))
      break;
    if (mappings[node])
      irSetAttr(op, "stitch.mapping", stitchMappingAttrGet(mlirOperationGetContext(op), *mappings[node]));
    ++node;
  }
}

/// The key of a kernel's time: its fusion, the attributes of the modules around it, and the passes that plan it. False
/// if it reads more than that.
static bool timeKey(MlirOperation fusion, const char *passes, StitchKernelKey *key) {
  *key = kernelKeyBegin();
  kernelKeyPutText(key, passes);
  kernelKeyPutModule(key, fusion);
  return kernelKeyPutOperation(key, fusion);
}

/// Whether a time is known, and says enough: remarks want the reason why there is none.
static bool findTime(MlirContext context, StitchKernelKey key, double *ns) {
  return stitchKernelTimeFind(context, key, ns, NULL) && (*ns >= 0 || !stitchRemarksEnabled(context));
}

bool kernelTimeIsKnown(MlirOperation fusion, double *ns) {
  StitchKernelKey key;
  return timeKey(fusion, PLAN_MAPPED_PASSES, &key) &&
         stitchKernelTimeFind(mlirOperationGetContext(fusion), key, ns, NULL) && *ns >= 0;
}

static const char prefetching[] = "stitch-prefetch,stitch-verify-plan";

/// The time that the fusion of a module takes behind planning passes; the plan stays in the module.
static double planTime(MlirOperation module, const StitchDevice *device, const char *passes, char **problem) {
  PlanCost cost;
  bool isPlanned =
      kernelModulePlan(module, passes, problem) && planCostOfFusion(kernelModuleFusion(module), device, &cost);
  return isPlanned ? cost.total : -1;
}

/// Plans the fusion of a module, which has its mappings.
static double timeOfModule(MlirOperation module, const StitchDevice *device, bool prefetches, char **problem) {
  MlirContext context = mlirOperationGetContext(module);
  MlirOperation fusion = kernelModuleFusion(module);
  StitchKernelKey key, prefetchingKey;
  bool isWhole = timeKey(fusion, PLAN_MAPPED_PASSES, &key) && timeKey(fusion, prefetching, &prefetchingKey);
  double ns;
  if (isWhole && findTime(context, prefetches ? prefetchingKey : key, &ns))
    return ns;
  ns = planTime(module, device, prefetches ? PLAN_MAPPED_PASSES : PLAN_MAPPED_PASSES ",stitch-verify-plan", problem);
  double prefetched = ns < 0 || !prefetches ? -1 : planTime(module, device, prefetching, problem);
  if (prefetches && prefetched < 0)
    ns = prefetched; // a plan that is refused
  if (isWhole)
    stitchKernelTimeAdd(context, key, ns, (MlirAttribute){NULL});
  if (isWhole && prefetches)
    stitchKernelTimeAdd(context, prefetchingKey, prefetched, (MlirAttribute){NULL});
  return prefetches ? prefetched : ns;
}

/// A module with a fusion that has such mappings.
static MlirOperation moduleWith(MlirOperation fusion, const StitchMapping *const *mappings) {
  MlirOperation module = kernelModuleCreate(fusion);
  if (mappings)
    kernelSetMappings(kernelModuleFusion(module), mappings);
  return module;
}

double kernelTimeOfPrefetching(MlirOperation fusion, const StitchMapping *const *mappings, const StitchDevice *device,
                               char **problem) {
  *problem = NULL;
  MlirOperation module = moduleWith(fusion, mappings);
  double ns = timeOfModule(module, device, /*prefetches=*/true, problem);
  mlirOperationDestroy(module);
  return ns;
}

double kernelTimeWith(MlirOperation fusion, const StitchMapping *const *mappings, const StitchDevice *device,
                      const char *passes, char **problem) {
  *problem = NULL;
  MlirOperation module = moduleWith(fusion, mappings);
  MlirContext context = mlirOperationGetContext(module);
  StitchKernelKey key;
  bool isWhole = timeKey(kernelModuleFusion(module), passes, &key);
  double ns;
  if (!isWhole || !findTime(context, key, &ns)) {
    ns = kernelModulePlan(module, passes, problem) ? timeOfModule(module, device, /*prefetches=*/false, problem) : -1;
    if (isWhole)
      stitchKernelTimeAdd(context, key, ns, (MlirAttribute){NULL});
  }
  mlirOperationDestroy(module);
  return ns;
}

static bool replan(MlirOperation module, const TemplateKernel *kernel, const Schedule *schedules, char **problem) {
  return planQuietly(module, kernel, schedules,
                     "stitch-schemes,stitch-schedule,stitch-buffers,stitch-launch,stitch-staging,stitch-verify-plan",
                     problem);
}

bool kernelModuleReplan(MlirOperation module, const Schedule *schedules, char **problem) {
  MlirOperation fusion = kernelModuleFusion(module);
  TemplateKernel kernel = templateKernelCreate(fusion);
  MlirOperation *roots = IR_NEW_ARRAY(&kernel.names.arena, MlirOperation, kernel.numRoots + 1);
  for (int64_t i = 0; i < kernel.numRoots; ++i)
    roots[i] = kernel.graph.nodes[kernel.roots[i]].op;
  *problem = NULL;
  bool succeeded = replan(module, &kernel, schedules, problem) && removeRequests(fusion, problem) &&
                   checkPlaces(fusion, roots, kernel.rootNames, schedules, kernel.numRoots, problem);
  templateKernelDestroy(&kernel);
  return succeeded;
}

MlirOperation kernelModuleTake(MlirOperation module, MlirOperation fusion) {
  MlirBlock body = irBody(irFindFunction(module, "main"), 0);
  MlirOperation ret = mlirBlockGetTerminator(body), first = mlirBlockGetFirstOperation(body);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(fusion); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i), irOperand(fusion, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    mlirValueReplaceAllUsesOfWith(irResult(fusion, i), irOperand(ret, i));
  for (MlirOperation op = first, next; !mlirOperationEqual(op, ret); op = next) {
    next = mlirOperationGetNextInBlock(op);
    mlirOperationRemoveFromParent(op);
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(fusion), fusion, op);
  }
  mlirOperationDestroy(ret); // which reads values that are in other memory now
  mlirOperationDestroy(fusion);
  return first;
}

/// Plans the fusion of a module by a template.
static bool planByTemplate(MlirOperation module, const char *text, char **problem) {
  MlirOperation fusion = kernelModuleFusion(module);
  if (!keepScheduledValues(fusion, text, problem))
    return false;
  TemplateKernel kernel = templateKernelCreate(fusion);
  Schedule *schedules = irAllocate(sizeof(*schedules) * (size_t)(kernel.numRoots + 1));
  bool isMet = templateRead(&kernel, text, schedules, problem);
  templateKernelDestroy(&kernel);
  isMet = isMet && kernelModuleReplan(module, schedules, problem);
  free(schedules);
  return isMet;
}

bool kernelApplyTemplate(MlirOperation *fusion, const char *text, char **problem) {
  *problem = NULL;
  MlirOperation module = kernelModuleCreate(*fusion);
  bool isMet = planByTemplate(module, text, problem);
  if (isMet)
    *fusion = kernelModuleTake(module, *fusion);
  mlirOperationDestroy(module);
  return isMet;
}
