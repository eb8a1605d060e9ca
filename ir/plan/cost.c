//===- cost.c - cost of operations and of memory traffic ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds the measured constants of the cost model and the formulas of single terms: instructions, memory, cache,
// exchanges, barriers. ir/plan/kernel_cost.c composes them to the time of a kernel.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/cost.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/resources.h"

#include <math.h>

typedef struct {
  int16_t rounded, reciprocal, approximate, wide, integer;
} Instructions;

static const Instructions instructionsOfKind[] = {
#define STITCH_INSTRUCTIONS(kind, ...) [TG_##kind] = {__VA_ARGS__},
#include "ir/plan/instructions.def"
#undef STITCH_INSTRUCTIONS
};

/// CACHE_BYTES_PER_CYCLE: the share of the second-level cache's bandwidth of each multiprocessor if all of them read
/// from there (bench/gpu on an H100).
enum {
  OTHER_INSTRUCTIONS = 16, ///< of an operation that is no elementwise one, for an element; of a window's, too
  WIDE_SLOTS = 2,          ///< of an instruction in f64, which half of the lanes have (Hopper; fewer before)
  REDUCE_INSTRUCTIONS = 2,
  INTEGER_TO_FLOAT = 3, ///< of at most 16 bits (lowering/scalar/scalar_convert.c)
  CONE_LIMIT = 256,
  LANES_PER_SM = 128,
  CACHE_BYTES_PER_CYCLE = 28,
  SECTOR_BYTES = 32
};

/// Instructions of an elementwise operation by its type, and by its relaxations of precision.
static int64_t instructionsOfElement(MlirOperation op, const Instructions *counts) {
  MlirType type = irElementTypeOf(irOperand(op, 0));
  if (mlirTypeIsAF64(type))
    return (int64_t)WIDE_SLOTS * counts->wide;
  if (mlirTypeIsAInteger(type))
    return counts->integer;
  if (irHasAttr(op, "tg.approximate"))
    return counts->approximate;
  return irHasAttr(op, "tg.reciprocal") ? counts->reciprocal : counts->rounded;
}

/// For an element of the result; a window combines each of its elements. A product that may be contracted
/// (tg-precision) is part of the addition that reads it.
static int64_t opInstructions(MlirOperation op) {
  enum { NUM_KINDS = sizeof(instructionsOfKind) / sizeof(instructionsOfKind[0]) };
  TgKind kind = tgKindOf(op);
  if (kind == TG_mul && tgOnlyAdditionsRead(op, /*besideProducts=*/false))
    return 0;
  if (kind == TG_convert && irIsInteger(irElementTypeOf(irOperand(op, 0))) &&
      irIsFloat(irElementTypeOf(irResult(op, 0))))
    return INTEGER_TO_FLOAT;
  if (kind == TG_concatenate)
    return COST_CONCATENATION * mlirOperationGetNumOperands(op);
  if (tgClassOfKind(kind) == TG_CLASS_WINDOW)
    return OTHER_INSTRUCTIONS * irNumElements(irGetDims(op, "window_dimensions"));
  if ((int)kind < NUM_KINDS && instructionsOfKind[kind].rounded > 0)
    return instructionsOfElement(op, &instructionsOfKind[kind]);
  switch (tgCostOfKind(kind)) {
  case TG_COST_FREE:
    return 0;
  case TG_COST_LIGHT:
    return 1;
  default:
    return OTHER_INSTRUCTIONS;
  }
}

/// For an element of the operands that a body combines.
static int64_t instructionsOfBody(MlirOperation op) {
  int64_t instructions = 0;
  IR_FOR_EACH_OP(inner, irBody(op, 0))
    instructions += opInstructions(inner);
  return instructions;
}

/// Whether a reduce adds products, each by one instruction (lowering/kernel/values/reduction.c).
static bool addsContracted(MlirOperation op) {
  MlirOperation product = irDefiningOp(irOperand(op, 0));
  return !mlirOperationIsNull(product) && tgKindOf(product) == TG_mul && tgKindOf(op) == TG_reduce &&
         tgOnlyAdditionsRead(product, /*besideProducts=*/false);
}

int64_t costInstructionsOf(MlirOperation op) {
  if (tgClassOfKind(tgKindOf(op)) != TG_CLASS_REDUCE)
    return opInstructions(op);
  if (mlirOperationGetNumRegions(op) > 0)
    return instructionsOfBody(op);
  return addsContracted(op) ? 1 : REDUCE_INSTRUCTIONS;
}

int64_t coneBytesRead(const GraphNode *reader, MlirValue operand) {
  int64_t bytes = irTensorBytes(mlirValueGetType(operand));
  if (reader->class == TG_CLASS_REDUCE || reader->class == TG_CLASS_WINDOW)
    return bytes;
  int64_t most = reader->elements * irElementBytes(irElementTypeOf(operand));
  return bytes < most ? bytes : most;
}

Cone coneOf(const IrGraph *graph, const bool *isRoot, int64_t node) {
  Cone cone = {0};
  IrMap seen = {0};
  int64_t stack[CONE_LIMIT], depth = 0;
  stack[depth++] = node;
  irMapSet(&seen, graph->nodes[node].op.ptr, 1);
  while (depth > 0) {
    const GraphNode *n = &graph->nodes[stack[--depth]];
    cone.instructions += opInstructions(n->op);
    ++cone.operations;
    for (int64_t i = 0; i < n->numOperands && !cone.truncated; ++i) {
      MlirValue operand = irOperand(n->op, i);
      int64_t from = n->operands[i].node;
      const void *key = from >= 0 ? graph->nodes[from].op.ptr : operand.ptr;
      if (irMapContains(&seen, key))
        continue;
      irMapSet(&seen, key, 1);
      if (from < 0 || isRoot[from])
        cone.inputBytes += coneBytesRead(n, operand);
      if (from < 0)
        continue;
      if (isRoot[from] && cone.numRoots < CONE_MAX_ROOTS)
        cone.roots[cone.numRoots++] = from;
      else if (isRoot[from] || depth + cone.operations >= CONE_LIMIT)
        cone.truncated = true;
      else
        stack[depth++] = from;
    }
  }
  irMapDestroy(&seen);
  return cone;
}

/// A thread that goes down columns shares its loads and conversions of the thin operand among its columns: SASS of 8
/// products has 11.3 in all. One that goes along rows does not.
int64_t costInstructionsOfThin(int64_t products, bool goesDownColumns) {
  enum { FOR_AN_ELEMENT = 2, FOR_A_PRODUCT = 4, FOR_8_OF_COLUMNS = 10 };
  return FOR_AN_ELEMENT + (goesDownColumns ? ceilDiv(FOR_8_OF_COLUMNS * products, 8) : FOR_A_PRODUCT * products);
}

double costOfOperation(const StitchDevice *device, MlirOperation op) {
  TgKind kind = tgKindOf(op);
  if (kind == TG_NONE || mlirOperationGetNumResults(op) == 0)
    return 0;
  bool reduces = tgClassOfKind(kind) == TG_CLASS_REDUCE;
  MlirValue value = reduces ? irOperand(op, 0) : irResult(op, 0);
  return costOfComputing(device, irNumElements(irShapeOf(value)), costInstructionsOf(op));
}

static int64_t numContracted(MlirOperation dot) {
  IrShape lhs = irShapeOf(irOperand(dot, 0)), contract = irGetDims(dot, "lhs_contract");
  int64_t contracted = 1;
  for (intptr_t i = 0; i < contract.rank; ++i)
    contracted *= lhs.dims[contract.dims[i]];
  return contracted;
}

/// Whether a product is one of a matrix and a vector, or several of them.
static bool isOfVector(MlirOperation dot) {
  int64_t elements = irNumElements(irShapeOf(irResult(dot, 0))) * max64(numContracted(dot), 1);
  return elements == irNumElements(irShapeOf(irOperand(dot, 0))) ||
         elements == irNumElements(irShapeOf(irOperand(dot, 1)));
}

/// Whether cuBLASLt splits the sums of a product: each tile of the result is a multiprocessor's, and most had none.
static bool isSplit(const StitchDevice *device, MlirOperation dot) {
  enum { TILE_ELEMENTS = 64 * 64, LEAST_CONTRACTED = 64 };
  return numContracted(dot) >= LEAST_CONTRACTED &&
         2 * irNumElements(irShapeOf(irResult(dot, 0))) <= device->sms * TILE_ELEMENTS;
}

double costOfLibrary(const StitchDevice *device, MlirOperation op) {
  enum { VECTOR = 1500, NARROW_PRODUCT = 1500, WIDE_PRODUCT = 2500, CONVOLUTION = 4000, SUM_OF_PARTS = 1500 };
  enum { NARROW_BITS = 16 };
  TgKind kind = tgKindOf(op);
  if (kind != TG_dot)
    return kind == TG_convolution ? CONVOLUTION : 0;
  if (isOfVector(op))
    return VECTOR;
  MlirType element = irElementTypeOf(irOperand(op, 0));
  bool isNarrow = irIsFloat(element) && mlirFloatTypeGetWidth(element) <= NARROW_BITS;
  return (isNarrow ? NARROW_PRODUCT : WIDE_PRODUCT) +
         (isSplit(device, op) ? (double)device->launchNs + SUM_OF_PARTS : 0);
}

static double clockGHz(const StitchDevice *device) { return (double)device->clockMHz / 1000; }

static double bandwidth(const StitchDevice *device) { return 0.9 * (double)device->bandwidthGBps; }

double costCacheSpeedup(const StitchDevice *device) {
  double cache = (double)(device->sms * CACHE_BYTES_PER_CYCLE) * clockGHz(device);
  return cache > bandwidth(device) ? cache / bandwidth(device) : 1;
}

double costOfCached(const StitchDevice *device, double bytes, int64_t sharers) {
  enum { FIRST_LEVEL = 4 };
  return costOfMoving(device, bytes / (double)min64(sharers, FIRST_LEVEL)) / costCacheSpeedup(device);
}

double costOfStrips(const StitchDevice *device, double rowBytes, double bytes, bool inStep) {
  static const double most = 4, ofCache = 1.2; // of half a sector; of sectors that are asked for from the cache
  double parts = SECTOR_BYTES / rowBytes, few = inStep ? parts * parts : parts * parts * parts * parts;
  bool isCached = 2 * bytes <= (double)device->l2Bytes;
  double cached = ofCache * parts > 1 ? ofCache * parts : 1, fromMemory = 1 + (few < most ? few : most);
  return isCached || cached > fromMemory ? cached : fromMemory;
}

double costOfRuns(double runBytes) {
  static const double ofSector = 1.35;
  double sectors = SECTOR_BYTES / runBytes;
  if (sectors < 1)
    return 1;
  return sectors > ofSector ? sectors : ofSector;
}

double costOfExchange(const StitchDevice *device, int64_t cluster) {
  enum { REMOTE_LOAD = 300 };
  return COST_EXCHANGE + (double)(cluster > 1 ? device->clusterBarrierNs + REMOTE_LOAD : 0);
}

double costOfComputingBy(const StitchDevice *device, double sms, double laneInstructions) {
  double busy = sms < (double)device->sms ? sms : (double)device->sms;
  return laneInstructions / (busy * LANES_PER_SM * clockGHz(device));
}

double costOfComputing(const StitchDevice *device, int64_t elements, int64_t instructions) {
  return costOfComputingBy(device, device->sms, (double)elements * (double)instructions);
}

double costOfMoving(const StitchDevice *device, double bytes) { return bytes / bandwidth(device); }

double costOfMovingBy(const StitchDevice *device, double sms, double bytes) {
  double bySMs = sms * PLAN_BYTES_PER_CYCLE * clockGHz(device);
  return bytes / (bySMs < bandwidth(device) ? bySMs : bandwidth(device));
}

/// Whole rounds move at the rate of all multiprocessors that have a block; the last one may have few of them.
static double costOfMovingInRounds(const StitchDevice *device, int64_t tasks, int64_t blocks, double bytes) {
  int64_t last = tasks - (ceilDiv(tasks, blocks) - 1) * blocks, before = tasks - last;
  double each = bytes / (double)tasks;
  return costOfMovingBy(device, (double)min64(blocks, device->sms), each * (double)before) +
         costOfMovingBy(device, (double)min64(last, device->sms), each * (double)last);
}

/// By how much longer few warps take to issue their instructions: each waits for its results. A scheduler's only warp
/// issues in every second cycle. (On an H200 sums over the keys of a cache, 1600 instructions by one block of 128
/// threads a multiprocessor, took 2 us.)
static double costOfFewWarps(const StitchDevice *device, const CostTasks *t) {
  enum { SCHEDULERS = 4 }; // of a multiprocessor
  static const double ofWarp = 0.5;
  if (t->threads == 0)
    return 1;
  double blocks = (double)t->blocks / (double)min64(t->blocks, device->sms);
  double busy = ofWarp * blocks * (double)t->threads / (PLAN_WARP * SCHEDULERS);
  return busy < 1 ? 1 / busy : 1;
}

CostTerms costOfTasks(const StitchDevice *device, const CostTasks *t) {
  static const double ofLatency =
      0.8; // of a task, that nothing hides of blocks in step: fitted to bench/gpu on an H100
  int64_t tasks = max64(t->tasks, 1), blocks = max64(t->blocks, 1), rounds = ceilDiv(tasks, blocks);
  int64_t ofBusiest = ceilDiv(tasks, min64(device->sms, blocks));
  double evenly = (double)tasks / (double)ofBusiest; // multiprocessors that would take as long
  double waits = (double)(max64(t->loads, 1) - 1) * COST_MEMORY_LATENCY;
  CostTerms terms = {.memory = costOfMovingInRounds(device, tasks, blocks, t->bytes),
                     .instructions = costOfFewWarps(device, t) * costOfComputingBy(device, evenly, t->laneInstructions),
                     .rounds = (double)(rounds - 1) * (t->again > 0 ? t->again : t->latency) + (double)rounds * waits,
                     .numRounds = rounds};
  terms.exposed = t->exposed * (terms.memory < terms.instructions ? terms.memory : terms.instructions);
  double perSM = (double)blocks / (double)device->sms;
  if (t->inStep)
    terms.exposed += ofLatency * (double)(rounds - 1) * t->latency / (perSM > 1 ? sqrt(perSM) : 1);
  return terms;
}

double costOfAskedAhead(const StitchDevice *device, double memory, double asked, double waiting) {
  double fromCache = memory / costCacheSpeedup(device), served = (memory > asked ? memory - asked : 0) + waiting;
  double needed = fromCache > served ? fromCache : served;
  return asked > 0 && needed < memory ? needed : memory;
}

double costOfBarrier(const StitchDevice *device, int64_t blocksPerSM) {
  static const double ofBlock = 0.3;
  return (double)device->barrierNs * (1 + ofBlock * (double)(max64(blocksPerSM, 1) - 1));
}

double costBytesUnderWay(const StitchDevice *device, int64_t sms) {
  return bandwidth(device) * COST_MEMORY_LATENCY * (double)sms / (double)device->sms;
}
