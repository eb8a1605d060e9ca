//===- fusion_body.h - making fusions and library calls ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_FUSION_BODY_H
#define STITCH_PASSES_COMMON_FUSION_BODY_H

#include "ir/mlir/map.h"
#include "ir/mlir/query.h"

/// Most results of a fusion. Its kernel has a pointer for each, and for each input, of which stitch-outline's and
/// stitch-remote's max-operands are allowed. With scratch memory and open sizes that is 4096 bytes of parameters, the
/// limit of drivers that are older than CUDA 12.1.
enum { PLAN_MAX_RESULTS = 240 };

/// Distinct values in the order in which they were added. Zero-initialised it is empty.
typedef struct {
  IrMap numbers;
  MlirValue *values;
  int64_t count;
  int64_t capacity;
} ValueList;

/// The place of `value` in the list, at the end if it is new.
int64_t valueListAdd(ValueList *list, MlirValue value);
void valueListDestroy(ValueList *list);

/// The region of a stitch.fusion or stitch.library_call while it is filled: operations are moved to the end of `block`.
typedef struct {
  MlirBlock block;
  ValueList inputs; ///< outside values, each a block argument
} FusionBody;

FusionBody fusionBodyCreate(void);

/// The block argument that stands for an outside value.
MlirValue fusionBodyArgument(FusionBody *body, MlirValue outside, MlirLocation loc);

/// A block argument of its own, also if another one stands for the value.
MlirValue fusionBodyOwnArgument(FusionBody *body, MlirValue outside, MlirLocation loc);

/// Ends the body with a stitch.yield of `results` and makes it the region of a new operation `name` before `before`.
/// The body is then used up. Uses of the results are left as they are.
MlirOperation fusionBodyClose(FusionBody *body, const char *name, MlirLocation loc, const ValueList *results,
                              MlirOperation before);

/// A new stitch.fusion before `before` with copies of operations of its block, which are in program order and stay,
/// that returns the copies of `results`.
MlirOperation fusionCopy(const MlirOperation *ops, intptr_t numOps, const ValueList *results, MlirLocation loc,
                         MlirOperation before);

/// Moves readers of a fusion's results that stand before it in its block, and their readers, behind it.
void fusionMoveReaders(MlirOperation fusion);

/// Replaces the uses of `value` that are not directly in `body`.
void replaceUsesOutside(MlirBlock body, MlirValue value, MlirValue by);

#endif // STITCH_PASSES_COMMON_FUSION_BODY_H
