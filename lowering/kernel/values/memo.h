//===- memo.h - memo of computed values, by scope -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_VALUES_MEMO_H
#define STITCH_LOWERING_KERNEL_VALUES_MEMO_H

#include "ir/index/index_expr.h"
#include "ir/mlir/arena.h"

/// The values of consecutive lanes of a vector access; one value if all lanes have the same.
typedef struct {
  intptr_t count;
  const MlirValue *values;
} Bundle;

/// A position in the iteration space that may lie outside it: `index` is moved inside, `valid` says whether it had to
/// be (null: never).
typedef struct {
  const IndexExpr *index;
  MlirValue valid;
} Position;

struct AlignedVector;

/// What a memo entry holds; which member depends on the key.
typedef struct {
  Bundle bundle;
  Position position;
  const struct AlignedVector *aligned;
} MemoValue;

typedef struct MemoEntry MemoEntry;

/// A map from (pointer, index vector) that forgets what was added in a scope when the scope ends: values of a region do
/// not dominate what follows it.
typedef struct {
  IrArena arena;
  MemoEntry **buckets;
  size_t numBuckets;
  MemoEntry *newest;
  size_t count;
} Memo;

const MemoValue *memoFind(const Memo *memo, const void *key, const IndexVector *index);
void memoAdd(Memo *memo, const void *key, const IndexVector *index, MemoValue value);
/// Opens a scope: returns what memoLeave takes.
MemoEntry *memoEnter(const Memo *memo);
void memoLeave(Memo *memo, MemoEntry *scope);
void memoDestroy(Memo *memo);

#endif // STITCH_LOWERING_KERNEL_VALUES_MEMO_H
