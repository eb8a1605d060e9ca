//===- merge_choices.h - one branch for equal conditions -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_MERGE_CHOICES_H
#define STITCH_LOWERING_PTX_MERGE_CHOICES_H

#include "mlir-c/IR.h"

/// Merges choices (scf.if) of one block that have the same condition and only compute and load, none of them past a
/// store that it may read. Equal conditions are one value (after cse).
void mergeChoices(MlirOperation gpuModule);

#endif // STITCH_LOWERING_PTX_MERGE_CHOICES_H
