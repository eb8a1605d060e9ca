//===- device_math.h - math functions without a CUDA toolkit -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_DEVICE_MATH_H
#define STITCH_LOWERING_PTX_DEVICE_MATH_H

#include "lowering/llvm/llvm_object.h"

/// The functions of f32 and f64 that kernels call, under libdevice's names, as LLVM's libclc computes them: in the
/// place of libdevice where there is no CUDA toolkit. The memory is the program's.
///
/// Errors are at most OpenCL's (its specification, section 7.4), in ulp of either type. They are: log1p, cbrt, rsqrt 2;
/// exp, exp2, expm1, log, log2, log10 3; sin, cos, sinh, cosh, asin, acos, asinh, acosh 4; tan, tanh, atan, atanh 5;
/// atan2 6; pow, powi, erf, erfc 16. Square roots and roundings are correctly rounded, fmod is exact;
/// test/lit/lowering/ptx/device_math.test measures them.
StitchBitcodeLibrary stitchDeviceMath(void);

#endif // STITCH_LOWERING_PTX_DEVICE_MATH_H
