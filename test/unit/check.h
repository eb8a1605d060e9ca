//===- check.h - checks of the unit tests --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit test is one program: it prints each check that fails and returns how many failed (0 or 1).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_UNIT_CHECK_H
#define STITCH_TEST_UNIT_CHECK_H

#include "runtime/status.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int checksFailed = 0;

static inline void checkAt(bool holds, const char *text, const char *file, int line) {
  if (holds)
    return;
  fprintf(stderr, "%s:%d: check failed: %s\n", file, line, text);
  ++checksFailed;
}

/// Checks code and a part of the message of a status, and releases it.
static inline void checkStatusAt(StitchStatus status, StitchStatusCode code, const char *part, const char *file,
                                 int line) {
  if (stitchStatusCode(status) != code || !strstr(stitchStatusMessage(status), part)) {
    fprintf(stderr, "%s:%d: expected status %d with '%s', got %d: %s\n", file, line, code, part,
            stitchStatusCode(status), stitchStatusMessage(status));
    ++checksFailed;
  }
  stitchStatusFree(status);
}

#define CHECK(condition) checkAt((condition), #condition, __FILE__, __LINE__)
#define CHECK_STATUS(status, code, part) checkStatusAt((status), (code), (part), __FILE__, __LINE__)
#define CHECK_OK(status) CHECK_STATUS(status, STITCH_OK, "ok")

static inline int checkResult(void) { return checksFailed != 0; }

#endif // STITCH_TEST_UNIT_CHECK_H
