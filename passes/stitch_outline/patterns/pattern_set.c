//===- pattern_set.c - patterns, each once -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes sets of nodes. Leaves each once, found by a hash; sets with operations that a rule keeps apart (docs/rules.md)
// are left out.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_outline/patterns/patterns.h"

#include <stdlib.h>
#include <string.h>

uint64_t hashOfNumbers(const int64_t *nodes, int64_t count) {
  uint64_t hash = 1469598103934665603u;
  for (int64_t i = 0; i < count; ++i)
    hash = (hash ^ (uint64_t)nodes[i]) * 1099511628211u;
  return hash ^ (hash >> 29);
}

/// The slot of a pattern: its own, or the free one where it belongs.
static int64_t *patternSlot(const Patterns *p, const int64_t *nodes, int64_t count) {
  uint64_t mask = (uint64_t)p->hashCapacity - 1;
  for (uint64_t at = hashOfNumbers(nodes, count) & mask;; at = (at + 1) & mask) {
    int64_t *slot = &p->byHash[at];
    const Pattern *known = *slot ? &p->data[*slot - 1] : NULL;
    if (!known || (known->count == count && memcmp(known->nodes, nodes, sizeof(*nodes) * (size_t)count) == 0))
      return slot;
  }
}

static void growHash(Patterns *p) {
  if (2 * (p->count + 1) <= p->hashCapacity)
    return;
  free(p->byHash);
  p->hashCapacity = p->hashCapacity ? 2 * p->hashCapacity : 256;
  p->byHash = irAllocateZeroed((size_t)p->hashCapacity, sizeof(*p->byHash));
  for (int64_t i = 0; i < p->count; ++i)
    *patternSlot(p, p->data[i].nodes, p->data[i].count) = i + 1;
}

static bool reads(const Outline *outline, int64_t reader, int64_t producer) {
  MlirOperation op = outline->nodes[reader].op;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (leafOf(outline, irOperand(op, i)) == producer)
      return true;
  return false;
}

/// Whether rules keep operations of a pattern apart.
static bool isForbidden(const Outline *outline, const int64_t *nodes, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < count && outline->nodes[nodes[i]].isSubject; ++k) {
      bool isRead = reads(outline, nodes[i], nodes[k]) || reads(outline, nodes[k], nodes[i]);
      if (i != k && ruleAgainst(&outline->rules, outline->nodes[nodes[i]].op, outline->nodes[nodes[k]].op, isRead))
        return true;
    }
  return false;
}

static bool addOne(Patterns *p, const int64_t *nodes, int64_t count, PatternSource source) {
  growHash(p);
  int64_t *slot = patternSlot(p, nodes, count);
  if (*slot || isForbidden(p->outline, nodes, count))
    return false;
  if (p->numOps + count > p->mostOps) {
    ++p->numRefused;
    return false;
  }
  int64_t *copy = IR_NEW_ARRAY(&p->outline->arena, int64_t, count);
  memcpy(copy, nodes, sizeof(*nodes) * (size_t)count);
  IR_RESERVE_ONE(p->data, p->count, p->capacity);
  p->data[p->count++] = (Pattern){.nodes = copy, .count = count, .source = source};
  *slot = p->count;
  p->numOps += count;
  return true;
}

bool addPattern(Patterns *p, const int64_t *nodes, int64_t count, PatternSource source) {
  if (source == PATTERN_SINGLE)
    return addOne(p, nodes, count, source);
  bool isNew = false;
  for (int behind = 0; behind < 2; ++behind) {
    const int64_t *completed = nodes;
    int64_t length = count;
    if (completeProducts(p, &completed, &length, behind))
      isNew |= addOne(p, completed, length, source);
  }
  return isNew;
}

void addComponents(Patterns *p, PatternSource source) {
  Fusions fusions = listFusions(p->outline);
  for (int64_t i = 0; i < fusions.count; ++i)
    if (fusions.data[i].count > 1)
      addPattern(p, fusions.data[i].members, fusions.data[i].count, source);
  free(fusions.data);
}

void destroyPatterns(Patterns *p) {
  free(p->data);
  free(p->byHash);
}
