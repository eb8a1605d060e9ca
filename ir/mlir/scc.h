//===- scc.h - strongly connected components -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_SCC_H
#define STITCH_IR_MLIR_SCC_H

#include "ir/mlir/arena.h"

#include <stdint.h>

/// A directed graph: the edges of vertex v lead to edges[firstEdge[v] .. firstEdge[v + 1]).
typedef struct {
  int64_t numVertices;
  int64_t *firstEdge; ///< at least numVertices + 1
  int64_t *edges;
} Digraph;

typedef struct {
  int64_t *component; ///< vertex -> component; a component has a larger number than those that its edges lead to
  int64_t count;
} Scc;

/// Strongly connected components (Tarjan's algorithm, iterative), allocated in `arena`. Linear in the size of the
/// graph.
Scc sccFind(const Digraph *graph, IrArena *arena);

#endif // STITCH_IR_MLIR_SCC_H
