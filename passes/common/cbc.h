//===- cbc.h - COIN-OR's branch and cut, where it is installed -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_CBC_H
#define STITCH_PASSES_COMMON_CBC_H

#include <stdbool.h>

/// Maximise the sum of objective[j] x[j] over x[j] in {0, 1}, such that in each row the sum of its x is at most its
/// limit. Columns are compressed: rows starts[j] .. starts[j + 1] of `rows` have x[j].
typedef struct {
  int numColumns, numRows;
  const int *starts;
  const int *rows;
  const double *objective;
  const double *limits;
} BinaryProgram;

typedef enum { CBC_MISSING, CBC_OPTIMAL, CBC_FEASIBLE, CBC_FAILED } CbcOutcome;

/// Opens libCbcSolver at the first call. FEASIBLE: `seconds` or the nodes were spent. FAILED: it found nothing.
/// Safe to call from several threads.
CbcOutcome cbcSolve(const BinaryProgram *program, double seconds, bool *chosen);

#endif // STITCH_PASSES_COMMON_CBC_H
