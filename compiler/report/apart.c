//===- apart.c - why two steps are not one kernel ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the kernels and calls of a plan; leaves the reasons that --explain has, by pairs, for a click on two
// operations.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/apart.h"

#include "compiler/report/report_graph.h"
#include "ir/graph/tg.h"
#include "passes/stitch_rules/check.h"

#include <stdlib.h>
#include <string.h>

/// Pairs of more steps than these are not looked at.
enum { MOST_STEPS = 64 };

static const char allowed[] = "nothing forbids them one kernel: by the cost model, or the rules of this plan, they are "
                              "better apart";

typedef struct {
  const char **data;
  int64_t count, capacity;
} TextList;

static int64_t numberOfText(TextList *texts, const char *text) {
  for (int64_t i = 0; i < texts->count; ++i)
    if (strcmp(texts->data[i], text) == 0)
      return i;
  IR_RESERVE_ONE(texts->data, texts->count, texts->capacity);
  texts->data[texts->count] = text;
  return texts->count++;
}

/// A text of JavaScript, which may stand in HTML.
static void writeText(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; ++text) {
    if (*text == '<' || *text == '"' || *text == '\\' || (unsigned char)*text < ' ')
      fprintf(out, "\\x%02x", (unsigned char)*text);
    else
      fputc(*text, out);
  }
  fputc('"', out);
}

/// The operation that represents a step: a fusion itself, or the product of a call.
static RuleOp opOf(const ReportStep *step) {
  MlirOperation op = step->op;
  bool isCall = irOpIs(op, "stitch.library_call");
  RuleOp found = {op, op};
  for (MlirOperation inner = isCall ? mlirBlockGetFirstOperation(irBody(op, 0)) : (MlirOperation){NULL};
       !mlirOperationIsNull(inner); inner = irNextOp(inner))
    if (tgClassOfKind(tgKindOf(inner)) == TG_CLASS_COMPUTE) {
      found.op = inner;
      break;
    }
  if (!isCall && !irOpIs(op, "stitch.fusion") && tgClassOfKind(tgKindOf(op)) != TG_CLASS_KERNEL)
    found.kernel = (MlirOperation){NULL};
  return found;
}

void writeReasons(FILE *out, const Sequence *s) {
  IrArena arena = {0};
  TextList texts = {0};
  int64_t count = s->numSteps <= MOST_STEPS ? s->numSteps : 0;
  fputs("const apart = {", out);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = i + 1; k < count; ++k) {
      RuleOp a = opOf(&s->steps[i]), b = opOf(&s->steps[k]);
      const char *reason = whyApart(&arena, &a, &b);
      fputc('"', out);
      writeStepName(out, &s->steps[i]);
      fputc(' ', out);
      writeStepName(out, &s->steps[k]);
      fprintf(out, "\":%lld,", (long long)numberOfText(&texts, reason ? reason : allowed));
    }
  fputs("}, reasons = [", out);
  for (int64_t i = 0; i < texts.count; ++i) {
    writeText(out, texts.data[i]);
    fputc(',', out);
  }
  fputs("];\n", out);
  free(texts.data);
  irArenaDestroy(&arena);
}
