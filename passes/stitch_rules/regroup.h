//===- regroup.h - fusions are split and merged --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_RULES_REGROUP_H
#define STITCH_PASSES_STITCH_RULES_REGROUP_H

#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// A fusion without a plan can be merged with others; one with stitch.attention has a plan already.
bool isMergeable(MlirOperation op);

/// The operations of a fusion's body but for the end, with who is read by whom.
typedef struct {
  MlirOperation fusion;
  MlirOperation *ops;
  int64_t count;
  IrMap numbers;  ///< operation -> its place in `ops`
  bool *isCloned; ///< each part that reads it computes it again, for nothing
  IrArena arena;
} Body;

Body bodyOf(MlirOperation fusion);
void bodyDestroy(Body *body);

/// Calls `visit` with each operation of the body that is not cloned and that `op`, or the end, reads, clones looked
/// through.
typedef void (*BodyVisitor)(int64_t producer, MlirValue value, void *data);
void bodyForEachProducer(const Body *body, MlirOperation op, BodyVisitor visit, void *data);

/// Makes a fusion of each part of a body: of operations that are not cloned `parts` says which, from 0 on, and none
/// reads one of a later part. The fusion is then no more.
void splitFusion(const Body *body, const int64_t *parts, int64_t numParts);

/// Puts fusions of a block, and those that are between them, into one. False if something else is between them, the
/// first of which is `*between`, or if there would be too many operations, inputs or results: then it is null.
bool mergeFusions(MlirBlock block, const MlirOperation *fusions, int64_t count, MlirOperation *between);

#endif // STITCH_PASSES_STITCH_RULES_REGROUP_H
