//===- lower_rules.h - lowerings of tg operations -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each kind of operation: it reads the tg operation, creates its replacement in front of it, and
// returns the result. A null value or false: the types are not supported, and the pass fails. The functions are in
// files by kind of operation; tg_to_linalg.c chooses among them.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LOWER_RULES_H
#define STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LOWER_RULES_H

#include "lowering/reference/tg_to_linalg/lowering.h"

MlirValue lowerElementwise(const Lowering *l);
MlirValue lowerBitcast(const Lowering *l);
MlirValue lowerConstant(const Lowering *l);
/// The element of a splat constant, an original value; null: it is none. (Of complex numbers MLIR has other constants.)
MlirValue splatElement(const Lowering *l, MlirValue original);
MlirValue lowerIota(const Lowering *l);
MlirValue lowerReshape(const Lowering *l);
MlirValue lowerBroadcast(const Lowering *l);
MlirValue lowerTranspose(const Lowering *l);
MlirValue lowerReverse(const Lowering *l);
MlirValue lowerSlice(const Lowering *l);
MlirValue lowerPad(const Lowering *l);
MlirValue lowerConcatenate(const Lowering *l);
MlirValue lowerDynamicSlice(const Lowering *l);
MlirValue lowerDynamicUpdateSlice(const Lowering *l);
MlirValue lowerGather(const Lowering *l);
MlirValue lowerReduce(const Lowering *l);
MlirValue lowerDot(const Lowering *l);
MlirValue lowerConvolution(const Lowering *l);
MlirValue lowerFft(const Lowering *l);
MlirValue lowerCholesky(const Lowering *l);
MlirValue lowerTriangularSolve(const Lowering *l);
MlirValue lowerCollective(const Lowering *l);
MlirValue lowerScatter(const Lowering *l);
MlirValue lowerReduceWindow(const Lowering *l);
MlirValue lowerSelectAndScatter(const Lowering *l);
MlirValue lowerGeneralSelectAndScatter(const Lowering *l);
MlirValue lowerCumulative(const Lowering *l);

/// These set all results.
bool lowerArgReduce(const Lowering *l, MlirValue *results);
bool lowerGeneralReduce(const Lowering *l, MlirValue *results);
bool lowerGeneralCumulative(const Lowering *l, MlirValue *results);
bool lowerGeneralReduceWindow(const Lowering *l, MlirValue *results);
bool lowerGeneralScatter(const Lowering *l, MlirValue *results);
bool lowerSort(const Lowering *l, MlirValue *results);
bool lowerTopK(const Lowering *l, MlirValue *results);
bool lowerWhile(const Lowering *l, MlirValue *results);
bool lowerIf(const Lowering *l, MlirValue *results);
bool lowerCase(const Lowering *l, MlirValue *results);
bool lowerOptimizationBarrier(const Lowering *l, MlirValue *results);

#endif // STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LOWER_RULES_H
