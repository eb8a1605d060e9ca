//===- longest_path.c - how many kernels must follow each other ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// However well a graph is stitched, a kernel cannot hold a library call: on a path with k calls between
// memory-intensive operations there are k + 1 kernels. The longest path through the operations, with loops unrolled, is
// therefore the least number of launches that any plan can reach. The operations count wherever they are; the plan's
// fusions do not.
//
// Each value has a rank: twice the number of kernels on the longest path to it, and one more if another operation than
// a kernel computes it. So the next memory-intensive operation starts another kernel.
//
//===----------------------------------------------------------------------===//

#include "compiler/longest_path.h"

#include "ir/graph/numbering.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"

#include <stdlib.h>

/// So many iterations of a loop are followed; all later ones are as long as the last.
enum { MAX_ITERATIONS = 256 };

enum { RANK_OF_INPUTS = 1 };

typedef struct {
  IrMap ranks; ///< value -> rank
  int64_t longest;
} Path;

static void setRank(Path *path, MlirValue value, int64_t rank) {
  irMapSet(&path->ranks, value.ptr, rank);
  path->longest = rank > path->longest ? rank : path->longest;
}

static int64_t rankOf(const Path *path, MlirValue value) { return irMapGet(&path->ranks, value.ptr, RANK_OF_INPUTS); }

typedef struct {
  const Path *path;
  int64_t rank;
} Largest;

static void lengthenByOperand(MlirValue value, void *data) {
  Largest *largest = data;
  int64_t rank = rankOf(largest->path, value);
  largest->rank = rank > largest->rank ? rank : largest->rank;
}

static int64_t rankOfOperands(const Path *path, MlirOperation op) {
  Largest largest = {path, RANK_OF_INPUTS};
  irForEachOperand(op, lengthenByOperand, &largest);
  return largest.rank;
}

static void setResults(Path *path, MlirOperation op, int64_t rank) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    setRank(path, irResult(op, i), rank);
}

static void followBlock(Path *path, MlirBlock block);

/// Gives the arguments of a block the ranks of the operands of `from`, all together: an operand may be an argument.
static void passRanks(Path *path, MlirOperation from, MlirBlock to) {
  intptr_t count = mlirOperationGetNumOperands(from);
  int64_t *ranks = irAllocate(sizeof(*ranks) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    ranks[i] = rankOf(path, irOperand(from, i));
  for (intptr_t i = 0; i < count; ++i)
    setRank(path, mlirBlockGetArgument(to, i), ranks[i]);
  free(ranks);
}

/// Gives the results of `op` the ranks of the operands of `from`.
static void takeResults(Path *path, MlirOperation op, MlirOperation from) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    setRank(path, irResult(op, i), rankOf(path, irOperand(from, i)));
}

static void followFusion(Path *path, MlirOperation fusion) {
  MlirBlock body = irBody(fusion, 0);
  passRanks(path, fusion, body);
  followBlock(path, body);
  takeResults(path, fusion, mlirBlockGetTerminator(body));
}

/// A loop whose number of iterations is not known counts as one iteration, as in all figures.
static void followLoop(Path *path, MlirOperation loop) {
  MlirOperation last = loop; // its operands are the values that go round
  MlirBlock body = irBody(loop, 1);
  int64_t count = irGetInt(loop, "trip_count", 1), before = path->longest, added = 0;
  int64_t followed = count < MAX_ITERATIONS ? count : MAX_ITERATIONS;
  for (int64_t i = 0; i < followed; ++i) {
    passRanks(path, last, body);
    before = path->longest;
    followBlock(path, body);
    added = path->longest - before;
    last = mlirBlockGetTerminator(body);
  }
  takeResults(path, loop, last);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop) && count > followed; ++i)
    setRank(path, irResult(loop, i), rankOf(path, irResult(loop, i)) + (count - followed) * added);
}

/// The longest of the branches, or of the versions.
static void followBranches(Path *path, MlirOperation op) {
  int64_t longest = mlirOperationGetNumOperands(op) ? rankOf(path, irOperand(op, 0)) : RANK_OF_INPUTS;
  for (intptr_t region = 0; region < mlirOperationGetNumRegions(op); ++region) {
    followBlock(path, irBody(op, region));
    int64_t rank = rankOfOperands(path, mlirBlockGetTerminator(irBody(op, region)));
    longest = rank > longest ? rank : longest;
  }
  setResults(path, op, longest);
}

static void followOperation(Path *path, MlirOperation op) {
  TgKind kind = tgKindOf(op);
  if (irOpIs(op, "stitch.fusion"))
    followFusion(path, op);
  else if (kind == TG_while)
    followLoop(path, op);
  else if (tgIsControlFlow(op))
    followBranches(path, op);
  else if (irOpIs(mlirOperationGetParentOperation(op), "stitch.fusion") && tgIsMemoryIntensive(op))
    setResults(path, op, rankOfOperands(path, op) + (rankOfOperands(path, op) & 1));
  else if (tgIsMemoryIntensive(op)) // outside of fusions: constants, views, updates in place
    setResults(path, op, rankOfOperands(path, op));
  else
    setResults(path, op, rankOfOperands(path, op) | 1);
}

static void followBlock(Path *path, MlirBlock block) {
  IR_FOR_EACH_OP(op, block)
    followOperation(path, op);
}

static MlirWalkResult followFunction(MlirOperation op, void *data) {
  if (!irOpIs(op, "func.func"))
    return MlirWalkResultAdvance;
  MlirBlock body = irBody(op, 0);
  if (!mlirBlockIsNull(body))
    followBlock(data, body);
  return MlirWalkResultSkip;
}

int64_t kernelsOnLongestPath(MlirOperation module) {
  Path path = {0};
  mlirOperationWalk(module, followFunction, &path, MlirWalkPreOrder);
  irMapDestroy(&path.ranks);
  return path.longest / 2;
}
