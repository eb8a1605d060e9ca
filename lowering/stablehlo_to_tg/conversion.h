//===- conversion.h - what converting a StableHLO operation needs ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files of the pass convert-stablehlo-to-tg (lowering/stablehlo_to_tg.c); stablehlo-refine-shapes
// (lowering/stablehlo_refine_shapes.c) reads attributes with it.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_STABLEHLO_TO_TG_CONVERSION_H
#define STITCH_LOWERING_STABLEHLO_TO_TG_CONVERSION_H

#include "ir/arena.h"
#include "ir/build.h"
#include "ir/query.h"

/// The conversion of one operation.
typedef struct HloConversion {
  MlirOperation op;
  IrBuilder b;
  const struct HloRule *rule;
  IrArena *arena;
} HloConversion;

/// How an operation is converted: to the operation `to` by `convert`, which returns false after an error.
typedef struct HloRule {
  const char *from;
  const char *to;
  int numOperands; ///< and one result; -1: any number of both
  bool (*convert)(HloConversion *c);
} HloRule;

/// "'stablehlo.op' op cannot be converted to tg: REASON"; returns false.
bool hloFail(HloConversion *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

//===----------------------------------------------------------------------===//
// Attributes of the operation. Those that return false have reported an error.
//===----------------------------------------------------------------------===//

/// The printed form of an attribute, such as "#stablehlo<comparison_direction LT>"; "" if it is missing.
const char *hloAttrText(HloConversion *c, const char *name);
/// Whether an attribute is `true`.
bool hloIsTrue(HloConversion *c, const char *name);
/// The keyword K of "#stablehlo<enumeration K>" (also printed as "#stablehlo.enumeration<K>"); "" if there is none.
const char *hloEnumKeyword(HloConversion *c, const char *name, const char *enumeration);
/// The list L of "field = [L]" in the text of an attribute; empty if it has no such field.
bool hloListField(HloConversion *c, const char *text, const char *field, IrShape *list);
/// The integer N of "field = N" in the text of an attribute.
int64_t hloIntField(const char *text, const char *field, int64_t missing);
/// A list of integers, `array<i64: ...>` or, in older text, `dense<...>`.
bool hloListAttr(HloConversion *c, const char *name, IrShape *list);
/// The same, `count` times `value` if the attribute is missing.
bool hloListAttrOr(HloConversion *c, const char *name, intptr_t count, int64_t value, IrShape *list);
/// The two columns of the attribute `padding`, `count` zeros if it is missing.
bool hloPaddingAttr(HloConversion *c, intptr_t count, IrShape *low, IrShape *high);
bool hloIntAttr(HloConversion *c, const char *name, int64_t *value);

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

MlirNamedAttribute hloDims(HloConversion *c, const char *name, const IrShape *list);

/// What the dimensions of a convolution's operand or result are: `first` and `second` (batch and feature, or input and
/// output feature), and the spatial ones.
typedef struct {
  int64_t first, second;
  IrShape spatial;
} HloConvolutionDims;

/// Reads `dimension_numbers`, "#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>".
bool hloConvolutionDims(HloConversion *c, HloConvolutionDims *lhs, HloConvolutionDims *rhs, HloConvolutionDims *result);

MlirValue hloOperand(HloConversion *c, intptr_t i);
IrValues hloOperandsFrom(HloConversion *c, intptr_t first);
MlirType hloResultType(HloConversion *c, intptr_t i);
IrTypes hloResultTypes(HloConversion *c);

/// These return true.
bool hloReplaceResult(HloConversion *c, intptr_t i, MlirValue value);
/// Replaces the only result by the operation `c->rule->to`.
bool hloReplaceBy(HloConversion *c, IrValues operands, IrAttrs attributes);
/// Replaces the only result by a tg.gather with the dimension numbers of the operation.
bool hloReplaceByGather(HloConversion *c, IrValues operands, const IrShape *sizes);
/// Replaces all results by those of `op`.
bool hloReplaceByResults(HloConversion *c, MlirOperation op);

//===----------------------------------------------------------------------===//
// Bodies of reductions and the like
//===----------------------------------------------------------------------===//

/// What combines two elements, with tg's numbers.
typedef enum { KIND_ADD, KIND_MUL, KIND_MIN, KIND_MAX, KIND_AND, KIND_OR, KIND_XOR, NUM_KINDS } HloKind;

/// Whether the operation has `expected` regions.
bool hloCheckNumRegions(HloConversion *c, intptr_t expected);
/// Replaces the operation by `name`, with the same results and with its regions, converted too.
bool hloReplaceByRegionOp(HloConversion *c, const char *name, IrValues operands, IrAttrs attributes);
/// `value` with elements of type `element`, converted if it has others: StableHLO lets reductions work in a wider type.
MlirValue hloPromote(HloConversion *c, MlirValue value, MlirType element);

/// The stablehlo.return that ends the only block of a region; null if the region is not like that.
MlirOperation hloRegionEnd(MlirRegion region);
/// The kind of region `region`, whose only block combines its two arguments and nothing else; otherwise -1.
int hloRegionKind(HloConversion *c, intptr_t region);
/// Whether `init`, of rank 0, is the constant that changes nothing.
bool hloIsIdentity(HloConversion *c, int kind, MlirValue init);
/// The direction of a comparison as tg numbers it; -1 if it is unknown.
int hloCompareDirection(HloConversion *c);
bool hloComparesTotally(HloConversion *c);

/// Converts all that is nested in `op`, past errors too, so that all are reported.
bool hloConvertRegions(MlirOperation op, IrArena *arena);

//===----------------------------------------------------------------------===//
// Conversions: what HloRule.convert may be
//===----------------------------------------------------------------------===//

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
bool hloConvertCollectivePermute(HloConversion *c);
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
bool hloConvertFft(HloConversion *c);
bool hloConvertForward(HloConversion *c);
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

/// Those that never succeed.

/// Unlike the others these also destroy the operation: a tuple goes with the last stablehlo.get_tuple_element of it.
bool hloConvertTuple(HloConversion *c);
bool hloConvertGetTupleElement(HloConversion *c);

#endif // STITCH_LOWERING_STABLEHLO_TO_TG_CONVERSION_H
