//===- substitution.c - FusionStitching's algorithm 1 --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Substitution fusion (FusionStitching 4.2.1): *partition operations* are never fused; all operations between adjacent
// ones are one pattern, connected or not (kernel packing), and each connected part of it another. The list of partition
// operations grows, class by class, and each list gives its patterns. At first it has operations that are outside in
// any case (large products, library calls, the host's). Then come, one class after the other, operations with needs of
// their own as to parallel work, memory on chip and launch.
//
// "Between adjacent partition operations" is a level here: the number of partition operations on the longest path to an
// operation. So the patterns of one list form no cycle.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/index/space.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/union_find.h"
#include "passes/stitch_outline/patterns/patterns.h"

#include <string.h>

/// Classes that become partition operations, in this order.
typedef enum {
  PARTITION_LIBRARY,        ///< operations that are outside in any case
  PARTITION_COLUMN_REDUCES, ///< over the outer dimensions
  PARTITION_SCALAR_REDUCES, ///< to one element
  PARTITION_WINDOWS,
  PARTITION_INDEXED, ///< gather, dynamic slices
  PARTITION_MOVES,   ///< transpose, concatenate, reverse, pad
  PARTITION_ROW_REDUCES,
  NUM_PARTITIONS
} Partition;

static Partition partitionOf(const OutlineNode *node) {
  MlirOperation op = node->op;
  if (node->kind == NODE_OUTSIDE)
    return PARTITION_LIBRARY;
  switch (tgClassOfKind(tgKindOf(op))) {
  case TG_CLASS_REDUCE:
    if (irNumElements(irShapeOf(irResult(op, 0))) == 1)
      return PARTITION_SCALAR_REDUCES;
    return irReduceSpace(op).kind == STITCH_MAPPING_COLUMN ? PARTITION_COLUMN_REDUCES : PARTITION_ROW_REDUCES;
  case TG_CLASS_WINDOW:
    return PARTITION_WINDOWS;
  case TG_CLASS_INDEXED:
    return PARTITION_INDEXED;
  case TG_CLASS_SHAPE:
    return PARTITION_MOVES;
  default:
    return NUM_PARTITIONS;
  }
}

/// The levels that the list up to `last` gives; partition operations are components of their own.
typedef struct {
  Outline *outline;
  const Partition *partitions;
  Partition last;
  int64_t level; ///< of the operation that is looked at
  bool isPartition;
} PartitionLevels;

static void raiseLevel(MlirValue value, void *data) {
  PartitionLevels *l = data;
  int64_t leaf = leafOf(l->outline, value);
  if (leaf < 0)
    return;
  bool fromPartition = l->partitions[leaf] <= l->last;
  int64_t level = l->outline->nodes[leaf].level + (l->isPartition && !fromPartition);
  l->level = max64(l->level, level);
}

static void findLevels(PartitionLevels *l) {
  int64_t ordered = 0;
  for (int64_t i = 0; i < l->outline->numNodes; ++i) {
    OutlineNode *node = &l->outline->nodes[i];
    if (node->kind == NODE_FREE)
      continue;
    bool keepsOrder = nodeKeepsOrder(node);
    l->level = keepsOrder ? ordered : 0;
    l->isPartition = l->partitions[i] <= l->last;
    irForEachOperand(node->op, raiseLevel, l);
    node->level = l->level;
    if (keepsOrder)
      ordered = node->level;
  }
}

/// Unites stitched operations of one level that are no partition operation: all of them, or only connected ones.
static void unite(PartitionLevels *l, bool connectedOnly, int64_t *firstOfLevel) {
  Outline *outline = l->outline;
  outline->components = unionFindCreate(&outline->arena, outline->numNodes);
  memset(firstOfLevel, -1, sizeof(*firstOfLevel) * (size_t)outline->numNodes);
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    const OutlineNode *node = &outline->nodes[i];
    if (node->kind != NODE_STITCHED || l->partitions[i] <= l->last)
      continue;
    if (!connectedOnly && firstOfLevel[node->level] >= 0)
      unionFindUnite(outline->components, firstOfLevel[node->level], i);
    firstOfLevel[node->level] = i;
    for (intptr_t j = 0; connectedOnly && j < mlirOperationGetNumOperands(node->op); ++j) {
      int64_t leaf = leafOf(outline, irOperand(node->op, j));
      if (isStitched(outline, leaf) && l->partitions[leaf] > l->last && outline->nodes[leaf].level == node->level)
        unionFindUnite(outline->components, leaf, i);
    }
  }
}

void proposeSubstitutions(Patterns *patterns) {
  Outline *outline = patterns->outline;
  Partition *partitions = IR_NEW_ARRAY(&outline->arena, Partition, outline->numNodes);
  bool occurs[NUM_PARTITIONS + 1] = {[PARTITION_LIBRARY] = true};
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    partitions[i] = outline->nodes[i].kind == NODE_FREE ? NUM_PARTITIONS : partitionOf(&outline->nodes[i]);
    occurs[partitions[i]] = true;
  }
  int64_t *firstOfLevel = IR_NEW_ARRAY(&outline->arena, int64_t, outline->numNodes);
  for (Partition last = PARTITION_LIBRARY; last < NUM_PARTITIONS; ++last) {
    if (!occurs[last]) // the same list as before
      continue;
    PartitionLevels levels = {.outline = outline, .partitions = partitions, .last = last};
    findLevels(&levels);
    unite(&levels, /*connectedOnly=*/false, firstOfLevel);
    addComponents(patterns, PATTERN_SUBSTITUTION);
    unite(&levels, /*connectedOnly=*/true, firstOfLevel);
    addComponents(patterns, PATTERN_SUBSTITUTION);
  }
}
