//===- stitch_pipeline.c - stitch-pipeline -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a graph of tg operations to fusions with their plan. It is the cheapest of several (stitch-best-plan), or the
// one that `plan` names (docs/plans.md), columns of AStitch's ablation (table 4) among them:
//
//   - xla: the fusion scope of XLA (a reduce, or an expensive operation before a broadcast, ends a kernel); a row is a
//     block
//   - atm: the same scope, with adaptive thread mapping
//   - hdm: exhaustive stitching, also across loops, with hierarchical data management, without dominant merging
//   - astitch: all of it
//
// and of APOLLO's table 3: unfused, apollo-layer1, apollo-layer2, apollo.
//
// tg-dynamic-dims comes before decompositions, which count elements, and after simplifications, which must keep the
// symbols of types. stitch-verify-plan comes last. So a plan that breaks a promise never reaches the code generator.
//
//===----------------------------------------------------------------------===//

#include "pipeline/stitch_pipeline.h"

#include "ir/mlir/arena.h"
#include "passes/common/plan_kinds.h"
#include "stitch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  OPTION_DEVICE,
  OPTION_PLAN,
  OPTION_F32_EPILOGUES,
  OPTION_ADAPTIVE,
  OPTION_GROWTH,
  OPTION_VERSIONS,
  OPTION_STREAMS,
  OPTION_PRECISION,
  OPTION_TF32,
  OPTION_INVARIANT,
  OPTION_SUMS,
  OPTION_TEMPLATES,
  OPTION_TUNED,
  OPTION_RULES
};

/// The passes of a plan. `best` tries several.
static char *planPasses(const char *const *values) {
  const char *plan = values[OPTION_PLAN];
  const PlanKind *kind = planKindOf(plan); // none: best or patterns
  PlanOptions options = planOptions(values[OPTION_F32_EPILOGUES], values[OPTION_ADAPTIVE], values[OPTION_GROWTH],
                                    values[OPTION_PRECISION]);
  if (kind)
    return planKindPasses(kind, &options);
  if (strcmp(plan, "patterns") == 0)
    return strdup("stitch-patterns");
  static const char format[] = "stitch-best-plan{f32-epilogues=%s adaptive=%s growth=%s precision=%s}";
  size_t size = sizeof(format) + strlen(options.f32Epilogues) + strlen(values[OPTION_ADAPTIVE]) +
                strlen(values[OPTION_GROWTH]) + strlen(values[OPTION_PRECISION]);
  char *text = irAllocate(size);
  snprintf(text, size, format, options.f32Epilogues, values[OPTION_ADAPTIVE], values[OPTION_GROWTH],
           values[OPTION_PRECISION]);
  return text;
}

/// Tuned templates come first; a person's templates go before them.
static char *templatePasses(const char *templates, const char *tuned) {
  static const char tunedFormat[] = "stitch-templates{file=\"%s\" warn=true},";
  static const char format[] = "stitch-templates{file=\"%s\"},";
  size_t size = sizeof(tunedFormat) + sizeof(format) + strlen(templates) + strlen(tuned);
  char *text = irAllocateZeroed(size, 1);
  if (*tuned)
    snprintf(text, size, tunedFormat, tuned);
  if (*templates)
    snprintf(text + strlen(text), size - strlen(text), format, templates);
  return text;
}

/// Measured times count when plans are made, too.
static char *measuredPasses(const char *tuned) {
  static const char format[] = "stitch-measured{file=\"%s\"},";
  size_t size = sizeof(format) + strlen(tuned);
  char *text = irAllocateZeroed(size, 1);
  if (*tuned)
    snprintf(text, size, format, tuned);
  return text;
}

/// The passes behind the planning of kernels that leave versions of them, or one configuration of all versions.
static char *versionPasses(const char *const *values) {
  static const char templates[] = "stitch-enumerate-templates{growth=%s},";
  static const char both[] = "stitch-enumerate-templates{growth=%s},stitch-select-versions{versions=\"%s\"},";
  const char *growth = values[OPTION_GROWTH], *versions = values[OPTION_VERSIONS];
  size_t size = sizeof(both) + strlen(growth) + strlen(versions);
  char *text = irAllocateZeroed(size, 1);
  if (strcmp(values[OPTION_ADAPTIVE], "true") == 0)
    snprintf(text, size, *versions ? both : templates, growth, versions);
  return text;
}

/// The option that takes a module with one graph only; an empty text if none does.
static const char *needsWholeModule(const char *const *values) {
  if (strcmp(values[OPTION_PLAN], "patterns") == 0)
    return "whole='plan=patterns' ";
  if (strcmp(values[OPTION_ADAPTIVE], "true") == 0)
    return "whole='adaptive=true' ";
  return strcmp(values[OPTION_STREAMS], "1") == 0 ? "" : "whole=streams ";
}

static char *expandPipeline(const char *const *values, const char **error) {
  static const char format[] =
      "stitch-rules{file=\"%s\"},stitch-each-graph{%spasses='%s"
      "tg-dynamic-dims,tg-decompose,tg-raise-cumulatives{exact=%s},tg-fold-empty,tg-long-windows,stitch-library-types,%"
      "s"
      "tg-simplify{reassociate=%s},tg-merge-updates,"
      "tg-infer-bounds,"
      "tg-dynamic-dims,%s%sstitch-set-device{device=%s},stitch-rules{left=true},tg-peer-sums{sums=%s},%s%s,%s%sstitch-"
      "resident,tg-precision{"
      "precision=%s},"
      "stitch-prefetch,stitch-communication{overlap=%s},stitch-verify-plan,stitch-check-rules,stitch-cost,"
      "stitch-streams{streams=%s}'},stitch-rules{"
      "done=true}";
  if (*values[OPTION_VERSIONS] && strcmp(values[OPTION_ADAPTIVE], "true") != 0) {
    *error = "versions needs adaptive=true: without it there are none";
    return NULL;
  }
  if (strcmp(values[OPTION_INVARIANT], "batch") == 0 && strcmp(values[OPTION_ADAPTIVE], "true") == 0) {
    *error = "invariant=batch goes without adaptive=true, whose versions compute other bits";
    return NULL;
  }
  if (strcmp(values[OPTION_SUMS], "tree") == 0 && strcmp(values[OPTION_PRECISION], "strict") != 0) {
    *error = "sums=tree needs precision=strict: each node of the tree is rounded, and nothing else goes into it";
    return NULL;
  }
  bool areTrees = strcmp(values[OPTION_SUMS], "tree") == 0;
  const char *trees = areTrees ? "tg-tree-sums," : "", *sums = areTrees ? "best" : values[OPTION_SUMS];
  const char *whole = needsWholeModule(values), *overlap = strcmp(values[OPTION_STREAMS], "1") ? "false" : "true";
  // In `strict`, each operation is rounded as the graph has it.
  bool isStrict = strcmp(values[OPTION_PRECISION], "strict") == 0;
  const char *exact = isStrict ? "true" : "false", *distribute = isStrict ? "" : "tg-distribute-loops,";
  const char *reassociate = strcmp(values[OPTION_PRECISION], "fast") == 0 ? "true" : "false";
  const char *tf32 = strcmp(values[OPTION_TF32], "true") == 0 ? "tg-allow-tf32," : "";
  const char *invariant = strcmp(values[OPTION_INVARIANT], "batch") == 0 ? "tg-batch-invariant," : "";
  char *passes = planPasses(values), *measured = measuredPasses(values[OPTION_TUNED]);
  char *templates = templatePasses(values[OPTION_TEMPLATES], values[OPTION_TUNED]);
  char *versions = versionPasses(values);
  size_t size = sizeof(format) + strlen(values[OPTION_RULES]) + strlen(whole) + strlen(trees) + strlen(exact) +
                strlen(tf32) + strlen(reassociate) + strlen(invariant) + strlen(distribute) +
                strlen(values[OPTION_DEVICE]) + strlen(measured) + strlen(passes) + strlen(templates) +
                strlen(versions) + strlen(values[OPTION_PRECISION]) + strlen(overlap) + strlen(values[OPTION_STREAMS]) +
                strlen(sums);
  char *text = irAllocate(size);
  snprintf(text, size, format, values[OPTION_RULES], whole, trees, exact, tf32, reassociate, invariant, distribute,
           values[OPTION_DEVICE], sums, measured, passes, templates, versions, values[OPTION_PRECISION], overlap,
           values[OPTION_STREAMS]);
  free(measured);
  free(passes);
  free(templates);
  free(versions);
  return text;
}

static const StitchPassOption options[] = {
    {"device", "preset to plan for, if the module has no stitch.device", STITCH_OPTION_STRING, 0, "h200"},
    {"plan",
     "best (the cheapest of several), astitch, astitch-by-cost (rows are split where that costs less, as in all plans "
     "but "
     "astitch, hdm and atm), fusionstitching, apollo, merged (astitch with small products that share "
     "an operand in one call), cheapest (patterns of all three), thin and "
     "cheapest-thin (astitch and cheapest with the products in kernels that memory limits), rolled (thin, after "
     "recurrences that were unrolled have become loops), tiled (thin, with stencils of several steps in overlapping "
     "tiles), attention and "
     "attention-thin (astitch and thin with each softmax between two products in one kernel where that is cheaper; "
     "attention-cheapest: cheapest-thin with what is left beside these; "
     "attention-always: astitch with all of them), running and running-thin (astitch and thin with the maxima and sums "
     "of "
     "long softmaxes in one reduction; running-always: of all softmaxes; persistent-never and persistent-always: thin "
     "with none and all of "
     "the loops inside their kernels where that can be; skinny-always: thin with all products of few rows by tensor "
     "cores), "
     "or a part of astitch: hdm (no dominant merging), atm (scope of XLA), xla (nothing adaptive); of apollo: "
     "apollo-layer1 (no stitching of reductions, nor of branches), apollo-layer2 (not of branches), unfused (each "
     "operation a kernel); patterns: no plan, "
     "but what stitch-tune --patterns measures",
     STITCH_OPTION_STRING, 0, "best"},
    {"f32-epilogues", "true: library calls compute gelu of f32, too, with an approximate tanh (docs/cuda.md)",
     STITCH_OPTION_STRING, 0, "false"},
    {"adaptive", "true: versions of computations become a choice of the runtime (Astra)", STITCH_OPTION_STRING, 0,
     "false"},
    {"growth", "how much longer a model file may become by that, in percent", STITCH_OPTION_INT, 60, NULL},
    {"versions",
     "with adaptive=true: one configuration and no choice, as stitch-run --versions names it (products_0=all,*=xla)",
     STITCH_OPTION_STRING, 0, ""},
    {"streams", "number of streams on which kernels and library calls may overlap: the runtime assigns them",
     STITCH_OPTION_INT, 1, NULL},
    {"precision",
     "strict (each operation is rounded correctly), default (products are added without being rounded, and divisors "
     "that rows share are inverted once) or fast (a GPU's approximate instructions, too): docs/precision.md",
     STITCH_OPTION_STRING, 0, "default"},
    {"tf32",
     "true: products of f32 that say nothing of their precision may round their operands to TF32, in kernels and "
     "library calls (docs/precision.md)",
     STITCH_OPTION_STRING, 0, "false"},
    {"invariant",
     "batch: a row has the same bits however many are computed with it, for all values of a size that is open "
     "(docs/precision.md)",
     STITCH_OPTION_STRING, 0, "none"},
    {"sums",
     "sums between processes: best (the cheapest form of each), calls (of NCCL or MPI), at-once or two-steps (in the "
     "kernels behind them, in the order of the group, as far as these can), tree (of floats, the same for other "
     "numbers "
     "of processes): docs/devices.md",
     STITCH_OPTION_STRING, 0, "best"},
    {"templates", "file of templates that kernels must be planned by (docs/templates.md)", STITCH_OPTION_STRING, 0, ""},
    {"tuned",
     "file that stitch-tune has written: its templates are used where they can be, and its times of kernels "
     "count in place of the cost model's",
     STITCH_OPTION_STRING, 0, ""},
    {"rules", "file of rules: operations that are one kernel or are not, and the memory of values (docs/rules.md)",
     STITCH_OPTION_STRING, 0, ""},
};

static const char deviceNames[] = ""
#define STITCH_DEVICE(name, ...) "|" #name
#include "dialects/stitch/devices.def"
#undef STITCH_DEVICE
    ;

static const StitchValidValues valid[] = {
    {"device", deviceNames},
    {"plan",
     "best|astitch|astitch-by-cost|fusionstitching|apollo|merged|cheapest|thin|cheapest-thin|rolled|tiled|attention|"
     "attention-thin|attention-cheapest|"
     "attention-always|running|running-thin|running-always|persistent-never|persistent-always|skinny-always|"
     "hdm|atm|xla|"
     "apollo-layer1|apollo-layer2|unfused|patterns"},
    {"f32-epilogues", "true|false"},
    {"adaptive", "true|false"},
    {"growth", "0.."},
    {"streams", "1..8"},
    {"precision", "strict|default|fast"},
    {"tf32", "true|false"},
    {"invariant", "none|batch"},
    {"sums", "best|calls|at-once|two-steps|tree"},
    {"rules", "FILE"},
    {"templates", "FILE"},
    {"tuned", "FILE"},
};

const StitchPipelineInfo stitchPipeline = {
    .argument = "stitch-pipeline",
    .description = "From a graph of tg operations to fusions with their plan",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .expand = expandPipeline,
};

static void ignoreError(MlirStringRef message, void *userData) {
  (void)message;
  (void)userData;
}

MlirLogicalResult stitchAppendPipeline(MlirOpPassManager manager, const char *pipelineOptions,
                                       MlirStringCallback onError, void *userData) {
  const char *given = pipelineOptions ? pipelineOptions : "";
  size_t size = strlen(stitchPipeline.argument) + strlen(given) + 3;
  char *text = irAllocate(size);
  snprintf(text, size, "%s{%s}", stitchPipeline.argument, given);
  MlirLogicalResult result = mlirOpPassManagerAddPipeline(manager, mlirStringRefCreateFromCString(text),
                                                          onError ? onError : ignoreError, userData);
  free(text);
  return result;
}
