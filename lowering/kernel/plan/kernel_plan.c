//===- kernel_plan.c - the plan of a fusion, read from its attributes ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a fusion with the attributes of its plan (docs/ir.md, section 2). Leaves the KernelPlan that the emitter reads:
// roots, buffers, phases and launch. Attributes that contradict each other are errors on the fusion.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/plan/kernel_plan.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/prefetch.h"
#include "ir/plan/scan.h"
#include "ir/plan/schedule.h"
#include "ir/plan/staging.h"

#include <stdlib.h>
#include <string.h>

/// A constant that has no single value and therefore lives in memory.
static bool isMemoryConstant(MlirOperation op) { return tgKindOf(op) == TG_constant && !tgIsSplat(op); }

/// The results of a root, and where each is in its buffer: docs/ir.md, section 2, "Buffers".
static bool readResults(MlirOperation op, KernelRoot *root) {
  root->numResults = mlirOperationGetNumResults(op);
  if (root->numResults < 1 || root->numResults > KERNEL_MAX_RESULTS) {
    stitchEmitOpError(op, "cannot be a root of a kernel: it has %ld results, and a root has 1 to %d",
                      (long)root->numResults, KERNEL_MAX_RESULTS);
    return false;
  }
  root->numElements = irNumElements(irShapeOf(irResult(op, 0)));
  int64_t offset = root->buffer.offset;
  for (intptr_t i = 0; i < root->numResults; ++i) {
    MlirValue value = irResult(op, i);
    if (irNumElements(irShapeOf(value)) != root->numElements) {
      stitchEmitOpError(op, "cannot be a root of a kernel: its results differ in their shapes");
      return false;
    }
    root->results[i] = (KernelResult){.value = value, .bufferOffset = offset};
    offset += planBufferBytes(op, i, &root->mapping, root->scheme);
  }
  root->transposed = planIsTransposed(op);
  root->byOperand = planGoesByOperand(op);
  root->stacked = planIsStacked(op);
  if (root->byOperand)
    root->numElements = irNumElements(planIterationShape(op));
  return true;
}

//===----------------------------------------------------------------------===//
// Open sizes
//===----------------------------------------------------------------------===//

/// The number of a symbol in the plan; -1 of a null name.
static intptr_t symbolNumber(const KernelPlan *plan, MlirAttribute name) {
  for (intptr_t i = 0; !mlirAttributeIsNull(name) && i < plan->numSymbols; ++i)
    if (mlirAttributeEqual(plan->symbols[i].name, name))
      return i;
  return -1;
}

static intptr_t symbolOf(const KernelPlan *plan, MlirType type) { return symbolNumber(plan, irSymbolName(type)); }

static bool addSymbol(KernelPlan *plan, MlirType type) {
  if (mlirAttributeIsNull(irSymbolName(type)) || symbolOf(plan, type) >= 0)
    return true;
  IrSymbol symbol = irSymbolOf(plan->fusion, type);
  if (mlirAttributeIsNull(symbol.name)) {
    stitchEmitOpError(plan->fusion, "has a tensor with an open size that no argument of the function has");
    return false;
  }
  plan->symbols[plan->numSymbols++] = symbol;
  return true;
}

/// The symbols of the fusion's tensors, in order of their first use.
static bool readSymbols(KernelPlan *plan, IrArena *arena) {
  intptr_t most = mlirBlockGetNumArguments(plan->body);
  IR_FOR_EACH_OP(op, plan->body)
    most += mlirOperationGetNumResults(op);
  plan->symbols = IR_NEW_ARRAY(arena, IrSymbol, most + 1);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(plan->body); ++i)
    if (!addSymbol(plan, mlirValueGetType(mlirBlockGetArgument(plan->body, i))))
      return false;
  IR_FOR_EACH_OP(op, plan->body)
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      if (!addSymbol(plan, mlirValueGetType(irResult(op, i))))
        return false;
  return true;
}

/// `size` for the largest value of a symbol.
static Extent extentWith(const KernelPlan *plan, int64_t size, intptr_t symbol) {
  return symbol < 0 ? extentOf(size) : (Extent){size, size / plan->symbols[symbol].high, symbol};
}

Extent kernelOutermost(const KernelPlan *plan, MlirType type) {
  return extentWith(plan, irTypeShape(type).dims[0], symbolOf(plan, type));
}

static bool readExtents(const KernelPlan *plan, KernelRoot *root) {
  const StitchMapping *m = &root->mapping;
  MlirType stored = mlirValueGetType(root->byOperand ? irOperand(root->op, 0) : root->results[0].value);
  PlanOpenSizes open = planOpenSizes(root->op, m);
  root->rows = extentWith(plan, m->rows, symbolNumber(plan, open.ofRows));
  root->columns = extentWith(plan, m->columns, symbolNumber(plan, open.ofColumns));
  root->elements = extentWith(plan, root->numElements, symbolOf(plan, stored));
  bool inRows = extentIsOpen(root->rows);
  const Extent *depends = inRows ? &root->rows : &root->columns;
  if (!extentIsOpen(*depends))
    return true;
  int64_t high = plan->symbols[depends->symbol].high, vector = inRows && !root->transposed ? 1 : m->vector;
  if (depends->most % high == 0 && depends->most / high % vector == 0)
    return true;
  stitchEmitOpError(root->op,
                    "has a mapping of %lld x %lld in vectors of %lld that does not fit a size of at most %lld",
                    (long long)m->rows, (long long)m->columns, (long long)m->vector, (long long)high);
  return false;
}

static bool readRoot(const KernelPlan *plan, MlirOperation op, KernelRoot *root) {
  *root = (KernelRoot){.op = op, .group = irGetInt(op, "stitch.group", 0)};
  if (!planGetMapping(op, &root->mapping) || !planGetScheme(op, &root->scheme)) {
    stitchEmitOpError(op, "is a root but has no stitch.mapping or no stitch.scheme: run the planning passes first");
    return false;
  }
  root->hasBuffer = planGetBuffer(op, &root->buffer);
  root->isReduce = tgClassOfKind(tgKindOf(op)) == TG_CLASS_REDUCE;
  root->isSplit = root->isReduce && root->mapping.split > 1;
  if (!readResults(op, root) || !readExtents(plan, root))
    return false;
  if ((root->scheme == STITCH_SCHEME_GLOBAL || root->isSplit) && !planIsReadFromResults(op, &root->mapping)) {
    if (!root->hasBuffer || (root->buffer.space != STITCH_SPACE_SCRATCH && plan->launch.grid > 1)) {
      stitchEmitOpError(op, "needs a stitch.buffer in scratch memory: its value is read by other blocks");
      return false;
    }
  }
  return true;
}

static bool readRoots(KernelPlan *plan, IrArena *arena) {
  intptr_t count = 0, numConstants = 0;
  IR_FOR_EACH_OP(op, plan->body) {
    count += planIsRoot(op);
    numConstants += isMemoryConstant(op);
  }
  plan->roots = IR_NEW_ARRAY(arena, KernelRoot, count);
  plan->constants = IR_NEW_ARRAY(arena, MlirOperation, numConstants);
  IR_FOR_EACH_OP(op, plan->body) {
    if (isMemoryConstant(op))
      plan->constants[plan->numConstants++] = op;
    if (!planIsRoot(op))
      continue;
    if (!readRoot(plan, op, &plan->roots[plan->numRoots]))
      return false;
    irMapSet(&plan->rootOf, op.ptr, plan->numRoots++);
  }
  return true;
}

/// Null if the operation is none.
static KernelRoot *rootOf(KernelPlan *plan, MlirOperation op) {
  int64_t root = mlirOperationIsNull(op) ? -1 : irMapGet(&plan->rootOf, op.ptr, -1);
  return root < 0 ? NULL : &plan->roots[root];
}

static bool readOutputs(KernelPlan *plan, IrArena *arena) {
  MlirOperation yield = mlirBlockGetTerminator(plan->body);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    KernelRoot *root = rootOf(plan, irDefiningOp(irOperand(yield, i)));
    if (!root) {
      stitchEmitOpError(yield, "yields operand #%ld, which is not a root of the plan", (long)i);
      return false;
    }
    KernelResult *result = &root->results[mlirOpResultGetResultNumber(irOperand(yield, i))];
    if (!result->outputs)
      result->outputs = IR_NEW_ARRAY(arena, intptr_t, mlirOperationGetNumOperands(yield));
    result->outputs[result->numOutputs++] = i;
    root->isOutput = true;
  }
  return true;
}

static void takeLoop(KernelPlan *plan, IrArena *arena, const IrGraph *graph, const PlanSchedule *schedule,
                     int64_t number) {
  const PlanLoop *loop = &schedule->loops[number];
  KernelLoop *taken = &plan->loops[plan->numLoops++];
  *taken = (KernelLoop){.mapping = loop->mapping,
                        .phase = loop->phase,
                        .rows = extentWith(plan, loop->mapping.rows, symbolNumber(plan, loop->open.ofRows)),
                        .columns = extentWith(plan, loop->mapping.columns, symbolNumber(plan, loop->open.ofColumns)),
                        .finishes = loop->finishes,
                        .isAgain = loop->keptFrom >= 0,
                        .hasOneEach = scheduleHasOneEach(graph, &plan->launch, schedule, number),
                        .isInPhases = scheduleIsInPhases(schedule, number),
                        .numRoots = loop->numRoots};
  taken->roots = IR_NEW_ARRAY(arena, intptr_t, loop->numRoots);
}

/// The phases, loops and stages of the schedule. False after a diagnostic.
static bool readSchedule(KernelPlan *plan, IrArena *arena) {
  PlanSchedule s;
  IrGraph graph = irGraphCreate(plan->body);
  bool succeeded =
      scheduleRead(plan->fusion, &graph, arena, &s) && scheduleCheckKept(plan->fusion, &graph, &plan->launch, &s);
  plan->numPhases = s.numPhases;
  plan->loops = IR_NEW_ARRAY(arena, KernelLoop, s.numLoops + 1);
  for (int64_t i = 0; i < s.numLoops && succeeded; ++i) {
    takeLoop(plan, arena, &graph, &s, i);
    for (int64_t j = 0; j < s.loops[i].numRoots; ++j) {
      int64_t node = s.loops[i].roots[j];
      KernelRoot *root = rootOf(plan, graph.nodes[node].op);
      plan->loops[i].roots[j] = root - plan->roots;
      root->phase = s.phases[node];
      root->loop = s.loopOf[node];
      root->stage = s.stages[node];
    }
  }
  irGraphDestroy(&graph);
  return succeeded;
}

static bool isPowerOfTwo(int64_t n) { return (n & (n - 1)) == 0; }

static bool checkMapping(const KernelPlan *plan, const KernelRoot *root) {
  const StitchMapping *m = &root->mapping;
  int64_t elements = irNumElements(planIterationShape(root->op));
  if (planBlockSize(m) != plan->launch.block) {
    stitchEmitOpError(root->op, "is mapped to blocks of %lld threads in a kernel with blocks of %lld",
                      (long long)planBlockSize(m), (long long)plan->launch.block);
    return false;
  }
  bool powers =
      isPowerOfTwo(m->rowThreads) && isPowerOfTwo(m->blockRows) && isPowerOfTwo(m->vector) && isPowerOfTwo(m->cluster);
  bool isOfAxes = m->kind == STITCH_MAPPING_AXES; // each of which is a multiple of its vectors
  if (!powers || m->vector > KERNEL_MAX_LANES || (!isOfAxes && m->vector > 1 && m->columns % planRunOf(m) != 0)) {
    stitchEmitOpError(root->op,
                      "has a mapping with block_rows = %lld, row_threads = %lld, vector = %lld and cluster = %lld: all "
                      "must be powers of two, vector at most %d and a divisor of columns",
                      (long long)m->blockRows, (long long)m->rowThreads, (long long)m->vector, (long long)m->cluster,
                      KERNEL_MAX_LANES);
    return false;
  }
  if (isOfAxes && (root->stacked || plan->numSymbols > 0)) {
    stitchEmitOpError(root->op, "has a mapping of axes: it must not be a stack, and all sizes must be known");
    return false;
  }
  if (root->stacked && (plan->numSymbols > 0 || (m->kind != STITCH_MAPPING_ROW && m->kind != STITCH_MAPPING_KEPT))) {
    stitchEmitOpError(root->op, "is a stack: it must go by rows or by kept columns, and all sizes must be known");
    return false;
  }
  if (m->run > 0 && (root->byOperand || plan->numSymbols > 0)) {
    stitchEmitOpError(root->op,
                      "has vectors that begin at aligned addresses: it must go by its own elements, all sizes of "
                      "which are known");
    return false;
  }
  int64_t carrying = m->split * m->cluster;
  if (m->kind == STITCH_MAPPING_CARRIED && (!root->isReduce || carrying != plan->launch.grid)) {
    stitchEmitOpError(
        root->op, "accumulates column sums in %lld blocks: it must be a reduce, and the grid, of %lld blocks, as large",
        (long long)carrying, (long long)plan->launch.grid);
    return false;
  }
  int64_t workers = plan->launch.grid / planLoopMapping(m).cluster;
  if (m->kind == STITCH_MAPPING_CARRIED && !planKeepsColumns(m, workers)) {
    stitchEmitOpError(
        root->op,
        "accumulates column sums by vectors of %lld at aligned addresses: those of a thread must have the same columns "
        "in all of its rows",
        (long long)m->vector);
    return false;
  }
  bool maySplit = m->kind == STITCH_MAPPING_CARRIED || isOfAxes;
  bool sameClusters = m->cluster == plan->launch.cluster && (maySplit || m->split == 1);
  int64_t mapped = planMappedElements(m) * planStackOf(root->op, m);
  if (m->cluster > 1 && (!sameClusters || mapped != elements)) {
    stitchEmitOpError(root->op,
                      "is mapped to clusters of %lld blocks: the launch must have such clusters (it has %lld), and the "
                      "mapping one chunk for each row, or of all rows, and all elements",
                      (long long)m->cluster, (long long)plan->launch.cluster);
    return false;
  }
  if (root->transposed && (m->kind != STITCH_MAPPING_TILE || m->rows % m->vector != 0)) {
    stitchEmitOpError(root->op, "goes along rows: it needs a tile mapping whose vectors of %lld divide its %lld rows",
                      (long long)m->vector, (long long)m->rows);
    return false;
  }
  bool whole = root->isReduce || m->kind == STITCH_MAPPING_COLUMN;
  bool covered = m->kind == STITCH_MAPPING_KEPT ? mapped == elements
                 : whole                        ? m->rows * m->columns == elements
                                                : elements % m->rows == 0;
  if (!covered) {
    stitchEmitOpError(root->op, "has %lld elements, which its mapping of %lld rows x %lld columns does not cover",
                      (long long)elements, (long long)m->rows, (long long)m->columns);
    return false;
  }
  return true;
}

bool kernelPlanRead(MlirOperation fusion, IrArena *arena, KernelPlan *plan) {
  *plan = (KernelPlan){.fusion = fusion, .body = irBody(fusion, 0)};
  if (!planGetLaunch(fusion, &plan->launch)) {
    stitchEmitOpError(fusion, "has no stitch.launch: run the planning passes first");
    return false;
  }
  plan->hasOwnPlan = planHasOwnPlan(fusion);
  if (!readSymbols(plan, arena) || !readRoots(plan, arena))
    return false;
  if (plan->hasOwnPlan) {
    plan->numPrefetches = planPrefetches(fusion, arena, &plan->prefetches);
    kernelReadSlices(plan, arena);
    kernelReadLoop(plan, arena);
    return true;
  }
  if (!readOutputs(plan, arena))
    return false;
  for (intptr_t i = 0; i < plan->numRoots; ++i)
    if (!checkMapping(plan, &plan->roots[i]))
      return false;
  kernelReadSlices(plan, arena);
  kernelReadLoop(plan, arena);
  plan->reductionBytes = planExchangeBytes(fusion);
  if (!readSchedule(plan, arena))
    return false;
  kernelPackLoops(plan, arena);
  kernelOrderRoots(plan);
  if (!kernelReadResidents(plan, arena))
    return false;
  plan->numPrefetches = planPrefetches(fusion, arena, &plan->prefetches);
  if (plan->numPhases - 1 > plan->launch.barriers) {
    stitchEmitOpError(fusion, "needs %lld grid barriers but its stitch.launch has %lld", (long long)plan->numPhases - 1,
                      (long long)plan->launch.barriers);
    return false;
  }
  return true;
}

void kernelPlanDestroy(KernelPlan *plan) { irMapDestroy(&plan->rootOf); }

int64_t kernelPlanSharedBytes(const KernelPlan *plan) {
  if (plan->hasOwnPlan)
    return plan->launch.shared;
  int64_t bytes = max64(planReductionAreaBytes(plan->fusion), kernelResidentEnd(plan));
  PlanStaging staging;
  if (planGetStaging(plan->fusion, &staging))
    bytes = max64(bytes, staging.offset + staging.bytes);
  for (intptr_t i = 0; i < plan->numRoots; ++i) {
    const KernelRoot *root = &plan->roots[i];
    int64_t end = root->buffer.offset + root->buffer.size;
    bool isNear = root->hasBuffer && root->buffer.space == STITCH_SPACE_SHARED && root->scheme == STITCH_SCHEME_GLOBAL;
    if ((root->inSharedMemory || isNear) && end > bytes)
      bytes = end;
  }
  return bytes;
}
