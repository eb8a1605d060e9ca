//===- union_find.h - disjoint sets of numbers ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forest in an array of parents. The smallest number of a set represents it, so the result does not depend on the
// order in which sets are united.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_UNION_FIND_H
#define STITCH_IR_MLIR_UNION_FIND_H

#include "ir/mlir/arena.h"

#include <stdint.h>

/// Sets {0}, {1}, ..., {count - 1}, allocated in `arena`.
static inline int64_t *unionFindCreate(IrArena *arena, int64_t count) {
  int64_t *parent = IR_NEW_ARRAY(arena, int64_t, count);
  for (int64_t i = 0; i < count; ++i)
    parent[i] = i;
  return parent;
}

static inline int64_t unionFindRoot(int64_t *parent, int64_t i) {
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

static inline void unionFindUnite(int64_t *parent, int64_t a, int64_t b) {
  a = unionFindRoot(parent, a);
  b = unionFindRoot(parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

#endif // STITCH_IR_MLIR_UNION_FIND_H
