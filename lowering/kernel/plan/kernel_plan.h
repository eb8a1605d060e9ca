//===- kernel_plan.h - the plan of a kernel, as its emission needs it ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_PLAN_KERNEL_PLAN_H
#define STITCH_LOWERING_KERNEL_PLAN_KERNEL_PLAN_H

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"
#include "ir/mlir/symbol.h"
#include "ir/plan/plan.h"
#include "lowering/kernel/plan/iterations.h"

/// A number of rows, columns or elements: `most`, or, if it depends on a symbol of the plan, `unit` times the symbol's
/// value, which is `most` at most.
typedef struct {
  int64_t most;
  int64_t unit;
  intptr_t symbol; ///< index in KernelPlan.symbols; negative: none
} Extent;

static inline Extent extentOf(int64_t size) { return (Extent){size, 0, -1}; }
static inline bool extentIsOpen(Extent extent) { return extent.symbol >= 0; }
static inline bool extentsEqual(Extent a, Extent b) { return a.most == b.most && a.symbol == b.symbol; }

/// Most results of a root, and most lanes of an access.
enum { KERNEL_MAX_RESULTS = 8, KERNEL_MAX_LANES = 16 };

/// One result of a root.
typedef struct {
  MlirValue value;
  int64_t bufferOffset; ///< if the root has a buffer: where this result's part of it starts
  int64_t stageOffset;  ///< if the root is written out for checks: where it is in KernelStages
  intptr_t numOutputs;  ///< positions in stitch.yield
  intptr_t *outputs;
} KernelResult;

/// An operation whose value the kernel materialises. Its results have one shape.
typedef struct {
  MlirOperation op;
  intptr_t numResults;
  KernelResult results[KERNEL_MAX_RESULTS];
  int64_t group;
  StitchMapping mapping;
  StitchScheme scheme;
  bool hasBuffer;
  StitchBuffer buffer;
  bool isReduce;
  bool isSplit;         ///< a reduce whose result is spread over several tasks
  bool isOutput;        ///< some result is one of the kernel's
  bool byOperand;       ///< goes by the elements of its operand and stores each where it moves
  bool stacked;         ///< has several elements for each row, or kept column, as far apart as there are such
  bool transposed;      ///< goes along the rows of its tile
  int64_t numElements;  ///< of each result; byOperand: of the operand
  Extent elements;      ///< the same
  Extent rows, columns; ///< of the mapping
  int64_t phase;        ///< in which it is computed
  int64_t loop;         ///< index in KernelPlan.loops
  int64_t words;        ///< 32-bit words that are read for one element
  int64_t newWords;     ///< those that no root before it in the pass over the data reads
  bool continues;       ///< reads elements that a root before it in the pass over the data reads or computes
  bool isReadLater;     ///< by a root that does not go through the elements of a task with it
  int64_t stage;        ///< the pass over the elements of a task in which it is computed
  bool inSharedMemory;  ///< set when an emission found that some thread reads elements of another one
  bool isStage;         ///< it is written out for checks
} KernelRoot;

/// Roots that the same tasks compute, ordered by group and then by program order, as stitch-buffers assumes, or as
/// kernelOrderRoots leaves them.
typedef struct {
  StitchMapping mapping;
  int64_t phase;
  Extent rows, columns; ///< of the mapping
  int64_t words;        ///< 32-bit words that are read for one element of each root
  int64_t wordsOfSpace; ///< of those that are there for each element of the space
  int64_t bytesOfSpace; ///< the same as they lie in memory
  int64_t taken;        ///< registers, at most, between two roots: elements that later ones read, or need again
  bool isOneSweep;      ///< no root has to wait until a reduce is combined: all go through their elements together
  bool finishes;        ///< combines and stores the partial results of one split reduce
  bool isAgain;         ///< threads still have elements of its task from an earlier phase
  bool hasOneEach;      ///< each block has one task of it
  bool isInPhases;      ///< another phase has its tasks, too
  int64_t offset;       ///< number of its first task in its pack
  intptr_t numRoots;
  intptr_t *roots; ///< indices in KernelPlan.roots
} KernelLoop;

/// Task loops of one phase that share one numbering of tasks, and of which a block, or a cluster, has one task at most;
/// or a single loop (packing.c).
typedef struct {
  intptr_t first, count; ///< loops, one behind the other in KernelPlan.loops
  int64_t phase;
  int64_t cluster; ///< blocks that handle a task of theirs
  int64_t tasks;   ///< of all of them, for the largest sizes; 0 of a replicated loop, which takes no numbers
  bool isPacked;   ///< a block has one task at most
  bool isApart;    ///< no block that has a task of it has one of another pack of the phase, or anything else to do
  bool isOpen;     ///< how many there are is known when the kernel runs, and counts for the packs behind it
} KernelPack;

typedef struct {
  MlirOperation fusion;
  MlirBlock body;
  StitchLaunch launch;
  bool hasOwnPlan;        ///< has no roots, but stitch.attention or stitch.scan
  int64_t reductionBytes; ///< of shared memory, for one exchange: half of the area
  intptr_t numRoots;
  KernelRoot *roots;
  intptr_t numLoops;
  KernelLoop *loops; ///< sorted by phase and pack
  intptr_t numPacks;
  KernelPack *packs; ///< sorted by phase
  int64_t numPhases;
  /// Constants with more than one distinct element: kernel arguments after the fusion's inputs.
  intptr_t numConstants;
  MlirOperation *constants;
  /// Symbols of the fusion's tensors: kernel arguments after the constants.
  intptr_t numSymbols;
  IrSymbol *symbols;
  bool *unstored; ///< by result of the fusion: it goes to slices only
  intptr_t numSlices;
  KernelSlice *slices;
  int64_t iterations; ///< of the body, in one launch
  intptr_t numCarried;
  KernelCarried *carried; ///< from one iteration to the next (carried.c)
  intptr_t numResidents;
  KernelResident *residents; ///< loop-invariant inputs that threads keep (residents.c)
  intptr_t numPrefetches;
  StitchPrefetch *prefetches; ///< prefetches of blocks before they wait
  KernelStages stages;        ///< a kernel in debug form: the values that it writes out
  IrMap rootOf;               ///< operation -> index in roots
} KernelPlan;

// kernel_plan.c
/// Reads the plan attributes of a fusion. On failure a diagnostic has been emitted. Memory is in `arena` (and
/// kernelPlanDestroy).
bool kernelPlanRead(MlirOperation fusion, IrArena *arena, KernelPlan *plan);
void kernelPlanDestroy(KernelPlan *plan);

// slices.c
/// The slices of stitch.slices.
void kernelReadSlices(KernelPlan *plan, IrArena *arena);
/// Whether a slice is stored in the memory of input `number` of the fusion.
bool kernelUpdatesInput(const KernelPlan *plan, intptr_t number);
/// The value of the fusion's body that is the start of slice `number` in dimension `d`, which the fusion computes.
MlirValue kernelComputedStart(const KernelPlan *plan, int64_t number, intptr_t d);

// carried.c
/// The values carried by the loop that the kernel has inside: stitch.loop, which host/persistent.c writes.
void kernelReadLoop(KernelPlan *plan, IrArena *arena);
/// The carried value that input `number` of the fusion is, or -1.
intptr_t kernelCarriedInput(const KernelPlan *plan, intptr_t number);
/// The carried value whose next one result `number` of the fusion is, or -1.
intptr_t kernelCarriedResult(const KernelPlan *plan, intptr_t number);

// residents.c
/// The residents of stitch.resident. False after a diagnostic.
bool kernelReadResidents(KernelPlan *plan, IrArena *arena);
/// Bytes of shared memory up to the end of the resident elements; 0 if there are none.
int64_t kernelResidentEnd(const KernelPlan *plan);

// root_order.c
/// Finds the words that roots and loops read, and which roots are read later. Reorders the roots of task loops in which
/// more values would wait for their readers than registers can hold.
void kernelOrderRoots(KernelPlan *plan);

/// Steps of `vector` elements, for each of which `words` are read, that a thread has in flight together: at most
/// `most`.
int64_t stepsAtOnce(int64_t words, int64_t vector, int64_t most);

// stages.c
/// Makes room behind the scratch memory for the values that a check wants of the kernel in debug form.
void kernelPlanStages(KernelPlan *plan);

// packing.c
/// The extent on which the number of tasks of a loop depends.
Extent kernelTaskExtent(const KernelLoop *loop);

/// The outermost size of a tensor.
Extent kernelOutermost(const KernelPlan *plan, MlirType type);
/// Sorts the loops of each phase and makes packs of them.
void kernelPackLoops(KernelPlan *plan, IrArena *arena);
/// Tasks of the busiest block of the grid, summed over the phases, for the largest sizes; and the number if all tasks
/// of a phase were spread evenly.
typedef struct {
  int64_t most, even;
} KernelRounds;
KernelRounds kernelPlanRounds(const KernelPlan *plan);

/// Bytes of shared memory that the emitted kernel uses.
int64_t kernelPlanSharedBytes(const KernelPlan *plan);

#endif // STITCH_LOWERING_KERNEL_PLAN_KERNEL_PLAN_H
