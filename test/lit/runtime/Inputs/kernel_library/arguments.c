// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls @main of open_columns.mlir, as the library "open", with arguments that it has to refuse; prints its messages.

#include "open.h"

#include <stdio.h>
#include <string.h>

static const open_library *library;
static _Alignas(256) char memory[8][8192]; // its addresses are only looked at

/// The message of a call with other tensors and another workspace.
static void call(int64_t b, void *input, void *output, void *workspace, size_t bytes) {
  float *others[3] = {(float *)memory[1], (float *)memory[2], (float *)memory[3]};
  open_status status = open_main(library, b, input, others[0], output, others[1], others[2], workspace, bytes, NULL);
  printf("%d %s\n", status, status == OPEN_SUCCESS ? "" : open_message());
}

int main(void) {
  open_library *loaded = NULL;
  size_t needed = open_main_workspace(2);
  if (open_load(99, &loaded) == OPEN_SUCCESS || loaded)
    return 1;
  printf("load: %s\n", open_message());
  if (open_load(0, &loaded) != OPEN_SUCCESS)
    return 1;
  library = loaded;
  printf("workspace: %zu %zu %zu\n", needed % 16, open_main_workspace(0), open_main_workspace(41));
  call(0, memory[0], memory[4], memory[5], needed);
  call(41, memory[0], memory[4], memory[5], needed);
  call(2, NULL, memory[4], memory[5], needed);
  call(2, memory[0] + 8, memory[4], memory[5], needed);
  call(2, memory[0], memory[4] + 4, memory[5], needed);
  call(2, memory[0], memory[4], memory[5], needed - 1);
  call(2, memory[0], memory[4], memory[5] + 8, needed);
  call(2, memory[0], memory[4], NULL, needed);
  printf("%d %s\n", open_call(library, 1, (int64_t[]){2}, NULL, NULL, 0, NULL), open_message());
  printf("%d %s\n", open_call(library, -1, (int64_t[]){2}, NULL, NULL, 0, NULL), open_message());
  open_unload(loaded);
  open_unload(NULL);
  return 0;
}
