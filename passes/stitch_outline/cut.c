//===- cut.c - stitch-outline: where fusions beyond the bounds are cut ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A large value that crosses a cut is written and read once more. Readers of a small value that depends on many others
// (the norm of all gradients) are a phase of their own. They would read the large values from memory in any case. So
// the members are ordered by their phases, and in a phase by their chains of large values (those of one parameter's
// update, say). A cut comes where as little as can be crosses it within a phase, near the middle.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arithmetic.h"
#include "ir/mlir/query.h"
#include "ir/mlir/union_find.h"
#include "ir/plan/cost.h"
#include "passes/stitch_outline/outline.h"

#include <stdlib.h>

/// To write and read a large value takes at least 1.5 % of a launch; smaller ones cost next to nothing.
static const double largeShare = 0.015;

static bool isLarge(const Outline *outline, MlirValue value) {
  double bytes = (double)irTensorBytes(mlirValueGetType(value));
  return costOfMoving(&outline->device, 2 * bytes) >= largeShare * (double)outline->device.launchNs;
}

/// Whether an operation computes with large values.
static bool handlesLarge(const Outline *outline, MlirOperation op) {
  bool large = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    large = large || isLarge(outline, irOperand(op, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    large = large || isLarge(outline, irResult(op, i));
  return large;
}

int64_t memberBehind(const Outline *outline, const Fusion *fusion, MlirValue operand, MlirValue *value) {
  *value = baseOf(outline, operand);
  int64_t number = mlirValueIsNull(*value) ? -1 : irNumberOf(&outline->numbering, *value);
  return fusionHasMember(outline, fusion, number) ? number : -1;
}

/// A member's place in the order.
typedef struct {
  int64_t phase;
  bool isSmall;  ///< comes behind large values of its phase, and may depend on all of them
  int64_t chain; ///< the first of those that large values of the phase connect
  int64_t number;
} CutPosition;

static int comparePlaces(const void *a, const void *b) {
  const CutPosition *x = a, *y = b;
  if (x->phase != y->phase)
    return x->phase < y->phase ? -1 : 1;
  if (x->isSmall != y->isSmall)
    return x->isSmall ? 1 : -1;
  if (x->chain != y->chain)
    return x->chain < y->chain ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/// Whether reading `value`, which is made in phase `before`, waits for a new phase: a small value is made of large
/// ones.
static bool beginsPhase(const Outline *outline, MlirOperation op, MlirValue value, int64_t before) {
  return before >= 0 && handlesLarge(outline, op) && !isLarge(outline, value);
}

/// The earliest phase of a member whose operands have theirs. -1: it depends on small values alone.
static int64_t earliestPhase(const Outline *outline, const Fusion *fusion, MlirOperation op) {
  int64_t phase = handlesLarge(outline, op) ? 0 : -1;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value;
    int64_t from = memberBehind(outline, fusion, irOperand(op, i), &value);
    int64_t before = from >= 0 ? outline->nodes[from].phase : -1;
    int64_t least = before + beginsPhase(outline, op, value, before);
    phase = max64(phase, least);
  }
  return phase;
}

/// Bytes of large values that a member reads from others.
static int64_t bytesFromMembers(const Outline *outline, const Fusion *fusion, MlirOperation op) {
  int64_t bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value;
    if (memberBehind(outline, fusion, irOperand(op, i), &value) >= 0 && isLarge(outline, value))
      bytes += irTensorBytes(mlirValueGetType(value));
  }
  return bytes;
}

int64_t bytesOfResults(MlirOperation op) {
  int64_t bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    bytes += irTensorBytes(mlirValueGetType(irResult(op, i)));
  return bytes;
}

/// Finds the phases of the members: the earliest that they can have. A member that reads no more of the other members
/// than it makes (a decayed moment, say, which depends on an input) has the phase of its first reader.
static void findPhases(Outline *outline, const Fusion *fusion) {
  int64_t *limits = IR_NEW_ARRAY(&outline->arena, int64_t, fusion->count); // 1 + the latest phase; 0: it has no reader
  for (int64_t i = 0; i < fusion->count; ++i) {
    OutlineNode *node = &outline->nodes[fusion->members[i]];
    node->phase = earliestPhase(outline, fusion, node->op);
  }
  for (int64_t i = fusion->count; i-- > 0;) {
    OutlineNode *node = &outline->nodes[fusion->members[i]];
    if (limits[i] && node->phase >= 0 && bytesFromMembers(outline, fusion, node->op) <= bytesOfResults(node->op))
      node->phase = limits[i] - 1;
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(node->op); ++j) {
      MlirValue value;
      int64_t from = memberBehind(outline, fusion, irOperand(node->op, j), &value);
      if (from < 0)
        continue;
      int64_t *limit = &limits[outline->nodes[from].place];
      int64_t latest = 1 + node->phase - beginsPhase(outline, node->op, value, outline->nodes[from].phase);
      *limit = *limit ? min64(*limit, latest) : latest;
    }
  }
}

int64_t *orderForCuts(Outline *outline, const Fusion *fusion) {
  CutPosition *places = IR_NEW_ARRAY(&outline->arena, CutPosition, fusion->count);
  int64_t *chains = unionFindCreate(&outline->arena, fusion->count);
  int64_t *ordered = IR_NEW_ARRAY(&outline->arena, int64_t, fusion->count);
  findPhases(outline, fusion);
  for (int64_t i = 0; i < fusion->count; ++i) {
    OutlineNode *node = &outline->nodes[fusion->members[i]];
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(node->op); ++j) {
      MlirValue value;
      int64_t from = memberBehind(outline, fusion, irOperand(node->op, j), &value);
      if (from >= 0 && isLarge(outline, value) && outline->nodes[from].phase == node->phase)
        unionFindUnite(chains, outline->nodes[from].place, i);
    }
    places[i] = (CutPosition){node->phase, !handlesLarge(outline, node->op), 0, fusion->members[i]};
  }
  for (int64_t i = 0; i < fusion->count; ++i)
    places[i].chain = places[i].isSmall ? 0 : unionFindRoot(chains, i);
  qsort(places, (size_t)fusion->count, sizeof(*places), comparePlaces);
  for (int64_t i = 0; i < fusion->count; ++i)
    ordered[i] = places[i].number;
  return ordered;
}

/// For each position, the last reader of its value in its phase.
static int64_t *findLastReaders(Outline *outline, const Fusion *fusion) {
  int64_t *last = IR_NEW_ARRAY(&outline->arena, int64_t, fusion->count);
  for (int64_t i = 0; i < fusion->count; ++i) {
    const OutlineNode *node = &outline->nodes[fusion->members[i]];
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(node->op); ++j) {
      MlirValue value;
      int64_t from = memberBehind(outline, fusion, irOperand(node->op, j), &value);
      if (from >= 0 && outline->nodes[from].phase == node->phase)
        last[outline->nodes[from].place] = i;
    }
  }
  return last;
}

int64_t findCut(Outline *outline, const Fusion *fusion) {
  int64_t n = fusion->count, half = n / 2, best = half, crossing = 0, least = INT64_MAX;
  const int64_t *last = findLastReaders(outline, fusion);
  int64_t *ended = IR_NEW_ARRAY(&outline->arena, int64_t, n + 1); // bytes that are not read from a position on
  for (int64_t i = 1; i < n; ++i) {                               // a cut before place i
    int64_t bytes = bytesOfResults(outline->nodes[fusion->members[i - 1]].op);
    if (last[i - 1] >= i) {
      crossing += bytes;
      ended[last[i - 1] + 1] += bytes;
    }
    crossing -= ended[i];
    bool isNearer = crossing == least && llabs(i - half) < llabs(best - half);
    if (4 * i >= n && 4 * i <= 3 * n && (crossing < least || isNearer)) {
      best = i;
      least = crossing;
    }
  }
  return best;
}
