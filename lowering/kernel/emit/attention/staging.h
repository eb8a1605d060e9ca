//===- staging.h - tiles go to shared memory -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_EMIT_ATTENTION_STAGING_H
#define STITCH_LOWERING_KERNEL_EMIT_ATTENTION_STAGING_H

#include "lowering/kernel/emit/attention/attention.h"

// tiles.c
typedef enum { TILE_QUERIES, TILE_KEYS, TILE_VALUES } AttentionTile;
/// Rows that go to shared memory: `rows` rows of `width` elements there, of which `numRows` and `existing` exist.
typedef struct AttentionStaged AttentionStaged;
struct AttentionStaged {
  intptr_t number; ///< of the tile
  MlirValue source, target;
  int64_t rows, numRows, existing, width, pitch;
  MlirType type;
  bool isSwizzled;        ///< in blocks of columns, for wgmma
  bool isRounded;         ///< to TF32
  bool isKept;            ///< from before the loop over keys on
  const IndexExpr *first; ///< the number of its first row
  /// The index in the source of a row and a column with the lane variable.
  IndexVector (*indexAt)(AttentionEmitter *a, const AttentionStaged *tile, const IndexExpr *number,
                         const IndexExpr *column);
};
/// No barrier; asynchronous copies belong to the next group.
void attentionStageRows(AttentionEmitter *a, const AttentionStaged *tile);
/// Rounds the thread's own copies, which it has waited for.
void attentionRoundRows(AttentionEmitter *a, const AttentionStaged *tile);
/// Whether the thread can compute attentionScanRows.
bool attentionCanScanRows(AttentionEmitter *a, const AttentionStaged *tile);
/// Adds 0 times each element that the thread has brought itself, and waited for, to `sum`, of f32: NaN if one is not
/// finite.
MlirValue attentionScanRows(AttentionEmitter *a, const AttentionStaged *tile, MlirValue sum);
/// Brings a tile to shared memory: `first` is the number of its first row, or key. No barrier.
void attentionStage(AttentionEmitter *a, AttentionTile tile, const IndexExpr *first);
/// Rounds it, as attentionRoundRows.
void attentionRound(AttentionEmitter *a, AttentionTile tile);
/// The values: attentionCanScanRows, attentionScanRows.
bool attentionCanScan(AttentionEmitter *a);
MlirValue attentionScan(AttentionEmitter *a, MlirValue sum);

// buffers.c
/// How the tiles of keys of a kernel are brought.
typedef struct {
  void (*view)(AttentionEmitter *a);                          ///< finds them in shared memory: attentionTileView
  void (*bring)(AttentionEmitter *a, const IndexExpr *first); ///< brings those whose first key has that number there
  void (*round)(AttentionEmitter *a);                         ///< rounds the copies, before other threads read them
  bool (*canScan)(AttentionEmitter *a);                       ///< whether `scan` can say
  /// Adds 0 times the thread's copies of the tiles that weights multiply: attentionScanRows.
  MlirValue (*scan)(AttentionEmitter *a, MlirValue sum);
} AttentionStaging;
/// A part of shared memory, as many of which exist as buffers: that of the current buffer, or of the other.
MlirValue attentionTileView(AttentionEmitter *a, int64_t offset, int64_t count, MlirType type);
/// Before the loop over tiles; where each iteration begins, which may read the tile then; behind the loop. If the warp
/// does not see a tile (`seen`; null: all do), its weights are 0. Where no warp of the block sees it and all that
/// weights multiply is finite, the tile adds nothing: the result, the same in all threads, is then false. Null: always
/// true.
void attentionFirstTile(AttentionEmitter *a, const AttentionStaging *staging);
MlirValue attentionNextTile(AttentionEmitter *a, const AttentionStaging *staging, const RoundLoop *loop, int64_t tiles,
                            MlirValue seen);
void attentionLastTile(AttentionEmitter *a);

#endif // STITCH_LOWERING_KERNEL_EMIT_ATTENTION_STAGING_H
