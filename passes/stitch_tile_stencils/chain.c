//===- chain.c - stitch-tile-stencils: the chain of a result ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a result. Leaves the operations before it that only it needs, with the positions of each value that a tile of
// the result needs. All others that it reads are leaves.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "passes/stitch_tile_stencils/stencil.h"

#include <stdlib.h>

/// A tile with wider margins computes more than it stores.
enum { MOST_MARGIN = 128 };

/// So many operations before the last one that was found may belong to other results.
enum { MOST_STRANGERS = 256 };

int64_t chainNumber(const StencilChain *chain, MlirValue value) { return irMapGet(&chain->numbers, value.ptr, -1); }

int64_t chainNumberOf(const StencilChain *chain, MlirOperation op) {
  return !mlirOperationIsNull(op) && mlirOperationGetNumResults(op) == 1 ? chainNumber(chain, irResult(op, 0)) : -1;
}

void chainDestroy(StencilChain *chain) {
  irMapDestroy(&chain->numbers);
  free(chain->values);
}

static StencilValue *addToChain(StencilChain *chain, MlirValue value) {
  IR_RESERVE_ONE(chain->values, chain->count, chain->capacity);
  irMapSet(&chain->numbers, value.ptr, chain->count);
  chain->values[chain->count] = (StencilValue){.value = value, .isLeaf = true};
  return &chain->values[chain->count++];
}

/// Widens what a tile needs of the value that operation `reader` of the chain reads.
static bool request(StencilChain *chain, StencilValue reader, const StencilRead *read) {
  bool isNew = chainNumber(chain, read->value) < 0;
  StencilValue *value = isNew ? addToChain(chain, read->value) : &chain->values[chainNumber(chain, read->value)];
  IrShape shape = irShapeOf(read->value);
  bool fits = shape.rank == irShapeOf(reader.value).rank;
  for (intptr_t d = 0; fits && d < shape.rank; ++d) {
    int64_t low = reader.halo.low[d] + read->offset[d], high = reader.halo.high[d] + read->offset[d];
    value->halo.low[d] = isNew ? low : min64(value->halo.low[d], low);
    value->halo.high[d] = isNew ? high : max64(value->halo.high[d], high);
    fits = llabs(low) <= MOST_MARGIN && llabs(high) <= MOST_MARGIN;
    bool differs = shape.dims[d] != irShapeOf(reader.value).dims[d];
    chain->shifted |= (uint32_t)(read->offset[d] != 0 || (read->wraps >> d & 1) || differs) << d;
  }
  chain->wraps |= read->wraps;
  chain->pads |= read->pads;
  value->level = max64(value->level, reader.level + (read->moves && !read->pads));
  chain->levels = max64(chain->levels, value->level);
  return fits;
}

static bool isMember(const StencilChain *chain, MlirOperation op) {
  int64_t number = chainNumberOf(chain, op);
  return number >= 0 && !chain->values[number].isLeaf;
}

/// Whether only operations of the chain read a value. Slices that a roll is made of belong to it.
static bool isReadInside(const StencilChain *chain, MlirValue value) {
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (isMember(chain, user))
      continue;
    if (tgKindOf(user) != TG_slice)
      return false;
    IR_FOR_EACH_USE(inner, irResult(user, 0))
      if (!isMember(chain, mlirOpOperandGetOwner(inner)) || tgKindOf(mlirOpOperandGetOwner(inner)) != TG_concatenate)
        return false;
  }
  return true;
}

/// Takes an operation into the chain if it belongs there, and asks for what it reads. False: a tile cannot be made.
static bool takeOperation(StencilChain *chain, MlirOperation op, int64_t number, int64_t levels) {
  StencilValue value = chain->values[number];
  StencilRead reads[STENCIL_MOST_READS];
  int64_t count = stencilReads(op, reads);
  bool isTooDeep = value.level > levels && (count < 0 || !reads[0].moves);
  if (count < 0 || isTooDeep || (number > 0 && !isReadInside(chain, value.value)))
    return true;
  chain->values[number].isLeaf = false;
  bool fits = true;
  for (int64_t i = 0; fits && i < count; ++i)
    fits = request(chain, value, &reads[i]);
  return fits;
}

/// Whether sizes are the same where positions wrap around, and positions do not wrap where a pad ends a value.
/// Positions are 32-bit integers.
static bool endsAgree(const StencilChain *chain) {
  IrShape shape = irShapeOf(chain->values[0].value);
  if (chain->wraps & chain->pads)
    return false;
  for (int64_t i = 0; i < chain->count; ++i)
    for (intptr_t d = 0; d < shape.rank; ++d)
      if (irShapeOf(chain->values[i].value).dims[d] > INT32_MAX / 2 ||
          ((chain->wraps >> d & 1) && irShapeOf(chain->values[i].value).dims[d] != shape.dims[d]))
        return false;
  return true;
}

bool chainFind(StencilChain *chain, const MlirOperation *ops, int64_t result, int64_t levels) {
  *chain = (StencilChain){0};
  addToChain(chain, irResult(ops[result], 0));
  bool fits = true;
  int64_t strangers = 0;
  for (int64_t i = result; fits && i >= 0 && strangers < MOST_STRANGERS; --i) {
    int64_t number = chainNumberOf(chain, ops[i]);
    strangers = number < 0 ? strangers + 1 : 0;
    if (number >= 0)
      fits = takeOperation(chain, ops[i], number, levels);
  }
  return fits && !chain->values[0].isLeaf && chain->shifted && endsAgree(chain);
}
