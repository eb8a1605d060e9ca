//===- kernel_module.c - one kernel in a module of its own ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // asprintf

#include "passes/common/kernel_module.h"

#include "capi/diagnostics.h"
#include "ir/mlir/build.h"
#include "ir/plan/reads.h"
#include "passes/common/plan_module.h"

#include "mlir-c/Diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static bool fail(char **problem, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(problem, format, arguments) < 0)
    *problem = NULL;
  va_end(arguments);
  return false;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static MlirAttribute deviceOf(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !irHasAttr(op, "stitch.device"))
    op = mlirOperationGetParentOperation(op);
  return mlirOperationIsNull(op) ? (MlirAttribute){NULL} : irGetAttr(op, "stitch.device");
}

/// A block with the fusion's operands as arguments.
static MlirBlock makeBody(MlirOperation fusion, MlirType **arguments, MlirType **results) {
  intptr_t numOperands = mlirOperationGetNumOperands(fusion), numResults = mlirOperationGetNumResults(fusion);
  MlirOperation copy = mlirOperationClone(fusion);
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  *arguments = irAllocate(sizeof(MlirType) * (size_t)(numOperands + 1));
  *results = irAllocate(sizeof(MlirType) * (size_t)(numResults + 1));
  MlirValue *values = irAllocate(sizeof(MlirValue) * (size_t)(numResults + 1));
  for (intptr_t i = 0; i < numOperands; ++i) {
    (*arguments)[i] = mlirValueGetType(irOperand(fusion, i));
    mlirOperationSetOperand(copy, i, mlirBlockAddArgument(body, (*arguments)[i], mlirOperationGetLocation(fusion)));
  }
  mlirBlockAppendOwnedOperation(body, copy);
  for (intptr_t i = 0; i < numResults; ++i) {
    values[i] = irResult(copy, i);
    (*results)[i] = mlirValueGetType(values[i]);
  }
  IrBuilder b = irBuilderAtEnd(body, mlirOperationGetLocation(fusion));
  irOp(&b, "func.return", (IrValues){numResults, values}, IR_NO_TYPES, IR_NO_ATTRS);
  free(values);
  return body;
}

MlirOperation kernelModuleCreate(MlirOperation fusion) {
  MlirLocation loc = mlirOperationGetLocation(fusion);
  MlirOperation module = mlirModuleGetOperation(mlirModuleCreateEmpty(loc));
  MlirAttribute device = deviceOf(fusion);
  if (!mlirAttributeIsNull(device))
    irSetAttr(module, "stitch.device", device);
  MlirType *arguments, *results;
  MlirBlock body = makeBody(fusion, &arguments, &results);
  IrBuilder b = irBuilderAtEnd(irBody(module, 0), loc);
  MlirType type = mlirFunctionTypeGet(b.context, mlirOperationGetNumOperands(fusion), arguments,
                                      mlirOperationGetNumResults(fusion), results);
  MlirOperation function = irOpWithEmptyRegion(
      &b, "func.func", IR_ATTRS(irString(&b, "sym_name", "main"), irType(&b, "function_type", type)));
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(function, 0), body);
  free(arguments);
  free(results);
  return module;
}

MlirOperation kernelModuleFusion(MlirOperation module) {
  MlirOperation first = mlirBlockGetFirstOperation(irBody(irFindFunction(module, "main"), 0));
  return irOpIs(first, "stitch.fusion") ? first : (MlirOperation){NULL};
}

//===----------------------------------------------------------------------===//
// Another plan
//===----------------------------------------------------------------------===//

/// Keeps the first error of a trial, which nobody else shall hear.
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

/// Takes the plan that follows from mappings off a fusion, and gives its roots other mappings. False after an error.
static bool setMappings(MlirOperation fusion, const TemplateKernel *kernel, const Schedule *schedules) {
  MlirContext context = mlirOperationGetContext(fusion);
  removeAttr(fusion, "stitch.launch");
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
      isMet =
          fail(problem, "a root without a schedule cannot be computed again where it is read: it reads what is in no "
                        "memory, or too much");
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
    fail(problem, "'%s' cannot be in shared memory: %s", name, obstacle);
  else if (isMapped)
    fail(problem, "'%s' cannot be in shared memory: a block has %lld bytes for all that is there at once", name,
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
    return fail(problem, "'%s' is %s, not %s", names[i], places[place], places[schedules[i].place]);
  }
  return true;
}

static bool replan(MlirOperation module, const TemplateKernel *kernel, const Schedule *schedules, char **problem) {
  MlirContext context = mlirOperationGetContext(module);
  bool remarks = stitchRemarksEnabled(context);
  stitchEnableRemarks(context, false);
  char *message = NULL;
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(context, onDiagnostic, &message, NULL);
  bool succeeded = setMappings(kernelModuleFusion(module), kernel, schedules) &&
                   planModuleBy(module, "stitch-schemes,stitch-buffers,stitch-launch,stitch-verify-plan");
  mlirContextDetachDiagnosticHandler(context, handler);
  stitchEnableRemarks(context, remarks);
  if (!succeeded)
    fail(problem, "%s", message ? message : "planning fails without a reason");
  free(message);
  return succeeded;
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
