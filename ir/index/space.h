//===- space.h - iteration spaces of roots, and row locality --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_INDEX_SPACE_H
#define STITCH_IR_INDEX_SPACE_H

#include "dialects/stitch/stitch.h"
#include "ir/index/index_expr.h"

/// The rows x columns that a reduce walks (docs/ir.md, "Mappings").
typedef struct {
  StitchMappingKind kind; ///< row or column
  int64_t rows;
  int64_t columns;
  /// Rows and columns together are the operand's elements in row-major order: the reduced dimensions are the last ones
  /// (row) or the first ones (column), dimensions of size one aside.
  bool natural;
} IterationSpace;

/// The dimensions that a tg.reduce or tg.arg_reduce reduces, a bit each.
uint32_t irReducedDims(MlirOperation reduce);

/// Canonical space of a tg.reduce or tg.arg_reduce. Kept dimensions innermost make a column reduce; everything else is
/// a row reduce, whose columns are then not contiguous unless it is natural.
IterationSpace irReduceSpace(MlirOperation reduce);

/// Cuts the row-major elements of result and operand into `rows` equal blocks: does block r of the result need elements
/// of block r of operand number `operand` only? Exact for operations that move elements statically, and for elementwise
/// ones; false where it depends on the data.
bool irKeepsRows(IndexContext *context, MlirOperation op, intptr_t operand, int64_t rows);

/// Takes the row-major elements of result and operand as rows of `columns` elements: does column c of the result need
/// elements of column c of operand number `operand` only? Exact for operations that move elements statically, and for
/// elementwise ones; false where it depends on the data.
bool irKeepsColumns(IndexContext *context, MlirOperation op, intptr_t operand, int64_t columns);

/// Whether element i of the result (in row-major order) needs exactly element i of the operand.
bool irKeepsElements(MlirOperation op, intptr_t operand);

/// How many leading dimensions make up `rows`; -1 if no number of them does.
intptr_t irLeadingDims(IrShape shape, int64_t rows);

/// The size of the innermost dimension larger than one; 1 if there is none.
int64_t irInnermostSize(IrShape shape);

#endif // STITCH_IR_INDEX_SPACE_H
