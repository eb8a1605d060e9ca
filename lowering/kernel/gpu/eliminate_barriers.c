//===- eliminate_barriers.c - stitch-eliminate-barriers ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes kernels as convert-stitch-to-gpu emits them, with a barrier wherever memory may change hands; leaves those that
// separate something. With A the accesses since the last barrier, and B those up to the next one,
//
//   - a block barrier is needed if an access in A and one in B touch the same bytes and one of them is a store, of an
//     argument not both (docs/ir.md, section 3);
//   - a cluster barrier is needed if one of two such accesses is to the shared memory of another block, with all
//     accesses between it and the neighbouring cluster barriers; the beginning and the end of a block count as stores
//     to all of its shared memory. Otherwise a block barrier will do.
//
// Which bytes an access touches is known as far as its memref says: an argument, or a part of it or of shared memory
// (memref.view). A grid barrier stays, and one at which threads vote. Loops run any number of times, and of the
// branches of a choice one runs, or none. A loop whose iterations alternate between two parts of shared memory is
// looked at as one of pairs of iterations, and perhaps one more behind it.
//
// Of bytes that a thread has for itself (stitch.own) its accesses need no barrier between each other.
//
// Asynchronous copies store where they begin and until the wait for them, which counts as a store to all of shared
// memory.
//
// A kernel becomes a tree of accesses, barriers and regions (`ControlNode`). A traversal in each direction carries the
// accesses since the last barrier and leaves them with each barrier that it meets. One barrier is erased at a time, as
// A and B of its neighbours grow.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/gpu/eliminate_barriers.h"

#include "capi/pass.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdlib.h>
#include <string.h>

/// Bytes of one memory that are accessed in one way: a class of accesses of the analysis.
typedef struct {
  intptr_t memory; ///< number of the kernel's argument, or SHARED_MEMORY
  int64_t begin, end;
  bool isStore;
  bool isForeign; ///< of another block of the cluster
  bool isLife;    ///< stands for the beginning or end of the block
  bool isCopy;    ///< an asynchronous copy's store, where it begins or at a wait
  bool isOwn;     ///< of bytes that one thread alone touches through such views
} MemoryAccess;

enum { SHARED_MEMORY = -1 };

typedef enum { BARRIER_BLOCK, BARRIER_CLUSTER, BARRIER_GRID } BarrierKind;

/// The accesses since the last barrier of each kind, whether there may be one, by its number.
typedef struct {
  bool *ofBlock;   ///< since any barrier
  bool *ofCluster; ///< since a barrier of the cluster or grid
} AccessWindow;

/// A barrier, for each time that it is in the tree.
typedef struct {
  MlirOperation op; ///< null: it has been erased
  BarrierKind kind;
  AccessWindow before, after;
} Barrier;

typedef enum { NODE_ACCESS, NODE_BARRIER, NODE_REGION } ControlNodeKind;

typedef struct ControlNode {
  ControlNodeKind kind;
  intptr_t number;                     ///< of the access or barrier
  bool repeats;                        ///< a region that may run more than once
  bool isChoice;                       ///< a region of regions of which one runs at most
  bool hasBarriers;                    ///< a region
  struct ControlNode *first, *last;    ///< of a region, which may not run at all
  struct ControlNode *previous, *next; ///< in the region around it
} ControlNode;

typedef struct {
  MlirOperation kernel;
  IrArena nodes;
  IrArena windows; ///< of one traversal
  ControlNode root;
  MemoryAccess *accesses;
  intptr_t numAccesses, accessCapacity;
  Barrier *barriers;
  intptr_t numBarriers, barrierCapacity;
  int parity; ///< of the iteration that is added to the tree, of a loop that alternates; -1: of no such loop
} BarrierAnalysis;

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

static ControlNode *addNode(BarrierAnalysis *a, ControlNode *region, ControlNodeKind kind) {
  ControlNode *node = IR_NEW(&a->nodes, ControlNode);
  *node = (ControlNode){.kind = kind, .previous = region->last};
  if (region->last)
    region->last->next = node;
  else
    region->first = node;
  region->last = node;
  return node;
}

static bool sameAccess(const MemoryAccess *a, const MemoryAccess *b) {
  return a->memory == b->memory && a->begin == b->begin && a->end == b->end && a->isStore == b->isStore &&
         a->isForeign == b->isForeign && a->isLife == b->isLife && a->isCopy == b->isCopy && a->isOwn == b->isOwn;
}

static void addAccess(BarrierAnalysis *a, ControlNode *region, MemoryAccess access) {
  intptr_t number = 0;
  while (number < a->numAccesses && !sameAccess(&a->accesses[number], &access))
    ++number;
  if (number == a->numAccesses) {
    IR_RESERVE_ONE(a->accesses, a->numAccesses, a->accessCapacity);
    a->accesses[a->numAccesses++] = access;
  }
  addNode(a, region, NODE_ACCESS)->number = number;
}

static void addBarrier(BarrierAnalysis *a, ControlNode *region, MlirOperation op, BarrierKind kind) {
  IR_RESERVE_ONE(a->barriers, a->numBarriers, a->barrierCapacity);
  a->barriers[a->numBarriers] = (Barrier){.op = op, .kind = kind};
  addNode(a, region, NODE_BARRIER)->number = a->numBarriers++;
}

/// The value of an arith.constant; -1 if `value` is none, or negative.
static int64_t constantIndex(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  int64_t constant = mlirOperationIsNull(op) || !irOpIs(op, "arith.constant") ? -1 : irGetInt(op, "value", -1);
  return constant < 0 ? -1 : constant;
}

/// Where a memref.view begins, in bytes; -1: not known.
static int64_t beginOfView(const BarrierAnalysis *a, MlirOperation view) {
  MlirAttribute halves = irGetAttr(view, KERNEL_HALVES_ATTRIBUTE);
  if (mlirAttributeIsNull(halves))
    return constantIndex(irOperand(view, 1));
  bool isKnown = a->parity >= 0 && mlirAttributeIsADenseI64Array(halves) && mlirDenseArrayGetNumElements(halves) == 2;
  return isKnown ? mlirDenseI64ArrayGetElement(halves, a->parity) : -1;
}

/// The bytes that `memref` covers. False if the memref around it is not known.
static bool findMemory(const BarrierAnalysis *a, MlirValue memref, MemoryAccess *access) {
  MlirType type = mlirValueGetType(memref);
  int64_t begin = 0, bytes = mlirShapedTypeHasStaticShape(type) ? irTensorBytes(type) : INT64_MAX;
  for (MlirOperation op = irDefiningOp(memref); !mlirOperationIsNull(op); op = irDefiningOp(memref)) {
    bool isForeign = irOpIs(op, "stitch.cluster_memory");
    access->memory = SHARED_MEMORY;
    access->isForeign = isForeign;
    if (isForeign || irOpIs(op, "gpu.dynamic_shared_memory"))
      break;
    if (irOpIs(op, "arith.select")) { // of arguments that anything may alias: each stands for the others
      memref = irOperand(op, 1);
      continue;
    }
    if (!irOpIs(op, "memref.view"))
      return false;
    access->isOwn |= irHasAttr(op, KERNEL_OWN_ATTRIBUTE);
    int64_t shift = beginOfView(a, op);
    bytes = shift < 0 ? INT64_MAX : bytes;
    begin += shift < 0 ? 0 : shift;
    memref = irOperand(op, 0);
  }
  if (mlirValueIsABlockArgument(memref))
    access->memory = mlirBlockArgumentGetArgNumber(memref);
  access->begin = bytes == INT64_MAX ? 0 : begin;
  access->end = bytes == INT64_MAX ? INT64_MAX : begin + bytes;
  return true;
}

static bool hasMemref(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirTypeIsAMemRef(mlirValueGetType(irOperand(op, i))))
      return true;
  return false;
}

/// Whether a loop ends with its first iteration: the step leads past the end from every beginning.
static bool runsAtMostOnce(MlirOperation loop) {
  int64_t end = constantIndex(irOperand(loop, 1)), step = constantIndex(irOperand(loop, 2));
  return end >= 0 && step >= end;
}

static bool addBlock(BarrierAnalysis *a, ControlNode *region, MlirBlock block);

/// An asynchronous copy loads and stores where it begins, and may store until a wait.
static bool addCopy(BarrierAnalysis *a, ControlNode *region, const KernelCopy *copy) {
  MemoryAccess source = {0}, target = {.isStore = true, .isCopy = true};
  if (!findMemory(a, copy->source, &source) || !findMemory(a, copy->target, &target))
    return false;
  addAccess(a, region, source);
  addAccess(a, region, target);
  return true;
}

/// At a wait: it is not known which copies have been begun before, nor in which iteration of a loop that alternates.
static void addWait(BarrierAnalysis *a, ControlNode *region) {
  addAccess(a, region, (MemoryAccess){.memory = SHARED_MEMORY, .end = INT64_MAX, .isStore = true, .isCopy = true});
}

/// A loop whose iterations alternate: pairs of them, any number of times, and perhaps one more.
static bool addAlternatingLoop(BarrierAnalysis *a, ControlNode *around, MlirOperation op) {
  intptr_t barriersBefore = a->numBarriers;
  int outer = a->parity;
  MlirBlock body = irBody(op, 0);
  ControlNode *pairs = addNode(a, around, NODE_REGION), *last = addNode(a, around, NODE_REGION);
  pairs->repeats = true;
  bool known = true;
  for (int i = 0; i < 3 && known; ++i) {
    a->parity = i % 2;
    known = addBlock(a, i < 2 ? pairs : last, body);
  }
  a->parity = outer;
  pairs->hasBarriers = last->hasBarriers = a->numBarriers > barriersBefore;
  return known;
}

/// The regions of an operation, each of which may run or not, those of a loop again and again.
static bool addRegions(BarrierAnalysis *a, ControlNode *around, MlirOperation op) {
  if (irHasAttr(op, KERNEL_ALTERNATES_ATTRIBUTE))
    return addAlternatingLoop(a, around, op);
  intptr_t barriersBefore = a->numBarriers;
  bool isBranch = irOpIs(op, "scf.if") || irOpIs(op, "scf.index_switch"), known = true;
  ControlNode *all = addNode(a, around, NODE_REGION);
  all->isChoice = isBranch;
  all->repeats = !isBranch && !(irOpIs(op, "scf.for") && runsAtMostOnce(op));
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op) && known; ++i) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    if (!mlirBlockIsNull(block))
      known = mlirBlockIsNull(mlirBlockGetNextInRegion(block)) && addBlock(a, addNode(a, all, NODE_REGION), block);
  }
  all->hasBarriers = a->numBarriers > barriersBefore;
  return known;
}

static bool addOperation(BarrierAnalysis *a, ControlNode *region, MlirOperation op) {
  KernelAccess access;
  KernelCopy copy;
  MemoryAccess bytes = {0};
  if (irOpIs(op, "gpu.barrier") || irOpIs(op, "stitch.block_any"))
    addBarrier(a, region, op, BARRIER_BLOCK);
  else if (irOpIs(op, "stitch.cluster_barrier"))
    addBarrier(a, region, op, BARRIER_CLUSTER);
  else if (irOpIs(op, "stitch.grid_barrier"))
    addBarrier(a, region, op, BARRIER_GRID);
  else if (kernelIsAccess(op, &access)) {
    if (!findMemory(a, access.memref, &bytes))
      return false;
    bytes.isStore = access.isStore;
    addAccess(a, region, bytes);
  } else if (kernelIsCopy(op, &copy)) {
    if (!addCopy(a, region, &copy))
      return false;
  } else if (irOpIs(op, "nvvm.cp.async.wait.group")) {
    addWait(a, region);
  } else if (hasMemref(op) && !irOpIs(op, "memref.view") && !irOpIs(op, "arith.select") &&
             !irOpIs(op, "stitch.cluster_memory") && !irOpIs(op, "stitch.prefetch"))
    return false;
  return mlirOperationGetNumRegions(op) == 0 || addRegions(a, region, op);
}

/// False if the block has something that the analysis does not know.
static bool addBlock(BarrierAnalysis *a, ControlNode *region, MlirBlock block) {
  intptr_t barriersBefore = a->numBarriers;
  IR_FOR_EACH_OP(op, block) {
    if (!addOperation(a, region, op))
      return false;
  }
  region->hasBarriers = a->numBarriers > barriersBefore;
  return true;
}

static bool buildTree(BarrierAnalysis *a) {
  MlirRegion body = mlirOperationGetRegion(a->kernel, 0);
  MlirBlock block = mlirRegionGetFirstBlock(body);
  MemoryAccess life = {.memory = SHARED_MEMORY, .end = INT64_MAX, .isStore = true, .isLife = true};
  a->root = (ControlNode){.kind = NODE_REGION};
  addAccess(a, &a->root, life);
  bool known =
      !mlirBlockIsNull(block) && mlirBlockIsNull(mlirBlockGetNextInRegion(block)) && addBlock(a, &a->root, block);
  addAccess(a, &a->root, life);
  return known;
}

//===----------------------------------------------------------------------===//
// Traversals
//===----------------------------------------------------------------------===//

static AccessWindow newWindow(BarrierAnalysis *a) {
  return (AccessWindow){IR_NEW_ARRAY(&a->windows, bool, a->numAccesses),
                        IR_NEW_ARRAY(&a->windows, bool, a->numAccesses)};
}

static void addWindow(const BarrierAnalysis *a, AccessWindow *to, const AccessWindow *from) {
  for (intptr_t i = 0; i < a->numAccesses; ++i) {
    to->ofBlock[i] |= from->ofBlock[i];
    to->ofCluster[i] |= from->ofCluster[i];
  }
}

static void clearWindow(const BarrierAnalysis *a, AccessWindow *window, BarrierKind kind) {
  memset(window->ofBlock, 0, (size_t)a->numAccesses * sizeof(bool));
  if (kind != BARRIER_BLOCK)
    memset(window->ofCluster, 0, (size_t)a->numAccesses * sizeof(bool));
}

static void sweepRegion(BarrierAnalysis *a, const ControlNode *region, bool forward, AccessWindow *open);

/// Of regions of which one runs at most.
static void sweepChoice(BarrierAnalysis *a, const ControlNode *choice, bool forward, AccessWindow *open) {
  AccessWindow behind = newWindow(a);
  addWindow(a, &behind, open);
  for (const ControlNode *node = choice->first; node; node = node->next) {
    AccessWindow inside = newWindow(a);
    addWindow(a, &inside, open);
    sweepRegion(a, node, forward, &inside);
    addWindow(a, &behind, &inside);
  }
  *open = behind;
}

static void sweepNode(BarrierAnalysis *a, const ControlNode *node, bool forward, AccessWindow *open) {
  if (node->kind == NODE_ACCESS) {
    open->ofBlock[node->number] = open->ofCluster[node->number] = true;
    return;
  }
  if (node->kind == NODE_BARRIER) {
    Barrier *barrier = &a->barriers[node->number];
    if (mlirOperationIsNull(barrier->op))
      return;
    addWindow(a, forward ? &barrier->before : &barrier->after, open);
    clearWindow(a, open, barrier->kind);
    return;
  }
  if (!node->hasBarriers) {
    sweepRegion(a, node, forward, open);
    return;
  }
  if (node->isChoice) {
    sweepChoice(a, node, forward, open);
    return;
  }
  AccessWindow around = newWindow(a);
  addWindow(a, &around, open);
  for (int run = 0; run < (node->repeats ? 2 : 1); ++run) { // the second one follows the first
    sweepRegion(a, node, forward, open);
    addWindow(a, open, &around);
  }
}

/// Adds the open accesses to each barrier of a region that the traversal meets; `open` becomes the open accesses at its
/// end.
static void sweepRegion(BarrierAnalysis *a, const ControlNode *region, bool forward, AccessWindow *open) {
  for (const ControlNode *node = forward ? region->first : region->last; node;
       node = forward ? node->next : node->previous)
    sweepNode(a, node, forward, open);
}

static void sweepKernel(BarrierAnalysis *a) {
  irArenaDestroy(&a->windows);
  for (intptr_t i = 0; i < a->numBarriers; ++i) {
    a->barriers[i].before = newWindow(a);
    a->barriers[i].after = newWindow(a);
  }
  AccessWindow open = newWindow(a);
  sweepRegion(a, &a->root, /*forward=*/true, &open);
  open = newWindow(a);
  sweepRegion(a, &a->root, /*forward=*/false, &open);
}

//===----------------------------------------------------------------------===//
// Accesses that a barrier separates
//===----------------------------------------------------------------------===//

/// The element type of an argument; of bytes, which may be parts of anything, null.
static MlirType elementOfArgument(const BarrierAnalysis *a, intptr_t number) {
  MlirType type = mlirShapedTypeGetElementType(mlirValueGetType(mlirBlockGetArgument(irBody(a->kernel, 0), number)));
  bool isByte = mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 8;
  return isByte ? (MlirType){NULL} : type;
}

/// Arguments are different memory if one of them is aliased by nothing, or if they have elements of different types. A
/// buffer that is updated in place, or loop-carried, has one type.
static bool mayBeSameMemory(const BarrierAnalysis *a, intptr_t x, intptr_t y) {
  if (x == y || x == SHARED_MEMORY || y == SHARED_MEMORY)
    return x == y;
  MlirType ofX = elementOfArgument(a, x), ofY = elementOfArgument(a, y);
  if (!mlirTypeIsNull(ofX) && !mlirTypeIsNull(ofY) && !mlirTypeEqual(ofX, ofY))
    return false;
  return mlirAttributeIsNull(kernelArgumentAttribute(a->kernel, x, "llvm.noalias")) &&
         mlirAttributeIsNull(kernelArgumentAttribute(a->kernel, y, "llvm.noalias"));
}

/// Whether a barrier must lie between. Two threads never store to one element of an argument without a grid barrier
/// between: buffers there share memory only so, and an output is written once. Bytes copied to shared memory are read
/// before anything else is copied there.
static bool conflict(const BarrierAnalysis *a, const MemoryAccess *x, const MemoryAccess *y) {
  if (!x->isStore && !y->isStore)
    return false;
  if ((x->isStore && y->isStore && x->memory != SHARED_MEMORY) || (x->isCopy && y->isCopy) || (x->isOwn && y->isOwn))
    return false;
  if (x->memory != y->memory)
    return mayBeSameMemory(a, x->memory, y->memory);
  return x->begin < y->end && y->begin < x->end;
}

/// Whether two accesses, one of `before` and one of `after`, conflict: of two blocks or of the threads of one.
static bool separates(const BarrierAnalysis *a, const bool *before, const bool *after, bool betweenBlocks) {
  for (intptr_t i = 0; i < a->numAccesses; ++i)
    for (intptr_t j = 0; before[i] && j < a->numAccesses; ++j) {
      const MemoryAccess *x = &a->accesses[i], *y = &a->accesses[j];
      bool isBetween = x->isForeign != y->isForeign,
           isWithin = !x->isForeign && !y->isForeign && !x->isLife && !y->isLife;
      if (after[j] && (betweenBlocks ? isBetween : isWithin) && conflict(a, x, y))
        return true;
    }
  return false;
}

/// Whether a barrier is needed, in one of its places in the tree at least.
static bool isNeeded(const BarrierAnalysis *a, MlirOperation op, bool betweenBlocks) {
  for (intptr_t i = 0; i < a->numBarriers; ++i) {
    const Barrier *barrier = &a->barriers[i];
    if (!mlirOperationEqual(barrier->op, op))
      continue;
    const AccessWindow *before = &barrier->before, *after = &barrier->after;
    if (separates(a, betweenBlocks ? before->ofCluster : before->ofBlock,
                  betweenBlocks ? after->ofCluster : after->ofBlock, betweenBlocks))
      return true;
  }
  return false;
}

/// Puts another barrier, or none, in the place of one.
static void replaceBarrier(BarrierAnalysis *a, MlirOperation op, MlirOperation by) {
  for (intptr_t i = 0; i < a->numBarriers; ++i)
    if (mlirOperationEqual(a->barriers[i].op, op))
      a->barriers[i] = (Barrier){.op = by, .kind = BARRIER_BLOCK};
  mlirOperationDestroy(op);
}

static MlirOperation blockBarrierBefore(MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  return irOp(&b, "gpu.barrier", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
}

/// Erases or weakens a barrier; false if all are needed.
static bool eliminateOne(BarrierAnalysis *a) {
  for (intptr_t i = 0; i < a->numBarriers; ++i) {
    MlirOperation op = a->barriers[i].op;
    bool isOfCluster = a->barriers[i].kind == BARRIER_CLUSTER;
    if (mlirOperationIsNull(op) || a->barriers[i].kind == BARRIER_GRID || irOpIs(op, "stitch.block_any"))
      continue;
    if (isOfCluster && isNeeded(a, op, /*betweenBlocks=*/true))
      continue;
    bool isNeededInBlock = isNeeded(a, op, /*betweenBlocks=*/false);
    if (isNeededInBlock && !isOfCluster)
      continue;
    replaceBarrier(a, op, isNeededInBlock ? blockBarrierBefore(op) : (MlirOperation){NULL});
    return true;
  }
  return false;
}

void eliminateBarriers(MlirOperation kernel) {
  BarrierAnalysis a = {.kernel = kernel, .parity = -1};
  bool changed = buildTree(&a) && a.numBarriers > 0;
  while (changed) {
    sweepKernel(&a);
    changed = eliminateOne(&a);
  }
  free(a.accesses);
  free(a.barriers);
  irArenaDestroy(&a.nodes);
  irArenaDestroy(&a.windows);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void run(StitchPassRun pass, MlirOperation gpuModule) {
  (void)pass;
  IR_FOR_EACH_OP(op, irBody(gpuModule, 0)) {
    if (irOpIs(op, "gpu.func"))
      eliminateBarriers(op);
  }
}

const StitchPassInfo eliminateBarriersPass = {
    .argument = "stitch-eliminate-barriers",
    .description = "Erase the block and cluster barriers of kernels that separate no accesses to memory",
    .anchor = "gpu.module",
    .run = run,
};
