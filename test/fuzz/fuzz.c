//===- fuzz.c - changed inputs must end in a result or an error ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes inputs and feeds them to a part of Stitch, with AddressSanitizer and UndefinedBehaviorSanitizer watching.
// Children, made by fork, take a few hundred inputs each, one after the other; this program waits for them and notes
// the input during which one died, took too long or grew too large. Input N of a seed is the same in every run.
//
// A finding is written to a folder as seed-number.mlir (or .bin), with the process's output as seed-number.txt. It is
// "upstream" if no function of Stitch is on the stack, else "ours".
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // asprintf

#include "runtime/seconds.h"
#include "test/fuzz/mutate.h"
#include "test/fuzz/targets.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *__asan_default_options(void);
// libMLIR.so is not instrumented (test/lit/lit.cfg.py); its leaks are none of ours.
const char *__asan_default_options(void) {
  return "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0:handle_abort=1:allocator_may_return_null=0:"
         "max_allocation_size_mb=4096";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) { return "print_stacktrace=1"; }

typedef struct {
  const Target *target;
  const char *form; ///< text, generic or bytecode
  const char *keep; ///< folder for findings
  uint64_t seed;
  int64_t runs, batch;
  double seconds;
  int64_t megabytes;
  Input *corpus;
  size_t corpusSize;
} Options;

/// A child's progress, in shared memory.
typedef struct {
  volatile int64_t run;      ///< the input it is at
  volatile double startedAt; ///< on it
  volatile int isReading;    ///< MLIR reads it, with its own parser or ours
  volatile int64_t outcomes[NUM_OUTCOMES];
} Progress;

static void die(const char *what) {
  fprintf(stderr, "fuzz: %s: %s\n", what, strerror(errno));
  exit(2);
}

//===----------------------------------------------------------------------===//
// The corpus
//===----------------------------------------------------------------------===//

static Input readFile(const char *path) {
  FILE *file = fopen(path, "rb");
  char *data = NULL, part[65536];
  size_t size = 0;
  FILE *memory = file ? open_memstream(&data, &size) : NULL;
  if (!memory)
    die(path);
  for (size_t count; (count = fread(part, 1, sizeof(part), file)) > 0;)
    fwrite(part, 1, count, memory);
  fclose(file);
  fclose(memory);
  Input input = inputCopy(data, size);
  free(data);
  return input;
}

static void addInput(Options *o, Input input) {
  if (input.size == 0) {
    inputFree(&input);
    return;
  }
  o->corpus = realloc(o->corpus, sizeof(Input) * (o->corpusSize + 1));
  if (!o->corpus)
    die("corpus");
  o->corpus[o->corpusSize++] = input;
}

/// Takes comments out, which nobody reads.
static void removeComments(Input *text) {
  char *to = text->data;
  for (char *line = text->data, *next; *line; line = next) {
    char *end = strchr(line, '\n');
    next = end ? end + 1 : line + strlen(line);
    if (strncmp(line + strspn(line, " "), "//", 2) == 0)
      continue;
    memmove(to, line, (size_t)(next - line));
    to += next - line;
  }
  *to = 0;
  text->size = (size_t)(to - text->data);
}

/// A part of a file in the form that is asked for.
static void addText(Options *o, const char *data, size_t size) {
  Input text = inputCopy(data, size);
  removeComments(&text);
  if (strcmp(o->form, "text") == 0) {
    addInput(o, text);
    return;
  }
  addInput(o, targetsRewrite(&text, strcmp(o->form, "bytecode") == 0));
  inputFree(&text);
}

/// Where the next top-level function after `from` begins.
static char *nextFunction(char *from) {
  char *next = strstr(from, "\nfunc.func ");
  return next ? next + 1 : NULL;
}

/// A module, or functions without one around them, each an input of its own that is called @main.
static void addModule(Options *o, char *from, char *to) {
  char end = *to;
  *to = 0;
  char *function = strncmp(from, "func.func ", 10) == 0 ? from : nextFunction(from);
  if (!function || strstr(from, "call @"))
    addText(o, from, (size_t)(to - from));
  for (char *next; function && !strstr(from, "call @"); function = next) {
    next = nextFunction(function);
    Input text = inputCopy(function, (size_t)((next ? next : to) - function));
    char *name = strchr(text.data, '@'), *operands = name ? strchr(name, '(') : NULL;
    if (operands) {
      char *renamed = NULL;
      if (asprintf(&renamed, "%.*s@main%s", (int)(name - text.data), text.data, operands) < 0)
        die("corpus");
      addText(o, renamed, strlen(renamed));
      free(renamed);
    }
    inputFree(&text);
  }
  *to = end;
}

/// Tests have many modules in a file, each an input of its own.
static void addFile(Options *o, const char *path) {
  Input file = readFile(path);
  if (!o->target->readsIR || strncmp(file.data, "ML\xefR", 4) == 0) {
    addInput(o, file);
    return;
  }
  char *from = file.data;
  for (char *to; (to = strstr(from, "\n// -----")); from = to + strcspn(to, "\n")) {
    addModule(o, from, to + 1);
    to += 1;
  }
  addModule(o, from, file.data + file.size);
  inputFree(&file);
}

//===----------------------------------------------------------------------===//
// Inputs and children
//===----------------------------------------------------------------------===//

static Input makeInput(const Options *o, int64_t run) {
  uint64_t random = o->seed * UINT64_C(0x100000001b3) + (uint64_t)run;
  randomNext(&random);
  const Input *seed = &o->corpus[randomBelow(&random, o->corpusSize)];
  const Input *other = &o->corpus[randomBelow(&random, o->corpusSize)];
  Input input = inputCopy(seed->data, seed->size);
  bool isText = o->target->readsText || (o->target->readsIR && strcmp(o->form, "bytecode") != 0);
  inputMutate(&input, other, isText, &random);
  return input;
}

/// Takes inputs from..to and ends the process. Its output goes to `log`, of which only the last input's stays.
static void work(const Options *o, int64_t from, int64_t to, Progress *progress, int log) {
  dup2(log, STDERR_FILENO);
  for (int64_t run = from; run < to; ++run) {
    if (ftruncate(log, 0) != 0 || lseek(log, 0, SEEK_SET) != 0)
      die("log");
    Input input = makeInput(o, run);
    progress->run = run;
    progress->startedAt = secondsNow();
    Outcome outcome = o->target->run(&input);
    ++progress->outcomes[outcome];
    inputFree(&input);
    if (outcome == OUTCOME_SILENT) {
      fprintf(stderr, "refused without an error that has a place\n");
      abort();
    }
  }
  _exit(0);
}

static int64_t residentMegabytes(pid_t child) {
  char path[64];
  long pages = 0;
  snprintf(path, sizeof(path), "/proc/%d/statm", (int)child);
  FILE *file = fopen(path, "r");
  if (!file)
    return 0;
  if (fscanf(file, "%*d %ld", &pages) != 1)
    pages = 0;
  fclose(file);
  return (int64_t)pages * sysconf(_SC_PAGESIZE) / (1 << 20);
}

/// Has a child print its stack and die; one that does not is killed.
static void stop(pid_t child, int *status) {
  enum { TRIES = 100 };
  kill(child, SIGABRT);
  for (int i = 0; i < TRIES; ++i) {
    if (waitpid(child, status, WNOHANG) == child)
      return;
    usleep(50000);
  }
  kill(child, SIGKILL);
  waitpid(child, status, 0);
}

/// Waits for a child; the finding's text, or NULL.
static const char *watch(const Options *o, pid_t child, const Progress *progress) {
  for (int status;;) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child)
      return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? NULL : "crash";
    if (ended < 0 && errno != EINTR)
      die("waitpid");
    bool isSlow = secondsNow() - progress->startedAt > o->seconds, isLarge = residentMegabytes(child) > o->megabytes;
    if (isSlow || isLarge) {
      stop(child, &status);
      return isSlow ? "hang" : "memory";
    }
    usleep(2000);
  }
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

/// Whether a line of a stack, up to `end`, names `what`.
static bool lineHas(const char *line, const char *end, const char *what) {
  const char *found = strstr(line, what);
  return found && found < end;
}

/// Whether the stack that was printed has a function of Stitch; the names that say so are those of its folders.
/// Functions within stitchParseModule count, not its own call of MLIR's reader; nor does readProperties, which only
/// asks that reader for attributes.
static bool isOurs(const char *log) {
  static const char *const folders[] = {"/dialects/", "/capi/",    "/ir/",   "/passes/",
                                        "/lowering/", "/runtime/", "/tools/"};
  const char *stack = strstr(log, "    #0 ");
  for (const char *line = stack, *end; line && !lineHas(line, strchrnul(line, '\n'), "in stitchParseModule");
       line = *end ? end + 1 : NULL) {
    end = strchrnul(line, '\n');
    if (lineHas(line, end, "readProperties"))
      continue;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); ++i)
      for (const char *at = line; (at = strstr(at, folders[i])) && at < end; ++at) {
        // "/ir/" of this project, not of a header: the line names a source file with its number.
        const char *source = at + strcspn(at, ":\n");
        if (source < end && (strncmp(source - 2, ".c", 2) == 0 || strncmp(source - 4, ".cpp", 4) == 0))
          return true;
      }
  }
  return false;
}

static void writeFile(const char *path, const char *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
    die(path);
}

static void report(const Options *o, int64_t run, const char *problem, bool isReading, const char *log) {
  const char *whose = isReading && !isOurs(log) ? "upstream" : "ours";
  printf("%s: %s, seed %" PRIu64 ", input %" PRId64 "\n", whose, problem, o->seed, run);
  fflush(stdout);
  if (!o->keep)
    return;
  char path[4096];
  mkdir(o->keep, 0777);
  Input input = makeInput(o, run);
  const char *ending = o->target->readsIR && strcmp(o->form, "bytecode") != 0 ? "mlir" : "bin";
  snprintf(path, sizeof(path), "%s/%s-%s-%s-%" PRIu64 "-%" PRId64 ".%s", o->keep, whose, o->target->name, problem,
           o->seed, run, ending);
  writeFile(path, input.data, input.size);
  snprintf(path, sizeof(path), "%s/%s-%s-%s-%" PRIu64 "-%" PRId64 ".txt", o->keep, whose, o->target->name, problem,
           o->seed, run);
  writeFile(path, log, strlen(log));
  inputFree(&input);
}

static char *readLog(int log) {
  enum { MOST = 1 << 16 };
  char *text = calloc(1, MOST + 1);
  if (!text || pread(log, text, MOST, 0) < 0)
    die("log");
  for (size_t i = 0, end = strnlen(text, MOST); i < end; ++i)
    if (!text[i])
      text[i] = ' ';
  return text;
}

static int64_t campaign(const Options *o, Progress *progress) {
  FILE *log = tmpfile();
  if (!log)
    die("log");
  int64_t findings = 0;
  for (int64_t next = 0, end; next < o->runs; next = end) {
    end = next + o->batch < o->runs ? next + o->batch : o->runs;
    progress->run = next;
    progress->startedAt = secondsNow();
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
      die("fork");
    if (child == 0)
      work(o, next, end, progress, fileno(log));
    const char *problem = watch(o, child, progress);
    if (!problem)
      continue;
    char *text = readLog(fileno(log));
    report(o, progress->run, problem, progress->isReading, text);
    progress->isReading = 0;
    free(text);
    ++findings;
    end = progress->run + 1;
  }
  printf("%s, %s, seed %" PRIu64 ": %" PRId64 " inputs, %" PRId64 " accepted, %" PRId64 " refused, %" PRId64
         " without a reason by MLIR, %" PRId64 " findings\n",
         o->target->name, o->target->readsIR ? o->form : "bytes", o->seed, o->runs,
         progress->outcomes[OUTCOME_ACCEPTED], progress->outcomes[OUTCOME_REFUSED],
         progress->outcomes[OUTCOME_UNEXPLAINED], findings);
  return findings;
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static void usage(void) {
  printf("usage: stitch-fuzz TARGET [--form=text|generic|bytecode] [--runs=N] [--seed=N] [--batch=N] [--seconds=N]\n"
         "                   [--megabytes=N] [--keep=DIR] FILE ...\n"
         "       stitch-fuzz TARGET --replay FILE ...\n\nTargets:\n");
  for (const Target *target = targets; target->name; ++target)
    printf("  %-8s %s\n", target->name, target->help);
  exit(2);
}

/// The value of an option "--name=value"; NULL if `argument` is another one.
static const char *valueOf(const char *argument, const char *name) {
  size_t length = strlen(name);
  return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}

/// Feeds files as they are.
static int replay(const Target *target, char **files) {
  static const char *const names[NUM_OUTCOMES] = {"accepted", "refused", "refused without a reason",
                                                  "refused without an error that has a place"};
  int status = 0;
  for (; *files; ++files) {
    Input input = readFile(*files);
    double start = secondsNow();
    Outcome outcome = target->run(&input);
    printf("%s: %s, %.2f s\n", *files, names[outcome], secondsNow() - start);
    fflush(stdout);
    status |= outcome == OUTCOME_SILENT;
    inputFree(&input);
  }
  return status;
}

int main(int argc, char **argv) {
  Options o = {.form = "text", .runs = 1000, .batch = 200, .seconds = 5, .megabytes = 2048};
  for (const Target *target = targets; argc > 1 && target->name; ++target)
    if (strcmp(argv[1], target->name) == 0)
      o.target = target;
  if (!o.target || argc < 3)
    usage();
  Progress *progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (progress == MAP_FAILED)
    die("shared memory");
  targetsPrepare(&progress->isReading);
  if (strcmp(argv[2], "--replay") == 0)
    return replay(o.target, argv + 3);
  for (int i = 2; i < argc; ++i) {
    const char *value;
    if ((value = valueOf(argv[i], "--form")))
      o.form = value;
    else if ((value = valueOf(argv[i], "--runs")))
      o.runs = strtoll(value, NULL, 10);
    else if ((value = valueOf(argv[i], "--seed")))
      o.seed = strtoull(value, NULL, 10);
    else if ((value = valueOf(argv[i], "--batch")))
      o.batch = strtoll(value, NULL, 10);
    else if ((value = valueOf(argv[i], "--seconds")))
      o.seconds = strtod(value, NULL);
    else if ((value = valueOf(argv[i], "--megabytes")))
      o.megabytes = strtoll(value, NULL, 10);
    else if ((value = valueOf(argv[i], "--keep")))
      o.keep = value;
    else if (strncmp(argv[i], "--", 2) == 0)
      usage();
    else
      addFile(&o, argv[i]);
  }
  if (o.corpusSize == 0 || o.runs < 1 || o.batch < 1)
    usage();
  return campaign(&o, progress) > 0;
}
