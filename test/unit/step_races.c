//===- step_races.c - unit test of races between steps -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four steps, of which the third waits for the second, on streams 0, 1, 2 and 0, and one of the next super-epoch. Which
// of them may touch the same bytes is tried pair by pair.
//
//===----------------------------------------------------------------------===//

#include "runtime/step_races.h"
#include "test/unit/check.h"

enum { NUM_STEPS = 5, BYTES = 3 * 4096 };

static const int64_t streams[NUM_STEPS] = {0, 1, 2, 0, 1};
static const int64_t afterOfThird[] = {1};
static char memory[BYTES];

static StitchModelDescriptor modelOf(StitchModelStep *steps) {
  for (int64_t i = 0; i < NUM_STEPS; ++i)
    steps[i] = (StitchModelStep){.superEpoch = i == 4, .variable = 0, .on = &streams[i]};
  steps[2].after = afterOfThird;
  steps[2].numAfter = 1;
  return (StitchModelDescriptor){.steps = steps, .numSteps = NUM_STEPS, .numStreams = 3};
}

static void touch(StitchStepRaces *races, int64_t step, int64_t begin, int64_t bytes, bool isStore) {
  races->step = step;
  races->name = step % 2 ? "odd" : "even";
  for (int64_t i = 0; i < bytes; i += 4)
    stitchStepRacesTouch(races, memory + begin + i, 4, isStore);
}

static bool races(const StitchModelDescriptor *model, int64_t a, int64_t b, bool aStores, bool bStores, int64_t shift) {
  StitchStepRaces r = {.step = -1};
  touch(&r, b, 4000 + shift, 400, bStores); // across a border of pages, in the other order
  touch(&r, a, 4000, 400, aStores);
  StitchStatus status = stitchStepRacesJoin(&r, model, NULL);
  bool found = status != NULL;
  stitchStatusFree(status);
  CHECK_OK(stitchStepRacesJoin(&r, model, NULL)); // all is forgotten
  stitchStepRacesDestroy(&r);
  return found;
}

static void testPairs(void) {
  StitchModelStep steps[NUM_STEPS];
  StitchModelDescriptor model = modelOf(steps);
  for (int64_t a = 0; a < 4; ++a)
    for (int64_t b = a + 1; b < 4; ++b) {
      bool inOrder = (a == 0 && b == 3) || (a == 1 && b == 2);
      CHECK(!races(&model, a, b, false, false, 0));
      CHECK(races(&model, a, b, true, false, 0) == !inOrder);
      CHECK(races(&model, a, b, false, true, 396) == !inOrder); // the last four bytes
      CHECK(races(&model, a, b, true, true, -396) == !inOrder); // the first four
      CHECK(!races(&model, a, b, true, true, 400));
      CHECK(!races(&model, a, b, true, true, -400));
    }
}

/// Step 3 comes after step 0 on its stream, and is to wait for step 2, which waits for step 1: after it, then, too.
static void testOrderIsTransitive(void) {
  static const int64_t afterOfFourth[] = {2};
  StitchModelStep steps[NUM_STEPS];
  StitchModelDescriptor model = modelOf(steps);
  CHECK(races(&model, 1, 3, true, true, 0));
  steps[3].after = afterOfFourth;
  steps[3].numAfter = 1;
  CHECK(!races(&model, 1, 3, true, true, 0));
}

/// Calls count with all of their operands, as soon as a kernel is watched; the message names both.
static void testCalls(void) {
  StitchModelStep steps[NUM_STEPS];
  StitchModelDescriptor model = modelOf(steps);
  StitchLibraryTensor tensor = {STITCH_ELEMENT_F32, 2, {8, 8}};
  StitchLibraryProblem dot = {.kind = STITCH_LIBRARY_DOT, .numOperands = 3, .operands = {tensor, tensor, tensor}};
  void *pointers[] = {memory, memory + 256, memory + 512};
  for (int watched = 0; watched < 2; ++watched) {
    StitchStepRaces r = {.step = 0};
    stitchStepRacesCall(&r, "dot_0", &dot, pointers);
    if (watched)
      touch(&r, 1, 764, 8, false);
    StitchStatus status = stitchStepRacesJoin(&r, &model, NULL);
    CHECK_STATUS(status, watched ? STITCH_DEVICE_ERROR : STITCH_OK,
                 watched ? "step 0 ('dot_0', stream 0) writes and step 1 ('odd', stream 1) reads the same 4 bytes, and "
                           "neither waits for the other"
                         : "ok");
    touch(&r, 1, 0, 512, false); // the call's inputs
    r.step = 0;
    stitchStepRacesCall(&r, "dot_0", &dot, pointers);
    CHECK_OK(stitchStepRacesJoin(&r, &model, NULL));
    stitchStepRacesDestroy(&r);
  }
}

/// Accesses outside of steps, and those of an earlier super-epoch, do not count.
static void testSuperEpochs(void) {
  StitchModelStep steps[NUM_STEPS];
  StitchModelDescriptor model = modelOf(steps);
  StitchStepRaces r = {.step = -1};
  touch(&r, -1, 0, 64, true);
  touch(&r, 0, 0, 64, true);
  CHECK_OK(stitchStepRacesJoin(&r, &model, NULL));
  touch(&r, 4, 0, BYTES, true);
  CHECK_OK(stitchStepRacesJoin(&r, &model, NULL));
  stitchStepRacesDestroy(&r);
}

int main(void) {
  testPairs();
  testOrderIsTransitive();
  testCalls();
  testSuperEpochs();
  return checkResult();
}
