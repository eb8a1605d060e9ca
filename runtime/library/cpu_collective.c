//===- cpu_collective.c - calls between processes -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a problem with groups or pairs, and the transport of the world. Leaves the result of this process: data is
// exchanged, and sums are computed here in the order of the group (combine.h).
//
//===----------------------------------------------------------------------===//

#include "runtime/library/cpu_collective.h"

#include "runtime/library/combine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 48 };

struct StitchCollective {
  StitchLibraryProblem problem;
  StitchWorld *world;
  char name[NAME_BYTES];
  uint64_t hash;
};

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

StitchWorldGroup stitchCollectiveGroup(const StitchLibraryCollective *table, int64_t rank, int64_t *ranks) {
  for (int64_t row = 0; row < table->rows; ++row) {
    const int16_t *processes = table->processes + row * table->columns;
    bool isMember = false;
    int64_t count = 0;
    for (int64_t i = 0; i < table->columns; ++i) {
      isMember = isMember || processes[i] == rank;
      if (processes[i] >= 0)
        ranks[count++] = processes[i];
    }
    if (isMember)
      return (StitchWorldGroup){ranks, count};
  }
  return (StitchWorldGroup){ranks, 0};
}

static int64_t otherOf(const StitchLibraryCollective *pairs, int64_t rank, int known) {
  for (int64_t row = 0; row < pairs->rows; ++row)
    if (pairs->processes[2 * row + known] == rank)
      return pairs->processes[2 * row + 1 - known];
  return -1;
}

int64_t stitchCollectiveSource(const StitchLibraryCollective *pairs, int64_t rank) { return otherOf(pairs, rank, 1); }
int64_t stitchCollectiveTarget(const StitchLibraryCollective *pairs, int64_t rank) { return otherOf(pairs, rank, 0); }

/// FNV-1a.
static uint64_t hashBytes(const void *data, size_t bytes, uint64_t hash) {
  for (size_t i = 0; i < bytes; ++i)
    hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static int64_t elementsOf(const StitchLibraryTensor *tensor) {
  int64_t count = 1;
  for (int64_t i = 0; i < tensor->rank; ++i)
    count *= tensor->dims[i];
  return count;
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

static bool combines(StitchLibraryKind kind) {
  return kind == STITCH_LIBRARY_ALL_REDUCE || kind == STITCH_LIBRARY_REDUCE_SCATTER;
}

/// Whether the parts of several sums are the whole tensor.
static bool hasParts(const StitchLibraryProblem *problem) {
  int64_t left = elementsOf(&problem->operands[0]);
  if (problem->count < 0 || problem->count > STITCH_LIBRARY_MAX_BUCKET)
    return false;
  for (int64_t i = 0; i < problem->count; ++i) {
    if (problem->collective.elements[i] < 0 || problem->collective.elements[i] > left)
      return false;
    left -= problem->collective.elements[i];
  }
  return left == 0;
}

static bool isValid(const StitchLibraryProblem *problem) {
  const StitchLibraryCollective *c = &problem->collective;
  if (problem->kind == STITCH_LIBRARY_PROCESS_ID)
    return problem->numOperands == 1 && elementsOf(&problem->operands[0]) == 1;
  bool hasTable = problem->numOperands == 2 && c->rows >= 0 && c->columns >= 0 &&
                  c->rows * c->columns <= 2 * STITCH_LIBRARY_MAX_PROCESSES &&
                  problem->operands[0].type == problem->operands[1].type;
  hasTable = hasTable && (!stitchLibraryIsBucket(problem) || hasParts(problem));
  hasTable = hasTable && (!stitchLibraryIsOfAll(problem) || problem->count == c->columns);
  for (int64_t i = 0; hasTable && i < c->rows * c->columns; ++i)
    hasTable = c->processes[i] >= -1 && c->processes[i] < STITCH_LIBRARY_MAX_PROCESSES;
  return hasTable && (problem->kind != STITCH_LIBRARY_COLLECTIVE_PERMUTE || c->rows == 0 || c->columns == 2);
}

StitchStatus stitchCollectiveCreate(const StitchLibraryProblem *problem, StitchCollective **collective) {
  if (!isValid(problem))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "a call between processes is malformed");
  StitchElementType type = problem->operands[0].type;
  if (combines(problem->kind) && !stitchCombineHas(type, problem->collective.combiner))
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "processes combine no elements of that type");
  StitchCollective *created = calloc(1, sizeof(*created));
  if (!created)
    return stitchStatusOutOfMemory();
  created->problem = *problem;
  uint64_t hash = hashBytes(&problem->kind, sizeof(problem->kind), UINT64_C(0xcbf29ce484222325));
  hash = hashBytes(problem->operands, sizeof(problem->operands[0]) * (size_t)problem->numOperands, hash);
  created->hash = hashBytes(&problem->collective, sizeof(problem->collective), hash);
  *collective = created;
  return NULL;
}

void stitchCollectiveDestroy(StitchCollective *collective) { free(collective); }

void stitchCollectiveSetWorld(StitchCollective *collective, StitchWorld *world, const char *name) {
  collective->world = world;
  snprintf(collective->name, sizeof(collective->name), "%s", name);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A process's part in one collective: the call, its group, and the memory that is sent and received.
typedef struct {
  const StitchCollective *c;
  StitchWorldCall call;
  StitchWorldGroup group;
  StitchTransportMemory from, to;
} Move;

/// Gathers all operands, or this process's parts of them, and combines them.
static StitchStatus reduce(const Move *m) {
  const StitchLibraryProblem *problem = &m->c->problem;
  bool isScattered = problem->kind == STITCH_LIBRARY_REDUCE_SCATTER;
  StitchTransportMemory parts = {NULL, m->to.count * m->group.count, m->to.bytes};
  parts.data = malloc((size_t)(parts.count * parts.bytes) + 1);
  if (!parts.data)
    return stitchStatusOutOfMemory();
  StitchStatus status = isScattered ? stitchWorldAllToAll(m->c->world, m->call, m->group, m->from, parts.data)
                                    : stitchWorldAllGather(m->c->world, m->call, m->group, m->from, parts.data);
  if (!status)
    stitchCombine(problem->operands[1].type, problem->collective.combiner, parts.data, m->group.count, m->to.count,
                  m->to.data);
  free(parts.data);
  return status;
}

static StitchStatus broadcast(const Move *m) {
  bool isFirst = m->group.ranks[0] == stitchWorldRank(m->c->world);
  if (isFirst)
    memcpy(m->to.data, m->from.data, (size_t)(m->to.count * m->to.bytes));
  return stitchWorldBroadcast(m->c->world, m->call, m->group, m->to);
}

static StitchStatus permute(const Move *m) {
  const StitchLibraryCollective *pairs = &m->c->problem.collective;
  int64_t rank = stitchWorldRank(m->c->world);
  return stitchWorldPermute(m->c->world, m->call, stitchCollectiveTarget(pairs, rank), m->from,
                            stitchCollectiveSource(pairs, rank), m->to);
}

static StitchStatus move(const Move *m) {
  switch (m->c->problem.kind) {
  case STITCH_LIBRARY_ALL_GATHER:
    return stitchWorldAllGather(m->c->world, m->call, m->group, m->from, m->to.data);
  case STITCH_LIBRARY_ALL_TO_ALL:
    return stitchWorldAllToAll(m->c->world, m->call, m->group, m->from, m->to.data);
  case STITCH_LIBRARY_COLLECTIVE_BROADCAST:
    return broadcast(m);
  case STITCH_LIBRARY_COLLECTIVE_PERMUTE:
    return permute(m);
  default:
    return reduce(m);
  }
}

static StitchTransportMemory memoryOf(const StitchLibraryTensor *tensor, void *data) {
  return (StitchTransportMemory){data, elementsOf(tensor), (int64_t)stitchElementBytes(tensor->type)};
}

static void storeId(const StitchLibraryTensor *tensor, int64_t id, void *data) {
  memcpy(data, &id, stitchElementBytes(tensor->type)); // this machine is little-endian, as model files are
}

/// Copies the parts of a tensor that are in several places, which are those of every second pointer, or back.
static void copyParts(const StitchLibraryProblem *problem, char *whole, void *const *pointers, bool isBack) {
  size_t each = stitchElementBytes(problem->operands[0].type);
  for (int64_t i = 0; i < problem->count; ++i) {
    size_t bytes = (size_t)problem->collective.elements[i] * each;
    if (bytes)
      memcpy(isBack ? pointers[2 * i] : whole, isBack ? whole : pointers[2 * i], bytes);
    whole += bytes;
  }
}

static StitchStatus executeOne(const StitchCollective *c, void *const *pointers) {
  const StitchLibraryProblem *problem = &c->problem;
  int64_t rank = c->world ? stitchWorldRank(c->world) : 0, ranks[2 * STITCH_LIBRARY_MAX_PROCESSES];
  if (problem->kind == STITCH_LIBRARY_PROCESS_ID)
    return storeId(&problem->operands[0], rank, pointers[0]), NULL;
  if (!c->world)
    return stitchStatusMake(STITCH_FAILED_PRECONDITION, "%s: the device has no other processes", c->name);
  Move m = {.c = c,
            .call = {c->name, c->hash},
            .group = stitchCollectiveGroup(&problem->collective, rank, ranks),
            .from = memoryOf(&problem->operands[0], pointers[0]),
            .to = memoryOf(&problem->operands[1], pointers[1])};
  bool isPermutation = problem->kind == STITCH_LIBRARY_COLLECTIVE_PERMUTE;
  bool receives = isPermutation ? stitchCollectiveSource(&problem->collective, rank) >= 0 : m.group.count > 0;
  if (!receives)
    memset(m.to.data, 0, (size_t)(m.to.count * m.to.bytes));
  return isPermutation || m.group.count > 0 ? move(&m) : stitchWorldSkip(c->world, m.call);
}

/// The operands of all members of the group, each of which has a place of its own. Zeros for a process of no group.
static StitchStatus executeOfAll(const StitchCollective *c, void *const *pointers) {
  const StitchLibraryProblem *problem = &c->problem;
  if (!c->world)
    return stitchStatusMake(STITCH_FAILED_PRECONDITION, "%s: the device has no other processes", c->name);
  int64_t ranks[2 * STITCH_LIBRARY_MAX_PROCESSES];
  StitchWorldGroup group = stitchCollectiveGroup(&problem->collective, stitchWorldRank(c->world), ranks);
  StitchTransportMemory own = memoryOf(&problem->operands[0], pointers[0]);
  size_t bytes = (size_t)(own.count * own.bytes);
  char *all = calloc((size_t)problem->count, bytes + 1);
  if (!all)
    return stitchStatusOutOfMemory();
  StitchWorldCall call = {c->name, c->hash};
  StitchStatus status =
      group.count ? stitchWorldAllGather(c->world, call, group, own, all) : stitchWorldSkip(c->world, call);
  for (int64_t i = 0; !status && bytes && i < problem->count; ++i)
    memcpy(pointers[2 * i + 1], all + (size_t)i * bytes, bytes);
  free(all);
  return status;
}

/// Several sums go as one tensor.
StitchStatus stitchCollectiveExecute(const StitchCollective *c, void *const *pointers) {
  const StitchLibraryProblem *problem = &c->problem;
  if (stitchLibraryIsOfAll(problem))
    return executeOfAll(c, pointers);
  if (!stitchLibraryIsBucket(problem))
    return executeOne(c, pointers);
  size_t bytes = (size_t)elementsOf(&problem->operands[0]) * stitchElementBytes(problem->operands[0].type);
  char *from = malloc(bytes + 1), *to = malloc(bytes + 1);
  StitchStatus status = from && to ? NULL : stitchStatusOutOfMemory();
  if (!status) {
    copyParts(problem, from, pointers, false);
    status = executeOne(c, (void *[]){from, to});
  }
  if (!status)
    copyParts(problem, to, pointers + 1, true);
  free(from);
  free(to);
  return status;
}
