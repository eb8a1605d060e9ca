//===- adapt.c - stitch-thread-mapping: adaptation to other groups -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proactive block-locality adaptation (AStitch 3.3). Takes groups with their iteration spaces. Leaves the rows of a row
// group on flat groups that read its roots, or are read by it, row by row. So values between them stay in a block.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/plan/resources.h"
#include "passes/stitch_thread_mapping/mapper.h"

#include <stdlib.h>
#include <string.h>

static void adoptRows(Mapper *m, int64_t group, int64_t rows, const char *origin) {
  Group *g = &m->groups[group];
  g->mapping = (StitchMapping){.kind = STITCH_MAPPING_ROW, .rows = rows, .columns = g->elements / rows};
  g->origin = origin;
  stitchPassAddStatistic(m->run, STATISTIC_ADAPTED, 1);
  stitchRemark(m->graph->nodes[m->view.dominant[group]].op, "group %lld adapts to the %lld rows of its %s",
               (long long)group, (long long)rows, origin);
}

/// Whether `group`, walked in `rows` rows, reads some root of a group with as many rows, row by row, and none
/// otherwise.
static bool readsByRows(Mapper *m, int64_t group, int64_t rows) {
  GroupRead *reads;
  int64_t count = readsOfGroup(&m->view, group, rows, 0, &reads);
  bool some = false, all = true;
  for (int64_t i = 0; i < count; ++i) {
    const StitchMapping *producer = &m->groups[m->view.group[reads[i].root]].mapping;
    if (producer->kind != STITCH_MAPPING_ROW || producer->rows != rows)
      continue;
    some = true;
    all &= reads[i].keepsRows;
  }
  free(reads);
  return some && all;
}

/// The largest number of rows among the producers of a group that it can take over; 0 if there is none. A flat
/// producer with fewer elements offers one row for each.
static int64_t rowsOfProducers(Mapper *m, int64_t group, int64_t *flatProducer) {
  GroupRead *reads;
  int64_t elements = m->groups[group].elements, best = 0;
  int64_t count = readsOfGroup(&m->view, group, 1, 0, &reads);
  *flatProducer = -1;
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = m->view.group[reads[i].root];
    const StitchMapping *producer = &m->groups[from].mapping;
    bool flat = producer->kind == STITCH_MAPPING_FLAT;
    int64_t rows = flat ? producer->columns : producer->rows;
    if (producer->kind == STITCH_MAPPING_COLUMN || rows <= best || elements % rows != 0 || (flat && rows >= elements))
      continue;
    StitchMapping before = *producer;
    if (flat)
      m->groups[from].mapping = (StitchMapping){.kind = STITCH_MAPPING_ROW, .rows = rows, .columns = 1};
    if (readsByRows(m, group, rows)) {
      best = rows;
      *flatProducer = flat ? from : -1;
    }
    m->groups[from].mapping = before;
  }
  free(reads);
  return best;
}

static void adaptToProducers(Mapper *m) {
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    if (m->groups[g].mapping.kind != STITCH_MAPPING_FLAT)
      continue;
    int64_t flatProducer;
    int64_t rows = rowsOfProducers(m, g, &flatProducer);
    if (rows == 0)
      continue;
    if (flatProducer >= 0)
      adoptRows(m, flatProducer, rows, "consumer");
    adoptRows(m, g, rows, "producer");
  }
}

/// A flat group that a row group reads row by row becomes a row group too.
static void adaptToConsumers(Mapper *m) {
  for (int64_t g = m->view.numGroups; g-- > 0;) {
    int64_t rows = m->groups[g].mapping.rows;
    if (m->groups[g].mapping.kind != STITCH_MAPPING_ROW)
      continue;
    GroupRead *reads;
    int64_t count = readsOfGroup(&m->view, g, rows, 0, &reads);
    for (int64_t i = 0; i < count; ++i) {
      int64_t from = m->view.group[reads[i].root];
      const Group *producer = &m->groups[from];
      if (producer->mapping.kind == STITCH_MAPPING_FLAT && reads[i].keepsRows && producer->elements % rows == 0)
        adoptRows(m, from, rows, "consumer");
    }
    free(reads);
  }
}

/// Whether the group's roots are stacks of a few vectors with an element for each of `rows` rows, and wait only for
/// values that exist once for each row.
static bool isStackOf(Mapper *m, int64_t group, int64_t rows) {
  int64_t elements = m->groups[group].elements;
  if (rows == 0 || elements % rows != 0 || elements == rows || elements / rows > PLAN_MAX_STACK ||
      !groupHasElements(&m->view, group, elements))
    return false;
  bool is = true;
  GroupRead *reads;
  int64_t count = readsOfStack(&m->view, group, rows, &reads);
  for (int64_t i = 0; i < count; ++i) {
    const StitchMapping *producer = &m->groups[m->view.group[reads[i].root]].mapping;
    bool isOfRows = producer->kind == STITCH_MAPPING_ROW && producer->rows == rows;
    bool isOnce = m->graph->nodes[reads[i].root].elements == rows && reads[i].keepsRows;
    is &= m->view.group[reads[i].root] == group || (isOfRows && isOnce);
  }
  free(reads);
  return is;
}

/// A flat group that reads values that exist once for a row, such as the products of a matrix with the rows of a thin
/// one, goes by these rows as well if its elements are transposed.
static void adaptStacks(Mapper *m) {
  for (int64_t g = 0; m->hasKnownSizes && g < m->view.numGroups; ++g) {
    if (m->groups[g].mapping.kind != STITCH_MAPPING_FLAT)
      continue;
    GroupRead *reads;
    int64_t count = readsOfGroup(&m->view, g, 1, 0, &reads);
    for (int64_t i = 0; i < count && !m->groups[g].isStack; ++i) {
      int64_t rows = m->graph->nodes[reads[i].root].elements;
      if (m->view.group[reads[i].root] == g || !isStackOf(m, g, rows))
        continue;
      adoptRows(m, g, rows, "producer, a stack");
      m->groups[g].isStack = true;
    }
    free(reads);
  }
}

//===----------------------------------------------------------------------===//
// Flat groups that read each other at other positions
//===----------------------------------------------------------------------===//

/// Whether a block holds a row, and rows are enough for the multiprocessors. Of few elements the barriers take longer
/// than the work.
static bool suitsBlocks(const Mapper *m, int64_t group, int64_t rows) {
  enum { FEW_ELEMENTS = 1 << 16 };
  int64_t elements = m->groups[group].elements;
  return elements % rows == 0 && planBlockHoldsRow(&m->device, elements / rows) &&
         (2 * rows >= m->device.sms || elements <= FEW_ELEMENTS);
}

/// Whether `group` reads values of flat groups row by row alone, and some of them at other positions of the row than
/// its own. (Results do not count: they are roots however cheap it is to compute them again.) Their groups are set in
/// `producers`.
static bool readsAroundByRows(Mapper *m, int64_t group, int64_t rows, bool *producers) {
  GroupRead *reads;
  int64_t count = readsOfGroup(&m->view, group, rows, 0, &reads);
  bool some = false, all = suitsBlocks(m, group, rows);
  for (int64_t i = 0; i < count && all; ++i) {
    int64_t from = m->view.group[reads[i].root];
    if (from == group || m->groups[from].mapping.kind != STITCH_MAPPING_FLAT)
      continue;
    all = reads[i].keepsRows && suitsBlocks(m, from, rows);
    some = some || (!reads[i].keepsElements && !m->graph->nodes[reads[i].root].yielded);
    producers[from] = true;
  }
  free(reads);
  return some && all;
}

/// A flat group that reads values of others at other positions, as a stencil or a window does, goes by the longest rows
/// that a block can hold, and so do these: the values between them stay in shared memory.
static void adaptToNeighbours(Mapper *m) {
  bool *producers = IR_NEW_ARRAY(&m->view.arena, bool, m->view.numGroups);
  for (int64_t g = 0; m->hasKnownSizes && g < m->view.numGroups; ++g) {
    if (m->groups[g].mapping.kind != STITCH_MAPPING_FLAT)
      continue;
    IrShape shape = planIterationShape(m->graph->nodes[m->view.dominant[g]].op);
    int64_t rows = 1, best = 0;
    for (intptr_t d = 0; d + 1 < shape.rank && best == 0; ++d) {
      rows *= shape.dims[d];
      memset(producers, 0, sizeof(*producers) * (size_t)m->view.numGroups);
      if (rows > 1 && readsAroundByRows(m, g, rows, producers))
        best = rows;
    }
    if (best == 0)
      continue;
    for (int64_t k = 0; k < m->view.numGroups; ++k)
      if (producers[k])
        adoptRows(m, k, best, "reader, which reads around an element");
    adoptRows(m, g, best, "operands, of which it reads around an element");
  }
}

void adaptGroups(Mapper *m) {
  adaptToProducers(m);
  adaptToNeighbours(m);
  adaptToProducers(m);
  adaptToConsumers(m);
  adaptStacks(m);
}
