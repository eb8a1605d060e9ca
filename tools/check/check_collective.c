//===- check_collective.c - calls between processes -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The processes that run a model check it together. Each sends its operand, with its errors, to the others, and
// computes its own result.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/cpu_collective.h"
#include "tools/check/accumulate.h"

#include <stdlib.h>
#include <string.h>

static const char noProcesses[] = "it is between processes, and there is one";
static const char lostProcesses[] = "other processes did not come to its check";

/// A collective, with its operands.
typedef struct {
  const CheckCall *call;
  StitchWorld *world;
  StitchLibraryCollective table;
  int64_t ranks[2 * STITCH_LIBRARY_MAX_PROCESSES];
  StitchWorldGroup group; ///< of this process
  StitchWorldCall name;
} CheckedCollective;

/// Rows, columns, and the numbers themselves.
static bool readTable(const CheckCall *call, StitchLibraryCollective *table) {
  const CheckAttribute *a =
      checkFindAttribute(call->op, call->op->kind == CHECK_collective_permute ? "pairs" : "groups");
  if (!a || a->count < 2 || a->values[0] * a->values[1] != a->count - 2 ||
      a->count - 2 > 2 * STITCH_LIBRARY_MAX_PROCESSES)
    return false;
  table->rows = a->values[0];
  table->columns = a->values[1];
  for (int64_t i = 0; i + 2 < a->count; ++i)
    table->processes[i] = a->values[i + 2];
  return true;
}

/// The elements of a tensor, whatever they are.
static StitchTransportMemory transportMemoryOf(const CheckTensor *tensor) {
  int64_t bytes = checkClassOf(tensor->type) == CHECK_COMPLEX ? (int64_t)sizeof(double complex) : 8;
  return (StitchTransportMemory){tensor->real, tensor->count, bytes};
}

static StitchTransportMemory errorsOf(const CheckTensor *tensor) {
  return (StitchTransportMemory){tensor->error, tensor->count, sizeof(double)};
}

/// Why a call between processes did not come about is the run's to say.
static const char *settle(StitchStatus status) {
  const char *problem = status ? lostProcesses : NULL;
  stitchStatusFree(status);
  return problem;
}

/// The operand with errors.
static CheckTensor *withErrors(const CheckTensor *operand) {
  CheckTensor *copy = checkTensorReshape(operand, &operand->shape);
  if (copy && !copy->error && !checkTensorAddErrors(copy)) {
    checkTensorFree(copy);
    return NULL;
  }
  return copy;
}

/// The operands of all members of the group, one after the other.
static const char *gather(const CheckedCollective *c, CheckTensor **gathered) {
  CheckTensor *own = withErrors(c->call->operands[0]);
  CheckShape shape = {1, {own ? own->count * c->group.count : 0}};
  *gathered = own ? checkTensorCreate(own->type, &shape) : NULL;
  const char *problem = *gathered && checkTensorAddErrors(*gathered) ? NULL : checkOutOfMemory;
  if (!problem)
    problem = settle(stitchWorldAllGather(c->world, c->name, c->group, transportMemoryOf(own), (*gathered)->real));
  if (!problem)
    problem = settle(stitchWorldAllGather(c->world, c->name, c->group, errorsOf(own), (*gathered)->error));
  checkTensorFree(own);
  return problem;
}

/// This process's place in its group.
static int64_t rankInGroup(const CheckedCollective *c) {
  int64_t place = 0;
  while (c->group.ranks[place] != stitchWorldRank(c->world))
    ++place;
  return place;
}

/// Combines elements `first`, `first` + 1, ... of each member.
static const char *combineGathered(const CheckedCollective *c, const CheckTensor *gathered, int64_t first) {
  CheckTensor *result = c->call->results[0];
  CheckKind operation = checkReduceOperation(checkInteger(c->call->op, "kind", 0));
  int64_t each = c->call->operands[0]->count;
  const char *problem = NULL;
  for (int64_t i = 0; i < result->count && !problem; ++i) {
    Accumulator accumulator = accumulatorStart(gathered->type, operation);
    for (int64_t member = 0; member < c->group.count && !problem; ++member)
      problem = accumulate(&accumulator, operation, gathered, member * each + first + i);
    if (!problem)
      accumulatorFinish(&accumulator, c->call, operation, result, i);
  }
  return problem;
}

/// Writes the gathered operands to the result as they are, or of each member the part that is for this process.
static const char *place(const CheckedCollective *c, const CheckTensor *gathered) {
  CheckTensor *result = c->call->results[0];
  bool isExchange = c->call->op->kind == CHECK_all_to_all;
  int64_t each = c->call->operands[0]->count, part = isExchange ? each / c->group.count : each;
  int64_t first = isExchange ? rankInGroup(c) * part : 0;
  for (int64_t i = 0; i < result->count; ++i)
    checkCopyElement(result, i, gathered, i / part * each + first + i % part);
  return NULL;
}

static const char *compute(const CheckedCollective *c) {
  CheckTensor *gathered = NULL;
  const char *problem = gather(c, &gathered);
  if (!problem && c->call->op->kind == CHECK_all_reduce)
    problem = combineGathered(c, gathered, 0);
  else if (!problem && c->call->op->kind == CHECK_reduce_scatter)
    problem = combineGathered(c, gathered, rankInGroup(c) * c->call->results[0]->count);
  else if (!problem)
    problem = place(c, gathered);
  checkTensorFree(gathered);
  return problem;
}

/// From one process to another, or from the first of a group to all.
static const char *send(const CheckedCollective *c) {
  CheckTensor *own = withErrors(c->call->operands[0]), *result = c->call->results[0];
  if (!own)
    return checkOutOfMemory;
  int64_t rank = stitchWorldRank(c->world);
  int64_t source = stitchCollectiveSource(&c->table, rank), target = stitchCollectiveTarget(&c->table, rank);
  const char *problem = NULL;
  if (c->call->op->kind == CHECK_collective_broadcast) {
    problem = settle(stitchWorldBroadcast(c->world, c->name, c->group, transportMemoryOf(own)));
    problem = problem ? problem : settle(stitchWorldBroadcast(c->world, c->name, c->group, errorsOf(own)));
    for (int64_t i = 0; i < result->count && !problem; ++i)
      checkCopyElement(result, i, own, i);
  } else {
    problem = settle(
        stitchWorldPermute(c->world, c->name, target, transportMemoryOf(own), source, transportMemoryOf(result)));
    problem = problem ? problem
                      : settle(stitchWorldPermute(c->world, c->name, target, errorsOf(own), source, errorsOf(result)));
  }
  checkTensorFree(own);
  return problem;
}

const char *checkCollective(const CheckCall *call) {
  CheckedCollective c = {
      .call = call, .world = stitchWorldCurrent(), .name = {"the check of a call between processes", 0}};
  if (!c.world)
    return noProcesses;
  if (call->op->kind == CHECK_process_id) {
    call->results[0]->integer[0] = stitchWorldRank(c.world);
    return NULL;
  }
  if (!readTable(call, &c.table))
    return "a table of processes that is none";
  if (!call->results[0]->error && !checkTensorAddErrors(call->results[0]))
    return checkOutOfMemory;
  c.name.hash = (uint64_t)call->op->kind + UINT64_C(1000003) * (uint64_t)call->operands[0]->count;
  bool isPermutation = call->op->kind == CHECK_collective_permute;
  if (!isPermutation)
    c.group = stitchCollectiveGroup(&c.table, stitchWorldRank(c.world), c.ranks);
  if (!isPermutation && c.group.count == 0) { // its calls count all the same
    const char *problem = settle(stitchWorldSkip(c.world, c.name));
    return problem ? problem : settle(stitchWorldSkip(c.world, c.name));
  }
  bool sends = isPermutation || call->op->kind == CHECK_collective_broadcast;
  return sends ? send(&c) : compute(&c);
}
