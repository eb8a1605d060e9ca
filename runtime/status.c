//===- status.c - the result of everything that can fail at run time -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates statuses with their formatted message. Without memory, one constant status says so.
//
//===----------------------------------------------------------------------===//

#include "runtime/status.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct StitchStatusObject {
  StitchStatusCode code;
  char message[];
};

/// Never freed, never written: the status of a failure to allocate a status.
static const struct {
  StitchStatusCode code;
  char message[sizeof("out of memory")];
} outOfMemory = {STITCH_OUT_OF_MEMORY, "out of memory"};

StitchStatus stitchStatusOutOfMemory(void) { return (StitchStatus)(uintptr_t)&outOfMemory; }

/// The formatted text, followed by ": SUFFIX" if there is a suffix. NULL without memory.
static StitchStatus makeStatus(StitchStatusCode code, const char *suffix, const char *format, va_list arguments) {
  va_list copy;
  va_copy(copy, arguments);
  int length = vsnprintf(NULL, 0, format, copy);
  va_end(copy);
  if (length < 0)
    length = 0;
  size_t suffixLength = suffix ? strlen(suffix) + 2 : 0;
  StitchStatus status = malloc(sizeof(*status) + (size_t)length + suffixLength + 1);
  if (!status)
    return NULL;
  status->code = code;
  status->message[0] = '\0';
  vsnprintf(status->message, (size_t)length + 1, format, arguments);
  if (suffix) {
    memcpy(status->message + length, ": ", 2);
    strcpy(status->message + length + 2, suffix);
  }
  return status;
}

StitchStatus stitchStatusMake(StitchStatusCode code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  StitchStatus status = makeStatus(code, NULL, format, arguments);
  va_end(arguments);
  return status ? status : stitchStatusOutOfMemory();
}

StitchStatus stitchStatusAnnotate(StitchStatus status, const char *format, ...) {
  if (!status)
    return NULL;
  va_list arguments;
  va_start(arguments, format);
  StitchStatus annotated = makeStatus(status->code, status->message, format, arguments);
  va_end(arguments);
  if (!annotated)
    return status;
  stitchStatusFree(status);
  return annotated;
}

StitchStatus stitchStatusJoin(StitchStatus first, StitchStatus second) {
  if (!first)
    return second;
  stitchStatusFree(second);
  return first;
}

StitchStatusCode stitchStatusCode(StitchStatus status) { return status ? status->code : STITCH_OK; }

const char *stitchStatusMessage(StitchStatus status) { return status ? status->message : "ok"; }

void stitchStatusFree(StitchStatus status) {
  if (status != stitchStatusOutOfMemory())
    free(status);
}
