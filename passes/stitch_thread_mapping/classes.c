//===- classes.c - stitch-thread-mapping: rows with the same threads -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row groups with the same number of rows get the same threads for a row where that is of use. That is where one reads
// the other's values row by row, which then stay in the block. It is also where neither waits for the other, so that
// one task loop computes both. Groups of which one waits for the other at a grid barrier have nothing in common. The
// products of a layer, one behind the other, have rows of different lengths, and each gets the threads that it needs.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_thread_mapping/mapper.h"

#include <stdlib.h>
#include <string.h>

/// The state of the search: of each group, as bits, the groups that it waits for.
typedef struct {
  Mapper *m;
  int64_t words; ///< of a set
  uint64_t *before;
  bool *isKnown;
} GroupOrder;

static bool setContains(const uint64_t *set, int64_t group) { return set[group / 64] >> (group % 64) & 1; }

static uint64_t *setOf(const GroupOrder *o, int64_t group) { return o->before + group * o->words; }

static void findBefore(GroupOrder *o, int64_t group) {
  if (o->isKnown[group])
    return;
  o->isKnown[group] = true;
  GroupRead *reads;
  int64_t count = readsOfGroup(&o->m->view, group, 1, 0, &reads);
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = o->m->view.group[reads[i].root];
    if (from == group || setContains(setOf(o, group), from))
      continue;
    findBefore(o, from);
    for (int64_t word = 0; word < o->words; ++word)
      setOf(o, group)[word] |= setOf(o, from)[word];
    setOf(o, group)[from / 64] |= UINT64_C(1) << (from % 64);
  }
  free(reads);
}

static bool isRowGroup(const Mapper *m, int64_t group) { return m->groups[group].mapping.kind == STITCH_MAPPING_ROW; }

static int64_t classOf(const Mapper *m, int64_t group) {
  while (m->groups[group].rowClass != group)
    group = m->groups[group].rowClass;
  return group;
}

static void joinClasses(Mapper *m, int64_t a, int64_t b) { m->groups[classOf(m, a)].rowClass = classOf(m, b); }

/// Joins a group with those whose rows it reads as its own.
static void joinReads(Mapper *m, int64_t group) {
  GroupRead *reads;
  int64_t rows = m->groups[group].mapping.rows;
  int64_t count = m->groups[group].isStack ? readsOfStack(&m->view, group, rows, &reads)
                                           : readsOfGroup(&m->view, group, rows, 0, &reads);
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = m->view.group[reads[i].root];
    if (reads[i].keepsRows && isRowGroup(m, from) && m->groups[from].mapping.rows == rows)
      joinClasses(m, group, from);
  }
  free(reads);
}

void findRowClasses(Mapper *m) {
  int64_t count = m->view.numGroups;
  GroupOrder order = {.m = m, .words = count / 64 + 1};
  order.before = IR_NEW_ARRAY(&m->view.arena, uint64_t, count *order.words);
  order.isKnown = IR_NEW_ARRAY(&m->view.arena, bool, count);
  for (int64_t g = 0; g < count; ++g) {
    m->groups[g].rowClass = g;
    findBefore(&order, g);
  }
  for (int64_t g = 0; g < count; ++g) {
    if (!isRowGroup(m, g))
      continue;
    joinReads(m, g);
    for (int64_t other = 0; other < g; ++other)
      if (isRowGroup(m, other) && m->groups[other].mapping.rows == m->groups[g].mapping.rows &&
          !setContains(setOf(&order, g), other) && !setContains(setOf(&order, other), g))
        joinClasses(m, g, other);
  }
  for (int64_t g = 0; g < count; ++g)
    m->groups[g].rowClass = classOf(m, g);
}
