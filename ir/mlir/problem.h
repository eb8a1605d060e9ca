//===- problem.h - why something failed ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_PROBLEM_H
#define STITCH_IR_MLIR_PROBLEM_H

#include <stdbool.h>

/// Makes `problem` the formatted text (printf), which the caller frees; NULL without memory. Returns false, so that a
/// failing function can return it.
bool irFail(char **problem, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif // STITCH_IR_MLIR_PROBLEM_H
