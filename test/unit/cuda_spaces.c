//===- cuda_spaces.c - random spaces of configurations on a GPU ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-cuda_spaces FIRST COUNT MODEL.so...
//
// On a test double whose clock is made up: COUNT times, in turns of the models, each kernel and each problem of a
// library gets a time of its own at random, with noise. The configuration that the exploration of each model ends with
// runs without the noise, and so do all configurations of the model's variables, with the library algorithm that is
// known to be the fastest: it takes at most 2 percent longer than the best of them. NO GPU IS INVOLVED.
//
//===----------------------------------------------------------------------===//

#include "test/unit/cuda_session.h"

#include <string.h>

enum { MAX_CONFIGURATIONS = 512, MAX_NAMES = 4096 };

/// All configurations of a model, as lists of versions.
typedef struct {
  const StitchModel *model;
  Tensors tensors;
  StitchSession *sessions[MAX_CONFIGURATIONS];
  int64_t count;
} Space;

static bool isAlgorithm(const char *name) { return strncmp(name, "dot", 3) == 0; }

static StitchStatus createWith(const StitchModel *model, const char *versions, bool explore, StitchSession **session) {
  return stitchSessionCreate(model,
                             &(StitchSessionOptions){.device = "cuda",
                                                     .cuda = {.libraries = folder},
                                                     .adaptive = {.explore = explore, .versions = versions}},
                             session);
}

/// The versions of configuration `number`: the last algorithms, and of each variable a digit of the number. False:
/// there is no such configuration.
static bool describe(StitchSession *session, int64_t number, char *text) {
  int length = 0;
  for (int64_t i = 0; i < stitchSessionAdaptive(session).numVariables; ++i) {
    StitchAdaptiveVariable variable = stitchSessionAdaptiveVariable(session, i);
    int64_t version = isAlgorithm(variable.name) ? variable.numVersions - 1 : number % variable.numVersions;
    number = isAlgorithm(variable.name) ? number : number / variable.numVersions;
    length += snprintf(text + length, (size_t)(MAX_NAMES - length), "%s%s=%s", length ? "," : "", variable.name,
                       variable.versions[version]);
  }
  return number == 0;
}

/// Sessions that have captured their graphs: whatever is set later is of their later runs.
static void fillSpace(Space *space, const StitchModel *model) {
  static char versions[MAX_NAMES];
  StitchSession *exploring = NULL;
  space->model = model;
  space->tensors = makeTensors(model, 5);
  doubled.configure("races=0,launch_ns=1000,call_ns=1000");
  CHECK_OK(createWith(model, NULL, true, &exploring));
  for (int64_t i = 0; exploring && i < MAX_CONFIGURATIONS && describe(exploring, i, versions); ++i) {
    CHECK_OK(createWith(model, versions, false, &space->sessions[i]));
    ++space->count;
    for (int run = 0; run < 3 && space->sessions[i]; ++run)
      CHECK_OK(runOnHostTensors(space->sessions[i], &space->tensors));
    CHECK(outputsAreRight(&space->tensors));
  }
  CHECK(space->count > 10 && space->count < MAX_CONFIGURATIONS);
  stitchSessionFree(exploring);
}

static void freeSpace(Space *space) {
  for (int64_t i = 0; i < space->count; ++i)
    stitchSessionFree(space->sessions[i]);
  freeTensors(&space->tensors);
}

static double secondsOf(StitchSession *session, Tensors *t) {
  double begin = doubled.seconds();
  CHECK_OK(runOnHostTensors(session, t));
  return doubled.seconds() - begin;
}

static unsigned nextNumber(unsigned *state, unsigned least, unsigned most) {
  *state = *state * 1664525u + 1013904223u;
  return least + (*state >> 8) % (most - least + 1);
}

/// Explores with noise, then runs its result, and all configurations, without. Returns how much longer than the best
/// one it takes.
static double search(Space *space, unsigned seed) {
  char clock[256], noisy[300];
  unsigned state = seed;
  unsigned launch = nextNumber(&state, 500, 5000), call = nextNumber(&state, 500, 20000);
  snprintf(clock, sizeof(clock), "races=0,launch_ns=%u,block_ns=%u,call_ns=%u,batch_ns=%u,algorithm_ns=%u,random=%u",
           launch, nextNumber(&state, 0, 50), call, nextNumber(&state, 100, 10000), nextNumber(&state, 200, 2000),
           seed);
  snprintf(noisy, sizeof(noisy), "%s,noise=3", clock);
  doubled.configure(noisy);
  StitchSession *exploring = NULL;
  CHECK_OK(createWith(space->model, NULL, true, &exploring));
  int64_t runs = 0;
  for (; exploring && runs < 2000 && stitchSessionAdaptive(exploring).remaining; ++runs)
    CHECK_OK(runOnHostTensors(exploring, &space->tensors));
  CHECK(exploring && stitchSessionAdaptive(exploring).remaining == 0);
  CHECK_OK(runOnHostTensors(exploring, &space->tensors)); // captures
  CHECK(outputsAreRight(&space->tensors));
  doubled.configure(clock);
  double found = secondsOf(exploring, &space->tensors), best = found;
  for (int64_t i = 0; i < space->count; ++i)
    best = fmin(best, secondsOf(space->sessions[i], &space->tensors));
  stitchSessionFree(exploring);
  return found / best - 1;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: unit-cuda_spaces FIRST COUNT MODEL.so...\n");
    return 1;
  }
  openDouble();
  int first = atoi(argv[1]), numSpaces = atoi(argv[2]), numModels = argc - 3, numWrong = 0;
  for (int m = 0; m < numModels; ++m) {
    static Space space;
    StitchModel *model = NULL;
    double worst = 0;
    CHECK_OK(stitchModelLoad(argv[3 + m], &model));
    if (!model)
      return checkResult();
    space = (Space){0};
    fillSpace(&space, model);
    for (int i = m; i < numSpaces; i += numModels) {
      double longer = search(&space, 1 + (unsigned)(first + i));
      worst = fmax(worst, longer);
      numWrong += longer > 0.02;
      if (longer > 0.02)
        printf("space %d: %.2f %% longer than the best of %lld configurations\n", first + i, 100 * longer,
               (long long)space.count);
    }
    printf("%s: %lld configurations, at most %.2f %% longer than the best\n", argv[3 + m], (long long)space.count,
           100 * worst);
    freeSpace(&space);
    stitchModelFree(model);
  }
  CHECK(numWrong == 0);
  CHECK_CLEAN();
  return checkResult();
}
