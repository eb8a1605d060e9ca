//===- set_packing.c - the best disjoint sets ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include "passes/common/set_packing.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LIST(...) ((NumberList){(const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)})

/// The middle set has the highest score, and the two others together have more.
static void testGreedyIsNotBest(void) {
  const NumberList sets[] = {LIST(0, 1), LIST(1, 2), LIST(2, 3)};
  const double scores[] = {6, 10, 6};
  SetPacking problem = {.numElements = 4, .numSets = 3, .sets = sets, .scores = scores, .seconds = 5};
  bool chosen[3];
  SetPackingReport report;
  setPackingSolve(&problem, chosen, &report);
  CHECK(chosen[0] && !chosen[1] && chosen[2]);
  CHECK(report.numSearched == 1 && report.numGreedy == 0);
}

/// FusionStitching's figure 3 (c): the two sets that form a cycle may not both be chosen.
static void testConflict(void) {
  const NumberList sets[] = {LIST(0, 1), LIST(2, 3), LIST(4)};
  const double scores[] = {3, 5, 1};
  const SetConflict conflicts[] = {{LIST(0, 1), 1}};
  SetPacking problem = {.numElements = 5,
                        .numSets = 3,
                        .sets = sets,
                        .scores = scores,
                        .numConflicts = 1,
                        .conflicts = conflicts,
                        .seconds = 5};
  bool chosen[3];
  SetPackingReport report;
  setPackingSolve(&problem, chosen, &report);
  CHECK(!chosen[0] && chosen[1] && chosen[2]);
  CHECK(report.numSearched == 2);
}

static uint32_t state = 12345;
static int64_t draw(int64_t most) {
  state = state * 1664525u + 1013904223u;
  return (int64_t)(state >> 8) % most;
}

/// The best sum of scores, by trying all choices.
static double bestOf(const SetPacking *p) {
  double best = 0;
  for (uint32_t choice = 0; choice < 1u << p->numSets; ++choice) {
    int count[64] = {0};
    bool valid = true;
    double sum = 0;
    for (int64_t i = 0; i < p->numSets; ++i) {
      if (!(choice >> i & 1))
        continue;
      sum += p->scores[i];
      for (int64_t j = 0; j < p->sets[i].count; ++j)
        valid = valid && ++count[p->sets[i].data[j]] == 1;
    }
    for (int64_t i = 0; i < p->numConflicts; ++i) {
      int64_t chosen = 0;
      for (int64_t j = 0; j < p->conflicts[i].sets.count; ++j)
        chosen += choice >> p->conflicts[i].sets.data[j] & 1;
      valid = valid && chosen <= p->conflicts[i].most;
    }
    best = valid && sum > best ? sum : best;
  }
  return best;
}

enum { SETS = 16, ELEMENTS = 24 };

/// Parts of all sizes up to 16 sets, some by search, some by the solver where it is there.
static void testRandom(void) {
  for (int round = 0; round < 60; ++round) {
    int64_t elements[SETS][4], ofConflict[4][4];
    NumberList sets[SETS];
    SetConflict conflicts[4];
    double scores[SETS];
    for (int64_t i = 0; i < SETS; ++i) {
      int64_t count = 1 + draw(4), start = draw(ELEMENTS - 4);
      for (int64_t j = 0; j < count; ++j)
        elements[i][j] = start + j;
      sets[i] = (NumberList){elements[i], count};
      scores[i] = (double)(1 + draw(100));
    }
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t j = 0; j < 4; ++j)
        ofConflict[i][j] = j * SETS / 4 + draw(SETS / 4);
      int64_t count = 2 + draw(3);
      conflicts[i] = (SetConflict){{ofConflict[i], count}, 1 + draw(count - 1)};
    }
    SetPacking problem = {.numElements = ELEMENTS,
                          .numSets = SETS,
                          .sets = sets,
                          .scores = scores,
                          .numConflicts = round % 2 ? 4 : 0,
                          .conflicts = conflicts,
                          .seconds = 5};
    bool chosen[SETS], again[SETS];
    SetPackingReport report;
    setPackingSolve(&problem, chosen, &report);
    double sum = 0;
    for (int64_t i = 0; i < SETS; ++i)
      sum += chosen[i] ? scores[i] : 0;
    CHECK(sum == bestOf(&problem));
    setPackingSolve(&problem, again, &report);
    CHECK(memcmp(chosen, again, sizeof(chosen)) == 0);
  }
}

/// A chain of 4,000 overlapping sets: one part, solved exactly in well under its time with the solver; disjoint
/// without.
static void testLarge(void) {
  enum { COUNT = 4000 };
  static int64_t elements[COUNT][3];
  static NumberList sets[COUNT];
  static double scores[COUNT];
  static bool chosen[COUNT];
  for (int64_t i = 0; i < COUNT; ++i) {
    for (int64_t j = 0; j < 3; ++j)
      elements[i][j] = 2 * i + j; // shares its first with the last of the set before
    sets[i] = (NumberList){elements[i], 3};
    scores[i] = i % 2 ? 3 : 2;
  }
  SetPacking problem = {.numElements = 2 * COUNT + 1, .numSets = COUNT, .sets = sets, .scores = scores, .seconds = 20};
  SetPackingReport report;
  setPackingSolve(&problem, chosen, &report);
  for (int64_t i = 1; i < COUNT; ++i)
    CHECK(!chosen[i] || !chosen[i - 1]);
  double sum = 0;
  for (int64_t i = 0; i < COUNT; ++i)
    sum += chosen[i] ? scores[i] : 0;
  CHECK(sum == 3.0 * COUNT / 2);
}

/// Of the sets of a clique each two share an element that no other has: of halves of all of them a linear program makes
/// several times what one of them has. Cuts of cliques prove what is best; branches alone would be too many.
static void testCliques(void) {
  enum { CLIQUES = 40, SIZE = 9, COUNT = CLIQUES * SIZE, PAIRS = SIZE * SIZE };
  static int64_t elements[COUNT][SIZE];
  static NumberList sets[COUNT];
  static double scores[COUNT];
  static bool chosen[COUNT];
  for (int64_t i = 0; i < COUNT; ++i) {
    int64_t clique = i / SIZE, place = i % SIZE, count = 0;
    for (int64_t other = 0; other < SIZE; ++other)
      if (other != place)
        elements[i][count++] = CLIQUES + clique * PAIRS + (place < other ? place * SIZE + other : other * SIZE + place);
    if (place == 0 || place == SIZE - 1)
      elements[i][count++] = (clique + (place == 0)) % CLIQUES; // a ring: one part
    sets[i] = (NumberList){elements[i], count};
    scores[i] = (double)(100 + draw(20));
  }
  SetPacking problem = {
      .numElements = CLIQUES + CLIQUES * PAIRS, .numSets = COUNT, .sets = sets, .scores = scores, .seconds = 20};
  SetPackingReport report;
  setPackingSolve(&problem, chosen, &report);
  for (int64_t c = 0; c < CLIQUES; ++c) {
    int64_t ofClique = 0;
    for (int64_t i = 0; i < SIZE; ++i)
      ofClique += chosen[c * SIZE + i];
    CHECK(ofClique == 1);
  }
  CHECK(report.numUnproved == 0);
}

int main(void) {
  testGreedyIsNotBest();
  testConflict();
  testRandom();
  testLarge();
  testCliques();
  return checkResult();
}
