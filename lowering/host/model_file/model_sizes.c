//===- model_sizes.c - the sizes of inputs and outputs in a model file ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the functions that a program is compiled from, with their symbols of open dimensions. Leaves the tables by
// which the runtime checks and computes the sizes of inputs and outputs (runtime/model.h).
//
//===----------------------------------------------------------------------===//

#include "lowering/host/model_file/model_sizes.h"

/// The number of a symbol among those of a function; -1 if it has none of that name.
static int64_t symbolNumber(MlirOperation main, MlirAttribute name, IrSymbol *symbol) {
  int64_t number = -1;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(irBody(main, 0)); ++i) {
    *symbol = irSymbolOfArgument(main, i);
    number += !mlirAttributeIsNull(symbol->name);
    if (!mlirAttributeIsNull(symbol->name) && mlirAttributeEqual(symbol->name, name))
      return number;
  }
  return -1;
}

BorderSizes borderSizes(MlirOperation main, const char *list, intptr_t index, MlirType type) {
  BorderSizes border = {.shape = irTypeShape(type)};
  intptr_t count = irReadSizes(irBorderAttr(main, list, index, IR_SIZES_ATTRIBUTE), border.sizes);
  IrSymbol symbol = irSymbolOf(main, type);
  border.isOpen = count >= 0 || !mlirAttributeIsNull(symbol.name);
  if (count >= 0)
    border.shape.rank = count;
  for (intptr_t i = 0; count < 0 && i < border.shape.rank; ++i)
    border.sizes[i] = i == 0 && border.isOpen ? (IrSize){symbol.name, border.shape.dims[0] / symbol.high, 0}
                                              : (IrSize){mlirAttributeGetNull(), 0, border.shape.dims[i]};
  for (intptr_t i = 0; count >= 0 && i < count; ++i) {
    IrSize size = border.sizes[i];
    bool isKnown = mlirAttributeIsNull(size.name) || symbolNumber(main, size.name, &symbol) < 0;
    border.shape.dims[i] = size.offset + (isKnown ? 0 : size.factor * (size.factor < 0 ? symbol.low : symbol.high));
  }
  return border;
}

LLVMValueRef constantDims(Writer *w, const BorderSizes *border) {
  Constants dims = {0};
  for (intptr_t i = 0; i < border->shape.rank; ++i)
    constantsAdd(&dims, constantInteger(w, border->shape.dims[i]));
  return constantTable(w, &dims);
}

LLVMValueRef constantSizeList(Writer *w, MlirOperation main, intptr_t count, const IrSize *list) {
  Constants sizes = {0};
  IrSymbol symbol;
  for (intptr_t i = 0; i < count; ++i) {
    int64_t number = mlirAttributeIsNull(list[i].name) ? -1 : symbolNumber(main, list[i].name, &symbol);
    constantsAdd(&sizes, CONSTANT_STRUCT(w, constantInteger(w, number), constantInteger(w, list[i].factor),
                                         constantInteger(w, list[i].offset)));
  }
  return constantTable(w, &sizes);
}

LLVMValueRef constantSizes(Writer *w, MlirOperation main, const BorderSizes *border) {
  return border->isOpen ? constantSizeList(w, main, border->shape.rank, border->sizes) : constantNull(w);
}
