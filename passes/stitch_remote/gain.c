//===- gain.c - stitch-remote: joining by gain ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APOLLO 4.3, algorithm 3, with its cost model (equation 3). Running kernels in parallel instead of one after the other
// gains the sum of their costs less the largest of them. Clusters of a depth, or the next ones of some branches
// (walks.c), are sorted by falling cost; as many as gain time are composed, heaviest first; then the rest.
//
// The cost of a kernel is its launch and the time for its bytes or its instructions, whichever is longer, but never
// less than the latency of memory. Composed, the largest of these remains, unless the bytes or the instructions of all
// together take longer; inputs that several read count once.
//
// Clusters that walk spaces of different sizes take a risk: all get the block size and the registers of the
// most demanding one. It is taken to cost a fixed share of their time, so that small kernels are joined and large ones,
// for which a launch is nothing, are left alone.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/graph/traffic.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "ir/plan/cost.h"
#include "passes/stitch_remote/remote.h"

#include <stdlib.h>

/// Share of its time that a kernel may lose when another space shapes its blocks.
static const double risk = 0.05;

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// A cluster with its own cost.
typedef struct {
  int64_t cluster;
  double computing; ///< ns
  double ns;        ///< without the launch
} Unit;

/// Bytes that the members read of their inputs that are not in `seen`, which they are then added to, and bytes of all
/// their results.
static double newBytes(const Remote *remote, const Cluster *cluster, IrMap *seen) {
  double bytes = 0;
  for (int64_t i = 0; i < cluster->count; ++i) {
    MlirOperation op = remote->nodes[cluster->members[i]].op;
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(op); ++j) {
      MlirValue input = irOperand(op, j);
      if (irMapContains(seen, input.ptr))
        continue;
      irMapSet(seen, input.ptr, 1);
      bytes += (double)irBytesReadOfInput(mlirBlockGetArgument(irBody(op, 0), j));
    }
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); ++j)
      bytes += (double)irTensorBytes(mlirValueGetType(irResult(op, j)));
  }
  return bytes;
}

static double max2(double a, double b) { return a > b ? a : b; }

static Unit unitOf(const Remote *remote, const Clusters *clusters, int64_t number) {
  const Cluster *cluster = &clusters->data[number];
  Unit unit = {.cluster = number};
  for (int64_t i = 0; i < cluster->count; ++i)
    IR_FOR_EACH_OP(op, irBody(remote->nodes[cluster->members[i]].op, 0))
      unit.computing += costOfOperation(&remote->device, op);
  IrMap seen = {0};
  double moving = costOfMoving(&remote->device, newBytes(remote, cluster, &seen));
  irMapDestroy(&seen);
  unit.ns = max2(COST_MEMORY_LATENCY, max2(moving, unit.computing));
  return unit;
}

static int compareUnits(const void *a, const void *b) {
  const Unit *x = a, *y = b;
  if (x->ns != y->ns)
    return x->ns > y->ns ? -1 : 1;
  return (x->cluster > y->cluster) - (x->cluster < y->cluster);
}

//===----------------------------------------------------------------------===//
// Composing
//===----------------------------------------------------------------------===//

/// The units first .. first + count of a depth, composed.
typedef struct {
  int64_t count;
  int64_t numOps;
  int64_t numOperands;
  int64_t numResults;
  int64_t inputBytes;
  double bytes;
  double computing;
  double sum;   ///< of the units' times
  bool differs; ///< the units walk different spaces
  double gain;
} Composition;

static void addUnit(const Remote *remote, const Clusters *clusters, const Unit *first, const Unit *unit, IrMap *seen,
                    Composition *c) {
  const Cluster *cluster = &clusters->data[unit->cluster];
  ++c->count;
  c->numOps += cluster->numOps;
  c->numOperands += cluster->numOperands;
  c->numResults += cluster->numResults;
  c->inputBytes += cluster->inputBytes;
  c->bytes += newBytes(remote, cluster, seen);
  c->computing += unit->computing;
  c->sum += unit->ns;
  c->differs |= !clustersAreSimilar(remote, &clusters->data[first->cluster], cluster);
  double launch = (double)remote->device.launchNs;
  double together = max2(first->ns, max2(costOfMoving(&remote->device, c->bytes), c->computing));
  double sequential = (double)c->count * launch + c->sum;
  c->gain = sequential - (launch + together) - (c->differs ? risk * c->sum : 0);
}

/// The most units, from the heaviest on, that gain time and stay within the bounds; one if there are no two. A kernel
/// has PLAN_MAX_RESULTS results at most and each unit one at least, so no more than so many are looked at.
static Composition compose(const Remote *remote, const Clusters *clusters, const Unit *units, int64_t count) {
  IrMap seen = {0};
  Composition c = {0}, best = {0}, pair = {0};
  for (int64_t k = 0; k < count; ++k) {
    addUnit(remote, clusters, &units[0], &units[k], &seen, &c);
    if (k > 0 && !isWithinBounds(remote, c.numOps, c.numOperands, c.numResults, c.inputBytes))
      break;
    if (k == 0 || c.gain > 0)
      best = c;
    if (k == 1)
      pair = c;
  }
  irMapDestroy(&seen);
  if (best.count == 1 && pair.count > 1)
    stitchRemark(remote->nodes[clusters->data[units[0].cluster].members[0]].op,
                 "stays a kernel of its own: packed with the next one, of %.0f and %.0f ns, it would %s %.0f ns",
                 units[0].ns, units[1].ns, pair.gain < 0 ? "lose" : "gain", pair.gain < 0 ? -pair.gain : pair.gain);
  return best;
}

/// False if the clusters must not be one: then they are as before.
static bool joinUnits(const Remote *remote, Clusters *clusters, const Unit *units, const Composition *c,
                      MayJoin mayJoin, void *data) {
  Cluster *into = &clusters->data[units[0].cluster], before = *into;
  for (int64_t i = 1; i < c->count; ++i) {
    const Cluster *from = &clusters->data[units[i].cluster];
    for (int64_t j = 0; j < from->count; ++j)
      addToCluster(remote, into, from->members[j]);
  }
  if (mayJoin && !mayJoin(units[0].cluster, data)) {
    before.members = into->members;
    before.capacity = into->capacity;
    *into = before;
    stitchRemark(
        remote->nodes[into->members[0]].op,
        "stays a kernel of its own: packed with the others it would be in a cycle, or calls would wait for others");
    return false;
  }
  stitchRemark(remote->nodes[into->members[0]].op,
               "%lld kernels of %.0f ns together, the longest of %.0f ns, are composed: a gain of %.0f ns",
               (long long)c->count, c->sum, units[0].ns, c->gain);
  for (int64_t i = 1; i < c->count; ++i)
    clusters->data[units[i].cluster].count = 0;
  return true;
}

/// Joins units, of which there is at least one, as far as that gains time.
static void joinAll(const Remote *remote, Clusters *clusters, Unit *units, int64_t count, MayJoin mayJoin, void *data) {
  qsort(units, (size_t)count, sizeof(*units), compareUnits);
  for (int64_t m = 0; m < count;) {
    Composition c = compose(remote, clusters, units + m, count - m);
    bool isJoined = c.count > 1 && joinUnits(remote, clusters, units + m, &c, mayJoin, data);
    m += isJoined ? c.count : 1;
  }
}

void joinGroupByGain(const Remote *remote, Clusters *clusters, const int64_t *group, int64_t count, MayJoin mayJoin,
                     void *data) {
  Unit *units = irAllocate(sizeof(*units) * (size_t)(count + 1));
  for (int64_t i = 0; i < count; ++i)
    units[i] = unitOf(remote, clusters, group[i]);
  joinAll(remote, clusters, units, count, mayJoin, data);
  free(units);
}

void joinByGain(Remote *remote, Clusters *clusters) {
  Unit *units = IR_NEW_ARRAY(&remote->arena, Unit, clusters->count);
  for (int64_t begin = 0, end; begin < clusters->count; begin = end) {
    for (end = begin; end < clusters->count && clusters->data[end].depth == clusters->data[begin].depth; ++end)
      units[end - begin] = unitOf(remote, clusters, end);
    joinAll(remote, clusters, units, end - begin, NULL, NULL);
  }
}
