//===- communication.h - time of calls between processes ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time follows the model with which NCCL itself chooses its algorithm (src/graph/tuning.cc of its public source).
// It is a ring of the group's processes, in as many steps as it takes, with the protocol of short latencies or that of
// whole bandwidth. The figures are a device's (dialects/stitch/devices.def), and have not been measured.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_COMMUNICATION_H
#define STITCH_IR_PLAN_COMMUNICATION_H

#include "dialects/stitch/stitch.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  int64_t processes;    ///< of the largest group
  bool crossesMachines; ///< some group has processes of several, if each machine has as many as the device says
  double bytes;         ///< of the combined or moved tensor, in one process
  double traffic;       ///< bytes that a process sends, and receives
  double nanoseconds;
} Communication;

/// Whether an operation is a collective of tg, or a stitch.library_call of one, or of several. (A process's number
/// takes none of the others.)
bool planIsCommunication(MlirOperation op);

/// How many operands a stitch.library_call gives each process, if it gives those of all members of a group; else 0.
int64_t planOperandsOfAll(MlirOperation op);

/// Of such a call: of several sums as if they were one.
Communication planCommunicationOf(MlirOperation op, const StitchDevice *device);

/// Nanoseconds of the call of an all_reduce of `bytes` bytes between `n` processes of one machine.
double planTimeOfSum(double bytes, int64_t n, const StitchDevice *device);

/// Bytes of a call of which its latency is a small part: sums of fewer are better made together.
double planBytesOfBucket(const StitchDevice *device);

/// A table of groups of one size in which member `first` of each stands before the others.
MlirAttribute planGroupsFrom(MlirAttribute groups, int64_t first);

/// Nanoseconds of a sum that the kernel behind it makes of the operands of all processes, which it loads from their
/// memory over the links (docs/devices.md). `n` processes of one machine, `bytes` each.
typedef struct {
  double atOnce;     ///< each process loads all operands
  double inTwoSteps; ///< each process combines a part, and then loads the parts of the others
} PeerSumCost;
PeerSumCost planCostOfPeerSum(double bytes, int64_t n, const StitchDevice *device);

#endif // STITCH_IR_PLAN_COMMUNICATION_H
