//===- skinny.h - a few rows times large matrices, on tensor cores -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stitch.fusion with #stitch.skinny multiplies at most 64 rows by one or several large matrices (*weights*), which
// memory limits: decoding of several sequences. Each weight is loaded once, from memory straight into the registers
// that the tensor core wants it in, and may be computed there: converted from fewer bits, scaled. Elementwise
// operations behind the products are computed before anything is stored. Not in the papers; "skinny GEMM" elsewhere.
//
// A lane of a warp has `columns` columns of the weights, and in a step `depth` contracted elements of each. The tensor
// core's instruction does not care which contracted elements its four per lane are, nor which columns its eight are, if
// both operands and the result agree. So a lane takes those that are neighbours in memory.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_SKINNY_H
#define STITCH_IR_PLAN_SKINNY_H

#include "ir/plan/kernel_cost.h"

#define PLAN_SKINNY "stitch.skinny"

/// mma.m16n8k16 (PTX ISA, "Matrix Fragments"). Of its rows each lane has two, of its columns one, and four of its
/// contracted elements; lanes in a group have one column, and there are four of them.
enum {
  SKINNY_TILE_ROWS = 16,
  SKINNY_TILE_COLUMNS = 8,
  SKINNY_LANE_DEPTH = 4,
  SKINNY_GROUP = 4,
  SKINNY_MOST_ROWS = 64,
  SKINNY_MOST_PRODUCTS = 4
};

/// The products of a fusion with #stitch.skinny.
typedef struct {
  intptr_t numProducts;
  MlirOperation products[SKINNY_MOST_PRODUCTS]; ///< tg.dot, of the same types; all of one thin operand
  intptr_t thin;                                ///< its number, 0 or 1
  int64_t rows, columns, depth;                 ///< of the thin operand; of each weights; contracted
  bool isAlongDepth;                            ///< weights that are neighbours in memory are contracted
} SkinnySizes;

static inline bool planIsSkinny(MlirOperation fusion) { return irHasAttr(fusion, PLAN_SKINNY); }

/// Whether a tg.dot can be one of the products. It is of f16 or bf16, without batch, with one contracted dimension, and
/// one side of at most SKINNY_MOST_ROWS rows. It sets the sizes as far as they are the product's alone. False with a
/// `reason`.
bool skinnyProduct(MlirOperation dot, SkinnySizes *sizes, const char **reason);

/// Whether a product can be beside others in one kernel.
bool skinnyIsLike(const SkinnySizes *others, const SkinnySizes *own);

/// Whether such a kernel can compute an operation on the way to the weights, or one that an operation behind the
/// products reads.
bool skinnyCanRead(MlirOperation op);

/// Whether it can go on with an operation that depends on the products: element by element, in the products' shape.
bool skinnyCanFollow(MlirOperation dot, MlirOperation op);

/// The sizes of a fusion's body. False with a `reason` that names the fault of `culprit`.
bool skinnySizesOf(MlirBlock body, SkinnySizes *sizes, const char **reason, MlirOperation *culprit);

/// The plan that costs least; false if the device can hold none.
bool skinnyPlan(MlirOperation fusion, const StitchDevice *device, StitchSkinny *plan, PlanCost *cost);

/// The launch of its kernel. False, after an error, if it has none.
bool skinnyLaunch(MlirOperation fusion, const StitchDevice *device, StitchLaunch *launch);

/// The same for its cost.
bool skinnyCost(MlirOperation fusion, const StitchDevice *device, PlanCost *cost);

/// Bytes that its blocks read and write: bytes that all of them read come from memory once.
void skinnyTraffic(MlirOperation fusion, double *read, double *written);

/// planInputReads of such a fusion, which has one phase and reads all of each input.
void skinnyInputReads(MlirOperation fusion, IrArena *arena, PlanInputReads *reads);

/// Instructions of all weights, but those of the products: loads, and the operations that compute the operand.
double skinnyWeightInstructions(MlirOperation fusion, const SkinnySizes *sizes, const StitchSkinny *plan);

#endif // STITCH_IR_PLAN_SKINNY_H
