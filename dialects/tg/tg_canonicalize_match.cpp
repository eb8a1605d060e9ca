//===- tg_canonicalize_match.cpp - predicates of canonical forms ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_canonicalize.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tg;

Attribute tg::constantOf(Value value) {
  Attribute attribute;
  matchPattern(value, m_Constant(&attribute));
  return attribute;
}

//===----------------------------------------------------------------------===//
// Dimensions of size one
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>> tg::unitReshape(RankedTensorType from, RankedTensorType to) {
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return std::nullopt;
  SmallVector<int64_t> map;
  int64_t next = 0;
  for (int64_t size : from.getShape()) {
    int64_t match = next;
    while (size != 1 && match < to.getRank() && to.getDimSize(match) == 1)
      ++match;
    if (match < to.getRank() && to.getDimSize(match) == size) {
      map.push_back(match);
      next = match + 1;
    } else if (size == 1) {
      map.push_back(-1);
    } else {
      return std::nullopt;
    }
  }
  for (; next < to.getRank(); ++next)
    if (to.getDimSize(next) != 1)
      return std::nullopt;
  return map;
}

static bool addsOnly(ArrayRef<int64_t> map) { return !llvm::is_contained(map, -1); }

std::optional<UnitAdding> tg::unitAdding(Value value) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  if (!reshape)
    return std::nullopt;
  auto map = unitReshape(reshape.getOperand().getType(), reshape.getType());
  if (!map || !addsOnly(*map))
    return std::nullopt;
  return UnitAdding{reshape, std::move(*map)};
}

SmallVector<int64_t> tg::inverseOf(UnitAdding adding) {
  SmallVector<int64_t> inverse(adding.reshape.getType().getRank(), -1);
  for (auto [dim, resultDim] : llvm::enumerate(adding.map))
    inverse[resultDim] = dim;
  return inverse;
}
