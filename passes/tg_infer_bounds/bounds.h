//===- bounds.h - the elements of a tensor that are read -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files of the pass tg-infer-bounds (tg_infer_bounds.c).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_TG_INFER_BOUNDS_BOUNDS_H
#define STITCH_PASSES_TG_INFER_BOUNDS_BOUNDS_H

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"

/// Elements start, start + stride, ..., `count` of them, along each dimension of a tensor. A stride is 1 where there is
/// one element. Where `selection` is not 0, they are those that this selection (selections.c) takes along the
/// dimension, `count` of them, known when the program runs. Then start is 0, and stride 1.
typedef struct {
  intptr_t rank;
  int64_t start[IR_MAX_RANK], count[IR_MAX_RANK], stride[IR_MAX_RANK];
  int32_t selection[IR_MAX_RANK];
} IndexBounds;

//===----------------------------------------------------------------------===//
// bounds.c
//===----------------------------------------------------------------------===//

/// All elements of a shape.
IndexBounds boundsOfAll(IrShape shape);
bool boundsAreEqual(const IndexBounds *a, const IndexBounds *b);
bool boundsAreAll(const IndexBounds *bounds, IrShape shape);
void boundsTakeAll(IndexBounds *bounds, intptr_t dim, IrShape shape);

/// Gives dimension `dim` of `to` the bounds of dimension `from` of `bounds`.
void boundsCopy(IndexBounds *to, intptr_t dim, const IndexBounds *bounds, intptr_t from);

/// Grows `bounds` of a shape to the least ones that have the elements of both.
void boundsUnite(IndexBounds *bounds, const IndexBounds *other, IrShape shape);

/// The shape of the elements within bounds.
IrShape boundsShape(const IndexBounds *bounds);

/// The elements of an operand that `bounds` of its slice are.
IndexBounds boundsOfSliced(const IndexBounds *bounds, MlirOperation slice);

/// `inner` as positions within `outer`, which has all of its elements. Selections of `inner` alone remain to be done.
IndexBounds boundsWithin(const IndexBounds *inner, const IndexBounds *outer);

/// The elements of the operand of a reshape that `bounds` of its result are. Where they have no bounds of their own,
/// `bounds` grow first.
IndexBounds boundsOfReshaped(IndexBounds *bounds, IrShape result, IrShape operand);

//===----------------------------------------------------------------------===//
// selections.c
//===----------------------------------------------------------------------===//

/// Elements at positions along one dimension that are computed: `count` of them from a start (tg.dynamic_slice), or at
/// indices of their own (tg.gather), of `size`. The same positions are one selection, of whatever tensor.
typedef struct {
  MlirOperation op;
  intptr_t operand; ///< of `op` that has the positions: a start, or indices
  int64_t count, size;
  int64_t definedAt; ///< the operation, by its number, that has the positions for a result; -1: arguments
  int64_t next;      ///< the number of another one with these positions, or 0
} Selection;

typedef struct {
  Selection *data;
  int64_t count, capacity;
  IrMap ofPositions; ///< positions -> the number of the last selection that has them
} Selections;

/// Whether an operation selects: a tg.dynamic_slice, or a tg.gather of whole slices along one dimension.
bool selects(MlirOperation op);

/// The number of a selecting operation's selection along a dimension, from 1; 0: all elements. `number` has the
/// operations of the block up to this one.
int32_t selectionAlong(MlirOperation op, intptr_t dim, const IrMap *number, Selections *selections);

/// The operations that have been moved to the front of a block.
typedef struct {
  IrMap isMoved;
  MlirOperation last;
} Front;

/// Moves the computation of positions by which an operation selects of a computed value to the front of its block, if
/// it is small and reads arguments alone. Operations behind can then be selected before they are computed.
void hoistPositions(MlirOperation op, Front *front);

/// The elements of a value that `bounds` select.
MlirValue selectPart(IrBuilder *b, MlirValue value, const IndexBounds *bounds, const Selections *selections);

//===----------------------------------------------------------------------===//
// links.c
//===----------------------------------------------------------------------===//

/// For an operation whose results have one shape. It says which dimension of a result each dimension of an operand
/// follows, so that some indices of one are found from the same indices of the other. The value -1 means that all of
/// that dimension is read.
typedef struct {
  intptr_t numOperands;
  int8_t (*follows)[IR_MAX_RANK];
  bool isFree[IR_MAX_RANK];  ///< dimensions of the results of which a part can be computed alone
  const int32_t *selections; ///< of the first operand's dimensions, of an operation that selects; else null
} Links;

/// False if nothing is known of the operation: it computes all of its results, and reads all of its operands. `links`
/// lives in the arena. Adds the operation's selections.
bool linksOf(MlirOperation op, IrArena *arena, const IrMap *number, Selections *selections, Links *links);

#endif // STITCH_PASSES_TG_INFER_BOUNDS_BOUNDS_H
