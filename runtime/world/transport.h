//===- transport.h - the interface of transports --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transport is a module of its own, so that the runtime needs none: libstitch_mpi.so (runtime/mpi) exports one as
// `stitch_transport`. Its operations end in the background. Requests are tested, never waited for, so that the runtime
// bounds the time.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WORLD_TRANSPORT_H
#define STITCH_RUNTIME_WORLD_TRANSPORT_H

#include <stdint.h>

#define STITCH_TRANSPORT_SYMBOL "stitch_transport"
enum { STITCH_TRANSPORT_VERSION = 1 };

/// Memory of `count` elements of `bytes` bytes each.
typedef struct {
  void *data;
  int64_t count, bytes;
} StitchTransportMemory;

/// Functions that return a text return NULL, or the error, which lives until the next call. A request is NULL after an
/// error, and otherwise goes with the call of `test` that finds it done.
typedef struct {
  int64_t version;
  const char *name; ///< "MPI"
  /// Joins the processes that a launcher has started; the only one if there is no launcher.
  const char *(*open)(int64_t *rank, int64_t *size);
  /// Leaves them, with an orderly end or by ending all of them.
  void (*close)(int isOrderly);
  /// The object for collective calls of some processes, this one among them. All of them call this in one order.
  void *(*group)(const int64_t *ranks, int64_t count);
  /// Between two processes, in the order of their calls.
  void *(*send)(int64_t rank, StitchTransportMemory memory);
  void *(*receive)(int64_t rank, StitchTransportMemory memory);
  /// Of a group. `to` has the elements of all members, one after the other; of allToAll `from` has as many.
  void *(*allGather)(void *group, StitchTransportMemory from, void *to);
  void *(*allToAll)(void *group, StitchTransportMemory from, void *to);
  /// From the first member.
  void *(*broadcast)(void *group, StitchTransportMemory memory);
  /// 1: done; 0: not yet; -1: it failed.
  int (*test)(void *request);
} StitchTransport;

#endif // STITCH_RUNTIME_WORLD_TRANSPORT_H
