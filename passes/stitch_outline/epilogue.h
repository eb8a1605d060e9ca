//===- epilogue.h - epilogues of library calls ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside stitch-outline: epilogues.c decides which products have an epilogue. Below it, gelu.c and operand_sums.c find
// those that only dots have, epilogue_call.c makes the library call, and all ask epilogue_queries.c about the graph.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_OUTLINE_EPILOGUE_H
#define STITCH_PASSES_STITCH_OUTLINE_EPILOGUE_H

#include "passes/stitch_outline/activations.h"
#include "passes/stitch_outline/outline.h"

enum { EPILOGUE_MAX_OPS = 3 };

/// The operations of a library call behind a product, in its order: each of `ops` uses the one before, then comes the
/// activation.
typedef struct {
  MlirOperation product;
  MlirOperation ops[EPILOGUE_MAX_OPS]; ///< a bias, an addend and a relu; or a transpose
  intptr_t count;
  bool hasBias, hasAddend, hasRelu;
  Activation activation; ///< of a dot; kind TG_NONE: none, or a relu
  bool keepsOperand;     ///< the operand of a gelu is a result, too
  MlirOperation sum;     ///< a tg.reduce of the result or of an operand of a dot, another result; or null
} Epilogue;

static inline bool epilogueExists(const Epilogue *e) {
  return e->count > 0 || e->activation.kind != TG_NONE || !mlirOperationIsNull(e->sum);
}

/// Puts a product and its epilogue into a stitch.library_call (epilogue_call.c).
void epilogueWrap(Outline *outline, const Epilogue *epilogue);

//===----------------------------------------------------------------------===//
// Questions about the graph (epilogue_queries.c)
//===----------------------------------------------------------------------===//

/// Whether something outside of kernels reads a value, possibly through views.
bool isNeededInMemory(MlirValue value);

/// Whether a value is in memory without a kernel that computes it: an argument, or a result of a library or the host.
bool isFromOutside(MlirValue value);

/// Whether a value is in memory whatever the epilogue does.
bool isInMemory(MlirValue value);

/// Whether kernels read a value, possibly through views; `except` does not count.
bool isReadByKernels(MlirValue value, MlirOperation except);

/// Whether a value is a vector that runs along the features of the product's result: the columns of a dot, one behind
/// the other; the output features of a convolution. It is a tg.broadcast or, of a dot with one row, a tg.reshape.
bool isBias(MlirOperation product, MlirValue value);

/// How many of the result's dimensions, the last ones, are columns of a dot.
intptr_t columnDimsOf(MlirOperation dot);

/// Whether a library call's body computes a value for itself: broadcasts and constants.
bool isCloned(MlirValue value);

/// Whether `op` is where `other` is, and behind it.
bool isBehind(MlirOperation op, MlirOperation other);

/// Whether a dot may have the epilogues that cuBLASLt's tensor core kernels have for dots alone. They exist for dots of
/// f16 on sm_80 and later, of bf16 on sm_90 and later, of f32 where that is allowed.
bool hasTensorCoreEpilogues(const Outline *outline, MlirOperation dot);

/// The operand of a binary operation that is not `value`.
static inline MlirValue otherOperand(MlirOperation op, MlirValue value) {
  return irOperand(op, mlirValueEqual(irOperand(op, 0), value) ? 1 : 0);
}

//===----------------------------------------------------------------------===//
// Epilogues of dots alone
//===----------------------------------------------------------------------===//

/// The gelu of `value`, which the dot's epilogue has come to, if its library call can do it (gelu.c). Sets `activation`
/// and `keepsOperand`.
bool epilogueTakeGelu(const Outline *outline, Epilogue *epilogue, MlirValue value);

/// The gradient of gelu behind a dot, with its sum over rows (gelu.c).
bool epilogueTakeGeluGradient(const Outline *outline, Epilogue *epilogue);

/// The sum of an operand over the dot's contracted dimensions (operand_sums.c). Sets `sum`.
bool epilogueTakeOperandSum(const Outline *outline, Epilogue *epilogue);

#endif // STITCH_PASSES_STITCH_OUTLINE_EPILOGUE_H
