//===- change_mapping.c - a mapping with other choices -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the mapping of a root and the choices of a candidate: threads of a row, vectors, unrolling, splits. Leaves the
// mapping with them, or false if the root's shape does not allow one.
//
//===----------------------------------------------------------------------===//

#include "passes/common/change_mapping.h"

#include "ir/mlir/arithmetic.h"

/// Elements of a row that a thread may go through: more than any device has registers for.
enum { MOST_ELEMENTS = 512 };

static int64_t changedVector(const MappingChange *change, const StitchMapping *planned) {
  return change->vector ? min64(planned->vector, change->vector) : planned->vector;
}

/// Vectors that are no longer than a run begin where the runs do.
static int64_t runOf(const StitchMapping *m) { return m->vector > m->run ? m->run : 0; }

/// The rest of a row that has its threads and parts; false if a part would have no element, or a thread too many.
static bool completeRow(StitchMapping *m) {
  int64_t parts = m->split * m->cluster, lanes = m->rowThreads * m->vector;
  m->unroll = ceilDiv(planColumnsOfVectors(m), parts * lanes);
  return (parts - 1) * m->unroll * lanes < m->columns && m->unroll * m->vector <= MOST_ELEMENTS;
}

/// Of a row family all have the same threads; which have one column, or are stacks, have nothing else to choose.
static bool mapRow(const MappingChange *change, const StitchMapping *planned, bool isStack, StitchMapping *m) {
  int64_t block = change->block, parts = change->parts;
  m->rowThreads = change->rowThreads ? change->rowThreads : min64(planned->rowThreads, block);
  m->blockRows = block / m->rowThreads;
  if (m->rowThreads > block || (m->blockRows > 1 && m->blockRows / 2 >= m->rows))
    return false;
  if (parts != 0)
    m->cluster = parts < 0 ? -parts : 1;
  if (planned->columns == 1 || isStack)
    return planned->columns <= m->rowThreads;
  if (parts != 0)
    m->split = parts > 0 && m->kind == STITCH_MAPPING_ROW ? parts : m->kind == STITCH_MAPPING_ROW ? 1 : m->split;
  StitchMapping row = *m;
  row.vector = changedVector(change, planned);
  row.run = runOf(&row);
  row.split = m->kind == STITCH_MAPPING_ROW ? m->split : 1;
  if (!completeRow(&row))
    return false;
  m->vector = row.vector;
  m->run = row.run;
  m->unroll = row.unroll;
  return true;
}

/// As many workers as before, by threads.
static bool mapCarried(const MappingChange *change, const StitchMapping *planned, StitchMapping *m) {
  int64_t block = change->block, before = planBlockSize(planned) * planned->cluster;
  bool sharesSums = planSharesSums(planned);
  m->cluster = sharesSums ? 1 : m->cluster;
  if (!mapRow(change, planned, /*isStack=*/false, m) || (sharesSums && m->cluster > 1) ||
      (m->sumsInShared && m->blockRows > 1))
    return false;
  m->cluster = sharesSums ? planned->cluster : m->cluster;
  m->split = max64(planned->split * before / (block * m->cluster), 1);
  return m->split <= ceilDiv(m->rows, m->blockRows) &&
         planKeepsColumns(m, m->split * m->cluster / planLoopMapping(m).cluster);
}

static bool mapFlat(const MappingChange *change, const StitchMapping *planned, StitchMapping *m) {
  m->rowThreads = change->block / planned->blockRows;
  m->vector = changedVector(change, planned);
  m->run = runOf(m);
  m->unroll = change->flatUnroll ? change->flatUnroll : planned->unroll;
  if (m->rowThreads < 1)
    return false;
  m->split = ceilDiv(m->columns, m->rowThreads * m->vector * m->unroll);
  return true;
}

static bool mapColumn(const MappingChange *change, const StitchMapping *planned, StitchMapping *m) {
  int64_t block = change->block;
  m->rowThreads = change->columnThreads ? change->columnThreads : min64(planned->rowThreads, block);
  m->vector = changedVector(change, planned);
  m->blockRows = block / m->rowThreads;
  if (m->rowThreads > block || (m->cluster > 1 && change->columnParts))
    return false;
  if (m->cluster == 1)
    m->split = change->columnParts ? change->columnParts : planned->split;
  int64_t parts = m->split * m->cluster;
  m->unroll = ceilDiv(m->rows, parts * m->blockRows);
  return (parts - 1) * m->unroll * m->blockRows < m->rows;
}

bool changeMapping(const MappingChange *change, const StitchMapping *planned, bool isStack, StitchMapping *m) {
  *m = *planned;
  switch (planned->kind) {
  case STITCH_MAPPING_ROW:
    return mapRow(change, planned, isStack, m);
  case STITCH_MAPPING_CARRIED:
    return mapCarried(change, planned, m);
  case STITCH_MAPPING_FLAT:
    return mapFlat(change, planned, m);
  case STITCH_MAPPING_COLUMN:
  case STITCH_MAPPING_KEPT:
    return mapColumn(change, planned, m);
  case STITCH_MAPPING_TILE: // its sides are those of the transposed matrices
  case STITCH_MAPPING_AXES: // stitch-axes has looked at all of them
    return !change->hasBlock;
  }
  return false;
}
