//===- messages.h - diagnostics of a compilation --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_MESSAGES_H
#define STITCH_COMPILER_MESSAGES_H

#include "stitch_compiler.h"

#include "mlir-c/IR.h"

/// Diagnostics on their way to the caller.
typedef struct {
  const StitchCompileOptions *options;
  StitchStatus firstError; ///< "LOCATION: MESSAGE"; NULL: there was none
  /// Where that is not NULL, nothing is passed on or kept but the first error, there.
  StitchStatus *attempt;
} Messages;

/// Passes the context's diagnostics on; `messages` must live as long as the context.
void messagesAttach(Messages *messages, MlirContext context);

/// Says an error that has no place in the model. Always false.
bool messagesFail(Messages *messages, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Says something that the caller has asked for, and that has no place in the model.
void messagesNote(Messages *messages, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Says a failure of the runtime's or the tools' functions, which is released; true for success.
bool messagesCheck(Messages *messages, StitchStatus status);

#endif // STITCH_COMPILER_MESSAGES_H
