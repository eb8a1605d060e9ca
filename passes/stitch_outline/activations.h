//===- activations.h - gelu and its gradient in a graph ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_OUTLINE_ACTIVATIONS_H
#define STITCH_PASSES_STITCH_OUTLINE_ACTIVATIONS_H

#include "ir/graph/tg.h"
#include "ir/mlir/query.h"

enum { ACTIVATION_MAX_OPS = 48 };

/// Operations of a graph that together compute gelu(operand), in its tanh form, or cotangent * gelu'(operand).
typedef struct {
  TgKind kind; ///< TG_gelu or TG_gelu_gradient; TG_NONE: there is none
  MlirValue operand;
  MlirValue cotangent;                   ///< of a gradient
  MlirOperation ops[ACTIVATION_MAX_OPS]; ///< each behind those that it uses; the last one's result is the value
  intptr_t count;
} Activation;

/// Whether a value may be the operand of a gelu whose gradient is looked for.
typedef bool (*IsOperand)(MlirValue value, void *data);

/// The gelu of `operand` whose result `isWanted`, and which no operation but its own computes; kind TG_NONE if there is
/// none.
Activation activationFindGelu(MlirValue operand, bool (*isWanted)(MlirValue value));

/// The same for the gradient: of whose operations those that depend on the cotangent are used by nothing else.
Activation activationFindGeluGradient(MlirValue cotangent, bool (*isWanted)(MlirValue value), IsOperand isOperand,
                                      void *data);

/// The value that it computes.
static inline MlirValue activationResult(const Activation *a) { return irResult(a->ops[a->count - 1], 0); }

/// Whether `op` is one of its operations.
bool activationHas(const Activation *a, MlirOperation op);

/// Erases its operations, as far as nothing uses them.
void activationErase(const Activation *a);

#endif // STITCH_PASSES_STITCH_OUTLINE_ACTIVATIONS_H
