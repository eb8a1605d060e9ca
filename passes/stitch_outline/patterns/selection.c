//===- selection.c - the integer program over patterns -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching 4.1. The score of a pattern is its gain: f(P), the sum of the costs of its operations as kernels of
// their own less the cost as one. Patterns with a positive score are variables; of those that share an operation one is
// chosen at most. Chosen patterns may form a cycle, each convex by itself (figure 3): then constraints are added and
// the program is solved once more, until there is none.
//
// Each pattern of a cycle has an operation that the one before reads, and one that waits for the one behind. Any
// patterns that have these, one for each place in the cycle, are a cycle, too. So the constraint is that of all
// patterns with any of them fewer are chosen than there are places. (Patterns with the same operation exclude each
// other.)
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/union_find.h"
#include "passes/stitch_outline/patterns/patterns.h"
#include "runtime/seconds.h"

#include <stdlib.h>
#include <string.h>

/// Programs that are solved at most; then the patterns of least score in the remaining cycles are given up.
enum { MOST_PROGRAMS = 64 };

typedef struct {
  Patterns *patterns;
  const Dependences *dependences;
  PatternSelection *result;
  NumberList *sets;   ///< nodes of its candidates
  NumberList *setsOf; ///< node -> the candidates that have it, rising
  SetConflict *conflicts;
  int64_t numConflicts;
  int64_t conflictCapacity;
} SelectionProgram;

//===----------------------------------------------------------------------===//
// Levels, and nodes without one
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

/// Takes components that wait for cycles and are on none, nor between two, off those that wait: whose users wait.
static void releaseBehind(Contraction *c) {
  const Outline *outline = c->outline;
  const Dependences *d = c->dependences;
  int64_t *numUsers = IR_NEW_ARRAY(&c->arena, int64_t, outline->numNodes), begin = 0, end = 0;
  for (int64_t i = 0; i < outline->numNodes; ++i)
    for (int64_t j = d->firstUser[i]; j < d->firstUser[i + 1] && c->numWaiting[componentOf(outline, i)] > 0; ++j) {
      int64_t user = componentOf(outline, d->users[j]);
      numUsers[componentOf(outline, i)] += user != componentOf(outline, i) && c->numWaiting[user] > 0;
    }
  for (int64_t i = 0; i < outline->numNodes; ++i)
    if (componentOf(outline, i) == i && c->numWaiting[i] > 0 && numUsers[i] == 0)
      c->queue[end++] = i;
  for (; begin < end; ++begin) {
    c->numWaiting[c->queue[begin]] = 0;
    for (int64_t node = c->queue[begin]; node >= 0; node = c->nextMember[node])
      for (int64_t j = d->firstProducer[node]; j < d->firstProducer[node + 1]; ++j) {
        int64_t producer = componentOf(outline, d->producers[j]);
        if (producer != c->queue[begin] && c->numWaiting[producer] > 0 && --numUsers[producer] == 0)
          c->queue[end++] = producer;
      }
  }
}

/// One component of a cycle: one of its nodes reads the component before it, and another one is read.
typedef struct {
  int64_t component, in, out;
} Passage;

/// The search for short cycles among the components that wait.
typedef struct {
  Contraction *c;
  Passage *from;   ///< component -> the one that waits for it: by its node `in`, for `out` of this one
  int64_t *seenBy; ///< component -> 1 + the start that came along last
  bool *isFound;   ///< component -> whether it is on a cycle that was found
  Passage *cycle;
  int64_t *mark; ///< node -> the question that came along last
  int64_t *stack;
  int64_t stamp; ///< of the last question
  int64_t left;  ///< edges that may still be followed: many components wait only if the graph is strange
} CycleSearch;

/// Lists the components from `last`, which waits for `start` by its node `in`, back to that.
static int64_t listCycle(CycleSearch *s, int64_t last, int64_t in, int64_t start, int64_t out) {
  int64_t length = 0;
  for (int64_t i = last; i != start; i = s->from[i].component) {
    s->cycle[length++] = (Passage){i, in, s->from[i].out};
    in = s->from[i].in;
  }
  s->cycle[length++] = (Passage){start, in, out};
  return length;
}

/// The shortest cycle through a component. Its length, 0: there is none.
static int64_t shortestCycle(CycleSearch *s, int64_t start) {
  const Outline *outline = s->c->outline;
  const Dependences *d = s->c->dependences;
  int64_t begin = 0, end = 0;
  s->c->queue[end++] = start;
  for (; begin < end; ++begin) {
    int64_t component = s->c->queue[begin];
    for (int64_t node = component; node >= 0; node = s->c->nextMember[node])
      for (int64_t j = d->firstProducer[node]; j < d->firstProducer[node + 1]; ++j) {
        int64_t producer = componentOf(outline, d->producers[j]);
        --s->left;
        if (producer == start && component != start)
          return listCycle(s, component, node, start, d->producers[j]);
        if (s->c->numWaiting[producer] == 0 || producer == start || s->seenBy[producer] == start + 1)
          continue;
        s->seenBy[producer] = start + 1;
        s->from[producer] = (Passage){component, node, d->producers[j]};
        s->c->queue[end++] = producer;
      }
  }
  return 0;
}

/// Whether node `out` reads node `in`, directly or by way of others, whatever is chosen. Numbers are program order.
static bool dependsOn(CycleSearch *s, int64_t out, int64_t in) {
  const Dependences *d = s->c->dependences;
  int64_t depth = 0, stamp = ++s->stamp;
  if (out < in)
    return false;
  s->stack[depth++] = out;
  s->mark[out] = stamp;
  while (depth > 0) {
    int64_t node = s->stack[--depth];
    if (node == in)
      return true;
    for (int64_t j = d->firstProducer[node]; j < d->firstProducer[node + 1]; ++j) {
      int64_t producer = d->producers[j];
      --s->left;
      if (producer < in || s->mark[producer] == stamp)
        continue;
      s->mark[producer] = stamp;
      s->stack[depth++] = producer;
    }
  }
  return false;
}

/// Takes components that the graph itself has on the way off a cycle. They are components that are no candidate, and
/// those that are read by a node that depends on the reading one. The rest is a cycle as long as there are two of them.
static int64_t keepJumps(CycleSearch *search, const SelectionProgram *s, Passage *cycle, int64_t length,
                         const int64_t *setOf) {
  const Outline *outline = s->patterns->outline;
  int64_t numSets = 0, numJumps = 0;
  for (int64_t i = 0; i < length; ++i)
    if (isStitched(outline, cycle[i].component) && setOf[cycle[i].component] >= 0)
      cycle[numSets++] = cycle[i];
  bool *jumps = irAllocateZeroed((size_t)numSets + 1, sizeof(bool));
  for (int64_t i = 0; i < numSets; ++i)
    numJumps += jumps[i] = !dependsOn(search, cycle[i].out, cycle[i].in);
  int64_t count = 0;
  for (int64_t i = 0; i < numSets; ++i)
    if (jumps[i] || numJumps < 2)
      cycle[count++] = cycle[i];
  free(jumps);
  return count;
}

/// Marks the nodes that depend on a node, and it itself.
static void markReaders(CycleSearch *s, int64_t node) {
  const Dependences *d = s->c->dependences;
  int64_t depth = 0, stamp = ++s->stamp;
  s->stack[depth++] = node;
  s->mark[node] = stamp;
  while (depth > 0) {
    int64_t reader = s->stack[--depth];
    for (int64_t j = d->firstUser[reader]; j < d->firstUser[reader + 1]; ++j) {
      --s->left;
      if (s->mark[d->users[j]] == stamp)
        continue;
      s->mark[d->users[j]] = stamp;
      s->stack[depth++] = d->users[j];
    }
  }
}

/// Adds the candidates that have a node and something that is marked to a list, each once.
static int64_t addMarkedSets(const CycleSearch *search, const SelectionProgram *s, int64_t node, bool *isListed,
                             int64_t *list, int64_t count) {
  for (int64_t i = 0; i < s->setsOf[node].count; ++i) {
    int64_t set = s->setsOf[node].data[i];
    bool isMarked = false;
    for (int64_t j = 0; j < s->sets[set].count && !isMarked && !isListed[set]; ++j)
      isMarked = search->mark[s->sets[set].data[j]] == search->stamp;
    if (!isMarked)
      continue;
    isListed[set] = true;
    list[count++] = set;
  }
  return count;
}

/// Adds the conflict of so many candidates that are a cycle, each of which reads the one before. One that is a cycle by
/// itself, with operations that are in none, says nothing about others: they may have the operations in between.
static void addConflict(CycleSearch *search, SelectionProgram *s, const Passage *cycle, int64_t length,
                        const int64_t *setOf) {
  int64_t numSets = s->result->count, count = 0;
  bool *isListed = irAllocateZeroed((size_t)numSets + 1, sizeof(bool));
  int64_t *list = irAllocate(sizeof(*list) * (size_t)(numSets + 1));
  for (int64_t i = 0; i < length && length > 1; ++i) {
    markReaders(search, cycle[i > 0 ? i - 1 : length - 1].out);
    count = addMarkedSets(search, s, cycle[i].out, isListed, list, count);
  }
  if (length == 1)
    list[count++] = setOf[cycle[0].component];
  int64_t *copy = IR_NEW_ARRAY(&s->patterns->outline->arena, int64_t, count);
  memcpy(copy, list, sizeof(*list) * (size_t)count);
  free(isListed);
  free(list);
  IR_RESERVE_ONE(s->conflicts, s->numConflicts, s->conflictCapacity);
  s->conflicts[s->numConflicts++] = (SetConflict){{copy, count}, length - 1};
}

/// Makes conflicts of short cycles, one through each component that is on any. Returns how many: at least one if there
/// is a cycle.
static int64_t addCycles(SelectionProgram *s, Contraction *c, const int64_t *setOf) {
  enum { MOST_EDGES = 20000000 };
  const Outline *outline = c->outline;
  releaseBehind(c);
  CycleSearch search = {c,
                        IR_NEW_ARRAY(&c->arena, Passage, outline->numNodes),
                        IR_NEW_ARRAY(&c->arena, int64_t, outline->numNodes),
                        IR_NEW_ARRAY(&c->arena, bool, outline->numNodes),
                        IR_NEW_ARRAY(&c->arena, Passage, outline->numNodes + 1),
                        IR_NEW_ARRAY(&c->arena, int64_t, outline->numNodes),
                        IR_NEW_ARRAY(&c->arena, int64_t, outline->numNodes + 1),
                        0,
                        MOST_EDGES};
  int64_t found = 0;
  for (int64_t i = 0; i < outline->numNodes && (search.left > 0 || found == 0); ++i) {
    bool starts = outline->nodes[i].kind != NODE_FREE && componentOf(outline, i) == i && c->numWaiting[i] > 0;
    int64_t length = starts && !search.isFound[i] ? shortestCycle(&search, i) : 0;
    for (int64_t j = 0; j < length; ++j)
      search.isFound[search.cycle[j].component] = true;
    int64_t numSets = keepJumps(&search, s, search.cycle, length, setOf);
    if (numSets == 0)
      continue;
    addConflict(&search, s, search.cycle, numSets, setOf);
    ++found;
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

static void findCandidates(SelectionProgram *s) {
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

static void listSetsOfNodes(SelectionProgram *s) {
  IrArena *arena = &s->patterns->outline->arena;
  int64_t *counts = IR_NEW_ARRAY(arena, int64_t, s->patterns->outline->numNodes + 1);
  for (int64_t i = 0; i < s->result->count; ++i)
    for (int64_t j = 0; j < s->sets[i].count; ++j)
      ++counts[s->sets[i].data[j]];
  int64_t **lists = IR_NEW_ARRAY(arena, int64_t *, s->patterns->outline->numNodes + 1);
  s->setsOf = IR_NEW_ARRAY(arena, NumberList, s->patterns->outline->numNodes + 1);
  for (int64_t n = 0; n < s->patterns->outline->numNodes; ++n)
    s->setsOf[n].data = lists[n] = IR_NEW_ARRAY(arena, int64_t, counts[n] + 1);
  for (int64_t i = 0; i < s->result->count; ++i)
    for (int64_t j = 0; j < s->sets[i].count; ++j) {
      int64_t node = s->sets[i].data[j];
      lists[node][s->setsOf[node].count++] = i;
    }
}

/// Makes the chosen patterns the components.
static void uniteChosen(SelectionProgram *s, int64_t *setOf) {
  Outline *outline = s->patterns->outline;
  outline->components = unionFindCreate(&outline->arena, outline->numNodes);
  memset(setOf, -1, sizeof(*setOf) * (size_t)outline->numNodes);
  for (int64_t i = 0; i < s->result->count; ++i)
    for (int64_t j = 0; s->result->chosen[i] && j < s->sets[i].count; ++j) {
      unionFindUnite(outline->components, s->sets[i].data[0], s->sets[i].data[j]);
      setOf[s->sets[i].data[j]] = i;
    }
}

/// Gives up the chosen pattern of least score in each of the newest conflicts.
static void giveUp(SelectionProgram *s, int64_t firstConflict) {
  for (int64_t i = firstConflict; i < s->numConflicts; ++i) {
    const NumberList *sets = &s->conflicts[i].sets;
    int64_t least = -1;
    for (int64_t j = 0; j < sets->count; ++j)
      if (s->result->chosen[sets->data[j]] &&
          (least < 0 || s->result->scores[sets->data[j]] < s->result->scores[least]))
        least = sets->data[j];
    if (least >= 0)
      s->result->chosen[least] = false;
  }
}

void explainSelection(const Patterns *p, const PatternSelection *s) {
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

PatternSelection selectPatterns(Patterns *patterns, Dependences *dependences, double *seconds) {
  Outline *outline = patterns->outline;
  PatternSelection result = {0};
  SelectionProgram s = {.patterns = patterns, .dependences = dependences, .result = &result};
  findCandidates(&s);
  listSetsOfNodes(&s);
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
