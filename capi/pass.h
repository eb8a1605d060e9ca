//===- pass.h - passes written in C, in MLIR's global registry -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's C API can create a pass from C callbacks (mlirCreateExternalPass). Such a pass has no options, no statistics
// and no place in the registry that textual pipelines are parsed from. The functions here expose the missing parts:
// mlir::registerPass, mlir::registerPassPipeline, mlir::Pass::Option, mlir::Pass::Statistic and
// mlir::Pass::runPipeline.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_PASS_H
#define STITCH_CAPI_PASS_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The type of a pass option's value.
typedef enum {
  STITCH_OPTION_BOOL,
  STITCH_OPTION_INT,
  STITCH_OPTION_STRING,
  STITCH_OPTION_PASSES, ///< a string: passes for a builtin.module, as in a textual pipeline
} StitchOptionKind;

/// One option of a pass: `name=value` in a textual pipeline. All strings must outlive the program.
typedef struct {
  const char *name;
  const char *help;
  StitchOptionKind kind;
  int64_t defaultInt;        ///< for BOOL (0 or 1) and INT
  const char *defaultString; ///< for STRING and PASSES; NULL is the empty string
} StitchPassOption;

/// The values that an option may have; others are errors when a pipeline is made. Forms: one of several,
/// "model|always", where FILE stands for the path of a readable file; for INT "1..8", or "1.." without an upper end. Or
/// "~[a-z]+=[0-9]+~a size such as b=8": a regular expression for all of the value, and its name in errors. No value,
/// where that is the default, is right.
typedef struct {
  const char *name;
  const char *values;
} StitchValidValues;

/// One statistic of a pass, shown by --mlir-pass-statistics. All strings must outlive the program.
typedef struct {
  const char *name;
  const char *help;
} StitchPassStatistic;

/// A running pass: lives for one call of `run`.
typedef struct {
  void *ptr;
} StitchPassRun;

/// A pass. The struct and all objects behind its pointers must outlive the program. `run` may be called from several
/// threads concurrently and therefore keeps no state outside the IR.
typedef struct {
  const char *argument;    ///< name in textual pipelines
  const char *description; ///< one line for --help
  const char *anchor;      ///< name of the op that it runs on; NULL for any op
  const StitchPassOption *options;
  intptr_t numOptions;
  const StitchValidValues *valid; ///< of those options that may not have all values of their types
  intptr_t numValid;
  const StitchPassStatistic *statistics;
  intptr_t numStatistics;
  MlirDialectHandle (*const *dependentDialects)(void); ///< dialects whose ops it creates
  intptr_t numDependentDialects;
  /// The input that the pass acts on: names of operations or dialects, "stitch.fusion|tg"; NULL: anything.
  const char *takes;
  const char *after; ///< the passes that leave it; NULL: it is in the input
  void (*run)(StitchPassRun run, MlirOperation op);
} StitchPassInfo;

/// Registers `info` in the global registry (mlir::registerPass). Registering the same argument twice aborts
/// inside MLIR, so call it once for each pass in a program.
void stitchRegisterPass(const StitchPassInfo *info);

/// Silences the remarks of a pipeline's passes that there is nothing for them to do: the pipeline's maker reports it.
void stitchQuietPasses(MlirOpPassManager manager);

/// Whether it is one of those.
bool stitchPassIsQuiet(StitchPassRun run);

/// Creates a pass that the caller owns, for mlirPassManagerAddOwnedPass.
MlirPass stitchCreatePass(const StitchPassInfo *info);

/// The value of the option with that index in StitchPassInfo.options. The string is owned by the pass and
/// ends with a null byte.
bool stitchPassGetBool(StitchPassRun run, intptr_t index);
int64_t stitchPassGetInt(StitchPassRun run, intptr_t index);
const char *stitchPassGetString(StitchPassRun run, intptr_t index);

/// Adds `amount` to the statistic with that index (mlir::Pass::Statistic).
void stitchPassAddStatistic(StitchPassRun run, intptr_t index, int64_t amount);

/// Marks the pass as failed (mlir::Pass::signalPassFailure). Emit a diagnostic first.
void stitchPassSignalFailure(StitchPassRun run);

/// Runs a textual pipeline, such as "canonicalize,cse", on `op`, which is the pass's own op or nested in it
/// (mlir::Pass::runPipeline). A pipeline that does not parse is reported as an error at `op`. Its passes find out
/// whether there is something to do by themselves: they do not say it.
MlirLogicalResult stitchPassRunPipeline(StitchPassRun run, const char *pipeline, MlirOperation op);

/// Writes the textual pipeline that a named pipeline stands for, given its parsed and valid options.
/// `values[i]` is the text of option i (a bool is "true" or "false"). The result is owned by the caller and is
/// released with free(); NULL after an error, which `error` then describes (a string that outlives the program).
typedef char *(*StitchPipelineExpand)(const char *const *values, const char **error);

/// A named pipeline: `name{option=value ...}` in textual pipelines and `--name=...` on the command line.
typedef struct {
  const char *argument;
  const char *description;
  const StitchPassOption *options;
  intptr_t numOptions;
  const StitchValidValues *valid; ///< as of a pass
  intptr_t numValid;
  StitchPipelineExpand expand;
} StitchPipelineInfo;

/// Registers a named pipeline (mlir::registerPassPipeline).
void stitchRegisterPipeline(const StitchPipelineInfo *info);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_PASS_H
