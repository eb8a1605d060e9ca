//===- updates.c - inputs that are updated in place ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-updates MODEL.so DEVICE
//
// The model is test/lit/unit/Inputs/updates.mlir: a cache of 64 x 8 that is donated to output 1, of which a run
// replaces a row. Runs with memory of its own for the output leave the cache as it is; runs with the cache's memory
// make the same of it there. The caller's memory has guards around it.
//
//===----------------------------------------------------------------------===//

#include "test/unit/session.h"

enum { ROWS = 64, COLUMNS = 8, CACHE = ROWS * COLUMNS, GUARD = 16, RUNS = 5, INPUTS = 3, OUTPUTS = 2 };

static const int64_t cacheDims[] = {ROWS, COLUMNS}, rowDims[] = {1, COLUMNS}, sumDims[] = {ROWS};
static _Alignas(64) float caches[2][GUARD + CACHE + GUARD], sums[2][ROWS], row[COLUMNS];
static int32_t position;

static const StitchDataType f32 = {STITCH_TYPE_FLOAT, 32, 1}, i32 = {STITCH_TYPE_INT, 32, 1};

static StitchTensor cacheIn(int which) {
  return (StitchTensor){.dtype = f32, .rank = 2, .dims = cacheDims, .data = caches[which] + GUARD};
}

static void fill(int run) {
  for (int i = 0; i < COLUMNS; ++i)
    row[i] = (float)((run * 5 + i * 3) % 11) - 5.0f;
  position = run == 0 ? 100 : run * 13; // beyond the end: the last row
}

static void runWith(StitchSession *session, int from, int to, float *sum) {
  StitchTensor inputs[INPUTS] = {
      cacheIn(from), {.dtype = f32, .rank = 2, .dims = rowDims, .data = row}, {.dtype = i32, .data = &position}};
  StitchTensor outputs[OUTPUTS] = {{.dtype = f32, .rank = 1, .dims = sumDims, .data = sum}, cacheIn(to)};
  CHECK_OK(stitchSessionRun(session, inputs, INPUTS, outputs, OUTPUTS));
  CHECK_OK(stitchSessionSynchronize(session));
}

static void checkGuards(void) {
  for (int which = 0; which < 2; ++which)
    for (int i = 0; i < GUARD; ++i)
      CHECK(caches[which][i] == -77.0f && caches[which][GUARD + CACHE + i] == -77.0f);
}

/// Runs the update to another output, then in place; both caches end alike.
static void runBothWays(StitchSession *session, int run) {
  float before[CACHE];
  fill(run);
  memcpy(before, caches[0] + GUARD, sizeof(before));
  runWith(session, 0, 1, sums[1]);
  CHECK(memcmp(before, caches[0] + GUARD, sizeof(before)) == 0);
  runWith(session, 0, 0, sums[0]);
  CHECK(memcmp(caches[0], caches[1], sizeof(caches[0])) == 0);
  CHECK(memcmp(sums[0], sums[1], sizeof(sums[0])) == 0);
  int at = position < ROWS ? position : ROWS - 1;
  for (int i = 0; i < CACHE; ++i)
    CHECK(caches[0][GUARD + i] == (i / COLUMNS == at ? row[i % COLUMNS] : before[i]));
  checkGuards();
}

int main(int argc, char **argv) {
  StitchModel *model;
  StitchSession *session;
  if (!openSession(argc, argv, &model, &session))
    return 1;
  CHECK(stitchModelInput(model, 0).updated == 1);
  CHECK(stitchModelInput(model, 1).updated == -1 && stitchModelInput(model, 2).updated == -1);
  for (int i = 0; i < GUARD + CACHE + GUARD; ++i)
    caches[0][i] = caches[1][i] = i < GUARD || i >= GUARD + CACHE ? -77.0f : (float)(i * 7 % 23) - 11.0f;
  for (int run = 0; run < RUNS; ++run)
    runBothWays(session, run);
  stitchSessionFree(session);
  stitchModelFree(model);
  return checkResult();
}
