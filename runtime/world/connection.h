//===- connection.h - frames between two processes by TCP -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the few bytes by which processes find each other and say where they are. Tensors go by NCCL or MPI.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WORLD_CONNECTION_H
#define STITCH_RUNTIME_WORLD_CONNECTION_H

#include "runtime/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The header of `bytes` bytes.
typedef struct {
  uint64_t token; ///< of the program's processes: frames of others are not read
  int64_t kind, from, number, bytes;
} StitchFrame;

/// A connection; zero-initialised but for `socket` = -1 it is closed.
typedef struct {
  int socket;
  char *buffer; ///< received bytes, from `taken` on unread
  size_t count, taken, capacity;
} StitchConnection;

/// A socket that listens at `host` (NULL: all addresses of this machine) and `port` (0: any; then the one it got).
StitchStatus stitchConnectionListen(const char *host, int *port, int *listener);

/// Takes a connection that has come to a listener; false if none has.
bool stitchConnectionAccept(int listener, StitchConnection *connection);

/// Connects to a process that listens; false if it does not yet.
bool stitchConnectionTo(const char *host, int port, StitchConnection *connection);

/// Sends a frame and `frame->bytes` bytes. False if the other has ended or does not read.
bool stitchConnectionSend(StitchConnection *connection, const StitchFrame *frame, const void *payload);

/// Reads the received bytes, without waiting. False if the other has ended.
bool stitchConnectionRead(StitchConnection *connection);

/// Takes the next whole frame; its payload lives until the next call. False if there is none, or one that is none of
/// `token`: then the connection is closed.
bool stitchConnectionTake(StitchConnection *connection, uint64_t token, StitchFrame *frame, const void **payload);

void stitchConnectionClose(StitchConnection *connection);

#endif // STITCH_RUNTIME_WORLD_CONNECTION_H
