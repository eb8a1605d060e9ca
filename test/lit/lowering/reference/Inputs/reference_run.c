//===- reference_run.c - runs the reference of reference_run.mlir ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/library/cpu_library.h"

#include <stdio.h>

int32_t stitch_reference_main(void *const *inputs, void *const *outputs, void *calls);

static void printFloats(const char *name, const float *data, int count) {
  printf("%s:", name);
  for (int i = 0; i < count; ++i)
    printf(" %g", (double)data[i]);
  printf("\n");
}

static void printBytes(const char *name, const uint8_t *data, int count) {
  printf("%s:", name);
  for (int i = 0; i < count; ++i)
    printf(" %d", data[i]);
  printf("\n");
}

int main(void) {
  float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1};
  uint8_t p[3] = {1, 0, 1}, u[2] = {200, 7};
  float product[4], again[4], transposed[4], constant[2], squares[4];
  uint8_t same[3], inverse[3], doubled[2];
  void *inputs[] = {a, b, p, u};
  void *outputs[] = {product, again, transposed, constant, same, inverse, doubled, squares};
  StitchLibraryProblem problems[] = {
      {.kind = STITCH_LIBRARY_DOT,
       .numOperands = 3,
       .operands = {{STITCH_ELEMENT_F32, 2, {2, 3}}, {STITCH_ELEMENT_F32, 2, {3, 2}}, {STITCH_ELEMENT_F32, 2, {2, 2}}},
       .dot = {{0}, {0}, {1, {1}}, {1, {0}}, {0}}},
      {.kind = STITCH_LIBRARY_DOT,
       .numOperands = 3,
       .operands = {{STITCH_ELEMENT_F32, 2, {2, 2}}, {STITCH_ELEMENT_F32, 2, {2, 2}}, {STITCH_ELEMENT_F32, 2, {2, 2}}},
       .dot = {{0}, {0}, {1, {1}}, {1, {0}}, {0}}}};
  for (int run = 0; run < 2; ++run) {
    StitchLibrary *library;
    if (stitchLibraryCreate(problems, 2, &library))
      return 1;
    printf("status: %d\n", stitch_reference_main(inputs, outputs, library));
    StitchStatus status = stitchLibraryTakeStatus(library);
    printf("message: %s\n", stitchStatusMessage(status));
    stitchStatusFree(status);
    stitchLibraryDestroy(library);
    problems[1].kind = (StitchLibraryKind)99; // the second run's second call fails
    if (run)
      return 0;
    printFloats("product", product, 4);
    printFloats("again", again, 4);
    printFloats("transposed", transposed, 4);
    printFloats("constant", constant, 2);
    printBytes("same", same, 3);
    printBytes("inverse", inverse, 3);
    printBytes("doubled", doubled, 2);
    printFloats("squares", squares, 4);
  }
}
