//===- tg_peer_sums.c - tg-peer-sums --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small sums between processes are stitched into their neighbours. Takes a graph of tg operations with a device. Leaves
// the tg.all_reduce of @main whose call would cost more as arithmetic on the operands of all members of the group. The
// operand of member i is a tg.collective_broadcast from it: on a machine's GPUs a view of that process's memory, which
// moves nothing (docs/devices.md).
//
//   - At once: each process combines all operands.
//   - In two steps: each process combines a part of the tensor, and its results are again what all read.
//
// Both combine in the order of the group, in f32 at least, and round once, as the call does. Sums that a bucket would
// hold together are compared with the call of that bucket. A sum stays a call if products neither wait for it nor come
// before it, as they hide the call.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"
#include "ir/plan/communication.h"
#include "ir/plan/plan.h"
#include "passes/common/fusions.h"
#include "passes/common/peer_operands.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_SUMS };
enum { STATISTIC_AT_ONCE, STATISTIC_IN_TWO_STEPS };

/// How a sum is made.
typedef enum { BY_CALL, AT_ONCE, IN_TWO_STEPS } SumForm;

//===----------------------------------------------------------------------===//
// Which sums
//===----------------------------------------------------------------------===//

/// Whether a kernel combines the elements as the call would: real ones, of a byte at least.
static bool canBePeerSum(MlirOperation op) {
  if (tgKindOf(op) != TG_all_reduce || peersInGroup(op) == 0)
    return false;
  MlirType type = mlirValueGetType(irOperand(op, 0)), element = irElementType(type);
  bool isKnown = mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)) && irNumElements(irTypeShape(type)) > 0;
  bool isInteger = mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) >= 8;
  bool isFloat = irIsFloat(element) && mlirFloatTypeGetWidth(element) >= 16;
  return isKnown && (isInteger || (isFloat && irGetInt(op, "kind", 0) <= TG_REDUCE_MAX));
}

/// A part of the tensor for each process: whole rows, or elements.
static bool canBeInTwoSteps(MlirOperation sum, int64_t processes) {
  return peersAreAll(sum, processes) && irNumElements(irShapeOf(irOperand(sum, 0))) % peersInGroup(sum) == 0;
}

typedef struct {
  MlirBlock block;
  IrMap depths; ///< operation of the block -> how many calls it waits for, one after the other
  int64_t depth;
} CallDepthWalk;

static MlirWalkResult visitOp(MlirOperation op, void *data) {
  CallDepthWalk *walk = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation from = irDefiningOp(irOperand(op, i));
    if (mlirOperationIsNull(from) || !mlirBlockEqual(mlirOperationGetBlock(from), walk->block))
      continue;
    int64_t depth = irMapGet(&walk->depths, from.ptr, 0) + planIsCommunication(from);
    walk->depth = depth > walk->depth ? depth : walk->depth;
  }
  return MlirWalkResultAdvance;
}

/// A sum, and how many calls it waits for.
typedef struct {
  MlirOperation op;
  int64_t depth;
} Sum;

typedef struct {
  Sum *data;
  intptr_t count;
  int64_t processes; ///< of the program
} Sums;

static Sums findSums(MlirOperation module, MlirBlock block) {
  Sums sums = {.data = irAllocate(sizeof(Sum) * (size_t)(irNumOps(block) + 1)),
               .processes = irGetInt(module, "stitch.replicas", 1) * irGetInt(module, "stitch.partitions", 1)};
  CallDepthWalk walk = {.block = block};
  IR_FOR_EACH_OP(op, block) {
    walk.depth = 0;
    mlirOperationWalk(op, visitOp, &walk, MlirWalkPreOrder);
    irMapSet(&walk.depths, op.ptr, walk.depth);
    if (canBePeerSum(op))
      sums.data[sums.count++] = (Sum){op, walk.depth};
  }
  irMapDestroy(&walk.depths);
  return sums;
}

typedef struct {
  MlirBlock block;
  const IrMap *set; ///< operations of the block
  bool found;
} SetWalk;

static MlirWalkResult findOperand(MlirOperation op, void *data) {
  SetWalk *walk = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !walk->found; ++i) {
    MlirOperation from = irDefiningOp(irOperand(op, i));
    walk->found = !mlirOperationIsNull(from) && irMapContains(walk->set, from.ptr);
  }
  return walk->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/// Adds the operations behind those of a set that read their results.
static void addReaders(MlirBlock block, IrMap *set) {
  IR_FOR_EACH_OP(op, block) {
    SetWalk walk = {block, set, false};
    mlirOperationWalk(op, findOperand, &walk, MlirWalkPreOrder);
    if (walk.found)
      irMapSet(set, op.ptr, 1);
  }
}

static MlirWalkResult addOperands(MlirOperation op, void *data) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation from = irDefiningOp(irOperand(op, i));
    if (!mlirOperationIsNull(from) && !irMapContains(data, from.ptr)) {
      irMapSet(data, from.ptr, 1);
      mlirOperationWalk(from, addOperands, data, MlirWalkPreOrder);
    }
  }
  return MlirWalkResultAdvance;
}

static MlirWalkResult noteProduct(MlirOperation op, void *found) {
  *(bool *)found |= tgKindOf(op) == TG_dot || tgKindOf(op) == TG_convolution;
  return MlirWalkResultAdvance;
}

/// Whether some product neither waits for the sum nor comes before it.
static bool isHidden(MlirBlock block, MlirOperation sum) {
  IrMap before = {0}, behind = {0};
  bool found = false;
  irMapSet(&behind, sum.ptr, 1);
  addReaders(block, &behind);
  addOperands(sum, &before);
  IR_FOR_EACH_OP(op, block) {
    if (!irMapContains(&before, op.ptr) && !irMapContains(&behind, op.ptr))
      mlirOperationWalk(op, noteProduct, &found, MlirWalkPreOrder);
  }
  irMapDestroy(&before);
  irMapDestroy(&behind);
  return found;
}

/// Whether stitch-communication could make one call of both.
static bool goTogether(const Sum *a, const Sum *b) {
  return a->depth == b->depth && mlirAttributeEqual(irGetAttr(a->op, "groups"), irGetAttr(b->op, "groups")) &&
         irGetInt(a->op, "kind", 0) == irGetInt(b->op, "kind", 0) &&
         mlirTypeEqual(irElementTypeOf(irOperand(a->op, 0)), irElementTypeOf(irOperand(b->op, 0)));
}

static double bytesOfOperand(MlirOperation sum) { return (double)irTensorBytes(mlirValueGetType(irOperand(sum, 0))); }

/// The cheapest form of one sum by itself, and its time.
static SumForm cheapestForm(const Sums *sums, MlirOperation sum, const StitchDevice *device, double *time) {
  PeerSumCost cost = planCostOfPeerSum(bytesOfOperand(sum), peersInGroup(sum), device);
  bool inTwoSteps = cost.inTwoSteps < cost.atOnce && canBeInTwoSteps(sum, sums->processes);
  *time = inTwoSteps ? cost.inTwoSteps : cost.atOnce;
  return inTwoSteps ? IN_TWO_STEPS : AT_ONCE;
}

/// Compares the sums that could be one call with that call. A call of more bytes than a bucket has no latency to lose.
static SumForm formByCost(const Sums *sums, const Sum *sum, const StitchDevice *device) {
  double bytes = 0, time = 0, each;
  Communication one = planCommunicationOf(sum->op, device);
  for (intptr_t i = 0; i < sums->count; ++i)
    if (goTogether(&sums->data[i], sum)) {
      cheapestForm(sums, sums->data[i].op, device, &each);
      bytes += bytesOfOperand(sums->data[i].op);
      time += each;
    }
  SumForm form = cheapestForm(sums, sum->op, device, &each);
  double call = planTimeOfSum(bytes, one.processes, device);
  bool isSmall = bytes <= planBytesOfBucket(device);
  bool isCall = one.crossesMachines || !isSmall || time >= call || isHidden(mlirOperationGetBlock(sum->op), sum->op);
  return isCall ? BY_CALL : form;
}

static SumForm chosenForm(const Sums *sums, const Sum *sum, const char *wanted, const StitchDevice *device) {
  if (strcmp(wanted, "at-once") == 0)
    return AT_ONCE;
  if (strcmp(wanted, "two-steps") == 0)
    return canBeInTwoSteps(sum->op, sums->processes) ? IN_TWO_STEPS : AT_ONCE;
  return formByCost(sums, sum, device);
}

//===----------------------------------------------------------------------===//
// The forms
//===----------------------------------------------------------------------===//

/// One after the other, in f32 at least, and rounded once.
static MlirValue combined(IrBuilder *b, MlirOperation sum, const MlirValue *views) {
  static const char *const names[] = {
      [TG_REDUCE_ADD] = "tg.add", [TG_REDUCE_MUL] = "tg.mul", [TG_REDUCE_MIN] = "tg.min", [TG_REDUCE_MAX] = "tg.max",
      [TG_REDUCE_AND] = "tg.and", [TG_REDUCE_OR] = "tg.or",   [TG_REDUCE_XOR] = "tg.xor"};
  MlirType element = irElementTypeOf(views[0]), wide = irIsFloat(element) ? planAccumulatorType(element) : element;
  MlirValue result = {NULL};
  for (int64_t i = 0; i < peersInGroup(sum); ++i) {
    MlirValue part = mlirTypeEqual(wide, element) ? views[i] : tgConvert(b, views[i], wide);
    result = i == 0 ? part : tgBinary(b, names[irGetInt(sum, "kind", 0)], result, part);
  }
  return mlirTypeEqual(wide, element) ? result : tgConvert(b, result, element);
}

/// The part of a tensor along the outermost dimension that is this process's.
static MlirValue ownPart(IrBuilder *b, MlirValue value, MlirValue start, int64_t size) {
  IrShape shape = irShapeOf(value);
  MlirValue operands[1 + IR_MAX_RANK] = {value, start};
  for (intptr_t d = 1; d < shape.rank; ++d)
    operands[1 + d] = tgSplat(b, mlirValueGetType(start), 0);
  shape.dims[0] = size;
  return irValueOf(b, "tg.dynamic_slice", (IrValues){1 + shape.rank, operands},
                   tgWithShape(mlirValueGetType(value), shape), IR_ATTRS(irDims(b, "sizes", shape.rank, shape.dims)));
}

/// Parts are whole rows if the outermost dimension has as many.
static MlirValue inTwoSteps(IrBuilder *b, MlirOperation sum) {
  MlirValue value = irOperand(sum, 0), views[PEERS_MOST];
  MlirType type = mlirValueGetType(value);
  int64_t members = peersInGroup(sum);
  IrShape shape = irTypeShape(type);
  if (shape.rank == 0 || shape.dims[0] % members != 0) {
    shape = (IrShape){.rank = 1, .dims = {irNumElements(shape)}};
    value = tgReshape(b, value, tgWithShape(type, shape));
  }
  int64_t rows = shape.dims[0] / members;
  MlirType scalar = mlirRankedTensorTypeGet(0, NULL, mlirIntegerTypeGet(b->context, 32), mlirAttributeGetNull());
  MlirType unsignedScalar =
      mlirRankedTensorTypeGet(0, NULL, mlirIntegerTypeUnsignedGet(b->context, 32), mlirAttributeGetNull());
  MlirValue id =
      tgConvert(b, irValueOf(b, "tg.process_id", IR_NO_VALUES, unsignedScalar, IR_NO_ATTRS), irElementType(scalar));
  MlirValue start = tgMul(b, id, tgSplat(b, scalar, (double)rows));
  peersOperands(b, sum, value, views);
  for (int64_t i = 0; i < members; ++i)
    views[i] = ownPart(b, views[i], start, rows);
  MlirValue part = combined(b, sum, views);
  peersOperands(b, sum, part, views);
  return tgReshape(b, tgConcatenate(b, (IrValues){members, views}, 0), type);
}

static MlirValue atOnce(IrBuilder *b, MlirOperation sum) {
  MlirValue views[PEERS_MOST];
  peersOperands(b, sum, irOperand(sum, 0), views);
  return combined(b, sum, views);
}

static void replace(StitchPassRun run, MlirOperation sum, SumForm form) {
  IrBuilder b = irBuilderBefore(sum);
  stitchRemark(sum, "the kernels behind it combine what they load from %lld processes%s", (long long)peersInGroup(sum),
               form == IN_TWO_STEPS ? ", in two steps" : "");
  MlirValue result = form == IN_TWO_STEPS ? inTwoSteps(&b, sum) : atOnce(&b, sum);
  mlirValueReplaceAllUsesOfWith(irResult(sum, 0), result);
  mlirOperationDestroy(sum);
  stitchPassAddStatistic(run, form == IN_TWO_STEPS ? STATISTIC_IN_TWO_STEPS : STATISTIC_AT_ONCE, 1);
}

static void runPeerSums(StitchPassRun run, MlirOperation module) {
  MlirOperation main = irFindFunction(module, "main");
  const char *wanted = stitchPassGetString(run, OPTION_SUMS);
  StitchDevice device;
  if (strcmp(wanted, "calls") == 0 || mlirOperationIsNull(main) || mlirBlockIsNull(irBody(main, 0)))
    return;
  Sums sums = findSums(module, irBody(main, 0));
  bool hasDevice = sums.count == 0 || passDevice(run, module, "whose links could be told", &device);
  SumForm *forms = irAllocate(sizeof(*forms) * (size_t)(sums.count + 1));
  for (intptr_t i = 0; hasDevice && i < sums.count; ++i)
    forms[i] = chosenForm(&sums, &sums.data[i], wanted, &device);
  for (intptr_t i = 0; hasDevice && i < sums.count; ++i)
    if (forms[i] != BY_CALL)
      replace(run, sums.data[i].op, forms[i]);
  free(forms);
  free(sums.data);
}

static const StitchPassOption options[] = {
    {"sums", "best (the cheapest), calls (of NCCL or MPI), at-once or two-steps (all that kernels can combine)",
     STITCH_OPTION_STRING, 0, "best"},
};

static const StitchValidValues valid[] = {{"sums", "best|calls|at-once|two-steps"}};

static const StitchPassStatistic statistics[] = {
    {"at-once", "sums between processes that kernels make of the operands of all"},
    {"in-two-steps", "the same of the parts that each process combines"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo tgPeerSumsPass = {
    .argument = "tg-peer-sums",
    .description = "Small sums between processes as part of the kernels behind them",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "stitch-set-device",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runPeerSums,
};
