//===- plan.c - derived properties of plan attributes ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes mappings, schemes and launches of a fusion. Leaves the sizes and registers that follow from them, for planning,
// verification and emission alike.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/plan.h"

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/axes.h"
#include "ir/plan/resources.h"

#include <stdlib.h>
#include <string.h>

#define DEFINE_GETTER(Name, Type)                                                                                      \
  bool planGet##Name(MlirOperation op, Type *value) {                                                                  \
    MlirAttribute attribute = irGetAttr(op, ATTRIBUTE_NAME_##Name);                                                    \
    if (mlirAttributeIsNull(attribute) || !stitchAttributeIsA##Name(attribute))                                        \
      return false;                                                                                                    \
    *value = stitch##Name##AttrValue(attribute);                                                                       \
    return true;                                                                                                       \
  }
#define ATTRIBUTE_NAME_Role "stitch.role"
#define ATTRIBUTE_NAME_Scheme "stitch.scheme"
#define ATTRIBUTE_NAME_Task "stitch.task"
#define ATTRIBUTE_NAME_Buffer "stitch.buffer"
#define ATTRIBUTE_NAME_Launch "stitch.launch"
DEFINE_GETTER(Role, StitchRole)
DEFINE_GETTER(Scheme, StitchScheme)
DEFINE_GETTER(Task, StitchRootTask)
DEFINE_GETTER(Buffer, StitchBuffer)
DEFINE_GETTER(Launch, StitchLaunch)

/// The reduced axes determine the number of tasks that share the result of a reduce with axes.
bool planGetMapping(MlirOperation op, StitchMapping *mapping) {
  MlirAttribute attribute = irGetAttr(op, "stitch.mapping");
  if (mlirAttributeIsNull(attribute) || !stitchAttributeIsAMapping(attribute))
    return false;
  *mapping = stitchMappingAttrValue(attribute);
  if (mapping->kind == STITCH_MAPPING_AXES)
    axesCompleteSplit(op, mapping);
  return true;
}

bool planIsRoot(MlirOperation op) {
  StitchRole role;
  return planGetRole(op, &role) && role != STITCH_ROLE_MEMBER;
}

bool planIsStacked(MlirOperation root) { return irHasAttr(root, PLAN_STACKED); }

int64_t planStackOf(MlirOperation root, const StitchMapping *m) {
  bool isStack = m->kind == STITCH_MAPPING_KEPT && planIsStacked(root);
  return isStack ? irNumElements(irShapeOf(irResult(root, 0))) / m->columns : 1;
}

bool planIsTransposed(MlirOperation root) { return irHasAttr(root, "stitch.transposed"); }

bool planIsPlanAttr(MlirStringRef name) {
  static const char *const others[] = {"tg.contract", "tg.reciprocal", "tg.unscaled", "tg.approximate"};
  static const char prefix[] = "stitch.";
  bool is = name.length >= strlen(prefix) && memcmp(name.data, prefix, strlen(prefix)) == 0;
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i)
    is = is || mlirStringRefEqual(name, mlirStringRefCreateFromCString(others[i]));
  return is;
}

bool planGetDevice(MlirOperation op, StitchDevice *device) {
  MlirOperation inner = op;
  MlirAttribute attribute = irGetAttr(op, "stitch.device");
  while (mlirAttributeIsNull(attribute) || !stitchAttributeIsADevice(attribute)) {
    op = mlirOperationGetParentOperation(op);
    if (mlirOperationIsNull(op))
      return false;
    attribute = irGetAttr(op, "stitch.device");
  }
  *device = stitchDeviceAttrValue(attribute);
  for (; !mlirOperationEqual(inner, op); inner = mlirOperationGetParentOperation(inner))
    planLimitDevice(device, inner);
  return true;
}

bool planSameMapping(const StitchMapping *a, const StitchMapping *b) {
  bool sameDims = a->numDims == b->numDims && memcmp(a->dims, b->dims, sizeof(a->dims[0]) * (size_t)a->numDims) == 0;
  return axesAreEqual(a, b) && sameDims && a->kind == b->kind && a->rows == b->rows && a->columns == b->columns &&
         a->blockRows == b->blockRows && a->rowThreads == b->rowThreads && a->vector == b->vector &&
         a->unroll == b->unroll && a->split == b->split && a->cluster == b->cluster && a->run == b->run &&
         a->sumsInShared == b->sumsInShared && a->isReplicated == b->isReplicated;
}

bool planSameLaunch(const StitchLaunch *a, const StitchLaunch *b) {
  return a->grid == b->grid && a->block == b->block && a->registers == b->registers && a->shared == b->shared &&
         a->scratch == b->scratch && a->barriers == b->barriers && a->cluster == b->cluster;
}

StitchMapping planLoopMapping(const StitchMapping *m) {
  StitchMapping loop = *m;
  if (m->kind == STITCH_MAPPING_KEPT)
    loop.kind = STITCH_MAPPING_COLUMN;
  if (m->kind == STITCH_MAPPING_CARRIED) {
    loop.kind = STITCH_MAPPING_ROW;
    loop.split = 1;
    loop.sumsInShared = false;
    loop.cluster = planSharesSums(m) ? 1 : m->cluster;
  }
  if (m->kind == STITCH_MAPPING_AXES) {
    loop.numDims = m->numAxes;
    for (int64_t i = 0; i < m->numAxes; ++i)
      loop.dims[i] = i;
    stitchCompleteAxes(&loop);
  }
  return loop;
}

bool planSameLoop(const StitchMapping *a, const StitchMapping *b) {
  StitchMapping x = planLoopMapping(a), y = planLoopMapping(b);
  if (!axesAreEqual(&x, &y) || x.kind != y.kind || x.rows != y.rows || x.blockRows != y.blockRows ||
      x.rowThreads != y.rowThreads || x.split != y.split || x.cluster != y.cluster || x.isReplicated != y.isReplicated)
    return false;
  bool rowsAlone = x.kind == STITCH_MAPPING_ROW && x.split == 1; // columns may differ
  return rowsAlone || (x.columns == y.columns && x.vector == y.vector && x.unroll == y.unroll && x.run == y.run);
}

bool planSameTasks(const StitchMapping *a, const StitchMapping *b) {
  StitchMapping x = planLoopMapping(a), y = planLoopMapping(b);
  return axesAreEqual(&x, &y) && x.rows == y.rows && x.blockRows == y.blockRows && x.split == y.split &&
         x.cluster == y.cluster && x.isReplicated == y.isReplicated;
}

int64_t planTasks(const StitchMapping *m) {
  if (m->kind == STITCH_MAPPING_AXES) {
    int64_t tasks = 1;
    for (int64_t i = 0; i < m->numAxes; ++i)
      tasks *= axisTasks(&m->axes[i]);
    return tasks;
  }
  if (m->kind == STITCH_MAPPING_COLUMN || m->kind == STITCH_MAPPING_KEPT)
    return ceilDiv(m->columns, m->rowThreads * m->vector) * m->split;
  if (m->kind == STITCH_MAPPING_TILE)
    return ceilDiv(m->rows, planTileSide(m)) * ceilDiv(m->columns, planTileSide(m));
  return ceilDiv(m->rows, m->blockRows) * (m->kind == STITCH_MAPPING_CARRIED ? 1 : m->split);
}

MlirType planAccumulatorType(MlirType elementType) {
  bool small = mlirTypeIsAFloat(elementType) && mlirFloatTypeGetWidth(elementType) < 32;
  return small ? mlirF32TypeGet(mlirTypeGetContext(elementType)) : elementType;
}

static int64_t alignedToVectors(int64_t size) { return (size + 15) / 16 * 16; }

static bool isReduce(MlirOperation op) { return tgClassOfKind(tgKindOf(op)) == TG_CLASS_REDUCE; }

int64_t planBufferBytes(MlirOperation root, intptr_t result, const StitchMapping *m, StitchScheme scheme) {
  MlirType element = irElementTypeOf(irResult(root, result));
  int64_t elements = irNumElements(irShapeOf(irResult(root, result)));
  if (isReduce(root) && m->split > 1)
    return alignedToVectors(m->split * elements * irElementBytes(planAccumulatorType(element)));
  if (scheme == STITCH_SCHEME_REGIONAL && m->kind == STITCH_MAPPING_TILE)
    return alignedToVectors(planTileSide(m) * planTilePitch(m, irElementBytes(element)) * irElementBytes(element));
  if (scheme == STITCH_SCHEME_REGIONAL && !m->isReplicated) {
    bool isPart = m->cluster > 1 && elements > m->rows;
    int64_t ofRow = isPart ? planColumnsOfBlock(m) : elements / m->rows;
    return alignedToVectors(m->blockRows * ofRow * irElementBytes(element));
  }
  return alignedToVectors(elements * irElementBytes(element));
}

static bool isYielded(MlirValue value) {
  IR_FOR_EACH_USE(use, value)
    if (irOpIs(mlirOpOperandGetOwner(use), "stitch.yield"))
      return true;
  return false;
}

int64_t planYieldedBytes(MlirOperation op) {
  int64_t bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    bytes += isYielded(irResult(op, i)) ? irTensorBytes(mlirValueGetType(irResult(op, i))) : 0;
  return bytes;
}

bool planIsReadFromResults(MlirOperation root, const StitchMapping *m) {
  if ((isReduce(root) && m->split > 1) || planGoesByOperand(root))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(root); ++i)
    if (!isYielded(irResult(root, i)))
      return false;
  return true;
}

bool planIsFinishedLater(MlirOperation root, const StitchMapping *m) {
  bool isResult = false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(root); ++i)
    isResult |= isYielded(irResult(root, i));
  return isReduce(root) && m->split > 1 && isResult;
}

/// Rows of threads of a block that share the partial results of an element. They are as many as load them all in one
/// access. While that makes few blocks, they are as many as have a few each.
static int64_t rowsThatCombine(int64_t elements, int64_t partials, int64_t block) {
  enum { BLOCKS = 128 }; // about as many as devices have multiprocessors
  int64_t most = min64(max64(block / PLAN_WARP, 1), powerOfTwoFrom(ceilDiv(partials, PLAN_FEW_PARTIALS)));
  int64_t rows = min64(powerOfTwoFrom(ceilDiv(partials, PLAN_PARTIALS_AT_ONCE)), most);
  while (2 * rows <= most && ceilDiv(2 * rows * elements, block) <= BLOCKS)
    rows *= 2;
  return rows;
}

StitchMapping planCombineMapping(int64_t elements, int64_t partials, int64_t block) {
  int64_t rowThreads = block / rowsThatCombine(elements, partials, block);
  return (StitchMapping){.kind = STITCH_MAPPING_FLAT,
                         .rows = 1,
                         .columns = elements,
                         .blockRows = block / rowThreads,
                         .rowThreads = rowThreads,
                         .vector = 1,
                         .unroll = 1,
                         .split = ceilDiv(elements, rowThreads),
                         .cluster = 1};
}

StitchMapping planFlatMapping(MlirOperation op) {
  enum { THREADS = 256 };
  return planCombineMapping(max64(irNumElements(irShapeOf(irResult(op, 0))), 1), /*partials=*/1, THREADS);
}

StitchMapping planOneColumn(const StitchMapping *rows, bool isRead) {
  StitchMapping m = *rows;
  if (m.kind == STITCH_MAPPING_ROW && m.split > 1 && !isRead) { // a thread combines few partial results, a warp many
    m.rowThreads = m.split > PLAN_FEW_PARTIALS ? min64(PLAN_WARP, planBlockSize(rows)) : 1;
    m.blockRows = planBlockSize(rows) / m.rowThreads;
  }
  m.columns = m.vector = m.unroll = m.split = 1;
  m.run = 0;
  return m;
}

/// Bytes of a partial result of each of `threads` threads.
static int64_t partialBytes(MlirOperation reduce, int64_t threads) {
  intptr_t numResults = mlirOperationGetNumResults(reduce);
  int64_t bytes = 0;
  for (intptr_t i = 0; i < numResults; ++i) {
    int64_t size = threads * irElementBytes(planAccumulatorType(irElementTypeOf(irResult(reduce, i))));
    bytes += numResults > 1 ? alignedToVectors(size) : size;
  }
  return bytes;
}

int64_t planRowsInWarp(const StitchMapping *m) { return max64(min64(planBlockSize(m), PLAN_WARP) / m->rowThreads, 1); }

int64_t planSharedRows(const StitchMapping *m) { return m->blockRows / planRowsInWarp(m); }

int64_t planPanelRegisters(const StitchMapping *m, int64_t words) {
  enum { OF_A_COLUMN = 3 }; // the accumulator, and results that the elements are combined with
  int64_t most = m->split > 1 ? 2 * PLAN_PANEL_WORDS : PLAN_PANEL_WORDS; // of the grid: there is nothing smaller
  if (m->unroll * m->vector * words > most)
    return INT64_MAX;
  int64_t registers = PLAN_BESIDE_SUMS + (m->unroll + OF_A_COLUMN) * m->vector * words;
  return ceilDiv(registers, PLAN_REGISTER_STEP) * PLAN_REGISTER_STEP;
}

int64_t planReductionBytes(MlirOperation reduce, const StitchMapping *m) {
  if (!isReduce(reduce))
    return 0;
  if (m->kind == STITCH_MAPPING_AXES) {
    AxesExchange exchange = axesExchangeOf(reduce, m);
    int64_t places = axesExchangedPlaces(&exchange);
    return partialBytes(reduce, m->split > 1 ? max64(places, planBlockSize(m)) : places);
  }
  bool isColumn = m->kind == STITCH_MAPPING_COLUMN || m->kind == STITCH_MAPPING_CARRIED;
  int64_t rows = planExchangedRows(m);
  int64_t threads = isColumn ? (rows > 1 ? rows * m->rowThreads * m->vector : 0)
                             : (m->rowThreads > PLAN_WARP ? planBlockSize(m) / PLAN_WARP : 0);
  bool leavesRows = m->blockRows > 1 || planSharesSums(m);
  if (m->kind == STITCH_MAPPING_CARRIED && m->run > 0 && leavesRows) // each row of threads has its columns
    threads = max64(threads, m->blockRows * planPitchOfSums(m));
  if (planSharesSums(m) && !m->sumsInShared) // all columns of a block, for the others of its cluster
    threads = max64(threads, planColumnsOfBlock(m));
  if (m->cluster > 1 && !isColumn) // a block's result for each row, behind those of its warps
    threads = planBlockSize(m) / PLAN_WARP + m->blockRows;
  if (m->split > 1 && threads < planBlockSize(m))
    threads = planBlockSize(m); // for those who combine its partial results
  return partialBytes(reduce, threads);
}

/// The reduction memory of the row reduces of one stage together, those with the mapping of the first of them.
typedef struct {
  StitchMapping mapping;
  int64_t bytes;
} Exchange;

enum { JOINT_BYTES = 1024 };

/// The bytes of the exchange that a root takes part in, so far.
static int64_t joinExchange(Exchange *exchange, const StitchMapping *m, int64_t bytes) {
  bool isFirst = exchange->bytes == 0;
  if (m->kind == STITCH_MAPPING_AXES) { // all of a stage together
    *exchange = (Exchange){*m, exchange->bytes + alignedToVectors(bytes)};
    return exchange->bytes;
  }
  if (m->kind != STITCH_MAPPING_ROW || m->split > 1 || (!isFirst && !planSameMapping(m, &exchange->mapping)))
    return bytes;
  *exchange = (Exchange){*m, exchange->bytes + alignedToVectors(bytes)};
  return max64(bytes, min64(exchange->bytes, JOINT_BYTES));
}

static int64_t stageOf(MlirOperation op) {
  StitchRootTask task;
  return planGetTask(op, &task) ? task.stage : 0;
}

int64_t planExchangeBytes(MlirOperation fusion) {
  int64_t last = 0, most = 0;
  IR_FOR_EACH_OP(op, irBody(fusion, 0))
    last = max64(last, stageOf(op));
  Exchange *exchanges = irAllocateZeroed((size_t)last + 1, sizeof(*exchanges));
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    StitchMapping mapping;
    if (!planIsRoot(op) || !planGetMapping(op, &mapping))
      continue;
    int64_t bytes = planReductionBytes(op, &mapping);
    most = max64(most, joinExchange(&exchanges[stageOf(op)], &mapping, bytes));
  }
  free(exchanges);
  return alignedToVectors(most);
}

/// Bytes of shared memory for the accumulators of a reduce that has them there.
static int64_t bytesOfSums(MlirOperation op) {
  StitchMapping m;
  bool isThere = planIsRoot(op) && isReduce(op) && planGetMapping(op, &m) && m.sumsInShared;
  return isThere ? alignedToVectors(partialBytes(op, planColumnsOfBlock(&m))) : 0;
}

int64_t planPlaceOfSums(MlirOperation fusion, MlirOperation root) {
  int64_t place = 2 * planExchangeBytes(fusion);
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    if (mlirOperationEqual(op, root))
      break;
    place += bytesOfSums(op);
  }
  return place;
}

int64_t planReductionAreaBytes(MlirOperation fusion) { return planPlaceOfSums(fusion, (MlirOperation){NULL}); }
