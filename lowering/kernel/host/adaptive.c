//===- adaptive.c - adaptive variables in the host function ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Astra 4.4.2: adaptive variables, which of them leave all bits as they are, and the update tree in which the runtime
// explores them.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host_function.h"

#include "capi/diagnostics.h"
#include "ir/mlir/query.h"
#include "ir/plan/scan.h"

#include <stdlib.h>
#include <string.h>

/// A variable: of stitch.adaptive, or of the stitch.streams of a step.
typedef struct {
  MlirAttribute name, versions;
  bool isBitwise; ///< all versions compute the same bits
} HostVariable;

/// Those of the planned function, each name once.
typedef struct {
  HostVariable *variables;
  intptr_t count, capacity;
  IrMap numbers; ///< name -> index in `variables`
  IrMap visited; ///< name -> 1: the update tree has it
  bool failed;
} Adaptive;

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// Whether an operation computes the same bits in whatever kernel it is: each element by itself, rounded as the type
/// says (docs/precision.md), or a sum that rounds nothing.
static bool isSameAnywhere(MlirOperation op) {
  static const char *const relaxed[] = {"tg.contract", "tg.reciprocal", "tg.approximate"};
  TgKind kind = tgKindOf(op);
  TgClass class = kind == TG_NONE ? TG_CLASS_NONE : tgClassOfKind(kind);
  bool same = irOpIs(op, "stitch.fusion") || irOpIs(op, "stitch.yield") || irOpIs(op, "stitch.adaptive") ||
              class == TG_CLASS_ELEMENTWISE || class == TG_CLASS_SHAPE || class == TG_CLASS_INDEXED ||
              class == TG_CLASS_SOURCE;
  if (class == TG_CLASS_REDUCE && mlirOperationGetNumResults(op) == 1)
    same = mlirTypeIsAInteger(irElementTypeOf(irResult(op, 0)));
  for (size_t i = 0; i < sizeof(relaxed) / sizeof(relaxed[0]); ++i)
    same = same && !irHasAttr(op, relaxed[i]);
  return same && !planHasOwnPlan(op);
}

static MlirWalkResult findOther(MlirOperation op, void *isBitwise) {
  if (isSameAnywhere(op))
    return MlirWalkResultAdvance;
  *(bool *)isBitwise = false;
  return MlirWalkResultInterrupt;
}

/// Versions compute the same operations, in other kernels. Libraries promise no bits.
static bool isBitwise(MlirOperation adaptive) {
  bool result = true;
  mlirOperationWalk(adaptive, findOther, &result, MlirWalkPreOrder);
  return result;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

static void addVariable(Adaptive *a, MlirOperation op, HostVariable variable) {
  int64_t known = irMapGet(&a->numbers, variable.name.ptr, -1); // attributes are unique
  if (known < 0) {
    IR_RESERVE_ONE(a->variables, a->count, a->capacity);
    irMapSet(&a->numbers, variable.name.ptr, a->count);
    a->variables[a->count++] = variable;
  } else if (!mlirAttributeEqual(variable.versions, a->variables[known].versions)) {
    stitchEmitOpError(op, "has other versions than another operation of its variable");
    a->failed = true;
  } else {
    a->variables[known].isBitwise &= variable.isBitwise;
  }
}

static MlirWalkResult collectVariable(MlirOperation op, void *data) {
  Adaptive *a = data;
  MlirAttribute streams = irGetAttr(op, "stitch.streams");
  if (irOpIs(op, "stitch.adaptive"))
    addVariable(a, op, (HostVariable){irGetAttr(op, "variable"), irGetAttr(op, "versions"), isBitwise(op)});
  bool isKnown = !mlirAttributeIsNull(streams) && hostIsStreams(streams);
  if (isKnown && !mlirAttributeIsNull(irEntry(streams, "variable")))
    addVariable(a, op, (HostVariable){irEntry(streams, "variable"), irEntry(streams, "versions"), true});
  return MlirWalkResultAdvance;
}

static MlirAttribute textAttr(MlirContext context, const char *text) {
  return mlirStringAttrGet(context, mlirStringRefCreateFromCString(text));
}

/// Everything is explored at the same time.
static MlirAttribute parallelTree(MlirContext context, const Adaptive *a) {
  MlirAttribute *parts = irAllocate(sizeof(*parts) * (size_t)(a->count + 1));
  parts[0] = textAttr(context, "parallel");
  for (intptr_t i = 0; i < a->count; ++i)
    parts[i + 1] = a->variables[i].name;
  MlirAttribute tree = mlirArrayAttrGet(context, a->count + 1, parts);
  free(parts);
  return tree;
}

static void failVariable(Adaptive *a, MlirOperation planned, const char *what, MlirAttribute name) {
  bool isText = !mlirAttributeIsNull(name) && mlirAttributeIsAString(name);
  MlirStringRef text = isText ? mlirStringAttrGetValue(name) : (MlirStringRef){"", 0};
  stitchEmitOpError(planned, "has a stitch.update that %s '%.*s'", what, (int)text.length, text.data);
  a->failed = true;
}

static bool isMode(MlirAttribute mode) {
  static const char *const names[] = {"parallel", "exhaustive", "prefix"};
  bool found = false;
  for (int i = 0; i < 3 && mlirAttributeIsAString(mode); ++i)
    found |= mlirStringRefEqual(mlirStringAttrGetValue(mode), mlirStringRefCreateFromCString(names[i]));
  return found;
}

static void checkVariable(Adaptive *a, MlirOperation planned, MlirAttribute name) {
  if (mlirAttributeIsNull(name) || !irMapContains(&a->numbers, name.ptr))
    failVariable(a, planned, "explores something unknown:", name);
  else if (irMapContains(&a->visited, name.ptr))
    failVariable(a, planned, "explores twice", name);
  else
    irMapSet(&a->visited, name.ptr, 1);
}

/// The context of a variable comes before it in the tree.
static void checkContext(Adaptive *a, MlirOperation planned, MlirAttribute context) {
  bool isList = !mlirAttributeIsNull(context) && mlirAttributeIsAArray(context);
  if (!isList)
    failVariable(a, planned, "has a context that is no list of names", mlirAttributeGetNull());
  for (intptr_t i = 0; isList && i < mlirArrayAttrGetNumElements(context); ++i)
    if (!irMapContains(&a->visited, mlirArrayAttrGetElement(context, i).ptr))
      failVariable(a, planned, "has a context not explored before:", mlirArrayAttrGetElement(context, i));
}

static void checkTree(Adaptive *a, MlirOperation planned, MlirAttribute node) {
  if (mlirAttributeIsAString(node)) {
    checkVariable(a, planned, node);
  } else if (mlirAttributeIsADictionary(node)) {
    checkContext(a, planned, irEntry(node, "context"));
    checkVariable(a, planned, irEntry(node, "variable"));
  } else if (mlirAttributeIsAArray(node) && mlirArrayAttrGetNumElements(node) > 0 &&
             isMode(mlirArrayAttrGetElement(node, 0))) {
    for (intptr_t i = 1; i < mlirArrayAttrGetNumElements(node); ++i)
      checkTree(a, planned, mlirArrayAttrGetElement(node, i));
  } else {
    failVariable(a, planned, "is neither a variable nor a list that begins with a mode", mlirAttributeGetNull());
  }
}

static MlirAttribute describeVariables(MlirContext context, const Adaptive *a) {
  MlirAttribute *list = irAllocate(sizeof(*list) * (size_t)(a->count + 1));
  for (intptr_t i = 0; i < a->count; ++i) {
    MlirNamedAttribute entries[3] = {irNamed(context, "name", a->variables[i].name),
                                     irNamed(context, "versions", a->variables[i].versions),
                                     irNamed(context, "bitwise", mlirUnitAttrGet(context))};
    list[i] = mlirDictionaryAttrGet(context, a->variables[i].isBitwise ? 3 : 2, entries);
  }
  MlirAttribute result = mlirArrayAttrGet(context, a->count, list);
  free(list);
  return result;
}

bool hostDescribeAdaptive(MlirOperation planned, MlirOperation function) {
  MlirContext context = mlirOperationGetContext(planned);
  Adaptive a = {0};
  mlirOperationWalk(planned, collectVariable, &a, MlirWalkPreOrder);
  MlirAttribute tree = irGetAttr(planned, "stitch.update");
  if (mlirAttributeIsNull(tree))
    tree = parallelTree(context, &a);
  if (!a.failed)
    checkTree(&a, planned, tree);
  for (intptr_t i = 0; i < a.count && !a.failed; ++i)
    if (!irMapContains(&a.visited, a.variables[i].name.ptr))
      failVariable(&a, planned, "does not explore", a.variables[i].name);
  if (a.count && !a.failed) {
    irSetAttr(function, "stitch.adaptive", describeVariables(context, &a));
    irSetAttr(function, "stitch.update", tree);
  }
  free(a.variables);
  irMapDestroy(&a.numbers);
  irMapDestroy(&a.visited);
  return !a.failed;
}
