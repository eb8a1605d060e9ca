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

/// f16, bf16, f32 and f64.
bool productTakesFloat(MlirType type);

/// Dimensions of an operand of a tg.dot, and the sizes of some of a value's.
IrShape productBatch(MlirOperation dot, intptr_t operand);
IrShape productContract(MlirOperation dot, intptr_t operand);
IrShape productFree(MlirOperation dot, intptr_t operand);
IrShape productSizes(MlirValue value, IrShape dims);

#endif // STITCH_IR_PLAN_ATTENTION_PRODUCTS_H
