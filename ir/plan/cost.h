//===- cost.h - cost of operations and of memory traffic ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants of the cost model, in one place, in addition to those of a device (dialects/stitch/devices.def). All
// times are nanoseconds. The cost of a whole kernel is in ir/plan/kernel_cost.h.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_COST_H
#define STITCH_IR_PLAN_COST_H

#include "dialects/stitch/stitch.h"
#include "ir/graph/graph.h"

enum { CONE_MAX_ROOTS = 16 };

/// The operations that compute one element of a value, up to roots and inputs of the fusion.
typedef struct {
  int64_t instructions;
  int64_t inputBytes; ///< that they read of all distinct roots and inputs
  int64_t operations;
  int64_t numRoots; ///< distinct roots that they read
  int64_t roots[CONE_MAX_ROOTS];
  bool truncated; ///< there are more operations, or roots, than were looked at
} Cone;

/// Bytes of an operand that an operation reads: no more elements than it has itself, unless it combines several.
int64_t coneBytesRead(const GraphNode *reader, MlirValue operand);

/// `isRoot` tells for each node of the graph whether it is a root; the first node counts as an operation either way.
Cone coneOf(const IrGraph *graph, const bool *isRoot, int64_t node);

/// From a load to its value: the least time of a kernel of one round. (Global memory on Hopper, by public measurements:
/// 480 to 660 ns with a miss in the second-level cache.)
enum { COST_MEMORY_LATENCY = 600 };

/// The same from the second-level cache (bench/gpu on an H100 and an H200).
enum { COST_CACHE_LATENCY = 145 };

/// Instructions for an access to memory of one vector: its address, itself, and the unpacking of its elements. SASS of
/// elementwise kernels (bench/instructions) has three to five.
enum { COST_ACCESS = 4 };

/// Instructions of a concatenation for each operand: whether the element is one of its, and a branch.
enum { COST_CONCATENATION = 2 };

/// From partial results in the threads of a block to the result in all of them: shuffles, shared memory, a barrier. On
/// an H100 bench/gpu measured 173 ns with 128 threads to 222 with 1024.
enum { COST_EXCHANGE = 180 };

/// The same for the threads of a warp: five shuffles, of about 25 cycles each (microbenchmarks that are public). Only
/// between the iterations of a loop, where that is much: elsewhere a round of tasks is fitted as a whole.
enum { COST_WARP_EXCHANGE = 65 };

/// A step of a sorting network: two accesses to shared memory, some 25 cycles each, and a barrier of the block (public
/// microbenchmarks; not measured as a whole).
enum { COST_NETWORK_STEP = 50 };

/// The same for the threads of a cluster of so many blocks: its barrier, and loads from the others' shared memory.
/// Kernels of few rows took 1.2 us for both on an H100.
double costOfExchange(const StitchDevice *device, int64_t cluster);

/// Repeated reads, partial results and spilled registers come from the second-level cache, which is faster than memory
/// by this factor. On an H100 bench/gpu measured 7.4 TB/s, 28 bytes a cycle for each multiprocessor.
double costCacheSpeedup(const StitchDevice *device);

/// The factor by which moving `rowBytes` neighbouring bytes of each of many rows takes longer than moving the whole
/// rows, which are `bytes` together. Memory moves whole sectors of them, and the rest of a sector, which another block
/// wants, does not stay in the cache if that cannot hold all. On an H100 column reduces took 1.25 times as long with 64
/// bytes, twice with 32, and five times with 16. If it can hold all, whole sectors go through it all the same: with 16
/// bytes it took 2.2 times as long, with 2 bytes 19 times. Blocks that do not load `inStep` all of their elements
/// before they compute find more of it in the cache. On an H200 products of a row took 1.03 times as long with 64
/// bytes, 1.3 times with 32.
double costOfStrips(const StitchDevice *device, double rowBytes, double bytes, bool inStep);

/// The same for the access of a warp, where so many bytes are contiguous. Each line that an access touches is a
/// request, and each sector of it comes from the second-level cache. On an H200 elementwise kernels of axes took 1.15
/// to 1.56 times as long with 32 bytes as with 64 and more.
double costOfRuns(double runBytes);

/// Instructions for one element of an operation's result; a reduce, of its operand.
int64_t costInstructionsOf(MlirOperation op);

/// Instructions for an element of the large operand of a thin product in a kernel (stitch-thin-products), with so many
/// products: to load and convert it, and to multiply and add.
int64_t costInstructionsOfThin(int64_t products, bool goesDownColumns);

/// Nanoseconds to compute all elements of an operation of the tg dialect, a reduce from all of its operand's.
double costOfOperation(const StitchDevice *device, MlirOperation op);

/// Nanoseconds that a library's kernels for a product or a convolution take however small it is, in addition to the
/// launch, the latency and the bytes of every kernel. On an H100 and an H200 bench/gpu measured kernels of 2.1 us in 16
/// bits and of a matrix and a vector. They were 3 to 4 us in f32, and 3 to 7 us for convolutions. Where the result has
/// too few tiles for the multiprocessors, its sums are split, and a second kernel adds up the parts. Zero for other
/// operations.
double costOfLibrary(const StitchDevice *device, MlirOperation op);

/// Nanoseconds to execute `instructions` for each of `elements` elements, and to move bytes from or to memory, by all
/// multiprocessors. Memory moves nine tenths of the data sheet's bandwidth (bench/gpu on an H100: 3.03 of 3.35 TB/s).
double costOfComputing(const StitchDevice *device, int64_t elements, int64_t instructions);
double costOfMoving(const StitchDevice *device, double bytes);

/// Nanoseconds to load bytes that the second-level cache has, where so many threads of a block load the same: the
/// first-level cache is four times as fast.
double costOfCached(const StitchDevice *device, double bytes, int64_t sharers);

/// The same where no more than `sms` multiprocessors, or the share of so many, have work. Each issues for its 128
/// lanes, and takes 32 bytes a cycle from the second-level cache.
double costOfComputingBy(const StitchDevice *device, double sms, double laneInstructions);
double costOfMovingBy(const StitchDevice *device, double sms, double bytes);

/// The part of `memory` nanoseconds, in which a phase's bytes are moved, that is left where `asked` of it has been
/// asked for ahead (ir/plan/prefetch.h), and `waiting` has not been served when the phase begins. Memory serves
/// requests in order; bytes that have been served are in the second-level cache, and come from there at its speed.
double costOfAskedAhead(const StitchDevice *device, double memory, double asked, double waiting);

/// Nanoseconds of a grid barrier over so many blocks a multiprocessor (bench/gpu on an H100: 1.35 us over one, 0.4 for
/// each further one).
double costOfBarrier(const StitchDevice *device, int64_t blocksPerSM);

/// The part of the shorter one of moving and computing that no other block hides. It is that of blocks in step, and of
/// blocks whose threads accumulate column sums along the row loop. The last is the rest of it where they prefetch their
/// next loads meanwhile (ir/plan/staging.h). Fitted to bench/gpu on an H100 and an H200.
#define COST_EXPOSED_IN_STEP 0.5
#define COST_EXPOSED_IN_STEP_STAGED 0.35
#define COST_EXPOSED_CARRYING 0.25
#define COST_EXPOSED_CARRYING_STAGED 0.05

/// Work of blocks without an order among them: tasks that are equal, and dealt out to the resident blocks.
typedef struct {
  int64_t tasks;   ///< of a block each
  int64_t blocks;  ///< that are resident
  int64_t threads; ///< of a block; 0: so many that a multiprocessor issues in each cycle
  int64_t loads;   ///< of a task that wait for each other: its registers hold only so many values in flight
  double latency;  ///< of a task, with one of its loads
  double again;    ///< of a block's further tasks, which wait for less; 0: the same
  double bytes;    ///< that all tasks move
  double exposed;  ///< the part of the shorter one of moving and computing that no other block hides
  bool inStep;     ///< blocks begin and end tasks together, and so nothing hides most of a task's latency
  double laneInstructions;
} CostTasks;

/// The times of these in addition to the latency of one task; the longest counts.
typedef struct {
  double memory;       ///< in which memory delivers the bytes, or the busiest multiprocessor takes its part of them
  double instructions; ///< in which the busiest multiprocessor issues its part of them
  double rounds;       ///< of a block's tasks: latencies of all loads but the first
  double exposed;      ///< that nothing hides: comes on top of the longest
  int64_t numRounds;   ///< of tasks
} CostTerms;

/// Where all tasks are resident, all their first loads are in flight at the same time. Otherwise each round's are, and
/// by Little's law memory delivers the bytes in flight of a round in each latency: `rounds` is that time. Blocks that
/// load all of a task before they compute, as all others do at the same time, hide little of each other: the fewer a
/// multiprocessor has, the less. Blocks are dealt out evenly: the busiest of n multiprocessors, of those that have a
/// block at all, has ceil(tasks / n) of the tasks.
CostTerms costOfTasks(const StitchDevice *device, const CostTasks *tasks);

/// Bytes that so many multiprocessors need under way for their part of the bandwidth: Little's law. Of all: less is
/// bound by latency, not by bandwidth.
double costBytesUnderWay(const StitchDevice *device, int64_t sms);

#endif // STITCH_IR_PLAN_COST_H
