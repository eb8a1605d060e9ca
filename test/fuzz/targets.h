//===- targets.h - fuzz targets -------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_FUZZ_TARGETS_H
#define STITCH_TEST_FUZZ_TARGETS_H

#include "test/fuzz/mutate.h"

#include "mlir-c/IR.h"

typedef enum {
  OUTCOME_ACCEPTED,
  OUTCOME_REFUSED,
  OUTCOME_UNEXPLAINED, ///< refused by MLIR's own reader of TOSA or bytecode, which gives no reason for some mistakes
  OUTCOME_SILENT,      ///< refused without an error that has a place
  NUM_OUTCOMES
} Outcome;

/// A part of Stitch that reads inputs.
typedef struct {
  const char *name;
  const char *help;
  bool readsIR;
  bool readsText; ///< whose words can be changed; IR is text or bytecode
  Outcome (*run)(const Input *input);
} Target;

/// All of them; the last has no name.
extern const Target targets[];

/// To be called once, before the others: makes the MLIR context that children inherit. While an input is read by MLIR
/// `*isReading` is 1, otherwise 0.
void targetsPrepare(volatile int *isReading);

/// The IR of `text` in the generic form or as bytecode; empty if it does not parse.
Input targetsRewrite(const Input *text, bool asBytecode);

/// A graph, planned for an H200 as AStitch would; nobody destroys it.
MlirOperation targetsPlan(const char *text);

/// The graph that files about kernels are tried on (templates_target.c).
extern const char targetsKernel[];

/// Plans kernels by the templates in a file (templates_target.c).
Outcome runTemplates(const char *path);

#endif // STITCH_TEST_FUZZ_TARGETS_H
