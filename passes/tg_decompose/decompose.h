//===- decompose.h - inside tg-decompose ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function creates the operations that compute an operation's results, at the builder's insertion point, and sets
// them. False: it is left as it is, after an error.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_TG_DECOMPOSE_DECOMPOSE_H
#define STITCH_PASSES_TG_DECOMPOSE_DECOMPOSE_H

#include "ir/graph/tg_build.h"

enum { DECOMPOSE_MAX_RESULTS = 3 };

typedef bool (*Decompose)(MlirOperation op, IrBuilder *b, MlirValue *results);

// normalization.c
bool decomposeSoftmax(MlirOperation op, IrBuilder *b, MlirValue *results);
bool decomposeLogSoftmax(MlirOperation op, IrBuilder *b, MlirValue *results);
bool decomposeGelu(MlirOperation op, IrBuilder *b, MlirValue *results);
bool decomposeGeluGradient(MlirOperation op, IrBuilder *b, MlirValue *results);
bool decomposeLayerNorm(MlirOperation op, IrBuilder *b, MlirValue *results);
bool decomposeBatchNormTraining(MlirOperation op, IrBuilder *b, MlirValue *results);
bool decomposeBatchNormInference(MlirOperation op, IrBuilder *b, MlirValue *results);
bool decomposeBatchNormGrad(MlirOperation op, IrBuilder *b, MlirValue *results);

// random.c
bool decomposeRngBitGenerator(MlirOperation op, IrBuilder *b, MlirValue *results);
/// `number` tells apart the operations of a module.
bool decomposeRng(MlirOperation op, IrBuilder *b, MlirValue *results, uint64_t number);

#endif // STITCH_PASSES_TG_DECOMPOSE_DECOMPOSE_H
