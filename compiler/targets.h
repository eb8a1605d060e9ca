//===- targets.h - targets of a compilation -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_TARGETS_H
#define STITCH_COMPILER_TARGETS_H

#include "compiler/messages.h"

enum { MAX_ARCHITECTURES = 16 };

typedef struct {
  bool simt;
  const char *architectures[MAX_ARCHITECTURES]; ///< sm_NN, in the order given
  int numArchitectures;
  char *text; ///< the memory of `architectures`
} Targets;

/// Reads the options' targets, and refuses options that do not go together, with an error. The caller frees
/// targets->text in either case.
bool checkOptions(const StitchCompileOptions *options, Messages *messages, Targets *targets);

#endif // STITCH_COMPILER_TARGETS_H
