//===- compiler.h - a compilation and its stages -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is a stage of compile.c's picture, and returns false after a diagnostic.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_COMPILER_H
#define STITCH_COMPILER_COMPILER_H

#include "capi/threads.h"
#include "compiler/compiler_statistics.h"
#include "compiler/messages.h"
#include "compiler/targets.h"
#include "lowering/host/model_file/model_file.h"

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

enum { MAX_STAGES = 32 };

/// How long a stage took: of a branch, how long was waited for it.
typedef struct {
  const char *name;
  double seconds;
} Stage;

struct StitchCompilation {
  char *text, *report, *figures; ///< each NULL until it is made
  size_t textSize, reportSize, figuresSize;
};

/// Parts that are made concurrently with the stages (branches.c).
typedef enum { BRANCH_HOST, BRANCH_SIMT, BRANCH_REFERENCE, NUM_BRANCHES } BranchKind;

/// A module on its way through passes to bitcode.
typedef struct {
  MlirOperation module; ///< null: there is no such branch
  MlirPassManager passes;
  StitchModelCode *translate;
  StitchTask *task;     ///< NULL: it is not under way
  StitchHostCode *code; ///< NULL: it is not made yet, or could not be
} Branch;

/// The modules of a compilation; each is null until it is made.
typedef struct {
  const StitchCompileOptions *options;
  Targets targets;
  char *pipeline; ///< options of stitch-pipeline
  MlirContext context;
  Messages *messages; ///< of the compilation, for all its programs
  StitchCompilation *results;
  Stage stages[MAX_STAGES];
  int numStages, stage; ///< how many there are, and which one is under way
  double stageStart;    ///< of that stage, on a clock of its own
  bool isCancelled;
  Statistics statistics;
  char *device; ///< the figures of #stitch.device<...> that the model is planned for
  MlirOperation graph;
  bool isPlanned;               ///< the model is a plan
  bool approximates;            ///< some kernel is planned with precision=fast
  bool allowsTf32, isInvariant; ///< the plan is made with tf32=true, with invariant=batch
  MlirOperation kernels;        ///< the plan, then kernels and host function
  MlirOperation images;
  MlirOperation graphs; ///< the graphs of the launches: the module @graphs
  Branch branches[NUM_BRANCHES];
} Compiler;

//===----------------------------------------------------------------------===//
// Seconds (stage_clock.c)
//===----------------------------------------------------------------------===//

/// Ends the stage before it and begins another; false if the caller wants no more of it.
bool beginStage(Compiler *c, const char *name);
void endStage(Compiler *c);

//===----------------------------------------------------------------------===//
// Passes (pipelines.c)
//===----------------------------------------------------------------------===//

/// The passes of a textual pipeline, for a module of this kind, which the caller destroys; null after a message.
MlirPassManager createPasses(Compiler *c, MlirOperation module, const char *pipeline);

/// Runs a textual pipeline on a module.
bool runPipeline(Compiler *c, MlirOperation module, const char *pipeline);

//===----------------------------------------------------------------------===//
// Stages (compiler_stages.c)
//===----------------------------------------------------------------------===//

/// The text -> any graph.
bool readModel(Compiler *c);
/// The device is that of the command line, or else the model's own.
bool chooseDevice(Compiler *c);

/// Any graph, or plan, -> one function @main of tg operations; a plan is then in `kernels`.
bool makeGraph(Compiler *c);

/// Begins the branch from the graph to the reference.
bool beginReference(Compiler *c);
/// The same to one that calls nothing but the C and the mathematics library.
bool beginPlainReference(Compiler *c);

/// Plans a module for the device, with options of stitch-pipeline.
bool planModule(Compiler *c, MlirOperation module, const char *options);

/// The graph -> the plan, in `kernels`. A model that is a plan stays as it is, except for the templates.
bool makePlan(Compiler *c);
/// The plan, and the graph, of the one kernel that is asked for.
bool makePlanOfKernel(Compiler *c);

/// The plan -> kernels and host function.
bool makeKernels(Compiler *c);

/// The same from a file: the output of --emit=gpu.
bool readKernels(Compiler *c);

/// Begins the branches of host function and kernels for the CPU.
bool beginHost(Compiler *c);
bool beginSimt(Compiler *c);

/// Kernels -> `images`, in a format of gpu-to-ptx.
bool makeImages(Compiler *c, const char *format);

/// The kernels of a module -> `*images`, a module that the caller destroys, in a format of gpu-to-ptx.
bool assembleKernels(Compiler *c, MlirOperation module, const char *format, MlirOperation *images);

/// The file of templates that plans are made with where they can be; NULL: none.
const char *tunedFile(const Compiler *c);

/// Begins the stage of writing: derives from the graph the runtime's facts about its inputs and outputs. `parts` are
/// borrowed from `c`.
bool completeProgram(Compiler *c, StitchModelParts *parts);

/// Writes the model file: the programs in the order in which the runtime looks for one that has the sizes of a run.
bool writePrograms(Compiler *c, const StitchModelParts *programs, int count);

//===----------------------------------------------------------------------===//
// Side by side (branches.c)
//===----------------------------------------------------------------------===//

/// Begins to run a pipeline on a module, which is the branch's from then on, and to translate the result.
bool beginBranch(Compiler *c, BranchKind kind, MlirOperation module, const char *pipeline, StitchModelCode *translate);

void joinBranches(Compiler *c);   ///< waits for all branches that have begun
bool finishBranches(Compiler *c); ///< the same, a stage each

/// Waits for those that are still under way, too.
void destroyBranches(Compiler *c);

//===----------------------------------------------------------------------===//
// Several programs (within.c)
//===----------------------------------------------------------------------===//

/// Compiles a copy of the module that `c` has read, with options of its own, which must live as long, and `name` as its
/// STITCH_MODEL_PROGRAM. `c` keeps the clock and, for the figures, the device and the statistics of the last one. The
/// caller destroys `program`, whatever `compile` has returned.
bool compileWithin(Compiler *c, Compiler *program, const StitchCompileOptions *options, const char *name,
                   bool (*compile)(Compiler *program, void *data), void *data);

/// Whether programs for buckets whose largest sizes are `dims` are padded.
StitchPadding paddingOf(Compiler *c, const char *dims);

/// Waits for running branches, and destroys all modules.
void destroyCompilation(Compiler *c);

//===----------------------------------------------------------------------===//
// Results (compilation_results.c)
//===----------------------------------------------------------------------===//

/// Keeps the text of a module.
bool emitModule(Compiler *c, MlirOperation module);

/// Keeps the templates of the plan's kernels, each with its cost.
bool emitTemplates(Compiler *c);

/// Keeps the candidates of the only kernel, as templates, each with its cost.
bool emitCandidates(Compiler *c);

/// The PTX or cubin of the one architecture that --target names.
bool emitImage(Compiler *c);

/// Keeps a text that says why two operations are, or are not, in one kernel (explain.c).
bool explainPair(Compiler *c);

/// Plans the graph once more, to hear every remark, and once as XLA would fuse it, to compare.
bool makeReport(Compiler *c);

//===----------------------------------------------------------------------===//
// Figures (statistics_json.c)
//===----------------------------------------------------------------------===//

/// Keeps the statistics and the seconds of the stages as JSON.
bool makeFigures(Compiler *c);

#endif // STITCH_COMPILER_COMPILER_H
