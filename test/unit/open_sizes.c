//===- open_sizes.c - one session, runs of many sizes --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-open_sizes MODEL.so DEVICE
//
// The model is test/lit/runtime/Inputs/open_sizes.mlir for b = 1..5000.
//
//===----------------------------------------------------------------------===//

#include "test/unit/guard.h"
#include "test/unit/session.h"

#include <math.h>

enum { COLUMNS = 12, FEATURES = 5, MOST = 5000 };

static const StitchDataType f32 = {STITCH_TYPE_FLOAT, 32, 1};

/// The tensors of a run of `rows` rows, with a guard behind each output.
typedef struct {
  int64_t rows;
  int64_t xDims[2], wDims[2], rowDims[1], productDims[2], columnDims[1];
  float *x, *w, *logs, *product, *mean, *all;
} Run;

static Run createRun(int64_t rows) {
  Run run = {.rows = rows,
             .xDims = {rows, COLUMNS},
             .wDims = {COLUMNS, FEATURES},
             .rowDims = {rows},
             .productDims = {rows, FEATURES},
             .columnDims = {COLUMNS},
             .x = allocateGuarded(rows * COLUMNS),
             .w = allocateGuarded(COLUMNS * FEATURES),
             .logs = allocateGuarded(rows),
             .product = allocateGuarded(rows * FEATURES),
             .mean = allocateGuarded(COLUMNS),
             .all = allocateGuarded(1)};
  for (int64_t i = 0; i < rows * COLUMNS; ++i)
    run.x[i] = (float)((i * 37) % 101) / 50.0f - 1.0f;
  for (int64_t i = 0; i < COLUMNS * FEATURES; ++i)
    run.w[i] = (float)((i * 13) % 29) / 29.0f;
  return run;
}

static void destroyRun(Run *run) {
  float *const all[] = {run->x, run->w, run->logs, run->product, run->mean, run->all};
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
    free(all[i]);
}

static StitchStatus execute(StitchSession *session, Run *run) {
  StitchTensor inputs[] = {{f32, 2, run->xDims, run->x, 0, 0}, {f32, 2, run->wDims, run->w, 0, 0}};
  StitchTensor outputs[] = {{f32, 1, run->rowDims, run->logs, 0, 0},
                            {f32, 2, run->productDims, run->product, 0, 0},
                            {f32, 1, run->columnDims, run->mean, 0, 0},
                            {f32, 0, NULL, run->all, 0, 0}};
  StitchStatus status = stitchSessionRun(session, inputs, 2, outputs, 4);
  return status ? status : stitchSessionSynchronize(session);
}

static void checkResults(const Run *run) {
  double means[COLUMNS] = {0}, all = 0;
  for (int64_t r = 0; r < run->rows; ++r) {
    double top = -INFINITY, sum = 0;
    for (int c = 0; c < COLUMNS; ++c) {
      top = fmax(top, run->x[r * COLUMNS + c]);
      means[c] += (double)run->x[r * COLUMNS + c] / (double)run->rows;
    }
    for (int c = 0; c < COLUMNS; ++c)
      sum += exp((double)run->x[r * COLUMNS + c] - top);
    CHECK(fabs(run->logs[r] - log(sum)) < 1e-5);
    all += sum;
  }
  for (int c = 0; c < COLUMNS; ++c)
    CHECK(fabs(run->mean[c] - means[c]) < 1e-5);
  CHECK(fabs(*run->all - all) < 1e-5 * all);
  CHECK(isGuarded(run->logs, run->rows) && isGuarded(run->product, run->rows * FEATURES));
  CHECK(isGuarded(run->mean, COLUMNS) && isGuarded(run->all, 1));
}

int main(int argc, char **argv) {
  StitchModel *model;
  StitchSession *session;
  if (!openSession(argc, argv, &model, &session))
    return 1;
  CHECK(stitchModelNumInputs(model) == 2 && stitchModelNumSymbols(model) == 1);
  StitchSymbolInfo symbol = stitchModelSymbol(model, 0);
  CHECK(strcmp(symbol.name, "b") == 0 && symbol.low == 1 && symbol.high == MOST);
  const StitchSize *sizes = stitchModelInput(model, 0).sizes;
  CHECK(sizes && sizes[0].symbol == 0 && sizes[0].offset == 0 && !stitchModelInput(model, 1).sizes);
  CHECK(stitchModelInput(model, 0).dims[0] == MOST);

  // More sizes than the session remembers, and some of them again.
  static const int64_t rows[] = {7, 1, 64, 7, MOST, 333, 2, 1, 7, 4999};
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
    Run run = createRun(rows[i]);
    CHECK_OK(execute(session, &run));
    checkResults(&run);
    destroyRun(&run);
  }

  Run run = createRun(MOST + 1);
  CHECK_STATUS(execute(session, &run), STITCH_INVALID_ARGUMENT,
               "dimension 0 of input 0 ('in0') must be from 1 to 5000, got 5001");
  run.xDims[0] = 0;
  CHECK_STATUS(execute(session, &run), STITCH_INVALID_ARGUMENT, "must be from 1 to 5000, got 0");
  run.xDims[0] = 8; // and outputs of another size
  CHECK_STATUS(execute(session, &run), STITCH_INVALID_ARGUMENT, "output 0 ('out0') must be f32[8], got f32[5001]");
  run.xDims[1] = 11;
  CHECK_STATUS(execute(session, &run), STITCH_INVALID_ARGUMENT, "input 0 ('in0') must be f32[8,12], got f32[8,11]");
  destroyRun(&run);

  stitchSessionFree(session);
  stitchModelFree(model);
  return checkResult();
}
