//===- open_buckets.c - one session explores buckets of sizes ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-open_buckets MODEL.so DEVICE INDEX
//
// The model is test/lit/runtime/Inputs/open_groups.mlir for b = 1..400 in the buckets 40 and 400, which are not padded.
// Each bucket is explored once (Astra 5.5), whatever sizes come; every run is right. On the test double of the CUDA
// driver, whose clock is made up, a bucket ends with the configuration that its largest size alone ends with. NO GPU IS
// INVOLVED.
//
//===----------------------------------------------------------------------===//

#include "test/unit/cuda_session.h"

enum { WIDTH = 64, MOST = 400, SMALL = 40, MAX_RUNS = 1000, MAX_VARIABLES = 32 };

static const StitchDataType f32 = {STITCH_TYPE_FLOAT, 32, 1};
static float x[MOST * WIDTH], weights[2][WIDTH * WIDTH], result[MOST * WIDTH], expected[MOST * WIDTH];

static void fillNumbers(float *numbers, int64_t count, unsigned seed) {
  StitchTensor tensor = {.dtype = f32, .rank = 1, .dims = &count, .data = numbers};
  fill(&tensor, seed);
}

/// logistic(x a) * (x c), of each row by itself.
static void computeExpected(void) {
  for (int64_t row = 0; row < MOST; ++row)
    for (int64_t column = 0; column < WIDTH; ++column) {
      double sums[2] = {0, 0};
      for (int64_t k = 0; k < WIDTH; ++k)
        for (int i = 0; i < 2; ++i)
          sums[i] += (double)x[row * WIDTH + k] * weights[i][k * WIDTH + column];
      expected[row * WIDTH + column] = (float)(sums[1] / (1 + exp(-sums[0])));
    }
}

static StitchStatus execute(StitchSession *session, int64_t rows) {
  const int64_t rowDims[] = {rows, WIDTH}, weightDims[] = {WIDTH, WIDTH};
  StitchTensor inputs[] = {
      {f32, 2, rowDims, x, 0, 0}, {f32, 2, weightDims, weights[0], 0, 0}, {f32, 2, weightDims, weights[1], 0, 0}};
  StitchTensor output = {f32, 2, rowDims, result, 0, 0};
  memset(result, 0xff, sizeof(result));
  StitchStatus status = stitchSessionRun(session, inputs, 3, &output, 1);
  return status ? status : stitchSessionSynchronize(session);
}

static void check(StitchSession *session, int64_t rows) {
  CHECK_OK(execute(session, rows));
  bool isRight = true;
  for (int64_t i = 0; i < rows * WIDTH; ++i)
    isRight &= fabsf(result[i] - expected[i]) <= 1e-3f;
  CHECK(isRight);
}

static int64_t nextSize(int64_t low, int64_t high) {
  static unsigned state = 7;
  state = state * 1664525u + 1013904223u;
  return low + (int64_t)(state >> 8) % (high - low + 1);
}

static StitchSession *createExploring(const StitchModel *model, const char *device, const char *index) {
  StitchSession *session = NULL;
  StitchSessionOptions options = {.device = device, .adaptive = {.explore = true, .profileIndex = index}};
  options.cuda.libraries = strcmp(device, "cuda") == 0 ? folder : NULL;
  CHECK_OK(stitchSessionCreate(model, &options, &session));
  return session;
}

/// Explores a bucket with sizes between the limits; its versions into `versions`. Returns the runs.
static int64_t exploreBucket(StitchSession *session, int64_t low, int64_t high, int64_t *versions) {
  int64_t runs = 0;
  StitchAdaptiveInfo info;
  do {
    check(session, nextSize(low, high));
    info = stitchSessionAdaptive(session);
  } while (info.remaining && ++runs < MAX_RUNS);
  CHECK(info.remaining == 0 && info.numVariables > 0 && info.numVariables <= MAX_VARIABLES);
  for (int64_t i = 0; i < info.numVariables; ++i)
    versions[i] = stitchSessionAdaptiveVariable(session, i).version;
  return info.runs;
}

/// The sizes of a bucket after it has been explored, ones that have not come among them: nothing is explored again.
static void checkExplored(StitchSession *session, int64_t low, int64_t high, int64_t runs) {
  for (int64_t size = low; size <= high; size += 1 + (high - low) / 20) {
    check(session, size);
    CHECK(stitchSessionAdaptive(session).remaining == 0 && stitchSessionAdaptive(session).runs == runs);
  }
}

/// All sizes against the largest one of each bucket.
static void testBuckets(const StitchModel *model, const char *device, const char *index, bool sameVersions) {
  static const int64_t limits[2][2] = {{1, SMALL}, {SMALL + 1, MOST}};
  int64_t versions[MAX_VARIABLES], one[MAX_VARIABLES], runs[2];
  remove(index);
  StitchSession *session = createExploring(model, device, index), *other = createExploring(model, device, NULL);
  for (int b = 0; b < 2; ++b) {
    runs[b] = exploreBucket(session, limits[b][0], limits[b][1], versions);
    int64_t runsOfOne = exploreBucket(other, limits[b][1], limits[b][1], one);
    CHECK(!sameVersions || runs[b] <= 3 * runsOfOne);
    for (int64_t i = 0; i < stitchSessionAdaptive(session).numVariables && sameVersions; ++i) {
      StitchAdaptiveVariable variable = stitchSessionAdaptiveVariable(session, i);
      if (versions[i] != one[i])
        printf("%s: %s, of the largest size alone %s\n", variable.name, variable.versions[versions[i]],
               variable.versions[one[i]]);
      CHECK(versions[i] == one[i]);
    }
    checkExplored(session, limits[b][0], limits[b][1], runs[b]);
    printf("%s: %lld runs for a bucket, %lld for its largest size\n", device, (long long)runs[b], (long long)runsOfOne);
  }
  checkExplored(session, limits[0][0], limits[0][1], runs[0]);
  stitchSessionFree(session);
  stitchSessionFree(other);
  session = createExploring(model, device, index); // the entries of the index are of the bucket, too
  for (int b = 0; b < 2; ++b)
    checkExplored(session, limits[b][0], limits[b][1], 0);
  stitchSessionFree(session);
}

int main(int argc, char **argv) {
  StitchModel *model = NULL;
  if (argc != 4) {
    fprintf(stderr, "usage: unit-open_buckets MODEL.so DEVICE INDEX\n");
    return 1;
  }
  fillNumbers(x, MOST * WIDTH, 1);
  fillNumbers(weights[0], WIDTH * WIDTH, 2);
  fillNumbers(weights[1], WIDTH * WIDTH, 3);
  computeExpected();
  CHECK_OK(stitchModelLoad(argv[1], &model));
  if (!model)
    return checkResult();
  bool isDouble = strcmp(argv[2], "cuda") == 0;
  if (isDouble) {
    openDouble();
    // One product of both is faster than two; then a kernel more costs more than a call.
    doubled.configure("launch_ns=1000,block_ns=200,call_ns=20000,column_ns=2000,algorithm_ns=70000,noise=3");
    testBuckets(model, argv[2], argv[3], true);
    doubled.configure("launch_ns=200000,block_ns=3000,call_ns=20000,column_ns=100,algorithm_ns=7000,noise=3");
    testBuckets(model, argv[2], argv[3], true);
    CHECK_CLEAN();
  } else
    testBuckets(model, argv[2], argv[3], false);
  stitchModelFree(model);
  return checkResult();
}
