//===- problem.h - why something failed ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_PROBLEM_H
#define STITCH_IR_MLIR_PROBLEM_H

#include <stdbool.h>

/// Makes `problem` what printf makes of the rest, which the caller frees; NULL without memory. False, so that what fails
/// can return it.
bool irFail(char **problem, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif // STITCH_IR_MLIR_PROBLEM_H
