//===- programs.h - the programs of a model with buckets of sizes --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_PROGRAMS_H
#define STITCH_COMPILER_PROGRAMS_H

#include "compiler/messages.h"

enum { MAX_PROGRAMS = 16 };

/// The --dim text of each program: "b=1..13,s=1..64" first, and the largest sizes of all symbols last.
typedef struct {
  char *dims[MAX_PROGRAMS];
  int count;
} Programs;

/// Cuts the ranges of `dims` ("b=1..128,s=8") by the entries of `buckets`, separated by semicolons. An entry is a
/// number of buckets ("5"), the buckets of a size ("b:13,18,128"), or a file with the frequency of sizes ("b:FILE").
/// False after a message.
bool programsRead(const char *dims, const char *buckets, Messages *m, Programs *programs);

void programsDestroy(Programs *programs);

#endif // STITCH_COMPILER_PROGRAMS_H
