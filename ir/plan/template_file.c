//===- template_file.c - files with templates of kernels -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads files of templates line by line, keeps notes and texts by kernel key, and prints entries in the same form.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/template_file.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/problem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The whole file, with a null byte behind it.
static bool readData(const char *path, TemplateFile *file, char **problem) {
  FILE *stream = fopen(path, "rb");
  if (!stream)
    return irFail(problem, "cannot open '%s': %s", path, strerror(errno));
  size_t size = 0, capacity = 1 << 16;
  file->data = irAllocate(capacity);
  for (size_t count; (count = fread(file->data + size, 1, capacity - size - 1, stream)) > 0;) {
    size += count;
    if (capacity - size == 1)
      file->data = irReallocate(file->data, capacity *= 2);
  }
  bool failed = ferror(stream) != 0;
  int reason = errno;
  fclose(stream);
  if (failed)
    return irFail(problem, "cannot read '%s': %s", path, strerror(reason));
  file->data[size] = '\0';
  if (strlen(file->data) != size)
    return irFail(problem, "'%s' is no file of templates: it has null bytes", path);
  return true;
}

/// Reads "KEY notes", all that a line has behind "kernel ".
static bool addEntry(TemplateFile *file, bool alternatives, char *line, int64_t number, char **problem) {
  enum { DIGITS = 16 };
  TemplateEntry entry = {.text = "", .line = number};
  if (strspn(line, "0123456789abcdef") != DIGITS || (line[DIGITS] != ' ' && line[DIGITS] != '\0'))
    return irFail(problem, "a kernel is named by 16 hexadecimal digits, not '%.20s'", line);
  entry.key = strtoull(line, NULL, 16);
  entry.notes = line + DIGITS;
  const TemplateEntry *known = alternatives ? NULL : templateFileFind(file, entry.key);
  if (known)
    return irFail(problem, "kernel %016" PRIx64 " stands in line %" PRId64 ", too", entry.key, known->line);
  IR_RESERVE_ONE(file->entries, file->count, file->capacity);
  file->entries[file->count++] = entry;
  return true;
}

/// Lines of a template become one text: they stay where they are, and line ends are put back between them.
static bool readLines(TemplateFile *file, bool alternatives, char **problem, int64_t *number) {
  static const char prefix[] = "kernel ";
  for (char *line = file->data, *next; line; line = next) {
    char *end = strchr(line, '\n');
    next = end ? end + 1 : NULL;
    ++*number;
    bool isKernel = strncmp(line, prefix, strlen(prefix)) == 0;
    if (*number == 1) {
      if (strncmp(line, TEMPLATE_FILE_HEADER, strlen(TEMPLATE_FILE_HEADER)) != 0)
        return irFail(problem, "a file of templates begins with '%.*s'", (int)strlen(TEMPLATE_FILE_HEADER) - 1,
                      TEMPLATE_FILE_HEADER);
      continue;
    }
    if (isKernel) {
      if (line[-1] == '\n')
        line[-1] = '\0'; // the template before ends here
      if (end)
        *end = '\0';
      if (!addEntry(file, alternatives, line + strlen(prefix), *number, problem))
        return false;
      file->entries[file->count - 1].text = next ? next : "";
    } else if (*line == '#') {
      memset(line, ' ', end ? (size_t)(end - line) : strlen(line));
    } else if (file->count == 0 && line[strspn(line, " \t\r\n")] != '\0' && line + strspn(line, " \t\r") != end) {
      return irFail(problem, "expected 'kernel KEY' before a template");
    }
  }
  return true;
}

bool templateFileRead(const char *path, bool alternatives, TemplateFile *file, char **problem, int64_t *line) {
  *file = (TemplateFile){0};
  *line = 0;
  return readData(path, file, problem) && readLines(file, alternatives, problem, line);
}

void templateFileDestroy(TemplateFile *file) {
  free(file->data);
  free(file->entries);
  *file = (TemplateFile){0};
}

const TemplateEntry *templateFileFind(const TemplateFile *file, uint64_t key) {
  for (int64_t i = 0; i < file->count; ++i)
    if (file->entries[i].key == key)
      return &file->entries[i];
  return NULL;
}

void templateFilePrint(FILE *file, uint64_t key, const char *notes, const char *text) {
  text += strspn(text, "\n ");
  notes += strspn(notes, " ");
  size_t length = strlen(text);
  while (length > 0 && strchr("\n ", text[length - 1]))
    --length;
  fprintf(file, "\nkernel %016" PRIx64 "%s%s\n%.*s%s", key, *notes ? " " : "", notes, (int)length, text,
          length ? "\n" : "");
}

double templateNote(const TemplateEntry *entry, const char *name, double missing) {
  size_t length = strlen(name);
  for (const char *at = entry->notes; (at = strstr(at, name)); at += length)
    if (at[-1] == ' ' && at[length] == '=')
      return strtod(at + length + 1, NULL);
  return missing;
}
