//===- graph.c - a block of operations as a numbered graph ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the body of a fusion, or any block. Leaves arrays of nodes, operands and users in one allocation, and the
// slices of values that only slices read.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/graph.h"

#include <stdlib.h>

static void addNodes(IrGraph *graph) {
  IR_FOR_EACH_OP(op, graph->block)
    ++graph->numNodes;
  --graph->numNodes;
  graph->nodes = IR_NEW_ARRAY(&graph->arena, GraphNode, graph->numNodes);
  int64_t number = 0;
  IR_FOR_EACH_OP(op, graph->block) {
    if (number == graph->numNodes)
      break;
    GraphNode *node = &graph->nodes[number];
    node->op = op;
    node->kind = tgKindOf(op);
    node->class = tgClassOfKind(node->kind);
    node->value = graph->numValues;
    graph->numValues += mlirOperationGetNumResults(op);
    if (mlirOperationGetNumResults(op) > 0)
      node->elements = irNumElements(irShapeOf(irResult(op, 0)));
    irMapSet(&graph->numbers, op.ptr, number++);
  }
}

/// Values that no node has for a result are numbered behind those that one has, as they come.
static GraphOperand operandOf(IrGraph *graph, IrMap *others, MlirValue value) {
  bool isArgument = mlirValueIsABlockArgument(value);
  int64_t node = isArgument ? -1 : irMapGet(&graph->numbers, mlirOpResultGetOwner(value).ptr, -1);
  int64_t number = isArgument ? mlirBlockArgumentGetArgNumber(value) : mlirOpResultGetResultNumber(value);
  if (node >= 0)
    return (GraphOperand){node, number, graph->nodes[node].value + number};
  int64_t known = irMapGet(others, value.ptr, -1);
  if (known < 0) {
    known = graph->numValues++;
    irMapSet(others, value.ptr, known);
  }
  return (GraphOperand){-1, number, known};
}

static void addOperands(IrGraph *graph, IrMap *others, GraphNode *node) {
  node->numOperands = mlirOperationGetNumOperands(node->op);
  GraphOperand *operands = IR_NEW_ARRAY(&graph->arena, GraphOperand, node->numOperands);
  for (int64_t i = 0; i < node->numOperands; ++i) {
    operands[i] = operandOf(graph, others, irOperand(node->op, i));
    if (operands[i].node >= 0)
      ++graph->nodes[operands[i].node].numUsers;
  }
  node->operands = operands;
}

static void addUsers(IrGraph *graph) {
  int64_t **users = irAllocate(sizeof(int64_t *) * (size_t)(graph->numNodes + 1));
  for (int64_t i = 0; i < graph->numNodes; ++i)
    graph->nodes[i].users = users[i] = IR_NEW_ARRAY(&graph->arena, int64_t, graph->nodes[i].numUsers);
  for (int64_t i = 0; i < graph->numNodes; ++i)
    for (int64_t j = 0; j < graph->nodes[i].numOperands; ++j)
      if (graph->nodes[i].operands[j].node >= 0)
        *users[graph->nodes[i].operands[j].node]++ = i;
  free(users);
}

IrGraph irGraphCreate(MlirBlock block) {
  IrGraph graph = {.block = block, .terminator = mlirBlockGetTerminator(block)};
  IrMap others = {0};
  addNodes(&graph);
  for (int64_t i = 0; i < graph.numNodes; ++i)
    addOperands(&graph, &others, &graph.nodes[i]);
  addUsers(&graph);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(graph.terminator); ++i) {
    int64_t node = operandOf(&graph, &others, irOperand(graph.terminator, i)).node;
    if (node >= 0)
      graph.nodes[node].yielded = true;
  }
  irMapDestroy(&others);
  return graph;
}

void irGraphDestroy(IrGraph *graph) {
  irMapDestroy(&graph->numbers);
  irArenaDestroy(&graph->arena);
}

int64_t irGraphNode(const IrGraph *graph, MlirOperation op) { return irMapGet(&graph->numbers, op.ptr, -1); }

static int64_t countSlices(const IrGraph *graph, int64_t node) {
  int64_t count = 0;
  for (int64_t u = 0; u < graph->nodes[node].numUsers; ++u) {
    int64_t user = graph->nodes[node].users[u];
    if (graph->nodes[user].kind == TG_slice)
      ++count;
    else if (graph->nodes[user].kind == TG_reshape)
      count += countSlices(graph, user);
  }
  return count;
}

int64_t irSlicesOf(const IrGraph *graph, int64_t node) {
  int64_t count = countSlices(graph, node);
  return count > 0 ? count : 1;
}
