//===- symbol.h - sizes that are known when a model runs -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dimension symbol stands for a size that differs from run to run. A tensor whose outermost dimension is a multiple
// of one has it as encoding, and its shape has the largest size. With b at most 128, tensor<256x16xf32, "b"> has 2 * b
// rows. In row-major order the outermost size is in no index, so that everything which is planned for the largest size
// holds for the smaller ones (docs/ir.md, section 1, "Open sizes").
//
// A function has an argument of type tensor<i32> with the value of each symbol of its tensors, with the attribute
// `stitch.symbol = {name = "b", low = 1, high = 128}`.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_SYMBOL_H
#define STITCH_IR_MLIR_SYMBOL_H

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

#define IR_SYMBOL_ATTRIBUTE "stitch.symbol"

/// On a module, unit: the bits of a row do not depend on how many rows an open size has (tg-batch-invariant).
#define IR_INVARIANT_ATTRIBUTE "stitch.invariant"

typedef struct {
  MlirAttribute name; ///< a string; null: no symbol
  int64_t low, high;  ///< the smallest and the largest value
  intptr_t argument;  ///< of the function
  /// Null, or the sizes whose product or sum it is (irSizesAttr): `product = [["t", 1, 0], ["t", 1, 1]]`.
  MlirAttribute derivation;
  bool isSum;
} IrSymbol;

/// The sizes that a caller's tensor has, on an argument or a result of @main that holds it in another shape:
/// `stitch.sizes = [4, ["t", 2, 1], 64]` is 4 x (2 * t + 1) x 64. The value holds the elements in the same order.
#define IR_SIZES_ATTRIBUTE "stitch.sizes"

/// factor * symbol + offset; without a name offset alone.
typedef struct {
  MlirAttribute name;
  int64_t factor, offset;
} IrSize;

MlirAttribute irSizesAttr(MlirContext context, intptr_t count, const IrSize *sizes);
/// Reads an attribute of irSizesAttr; the number of sizes, -1 if it is none.
intptr_t irReadSizes(MlirAttribute attribute, IrSize sizes[IR_MAX_RANK]);

/// The name of the symbol of a tensor; null if its sizes are all known.
MlirAttribute irSymbolName(MlirType tensor);

/// Whether one of an operation's operands or results has a symbol.
bool irHasOpenSize(MlirOperation op);

/// Whether two tensors have the same symbol, or both none.
bool irSameSymbol(MlirType a, MlirType b);

/// The symbol that argument `argument` of a function has the value of; its name is null if there is none.
IrSymbol irSymbolOfArgument(MlirOperation function, intptr_t argument);

/// The symbol of a tensor in (or below) `op`, a function or nested in one; its name is null if the tensor has none.
IrSymbol irSymbolOf(MlirOperation op, MlirType tensor);

/// 1 + number of the tensor's symbol, counted in the order of the function's arguments; 0 if it has none.
int64_t irSymbolNumber(MlirOperation function, MlirType tensor);

/// The attribute of an argument that has the symbol's value.
MlirNamedAttribute irSymbolAttribute(MlirContext context, const IrSymbol *symbol);

/// The text of a symbol's name in memory of its own, which the caller frees.
char *irSymbolText(MlirAttribute name);

#endif // STITCH_IR_MLIR_SYMBOL_H
