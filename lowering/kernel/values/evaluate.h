//===- evaluate.h - the value of an element, by index propagation --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch section 4.2, observation A: the index of an operand's element follows from the index of the result's element.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_VALUES_EVALUATE_H
#define STITCH_LOWERING_KERNEL_VALUES_EVALUATE_H

#include "lowering/kernel/values/emitter.h"

//===----------------------------------------------------------------------===//
// evaluate.c: any value
//===----------------------------------------------------------------------===//

/// Elements of a value of the fusion's body, `index` with the lane variable. Emitter.evaluate is this function.
Bundle evaluate(Emitter *e, MlirValue value, const IndexVector *index, Lanes lanes);
/// The same for result `number` of a root that is being computed now, instead of one that is read.
Bundle evaluateRoot(Emitter *e, const KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes);

//===----------------------------------------------------------------------===//
// elementwise.c, movement.c, window.c: what one operation makes of its operands
//===----------------------------------------------------------------------===//

/// Elements of the operation's result.
typedef Bundle (*OperationEvaluator)(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes);

Bundle evaluateElementwise(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes);
Bundle evaluateBitcast(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes);
Bundle evaluateConstant(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes);
Bundle evaluateIota(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes);

Bundle evaluateConcatenate(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes);
Bundle evaluatePad(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes);
Bundle evaluateGather(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes);
/// The index in the operand of a tg.gather of the element at `index`; loads its starts. False if lanes have several.
bool gatheredIndex(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes, IndexVector *operand);
Bundle evaluateDynamicSlice(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes);
Bundle evaluateDynamicUpdateSlice(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes);

/// All results of a reduction of windows at an index, for each lane.
void evaluateWindow(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes, Bundle *results);

/// Each lane by itself, for operations whose lanes go different ways.
Bundle evaluateEachLane(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes,
                        OperationEvaluator evaluator);
/// Stands in for a value after an error, so that emission can go on to its end.
Bundle evaluationFailed(Values *v, MlirValue value);

//===----------------------------------------------------------------------===//
// shared_places.c: where a root's elements are in shared memory
//===----------------------------------------------------------------------===//

/// Elements of a row that the root's buffer in shared memory has: those of a block of a cluster, or all.
int64_t sharedRowElements(const KernelRoot *root);
/// Elements of a regional root's part of shared memory.
int64_t sharedElements(const KernelRoot *root);
/// Where in its buffer in shared memory the element `linear` of a root is, which is in the thread's row.
const IndexExpr *placeInShared(Emitter *e, const KernelRoot *root, const IndexExpr *linear);
/// A transposed root's tile in shared memory, column by column.
MlirValue sharedTile(Memory *memory, const KernelRoot *root, const KernelResult *result);
/// The place in it of the element at `linear`, if it is one of the current step's; else null.
const IndexExpr *placeInTile(Emitter *e, const KernelRoot *root, const IndexExpr *linear);

//===----------------------------------------------------------------------===//
// columns.c: the columns of a thread in a column loop
//===----------------------------------------------------------------------===//

/// The thread's columns: those of its lane in the task's tile.
Position columnOf(Emitter *e);
/// Their linear indices, with the lane variable.
const IndexExpr *lanesOfColumn(Emitter *e, Position column);
IndexVector indexOfColumns(Emitter *e, MlirValue value);
/// Elements of a root of the current column loop that has one for each column, from the thread's registers; false if
/// they are not there.
bool readColumns(Emitter *e, const KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes,
                 Bundle *bundle);

//===----------------------------------------------------------------------===//
// partials.c: reductions that several blocks share
//===----------------------------------------------------------------------===//

/// The results of a split reduce at a linear index (with the lane variable), one bundle for each of the root's: its
/// partial results, combined in order.
void combinePartials(Emitter *e, const KernelRoot *root, const IndexExpr *linear, Lanes lanes, Bundle *results);

#endif // STITCH_LOWERING_KERNEL_VALUES_EVALUATE_H
