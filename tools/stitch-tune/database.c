//===- database.c - the results of tuning ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes the file of tuned templates: entries by kernel key, written as a whole after each kernel.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // asprintf

#include "tools/stitch-tune/database.h"

#include "ir/plan/template_file.h"
#include "tools/support/tool_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static StitchStatus copyEntry(DatabaseEntry *entry, uint64_t key, const char *notes, const char *text) {
  DatabaseEntry copy = {key, strdup(notes), strdup(text)};
  if (!copy.notes || !copy.text) {
    free(copy.notes);
    free(copy.text);
    return stitchStatusOutOfMemory();
  }
  free(entry->notes);
  free(entry->text);
  *entry = copy;
  return NULL;
}

static StitchStatus takeFile(Database *database, const TemplateFile *file) {
  database->entries = calloc((size_t)file->count + 1, sizeof(*database->entries));
  StitchStatus status = database->entries ? NULL : stitchStatusOutOfMemory();
  for (int64_t i = 0; i < file->count && !status; ++i) {
    const TemplateEntry *entry = &file->entries[i];
    status = copyEntry(&database->entries[database->count++], entry->key, entry->notes + strspn(entry->notes, " "),
                       entry->text);
  }
  return status;
}

StitchStatus databaseOpen(const char *path, Database *database) {
  *database = (Database){.path = path};
  if (access(path, F_OK) != 0) {
    TemplateFile none = {0};
    return takeFile(database, &none);
  }
  TemplateFile file;
  char *problem = NULL;
  int64_t line;
  StitchStatus status = NULL;
  if (templateFileRead(path, /*alternatives=*/false, &file, &problem, &line))
    status = takeFile(database, &file);
  else
    status = stitchStatusMake(STITCH_INVALID_ARGUMENT, "%s:%" PRId64 ": %s", path, line,
                              problem ? problem : "out of memory");
  free(problem);
  templateFileDestroy(&file);
  return status;
}

static DatabaseEntry *entryOf(const Database *database, uint64_t key) {
  for (int64_t i = 0; i < database->count; ++i)
    if (database->entries[i].key == key)
      return &database->entries[i];
  return NULL;
}

const DatabaseEntry *databaseFind(const Database *database, uint64_t key, const char *on) {
  const DatabaseEntry *entry = entryOf(database, key);
  size_t length = strlen(on);
  bool isOn = entry && strncmp(entry->notes, "on=", 3) == 0 && strncmp(entry->notes + 3, on, length) == 0 &&
              (entry->notes[3 + length] == ' ' || entry->notes[3 + length] == '\0');
  return isOn ? entry : NULL;
}

static StitchStatus save(const Database *database) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return stitchStatusOutOfMemory();
  fprintf(file, "%s# written by stitch-tune; stitch-compile --tuned=FILE uses it\n", TEMPLATE_FILE_HEADER);
  for (int64_t i = 0; i < database->count; ++i)
    templateFilePrint(file, database->entries[i].key, database->entries[i].notes, database->entries[i].text);
  StitchStatus status = fclose(file) == 0 ? toolWriteFile(database->path, text, size) : stitchStatusOutOfMemory();
  free(text);
  return status;
}

StitchStatus databaseAdd(Database *database, uint64_t key, const char *notes, const char *text) {
  DatabaseEntry *entry = entryOf(database, key);
  if (!entry) {
    DatabaseEntry *more = realloc(database->entries, sizeof(*more) * (size_t)(database->count + 1));
    if (!more)
      return stitchStatusOutOfMemory();
    database->entries = more;
    entry = &more[database->count];
    *entry = (DatabaseEntry){0};
    ++database->count;
  }
  StitchStatus status = copyEntry(entry, key, notes, text);
  if (status && !entry->notes)
    --database->count;
  return status ? status : save(database);
}

void databaseClose(Database *database) {
  for (int64_t i = 0; i < database->count; ++i) {
    free(database->entries[i].notes);
    free(database->entries[i].text);
  }
  free(database->entries);
  *database = (Database){0};
}
