//===- products.h - stitch-enumerate: library calls that are products ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_ENUMERATE_PRODUCTS_H
#define STITCH_PASSES_STITCH_ENUMERATE_PRODUCTS_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// The sides of a product.
enum { LHS, RHS };

/// Whether a stitch.library_call is one tg.dot of floats and nothing else.
bool isProduct(MlirOperation op);

/// Whether a size of a product, or of its operand on one side, is known only when the model runs.
bool isOpenProduct(MlirOperation product);
bool isOpenOperand(MlirOperation product, int side);

/// The tg.dot of a product.
MlirOperation dotOf(MlirOperation product);

/// The operand of a product on one side, outside of its body.
MlirValue productOperand(MlirOperation product, int side);

/// The first dimension of an operand that is neither a batch nor a contracted one, and where it is in the result; -1 if
/// there is none.
int64_t freeDim(MlirOperation product, int side);
int64_t resultDim(MlirOperation product, int side);

/// Whether two products differ in nothing but in the size of dimension `dim` of the operand on `side`.
bool haveSameForm(MlirOperation a, MlirOperation b, int side, int64_t dim);

/// Floating-point operations of a product.
double flopsOf(MlirOperation product);

/// Elements of an operand along all dimensions that are neither batches nor contracted: rows or columns of the result.
int64_t freeElements(MlirOperation product, int side);

/// Whether the value of an operation is put into a slice of a loop's buffer where it is computed.
bool isUpdate(MlirOperation op);

/// Whether a fusion or library call is there in one way alone: it is such an update, or a rule (docs/rules.md) names
/// something in it.
bool isFixed(MlirOperation op);

/// A new library call before `before`: the product of other operands, with `addend` (null: nothing) added.
MlirValue buildProduct(MlirOperation like, MlirValue lhs, MlirValue rhs, MlirType result, MlirValue addend,
                       MlirOperation before);

/// Whether a library can compute products in one call without their operands side by side: they have the same shapes
/// and no batch.
bool canBeBatched(const MlirOperation *products, int64_t count);

/// That call, before `before`; it has the results of the products in their order.
MlirOperation buildBatch(const MlirOperation *products, int64_t count, MlirOperation before);

#endif // STITCH_PASSES_STITCH_ENUMERATE_PRODUCTS_H
