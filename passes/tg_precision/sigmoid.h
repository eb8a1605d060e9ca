//===- sigmoid.h - sums of one and a hyperbolic tangent ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_TG_PRECISION_SIGMOID_H
#define STITCH_PASSES_TG_PRECISION_SIGMOID_H

#include "ir/mlir/query.h"

/// Replaces `sum`, a tg.add of a planned fusion, by a tg.logistic and its factors, if it is 1 + tanh(y) of a tanh that
/// nothing else reads. Multiplications by powers of two around both go. Returns the logistic, or null.
MlirOperation sigmoidInsteadOfTanh(MlirOperation sum);

#endif // STITCH_PASSES_TG_PRECISION_SIGMOID_H
