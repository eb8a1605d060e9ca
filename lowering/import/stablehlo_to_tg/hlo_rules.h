//===- hlo_rules.h - conversions of StableHLO operations ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of HloRule.convert, by the table of stablehlo_to_tg.c. They are defined in files by kind of operation;
// those of dynamic operations (dynamic.c) call those of the operations that they are then.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_RULES_H
#define STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_RULES_H

#include "lowering/import/stablehlo_to_tg/hlo_conversion.h"

/// Whether an operation keeps the constraints that its conversion does not look at; if not, emits an error.
bool hloKeepsConstraints(HloConversion *c);

/// Puts functions in the place of their calls within regions of operations. False after an error.
bool hloInlineBodyCalls(MlirOperation module);

/// The same operands and no attributes.
bool hloConvertSame(HloConversion *c);

bool hloConvertAcos(HloConversion *c);
bool hloConvertAcosh(HloConversion *c);
bool hloConvertAsin(HloConversion *c);
bool hloConvertAsinh(HloConversion *c);
bool hloConvertAtan(HloConversion *c);
bool hloConvertAtanh(HloConversion *c);
bool hloConvertBatchNorm(HloConversion *c);
bool hloConvertBroadcast(HloConversion *c);
bool hloConvertBroadcastInDim(HloConversion *c);
bool hloConvertCholesky(HloConversion *c);
bool hloConvertCollective(HloConversion *c);
bool hloConvertCollectiveBroadcast(HloConversion *c);
bool hloConvertCollectivePermute(HloConversion *c);
bool hloConvertCollectiveReduction(HloConversion *c);
bool hloConvertCompare(HloConversion *c);
bool hloConvertComposite(HloConversion *c);
bool hloConvertConcatenate(HloConversion *c);
bool hloConvertConj(HloConversion *c);
bool hloConvertConstant(HloConversion *c);
bool hloConvertConvolution(HloConversion *c);
bool hloConvertCosh(HloConversion *c);
bool hloConvertCustomCall(HloConversion *c);
bool hloConvertDot(HloConversion *c);
bool hloConvertDotGeneral(HloConversion *c);
bool hloConvertDynamicBroadcast(HloConversion *c);
bool hloConvertDynamicConvolution(HloConversion *c);
bool hloConvertDynamicGather(HloConversion *c);
bool hloConvertDynamicIota(HloConversion *c);
bool hloConvertDynamicPad(HloConversion *c);
bool hloConvertDynamicReshape(HloConversion *c);
bool hloConvertDynamicSlice(HloConversion *c);
bool hloConvertExtreme(HloConversion *c);
bool hloConvertFft(HloConversion *c);
bool hloConvertGather(HloConversion *c);
bool hloConvertGetDimensionSize(HloConversion *c);
bool hloConvertIota(HloConversion *c);
bool hloConvertIsInf(HloConversion *c);
bool hloConvertIsNegInf(HloConversion *c);
bool hloConvertIsPosInf(HloConversion *c);
bool hloConvertMap(HloConversion *c);
bool hloConvertNextAfter(HloConversion *c);
bool hloConvertPad(HloConversion *c);
bool hloConvertProcessId(HloConversion *c);
bool hloConvertRaggedDot(HloConversion *c);
/// Checks a stablehlo.async_start, puts the operation of its body in front of it, and replaces the readers' futures by
/// that operation's results. Returns the operation, which is to be converted; null after an error.
MlirOperation hloInlineAsync(HloConversion *c);
bool hloConvertAsyncDone(HloConversion *c);
bool hloConvertRealDynamicSlice(HloConversion *c);
bool hloConvertReduce(HloConversion *c);
bool hloConvertReducePrecision(HloConversion *c);
bool hloConvertReduceWindow(HloConversion *c);
bool hloConvertRegionOp(HloConversion *c);
bool hloConvertReturn(HloConversion *c);
bool hloConvertReverse(HloConversion *c);
bool hloConvertRng(HloConversion *c);
bool hloConvertRngBitGenerator(HloConversion *c);
bool hloConvertScatter(HloConversion *c);
bool hloConvertSelectAndScatter(HloConversion *c);
bool hloConvertSinh(HloConversion *c);
bool hloConvertSlice(HloConversion *c);
bool hloConvertSort(HloConversion *c);
bool hloConvertSquare(HloConversion *c);
bool hloConvertTopK(HloConversion *c);
bool hloConvertTranspose(HloConversion *c);
bool hloConvertTriangularSolve(HloConversion *c);

/// Unlike the others these also destroy the operation: a tuple goes with the last stablehlo.get_tuple_element of it.
bool hloConvertTuple(HloConversion *c);
bool hloConvertGetTupleElement(HloConversion *c);

/// Replaces the only result by a tg.gather with the dimension numbers of the operation, a gather or a dynamic one.
bool hloReplaceByGather(HloConversion *c, IrValues operands, const IrShape *sizes);

/// The `precision_config` and the `algorithm` of a product as an attribute of a tg.dot; 0: none.
intptr_t hloPrecision(HloConversion *c, MlirNamedAttribute *attribute);

#endif // STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_RULES_H
