//===- run_options.c - the command line of stitch-run ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of stitch-run's options and the text of --help.
//
//===----------------------------------------------------------------------===//

#include "tools/stitch-run/run_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "stitch-run: run a compiled model, and check it against its reference\n"
    "\n"
    "USAGE\n"
    "  stitch-run MODEL.so [options]\n"
    "  stitch-run MODEL.mlir [options] [-- options of stitch-compile]\n"
    "\n"
    "MODEL.so is what stitch-compile writes; anything else is compiled first, with the stitch-compile beside this\n"
    "program. Inputs that are not given are random: their values fit how the model uses them, and depend on --seed\n"
    "alone, not on the machine.\n"
    "\n"
    "OPTIONS\n"
    "  --device=NAME        simt: the stitched kernels, each GPU thread a coroutine on this CPU (default);\n"
    "                       reference: the same model as plain loops\n"
    "                       cuda, cuda:N: an NVIDIA GPU; STITCH_CUDA_LIBRARIES names the folder of the CUDA libraries\n"
    "                       where the system's loader does not find them\n"
    "  --seed=N             of the random inputs (default: 0); where N is no multiple of 3 some are zero, large,\n"
    "                       negative indices, and where N is 2, 5, 8, ... a few are infinite or NaN, or indices out of "
    "range\n"
    "  --thread-order=N     simt: a permutation of threads and blocks (default: 0, ascending); a result that depends\n"
    "                       on it shows that a barrier is missing\n"
    "  --input I:FILE.npy   input number I from a NumPy file; may be repeated\n"
    "  --dim NAME=SIZE      the size of a dimension that the model leaves open; may be repeated (default: the "
    "largest)\n"
    "  --reference=FILE.so  --check: the reference of this model, compiled for the same sizes; needed for a MODEL.so\n"
    "                       with open sizes (docs/dynamic_shapes.md)\n"
    "  --output DIR         write input_I.npy and output_I.npy there (and reference_I.npy with --check)\n"
    "  --check[=stages]     check each kernel and library call alone, on the inputs that the model gives it, and "
    "compare\n"
    "                       every output with the reference; fail if something is beyond its error bound;\n"
    "                       stages: of kernels that were compiled with --stages check what they leave for themselves,\n"
    "                       too, on any device\n"
    "  --incomplete         --check: do not fail where less than 90 % of the elements of an output, or of what a "
    "launch\n"
    "                       stores, could be compared, or nothing is known of more than 1 % though all inputs are\n"
    "                       finite; with seeds 2, 5, 8, ... random inputs are infinite and NaN without measure\n"
    "  --coverage           --check: name the sides of selects, clamps and comparisons that no element has taken\n"
    "  --from-reference     --check: put what is right in place of what each launch has computed, so that every one "
    "is\n"
    "                       checked on the same inputs, whatever the others did\n"
    "  --save-launches=FILE, --saved-launches=FILE\n"
    "                       --check: write what each launch has computed, or say how far it is from such a file\n"
    "  --repeat=N           run N times and show the fastest and the median time (default: 1)\n"
    "  --adapt=N            have the first N runs explore the algorithms of library calls, and the versions of a "
    "model\n"
    "                       that was compiled with --adaptive;\n"
    "                       until-done: as many as it takes. Each computes all outputs; the fastest versions run then\n"
    "  --profile-index=FILE --adapt: keep what has been measured in a file, and go on with what is there\n"
    "  --bitwise            --adapt: explore only what leaves all bits as they are\n"
    "  --versions=LIST      run versions by name: products_0=all,ladder_1=by_2; '*=all' means every variable\n"
    "  --json FILE          write times and errors as JSON; '-' is standard output\n"
    "  --profile=FILE       measure each kernel and library call in one more run and write the times as a trace\n"
    "                       (Chrome's format; ui.perfetto.dev shows it)\n"
    "  --eager              cuda: launch the kernels one by one, without a CUDA graph\n"
    "  --copies=KIND        cuda: keep inputs and outputs in host memory, so that each run copies them: pageable, or\n"
    "                       pinned (page-locked); none: they are on the GPU from the beginning (default)\n"
    "  --tf32               cuda: library calls that say nothing of it may round f32 operands to TF32\n"
    "  --help, --version\n"
    "\n"
    "SEVERAL PROCESSES\n"
    "  mpirun -n 4 stitch-run MODEL.so [options] runs a model that was compiled for four (docs/devices.md). Each "
    "process\n"
    "  draws inputs of its own, and {process} in the name of a file or folder is its number.\n"
    "\n"
    "EXAMPLES\n"
    "  stitch-run bert.so --check                       random inputs, stitched kernels against the reference\n"
    "  stitch-run bert.so --check --thread-order=7      the same with the threads in another order\n"
    "  stitch-run bert.mlir --check -- --device=a100    compile it for an A100's plan first\n"
    "  stitch-run bert.so --device=cuda --check --repeat=100 --profile=bert.json   on a GPU, with a profile\n"
    "  stitch-run bert.so --device=reference --output ref --seed=3\n"
    "  stitch-run bert.so --input 0:tokens.npy --input 1:mask.npy --output results\n"
    "\n"
    "Exit status: 0, or 1 after an error or if --check finds an output beyond its bound.\n";

static OptionsResult fail(const char *what, const char *value) { return toolOptionsFail("stitch-run", what, value); }

/// The model; options of its compilation come after "--".
static OptionsResult readModel(void *options, const char *text) {
  RunOptions *o = options;
  if (o->model)
    return fail("only one model can be run at a time; what is", text);
  o->model = text;
  return OPTIONS_RUN;
}

static bool parseNumber(const char *text, uint64_t *value) {
  char *end = NULL;
  errno = 0;
  *value = strtoull(text, &end, 0);
  return *text && *text != '-' && !*end && !errno;
}

static OptionsResult readSeed(void *options, const char *text) {
  RunOptions *o = options;
  return parseNumber(text, &o->seed) ? OPTIONS_RUN : fail("--seed needs a number, not", text);
}

static OptionsResult readThreadOrder(void *options, const char *text) {
  RunOptions *o = options;
  return parseNumber(text, &o->threadOrder) ? OPTIONS_RUN : fail("--thread-order needs a number, not", text);
}

static OptionsResult readRepeat(void *options, const char *text) {
  RunOptions *o = options;
  uint64_t number = 0;
  if (!parseNumber(text, &number) || number == 0 || number > 1000000)
    return fail("--repeat needs a number from 1 to 1000000, not", text);
  o->repeat = (int)number;
  return OPTIONS_RUN;
}

static OptionsResult readAdapt(void *options, const char *text) {
  RunOptions *o = options;
  uint64_t number = 0;
  if (strcmp(text, "until-done") == 0) {
    o->adapt = ADAPT_UNTIL_DONE;
    return OPTIONS_RUN;
  }
  if (!parseNumber(text, &number) || number == 0 || number > 1000000)
    return fail("--adapt needs a number from 1 to 1000000 or until-done, not", text);
  o->adapt = (int)number;
  return OPTIONS_RUN;
}

static OptionsResult readInput(void *options, const char *text) {
  RunOptions *o = options;
  char *end = NULL;
  errno = 0;
  long index = strtol(text, &end, 10);
  if (end == text || *end != ':' || !end[1] || index < 0 || errno)
    return fail("--input needs a number and a file, such as 0:tokens.npy, not", text);
  if (o->numInputs == MAX_INPUT_FILES)
    return fail("too many inputs", NULL);
  for (int i = 0; i < o->numInputs; ++i)
    if (o->inputs[i].index == index)
      return fail("an input is given twice:", text);
  o->inputs[o->numInputs].index = index;
  o->inputs[o->numInputs++].path = end + 1;
  return OPTIONS_RUN;
}

static OptionsResult readCheck(void *options, const char *text) {
  RunOptions *o = options;
  if (text && strcmp(text, "stages") != 0)
    return fail("--check is launches, without a value, or stages, not", text);
  o->check = true;
  o->stages = text != NULL;
  return OPTIONS_RUN;
}

static OptionsResult readDim(void *options, const char *text) {
  RunOptions *o = options;
  if (!strchr(text, '=') || *text == '=')
    return fail("--dim needs a name and a size, such as b=8, not", text);
  if (o->numDims == MAX_DIMS)
    return fail("too many sizes: the last is", text);
  o->dims[o->numDims++] = text;
  return OPTIONS_RUN;
}

static OptionsResult readCopies(void *options, const char *text) {
  RunOptions *o = options;
  static const char *const names[] = {
      [COPIES_NONE] = "none", [COPIES_PAGEABLE] = "pageable", [COPIES_PINNED] = "pinned"};
  for (int i = COPIES_NONE; i <= COPIES_PINNED; ++i)
    if (strcmp(names[i], text) == 0) {
      o->copies = (CopyMode)i;
      return OPTIONS_RUN;
    }
  return fail("--copies is none, pageable or pinned, not", text);
}

/// In the order in which getopt lists them where an abbreviation is ambiguous.
static const ToolOption options[] = {
    {"device", TOOL_TEXT, .field = offsetof(RunOptions, device)},
    {"seed", TOOL_READ, .read = readSeed},
    {"thread-order", TOOL_READ, .read = readThreadOrder},
    {"input", TOOL_READ, .read = readInput},
    {"dim", TOOL_READ, .read = readDim},
    {"reference", TOOL_TEXT, .field = offsetof(RunOptions, referenceFile)},
    {"output", TOOL_TEXT, .field = offsetof(RunOptions, outputFolder)},
    {"check", TOOL_READ_OPTIONAL, .read = readCheck},
    {"coverage", TOOL_ON, .field = offsetof(RunOptions, coverage)},
    {"incomplete", TOOL_ON, .field = offsetof(RunOptions, incomplete)},
    {"from-reference", TOOL_ON, .field = offsetof(RunOptions, fromReference)},
    {"save-launches", TOOL_TEXT, .field = offsetof(RunOptions, saveLaunches)},
    {"saved-launches", TOOL_TEXT, .field = offsetof(RunOptions, savedLaunches)},
    {"repeat", TOOL_READ, .read = readRepeat},
    {"adapt", TOOL_READ, .read = readAdapt},
    {"bitwise", TOOL_ON, .field = offsetof(RunOptions, bitwise)},
    {"profile-index", TOOL_TEXT, .field = offsetof(RunOptions, profileIndex)},
    {"versions", TOOL_TEXT, .field = offsetof(RunOptions, versions)},
    {"json", TOOL_TEXT, .field = offsetof(RunOptions, jsonFile)},
    {"profile", TOOL_TEXT, .field = offsetof(RunOptions, profileFile)},
    {"eager", TOOL_ON, .field = offsetof(RunOptions, eager)},
    {"copies", TOOL_READ, .read = readCopies},
    {"tf32", TOOL_ON, .field = offsetof(RunOptions, tf32)},
};

OptionsResult parseRunOptions(int argc, char **argv, RunOptions *o) {
  static const ToolCommandLine tool = {
      .program = "stitch-run",
      .help = help,
      .version = "stitch-run " STITCH_VERSION,
      .options = options,
      .numOptions = sizeof(options) / sizeof(options[0]),
      .argument = readModel,
  };
  int next;
  *o = (RunOptions){.device = "simt", .repeat = 1};
  OptionsResult result = toolReadOptions(&tool, argc, argv, o, &next);
  if (result == OPTIONS_RUN && !o->model)
    return fail("no model given", NULL);
  if (result == OPTIONS_RUN && o->profileIndex && !o->adapt)
    return fail("--profile-index needs --adapt", NULL);
  if (result == OPTIONS_RUN && o->bitwise && !o->adapt)
    return fail("--bitwise needs --adapt", NULL);
  o->compileOptions = argv + next;
  o->numCompileOptions = argc - next;
  return result;
}
