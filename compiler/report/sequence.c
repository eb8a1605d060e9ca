//===- sequence.c - the host's steps in order, repetitions folded ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes @main of a planned module. Leaves its steps in order, with equal neighbouring stretches, such as layers, folded
// into repetitions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/sequence.h"

#include "ir/graph/tg.h"
#include "ir/mlir/text_table.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Equal operations
//===----------------------------------------------------------------------===//

/// Views and constants cost nothing.
static bool isStep(MlirOperation op, StepKind *kind) {
  *kind = irOpIs(op, "stitch.fusion") ? STEP_KERNEL : irOpIs(op, "stitch.library_call") ? STEP_LIBRARY_CALL : STEP_HOST;
  TgKind tg = tgKindOf(op);
  return *kind != STEP_HOST || (tg != TG_NONE && tg != TG_constant && tg != TG_reshape);
}

/// Of an operation with several versions, the first one runs.
static void addSteps(Sequence *sequence, MlirBlock block, TextTable *texts, int64_t *numbers) {
  IR_FOR_EACH_OP(op, block) {
    StepKind kind;
    if (irOpIs(op, "stitch.adaptive"))
      addSteps(sequence, irBody(op, 0), texts, numbers);
    if (!isStep(op, &kind))
      continue;
    bool isNew;
    int64_t index = textTableAdd(texts, irOperationText(op), &isNew);
    if (isNew) {
      IR_RESERVE_ONE(sequence->steps, sequence->numSteps, sequence->stepCapacity);
      sequence->steps[sequence->numSteps++] = (ReportStep){kind, numbers[kind]++, 0, op};
    }
    ++sequence->steps[index].launches;
    IR_RESERVE_ONE(sequence->runs, sequence->numRuns, sequence->runCapacity);
    IR_RESERVE_ONE(sequence->ops, sequence->numRuns, sequence->opCapacity);
    sequence->ops[sequence->numRuns] = op;
    sequence->runs[sequence->numRuns++] = index;
  }
}

//===----------------------------------------------------------------------===//
// Repetitions
//===----------------------------------------------------------------------===//

enum { LONGEST_PERIOD = 128 };

/// How many of the steps from `start` on equal the step `period` later.
static int64_t matches(const Sequence *s, int64_t start, int64_t period) {
  int64_t n = 0;
  while (start + n + period < s->numRuns && s->runs[start + n] == s->runs[start + n + period])
    ++n;
  return n;
}

/// The repetition from `start` on that covers most steps, of these the shortest; one step if there is none.
static Stretch longestStretch(const Sequence *s, int64_t start) {
  Stretch best = {start, 1, 1};
  int64_t covered = 1;
  for (int64_t period = 1; period <= LONGEST_PERIOD && start + 2 * period <= s->numRuns; ++period) {
    int64_t times = matches(s, start, period) / period + 1;
    if (times > 1 && times * period > covered) {
      best = (Stretch){start, period, times};
      covered = times * period;
    }
  }
  return best;
}

/// A repetition that begins later but covers more goes first: the layers of a model rather than two equal kernels
/// in front of them.
static bool betterStartsSoon(const Sequence *s, Stretch stretch) {
  int64_t covered = stretch.length * stretch.times;
  for (int64_t start = stretch.start + 1; start < stretch.start + covered; ++start) {
    Stretch other = longestStretch(s, start);
    if (other.times > 1 && other.length * other.times > 2 * covered)
      return true;
  }
  return false;
}

static void addStretch(Sequence *s, Stretch stretch) {
  Stretch *last = s->numStretches ? &s->stretches[s->numStretches - 1] : NULL;
  if (last && last->times == 1 && stretch.times == 1) {
    last->length += stretch.length;
    return;
  }
  IR_RESERVE_ONE(s->stretches, s->numStretches, s->stretchCapacity);
  s->stretches[s->numStretches++] = stretch;
}

static void foldRepetitions(Sequence *s) {
  for (int64_t start = 0; start < s->numRuns;) {
    Stretch stretch = longestStretch(s, start);
    if (stretch.times > 1 && stretch.length < LONGEST_PERIOD && betterStartsSoon(s, stretch))
      stretch = (Stretch){start, 1, 1};
    addStretch(s, stretch);
    start += stretch.length * stretch.times;
  }
}

/// The steps that @main runs, without the repetitions.
static Sequence stepsOf(MlirOperation module) {
  Sequence sequence = {0};
  TextTable texts = {0};
  int64_t numbers[STEP_HOST + 1] = {0};
  MlirOperation function = irFindFunction(module, "main");
  MlirRegion body = mlirOperationIsNull(function) ? (MlirRegion){NULL} : mlirOperationGetRegion(function, 0);
  if (!mlirRegionIsNull(body) && !mlirBlockIsNull(mlirRegionGetFirstBlock(body)))
    addSteps(&sequence, mlirRegionGetFirstBlock(body), &texts, numbers);
  textTableDestroy(&texts);
  return sequence;
}

Sequence sequenceOf(MlirOperation module) {
  Sequence sequence = stepsOf(module);
  foldRepetitions(&sequence);
  return sequence;
}

int64_t sequenceKernels(MlirOperation module) {
  Sequence sequence = stepsOf(module);
  int64_t count = 0;
  for (int64_t i = 0; i < sequence.numSteps; ++i)
    count += sequence.steps[i].kind == STEP_KERNEL;
  sequenceDestroy(&sequence);
  return count;
}

void sequenceDestroy(Sequence *sequence) {
  free(sequence->steps);
  free(sequence->runs);
  free(sequence->ops);
  free(sequence->stretches);
}
