//===- tiling.c - stitch-tile-stencils: sizes of tiles -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a chain. Leaves the sizes of its tiles that take the least time by the model: small tiles compute and read much
// of their neighbours, large ones do not fit into the shared memory of a block, or leave multiprocessors idle.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/cost.h"
#include "ir/plan/resources.h"
#include "passes/stitch_tile_stencils/stencil.h"

#include <math.h>

static int64_t elementsOfTile(const Tiling *tiling, const StencilValue *value) {
  int64_t elements = 1;
  IrShape shape = irShapeOf(value->value);
  for (intptr_t d = 0; d < shape.rank; ++d)
    elements *= tiling->count[d] > 0 ? tileSize(tiling, &value->halo, d) : shape.dims[d];
  return elements;
}

static bool dividesAll(const StencilChain *chain, const Tiling *tiling) {
  IrShape shape = irShapeOf(chain->values[0].value);
  for (intptr_t d = 0; d < shape.rank; ++d)
    if (tiling->count[d] > 0 && shape.dims[d] % tiling->size[d] != 0)
      return false;
  return true;
}

/// Whether only movements read the result, as the tiles of later steps do: they read it where its tiles are.
static bool isMoved(const StencilChain *chain) {
  IR_FOR_EACH_USE(use, chain->values[0].value) {
    TgKind kind = tgKindOf(mlirOpOperandGetOwner(use));
    if (kind != TG_gather && kind != TG_pad && kind != TG_slice && kind != TG_concatenate)
      return false;
  }
  return true;
}

/// Nanoseconds of a kernel for all tiles. What tiles read of their neighbours comes from the second-level cache. A
/// second kernel leaves out what the last tiles have outside of the result.
/// Infinity if a tile does not fit into a block: a value that is read, and one that is written.
static double timeOfTiles(const StencilChain *chain, const StitchDevice *device, const Tiling *tiling) {
  double tiles = 1, unique = 0, again = 0, instructions = 0;
  for (intptr_t d = 0; d < irShapeOf(chain->values[0].value).rank; ++d)
    tiles *= (double)max64(tiling->count[d], 1);
  for (int64_t i = 0; i < chain->count; ++i) {
    const StencilValue *value = &chain->values[i];
    int64_t elements = elementsOfTile(tiling, value), bytes = irElementBytes(irElementTypeOf(value->value));
    if (!planBlockHoldsRow(device, elements))
      return INFINITY;
    double whole = (double)irTensorBytes(mlirValueGetType(value->value));
    if (value->isLeaf) {
      unique += whole;
      again += fmax((double)(elements * bytes) * tiles - whole, 0);
    } else {
      instructions += (double)elements * (double)costInstructionsOf(irDefiningOp(value->value));
    }
  }
  double result = (double)irTensorBytes(mlirValueGetType(chain->values[0].value));
  unique += result;
  double rounds = tiles / (double)device->sms, idle = ceil(rounds) / rounds;
  double moving = costOfMoving(device, unique) + costOfCached(device, again, 1);
  double computing = costOfComputing(device, (int64_t)(tiles * instructions), 1);
  double ns = (double)device->launchNs + COST_MEMORY_LATENCY + idle * fmax(moving, computing);
  return dividesAll(chain, tiling) || isMoved(chain)
             ? ns
             : ns + (double)device->launchNs + COST_MEMORY_LATENCY + costOfMoving(device, 2 * result);
}

/// Whether no tile reads further around than the size of a dimension that wraps.
static bool staysWithin(const StencilChain *chain, const Tiling *tiling) {
  IrShape shape = irShapeOf(chain->values[0].value);
  for (int64_t i = 0; i < chain->count; ++i)
    for (intptr_t d = 0; d < shape.rank; ++d) {
      const Halo *halo = &chain->values[i].halo;
      int64_t end = tiling->size[d] * tiling->count[d] + halo->high[d];
      if ((chain->wraps >> d & 1) && (-halo->low[d] > shape.dims[d] || end > 2 * shape.dims[d]))
        return false;
    }
  return true;
}

/// The sizes that are tried for a dimension: powers of two, or what divides the dimension near them.
enum { LEAST_SIZE = 8, MOST_SIZE = 4096 };

/// The last dimension is divided among tiles even if no step reads around in it, into parts that are contiguous.
enum { LEAST_PART = 64 };

static bool canBeTiled(const StencilChain *chain, intptr_t d) {
  IrShape shape = irShapeOf(chain->values[0].value);
  return (chain->shifted >> d & 1) || (d + 1 == shape.rank && shape.dims[d] > LEAST_PART);
}

/// The largest divisor of a dimension between half of a size and the size; the size itself if there is none.
static int64_t divisorNear(int64_t dim, int64_t size) {
  for (int64_t divisor = size; 2 * divisor > size; --divisor)
    if (dim % divisor == 0)
      return divisor;
  return size;
}

static void tryFrom(const StencilChain *chain, const StitchDevice *device, intptr_t d, Tiling *tried, Tiling *best,
                    double *least) {
  IrShape shape = irShapeOf(chain->values[0].value);
  while (d < shape.rank && !canBeTiled(chain, d))
    ++d;
  if (d == shape.rank) {
    double ns = staysWithin(chain, tried) ? timeOfTiles(chain, device, tried) : INFINITY;
    if (ns < *least) {
      *least = ns;
      *best = *tried;
    }
    return;
  }
  int64_t smallest = chain->shifted >> d & 1 ? LEAST_SIZE : LEAST_PART;
  for (int64_t size = smallest; size <= MOST_SIZE; size *= 2) {
    tried->size[d] = divisorNear(shape.dims[d], min64(size, shape.dims[d]));
    tried->count[d] = (shape.dims[d] + tried->size[d] - 1) / tried->size[d];
    tryFrom(chain, device, d + 1, tried, best, least);
    if (size >= shape.dims[d])
      break;
  }
}

bool tilingChoose(const StencilChain *chain, const StitchDevice *device, Tiling *tiling, double *ns) {
  Tiling tried = {0};
  *ns = INFINITY;
  tryFrom(chain, device, 0, &tried, tiling, ns);
  return *ns < INFINITY;
}
