//===- wirer_sizes.c - unit test of exploring a bucket of sizes ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A made-up machine whose times depend on the size of the run, which is another one each time: the time of each version
// relative to others is in a table, times are noisy, some are far off. One wirer explores a whole bucket (Astra 5.5)
// and has to end near the configuration that is best on average over the bucket, which is known by trying all of them.
//
//===----------------------------------------------------------------------===//

#include "runtime/wirer/wirer.h"
#include "test/unit/check.h"

#include <math.h>
#include <stdio.h>

enum { NUM_VARIABLES = 6, NUM_VERSIONS = 4, MAX_RUNS = 3000 };

static uint64_t randomState;

static uint64_t randomBits(void) {
  uint64_t z = randomState += UINT64_C(0x9e3779b97f4a7c15); // splitmix64
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static int64_t randomBelow(int64_t limit) { return (int64_t)(randomBits() % (uint64_t)limit); }
static double randomReal(double low, double high) {
  return low + (high - low) * (double)(randomBits() >> 11) * 0x1p-53;
}

//===----------------------------------------------------------------------===//
// Made-up machines
//===----------------------------------------------------------------------===//

/// How times depend on sizes.
typedef enum {
  LINEAR,   ///< something for the launch, and something for each row: the same of all versions but for a factor
  STEPPED,  ///< as many rows as fill the device are as long as one
  CROSSING, ///< of each version another launch and other rows, so that which is best depends on the size
  CONSTANT, ///< a padded bucket
  NUM_FORMS
} Form;

typedef struct {
  Form form;
  int64_t numSymbols, low, high, step;
  bool forked; ///< the times of the others depend on the last variable
  StitchModelAdaptive variables[NUM_VARIABLES];
  StitchModelUpdate nodes[NUM_VARIABLES + 3];
  int64_t fork;
  double launch[NUM_VARIABLES][NUM_VERSIONS], row[NUM_VARIABLES][NUM_VERSIONS];
  double factors[NUM_VARIABLES][NUM_VERSIONS][NUM_VERSIONS]; ///< by the fork's version, then by the own one
} Machine;

static const char *const names[NUM_VARIABLES] = {"a", "b", "c", "d", "e", "f"};
static const char *const versionNames[NUM_VERSIONS] = {"0", "1", "2", "3"};

/// All variables side by side; the second half one after the other, or in all combinations; the last may be a fork.
static void makeMachine(Machine *m, Form form) {
  *m = (Machine){.form = form, .numSymbols = 1 + randomBelow(2), .low = 1 + randomBelow(50), .fork = 0};
  m->high = m->low * 2 + randomBelow(200);
  m->step = 1 + (m->high - m->low) / 3;
  m->forked = randomBelow(3) == 0;
  StitchUpdateMode mode = randomBelow(2) ? STITCH_UPDATE_PREFIX : STITCH_UPDATE_EXHAUSTIVE;
  m->nodes[0] = (StitchModelUpdate){.mode = STITCH_UPDATE_PARALLEL, .variable = -1, .numNodes = NUM_VARIABLES + 2};
  m->nodes[4] = (StitchModelUpdate){.mode = mode, .variable = -1, .numNodes = NUM_VARIABLES - 2};
  for (int64_t i = 0; i < NUM_VARIABLES; ++i) {
    m->variables[i] = (StitchModelAdaptive){names[i], versionNames, 2 + randomBelow(NUM_VERSIONS - 1), 0};
    StitchModelUpdate *leaf = &m->nodes[i < 3 ? 1 + i : 2 + i];
    *leaf = (StitchModelUpdate){.mode = STITCH_UPDATE_VARIABLE, .variable = i, .numNodes = 1};
    if (m->forked && i > 0) {
      leaf->context = &m->fork;
      leaf->numContext = 1;
    }
    double launch = randomReal(1e-5, 1e-3), row = randomReal(1e-6, 1e-4);
    for (int64_t v = 0; v < NUM_VERSIONS; ++v) {
      m->launch[i][v] = form == CROSSING ? launch * randomReal(0.5, 2) : launch;
      m->row[i][v] = form == CROSSING ? row * randomReal(0.5, 2) : row;
      for (int64_t f = 0; f < NUM_VERSIONS; ++f)
        m->factors[i][f][v] = form == CROSSING ? 1 : randomReal(0.5, 2);
    }
  }
}

static double secondsOf(const Machine *m, int64_t variable, const int64_t *versions, const int64_t *sizes) {
  double rows = 0;
  for (int64_t i = 0; i < m->numSymbols; ++i)
    rows += m->form == STEPPED    ? (double)((sizes[i] + m->step - 1) / m->step * m->step)
            : m->form == CONSTANT ? (double)m->high
                                  : (double)sizes[i];
  int64_t version = versions[variable], fork = m->forked && variable > 0 ? versions[0] : 0;
  double factor = m->forked && variable == 0 ? 1 : m->factors[variable][fork][version];
  return factor * (m->launch[variable][version] + m->row[variable][version] * rows);
}

/// The average time of all variables over the bucket.
static double averageOf(const Machine *m, const int64_t *versions) {
  double total = 0;
  int64_t count = 0;
  for (int64_t size = m->low; size <= m->high; ++size, ++count)
    for (int64_t i = 0; i < NUM_VARIABLES; ++i)
      total += secondsOf(m, i, versions, (int64_t[]){size, m->low + m->high - size});
  return total / (double)count;
}

static double bestAverage(const Machine *m) {
  int64_t versions[NUM_VARIABLES] = {0}, i = 0;
  double best = INFINITY;
  while (i < NUM_VARIABLES) {
    best = fmin(best, averageOf(m, versions));
    for (i = 0; i < NUM_VARIABLES && ++versions[i] == m->variables[i].numVersions; ++i)
      versions[i] = 0;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Exploring
//===----------------------------------------------------------------------===//

/// Explores with sizes as they come, or, with `fixed`, with the bucket's largest. Returns the runs.
static int64_t explore(const Machine *m, bool fixed, double *average) {
  StitchWirerSpace space = {m->variables, NUM_VARIABLES, m->nodes, NUM_VARIABLES + 2};
  StitchWirerOptions options = {.numSymbols = m->numSymbols};
  StitchWirer *wirer = NULL;
  CHECK_OK(stitchWirerCreate(&space, &options, &wirer));
  int64_t runs = 0, sizes[2] = {m->high, m->high};
  for (; wirer && !stitchWirerIsDone(wirer) && runs < MAX_RUNS; ++runs) {
    for (int64_t i = 0; i < m->numSymbols && !fixed; ++i)
      sizes[i] = m->low + randomBelow(m->high - m->low + 1);
    stitchWirerBegin(wirer, sizes);
    const int64_t *versions = stitchWirerVersions(wirer);
    double seconds[NUM_VARIABLES], rest = (1e-3 + 1e-5 * (double)sizes[0]) * randomReal(0.99, 1.01), total;
    double whole = randomBelow(50) == 0 ? 3 : 1;
    total = rest *= whole;
    for (int64_t i = 0; i < NUM_VARIABLES; ++i) {
      double alone = randomBelow(50) == 0 ? 4 : 1;
      seconds[i] = whole * alone * secondsOf(m, i, versions, sizes) * randomReal(0.99, 1.01);
      total += seconds[i];
    }
    StitchMeasurement measurement = {seconds, NULL, total, rest};
    CHECK_OK(stitchWirerRecord(wirer, &measurement));
  }
  CHECK(wirer && stitchWirerIsDone(wirer) && stitchWirerProgress(wirer).remaining == 0);
  *average = averageOf(m, stitchWirerVersions(wirer));
  stitchWirerFree(wirer);
  return runs;
}

int main(void) {
  static const char *const formNames[NUM_FORMS] = {"linear", "stepped", "crossing", "constant"};
  static const double limits[NUM_FORMS] = {1.02, 1.15, 1.10, 1.02}; // at worst
  enum { COUNT = 60 };
  for (Form form = LINEAR; form < NUM_FORMS; ++form) {
    double worst = 1, sum = 0;
    int64_t runs = 0, runsOfOne = 0;
    for (int seed = 0; seed < COUNT; ++seed) {
      randomState = (uint64_t)(seed + 1000 * form) * UINT64_C(0x123456789);
      Machine m;
      makeMachine(&m, form);
      double found, one, best = bestAverage(&m);
      runs += explore(&m, false, &found);
      runsOfOne += explore(&m, true, &one);
      worst = fmax(worst, found / best);
      sum += found / best;
    }
    printf("%s: %.3f of the best on average, %.3f at worst; %.1f runs for a bucket, %.1f for one size\n",
           formNames[form], sum / COUNT, worst, (double)runs / COUNT, (double)runsOfOne / COUNT);
    CHECK(worst <= limits[form] && sum <= 1.02 * COUNT && runs < 2 * runsOfOne);
  }
  return checkResult();
}
