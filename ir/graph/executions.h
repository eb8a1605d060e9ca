//===- executions.h - how often loops run an operation -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_GRAPH_EXECUTIONS_H
#define STITCH_IR_GRAPH_EXECUTIONS_H

#include "mlir-c/IR.h"

#include <stdint.h>

/// The constant number of iterations of scf.for, or of a counted tg.while; 1 for everything else.
int64_t irIterationsOf(MlirOperation op);

/// How often an operation runs in one execution, as far as loops say: the condition of a counted loop never does. Of an
/// adaptive variable the first version runs.
int64_t irTimesExecuted(MlirOperation op);

#endif // STITCH_IR_GRAPH_EXECUTIONS_H
