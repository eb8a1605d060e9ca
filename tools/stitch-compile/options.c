//===- options.c - the command line of stitch-compile --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // asprintf

#include "tools/stitch-compile/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "stitch-compile: compile a model to stitched GPU kernels\n"
    "\n"
    "USAGE\n"
    "  stitch-compile MODEL.mlir -o model.so [options]\n"
    "\n"
    "MODEL.mlir is StableHLO, TOSA or tg, as text or MLIR bytecode, or a portable artifact (docs/artifacts.md); '-' "
    "is\n"
    "standard input. The model file holds the host code, the kernels for each target, and a reference implementation\n"
    "that stitch-run compares with.\n"
    "\n"
    "OPTIONS\n"
    "  -o FILE              where the result goes; texts go to standard output without it\n"
    "  --target=LIST        what kernels are compiled for: simt (this CPU) and sm_70 ... sm_120; 'none' for the\n"
    "                       reference alone (default: simt)\n"
    "  --device=NAME        the GPU that the plan is made for, of"
#define STITCH_DEVICE(name, ...) " " #name
#include "dialects/stitch/devices.def"
#undef STITCH_DEVICE
    "\n"
    "                       (default: the model's stitch.device, or h200); figures may be changed:\n"
    "                       --device='h200, sms = 66'; clusters of blocks are planned only if all targets have them\n"
    "  --entry=NAME         the function that is compiled (default: main, or else the only public one)\n"
    "  --dim NAME=SIZE      the size of a dimension that the model leaves open, by its symbol in jax.export or as\n"
    "                       arg0.1, dimension 1 of argument 0; b=1..128: known only when the model runs; may be\n"
    "                       repeated (docs/dynamic_shapes.md)\n"
    "  --emit=STAGE         stop early and print: tg (the simplified graph), plan (what is stitched and how),\n"
    "                       gpu (kernels and host code), nvvm, ptx, cubin (for one sm_ target); so (default)\n"
    "  --stats=FILE         write figures of the compilation as JSON; '-' is standard output\n"
    "  --report=FILE        write a page (HTML) that shows what is stitched and how; '-' is standard output\n"
    "  --adaptive           leave to the runtime which products are computed together: all ways are in the model "
    "file,\n"
    "                       and stitch-run --adapt measures them (Astra)\n"
    "  --pipeline=OPTIONS   options of stitch-pipeline (see stitch-opt --help)\n"
    "  --checks             have stitch-run on the simt device check every access of the kernels to memory: bounds,\n"
    "                       reads of what was not written, races for want of a barrier, outputs not written exactly\n"
    "                       once (docs/checks.md); several times slower\n"
    "  --kernels=FILE       take kernels and host code from FILE: what --emit=gpu printed for this model, edited\n"
    "  --no-cubins          leave machine code for GPUs out, which ptxas makes where it is found: the GPU's driver "
    "compiles\n"
    "                       the PTX when the model is loaded\n"
    "  --cache=DIR          where PTX of compiled kernels is kept for the next time, at most 256 MiB; 'off' for none\n"
    "                       (default: $STITCH_CACHE, or else stitch in $XDG_CACHE_HOME or ~/.cache)\n"
    "  --no-reference       leave the reference implementation out: stitch-run --check then checks each kernel and\n"
    "                       library call alone\n"
    "  --no-graphs          leave out what each kernel and library call computes: they are not checked alone\n"
    "  --remarks            explain every decision of the planner\n"
    "  --help, --version\n"
    "\n"
    "EXAMPLES\n"
    "  stitch-compile bert.mlir -o bert.so                 compile for this CPU's simt device ...\n"
    "  stitch-run bert.so --device=simt --check            ... and compare a run with the reference\n"
    "  stitch-compile bert.mlir -o bert.so --target=simt,sm_80,sm_90 --stats=bert.json\n"
    "  stitch-compile bert.mlir --emit=plan --device=a100  see what becomes one kernel on an A100, and why:\n"
    "  stitch-compile bert.mlir --emit=plan --remarks\n"
    "  stitch-compile bert.mlir -o bert.so --pipeline=plan=astitch   instead of the cheapest plan (docs/plans.md)\n"
    "  stitch-compile bert.mlir --emit=ptx --target=sm_90 | less\n"
    "  stitch-compile bert.mlir -o bert.so --checks        find out what is wrong with a kernel\n"
    "\n"
    "Exit status: 0, or 1 after an error; then no output file is written.\n";

static OptionsResult fail(const char *what, const char *value) {
  return toolOptionsFail("stitch-compile", what, value);
}

static OptionsResult readEmit(void *options, const char *text) {
  static const char *const names[] = {
      [EMIT_TG] = "tg",   [EMIT_PLAN] = "plan",   [EMIT_GPU] = "gpu", [EMIT_NVVM] = "nvvm",
      [EMIT_PTX] = "ptx", [EMIT_CUBIN] = "cubin", [EMIT_SO] = "so",
  };
  for (int i = EMIT_TG; i <= EMIT_SO; ++i)
    if (strcmp(text, names[i]) == 0) {
      ((CompileOptions *)options)->emit = (EmitKind)i;
      return OPTIONS_RUN;
    }
  return fail("--emit is tg, plan, gpu, nvvm, ptx, cubin or so, not", text);
}

static OptionsResult addTarget(CompileOptions *o, const char *target) {
  if (strcmp(target, "simt") == 0)
    o->simt = true;
  else if (strncmp(target, "sm_", 3) != 0)
    return fail("unknown target", target);
  else if (o->numArchitectures == MAX_ARCHITECTURES)
    return fail("too many targets: the last is", target);
  else
    o->architectures[o->numArchitectures++] = target;
  return OPTIONS_RUN;
}

static OptionsResult readTargets(void *options, const char *text) {
  CompileOptions *o = options;
  free(o->targetText);
  o->targetText = strdup(text);
  o->simt = false;
  o->numArchitectures = 0;
  if (!o->targetText)
    return fail("out of memory", NULL);
  if (strcmp(text, "none") == 0)
    return OPTIONS_RUN;
  OptionsResult result = *text ? OPTIONS_RUN : fail("--target needs at least one target, or 'none'", NULL);
  char *position = NULL;
  for (char *target = strtok_r(o->targetText, ",", &position); target && result == OPTIONS_RUN;
       target = strtok_r(NULL, ",", &position))
    result = addTarget(o, target);
  return result;
}

/// Adds "NAME=SIZE" to the list of sizes. The list becomes an option of a pass, whose quoting it must not disturb.
static OptionsResult readDim(void *options, const char *text) {
  CompileOptions *o = options;
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,=";
  if (!strchr(text, '=') || text[strspn(text, allowed)])
    return fail("--dim needs a name and a size, such as b=8, not", text);
  char *list = NULL;
  if (asprintf(&list, "%s%s%s", o->dims ? o->dims : "", o->dims ? "," : "", text) < 0)
    return fail("out of memory", NULL);
  free(o->dims);
  o->dims = list;
  return OPTIONS_RUN;
}

/// What must hold of the options together.
static OptionsResult checkOptions(CompileOptions *o) {
  if (!o->input)
    return fail("no model given", NULL);
  if (o->emit == EMIT_SO && !o->output)
    return fail("-o is needed to write a model file", NULL);
  if (o->emit == EMIT_SO && strcmp(o->output, "-") == 0)
    return fail("a model file cannot go to standard output", NULL);
  if (o->checks && (o->emit != EMIT_SO || !o->simt))
    return fail("--checks are checks of the simt device: a model file with --target=simt is needed", NULL);
  if (o->entry && (*o->entry == '\0' || strpbrk(o->entry, "\"\\")))
    return fail("--entry needs the name of a function, without quotation marks, not", o->entry);
  if (o->cache && (*o->cache == '\0' || strchr(o->cache, '"')))
    return fail("--cache needs a folder, whose name has no quotation marks, or 'off', not", o->cache);
  if (o->kernels && (o->emit < EMIT_GPU || o->reportFile))
    return fail("--kernels replaces the plan: --report and --emit=tg and plan do not go with it", NULL);
  bool isImage = o->emit == EMIT_NVVM || o->emit == EMIT_PTX || o->emit == EMIT_CUBIN;
  if (isImage && o->numArchitectures != 1)
    return fail("--emit=nvvm, ptx and cubin need exactly one sm_ target, such as --target=sm_90", NULL);
  if (o->reportFile && (o->emit == EMIT_TG || (o->emit == EMIT_SO && !o->simt && o->numArchitectures == 0)))
    return fail("--report shows a plan, and nothing is planned here", NULL);
  if (o->emit == EMIT_SO && !o->simt && o->numArchitectures == 0 && !o->reference)
    return fail("--target=none --no-reference leaves nothing to compile", NULL);
  if (o->adaptive && asprintf(&o->adaptivePipeline, "adaptive=true %s", o->pipeline) < 0)
    return fail("out of memory", NULL);
  if (o->adaptive)
    o->pipeline = o->adaptivePipeline;
  return OPTIONS_RUN;
}

/// In the order in which getopt lists them where an abbreviation is ambiguous.
static const ToolOption options[] = {
    {"o", TOOL_TEXT, .field = offsetof(CompileOptions, output)},
    {"target", TOOL_READ, .read = readTargets},
    {"device", TOOL_TEXT, .field = offsetof(CompileOptions, device)},
    {"entry", TOOL_TEXT, .field = offsetof(CompileOptions, entry)},
    {"dim", TOOL_READ, .read = readDim},
    {"emit", TOOL_READ, .read = readEmit},
    {"stats", TOOL_TEXT, .field = offsetof(CompileOptions, statsFile)},
    {"report", TOOL_TEXT, .field = offsetof(CompileOptions, reportFile)},
    {"adaptive", TOOL_ON, .field = offsetof(CompileOptions, adaptive)},
    {"pipeline", TOOL_TEXT, .field = offsetof(CompileOptions, pipeline)},
    {"kernels", TOOL_TEXT, .field = offsetof(CompileOptions, kernels)},
    {"checks", TOOL_ON, .field = offsetof(CompileOptions, checks)},
    {"cache", TOOL_TEXT, .field = offsetof(CompileOptions, cache)},
    {"no-cubins", TOOL_OFF, .field = offsetof(CompileOptions, cubins)},
    {"no-reference", TOOL_OFF, .field = offsetof(CompileOptions, reference)},
    {"no-graphs", TOOL_OFF, .field = offsetof(CompileOptions, graphs)},
    {"remarks", TOOL_ON, .field = offsetof(CompileOptions, remarks)},
};

OptionsResult parseCompileOptions(int argc, char **argv, CompileOptions *o) {
  static const ToolCommandLine tool = {
      .program = "stitch-compile",
      .help = help,
      .version = "stitch-compile " STITCH_VERSION,
      .options = options,
      .numOptions = sizeof(options) / sizeof(options[0]),
  };
  int next;
  *o = (CompileOptions){
      .pipeline = "", .emit = EMIT_SO, .simt = true, .reference = true, .graphs = true, .cubins = true};
  OptionsResult result = toolReadOptions(&tool, argc, argv, o, &next);
  if (result == OPTIONS_RUN && next + 1 < argc)
    return fail("only one model can be compiled at a time; what is", argv[next + 1]);
  if (result == OPTIONS_RUN && next < argc)
    o->input = argv[next];
  return result == OPTIONS_RUN ? checkOptions(o) : result;
}
