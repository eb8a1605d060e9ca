//===- status.c - tests of runtime/status.h ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/check.h"

int main(void) {
  CHECK(stitchStatusCode(NULL) == STITCH_OK);
  CHECK(strcmp(stitchStatusMessage(NULL), "ok") == 0);
  stitchStatusFree(NULL);
  CHECK(!stitchStatusAnnotate(NULL, "nothing"));

  CHECK_STATUS(stitchStatusMake(STITCH_NOT_FOUND, "no file '%s' (%d)", "x", 3), STITCH_NOT_FOUND, "no file 'x' (3)");
  StitchStatus status = stitchStatusMake(STITCH_IO_ERROR, "short read");
  status = stitchStatusAnnotate(status, "file %s", "y");
  CHECK(strcmp(stitchStatusMessage(status), "file y: short read") == 0);
  CHECK_STATUS(status, STITCH_IO_ERROR, "");

  CHECK_STATUS(stitchStatusOutOfMemory(), STITCH_OUT_OF_MEMORY, "out of memory");
  CHECK_STATUS(stitchStatusAnnotate(stitchStatusOutOfMemory(), "tensor"), STITCH_OUT_OF_MEMORY,
               "tensor: out of memory");

  CHECK_OK(stitchStatusJoin(NULL, NULL));
  CHECK_STATUS(stitchStatusJoin(NULL, stitchStatusMake(STITCH_INTERNAL, "b")), STITCH_INTERNAL, "b");
  CHECK_STATUS(stitchStatusJoin(stitchStatusMake(STITCH_NOT_FOUND, "a"), stitchStatusMake(STITCH_INTERNAL, "b")),
               STITCH_NOT_FOUND, "a");
  return checkResult();
}
