//===- graph_calls.h - functions that are graphs, and their calls --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is a graph if it takes and returns tensors, and is not recursive. It has one block with nothing but
// operations of tg and calls of other such functions. A call of one is part of the graph that it stands in. All other
// calls - of functions without a body, of recursive ones, of those with operations of other dialects - are operations
// like those of other dialects.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_GRAPH_CALLS_H
#define STITCH_PASSES_COMMON_GRAPH_CALLS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

typedef struct {
  MlirOperation op; ///< in the module, as long as it is not replaced
  MlirStringRef name;
  int state;
  bool isUsedOtherwise; ///< its symbol is named by something that is no func.call
  bool isPrivate, isCalled;
  MlirOperation copy; ///< of a graph that is called: as it was in the beginning; null: none
} GraphFunction;

/// The functions of a module as it was when graphCallsOf looked at it.
typedef struct {
  MlirOperation module;
  GraphFunction *functions; ///< sorted by name
  intptr_t numFunctions, capacity;
} GraphCalls;

GraphCalls graphCallsOf(MlirOperation module);
void graphCallsDestroy(GraphCalls *calls);

/// Whether `op` is a function that is a graph.
bool graphCallsIsGraph(GraphCalls *calls, MlirOperation op);
/// Whether `op` is a call of one.
bool graphCallsIsOfGraphs(GraphCalls *calls, MlirOperation op);
/// Whether `op` is a private function that is a graph, and has no users but calls.
bool graphCallsIsCalledOnly(GraphCalls *calls, MlirOperation op);
/// Whether `op` is a function that is a graph, all of whose operations are those of tg, and that nothing refers to.
bool graphCallsStandsAlone(GraphCalls *calls, MlirOperation op);
/// Whether the module is nothing but functions that are graphs, or have no body, and at most one is not private.
bool graphCallsIsOneGraph(GraphCalls *calls);

/// Adds copies of the functions that `function` calls, directly or not, to the end of `block`, as private ones.
void graphCallsClone(GraphCalls *calls, MlirOperation function, MlirBlock block);

/// Erases those for which graphCallsIsCalledOnly holds.
void graphCallsEraseUnused(GraphCalls *calls);

#endif // STITCH_PASSES_COMMON_GRAPH_CALLS_H
