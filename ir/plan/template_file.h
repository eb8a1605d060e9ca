//===- template_file.h - files with templates of kernels -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   stitch-templates 1
//   # the output of `stitch-compile --emit=templates` and of stitch-tune
//   kernel 5f3a0c1e22b4a9d0 planned_ns=4100 tuned_ns=3650
//   reduce_0[GRID-WARP_4,THREAD_2-CTA_32-THREAD_4]S;
//   multiply_1[GRID-WARP_4,THREAD_2-CTA_32-THREAD_4];
//   # a kernel that is two: cut at a value
//   kernel 0a83b1c2d4e5f607 feedback_ns=9100 spilled=24
//   CUT reduce_1;
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_TEMPLATE_FILE_H
#define STITCH_IR_PLAN_TEMPLATE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TEMPLATE_FILE_HEADER "stitch-templates 1\n"

typedef struct {
  uint64_t key;      ///< kernel_names.h
  const char *notes; ///< the text behind the key: measurements, as "name=number"
  const char *text;  ///< the template, without comments
  int64_t line;      ///< of the key
} TemplateEntry;

/// Zero-initialised it is empty.
typedef struct {
  char *data;
  TemplateEntry *entries; ///< in the order of the file
  int64_t count, capacity;
} TemplateFile;

/// Reads a file; templates themselves are read when their kernel is there. False with a `problem`, which the caller
/// frees, and its `line` (0: the file as a whole). The file cannot be read, is no file of templates, or has a kernel
/// twice, unless they are `alternatives`.
bool templateFileRead(const char *path, bool alternatives, TemplateFile *file, char **problem, int64_t *line);
void templateFileDestroy(TemplateFile *file);

/// NULL: there is none.
const TemplateEntry *templateFileFind(const TemplateFile *file, uint64_t key);

/// Writes an entry as a file has it, behind the header; blanks around `text` are left out.
void templateFilePrint(FILE *file, uint64_t key, const char *notes, const char *text);

/// A number among the notes of an entry; `missing` if it is not there.
double templateNote(const TemplateEntry *entry, const char *name, double missing);

#endif // STITCH_IR_PLAN_TEMPLATE_FILE_H
