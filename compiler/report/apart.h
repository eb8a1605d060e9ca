//===- apart.h - why two steps are not one kernel ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_REPORT_APART_H
#define STITCH_COMPILER_REPORT_APART_H

#include "compiler/report/sequence.h"

#include <stdio.h>

/// Writes `reasons`, a list of texts, and `apart`, as JavaScript. `apart` has the number of a reason for "K0 L1" and
/// each other pair of steps: why they cannot be one kernel, or that nothing forbids it. Both are empty where there are
/// more pairs than a page should have.
void writeReasons(FILE *out, const Sequence *sequence);

#endif // STITCH_COMPILER_REPORT_APART_H
