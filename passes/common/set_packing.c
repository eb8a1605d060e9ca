//===- set_packing.c - the best disjoint sets ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes sets with scores, and conflicts. Leaves the choice of disjoint sets with the greatest sum of scores. Each
// connected part is solved by libCbcSolver where it is found, else by branch and bound (FusionStitching 4.1).
//
//===----------------------------------------------------------------------===//

#include "passes/common/set_packing.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/union_find.h"
#include "passes/common/cbc.h"
#include "runtime/seconds.h"

#include <stdlib.h>
#include <string.h>

/// Without a solver, most sets of a part that is searched through.
enum { SMALL_PART = 24 };

/// Rows: at most `limit` of the sets of a row are chosen. There is one for each element that several sets have, and one
/// for each conflict.
typedef struct {
  int64_t *sets;
  int64_t count;
  int64_t limit;
} Row;

typedef struct {
  const SetPacking *problem;
  Row *rows;
  int64_t numRows;
  NumberList *rowsOf; ///< set -> its rows
  int64_t *scratch;   ///< by row: zero between two parts
  double end;         ///< when the time is spent
  SetPackingReport *report;
  IrArena arena;
} Packing;

//===----------------------------------------------------------------------===//
// Rows and parts
//===----------------------------------------------------------------------===//

static void addRow(Packing *p, Row row) { p->rows[p->numRows++] = row; }

static void addRowsOfElements(Packing *p) {
  const SetPacking *problem = p->problem;
  int64_t *counts = IR_NEW_ARRAY(&p->arena, int64_t, problem->numElements);
  for (int64_t i = 0; i < problem->numSets; ++i)
    for (int64_t j = 0; j < problem->sets[i].count; ++j)
      ++counts[problem->sets[i].data[j]];
  Row *ofElement = IR_NEW_ARRAY(&p->arena, Row, problem->numElements);
  for (int64_t e = 0; e < problem->numElements; ++e)
    ofElement[e] = (Row){counts[e] > 1 ? IR_NEW_ARRAY(&p->arena, int64_t, counts[e]) : NULL, 0, 1};
  for (int64_t i = 0; i < problem->numSets; ++i)
    for (int64_t j = 0; j < problem->sets[i].count; ++j) {
      Row *row = &ofElement[problem->sets[i].data[j]];
      if (row->sets)
        row->sets[row->count++] = i;
    }
  for (int64_t e = 0; e < problem->numElements; ++e) {
    // Neighbouring elements are mostly in the same sets: one row will do for them.
    const Row *last = p->numRows > 0 ? &p->rows[p->numRows - 1] : NULL;
    const Row *row = &ofElement[e];
    bool isRepeated = last && row->count == last->count && row->count > 0 &&
                      memcmp(row->sets, last->sets, sizeof(int64_t) * (size_t)row->count) == 0;
    if (row->count > 1 && !isRepeated)
      addRow(p, *row);
  }
}

static void addRowsOfConflicts(Packing *p) {
  for (int64_t i = 0; i < p->problem->numConflicts; ++i) {
    const NumberList *sets = &p->problem->conflicts[i].sets;
    Row row = {IR_NEW_ARRAY(&p->arena, int64_t, sets->count), sets->count, p->problem->conflicts[i].most};
    memcpy(row.sets, sets->data, sizeof(int64_t) * (size_t)sets->count);
    addRow(p, row);
  }
}

static void listRowsOfSets(Packing *p) {
  int64_t *counts = IR_NEW_ARRAY(&p->arena, int64_t, p->problem->numSets);
  p->rowsOf = IR_NEW_ARRAY(&p->arena, NumberList, p->problem->numSets);
  for (int64_t r = 0; r < p->numRows; ++r)
    for (int64_t j = 0; j < p->rows[r].count; ++j)
      ++counts[p->rows[r].sets[j]];
  int64_t **lists = IR_NEW_ARRAY(&p->arena, int64_t *, p->problem->numSets);
  for (int64_t i = 0; i < p->problem->numSets; ++i)
    p->rowsOf[i].data = lists[i] = IR_NEW_ARRAY(&p->arena, int64_t, counts[i] + 1);
  for (int64_t r = 0; r < p->numRows; ++r)
    for (int64_t j = 0; j < p->rows[r].count; ++j) {
      int64_t set = p->rows[r].sets[j];
      lists[set][p->rowsOf[set].count++] = r;
    }
}

//===----------------------------------------------------------------------===//
// One part
//===----------------------------------------------------------------------===//

typedef struct {
  Packing *packing;
  const int64_t *sets;
  int64_t count;
  int64_t *used;      ///< by row: sets that are chosen
  const double *rest; ///< by place: the sum of the scores from it on
  bool *now, *best;   ///< by place
  double nowScore, bestScore;
} PackingSearch;

static void clearScratch(Packing *p, const int64_t *sets, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < p->rowsOf[sets[i]].count; ++j)
      p->scratch[p->rowsOf[sets[i]].data[j]] = 0;
}

static bool canChoose(const PackingSearch *s, int64_t place) {
  const NumberList *rows = &s->packing->rowsOf[s->sets[place]];
  for (int64_t i = 0; i < rows->count; ++i)
    if (s->used[rows->data[i]] >= s->packing->rows[rows->data[i]].limit)
      return false;
  return true;
}

static void chooseSet(PackingSearch *s, int64_t place, int64_t by) {
  const NumberList *rows = &s->packing->rowsOf[s->sets[place]];
  for (int64_t i = 0; i < rows->count; ++i)
    s->used[rows->data[i]] += by;
  s->now[place] = by > 0;
  s->nowScore += (double)by * s->packing->problem->scores[s->sets[place]];
}

static void branch(PackingSearch *s, int64_t place) {
  if (s->nowScore > s->bestScore) {
    s->bestScore = s->nowScore;
    memcpy(s->best, s->now, sizeof(bool) * (size_t)s->count);
  }
  if (place == s->count || s->nowScore + s->rest[place] <= s->bestScore)
    return;
  if (canChoose(s, place)) {
    chooseSet(s, place, 1);
    branch(s, place + 1);
    chooseSet(s, place, -1);
  }
  branch(s, place + 1);
}

/// Goes through the sets in falling order of their scores: all choices, or only the first that fits.
static void searchPart(Packing *p, const int64_t *sets, int64_t count, bool *chosen) {
  bool *flags = irAllocateZeroed(2 * (size_t)count, sizeof(bool));
  double *rest = irAllocateZeroed((size_t)count + 1, sizeof(double));
  PackingSearch s = {p, sets, count, p->scratch, rest, flags, flags + count, 0, 0};
  for (int64_t i = count; i-- > 0;)
    rest[i] = rest[i + 1] + p->problem->scores[sets[i]];
  bool isSmall = count <= SMALL_PART;
  if (isSmall)
    branch(&s, 0);
  for (int64_t i = 0; i < count && !isSmall; ++i)
    if (canChoose(&s, i))
      chooseSet(&s, i, 1);
  const bool *result = isSmall ? s.best : s.now;
  for (int64_t i = 0; i < count; ++i)
    chosen[sets[i]] = result[i];
  ++*(isSmall ? &p->report->numSearched : &p->report->numGreedy);
  clearScratch(p, sets, count);
  free(flags);
  free(rest);
}

/// The part as a program for the solver.
static CbcOutcome askSolver(Packing *p, const int64_t *sets, int64_t count, bool *chosen) {
  int64_t numEntries = 0, numRows = 0;
  for (int64_t i = 0; i < count; ++i)
    numEntries += p->rowsOf[sets[i]].count;
  int64_t *numberOf = p->scratch; // 1 + row of the program
  int *starts = irAllocateZeroed((size_t)count + 1, sizeof(int));
  int *rows = irAllocateZeroed((size_t)numEntries + 1, sizeof(int));
  double *scores = irAllocateZeroed((size_t)count + 1, sizeof(double));
  double *limits = irAllocateZeroed((size_t)numEntries + 1, sizeof(double));
  bool *taken = irAllocateZeroed((size_t)count + 1, sizeof(bool));
  for (int64_t i = 0; i < count; ++i) {
    const NumberList *list = &p->rowsOf[sets[i]];
    starts[i + 1] = starts[i];
    scores[i] = p->problem->scores[sets[i]];
    for (int64_t j = 0; j < list->count; ++j) {
      int64_t *number = &numberOf[list->data[j]];
      if (*number == 0) {
        limits[numRows] = (double)p->rows[list->data[j]].limit;
        *number = ++numRows;
      }
      rows[starts[i + 1]++] = (int)*number - 1;
    }
  }
  BinaryProgram program = {(int)count, (int)numRows, starts, rows, scores, limits};
  double left = p->end - secondsOfThread();
  CbcOutcome outcome = cbcSolve(&program, left > 0.01 ? left : 0.01, taken);
  for (int64_t i = 0; i < count && (outcome == CBC_OPTIMAL || outcome == CBC_FEASIBLE); ++i)
    chosen[sets[i]] = taken[i];
  clearScratch(p, sets, count);
  free(starts);
  free(rows);
  free(scores);
  free(limits);
  free(taken);
  return outcome;
}

static void solvePart(Packing *p, const int64_t *sets, int64_t count, bool *chosen) {
  enum { TINY_PART = 12 }; // sooner searched through than handed over
  CbcOutcome outcome = count <= TINY_PART ? CBC_MISSING : askSolver(p, sets, count, chosen);
  p->report->numSolved += outcome == CBC_OPTIMAL;
  p->report->numUnproved += outcome == CBC_FEASIBLE;
  if (outcome == CBC_MISSING || outcome == CBC_FAILED)
    searchPart(p, sets, count, chosen);
}

//===----------------------------------------------------------------------===//
// All parts
//===----------------------------------------------------------------------===//

/// A set with its sort keys: its part, then its score.
typedef struct {
  int64_t part;
  double score;
  int64_t set;
} SetOrder;

static int comparePlaces(const void *a, const void *b) {
  const SetOrder *x = a, *y = b;
  if (x->part != y->part)
    return x->part < y->part ? -1 : 1;
  if (x->score != y->score)
    return x->score > y->score ? -1 : 1;
  return (x->set > y->set) - (x->set < y->set);
}

static SetOrder *orderByParts(Packing *p) {
  int64_t *parent = unionFindCreate(&p->arena, p->problem->numSets);
  for (int64_t r = 0; r < p->numRows; ++r)
    for (int64_t j = 1; j < p->rows[r].count; ++j)
      unionFindUnite(parent, p->rows[r].sets[0], p->rows[r].sets[j]);
  SetOrder *places = IR_NEW_ARRAY(&p->arena, SetOrder, p->problem->numSets + 1);
  for (int64_t i = 0; i < p->problem->numSets; ++i)
    places[i] = (SetOrder){unionFindRoot(parent, i), p->problem->scores[i], i};
  qsort(places, (size_t)p->problem->numSets, sizeof(*places), comparePlaces);
  return places;
}

void setPackingSolve(const SetPacking *problem, bool *chosen, SetPackingReport *report) {
  *report = (SetPackingReport){0};
  Packing p = {.problem = problem, .end = secondsOfThread() + problem->seconds, .report = report};
  memset(chosen, 0, sizeof(bool) * (size_t)problem->numSets);
  p.rows = IR_NEW_ARRAY(&p.arena, Row, problem->numElements + problem->numConflicts + 1);
  addRowsOfElements(&p);
  addRowsOfConflicts(&p);
  listRowsOfSets(&p);
  p.scratch = IR_NEW_ARRAY(&p.arena, int64_t, p.numRows + 1);
  SetOrder *places = orderByParts(&p);
  int64_t *sets = IR_NEW_ARRAY(&p.arena, int64_t, problem->numSets + 1);
  for (int64_t i = 0; i < problem->numSets; ++i)
    sets[i] = places[i].set;
  for (int64_t begin = 0, end; begin < problem->numSets; begin = end) {
    for (end = begin; end < problem->numSets && places[end].part == places[begin].part; ++end)
      ;
    solvePart(&p, sets + begin, end - begin, chosen);
  }
  irArenaDestroy(&p.arena);
}
