//===- hlo_communication.c - collectives of several processes -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives of tg run along the outermost dimension. Where StableHLO's run along another one, transposes, which are
// stitched into their neighbours, stand around them. Operands of a combiner that tg lacks are gathered and combined by
// each process. The case of one process is in hlo_collective.c.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_communication.h"

#include "ir/graph/tg_build.h"
#include "ir/mlir/query.h"
#include "lowering/import/stablehlo_to_tg/hlo_processes.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// The outermost dimension
//===----------------------------------------------------------------------===//

/// `shape` with a dimension of `size` before dimension `dim`.
static IrShape inserted(IrShape shape, intptr_t dim, int64_t size) {
  memmove(shape.dims + dim + 1, shape.dims + dim, sizeof(*shape.dims) * (size_t)(shape.rank - dim));
  shape.dims[dim] = size;
  ++shape.rank;
  return shape;
}

/// Moves dimension `from` to the place of dimension `to`; the others keep their order.
static MlirValue moveDim(IrBuilder *b, MlirValue value, intptr_t from, intptr_t to) {
  IrShape shape = irShapeOf(value), permutation = {shape.rank, {0}}, result = shape;
  if (from == to)
    return value;
  for (intptr_t i = 0, next = 0; i < shape.rank; ++i) {
    next += next == from;
    permutation.dims[i] = i == to ? from : next++;
  }
  for (intptr_t i = 0; i < shape.rank; ++i)
    result.dims[i] = shape.dims[permutation.dims[i]];
  return irValueOf(b, "tg.transpose", IR_VALUES(value), tgWithShape(mlirValueGetType(value), result),
                   IR_ATTRS(irDims(b, "permutation", permutation.rank, permutation.dims)));
}

static MlirValue reshaped(IrBuilder *b, MlirValue value, IrShape shape) {
  return tgReshape(b, value, tgWithShape(mlirValueGetType(value), shape));
}

/// `parts` equal parts along dimension `dim`, each after the other along the outermost one.
static MlirValue partsToFront(IrBuilder *b, MlirValue value, intptr_t dim, int64_t parts) {
  IrShape shape = irShapeOf(value);
  if (dim == 0)
    return value;
  shape.dims[dim] /= parts;
  MlirValue moved = moveDim(b, reshaped(b, value, inserted(shape, dim, parts)), dim, 0);
  shape.dims[0] *= parts;
  return reshaped(b, moved, shape);
}

/// The inverse: parts that follow each other along the outermost dimension follow each other along dimension `dim`.
static MlirValue partsFromFront(IrBuilder *b, MlirValue value, intptr_t dim, int64_t parts) {
  IrShape shape = irShapeOf(value);
  if (dim == 0)
    return value;
  shape.dims[0] /= parts;
  MlirValue moved = moveDim(b, reshaped(b, value, inserted(shape, 0, parts)), 0, dim);
  shape.dims[dim] *= parts;
  return reshaped(b, moved, shape);
}

/// Whether there is room for a dimension more.
static bool hasRoom(HloConversion *c, MlirValue value) {
  return irShapeOf(value).rank < IR_MAX_RANK ||
         hloFail(c, "a collective along an inner dimension must have less than %d dimensions", IR_MAX_RANK);
}

static bool checkDivides(HloConversion *c, MlirValue value, int64_t dim, int64_t parts) {
  int64_t size = irShapeOf(value).dims[dim];
  return size % parts == 0 || hloFail(c, "dimension %lld of its operand has %lld elements: not %lld equal parts",
                                      (long long)dim, (long long)size, (long long)parts);
}

/// The size of each group; an error if they differ.
static bool groupSize(HloConversion *c, const HloGroups *groups, int64_t *size) {
  for (int64_t i = 0; i < groups->rows * groups->columns; ++i)
    if (groups->ids[i] < 0)
      return hloFail(c, "'replica_groups' has groups of several sizes");
  *size = groups->columns;
  return true;
}

/// Replaces result `i`, which must have the type of `value`.
static bool replaceChecked(HloConversion *c, intptr_t i, MlirValue value) {
  if (!mlirTypeEqual(hloResultType(c, i), mlirValueGetType(value)))
    return hloFail(c, "result %ld has another type than follows from its operand", (long)i);
  return hloReplaceResult(c, i, value);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

static MlirValue combined(HloConversion *c, const char *name, MlirValue value, int kind, const HloGroups *groups,
                          MlirType result) {
  return irValueOf(&c->b, name, IR_VALUES(value), result,
                   IR_ATTRS(irI32(&c->b, "kind", kind), hloGroupsAttr(c, "groups", groups)));
}

/// One after the other, the `parts` along the outermost dimension of `value` by the body of the operation, which is
/// of tg by now. Null after an error.
static MlirValue combineParts(HloConversion *c, MlirValue value, int64_t parts) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(c->op, 0));
  IrShape shape = irShapeOf(value);
  int64_t size = shape.dims[0] / parts;
  MlirValue result = tgSlice(&c->b, value, 0, 0, size);
  shape.dims[0] = size;
  for (int64_t i = 1; i < parts; ++i) {
    MlirValue arguments[] = {result, tgSlice(&c->b, value, 0, i * size, (i + 1) * size)};
    if (!hloMapBody(c, body, arguments, shape, &result))
      return (MlirValue){NULL};
  }
  return result;
}

/// A tensor of one process in front of those of the others.
static MlirValue gathered(HloConversion *c, MlirValue value, const HloGroups *groups, int64_t size) {
  IrShape shape = irShapeOf(value);
  shape.dims[0] *= size;
  return irValueOf(&c->b, "tg.all_gather", IR_VALUES(value), tgWithShape(mlirValueGetType(value), shape),
                   IR_ATTRS(hloGroupsAttr(c, "groups", groups)));
}

static MlirValue allReduceByBody(HloConversion *c, MlirValue value, const HloGroups *groups) {
  int64_t size;
  if (!groupSize(c, groups, &size))
    return (MlirValue){NULL};
  IrShape shape = irShapeOf(value);
  if (shape.rank == IR_MAX_RANK) {
    hloFail(c, "a collective with such a body must have less than %d dimensions", IR_MAX_RANK);
    return (MlirValue){NULL};
  }
  MlirValue one = reshaped(&c->b, value, inserted(shape, 0, 1));
  MlirValue result = combineParts(c, gathered(c, one, groups, size), size);
  return mlirValueIsNull(result) ? result : reshaped(&c->b, result, shape);
}

static MlirValue exchanged(HloConversion *c, MlirValue value, const HloGroups *groups) {
  return irValueOf(&c->b, "tg.all_to_all", IR_VALUES(value), mlirValueGetType(value),
                   IR_ATTRS(hloGroupsAttr(c, "groups", groups)));
}

/// The type in which elements are combined between processes: libraries combine none of less than a byte, nor floats of
/// 8 bits. It holds all of their numbers, and the result is rounded, or wraps around, once.
static MlirType combinedElement(HloConversion *c, MlirType element) {
  if (irIsFloat(element) && mlirFloatTypeGetWidth(element) == 8)
    return mlirF32TypeGet(c->b.context);
  if (!mlirTypeIsAInteger(element) || mlirIntegerTypeGetWidth(element) >= 8 || irIsBool(element))
    return element;
  return irIsUnsigned(element) ? mlirIntegerTypeUnsignedGet(c->b.context, 8) : mlirIntegerTypeGet(c->b.context, 8);
}

/// Sums and the like of `value` over each group.
static MlirValue allReduce(HloConversion *c, MlirValue value, int kind, const HloGroups *groups) {
  return kind < 0 ? allReduceByBody(c, value, groups)
                  : combined(c, "tg.all_reduce", value, kind, groups, mlirValueGetType(value));
}

static MlirValue reduceScatter(HloConversion *c, MlirValue value, int kind, const HloGroups *groups) {
  int64_t dim, size;
  if (!hloIntAttr(c, "scatter_dimension", &dim) || !groupSize(c, groups, &size) || !checkDivides(c, value, dim, size) ||
      !hasRoom(c, value))
    return (MlirValue){NULL};
  MlirValue parts = partsToFront(&c->b, value, dim, size);
  if (kind < 0)
    return combineParts(c, exchanged(c, parts, groups), size);
  IrShape shape = irShapeOf(value);
  shape.dims[dim] /= size;
  return combined(c, "tg.reduce_scatter", parts, kind, groups, tgWithShape(mlirValueGetType(value), shape));
}

//===----------------------------------------------------------------------===//
// Which process
//===----------------------------------------------------------------------===//

static MlirValue processId(HloConversion *c) {
  MlirType type =
      mlirRankedTensorTypeGet(0, NULL, mlirIntegerTypeUnsignedGet(c->b.context, 32), mlirAttributeGetNull());
  return irValueOf(&c->b, "tg.process_id", IR_NO_VALUES, type, IR_NO_ATTRS);
}

/// `value` where this process is the first of its group, else zeros.
static MlirValue onlyForFirst(HloConversion *c, MlirValue value, const HloGroups *groups) {
  int64_t count = hloNumProcesses(c->op), one = 1;
  int *isFirst = IR_NEW_ARRAY(c->arena, int, count + 1);
  memset(isFirst, 0, sizeof(*isFirst) * (size_t)count);
  for (int64_t row = 0; row < groups->rows; ++row)
    if (groups->columns && groups->ids[row * groups->columns] >= 0)
      isFirst[groups->ids[row * groups->columns]] = 1;
  MlirType i1 = mlirIntegerTypeGet(c->b.context, 1);
  MlirType table = mlirRankedTensorTypeGet(1, &count, i1, mlirAttributeGetNull());
  MlirValue all = irValueOf(&c->b, "tg.constant", IR_NO_VALUES, table,
                            IR_ATTRS(irAttr(&c->b, "value", mlirDenseElementsAttrBoolGet(table, count, isFirst))));
  MlirValue mine = irValueOf(&c->b, "tg.dynamic_slice", IR_VALUES(all, processId(c)),
                             mlirRankedTensorTypeGet(1, &one, i1, mlirAttributeGetNull()),
                             IR_ATTRS(irDims(&c->b, "sizes", 1, &one)));
  MlirValue scalar = tgReshape(&c->b, mine, mlirRankedTensorTypeGet(0, NULL, i1, mlirAttributeGetNull()));
  MlirType type = mlirValueGetType(value);
  MlirValue mask = tgBroadcast(&c->b, scalar, tgWithElement(type, i1), (IrShape){0});
  return tgSelect(&c->b, mask, value, tgSplat(&c->b, type, 0));
}

bool hloSpreadProcessId(HloConversion *c) {
  HloProcesses processes = hloProcessesOf(c->op);
  bool isPartition = irOpIs(c->op, "stablehlo.partition_id");
  MlirType type = hloResultType(c, 0);
  if ((isPartition ? processes.partitions : processes.replicas) == 1)
    return replaceChecked(c, 0, tgSplat(&c->b, type, 0));
  MlirValue id = processId(c);
  if (!mlirTypeEqual(mlirValueGetType(id), type))
    return hloFail(c, "its result must be a tensor<ui32>");
  MlirValue partitions = tgSplatBits(&c->b, type, (uint64_t)processes.partitions);
  if (processes.replicas > 1 && processes.partitions > 1)
    id = tgBinary(&c->b, isPartition ? "tg.rem" : "tg.div", id, partitions);
  return hloReplaceResult(c, 0, id);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool hloSpreadReduction(HloConversion *c, MlirType element, int kind) {
  HloGroups groups;
  if (!hloProcessGroups(c, &groups))
    return false;
  if (hloIsTrue(c, "has_dynamic_root"))
    return hloFail(c, "a root that the program computes is not supported for several processes");
  if (kind < 0 && !c->convertRegions(c->op, c->arena))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); ++i) {
    MlirValue operand = hloPromote(c, hloOperand(c, i), element);
    if (kind >= 0)
      operand = tgConvert(&c->b, operand, combinedElement(c, element));
    MlirValue result = irOpIs(c->op, "stablehlo.reduce_scatter") ? reduceScatter(c, operand, kind, &groups)
                                                                 : allReduce(c, operand, kind, &groups);
    if (!mlirValueIsNull(result) && irOpIs(c->op, "stablehlo.collective_reduce"))
      result = onlyForFirst(c, result, &groups);
    if (mlirValueIsNull(result) || !replaceChecked(c, i, tgConvert(&c->b, result, element)))
      return false;
  }
  return true;
}

static MlirValue allGather(HloConversion *c, MlirValue value, const HloGroups *groups) {
  int64_t dim, size;
  if (!hloIntAttr(c, "all_gather_dim", &dim) || !groupSize(c, groups, &size) || !hasRoom(c, value))
    return (MlirValue){NULL};
  return partsFromFront(&c->b, gathered(c, value, groups, size), dim, size);
}

static MlirValue allToAll(HloConversion *c, MlirValue value, const HloGroups *groups) {
  int64_t split, concat, count, size;
  if (!hloIntAttr(c, "split_dimension", &split) || !hloIntAttr(c, "concat_dimension", &concat) ||
      !hloIntAttr(c, "split_count", &count) || !groupSize(c, groups, &size) || !hasRoom(c, value))
    return (MlirValue){NULL};
  if (count != size) {
    hloFail(c, "'split_count' is %lld, and its groups have %lld processes", (long long)count, (long long)size);
    return (MlirValue){NULL};
  }
  if (!checkDivides(c, value, split, count))
    return (MlirValue){NULL};
  return partsFromFront(&c->b, exchanged(c, partsToFront(&c->b, value, split, count), groups), concat, count);
}

bool hloSpreadCollective(HloConversion *c) {
  HloGroups groups;
  if (!hloProcessGroups(c, &groups))
    return false;
  if (mlirOperationGetNumOperands(c->op) != mlirOperationGetNumResults(c->op))
    return hloFail(c, "it must have as many results as operands");
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); ++i) {
    MlirValue operand = hloOperand(c, i);
    MlirValue result = irOpIs(c->op, "stablehlo.all_gather")   ? allGather(c, operand, &groups)
                       : irOpIs(c->op, "stablehlo.all_to_all") ? allToAll(c, operand, &groups)
                                                               : allReduce(c, operand, KIND_ADD, &groups);
    if (mlirValueIsNull(result) || !replaceChecked(c, i, result))
      return false;
  }
  return true;
}

/// The groups with process number `root` of each in front.
static HloGroups rotated(HloConversion *c, const HloGroups *groups, int64_t root) {
  HloGroups result = {groups->rows, groups->columns,
                      IR_NEW_ARRAY(c->arena, int64_t, groups->rows * groups->columns + 1)};
  for (int64_t row = 0; row < groups->rows; ++row)
    for (int64_t i = 0; i < groups->columns; ++i)
      result.ids[row * groups->columns + i] = groups->ids[row * groups->columns + (i == 0      ? root
                                                                                   : i <= root ? i - 1
                                                                                               : i)];
  return result;
}

bool hloSpreadBroadcast(HloConversion *c, const int64_t *roots) {
  HloGroups groups;
  if (!hloProcessGroups(c, &groups))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); ++i) {
    if (roots && (roots[i] < 0 || roots[i] >= groups.columns))
      return hloFail(c, "its last operand names process %lld of groups of %lld", (long long)roots[i],
                     (long long)groups.columns);
    HloGroups ofResult = roots ? rotated(c, &groups, roots[i]) : groups;
    MlirValue operand = hloOperand(c, i);
    MlirValue result = irValueOf(&c->b, "tg.collective_broadcast", IR_VALUES(operand), mlirValueGetType(operand),
                                 IR_ATTRS(hloGroupsAttr(c, "groups", &ofResult)));
    if (!replaceChecked(c, i, result))
      return false;
  }
  return true;
}

bool hloSpreadPermute(HloConversion *c) {
  HloGroups pairs;
  if (!hloProcessPairs(c, &pairs))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); ++i) {
    MlirValue operand = hloOperand(c, i);
    MlirValue result = irValueOf(&c->b, "tg.collective_permute", IR_VALUES(operand), mlirValueGetType(operand),
                                 IR_ATTRS(hloGroupsAttr(c, "pairs", &pairs)));
    if (!replaceChecked(c, i, result))
      return false;
  }
  return true;
}
