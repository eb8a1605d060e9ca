//===- peers_state.h - between the files of the peers ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WORLD_PEERS_STATE_H
#define STITCH_RUNTIME_WORLD_PEERS_STATE_H

#include "runtime/world/connection.h"
#include "runtime/world/peers.h"

#include <pthread.h>

enum { PEERS_WHAT_BYTES = 64, PEERS_TEXT_BYTES = 768 };

/// Frames go between process 0 and each of the others.
typedef enum {
  FRAME_HELLO = 1, ///< to 0: `number` processes were started here
  FRAME_WELCOME,   ///< from 0: all have come
  FRAME_GATHER,    ///< to 0: the exchange's name, and bytes
  FRAME_GATHERED,  ///< from 0: the bytes of all
  FRAME_PROGRESS,  ///< the word of program `number`
  FRAME_ASK,       ///< to 0: how far are all in program `number`?
  FRAME_TABLE,     ///< from 0: their words
  FRAME_ENDED,     ///< from 0: process `number` has ended
  FRAME_GOODBYE,   ///< the sender ends
  FRAME_FAILED,    ///< a text: nothing moves any more
} FrameKind;

/// A program whose calls are watched.
typedef struct {
  const volatile uint64_t *word; ///< NULL: forgotten
  const StitchPeersCall *calls;
  int64_t numCalls;
  uint64_t last; ///< word, as it was looked at
  double since;  ///< when it became so
  double asked;  ///< when process 0 was asked how far the others are; 0: not for this word
  bool hasTable; ///< it has answered
} Watched;

/// The present exchange, or the last one.
typedef struct {
  int64_t number;              ///< that this process takes part in, or has
  char what[PEERS_WHAT_BYTES]; ///< it is
  int64_t done;                ///< the last one that is complete
  char *result;                ///< of that
  char *collected;             ///< process 0: received bytes, by rank
  bool *hasCome;               ///< process 0: by rank
  int64_t numCome;             ///< process 0
  int64_t bytesEach;           ///< process 0: the exchange's name and bytes
} Gather;

struct StitchPeers {
  int64_t rank, size;
  double timeLimit;
  uint64_t token;
  StitchConnection *connections; ///< of process 0 by rank; else the first is that to process 0
  int64_t numConnections;
  int wake[2];           ///< a pipe that ends the thread's waiting
  pthread_t thread;      ///< reads all connections
  pthread_mutex_t mutex; ///< of all that is here, and of sending
  pthread_cond_t changed;
  bool quits;
  Gather gather;
  Watched *watched;
  int64_t numWatched;
  uint64_t *progress;  ///< words, [program][rank]
  int64_t numProgress; ///< programs in it
  bool *hasEnded;      ///< by rank
  StitchStatusCode failure;
  char failureText[PEERS_TEXT_BYTES];
  pthread_mutex_t libraryMutex; ///< locked while the library is called
  StitchPeersLibrary library;
  bool hasAborted;
};

/// The rest is called with the mutex locked.

/// Sends a frame to a process that it is connected to.
void stitchPeersSend(StitchPeers *peers, int64_t rank, FrameKind kind, int64_t number, const void *payload,
                     size_t bytes);
/// To all that it is connected to but `except`; -1: all.
void stitchPeersSendAll(StitchPeers *peers, int64_t except, FrameKind kind, int64_t number, const void *payload,
                        size_t bytes);

/// The first failure is kept, and all processes are told of it.
void stitchPeersFail(StitchPeers *peers, StitchStatusCode code, const char *text);

/// Process 0 has received one process's part of an exchange.
void stitchPeersCollect(StitchPeers *peers, int64_t from, int64_t number, const void *payload, size_t bytes);

/// Adds a rank to a list of them in a text.
void stitchPeersAddRank(char *text, size_t size, int64_t rank);

/// The thread's function.
void *stitchPeersServe(void *peers);

#endif // STITCH_RUNTIME_WORLD_PEERS_STATE_H
