//===- cpu_problem.h - problems of library calls --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The run-time form of the `stitch.library` attribute (docs/ir.md, section 3). Model files hold it as it is in memory.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_CPU_PROBLEM_H
#define STITCH_RUNTIME_LIBRARY_CPU_PROBLEM_H

#include "runtime/element_type.h"
#include "runtime/library/collective_table.h"

#include <stdbool.h>
#include <stdint.h>

enum { STITCH_LIBRARY_MAX_RANK = 16, STITCH_LIBRARY_MAX_OPERANDS = 7 };

/// The numbers are part of the model file's ABI: append only.
typedef enum {
  STITCH_LIBRARY_DOT = 0,              ///< operands: lhs, rhs, result, those of the epilogue
  STITCH_LIBRARY_CONVOLUTION = 1,      ///< the same
  STITCH_LIBRARY_CHOLESKY = 2,         ///< operands: operand, result
  STITCH_LIBRARY_TRIANGULAR_SOLVE = 3, ///< operands: a, b, result
  STITCH_LIBRARY_FFT = 4,              ///< operands: operand, result
  STITCH_LIBRARY_DOTS = 5,             ///< `count` dots that differ in nothing but memory: lhs, rhs, result of each
  STITCH_LIBRARY_ALL_REDUCE = 6,       ///< operands of this and the next: operand, result
  STITCH_LIBRARY_ALL_GATHER = 7,
  STITCH_LIBRARY_REDUCE_SCATTER = 8,
  STITCH_LIBRARY_ALL_TO_ALL = 9,
  STITCH_LIBRARY_COLLECTIVE_BROADCAST = 10,
  STITCH_LIBRARY_COLLECTIVE_PERMUTE = 11,
  STITCH_LIBRARY_PROCESS_ID = 12, ///< operands: result
} StitchLibraryKind;

/// A dense row-major tensor.
typedef struct {
  StitchElementType type;
  int64_t rank;
  int64_t dims[STITCH_LIBRARY_MAX_RANK];
} StitchLibraryTensor;

/// A list of dimension numbers.
typedef struct {
  int64_t count;
  int64_t dims[STITCH_LIBRARY_MAX_RANK];
} StitchLibraryDims;

/// `tg.dot`: the result's dimensions are the batch dimensions, the free ones of lhs, the free ones of rhs. Unless
/// `resultPermutation` is empty, dimension i of the operand `result` is number resultPermutation[i] of these. Sums are
/// kept in f32 at least (f64 for f64; integers wrap around) and rounded once.
typedef struct {
  StitchLibraryDims lhsBatch;
  StitchLibraryDims rhsBatch;
  StitchLibraryDims lhsContract;
  StitchLibraryDims rhsContract;
  StitchLibraryDims resultPermutation;
} StitchLibraryDotDims;

/// `tg.convolution`, in StableHLO's terms. Sums are kept as for a dot. The padding at the high end follows from the
/// result's shape.
typedef struct {
  int64_t inputBatch, inputFeature, kernelInput, kernelOutput;
  int64_t outputBatch, outputFeature;
  int64_t featureGroups, batchGroups;
  StitchLibraryDims inputSpatial, kernelSpatial, outputSpatial;
  StitchLibraryDims strides, paddingLow, lhsDilation, rhsDilation;
  StitchLibraryDims reversal; ///< 1 for each dimension whose kernel is reversed; empty: none
} StitchLibraryConvolutionDims;

/// The numbers are part of the model file's ABI, and those of the attributes of tg.
typedef enum {
  STITCH_LIBRARY_FORWARD = 0,
  STITCH_LIBRARY_INVERSE = 1,
  STITCH_LIBRARY_REAL_FORWARD = 2, ///< to half a spectrum
  STITCH_LIBRARY_REAL_INVERSE = 3, ///< from half a spectrum
} StitchLibraryTransform;
typedef enum {
  STITCH_LIBRARY_NOT_TRANSPOSED = 0,
  STITCH_LIBRARY_TRANSPOSED = 1,
  STITCH_LIBRARY_ADJOINT = 2,
} StitchLibraryTransposition;

/// `tg.fft`, along the last dimensions.
typedef struct {
  int64_t transform; ///< StitchLibraryTransform
  StitchLibraryDims length;
} StitchLibraryFourier;

/// `tg.cholesky` and `tg.triangular_solve`, of the last two dimensions. A flag is 0 or 1.
typedef struct {
  int64_t isUpper;
  int64_t isRight;       ///< this and the rest: of a solve
  int64_t transposition; ///< StitchLibraryTransposition
  int64_t hasUnitDiagonal;
} StitchLibraryTriangle;

/// The numbers are part of the model file's ABI.
typedef enum {
  STITCH_LIBRARY_NO_ACTIVATION = 0,
  STITCH_LIBRARY_RELU = 1, ///< negative elements become 0
  STITCH_LIBRARY_GELU = 2, ///< in its form with tanh
  /// The derivative of gelu at the preactivation, an operand, times the value.
  STITCH_LIBRARY_GELU_GRADIENT = 3,
} StitchLibraryActivation;
typedef enum {
  STITCH_LIBRARY_NO_SUM = 0,
  STITCH_LIBRARY_SUM_OF_RESULT = 1, ///< over all dimensions but the free ones of rhs
  STITCH_LIBRARY_SUM_OF_LHS = 2,    ///< over the contracted dimensions, as the next
  STITCH_LIBRARY_SUM_OF_RHS = 3,
} StitchLibrarySum;

/// Whether operands of a dot of f32 may be rounded to TF32: if the session's option says so; always; never.
typedef enum { STITCH_LIBRARY_SILENT, STITCH_LIBRARY_TF32, STITCH_LIBRARY_FULL } StitchLibraryPrecision;

/// The epilogue of a dot or convolution: operations on each element of the result, in this order, before it is rounded
/// and stored; and a sum. Operands follow the result: bias, addend, preactivation, sum.
typedef struct {
  int64_t hasBias; ///< an operand is added that runs along the `biasCount` dimensions of the result from `biasFirst` on
  int64_t biasFirst, biasCount;
  int64_t hasAddend;        ///< an operand of the result's shape is added
  int64_t activation;       ///< StitchLibraryActivation; beyond relu of a dot only
  int64_t hasPreactivation; ///< of a gelu: an operand of the result's shape gets the value before it
  int64_t sum;              ///< StitchLibrarySum, of a dot: the sum over the other dimensions of an operand
} StitchLibraryEpilogue;

typedef struct {
  StitchLibraryKind kind;
  int64_t numOperands; ///< of dots: of each of them
  StitchLibraryTensor operands[STITCH_LIBRARY_MAX_OPERANDS];
  int64_t precision;                          ///< StitchLibraryPrecision, of a dot and of several
  int64_t count;                              ///< of dots, and of all_reduces that are one: how many there are;
                                              ///< of a broadcast, not 0: the members of a group, each of which is sent
  union {                                     ///< by the kind: a model file has a problem for each call
    StitchLibraryDotDims dot;                 ///< of a dot, and of each of several
    StitchLibraryConvolutionDims convolution; ///< of a convolution
    StitchLibraryTriangle triangle;           ///< of a Cholesky factor or a triangular solve
    StitchLibraryFourier fourier;             ///< of a Fourier transform
    StitchLibraryCollective collective;       ///< of calls between processes
  };
  StitchLibraryEpilogue epilogue; ///< all zero: none
  /// In a model file, for each operand: 1 + number of the model's symbol that dims[0] is a multiple of; 0: none.
  int64_t symbols[STITCH_LIBRARY_MAX_OPERANDS];
  /// Of a dot, dots or a convolution, not 0: the bits of a row do not depend on the number of rows, nor on its index
  /// among them (docs/precision.md). `largest` is dims[0] of each operand with the largest sizes.
  int64_t isInvariant;
  int64_t largest[STITCH_LIBRARY_MAX_OPERANDS];
} StitchLibraryProblem;

/// Whether a problem is of several processes.
static inline bool stitchLibraryIsCollective(const StitchLibraryProblem *problem) {
  return problem->kind >= STITCH_LIBRARY_ALL_REDUCE && problem->kind <= STITCH_LIBRARY_PROCESS_ID;
}

/// Whether its calls move something between processes.
static inline bool stitchLibraryCommunicates(const StitchLibraryProblem *problem) {
  return stitchLibraryIsCollective(problem) && problem->kind != STITCH_LIBRARY_PROCESS_ID;
}

/// Whether it is several all_reduces.
static inline bool stitchLibraryIsBucket(const StitchLibraryProblem *problem) {
  return problem->kind == STITCH_LIBRARY_ALL_REDUCE && problem->count > 0;
}

/// What such a call is named after: see the next function.
#define STITCH_LIBRARY_OPERANDS_OF_ALL "operands_of_all"

/// Whether it gives each process the operands of all members of its group: operand and result number i are those of
/// member i, and the operand is the same for all.
static inline bool stitchLibraryIsOfAll(const StitchLibraryProblem *problem) {
  return problem->kind == STITCH_LIBRARY_COLLECTIVE_BROADCAST && problem->count > 0;
}

/// How many pointers a call of the problem has. Number i is operand i % numOperands.
static inline int64_t stitchLibraryNumPointers(const StitchLibraryProblem *problem) {
  bool isSeveral =
      problem->kind == STITCH_LIBRARY_DOTS || stitchLibraryIsBucket(problem) || stitchLibraryIsOfAll(problem);
  return isSeveral ? problem->count * problem->numOperands : problem->numOperands;
}

#endif // STITCH_RUNTIME_LIBRARY_CPU_PROBLEM_H
