//===- check_body.c - reductions by a body --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body is evaluated on whole tensors, whose elements stand for its scalars: neighbours are combined until one is
// left.
//
//===----------------------------------------------------------------------===//

#include "tools/check/check_body.h"

#include "tools/check/window.h"

#include <stdlib.h>

void tuplesDestroy(Tuples *t) {
  for (int64_t k = 0; k < t->count; ++k)
    checkTensorFree(t->tensors[k]);
  *t = (Tuples){0};
}

bool tuplesCreate(Tuples *t, int64_t count, const CheckTensor *const *like, int64_t elements) {
  *t = (Tuples){.count = count};
  CheckShape shape = {1, {elements}};
  for (int64_t k = 0; k < count; ++k) {
    t->tensors[k] = checkTensorCreate(like[k]->type, &shape);
    if (!t->tensors[k] || (like[k]->error && !checkTensorAddErrors(t->tensors[k]))) {
      tuplesDestroy(t);
      return false;
    }
  }
  return true;
}

void tuplesSet(Tuples *t, int64_t i, const CheckTensor *const *from, int64_t j) {
  for (int64_t k = 0; k < t->count; ++k)
    checkCopyElement(t->tensors[k], i, from[k], j);
}

const char *tuplesCombine(const CheckCall *call, const CheckGraph *body, const Tuples *a, const Tuples *b,
                          Tuples *result) {
  const CheckTensor *arguments[2 * CHECK_MAX_RESULTS];
  *result = (Tuples){.count = a->count};
  for (int64_t k = 0; k < a->count; ++k) {
    arguments[k] = a->tensors[k];
    arguments[a->count + k] = b->tensors[k];
  }
  return checkEvaluateBody(call, body, arguments, result->tensors);
}

/// The operands from `first` on, as many as there are results.
static const CheckTensor *const *operandsFrom(const CheckCall *call, int64_t first) { return call->operands + first; }

static const char *setResults(const CheckCall *call, const Tuples *t) {
  for (int64_t k = 0; k < t->count; ++k) {
    CheckTensor *result = call->results[k];
    if (t->tensors[k]->error && !checkTensorAddErrors(result))
      return checkOutOfMemory;
    for (int64_t i = 0; i < result->count; ++i)
      checkCopyElement(result, i, t->tensors[k], i);
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Of dimensions
//===----------------------------------------------------------------------===//

/// Every other element of each line, from `first` on.
static bool everyOther(const Tuples *t, int64_t lines, int64_t size, int64_t first, Tuples *half) {
  int64_t count = size / 2;
  if (!tuplesCreate(half, t->count, (const CheckTensor *const *)t->tensors, lines * count))
    return false;
  for (int64_t line = 0; line < lines; ++line)
    for (int64_t i = 0; i < count; ++i)
      tuplesSet(half, line * count + i, (const CheckTensor *const *)t->tensors, line * size + 2 * i + first);
  return true;
}

/// Puts the last element of lines of odd length behind their combined pairs.
static bool withLast(const Tuples *t, int64_t lines, int64_t size, Tuples *combined) {
  int64_t pairs = size / 2;
  Tuples all;
  if (size % 2 == 0)
    return true;
  if (!tuplesCreate(&all, t->count, (const CheckTensor *const *)combined->tensors, lines * (pairs + 1)))
    return false;
  for (int64_t k = 0; k < t->count; ++k)
    if (t->tensors[k]->error && !checkTensorAddErrors(all.tensors[k]))
      return tuplesDestroy(&all), false;
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t i = 0; i < pairs; ++i)
      tuplesSet(&all, line * (pairs + 1) + i, (const CheckTensor *const *)combined->tensors, line * pairs + i);
    tuplesSet(&all, line * (pairs + 1) + pairs, (const CheckTensor *const *)t->tensors, line * size + size - 1);
  }
  tuplesDestroy(combined);
  *combined = all;
  return true;
}

/// Combines the `size` elements of each line to one. `t` is replaced.
static const char *combineLines(const CheckCall *call, Tuples *t, int64_t lines, int64_t size) {
  const char *problem = NULL;
  while (size > 1 && !problem) {
    Tuples left = {0}, right = {0}, combined = {0};
    bool enough = everyOther(t, lines, size, 0, &left) && everyOther(t, lines, size, 1, &right);
    problem = enough ? tuplesCombine(call, &call->op->regions[0], &left, &right, &combined) : checkOutOfMemory;
    if (!problem && !withLast(t, lines, size, &combined))
      problem = checkOutOfMemory;
    tuplesDestroy(&left);
    tuplesDestroy(&right);
    tuplesDestroy(t);
    *t = combined;
    size = (size + 1) / 2;
  }
  return problem;
}

/// The elements of the inputs with the reduced dimensions last, row-major.
static bool linesOf(const CheckCall *call, int64_t lines, int64_t size, Tuples *t) {
  const CheckTensor *const *inputs = operandsFrom(call, 0);
  const CheckShape *shape = &inputs[0]->shape;
  CheckAttribute dims = checkList(call->op, "dims");
  if (!tuplesCreate(t, call->op->numResults, inputs, lines * size))
    return false;
  CheckOdometer o = checkOdometer(shape);
  for (int64_t i = 0; i < inputs[0]->count; ++i, checkAdvance(&o)) {
    int64_t line = 0, position = 0;
    for (int64_t d = 0; d < shape->rank; ++d) {
      bool isReduced = false;
      for (int64_t j = 0; j < dims.count; ++j)
        isReduced |= dims.values[j] == d;
      int64_t *place = isReduced ? &position : &line;
      *place = *place * shape->dims[d] + o.index[d];
    }
    tuplesSet(t, line * size + position, inputs, i);
  }
  return true;
}

/// The initial values, which come behind `count` operands, `elements` times.
static bool initsOf(const CheckCall *call, int64_t count, int64_t elements, Tuples *t) {
  if (!tuplesCreate(t, count, operandsFrom(call, count), elements))
    return false;
  for (int64_t i = 0; i < elements; ++i)
    tuplesSet(t, i, operandsFrom(call, count), 0);
  return true;
}

const char *checkGeneralReduce(const CheckCall *ordered) {
  CheckCall unordered = *ordered;
  const CheckCall *call = &unordered;
  unordered.anyOrder = true;
  int64_t lines = call->results[0]->count, size = lines ? call->operands[0]->count / lines : 0;
  Tuples elements = {0}, inits = {0}, combined = {0};
  if (lines == 0)
    return NULL;
  const char *problem = initsOf(call, call->op->numResults, lines, &inits) && linesOf(call, lines, size, &elements)
                            ? NULL
                            : checkOutOfMemory;
  if (!problem && size > 0)
    problem = combineLines(call, &elements, lines, size);
  if (!problem && size > 0)
    problem = tuplesCombine(call, &call->op->regions[0], &inits, &elements, &combined);
  if (!problem)
    problem = setResults(call, size > 0 ? &combined : &inits);
  tuplesDestroy(&elements);
  tuplesDestroy(&inits);
  tuplesDestroy(&combined);
  return problem;
}

//===----------------------------------------------------------------------===//
// Of prefixes
//===----------------------------------------------------------------------===//

/// The lines along a dimension: of each size `size`, with elements that are `inner` apart.
typedef struct {
  int64_t size, inner, lines;
  bool reverse;
} DimLines;

static int64_t elementOfLine(const DimLines *l, int64_t line, int64_t k) {
  int64_t position = l->reverse ? l->size - 1 - k : k;
  return (line / l->inner * l->size + position) * l->inner + line % l->inner;
}

/// The tuples of `t` of each line that come at number `first` and behind it, as `count` of them.
static bool someOfLines(const Tuples *t, const DimLines *l, int64_t first, int64_t count, Tuples *some) {
  if (!tuplesCreate(some, t->count, (const CheckTensor *const *)t->tensors, l->lines * count))
    return false;
  for (int64_t line = 0; line < l->lines; ++line)
    for (int64_t k = 0; k < count; ++k)
      tuplesSet(some, line * count + k, (const CheckTensor *const *)t->tensors, line * l->size + first + k);
  return true;
}

/// Puts `combined`, of the last `count` elements of each line, where these are in `t`.
static bool replaceLast(Tuples *t, const DimLines *l, int64_t count, const Tuples *combined) {
  for (int64_t k = 0; k < t->count; ++k)
    if (combined->tensors[k]->error && !t->tensors[k]->error && !checkTensorAddErrors(t->tensors[k]))
      return false;
  for (int64_t line = 0; line < l->lines; ++line)
    for (int64_t k = 0; k < count; ++k)
      tuplesSet(t, line * l->size + l->size - count + k, (const CheckTensor *const *)combined->tensors,
                line * count + k);
  return true;
}

/// Makes of each tuple the combination of all up to it in its line: of spans of 1, 2, 4, ... that end there.
static const char *combinePrefixes(const CheckCall *call, Tuples *t, const DimLines *l) {
  const char *problem = NULL;
  for (int64_t span = 1; span < l->size && !problem; span *= 2) {
    int64_t count = l->size - span;
    Tuples before = {0}, own = {0}, combined = {0};
    bool enough = someOfLines(t, l, 0, count, &before) && someOfLines(t, l, span, count, &own);
    problem = enough ? tuplesCombine(call, &call->op->regions[0], &before, &own, &combined) : checkOutOfMemory;
    if (!problem && !replaceLast(t, l, count, &combined))
      problem = checkOutOfMemory;
    tuplesDestroy(&before);
    tuplesDestroy(&own);
    tuplesDestroy(&combined);
  }
  return problem;
}

/// Puts the initial values before the combined elements.
static const char *combineInits(const CheckCall *call, Tuples *t) {
  Tuples inits = {0}, combined = {0};
  const char *problem = initsOf(call, t->count, t->tensors[0]->count, &inits) ? NULL : checkOutOfMemory;
  problem = problem ? problem : tuplesCombine(call, &call->op->regions[0], &inits, t, &combined);
  tuplesDestroy(&inits);
  tuplesDestroy(t);
  *t = combined;
  return problem;
}

/// Results in the order of memory; exclusive ones are those of the element before, the initial values of the first one.
static const char *setPrefixes(const CheckCall *call, const Tuples *t, const DimLines *l) {
  bool exclusive = checkFindAttribute(call->op, "exclusive");
  for (int64_t v = 0; v < call->op->numResults; ++v) {
    CheckTensor *result = call->results[v];
    const CheckTensor *init = exclusive ? call->operands[t->count + v] : NULL;
    if ((t->tensors[v]->error || (init && init->error)) && !checkTensorAddErrors(result))
      return checkOutOfMemory;
    for (int64_t line = 0; line < l->lines; ++line)
      for (int64_t k = 0; k < l->size; ++k) {
        bool isInit = init && k == 0;
        checkCopyElement(result, elementOfLine(l, line, k), isInit ? init : t->tensors[v],
                         isInit ? 0 : line * l->size + k - (exclusive ? 1 : 0));
      }
  }
  return NULL;
}

const char *checkGeneralCumulative(const CheckCall *ordered) {
  CheckCall unordered = *ordered;
  const CheckCall *call = &unordered;
  unordered.anyOrder = true;
  const CheckTensor *first = call->operands[0];
  int64_t dim = checkInteger(call->op, "dim", 0), count = call->op->regions[0].numArguments / 2;
  DimLines l = {.size = first->shape.dims[dim], .inner = 1, .reverse = checkFindAttribute(call->op, "reverse")};
  if (first->count == 0)
    return NULL;
  for (int64_t d = dim + 1; d < first->shape.rank; ++d)
    l.inner *= first->shape.dims[d];
  l.lines = first->count / l.size;
  Tuples t = {0};
  if (!tuplesCreate(&t, count, operandsFrom(call, 0), first->count))
    return checkOutOfMemory;
  for (int64_t line = 0; line < l.lines; ++line)
    for (int64_t k = 0; k < l.size; ++k)
      tuplesSet(&t, line * l.size + k, operandsFrom(call, 0), elementOfLine(&l, line, k));
  const char *problem = combinePrefixes(call, &t, &l);
  if (!problem && call->op->numOperands > count)
    problem = combineInits(call, &t);
  problem = problem ? problem : setPrefixes(call, &t, &l);
  tuplesDestroy(&t);
  return problem;
}

//===----------------------------------------------------------------------===//
// Of windows
//===----------------------------------------------------------------------===//

/// The elements at one place of all windows; the initial values where there are none.
static bool elementsOfWindows(const CheckCall *call, const CheckWindow *w, const int64_t *inside, Tuples *t) {
  int64_t count = call->op->numResults, elements = call->results[0]->count;
  if (!initsOf(call, count, elements, t))
    return false;
  for (int64_t k = 0; k < count; ++k)
    if (call->operands[k]->error && !checkTensorAddErrors(t->tensors[k]))
      return tuplesDestroy(t), false;
  CheckOdometer o = checkOdometer(&call->results[0]->shape);
  for (int64_t i = 0; i < elements; ++i, checkAdvance(&o)) {
    int64_t place = windowPlace(w, o.index, inside);
    if (place >= 0)
      tuplesSet(t, i, operandsFrom(call, 0), place);
  }
  return true;
}

const char *checkGeneralReduceWindow(const CheckCall *call) {
  CheckWindow window = windowOf(call->op, &call->operands[0]->shape);
  Tuples combined = {0};
  const char *problem =
      initsOf(call, call->op->numResults, call->results[0]->count, &combined) ? NULL : checkOutOfMemory;
  CheckOdometer inside = checkOdometer(&window.sizes);
  for (int64_t k = 0; k < window.elements && !problem; ++k, checkAdvance(&inside)) {
    Tuples elements = {0}, next = {0};
    problem = elementsOfWindows(call, &window, inside.index, &elements)
                  ? tuplesCombine(call, &call->op->regions[0], &combined, &elements, &next)
                  : checkOutOfMemory;
    tuplesDestroy(&elements);
    tuplesDestroy(&combined);
    combined = next;
  }
  problem = problem ? problem : setResults(call, &combined);
  tuplesDestroy(&combined);
  return problem;
}

//===----------------------------------------------------------------------===//
// Selections in windows
//===----------------------------------------------------------------------===//

/// Moves the selection of each window on to the element at one of its places, if its body says so.
static const char *selectNext(const CheckCall *call, const CheckWindow *w, const int64_t *inside, int64_t *selected) {
  const CheckTensor *a = call->operands[0];
  int64_t count = call->operands[1]->count;
  Tuples old = {0}, next = {0}, stays = {.count = 1};
  bool enough = tuplesCreate(&old, 1, &a, count) && tuplesCreate(&next, 1, &a, count);
  int64_t *places = malloc(sizeof(*places) * (size_t)(count + 1));
  CheckOdometer o = checkOdometer(&call->operands[1]->shape);
  for (int64_t i = 0; enough && places && i < count; ++i, checkAdvance(&o)) {
    places[i] = windowPlace(w, o.index, inside);
    tuplesSet(&next, i, &a, places[i] < 0 ? 0 : places[i]);
    tuplesSet(&old, i, &a, selected[i] < 0 ? 0 : selected[i]);
  }
  const char *problem = checkOutOfMemory;
  if (enough && places) {
    const CheckTensor *arguments[] = {old.tensors[0], next.tensors[0]};
    problem = checkEvaluateBody(call, &call->op->regions[0], arguments, stays.tensors);
  }
  for (int64_t i = 0; !problem && i < count; ++i)
    if (places[i] >= 0 && (selected[i] < 0 || !stays.tensors[0]->integer[i]))
      selected[i] = places[i];
  free(places);
  tuplesDestroy(&old);
  tuplesDestroy(&next);
  tuplesDestroy(&stays);
  return problem;
}

const char *checkGeneralSelectAndScatter(const CheckCall *call) {
  const CheckTensor *source = call->operands[1];
  CheckTensor *result = call->results[0];
  CheckWindow window = windowOf(call->op, &call->operands[0]->shape);
  int64_t *selected = malloc(sizeof(*selected) * (size_t)(source->count + 1));
  if (!selected)
    return checkOutOfMemory;
  for (int64_t i = 0; i < source->count; ++i)
    selected[i] = -1;
  const char *problem = call->operands[0]->error ? "a selection among uncertain elements" : NULL;
  CheckOdometer inside = checkOdometer(&window.sizes);
  for (int64_t k = 0; k < window.elements && !problem; ++k, checkAdvance(&inside))
    problem = selectNext(call, &window, inside.index, selected);
  for (int64_t i = 0; i < result->count && !problem; ++i)
    checkCopyElement(result, i, call->operands[2], 0);
  const CheckTensor *updates[] = {source};
  CheckTensor *results[] = {result};
  if (!problem)
    problem = checkUpdateByBody(call, &call->op->regions[1], selected, 1, updates, results);
  free(selected);
  return problem;
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

/// Applies the updates with the numbers `which`, each of another element.
static const char *updateRound(const CheckCall *call, const CheckGraph *body, const int64_t *targets,
                               const int64_t *which, int64_t numWhich, int64_t count, const CheckTensor *const *updates,
                               CheckTensor *const *results) {
  Tuples old = {0}, update = {0}, next = {0};
  const char *problem = checkOutOfMemory;
  if (tuplesCreate(&old, count, (const CheckTensor *const *)results, numWhich) &&
      tuplesCreate(&update, count, updates, numWhich)) {
    for (int64_t i = 0; i < numWhich; ++i) {
      tuplesSet(&old, i, (const CheckTensor *const *)results, targets[which[i]]);
      tuplesSet(&update, i, updates, which[i]);
    }
    problem = tuplesCombine(call, body, &old, &update, &next);
  }
  for (int64_t k = 0; !problem && k < count; ++k) {
    if (next.tensors[k]->error && !checkTensorAddErrors(results[k]))
      problem = checkOutOfMemory;
    for (int64_t i = 0; !problem && i < numWhich; ++i)
      checkCopyElement(results[k], targets[which[i]], next.tensors[k], i);
  }
  tuplesDestroy(&old);
  tuplesDestroy(&update);
  tuplesDestroy(&next);
  return problem;
}

const char *checkUpdateByBody(const CheckCall *call, const CheckGraph *body, const int64_t *targets, int64_t count,
                              const CheckTensor *const *updates, CheckTensor *const *results) {
  int64_t numUpdates = updates[0]->count, left = 0;
  int64_t *waiting = malloc(sizeof(*waiting) * (size_t)(numUpdates + 1));
  int64_t *now = malloc(sizeof(*now) * (size_t)(numUpdates + 1));
  int64_t *lastRound = calloc((size_t)results[0]->count + 1, sizeof(*lastRound));
  const char *problem = waiting && now && lastRound ? NULL : checkOutOfMemory;
  for (int64_t i = 0; !problem && i < numUpdates; ++i)
    if (targets[i] >= 0)
      waiting[left++] = i;
  for (int64_t round = 1; left && !problem; ++round) { // the first update that waits for each element
    int64_t numNow = 0, still = 0;
    for (int64_t i = 0; i < left; ++i) {
      int64_t target = targets[waiting[i]];
      bool isFree = lastRound[target] != round;
      lastRound[target] = round;
      if (isFree)
        now[numNow++] = waiting[i];
      else
        waiting[still++] = waiting[i];
    }
    left = still;
    problem = updateRound(call, body, targets, now, numNow, count, updates, results);
  }
  free(waiting);
  free(now);
  free(lastRound);
  return problem;
}
