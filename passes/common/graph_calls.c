//===- graph_calls.c - functions that are graphs, and their calls --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module with functions that call each other. Leaves for each function whether it is a graph, and copies a
// graph with the functions that it calls into a module of its own.
//
//===----------------------------------------------------------------------===//

#include "passes/common/graph_calls.h"

#include "ir/graph/embedded.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"

#include <stdlib.h>
#include <string.h>

enum { STATE_UNKNOWN, STATE_VISITING, STATE_GRAPH, STATE_NO_GRAPH };

//===----------------------------------------------------------------------===//
// Functions by name
//===----------------------------------------------------------------------===//

static int compareNames(MlirStringRef a, MlirStringRef b) {
  size_t length = a.length < b.length ? a.length : b.length;
  int order = length ? memcmp(a.data, b.data, length) : 0;
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compareFunctions(const void *a, const void *b) {
  return compareNames(((const GraphFunction *)a)->name, ((const GraphFunction *)b)->name);
}

/// NULL if there is none.
static GraphFunction *findFunction(GraphCalls *calls, MlirStringRef name) {
  GraphFunction key = {.name = name};
  if (!calls->numFunctions)
    return NULL;
  return bsearch(&key, calls->functions, (size_t)calls->numFunctions, sizeof(GraphFunction), compareFunctions);
}

static MlirStringRef nameOf(MlirOperation function) { return mlirStringAttrGetValue(irGetAttr(function, "sym_name")); }

static GraphFunction *functionOf(GraphCalls *calls, MlirOperation op) {
  return irOpIs(op, "func.func") ? findFunction(calls, nameOf(op)) : NULL;
}

static GraphFunction *calleeOf(GraphCalls *calls, MlirOperation call) {
  return findFunction(calls, mlirFlatSymbolRefAttrGetValue(irGetAttr(call, "callee")));
}

static bool isPrivate(MlirOperation function) {
  MlirAttribute visibility = irGetAttr(function, "sym_visibility");
  return !mlirAttributeIsNull(visibility) && mlirAttributeIsAString(visibility) &&
         mlirStringRefEqual(mlirStringAttrGetValue(visibility), mlirStringRefCreateFromCString("private"));
}

//===----------------------------------------------------------------------===//
// Which are graphs
//===----------------------------------------------------------------------===//

static bool takesTensors(MlirOperation function) {
  MlirType type = mlirTypeAttrGetValue(irGetAttr(function, "function_type"));
  bool tensors = true;
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    tensors = tensors && mlirTypeIsARankedTensor(mlirFunctionTypeGetInput(type, i));
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    tensors = tensors && mlirTypeIsARankedTensor(mlirFunctionTypeGetResult(type, i));
  return tensors;
}

/// Whether graphs have such arguments: an encoding that is a text names the sizes that are open (ir/mlir/symbol.h).
static bool isOfGraphs(MlirType type) {
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type);
  return mlirShapedTypeHasStaticShape(type) && (mlirAttributeIsNull(encoding) || mlirAttributeIsAString(encoding));
}

/// Whether an argument has a dynamic shape, or is sparse, and no operation of the graph reads it: it only passes
/// through, as it would between operations of other dialects.
static bool passesOthers(MlirBlock body) {
  bool passes = false;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirValue argument = mlirBlockGetArgument(body, i);
    bool isRead = isOfGraphs(mlirValueGetType(argument));
    for (MlirOpOperand use = mlirValueGetFirstUse(argument); !isRead && !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      isRead = irIsOfGraphs(mlirOpOperandGetOwner(use));
    passes = passes || !isRead;
  }
  return passes;
}

/// Functions whose callees are looked at, from the outermost one on: of chains of calls of any length.
typedef struct {
  struct Frame {
    GraphFunction *function;
    MlirOperation next; ///< to be looked at
  } *frames;
  intptr_t count, capacity;
} Stack;

static void push(Stack *stack, GraphFunction *function) {
  IR_RESERVE_ONE(stack->frames, stack->count, stack->capacity);
  MlirBlock body = irBody(function->op, 0);
  bool canBe = !mlirBlockIsNull(body) && mlirBlockIsNull(mlirBlockGetNextInRegion(body)) &&
               takesTensors(function->op) && !passesOthers(body);
  function->state = canBe ? STATE_VISITING : STATE_NO_GRAPH;
  if (canBe)
    stack->frames[stack->count++] = (struct Frame){function, mlirBlockGetFirstOperation(body)};
}

/// Looks at one operation of the innermost function, or comes back from it. A caller of a function that is being looked
/// at is no graph, nor are callers of that.
static void step(GraphCalls *calls, Stack *stack) {
  struct Frame *frame = &stack->frames[stack->count - 1];
  GraphFunction *function = frame->function;
  MlirOperation op = frame->next;
  if (mlirOperationIsNull(op) || function->state == STATE_NO_GRAPH) {
    if (function->state == STATE_VISITING)
      function->state = STATE_GRAPH;
    --stack->count;
    return;
  }
  GraphFunction *callee = irOpIs(op, "func.call") ? calleeOf(calls, op) : NULL;
  if (callee && callee->state == STATE_UNKNOWN)
    return push(stack, callee);
  bool belongs = irIsOfGraphs(op) || irOpIs(op, "func.return") || (callee && callee->state == STATE_GRAPH);
  if (!belongs)
    function->state = STATE_NO_GRAPH;
  frame->next = irNextOp(op);
}

static void classifyFunctions(GraphCalls *calls) {
  Stack stack = {0};
  for (intptr_t i = 0; i < calls->numFunctions; ++i) {
    if (calls->functions[i].state == STATE_UNKNOWN)
      push(&stack, &calls->functions[i]);
    while (stack.count)
      step(calls, &stack);
  }
  free(stack.frames);
}

//===----------------------------------------------------------------------===//
// Who uses them
//===----------------------------------------------------------------------===//

static void noteSymbols(GraphCalls *calls, MlirAttribute attribute) {
  if (mlirAttributeIsASymbolRef(attribute)) {
    GraphFunction *function = findFunction(calls, mlirSymbolRefAttrGetRootReference(attribute));
    if (function)
      function->isUsedOtherwise = true;
  } else if (mlirAttributeIsAArray(attribute)) {
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(attribute); ++i)
      noteSymbols(calls, mlirArrayAttrGetElement(attribute, i));
  } else if (mlirAttributeIsADictionary(attribute)) {
    for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(attribute); ++i)
      noteSymbols(calls, mlirDictionaryAttrGetElement(attribute, i).attribute);
  }
}

static MlirWalkResult noteUses(MlirOperation op, void *data) {
  GraphCalls *calls = data;
  if (irOpIs(op, "func.call")) {
    GraphFunction *callee = calleeOf(calls, op);
    if (callee)
      callee->isCalled = true;
    return MlirWalkResultAdvance;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i)
    noteSymbols(calls, mlirOperationGetAttribute(op, i).attribute);
  return MlirWalkResultAdvance;
}

GraphCalls graphCallsOf(MlirOperation module) {
  GraphCalls calls = {.module = module};
  IR_FOR_EACH_OP(op, irBody(module, 0)) {
    if (!irOpIs(op, "func.func"))
      continue;
    IR_RESERVE_ONE(calls.functions, calls.numFunctions, calls.capacity);
    calls.functions[calls.numFunctions++] = (GraphFunction){.op = op, .name = nameOf(op), .isPrivate = isPrivate(op)};
  }
  if (calls.numFunctions)
    qsort(calls.functions, (size_t)calls.numFunctions, sizeof(GraphFunction), compareFunctions);
  classifyFunctions(&calls);
  mlirOperationWalk(module, noteUses, &calls, MlirWalkPreOrder);
  for (intptr_t i = 0; i < calls.numFunctions; ++i)
    if (calls.functions[i].isCalled && calls.functions[i].state == STATE_GRAPH)
      calls.functions[i].copy = mlirOperationClone(calls.functions[i].op);
  return calls;
}

void graphCallsDestroy(GraphCalls *calls) {
  for (intptr_t i = 0; i < calls->numFunctions; ++i)
    if (!mlirOperationIsNull(calls->functions[i].copy))
      mlirOperationDestroy(calls->functions[i].copy);
  free(calls->functions);
}

bool graphCallsIsGraph(GraphCalls *calls, MlirOperation op) {
  GraphFunction *function = functionOf(calls, op);
  return function && function->state == STATE_GRAPH;
}

bool graphCallsIsOfGraphs(GraphCalls *calls, MlirOperation op) {
  GraphFunction *callee = irOpIs(op, "func.call") ? calleeOf(calls, op) : NULL;
  return callee && callee->state == STATE_GRAPH;
}

bool graphCallsIsCalledOnly(GraphCalls *calls, MlirOperation op) {
  GraphFunction *function = functionOf(calls, op);
  return function && function->state == STATE_GRAPH && !function->isUsedOtherwise && function->isPrivate;
}

bool graphCallsStandsAlone(GraphCalls *calls, MlirOperation op) {
  GraphFunction *function = functionOf(calls, op);
  if (!function || function->state != STATE_GRAPH || function->isCalled || function->isUsedOtherwise)
    return false;
  IR_FOR_EACH_OP(inner, irBody(op, 0))
    if (irOpIs(inner, "func.call"))
      return false;
  return true;
}

bool graphCallsIsOneGraph(GraphCalls *calls) {
  intptr_t numPublic = 0;
  IR_FOR_EACH_OP(op, irBody(calls->module, 0)) {
    bool hasNoBody = irOpIs(op, "func.func") && mlirBlockIsNull(irBody(op, 0));
    if (!hasNoBody && !graphCallsIsGraph(calls, op))
      return false;
    numPublic += !hasNoBody && !isPrivate(op);
  }
  return numPublic <= 1;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

typedef struct {
  GraphCalls *calls;
  MlirBlock block;
  bool *isCloned; ///< by function
} Cloning;

static MlirWalkResult cloneCallee(MlirOperation op, void *data) {
  Cloning *c = data;
  if (!irOpIs(op, "func.call"))
    return MlirWalkResultAdvance;
  GraphFunction *callee = calleeOf(c->calls, op);
  intptr_t number = callee - c->calls->functions;
  if (c->isCloned[number])
    return MlirWalkResultAdvance;
  c->isCloned[number] = true;
  MlirOperation copy = mlirOperationClone(callee->copy);
  irSetAttr(copy, "sym_visibility", irStringAttr(mlirOperationGetContext(op), "private"));
  mlirBlockAppendOwnedOperation(c->block, copy);
  return MlirWalkResultAdvance;
}

static MlirWalkResult renameCall(MlirOperation op, void *name) {
  bool isOfMain = irOpIs(op, "func.call") && mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(irGetAttr(op, "callee")),
                                                                mlirStringRefCreateFromCString("main"));
  if (isOfMain)
    irSetAttr(op, "callee", *(MlirAttribute *)name);
  return MlirWalkResultAdvance;
}

/// A copy of a @main must not be called as the function of the graph is, which nothing calls.
static void renameMain(GraphCalls *calls, MlirOperation function) {
  static const char other[] = "called.main";
  MlirContext context = mlirOperationGetContext(function);
  MlirStringRef main = mlirStringRefCreateFromCString("main");
  if (!findFunction(calls, main))
    return;
  MlirAttribute symbol = mlirFlatSymbolRefAttrGet(context, mlirStringRefCreateFromCString(other));
  for (MlirOperation op = function; !mlirOperationIsNull(op); op = irNextOp(op)) {
    mlirOperationWalk(op, renameCall, &symbol, MlirWalkPreOrder);
    if (!mlirOperationEqual(op, function) && mlirStringRefEqual(nameOf(op), main))
      irSetAttr(op, "sym_name", irStringAttr(context, other));
  }
}

void graphCallsClone(GraphCalls *calls, MlirOperation function, MlirBlock block) {
  Cloning c = {calls, block, irAllocateZeroed((size_t)calls->numFunctions + 1, sizeof(bool))};
  for (MlirOperation op = function; !mlirOperationIsNull(op); op = irNextOp(op)) // and the copies, which come behind it
    mlirOperationWalk(op, cloneCallee, &c, MlirWalkPreOrder);
  renameMain(calls, function);
  free(c.isCloned);
}

void graphCallsEraseUnused(GraphCalls *calls) {
  for (intptr_t i = 0; i < calls->numFunctions; ++i) {
    GraphFunction *function = &calls->functions[i];
    if (function->state == STATE_GRAPH && !function->isUsedOtherwise && function->isPrivate)
      mlirOperationDestroy(function->op);
  }
}
