//===- hlo_collective.c - communication between processes -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constraints of collective operations, and their identities in a program of one process, where groups have one
// process each. The case of several is in hlo_communication.c.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_communication.h"
#include "lowering/import/stablehlo_to_tg/hlo_processes.h"
#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

#include "ir/graph/tg_build.h"
#include "ir/mlir/query.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Groups and channels
//===----------------------------------------------------------------------===//

/// A table of 64-bit integers of rank 2.
static bool isTable(MlirAttribute table) {
  if (!mlirAttributeIsADenseIntElements(table) || mlirShapedTypeGetRank(mlirAttributeGetType(table)) != 2)
    return false;
  MlirType element = irElementType(mlirAttributeGetType(table));
  return mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 64;
}

/// Process 0 is the only one: all that a table may name.
static bool namesOnlyProcess(HloConversion *c, MlirAttribute table) {
  int64_t count = mlirElementsAttrGetNumElements(table);
  for (int64_t i = 0; i < count && (i == 0 || !mlirDenseElementsAttrIsSplat(table)); ++i)
    if (mlirDenseElementsAttrGetInt64Value(table, i) != 0)
      return hloFail(c, "it names process %lld, and a compiled model runs in one",
                     (long long)mlirDenseElementsAttrGetInt64Value(table, i));
  return true;
}

/// `replica_groups` must be one group of one process; it may be empty, which stands for one group of all processes.
static bool checkGroups(HloConversion *c) {
  MlirAttribute groups = irGetAttr(c->op, "replica_groups");
  if (mlirAttributeIsNull(groups))
    return true;
  if (!isTable(groups))
    return hloFail(c, "attribute 'replica_groups' is not a table of processes");
  IrShape shape = irTypeShape(mlirAttributeGetType(groups));
  if (shape.dims[0] > 0 && shape.dims[1] != 1)
    return hloFail(c, "it spans %lld processes, and a compiled model runs in one", (long long)shape.dims[1]);
  if (!namesOnlyProcess(c, groups))
    return false;
  return shape.dims[0] <= 1 || hloFail(c, "'replica_groups' has process 0 in %lld groups", (long long)shape.dims[0]);
}

static bool checkChannel(HloConversion *c) {
  MlirAttribute global = irGetAttr(c->op, "use_global_device_ids");
  bool isGlobal = !mlirAttributeIsNull(global) && (!mlirAttributeIsABool(global) || mlirBoolAttrGetValue(global));
  return !isGlobal || hloIntField(hloAttrText(c, "channel_handle"), "handle", 0) > 0 ||
         hloFail(c, "'use_global_device_ids' needs a 'channel_handle' whose handle is positive");
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// A dimension that all operands must have.
static bool checkDim(HloConversion *c, const char *attribute, int64_t *dim) {
  if (!hloIntAttr(c, attribute, dim))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(c->op); ++i) {
    intptr_t rank = irShapeOf(hloOperand(c, i)).rank;
    if (*dim < 0 || *dim >= rank)
      return hloFail(c, "'%s' is dimension %lld, which is not in [0, %ld)", attribute, (long long)*dim, (long)rank);
  }
  return true;
}

static bool isSpread(HloConversion *c) { return hloNumProcesses(c->op) > 1; }

static bool checkAllToAll(HloConversion *c) {
  int64_t split, concat, count;
  if (!checkDim(c, "split_dimension", &split) || !checkDim(c, "concat_dimension", &concat) ||
      !hloIntAttr(c, "split_count", &count))
    return false;
  if (count < 1)
    return hloFail(c, "'split_count' must be positive, got %lld", (long long)count);
  return count == 1 || isSpread(c) ||
         hloFail(c, "'split_count' is %lld, and its groups have one process", (long long)count);
}

static bool checkDims(HloConversion *c) {
  int64_t dim;
  if (irOpIs(c->op, "stablehlo.all_gather"))
    return checkDim(c, "all_gather_dim", &dim);
  if (irOpIs(c->op, "stablehlo.reduce_scatter"))
    return checkDim(c, "scatter_dimension", &dim);
  return !irOpIs(c->op, "stablehlo.all_to_all") || checkAllToAll(c);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool hloConvertCollective(HloConversion *c) {
  if (isSpread(c))
    return checkChannel(c) && checkDims(c) && hloSpreadCollective(c);
  return checkGroups(c) && checkChannel(c) && checkDims(c) && hloReplaceByOperands(c);
}

/// Those that combine: where there is nothing to combine with, results have the element type of the body all the same.
bool hloConvertCollectiveReduction(HloConversion *c) {
  if ((!isSpread(c) && !checkGroups(c)) || !checkChannel(c) || !checkDims(c) || !hloCheckNumRegions(c, 1))
    return false;
  MlirOperation end = hloRegionEnd(mlirOperationGetRegion(c->op, 0));
  if (mlirOperationIsNull(end))
    return hloFail(c, "its body must be one block that ends in a stablehlo.return");
  MlirBlock body = mlirOperationGetBlock(end);
  if (mlirBlockGetNumArguments(body) != 2 || mlirOperationGetNumOperands(end) != 1)
    return hloFail(c, "its body must take two elements and return one");
  MlirType type = mlirValueGetType(irOperand(end, 0));
  if (!mlirTypeIsARankedTensor(type) || mlirShapedTypeGetRank(type) != 0 ||
      !mlirTypeEqual(type, mlirValueGetType(mlirBlockGetArgument(body, 0))) ||
      !mlirTypeEqual(type, mlirValueGetType(mlirBlockGetArgument(body, 1))))
    return hloFail(c, "its body must take two elements of the type of which it returns one");
  if (mlirOperationGetNumOperands(c->op) != mlirOperationGetNumResults(c->op))
    return hloFail(c, "it must have as many results as operands");
  if (isSpread(c))
    return hloSpreadReduction(c, irElementType(type), hloRegionKind(c, 0));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); ++i) {
    MlirValue promoted = hloPromote(c, hloOperand(c, i), irElementType(type));
    if (!mlirTypeEqual(mlirValueGetType(promoted), hloResultType(c, i)))
      return hloFail(c, "result %ld must have the shape of its operand and the element type of the body's result",
                     (long)i);
    hloReplaceResult(c, i, promoted);
  }
  return true;
}

/// The elements of operand `i`, 32-bit integers; NULL if it is no constant.
static const int64_t *knownElements(HloConversion *c, intptr_t i) {
  MlirOperation op = irDefiningOp(hloOperand(c, i));
  MlirAttribute value =
      !mlirOperationIsNull(op) && irOpIs(op, "tg.constant") ? irGetAttr(op, "value") : mlirAttributeGetNull();
  if (mlirAttributeIsNull(value) || !mlirAttributeIsADenseIntElements(value))
    return NULL;
  int64_t count = mlirElementsAttrGetNumElements(value);
  int64_t *elements = IR_NEW_ARRAY(c->arena, int64_t, count + 1);
  for (int64_t k = 0; k < count; ++k)
    elements[k] = mlirDenseElementsAttrGetInt32Value(value, mlirDenseElementsAttrIsSplat(value) ? 0 : k);
  return elements;
}

/// With a dynamic root, the last operand says for each other one which process of a group sends it.
static bool checkRoot(HloConversion *c, intptr_t count) {
  MlirType root = mlirValueGetType(hloOperand(c, count - 1));
  IrShape shape = irTypeShape(root);
  MlirType element = irElementType(root);
  if (count < 2 || shape.rank != 1 || shape.dims[0] != count - 1 || !mlirTypeIsAInteger(element) ||
      mlirIntegerTypeGetWidth(element) != 32)
    return hloFail(c, "its last operand must have the root of each other one: a list of 32-bit integers");
  const int64_t *roots = knownElements(c, count - 1);
  for (intptr_t i = 0; roots && !isSpread(c) && i + 1 < count; ++i)
    if (roots[i] != 0)
      return hloFail(c, "its last operand names a process other than the only one of its group");
  return mlirOperationGetNumResults(c->op) == count - 1 ||
         hloFail(c, "it must have a result for each operand but the last one");
}

bool hloConvertCollectiveBroadcast(HloConversion *c) {
  if (!isSpread(c) && !checkGroups(c))
    return false;
  intptr_t count = mlirOperationGetNumOperands(c->op);
  if (count == 0)
    return hloFail(c, "it must have an operand");
  bool hasRoot = hloIsTrue(c, "has_dynamic_root");
  if (hasRoot && !checkRoot(c, count))
    return false;
  if (!hasRoot && mlirOperationGetNumResults(c->op) != count)
    return hloFail(c, "it must have as many results as operands");
  const int64_t *roots = hasRoot ? knownElements(c, count - 1) : NULL;
  if (isSpread(c) && hasRoot && !roots)
    return hloFail(c, "a root that the program computes is not supported for several processes");
  if (isSpread(c))
    return hloSpreadBroadcast(c, roots);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); ++i) {
    if (!mlirTypeEqual(hloResultType(c, i), mlirValueGetType(hloOperand(c, i))))
      return hloFail(c, "result %ld has another type than its operand", (long)i);
    hloReplaceResult(c, i, hloOperand(c, i));
  }
  return true;
}

/// The only result becomes zeros.
static bool replaceByZeros(HloConversion *c) {
  MlirType type = hloResultType(c, 0), element = irElementType(type);
  bool isNumber = irIsInteger(element) || irIsFloat(element) || mlirTypeIsAComplex(element);
  if (!mlirTypeIsARankedTensor(type) || !mlirShapedTypeHasStaticShape(type) || !isNumber)
    return hloFail(c, "its result is not a tensor of numbers of known sizes");
  return hloReplaceResult(c, 0, tgSplat(&c->b, type, 0));
}

/// The only process sends to itself, or gets zeros.
bool hloConvertCollectivePermute(HloConversion *c) {
  if (isSpread(c))
    return hloSpreadPermute(c);
  MlirAttribute pairs = irGetAttr(c->op, "source_target_pairs");
  if (mlirAttributeIsNull(pairs) || !isTable(pairs))
    return hloFail(c, "attribute 'source_target_pairs' is not a table of 64-bit integers");
  IrShape shape = irTypeShape(mlirAttributeGetType(pairs));
  if (shape.dims[0] > 0 && shape.dims[1] != 2)
    return hloFail(c, "'source_target_pairs' must have a source and a target in each row");
  if (!namesOnlyProcess(c, pairs))
    return false;
  if (shape.dims[0] > 1)
    return hloFail(c, "'source_target_pairs' has process 0 as a source and a target %lld times",
                   (long long)shape.dims[0]);
  return shape.dims[0] > 0 ? hloReplaceByOperands(c) : replaceByZeros(c);
}

/// The number of the only process is zero.
bool hloConvertProcessId(HloConversion *c) { return isSpread(c) ? hloSpreadProcessId(c) : replaceByZeros(c); }
