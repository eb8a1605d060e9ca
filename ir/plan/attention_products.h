//===- attention_products.h - the two products of an attention -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_ATTENTION_PRODUCTS_H
#define STITCH_IR_PLAN_ATTENTION_PRODUCTS_H

#include "ir/plan/attention.h"

/// Notes the first thing that is wrong; false.
bool attentionRefuse(Attention *attention, MlirOperation culprit, const char *reason);

bool attentionSameIndex(const IndexVector *a, const IndexVector *b);
bool attentionDependsOn(const IndexVector *index, const IndexExpr *variable);

/// Whether `value` is computed from `op`, in one block.
bool attentionComesFrom(MlirValue value, MlirOperation op);

/// Whether every element of a reduce is one of so many rows of weights, or none is a result of the kernel: of other
/// rows nothing would be stored.
bool attentionHasRowsOf(MlirOperation reduce, int64_t rows);

/// Which kind of reduce a tg.reduce is; false if it is none of them.
bool attentionKindOfReduce(MlirOperation op, AttentionReduceKind *kind);

/// f16, bf16, f32 and f64.
bool productTakesFloat(MlirType type);
/// Whether operands and result are such.
bool productMultipliesFloats(MlirOperation dot);

/// Whether an exponential or a quotient becomes, element by element, an operand of a product in f16 or bf16, or one
/// that may be rounded to TF32. Then a relative error of some 2^-11 does not matter.
bool productRoundsResult(MlirOperation op);

/// Whether the operands of a product, of f32, may be rounded to TF32.
bool productIsTf32(MlirOperation dot);

/// On a product of f32 in a gradient, one of whose operands is converted from bf16. The other operand, its weights, is
/// the sum of three parts of bf16, exact down to 2^-133, the least of them. Tensor cores multiply each (Henry, Tang and
/// Heinecke, "Leveraging the bfloat16 Artificial Intelligence Datatype For Higher-Precision Computations").
#define PRODUCT_BF16_PARTS "stitch.bf16_parts"
enum { PRODUCT_PARTS = 3 };
bool productHasParts(MlirOperation dot);
/// Whether it can have the attribute, `weights` being the number of that operand; then `narrow` is the bf16 value of
/// the other one.
bool productCanHaveParts(MlirOperation dot, intptr_t weights, MlirValue *narrow);

/// Dimensions of an operand of a tg.dot, and the sizes of some of a value's.
IrShape productBatch(MlirOperation dot, intptr_t operand);
IrShape productContract(MlirOperation dot, intptr_t operand);
IrShape productFree(MlirOperation dot, intptr_t operand);
IrShape productSizes(MlirValue value, IrShape dims);

/// The index of an operand of a product, by its batch, its free and its contracted dimensions.
IndexVector productOperandIndex(MlirOperation dot, intptr_t operand, const IndexExpr *const *batch,
                                const IndexExpr *const *free, const IndexExpr *const *contract);

#endif // STITCH_IR_PLAN_ATTENTION_PRODUCTS_H
