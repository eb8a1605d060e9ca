//===- lapack_loops.c - what stands in for LAPACK -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

StitchLapack stitchLapackLoops(StitchElementType type) {
  switch (type) {
  case STITCH_ELEMENT_F32:
    return (StitchLapack){spotrf, strsm};
  case STITCH_ELEMENT_F64:
    return (StitchLapack){dpotrf, dtrsm};
  default:
    return (StitchLapack){NULL, NULL};
  }
}
