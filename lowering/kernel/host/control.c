//===- control.c - loops and branches in the host function ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tg.while whose trip count is known becomes scf.for: the device computes without ever waiting for the host. Any
// other tg.while, tg.if and tg.case become scf.while, scf.if and scf.index_switch over a predicate or index that the
// host reads back from the device.
//
// A loop-carried value alternates between two buffers, so that the kernels of an iteration write the next value while
// they read the current one and nothing is copied. Each such value is three memrefs that the scf loop carries:
// `current`, which the iteration reads, `next`, which it writes, and `spare`, which the iteration after it writes. The
// first iteration reads the initial value where it is:
//
//   iteration   current   next   spare
//   1           initial   A      B
//   2           A         B      A
//   3           B         A      B
//
// A loop whose iterations are one kernel may be inside that kernel (persistent.c): it is one launch, with the same
// three memrefs.
//
// A value that an iteration updates in place (ir/graph/in_place.h) has one buffer instead, into which the kernels of
// the iteration write. Values that change places, updated in place or not, are one memref each that goes round.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host_function.h"

#include "capi/diagnostics.h"
#include "ir/graph/in_place.h"
#include "ir/plan/persistent.h"
#include "lowering/scalar/scalar.h"

#include <stdlib.h>

/// A block of a region of an scf operation, with nothing in it: a terminator that its builder added is removed.
static MlirBlock emptyBody(MlirOperation op, intptr_t region) {
  MlirBlock block = irBody(op, region);
  for (MlirOperation last; last = mlirBlockGetFirstOperation(block), !mlirOperationIsNull(last);)
    mlirOperationDestroy(last);
  return block;
}

/// Converts `source` into `target`, except for its terminator. False after a diagnostic.
static bool convertInto(Host *host, MlirBlock target, MlirBlock source) {
  host->b = irBuilderAtEnd(target, host->b.loc);
  return host->convertBlock(host, source);
}

//===----------------------------------------------------------------------===//
// Yields of regions
//===----------------------------------------------------------------------===//

static bool isDefinedIn(MlirBlock block, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && mlirBlockEqual(mlirOperationGetBlock(op), block);
}

/// Places the yielded values in `targets` (null: not wanted) where an operation of the block computes them; the first
/// of several equal ones gets the place. To be called before the block is converted.
static void placeYielded(Host *host, MlirBlock block, const MlirValue *targets) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    MlirValue value = irWithoutReshapes(irOperand(yield, i));
    TensorPlace *place = hostPlaceOf(host, value);
    if (!mlirValueIsNull(targets[i]) && isDefinedIn(block, value) && place && place->kind == PLACE_ARENA)
      hostPlaceAt(host, value, targets[i]);
  }
}

/// Copies those yielded values to `targets` that were computed elsewhere. To be called after the block is converted.
static bool copyYielded(Host *host, MlirBlock block, const MlirValue *targets) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    if (mlirValueIsNull(targets[i]))
      continue;
    MlirValue source = hostFlatMemref(host, yield, irOperand(yield, i));
    if (mlirValueIsNull(source))
      return false;
    if (!mlirValueEqual(source, targets[i]))
      hostCopy(host, source, targets[i], NULL);
  }
  return true;
}

static bool convertYielding(Host *host, MlirBlock target, MlirBlock source, const MlirValue *targets) {
  placeYielded(host, source, targets);
  return convertInto(host, target, source) && copyYielded(host, source, targets);
}

//===----------------------------------------------------------------------===//
// Scalars that the host reads
//===----------------------------------------------------------------------===//

/// The only element of a tensor, once all earlier launches have run: the meaning of gpu.memcpy with its waits.
static MlirValue readScalar(Host *host, MlirOperation user, MlirValue tensor) {
  MlirValue device = hostFlatMemref(host, user, tensor);
  if (mlirValueIsNull(device))
    return device;
  IrBuilder *b = &host->b;
  MlirType token = irParseType(b->context, "!gpu.async.token");
  MlirValue memory = irValueOf(&host->entry, "memref.alloca", IR_NO_VALUES, mlirValueGetType(device),
                               IR_ATTRS(irAttr(b, "operandSegmentSizes", irParseAttr(b->context, "array<i32: 0, 0>"))));
  MlirValue before = irValueOf(b, "gpu.wait", IR_NO_VALUES, token, IR_NO_ATTRS);
  MlirValue after = irValueOf(b, "gpu.memcpy", IR_VALUES(before, memory, device), token, IR_NO_ATTRS);
  irOp(b, "gpu.wait", IR_VALUES(after), IR_NO_TYPES, IR_NO_ATTRS);
  return irValueOf(b, "memref.load", IR_VALUES(memory, irConstantIndex(b, 0)), irElementTypeOf(device), IR_NO_ATTRS);
}

static MlirValue readPredicate(Host *host, MlirOperation user, MlirValue tensor) {
  MlirValue scalar = readScalar(host, user, tensor);
  if (mlirValueIsNull(scalar))
    return scalar;
  MlirValue zero = irConstantInt(&host->b, mlirValueGetType(scalar), 0);
  return irCmpI(&host->b, IR_CMPI_NE, scalar, zero);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// The memory of each result.
static MlirValue *resultMemory(Host *host, MlirOperation op) {
  intptr_t count = mlirOperationGetNumResults(op);
  MlirValue *memory = irAllocateZeroed((size_t)count + 1, sizeof(MlirValue));
  for (intptr_t i = 0; i < count; ++i)
    memory[i] = hostFlatMemref(host, op, irResult(op, i));
  return memory;
}

/// Converts region `i` of `op` into region `target` of an scf operation.
static bool convertBranch(Host *host, MlirOperation op, intptr_t i, MlirOperation to, intptr_t target,
                          const MlirValue *memory) {
  IrBuilder outside = host->b;
  bool success = convertYielding(host, emptyBody(to, target), irBody(op, i), memory);
  if (success)
    irYield(&host->b, IR_NO_VALUES);
  host->b = outside;
  return success;
}

static bool convertIf(Host *host, MlirOperation op) {
  MlirValue predicate = readPredicate(host, op, irOperand(op, 0));
  if (mlirValueIsNull(predicate))
    return false;
  MlirOperation branches = irIf(&host->b, predicate, IR_NO_TYPES, /*hasElse=*/true);
  MlirValue *memory = resultMemory(host, op);
  bool success = convertBranch(host, op, 0, branches, 0, memory) && convertBranch(host, op, 1, branches, 1, memory);
  free(memory);
  return success;
}

/// scf.index_switch's default region comes first; here it is the last branch, which is also for indices out of range.
static bool convertCase(Host *host, MlirOperation op) {
  MlirValue index = readScalar(host, op, irOperand(op, 0));
  if (mlirValueIsNull(index))
    return false;
  intptr_t count = mlirOperationGetNumRegions(op);
  int64_t *cases = irAllocate(sizeof(int64_t) * (size_t)count);
  for (intptr_t i = 0; i < count - 1; ++i)
    cases[i] = i;
  IrBuilder *b = &host->b;
  MlirValue position = scalarBranch(b, irElementTypeOf(irOperand(op, 0)), index, count);
  MlirOperation branches = irOpWithRegions(b, "scf.index_switch", IR_VALUES(position), IR_NO_TYPES,
                                           IR_ATTRS(irDims(b, "cases", count - 1, cases)), count, IR_NO_TYPES);
  free(cases);
  MlirValue *memory = resultMemory(host, op);
  bool success = true;
  for (intptr_t i = 0; success && i < count; ++i)
    success = convertBranch(host, op, i, branches, i == count - 1 ? 0 : i + 1, memory);
  free(memory);
  return success;
}

/// The versions of an adaptive variable: the runtime chooses one, and measures the operations in between. The first one
/// is the default of the switch, too.
static bool convertAdaptive(Host *host, MlirOperation op) {
  IrBuilder *b = &host->b;
  intptr_t count = mlirOperationGetNumRegions(op);
  int64_t *cases = irAllocate(sizeof(int64_t) * (size_t)count);
  for (intptr_t i = 1; i < count; ++i)
    cases[i - 1] = i;
  MlirNamedAttribute variable = irAttr(b, "variable", irGetAttr(op, "variable"));
  MlirValue version = irValueOf(b, "stitch.choose", IR_NO_VALUES, mlirIndexTypeGet(b->context), IR_ATTRS(variable));
  MlirOperation versions = irOpWithRegions(b, "scf.index_switch", IR_VALUES(version), IR_NO_TYPES,
                                           IR_ATTRS(irDims(b, "cases", count - 1, cases)), count, IR_NO_TYPES);
  free(cases);
  MlirValue *memory = resultMemory(host, op);
  bool success = true;
  for (intptr_t i = 0; success && i < count; ++i)
    success = convertBranch(host, op, i, versions, i, memory);
  free(memory);
  if (success)
    irOp(b, "stitch.chosen", IR_NO_VALUES, IR_NO_TYPES, IR_ATTRS(variable));
  return success;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

enum { CURRENT, NEXT, SPARE, NUM_ROLES };

/// A value that goes round.
typedef struct {
  intptr_t number;
  intptr_t from;  ///< the value in whose memory the next one is: its own number, of one that changes places another one
                  ///< (irBuffersOfLoop); -1: in new memory
  bool isUpdated; ///< in place
  int64_t bytes;
  int64_t buffers[2]; ///< offsets in the arena of memory that is not the result's, or -1
  intptr_t start;     ///< the first of its memrefs that go round
} LoopValue;

typedef struct {
  MlirOperation op;
  intptr_t count;
  LoopValue *values;
  MlirValue *starts; ///< the initial values of the scf loop: of new memory NUM_ROLES, of values that change places one
  intptr_t numStarts;
} HostLoop;

static bool stays(const LoopValue *value) { return value->from == value->number; }

static LoopValue carriedValue(MlirOperation op, intptr_t number, int64_t from) {
  MlirBlock body = irBody(op, 1);
  MlirValue next = irOperand(mlirBlockGetTerminator(body), number);
  bool isUpdated;
  irFirstBufferOf(body, next, &isUpdated);
  return (LoopValue){
      .number = number,
      .from = from,
      .isUpdated = isUpdated && from >= 0,
      .bytes = irTensorBytes(mlirValueGetType(next)),
      .buffers = {-1, -1},
  };
}

static MlirValue newBuffer(Host *host, MlirValue like, LoopValue *value, int which) {
  value->buffers[which] = hostArenaAllocate(&host->arena, value->bytes);
  return hostArenaView(host, value->buffers[which], irElementTypeOf(like), irNumElements(irShapeOf(like)));
}

/// The result of the loop in whose memory a value that changes places has to begin to be in its own at the end.
static MlirValue resultReached(const HostLoop *loop, const LoopValue *value, int64_t tripCount) {
  intptr_t period = 1;
  for (intptr_t at = value->from; at != value->number; at = loop->values[at].from)
    ++period;
  intptr_t to = value->number; // `from` of the result that it becomes, tripCount times
  for (int64_t i = 0; i < (period - tripCount % period) % period; ++i)
    to = loop->values[to].from;
  return irResult(loop->op, to);
}

/// A value that is in one place, or changes places with others. With an unknown number of iterations these begin in
/// memory of their own.
static bool startInPlace(Host *host, HostLoop *loop, LoopValue *value, MlirValue initial, int64_t tripCount) {
  MlirValue result = irResult(loop->op, value->number), place = initial;
  if (stays(value) && value->isUpdated)
    place = hostFlatMemref(host, loop->op, result);
  else if (!stays(value) && tripCount > 0)
    place = hostFlatMemref(host, loop->op, resultReached(loop, value, tripCount));
  else if (!stays(value))
    place = newBuffer(host, initial, value, 0);
  if (mlirValueIsNull(place))
    return false;
  if (!mlirValueEqual(place, initial))
    hostCopy(host, initial, place, NULL);
  if (stays(value))
    for (intptr_t region = 0; region < 2; ++region)
      hostPlaceAt(host, mlirBlockGetArgument(irBody(loop->op, region), value->number), place);
  else
    loop->starts[loop->numStarts++] = place;
  return true;
}

/// The memrefs that a value begins with. With a known number of iterations the last one writes the result.
static bool startValue(Host *host, HostLoop *loop, LoopValue *value, int64_t tripCount) {
  MlirValue initial = hostFlatMemref(host, loop->op, irOperand(loop->op, value->number));
  value->start = loop->numStarts;
  if (mlirValueIsNull(initial))
    return false;
  if (value->from >= 0)
    return startInPlace(host, loop, value, initial, tripCount);
  MlirValue a, b;
  if (tripCount > 0) {
    MlirValue result = hostFlatMemref(host, loop->op, irResult(loop->op, value->number));
    MlirValue other = tripCount == 1 ? result : newBuffer(host, result, value, 0);
    a = tripCount % 2 ? result : other;
    b = tripCount % 2 ? other : result;
  } else {
    a = newBuffer(host, initial, value, 0);
    b = newBuffer(host, initial, value, 1);
  }
  loop->starts[loop->numStarts++] = initial;
  loop->starts[loop->numStarts++] = a;
  loop->starts[loop->numStarts++] = b;
  return true;
}

static bool startLoop(Host *host, MlirOperation op, int64_t tripCount, HostLoop *loop) {
  intptr_t count = mlirOperationGetNumResults(op);
  *loop = (HostLoop){.op = op,
                     .count = count,
                     .values = irAllocate(sizeof(LoopValue) * (size_t)(count + 1)),
                     .starts = irAllocate(sizeof(MlirValue) * (size_t)(NUM_ROLES * count + 1))};
  bool success = true;
  int64_t *from = irAllocate(sizeof(int64_t) * (size_t)(count + 1));
  irBuffersOfLoop(op, from);
  for (intptr_t i = 0; i < count; ++i)
    loop->values[i] = carriedValue(op, i, from[i]);
  free(from);
  for (intptr_t i = 0; success && i < count; ++i)
    success = startValue(host, loop, &loop->values[i], tripCount);
  return success;
}

static void endLoop(Host *host, HostLoop *loop) {
  for (intptr_t i = 0; i < loop->count; ++i)
    for (int j = 0; j < 2; ++j)
      if (loop->values[i].buffers[j] >= 0)
        hostArenaRelease(&host->arena, loop->values[i].buffers[j], loop->values[i].bytes);
  free(loop->values);
  free(loop->starts);
}

/// Places the arguments of a region of the tg.while in the `current` of the scf block's arguments from `first` on.
static void bindCurrent(Host *host, const HostLoop *loop, MlirBlock region, MlirBlock block, intptr_t first) {
  for (intptr_t i = 0; i < loop->count; ++i)
    if (!stays(&loop->values[i]))
      hostPlaceAt(host, mlirBlockGetArgument(region, i),
                  mlirBlockGetArgument(block, first + loop->values[i].start + CURRENT));
}

/// The memory in which an iteration leaves a value, null if it is there already, and the part of it that the next
/// iteration carries.
static MlirValue targetOf(Host *host, const HostLoop *loop, intptr_t number, MlirBlock block, intptr_t first,
                          MlirValue *rotated) {
  const LoopValue *value = &loop->values[number];
  MlirValue target = {NULL};
  if (value->from < 0) {
    target = mlirBlockGetArgument(block, first + value->start + NEXT);
    rotated[value->start + CURRENT] = rotated[value->start + SPARE] = target;
    rotated[value->start + NEXT] = mlirBlockGetArgument(block, first + value->start + SPARE);
    return target;
  }
  MlirValue memory = hostFlatMemref(host, loop->op, mlirBlockGetArgument(irBody(loop->op, 1), value->from));
  if (!stays(value))
    rotated[value->start] = memory;
  return value->isUpdated ? memory : target;
}

/// Converts the body into `block`, whose arguments from `first` on are loop-carried, and yields the next iteration's
/// values.
static bool convertBody(Host *host, const HostLoop *loop, MlirBlock block, intptr_t first) {
  MlirBlock body = irBody(loop->op, 1);
  MlirValue *targets = irAllocateZeroed((size_t)loop->count + 1, sizeof(MlirValue));
  MlirValue *rotated = irAllocateZeroed((size_t)loop->numStarts + 1, sizeof(MlirValue));
  bindCurrent(host, loop, body, block, first);
  for (intptr_t i = 0; i < loop->count; ++i)
    targets[i] = targetOf(host, loop, i, block, first, rotated);
  bool success = convertYielding(host, block, body, targets);
  if (success)
    irYield(&host->b, (IrValues){loop->numStarts, rotated});
  free(targets);
  free(rotated);
  return success;
}

/// Without a known number of iterations (`scf` is the scf.while) the last value can be in any buffer: it is copied. So
/// is a value that no iteration changed.
static void copyResults(Host *host, const HostLoop *loop, MlirOperation scf) {
  for (intptr_t i = 0; i < loop->count; ++i) {
    const LoopValue *value = &loop->values[i];
    MlirValue result = irResult(loop->op, i);
    bool isWhile = !mlirOperationIsNull(scf), isWritten = stays(value) ? value->isUpdated : !isWhile;
    MlirValue last = !stays(value) && isWhile ? irResult(scf, value->start + CURRENT)
                                              : hostFlatMemref(host, loop->op, irOperand(loop->op, i));
    if (!isWritten && !mlirOpOperandIsNull(mlirValueGetFirstUse(result)))
      hostCopy(host, last, hostFlatMemref(host, loop->op, result), NULL);
  }
}

static bool convertCountedLoop(Host *host, MlirOperation op, int64_t tripCount) {
  HostLoop loop;
  bool success = startLoop(host, op, tripCount, &loop);
  if (success) {
    IrBuilder outside = host->b;
    MlirValue zero = irConstantIndex(&host->b, 0), count = irConstantIndex(&host->b, tripCount);
    MlirOperation scf = irFor(&host->b, zero, count, host->one, (IrValues){loop.numStarts, loop.starts});
    success = convertBody(host, &loop, emptyBody(scf, 0), 1);
    host->b = irBuilderAtEnd(outside.block, outside.loc);
    if (success)
      copyResults(host, &loop, (MlirOperation){NULL});
  }
  endLoop(host, &loop);
  return success;
}

/// Whether all of an iteration is a kernel that has the loop inside.
static bool isPersistent(MlirOperation loop) {
  IR_FOR_EACH_OP(op, irBody(loop, 1))
    if (irOpIs(op, "stitch.fusion") && planIterationsInside(op) > 1)
      return true;
  return false;
}

/// Launches the kernel with the memory that the first iteration reads and writes, and that the second one writes.
static bool convertPersistentLoop(Host *host, MlirOperation op, int64_t tripCount) {
  HostLoop loop;
  bool success = startLoop(host, op, tripCount, &loop);
  if (success) {
    MlirBlock body = irBody(op, 1);
    MlirValue *targets = irAllocateZeroed((size_t)loop.count + 1, sizeof(MlirValue));
    MlirValue *spares = irAllocateZeroed((size_t)loop.count + 1, sizeof(MlirValue));
    for (intptr_t i = 0; i < loop.count; ++i) {
      if (loop.values[i].from >= 0)
        continue;
      const MlirValue *roles = loop.starts + loop.values[i].start;
      hostPlaceAt(host, mlirBlockGetArgument(body, i), roles[CURRENT]);
      targets[i] = roles[NEXT];
      spares[i] = roles[SPARE];
    }
    placeYielded(host, body, targets);
    host->spares = spares;
    success = host->convertBlock(host, body);
    host->spares = NULL;
    free(targets);
    free(spares);
    if (success)
      copyResults(host, &loop, (MlirOperation){NULL});
  }
  endLoop(host, &loop);
  return success;
}

static MlirOperation createWhile(Host *host, const HostLoop *loop) {
  IrBuilder *b = &host->b;
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)(loop->numStarts + 1));
  for (intptr_t i = 0; i < loop->numStarts; ++i)
    types[i] = mlirValueGetType(loop->starts[i]);
  IrTypes carried = {loop->numStarts, types};
  MlirOperation scf =
      irOpWithRegions(b, "scf.while", (IrValues){loop->numStarts, loop->starts}, carried, IR_NO_ATTRS, 2, carried);
  free(types);
  return scf;
}

/// The condition reads the current values and passes everything on.
static bool convertCondition(Host *host, const HostLoop *loop, MlirOperation scf) {
  MlirBlock condition = irBody(loop->op, 0), block = irBody(scf, 0);
  MlirOperation yield = mlirBlockGetTerminator(condition);
  bindCurrent(host, loop, condition, block, 0);
  if (!convertInto(host, block, condition))
    return false;
  MlirValue *operands = irAllocate(sizeof(MlirValue) * (size_t)(loop->numStarts + 1));
  operands[0] = readPredicate(host, yield, irOperand(yield, 0));
  for (intptr_t i = 0; i < loop->numStarts; ++i)
    operands[i + 1] = mlirBlockGetArgument(block, i);
  bool success = !mlirValueIsNull(operands[0]);
  if (success)
    irOp(&host->b, "scf.condition", (IrValues){loop->numStarts + 1, operands}, IR_NO_TYPES, IR_NO_ATTRS);
  free(operands);
  return success;
}

static bool convertUncountedLoop(Host *host, MlirOperation op) {
  HostLoop loop;
  bool success = startLoop(host, op, 0, &loop);
  if (success) {
    IrBuilder outside = host->b;
    MlirOperation scf = createWhile(host, &loop);
    success = convertCondition(host, &loop, scf) && convertBody(host, &loop, irBody(scf, 1), 0);
    host->b = irBuilderAtEnd(outside.block, outside.loc);
    if (success)
      copyResults(host, &loop, scf);
  }
  endLoop(host, &loop);
  return success;
}

bool hostConvertControlFlow(Host *host, MlirOperation op) {
  if (irOpIs(op, "stitch.adaptive"))
    return convertAdaptive(host, op);
  switch (tgKindOf(op)) {
  case TG_if:
    return convertIf(host, op);
  case TG_case:
    return convertCase(host, op);
  default: {
    int64_t tripCount = irGetInt(op, "trip_count", 0);
    if (tripCount > 0 && isPersistent(op))
      return convertPersistentLoop(host, op, tripCount);
    return tripCount > 0 ? convertCountedLoop(host, op, tripCount) : convertUncountedLoop(host, op);
  }
  }
}
