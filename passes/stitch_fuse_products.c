//===- stitch_fuse_products.c - stitch-fuse-products ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APOLLO 3.3, table 1, rule 6-matmul: a product is one kernel with the elementwise operations in front of it and behind
// it. Takes graphs of tg operations; leaves other products alone, and of such a group a stitch.fusion with its whole
// plan, stitch.attention and stitch.launch (docs/ir.md, "Attention": the gradient of no scores).
//
//   1. In front are operations that nothing else reads; what only moves elements, and constants, is copied.
//   2. Behind are operations up to the first that does something else with the product. Values that others need are
//      results.
//   3. A thread block keeps some rows of one operand, and all columns of the other one. Where the columns are many, or
//      there are few blocks, they are cut: the product in the fusion is a batch of equal products of some columns.
//   4. With choose=model a group becomes a kernel if that takes no longer, by the cost model, than the library's call
//      with a kernel in front of it and one behind it, as far as these are not parts of other kernels anyway.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/build.h"
#include "ir/plan/attention_products.h"
#include "ir/plan/cost.h"
#include "ir/plan/gradient_plan.h"
#include "ir/plan/plan.h"
#include "ir/plan/rules.h"
#include "passes/common/attention_tiles.h"
#include "passes/common/collect.h"
#include "passes/common/fusion_body.h"
#include "passes/common/fusions.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_CHOOSE };
enum { STATISTIC_KERNELS };
enum { MOST_OPERATIONS = 64, LEAST_COLUMNS = 16, MOST_CUTS = 64 };

/// What an operation of the group is to its product.
typedef enum { ROLE_NONE, ROLE_BEFORE, ROLE_PRODUCT, ROLE_BEHIND, ROLE_BESIDES } Role;

typedef struct {
  MlirOperation dot, last; ///< the fusion comes behind `last`
  MlirBlock block;
  IrMap roles;    ///< operation -> Role
  Operations ops; ///< in program order
  ValueList results;
  bool hasBefore, hasBehind;     ///< elementwise operations, but for conversions
  bool savesBefore, savesBehind; ///< kernels that there would be for them
} Group;

static Role roleOf(const Group *g, MlirOperation op) {
  return mlirOperationIsNull(op) ? ROLE_NONE : (Role)irMapGet(&g->roles, op.ptr, ROLE_NONE);
}

/// The operation of the block that defines a value; null for what comes from around it.
static MlirOperation defining(const Group *g, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && mlirBlockEqual(mlirOperationGetBlock(op), g->block) ? op : (MlirOperation){NULL};
}

static bool isElementwise(MlirOperation op) { return tgClassOfKind(tgKindOf(op)) == TG_CLASS_ELEMENTWISE; }

static bool hasRoom(const Group *g) { return g->roles.count < MOST_OPERATIONS; }

//===----------------------------------------------------------------------===//
// 1. In front
//===----------------------------------------------------------------------===//

/// What only moves elements of one value, and constants: they cost nothing where they are read.
static bool isFree(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  if (tgClassOfKind(kind) == TG_CLASS_SOURCE)
    return kind != TG_constant || tgIsSplat(op);
  return kind == TG_broadcast || kind == TG_reshape || kind == TG_transpose;
}

static bool isReadByGroupAlone(const Group *g, MlirOperation op) {
  IR_FOR_EACH_USE(use, irResult(op, 0))
    if (roleOf(g, mlirOpOperandGetOwner(use)) == ROLE_NONE)
      return false;
  return true;
}

/// Takes in what defines the operands of an operation: free operations, and, with `role` ROLE_BEFORE, elementwise ones
/// that nothing else reads.
static void takeOperands(Group *g, MlirOperation of, Role role) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(of); ++i) {
    MlirOperation op = defining(g, irOperand(of, i));
    bool isOwn = !mlirOperationIsNull(op) && role == ROLE_BEFORE && isElementwise(op) && isReadByGroupAlone(g, op);
    if (mlirOperationIsNull(op) || roleOf(g, op) != ROLE_NONE || !hasRoom(g) || (!isOwn && !isFree(op)))
      continue;
    irMapSet(&g->roles, op.ptr, isOwn ? ROLE_BEFORE : ROLE_BESIDES);
    g->hasBefore |= isOwn && tgKindOf(op) != TG_convert;
    takeOperands(g, op, role);
  }
}

/// Takes until nothing changes: of what several operations of the group read, the last one comes late.
static void takeBefore(Group *g) {
  for (size_t count = 0; count != g->roles.count;) {
    count = g->roles.count;
    takeOperands(g, g->dot, ROLE_BEFORE);
    for (MlirOperation op = mlirBlockGetFirstOperation(g->block); !mlirOperationEqual(op, g->dot); op = irNextOp(op))
      if (roleOf(g, op) == ROLE_BEFORE)
        takeOperands(g, op, ROLE_BEFORE);
  }
}

//===----------------------------------------------------------------------===//
// 2. Behind
//===----------------------------------------------------------------------===//

static bool readsResults(const Group *g, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    Role role = roleOf(g, defining(g, irOperand(op, i)));
    if (role == ROLE_PRODUCT || role == ROLE_BEHIND)
      return true;
  }
  return false;
}

/// Whether an operation that has regions reads results within them, or an operation is in another block.
static bool isReadAround(const Group *g, MlirOperation op) {
  IR_FOR_EACH_USE(use, irResult(op, 0))
    if (!mlirBlockEqual(mlirOperationGetBlock(mlirOpOperandGetOwner(use)), g->block))
      return true;
  return false;
}

/// Takes in what reads the product, up to the first operation that does something else with it: that one, and all
/// behind it, may need what the fusion leaves.
static void takeBehind(Group *g) {
  g->last = g->dot;
  if (isReadAround(g, g->dot))
    return;
  for (MlirOperation op = irNextOp(g->dot); !mlirOperationIsNull(op); op = irNextOp(op)) {
    TgKind kind = tgKindOf(op);
    if (!readsResults(g, op))
      continue;
    bool isTaken = isElementwise(op) || kind == TG_reshape || kind == TG_transpose;
    if (!isTaken || isReadAround(g, op) || !hasRoom(g))
      return;
    irMapSet(&g->roles, op.ptr, ROLE_BEHIND);
    g->hasBehind |= isElementwise(op) && kind != TG_convert;
    g->last = op;
    takeOperands(g, op, ROLE_BEHIND);
  }
}

//===----------------------------------------------------------------------===//
// What there would be else
//===----------------------------------------------------------------------===//

/// Whether a kernel reads a result of an operation of the group outside of it.
static bool isReadByKernel(const Group *g, MlirOperation op) {
  IR_FOR_EACH_USE(use, irResult(op, 0)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (roleOf(g, user) == ROLE_NONE && tgIsMemoryIntensive(user))
      return true;
  }
  return false;
}

/// Whether what an operation reads comes out of a kernel, which could compute the operation as well.
static bool readsKernel(const Group *g, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation from = defining(g, irOperand(op, i));
    if (!mlirOperationIsNull(from) && roleOf(g, from) == ROLE_NONE && tgIsMemoryIntensive(from))
      return true;
  }
  return false;
}

static bool isDoneByLibraries(TgKind kind) { return kind == TG_add || kind == TG_max || kind == TG_convert; }

/// Lists the operations and the results, and finds the kernels that the group saves.
static void listGroup(Group *g) {
  bool needsKernel = false;
  g->savesBefore = g->hasBefore;
  g->savesBehind = g->hasBehind;
  IR_FOR_EACH_OP(op, g->block) {
    Role role = roleOf(g, op);
    if (role == ROLE_NONE)
      continue;
    addOperation(&g->ops, op);
    if (role == ROLE_BEFORE)
      g->savesBefore &= !readsKernel(g, op);
    if (role != ROLE_PRODUCT && role != ROLE_BEHIND)
      continue;
    needsKernel |= role == ROLE_BEHIND && isElementwise(op) && !isDoneByLibraries(tgKindOf(op));
    g->savesBehind &= !isReadByKernel(g, op);
    if (!isReadByGroupAlone(g, op))
      valueListAdd(&g->results, irResult(op, 0));
  }
  g->savesBehind &= needsKernel;
}

static bool findGroup(Group *g, MlirOperation dot) {
  *g = (Group){.dot = dot, .block = mlirOperationGetBlock(dot)};
  irMapSet(&g->roles, dot.ptr, ROLE_PRODUCT);
  takeBefore(g);
  takeBehind(g);
  listGroup(g);
  return (g->hasBefore || g->hasBehind) && g->results.count > 0;
}

static void destroyGroup(Group *g) {
  irMapDestroy(&g->roles);
  valueListDestroy(&g->results);
  free(g->ops.data);
}

//===----------------------------------------------------------------------===//
// 3. The fusion
//===----------------------------------------------------------------------===//

static IrShape shifted(IrShape dims, int64_t by) {
  for (intptr_t i = 0; i < dims.rank; ++i)
    dims.dims[i] += by;
  return dims;
}

static IrShape withFirst(IrShape dims, int64_t first) {
  IrShape all = {.rank = dims.rank + 1, .dims = {first}};
  memcpy(all.dims + 1, dims.dims, sizeof(*dims.dims) * (size_t)dims.rank);
  return all;
}

static IrShape counting(intptr_t rank, int64_t from) {
  IrShape dims = {.rank = rank};
  for (intptr_t i = 0; i < rank; ++i)
    dims.dims[i] = from + i;
  return dims;
}

/// The operand that is cut, with its columns in `cuts` equal parts: dimension `dim` becomes two, the parts first.
static MlirValue cutOperand(IrBuilder *b, MlirValue value, int64_t dim, int64_t cuts) {
  IrShape shape = irShapeOf(value), cut = {.rank = shape.rank + 1};
  for (intptr_t i = 0; i < cut.rank; ++i)
    cut.dims[i] = i < dim ? shape.dims[i] : i == dim ? cuts : i == dim + 1 ? shape.dims[dim] / cuts : shape.dims[i - 1];
  return tgReshape(b, value, tgWithShape(mlirValueGetType(value), cut));
}

/// Dimensions of the operand before it was cut.
static IrShape behindCut(IrShape dims, int64_t dim) {
  for (intptr_t i = 0; i < dims.rank; ++i)
    dims.dims[i] += dims.dims[i] > dim;
  return dims;
}

/// The product as a batch of products of some columns of operand `side`, and its result as it was.
static MlirValue buildCut(IrBuilder *b, MlirOperation dot, MlirValue *operands, intptr_t side, int64_t cuts) {
  static const char *const batchNames[] = {"lhs_batch", "rhs_batch"};
  static const char *const contractNames[] = {"lhs_contract", "rhs_contract"};
  int64_t dim = productFree(dot, side).dims[0];
  intptr_t other = 1 - side, numBatch = productBatch(dot, 0).rank;
  IrShape otherShape = irShapeOf(operands[other]), result = irShapeOf(irResult(dot, 0)), batch[2], contract[2];
  MlirValue values[2];
  values[side] = cutOperand(b, operands[side], dim, cuts);
  values[other] =
      tgBroadcast(b, operands[other], tgWithShape(mlirValueGetType(operands[other]), withFirst(otherShape, cuts)),
                  counting(otherShape.rank, 1));
  batch[side] = withFirst(behindCut(productBatch(dot, side), dim), dim);
  contract[side] = behindCut(productContract(dot, side), dim);
  batch[other] = withFirst(shifted(productBatch(dot, other), 1), 0);
  contract[other] = shifted(productContract(dot, other), 1);
  // The cut dimension is in the result where it was, and has its parts in front of all.
  int64_t at = side == 0 ? numBatch : numBatch + productFree(dot, 0).rank;
  IrShape parts = withFirst(result, cuts), permutation = {.rank = parts.rank};
  parts.dims[1 + at] /= cuts;
  MlirNamedAttribute attributes[4];
  for (int i = 0; i < 2; ++i) {
    attributes[2 * i] = irDims(b, batchNames[i], batch[i].rank, batch[i].dims);
    attributes[2 * i + 1] = irDims(b, contractNames[i], contract[i].rank, contract[i].dims);
  }
  MlirType type = tgWithShape(mlirValueGetType(irResult(dot, 0)), parts);
  MlirValue product =
      tgWithPrecisionOf(dot, irValueOf(b, "tg.dot", IR_VALUES(values[0], values[1]), type, (IrAttrs){4, attributes}));
  IrShape moved = {.rank = parts.rank};
  for (intptr_t i = 0; i < parts.rank; ++i) {
    permutation.dims[i] = i < at ? i + 1 : i == at ? 0 : i;
    moved.dims[i] = parts.dims[permutation.dims[i]];
  }
  product = irValueOf(b, "tg.transpose", IR_VALUES(product), tgWithShape(type, moved),
                      IR_ATTRS(irDims(b, "permutation", permutation.rank, permutation.dims)));
  return tgReshape(b, product, mlirValueGetType(irResult(dot, 0)));
}

/// A fusion behind the group with copies of its operations; with the columns of the product's operand `side` in `cuts`
/// parts.
static MlirOperation buildFusion(const Group *g, intptr_t side, int64_t cuts) {
  FusionBody body = fusionBodyCreate();
  ValueList results = {0};
  MlirOperation end = irNextOp(g->last);
  MlirLocation loc = mlirOperationGetLocation(g->dot);
  MlirValue *copies = irAllocate(sizeof(*copies) * (size_t)(g->ops.count + 1));
  IrMap numbers = {0};
  for (intptr_t i = 0; i < g->ops.count; ++i) {
    MlirOperation op = g->ops.data[i];
    intptr_t count = mlirOperationGetNumOperands(op);
    MlirValue *operands = irAllocate(sizeof(*operands) * (size_t)(count + 1));
    for (intptr_t k = 0; k < count; ++k) {
      MlirOperation from = defining(g, irOperand(op, k));
      int64_t inside = mlirOperationIsNull(from) ? -1 : irMapGet(&numbers, from.ptr, -1);
      operands[k] =
          inside >= 0 ? copies[inside] : fusionBodyArgument(&body, irOperand(op, k), mlirOperationGetLocation(op));
    }
    if (cuts > 1 && mlirOperationEqual(op, g->dot)) {
      IrBuilder b = irBuilderAtEnd(body.block, loc);
      copies[i] = buildCut(&b, op, operands, side, cuts);
    } else {
      MlirOperation copy = mlirOperationClone(op);
      mlirOperationSetOperands(copy, count, operands);
      mlirBlockAppendOwnedOperation(body.block, copy);
      copies[i] = irResult(copy, 0);
    }
    free(operands);
    irMapSet(&numbers, op.ptr, i);
  }
  for (int64_t i = 0; i < g->results.count; ++i)
    valueListAdd(&results, copies[irMapGet(&numbers, irDefiningOp(g->results.values[i]).ptr, 0)]);
  MlirOperation fusion = fusionBodyClose(&body, "stitch.fusion", loc, &results, end);
  valueListDestroy(&results);
  irMapDestroy(&numbers);
  free(copies);
  return fusion;
}

//===----------------------------------------------------------------------===//
// 4. The choice
//===----------------------------------------------------------------------===//

/// The library's call, and the kernels that the group saves.
static PlanCost costApart(const Group *g, MlirOperation fusion, const StitchDevice *device) {
  PlanCost cost = {.numLaunches = 1 + g->savesBefore + g->savesBehind};
  GradientSizes sizes;
  Gradient gradient;
  attentionAddBytes(fusion, &cost);
  gradientSizesOf(irBody(fusion, 0), &sizes, &gradient);
  for (intptr_t i = 0; i < 2 && g->savesBefore; ++i)
    if (roleOf(g, defining(g, irOperand(g->dot, i))) == ROLE_BEFORE)
      cost.bytesRead += 2 * (double)irTensorBytes(mlirValueGetType(irOperand(g->dot, i)));
  if (g->savesBehind)
    cost.bytesRead += 2 * (double)irTensorBytes(mlirValueGetType(irResult(g->dot, 0)));
  cost.launch = (double)cost.numLaunches * (double)device->launchNs;
  cost.latency = (double)cost.numLaunches * COST_MEMORY_LATENCY + costOfLibrary(device, g->dot);
  cost.memory = costOfMoving(device, cost.bytesRead + cost.bytesWritten);
  cost.total = cost.launch + cost.latency + cost.memory;
  return cost;
}

/// Whether a fusion leaves multiprocessors without a block.
static bool leavesIdle(MlirOperation fusion, const StitchDevice *device) {
  StitchLaunch launch;
  return planGetLaunch(fusion, &launch) && launch.grid < device->sms;
}

/// The fusion of all cuts that costs least, of equal ones one that gives work to all multiprocessors; null, after a
/// remark, if no kernel can be made.
static MlirOperation cheapestFusion(const Group *g, const StitchDevice *device, PlanCost *least) {
  MlirOperation best = {NULL};
  GradientPlanning planning = {0};
  int64_t own[2];
  for (intptr_t side = 0; side < 2; ++side)
    own[side] = irNumElements(productSizes(irOperand(g->dot, side), productFree(g->dot, side)));
  intptr_t side = own[1] > own[0] ? 0 : 1; // the product's features (ir/plan/attention_gradient.h)
  bool canCut = productFree(g->dot, side).rank == 1 && irShapeOf(irResult(g->dot, 0)).rank < IR_MAX_RANK &&
                irShapeOf(irOperand(g->dot, 1 - side)).rank < IR_MAX_RANK;
  for (int64_t cuts = 1; cuts <= MOST_CUTS; cuts *= 2) {
    if (own[side] % cuts != 0 || (cuts > 1 && (!canCut || own[side] / cuts < LEAST_COLUMNS)))
      break;
    MlirOperation fusion = buildFusion(g, side, cuts);
    PlanCost cost;
    bool isBetter = planGradientFusion(fusion, device, &planning) && gradientCost(fusion, device, &cost) &&
                    (mlirOperationIsNull(best) || cost.total < least->total ||
                     (cost.total <= least->total && leavesIdle(best, device)));
    if (isBetter && !mlirOperationIsNull(best))
      mlirOperationDestroy(best);
    if (isBetter) {
      best = fusion;
      *least = cost;
    } else
      mlirOperationDestroy(fusion);
  }
  if (mlirOperationIsNull(best))
    stitchRemark(g->dot, "stays a library's: as a kernel with its neighbours %s",
                 planning.reason ? planning.reason : "its tiles do not fit");
  return best;
}

/// What a person prefers counts less.
static double preferenceOf(const Group *g) {
  Rules rules = rulesOf(g->dot);
  double factor = rules.count ? rulesFactor(&rules, g->ops.data, g->ops.count) : 1;
  rulesDestroy(&rules);
  return factor;
}

static void replaceGroup(Group *g, MlirOperation fusion) {
  for (int64_t i = 0; i < g->results.count; ++i) {
    mlirValueReplaceAllUsesOfWith(g->results.values[i], irResult(fusion, i));
  }
  for (intptr_t i = g->ops.count; i-- > 0;)
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(g->ops.data[i], 0))))
      mlirOperationDestroy(g->ops.data[i]);
}

static void fuseProduct(StitchPassRun run, MlirOperation dot, const StitchDevice *device) {
  Group g;
  bool always = strcmp(stitchPassGetString(run, OPTION_CHOOSE), "always") == 0;
  if (findGroup(&g, dot) && (always || g.savesBefore || g.savesBehind)) {
    PlanCost cost, apart;
    MlirOperation fusion = cheapestFusion(&g, device, &cost);
    bool exists = !mlirOperationIsNull(fusion), isChosen = exists && rulesAllow(&fusion, 1);
    if (isChosen) {
      apart = costApart(&g, fusion, device);
      cost.total *= preferenceOf(&g);
      isChosen = always || cost.total <= apart.total;
      stitchRemark(dot, "with %s it is one kernel of %.0f ns, apart %lld launches of %.0f ns: %s",
                   !g.hasBehind   ? "what is in front of it"
                   : !g.hasBefore ? "what is behind it"
                                  : "what is in front of it and behind it",
                   cost.total, (long long)apart.numLaunches, apart.total, isChosen ? "one kernel" : "apart");
    }
    if (isChosen) {
      stitchPassAddStatistic(run, STATISTIC_KERNELS, 1);
      replaceGroup(&g, fusion);
    } else if (exists)
      mlirOperationDestroy(fusion);
  }
  destroyGroup(&g);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// A product of floats in a graph, not in a kernel or library call.
static bool isProduct(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  return tgKindOf(op) == TG_dot && (irOpIs(parent, "func.func") || tgIsControlFlow(parent)) &&
         productMultipliesFloats(op);
}

static void runFuseProducts(StitchPassRun run, MlirOperation module) {
  StitchDevice device;
  if (!passDevice(run, module, "to tell costs for", &device))
    return;
  Operations products = collectOperations(module, isProduct, MlirWalkPreOrder);
  for (intptr_t i = 0; i < products.count; ++i)
    fuseProduct(run, products.data[i], &device);
  free(products.data);
}

static const StitchPassOption options[] = {
    {"choose", "model: where the cost model prefers a kernel to a library call; always: wherever there can be one",
     STITCH_OPTION_STRING, 0, "model"},
};

static const StitchValidValues valid[] = {{"choose", "model|always"}};

static const StitchPassStatistic statistics[] = {
    {"product-kernels", "fusions made of a product with the elementwise operations around it"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchFuseProductsPass = {
    .argument = "stitch-fuse-products",
    .description = "Make one kernel of a product and the elementwise operations around it (APOLLO 3.3, rule 6)",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runFuseProducts,
};
