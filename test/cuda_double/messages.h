//===- messages.h - messages between processes of the test double --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message is a file in memory, which the sender makes and the receiver takes away. Sending never waits.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_CUDA_DOUBLE_MESSAGES_H
#define STITCH_TEST_CUDA_DOUBLE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

enum { MESSAGE_WHAT = 160, MESSAGE_NAME = 96 };

/// Which message of a communicator from one of its ranks to another.
typedef struct {
  const char *communicator;
  int from, to;
  unsigned long long number;
} MessageName;

/// Sends `bytes` bytes with a text that describes them.
void sendMessage(const MessageName *name, const char *what, const void *data, size_t bytes);

/// Takes a message; false if it has not come. `data` is the caller's, to be freed.
bool receiveMessage(const MessageName *name, char what[MESSAGE_WHAT], void **data, size_t *bytes);

#endif // STITCH_TEST_CUDA_DOUBLE_MESSAGES_H
