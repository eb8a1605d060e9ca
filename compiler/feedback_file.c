//===- feedback_file.c - records of ptxas's spills ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes the file of --feedback=FILE: one line for each kernel that spilled, with its key, its cost and the
// template or cut that replaced it. Writers lock the file and replace it as a whole.
//
//===----------------------------------------------------------------------===//

#include "compiler/feedback.h"

#include "ir/mlir/arena.h"
#include "ir/plan/template_file.h"
#include "tools/support/tool_file.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool isReplaced(uint64_t key, const FeedbackEntry *entries, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (entries[i].key == key)
      return true;
  return false;
}

static void print(FILE *file, const TemplateFile *old, const FeedbackEntry *entries, int64_t count) {
  fprintf(file, "%s# stitch-compile --tuned=FILE uses it\n", TEMPLATE_FILE_HEADER);
  for (int64_t i = 0; i < old->count; ++i)
    if (!isReplaced(old->entries[i].key, entries, count))
      templateFilePrint(file, old->entries[i].key, old->entries[i].notes, old->entries[i].text);
  for (int64_t i = 0; i < count; ++i) {
    char notes[128];
    snprintf(notes, sizeof(notes), "feedback_ns=%.0f spilled=%lld%s", entries[i].ns, (long long)entries[i].spilledBytes,
             entries[i].isRejected ? " rejected=1" : "");
    templateFilePrint(file, entries[i].key, notes, entries[i].text);
  }
}

static bool replaceTemplates(Compiler *c, const char *path, const TemplateFile *old, const FeedbackEntry *entries,
                             int64_t count) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return messagesFail(c->messages, "out of memory");
  print(file, old, entries, count);
  bool ok = fclose(file) == 0 || messagesFail(c->messages, "out of memory");
  ok = ok && messagesCheck(c->messages, toolWriteFile(path, text, size));
  free(text);
  return ok;
}

/// Reads the file; one that is not there is empty.
static bool readTemplates(Compiler *c, const char *path, TemplateFile *file) {
  char *problem = NULL;
  int64_t line = 0;
  *file = (TemplateFile){0};
  bool ok = access(path, F_OK) != 0 || templateFileRead(path, /*alternatives=*/false, file, &problem, &line) ||
            messagesFail(c->messages, "%s:%lld: %s", path, (long long)line, problem ? problem : "out of memory");
  free(problem);
  return ok;
}

/// Several compilations of this process may share a file.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

bool feedbackRemember(Compiler *c, const FeedbackEntry *entries, int64_t count) {
  const char *path = c->options->feedbackFile;
  TemplateFile old;
  pthread_mutex_lock(&mutex);
  bool ok = readTemplates(c, path, &old) && replaceTemplates(c, path, &old, entries, count);
  pthread_mutex_unlock(&mutex);
  templateFileDestroy(&old);
  return ok;
}

bool feedbackKnown(Compiler *c, FeedbackKeys *keys) {
  const char *path = c->options->feedbackFile;
  TemplateFile file;
  *keys = (FeedbackKeys){0};
  if (!path)
    return true;
  pthread_mutex_lock(&mutex);
  bool ok = readTemplates(c, path, &file) && (access(path, F_OK) == 0 || replaceTemplates(c, path, &file, NULL, 0));
  pthread_mutex_unlock(&mutex);
  keys->data = irAllocate(sizeof(*keys->data) * (size_t)(file.count + 1));
  for (int64_t i = 0; i < file.count; ++i)
    keys->data[keys->count++] = file.entries[i].key;
  templateFileDestroy(&file);
  return ok;
}
