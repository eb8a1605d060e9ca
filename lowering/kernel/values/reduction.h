//===- reduction.h - elements and combiners of reductions -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tg.reduce, tg.arg_reduce, windows and the general forms of both seen alike: a tuple of values, one for each result,
// is read for every element of the operands, and two tuples combine into one. Whoever knows how tuples travel
// (exchange.h) need not know what is in them.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_VALUES_REDUCTION_H
#define STITCH_LOWERING_KERNEL_VALUES_REDUCTION_H

#include "lowering/kernel/values/emitter.h"

/// One value for each result, in the accumulators' types.
typedef struct {
  MlirValue values[KERNEL_MAX_RESULTS];
} Partial;

typedef struct {
  MlirOperation op;
  bool hasBody;                              ///< what combines two tuples is a region of the operation
  intptr_t numInputs;                        ///< the first operands
  intptr_t count;                            ///< of results
  MlirType elements[KERNEL_MAX_RESULTS];     ///< as tg has them
  MlirType accumulators[KERNEL_MAX_RESULTS]; ///< in registers and between threads
  Partial identity;                          ///< changes nothing
} Reduction;

Reduction reductionOf(Emitter *e, MlirOperation op);

Partial reductionCombine(Values *v, const Reduction *r, Partial a, Partial b);
/// Combines neighbours until one is left: the tree keeps the error of a float sum logarithmic. Overwrites `partials`.
Partial reductionCombineTree(Values *v, const Reduction *r, Partial *partials, intptr_t count);

/// Combines `partials` with what a thread has of a result so far, of which it has `independent` ones at the same time:
/// products go into sums one after the other if these are enough to hide the latency of an addition. Overwrites
/// `partials`.
Partial reductionAccumulate(Values *v, const Reduction *r, Partial soFar, Partial *partials, intptr_t count,
                            intptr_t independent);

/// What a loop carries: all values of partial results, one after the other. Returns how many.
intptr_t reductionFlatten(const Reduction *r, const Partial *partials, int64_t count, MlirValue *values);
void reductionUnflatten(const Reduction *r, const MlirValue *values, int64_t count, Partial *partials);

/// The results' elements that a partial result stands for.
Partial reductionNarrow(Values *v, const Reduction *r, Partial partial);

/// Reads the elements of the inputs at an index: a partial result for each lane.
void reductionElementsAt(Emitter *e, const Reduction *r, const IndexVector *index, Lanes lanes, Partial *partials);
/// Reads the elements of one access, given a linear index over the kept dimensions and one over the reduced ones: a
/// partial result for each lane. Lanes outside the operands (`valid` is false; null: none is) give the identity.
void reductionElements(Emitter *e, const Reduction *r, const IndexExpr *kept, const IndexExpr *reduced, Lanes lanes,
                       MlirValue valid, Partial *partials);

#endif // STITCH_LOWERING_KERNEL_VALUES_REDUCTION_H
