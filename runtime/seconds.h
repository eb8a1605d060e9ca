//===- seconds.h - a clock for limits and measurements --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_SECONDS_H
#define STITCH_RUNTIME_SECONDS_H

#include <time.h>

/// Seconds since some time in the past; never goes back.
static inline double secondsNow(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Seconds that this thread has computed for; waiting, and other work of the machine, does not count.
static inline double secondsOfThread(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif // STITCH_RUNTIME_SECONDS_H
