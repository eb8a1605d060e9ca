//===- tg_linear_algebra.cpp - verifiers of transforms and solvers -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_verify.h"

using namespace mlir;
using namespace tg;

//===----------------------------------------------------------------------===//
// tg.fft
//===----------------------------------------------------------------------===//

static bool isComplex(RankedTensorType type) { return isa<ComplexType>(type.getElementType()); }

/// The complex tensor with half of the last dimension of `real`.
static RankedTensorType halfSpectrum(RankedTensorType real) {
  SmallVector<int64_t> shape(real.getShape());
  if (!isDynamic(shape.back()) && shape.back() != 0)
    shape.back() = shape.back() / 2 + 1;
  return RankedTensorType::get(shape, ComplexType::get(real.getElementType()));
}

/// `type`, which the transform wants complex or real.
static LogicalResult verifyComplexity(const Report &report, StringRef name, RankedTensorType type,
                                      FftTransform transform, bool expected) {
  if (isComplex(type) == expected)
    return success();
  return report("'", name, "' of transform '", stringifyFftTransform(transform), "' must be ",
                expected ? "complex" : "real", ", got ", type);
}

LogicalResult FftOp::verify() {
  Report report(*this);
  RankedTensorType operand = getOperand().getType(), result = getType();
  FftTransform transform = getTransform();
  if (failed(verifyComplexity(report, "operand", operand, transform, transform != FftTransform::rfft)) ||
      failed(verifyComplexity(report, "result", result, transform, transform != FftTransform::irfft)))
    return failure();
  ArrayRef<int64_t> length = getLength();
  int64_t count = length.size(), batch = operand.getRank() - count;
  if (count < 1 || count > 3 || batch < 0)
    return report("attribute 'length' has ", count, " entries: it must have 1 to 3, and no more than 'operand', ",
                  operand, ", has dimensions");
  bool ofResult = transform == FftTransform::irfft;
  RankedTensorType full = ofResult ? result : operand; // has the whole last dimension
  if (full.getRank() != operand.getRank())
    return report("result ", result, " has another rank than 'operand', ", operand);
  for (int64_t i = 0; i < count; ++i)
    if (!compatible(full.getDimSize(batch + i), length[i]))
      return report("attribute 'length' is ", length[i], " for dimension ", batch + i, " of '",
                    ofResult ? "result" : "operand", "', ", full);
  if (ofResult)
    return verifyType(report, "operand", operand, halfSpectrum(full), "result", result);
  return verifyType(report, "result", result, transform == FftTransform::rfft ? halfSpectrum(full) : full, "operand",
                    operand);
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

static LogicalResult verifySquare(const Report &report, StringRef name, RankedTensorType type) {
  int64_t rank = type.getRank();
  if (rank < 2 || !compatible(type.getDimSize(rank - 2), type.getDimSize(rank - 1)))
    return report("operand '", name, "' must hold square matrices, got ", type);
  return success();
}

LogicalResult CholeskyOp::verify() { return verifySquare(Report(*this), "operand", getType()); }

LogicalResult TriangularSolveOp::verify() {
  Report report(*this);
  RankedTensorType a = getA().getType(), b = getType();
  if (failed(verifySquare(report, "a", a)))
    return failure();
  if (a.getElementType() != b.getElementType())
    return report("'a', ", a, ", and 'b', ", b, ", differ in their element types");
  int64_t rank = a.getRank();
  bool fits = b.getRank() == rank;
  for (int64_t i = 0; fits && i < rank - 2; ++i)
    fits = compatible(a.getDimSize(i), b.getDimSize(i));
  int64_t dim = rank - (getSide() == Side::left ? 2 : 1); // of 'b', that a's dimensions are as large as
  if (!fits || !compatible(a.getDimSize(rank - 1), b.getDimSize(dim)))
    return report("'b', ", b, ", must have the batch of 'a', ", a, ", and ",
                  getSide() == Side::left ? "as many rows" : "as many columns");
  return success();
}
