//===- report_graph.h - steps of a model as a graph -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_REPORT_REPORT_GRAPH_H
#define STITCH_COMPILER_REPORT_REPORT_GRAPH_H

#include "compiler/report/sequence.h"

#include <stdio.h>

/// Writes "K4", "L1" or "H0".
void writeStepName(FILE *out, const ReportStep *step);

/// Draws kernels, library calls and host operations, and the tensors between them. A repetition is drawn once, in a
/// box; a value that an iteration takes from the one before is a dashed line. Nothing if the picture would be too large
/// to read.
void writeGraph(FILE *out, const Sequence *sequence);

#endif // STITCH_COMPILER_REPORT_REPORT_GRAPH_H
