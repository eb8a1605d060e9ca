//===- report_graph.c - steps of a model as a graph -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A column is a rank: one more than the highest rank of an operation's operands. A repetition begins a new rank and
// ends with one, so that its box holds nothing else.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/report_graph.h"

#include "compiler/report/html.h"
#include "ir/graph/tg.h"
#include "ir/mlir/map.h"

#include <stdlib.h>

typedef long long ll;

enum {
  BOX_WIDTH = 74,
  BOX_HEIGHT = 34,
  GAP_X = 34,
  GAP_Y = 12,
  MARGIN = 12,
  CAPTION = 18,
  LARGEST_ARC = 64,
  LARGEST_FAN = 8,
  LARGEST_GRAPH = 400
};

/// A tensor that one drawn run makes and another one reads.
typedef struct {
  int64_t from, to;
  bool carried; ///< from one iteration to the next
  MlirValue value;
} Link;

typedef struct {
  const Sequence *sequence;
  IrArena arena;
  int64_t *drawn; ///< run -> the run that is drawn for it: the same place in the first iteration
  int64_t *rank;  ///< of drawn runs
  int64_t *place; ///< of drawn runs: position in their rank
  int64_t numRanks;
  int64_t tallest;
  int64_t *numPlaces; ///< by rank
  Link *links;
  int64_t numLinks, linkCapacity;
} DrawnGraph;

void writeStepName(FILE *out, const ReportStep *step) {
  static const char prefixes[] = "KLH";
  fprintf(out, "%c%lld", prefixes[step->kind], (ll)step->number);
}

/// The same operation a few times is drawn as often.
static bool isBoxed(const Stretch *stretch) {
  return stretch->times > 1 && (stretch->length > 1 || stretch->times > LARGEST_FAN);
}

static int64_t numDrawnOf(const Stretch *stretch) { return stretch->length * (isBoxed(stretch) ? 1 : stretch->times); }

static const ReportStep *drawnStep(const DrawnGraph *g, int64_t run) {
  return &g->sequence->steps[g->sequence->runs[run]];
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

static void findDrawn(DrawnGraph *g) {
  const Sequence *s = g->sequence;
  for (int64_t i = 0; i < s->numStretches; ++i) {
    const Stretch *stretch = &s->stretches[i];
    for (int64_t r = 0; r < stretch->length * stretch->times; ++r)
      g->drawn[stretch->start + r] = stretch->start + (isBoxed(stretch) ? r % stretch->length : r);
  }
}

/// The run that makes a value, views looked through; -1 for inputs and constants.
static int64_t runOf(const IrMap *runs, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  while (!mlirOperationIsNull(op) && tgKindOf(op) == TG_reshape)
    op = irDefiningOp(irOperand(op, 0));
  return mlirOperationIsNull(op) ? -1 : irMapGet(runs, op.ptr, -1);
}

static int compareLinks(const void *a, const void *b) {
  const Link *x = a, *y = b;
  if (x->to != y->to)
    return x->to < y->to ? -1 : 1;
  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  return x->carried - y->carried;
}

/// One link for each pair of drawn runs.
static void findLinks(DrawnGraph *g) {
  const Sequence *s = g->sequence;
  IrMap runs = {0};
  for (int64_t r = 0; r < s->numRuns; ++r)
    irMapSet(&runs, s->ops[r].ptr, r);
  for (int64_t r = 0; r < s->numRuns; ++r)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(s->ops[r]); ++i) {
      int64_t from = runOf(&runs, irOperand(s->ops[r], i));
      if (from < 0)
        continue;
      IR_RESERVE_ONE(g->links, g->numLinks, g->linkCapacity);
      g->links[g->numLinks++] =
          (Link){g->drawn[from], g->drawn[r], g->drawn[from] >= g->drawn[r], irOperand(s->ops[r], i)};
    }
  irMapDestroy(&runs);
  if (g->numLinks > 0)
    qsort(g->links, (size_t)g->numLinks, sizeof(*g->links), compareLinks);
  int64_t distinct = 0;
  for (int64_t i = 0; i < g->numLinks; ++i)
    if (distinct == 0 || compareLinks(&g->links[i], &g->links[distinct - 1]) != 0)
      g->links[distinct++] = g->links[i];
  g->numLinks = distinct;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static void rankStretch(DrawnGraph *g, const Stretch *stretch, int64_t first, int64_t *link) {
  for (int64_t r = stretch->start; r < stretch->start + numDrawnOf(stretch); ++r) {
    g->rank[r] = first;
    for (; *link < g->numLinks && g->links[*link].to <= r; ++*link) {
      const Link *l = &g->links[*link];
      if (l->to == r && !l->carried && g->rank[l->from] + 1 > g->rank[r])
        g->rank[r] = g->rank[l->from] + 1;
    }
    if (g->rank[r] >= g->numRanks)
      g->numRanks = g->rank[r] + 1;
  }
}

static void findPlaces(DrawnGraph *g) {
  const Sequence *s = g->sequence;
  int64_t first = 0, link = 0;
  for (int64_t i = 0; i < s->numStretches; ++i) {
    bool afterBox = i > 0 && isBoxed(&s->stretches[i - 1]);
    if (isBoxed(&s->stretches[i]) || afterBox)
      first = g->numRanks;
    rankStretch(g, &s->stretches[i], first, &link);
  }
  g->numPlaces = IR_NEW_ARRAY(&g->arena, int64_t, g->numRanks);
  for (int64_t r = 0; r < s->numRuns; ++r) {
    if (g->drawn[r] != r)
      continue;
    g->place[r] = g->numPlaces[g->rank[r]]++;
    if (g->place[r] >= g->tallest)
      g->tallest = g->place[r] + 1;
  }
}

static int64_t left(const DrawnGraph *g, int64_t run) { return 2 * MARGIN + g->rank[run] * (BOX_WIDTH + GAP_X); }

/// Columns are centred.
static int64_t top(const DrawnGraph *g, int64_t run) {
  int64_t step = BOX_HEIGHT + GAP_Y;
  return CAPTION + MARGIN + g->place[run] * step + (g->tallest - g->numPlaces[g->rank[run]]) * step / 2;
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

static void writeRepetition(FILE *out, const DrawnGraph *g, const Stretch *stretch) {
  int64_t low = INT64_MAX, high = 0;
  for (int64_t r = stretch->start; r < stretch->start + stretch->length; ++r) {
    low = left(g, r) < low ? left(g, r) : low;
    high = left(g, r) > high ? left(g, r) : high;
  }
  fprintf(out,
          "<g class=times><rect x=%lld y=4 width=%lld height=%lld rx=9 /><text x=%lld y=18>%lld times</text></g>\n",
          (ll)(low - MARGIN), (ll)(high - low + BOX_WIDTH + 2 * MARGIN),
          (ll)(CAPTION + MARGIN + g->tallest * (BOX_HEIGHT + GAP_Y) + LARGEST_ARC / 2 - 4), (ll)(low - MARGIN + 8),
          (ll)stretch->times);
}

static void writeLink(FILE *out, const DrawnGraph *g, const Link *link) {
  static const char *const kinds[] = {"kernel", "library", "host"};
  int64_t x0 = left(g, link->from) + BOX_WIDTH, y0 = top(g, link->from) + BOX_HEIGHT / 2;
  int64_t x1 = left(g, link->to), y1 = top(g, link->to) + BOX_HEIGHT / 2;
  int64_t bend = link->carried ? GAP_X : (x1 - x0) / 2, arc = 0, ranks = g->rank[link->to] - g->rank[link->from];
  if (ranks > 1 || link->carried) { // below the boxes between them
    bend = GAP_X;
    arc = BOX_HEIGHT + 6 * ranks;
    arc = arc > LARGEST_ARC ? LARGEST_ARC : arc < BOX_HEIGHT ? LARGEST_ARC : arc;
  }
  fprintf(out, "<path class=\"%s%s\" data-a=%lld data-b=%lld d=\"M%lld %lldC%lld %lld %lld %lld %lld %lld\"><title>",
          kinds[drawnStep(g, link->from)->kind], link->carried ? " carried" : "", (ll)link->from, (ll)link->to, (ll)x0,
          (ll)y0, (ll)(x0 + bend), (ll)(y0 + arc), (ll)(x1 - bend), (ll)(y1 + arc), (ll)x1, (ll)y1);
  htmlType(out, mlirValueGetType(link->value));
  fputs("</title></path>\n", out);
}

/// The operation that a library call or the host executes.
static MlirOperation executed(const ReportStep *step) {
  return step->kind == STEP_LIBRARY_CALL ? mlirBlockGetFirstOperation(irBody(step->op, 0)) : step->op;
}

static int64_t numOperations(MlirOperation fusion) {
  int64_t count = -1; // the terminator
  IR_FOR_EACH_OP(op, irBody(fusion, 0))
    ++count;
  return count;
}

static void writeStep(FILE *out, const DrawnGraph *g, int64_t run) {
  static const char *const kinds[] = {"kernel", "library", "host"};
  const ReportStep *step = drawnStep(g, run);
  MlirOperation op = g->sequence->ops[run];
  fputs("<a href=\"#", out);
  writeStepName(out, step);
  fprintf(out, "\"><g class=\"step %s\" data-r=%lld transform=\"translate(%lld,%lld)\"><title>", kinds[step->kind],
          (ll)run, (ll)left(g, run), (ll)top(g, run));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    fputs(i ? ", " : "makes ", out);
    htmlType(out, mlirValueGetType(irResult(op, i)));
  }
  fprintf(out, "</title><rect width=%d height=%d rx=6 /><text class=op x=8 y=14>", BOX_WIDTH, BOX_HEIGHT);
  writeStepName(out, step);
  fputs("</text><text x=8 y=28>", out);
  if (step->kind == STEP_KERNEL) {
    fprintf(out, "%lld op%s", (ll)numOperations(op), numOperations(op) == 1 ? "" : "s");
  } else {
    MlirStringRef name = irOpName(executed(step));
    bool tg = name.length > 3 && name.data[2] == '.';
    htmlText(out, tg ? name.data + 3 : name.data, tg ? name.length - 3 : name.length);
  }
  fputs("</text></g></a>\n", out);
}

static void draw(FILE *out, const DrawnGraph *g) {
  const Sequence *s = g->sequence;
  fprintf(out, "<div class=\"picture flow\"><svg width=%lld height=%lld>\n",
          (ll)(4 * MARGIN + g->numRanks * (BOX_WIDTH + GAP_X) - GAP_X),
          (ll)(CAPTION + 2 * MARGIN + g->tallest * (BOX_HEIGHT + GAP_Y) + LARGEST_ARC / 2));
  for (int64_t i = 0; i < s->numStretches; ++i)
    if (isBoxed(&s->stretches[i]))
      writeRepetition(out, g, &s->stretches[i]);
  for (int64_t i = 0; i < g->numLinks; ++i)
    writeLink(out, g, &g->links[i]);
  for (int64_t r = 0; r < s->numRuns; ++r)
    if (g->drawn[r] == r)
      writeStep(out, g, r);
  fputs("</svg></div>\n", out);
}

void writeGraph(FILE *out, const Sequence *sequence) {
  DrawnGraph g = {.sequence = sequence};
  int64_t numDrawn = 0;
  for (int64_t i = 0; i < sequence->numStretches; ++i)
    numDrawn += numDrawnOf(&sequence->stretches[i]);
  if (numDrawn < 2 || numDrawn > LARGEST_GRAPH)
    return;
  g.drawn = IR_NEW_ARRAY(&g.arena, int64_t, sequence->numRuns);
  g.rank = IR_NEW_ARRAY(&g.arena, int64_t, sequence->numRuns);
  g.place = IR_NEW_ARRAY(&g.arena, int64_t, sequence->numRuns);
  findDrawn(&g);
  findLinks(&g);
  findPlaces(&g);
  draw(out, &g);
  free(g.links);
  irArenaDestroy(&g.arena);
}
