//===- llvm.h - what lowering to LLVM needs and the C API lacks -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_LLVM_H
#define STITCH_CAPI_LLVM_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A handle for StitchPassInfo.dependentDialects of a pass that converts to the LLVM or NVVM dialect and translates to
/// LLVM IR: the dialects that occur on that way, their interfaces for conversion (mlir::arith::
/// registerConvertArithToLLVMInterface and its like) and for translation (mlir::registerLLVMDialectTranslation and its
/// like).
MlirDialectHandle stitchGetLoweringToLLVMHandle(void);

/// Moves `op` and everything after it into a new block, which follows in the region (mlir::Block::splitBlock). The old
/// block is left without a terminator.
MlirBlock stitchBlockSplitBefore(MlirOperation op);

/// Replaces the elementary functions of the math dialect within `op` by arithmetic
/// (mlir::populateMathF32ExpansionPatterns, mlir::populateMathPolynomialApproximationPatterns,
/// mlir::math::populateExpansionPatterns). f16 and bf16 are computed in f32; functions of f64 are left as they are.
///
/// Largest errors found, in ulp of f32: exp 1.0 (but 8e-39 below -87.8), log 0.9, log2 and log1p 1.9, rsqrt 1.5,
/// expm1 2.4, tanh and erf 4.6, asin 7.5, acos 1.1, cbrt 12 (NaN for infinities), pow 19, atan 41, exp2 68, cosh 1.4.
/// sin and cos have an absolute error of 2e-7 up to pi, 6e-6 up to 100 and 8e-4 up to 1e4; sinh a relative one of 3e-5;
/// atan2(0, 0) is NaN. Subnormal arguments of logarithms count as the smallest normal number.
MlirLogicalResult stitchApproximateMath(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_LLVM_H
