//===- launch_graph.c - tests of reading the graphs of launches ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/check.h"
#include "tools/check/check_graph.h"

#include <stdlib.h>

enum { TEXT_ADD, TEXT_FILE, TEXT_NAME, TEXT_REDUCE, TEXT_KIND, TEXT_DIMS, NUM_TEXTS };
static const char *const texts[NUM_TEXTS] = {"add", "model.mlir", "x", "reduce", "kind", "dims"};

/// Numbers as docs/ir.md, section 6, encodes them.
typedef struct {
  uint8_t data[1024];
  int64_t bytes;
} Encoded;

static Encoded encode(const int64_t *numbers, int64_t count) {
  Encoded e = {.bytes = 0};
  for (int64_t i = 0; i < count; ++i) {
    uint64_t rest = (uint64_t)numbers[i] << 1 ^ (uint64_t)(numbers[i] >> 63);
    do {
      e.data[e.bytes++] = (uint8_t)((rest & 0x7F) | (rest > 0x7F ? 0x80 : 0));
      rest >>= 7;
    } while (rest);
  }
  return e;
}

static StitchStatus readLaunch(const Encoded *e, CheckLaunch *launch) {
  return checkLaunchRead(&(StitchModelGraph){e->data, e->bytes}, texts, NUM_TEXTS, launch);
}

enum { F32 = STITCH_ELEMENT_F32 };
/// The sum over the rows of x + x, for 300 or fewer rows.
static const int64_t sumOfRows[] = {
    3,        F32,       1,  2,  300,       5, F32, 1,         2, 300, 5, F32,         0,  1, 5, // the values' types
    1,        2, // arguments, operations
    TEXT_ADD, TEXT_FILE, 34, 10, TEXT_NAME, 2, 0,   0,         1, 0,   0, TEXT_REDUCE, -1, 0, 0, -1,
    1,        1,         1,  2,  TEXT_KIND, 1, 0,   TEXT_DIMS, 1, 0,   0, 1,           2, // the result
    0,        1,         1,  0, // whose argument of the launch they are; no slices
    0,
};
enum { NUMBERS = sizeof(sumOfRows) / sizeof(sumOfRows[0]) };

static void testGraph(void) {
  Encoded e = encode(sumOfRows, NUMBERS);
  CheckLaunch launch;
  StitchStatus status = readLaunch(&e, &launch);
  CHECK_OK(status);
  if (status)
    return;
  const CheckGraph *g = &launch.graph;
  CHECK(g->numValues == 3 && g->numArguments == 1 && g->numOps == 2 && g->numResults == 1 && g->results[0] == 2);
  CHECK(g->types[0].shape.rank == 2 && g->types[0].shape.dims[0] == 300 && g->types[0].symbol == 1);
  CHECK(g->ops[0].kind == CHECK_add && g->ops[1].kind == CHECK_reduce && g->ops[1].firstResult == 2);
  CHECK(strcmp(g->ops[0].place.file, "model.mlir") == 0 && g->ops[0].place.line == 34 && !g->ops[1].place.file);
  CHECK(checkList(&g->ops[1], "dims").count == 1 && checkInteger(&g->ops[1], "kind", 7) == 0);
  CHECK(checkInteger(&g->ops[0], "kind", 7) == 7);
  CHECK(launch.numOutputs == 1 && launch.inputs[0] == 0 && launch.outputs[0] == 1 && !launch.isLibraryCall);
  checkLaunchDestroy(&launch);
}

static void expectProblem(int64_t position, int64_t number, const char *problem) {
  int64_t numbers[NUMBERS];
  memcpy(numbers, sumOfRows, sizeof(numbers));
  numbers[position] = number;
  Encoded e = encode(numbers, NUMBERS);
  CheckLaunch launch;
  CHECK_STATUS(readLaunch(&e, &launch), STITCH_INVALID_ARGUMENT, problem);
}

static void testProblems(void) {
  expectProblem(0, 1000, "it counts more than there is");
  expectProblem(1, 77, "a value has a type that is none");
  expectProblem(15, 4, "it has more arguments than values");
  expectProblem(17, TEXT_DIMS, "it has an operation that is none");
  expectProblem(17, NUM_TEXTS, "it names a text that is not there");
  expectProblem(18, -2, "it names a text that is not there");
  expectProblem(23, 1, "it reads a value before it is there");
  expectProblem(25, 9, "an operation has more results than there are values");
}

/// x + x where a launch goes through the graph nine times.
static const int64_t rounds[] = {
    2,        F32, 0, 1, 4,  F32, 0, 1, 4,             // the values' types
    1,        1,                                       // arguments, operations
    TEXT_ADD, -1,  0, 0, -1, 2,   0, 0, 1, 0, 0, 1, 1, // the result
    0,        1,   1, 0,                               // whose argument of the launch they are; no slices
    0,        9,   2, 1, 0,  0,   3, // a kernel; nine iterations of two waits; the result, also in 3, is the next
                                     // argument
};
enum { ROUNDS = sizeof(rounds) / sizeof(rounds[0]) };

static void testLoop(void) {
  Encoded e = encode(rounds, ROUNDS);
  CheckLaunch launch;
  StitchStatus status = readLaunch(&e, &launch);
  CHECK_OK(status);
  if (status)
    return;
  CHECK(launch.iterations == 9 && launch.waits == 2 && launch.numCarried == 1);
  CHECK(launch.carried[0].argument == 0 && launch.carried[0].result == 0 && launch.carried[0].other == 3);
  checkLaunchDestroy(&launch);
  static const struct {
    int64_t position, number;
    const char *problem;
  } wrong[] = {
      {ROUNDS - 6, 1, "its loop does not run twice"},
      {ROUNDS - 5, 0, "or never waits"},
      {ROUNDS - 3, 1, "something goes round that is not there"},
      {ROUNDS - 3, -2, "something goes round that is not there"},
      {ROUNDS - 2, -1, "something goes round that is not there"},
      {8, 3, "or becomes something else"},
  };
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
    int64_t numbers[ROUNDS];
    memcpy(numbers, rounds, sizeof(numbers));
    numbers[wrong[i].position] = wrong[i].number;
    Encoded changed = encode(numbers, ROUNDS);
    CHECK_STATUS(readLaunch(&changed, &launch), STITCH_INVALID_ARGUMENT, wrong[i].problem);
  }
}

/// Whatever the bytes are, they are read, or there is a problem: under AddressSanitizer this says more.
static void testAnyBytes(void) {
  uint64_t state = 1;
  for (int round = 0; round < 100000; ++round) {
    Encoded e = round % 2 ? encode(rounds, ROUNDS) : encode(sumOfRows, NUMBERS);
    for (int change = 0; change <= round % 3; ++change) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      e.data[(state >> 33) % (uint64_t)e.bytes] = (uint8_t)(state >> 24);
    }
    if (round % 5 == 0)
      e.bytes = (int64_t)((state >> 40) % (uint64_t)(e.bytes + 1));
    CheckLaunch launch;
    StitchStatus status = readLaunch(&e, &launch);
    if (!status)
      checkLaunchDestroy(&launch);
    stitchStatusFree(status);
  }
}

int main(void) {
  testGraph();
  testProblems();
  testLoop();
  testAnyBytes();
  return checkResult();
}
