//===- scalar_body.h - regions that compute on single elements ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparators of sorts and the like compute on tensors of rank 0. Where they become code these are scalars.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_SCALAR_SCALAR_BODY_H
#define STITCH_LOWERING_SCALAR_SCALAR_BODY_H

#include "lowering/scalar/scalar.h"

/// The scalar of a value of rank 0 from around a region that is no constant.
typedef MlirValue (*ScalarCapture)(IrBuilder *b, MlirValue value, void *data);

/// Computes the yielded values of a region, given its arguments (scalarType of their element types). Every operation of
/// it must be an elementwise one, or one that only moves elements, on tensors of rank 0. Values from around it that are
/// no splat constants come from `capture`, and are refused if that is NULL. False after a located error.
bool scalarBody(IrBuilder *b, MlirBlock block, const MlirValue *arguments, ScalarCapture capture, void *data,
                MlirValue *yielded);

#endif // STITCH_LOWERING_SCALAR_SCALAR_BODY_H
