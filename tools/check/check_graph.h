//===- check_graph.h - the graph of a launch in a model file --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tg operations of a kernel or library call, read from a StitchModelGraph (docs/ir.md, section 6).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_CHECK_CHECK_GRAPH_H
#define STITCH_TOOLS_CHECK_CHECK_GRAPH_H

#include "runtime/model.h"
#include "runtime/status.h"
#include "tools/check/check_tensor.h"

/// The operations of tg, numbered as in the table.
typedef enum {
#define TG_OP(name, class, cost, error) CHECK_##name,
#include "ir/graph/tg.def"
#undef TG_OP
  CHECK_NUM_KINDS
} CheckKind;

typedef struct {
  const char *name;
  int64_t count;
  const int64_t *values;
} CheckAttribute;

typedef struct {
  StitchElementType type;
  CheckShape shape; ///< with the largest sizes
  int64_t symbol;   ///< 1 + number of the symbol that dims[0] is a multiple of; 0: none
} CheckType;

/// A place in the model's text.
typedef struct {
  const char *file; ///< NULL: unknown
  int64_t line, column;
  const char *name; ///< that the program gives it; NULL: none
} CheckPlace;

typedef struct CheckGraph CheckGraph;

/// How often a choice was made each way, over all elements of all evaluations: select and compare (true, false), clamp
/// (below, inside, above), max and min (left, right).
enum { CHECK_MAX_SIDES = 3 };

typedef struct {
  CheckKind kind;
  CheckPlace place;
  int64_t numOperands, numResults, numAttributes, numRegions;
  const int64_t *operands; ///< numbers of values
  int64_t firstResult;     ///< the results are the values from here on
  CheckAttribute *attributes;
  CheckGraph *regions;
  int64_t *sides; ///< CHECK_MAX_SIDES of them
  int64_t *lost;  ///< one number: elements of which nothing is known, of operands of which all are known
} CheckOp;

struct CheckGraph {
  int64_t numValues, numArguments, numOps, numResults;
  CheckType *types; ///< of values; the first ones are the arguments
  CheckOp *ops;
  const int64_t *results; ///< numbers of values
};

/// A result that goes into a slice of a buffer.
typedef struct {
  int64_t result;   ///< of the first ones
  int64_t argument; ///< of the launch: the buffer
  CheckType buffer;
  const int64_t *sizes;     ///< of the slice, which has the elements of the result
  const int64_t *starts;    ///< for each dimension the number of the graph's result that holds it, or -1: a constant
  const int64_t *constants; ///< the constants
} CheckSlice;

/// A value carried by a loop inside a kernel: a result of an iteration is an argument of the next.
typedef struct {
  int64_t argument, result; ///< of the graph; no argument, -1: no iteration reads it
  int64_t other;            ///< of the launch: gets the result in every other iteration, which the last is none of
} CheckCarried;

typedef struct {
  int64_t *words; ///< that the rest points into
  CheckGraph graph;
  const int64_t *inputs;  ///< for each argument of the graph the launch's argument that has it
  int64_t numOutputs;     ///< the first results of the graph
  const int64_t *outputs; ///< for each of them the launch's argument that gets it, or -1
  int64_t numSlices;
  CheckSlice *slices; ///< that each iteration replaces
  int64_t iterations; ///< of the graph, in one launch
  int64_t waits;      ///< barriers of the grid in an iteration, the last one at its end; 0: there is one iteration
  int64_t numCarried;
  CheckCarried *carried;
  bool
      isLibraryCall; ///< which may round narrow values that are stored separately, and approximate gelu's tanh by 2^-11
  int64_t softmaxTiles; ///< in which a kernel of attention goes through the keys; 0: it is none
} CheckLaunch;

/// Reads a launch from its bytes in a model file. The texts outlive it.
StitchStatus checkLaunchRead(const StitchModelGraph *graph, const char *const *texts, int64_t numTexts,
                             CheckLaunch *launch);
void checkLaunchDestroy(CheckLaunch *launch);

const char *checkKindName(CheckKind kind);

const CheckAttribute *checkFindAttribute(const CheckOp *op, const char *name);
/// The only number of an attribute, or `missing`.
int64_t checkInteger(const CheckOp *op, const char *name, int64_t missing);
/// The numbers of a list; those of an empty one if it is missing.
CheckAttribute checkList(const CheckOp *op, const char *name);

#endif // STITCH_TOOLS_CHECK_CHECK_GRAPH_H
