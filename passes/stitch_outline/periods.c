//===- periods.c - stitch-outline: equal parts of large fusions ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model whose layers are all in one fusion, the products of one row say, is cut behind whole layers: equal kernels
// are compiled once. The members, in the order for cuts, are a sequence of operations and types. Where windows of it
// come back at one distance more often than at any other, that is the size of a layer. The longest run in which each
// member equals the one at this distance is the layers; and they begin where the least bytes cross.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"
#include "passes/stitch_outline/outline.h"

#include <stdlib.h>

enum {
  WINDOW = 64,      ///< members that are compared together; a layer is no shorter
  LEAST_PERIODS = 3 ///< equal parts that are worth a cut of their own
};

/// Members as numbers, of which two are the same where the operations and the types of their results are.
static uint64_t *signaturesOf(Outline *outline, const Fusion *fusion) {
  uint64_t *signatures = IR_NEW_ARRAY(&outline->arena, uint64_t, fusion->count);
  IrMap types = {0};
  int64_t numTypes = 0;
  for (int64_t i = 0; i < fusion->count; ++i) {
    MlirOperation op = outline->nodes[fusion->members[i]].op;
    const void *type = mlirValueGetType(irResult(op, 0)).ptr;
    if (!irMapContains(&types, type))
      irMapSet(&types, type, numTypes++);
    signatures[i] = (uint64_t)irMapGet(&types, type, 0) << 16 | (uint64_t)tgKindOf(op);
  }
  irMapDestroy(&types);
  return signatures;
}

/// The distance at which most windows come back; 0: less than a third of them does at any.
static int64_t periodOf(Outline *outline, const uint64_t *signatures, int64_t count) {
  static const uint64_t base = UINT64_C(0x9e3779b97f4a7c15);
  int64_t *votes = IR_NEW_ARRAY(&outline->arena, int64_t, count + 1), best = 0;
  IrMap last = {0};
  uint64_t hash = 0, leaving = 1;
  for (int64_t i = 0; i < WINDOW; ++i)
    leaving *= base;
  for (int64_t i = 0; i < count; ++i) {
    hash = hash * base + signatures[i] - (i >= WINDOW ? leaving * signatures[i - WINDOW] : 0);
    const void *key = (const void *)(uintptr_t)(hash | 1);
    int64_t distance = i - irMapGet(&last, key, i);
    if (i >= WINDOW && distance >= WINDOW && ++votes[distance] > votes[best])
      best = distance;
    irMapSet(&last, key, i);
  }
  irMapDestroy(&last);
  return 3 * votes[best] >= count ? best : 0;
}

/// For each place the bytes that are made before it and read from there on.
static int64_t *crossingOf(Outline *outline, const Fusion *fusion) {
  int64_t *crossing = IR_NEW_ARRAY(&outline->arena, int64_t, fusion->count + 1);
  int64_t *last = IR_NEW_ARRAY(&outline->arena, int64_t, fusion->count);
  for (int64_t i = 0; i < fusion->count; ++i)
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(outline->nodes[fusion->members[i]].op); ++j) {
      int64_t from =
          memberBehind(outline, fusion, irOperand(outline->nodes[fusion->members[i]].op, j), &(MlirValue){0});
      if (from >= 0)
        last[outline->nodes[from].place] = i;
    }
  for (int64_t i = 0; i < fusion->count; ++i) { // differences, which are summed below
    int64_t bytes = bytesOfResults(outline->nodes[fusion->members[i]].op);
    if (last[i] <= i)
      continue;
    crossing[i + 1] += bytes;
    crossing[last[i] + 1] -= bytes;
  }
  for (int64_t i = 1; i <= fusion->count; ++i)
    crossing[i] += crossing[i - 1];
  return crossing;
}

Periods findPeriods(Outline *outline, const Fusion *fusion) {
  Periods none = {0}, found;
  const uint64_t *signatures = signaturesOf(outline, fusion);
  int64_t size = periodOf(outline, signatures, fusion->count), begin = 0, length = 0;
  if (!size)
    return none;
  for (int64_t i = 0, run = 0; i + size < fusion->count; ++i) {
    run = signatures[i] == signatures[i + size] ? run + 1 : 0;
    if (run > length) {
      length = run;
      begin = i + 1 - run;
    }
  }
  const int64_t *crossing = crossingOf(outline, fusion);
  found = (Periods){begin, size, 0};
  for (int64_t i = begin; i < begin + size; ++i)
    if (crossing[i + size] < crossing[found.first + size]) // behind a whole one: before the first there may be less
      found.first = i;
  found.count = (begin + length + size - found.first) / size;
  return found.count >= LEAST_PERIODS ? found : none;
}
