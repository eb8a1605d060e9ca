//===- feedback.h - records of ptxas's spills -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_FEEDBACK_H
#define STITCH_COMPILER_FEEDBACK_H

#include "compiler/compiler.h"

/// makePlan, or the plan of a kernel alone, which is made before; with feedback kernels that ptxas spills registers of,
/// or that cannot be compiled, are planned again (feedback.c).
bool makePlanWithFeedback(Compiler *c);

/// The facts about a kernel that spilled, or could not be compiled.
typedef struct {
  uint64_t key;         ///< kernel_names.h
  double ns;            ///< by the model, of the version that was taken, with its spills
  int64_t spilledBytes; ///< of a thread, as it was planned first
  bool isRejected;      ///< it could not be compiled so
  const char *text;     ///< its template, or where it is cut
} FeedbackEntry;

/// The kernels of which a file says how they are planned.
typedef struct {
  uint64_t *data; ///< released with free()
  int64_t count;
} FeedbackKeys;

/// Makes the file that the options name, if it is not there, and reads its entries. False after an error.
bool feedbackKnown(Compiler *c, FeedbackKeys *keys);

/// Adds entries to the file that the options name (ir/plan/template_file.h), in the place of those that it had of these
/// kernels; all others stay. False after an error: it is no file of templates, or cannot be written.
bool feedbackRemember(Compiler *c, const FeedbackEntry *entries, int64_t count);

#endif // STITCH_COMPILER_FEEDBACK_H
