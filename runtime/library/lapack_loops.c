//===- lapack_loops.c - potrf and trsm without LAPACK ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instantiates lapack_loops_of_type.h for f32, f64 and complex numbers: potrf and trsm as plain loops, for machines
// without LAPACK.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/lapack.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define LOOPS_NAME(function) s##function
#define LOOPS_TYPE float
#define LOOPS_REAL(x) (x)
#define LOOPS_CONJUGATE(x) (x)
#define LOOPS_ROOT(x) sqrtf(x)
#include "runtime/library/lapack_loops_of_type.h"

#define LOOPS_NAME(function) d##function
#define LOOPS_TYPE double
#define LOOPS_REAL(x) (x)
#define LOOPS_CONJUGATE(x) (x)
#define LOOPS_ROOT(x) sqrt(x)
#include "runtime/library/lapack_loops_of_type.h"

#define LOOPS_NAME(function) c##function
#define LOOPS_TYPE float complex
#define LOOPS_REAL(x) crealf(x)
#define LOOPS_CONJUGATE(x) conjf(x)
#define LOOPS_ROOT(x) sqrtf(x)
#include "runtime/library/lapack_loops_of_type.h"

#define LOOPS_NAME(function) z##function
#define LOOPS_TYPE double complex
#define LOOPS_REAL(x) creal(x)
#define LOOPS_CONJUGATE(x) conj(x)
#define LOOPS_ROOT(x) sqrt(x)
#include "runtime/library/lapack_loops_of_type.h"

StitchLapack stitchLapackLoops(StitchElementType type) {
  switch (type) {
  case STITCH_ELEMENT_F32:
    return (StitchLapack){spotrf, strsm};
  case STITCH_ELEMENT_F64:
    return (StitchLapack){dpotrf, dtrsm};
  case STITCH_ELEMENT_COMPLEX64:
    return (StitchLapack){cpotrf, ctrsm};
  case STITCH_ELEMENT_COMPLEX128:
    return (StitchLapack){zpotrf, ztrsm};
  default:
    return (StitchLapack){NULL, NULL};
  }
}
