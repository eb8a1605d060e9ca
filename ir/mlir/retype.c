//===- retype.c - other types for all values of a module -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module in which types are to be others everywhere, as where integers stand for quantised elements. Leaves the
// values, and the types of functions, with the new ones.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/retype.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"

#include <stdlib.h>

static void retypeValue(MlirValue value, MlirType (*replacement)(MlirType)) {
  MlirType before = mlirValueGetType(value), after = replacement(before);
  if (!mlirTypeEqual(before, after))
    mlirValueSetType(value, after);
}

static void retypeFunction(MlirOperation function, MlirType (*replacement)(MlirType)) {
  MlirType before = mlirTypeAttrGetValue(irGetAttr(function, "function_type"));
  intptr_t numInputs = mlirFunctionTypeGetNumInputs(before), numResults = mlirFunctionTypeGetNumResults(before);
  MlirType *types = irAllocate(sizeof(*types) * (size_t)(numInputs + numResults + 1));
  for (intptr_t i = 0; i < numInputs; ++i)
    types[i] = replacement(mlirFunctionTypeGetInput(before, i));
  for (intptr_t i = 0; i < numResults; ++i)
    types[numInputs + i] = replacement(mlirFunctionTypeGetResult(before, i));
  MlirType after =
      mlirFunctionTypeGet(mlirOperationGetContext(function), numInputs, types, numResults, types + numInputs);
  irSetAttr(function, "function_type", mlirTypeAttrGet(after));
  free(types);
}

void irRetype(MlirOperation op, MlirType (*replacement)(MlirType)) {
  if (irOpIs(op, "func.func"))
    retypeFunction(op, replacement);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    retypeValue(irResult(op, i), replacement);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, r)) {
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
        retypeValue(mlirBlockGetArgument(block, i), replacement);
      IR_FOR_EACH_OP(nested, block)
        irRetype(nested, replacement);
    }
}
