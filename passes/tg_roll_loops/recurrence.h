//===- recurrence.h - equal steps that follow each other -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recurrent layer that was unrolled multiplies its state with the same weights again and again. These products are a
// chain: each needs the one before. Iteration k is the operations that product k needs and product k + 1 does not.
// Where iterations compute the same, each operation has a counterpart in the next one.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_TG_ROLL_LOOPS_RECURRENCE_H
#define STITCH_PASSES_TG_ROLL_LOOPS_RECURRENCE_H

#include "ir/graph/numbering.h"

/// Products that are no chain of so many are left as they are.
enum { LEAST_ITERATIONS = 4 };

/// Operations by their numbers in the block.
typedef struct {
  IrNumbering numbering;
  int64_t *products;  ///< the chain
  int64_t count;      ///< of its products, and so of iterations
  int64_t *iteration; ///< of each operation: the last product that it needs; -1 if none
  int64_t *next;      ///< of each operation: its counterpart in the next iteration, -1 if there is none
  int64_t *previous;  ///< the same in the iteration before
  bool *ends;         ///< of each iteration: the next one computes something else
} Recurrence;

/// Iterations that compute the same.
typedef struct {
  int64_t first;
  int64_t count;
} IterationRange;

/// The chains of a block, each by its first product, in program order. `next` finds the first chain from operation
/// `*from` on, and sets it to the number behind the chain's first product; false if there is none. The caller releases
/// the recurrence with recurrenceDestroy.
bool findRecurrence(MlirBlock block, int64_t *from, Recurrence *recurrence);
void recurrenceDestroy(Recurrence *recurrence);

/// Finds counterparts: those of all operations of the iterations that the products need, further operations of the last
/// iteration, and sums that go on from iteration to iteration.
void matchIterations(Recurrence *recurrence);

/// The most iterations in a row that compute the same.
IterationRange longestRange(const Recurrence *recurrence);

/// The iteration of a value; -1 of one that needs none of the products, or is defined outside of the block.
int64_t iterationOf(const Recurrence *recurrence, MlirValue value);

/// Whether two operations compute the same of other operands.
bool areAlike(MlirOperation a, MlirOperation b);

#endif // STITCH_PASSES_TG_ROLL_LOOPS_RECURRENCE_H
