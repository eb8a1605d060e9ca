//===- tune_options.c - the command line of stitch-tune -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of stitch-tune's options and the text of --help.
//
//===----------------------------------------------------------------------===//

#include "tools/stitch-tune/tune_options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "stitch-tune: find out how each kernel of a model is computed fastest\n"
    "\n"
    "USAGE\n"
    "  stitch-tune MODEL.mlir [-o FILE] [options] [-- options of stitch-compile]\n"
    "  stitch-tune --measure=DIR -o FILE [options]\n"
    "\n"
    "Plans the model, compiles other templates of each different kernel (docs/templates.md), times them on a device, "
    "and\n"
    "writes the fastest to FILE, which stitch-compile --tuned=FILE uses. Kernels that take most of the time come "
    "first;\n"
    "what is known is in FILE after each kernel: whoever ends the program loses nothing, and the next one goes on.\n"
    "\n"
    "OPTIONS\n"
    "  -o FILE              where templates go (default: the model's name with .tuned behind it)\n"
    "  --device=NAME        what measures: cuda, cuda:N (default), or simt, where times are this CPU's and say "
    "nothing\n"
    "                       about a GPU\n"
    "  --candidates=N       templates of a kernel that are timed at most, the cheapest by the cost model (default: "
    "16)\n"
    "  --repeat=N           runs of each (default: 20); the median counts\n"
    "  --jobs=N             compilations at the same time (default: one for each processor)\n"
    "  --patterns           the kernels that complex patterns of the model would be (reductions of different kinds, "
    "or with\n"
    "                       products): with their times in FILE the plan is chosen by them\n"
    "  --again              measure kernels that FILE has already, too\n"
    "  --no-check           take the fastest as it is; without, it is checked like stitch-run --check does\n"
    "  --keep               keep the folder with all candidates, and say where it is\n"
    "  --prepare=DIR        only compile all candidates, into DIR, for --target (after '--', by default sm_90)\n"
    "  --measure=DIR        only time what --prepare has left in DIR, perhaps on another machine, which needs no more\n"
    "                       than this program and stitch-run\n"
    "  --help, --version\n"
    "\n"
    "EXAMPLES\n"
    "  stitch-tune bert.mlir -o bert.tuned                 on the GPU of this machine\n"
    "  stitch-compile bert.mlir --tuned=bert.tuned -o bert.so --target=sm_90\n"
    "  stitch-tune bert.mlir -- --device=a100 --dim b=8    planned for another device, for one size\n"
    "  stitch-tune bert.mlir -o bert.tuned --patterns && stitch-tune bert.mlir -o bert.tuned -- --tuned=bert.tuned\n"
    "  stitch-tune bert.mlir --prepare=candidates          here ...\n"
    "  stitch-tune --measure=candidates -o bert.tuned      ... and there, where the GPU is\n"
    "\n"
    "Exit status: 0, or 1 after an error, or if a template computes something wrong.\n";

static OptionsResult fail(const char *what, const char *value) { return toolOptionsFail("stitch-tune", what, value); }

/// The model; options of its compilation come after "--".
static OptionsResult readModel(void *options, const char *text) {
  TuneOptions *o = options;
  if (o->model)
    return fail("only one model can be tuned at a time; what is", text);
  o->model = text;
  return OPTIONS_RUN;
}

static OptionsResult readCount(const char *text, const char *option, int *count) {
  enum { MOST = 10000 };
  char *end = NULL;
  errno = 0;
  long number = strtol(text, &end, 10);
  if (end == text || *end || errno || number < 1 || number > MOST)
    return fail(option, text);
  *count = (int)number;
  return OPTIONS_RUN;
}

static OptionsResult readCandidates(void *options, const char *text) {
  return readCount(text, "--candidates needs a number from 1 to 10000, not", &((TuneOptions *)options)->candidates);
}

static OptionsResult readRepeat(void *options, const char *text) {
  return readCount(text, "--repeat needs a number from 1 to 10000, not", &((TuneOptions *)options)->repeat);
}

static OptionsResult readJobs(void *options, const char *text) {
  return readCount(text, "--jobs needs a number from 1 to 10000, not", &((TuneOptions *)options)->jobs);
}

static const ToolOption options[] = {
    {"o", TOOL_TEXT, .field = offsetof(TuneOptions, database)},
    {"device", TOOL_TEXT, .field = offsetof(TuneOptions, device)},
    {"prepare", TOOL_TEXT, .field = offsetof(TuneOptions, prepare)},
    {"measure", TOOL_TEXT, .field = offsetof(TuneOptions, measure)},
    {"candidates", TOOL_READ, .read = readCandidates},
    {"repeat", TOOL_READ, .read = readRepeat},
    {"jobs", TOOL_READ, .read = readJobs},
    {"patterns", TOOL_ON, .field = offsetof(TuneOptions, patterns)},
    {"again", TOOL_ON, .field = offsetof(TuneOptions, again)},
    {"no-check", TOOL_ON, .field = offsetof(TuneOptions, noCheck)},
    {"keep", TOOL_ON, .field = offsetof(TuneOptions, keep)},
};

OptionsResult parseTuneOptions(int argc, char **argv, TuneOptions *o) {
  static const ToolCommandLine tool = {
      .program = "stitch-tune",
      .help = help,
      .version = "stitch-tune " STITCH_VERSION,
      .options = options,
      .numOptions = sizeof(options) / sizeof(options[0]),
      .argument = readModel,
  };
  enum { CANDIDATES = 16, REPEAT = 20 };
  int next;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  *o = (TuneOptions){
      .device = "cuda", .candidates = CANDIDATES, .repeat = REPEAT, .jobs = processors > 0 ? (int)processors : 1};
  OptionsResult result = toolReadOptions(&tool, argc, argv, o, &next);
  if (result == OPTIONS_RUN && o->prepare && o->measure)
    return fail("--prepare is done before --measure, by a run of its own", NULL);
  if (result == OPTIONS_RUN && o->measure && o->model)
    return fail("--measure has all that it needs in its folder; no model goes with it, such as", o->model);
  if (result == OPTIONS_RUN && o->measure && !o->database)
    return fail("--measure needs -o FILE, where templates go", NULL);
  if (result == OPTIONS_RUN && !o->measure && !o->model)
    return fail("no model given", NULL);
  for (int i = next; result == OPTIONS_RUN && o->patterns && i < argc; ++i)
    if (strncmp(argv[i], "--pipeline", strlen("--pipeline")) == 0)
      return fail("--patterns has a pipeline of its own, and goes not with", argv[i]);
  if (result == OPTIONS_RUN && strncmp(o->device, "cuda", strlen("cuda")) != 0 && strcmp(o->device, "simt") != 0)
    return fail("--device is cuda, cuda:N or simt, not", o->device);
  o->compileOptions = argv + next;
  o->numCompileOptions = argc - next;
  return result;
}
