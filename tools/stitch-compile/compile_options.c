//===- compile_options.c - the command line of stitch-compile -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of stitch-compile's options and the text of --help.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // asprintf

#include "tools/stitch-compile/compile_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "stitch-compile: compile a model to stitched GPU kernels\n"
    "\n"
    "USAGE\n"
    "  stitch-compile MODEL.mlir -o model.so [options]\n"
    "\n"
    "MODEL.mlir is StableHLO, TOSA, linalg or tg, as text or MLIR bytecode, a portable artifact (docs/artifacts.md), "
    "or a "
    "plan\n"
    "(what --emit=plan printed, edited); '-' is standard input. The model file holds the host code, the kernels for "
    "each target, and a reference implementation\n"
    "that stitch-run compares with.\n"
    "\n"
    "OPTIONS\n"
    "  -o FILE              where the result goes; texts go to standard output without it\n"
    "  --target=LIST        what kernels are compiled for: simt (this CPU) and sm_70 ... sm_120; sm_90a is for an "
    "H100\n"
    "                       or H200 alone, with products of warpgroups (wgmma); 'none' for the reference alone\n"
    "                       (default: simt, of a kernel library sm_90)\n"
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
    "  --buckets[=N]        cut each range of --dim into N buckets (default: 5), each with a program that is planned "
    "for\n"
    "                       its largest size, in one model file; --buckets=b:13,18,128 are the buckets of b, and\n"
    "                       --buckets=b:FILE places them by lines 'SIZE RUNS'; may be repeated\n"
    "  --padding=WHEN       whether tensors with open sizes are padded to the largest ones, and the padding masked:\n"
    "                       if-needed (default: with --buckets, where elements move along an open size), always, "
    "never\n"
    "  --donate=ARG:RESULT  the caller does not need argument number ARG behind a run, and result number RESULT, of "
    "the\n"
    "                       same type, may be in its memory: what is updated is not copied; may be repeated\n"
    "  --emit=STAGE         stop early and print: tg (the simplified graph), plan (what is stitched and how),\n"
    "                       templates (how each kernel is planned), candidates (the templates that are worth timing\n"
    "                       for --kernel), gpu (kernels and host code), nvvm, ptx, cubin (for one sm_ target);\n"
    "                       or write kernel-library: -o is a folder for C, PTX, cubins, bindings for PyTorch and JAX "
    "and\n"
    "                       tests of each public function (docs/kernel_libraries.md); so (default)\n"
    "  --stats=FILE         write figures of the compilation as JSON; '-' is standard output\n"
    "  --report=FILE        write a page (HTML) that shows what is stitched and how; '-' is standard output\n"
    "  --adaptive           leave to the runtime which products are computed together and what is one kernel: all "
    "ways\n"
    "                       are in the model file, and stitch-run --adapt measures them (Astra)\n"
    "  --kernel=KEY         compile one kernel of the plan alone, by the key that --emit=templates prints\n"
    "  --rules=FILE         decide what is one kernel, what is not, and how values travel (docs/rules.md); a rule "
    "that\n"
    "                       cannot be obeyed is an error with the reason\n"
    "  --explain=A,B        print why two operations are, or are not, in one kernel, and what the model costs both "
    "ways:\n"
    "                       by name, FILE:LINE, or as in a file of rules\n"
    "  --templates=FILE     plan kernels as the templates in FILE say: what --emit=templates printed, edited\n"
    "                       (docs/templates.md); one that cannot be met is an error\n"
    "  --tuned=FILE         use what stitch-tune has found to be fastest\n"
    "  --feedback[=FILE]    plan kernels again whose registers ptxas spills, with fewer elements a thread, or as two;\n"
    "                       FILE keeps what was found out, for --tuned=FILE of the next compilation\n"
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
    "  --stages             have kernels write out what their stages and iterations leave for each other, so that\n"
    "                       stitch-run --check=stages checks each alone; they are slower\n"
    "  --no-graphs          leave out what each kernel and library call computes: they are not checked alone\n"
    "  --remarks            explain every decision of the planner\n"
    "  --help, --version\n"
    "\n"
    "EXAMPLES\n"
    "  stitch-compile bert.mlir -o bert.so                 compile for this CPU's simt device ...\n"
    "  stitch-run bert.so --device=simt --check            ... and compare a run with the reference\n"
    "  stitch-compile mlp.mlir -o mlp.so --dim b=1..128 --buckets   plans for 26, 52, 78, 103 and 128 rows\n"
    "  stitch-compile gpt.mlir -o gpt.so --dim t=1..128 --buckets   tokens attend to each other: padded to buckets\n"
    "  stitch-compile bert.mlir -o bert.so --target=simt,sm_80,sm_90 --stats=bert.json\n"
    "  stitch-compile bert.mlir --emit=plan --device=a100  see what becomes one kernel on an A100, and why:\n"
    "  stitch-compile bert.mlir --emit=plan --remarks\n"
    "  stitch-compile bert.mlir -o bert.so --pipeline=plan=astitch   instead of the cheapest plan (docs/plans.md)\n"
    "  stitch-compile bert.mlir --emit=ptx --target=sm_90 | less\n"
    "  stitch-compile norm.mlir --emit=kernel-library -o norm --target=sm_80,sm_90   kernels as C, PTX and bindings "
    "for\n"
    "                                                      programs without Stitch\n"
    "  stitch-compile bert.mlir -o bert.so --checks        find out what is wrong with a kernel\n"
    "\n"
    "Exit status: 0, or 1 after an error; then no output file is written.\n";

static OptionsResult fail(const char *what, const char *value) {
  return toolOptionsFail("stitch-compile", what, value);
}

static OptionsResult readEmit(void *options, const char *text) {
  static const struct {
    const char *name;
    StitchEmit emit;
  } stages[] = {{"tg", STITCH_EMIT_TG},
                {"plan", STITCH_EMIT_PLAN},
                {"templates", STITCH_EMIT_TEMPLATES},
                {"candidates", STITCH_EMIT_CANDIDATES},
                {"gpu", STITCH_EMIT_GPU},
                {"nvvm", STITCH_EMIT_NVVM},
                {"ptx", STITCH_EMIT_PTX},
                {"cubin", STITCH_EMIT_CUBIN},
                {"kernel-library", STITCH_EMIT_KERNEL_LIBRARY},
                {"so", STITCH_EMIT_MODEL}};
  for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); ++i)
    if (strcmp(text, stages[i].name) == 0) {
      ((CompileCommand *)options)->compile.emit = stages[i].emit;
      return OPTIONS_RUN;
    }
  return fail("--emit is tg, plan, templates, candidates, gpu, nvvm, ptx, cubin, kernel-library or so, not", text);
}

/// Adds an entry to a list, in memory of its own.
static OptionsResult addEntry(char **list, const char *separator, const char *text) {
  char *longer = NULL;
  if (asprintf(&longer, "%s%s%s", *list ? *list : "", *list ? separator : "", text) < 0)
    return fail("out of memory", NULL);
  free(*list);
  *list = longer;
  return OPTIONS_RUN;
}

/// Adds "NAME=SIZE" to the list of sizes.
static OptionsResult readDim(void *options, const char *text) {
  CompileCommand *command = options;
  OptionsResult result = addEntry(&command->dims, ",", text);
  command->compile.dims = command->dims;
  return result;
}

/// Adds "ARGUMENT:RESULT" to the list of donations.
static OptionsResult readDonation(void *options, const char *text) {
  CompileCommand *command = options;
  OptionsResult result = addEntry(&command->donate, ",", text);
  command->compile.donate = command->donate;
  return result;
}

static OptionsResult readBuckets(void *options, const char *text) {
  CompileCommand *command = options;
  OptionsResult result = addEntry(&command->buckets, ";", text ? text : "");
  command->compile.buckets = command->buckets;
  return result;
}

static OptionsResult readPadding(void *options, const char *text) {
  static const char *const names[] = {
      [STITCH_PADDING_IF_NEEDED] = "if-needed", [STITCH_PADDING_NEVER] = "never", [STITCH_PADDING_ALWAYS] = "always"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
    if (strcmp(text, names[i]) == 0) {
      ((CompileCommand *)options)->compile.padding = (StitchPadding)i;
      return OPTIONS_RUN;
    }
  return fail("--padding is if-needed, always or never, not", text);
}

static OptionsResult readExplain(void *options, const char *text) {
  CompileCommand *command = options;
  command->compile.explain = text;
  command->compile.emit = STITCH_EMIT_EXPLANATION;
  return OPTIONS_RUN;
}

static OptionsResult readFeedback(void *options, const char *text) {
  CompileCommand *command = options;
  command->compile.feedback = true;
  command->compile.feedbackFile = text;
  return OPTIONS_RUN;
}

/// In the order in which getopt lists them where an abbreviation is ambiguous.
static const ToolOption options[] = {
    {"o", TOOL_TEXT, .field = offsetof(CompileCommand, compile.output)},
    {"target", TOOL_TEXT, .field = offsetof(CompileCommand, compile.target)},
    {"device", TOOL_TEXT, .field = offsetof(CompileCommand, compile.device)},
    {"entry", TOOL_TEXT, .field = offsetof(CompileCommand, compile.entry)},
    {"dim", TOOL_READ, .read = readDim},
    {"buckets", TOOL_READ_OPTIONAL, .read = readBuckets},
    {"padding", TOOL_READ, .read = readPadding},
    {"donate", TOOL_READ, .read = readDonation},
    {"emit", TOOL_READ, .read = readEmit},
    {"stats", TOOL_TEXT, .field = offsetof(CompileCommand, statsFile)},
    {"report", TOOL_TEXT, .field = offsetof(CompileCommand, reportFile)},
    {"adaptive", TOOL_ON, .field = offsetof(CompileCommand, compile.adaptive)},
    {"kernel", TOOL_TEXT, .field = offsetof(CompileCommand, compile.kernel)},
    {"explain", TOOL_READ, .read = readExplain},
    {"rules", TOOL_TEXT, .field = offsetof(CompileCommand, compile.rules)},
    {"templates", TOOL_TEXT, .field = offsetof(CompileCommand, compile.templates)},
    {"tuned", TOOL_TEXT, .field = offsetof(CompileCommand, compile.tuned)},
    {"pipeline", TOOL_TEXT, .field = offsetof(CompileCommand, compile.pipeline)},
    {"kernels", TOOL_TEXT, .field = offsetof(CompileCommand, compile.kernels)},
    {"feedback", TOOL_READ_OPTIONAL, .read = readFeedback},
    {"checks", TOOL_ON, .field = offsetof(CompileCommand, compile.checks)},
    {"cache", TOOL_TEXT, .field = offsetof(CompileCommand, compile.cache)},
    {"no-cubins", TOOL_ON, .field = offsetof(CompileCommand, compile.noCubins)},
    {"no-reference", TOOL_ON, .field = offsetof(CompileCommand, compile.noReference)},
    {"stages", TOOL_ON, .field = offsetof(CompileCommand, compile.stages)},
    {"no-graphs", TOOL_ON, .field = offsetof(CompileCommand, compile.noGraphs)},
    {"remarks", TOOL_ON, .field = offsetof(CompileCommand, compile.remarks)},
};

OptionsResult parseCompileOptions(int argc, char **argv, CompileCommand *command) {
  static const ToolCommandLine tool = {
      .program = "stitch-compile",
      .help = help,
      .version = "stitch-compile " STITCH_VERSION,
      .options = options,
      .numOptions = sizeof(options) / sizeof(options[0]),
  };
  int next;
  *command = (CompileCommand){.program = tool.program};
  OptionsResult result = toolReadOptions(&tool, argc, argv, command, &next);
  if (result == OPTIONS_RUN && next + 1 < argc)
    return fail("only one model can be compiled at a time; what is", argv[next + 1]);
  if (result == OPTIONS_RUN && next < argc)
    command->compile.name = argv[next];
  command->compile.report = command->reportFile != NULL;
  return result;
}
