//===- communicators.h - NCCL between the processes of a program ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program has one set, which its sessions share: a communicator of all processes, and parts of it for each set of
// groups. All processes make each once, in the same order. No call of NCCL blocks. A call that takes longer than the
// time limit is a failure, and after a failure the thread of the peers (runtime/world/peers.h) ends all communicators.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_COMMUNICATORS_H
#define STITCH_RUNTIME_CUDA_COMMUNICATORS_H

#include "runtime/cuda/driver.h"
#include "runtime/cuda/nccl.h"
#include "runtime/library/cpu_problem.h"
#include "runtime/world/peers.h"

typedef struct StitchCommunicators StitchCommunicators;

/// The program's, of processes that are peers, each with the GPU whose context is current here and below. `folder` is
/// that of NCCL, as in stitchNcclOpen. Each call is followed by one of stitchCommunicatorsClose. Fails with
/// STITCH_FAILED_PRECONDITION if the program's are on another GPU.
StitchStatus stitchCommunicatorsOpen(StitchCuda *cuda, const char *folder, StitchPeers *peers,
                                     StitchCommunicators **communicators);
void stitchCommunicatorsClose(StitchCommunicators *communicators);

const StitchNccl *stitchCommunicatorsNccl(const StitchCommunicators *communicators);
StitchPeers *stitchCommunicatorsPeers(const StitchCommunicators *communicators);

/// Page-locked memory, a uint64_t, which is not 0 after a failure between processes: kernels wait no longer.
void *stitchCommunicatorsStopWord(const StitchCommunicators *communicators);

/// That of all processes, by rank.
ncclComm_t stitchCommunicatorsAll(const StitchCommunicators *communicators);

/// That of this process's group in a table of groups; NULL: it is in none. Its members are in the order of the group.
StitchStatus stitchCommunicatorsGroup(StitchCommunicators *communicators, const StitchLibraryCollective *table,
                                      ncclComm_t *group);

/// Waits until the operation that a call with this result has begun is done, as far as the host has a part in it.
StitchStatus stitchCommunicatorsSettle(StitchCommunicators *communicators, ncclComm_t communicator, ncclResult_t result,
                                       const char *call);

#endif // STITCH_RUNTIME_CUDA_COMMUNICATORS_H
