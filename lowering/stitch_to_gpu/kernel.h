//===- kernel.h - from one planned fusion to one kernel ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kernel_plan.c   reads the plan of a fusion: roots, phases, task loops
// root_order.c    the order of the roots of a task loop
// emit_kernel.c   the kernel's skeleton: phases, task loops, one root after the other
// emit_reduce.c   a reduction: thread, warp, block
// emit_column.c   the task loop of column reductions
// emit_split.c    a reduction that several blocks share
// emit_carried.c  a column reduction in a task loop over rows
// emit_window.c   an element of a reduced window
// emit_tile.c     transposes through shared memory
// reduction.c     what a reduction combines, and how two partial results become one
// evaluate.c      the value of one element (or a vector of them), by index propagation
// elements.c      elements in memory and in registers
// memory.c        loads and stores
// emit_index.c    index expressions and the coordinates of a task loop
// memo.c          what has been computed already, by scope
// traffic.c       how many bytes are moved
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_STITCH_TO_GPU_KERNEL_H
#define STITCH_LOWERING_STITCH_TO_GPU_KERNEL_H

#include "ir/arena.h"
#include "ir/build.h"
#include "ir/index_expr.h"
#include "ir/map.h"
#include "ir/plan.h"
#include "ir/query.h"
#include "ir/symbol.h"
#include "ir/tg.h"
#include "lowering/stitch_to_gpu/elements.h"

//===----------------------------------------------------------------------===//
// The plan of a kernel
//===----------------------------------------------------------------------===//

/// A number of rows, columns or elements: `most`, or, if it depends on a symbol of the plan, `unit` times the symbol's
/// value, which is `most` at most.
typedef struct {
  int64_t most;
  int64_t unit;
  intptr_t symbol; ///< index in KernelPlan.symbols; negative: none
} Extent;

static inline Extent extentOf(int64_t size) { return (Extent){size, 0, -1}; }
static inline bool extentIsOpen(Extent extent) { return extent.symbol >= 0; }

/// Most results of a root.
enum { KERNEL_MAX_RESULTS = 8 };

/// One result of a root.
typedef struct {
  MlirValue value;
  int64_t bufferOffset; ///< if the root has a buffer: where this result's part of it starts
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
  bool transposed;      ///< goes along the rows of its tile
  int64_t numElements;  ///< of each result; byOperand: of the operand
  Extent elements;      ///< the same
  Extent rows, columns; ///< of the mapping
  int64_t phase;        ///< in which it is computed
  int64_t loop;         ///< index in KernelPlan.loops
  int64_t words;        ///< 32-bit words that are read for one element
  int64_t newWords;     ///< those that no root before it in the sweep reads
  bool continues;       ///< reads elements that a root before it in the sweep reads or computes
  bool isReadLater;     ///< by a root that does not go through the elements of a task with it
  int64_t level;        ///< of planReductionLevels
  int64_t step;         ///< of a column loop's task: even ones sweep over the rows, odd ones have the kept elements
  bool inSharedMemory;  ///< set when an emission found that some thread reads elements of another one
} KernelRoot;

/// Roots that the same tasks compute, ordered by group and then by program order, which is what stitch-buffers counts
/// on, or as kernelOrderRoots leaves them.
typedef struct {
  StitchMapping mapping;
  int64_t phase;
  Extent rows, columns; ///< of the mapping
  int64_t words;        ///< 32-bit words that are read for one element of each root
  int64_t taken;        ///< registers, at most, between two roots: elements that later ones read, or need again
  bool isOneSweep;      ///< no root has to wait until a reduce is combined: all go through their elements together
  bool finishes;        ///< combines and stores the partial results of one split reduce
  intptr_t numRoots;
  intptr_t *roots; ///< indices in KernelPlan.roots
} KernelLoop;

/// A slice of a buffer that a result of the fusion is stored to (slices.c).
typedef struct {
  intptr_t result;
  MlirType buffer;
  IrShape shape;                  ///< of the slice
  int64_t inputs[IR_MAX_RANK];    ///< for each dimension: the fusion's input that holds its start, or a negative number
  int64_t constants[IR_MAX_RANK]; ///< a constant start
} KernelSlice;

typedef struct {
  MlirOperation fusion;
  MlirBlock body;
  StitchLaunch launch;
  int64_t reductionBytes; ///< half of the reduction area
  intptr_t numRoots;
  KernelRoot *roots;
  intptr_t numLoops;
  KernelLoop *loops; ///< sorted by phase
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
  IrMap rootOf; ///< operation -> index in roots
} KernelPlan;

/// Reads the plan attributes of a fusion. On failure a diagnostic has been emitted. Memory is in `arena` (and
/// kernelPlanDestroy).
bool kernelPlanRead(MlirOperation fusion, IrArena *arena, KernelPlan *plan);
void kernelPlanDestroy(KernelPlan *plan);

/// Finds the words that roots and loops read, and which roots are read later. Reorders the roots of task loops in which
/// more values would wait for their readers than registers can hold.
void kernelOrderRoots(KernelPlan *plan);

/// What a thread reads at most before it uses the first of it, where it goes by steps.
enum { WORDS_IN_FLIGHT = 64 };
/// Steps of `vector` elements, for each of which `words` are read, that a thread has in flight at once: at most `most`.
int64_t stepsAtOnce(int64_t words, int64_t vector, int64_t most);

/// Bytes of shared memory that the emitted kernel uses.
int64_t kernelPlanSharedBytes(const KernelPlan *plan);

//===----------------------------------------------------------------------===//
// What has been computed
//===----------------------------------------------------------------------===//

/// The values of consecutive lanes of a vector access; one value if all lanes have the same.
typedef struct {
  intptr_t count;
  const MlirValue *values;
} Bundle;

/// A position in the iteration space that may lie outside it: `index` is moved inside, `valid` says whether it had to
/// be (null: never).
typedef struct {
  const IndexExpr *index;
  MlirValue valid;
} Position;

/// What a memo entry holds; which member depends on the key.
typedef struct {
  Bundle bundle;
  Position position;
} MemoValue;

typedef struct MemoEntry MemoEntry;

/// A map from (pointer, index vector) that forgets what was added in a scope when the scope ends: values of a region do
/// not dominate what follows it.
typedef struct {
  IrArena arena;
  MemoEntry **buckets;
  size_t numBuckets;
  MemoEntry *newest;
  size_t count;
} Memo;

const MemoValue *memoFind(const Memo *memo, const void *key, const IndexVector *index);
void memoAdd(Memo *memo, const void *key, const IndexVector *index, MemoValue value);
/// Opens a scope: returns what memoLeave takes.
MemoEntry *memoEnter(const Memo *memo);
void memoLeave(Memo *memo, MemoEntry *scope);
void memoDestroy(Memo *memo);

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// The lanes of a vector access: `variable` runs over [0, count); null for a single lane.
typedef struct {
  int64_t count;
  const IndexExpr *variable;
} Lanes;

enum { KERNEL_MAX_LANES = 16 };

/// Bytes that the whole grid moves between the kernel and global memory.
typedef struct {
  int64_t read, written;
  int64_t executions; ///< how often the code that is emitted now runs, over all threads
  struct TrafficBuffer *sweep;
} Traffic;

typedef struct CarriedReduce CarriedReduce;
typedef struct Step Step;

/// State of the emission of one kernel.
typedef struct {
  IrBuilder b;
  IrArena arena;
  IndexContext *index;
  Memo memo;
  KernelPlan *plan;
  IrMap inputOf;      ///< value of the fusion's body -> index in `inputs`
  MlirValue *inputs;  ///< flat memrefs
  MlirValue *outputs; ///< flat memrefs; null for a result that goes to slices only
  MlirValue *slices;  ///< flat memrefs of the buffers
  MlirValue scratch;  ///< memref<Nxi8>, null if none
  MlirValue counter;  ///< memref<1xi32>, null if none
  MlirValue shared;   ///< dynamic shared memory, null if none
  MlirValue *symbols; ///< the values of the plan's symbols: memref<1xi32>, and from kernelEmit on of index type
  IrMap boundAtoms;   ///< index atom -> 1 + index in `boundValues`
  MlirValue *boundValues;
  intptr_t numBound, boundCapacity;
  const IndexExpr *laneVariables[KERNEL_MAX_LANES + 1]; ///< by vector width
  // The current task loop.
  KernelLoop *loop;
  MlirValue threadId, blockId;
  MlirValue clusterId;   ///< null if the launch has no clusters
  const IndexExpr *rank; ///< the block's number in its cluster
  const IndexExpr *task;
  const IndexExpr *row;      ///< a variable over the rows, moved inside
  const IndexExpr *localRow; ///< the thread's row in its task
  const IndexExpr *lane;     ///< the thread in its row
  const IndexExpr *chunk;    ///< which of the `split` chunks of a row, or the block's number in its cluster
  const IndexExpr *partial;  ///< which of a split reduce's partial results the block computes
  MlirValue rowValid;        ///< null: every row is inside
  const Step *step;          ///< the elements that are computed or stored now; null in reductions
  int64_t reductionHalf;     ///< which half of the reduction area the next exchange uses
  int64_t numExchanges;      ///< that have been emitted
  CarriedReduce *carried;    ///< roots of the loop that are carried from task to task
  intptr_t numCarried;
  Traffic traffic;
  int divergent;  ///< branches around what is emitted now that not all threads of a block take
  bool startOver; ///< a root turned out to need its shared buffer
  bool failed;    ///< a diagnostic has been emitted
} Emitter;

/// Emits the body of the kernel at the builder's place, whose block's arguments are the kernel's. Returns false after a
/// diagnostic.
bool kernelEmit(Emitter *e);

// evaluate.c
Bundle evaluate(Emitter *e, MlirValue value, const IndexVector *index, Lanes lanes);
/// The same for result `number` of a root that is being computed now, instead of one that is read.
Bundle evaluateRoot(Emitter *e, const KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes);
/// One value for each lane.
void bundleExpand(Bundle bundle, int64_t count, MlirValue *values);

/// The start of a slice from `start`, moved into [0, last].
const IndexExpr *clampedStart(Emitter *e, MlirValue start, MlirType type, int64_t last);

// slices.c
void kernelReadSlices(KernelPlan *plan, IrArena *arena);
/// Stores elements of the fusion's result `output` to its memory and to the slices that are this result.
void storeOutput(Emitter *e, intptr_t output, const IndexExpr *linear, Lanes lanes, Bundle bundle, MlirValue condition);

// emit_reduce.c
/// For a task loop, shared by `workers`, whose body has an odd number of exchanges: every other task takes the halves
/// of the reduction area in the other order. A task would begin with the half that the one before ends with, otherwise,
/// and there would have to be a barrier between them.
void alternateHalves(Emitter *e, MlirOperation loop, int64_t workers);

// emit_sweep.c
/// Emits the loop's root number `first`, a row reduce or an elementwise root that is not computed at once, and those
/// behind it that go with it: one loop over their elements, one exchange between the threads. Returns how many.
intptr_t emitSweep(Emitter *e, intptr_t first);

// emit_column.c
/// All roots of a task of a column loop.
void emitColumnTask(Emitter *e);
/// Elements of a root of the current column loop that has one for each column, from the thread's registers; false if
/// they are not there.
bool readColumns(Emitter *e, const KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes,
                 Bundle *bundle);

// emit_split.c
/// The results of a split reduce at a linear index (with the lane variable), one bundle for each of the root's: its
/// partial results, combined in order.
void combinePartials(Emitter *e, const KernelRoot *root, const IndexExpr *linear, Lanes lanes, Bundle *results);

// emit_carried.c
/// Starts the accumulators of the carried roots of the current loop; false if there are none.
bool carriedBegin(Emitter *e);
/// The accumulators as a list, which the caller frees; returns their number.
intptr_t carriedValues(const Emitter *e, MlirValue **values);
void carriedSetValues(Emitter *e, const MlirValue *values);
/// Combines the current task's elements with the accumulators of a carried root.
void emitCarried(Emitter *e, const KernelRoot *root);
/// Behind the loop: leaves the partial results of `worker`, one of so many blocks or clusters, in scratch memory.
void carriedFinish(Emitter *e, MlirValue worker, int64_t numWorkers);

// emit_window.c
/// All results of a reduction of windows at an index, for each lane.
void evaluateWindow(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes, Bundle *results);

// emit_tile.c
/// The elements of step number `k` of a tile.
Step tileStepAt(Emitter *e, const KernelRoot *root, const IndexExpr *k);
/// A transposed root's tile in shared memory, column by column.
MlirValue sharedTile(Emitter *e, const KernelRoot *root, const KernelResult *result);
/// The place in it of the element at `linear`, if it is one of the current step's; else null.
const IndexExpr *placeInTile(Emitter *e, const KernelRoot *root, const IndexExpr *linear);

// emit_kernel.c
/// Consecutive elements of an elementwise root, from `linear` (in the root's value, with the lane variable) on.
struct Step {
  const IndexExpr *linear;
  MlirValue valid; ///< whether they exist if the thread's row does; null: always
  Lanes lanes;
  const IndexExpr *tileRow;           ///< of a tile mapping: the row in the tile
  const IndexExpr *tileColumn;        ///< and the column
  Bundle bundles[KERNEL_MAX_RESULTS]; ///< one for each result
};

/// Computes the elements of a step into its bundles.
void evaluateStep(Emitter *e, const KernelRoot *root, Step *step);
/// Stores the elements of a step.
void storeStep(Emitter *e, KernelRoot *root, const Step *step);
/// Evaluates `count` steps of `vector` elements from number `first` on, so that all their loads are under way, then
/// stores them.
void emitSteps(Emitter *e, KernelRoot *root, const IndexExpr *first, int64_t count, int64_t vector);

/// How a thread goes through its elements of a root in a task.
typedef struct {
  int64_t vector, steps; ///< so many steps of `vector` elements each
  bool atOnce;           ///< unrolled; false: by a loop
} Walk;
Walk walkOf(const Emitter *e, const KernelRoot *root);
/// Most elements of a root that a thread computes before it stores the first.
enum { MAX_ELEMENTS_IN_FLIGHT = 64 };

/// Stores elements of result number `result` of `root` wherever they go: outputs, scratch, shared memory. `inRow` is
/// whether the elements exist if the thread's row does; null: always.
void storeRoot(Emitter *e, KernelRoot *root, intptr_t result, const IndexExpr *linear, Lanes lanes, Bundle bundle,
               MlirValue inRow);
/// Elements of a row that the root's buffer in shared memory has: those of a block of a cluster, or all.
int64_t sharedRowElements(const KernelRoot *root);
/// Where in its buffer in shared memory the element `linear` of a root is, which is in the thread's row.
const IndexExpr *placeInShared(Emitter *e, const KernelRoot *root, const IndexExpr *linear);
void blockBarrier(Emitter *e);
void clusterBarrier(Emitter *e);

// memory.c
Bundle loadLanes(Emitter *e, MlirValue memref, MlirType elementType, const IndexExpr *linear, Lanes lanes);
/// Stores under `condition` (null: always).
void storeLanes(Emitter *e, MlirValue memref, const IndexExpr *linear, Lanes lanes, Bundle bundle, MlirValue condition);
MlirValue scratchView(Emitter *e, int64_t offset, int64_t count, MlirType elementType);
MlirValue sharedView(Emitter *e, int64_t offset, int64_t count, MlirType elementType);
/// The shared memory of another block of the cluster.
MlirValue clusterMemory(Emitter *e, const IndexExpr *block);

// traffic.c
/// Counts an access of every thread to `bytes` bytes; memory other than global does not count.
void trafficRead(Emitter *e, MlirValue memref, int64_t bytes);
void trafficWrite(Emitter *e, MlirValue memref, int64_t bytes);
/// Ends what a task does for one root: what it touched is in no cache any more when the next one comes.
void trafficEndSweep(Emitter *e);

// emit_index.c
MlirValue emitIndex(Emitter *e, const IndexExpr *expr);
/// A variable that stands for a value of index type, below `extent`.
const IndexExpr *bindIndex(Emitter *e, MlirValue value, int64_t extent);
Lanes lanesOf(Emitter *e, int64_t count);
/// `base`, a multiple of `vector` as `size` is, moved into [0, size).
Position positionInside(Emitter *e, const IndexExpr *base, Extent size, int64_t vector);
/// ceil(extent / divisor) as a value of index type.
MlirValue emitCount(Emitter *e, Extent extent, int64_t divisor);
/// Logical and of two conditions, either of which may be null.
MlirValue bothOf(Emitter *e, MlirValue a, MlirValue b);

/// An scf.for that stays a loop: what it does at once is what fits into registers.
MlirOperation rolledLoop(Emitter *e, MlirValue lower, MlirValue upper, MlirValue step, IrValues carried);

/// Opens a region: operations are created in `block` until leaveBlock.
typedef struct {
  IrBuilder b;
  MemoEntry *scope;
} BlockState;
BlockState enterBlock(Emitter *e, MlirBlock block);
void leaveBlock(Emitter *e, BlockState state);

/// A loop over rounds of the same work, which stays a loop, while its body is emitted.
typedef struct {
  MlirOperation op;
  BlockState outside;
  const IndexExpr *round; ///< the round at hand, below the number of them
  int64_t executions;     ///< of the body
} RoundLoop;

/// Begins the rounds from `first` up to `rounds`. The `count` values that the loop carries become its arguments.
RoundLoop beginRounds(Emitter *e, int64_t first, int64_t rounds, MlirValue *carried, intptr_t count);
/// Ends them: the values are those of the next round, and become what the loop leaves.
void endRounds(Emitter *e, const RoundLoop *loop, MlirValue *carried, intptr_t count);

#endif // STITCH_LOWERING_STITCH_TO_GPU_KERNEL_H
