//===- linalg_conversion.h - one operation of linalg or tensor to tg ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A conversion adds operations to the end of a block of its own, and gives a value for each result. If it returns
// false, the operations that it has added are thrown away, and the operation stays: no diagnostic.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_IMPORT_LINALG_TO_TG_LINALG_CONVERSION_H
#define STITCH_LOWERING_IMPORT_LINALG_TO_TG_LINALG_CONVERSION_H

#include "capi/pass.h"
#include "lowering/import/linalg_to_tg/linalg_body.h"

/// linalg.generic (generic.c): of parallel loops alone, or reductions by combiners that tg.reduce has; contractions,
/// convolutions and pooling are those that tg has operations for.
bool linalgConvertGeneric(IrBuilder *b, MlirOperation op, MlirValue *results);

/// Operations that move elements (linalg_movement.c), and operations that gather tiles (linalg_pack.c).
bool linalgConvertMovement(IrBuilder *b, MlirOperation op, MlirValue *results);
bool linalgPack(IrBuilder *b, MlirOperation op, MlirValue *result);
bool linalgUnpack(IrBuilder *b, MlirOperation op, MlirValue *result);

/// The values of `dims`, as StitchValidValues have them.
#define LINALG_SIZE "[^=,]+=0*[1-9][0-9]*"
#define LINALG_SIZES "~" LINALG_SIZE "(," LINALG_SIZE ")*~sizes such as b=8,arg1.0=4"

/// Gives open dimensions of arguments the sizes that `dims` has for them (linalg_sizes.c); false after a diagnostic.
bool linalgGiveSizes(StitchPassRun pass, MlirOperation module, const char *dims);

//===----------------------------------------------------------------------===//
// The loops of a linalg.generic (linalg_loops.c)
//===----------------------------------------------------------------------===//

enum { LINALG_OTHER = INT64_MIN };

typedef struct {
  MlirOperation op;
  intptr_t numDims;
  IrShape sizes;                 ///< of the iteration space
  bool isReduction[IR_MAX_RANK]; ///< by dimension
  intptr_t numInputs, numOutputs;
  MlirValue operands[2 * IR_MAX_RANK];
  MlirAffineMap affine[2 * IR_MAX_RANK];
  int64_t maps[2 * IR_MAX_RANK][IR_MAX_RANK]; ///< by operand and its dimension: the iteration space's, -1 - a constant,
                                              ///< or LINALG_OTHER: another expression, or a dimension once more
} LinalgGeneric;

/// A sum of multiples of dimensions and a constant.
typedef struct {
  int64_t coefficients[IR_MAX_RANK], constant;
  intptr_t count;  ///< of dimensions
  int64_t dims[2]; ///< the first ones
} LinalgLinear;

/// False if there is a loop of unknown size, a type that tg does not have, or a map that has not its form.
bool linalgReadLoops(LinalgGeneric *g, MlirOperation op);

/// An operand's dimension `i` as a sum of loop variables; false if its map is no such sum.
bool linalgReadLinear(const LinalgGeneric *g, intptr_t operand, intptr_t i, LinalgLinear *linear);

/// The position of a dimension of the iteration space among those of an operand, -1 if it is none by itself.
intptr_t linalgPositionOf(const LinalgGeneric *g, intptr_t operand, int64_t dim);

/// Whether an output's dimensions are the parallel ones, each once, and others of one element.
bool linalgCoversParallel(const LinalgGeneric *g, intptr_t output);

/// An operand as a tensor of the whole iteration space; null if tg has none.
MlirValue linalgInSpace(const LinalgGeneric *g, LinalgBody *body, intptr_t number);

/// A result whose dimensions are the parallel ones in ascending order as an output has them.
MlirValue linalgAsOutput(const LinalgGeneric *g, IrBuilder *b, MlirValue value, intptr_t output);

/// A value of the body that depends on one tensor among the inputs alone: its number, or -1; and that value for each
/// element of the tensor.
intptr_t linalgInputOf(const LinalgGeneric *g, MlirValue value);
MlirValue linalgOfInput(const LinalgGeneric *g, IrBuilder *b, MlirValue value, intptr_t number);

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

typedef enum {
  LINALG_AS_IT_IS,
  LINALG_UNSIGNED,
  LINALG_SUBTRACTED,       ///< the sum is subtracted from the accumulator
  LINALG_IGNORING_NAN,     ///< in the accumulator, too: as arith.maxnumf does
  LINALG_PASSING_OVER_NAN, ///< in elements alone
} LinalgReading;

/// A combiner of elements, and its reads of them.
typedef struct {
  TgReduceKind kind;
  LinalgReading reading;
} LinalgCombiner;

/// The combiner that an operation of arith is; NULL if it is none that tg has (linalg_combiner.c).
const LinalgCombiner *linalgFindCombiner(MlirOperation op);
/// Whether all elements are known to be zero.
bool linalgIsZero(MlirValue value);
/// Elements as a combiner reads them: of unsigned type, or with its identity in the place of NaN.
MlirValue linalgRead(IrBuilder *b, MlirValue value, LinalgCombiner combiner);
/// Combines an output's initial value and the reduction; null if tg has no such operation.
MlirValue linalgWithAccumulator(IrBuilder *b, LinalgCombiner combiner, MlirValue accumulator, MlirValue value);

/// The sum of products of two inputs as tg.dot (linalg_contraction.c) or tg.convolution (linalg_convolution.c), with
/// the parallel dimensions in ascending order; null if it is none. `summed` is the summand.
bool linalgIsProduct(MlirOperation op);
MlirValue linalgContraction(IrBuilder *b, const LinalgGeneric *g, MlirValue summed, MlirType element);
MlirValue linalgConvolution(IrBuilder *b, const LinalgGeneric *g, MlirValue summed, MlirType element);

/// A reduction over windows of one input as tg.reduce_window, likewise (linalg_convolution.c).
MlirValue linalgPooling(IrBuilder *b, const LinalgGeneric *g, MlirValue combined, LinalgCombiner combiner);

/// An output that has the indices of another one's largest or smallest elements (arg_reduction.c); null if it does not.
MlirValue linalgArgReduction(const LinalgGeneric *g, LinalgBody *body, intptr_t output);

/// `value` with its dimension `order[i]` as dimension i (linalg_loops.c).
MlirValue linalgTranspose(IrBuilder *b, MlirValue value, const int64_t *order);

#endif // STITCH_LOWERING_IMPORT_LINALG_TO_TG_LINALG_CONVERSION_H
