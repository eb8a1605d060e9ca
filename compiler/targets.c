//===- targets.c - targets of a compilation -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes StitchCompileOptions. Checks values, names and combinations before any work, and splits --target into
// architectures and the simt device.
//
//===----------------------------------------------------------------------===//

#include "compiler/targets.h"

#include "lowering/ptx/architectures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool addTarget(Messages *m, Targets *targets, const char *target) {
  if (strcmp(target, "simt") == 0)
    targets->simt = true;
  else if (strncmp(target, "sm_", 3) != 0)
    return messagesFail(m, "unknown target '%s'", target);
  else if (!stitchIsArchitecture(target))
    return messagesFail(m, "unknown target '%s': Stitch knows %s", target, STITCH_ARCHITECTURES);
  else if (targets->numArchitectures == MAX_ARCHITECTURES)
    return messagesFail(m, "too many targets: the last is '%s'", target);
  else
    targets->architectures[targets->numArchitectures++] = target;
  return true;
}

static bool readTargets(const char *text, Messages *m, Targets *targets) {
  targets->text = strdup(text);
  if (!targets->text)
    return messagesFail(m, "out of memory");
  if (strcmp(text, "none") == 0)
    return true;
  bool ok = *text || messagesFail(m, "--target needs at least one target, or 'none'");
  char *position = NULL;
  for (char *target = strtok_r(targets->text, ",", &position); target && ok; target = strtok_r(NULL, ",", &position))
    ok = addTarget(m, targets, target);
  return ok;
}

/// The sizes become an option of a pass, whose quoting they must not disturb.
static bool checkDims(const char *dims, Messages *m) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.=";
  for (const char *at = dims; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    size_t length = strcspn(at, ",");
    if (strspn(at, allowed) < length || !memchr(at, '=', length))
      return messagesFail(m, "--dim needs a name and a size, such as b=8, not '%.*s'", (int)length, at);
  }
  return true;
}

/// The pass donate-arguments reads it, and reports wrong numbers.
static bool checkDonations(const char *donate, Messages *m) {
  for (const char *at = donate; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    size_t argument = strspn(at, "0123456789"),
           result = at[argument] == ':' ? strspn(at + argument + 1, "0123456789") : 0;
    size_t length = strcspn(at, ",");
    if (argument == 0 || argument > 9 || result == 0 || result > 9 || argument + 1 + result != length)
      return messagesFail(m, "--donate needs the numbers of an argument and of a result, such as 0:1, not '%.*s'",
                          (int)length, at);
  }
  return true;
}

/// A file that becomes an option of a pass, whose quoting its name must not disturb. NULL: there is none.
static bool checkFile(Messages *m, const char *option, const char *path) {
  if (path && (!*path || strpbrk(path, "\"\\")))
    return messagesFail(m, "--%s needs a file whose name has no quotation marks", option);
  return !path || access(path, R_OK) == 0 ||
         messagesFail(m, "--%s names a file that cannot be read: %s: %s", option, path, strerror(errno));
}

static bool checkNames(const StitchCompileOptions *o, Messages *m) {
  if (!o->name)
    return messagesFail(m, "no model given");
  if (o->emit == STITCH_EMIT_MODEL && !o->output)
    return messagesFail(m, "-o is needed to write a model file");
  if (o->emit == STITCH_EMIT_KERNEL_LIBRARY && (!o->output || !*o->output || strcmp(o->output, "-") == 0))
    return messagesFail(m, "-o is needed to write a kernel library: the name of its folder");
  if (o->entry && (*o->entry == '\0' || strpbrk(o->entry, "\"\\")))
    return messagesFail(m, "--entry needs the name of a function, without quotation marks, not '%s'", o->entry);
  if (o->cache && (*o->cache == '\0' || strchr(o->cache, '"')))
    return messagesFail(m, "--cache needs a folder, whose name has no quotation marks, or 'off', not '%s'", o->cache);
  if (!checkFile(m, "rules", o->rules) || !checkFile(m, "templates", o->templates) || !checkFile(m, "tuned", o->tuned))
    return false;
  if (o->feedbackFile && (!*o->feedbackFile || strpbrk(o->feedbackFile, "\"\\")))
    return messagesFail(m, "--feedback needs a file whose name has no quotation marks");
  if (o->kernel && (strlen(o->kernel) != 16 || strspn(o->kernel, "0123456789abcdef") != 16))
    return messagesFail(m, "--kernel needs a key of 16 hexadecimal digits, not '%s'", o->kernel);
  return checkDims(o->dims, m) && checkDonations(o->donate, m);
}

/// Conditions on combinations of options.
static bool checkTogether(const StitchCompileOptions *o, Messages *m, const Targets *targets) {
  bool isModel = o->emit == STITCH_EMIT_MODEL;
  if (o->checks && (!isModel || !targets->simt))
    return messagesFail(m, "--checks are checks of the simt device: a model file with --target=simt is needed");
  bool isPlan = o->emit == STITCH_EMIT_TG || o->emit == STITCH_EMIT_PLAN || o->emit == STITCH_EMIT_TEMPLATES ||
                o->emit == STITCH_EMIT_CANDIDATES;
  if (o->kernels && (isPlan || o->report || o->kernel || o->rules || o->templates || o->tuned))
    return messagesFail(m, "--kernels replaces the plan: --report, --kernel, --rules, --templates, --tuned and "
                           "--emit=tg, plan, templates and candidates do not go with it");
  bool explains = o->emit == STITCH_EMIT_EXPLANATION;
  if (explains != (o->explain != NULL))
    return messagesFail(m, explains ? "an explanation is of two operations: --explain=NAME,FILE:LINE"
                                    : "--explain prints a text instead of --emit's: the two do not go together");
  if (explains && (o->kernels || o->kernel || o->adaptive || o->report || o->feedback))
    return messagesFail(m, "--explain is of the plan of a whole model: --kernels, --kernel, --adaptive, --report and "
                           "--feedback do not go with it");
  if (o->feedback && (o->kernels || o->emit == STITCH_EMIT_TG || targets->numArchitectures == 0))
    return messagesFail(m,
                        "--feedback is the assembler's, on a plan: it needs an sm_ target, and neither --kernels nor "
                        "--emit=tg");
  if (o->feedbackFile && o->tuned && strcmp(o->feedbackFile, o->tuned) != 0)
    return messagesFail(m, "--feedback=FILE plans with the templates of FILE, and so does --tuned: they are one file");
  if (o->feedbackFile && (o->templates || o->adaptive || o->kernel))
    return messagesFail(m, "--feedback=FILE keeps how the kernels of a model are planned: --templates, --adaptive and "
                           "--kernel do not go with it");
  bool isImage = o->emit == STITCH_EMIT_NVVM || o->emit == STITCH_EMIT_PTX || o->emit == STITCH_EMIT_CUBIN;
  if (isImage && targets->numArchitectures != 1)
    return messagesFail(m, "--emit=nvvm, ptx and cubin need exactly one sm_ target, such as --target=sm_90");
  bool isLibrary = o->emit == STITCH_EMIT_KERNEL_LIBRARY;
  if (isLibrary && (targets->simt || targets->numArchitectures == 0))
    return messagesFail(m, "--emit=kernel-library is for GPUs: it needs sm_ targets, such as --target=sm_80,sm_90");
  if (isLibrary && (o->adaptive || o->kernels || o->report))
    return messagesFail(m, "--emit=kernel-library does not go with --adaptive, --kernels and --report");
  bool hasKernels = targets->simt || targets->numArchitectures > 0;
  if (o->buckets && (!(isModel || isLibrary) || !hasKernels || o->kernel || o->kernels || o->report))
    return messagesFail(m, "--buckets makes a model file with kernels of several programs: --emit, --report, --kernel, "
                           "--kernels and --target=none are for one, as in --dim b=1..32");
  if (o->report && (o->emit == STITCH_EMIT_TG || (isModel && !hasKernels)))
    return messagesFail(m, "--report shows a plan, and nothing is planned here");
  return !isModel || hasKernels || !o->noReference ||
         messagesFail(m, "--target=none --no-reference leaves nothing to compile");
}

bool checkOptions(const StitchCompileOptions *o, Messages *m, Targets *targets) {
  const char *usual = o->emit == STITCH_EMIT_KERNEL_LIBRARY ? "sm_90" : "simt";
  return checkNames(o, m) && readTargets(o->target ? o->target : usual, m, targets) && checkTogether(o, m, targets);
}
