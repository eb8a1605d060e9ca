//===- races.h - operations that touch the same bytes without an order ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_CUDA_DOUBLE_RACES_H
#define STITCH_TEST_CUDA_DOUBLE_RACES_H

#include "test/cuda_double/internal.h"

/// An operation has run and has told the bytes that it touches (touches.h). A violation is each operation that touches
/// the same bytes, one of the two to write, and is neither before nor behind it. Which of them has run first does not
/// matter.
void racesCheck(const Op *op);

/// The host has waited for the operations of a clock; NULL: for all.
void racesHostWaits(const Clock *clock);

#endif // STITCH_TEST_CUDA_DOUBLE_RACES_H
