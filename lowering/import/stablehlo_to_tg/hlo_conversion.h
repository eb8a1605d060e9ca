//===- hlo_conversion.h - helpers for converting StableHLO operations -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowest layer of the pass convert-stablehlo-to-tg (lowering/import/stablehlo_to_tg/stablehlo_to_tg.c), all of it
// in hlo_conversion.c; stablehlo-refine-shapes (lowering/import/stablehlo_refine_shapes/stablehlo_refine_shapes.c)
// reads attributes with it. Above it are operations with regions (hlo_region.h), the conversions of operations
// (hlo_rules.h), and the pass, which has the table of rules.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_CONVERSION_H
#define STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_CONVERSION_H

#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

/// The conversion of one operation.
typedef struct HloConversion {
  MlirOperation op;
  IrBuilder b;
  const struct HloRule *rule;
  IrArena *arena;
  /// Converts all that is nested in an operation, past errors too, so that all are reported.
  /// stablehlo_to_tg.c sets it.
  bool (*convertRegions)(MlirOperation op, IrArena *arena);
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
/// Whether the text of an attribute has "field = word".
bool hloFieldIs(const char *text, const char *field, const char *word);
/// The integer N of "field = N" in the text of an attribute.
int64_t hloIntField(const char *text, const char *field, int64_t missing);
/// A list of integers, `array<i64: ...>` or, in older text, `dense<...>`.
bool hloListAttr(HloConversion *c, const char *name, IrShape *list);
/// The same, `count` times `value` if the attribute is missing.
bool hloListAttrOr(HloConversion *c, const char *name, intptr_t count, int64_t value, IrShape *list);
/// The two columns of the attribute `padding`, `count` zeros if it is missing.
bool hloPaddingAttr(HloConversion *c, intptr_t count, IrShape *low, IrShape *high);
bool hloIntAttr(HloConversion *c, const char *name, int64_t *value);
/// The direction of a comparison as tg numbers it; -1 if it is unknown.
int hloCompareDirection(HloConversion *c);
bool hloComparesTotally(HloConversion *c);

/// The dimensions of a convolution's operand or result: `first` and `second` (batch and feature, or input and output
/// feature), and the spatial ones.
typedef struct {
  int64_t first, second;
  IrShape spatial;
} HloConvolutionDims;

/// Reads `dimension_numbers`, "#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>".
bool hloConvolutionDims(HloConversion *c, HloConvolutionDims *lhs, HloConvolutionDims *rhs, HloConvolutionDims *result);

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

MlirNamedAttribute hloDims(HloConversion *c, const char *name, const IrShape *list);

MlirValue hloOperand(HloConversion *c, intptr_t i);
IrValues hloOperandsFrom(HloConversion *c, intptr_t first);
MlirType hloResultType(HloConversion *c, intptr_t i);
IrTypes hloResultTypes(HloConversion *c);

/// These return true.
bool hloReplaceResult(HloConversion *c, intptr_t i, MlirValue value);
/// Replaces the only result by the operation `c->rule->to`.
bool hloReplaceBy(HloConversion *c, IrValues operands, IrAttrs attributes);
/// Replaces all results by those of `op`.
bool hloReplaceByResults(HloConversion *c, MlirOperation op);
/// Replaces each result by the operand of its number; false, after an error, if they do not have the same types.
bool hloReplaceByOperands(HloConversion *c);

#endif // STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_CONVERSION_H
