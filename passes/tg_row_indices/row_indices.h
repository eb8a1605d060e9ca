//===- row_indices.h - tg-row-indices: facts about an index ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_TG_ROW_INDICES_ROW_INDICES_H
#define STITCH_PASSES_TG_ROW_INDICES_ROW_INDICES_H

#include "ir/graph/tg_build.h"

/// How a gather or a scatter of single elements goes along one dimension of its operand.
typedef enum {
  INDEX_FIXED,   ///< the dimension has one element
  INDEX_FOLLOWS, ///< by the position along a dimension of the positions
  INDEX_DATA     ///< by a number that is read
} IndexKind;

typedef struct {
  IndexKind kind;
  int64_t position; ///< FOLLOWS: the dimension of the positions
  int64_t column;   ///< DATA: of the index tensor
} DimIndex;

/// A gather or scatter of single elements. *Positions* are the elements of a gather's result, or of a scatter's
/// updates: each has one index into the operand.
typedef struct {
  MlirOperation op;
  MlirValue operand;
  MlirValue indices;
  int64_t vectorDim; ///< of `indices`; its rank: there is one column
  IrShape shape;     ///< of the operand
  IrShape positions;
  DimIndex dims[IR_MAX_RANK]; ///< by dimension of the operand
} RowIndex;

// analyse.c
/// False if `op`, a tg.gather or tg.scatter, moves slices of more than one element.
bool rowIndexOf(MlirOperation op, RowIndex *index);
/// The dimension along which `value` counts from 0; -1 if it does not.
int64_t rowIndexIotaDim(MlirValue value);
/// The numbers that column DATA of the indices has for each position, in an integer type that counts the elements of
/// every dimension.
MlirValue rowIndexColumn(IrBuilder *b, const RowIndex *index, int64_t column);

// gather.c
/// A gather of elementwise operations' results becomes the same operations on gathers of their operands. The
/// value that replaces it, or null if that saves nothing.
MlirValue gatherBehindOperations(IrBuilder *b, const RowIndex *index);

// scatter.c
/// A scatter into equal elements in which each element has one update at most becomes a select. The value that replaces
/// it, or null if the scatter is none of these.
MlirValue selectInsteadOfScatter(IrBuilder *b, const RowIndex *index);

// sum.c
/// A sum along a dimension, of floats where their number along it is the row's number, and of zeros, becomes a
/// gather of values in memory. The value that replaces it, or null if the sum is none of these.
MlirValue gatherInsteadOfSum(IrBuilder *b, MlirOperation sum);

#endif // STITCH_PASSES_TG_ROW_INDICES_ROW_INDICES_H
