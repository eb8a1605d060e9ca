//===- selection.c - the integer program over patterns -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching 4.1. The score of a pattern is what it saves: f(P), the sum of what its operations take as kernels of
// their own less what it takes as one. Patterns with a positive score are variables; of those that share an operation
// one is chosen at most. Chosen patterns may form a cycle, each convex by itself (figure 3): then a constraint is added
// that rules out this choice, and the program is solved once more, until there is none.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/union_find.h"
#include "passes/stitch_outline/patterns/patterns.h"
#include "runtime/seconds.h"

#include <stdlib.h>
#include <string.h>

/// Programs that are solved at most; then the patterns of least score in what cycles are left are given up.
enum { MOST_PROGRAMS = 64 };

typedef struct {
  Patterns *patterns;
  const Dependences *dependences;
  Selection *result;
  NumberList *sets; ///< nodes of its candidates
  NumberList *conflicts;
  int64_t numConflicts;
  int64_t conflictCapacity;
} Search;

//===----------------------------------------------------------------------===//
// Levels, and what they cannot be found for
//===----------------------------------------------------------------------===//

/// The graph with each component contracted to its representative.
typedef struct {
  Outline *outline;
  const Dependences *dependences;
  int64_t *numWaiting; ///< component -> edges into it that have not been followed
  int64_t *nextMember; ///< node -> next of its component, or -1
  int64_t *queue;
  int64_t numDone; ///< components whose level is known
  IrArena arena;
} Contraction;

static int64_t componentOf(const Outline *outline, int64_t node) {
  return isStitched(outline, node) ? unionFindRoot(outline->components, node) : node;
}

static void countEdges(Contraction *c) {
  Outline *outline = c->outline;
  int64_t *last = IR_NEW_ARRAY(&c->arena, int64_t, outline->numNodes);
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    int64_t component = componentOf(outline, i);
    c->nextMember[i] = -1;
    if (component != i)
      c->nextMember[last[component]] = i;
    last[component] = i;
    for (int64_t j = c->dependences->firstProducer[i]; j < c->dependences->firstProducer[i + 1]; ++j)
      c->numWaiting[component] += componentOf(outline, c->dependences->producers[j]) != component;
  }
}

/// Follows the edges out of a component whose level is known.
static int64_t release(Contraction *c, int64_t component, int64_t end) {
  Outline *outline = c->outline;
  int64_t level = outline->nodes[component].level + isStitched(outline, component);
  for (int64_t node = component; node >= 0; node = c->nextMember[node])
    for (int64_t j = c->dependences->firstUser[node]; j < c->dependences->firstUser[node + 1]; ++j) {
      int64_t user = componentOf(outline, c->dependences->users[j]);
      if (user == component)
        continue;
      outline->nodes[user].level = max64(outline->nodes[user].level, level);
      if (--c->numWaiting[user] == 0)
        c->queue[end++] = user;
    }
  return end;
}

/// Finds the levels; those of components on cycles, and behind them, are left out.
static Contraction contract(Outline *outline, const Dependences *dependences) {
  Contraction c = {.outline = outline, .dependences = dependences};
  c.numWaiting = IR_NEW_ARRAY(&c.arena, int64_t, outline->numNodes);
  c.nextMember = IR_NEW_ARRAY(&c.arena, int64_t, outline->numNodes);
  c.queue = IR_NEW_ARRAY(&c.arena, int64_t, outline->numNodes + 1);
  countEdges(&c);
  int64_t end = 0;
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    outline->nodes[i].level = 0;
    bool isComponent = outline->nodes[i].kind != NODE_FREE && componentOf(outline, i) == i;
    if (isComponent && c.numWaiting[i] == 0)
      c.queue[end++] = i;
  }
  for (; c.numDone < end; ++c.numDone)
    end = release(&c, c.queue[c.numDone], end);
  for (int64_t i = 0; i < outline->numNodes; ++i)
    outline->nodes[i].level = outline->nodes[componentOf(outline, i)].level;
  return c;
}

void findLevelsOfComponents(Outline *outline, const Dependences *dependences) {
  Contraction c = contract(outline, dependences);
  irArenaDestroy(&c.arena);
}

//===----------------------------------------------------------------------===//
// Cycles
//===----------------------------------------------------------------------===//

/// A component that `component` waits for, too, and that is on a cycle or behind one: the first in program order.
static int64_t waitsFor(const Contraction *c, int64_t component) {
  for (int64_t node = component; node >= 0; node = c->nextMember[node])
    for (int64_t j = c->dependences->firstProducer[node]; j < c->dependences->firstProducer[node + 1]; ++j) {
      int64_t producer = componentOf(c->outline, c->dependences->producers[j]);
      if (producer != component && c->numWaiting[producer] > 0)
        return producer;
    }
  return -1;
}

static void addConflict(Search *s, const int64_t *sets, int64_t count) {
  int64_t *copy = IR_NEW_ARRAY(&s->patterns->outline->arena, int64_t, count);
  memcpy(copy, sets, sizeof(*sets) * (size_t)count);
  IR_RESERVE_ONE(s->conflicts, s->numConflicts, s->conflictCapacity);
  s->conflicts[s->numConflicts++] = (NumberList){copy, count};
}

/// Makes a conflict of each cycle that is met on the way back from components that wait. Returns how many.
static int64_t addCycles(Search *s, Contraction *c, const int64_t *setOf) {
  const Outline *outline = c->outline;
  int64_t *seen = IR_NEW_ARRAY(&c->arena, int64_t, outline->numNodes); // number of the walk that came along
  int64_t *path = IR_NEW_ARRAY(&c->arena, int64_t, outline->numNodes + 1), found = 0;
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    bool starts = outline->nodes[i].kind != NODE_FREE && componentOf(outline, i) == i && c->numWaiting[i] > 0;
    int64_t node = starts && !seen[i] ? i : -1, length = 0;
    for (; node >= 0 && !seen[node]; node = waitsFor(c, node)) {
      seen[node] = i + 1;
      path[length++] = node;
    }
    if (node < 0 || seen[node] != i + 1)
      continue;
    int64_t begin = 0, count = 0; // the cycle is the end of the path
    while (path[begin] != node)
      ++begin;
    for (int64_t j = begin; j < length; ++j)
      if (isStitched(outline, path[j]) && setOf[path[j]] >= 0)
        path[count++] = setOf[path[j]];
    if (count > 0) {
      addConflict(s, path, count);
      ++found;
    }
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

static void findCandidates(Search *s) {
  Patterns *p = s->patterns;
  IrArena *arena = &p->outline->arena;
  double *alone = IR_NEW_ARRAY(arena, double, p->outline->numNodes);
  for (int64_t i = 0; i < p->count; ++i)
    if (p->data[i].count == 1)
      alone[p->data[i].nodes[0]] = p->data[i].ns;
  s->result->candidates = IR_NEW_ARRAY(arena, int64_t, p->count + 1);
  s->sets = IR_NEW_ARRAY(arena, NumberList, p->count + 1);
  s->result->scores = IR_NEW_ARRAY(arena, double, p->count + 1);
  s->result->chosen = IR_NEW_ARRAY(arena, bool, p->count + 1);
  for (int64_t i = 0; i < p->count; ++i) {
    const Pattern *pattern = &p->data[i];
    double score = -pattern->ns;
    for (int64_t j = 0; j < pattern->count; ++j)
      score += alone[pattern->nodes[j]];
    if (pattern->count == 1 || score <= 0)
      continue;
    s->result->candidates[s->result->count] = i;
    s->sets[s->result->count] = (NumberList){pattern->nodes, pattern->count};
    s->result->scores[s->result->count++] = score;
  }
}

/// Makes the chosen patterns the components.
static void uniteChosen(Search *s, int64_t *setOf) {
  Outline *outline = s->patterns->outline;
  outline->components = unionFindCreate(&outline->arena, outline->numNodes);
  memset(setOf, -1, sizeof(*setOf) * (size_t)outline->numNodes);
  for (int64_t i = 0; i < s->result->count; ++i)
    for (int64_t j = 0; s->result->chosen[i] && j < s->sets[i].count; ++j) {
      unionFindUnite(outline->components, s->sets[i].data[0], s->sets[i].data[j]);
      setOf[s->sets[i].data[j]] = i;
    }
}

/// Gives up the pattern of least score in each of the newest conflicts.
static void giveUp(Search *s, int64_t firstConflict) {
  for (int64_t i = firstConflict; i < s->numConflicts; ++i) {
    int64_t least = s->conflicts[i].data[0];
    for (int64_t j = 1; j < s->conflicts[i].count; ++j)
      if (s->result->scores[s->conflicts[i].data[j]] < s->result->scores[least])
        least = s->conflicts[i].data[j];
    s->result->chosen[least] = false;
  }
}

void explainSelection(const Patterns *p, const Selection *s) {
  static const char *const names[] = {"single",  "substitution", "exploration", "aggregation",
                                      "AStitch", "XLA",          "union"};
  MlirOperation at = mlirBlockGetParentOperation(p->outline->block);
  int64_t numChosen = 0;
  double score = 0;
  for (int64_t i = 0; i < s->count; ++i) {
    numChosen += s->chosen[i];
    score += s->chosen[i] ? s->scores[i] : 0;
    const Pattern *pattern = &p->data[s->candidates[i]];
    if (s->chosen[i])
      stitchRemark(p->outline->nodes[pattern->nodes[pattern->count - 1]].op,
                   "pattern of %lld operations (%s) is chosen: %.0f ns as one kernel, which saves %.0f ns",
                   (long long)pattern->count, names[pattern->source], pattern->ns, s->scores[i]);
  }
  if (s->count > 0)
    stitchRemark(
        at,
        "%lld of %lld patterns are chosen, which saves %.0f ns; %lld programs, %lld cycles ruled out; of the "
        "last one's parts %lld were searched through, %lld solved, %lld solved without proof, %lld chosen from "
        "greedily",
        (long long)numChosen, (long long)s->count, score, (long long)s->numPrograms, (long long)s->numConflicts,
        (long long)s->report.numSearched, (long long)s->report.numSolved, (long long)s->report.numUnproved,
        (long long)s->report.numGreedy);
  if (s->report.numGreedy > 0)
    stitchRemark(at, "libCbcSolver was not found (Debian: coinor-libcbc3): large parts were chosen from greedily");
}

Selection selectPatterns(Patterns *patterns, Dependences *dependences, double *seconds) {
  Outline *outline = patterns->outline;
  Selection result = {0};
  Search s = {.patterns = patterns, .dependences = dependences, .result = &result};
  findCandidates(&s);
  int64_t *setOf = IR_NEW_ARRAY(&outline->arena, int64_t, outline->numNodes);
  double end = secondsOfThread() + *seconds;
  for (int64_t cycles = 1; cycles > 0;) {
    int64_t known = s.numConflicts;
    if (result.numPrograms < MOST_PROGRAMS && secondsOfThread() < end) {
      SetPacking problem = {.numElements = outline->numNodes,
                            .numSets = result.count,
                            .sets = s.sets,
                            .scores = result.scores,
                            .numConflicts = s.numConflicts,
                            .conflicts = s.conflicts,
                            .seconds = end - secondsOfThread()};
      setPackingSolve(&problem, result.chosen, &result.report);
      ++result.numPrograms;
    }
    uniteChosen(&s, setOf);
    Contraction c = contract(outline, dependences);
    cycles = addCycles(&s, &c, setOf);
    irArenaDestroy(&c.arena);
    if (result.numPrograms == MOST_PROGRAMS || secondsOfThread() >= end)
      giveUp(&s, known);
  }
  result.numConflicts = s.numConflicts;
  *seconds = end - secondsOfThread();
  free(s.conflicts);
  return result;
}
