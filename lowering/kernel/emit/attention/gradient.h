//===- gradient.h - the code of a gradient kernel ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_EMIT_ATTENTION_GRADIENT_H
#define STITCH_LOWERING_KERNEL_EMIT_ATTENTION_GRADIENT_H

#include "ir/plan/gradient_plan.h"
#include "lowering/kernel/emit/attention/staging.h"

/// A key of a tile that a lane has elements of.
typedef struct {
  const IndexExpr *dims[IR_MAX_RANK];
  MlirValue valid; ///< null: always
} GradientKey;

typedef struct {
  AttentionEmitter a; ///< the position of the lane, and the current product
  GradientSizes sizes;
  Gradient any; ///< at any place
  GradientMemory memory;
  MlirValue tiles[GRADIENT_MAX_TILES]; ///< shared memory
  MlirType types[GRADIENT_MAX_TILES];
  bool isRounded[GRADIENT_MAX_TILES]; ///< to TF32, in shared memory
  unsigned neededScores;              ///< products of which tiles of keys are brought, and whether those of results are
  bool needsResults;
  MlirValue reduced[ATTENTION_MAX_REDUCES][LANE_ROWS]; ///< elements of reduces, behind their passes
} GradientEmitter;

// gradient_tiles.c
/// The indices at a row, a key (null: any) and an element along the contracted dimension, or of
/// features (null: any).
Gradient gradientAt(const GradientEmitter *g, const AttentionRow *row, const GradientKey *key, const IndexExpr *inner);
void gradientViewMemory(GradientEmitter *g);
/// Copies the kept rows to shared memory; and the needed tiles of keys.
void gradientStageKept(GradientEmitter *g);
extern const AttentionStaging gradientStaging;
/// The lane's elements of a product of scores, in the accumulator's type.
void gradientMultiplyScores(GradientEmitter *g, intptr_t number, MlirValue *scores);
/// Adds the products of the lane's weights with the tile's values to its elements of a result.
void gradientMultiplyValues(GradientEmitter *g, intptr_t number, const MlirValue *weights, MlirValue *result);
/// Fragments of a result.
intptr_t gradientFragments(const GradientEmitter *g, intptr_t number);

// gradient_rows.c
/// In front of all loops: evaluates the values of a row of the block that are common to all keys.
void gradientEvaluateRows(GradientEmitter *g);

// gradient_mask.c
/// Whether the warp needs any element of a tile, whose keys are `keys`: two of each fragment; null: always.
MlirValue gradientIsTileSeen(GradientEmitter *g, const GradientKey *keys);

// gradient_results.c
/// Stores reduces and results.
void gradientStoreResults(GradientEmitter *g, const MlirValue *state);

#endif // STITCH_LOWERING_KERNEL_EMIT_ATTENTION_GRADIENT_H
