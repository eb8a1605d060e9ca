//===- linalg_sizes.c - sizes for the unknown ones of linalg --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments of functions that nothing calls get the sizes that the option `dims` gives to their open dimensions
// (docs/dynamic_shapes.md has the names). All other types follow by upstream's canonicalisation, those of results too.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/function.h"
#include "lowering/import/linalg_to_tg/linalg_conversion.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// One of "b=8,arg0.1=16".
typedef struct {
  const char *name; ///< to the '='
  size_t length;
  int64_t size;
  bool isUsed;
} Size;

enum { MOST_SIZES = 64 };

typedef struct {
  Size sizes[MOST_SIZES];
  int count;
} Sizes;

static bool readSizes(const char *dims, Sizes *all) {
  *all = (Sizes){.count = 0};
  for (const char *at = dims; *at;) {
    char *end = NULL;
    Size size = {.name = at, .length = strcspn(at, "=,")};
    if (all->count == MOST_SIZES || !size.length || at[size.length] != '=')
      return false;
    size.size = strtoll(at + size.length + 1, &end, 10);
    if (size.size < 1 || (*end && *end != ','))
      return false;
    all->sizes[all->count++] = size;
    at = *end ? end + 1 : end;
  }
  return true;
}

/// The size of dimension `dim` of an argument; -1: it stays open.
static int64_t sizeOfDim(MlirOperation function, intptr_t argument, intptr_t dim, Sizes *all) {
  char text[64];
  snprintf(text, sizeof(text), "arg%" PRIdPTR ".%" PRIdPTR, argument, dim);
  MlirStringRef name = mlirStringRefCreateFromCString(text);
  MlirAttribute names = irBorderAttr(function, "arg_attrs", argument, "stitch.dims");
  if (!mlirAttributeIsNull(names) && mlirAttributeIsAArray(names) && dim < mlirArrayAttrGetNumElements(names)) {
    MlirAttribute own = mlirArrayAttrGetElement(names, dim);
    if (mlirAttributeIsAString(own) && mlirStringAttrGetValue(own).length)
      name = mlirStringAttrGetValue(own);
  }
  for (int i = 0; i < all->count; ++i)
    if (mlirStringRefEqual(mlirStringRefCreate(all->sizes[i].name, all->sizes[i].length), name)) {
      all->sizes[i].isUsed = true;
      return all->sizes[i].size;
    }
  return -1;
}

/// The same type with the sizes that are given.
static MlirType typeWithSizes(MlirOperation function, intptr_t argument, MlirType type, Sizes *all) {
  if (!mlirTypeIsARankedTensor(type) || mlirShapedTypeGetRank(type) > IR_MAX_RANK)
    return type;
  IrShape shape = irTypeShape(type);
  for (intptr_t d = 0; d < shape.rank; ++d) {
    int64_t size = shape.dims[d] == INT64_MIN ? sizeOfDim(function, argument, d, all) : -1;
    shape.dims[d] = size > 0 ? size : shape.dims[d];
  }
  return mlirRankedTensorTypeGet(shape.rank, shape.dims, irElementType(type), mlirRankedTensorTypeGetEncoding(type));
}

static void setTypes(MlirOperation function, const MlirType *types) {
  MlirType type = mlirTypeAttrGetValue(irGetAttr(function, "function_type"));
  intptr_t numInputs = mlirFunctionTypeGetNumInputs(type), numResults = mlirFunctionTypeGetNumResults(type);
  irSetAttr(
      function, "function_type",
      mlirTypeAttrGet(mlirFunctionTypeGet(mlirTypeGetContext(type), numInputs, types, numResults, types + numInputs)));
}

/// Its inputs and results.
static MlirType *typesOf(MlirOperation function) {
  MlirType type = mlirTypeAttrGetValue(irGetAttr(function, "function_type"));
  intptr_t numInputs = mlirFunctionTypeGetNumInputs(type), numResults = mlirFunctionTypeGetNumResults(type);
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)(numInputs + numResults + 1));
  for (intptr_t i = 0; i < numInputs + numResults; ++i)
    types[i] = i < numInputs ? mlirFunctionTypeGetInput(type, i) : mlirFunctionTypeGetResult(type, i - numInputs);
  return types;
}

/// Whether an argument has got sizes.
static bool setArguments(MlirOperation function, Sizes *all) {
  MlirBlock body = irBody(function, 0);
  MlirType *types = typesOf(function);
  bool changes = false;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirType old = types[i];
    types[i] = typeWithSizes(function, i, old, all);
    if (mlirTypeEqual(types[i], old))
      continue;
    changes = true;
    MlirValue argument = mlirBlockGetArgument(body, i);
    IrBuilder b = irBuilderBefore(mlirBlockGetFirstOperation(body));
    mlirValueSetType(argument, types[i]);
    MlirValue open = irUnary(&b, "tensor.cast", argument, old);
    mlirValueReplaceAllUsesOfWith(argument, open);
    mlirOperationSetOperand(irDefiningOp(open), 0, argument);
  }
  if (changes)
    setTypes(function, types);
  free(types);
  return changes;
}

/// Results whose sizes are known are returned with them.
static void setResults(MlirOperation function) {
  MlirBlock body = irBody(function, 0);
  MlirOperation end = mlirBlockGetTerminator(body);
  MlirType *types = typesOf(function);
  intptr_t numInputs = mlirBlockGetNumArguments(body);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i) {
    MlirValue value = linalgWithSizes(irOperand(end, i));
    mlirOperationSetOperand(end, i, value);
    types[numInputs + i] = mlirValueGetType(value);
  }
  setTypes(function, types);
  free(types);
}

static MlirWalkResult findCall(MlirOperation op, void *data) {
  MlirAttribute *callee = data, called = irGetAttr(op, "callee");
  bool isCall = irOpIs(op, "func.call") && mlirFlatSymbolRefAttrGetValue(called).length &&
                mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(called), mlirStringAttrGetValue(*callee));
  if (isCall)
    *callee = (MlirAttribute){NULL};
  return isCall ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool linalgGiveSizes(StitchPassRun pass, MlirOperation module, const char *dims) {
  Sizes all;
  if (!readSizes(dims, &all)) {
    stitchEmitOpError(module, "needs sizes such as b=8,arg1.0=4 in 'dims', not '%s'", dims);
    return false;
  }
  IR_FOR_EACH_OP(function, irBody(module, 0)) {
    if (!all.count || !irOpIs(function, "func.func") || mlirBlockIsNull(irBody(function, 0)))
      continue;
    MlirAttribute name = irGetAttr(function, "sym_name");
    mlirOperationWalk(module, findCall, &name, MlirWalkPreOrder);
    if (mlirAttributeIsNull(name) || !setArguments(function, &all))
      continue;
    if (mlirLogicalResultIsFailure(stitchPassRunPipeline(pass, "canonicalize", function)))
      return false;
    setResults(function);
  }
  for (int i = 0; i < all.count; ++i)
    if (!all.sizes[i].isUsed) {
      stitchEmitOpError(module, "has no argument with a dimension '%.*s' of unknown size, to which 'dims' gives one",
                        (int)all.sizes[i].length, all.sizes[i].name);
      return false;
    }
  return true;
}
