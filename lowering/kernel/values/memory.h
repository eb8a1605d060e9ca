//===- memory.h - memory accesses of a kernel -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_VALUES_MEMORY_H
#define STITCH_LOWERING_KERNEL_VALUES_MEMORY_H

#include "lowering/kernel/values/values.h"

/// Bytes that the whole grid moves between the kernel and global memory.
typedef struct {
  int64_t read, written; ///< in an iteration
  int64_t filled;        ///< read before the first one
  int64_t executions;    ///< how often the code that is emitted now runs, over all threads
  struct TrafficBuffer *sweep;
} Traffic;

/// The memory of a kernel, and what has been counted of its use.
typedef struct {
  Values *values;
  const KernelPlan *plan;
  IrMap inputOf;       ///< value of the fusion's body -> index in `inputs`
  MlirValue *inputs;   ///< flat memrefs
  MlirValue *counters; ///< by input: what it is in this iteration, if that needs no memory; else null
  MlirValue *outputs;  ///< flat memrefs; null for a result that goes to slices only
  MlirValue *slices;   ///< flat memrefs of the buffers
  MlirValue *spares;   ///< flat memrefs, by carried value: written in every other iteration
  MlirValue scratch;   ///< memref<Nxi8>, null if none
  MlirValue stages;    ///< in a loop inside: the byte of the scratch memory where this iteration's part begins; or null
  MlirValue counter;   ///< memref<1xi32>, null if none
  MlirValue shared;    ///< dynamic shared memory, null if none
  Traffic traffic;
} Memory;

void memoryDestroy(Memory *memory);

//===----------------------------------------------------------------------===//
// memory.c
//===----------------------------------------------------------------------===//

Bundle loadLanes(Memory *memory, MlirValue memref, MlirType elementType, const IndexExpr *linear, Lanes lanes);
/// Stores under `condition` (null: always).
void storeLanes(Memory *memory, MlirValue memref, const IndexExpr *linear, Lanes lanes, Bundle bundle,
                MlirValue condition);
/// Begins to copy lanes that are 16 bytes of global memory, aligned on both sides, to shared memory as they are; zeros
/// where `valid` (null: always) is false. False if they are not: nothing is done then.
bool copyLanes(Memory *memory, MlirValue source, const IndexExpr *from, MlirValue target, const IndexExpr *to,
               Lanes lanes, MlirValue valid);
/// A global root's buffer: in scratch memory, or in the shared memory of the grid's only block.
MlirValue globalView(Memory *memory, const KernelRoot *root, int64_t offset, int64_t count, MlirType elementType);
/// Where a value is written out for checks, in this iteration.
MlirValue stageView(Memory *memory, const KernelResult *result, int64_t count, MlirType elementType);
MlirValue sharedView(Memory *memory, int64_t offset, int64_t count, MlirType elementType);
/// The shared memory of another block of the cluster.
MlirValue clusterMemory(Memory *memory, const IndexExpr *block);

/// A loop over rounds of the same work, which stays a loop, while its body is emitted.
typedef struct {
  MlirOperation op;
  BlockState outside;
  const IndexExpr *round; ///< the round at hand, below the number of them
  int64_t executions;     ///< what the traffic counts outside of it
} RoundLoop;

/// Begins the rounds from `first` up to `rounds`. The `count` values that the loop carries become its arguments.
RoundLoop beginRounds(Memory *memory, int64_t first, int64_t rounds, MlirValue *carried, intptr_t count);
/// The same for the rounds from `lower` up to `upper`, values of index type that are at most `most`. For the traffic,
/// it is `executions` rounds.
RoundLoop beginRoundsBetween(Memory *memory, MlirValue lower, MlirValue upper, int64_t most, int64_t executions,
                             MlirValue *carried, intptr_t count);
/// Ends them: the values are those of the next round, and become what the loop leaves.
void endRounds(Memory *memory, const RoundLoop *loop, MlirValue *carried, intptr_t count);

//===----------------------------------------------------------------------===//
// traffic.c
//===----------------------------------------------------------------------===//

/// Counts an access of every thread to `bytes` bytes; memory other than global does not count.
void trafficRead(Memory *memory, MlirValue memref, int64_t bytes);
void trafficWrite(Memory *memory, MlirValue memref, int64_t bytes);
/// Ends what a task does for one root: what it touched is in no cache any more when the next one comes.
void trafficEndSweep(Memory *memory);

#endif // STITCH_LOWERING_KERNEL_VALUES_MEMORY_H
