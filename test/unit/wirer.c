//===- wirer.c - unit test of the custom-wirer ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random spaces on a made-up machine: the time of each version is in a table, times are noisy, some runs and some
// measurements are far off. The best configuration is known by trying all of them; the wirer has to end within 2 % of
// it without.
//
//===----------------------------------------------------------------------===//

#include "runtime/seconds.h"
#include "runtime/wirer/sampled_time.h"
#include "runtime/wirer/spans.h"
#include "test/unit/check.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_VARIABLES = 16, MAX_VERSIONS = 5, MAX_NODES = 48, MAX_COMBINATIONS = 100000 };

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

/// The time of a variable depends on its version and on that of one other variable, perhaps.
typedef struct {
  StitchModelAdaptive variables[MAX_VARIABLES];
  char names[MAX_VARIABLES][16];
  StitchModelUpdate nodes[MAX_NODES];
  int64_t numVariables, numNodes;
  int64_t fork; ///< -1: none
  int64_t dependsOn[MAX_VARIABLES];
  double seconds[MAX_VARIABLES][MAX_VERSIONS][MAX_VERSIONS]; ///< by the other's version, then by its own
  double rest;                                               ///< the time that does not vary
} Machine;

static const char *const versionNames[MAX_VERSIONS] = {"apart", "by_2", "by_4", "by_8", "all"};

static double secondsOf(const Machine *m, int64_t variable, const int64_t *versions) {
  int64_t other = m->dependsOn[variable];
  return m->seconds[variable][other < 0 ? 0 : versions[other]][versions[variable]];
}

static double totalOf(const Machine *m, const int64_t *versions) {
  double total = m->rest;
  for (int64_t i = 0; i < m->numVariables; ++i)
    total += secondsOf(m, i, versions);
  return total;
}

/// All combinations.
static double bestTotal(const Machine *m) {
  int64_t versions[MAX_VARIABLES] = {0}, i = 0;
  double best = totalOf(m, versions);
  while (i < m->numVariables) {
    for (i = 0; i < m->numVariables && ++versions[i] == m->variables[i].numVersions; ++i)
      versions[i] = 0;
    if (i < m->numVariables)
      best = fmin(best, totalOf(m, versions));
  }
  return best;
}

static int64_t combinationsOf(const Machine *m) {
  int64_t count = 1;
  for (int64_t i = 0; i < m->numVariables; ++i)
    count *= m->variables[i].numVersions;
  return count;
}

static int64_t addVariable(Machine *m, int64_t dependsOn) {
  int64_t i = m->numVariables++;
  snprintf(m->names[i], sizeof(m->names[i]), "products_%d", (int)i);
  m->variables[i] = (StitchModelAdaptive){m->names[i], versionNames, 1 + randomBelow(MAX_VERSIONS), 0};
  m->dependsOn[i] = dependsOn;
  double base = randomReal(1e-4, 5e-3);
  for (int64_t row = 0; row < MAX_VERSIONS; ++row)
    for (int64_t version = 0; version < MAX_VERSIONS; ++version)
      m->seconds[i][row][version] = base * randomReal(0.5, 2);
  return i;
}

static int64_t addNode(Machine *m, StitchUpdateMode mode, int64_t variable) {
  m->nodes[m->numNodes] = (StitchModelUpdate){.mode = mode, .variable = variable, .numNodes = 1};
  return m->numNodes++;
}

/// A leaf; its times may depend on the fork.
static void addLeaf(Machine *m, int64_t dependsOn) {
  bool forked = m->fork >= 0 && dependsOn < 0 && randomBelow(2);
  int64_t leaf = addNode(m, STITCH_UPDATE_VARIABLE, addVariable(m, forked ? m->fork : dependsOn));
  if (forked) {
    m->nodes[leaf].context = &m->fork;
    m->nodes[leaf].numContext = 1;
  }
}

/// Rows with the same values in another order: another version is the best one, but equally good.
static void permuteRows(double rows[MAX_VERSIONS][MAX_VERSIONS], int64_t numVersions) {
  for (int64_t row = 1; row < MAX_VERSIONS; ++row)
    for (int64_t i = 0; i < numVersions; ++i)
      rows[row][(i + row) % numVersions] = rows[0][i];
}

/// A node whose leaves depend on each other as its mode allows.
static void addInner(Machine *m, StitchUpdateMode mode, int64_t depth) {
  int64_t node = addNode(m, mode, -1), count = 1 + randomBelow(3), before = -1;
  for (int64_t i = 0; i < count && m->numVariables < MAX_VARIABLES - 4 && m->numNodes < MAX_NODES - 16; ++i) {
    if (mode == STITCH_UPDATE_PARALLEL && depth < 2 && randomBelow(2)) {
      addInner(m, (StitchUpdateMode)(STITCH_UPDATE_PARALLEL + randomBelow(3)), depth + 1);
      continue;
    }
    addLeaf(m, mode == STITCH_UPDATE_PARALLEL ? -1 : before);
    int64_t last = m->numVariables - 1;
    if (mode == STITCH_UPDATE_PREFIX && m->dependsOn[last] == before)
      permuteRows(m->seconds[last], m->variables[last].numVersions);
    before = last;
  }
  m->nodes[node].numNodes = m->numNodes - node;
}

static void makeMachine(Machine *m) {
  do {
    *m = (Machine){.fork = -1, .rest = randomReal(1e-3, 1e-2)};
    int64_t root = addNode(m, STITCH_UPDATE_PARALLEL, -1);
    if (randomBelow(3) == 0) {
      addLeaf(m, -1);
      m->fork = 0;
    }
    for (int64_t i = 1 + randomBelow(3); i-- > 0;)
      addInner(m, (StitchUpdateMode)(STITCH_UPDATE_PARALLEL + randomBelow(3)), 1);
    m->nodes[root].numNodes = m->numNodes;
  } while (combinationsOf(m) > MAX_COMBINATIONS);
}

//===----------------------------------------------------------------------===//
// Exploring
//===----------------------------------------------------------------------===//

typedef struct {
  int64_t runs, outliers;
  double total;    ///< of the configuration that is chosen
  double share;    ///< the wirer's part of the runs' time
  double explored; ///< seconds
} Outcome;

/// 1 % of noise; with `spikes` one measurement of 50 takes four times as long, and one run of 50, with all that is in
/// it, three times.
static void measure(const Machine *m, const int64_t *versions, bool spikes, double *seconds, double *total) {
  double whole = spikes && randomBelow(50) == 0 ? 3 : 1;
  *total = whole * m->rest * randomReal(0.99, 1.01);
  for (int64_t i = 0; i < m->numVariables; ++i) {
    double alone = spikes && randomBelow(50) == 0 ? 4 : 1;
    seconds[i] = whole * alone * secondsOf(m, i, versions) * randomReal(0.99, 1.01);
    *total += seconds[i];
  }
}

static Outcome explore(const Machine *m, const StitchModelUpdate *nodes, int64_t numNodes, bool spikes) {
  StitchWirerSpace space = {m->variables, m->numVariables, nodes, numNodes};
  StitchWirer *wirer = NULL;
  Outcome outcome = {0};
  StitchStatus status = stitchWirerCreate(&space, NULL, &wirer);
  CHECK_OK(status);
  if (!wirer)
    return outcome;
  StitchSampledTime choosing = {0};
  double seconds[MAX_VARIABLES], total;
  int64_t expected = stitchWirerProgress(wirer).remaining;
  while (!stitchWirerIsDone(wirer) && outcome.runs < 200000) {
    bool isTimed = stitchSampledTimeBegin(&choosing);
    double begin = isTimed ? secondsNow() : 0;
    const int64_t *versions = stitchWirerVersions(wirer);
    double chosen = isTimed ? secondsNow() : 0;
    measure(m, versions, spikes, seconds, &total);
    StitchMeasurement measurement = {seconds, NULL, total, total};
    for (int64_t i = 0; i < m->numVariables; ++i)
      measurement.rest -= seconds[i];
    double ran = isTimed ? secondsNow() : 0;
    CHECK_OK(stitchWirerRecord(wirer, &measurement));
    if (isTimed)
      stitchSampledTimeAdd(&choosing, chosen - begin + secondsNow() - ran);
    ++outcome.runs;
  }
  StitchWirerProgress progress = stitchWirerProgress(wirer);
  CHECK(stitchWirerIsDone(wirer));
  CHECK(progress.remaining == 0 && progress.runs == outcome.runs);
  CHECK(spikes || outcome.runs <= expected);
  outcome.total = totalOf(m, stitchWirerVersions(wirer));
  outcome.outliers = progress.outliers;
  outcome.share = outcome.runs ? stitchSampledTimeOfAll(&choosing) / progress.exploredSeconds : 0;
  outcome.explored = progress.exploredSeconds;
  stitchWirerFree(wirer);
  return outcome;
}

static void testRandomSpaces(void) {
  double worst = 1, share = 0, explored = 0;
  int64_t runs = 0, combinations = 0, outliers = 0, exhaustive = 0;
  for (int seed = 0; seed < 200; ++seed) {
    randomState = (uint64_t)seed * UINT64_C(0x123456789);
    Machine m;
    makeMachine(&m);
    double best = bestTotal(&m);
    Outcome outcome = explore(&m, m.nodes, m.numNodes, seed % 2);
    worst = fmax(worst, outcome.total / best);
    if (outcome.total > 1.02 * best)
      fprintf(stderr, "seed %d: %.3g instead of %.3g\n", seed, outcome.total, best);
    CHECK(outcome.total <= 1.02 * best);
    runs += outcome.runs;
    outliers += outcome.outliers;
    combinations += combinationsOf(&m);
    share += outcome.share * outcome.explored;
    explored += outcome.explored;
    if (combinationsOf(&m) > 500)
      continue;
    StitchModelUpdate all[MAX_NODES] = {
        {.mode = STITCH_UPDATE_EXHAUSTIVE, .variable = -1, .numNodes = 1 + m.numVariables}};
    for (int64_t i = 0; i < m.numVariables; ++i)
      all[i + 1] = (StitchModelUpdate){.mode = STITCH_UPDATE_VARIABLE, .variable = i, .numNodes = 1};
    Outcome every = explore(&m, all, 1 + m.numVariables, seed % 2);
    CHECK(every.total <= 1.02 * best);
    CHECK(outcome.total <= 1.02 * every.total && every.total <= 1.02 * outcome.total);
    ++exhaustive;
  }
  printf("200 spaces: %.3f of the best at worst; %lld runs for %lld combinations, %lld outliers; %lld searched "
         "exhaustively, too\n",
         worst, (long long)runs, (long long)combinations, (long long)outliers, (long long)exhaustive);
  printf("the wirer took %.3f %% of the runs\n", 100 * share / explored);
  CHECK(share / explored < 0.005);
  CHECK(exhaustive > 30 && runs < combinations / 5 && outliers > 0);
}

/// Ten fusion groups of twelve products with three sizes and two kernels each: Astra's example in 4.5.1 takes as many
/// configurations as one group has.
static void testParallelIsAdditive(void) {
  Machine m = {.fork = -1, .rest = 1e-3};
  addNode(&m, STITCH_UPDATE_PARALLEL, -1);
  for (int i = 0; i < 10; ++i) {
    addNode(&m, STITCH_UPDATE_VARIABLE, addVariable(&m, -1));
    m.variables[i].numVersions = 3;
  }
  m.nodes[0].numNodes = m.numNodes;
  Outcome outcome = explore(&m, m.nodes, m.numNodes, false);
  CHECK(outcome.runs == 9); // three samples of three versions
  CHECK(outcome.total <= 1.02 * bestTotal(&m));
}

/// A clock that becomes slower for good: samples after it count again.
static void testClockChange(void) {
  Machine m = {.fork = -1, .rest = 1e-2};
  addNode(&m, STITCH_UPDATE_PARALLEL, -1);
  addNode(&m, STITCH_UPDATE_VARIABLE, addVariable(&m, -1));
  m.variables[0].numVersions = 5;
  m.nodes[0].numNodes = 2;
  StitchWirerSpace space = {m.variables, 1, m.nodes, 2};
  StitchWirer *wirer = NULL;
  CHECK_OK(stitchWirerCreate(&space, NULL, &wirer));
  int64_t runs = 0;
  for (; !stitchWirerIsDone(wirer) && runs < 100; ++runs) {
    double slow = runs < 8 ? 1 : 2, seconds = slow * secondsOf(&m, 0, stitchWirerVersions(wirer));
    StitchMeasurement measurement = {&seconds, NULL, slow * m.rest + seconds, slow * m.rest};
    CHECK_OK(stitchWirerRecord(wirer, &measurement));
  }
  StitchWirerProgress progress = stitchWirerProgress(wirer);
  CHECK(stitchWirerIsDone(wirer) && progress.outliers == 3);
  stitchWirerFree(wirer);
}

//===----------------------------------------------------------------------===//
// Parts of versions
//===----------------------------------------------------------------------===//

/// Wholes, of which each version consists of parts (products that are computed so) and some time of its own; the same
/// part may be in several wholes. The first version of a part is rarely the best.
typedef struct {
  int64_t numWholes, numParts;
  StitchModelAdaptive variables[MAX_VARIABLES]; ///< the wholes, then the parts
  StitchModelUpdate nodes[MAX_VARIABLES + 1];
  int64_t partsOf[MAX_VARIABLES][MAX_VERSIONS][2]; ///< of a whole's version
  double own[MAX_VARIABLES][MAX_VERSIONS];         ///< the additional time of a version, or of a part of one
} Assembly;

static void makeAssembly(Assembly *a) {
  *a = (Assembly){.numWholes = 1 + randomBelow(5), .numParts = 2 + randomBelow(8)};
  int64_t count = a->numWholes + a->numParts;
  a->nodes[0] = (StitchModelUpdate){.mode = STITCH_UPDATE_PARALLEL, .variable = -1, .numNodes = count + 1};
  for (int64_t i = 0; i < count; ++i) {
    static const char *const names[MAX_VARIABLES] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                                     "i", "j", "k", "l", "m", "n", "o", "p"};
    a->variables[i] = (StitchModelAdaptive){names[i], versionNames, 2 + randomBelow(MAX_VERSIONS - 1), 0};
    a->nodes[i + 1] = (StitchModelUpdate){.mode = STITCH_UPDATE_VARIABLE, .variable = i, .numNodes = 1};
    for (int64_t v = 0; v < MAX_VERSIONS; ++v) {
      a->own[i][v] = randomReal(1e-4, 1e-3) * (i < a->numWholes ? 0.2 : 1);
      for (int p = 0; p < 2; ++p)
        a->partsOf[i][v][p] = a->numWholes + randomBelow(a->numParts);
    }
  }
}

/// The best that can be made of everything, part by part.
static double bestAssembly(const Assembly *a) {
  double total = 0;
  for (int64_t i = 0; i < a->numWholes; ++i) {
    double best = INFINITY;
    for (int64_t v = 0; v < a->variables[i].numVersions; ++v) {
      double seconds = a->own[i][v];
      for (int p = 0; p < 2; ++p) {
        int64_t part = a->partsOf[i][v][p];
        double least = INFINITY;
        for (int64_t w = 0; w < a->variables[part].numVersions; ++w)
          least = fmin(least, a->own[part][w]);
        seconds += least;
      }
      best = fmin(best, seconds);
    }
    total += best;
  }
  return total;
}

/// A variable runs as on a device, which measures it if it is open, in another or not.
static void endVariable(StitchSpans *spans, int64_t variable, bool isMeasured, bool isInner, double seconds) {
  CHECK(isMeasured == spans->open[variable]);
  if (!isMeasured)
    return;
  bool isOutermost = stitchSpansEnd(spans, variable);
  CHECK(isOutermost == !isInner);
  stitchSpansAdd(spans, variable, isOutermost, seconds);
}

/// Runs as a device does. Returns the seconds of all; `rest` gets those of what is in no open variable.
static double runAssembly(const Assembly *a, const int64_t *versions, StitchSpans *spans, double *rest) {
  double total = 0;
  *rest = 0;
  for (int64_t i = 0; i < a->numWholes; ++i) {
    double own = a->own[i][versions[i]] * randomReal(0.995, 1.005), seconds = own;
    bool isMeasured = stitchSpansBegin(spans, i);
    for (int p = 0; p < 2; ++p) {
      int64_t part = a->partsOf[i][versions[i]][p];
      double took = a->own[part][versions[part]] * randomReal(0.995, 1.005);
      bool isPartMeasured = stitchSpansBegin(spans, part);
      endVariable(spans, part, isPartMeasured, isMeasured, took);
      seconds += took;
      *rest += isMeasured || isPartMeasured ? 0 : took;
    }
    endVariable(spans, i, isMeasured, false, seconds);
    *rest += isMeasured ? 0 : own;
    total += seconds;
  }
  return total;
}

/// A version is compared by the best that can be made of it, in far fewer runs than there are combinations, and parts
/// that no run has do not keep it from its end.
static void testParts(void) {
  int64_t runs = 0;
  double worst = 1;
  for (int seed = 0; seed < 200; ++seed) {
    randomState = (uint64_t)seed * UINT64_C(0x3456789abcdef);
    Assembly a;
    makeAssembly(&a);
    int64_t count = a.numWholes + a.numParts;
    StitchWirerSpace space = {a.variables, count, a.nodes, count + 1};
    StitchWirer *wirer = NULL;
    StitchSpans spans;
    CHECK_OK(stitchWirerCreate(&space, NULL, &wirer));
    CHECK_OK(stitchSpansCreate(count, &spans));
    int64_t own = 0;
    for (; !stitchWirerIsDone(wirer) && own < 5000; ++own) {
      stitchSpansReset(&spans, stitchWirerOpen(wirer));
      double rest, other = 1e-2, total = other + runAssembly(&a, stitchWirerVersions(wirer), &spans, &rest);
      StitchMeasurement measurement = stitchSpansFinish(&spans, total);
      CHECK(fabs(measurement.rest - rest - other) < 1e-9);
      CHECK_OK(stitchWirerRecord(wirer, &measurement));
    }
    CHECK(stitchWirerIsDone(wirer) && stitchWirerProgress(wirer).remaining == 0);
    stitchSpansReset(&spans, stitchWirerOpen(wirer));
    double rest, ratio = runAssembly(&a, stitchWirerVersions(wirer), &spans, &rest) / bestAssembly(&a);
    CHECK(ratio <= 1.02);
    worst = fmax(worst, ratio);
    runs += own;
    CHECK(own <= 7 * 2 * MAX_VERSIONS * (MAX_VERSIONS + 1));
    stitchSpansDestroy(&spans);
    stitchWirerFree(wirer);
  }
  printf("200 spaces of parts: %.3f of the best at worst; %lld runs\n", worst, (long long)runs);
}

//===----------------------------------------------------------------------===//
// Variables in versions of a fork
//===----------------------------------------------------------------------===//

/// Two strategies with a variable each, which does not run in the other one: the one that is worse by default is the
/// best when its variable is. Nothing counts before that is known, also when another wirer goes on with the index.
static void testForkWithVariables(void) {
  static const double seconds[2][3] = {{4e-3, 3e-3, 5e-3}, {9e-3, 8e-3, 1e-3}};
  const StitchModelAdaptive variables[] = {
      {"allocation_0", versionNames, 2, 0}, {"products_1", versionNames, 3, 0}, {"products_2", versionNames, 3, 0}};
  const int64_t fork = 0;
  const StitchModelUpdate nodes[] = {{STITCH_UPDATE_PARALLEL, -1, 4, NULL, 0},
                                     {STITCH_UPDATE_VARIABLE, 0, 1, NULL, 0},
                                     {STITCH_UPDATE_VARIABLE, 1, 1, &fork, 1},
                                     {STITCH_UPDATE_VARIABLE, 2, 1, &fork, 1}};
  const StitchWirerSpace space = {variables, 3, nodes, 4};
  char path[] = "/tmp/stitch-wirer-XXXXXX";
  int file = mkstemp(path);
  CHECK(file >= 0 && close(file) == 0 && unlink(path) == 0);
  const StitchWirerOptions options = {.path = path};
  for (int process = 0; process < 4; ++process) {
    StitchWirer *wirer = NULL;
    CHECK_OK(stitchWirerCreate(&space, &options, &wirer));
    int64_t runs = 0, least = process == 3 ? 0 : 1, most = process < 2 ? 7 : 100; // the first two are interrupted
    for (; !stitchWirerIsDone(wirer) && runs < most; ++runs) {
      const int64_t *versions = stitchWirerVersions(wirer);
      int64_t strategy = versions[0];
      double took = seconds[strategy][versions[1 + strategy]], each[] = {took, STITCH_ABSENT, STITCH_ABSENT};
      each[1 + strategy] = took;
      CHECK_OK(stitchWirerRecord(wirer, &(StitchMeasurement){each, NULL, took + 1e-3, 1e-3}));
    }
    CHECK(runs >= least && (process < 3 || runs == 0));
    CHECK(process < 2 ||
          (stitchWirerIsDone(wirer) && stitchWirerVersions(wirer)[0] == 1 && stitchWirerVersions(wirer)[2] == 2 &&
           fabs(stitchWirerSeconds(wirer, 0, 0) - 4e-3) < 1e-9 && fabs(stitchWirerSeconds(wirer, 0, 1) - 2e-3) < 1e-9));
    stitchWirerFree(wirer);
  }
  char lock[sizeof(path) + 8];
  snprintf(lock, sizeof(lock), "%s.lock", path);
  unlink(path);
  unlink(lock);
}

//===----------------------------------------------------------------------===//
// Spaces that are none
//===----------------------------------------------------------------------===//

static void checkRefused(const StitchWirerSpace *space, const char *reason) {
  StitchWirer *wirer = NULL;
  CHECK_STATUS(stitchWirerCreate(space, NULL, &wirer), STITCH_INVALID_ARGUMENT, reason);
  CHECK(!wirer);
}

static void testContradictions(void) {
  StitchModelAdaptive v[8];
  for (int i = 0; i < 8; ++i)
    v[i] = (StitchModelAdaptive){"v", versionNames, 5, 0};
  StitchModelUpdate two[] = {{STITCH_UPDATE_PARALLEL, -1, 3, NULL, 0},
                             {STITCH_UPDATE_VARIABLE, 0, 1, NULL, 0},
                             {STITCH_UPDATE_VARIABLE, 1, 1, NULL, 0}};
  checkRefused(&(StitchWirerSpace){v, 2, two, 0}, "there is no update tree");
  checkRefused(&(StitchWirerSpace){v, 2, two, 2}, "there is no update tree");
  checkRefused(&(StitchWirerSpace){v, 3, two, 3}, "lacks a variable");
  checkRefused(&(StitchWirerSpace){v, 1, two, 3}, "one that there is not");
  two[2].variable = 0;
  checkRefused(&(StitchWirerSpace){v, 2, two, 3}, "a variable twice");
  two[2].variable = 1;
  two[1].numNodes = 2;
  checkRefused(&(StitchWirerSpace){v, 2, two, 3}, "goes on below");
  two[1].numNodes = 1;
  two[1].mode = 4;
  checkRefused(&(StitchWirerSpace){v, 2, two, 3}, "the update tree is none");
  two[1].mode = STITCH_UPDATE_VARIABLE;
  int64_t later = 1;
  two[1].context = &later;
  two[1].numContext = 1;
  checkRefused(&(StitchWirerSpace){v, 2, two, 3}, "not explored before");
  two[1].numContext = 0;
  v[1].numVersions = 0;
  checkRefused(&(StitchWirerSpace){v, 2, two, 3}, "no versions");

  StitchModelUpdate all[9] = {{STITCH_UPDATE_EXHAUSTIVE, -1, 9, NULL, 0}};
  v[1].numVersions = 5;
  for (int i = 0; i < 8; ++i)
    all[i + 1] = (StitchModelUpdate){STITCH_UPDATE_VARIABLE, i, 1, NULL, 0};
  checkRefused(&(StitchWirerSpace){v, 8, all, 9}, "more than 10000 configurations");
  StitchWirer *wirer = NULL;
  CHECK_OK(stitchWirerCreate(&(StitchWirerSpace){NULL, 0, NULL, 0}, NULL, &wirer));
  CHECK(wirer && stitchWirerIsDone(wirer));
  stitchWirerFree(wirer);
}

int main(void) {
  testContradictions();
  testParallelIsAdditive();
  testClockChange();
  testRandomSpaces();
  testParts();
  testForkWithVariables();
  return checkResult();
}
