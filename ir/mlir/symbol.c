//===- symbol.c - sizes that are known when a model runs -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and builds the attributes of dimension symbols: encodings of tensors, `stitch.symbol` of arguments,
// `stitch.sizes` of callers' shapes.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/symbol.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/function.h"
#include "ir/mlir/query.h"

#include <string.h>

MlirAttribute irSymbolName(MlirType tensor) {
  if (!mlirTypeIsARankedTensor(tensor))
    return mlirAttributeGetNull();
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(tensor);
  return mlirAttributeIsNull(encoding) || mlirAttributeIsAString(encoding) ? encoding : mlirAttributeGetNull();
}

static bool hasSymbol(MlirValue value) { return !mlirAttributeIsNull(irSymbolName(mlirValueGetType(value))); }

bool irHasOpenSize(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (hasSymbol(irOperand(op, i)))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (hasSymbol(irResult(op, i)))
      return true;
  return false;
}

bool irSameSymbol(MlirType a, MlirType b) { return mlirAttributeEqual(irSymbolName(a), irSymbolName(b)); }

static bool isInteger(MlirAttribute attribute) {
  return !mlirAttributeIsNull(attribute) && mlirAttributeIsAInteger(attribute);
}

IrSymbol irSymbolOfArgument(MlirOperation function, intptr_t argument) {
  IrSymbol none = {.name = mlirAttributeGetNull(), .argument = argument, .derivation = mlirAttributeGetNull()};
  MlirAttribute attribute = irBorderAttr(function, "arg_attrs", argument, IR_SYMBOL_ATTRIBUTE);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsADictionary(attribute))
    return none;
  MlirAttribute name = irEntry(attribute, "name"), low = irEntry(attribute, "low"), high = irEntry(attribute, "high");
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name) || !isInteger(low) || !isInteger(high))
    return none;
  MlirAttribute product = irEntry(attribute, "product"), sum = irEntry(attribute, "sum");
  bool isSum = !mlirAttributeIsNull(sum);
  return (IrSymbol){name,     mlirIntegerAttrGetValueInt(low), mlirIntegerAttrGetValueInt(high),
                    argument, isSum ? sum : product,           isSum};
}

IrSymbol irSymbolOf(MlirOperation op, MlirType tensor) {
  MlirAttribute name = irSymbolName(tensor);
  while (!mlirOperationIsNull(op) && !irOpIs(op, "func.func"))
    op = mlirOperationGetParentOperation(op);
  intptr_t count = mlirAttributeIsNull(name) || mlirOperationIsNull(op) ? 0 : mlirBlockGetNumArguments(irBody(op, 0));
  for (intptr_t i = 0; i < count; ++i) {
    IrSymbol symbol = irSymbolOfArgument(op, i);
    if (mlirAttributeEqual(symbol.name, name))
      return symbol;
  }
  return (IrSymbol){.name = mlirAttributeGetNull(), .argument = -1};
}

int64_t irSymbolNumber(MlirOperation function, MlirType tensor) {
  MlirBlock entry = irBody(function, 0);
  int64_t number = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i) {
    IrSymbol symbol = irSymbolOfArgument(function, i);
    number += !mlirAttributeIsNull(symbol.name);
    if (!mlirAttributeIsNull(symbol.name) && mlirAttributeEqual(symbol.name, irSymbolName(tensor)))
      return number;
  }
  return 0;
}

MlirNamedAttribute irSymbolAttribute(MlirContext context, const IrSymbol *symbol) {
  MlirNamedAttribute fields[] = {irNamed(context, "name", symbol->name),
                                 irNamed(context, "low", irI64Attr(context, symbol->low)),
                                 irNamed(context, "high", irI64Attr(context, symbol->high)),
                                 irNamed(context, symbol->isSum ? "sum" : "product", symbol->derivation)};
  intptr_t count = mlirAttributeIsNull(symbol->derivation) ? 3 : 4;
  return irNamed(context, IR_SYMBOL_ATTRIBUTE, mlirDictionaryAttrGet(context, count, fields));
}

MlirAttribute irSizesAttr(MlirContext context, intptr_t count, const IrSize *sizes) {
  MlirAttribute elements[IR_MAX_RANK];
  for (intptr_t i = 0; i < count; ++i) {
    MlirAttribute parts[] = {sizes[i].name, irI64Attr(context, sizes[i].factor), irI64Attr(context, sizes[i].offset)};
    elements[i] = mlirAttributeIsNull(sizes[i].name) ? parts[2] : mlirArrayAttrGet(context, 3, parts);
  }
  return mlirArrayAttrGet(context, count, elements);
}

static bool readSize(MlirAttribute attribute, IrSize *size) {
  *size = (IrSize){.name = mlirAttributeGetNull()};
  MlirAttribute offset = attribute;
  if (mlirAttributeIsAArray(attribute)) {
    if (mlirArrayAttrGetNumElements(attribute) != 3)
      return false;
    MlirAttribute factor = mlirArrayAttrGetElement(attribute, 1);
    size->name = mlirArrayAttrGetElement(attribute, 0);
    offset = mlirArrayAttrGetElement(attribute, 2);
    if (!mlirAttributeIsAString(size->name) || !isInteger(factor))
      return false;
    size->factor = mlirIntegerAttrGetValueInt(factor);
  }
  if (!isInteger(offset))
    return false;
  size->offset = mlirIntegerAttrGetValueInt(offset);
  return true;
}

intptr_t irReadSizes(MlirAttribute attribute, IrSize sizes[IR_MAX_RANK]) {
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAArray(attribute))
    return -1;
  intptr_t count = mlirArrayAttrGetNumElements(attribute);
  if (count > IR_MAX_RANK)
    return -1;
  for (intptr_t i = 0; i < count; ++i)
    if (!readSize(mlirArrayAttrGetElement(attribute, i), &sizes[i]))
      return -1;
  return count;
}

char *irSymbolText(MlirAttribute name) {
  MlirStringRef text = mlirStringAttrGetValue(name);
  char *copy = irAllocateZeroed(text.length + 1, 1);
  return memcpy(copy, text.data, text.length);
}
