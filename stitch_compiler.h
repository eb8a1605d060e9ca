//===- stitch_compiler.h - compiling models ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one header of a program that compiles models with libstitch: stitch-compile is such a program.
//
//   StitchCompilation *compilation;
//   StitchCompileOptions options = {.name = "model.mlir", .output = "model.so"};
//   StitchStatus status = stitchCompile(&options, &compilation);
//   stitchCompilationFree(compilation);
//
// The interface of running models is runtime/stitch_runtime.h. No function keeps its arguments, and all may be called
// in several threads at the same time.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_H
#define STITCH_COMPILER_H

#include "runtime/status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The output of a compilation. Everything but a model file and a library is a text of the compilation.
typedef enum {
  STITCH_EMIT_MODEL = 0,  ///< a model file at `output`
  STITCH_EMIT_TG,         ///< the simplified graph
  STITCH_EMIT_PLAN,       ///< the plan: fusions and their attributes
  STITCH_EMIT_TEMPLATES,  ///< how each kernel is planned, as templates (docs/templates.md)
  STITCH_EMIT_CANDIDATES, ///< the templates that are worth timing for `kernel`, the cheapest first
  STITCH_EMIT_GPU,        ///< kernels and host code
  STITCH_EMIT_NVVM,       ///< kernels in the NVVM dialect, as PTX and as machine code, for the one sm_ target
  STITCH_EMIT_PTX,
  STITCH_EMIT_CUBIN,
  STITCH_EMIT_REPORT,         ///< nothing but the report
  STITCH_EMIT_EXPLANATION,    ///< why the two operations of `explain` are, or are not, in one kernel (docs/rules.md)
  STITCH_EMIT_KERNEL_LIBRARY, ///< kernels as parts of other programs, a folder `output` (docs/kernel_libraries.md)
} StitchEmit;

typedef enum {
  STITCH_SEVERITY_ERROR,
  STITCH_SEVERITY_WARNING,
  STITCH_SEVERITY_NOTE, ///< belongs to the diagnostic before it
  STITCH_SEVERITY_REMARK,
} StitchSeverity;

/// A diagnostic of the compiler. Borrowed during the call.
typedef struct {
  StitchSeverity severity;
  const char *location; ///< "FILE:LINE:COLUMN", "FILE", or as MLIR prints a location of another kind; "": nowhere
  const char *message;
} StitchDiagnostic;

/// The treatment of models that move elements along a size that stays open (docs/dynamic_shapes.md).
typedef enum {
  STITCH_PADDING_IF_NEEDED = 0, ///< with buckets they are padded to the size of the bucket; others are errors
  STITCH_PADDING_NEVER = 1,     ///< they are errors
  STITCH_PADDING_ALWAYS = 2,    ///< all models with open sizes are padded to the largest ones
} StitchPadding;

/// All zero, but for a model and `output`, is the usual way. Texts may be NULL: the default.
typedef struct {
  /// The model: StableHLO, TOSA, linalg or tg, as text or bytecode, a portable artifact (docs/artifacts.md), or a plan,
  /// which is copied. NULL: the contents of the file `name`, or of standard input if that is "-".
  const void *model;
  size_t modelSize;
  const char *name;   ///< in diagnostics, figures and the report
  const char *output; ///< the path of the model file, which is replaced by a whole one only. Of a library: its folder
                      ///< Of a library: its folder
  StitchEmit emit;
  const char *target;    ///< the targets of kernels, "simt,sm_90"; "none": the reference alone; default: "simt"
  const char *device;    ///< the GPU that the plan is made for; default: the model's stitch.device, or "h200"
  const char *entry;     ///< the function that is compiled; default: main, or else the only public one
  const char *dims;      ///< sizes that the model leaves open: "b=8,s=1..128" (docs/dynamic_shapes.md)
  const char *buckets;   ///< a program for each bucket of open sizes: "5", "b:13,18,128", "b:FILE", also "4;b:32,128"
  const char *donate;    ///< arguments, and the results that may have their memory: "0:1,2:0" (docs/ir.md)
  StitchPadding padding; ///< of models that do not do the same for all sizes
  const char *pipeline;  ///< options of stitch-pipeline: "plan=astitch"
  const char *kernel;    ///< the key of one kernel of the plan, which is compiled alone, as a model
  const char *rules;     ///< a file of rules: which operations are one kernel, and how values travel (docs/rules.md)
  const char *explain;   ///< two operations, "NAME,FILE:LINE", for STITCH_EMIT_EXPLANATION
  const char *templates; ///< a file of templates that kernels must be planned by
  const char *tuned;     ///< a file that stitch-tune has written: its templates are used where they can be
  const char *cache;     ///< folder of compiled kernels, or "off"; default: as stitch-compile --help says
  const char *kernels;   ///< a file with kernels and host code, edited, in the place of the planner's work
  bool partialRules;     ///< a rule that is about nothing here is a warning: it is for another model
  bool adaptive;         ///< leave measurable choices to the runtime (docs/adaptive.md)
  bool feedback;         ///< plan kernels again whose registers ptxas spills (docs/templates.md)
  const char *feedbackFile; ///< with feedback: a file that keeps its results, for `tuned` of other compilations
  bool checks;              ///< have the simt device check accesses to memory (docs/checks.md)
  bool noReference;         ///< leave the reference implementation out
  bool noGraphs;            ///< leave out the graph of each launch: launches are not checked alone
  bool stages;              ///< kernels write out the values that their stages leave for each other: for checks, slower
  bool noCubins;            ///< leave machine code for GPUs out
  bool remarks;             ///< explain every decision, as diagnostics
  bool report;              ///< make the report, too

  void *data; ///< for both callbacks
  /// Is told each diagnostic as it comes, one at a time, but in any thread. NULL: they are dropped.
  void (*onDiagnostic)(void *data, const StitchDiagnostic *diagnostic);
  /// Is told in the calling thread which stage begins. If it returns false, the compilation ends as STITCH_CANCELLED.
  /// May be NULL.
  bool (*onStage)(void *data, const char *stage);
} StitchCompileOptions;

/// The results of a compilation apart from the model file.
typedef struct StitchCompilation StitchCompilation;

/// `data[size]` is a null byte. `data` is NULL where nothing of the kind was asked for.
typedef struct {
  const char *data;
  size_t size;
} StitchText;

/// Compiles a model. On failure there is no model file and no compilation. Fails with STITCH_INVALID_ARGUMENT for a
/// model or options that cannot be compiled: the message is the first error, with its location. Messages name options
/// as stitch-compile does.
StitchStatus stitchCompile(const StitchCompileOptions *options, StitchCompilation **compilation);

/// The text of `emit`, the report (HTML), and figures (JSON, as stitch-compile --stats writes them). Borrowed.
StitchText stitchCompilationText(const StitchCompilation *compilation);
StitchText stitchCompilationReport(const StitchCompilation *compilation);
StitchText stitchCompilationFigures(const StitchCompilation *compilation);

/// NULL is allowed.
void stitchCompilationFree(StitchCompilation *compilation);

/// "0.1.0"
const char *stitchCompilerVersion(void);

/// Names of the GPUs that plans are made for, ended by NULL.
const char *const *stitchCompilerDevices(void);

#ifdef __cplusplus
}
#endif

#endif // STITCH_COMPILER_H
