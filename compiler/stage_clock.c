//===- stage_clock.c - the stages of a compilation and their seconds -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures the seconds of each named stage; programs of one model share the clock.
//
//===----------------------------------------------------------------------===//

#include "compiler/compiler.h"
#include "runtime/seconds.h"

#include <string.h>

void endStage(Compiler *c) {
  if (c->numStages > 0)
    c->stages[c->stage].seconds += secondsNow() - c->stageStart;
  c->stageStart = secondsNow();
}

/// The stage of a name, which another program of the model may have had; the last one if there are too many.
static int findStage(Compiler *c, const char *name) {
  for (int i = 0; i < c->numStages; ++i)
    if (strcmp(c->stages[i].name, name) == 0)
      return i;
  if (c->numStages < MAX_STAGES)
    c->stages[c->numStages++].name = name;
  return c->numStages - 1;
}

bool beginStage(Compiler *c, const char *name) {
  endStage(c);
  c->stage = findStage(c, name);
  c->isCancelled |= c->options->onStage && !c->options->onStage(c->options->data, name);
  return !c->isCancelled;
}
