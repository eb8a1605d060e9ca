//===- quantised.h - quantised types of StableHLO, as integers ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before a module is converted to tg (stablehlo_to_tg.c), quantised.c replaces operations on quantised tensors by their
// arithmetic, and quantised types by integers. Types are read in quantised_type.c, arithmetic is written down in
// quantised_arithmetic.c, products are in quantised_product.c, operations with a combining body in
// quantised_reduction.c. The meaning of each is in docs/quantised.md.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_QUANTISED_H
#define STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_QUANTISED_H

#include "lowering/import/stablehlo_to_tg/hlo_conversion.h"

/// Replaces quantised types by integers in a module, and operations on them by their arithmetic. False after errors.
bool hloLowerQuantised(MlirOperation module);

//===----------------------------------------------------------------------===//
// Types (quantised_type.c)
//===----------------------------------------------------------------------===//

/// A quantised type: an integer q stands for (q - zero) * scale.
typedef struct {
  MlirType element;     ///< the quantised type
  MlirType storage;     ///< i8, ui8 and so on
  MlirType expressed;   ///< a float type
  int64_t min, max;     ///< which integers there are
  int64_t dim;          ///< whose slices have a scale and a zero point each; -1: there is one of each
  intptr_t count;       ///< of scales, and of zero points
  const double *scales; ///< as the expressed type has them; in the arena
  const double *zeros;
} Quantisation;

/// Whether a type is a tensor of quantised elements.
bool quantIsQuantised(MlirType type);
/// Integers in the place of quantised elements, in tuples too; other types as they are.
MlirType quantStorageType(MlirType type);
/// Whether a type keeps the specification's constraints on quantised types; if not, emits an error that begins with the
/// text `what`. Types that are not quantised keep them.
bool quantIsValid(HloConversion *c, MlirType type, const char *what, intptr_t number);
/// The same without an error.
bool quantIsUsable(MlirType type);
/// The parameters of a valid quantised tensor type.
Quantisation quantOf(HloConversion *c, MlirType tensor);
/// The specification's baseline_element_type: all but scales and zero points.
bool quantHaveOneBaseline(const Quantisation *a, const Quantisation *b);
/// The range of the storage type.
void quantStorageRange(const Quantisation *q, double *lowest, double *highest);
/// Whether all zero points are 0.
bool quantIsSymmetric(const Quantisation *q);

//===----------------------------------------------------------------------===//
// Arithmetic (quantised_arithmetic.c)
//===----------------------------------------------------------------------===//

/// The integers of a quantised tensor, and a quantised tensor of integers. Once all types are integers they are the
/// same values (hloLowerQuantised).
MlirValue quantStored(IrBuilder *b, MlirValue value);
MlirValue quantFromStored(IrBuilder *b, MlirValue stored, MlirType type);

/// `values`, one for each scale of `q`, for the elements of a tensor.
MlirValue quantParameter(HloConversion *c, IrBuilder *b, MlirType tensor, const double *values, intptr_t count,
                         int64_t dim);
/// q - zero in the integer type `wide`, of constants as a constant.
MlirValue quantDifference(HloConversion *c, IrBuilder *b, MlirValue value, MlirType wide);
/// (q - zero) * scale in the expressed type; other tensors as they are.
MlirValue quantDequantise(HloConversion *c, IrBuilder *b, MlirValue value);
/// The quantised tensor of type `type` for floats of the expressed type.
MlirValue quantQuantise(HloConversion *c, IrBuilder *b, MlirValue value, MlirType type);
/// The same of floats that have been divided by the scale, of any type, and of such integers.
MlirValue quantQuantiseScaled(HloConversion *c, IrBuilder *b, MlirValue scaled, MlirType type);
MlirValue quantQuantiseInteger(HloConversion *c, IrBuilder *b, MlirValue scaled, MlirType type);

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Gives result `i` the type `computed`; its users get the quantised result of the operation returned, whose operand is
/// for the caller to set by quantFinish.
MlirOperation quantDetach(HloConversion *c, intptr_t i, MlirType computed);
void quantFinish(MlirOperation detached, MlirValue quantised);

/// Lets the operation compute on floats: all of its quantised operands and results.
void quantComputeOnFloats(HloConversion *c);

/// How an operation with quantised operands, results or arguments of blocks in it is lowered.
typedef struct {
  const char *name;
  bool (*lower)(HloConversion *c); ///< returns false after an error
  bool isReplaced;                 ///< by other operations: it has no users any more
} QuantRule;

/// The rule for an operation (quantised_rules.c); null if it has no meaning for quantised types.
const QuantRule *quantRuleOf(MlirOperation op);

/// These return false after an error.
bool quantLowerProduct(HloConversion *c);
bool quantLowerReduction(HloConversion *c);

#endif // STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_QUANTISED_H
