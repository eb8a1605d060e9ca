//===- stencil.h - stencils in several steps, and their tiles ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_TILE_STENCILS_STENCIL_H
#define STITCH_PASSES_STITCH_TILE_STENCILS_STENCIL_H

#include "dialects/stitch/stitch.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"

/// Positions of a value that a tile needs, in each dimension, from where the tile of the result begins: [low, high +
/// the size of the tile).
typedef struct {
  int64_t low[IR_MAX_RANK], high[IR_MAX_RANK];
} Halo;

/// A value that an operation of the chain reads: element i is computed of element i + offset. In dimensions that wrap
/// around, positions count modulo the size. Outside of the value a pad has its own element.
typedef struct {
  MlirValue value;
  int64_t offset[IR_MAX_RANK];
  uint32_t wraps; ///< dimensions, a bit each
  uint32_t pads;  ///< dimensions in which positions outside of the value are read
  bool moves;     ///< by a slice, a roll or a pad; not by an elementwise operation
} StencilRead;

enum { STENCIL_MOST_READS = 8 };

/// What an operation of a chain reads of tensors with its rank, uniform values aside; -1 if it is none: an elementwise
/// operation, a slice, a pad, or a roll. That is a concatenation of two slices, and reads what these are slices of.
int64_t stencilReads(MlirOperation op, StencilRead reads[STENCIL_MOST_READS]);

/// Whether `value` is one element, or a tensor of equal elements: tiles have it without a read.
bool stencilIsUniform(MlirValue value);

/// A value of the chain of a result, or one that the chain reads.
typedef struct {
  MlirValue value;
  Halo halo;
  int64_t level; ///< slices and rolls between the value and the result, at most
  bool isLeaf;   ///< is made outside of the chain
} StencilValue;

/// The operations that compute one result from others by elementwise operations and movements, up to a level.
/// `values` come in reverse order of the block, the result first.
typedef struct {
  IrMap numbers; ///< of values, by their pointers
  StencilValue *values;
  int64_t count, capacity;
  uint32_t shifted; ///< dimensions in which a tile needs neighbours: these are tiled
  uint32_t wraps, pads;
  int64_t levels; ///< of the deepest value
} StencilChain;

/// Finds the chain of the result of operation `result` of a block's `ops`, with values up to `levels`. `ops` has null
/// in the place of operations that were destroyed. The caller
/// destroys it (chainDestroy), whatever is returned. False if there is no tile of it: sizes differ in dimensions that
/// wrap around, or positions lie too far apart.
bool chainFind(StencilChain *chain, const MlirOperation *ops, int64_t result, int64_t levels);
void chainDestroy(StencilChain *chain);

/// The number of a value in the chain; -1 if it is not in it.
int64_t chainNumber(const StencilChain *chain, MlirValue value);
/// The number of an operation's one result; -1 of null, too.
int64_t chainNumberOf(const StencilChain *chain, MlirOperation op);

/// Tiles of a result: their sizes in the dimensions that are tiled, and whole sizes in all others.
typedef struct {
  int64_t size[IR_MAX_RANK], count[IR_MAX_RANK];
} Tiling;

/// The fastest tiles of a chain by the model, and their nanoseconds for all of the result. False if no tile fits.
bool tilingChoose(const StencilChain *chain, const StitchDevice *device, Tiling *tiling, double *ns);

/// Puts tiles in the place of the operations of the chain of operation `result` of a block's `ops`. Operations that
/// nothing reads any more are destroyed, and null in `ops`.
void tilingApply(const StencilChain *chain, const Tiling *tiling, MlirOperation *ops, int64_t result);

/// The size of dimension `d` of a value's tile.
static inline int64_t tileSize(const Tiling *tiling, const Halo *halo, intptr_t d) {
  return tiling->size[d] + halo->high[d] - halo->low[d];
}

#endif // STITCH_PASSES_STITCH_TILE_STENCILS_STENCIL_H
