//===- candidates.c - other templates of a kernel ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A choice says for each dimension of the space which of its values is taken, 0 being the plan's own. Choices are tried
// in the order of the number of dimensions that they change, up to a budget: small changes of the plan come first.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // stpcpy

#include "passes/common/candidates.h"

#include "ir/mlir/arithmetic.h"
#include "ir/mlir/text_table.h"
#include "passes/common/change_mapping.h"
#include "passes/common/kept_values.h"

#include <stdlib.h>
#include <string.h>

/// Dimensions of the space; from PLACES on, one for each root whose place can be another one.
enum { BLOCK, ROW_THREADS, VECTOR, PARTS, COLUMN_THREADS, COLUMN_PARTS, FLAT_UNROLL, PLACES, MOST_PLACES = 4 };
enum { NUM_DIMENSIONS = PLACES + MOST_PLACES, MOST_VALUES = 11 };

/// Templates that are tried for a kernel, and of these with each of some values kept that it computes again. The cost
/// of one grows with the kernel: of a large one fewer are tried, but at least about as many as change one dimension.
enum { MOST_TRIED = 400, LEAST_TRIED = 80, TRIED_OPERATIONS = 40000, SHARE_KEPT = 4, MOST_KEPT = 2 };

/// Threads of blocks that no small shape has made smaller (passes/stitch_thread_mapping/spread.c).
enum { USUAL_BLOCK = 256 };

typedef struct {
  int64_t values[MOST_VALUES]; ///< the first one is the plan's
  int count;
} TemplateDimension;

typedef struct {
  MlirOperation original; ///< the kernel with the plan that templates are applied to
  char *names;            ///< of its roots
  MlirOperation fusion;   ///< the plan that others are made to differ from
  StitchDevice device;
  TemplateKernel kernel;
  Schedule *planned, *schedules; ///< by root
  TemplateDimension dimensions[NUM_DIMENSIONS];
  int64_t placeRoots[MOST_PLACES]; ///< whose place varies
  int choice[NUM_DIMENSIONS];
  MappingChange change; ///< its part for mappings
  TextTable known;      ///< templates that have been tried
  Candidate *found;
  int64_t count, capacity;
  int64_t numTried, mostTried;
  int64_t numPlans; ///< that others are made to differ from
} CandidateSearch;

//===----------------------------------------------------------------------===//
// The space
//===----------------------------------------------------------------------===//

static void addChoice(TemplateDimension *dimension, int64_t value) {
  for (int i = 0; i < dimension->count; ++i)
    if (dimension->values[i] == value)
      return;
  if (dimension->count < MOST_VALUES)
    dimension->values[dimension->count++] = value;
}

/// The plan's own value, then powers of two.
static void addPowers(TemplateDimension *dimension, int64_t planned, int64_t first, int64_t last) {
  addChoice(dimension, planned);
  for (int64_t value = first; value <= last; value *= 2)
    addChoice(dimension, value);
}

static bool isKind(const CandidateSearch *s, int64_t root, StitchMappingKind kind) {
  return s->planned[root].mapping.kind == kind;
}

/// The mapping of the first root of a kind that has more than one column; NULL if there is none.
static const StitchMapping *firstOf(const CandidateSearch *s, StitchMappingKind kind) {
  for (int64_t i = 0; i < s->kernel.numRoots; ++i)
    if (isKind(s, i, kind) && s->planned[i].mapping.columns > 1)
      return &s->planned[i].mapping;
  return NULL;
}

/// The other locations of a root: in scratch memory instead of shared memory, or computed again instead of kept in
/// scratch memory.
static void addPlaces(CandidateSearch *s) {
  int count = 0;
  for (int64_t i = 0; i < s->kernel.numRoots && count < MOST_PLACES; ++i) {
    const GraphNode *node = &s->kernel.graph.nodes[s->kernel.roots[i]];
    TemplatePlace place = s->planned[i].place;
    bool mayBeAgain = place == TEMPLATE_IN_SCRATCH && node->class != TG_CLASS_REDUCE && !node->yielded;
    if (place != TEMPLATE_IN_SHARED && !mayBeAgain)
      continue;
    s->placeRoots[count] = i;
    s->dimensions[PLACES + count++] = (TemplateDimension){.values = {0, 1}, .count = 2};
  }
}

static void describeSpace(CandidateSearch *s) {
  const StitchMapping *any = &s->planned[0].mapping, *row = firstOf(s, STITCH_MAPPING_ROW);
  const StitchMapping *column = firstOf(s, STITCH_MAPPING_COLUMN), *flat = firstOf(s, STITCH_MAPPING_FLAT);
  addPowers(&s->dimensions[BLOCK], planBlockSize(any), 64, 1024);
  addPowers(&s->dimensions[VECTOR], 0, 1, 4); // 0: as wide as the plan's
  if (row) {
    addPowers(&s->dimensions[ROW_THREADS], row->rowThreads, 1, 1024);
    addPowers(&s->dimensions[PARTS], row->cluster > 1 ? -row->cluster : row->split, 1, 16);
    for (int64_t cluster = 2; cluster <= s->device.clusterBlocks; cluster *= 2)
      addChoice(&s->dimensions[PARTS], -cluster);
  }
  if (column) {
    addPowers(&s->dimensions[COLUMN_THREADS], column->rowThreads, 4, 128);
    addPowers(&s->dimensions[COLUMN_PARTS], column->split, 1, 256);
  }
  if (flat)
    addPowers(&s->dimensions[FLAT_UNROLL], flat->unroll, 1, 8);
  addPlaces(s);
}

static int64_t chosen(const CandidateSearch *s, int dimension) {
  return s->dimensions[dimension].values[s->choice[dimension]];
}

static bool isChanged(const CandidateSearch *s, int dimension) { return s->choice[dimension] > 0; }

/// 0 if it is the plan's.
static int64_t changed(const CandidateSearch *s, int dimension) {
  return isChanged(s, dimension) ? chosen(s, dimension) : 0;
}

/// The rows that a root with an element for each row is computed with: rows with its mapping; else itself.
static const StitchMapping *rowsOf(const CandidateSearch *s, const StitchMapping *one, bool isRead) {
  for (int64_t i = 0; i < s->kernel.numRoots; ++i) {
    const StitchMapping *rows = &s->planned[i].mapping;
    StitchMapping column = planOneColumn(rows, isRead);
    if (rows->kind == STITCH_MAPPING_ROW && rows->columns > 1 && planSameMapping(&column, one) &&
        !planIsStacked(s->kernel.graph.nodes[s->kernel.roots[i]].op))
      return rows;
  }
  return one;
}

static bool mapRoot(const CandidateSearch *s, int64_t root, StitchMapping *m) {
  const GraphNode *node = &s->kernel.graph.nodes[s->kernel.roots[root]];
  const StitchMapping *planned = &s->planned[root].mapping;
  bool isStack = planIsStacked(node->op), isRead = node->numUsers > 0;
  if (planned->kind != STITCH_MAPPING_ROW || planned->columns > 1 || isStack)
    return changeMapping(&s->change, planned, isStack, m);
  StitchMapping rows = *rowsOf(s, planned, isRead);
  bool can = changeMapping(&s->change, &rows, isStack, m);
  *m = rows.columns > 1 ? planOneColumn(m, isRead) : *m;
  return can;
}

/// The schedules of the current choice; false if there is no such template.
static bool scheduleRoots(CandidateSearch *s) {
  s->change = (MappingChange){.block = chosen(s, BLOCK),
                              .hasBlock = isChanged(s, BLOCK),
                              .rowThreads = changed(s, ROW_THREADS),
                              .vector = changed(s, VECTOR),
                              .parts = changed(s, PARTS),
                              .columnThreads = changed(s, COLUMN_THREADS),
                              .columnParts = changed(s, COLUMN_PARTS),
                              .flatUnroll = changed(s, FLAT_UNROLL)};
  for (int64_t i = 0; i < s->kernel.numRoots; ++i) {
    s->schedules[i] = (Schedule){.place = TEMPLATE_ANYWHERE};
    if (!mapRoot(s, i, &s->schedules[i].mapping))
      return false;
  }
  for (int i = 0; i < MOST_PLACES; ++i) {
    if (!isChanged(s, PLACES + i))
      continue;
    Schedule *schedule = &s->schedules[s->placeRoots[i]];
    bool isShared = s->planned[s->placeRoots[i]].place == TEMPLATE_IN_SHARED;
    schedule->place = isShared ? TEMPLATE_IN_SCRATCH : TEMPLATE_ANYWHERE;
    schedule->isComputedAgain = !isShared;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// The template of the plan in a module, and whether it is new.
static char *newTemplateOf(CandidateSearch *s, MlirOperation module) {
  TemplateKernel kernel = templateKernelCreate(kernelModuleFusion(module));
  char *text = templateOf(&kernel);
  bool isNew;
  textTableAdd(&s->known, strdup(text), &isNew);
  templateKernelDestroy(&kernel);
  if (isNew)
    return text;
  free(text);
  return NULL;
}

/// The names of a template's schedules, one behind the other; the caller frees them.
static char *namesIn(const char *text) {
  char *names = irAllocateZeroed(strlen(text) + 1, 1), *end = names, *name;
  while ((name = templateNextName(&text))) {
    end = stpcpy(stpcpy(end, name), ";");
    free(name);
  }
  return names;
}

/// Whether the kernel can be planned by a template. One with the plan's own roots has just been; others may have roots
/// that planning has added, or be without some that cannot be left out.
static bool canBeApplied(const CandidateSearch *s, const char *text) {
  char *names = namesIn(text), *problem = NULL;
  bool can = !s->names || strcmp(names, s->names) == 0;
  if (!can) {
    MlirOperation module = kernelModuleCreate(s->original), fusion = kernelModuleFusion(module);
    can = kernelApplyTemplate(&fusion, text, &problem);
    mlirOperationDestroy(module);
  }
  free(problem);
  free(names);
  return can;
}

/// Whether the choice is larger blocks, and nothing else.
static bool isPacked(const CandidateSearch *s) {
  int changes = 0;
  for (int d = 0; d < NUM_DIMENSIONS; ++d)
    changes += isChanged(s, d);
  return changes == 1 && isChanged(s, BLOCK) && chosen(s, BLOCK) == USUAL_BLOCK &&
         s->dimensions[BLOCK].values[0] < USUAL_BLOCK;
}

static void addCandidate(CandidateSearch *s, MlirOperation module) {
  Candidate candidate = {.module = module,
                         .text = newTemplateOf(s, module),
                         .roots = s->numPlans - 1,
                         .number = s->count,
                         .isPacked = isPacked(s)};
  if (!candidate.text || !canBeApplied(s, candidate.text) ||
      !planCostOfFusion(kernelModuleFusion(module), &s->device, &candidate.cost)) {
    free(candidate.text);
    mlirOperationDestroy(module);
    return;
  }
  IR_RESERVE_ONE(s->found, s->count, s->capacity);
  s->found[s->count++] = candidate;
}

/// Whether schedules have been tried for the current plan: mappings alone, before anything is planned by them.
static bool isTried(CandidateSearch *s) {
  size_t bytes = sizeof(*s->schedules) * (size_t)s->kernel.numRoots;
  char *text = irAllocate(2 * bytes + 2);
  for (size_t i = 0; i < bytes; ++i) {
    unsigned char byte = ((const unsigned char *)s->schedules)[i];
    text[2 * i] = (char)('a' + byte / 16);
    text[2 * i + 1] = (char)('a' + byte % 16);
  }
  text[2 * bytes] = (char)('a' + s->numPlans); // equal bytes mean something else there
  text[2 * bytes + 1] = '\0';
  bool isNew;
  textTableAdd(&s->known, text, &isNew);
  return !isNew;
}

static void tryChoice(CandidateSearch *s) {
  memset(s->schedules, 0, sizeof(*s->schedules) * (size_t)s->kernel.numRoots); // padding, too: isTried compares bytes
  if (!scheduleRoots(s) || isTried(s))
    return;
  ++s->numTried;
  MlirOperation module = kernelModuleCreate(s->fusion);
  char *problem = NULL;
  if (kernelModuleReplan(module, s->schedules, &problem))
    addCandidate(s, module);
  else
    mlirOperationDestroy(module);
  free(problem);
}

/// Tries all choices that change `changes` dimensions from `first` on.
static void tryChanges(CandidateSearch *s, int first, int changes) {
  if (changes == 0) {
    tryChoice(s);
    return;
  }
  for (int d = first; d + changes <= NUM_DIMENSIONS; ++d)
    for (int i = 1; i < s->dimensions[d].count && s->numTried < s->mostTried; ++i) {
      s->choice[d] = i;
      tryChanges(s, d + 1, changes - 1);
      s->choice[d] = 0;
    }
}

static int compareCandidates(const void *a, const void *b) {
  const Candidate *x = a, *y = b;
  if (x->cost.total != y->cost.total)
    return x->cost.total < y->cost.total ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static void destroyCandidate(Candidate *candidate) {
  mlirOperationDestroy(candidate->module);
  free(candidate->text);
}

/// Reads the plan that others shall differ from; false if it has none.
static bool readPlan(CandidateSearch *s) {
  size_t bytes = sizeof(Schedule) * (size_t)(s->kernel.numRoots + 1);
  s->planned = irAllocateZeroed(1, bytes);
  s->schedules = irAllocateZeroed(1, bytes);
  bool isMapped = s->kernel.numRoots > 0;
  for (int64_t i = 0; i < s->kernel.numRoots; ++i) {
    MlirOperation root = s->kernel.graph.nodes[s->kernel.roots[i]].op;
    isMapped = isMapped && planGetMapping(root, &s->planned[i].mapping);
    s->planned[i].place = templatePlaceOf(root);
  }
  return isMapped;
}

/// Tries `most` templates that differ from the plan of `fusion`.
static void searchFrom(CandidateSearch *s, MlirOperation fusion, int64_t most) {
  s->fusion = fusion;
  s->kernel = templateKernelCreate(fusion);
  s->mostTried = s->numTried + most;
  ++s->numPlans;
  memset(s->dimensions, 0, sizeof(s->dimensions));
  addCandidate(s, kernelModuleCreate(fusion));
  if (!s->names)
    s->names = namesIn(s->count ? s->found[0].text : "");
  if (readPlan(s)) {
    describeSpace(s);
    for (int changes = 1; changes <= NUM_DIMENSIONS && s->numTried < s->mostTried; ++changes)
      tryChanges(s, 0, changes);
  }
  templateKernelDestroy(&s->kernel);
  free(s->planned);
  free(s->schedules);
}

/// A module with the plan in which `name` is kept in scratch memory; null if there is none.
static MlirOperation planWithKept(MlirOperation fusion, const char *name) {
  MlirOperation module = kernelModuleCreate(fusion);
  char *problem = NULL;
  bool isKept = keepValue(kernelModuleFusion(module), name, &problem);
  if (isKept) {
    CandidateSearch kept = {.kernel = templateKernelCreate(kernelModuleFusion(module))};
    isKept = readPlan(&kept);
    for (int64_t i = 0; i < kept.kernel.numRoots; ++i)
      if (strcmp(kept.kernel.rootNames[i], name) == 0)
        kept.planned[i].place = TEMPLATE_IN_SCRATCH;
      else
        kept.planned[i].place = TEMPLATE_ANYWHERE;
    templateKernelDestroy(&kept.kernel);
    isKept = isKept && kernelModuleReplan(module, kept.planned, &problem);
    free(kept.planned);
    free(kept.schedules);
  }
  free(problem);
  if (isKept)
    return module;
  mlirOperationDestroy(module);
  return (MlirOperation){NULL};
}

/// How many templates are tried for a kernel.
static int64_t triedOf(MlirOperation fusion) {
  int64_t operations = 1;
  IR_FOR_EACH_OP(op, irBody(fusion, 0))
    ++operations;
  return max64(min64(TRIED_OPERATIONS / operations, MOST_TRIED), LEAST_TRIED);
}

static void searchWithKept(CandidateSearch *s, MlirOperation fusion) {
  int64_t count;
  char **names = valuesComputedAgain(fusion, &s->device, MOST_KEPT, &count);
  for (int64_t i = 0; i < count; ++i) {
    MlirOperation module = planWithKept(fusion, names[i]);
    if (!mlirOperationIsNull(module)) {
      searchFrom(s, kernelModuleFusion(module), triedOf(fusion) / SHARE_KEPT);
      mlirOperationDestroy(module);
    }
    free(names[i]);
  }
  free(names);
}

/// Of candidates in their order, the first one with other roots than the plan's goes to place `last` if it is behind
/// it.
static void moveKeptUp(CandidateSearch *s, int64_t last) {
  int64_t first = 0;
  while (first < s->count && s->found[first].roots == 0)
    ++first;
  if (first == s->count || first <= last || last < 1)
    return;
  Candidate kept = s->found[first];
  s->found[first] = s->found[last];
  s->found[last] = kept;
}

/// Of a plan whose blocks are small, the one with larger ones comes first: which is faster no model knows.
static void movePackedUp(CandidateSearch *s) {
  int64_t packed = 1;
  while (packed < s->count && !s->found[packed].isPacked)
    ++packed;
  if (packed >= s->count || s->found[packed].cost.total > CANDIDATE_HOPELESS * s->found[0].cost.total)
    return;
  Candidate candidate = s->found[packed];
  memmove(s->found + 2, s->found + 1, sizeof(*s->found) * (size_t)(packed - 1));
  s->found[1] = candidate;
}

Candidates candidatesOf(MlirOperation fusion, const StitchDevice *device, CandidateLimits limits) {
  CandidateSearch s = {.original = fusion, .device = *device};
  int64_t most = limits.most;
  searchFrom(&s, fusion, limits.tried ? limits.tried : triedOf(fusion));
  if (!limits.withoutKept)
    searchWithKept(&s, fusion);
  if (s.count > 1)
    qsort(s.found + 1, (size_t)(s.count - 1), sizeof(*s.found), compareCandidates);
  movePackedUp(&s);
  moveKeptUp(&s, most - 1);
  for (int64_t i = max64(most, 1); i < s.count; ++i)
    destroyCandidate(&s.found[i]);
  textTableDestroy(&s.known);
  free(s.names);
  return (Candidates){.data = s.found, .count = min64(s.count, max64(most, 1)), .numTried = s.numTried};
}

void candidatesDestroy(Candidates *candidates) {
  for (int64_t i = 0; i < candidates->count; ++i)
    destroyCandidate(&candidates->data[i]);
  free(candidates->data);
  *candidates = (Candidates){0};
}
