//===- options.c - the command line of stitch-run ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/stitch-run/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
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
    "  --seed=N             of the random inputs (default: 0)\n"
    "  --thread-order=N     simt: a permutation of threads and blocks (default: 0, ascending); a result that depends\n"
    "                       on it shows that a barrier is missing\n"
    "  --input I:FILE.npy   input number I from a NumPy file; may be repeated\n"
    "  --dim NAME=SIZE      the size of a dimension that the model leaves open; may be repeated (default: the "
    "largest)\n"
    "  --reference=FILE.so  --check: the reference of this model, compiled for the same sizes; needed for a MODEL.so\n"
    "                       with open sizes (docs/dynamic_shapes.md)\n"
    "  --output DIR         write input_I.npy and output_I.npy there (and reference_I.npy with --check)\n"
    "  --check              compare every output with the reference; fail if one is beyond its error bound\n"
    "  --repeat=N           run N times and show the fastest and the median time (default: 1)\n"
    "  --json FILE          write times and errors as JSON; '-' is standard output\n"
    "  --profile=FILE       cuda: measure each kernel and library call in one more run and write the times as a trace\n"
    "                       (Chrome's format; ui.perfetto.dev shows it)\n"
    "  --eager              cuda: launch the kernels one by one, without a CUDA graph\n"
    "  --copies=KIND        cuda: keep inputs and outputs in host memory, so that each run copies them: pageable, or\n"
    "                       pinned (page-locked); none: they are on the GPU from the beginning (default)\n"
    "  --tf32               cuda: library calls may round f32 operands to TF32\n"
    "  --autotune           cuda: time several algorithms for each library call in the first run\n"
    "  --choices=FILE       cuda: keep the algorithms that --autotune finds in a file, and use those that are there\n"
    "  --help, --version\n"
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

static OptionsResult fail(const char *what, const char *value) {
  fprintf(stderr, "stitch-run: error: %s%s%s%s\n", what, value ? " '" : "", value ? value : "", value ? "'" : "");
  fprintf(stderr, "stitch-run --help explains the options\n");
  return OPTIONS_EXIT_FAILURE;
}

static bool parseNumber(const char *text, uint64_t *value) {
  char *end = NULL;
  errno = 0;
  *value = strtoull(text, &end, 0);
  return *text && *text != '-' && !*end && !errno;
}

static OptionsResult addInput(RunOptions *o, const char *text) {
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

static OptionsResult addDim(RunOptions *o, const char *text) {
  if (!strchr(text, '=') || *text == '=')
    return fail("--dim needs a name and a size, such as b=8, not", text);
  if (o->numDims == MAX_DIMS)
    return fail("too many sizes: the last is", text);
  o->dims[o->numDims++] = text;
  return OPTIONS_RUN;
}

static OptionsResult parseCopies(RunOptions *o, const char *text) {
  static const char *const names[] = {
      [COPIES_NONE] = "none", [COPIES_PAGEABLE] = "pageable", [COPIES_PINNED] = "pinned"};
  for (int i = COPIES_NONE; i <= COPIES_PINNED; ++i)
    if (strcmp(names[i], text) == 0) {
      o->copies = (CopyMode)i;
      return OPTIONS_RUN;
    }
  return fail("--copies is none, pageable or pinned, not", text);
}

OptionsResult parseRunOptions(int argc, char **argv, RunOptions *o) {
  enum {
    DEVICE = 256,
    SEED,
    THREAD_ORDER,
    INPUT,
    DIM,
    REFERENCE,
    OUTPUT,
    CHECK,
    REPEAT,
    JSON,
    PROFILE,
    EAGER,
    COPIES,
    TF32,
    AUTOTUNE,
    CHOICES,
    HELP,
    VERSION
  };
  static const struct option options[] = {
      {"device", required_argument, NULL, DEVICE},
      {"seed", required_argument, NULL, SEED},
      {"thread-order", required_argument, NULL, THREAD_ORDER},
      {"input", required_argument, NULL, INPUT},
      {"dim", required_argument, NULL, DIM},
      {"reference", required_argument, NULL, REFERENCE},
      {"output", required_argument, NULL, OUTPUT},
      {"check", no_argument, NULL, CHECK},
      {"repeat", required_argument, NULL, REPEAT},
      {"json", required_argument, NULL, JSON},
      {"profile", required_argument, NULL, PROFILE},
      {"eager", no_argument, NULL, EAGER},
      {"copies", required_argument, NULL, COPIES},
      {"tf32", no_argument, NULL, TF32},
      {"autotune", no_argument, NULL, AUTOTUNE},
      {"choices", required_argument, NULL, CHOICES},
      {"help", no_argument, NULL, HELP},
      {"version", no_argument, NULL, VERSION},
      {0},
  };
  *o = (RunOptions){.device = "simt", .repeat = 1};
  OptionsResult result = OPTIONS_RUN;
  uint64_t number = 0;
  // '-': an argument that is no option is returned in its place, as option 1.
  for (int option; result == OPTIONS_RUN && (option = getopt_long(argc, argv, "-h", options, NULL)) != -1;) {
    switch (option) {
    case 1:
      if (o->model)
        result = fail("only one model can be run at a time; what is", optarg);
      o->model = optarg;
      break;
    case DEVICE:
      o->device = optarg;
      break;
    case SEED:
      if (!parseNumber(optarg, &o->seed))
        result = fail("--seed needs a number, not", optarg);
      break;
    case THREAD_ORDER:
      if (!parseNumber(optarg, &o->threadOrder))
        result = fail("--thread-order needs a number, not", optarg);
      break;
    case INPUT:
      result = addInput(o, optarg);
      break;
    case DIM:
      result = addDim(o, optarg);
      break;
    case REFERENCE:
      o->referenceFile = optarg;
      break;
    case OUTPUT:
      o->outputFolder = optarg;
      break;
    case CHECK:
      o->check = true;
      break;
    case REPEAT:
      if (!parseNumber(optarg, &number) || number == 0 || number > 1000000)
        result = fail("--repeat needs a number from 1 to 1000000, not", optarg);
      o->repeat = (int)number;
      break;
    case JSON:
      o->jsonFile = optarg;
      break;
    case PROFILE:
      o->profileFile = optarg;
      break;
    case EAGER:
      o->eager = true;
      break;
    case COPIES:
      result = parseCopies(o, optarg);
      break;
    case TF32:
      o->tf32 = true;
      break;
    case AUTOTUNE:
      o->autotune = true;
      break;
    case CHOICES:
      o->choicesFile = optarg;
      break;
    case HELP:
    case 'h':
      fputs(help, stdout);
      return OPTIONS_EXIT_SUCCESS;
    case VERSION:
      puts("stitch-run " STITCH_VERSION);
      return OPTIONS_EXIT_SUCCESS;
    default: // getopt has said what is wrong
      fprintf(stderr, "stitch-run --help explains the options\n");
      return OPTIONS_EXIT_FAILURE;
    }
  }
  if (result == OPTIONS_RUN && !o->model)
    return fail("no model given", NULL);
  // What is left comes after "--".
  o->compileOptions = argv + optind;
  o->numCompileOptions = argc - optind;
  return result;
}
