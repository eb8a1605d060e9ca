//===- vectors.c - stitch-thread-mapping: the vectors of accesses --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the members and roots of a group. Leaves the widest vector with which all their memory accesses are aligned and
// contiguous, at most 16 bytes of the narrowest element.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arithmetic.h"
#include "ir/mlir/symbol.h"
#include "passes/stitch_thread_mapping/mapper.h"

enum { VECTOR_BYTES = 16, MAX_VECTOR = 8 };

/// Registers for the loads of a thread of a flat group; threads of blocks that are counted, whatever blocks have.
enum { FLAT_VALUES = 32, COUNTED_THREADS = 256 };

/// The limits of a root or member on the vector width. These are its element size if it is in memory and as large as
/// the space, and the runs of contiguous elements where it moves them.
typedef struct {
  int64_t bytes;    ///< of the narrowest element in memory
  int64_t multiple; ///< the vector must divide this
} Width;

static int64_t greatestCommonDivisor(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static void restrictByShape(Width *width, IrShape shape) {
  width->multiple = greatestCommonDivisor(width->multiple, irInnermostSize(shape));
}

static void restrictByMemory(Width *width, MlirValue value) {
  width->bytes = min64(width->bytes, max64(irElementBytes(irElementTypeOf(value)), 1));
}

/// `seen`: the values that the group reads, which several of its operations may.
static void considerNode(Mapper *m, Group *g, Width *width, IrMap *seen, int64_t i) {
  const GraphNode *node = &m->graph->nodes[i];
  if (node->class == TG_CLASS_REDUCE)
    restrictByShape(width, irShapeOf(irOperand(node->op, 0)));
  else if (node->class != TG_CLASS_ELEMENTWISE && node->class != TG_CLASS_SOURCE &&
           node->elements >= g->mapping.columns)
    restrictByShape(width, planIterationShape(node->op));
  if (node->yielded && node->elements == g->elements)
    restrictByMemory(width, irResult(node->op, 0));
  for (int64_t j = 0; j < node->numOperands; ++j) {
    MlirValue operand = irOperand(node->op, j);
    int64_t from = node->operands[j].node;
    if ((from >= 0 && !groupIsRoot(&m->view, from)) || irNumElements(irShapeOf(operand)) < g->mapping.columns)
      continue;
    restrictByMemory(width, operand);
    if (from < 0 && !irMapContains(seen, operand.ptr))
      g->bytes += irTensorBytes(mlirValueGetType(operand));
    irMapSet(seen, operand.ptr, 1);
  }
}

/// Elements that depend on a symbol end between vectors, whatever the symbol's value is.
static void restrictBySymbol(Group *g, Width *width, const GraphNode *node) {
  MlirType type = mlirValueGetType(node->class == TG_CLASS_REDUCE ? irOperand(node->op, 0) : irResult(node->op, 0));
  IrSymbol symbol = irSymbolOf(node->op, type);
  if (!mlirAttributeIsNull(symbol.name) && iterationElements(node) == g->elements)
    width->multiple = greatestCommonDivisor(width->multiple, g->elements / symbol.high);
}

void chooseVector(Mapper *m, int64_t group) {
  Group *g = &m->groups[group];
  Width width = {VECTOR_BYTES, g->mapping.columns};
  IrMap seen = {0};
  for (int64_t k = m->view.first[group]; k < m->view.first[group + 1]; ++k) {
    considerNode(m, g, &width, &seen, m->view.nodes[k]);
    restrictBySymbol(g, &width, &m->graph->nodes[m->view.nodes[k]]);
  }
  irMapDestroy(&seen);
  int64_t vector = m->vectorize && width.bytes < VECTOR_BYTES ? min64(VECTOR_BYTES / width.bytes, MAX_VECTOR) : 1;
  g->widest = vector;
  while (width.multiple % vector != 0 || (g->isStack && vector > 1))
    vector /= 2;
  g->mapping.vector = max64(vector, 1);
  g->bytes = max64(g->bytes, g->elements * min64(width.bytes, 8));
}

int64_t flatUnroll(const Mapper *m, int64_t group, int64_t vector) {
  int64_t columns = m->groups[group].mapping.columns, unroll = m->adaptive ? 4 : 1;
  int64_t words = vector * wordsReadByGroup(&m->view, group, columns);
  while (unroll > 1 && (unroll * words > FLAT_VALUES ||
                        ceilDiv(columns, max64(m->block, COUNTED_THREADS) * vector * unroll) < 2 * m->device.sms))
    unroll /= 2;
  return unroll;
}
