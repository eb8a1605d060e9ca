//===- gradient.h - kernels of the gradient of attention -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_ONLINE_SOFTMAX_GRADIENT_H
#define STITCH_PASSES_STITCH_ONLINE_SOFTMAX_GRADIENT_H

#include "passes/common/collect.h"
#include "passes/stitch_online_softmax/region.h"

/// The products of a softmax's gradient, by the scores that it is of, in one block. A kernel that loops along the rows
/// that the softmax is over makes the first of `parts`. The other one, whose rows are the other side of the scores,
/// makes the second.
typedef struct {
  MlirBlock block;
  MlirOperation first;    ///< the scores, computed again
  MlirOperation second;   ///< the product of the result's gradient with the values
  SoftmaxRegion parts[2]; ///< without operations: there is none
  bool isGiven;           ///< maxima and sums come from the forward kernel
  IrMap reach;            ///< operation -> its dependences on the scores, as bits
  MlirOperation reduce;   ///< one over elements of the scores
  intptr_t numOps;        ///< that have been found
  const char *reason;     ///< why there is none; null: there is no gradient
  MlirOperation culprit;
} GradientSearch;

/// Looks for the gradient of the softmax of a product. False if there is none, or with `reason` and `culprit`.
bool gradientSearch(GradientSearch *search, MlirOperation first, const Operations *products);

/// Has the results of the fusions, which are null where there is no part, in the place of the operations.
void gradientReplace(GradientSearch *search, const MlirOperation *fusions, Operations *products);

void gradientSearchDestroy(GradientSearch *search);

#endif // STITCH_PASSES_STITCH_ONLINE_SOFTMAX_GRADIENT_H
