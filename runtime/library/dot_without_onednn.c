//===- dot_without_onednn.c - the runtime that has no oneDNN -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes dot_onednn.c's place in the portable runtime: oneDNN has a matmul of no types, so the loop computes all of
// them.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/cpu_dot.h"
#include "runtime/library/dot_implementation.h"

#include <stdio.h>

StitchStatus stitchDotOneDnnCreate(const StitchDotShape *shape, StitchDotOneDnn **dot) {
  (void)shape;
  *dot = NULL;
  return NULL;
}

StitchStatus stitchDotOneDnnExecute(StitchDotOneDnn *dot, const void *lhs, const void *rhs, void *result) {
  (void)dot;
  (void)lhs;
  (void)rhs;
  (void)result;
  return stitchStatusMake(STITCH_UNIMPLEMENTED, "this runtime was built without oneDNN");
}

void stitchDotOneDnnDestroy(StitchDotOneDnn *dot) { (void)dot; }

const char *stitchDotOneDnnImplementation(const StitchDotOneDnn *dot) {
  (void)dot;
  return "";
}

int stitchDotOneDnnSetThreads(int count) { return count; }

int stitchDotLibraryThreads(void) { return 1; }

void stitchDotLibraryName(char *text, size_t size) { snprintf(text, size, "loops"); }
