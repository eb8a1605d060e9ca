//===- skinny.c - a few rows times large matrices, on tensor cores -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a fusion of products of few rows by weights (skinny.h). Leaves its sizes, the plan with the least time by the
// cost model, and the launch and the time of its kernel.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/skinny.h"

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/map.h"
#include "ir/mlir/symbol.h"
#include "ir/plan/attention_products.h"
#include "ir/plan/plan.h"
#include "ir/plan/prefetch.h"
#include "ir/plan/resources.h"

//===----------------------------------------------------------------------===//
// The sizes of a body
//===----------------------------------------------------------------------===//

static int64_t freeElements(MlirOperation dot, intptr_t operand) {
  return irNumElements(productSizes(irOperand(dot, operand), productFree(dot, operand)));
}

bool skinnyProduct(MlirOperation dot, SkinnySizes *sizes, const char **reason) {
  MlirValue lhs = irOperand(dot, 0), rhs = irOperand(dot, 1);
  MlirType element = irElementTypeOf(lhs);
  *reason = irHasOpenSize(dot)                                       ? "has an open size"
            : !(mlirTypeIsAF16(element) || mlirTypeIsABF16(element)) ? "is not of f16 or bf16"
            : !mlirTypeEqual(element, irElementTypeOf(rhs))          ? "is of two types"
            : !productMultipliesFloats(dot)                          ? "is not of floats"
            : productBatch(dot, 0).rank > 0                          ? "has a batch"
            : productContract(dot, 0).rank != 1                      ? "has not one contracted dimension"
            : irNumElements(irShapeOf(lhs)) == 0 || irNumElements(irShapeOf(rhs)) == 0 ? "is empty"
                                                                                       : NULL;
  if (*reason)
    return false;
  int64_t free[] = {freeElements(dot, 0), freeElements(dot, 1)};
  intptr_t thin = free[1] < free[0];
  IrShape weights = irShapeOf(irOperand(dot, 1 - thin));
  *sizes = (SkinnySizes){.numProducts = 1,
                         .products = {dot},
                         .thin = thin,
                         .rows = free[thin],
                         .columns = free[1 - thin],
                         .depth = productSizes(lhs, productContract(dot, 0)).dims[0],
                         .isAlongDepth = productContract(dot, 1 - thin).dims[0] == weights.rank - 1};
  *reason = sizes->rows > SKINNY_MOST_ROWS                           ? "has too many rows"
            : sizes->columns % SKINNY_TILE_COLUMNS != 0              ? "has columns that are no multiple of 8"
            : sizes->depth % (SKINNY_GROUP * SKINNY_LANE_DEPTH) != 0 ? "contracts no multiple of 16 elements"
                                                                     : NULL;
  return !*reason;
}

bool skinnyIsLike(const SkinnySizes *others, const SkinnySizes *own) {
  MlirOperation dot = own->products[0], first = others->products[0];
  return own->thin == others->thin && own->isAlongDepth == others->isAlongDepth &&
         mlirValueEqual(irOperand(dot, own->thin), irOperand(first, own->thin)) &&
         productContract(dot, own->thin).dims[0] == productContract(first, own->thin).dims[0] &&
         mlirTypeEqual(mlirValueGetType(irResult(dot, 0)), mlirValueGetType(irResult(first, 0)));
}

bool skinnyCanRead(MlirOperation op) {
  TgClass class = tgClassOfKind(tgKindOf(op));
  return mlirOperationGetNumResults(op) == 1 &&
         (class == TG_CLASS_ELEMENTWISE || class == TG_CLASS_SHAPE || class == TG_CLASS_SOURCE);
}

bool skinnyCanFollow(MlirOperation dot, MlirOperation op) {
  return tgClassOfKind(tgKindOf(op)) == TG_CLASS_ELEMENTWISE && mlirOperationGetNumResults(op) == 1 &&
         irShapesEqual(irShapeOf(irResult(op, 0)), irShapeOf(irResult(dot, 0)));
}

/// Operations that depend on the products: operation -> 1.
typedef struct {
  SkinnySizes *sizes;
  IrMap behind;
} SkinnyBody;

static bool isBehind(const SkinnyBody *w, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && irMapContains(&w->behind, op.ptr);
}

static const char *addProduct(SkinnyBody *w, MlirOperation dot) {
  SkinnySizes own, *all = w->sizes;
  const char *reason;
  if (!skinnyProduct(dot, &own, &reason))
    return reason;
  irMapSet(&w->behind, dot.ptr, 1);
  if (all->numProducts == 0) {
    *all = own;
    return NULL;
  }
  if (!skinnyIsLike(all, &own) || all->numProducts == SKINNY_MOST_PRODUCTS)
    return "is not a product like the first one, of the same thin operand, or is one too many";
  all->products[all->numProducts++] = dot;
  return NULL;
}

static const char *reasonAgainst(SkinnyBody *w, MlirOperation op) {
  bool follows = false, isYield = irOpIs(op, "stitch.yield");
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    bool is = isBehind(w, irOperand(op, i));
    follows |= is;
    if (isYield && !is)
      return "returns a value that does not depend on its products";
  }
  if (isYield)
    return w->sizes->numProducts > 0 ? NULL : "has no tg.dot";
  if (tgKindOf(op) == TG_dot)
    return follows ? "multiplies a value that depends on another product" : addProduct(w, op);
  if (!follows)
    return skinnyCanRead(op) ? NULL : "is nothing that weights can be made of";
  irMapSet(&w->behind, op.ptr, 1);
  return skinnyCanFollow(w->sizes->products[0], op) ? NULL : "is not element by element in the products' shape";
}

bool skinnySizesOf(MlirBlock body, SkinnySizes *sizes, const char **reason, MlirOperation *culprit) {
  *sizes = (SkinnySizes){0};
  *reason = NULL;
  SkinnyBody w = {.sizes = sizes};
  IR_FOR_EACH_OP(op, body) {
    *culprit = op;
    *reason = reasonAgainst(&w, op);
    if (*reason)
      break;
  }
  irMapDestroy(&w.behind);
  return !*reason;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

enum { WORD_BYTES = 4, OPERAND_BYTES = 2 };

static int64_t tilesOf(const SkinnySizes *s) { return ceilDiv(s->rows, SKINNY_TILE_ROWS); }

/// Whether a plan divides the contracted elements and the columns.
static bool divides(const SkinnySizes *s, const StitchSkinny *plan) {
  int64_t steps = s->depth / (SKINNY_GROUP * plan->depth);
  return s->columns % (SKINNY_TILE_COLUMNS * plan->columns) == 0 && s->depth % (SKINNY_GROUP * plan->depth) == 0 &&
         steps % (plan->warps * plan->unroll) == 0;
}

/// Bytes of memory of one weight: of packed ones parts of a byte.
static double weightBytes(MlirOperation fusion, const SkinnySizes *s) {
  double bytes = 0, read, written;
  skinnyTraffic(fusion, &read, &written);
  bytes = read - (double)irTensorBytes(mlirValueGetType(irOperand(s->products[0], s->thin)));
  return bytes / (double)(s->numProducts * s->columns * s->depth);
}

/// Sums, loads that are not yet converted, and the operands of one product.
static int64_t registersOf(const SkinnySizes *s, const StitchSkinny *plan, double bytes) {
  int64_t sums = s->numProducts * tilesOf(s) * plan->columns * 4;
  int64_t weights = s->numProducts * plan->columns * plan->depth, rows = 2 * tilesOf(s) * plan->depth;
  int64_t loaded = (int64_t)((double)(plan->unroll * weights) * bytes / WORD_BYTES + 0.5) +
                   plan->unroll * rows * OPERAND_BYTES / WORD_BYTES;
  return planRegistersUp(sums + loaded + weights * OPERAND_BYTES / WORD_BYTES + PLAN_BESIDE_SUMS);
}

static StitchLaunch launchOf(MlirOperation fusion, const SkinnySizes *s, const StitchSkinny *plan,
                             const StitchDevice *device) {
  int64_t columns = SKINNY_TILE_COLUMNS * plan->columns;
  StitchLaunch launch = {.grid = s->columns / columns,
                         .block = plan->warps * PLAN_WARP,
                         .registers = registersOf(s, plan, weightBytes(fusion, s)),
                         .shared = s->numProducts * plan->warps * tilesOf(s) * SKINNY_TILE_ROWS * columns * WORD_BYTES,
                         .cluster = 1};
  launch.registers = planSpareRegisters(device, launch.block, launch.registers, launch.shared);
  return launch;
}

static bool fits(const StitchLaunch *launch, const StitchDevice *device) {
  return launch->shared <= device->sharedPerBlock && launch->registers <= PLAN_MOST_REGISTERS &&
         launch->grid <= INT32_MAX && planBlocksPerSM(device, launch->block, launch->registers, launch->shared) > 0;
}

bool skinnyLaunch(MlirOperation fusion, const StitchDevice *device, StitchLaunch *launch) {
  MlirAttribute attribute = irGetAttr(fusion, PLAN_SKINNY);
  SkinnySizes sizes;
  const char *reason;
  MlirOperation culprit;
  if (!skinnySizesOf(irBody(fusion, 0), &sizes, &reason, &culprit)) {
    stitchEmitOpError(culprit, "%s, in a fusion with %s", reason, PLAN_SKINNY);
    return false;
  }
  StitchSkinny plan = stitchSkinnyAttrValue(attribute);
  if (!divides(&sizes, &plan)) {
    stitchEmitOpError(fusion, "multiplies %lld x %lld elements, which its %s does not divide", (long long)sizes.depth,
                      (long long)sizes.columns, PLAN_SKINNY);
    return false;
  }
  *launch = launchOf(fusion, &sizes, &plan, device);
  if (fits(launch, device))
    return true;
  stitchEmitOpError(fusion,
                    "needs blocks of %lld threads, %lld registers and %lld bytes of shared memory, which the "
                    "device cannot hold",
                    (long long)launch->block, (long long)launch->registers, (long long)launch->shared);
  return false;
}

void skinnyTraffic(MlirOperation fusion, double *read, double *written) {
  MlirBlock body = irBody(fusion, 0);
  *read = *written = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    *read += (double)irTensorBytes(mlirValueGetType(mlirBlockGetArgument(body, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    *written += (double)irTensorBytes(mlirValueGetType(irResult(fusion, i)));
}

void skinnyInputReads(MlirOperation fusion, IrArena *arena, PlanInputReads *reads) {
  MlirBlock body = irBody(fusion, 0);
  intptr_t count = mlirBlockGetNumArguments(body);
  *reads = (PlanInputReads){.numPhases = 1,
                            .numInputs = count,
                            .phaseOf = IR_NEW_ARRAY(arena, int64_t, count + 1),
                            .bytes = IR_NEW_ARRAY(arena, double, count + 1)};
  for (intptr_t i = 0; i < count; ++i) {
    reads->phaseOf[i] = 0;
    reads->bytes[i] = (double)irTensorBytes(mlirValueGetType(mlirBlockGetArgument(body, i)));
  }
}

//===----------------------------------------------------------------------===//
// The cost
//===----------------------------------------------------------------------===//

double skinnyWeightInstructions(MlirOperation fusion, const SkinnySizes *s, const StitchSkinny *plan) {
  // A word of the tensor core's has two weights: neighbours in memory, or of two rows, which an instruction puts
  // together.
  double weights = (double)(s->numProducts * s->columns * s->depth), instructions = 0;
  double vector = (double)(s->isAlongDepth ? plan->depth : plan->columns);
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    bool isOfWeights =
        mlirOperationGetNumResults(op) == 1 && tgKindOf(op) != TG_dot && tgClassOfKind(tgKindOf(op)) != TG_CLASS_SOURCE;
    if (isOfWeights)
      instructions += (double)irNumElements(irShapeOf(irResult(op, 0))) * (double)costInstructionsOf(op);
  }
  return instructions + weights * (COST_ACCESS / vector + (s->isAlongDepth ? 0 : 0.5));
}

/// Memory time of the bytes that blocks prefetch before they wait for the kernel before.
static double askedAhead(MlirOperation fusion, const StitchDevice *device) {
  IrArena arena = {0};
  StitchPrefetch *prefetches;
  double bytes = 0;
  for (intptr_t i = planPrefetches(fusion, &arena, &prefetches); i-- > 0;)
    bytes += (double)prefetches[i].bytes;
  irArenaDestroy(&arena);
  return costOfMoving(device, bytes);
}

static void costOf(MlirOperation fusion, const SkinnySizes *s, const StitchSkinny *plan, const StitchLaunch *launch,
                   const StitchDevice *device, PlanCost *cost) {
  // Issue slots that an mma.sync takes of a multiprocessor: 62 % of the rate of wgmma on an H100 (public measurements).
  static const double ofProduct = 6;
  double tiles = (double)tilesOf(s), weights = (double)(s->numProducts * s->columns * s->depth);
  double bytes = weightBytes(fusion, s);
  int64_t steps = s->depth / (SKINNY_GROUP * plan->depth), loads = steps / (plan->warps * plan->unroll);
  int64_t run =
      (int64_t)(bytes * (double)(s->isAlongDepth ? SKINNY_GROUP * plan->depth : SKINNY_TILE_COLUMNS * plan->columns));
  *cost = (PlanCost){.launch = (double)device->launchNs, .numLaunches = 1, .numPhases = 1};
  skinnyTraffic(fusion, &cost->bytesRead, &cost->bytesWritten);
  double instructions =
      skinnyWeightInstructions(fusion, s, plan) + weights / SKINNY_LANE_DEPTH * tiles * ofProduct +
      // rows are loaded for all columns of a lane together
      weights / (double)(plan->columns * s->numProducts) * 2 * tiles * COST_ACCESS / (double)plan->depth;
  CostTasks tasks = {.tasks = launch->grid,
                     .blocks = planResidentBlocks(
                         device, planBlocksPerSM(device, launch->block, launch->registers, launch->shared), 1),
                     .threads = launch->block,
                     .loads = loads,
                     .latency = COST_MEMORY_LATENCY + COST_EXCHANGE,
                     .bytes = (cost->bytesRead + cost->bytesWritten) * costOfRuns((double)run),
                     .laneInstructions = instructions};
  CostTerms terms = costOfTasks(device, &tasks);
  cost->latency = COST_MEMORY_LATENCY + COST_EXCHANGE;
  cost->memory = terms.memory;
  cost->instructions = terms.instructions;
  cost->rounds = terms.rounds;
  cost->numRounds = terms.numRounds;
  double asked = askedAhead(fusion, device), before = cost->launch + cost->latency;
  cost->memory = costOfAskedAhead(device, terms.memory, asked, asked > before ? asked - before : 0);
  double longest = cost->memory > terms.instructions ? cost->memory : terms.instructions;
  cost->total = cost->launch + cost->latency + (longest > terms.rounds ? longest : terms.rounds);
}

bool skinnyCost(MlirOperation fusion, const StitchDevice *device, PlanCost *cost) {
  SkinnySizes sizes;
  const char *reason;
  MlirOperation culprit;
  StitchLaunch launch;
  if (!skinnyLaunch(fusion, device, &launch) || !skinnySizesOf(irBody(fusion, 0), &sizes, &reason, &culprit))
    return false;
  StitchSkinny plan = stitchSkinnyAttrValue(irGetAttr(fusion, PLAN_SKINNY));
  costOf(fusion, &sizes, &plan, &launch, device, cost);
  return true;
}

bool skinnyPlan(MlirOperation fusion, const StitchDevice *device, StitchSkinny *best, PlanCost *least) {
  // MOST_WEIGHTS: of a lane in the code; LLVM takes seconds for 1024.
  enum { MOST_COLUMNS = 16, MOST_WARPS = 16, MOST_UNROLL = 8, MOST_WEIGHTS = 256 };
  SkinnySizes s;
  const char *reason;
  MlirOperation culprit;
  bool found = false;
  if (!skinnySizesOf(irBody(fusion, 0), &s, &reason, &culprit))
    return false;
  for (int64_t columns = 1; columns <= MOST_COLUMNS; columns *= 2)
    for (int64_t depth = SKINNY_LANE_DEPTH; depth <= (s.isAlongDepth ? 16 : SKINNY_LANE_DEPTH); depth *= 2)
      for (int64_t warps = 1; warps <= MOST_WARPS; ++warps)
        for (int64_t unroll = 1; unroll <= MOST_UNROLL; unroll *= 2) {
          StitchSkinny plan = {columns, depth, warps, unroll};
          PlanCost cost;
          if (!divides(&s, &plan) || s.numProducts * columns * depth * unroll > MOST_WEIGHTS)
            continue;
          StitchLaunch launch = launchOf(fusion, &s, &plan, device);
          if (!fits(&launch, device))
            continue;
          costOf(fusion, &s, &plan, &launch, device, &cost);
          if (found && cost.total >= least->total)
            continue;
          found = true;
          *best = plan;
          *least = cost;
        }
  return found;
}
