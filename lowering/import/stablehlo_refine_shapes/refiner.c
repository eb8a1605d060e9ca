//===- refiner.c - errors, functions, known values -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State of stablehlo-refine-shapes that all of its files share: errors, functions that are called, and values that are
// known by now.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/refine.h"

#include "capi/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool refineFail(MlirOperation op, const char *format, ...) {
  char reason[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof(reason), format, arguments);
  va_end(arguments);
  stitchEmitOpError(op, "%s", reason);
  return false;
}

void refineErase(Refiner *r, MlirOperation op) {
  mlirOperationRemoveFromParent(op);
  IR_RESERVE_ONE(r->erased, r->numErased, r->erasedCapacity);
  r->erased[r->numErased++] = op;
}

MlirOperation refineFindFunction(const Refiner *r, MlirAttribute symbol) {
  if (mlirAttributeIsNull(symbol) || !mlirAttributeIsAFlatSymbolRef(symbol))
    return (MlirOperation){NULL};
  return mlirSymbolTableLookup(r->symbolTable, mlirFlatSymbolRefAttrGetValue(symbol));
}

bool refineCallsTarget(MlirOperation op, const char *target) {
  if (!irOpIs(op, "stablehlo.custom_call"))
    return false;
  MlirAttribute name = irGetAttr(op, "call_target_name");
  return !mlirAttributeIsNull(name) && mlirAttributeIsAString(name) &&
         mlirStringRefEqual(mlirStringAttrGetValue(name), mlirStringRefCreateFromCString(target));
}

const RefineValue *refineValueOf(const Refiner *r, MlirValue value) {
  return (const RefineValue *)(intptr_t)irMapGet(&r->values, value.ptr, 0);
}

void refineSetValue(Refiner *r, MlirValue value, int64_t count, const RefineSize *elements) {
  RefineSize *kept = IR_NEW_ARRAY(&r->arena, RefineSize, count > 0 ? count : 1);
  memcpy(kept, elements, (size_t)count * sizeof(*elements));
  RefineValue *known = IR_NEW(&r->arena, RefineValue);
  *known = (RefineValue){count, kept};
  irMapSet(&r->values, value.ptr, (intptr_t)known);
}
