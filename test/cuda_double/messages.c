//===- messages.c - messages between processes of the test double --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/messages.h"

#include "test/cuda_double/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 256 };

static void pathOf(const MessageName *name, const char *end, char path[PATH_BYTES]) {
  snprintf(path, PATH_BYTES, "%.120s/stitch_nccl_%s_%d_%d_%llu%s", config.messages, name->communicator, name->from,
           name->to, name->number, end);
}

/// A file that cannot be written is a fault of the test's machine.
void sendMessage(const MessageName *name, const char *what, const void *data, size_t bytes) {
  char path[PATH_BYTES], whole[PATH_BYTES], head[MESSAGE_WHAT] = "";
  pathOf(name, ".new", path);
  pathOf(name, "", whole);
  snprintf(head, sizeof(head), "%s", what);
  FILE *file = fopen(path, "wb");
  bool isWritten =
      file && fwrite(head, sizeof(head), 1, file) == 1 && (bytes == 0 || fwrite(data, bytes, 1, file) == 1);
  if (!file || fclose(file) != 0 || !isWritten || rename(path, whole) != 0) {
    fprintf(stderr, "cuda double: cannot write %s\n", path);
    _exit(97);
  }
}

bool receiveMessage(const MessageName *name, char what[MESSAGE_WHAT], void **data, size_t *bytes) {
  char path[PATH_BYTES];
  pathOf(name, "", path);
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file) - MESSAGE_WHAT;
  rewind(file);
  *data = malloc(*bytes + 1);
  if (!*data || fread(what, MESSAGE_WHAT, 1, file) != 1 || (*bytes && fread(*data, *bytes, 1, file) != 1)) {
    fprintf(stderr, "cuda double: cannot read %s\n", path);
    _exit(97);
  }
  fclose(file);
  unlink(path);
  return true;
}
