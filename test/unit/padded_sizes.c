//===- padded_sizes.c - one session, runs of a padded model ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-padded_sizes MODEL.so DEVICE
//
// The model is test/lit/runtime/Inputs/padded.mlir for t = 1..40 in buckets. Each bucket is made ready once, and runs
// of all its sizes share that.
//
//===----------------------------------------------------------------------===//

#include "test/unit/guard.h"
#include "test/unit/session.h"

#include <math.h>

enum { BATCH = 3, WIDTH = 8, MOST = 40, LINES = 50 };

static const StitchDataType f32 = {STITCH_TYPE_FLOAT, 32, 1};

/// The tensors of a run of `t` tokens, with a guard behind each.
typedef struct {
  int64_t t;
  int64_t xDims[3], wDims[2], linesDims[2], rowsDims[3], sumsDims[2], restDims[2];
  float *x, *w, *lines, *rows, *sums, *rest;
} Run;

static Run createRun(int64_t t) {
  Run run = {.t = t,
             .xDims = {BATCH, t, WIDTH},
             .wDims = {WIDTH, WIDTH},
             .linesDims = {LINES, WIDTH},
             .rowsDims = {BATCH, t + 1, WIDTH},
             .sumsDims = {t, t},
             .restDims = {LINES - t, WIDTH},
             .x = allocateGuarded(BATCH * t * WIDTH),
             .w = allocateGuarded(WIDTH * WIDTH),
             .lines = allocateGuarded(LINES * WIDTH),
             .rows = allocateGuarded(BATCH * (t + 1) * WIDTH),
             .sums = allocateGuarded(t * t),
             .rest = allocateGuarded((LINES - t) * WIDTH)};
  for (int64_t i = 0; i < BATCH * t * WIDTH; ++i)
    run.x[i] = (float)((i * 37 + t) % 101) / 50.0f - 1.0f;
  for (int64_t i = 0; i < WIDTH * WIDTH; ++i)
    run.w[i] = (float)((i * 13) % 29) / 29.0f - 0.4f;
  for (int64_t i = 0; i < LINES * WIDTH; ++i)
    run.lines[i] = (float)((i * 31 + t) % 97) / 48.0f - 1.0f;
  return run;
}

static void destroyRun(Run *run) {
  float *const all[] = {run->x, run->w, run->lines, run->rows, run->sums, run->rest};
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
    free(all[i]);
}

static StitchStatus begin(StitchSession *session, Run *run) {
  StitchTensor inputs[] = {{f32, 3, run->xDims, run->x, 0, 0},
                           {f32, 2, run->wDims, run->w, 0, 0},
                           {f32, 2, run->linesDims, run->lines, 0, 0}};
  StitchTensor outputs[] = {{f32, 3, run->rowsDims, run->rows, 0, 0},
                            {f32, 2, run->sumsDims, run->sums, 0, 0},
                            {f32, 2, run->restDims, run->rest, 0, 0}};
  return stitchSessionRun(session, inputs, 3, outputs, 3);
}

static StitchStatus execute(StitchSession *session, Run *run) {
  StitchStatus status = begin(session, run);
  return status ? status : stitchSessionSynchronize(session);
}

/// The attention of query `q` of a sequence: probabilities of all keys.
static void attend(const Run *run, const float *x, int64_t q, double *p) {
  double query[WIDTH] = {0}, most = -INFINITY, sum = 0;
  for (int i = 0; i < WIDTH; ++i)
    for (int j = 0; j < WIDTH; ++j)
      query[j] += (double)x[q * WIDTH + i] * run->w[i * WIDTH + j];
  for (int64_t k = 0; k < run->t; ++k) {
    p[k] = 0;
    for (int j = 0; j < WIDTH; ++j)
      p[k] += query[j] * x[k * WIDTH + j];
    most = fmax(most, p[k]);
  }
  for (int64_t k = 0; k < run->t; ++k)
    sum += p[k] = exp(p[k] - most);
  for (int64_t k = 0; k < run->t; ++k)
    p[k] /= sum;
}

/// Rows in reverse behind one of ones, the sums of the probabilities over the sequences, and lines from number t on.
static void checkResults(const Run *run) {
  static double sums[MOST * MOST];
  memset(sums, 0, sizeof(sums));
  double worst = 0;
  for (int64_t b = 0; b < BATCH; ++b) {
    const float *x = run->x + b * run->t * WIDTH, *rows = run->rows + b * (run->t + 1) * WIDTH;
    for (int j = 0; j < WIDTH; ++j)
      worst = fmax(worst, fabs(rows[j] - 1.0));
    for (int64_t q = 0; q < run->t; ++q) {
      double p[MOST];
      attend(run, x, q, p);
      for (int j = 0; j < WIDTH; ++j) {
        double expected = 0;
        for (int64_t k = 0; k < run->t; ++k)
          expected += p[k] * x[k * WIDTH + j];
        worst = fmax(worst, fabs(rows[(run->t - q) * WIDTH + j] - expected));
      }
      for (int64_t k = 0; k < run->t; ++k)
        sums[q * run->t + k] += p[k];
    }
  }
  for (int64_t i = 0; i < run->t * run->t; ++i)
    worst = fmax(worst, fabs(run->sums[i] - sums[i]));
  CHECK(worst < 2e-5);
  CHECK(memcmp(run->rest, run->lines + run->t * WIDTH, sizeof(float) * (size_t)((LINES - run->t) * WIDTH)) == 0);
  CHECK(isGuarded(run->rows, BATCH * (run->t + 1) * WIDTH) && isGuarded(run->sums, run->t * run->t));
  CHECK(isGuarded(run->rest, (LINES - run->t) * WIDTH));
}

/// Runs of several buckets, and of one with several sizes, that are waited for together.
static void checkRunsBehindEachOther(StitchSession *session) {
  static const int64_t sizes[] = {40, 3, 16, 12, 5};
  enum { COUNT = sizeof(sizes) / sizeof(sizes[0]) };
  Run runs[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    runs[i] = createRun(sizes[i]);
    CHECK_OK(begin(session, &runs[i]));
  }
  CHECK_OK(stitchSessionSynchronize(session));
  for (int i = 0; i < COUNT; ++i) {
    checkResults(&runs[i]);
    destroyRun(&runs[i]);
  }
}

static void checkModel(const StitchModel *model) {
  CHECK(stitchModelNumInputs(model) == 3 && stitchModelNumSymbols(model) == 1);
  StitchSymbolInfo symbol = stitchModelSymbol(model, 0);
  CHECK(strcmp(symbol.name, "t") == 0 && symbol.low == 1 && symbol.high == MOST);
  StitchInputInfo x = stitchModelInput(model, 0);
  CHECK(x.rank == 3 && x.dims[0] == BATCH && x.dims[1] == MOST && x.dims[2] == WIDTH && x.sizes[1].symbol == 0);
  StitchOutputInfo rows = stitchModelOutput(model, 0);
  StitchOutputInfo rest = stitchModelOutput(model, 2);
  int64_t one = 1, seven = 7, found = 0, dims[] = {BATCH, 7, WIDTH}, square[] = {WIDTH, WIDTH},
          lines[] = {LINES, WIDTH};
  CHECK(rows.rank == 3 && rows.dims[1] == MOST + 1 && stitchModelSize(model, rows.sizes[1], &seven) == 8);
  CHECK(rest.dims[0] == LINES - 1 && stitchModelSize(model, rest.sizes[0], &one) == LINES - 1);
  StitchTensor inputs[] = {{f32, 3, dims, NULL, 0, 0}, {f32, 2, square, NULL, 0, 0}, {f32, 2, lines, NULL, 0, 0}};
  CHECK_OK(stitchModelReadSizes(model, inputs, &found));
  CHECK(found == 7);
  dims[1] = MOST + 1;
  CHECK_STATUS(stitchModelReadSizes(model, inputs, &found), STITCH_INVALID_ARGUMENT,
               "dimension 1 of input 0 ('in0') must be from 1 to 40, got 41");
}

int main(int argc, char **argv) {
  StitchModel *model;
  StitchSession *session;
  if (!openSession(argc, argv, &model, &session))
    return 1;
  checkModel(model);
  static const int64_t sizes[] = {7, 1, 16, 5, 40, 33, 2, 17, 6, 7, 39, 40, 4};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
    Run run = createRun(sizes[i]);
    CHECK_OK(execute(session, &run));
    checkResults(&run);
    destroyRun(&run);
  }
  checkRunsBehindEachOther(session);
  Run run = createRun(8);
  run.rowsDims[1] = 8;
  CHECK_STATUS(execute(session, &run), STITCH_INVALID_ARGUMENT, "output 0 ('out0') must be f32[3,9,8], got f32[3,8,8]");
  destroyRun(&run);
  stitchSessionFree(session);
  stitchModelFree(model);
  return checkResult();
}
