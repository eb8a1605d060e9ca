//===- refine.h - shared parts of shape refinement ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files of the pass stablehlo-refine-shapes
// (lowering/import/stablehlo_refine_shapes/stablehlo_refine_shapes.c), and by nothing else. The files are in layers,
// from the lowest: each calls those above it here, and the pass calls all of them.
//
// A *dimension symbol* is a size that is not known when the model is exported, such as the number of rows of a batch.
// Sizes, and all integers that are computed from sizes, are kept as multiples of one symbol plus a constant.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_IMPORT_STABLEHLO_REFINE_SHAPES_REFINE_H
#define STITCH_LOWERING_IMPORT_STABLEHLO_REFINE_SHAPES_REFINE_H

#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"

/// factor * symbol + offset; the symbol has no meaning if the factor is 0.
typedef struct {
  int symbol;
  int64_t factor, offset;
} RefineSize;

typedef struct {
  intptr_t rank;
  RefineSize dims[IR_MAX_RANK];
} RefineShape;

/// A dimension symbol and the sizes that are asked for, both included.
typedef struct {
  const char *name;
  int64_t low, high;
  MlirValue value; ///< the argument that has it when the model runs, if low and high differ
  /// NULL, or the sizes whose product or sum it is: a derived symbol, of a model that is padded (padding.h).
  const RefineShape *terms;
  bool isSum;
} RefineSymbol;

/// The elements of a small integer tensor, in row-major order.
typedef struct {
  int64_t count;
  const RefineSize *elements;
} RefineValue;

typedef struct {
  MlirContext context;
  MlirSymbolTable symbolTable;
  IrArena arena;
  MlirOperation main;
  RefineSymbol *symbols;
  int numSymbols, symbolCapacity;
  IrMap values; ///< from values to the RefineValue that they are known to have
  /// Whether tensors with open sizes become tensors of the largest ones, whose further elements say nothing
  /// (padding.h).
  bool pads;
  bool poisons;  ///< the padding of arguments is made NaN, or the largest integer: a test
  IrMap shapes;  ///< if so: from values to their RefineShape, where it is not that of the type
  IrMap layouts; ///< and to their PaddingLayout, where the elements of a dimension are not the first ones
  /// Operations that have been replaced. They are destroyed at the end: `values` knows values by their address.
  MlirOperation *erased;
  intptr_t numErased, erasedCapacity;
  /// Copies of called functions, each behind those that were made within it: the remains behind an error use values of
  /// the outer ones.
  MlirOperation *copies;
  intptr_t numCopies, copyCapacity;
} Refiner;

//===----------------------------------------------------------------------===//
// Errors, functions, known values (refiner.c)
//===----------------------------------------------------------------------===//

/// "'stablehlo.op' op REASON"; returns false.
bool refineFail(MlirOperation op, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Takes `op`, whose results have no uses any more, out of the program.
void refineErase(Refiner *r, MlirOperation op);

/// The function that a symbol reference names; null if there is none.
MlirOperation refineFindFunction(const Refiner *r, MlirAttribute symbol);
/// Whether `op` is a custom call of `target`.
bool refineCallsTarget(MlirOperation op, const char *target);

/// The known elements of `value`; null if they are not known.
const RefineValue *refineValueOf(const Refiner *r, MlirValue value);
/// Sets the known elements of a value.
void refineSetValue(Refiner *r, MlirValue value, int64_t count, const RefineSize *elements);

//===----------------------------------------------------------------------===//
// Sizes (refine_size.c). Those that return false do not know the result.
//===----------------------------------------------------------------------===//

static inline RefineSize refineConstant(int64_t value) { return (RefineSize){.offset = value}; }
static inline bool refineIsConstant(RefineSize size) { return size.factor == 0; }
bool refineEqual(RefineSize a, RefineSize b);

bool refineAdd(RefineSize a, RefineSize b, RefineSize *result);
bool refineSub(RefineSize a, RefineSize b, RefineSize *result);
bool refineMul(RefineSize a, RefineSize b, RefineSize *result);
/// Division as StableHLO's: towards zero.
bool refineDiv(RefineSize a, RefineSize b, RefineSize *result);
bool refineRem(RefineSize a, RefineSize b, RefineSize *result);
/// The smallest and the largest value that `size` can have.
bool refineRange(const Refiner *r, RefineSize size, int64_t *low, int64_t *high);
/// The smallest and the largest value that `a` - `b` can have.
bool refineDifference(const Refiner *r, RefineSize a, RefineSize b, int64_t *low, int64_t *high);
/// Such as "2 * b + 1", for messages; in the arena.
const char *refineSizeText(Refiner *r, RefineSize size);
/// Such as "b x 16"; in the arena.
const char *refineShapeText(Refiner *r, const RefineShape *shape);

//===----------------------------------------------------------------------===//
// Types (type.c)
//===----------------------------------------------------------------------===//

/// The shape of a value whose type has been refined.
RefineShape refineShapeOf(const Refiner *r, MlirValue value);
bool refineEqualShapes(const RefineShape *a, const RefineShape *b);
/// Sets the shape of a padded value.
void refineSetShape(Refiner *r, MlirValue value, const RefineShape *shape);
/// Whether a type has sizes that are not known, or known by their limits alone.
bool refineIsDynamic(MlirType type);
/// `type` with sizes in the place of unknown ones; a null type after an error at `op`.
MlirType refineType(Refiner *r, MlirOperation op, MlirType type, const RefineShape *shape);
/// The encoding of a type as it is printed, "" if it has none; in the arena.
const char *refineEncodingText(Refiner *r, MlirType type);

//===----------------------------------------------------------------------===//
// Sizes of several symbols, and arguments for symbols (derived.c)
//===----------------------------------------------------------------------===//

/// A shape as an attribute (irSizesAttr).
MlirAttribute refineSizesAttr(Refiner *r, const RefineShape *shape);
/// The symbol for the product (or sum) of `terms`, for which @main gets an argument; -1 if it may be too large for one,
/// or a sum less than one.
int refineDerivedSymbol(Refiner *r, const RefineShape *terms, bool isSum);
/// Adds an argument with the value of a symbol to @main's `block`; returns its attributes.
MlirAttribute refineAddArgument(Refiner *r, MlirBlock block, MlirLocation loc, int symbol);

/// Division without a rest, by a symbol too.
bool refineQuotient(Refiner *r, RefineSize a, RefineSize b, RefineSize *result);
/// The product, the sum and the difference of two sizes, in a model that is padded of any two open ones: that is a
/// derived symbol.
bool refineProduct(Refiner *r, RefineSize a, RefineSize b, RefineSize *result);
bool refineSum(Refiner *r, RefineSize a, RefineSize b, RefineSize *result);
bool refineLess(Refiner *r, RefineSize a, RefineSize b, RefineSize *result);

//===----------------------------------------------------------------------===//
// Values of shape computations (refine_evaluate.c)
//===----------------------------------------------------------------------===//

/// Finds out the value of the only result of `op`, whose operands have refined types, if it follows from sizes and
/// constants.
void refineEvaluate(Refiner *r, MlirOperation op);
/// Replaces operand `i` by a constant, if it follows from the sizes: for the largest ones.
void refineOperandToConstant(Refiner *r, MlirOperation op, intptr_t i);

//===----------------------------------------------------------------------===//
// Shapes of results (infer.c)
//===----------------------------------------------------------------------===//

/// Gives all results of `op`, which is no call and no control flow, their refined types.
bool refineResultTypes(Refiner *r, MlirOperation op);

//===----------------------------------------------------------------------===//
// Operations that refining makes others of (rewrite.c)
//===----------------------------------------------------------------------===//

/// Replaces an operation that is there only for the sake of shapes; `*replaced` says whether it was one.
bool refineRewrite(Refiner *r, MlirOperation op, bool *replaced);

//===----------------------------------------------------------------------===//
// Symbols (refine_symbols.c)
//===----------------------------------------------------------------------===//

/// Names the unknown sizes of the arguments of `main`, gives them the sizes of `text`, "b=37,s=1..128", and refines the
/// types of the arguments. Adds an argument for each symbol that stays open.
bool refineArguments(Refiner *r, MlirOperation main, const char *text);

#endif // STITCH_LOWERING_IMPORT_STABLEHLO_REFINE_SHAPES_REFINE_H
