//===- compiler.h - a compilation and its stages -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is a stage of compile.c's picture, and returns false after it has said what is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_COMPILER_H
#define STITCH_COMPILER_COMPILER_H

#include "compiler/messages.h"
#include "compiler/statistics.h"
#include "compiler/targets.h"

#include "mlir-c/IR.h"

enum { MAX_STAGES = 32 };

/// How long a stage took.
typedef struct {
  const char *name;
  double seconds;
} Stage;

struct StitchCompilation {
  char *text, *report, *figures; ///< each NULL until it is made
  size_t textSize, reportSize, figuresSize;
};

/// The modules of a compilation; each is null until it is made.
typedef struct {
  const StitchCompileOptions *options;
  Targets targets;
  char *pipeline; ///< options of stitch-pipeline
  MlirContext context;
  Messages messages;
  StitchCompilation *results;
  Stage stages[MAX_STAGES];
  int numStages;
  double stageStart; ///< of the last stage, on a clock of its own
  bool isCancelled;
  Statistics statistics;
  char *device; ///< the figures of #stitch.device<...> that the model is planned for
  MlirOperation graph;
  bool isPlanned;        ///< the model is a plan
  bool approximates;     ///< some kernel is planned with precision=fast
  MlirOperation kernels; ///< the plan, then kernels and host function
  MlirOperation host;
  MlirOperation simt;
  MlirOperation images;
  MlirOperation graphs; ///< what launches compute: the module @graphs
  MlirOperation reference;
} Compiler;

//===----------------------------------------------------------------------===//
// Seconds (stage_clock.c)
//===----------------------------------------------------------------------===//

/// Ends the stage before it and begins another; false if the caller wants no more of it.
bool beginStage(Compiler *c, const char *name);
void endStage(Compiler *c);

//===----------------------------------------------------------------------===//
// Stages (stages.c)
//===----------------------------------------------------------------------===//

/// Runs a textual pipeline on a module.
bool runPipeline(Compiler *c, MlirOperation module, const char *pipeline);

/// The text -> any graph.
bool readModel(Compiler *c);

/// The device is that of the command line, or else the model's own.
bool chooseDevice(Compiler *c);

/// Any graph, or plan, -> one function @main of tg operations; a plan is then in `kernels`.
bool makeGraph(Compiler *c);

/// The graph -> `reference`.
bool makeReference(Compiler *c);

/// Plans a module for the device, with options of stitch-pipeline.
bool planModule(Compiler *c, MlirOperation module, const char *options);

/// The graph -> the plan, in `kernels`. A model that is a plan stays as it is, but for what templates say.
bool makePlan(Compiler *c);

/// The plan, and the graph, of the one kernel that is asked for.
bool makePlanOfKernel(Compiler *c);

/// The plan -> kernels and host function.
bool makeKernels(Compiler *c);

/// The same from a file: what --emit=gpu has printed.
bool readKernels(Compiler *c);

/// Kernels and host function -> `host`, `simt`, `images`; these in a format of gpu-to-ptx.
bool makeHost(Compiler *c);
bool makeSimt(Compiler *c);
bool makeImages(Compiler *c, const char *format);

/// The kernels of a module -> `*images`, a module that the caller destroys, in a format of gpu-to-ptx.
bool assembleKernels(Compiler *c, MlirOperation module, const char *format, MlirOperation *images);

/// Plans kernels of the plan again that ptxas spills registers of (feedback.c).
bool applyFeedback(Compiler *c);

/// Has the graph say what the runtime wants to know of its inputs and outputs, and writes the file.
bool writeModel(Compiler *c);

//===----------------------------------------------------------------------===//
// Results (results.c)
//===----------------------------------------------------------------------===//

/// Keeps the text of a module.
bool emitModule(Compiler *c, MlirOperation module);

/// Keeps the templates of the plan's kernels, each with what it costs.
bool emitTemplates(Compiler *c);

/// Keeps the candidates of the one kernel that there is, as templates, each with what it costs.
bool emitCandidates(Compiler *c);

/// The PTX or cubin of the one architecture that --target names.
bool emitImage(Compiler *c);

/// Plans the graph once more, to hear every remark, and once as XLA would fuse it, to compare.
bool makeReport(Compiler *c);

//===----------------------------------------------------------------------===//
// Figures (statistics_json.c)
//===----------------------------------------------------------------------===//

/// Keeps the statistics and the seconds of the stages as JSON.
bool makeFigures(Compiler *c);

#endif // STITCH_COMPILER_COMPILER_H
