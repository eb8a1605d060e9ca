//===- step_races.c - steps on several streams that touch the same bytes --===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the memory accesses of each step, page by page as a bit mask of bytes. At the end of a super-epoch it compares
// steps without a path of streams and events between them.
//
//===----------------------------------------------------------------------===//

#include "runtime/step_races.h"
#include "runtime/element_type.h"
#include "runtime/library/cpu_epilogue.h"
#include "runtime/model_steps.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096, PAGE_WORDS = PAGE_BYTES / 64 };

struct StitchTouchedPage {
  uintptr_t number; ///< address / PAGE_BYTES
  int64_t step;
  const char *name; ///< of the first launch or call of the step that touched it
  uint64_t loads[PAGE_WORDS], stores[PAGE_WORDS];
};

//===----------------------------------------------------------------------===//
// Touched bytes
//===----------------------------------------------------------------------===//

static int64_t raceSlot(const StitchStepRaces *r, uintptr_t number, int64_t step) {
  uint64_t hash = ((uint64_t)number * 1000003 + (uint64_t)step) * UINT64_C(0x9e3779b97f4a7c15);
  int64_t slot = (int64_t)(hash >> 20) & (r->numSlots - 1);
  for (; r->slots[slot]; slot = (slot + 1) & (r->numSlots - 1)) {
    const StitchTouchedPage *page = &r->pages[r->slots[slot] - 1];
    if (page->number == number && page->step == step)
      break;
  }
  return slot;
}

/// Makes room for one more page; the table is at most half full.
static bool reserve(StitchStepRaces *r) {
  if (r->numPages < r->pageCapacity)
    return true;
  int64_t capacity = r->pageCapacity ? 2 * r->pageCapacity : 64;
  StitchTouchedPage *pages = realloc(r->pages, (size_t)capacity * sizeof(*pages));
  r->pages = pages ? pages : r->pages;
  int64_t *slots = pages ? calloc(2 * (size_t)capacity, sizeof(*slots)) : NULL;
  r->outOfMemory |= !slots;
  if (!slots)
    return false;
  free(r->slots);
  r->slots = slots;
  r->numSlots = 2 * capacity;
  r->pageCapacity = capacity;
  for (int64_t i = 0; i < r->numPages; ++i)
    r->slots[raceSlot(r, r->pages[i].number, r->pages[i].step)] = 1 + i;
  return true;
}

/// The page of a step, made if it is not there; NULL without memory.
static StitchTouchedPage *pageOf(StitchStepRaces *r, uintptr_t number, int64_t step, const char *name) {
  if (!reserve(r))
    return NULL;
  int64_t slot = raceSlot(r, number, step);
  if (!r->slots[slot]) {
    StitchTouchedPage *page = &r->pages[r->numPages++];
    memset(page, 0, sizeof(*page));
    page->number = number;
    page->step = step;
    page->name = name;
    r->slots[slot] = r->numPages;
  }
  return &r->pages[r->slots[slot] - 1];
}

static void touch(StitchStepRaces *r, const StitchTouchedRange *range) {
  uintptr_t begin = (uintptr_t)range->memory, end = begin + (uintptr_t)range->bytes;
  while (begin < end && !r->outOfMemory) {
    uintptr_t number = begin / PAGE_BYTES, last = (number + 1) * PAGE_BYTES < end ? (number + 1) * PAGE_BYTES : end;
    StitchTouchedPage *page = pageOf(r, number, range->step, range->name);
    for (; page && begin < last; ++begin) {
      uint64_t *bits = range->isStore ? page->stores : page->loads;
      bits[begin % PAGE_BYTES / 64] |= UINT64_C(1) << begin % 64;
    }
  }
}

void stitchStepRacesTouch(StitchStepRaces *r, const void *memory, uint64_t bytes, bool isStore) {
  r->isWatched = true;
  if (r->step >= 0)
    touch(r, &(StitchTouchedRange){memory, (int64_t)bytes, r->step, r->name, isStore});
}

static int64_t bytesOfTensor(const StitchLibraryTensor *tensor) {
  int64_t bytes = (int64_t)stitchElementBytes(tensor->type);
  for (int64_t i = 0; i < tensor->rank; ++i)
    bytes *= tensor->dims[i];
  return bytes;
}

/// The result, and the other results of an epilogue.
static bool isWritten(const StitchLibraryProblem *problem, int64_t operand) {
  bool hasEpilogue = problem->kind == STITCH_LIBRARY_DOT || problem->kind == STITCH_LIBRARY_CONVOLUTION;
  if (!hasEpilogue)
    return operand % problem->numOperands == problem->numOperands - 1;
  return operand == 2 ||
         (operand > 2 && (operand == stitchEpilogueSum(problem) ||
                          (problem->epilogue.hasPreactivation && operand == stitchEpiloguePreactivation(problem))));
}

/// Ranges become pages when the super-epoch ends, if anything is known of its kernels: that takes longer than a
/// product.
void stitchStepRacesCall(StitchStepRaces *r, const char *name, const StitchLibraryProblem *problem,
                         void *const *pointers) {
  for (int64_t i = 0; i < stitchLibraryNumPointers(problem) && r->step >= 0; ++i) {
    if (r->numRanges == r->rangeCapacity) {
      int64_t capacity = r->rangeCapacity ? 2 * r->rangeCapacity : 64;
      StitchTouchedRange *ranges = realloc(r->ranges, (size_t)capacity * sizeof(*ranges));
      r->outOfMemory |= !ranges;
      if (!ranges)
        return;
      r->ranges = ranges;
      r->rangeCapacity = capacity;
    }
    r->ranges[r->numRanges++] = (StitchTouchedRange){
        pointers[i], bytesOfTensor(&problem->operands[i % problem->numOperands]), r->step, name, isWritten(problem, i)};
  }
}

//===----------------------------------------------------------------------===//
// Who may run at the same time
//===----------------------------------------------------------------------===//

/// For each pair of steps of a super-epoch whether the first one has run when the second one begins.
typedef struct {
  int64_t first, count;
  bool *isBefore;
} StepPairs;

static bool isBefore(const StepPairs *o, int64_t a, int64_t b) {
  return o->isBefore[(a - o->first) * o->count + b - o->first];
}

/// `step` waits for `other`, and so for all that `other` waits for.
static void waitFor(StepPairs *o, int64_t step, int64_t other) {
  for (int64_t i = o->first; i <= other; ++i)
    o->isBefore[(i - o->first) * o->count + step - o->first] |= i == other || isBefore(o, i, other);
}

static StitchStatus orderOf(const StitchModelDescriptor *model, const int64_t *versions, int64_t step, StepPairs *o) {
  *o = (StepPairs){.first = step};
  int64_t end = step + 1;
  while (o->first > 0 && model->steps[o->first - 1].superEpoch == model->steps[step].superEpoch)
    --o->first;
  while (end < model->numSteps && model->steps[end].superEpoch == model->steps[step].superEpoch)
    ++end;
  o->count = end - o->first;
  o->isBefore = calloc((size_t)(o->count * o->count), sizeof(*o->isBefore));
  if (!o->isBefore)
    return stitchStatusOutOfMemory();
  for (int64_t i = o->first; i < end; ++i) {
    for (int64_t j = 0; j < model->steps[i].numAfter; ++j)
      waitFor(o, i, model->steps[i].after[j]);
    for (int64_t j = o->first; j < i; ++j)
      if (stitchStepStream(model, versions, j) == stitchStepStream(model, versions, i))
        waitFor(o, i, j);
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

/// By page, then by step: the first race that is found does not depend on the order of the run.
static int comparePages(const void *a, const void *b) {
  const StitchTouchedPage *x = a, *y = b;
  if (x->number != y->number)
    return x->number < y->number ? -1 : 1;
  return x->step < y->step ? -1 : x->step > y->step;
}

/// Bytes of a page that both touch, and one of them writes.
static int64_t bytesInCommon(const StitchTouchedPage *a, const StitchTouchedPage *b) {
  int64_t bytes = 0;
  for (int i = 0; i < PAGE_WORDS; ++i)
    bytes += __builtin_popcountll((a->stores[i] & (b->loads[i] | b->stores[i])) | (a->loads[i] & b->stores[i]));
  return bytes;
}

static bool stores(const StitchTouchedPage *page, const StitchTouchedPage *other) {
  bool found = false;
  for (int i = 0; i < PAGE_WORDS; ++i)
    found |= (page->stores[i] & (other->loads[i] | other->stores[i])) != 0;
  return found;
}

static StitchStatus findRace(const StitchStepRaces *r, const StitchModelDescriptor *model, const int64_t *versions,
                             const StepPairs *order) {
  for (int64_t i = 0; i < r->numPages; ++i)
    for (int64_t j = i + 1; j < r->numPages && r->pages[j].number == r->pages[i].number; ++j) {
      const StitchTouchedPage *a = &r->pages[i], *b = &r->pages[j];
      int64_t bytes = isBefore(order, a->step, b->step) ? 0 : bytesInCommon(a, b);
      if (bytes)
        return stitchStatusMake(STITCH_DEVICE_ERROR,
                                "step %lld ('%s', stream %lld) %s and step %lld ('%s', stream %lld) %s the same %lld "
                                "bytes, and neither waits for the other",
                                (long long)a->step, a->name, (long long)stitchStepStream(model, versions, a->step),
                                stores(a, b) ? "writes" : "reads", (long long)b->step, b->name,
                                (long long)stitchStepStream(model, versions, b->step),
                                stores(b, a) ? "writes" : "reads", (long long)bytes);
    }
  return NULL;
}

static void forget(StitchStepRaces *r) {
  if (r->slots)
    memset(r->slots, 0, (size_t)r->numSlots * sizeof(*r->slots));
  r->numPages = r->numRanges = 0;
}

StitchStatus stitchStepRacesJoin(StitchStepRaces *r, const StitchModelDescriptor *model, const int64_t *versions) {
  for (int64_t i = 0; i < r->numRanges && r->isWatched; ++i)
    touch(r, &r->ranges[i]);
  StitchStatus status = r->outOfMemory ? stitchStatusOutOfMemory() : NULL;
  r->outOfMemory = false;
  if (!status && r->numPages) {
    StepPairs order;
    qsort(r->pages, (size_t)r->numPages, sizeof(*r->pages), comparePages);
    status = orderOf(model, versions, r->pages[0].step, &order);
    if (!status)
      status = findRace(r, model, versions, &order);
    free(order.isBefore);
  }
  forget(r);
  return status;
}

void stitchStepRacesDestroy(StitchStepRaces *r) {
  free(r->pages);
  free(r->slots);
  free(r->ranges);
  *r = (StitchStepRaces){.step = -1};
}
