//===- attention_plan.h - results and launch of an attention kernel ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common definitions of the planning passes and the code generator for a fusion with stitch.attention (docs/ir.md,
// section 2, "Attention").
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_ATTENTION_PLAN_H
#define STITCH_IR_PLAN_ATTENTION_PLAN_H

#include "dialects/stitch/stitch.h"
#include "ir/plan/attention.h"

/// A warp has 16 rows. Its lane l has of each tile of 16 x 8 elements those of rows l / 4 and l / 4 + 8, columns 2 * (l
/// % 4) and the next. These are the accumulators of mma.m16n8k16 (PTX ISA, "Matrix Fragments").
enum { ATTENTION_WARP = 32, ATTENTION_WARP_ROWS = 16, ATTENTION_FRAGMENT = 8 };

/// Rows of a warpgroup, which multiplies by wgmma, and columns of a block of columns in shared memory
/// (stitch.warpgroup_product).
enum { ATTENTION_WARPGROUP_ROWS = 64, ATTENTION_PANEL = 64 };

/// Reads stitch.attention; false if it is missing.
bool planGetAttention(MlirOperation fusion, StitchAttention *attention);

/// An operation whose elements a place of the attention has, and their index.
typedef struct {
  MlirOperation op;
  IndexVector index;
} AttentionSource;

/// The operations that may be between a source and a value that the fusion yields.
typedef enum {
  BEHIND_MOVES,       ///< conversions and rearrangements
  BEHIND_ELEMENTWISE, ///< these, and functions of each element together with other operands
} AttentionBehind;

/// The index of a value that the fusion yields which has, or is made of, elements of one of the sources: then true, and
/// `source` is that operation.
bool attentionMovedIndex(IndexContext *index, const AttentionSource *sources, intptr_t count, AttentionBehind behind,
                         MlirValue yielded, MlirOperation *source, IndexVector *place);

/// The index of a value that the fusion yields which has the element of a place: of the second product's result, or of
/// a reduce, which `source` is set to. False if there are other operations than conversions and rearrangements between.
bool attentionResultIndex(IndexContext *index, const Attention *attention, const AttentionSizes *sizes,
                          MlirValue yielded, MlirOperation *source, IndexVector *place);

/// Whether all that the fusion yields is such a value; else with `reason` and `culprit`.
bool attentionHasResults(IndexContext *index, const AttentionSizes *sizes, MlirOperation yield, Attention *attention);

/// The type in which products and sums accumulate.
MlirType attentionAccumulator(const AttentionSizes *sizes);

/// The types in shared memory of queries and keys, and of values (for multiply-adds of weights, too): the
/// accumulator's, or, for tensor cores, their own.
MlirType attentionTileType(const AttentionSizes *sizes, const StitchAttention *plan, bool ofValues);

/// Whether the device's tensor cores can do a product: of f16 from sm_75 on, of bf16, and of f32 that may be rounded to
/// TF32, from sm_80 on.
bool attentionIsOnTensorCores(MlirOperation product, const StitchDevice *device);

/// Whether a kernel can use them: at least one of its products is on them, and all that have operands of 16 bits, or
/// operands that may be rounded. None is of f64.
bool attentionAreOnTensorCores(const MlirOperation *products, intptr_t count, const StitchDevice *device);

/// Whether a kernel with this plan computes a product by them. The readers of the scores do not decide how the scores
/// are computed, so that all kernels of a softmax and its gradient have the same ones, bit by bit.
bool attentionIsMma(const StitchAttention *plan, MlirOperation product);

/// Whether the kernel can use them.
bool attentionCanUseTensorCores(const AttentionSizes *sizes, const StitchDevice *device);

/// Whether wgmma has a product's types, and so many columns of a result.
bool attentionProductFitsWarpgroups(MlirOperation product, int64_t columns);
/// The message about a plan with wgmma for products that wgmma does not have.
#define ATTENTION_NO_WARPGROUPS                                                                                        \
  "multiplies by wgmma, for which operands must be f16 or bf16, and results have at most 256 columns"
/// Whether the device has wgmma, and the rows fill more than half of a warpgroup.
bool attentionHasWarpgroups(const StitchDevice *device, int64_t rows);
/// Whether the kernel can multiply by warpgroups.
bool attentionCanUseWarpgroups(const AttentionSizes *sizes, const StitchDevice *device);

/// The block's shared memory: queries first, then keys and values. Queries and keys are there row by row, of `depth`
/// elements; values key by key, of `features` elements. For multiply-adds there are the weights, row by row, too. A
/// second buffer of keys, or values, is right behind the first. `Pitch` is the distance of two rows in elements; of
/// blocks of columns, for wgmma, the columns of all blocks: so many elements has a row, wherever they are.
typedef struct {
  int64_t depth, features;
  int64_t depthPitch, valuePitch, weightPitch;
  int64_t keysOffset, valuesOffset, weightsOffset;
  int64_t bytes;
} AttentionMemory;

AttentionMemory attentionMemory(const AttentionSizes *sizes, const StitchAttention *plan);

/// Tiles of keys that a block goes through; 0 if the fusion is no attention.
int64_t attentionTiles(MlirOperation fusion);

/// With registers that no other block would have.
StitchLaunch attentionLaunchOf(const AttentionSizes *sizes, const StitchAttention *plan, const StitchDevice *device);
/// Blocks that a multiprocessor can hold; 0: the device cannot hold any.
int64_t attentionBlocksPerSM(const AttentionSizes *sizes, const StitchAttention *plan, const StitchDevice *device);

/// The launch of a fusion with stitch.attention. False, after an error unless there is none, if it has none.
bool attentionLaunch(MlirOperation fusion, const StitchDevice *device, StitchLaunch *launch);

#endif // STITCH_IR_PLAN_ATTENTION_PLAN_H
