//===- recurrence.c - equal steps that follow each other -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a block. Leaves chains of equal products, and for each operation of an iteration its counterpart in the
// iteration before, in the longest range of iterations that compute the same.
//
//===----------------------------------------------------------------------===//

#include "passes/tg_roll_loops/recurrence.h"

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/arithmetic.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Chains of products
//===----------------------------------------------------------------------===//

int64_t iterationOf(const Recurrence *recurrence, MlirValue value) {
  int64_t number = irNumberOf(&recurrence->numbering, value);
  return number < 0 ? -1 : recurrence->iteration[number];
}

/// Without effects or regions, and with one result.
static bool canRepeat(MlirOperation op) {
  TgClass class = tgClassOfKind(tgKindOf(op));
  return class != TG_CLASS_NONE && class != TG_CLASS_HOST && mlirOperationGetNumResults(op) == 1 &&
         mlirOperationGetNumRegions(op) == 0;
}

bool areAlike(MlirOperation a, MlirOperation b) {
  intptr_t count = mlirOperationGetNumOperands(a);
  if (tgKindOf(a) != tgKindOf(b) || !canRepeat(a) || count != mlirOperationGetNumOperands(b) ||
      !mlirTypeEqual(mlirValueGetType(irResult(a, 0)), mlirValueGetType(irResult(b, 0))))
    return false;
  for (intptr_t i = 0; i < count; ++i)
    if (!mlirTypeEqual(mlirValueGetType(irOperand(a, i)), mlirValueGetType(irOperand(b, i))))
      return false;
  return irSameAttributes(a, b);
}

typedef struct {
  const Recurrence *recurrence;
  int64_t last;
} LastIteration;

static void considerOperand(MlirValue value, void *data) {
  LastIteration *last = data;
  int64_t iteration = iterationOf(last->recurrence, value);
  if (iteration > last->last)
    last->last = iteration;
}

/// Whether an operation is a product like another one, with the same operand `side`.
static bool isLike(MlirOperation op, MlirOperation like, intptr_t side) {
  return tgKindOf(op) == TG_dot && mlirValueEqual(irOperand(op, side), irOperand(like, side)) && areAlike(op, like);
}

/// Products like the first one, with the same operand `side`, are of the chain if they need its last product.
static void followChain(Recurrence *recurrence, int64_t first, intptr_t side) {
  MlirOperation like = recurrence->numbering.ops[first];
  recurrence->count = 0;
  for (int64_t i = 0; i < recurrence->numbering.count; ++i) {
    MlirOperation op = recurrence->numbering.ops[i];
    LastIteration last = {recurrence, -1};
    irForEachOperand(op, considerOperand, &last);
    bool isProduct = i >= first && last.last == recurrence->count - 1 && isLike(op, like, side);
    if (isProduct)
      recurrence->products[recurrence->count++] = i;
    recurrence->iteration[i] = isProduct ? recurrence->count - 1 : last.last;
  }
}

/// Marks the products like the first one, with the same operand `side`, if no path leads through enough of them for a
/// chain, whichever comes first: else each would be followed through the block.
static void markChainless(Recurrence *recurrence, int64_t first, intptr_t side, bool *isChainless) {
  MlirOperation like = recurrence->numbering.ops[first];
  int64_t longest = 0;
  for (int64_t i = 0; i < recurrence->numbering.count; ++i) {
    LastIteration last = {recurrence, -1}; // here the products behind the first one on the longest path
    irForEachOperand(recurrence->numbering.ops[i], considerOperand, &last);
    bool isProduct = i >= first && isLike(recurrence->numbering.ops[i], like, side);
    recurrence->iteration[i] = last.last + isProduct;
    longest = max64(longest, recurrence->iteration[i] + 1);
  }
  for (int64_t i = first; i < recurrence->numbering.count && longest < LEAST_ITERATIONS; ++i)
    isChainless[i] |= isLike(recurrence->numbering.ops[i], like, side);
}

/// Whether an operation only moves data, for one other operation.
static bool onlyMoves(MlirOperation op) {
  return tgClassOfKind(tgKindOf(op)) == TG_CLASS_SHAPE && irHasOneUse(irResult(op, 0));
}

/// An operation that moves results of iteration k - 1 for product k alone belongs to iteration k: then it can move them
/// within the kernel that reads them.
static void delayMovement(Recurrence *r, MlirOperation reader, int64_t k) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(reader); ++i) {
    int64_t number = irNumberOf(&r->numbering, irOperand(reader, i));
    if (number < 0 || r->iteration[number] != k - 1 || !onlyMoves(r->numbering.ops[number]))
      continue;
    r->iteration[number] = k;
    delayMovement(r, r->numbering.ops[number], k);
  }
}

/// The first product has the same in front of it if it is like that of the second.
static void delayFirst(Recurrence *r, MlirOperation first, MlirOperation second) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(first); ++i) {
    int64_t x = irNumberOf(&r->numbering, irOperand(first, i)), y = irNumberOf(&r->numbering, irOperand(second, i));
    if (x < 0 || y < 0 || r->iteration[x] >= 0 || r->iteration[y] != 1 || !onlyMoves(r->numbering.ops[x]) ||
        !areAlike(r->numbering.ops[x], r->numbering.ops[y]))
      continue;
    r->iteration[x] = 0;
    delayFirst(r, r->numbering.ops[x], r->numbering.ops[y]);
  }
}

static void delayMovements(Recurrence *r) {
  for (int64_t k = 1; k < r->count; ++k)
    delayMovement(r, r->numbering.ops[r->products[k]], k);
  delayFirst(r, r->numbering.ops[r->products[0]], r->numbering.ops[r->products[1]]);
}

/// Whether another product like this one, with the same operand `side`, is behind it in the block.
static bool hasMoreLikeIt(const Recurrence *recurrence, int64_t number, intptr_t side) {
  MlirOperation op = recurrence->numbering.ops[number];
  int64_t count = 1;
  IR_FOR_EACH_USE(use, irOperand(op, side)) {
    MlirOperation other = mlirOpOperandGetOwner(use);
    count += irMapGet(&recurrence->numbering.numbers, other.ptr, -1) > number && areAlike(op, other);
    if (count >= LEAST_ITERATIONS)
      return true;
  }
  return false;
}

static Recurrence createRecurrence(MlirBlock block) {
  Recurrence recurrence = {.numbering = irNumberingCreate(block)};
  size_t count = (size_t)recurrence.numbering.count;
  recurrence.products = irAllocate(sizeof(int64_t) * count);
  recurrence.iteration = irAllocate(sizeof(int64_t) * count);
  recurrence.next = irAllocate(sizeof(int64_t) * count);
  recurrence.previous = irAllocate(sizeof(int64_t) * count);
  recurrence.ends = irAllocateZeroed(count, sizeof(bool));
  memset(recurrence.next, -1, sizeof(int64_t) * count);
  memset(recurrence.previous, -1, sizeof(int64_t) * count);
  return recurrence;
}

/// Whether a chain begins with a product, by its operand `side`; `isChainless` is by side and number.
static bool beginsChain(Recurrence *recurrence, int64_t number, intptr_t side, bool *isChainless) {
  bool *ofSide = isChainless + side * recurrence->numbering.count;
  if (ofSide[number] || !hasMoreLikeIt(recurrence, number, side))
    return false;
  followChain(recurrence, number, side);
  if (recurrence->count >= LEAST_ITERATIONS)
    return true;
  markChainless(recurrence, number, side, ofSide);
  return false;
}

bool findRecurrence(MlirBlock block, int64_t *from, Recurrence *recurrence) {
  *recurrence = createRecurrence(block);
  bool *isChainless = irAllocateZeroed(2 * (size_t)recurrence->numbering.count + 1, sizeof(bool)), found = false;
  for (; *from < recurrence->numbering.count && !found; ++*from)
    found = tgKindOf(recurrence->numbering.ops[*from]) == TG_dot &&
            (beginsChain(recurrence, *from, 0, isChainless) || beginsChain(recurrence, *from, 1, isChainless));
  free(isChainless);
  if (found)
    delayMovements(recurrence);
  else
    recurrenceDestroy(recurrence);
  return found;
}

void recurrenceDestroy(Recurrence *recurrence) {
  irNumberingDestroy(&recurrence->numbering);
  free(recurrence->products);
  free(recurrence->iteration);
  free(recurrence->next);
  free(recurrence->previous);
  free(recurrence->ends);
}

//===----------------------------------------------------------------------===//
// Counterparts
//===----------------------------------------------------------------------===//

/// Pairs whose operands are still to be compared, by their first operations.
typedef struct {
  int64_t *data;
  int64_t count;
  int64_t capacity;
} Pairs;

static bool addPair(Recurrence *r, Pairs *pairs, int64_t op, int64_t counterpart) {
  if (r->next[op] == counterpart)
    return true;
  if (r->next[op] >= 0 || r->previous[counterpart] >= 0)
    return false;
  r->next[op] = counterpart;
  r->previous[counterpart] = op;
  IR_RESERVE_ONE(pairs->data, pairs->count, pairs->capacity);
  pairs->data[pairs->count++] = op;
  return true;
}

/// Compares operands of an operation of iteration k and of its counterpart.
static void matchOperands(Recurrence *r, Pairs *pairs, MlirValue x, MlirValue y, int64_t k) {
  int64_t ofX = iterationOf(r, x), ofY = iterationOf(r, y);
  if (ofX < 0 && ofY < 0)
    return; // computed before the recurrence: the same in each iteration, or another one
  if (ofX < 0 && ofY == k)
    r->ends[k > 0 ? k - 1 : 0] |= k > 0; // the begin of iteration k, which k + 1 has of k
  else if (ofX < 0 || ofY != ofX + 1 || !addPair(r, pairs, irNumberOf(&r->numbering, x), irNumberOf(&r->numbering, y)))
    r->ends[k] = true;
}

static void matchPairs(Recurrence *r, Pairs *pairs) {
  while (pairs->count > 0) {
    int64_t number = pairs->data[--pairs->count], k = r->iteration[number];
    MlirOperation op = r->numbering.ops[number], counterpart = r->numbering.ops[r->next[number]];
    if (!areAlike(op, counterpart)) {
      r->ends[k] = true;
      continue;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      matchOperands(r, pairs, irOperand(op, i), irOperand(counterpart, i), k);
  }
}

/// Whether all operands of a possible counterpart of `op` are the counterparts of its operands.
static bool continues(const Recurrence *r, MlirOperation op, MlirOperation other) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue x = irOperand(op, i), y = irOperand(other, i);
    int64_t number = irNumberOf(&r->numbering, x);
    bool areOutside = iterationOf(r, x) < 0 && iterationOf(r, y) < 0;
    if (!areOutside &&
        (iterationOf(r, x) < 0 || r->next[number] < 0 || r->next[number] != irNumberOf(&r->numbering, y)))
      return false;
  }
  return true;
}

/// The operation of iteration k that reads the counterparts of the operands of `op`; -1 if there is none.
static int64_t findReader(const Recurrence *r, MlirOperation op, int64_t k) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    int64_t number = irNumberOf(&r->numbering, irOperand(op, i));
    if (number < 0 || r->iteration[number] < 0 || r->next[number] < 0)
      continue;
    IR_FOR_EACH_USE(use, irResult(r->numbering.ops[r->next[number]], 0)) {
      MlirOperation other = mlirOpOperandGetOwner(use);
      int64_t candidate = irMapGet(&r->numbering.numbers, other.ptr, -1);
      if (candidate >= 0 && mlirOpOperandGetOperandNumber(use) == i && r->iteration[candidate] == k &&
          r->previous[candidate] < 0 && areAlike(op, other) && continues(r, op, other))
        return candidate;
    }
  }
  return -1;
}

/// No product needs the last iteration's values, or those that the one before computes for it alone: these operations
/// are found from their operands.
static void completeIteration(Recurrence *r, int64_t k) {
  for (int64_t i = r->products[k - 1]; i < r->numbering.count; ++i) {
    if (r->iteration[i] != k - 1 || r->previous[i] < 0 || r->next[i] >= 0)
      continue;
    int64_t counterpart = findReader(r, r->numbering.ops[i], k);
    if (counterpart < 0) {
      r->ends[k - 1] = true;
      continue;
    }
    r->next[i] = counterpart;
    r->previous[counterpart] = i;
  }
}

IterationRange longestRange(const Recurrence *r) {
  IterationRange longest = {0}, range = {0, 1};
  for (int64_t k = 1; k <= r->count; ++k) {
    if (k < r->count && !r->ends[k - 1]) {
      ++range.count;
      continue;
    }
    if (range.count > longest.count)
      longest = range;
    range = (IterationRange){k, 1};
  }
  return longest;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

typedef struct {
  int64_t *next, *previous;
  bool *ends;
} Counterparts;

static Counterparts saveCounterparts(const Recurrence *r) {
  size_t size = sizeof(int64_t) * (size_t)r->numbering.count;
  Counterparts saved = {irAllocate(size), irAllocate(size), irAllocate(sizeof(bool) * (size_t)r->numbering.count)};
  memcpy(saved.next, r->next, size);
  memcpy(saved.previous, r->previous, size);
  memcpy(saved.ends, r->ends, sizeof(bool) * (size_t)r->numbering.count);
  return saved;
}

static void exchangeCounterparts(Recurrence *r, Counterparts *saved) {
  Counterparts current = {r->next, r->previous, r->ends};
  r->next = saved->next;
  r->previous = saved->previous;
  r->ends = saved->ends;
  *saved = current;
}

static void releaseCounterparts(Counterparts *saved) {
  free(saved->next);
  free(saved->previous);
  free(saved->ends);
}

/// Takes two additions for counterparts, and with them all that they add in all iterations, if this costs no more than
/// one iteration at the beginning.
static bool trySum(Recurrence *r, int64_t add, int64_t counterpart) {
  Counterparts saved = saveCounterparts(r);
  int64_t before = longestRange(r).count;
  Pairs pairs = {0};
  bool succeeds = addPair(r, &pairs, add, counterpart);
  matchPairs(r, &pairs);
  succeeds = succeeds && longestRange(r).count >= before - 1 && longestRange(r).count >= LEAST_ITERATIONS;
  if (!succeeds)
    exchangeCounterparts(r, &saved);
  releaseCounterparts(&saved);
  free(pairs.data);
  return succeeds;
}

/// The additions of the iteration before the last that this one of the last adds to, the nearest first.
static bool matchSum(Recurrence *r, int64_t add, MlirOperation within, int depth) {
  for (intptr_t i = 0; i < 2; ++i) {
    int64_t number = irNumberOf(&r->numbering, irOperand(within, i));
    if (number < 0 || tgKindOf(r->numbering.ops[number]) != TG_add || r->iteration[number] < r->count - 2)
      continue;
    MlirOperation inner = r->numbering.ops[number];
    if (r->iteration[number] == r->count - 2 && r->next[number] < 0 && areAlike(inner, r->numbering.ops[add]) &&
        trySum(r, number, add))
      return true;
    if (depth > 0 && matchSum(r, add, inner, depth - 1))
      return true;
  }
  return false;
}

static void matchSums(Recurrence *r) {
  enum { MOST_TERMS = 4 };
  for (int64_t i = r->products[r->count - 1] + 1; i < r->numbering.count; ++i)
    if (r->iteration[i] == r->count - 1 && r->previous[i] < 0 && tgKindOf(r->numbering.ops[i]) == TG_add)
      matchSum(r, i, r->numbering.ops[i], MOST_TERMS);
}

void matchIterations(Recurrence *recurrence) {
  Pairs pairs = {0};
  for (int64_t k = 0; k + 1 < recurrence->count; ++k) {
    addPair(recurrence, &pairs, recurrence->products[k], recurrence->products[k + 1]);
    matchPairs(recurrence, &pairs);
  }
  free(pairs.data);
  completeIteration(recurrence, recurrence->count - 2);
  completeIteration(recurrence, recurrence->count - 1);
  matchSums(recurrence);
}
