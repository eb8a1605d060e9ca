//===- check_products.h - sums of products with error bounds --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element of a dot or convolution is a sum of products, and its error is relative to the sum of their magnitudes.
// Every product is rounded, and goes through the roundings of a sum. Elements are narrow at most when they are
// multiplied, and summed up in f32 at least.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_CHECK_CHECK_PRODUCTS_H
#define STITCH_TOOLS_CHECK_CHECK_PRODUCTS_H

#include "tools/check/operations.h"

/// A sum of products so far.
typedef struct {
  double real, magnitude, error;
  double complex number;
  int64_t integer;
  CheckTerms terms; ///< of floats
  double lost;      ///< the further loss of rounded operands, where their number is subnormal or becomes infinite
} CheckSum;

/// Adds the product of element `i` of `a` and element `j` of `b`.
void checkAddProduct(CheckSum *sum, CheckClass class, const CheckTensor *a, int64_t i, const CheckTensor *b, int64_t j);
/// A sum of products of exact floats, as a library's operands are.
CheckSum checkSumOfReals(const double *a, const double *b, int64_t count);
/// Sets element `i` of the result to a sum of `count` products.
void checkFinishSum(const CheckCall *call, const CheckSum *sum, int64_t count, int64_t i);

/// Does `work` on [first, last) for parts of [0, count), on all processors. It must not matter which parts, and in
/// which order.
void checkInParallel(int64_t count, void (*work)(void *context, int64_t first, int64_t last), void *context);

#endif // STITCH_TOOLS_CHECK_CHECK_PRODUCTS_H
