//===- tg_functions.h - functions of those that tg has -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that tg has no operation for, as formulas of others: of floats, and of complex numbers.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_GRAPH_TG_FUNCTIONS_H
#define STITCH_IR_GRAPH_TG_FUNCTIONS_H

#include "ir/graph/tg_build.h"

typedef MlirValue (*TgFunction)(IrBuilder *b, MlirValue x);

MlirValue tgAcos(IrBuilder *b, MlirValue x);
MlirValue tgAcosh(IrBuilder *b, MlirValue x);
MlirValue tgAsin(IrBuilder *b, MlirValue x);
MlirValue tgAsinh(IrBuilder *b, MlirValue x);
MlirValue tgAtan(IrBuilder *b, MlirValue x);
MlirValue tgAtanh(IrBuilder *b, MlirValue x);
MlirValue tgCosh(IrBuilder *b, MlirValue x);
MlirValue tgSinh(IrBuilder *b, MlirValue x);

/// A complex number, or a tensor of such, as two of floats.
typedef struct {
  MlirValue real, imaginary;
} TgParts;

TgParts tgPartsOf(IrBuilder *b, MlirValue z);
MlirValue tgFromParts(IrBuilder *b, TgParts z);
MlirValue tgConjugate(IrBuilder *b, MlirValue z);

#endif // STITCH_IR_GRAPH_TG_FUNCTIONS_H
