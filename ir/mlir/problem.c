//===- problem.c - why something failed ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats the reason of a failure into memory that the caller frees.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // vasprintf

#include "ir/mlir/problem.h"

#include <stdarg.h>
#include <stdio.h>

bool irFail(char **problem, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(problem, format, arguments) < 0)
    *problem = NULL;
  va_end(arguments);
  return false;
}
