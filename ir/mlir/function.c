//===- function.c - the borders of functions -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes attributes of function arguments and results, such as variables, donations and destinations.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/function.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

#include <stdlib.h>

MlirAttribute irBorderAttr(MlirOperation function, const char *list, intptr_t index, const char *name) {
  MlirAttribute all = irGetAttr(function, list);
  if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all) || index >= mlirArrayAttrGetNumElements(all))
    return mlirAttributeGetNull();
  return irEntry(mlirArrayAttrGetElement(all, index), name);
}

void irAppendBorderAttrs(MlirOperation function, const char *list, intptr_t before, intptr_t count,
                         const MlirAttribute *added) {
  MlirContext context = mlirOperationGetContext(function);
  MlirAttribute given = irGetAttr(function, list);
  bool hasGiven =
      !mlirAttributeIsNull(given) && mlirAttributeIsAArray(given) && mlirArrayAttrGetNumElements(given) == before;
  MlirAttribute *all = irAllocate(sizeof(*all) * (size_t)(before + count + 1));
  for (intptr_t i = 0; i < before; ++i)
    all[i] = hasGiven ? mlirArrayAttrGetElement(given, i) : mlirDictionaryAttrGet(context, 0, NULL);
  for (intptr_t i = 0; i < count; ++i)
    all[before + i] = added[i];
  irSetAttr(function, list, mlirArrayAttrGet(context, before + count, all));
  free(all);
}

static MlirAttribute withElement(MlirContext context, MlirAttribute dictionary, MlirNamedAttribute added) {
  bool isGiven = !mlirAttributeIsNull(dictionary) && mlirAttributeIsADictionary(dictionary);
  intptr_t count = isGiven ? mlirDictionaryAttrGetNumElements(dictionary) : 0, kept = 0;
  MlirNamedAttribute *all = irAllocate(sizeof(*all) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute element = mlirDictionaryAttrGetElement(dictionary, i);
    if (!mlirIdentifierEqual(element.name, added.name))
      all[kept++] = element;
  }
  all[kept++] = added;
  MlirAttribute result = mlirDictionaryAttrGet(context, kept, all);
  free(all);
  return result;
}

static MlirAttribute withoutElement(MlirContext context, MlirAttribute dictionary, const char *name) {
  intptr_t count = mlirDictionaryAttrGetNumElements(dictionary), kept = 0;
  MlirNamedAttribute *all = irAllocate(sizeof(*all) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute element = mlirDictionaryAttrGetElement(dictionary, i);
    if (!mlirStringRefEqual(mlirIdentifierStr(element.name), mlirStringRefCreateFromCString(name)))
      all[kept++] = element;
  }
  MlirAttribute result = mlirDictionaryAttrGet(context, kept, all);
  free(all);
  return result;
}

void irSetBorderAttr(MlirOperation function, const char *list, intptr_t count, intptr_t index,
                     MlirNamedAttribute attribute) {
  MlirContext context = mlirOperationGetContext(function);
  MlirAttribute given = irGetAttr(function, list);
  bool hasGiven =
      !mlirAttributeIsNull(given) && mlirAttributeIsAArray(given) && mlirArrayAttrGetNumElements(given) == count;
  MlirAttribute *all = irAllocate(sizeof(*all) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    all[i] = hasGiven ? mlirArrayAttrGetElement(given, i) : mlirDictionaryAttrGet(context, 0, NULL);
  all[index] = withElement(context, all[index], attribute);
  irSetAttr(function, list, mlirArrayAttrGet(context, count, all));
  free(all);
}

void irRemoveBorderAttr(MlirOperation function, const char *list, intptr_t index, const char *name) {
  if (mlirAttributeIsNull(irBorderAttr(function, list, index, name)))
    return;
  MlirContext context = mlirOperationGetContext(function);
  MlirAttribute given = irGetAttr(function, list);
  intptr_t count = mlirArrayAttrGetNumElements(given);
  MlirAttribute *all = irAllocate(sizeof(*all) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    all[i] = mlirArrayAttrGetElement(given, i);
  all[index] = withoutElement(context, all[index], name);
  irSetAttr(function, list, mlirArrayAttrGet(context, count, all));
  free(all);
}

MlirAttribute irVariableName(MlirOperation function, const char *list, intptr_t index) {
  MlirAttribute name = irEntry(irBorderAttr(function, list, index, IR_VARIABLE_ATTRIBUTE), "name");
  return !mlirAttributeIsNull(name) && mlirAttributeIsAString(name) ? name : mlirAttributeGetNull();
}

MlirAttribute irVariableInitial(MlirOperation function, intptr_t index) {
  return irEntry(irBorderAttr(function, "arg_attrs", index, IR_VARIABLE_ATTRIBUTE), "initial");
}

MlirNamedAttribute irVariableAttribute(MlirAttribute name, MlirAttribute initial) {
  MlirContext context = mlirAttributeGetContext(name);
  MlirNamedAttribute fields[2] = {irNamed(context, "name", name)};
  intptr_t count = 1;
  if (!mlirAttributeIsNull(initial))
    fields[count++] = irNamed(context, "initial", initial);
  return irNamed(context, IR_VARIABLE_ATTRIBUTE, mlirDictionaryAttrGet(context, count, fields));
}

intptr_t irNextOfVariable(MlirOperation function, intptr_t index) {
  MlirAttribute name = irVariableName(function, "arg_attrs", index);
  intptr_t numResults = mlirFunctionTypeGetNumResults(mlirTypeAttrGetValue(irGetAttr(function, "function_type")));
  for (intptr_t i = 0; !mlirAttributeIsNull(name) && i < numResults; ++i)
    if (mlirAttributeEqual(irVariableName(function, "res_attrs", i), name))
      return i;
  return -1;
}

MlirType irBorderType(MlirOperation function, const char *list, intptr_t index, MlirType type) {
  MlirAttribute packed = irBorderAttr(function, list, index, IR_PACKED_ATTRIBUTE);
  bool isType = !mlirAttributeIsNull(packed) && mlirAttributeIsAType(packed);
  return isType ? mlirTypeAttrGetValue(packed) : type;
}

/// The number that an argument has as an attribute; `missing`: it has none.
static intptr_t attributeNumber(MlirOperation function, intptr_t index, const char *name, intptr_t missing) {
  MlirAttribute number = irBorderAttr(function, "arg_attrs", index, name);
  bool isNumber = !mlirAttributeIsNull(number) && mlirAttributeIsAInteger(number);
  return isNumber ? (intptr_t)mlirIntegerAttrGetValueInt(number) : missing;
}

/// `result` if that is a result of the type of the argument, else -1.
static intptr_t resultLike(MlirOperation function, intptr_t index, intptr_t result) {
  MlirType type = mlirTypeAttrGetValue(irGetAttr(function, "function_type"));
  bool fits = result >= 0 && result < mlirFunctionTypeGetNumResults(type) &&
              mlirTypeEqual(mlirFunctionTypeGetInput(type, index), mlirFunctionTypeGetResult(type, result));
  return fits ? result : -1;
}

intptr_t irResultInMemoryOf(MlirOperation function, intptr_t index) {
  intptr_t next = irNextOfVariable(function, index);
  return resultLike(function, index, attributeNumber(function, index, IR_DONATED_ATTRIBUTE, next));
}

intptr_t irDestinationOf(MlirOperation function, intptr_t index) {
  return resultLike(function, index, attributeNumber(function, index, IR_DESTINATION_ATTRIBUTE, -1));
}

void irMaterializeDestinations(MlirOperation op) {
  MlirBlock body = irOpIs(op, "func.func") ? irBody(op, 0) : (MlirBlock){NULL};
  for (intptr_t i = 0; !mlirBlockIsNull(body) && i < mlirBlockGetNumArguments(body); ++i) {
    intptr_t result = irDestinationOf(op, i);
    if (result < 0)
      continue;
    MlirOperation end = mlirBlockGetTerminator(body);
    IrBuilder b = irBuilderBefore(end);
    MlirValue value = irOperand(end, result);
    MlirValue placed = irValueOf(&b, "bufferization.materialize_in_destination",
                                 IR_VALUES(value, mlirBlockGetArgument(body, i)), mlirValueGetType(value), IR_NO_ATTRS);
    mlirOperationSetOperand(end, result, placed);
    irRemoveBorderAttr(op, "arg_attrs", i, IR_DESTINATION_ATTRIBUTE);
  }
}
