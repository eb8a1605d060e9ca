//===- flow.c - stitch-enumerate: groups without cycles ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the operations of a block. Leaves the answer whether an operation can join a group without a cycle (a path from
// the group to it through other operations). It also moves the members of a finished group together.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_enumerate/flow.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Users
//===----------------------------------------------------------------------===//

typedef struct {
  Flow *flow;
  int64_t user;
  int64_t *next; ///< where the next user of each operation goes; NULL: they are counted
} Recording;

static void recordUse(MlirValue value, void *data) {
  Recording *r = data;
  int64_t from = irNumberOf(&r->flow->numbering, value);
  if (from < 0)
    return;
  if (r->next)
    r->flow->users[r->next[from]++] = r->user;
  else
    ++r->flow->firstUser[from + 1];
}

static void recordUses(Flow *flow, int64_t *next) {
  for (int64_t i = 0; i < flow->numbering.count; ++i) {
    Recording recording = {flow, i, next};
    irForEachOperand(flow->numbering.ops[i], recordUse, &recording);
  }
}

Flow flowCreate(MlirBlock block) {
  Flow flow = {.numbering = irNumberingCreate(block)};
  size_t count = (size_t)flow.numbering.count;
  flow.firstUser = irAllocateZeroed(count + 1, sizeof(int64_t));
  flow.group = irAllocate(sizeof(int64_t) * (count + 1));
  flow.visited = irAllocateZeroed(count + 1, sizeof(int64_t));
  recordUses(&flow, NULL);
  for (size_t i = 0; i < count; ++i) {
    flow.firstUser[i + 1] += flow.firstUser[i];
    flow.group[i] = -1;
  }
  flow.users = irAllocate(sizeof(int64_t) * (size_t)(flow.firstUser[count] + 1));
  int64_t *next = irAllocate(sizeof(int64_t) * (count + 1));
  for (size_t i = 0; i < count; ++i)
    next[i] = flow.firstUser[i];
  recordUses(&flow, next);
  free(next);
  return flow;
}

void flowDestroy(Flow *flow) {
  irNumberingDestroy(&flow->numbering);
  free(flow->firstUser);
  free(flow->users);
  free(flow->group);
  free(flow->visited);
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// A search from one operation, or from a group, through users; all of a group is reached with any of it.
typedef struct {
  Flow *flow;
  int64_t *stack;
  int64_t count;
} FlowSearch;

static void reach(FlowSearch *s, int64_t op) {
  Flow *flow = s->flow;
  if (flow->visited[op] == flow->mark)
    return;
  int64_t group = flow->group[op];
  for (int64_t i = group < 0 ? op : 0; i < (group < 0 ? op + 1 : flow->numbering.count); ++i)
    if (i == op || flow->group[i] == group) {
      flow->visited[i] = flow->mark;
      s->stack[s->count++] = i;
    }
}

/// Marks all operations that are reached from reached ones; from an operation `op` marked as reached itself none is.
static void followUsers(FlowSearch *s) {
  Flow *flow = s->flow;
  while (s->count) {
    int64_t from = s->stack[--s->count];
    for (int64_t i = flow->firstUser[from]; i < flow->firstUser[from + 1]; ++i)
      reach(s, flow->users[i]);
  }
}

static bool reaches(Flow *flow, int64_t fromOp, int64_t group) {
  FlowSearch s = {flow, irAllocate(sizeof(int64_t) * (size_t)(flow->numbering.count + 1)), 0};
  ++flow->mark;
  reach(&s, fromOp);
  followUsers(&s);
  free(s.stack);
  bool found = false;
  for (int64_t i = 0; i < flow->numbering.count; ++i)
    found |= flow->group[i] == group && flow->visited[i] == flow->mark;
  return found;
}

/// Whether a path leads from the group to `op`; one step of it does not count with `mayFollow`.
static bool isReached(Flow *flow, int64_t group, int64_t op, bool mayFollow) {
  FlowSearch s = {flow, irAllocate(sizeof(int64_t) * (size_t)(flow->numbering.count + 1)), 0};
  ++flow->mark;
  for (int64_t i = 0; i < flow->numbering.count; ++i)
    if (flow->group[i] == group)
      flow->visited[i] = flow->mark;
  bool direct = false;
  for (int64_t i = 0; i < flow->numbering.count; ++i)
    for (int64_t u = flow->firstUser[i]; flow->group[i] == group && u < flow->firstUser[i + 1]; ++u) {
      if (flow->users[u] == op)
        direct = true;
      else
        reach(&s, flow->users[u]);
    }
  followUsers(&s);
  free(s.stack);
  return flow->visited[op] == flow->mark || (direct && !mayFollow);
}

bool flowCanJoin(Flow *flow, int64_t group, int64_t op, bool mayFollow) {
  return !isReached(flow, group, op, mayFollow) && !reaches(flow, op, group);
}

void flowClose(const Flow *flow, bool *in) {
  int64_t count = flow->numbering.count;
  bool *reached = irAllocateZeroed((size_t)count + 1, sizeof(*reached)); // from operations in the set
  for (int64_t i = 0; i < count; ++i)
    for (int64_t u = flow->firstUser[i]; u < flow->firstUser[i + 1]; ++u)
      reached[flow->users[u]] |= in[i] || reached[i];
  for (int64_t i = count; i-- > 0;)
    for (int64_t u = flow->firstUser[i]; u < flow->firstUser[i + 1]; ++u)
      in[i] |= reached[i] && in[flow->users[u]];
  free(reached);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// A unit that is moved together: an operation, or the operations of a group, under the number of the last one.
typedef struct {
  Flow *flow;
  int64_t *unit;    ///< of each operation
  int64_t *waiting; ///< of each unit: uses of units that have not been placed
  int64_t next;     ///< no unit before it is ready
} UnitOrder;

static void placeUnit(UnitOrder *o, int64_t unit, MlirOperation terminator) {
  Flow *flow = o->flow;
  o->waiting[unit] = -1;
  for (int64_t i = flow->group[unit] < 0 ? unit : 0; i <= unit; ++i) {
    if (o->unit[i] != unit)
      continue;
    mlirOperationMoveBefore(flow->numbering.ops[i], terminator);
    for (int64_t u = flow->firstUser[i]; u < flow->firstUser[i + 1]; ++u) {
      int64_t user = o->unit[flow->users[u]];
      if (user != unit && --o->waiting[user] == 0 && user < o->next)
        o->next = user;
    }
  }
}

void flowGather(Flow *flow) {
  int64_t count = flow->numbering.count;
  UnitOrder o = {.flow = flow,
                 .unit = irAllocate(sizeof(int64_t) * (size_t)(count + 1)),
                 .waiting = irAllocateZeroed((size_t)count + 1, sizeof(int64_t))};
  int64_t *last = irAllocateZeroed((size_t)count + 1, sizeof(int64_t)); // of each group
  for (int64_t i = 0; i < count; ++i)
    if (flow->group[i] >= 0)
      last[flow->group[i]] = i;
  for (int64_t i = 0; i < count; ++i)
    o.unit[i] = flow->group[i] < 0 ? i : last[flow->group[i]];
  free(last);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t u = flow->firstUser[i]; u < flow->firstUser[i + 1]; ++u)
      o.waiting[o.unit[flow->users[u]]] += o.unit[flow->users[u]] != o.unit[i];
  MlirOperation terminator = flow->numbering.ops[count - 1];
  while (o.next < count - 1) {
    int64_t unit = o.next++;
    if (o.unit[unit] == unit && o.waiting[unit] == 0)
      placeUnit(&o, unit, terminator);
  }
  free(o.unit);
  free(o.waiting);
}
