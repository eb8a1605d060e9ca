//===- remove_shardings.c - the program of one process -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shardy (`sdy`) says where values lie among devices. On one device that is the same place for all, and nothing is left
// of it. A program for several devices has to contain the computation of each. Its @main is then the body of an
// `sdy.manual_computation` over all axes of its mesh, which jax.shard_map makes, and has the shards as its arguments
// and results. A program that only says where values lie would have to be partitioned first, which Stitch does not.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/mlir/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  MlirOperation module;
  int64_t processes;
  IrArena *arena;
} Removal;

#define HOW_TO "Stitch partitions no programs: write it with jax.shard_map, which has the program of each device"

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// A text as it was written, or the printed form of another attribute; "" if it is missing.
static const char *textOf(const Removal *r, MlirAttribute attribute) {
  IrText text = {.arena = r->arena};
  if (mlirAttributeIsNull(attribute))
    return "";
  if (!mlirAttributeIsAString(attribute)) {
    mlirAttributePrint(attribute, irTextAppend, &text);
    return text.data ? text.data : "";
  }
  MlirStringRef value = mlirStringAttrGetValue(attribute);
  char *copy = irArenaAllocate(r->arena, value.length + 1);
  memcpy(copy, value.data, value.length);
  copy[value.length] = '\0';
  return copy;
}

/// Whether a sharding spreads a value over an axis of its mesh: names it, and not among those that have all of it.
static bool namesAxis(const char *sharding) {
  const char *axis = strchr(sharding, '"'), *replicated = strstr(sharding, "replicated=");
  return axis && (!replicated || axis < replicated);
}

/// The mesh that a sharding names, or the only one.
static const char *meshOf(const Removal *r, const char *sharding) {
  const char *name = strchr(sharding, '@');
  const char *found = "";
  IR_FOR_EACH_OP(op, irBody(r->module, 0)) {
    if (!irOpIs(op, "sdy.mesh"))
      continue;
    MlirStringRef symbol = mlirStringAttrGetValue(irGetAttr(op, "sym_name"));
    bool isNamed = name && !strncmp(name + 1, symbol.data, symbol.length) && strchr(",>", name[1 + symbol.length]);
    if (isNamed || (!name && !*found))
      found = textOf(r, irGetAttr(op, "mesh"));
  }
  return found;
}

/// The size of an axis, written "name"=size; 0 if the mesh has none of that name.
static int64_t axisSize(const char *mesh, const char *axis, size_t length) {
  for (const char *at = strchr(mesh, '"'); at; at = strchr(at + 1, '"'))
    if (!strncmp(at + 1, axis, length) && at[1 + length] == '"' && at[2 + length] == '=')
      return strtoll(at + 3 + length, NULL, 10);
  return 0;
}

/// How many devices the axes of a list are over.
static int64_t devicesOf(const char *mesh, const char *axes) {
  int64_t devices = 1;
  for (const char *at = strchr(axes, '"'); at; at = strchr(at, '"')) {
    size_t length = strcspn(at + 1, "\"");
    devices *= axisSize(mesh, at + 1, length);
    at += length + 2;
  }
  return devices;
}

//===----------------------------------------------------------------------===//
// Manual computations
//===----------------------------------------------------------------------===//

static bool refuseSharding(MlirOperation op, const char *reason) {
  stitchEmitOpError(op, "%s", reason);
  return false;
}

/// Whether a value is an argument of its function that nothing else reads.
static bool isOwnArgument(MlirValue value) {
  return mlirValueIsABlockArgument(value) && irHasOneUse(value) &&
         irOpIs(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)), "func.func");
}

static bool onlyReturned(MlirValue value) {
  IR_FOR_EACH_USE(use, value)
    if (!irOpIs(mlirOpOperandGetOwner(use), "func.return"))
      return false;
  return true;
}

/// Whether each process computes all of the body: no axis is left to a partitioner.
static bool isLocal(const Removal *r, MlirOperation op) {
  const char *shardings = textOf(r, irGetAttr(op, "in_shardings"));
  if (!strchr(shardings, '@'))
    shardings = textOf(r, irGetAttr(op, "out_shardings"));
  const char *mesh = meshOf(r, shardings), *axes = textOf(r, irGetAttr(op, "manual_axes"));
  if (strstr(mesh, "device_ids"))
    return refuseSharding(op, "is over a mesh whose devices are not in their order");
  if (devicesOf(mesh, axes) != r->processes)
    return refuseSharding(op, "leaves axes of its mesh to a partitioner: " HOW_TO);
  return true;
}

/// The shard of an operand, where the operand is an argument of the function, becomes the argument.
static bool takeOperand(MlirOperation op, intptr_t i) {
  MlirValue operand = irOperand(op, i), inner = mlirBlockGetArgument(irBody(op, 0), i);
  if (mlirTypeEqual(mlirValueGetType(operand), mlirValueGetType(inner)))
    return true;
  if (!isOwnArgument(operand))
    return refuseSharding(op, "takes shards of a value that is computed outside of it: " HOW_TO);
  mlirValueSetType(operand, mlirValueGetType(inner));
  return true;
}

static bool takeResult(MlirOperation op, MlirValue inner, intptr_t i) {
  MlirValue result = irResult(op, i);
  return mlirTypeEqual(mlirValueGetType(result), mlirValueGetType(inner)) || onlyReturned(result) ||
         refuseSharding(op, "makes shards of a value that is read outside of it: " HOW_TO);
}

/// Puts the body in the place of the operation.
static bool inlineManual(const Removal *r, MlirOperation op) {
  MlirBlock body = irBody(op, 0);
  MlirOperation end = mlirBlockIsNull(body) ? (MlirOperation){NULL} : mlirBlockGetTerminator(body);
  intptr_t numOperands = mlirOperationGetNumOperands(op), numResults = mlirOperationGetNumResults(op);
  if (mlirOperationIsNull(end) || mlirBlockGetNumArguments(body) != numOperands ||
      mlirOperationGetNumOperands(end) != numResults)
    return refuseSharding(op, "must have one block that takes its operands and returns its results");
  if (r->processes > 1 && !isLocal(r, op))
    return false;
  for (intptr_t i = 0; i < numOperands; ++i)
    if (!takeOperand(op, i))
      return false;
  for (intptr_t i = 0; i < numResults; ++i)
    if (!takeResult(op, irOperand(end, i), i))
      return false;
  for (intptr_t i = 0; i < numOperands; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i), irOperand(op, i));
  for (intptr_t i = 0; i < numResults; ++i)
    mlirValueReplaceAllUsesOfWith(irResult(op, i), irOperand(end, i));
  IR_FOR_EACH_OP_REPLACING(nested, body) {
    if (mlirOperationEqual(nested, end))
      break;
    mlirOperationRemoveFromParent(nested);
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, nested);
  }
  mlirOperationDestroy(op);
  return true;
}

/// A function whose arguments or results have become shards has another type.
static void updateType(const Removal *r, MlirOperation function) {
  MlirBlock body = irBody(function, 0);
  if (mlirBlockIsNull(body) || !irOpIs(mlirBlockGetTerminator(body), "func.return"))
    return;
  MlirOperation end = mlirBlockGetTerminator(body);
  intptr_t numInputs = mlirBlockGetNumArguments(body), numResults = mlirOperationGetNumOperands(end);
  MlirType *types = IR_NEW_ARRAY(r->arena, MlirType, numInputs + numResults + 1);
  for (intptr_t i = 0; i < numInputs; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(body, i));
  for (intptr_t i = 0; i < numResults; ++i)
    types[numInputs + i] = mlirValueGetType(irOperand(end, i));
  irSetAttr(function, "function_type",
            mlirTypeAttrGet(mlirFunctionTypeGet(mlirOperationGetContext(function), numInputs, types, numResults,
                                                types + numInputs)));
}

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

static bool isAnnotation(MlirOperation op) {
  return irOpIs(op, "sdy.propagation_barrier") || irOpIs(op, "sdy.reshard") || irOpIs(op, "sdy.sharding_constraint");
}

/// Within a manual computation over all axes nothing is left to say.
static bool dropAnnotation(const Removal *r, MlirOperation op, bool isInside) {
  if (mlirOperationGetNumOperands(op) != 1 || mlirOperationGetNumResults(op) != 1 ||
      !mlirTypeEqual(mlirValueGetType(irOperand(op, 0)), mlirValueGetType(irResult(op, 0))))
    return refuseSharding(op, "must have one operand, and a result of its type");
  if (r->processes > 1 && !isInside && namesAxis(textOf(r, irGetAttr(op, "sharding"))))
    return refuseSharding(op, "shards a value over several devices: " HOW_TO);
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), irOperand(op, 0));
  mlirOperationDestroy(op);
  return true;
}

static bool isShardy(MlirOperation op) {
  MlirStringRef name = irOpName(op);
  return name.length > 4 && !memcmp(name.data, "sdy.", 4);
}

static bool convertOps(const Removal *r, MlirOperation around, bool isInside);

static bool removeFromOp(const Removal *r, MlirOperation op, bool isInside) {
  bool isManual = irOpIs(op, "sdy.manual_computation");
  if (!convertOps(r, op, isInside || isManual))
    return false;
  if (isManual)
    return inlineManual(r, op);
  if (isAnnotation(op))
    return dropAnnotation(r, op, isInside);
  if (irOpIs(op, "sdy.sharding_group"))
    return mlirOperationDestroy(op), true;
  return !isShardy(op) || irOpIs(op, "sdy.mesh") || irOpIs(op, "sdy.return") ||
         refuseSharding(op, "of Shardy has no counterpart: " HOW_TO);
}

static bool convertOps(const Removal *r, MlirOperation around, bool isInside) {
  bool succeeded = true;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(around); ++i)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(around, i))
      IR_FOR_EACH_OP_REPLACING(op, block)
        succeeded &= removeFromOp(r, op, isInside);
  return succeeded;
}

/// Arguments and results of a function for several processes that are sharded, and have not become shards.
static bool checkBorder(const Removal *r, MlirOperation function, const char *list, MlirType before, bool isInput) {
  MlirAttribute all = irGetAttr(function, list);
  MlirType after = mlirTypeAttrGetValue(irGetAttr(function, "function_type"));
  intptr_t count = isInput ? mlirFunctionTypeGetNumInputs(after) : mlirFunctionTypeGetNumResults(after);
  for (intptr_t i = 0; !mlirAttributeIsNull(all) && i < count; ++i) {
    MlirType old = isInput ? mlirFunctionTypeGetInput(before, i) : mlirFunctionTypeGetResult(before, i);
    MlirType new = isInput ? mlirFunctionTypeGetInput(after, i) : mlirFunctionTypeGetResult(after, i);
    MlirAttribute sharding = mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, i),
                                                                mlirStringRefCreateFromCString("sdy.sharding"));
    if (!mlirTypeEqual(old, new) || !namesAxis(textOf(r, sharding)))
      continue;
    stitchEmitOpError(function, "%s %ld is sharded over several devices: " HOW_TO, isInput ? "argument" : "result",
                      (long)i);
    return false;
  }
  return true;
}

static bool convertFunction(const Removal *r, MlirOperation function) {
  MlirType before = mlirTypeAttrGetValue(irGetAttr(function, "function_type"));
  if (!convertOps(r, function, false))
    return false;
  updateType(r, function);
  return r->processes <= 1 ||
         (checkBorder(r, function, "arg_attrs", before, true) && checkBorder(r, function, "res_attrs", before, false));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void run(StitchPassRun pass, MlirOperation module) {
  IrArena arena = {0};
  Removal r = {module, irGetInt(module, "mhlo.num_replicas", 1) * irGetInt(module, "mhlo.num_partitions", 1), &arena};
  bool succeeded = true;
  IR_FOR_EACH_OP(op, irBody(module, 0))
    if (irOpIs(op, "func.func"))
      succeeded &= convertFunction(&r, op);
  IR_FOR_EACH_OP_REPLACING(op, irBody(module, 0)) {
    if (irOpIs(op, "sdy.mesh"))
      mlirOperationDestroy(op);
  }
  if (!succeeded)
    stitchPassSignalFailure(pass);
  irArenaDestroy(&arena);
}

const StitchPassInfo removeShardingsPass = {
    .argument = "remove-shardings",
    .description = "Replace a program with Shardy's annotations by the program of each process",
    .anchor = "builtin.module",
    .run = run,
};
