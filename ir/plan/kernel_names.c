//===- kernel_names.c - names of a kernel's operations --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Value numbering: a node's text is its operation with the numbers of its operands; nodes of one text have one number.
// Nodes are visited from the results on, operands first, so that numbers follow from the graph alone.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/kernel_names.h"

#include "ir/mlir/text.h"
#include "ir/mlir/text_table.h"
#include "ir/plan/persistent.h"
#include "ir/plan/plan.h"
#include "ir/plan/resources.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const IrGraph *graph;
  KernelNames *names;
  int64_t *number;   ///< node -> number of its value, -1: not yet
  int64_t *argument; ///< block argument -> its number, in the order in which they are met
  int64_t numArguments;
  TextTable table;
  IrMap printed; ///< type or attribute, of which there are few different ones -> its text
  const char **nameOfNumber;
  int64_t countOfKind[TG_NUM_KINDS];
} NodeNumbering;

//===----------------------------------------------------------------------===//
// The text of a node
//===----------------------------------------------------------------------===//

/// The text of a type or attribute, which is printed once: there is one object of each.
static const char *printed(NodeNumbering *n, const void *object, MlirType type, MlirAttribute attribute) {
  const char *known = (const char *)(intptr_t)irMapGet(&n->printed, object, 0);
  if (known)
    return known;
  IrText text = {.arena = &n->names->arena};
  irTextFormat(&text, "%s", "");
  if (mlirTypeIsNull(type))
    mlirAttributePrint(attribute, irTextAppend, &text);
  else
    mlirTypePrint(type, irTextAppend, &text);
  irMapSet(&n->printed, object, (int64_t)(intptr_t)text.data);
  return text.data;
}

static void appendName(IrText *text, const char *more) { irTextAppend(mlirStringRefCreateFromCString(more), text); }

static void appendType(NodeNumbering *n, IrText *text, MlirType type) {
  appendName(text, ":");
  appendName(text, printed(n, type.ptr, type, (MlirAttribute){NULL}));
}

static void appendOperation(NodeNumbering *n, IrText *text, MlirOperation op) {
  irTextAppend(irOpName(op), text);
  intptr_t count = mlirOperationGetNumAttributes(op); // makes a list of them each time
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    if (planIsPlanAttr(name))
      continue;
    appendName(text, ",");
    irTextAppend(name, text);
    appendName(text, "=");
    appendName(text, printed(n, attribute.attribute.ptr, (MlirType){NULL}, attribute.attribute));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    appendType(n, text, mlirValueGetType(irResult(op, i)));
}

/// A body of scalars, which reads nothing but its arguments.
static void appendBody(NodeNumbering *n, IrText *text, MlirBlock body) {
  IrMap numbers = {0};
  int64_t count = 0;
  irTextFormat(text, "{");
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirValue argument = mlirBlockGetArgument(body, i);
    irMapSet(&numbers, argument.ptr, count++);
    appendType(n, text, mlirValueGetType(argument));
  }
  IR_FOR_EACH_OP(op, body) {
    irTextFormat(text, ";");
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      irTextFormat(text, "%%%" PRId64, irMapGet(&numbers, irOperand(op, i).ptr, -1));
    appendOperation(n, text, op);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      irMapSet(&numbers, irResult(op, i).ptr, count++);
  }
  irTextFormat(text, "}");
  irMapDestroy(&numbers);
}

static void appendOperand(NodeNumbering *n, IrText *text, const GraphOperand *operand) {
  if (operand->node >= 0) {
    irTextFormat(text, "(%%%" PRId64 "#%" PRId64 ")", n->number[operand->node], operand->number);
    return;
  }
  int64_t *number = &n->argument[operand->number];
  if (*number < 0)
    *number = n->numArguments++;
  irTextFormat(text, "(%%arg%" PRId64, *number);
  appendType(n, text, mlirValueGetType(mlirBlockGetArgument(n->graph->block, operand->number)));
  irTextFormat(text, ")");
}

static char *nodeText(NodeNumbering *n, const GraphNode *node, IrArena *scratch) {
  IrText text = {.arena = scratch};
  appendOperation(n, &text, node->op);
  for (int64_t i = 0; i < node->numOperands; ++i)
    appendOperand(n, &text, &node->operands[i]);
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(node->op); ++i)
    appendBody(n, &text, irBody(node->op, i));
  return strdup(text.data);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The node whose value a copy repeats; -1 if the node is no copy of one.
static int64_t copiedNode(const GraphNode *node) {
  bool isCopy = node->kind == TG_reshape &&
                mlirTypeEqual(mlirValueGetType(irOperand(node->op, 0)), mlirValueGetType(irResult(node->op, 0)));
  return isCopy ? node->operands[0].node : -1;
}

static const char *nameOfNew(NodeNumbering *n, TgKind kind) {
  enum { LONGEST = 64 };
  char *name = irArenaAllocate(&n->names->arena, LONGEST);
  snprintf(name, LONGEST, "%s_%" PRId64, tgNameOfKind(kind), n->countOfKind[kind]++);
  return name;
}

/// All operands have their numbers.
static void numberNode(NodeNumbering *n, int64_t i) {
  const GraphNode *node = &n->graph->nodes[i];
  int64_t copied = copiedNode(node);
  if (copied >= 0) {
    n->number[i] = n->number[copied];
    n->names->names[i] = n->names->names[copied];
    return;
  }
  IrArena scratch = {0};
  bool isNew;
  n->number[i] = textTableAdd(&n->table, nodeText(n, node, &scratch), &isNew);
  irArenaDestroy(&scratch);
  if (isNew) {
    n->nameOfNumber[n->number[i]] = nameOfNew(n, node->kind);
    n->names->key = textHash(n->names->key, n->table.texts[n->number[i]]);
  }
  n->names->names[i] = n->nameOfNumber[n->number[i]];
}

/// Numbers the operands of `root`, directly and indirectly, then itself.
static void numberFrom(NodeNumbering *n, int64_t root, int64_t *stack) {
  int64_t depth = 0;
  stack[depth++] = root;
  while (depth > 0) {
    int64_t i = stack[depth - 1];
    const GraphNode *node = &n->graph->nodes[i];
    int64_t open = -1;
    for (int64_t j = 0; j < node->numOperands && open < 0 && n->number[i] < 0; ++j)
      if (node->operands[j].node >= 0 && n->number[node->operands[j].node] < 0)
        open = node->operands[j].node;
    if (open >= 0) {
      stack[depth++] = open;
      continue;
    }
    if (n->number[i] < 0)
      numberNode(n, i);
    --depth;
  }
}

static void numberResults(NodeNumbering *n) {
  const IrGraph *graph = n->graph;
  int64_t *stack = IR_NEW_ARRAY(&n->names->arena, int64_t, graph->numNodes + 1);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(graph->terminator); ++i) {
    MlirValue value = irOperand(graph->terminator, i);
    char result[64] = "input";
    if (mlirValueIsAOpResult(value)) {
      int64_t node = irGraphNode(graph, irDefiningOp(value));
      numberFrom(n, node, stack);
      snprintf(result, sizeof(result), "result %%%" PRId64 "#%" PRIdPTR, n->number[node],
               mlirOpResultGetResultNumber(value));
    }
    n->names->key = textHash(n->names->key, result);
  }
  for (int64_t i = 0; i < graph->numNodes; ++i) // operations that no result needs
    numberFrom(n, i, stack);
}

static void hashDevice(KernelNames *names, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !irHasAttr(op, "stitch.device"))
    op = mlirOperationGetParentOperation(op);
  if (mlirOperationIsNull(op))
    return;
  IrText text = {.arena = &names->arena};
  mlirAttributePrint(irGetAttr(op, "stitch.device"), irTextAppend, &text);
  names->key = textHash(names->key, text.data);
}

KernelNames kernelNamesCreate(MlirOperation fusion, const IrGraph *graph) {
  KernelNames names = {.key = TEXT_HASH_OF_NOTHING};
  intptr_t numArguments = mlirBlockGetNumArguments(graph->block);
  names.names = IR_NEW_ARRAY(&names.arena, const char *, graph->numNodes + 1);
  NodeNumbering n = {.graph = graph,
                     .names = &names,
                     .number = IR_NEW_ARRAY(&names.arena, int64_t, graph->numNodes + 1),
                     .argument = IR_NEW_ARRAY(&names.arena, int64_t, numArguments + 1),
                     .nameOfNumber = IR_NEW_ARRAY(&names.arena, const char *, graph->numNodes + 1)};
  memset(n.number, -1, sizeof(int64_t) * (size_t)graph->numNodes);
  memset(n.argument, -1, sizeof(int64_t) * (size_t)numArguments);
  hashDevice(&names, fusion);
  if (irHasAttr(fusion, PLAN_PERSISTENT)) // has one grid barrier more
    names.key = textHash(names.key, PLAN_PERSISTENT);
  for (int64_t blocks = planBlocksOf(fusion); blocks > 0; blocks /= 2) // has the barrier of so many
    names.key = textHash(names.key, PLAN_BLOCKS);
  if (irHasAttr(fusion, PLAN_ONE_PER_SM))
    names.key = textHash(names.key, PLAN_ONE_PER_SM);
  numberResults(&n);
  textTableDestroy(&n.table);
  irMapDestroy(&n.printed);
  return names;
}

void kernelNamesDestroy(KernelNames *names) { irArenaDestroy(&names->arena); }
