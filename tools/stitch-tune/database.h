//===- database.h - the results of tuning ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of templates (ir/plan/template_file.h) whose kernels have notes of how they were measured:
//
//   kernel 5f3a0c1e22b4a9d0 on=sm_90 planned_ns=4100 tuned_ns=3650 candidates=17
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_STITCH_TUNE_DATABASE_H
#define STITCH_TOOLS_STITCH_TUNE_DATABASE_H

#include "runtime/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t key;
  char *notes; ///< "on=sm_90 ..."
  char *text;  ///< the template
} DatabaseEntry;

typedef struct {
  const char *path;
  DatabaseEntry *entries;
  int64_t count;
} Database;

/// Reads a file; one that is not there is empty. Fails if it is no file of templates.
StitchStatus databaseOpen(const char *path, Database *database);

/// Whether a kernel has been measured on that device: its template, else NULL.
const DatabaseEntry *databaseFind(const Database *database, uint64_t key, const char *on);

/// Adds a kernel, or replaces it, and writes the file as a whole. `notes` and `text` are copied.
StitchStatus databaseAdd(Database *database, uint64_t key, const char *notes, const char *text);

void databaseClose(Database *database);

#endif // STITCH_TOOLS_STITCH_TUNE_DATABASE_H
