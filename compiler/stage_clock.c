//===- stage_clock.c - the stages of a compilation and their seconds -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/compiler.h"

#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void endStage(Compiler *c) {
  if (c->numStages > 0)
    c->stages[c->numStages - 1].seconds = now() - c->stageStart;
}

bool beginStage(Compiler *c, const char *name) {
  endStage(c);
  if (c->numStages < MAX_STAGES)
    c->stages[c->numStages++].name = name;
  c->stageStart = now();
  c->isCancelled |= c->options->onStage && !c->options->onStage(c->options->data, name);
  return !c->isCancelled;
}
