//===- padding_layout.c - movement between layouts of padded tensors --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reshape keeps the elements of the model in row-major order. In a padded tensor they are not next to each other. But
// where each new dimension consists of whole parts of old ones, the tensor as it is has them in the right order. (4 x t
// x 64 as 4 * t x 64: the parts of the new dimension are 4 and t.) Otherwise elements are gathered: the position of an
// element in the model's order follows from its new indices and the run's sizes, and its old indices from that.
//
// The caller's tensors have no padding. Those of @main are rows of a tensor whose outermost size is open
// (ir/mlir/symbol.h). Padded tensors are gathered from arguments, and results from padded tensors.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/padding.h"

#include "ir/mlir/function.h"
#include "ir/mlir/symbol.h"

//===----------------------------------------------------------------------===//
// Lists of parts
//===----------------------------------------------------------------------===//

enum { MAX_PARTS = IR_MAX_RANK * PADDING_MAX_PARTS };

/// The parts of all dimensions, outermost first.
typedef struct {
  intptr_t count;
  PaddingPart parts[MAX_PARTS];
} PaddingParts;

static bool isConstantPart(const PaddingPart *part) { return refineIsConstant(part->extent); }

static PaddingParts partsOf(const PaddingLayout *layout) {
  PaddingParts list = {0};
  for (intptr_t i = 0; i < layout->rank; ++i)
    for (intptr_t k = 0; k < layout->dims[i].count; ++k)
      list.parts[list.count++] = layout->dims[i].parts[k];
  return list;
}

/// The layout of a tensor whose dimensions are plain.
static PaddingLayout plainLayout(const RefineShape *shape, MlirType type) {
  IrShape sizes = irTypeShape(type);
  PaddingLayout layout = {.rank = shape->rank};
  for (intptr_t i = 0; i < shape->rank; ++i)
    layout.dims[i] = (PaddingDim){1, {{shape->dims[i], sizes.dims[i]}}};
  return layout;
}

static int64_t greatestDivisor(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/// The number of innermost elements of a part that are there whatever its size is: 64 of 64 * t.
static int64_t wholeElements(const PaddingPart *part) {
  return greatestDivisor(part->extent.factor, part->extent.offset);
}

static bool isOnePart(const PaddingPart *part) { return isConstantPart(part) && part->extent.offset == 1; }

static void removeOnes(PaddingParts *parts) {
  while (parts->count && isOnePart(&parts->parts[parts->count - 1]))
    --parts->count;
}

/// Splits the common innermost elements off, which lie next to each other in both: their number.
static int64_t splitRows(Refiner *r, PaddingParts *a, PaddingParts *b) {
  for (int64_t inner = 1;;) {
    removeOnes(a);
    removeOnes(b);
    if (!a->count || !b->count)
      return inner;
    PaddingPart *sides[] = {&a->parts[a->count - 1], &b->parts[b->count - 1]};
    int64_t common = greatestDivisor(wholeElements(sides[0]), wholeElements(sides[1]));
    if (common <= 1)
      return inner;
    for (int i = 0; i < 2; ++i) {
      refineQuotient(r, sides[i]->extent, refineConstant(common), &sides[i]->extent);
      sides[i]->padded /= common;
    }
    inner *= common;
  }
}

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

/// a * b, where either may be null: one.
static MlirValue times(Padding *p, MlirValue a, MlirValue b) {
  if (mlirValueIsNull(a) || mlirValueIsNull(b))
    return mlirValueIsNull(a) ? b : a;
  return paddingBinary(p, "stablehlo.multiply", a, b);
}

static MlirValue sizeOfPart(Padding *p, const PaddingPart *part) {
  return isConstantPart(part) && part->extent.offset == 1 ? (MlirValue){NULL} : paddingSize(p, part->extent);
}

/// Of the tensors of indices: their shape, or that of rows of an open size.
typedef struct {
  MlirType type; ///< of i32
} IndexSpace;

static MlirValue splatIndex(Padding *p, const IndexSpace *space, MlirValue scalar) {
  IrShape none = {0};
  if (irTypeShape(space->type).rank == 0)
    return scalar;
  return irValueOf(&p->b, "stablehlo.broadcast_in_dim", IR_VALUES(scalar), space->type,
                   IR_ATTRS(irDims(&p->b, "broadcast_dimensions", 0, none.dims)));
}

static MlirValue iotaOf(Padding *p, const IndexSpace *space, intptr_t dim) {
  return irValueOf(&p->b, "stablehlo.iota", IR_NO_VALUES, space->type, IR_ATTRS(irI64(&p->b, "iota_dimension", dim)));
}

/// The position, in the model's order, of the row with each of the indices of `to`.
static MlirValue positions(Padding *p, const PaddingParts *to, const IndexSpace *space) {
  MlirValue sum = {NULL}, stride = {NULL};
  for (intptr_t k = to->count; k-- > 0;) {
    MlirValue index = iotaOf(p, space, k);
    if (!mlirValueIsNull(stride))
      index = paddingBinary(p, "stablehlo.multiply", index, splatIndex(p, space, stride));
    sum = mlirValueIsNull(sum) ? index : paddingBinary(p, "stablehlo.add", sum, index);
    if (k > 0)
      stride = times(p, stride, sizeOfPart(p, &to->parts[k]));
  }
  return mlirValueIsNull(sum) ? splatIndex(p, space, paddingInteger(p, irElementType(space->type), 0)) : sum;
}

/// A divisor of indices: at least one, where a size is zero nothing is read.
static MlirValue divisor(Padding *p, const IndexSpace *space, MlirValue size) {
  MlirValue one = paddingInteger(p, irElementType(space->type), 1);
  return splatIndex(p, space, paddingBinary(p, "stablehlo.maximum", size, one));
}

/// Where the rows at `position` in the model's order lie in a tensor of the parts `from`.
static MlirValue rowsAt(Padding *p, const PaddingParts *from, const IndexSpace *space, MlirValue position) {
  MlirValue sum = {NULL};
  int64_t stride = 1;
  for (intptr_t k = from->count; k-- > 0;) {
    const PaddingPart *part = &from->parts[k];
    MlirValue index = position;
    if (k > 0) {
      MlirValue size = divisor(p, space, paddingSize(p, part->extent));
      index = paddingBinary(p, "stablehlo.remainder", position, size);
      position = paddingBinary(p, "stablehlo.divide", position, size);
    }
    if (stride != 1)
      index = paddingBinary(p, "stablehlo.multiply", index,
                            splatIndex(p, space, paddingInteger(p, irElementType(space->type), stride)));
    sum = mlirValueIsNull(sum) ? index : paddingBinary(p, "stablehlo.add", sum, index);
    stride *= part->padded;
  }
  return mlirValueIsNull(sum) ? splatIndex(p, space, paddingInteger(p, irElementType(space->type), 0)) : sum;
}

/// Rows of `inner` elements of a matrix (or elements of a line) at `rows`.
static MlirValue gatherRows(Padding *p, MlirValue source, MlirValue rows, int64_t inner, MlirType result) {
  IrShape sourceShape = irShapeOf(source), indices = irShapeOf(rows);
  int64_t sizes[] = {1, inner};
  MlirAttribute numbers =
      sourceShape.rank == 1
          ? irParseAttr(p->r->context,
                        "#stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = %ld>",
                        (long)indices.rank)
          : irParseAttr(p->r->context,
                        "#stablehlo.gather<offset_dims = [%ld], collapsed_slice_dims = [0], start_index_map = [0], "
                        "index_vector_dim = %ld>",
                        (long)indices.rank, (long)indices.rank);
  return irValueOf(
      &p->b, "stablehlo.gather", IR_VALUES(source, rows), result,
      IR_ATTRS(irAttr(&p->b, "dimension_numbers", numbers), irDims(&p->b, "slice_sizes", sourceShape.rank, sizes)));
}

static MlirType tensorOf(MlirType element, const IrShape *shape, MlirAttribute symbol) {
  return mlirRankedTensorTypeGet(shape->rank, shape->dims, element, symbol);
}

static MlirValue reshapeTo(Padding *p, MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type) ? value : paddingUnary(p, "stablehlo.reshape", value, type);
}

/// The elements of `source`, whose parts are `from`, in a tensor `type` of the parts `to`, as many as dimensions at
/// most. Either may be rows that a caller's tensor has, whose one open part is their number.
static MlirValue moveElements(Padding *p, MlirValue source, PaddingParts from, PaddingParts to, MlirType type) {
  int64_t inner = to.count < IR_MAX_RANK ? splitRows(p->r, &from, &to) : 1, numRows = 1;
  MlirType element = irElementType(type), i32 = mlirIntegerTypeGet(p->r->context, 32);
  MlirAttribute symbol = irSymbolName(type);
  for (intptr_t k = 0; k < from.count; ++k)
    numRows *= from.parts[k].padded;
  IrShape indices = {to.count, {0}}, rows = {inner > 1 ? 2 : 1, {numRows, inner}};
  for (intptr_t k = 0; k < to.count; ++k)
    indices.dims[k] = to.parts[k].padded;
  IndexSpace space = {tensorOf(i32, &indices, symbol)};
  source = reshapeTo(p, source, tensorOf(element, &rows, irSymbolName(mlirValueGetType(source))));
  MlirValue at = rowsAt(p, &from, &space, positions(p, &to, &space));
  IrShape gathered = indices;
  if (inner > 1)
    gathered.dims[gathered.rank++] = inner;
  return reshapeTo(p, gatherRows(p, source, at, inner, tensorOf(element, &gathered, symbol)), type);
}

MlirValue paddingPlain(Padding *p, MlirValue value) {
  PaddingLayout layout = paddingLayoutOf(p->r, value);
  if (paddingIsPlain(&layout))
    return value;
  RefineShape shape = refineShapeOf(p->r, value);
  PaddingLayout plain = plainLayout(&shape, mlirValueGetType(value));
  MlirValue moved = moveElements(p, value, partsOf(&layout), partsOf(&plain), mlirValueGetType(value));
  refineSetShape(p->r, moved, &shape);
  return moved;
}

void paddingPlainOperand(Padding *p, intptr_t i) {
  mlirOperationSetOperand(p->op, i, paddingPlain(p, irOperand(p->op, i)));
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

static bool addPaddingPart(PaddingDim *dim, PaddingPart part) {
  if (dim->count && isConstantPart(&part)) { // the innermost elements of a part belong to it
    PaddingPart *last = &dim->parts[dim->count - 1];
    RefineSize product;
    if (!refineMul(last->extent, part.extent, &product))
      return false;
    *last = (PaddingPart){product, last->padded * part.padded};
    return true;
  }
  if (dim->count == PADDING_MAX_PARTS)
    return false;
  dim->parts[dim->count++] = part;
  return true;
}

/// Takes parts from the front of `from` for a dimension of size `size`; false if whole parts do not make one.
static bool takeParts(Refiner *r, PaddingParts *from, RefineSize size, PaddingDim *dim) {
  *dim = (PaddingDim){0};
  while (!refineEqual(size, refineConstant(1))) {
    if (from->count == 0)
      return false;
    PaddingPart *first = &from->parts[0];
    RefineSize quotient;
    if (refineQuotient(r, size, first->extent, &quotient)) {
      if (!addPaddingPart(dim, *first))
        return false;
      size = quotient;
      for (intptr_t i = 1; i < from->count; ++i)
        from->parts[i - 1] = from->parts[i];
      --from->count;
      continue;
    }
    // The outer elements of a part, if the inner ones are always there.
    if (!refineQuotient(r, first->extent, size, &quotient) || !refineIsConstant(quotient) || quotient.offset < 1 ||
        first->padded % quotient.offset != 0)
      return false;
    if (!addPaddingPart(dim, (PaddingPart){size, first->padded / quotient.offset}))
      return false;
    *first = (PaddingPart){quotient, quotient.offset};
    size = refineConstant(1);
  }
  return true;
}

/// The layout of the same elements in another shape; false if there is none.
static bool reshapedLayout(Refiner *r, PaddingParts from, const RefineShape *shape, PaddingLayout *layout) {
  layout->rank = shape->rank;
  for (intptr_t i = 0; i < shape->rank; ++i)
    if (!takeParts(r, &from, shape->dims[i], &layout->dims[i]))
      return false;
  return from.count == 0;
}

bool paddingReplace(Padding *p, MlirValue value) {
  RefineShape shape = refineShapeOf(p->r, irResult(p->op, 0));
  PaddingLayout layout = paddingLayoutOf(p->r, irResult(p->op, 0));
  if (!mlirTypeEqual(mlirValueGetType(value), mlirValueGetType(irResult(p->op, 0))))
    return refineFail(p->op, "has a result of another type than its padding");
  refineSetShape(p->r, value, &shape);
  paddingSetLayout(p->r, value, &layout);
  mlirValueReplaceAllUsesOfWith(irResult(p->op, 0), value);
  refineErase(p->r, p->op);
  return true;
}

static bool isEmptyForSome(const Refiner *r, const PaddingParts *parts) {
  for (intptr_t i = 0; i < parts->count; ++i)
    if (paddingLeast(r, parts->parts[i].extent) < 1)
      return true;
  return false;
}

bool paddingReshapeRule(Padding *p) {
  MlirValue operand = irOperand(p->op, 0), result = irResult(p->op, 0);
  PaddingLayout layout = paddingLayoutOf(p->r, operand), reshaped;
  RefineShape shape = refineShapeOf(p->r, result);
  PaddingParts from = partsOf(&layout);
  if (!isEmptyForSome(p->r, &from) && reshapedLayout(p->r, from, &shape, &reshaped)) {
    IrShape sizes = irShapeOf(result);
    paddingSetLayout(p->r, result, &reshaped);
    bool isInPlace = paddingIsPlain(&reshaped) && mlirOperationGetNumOperands(p->op) == 1;
    return isInPlace || paddingReplace(p, paddingReshape(p, operand, &sizes));
  }
  PaddingLayout plain = plainLayout(&shape, mlirValueGetType(result));
  return paddingReplace(p, moveElements(p, operand, from, partsOf(&plain), mlirValueGetType(result)));
}

//===----------------------------------------------------------------------===//
// The caller's tensors
//===----------------------------------------------------------------------===//

/// The rows of a caller's tensor: all dimensions up to the last open one.
typedef struct {
  MlirType type; ///< with the rows' number as symbol
  PaddingParts parts;
} Rows;

/// factor * symbol for the product of all sizes of `rows`.
static bool rowSize(Refiner *r, const RefineShape *rows, RefineSize *size) {
  *size = refineConstant(1);
  bool isProduct = true;
  for (intptr_t i = 0; i < rows->rank && isProduct; ++i)
    isProduct = refineProduct(r, *size, rows->dims[i], size);
  if (isProduct && size->offset == 0)
    return true;
  int symbol = refineDerivedSymbol(r, rows, false);
  *size = (RefineSize){symbol, 1, 0};
  return symbol >= 0;
}

static bool rowsOf(Refiner *r, MlirOperation op, MlirType padded, const RefineShape *shape, Rows *rows) {
  IrShape sizes = {1, {0}};
  RefineShape outer = *shape;
  while (!paddingIsOpen(outer.dims[outer.rank - 1]))
    --outer.rank;
  RefineSize size;
  if (!rowSize(r, &outer, &size) || paddingLeast(r, size) < 1)
    return refineFail(op, "takes or returns a tensor of %s, which may be empty or too large to be padded",
                      refineShapeText(r, shape));
  sizes.dims[0] = paddingMost(r, size);
  rows->parts = (PaddingParts){1, {{size, sizes.dims[0]}}};
  for (intptr_t i = outer.rank; i < shape->rank; ++i) {
    sizes.dims[sizes.rank++] = shape->dims[i].offset;
    rows->parts.parts[rows->parts.count++] = (PaddingPart){shape->dims[i], shape->dims[i].offset};
  }
  rows->type = tensorOf(irElementType(padded), &sizes, irStringAttr(r->context, r->symbols[size.symbol].name));
  return true;
}

static void setBorderAttr(Refiner *r, const char *list, intptr_t count, intptr_t index, const RefineShape *shape) {
  irSetBorderAttr(r->main, list, count, index, irNamed(r->context, IR_SIZES_ATTRIBUTE, refineSizesAttr(r, shape)));
}

/// `value` with NaN, or the largest integer, in all of its padding.
static MlirValue poisoned(Padding *p, MlirValue value) {
  MlirType element = irElementTypeOf(value);
  IrShape all = {.rank = irShapeOf(value).rank};
  int64_t lowest, highest;
  for (intptr_t i = 0; i < all.rank; ++i)
    all.dims[i] = i;
  if (irIsFloat(element)) {
    MlirValue zero = paddingZero(p, element);
    return paddingMasked(p, value, &all, paddingBinary(p, "stablehlo.divide", zero, zero));
  }
  if (!irIsInteger(element))
    return value;
  irIntegerRange(element, &lowest, &highest);
  return paddingMasked(p, value, &all, paddingInteger(p, element, irIsBool(element) ? 1 : highest));
}

static bool packArgument(Refiner *r, MlirBlock block, intptr_t i) {
  MlirValue argument = mlirBlockGetArgument(block, i);
  MlirType padded = mlirValueGetType(argument);
  RefineShape shape = refineShapeOf(r, argument);
  Rows rows;
  if (!paddingIsOpenShape(&shape))
    return true;
  if (!rowsOf(r, r->main, padded, &shape, &rows))
    return false;
  PaddingLayout plain = plainLayout(&shape, padded);
  MlirOperation first = mlirBlockGetFirstOperation(block);
  Padding p = {.r = r, .op = first, .b = irBuilderBefore(first)};
  mlirValueSetType(argument, rows.type);
  irMapSet(&r->shapes, argument.ptr, 0);
  MlirValue moved = moveElements(&p, argument, rows.parts, partsOf(&plain), padded), given = moved;
  refineSetShape(r, given, &shape);
  if (r->poisons)
    moved = poisoned(&p, given);
  MlirOperation mover = mlirOpOperandGetOwner(mlirValueGetFirstUse(argument)); // the newest use comes first
  mlirValueReplaceAllUsesExcept(argument, moved, 1, &mover);
  refineSetShape(r, moved, &shape);
  setBorderAttr(r, "arg_attrs", mlirBlockGetNumArguments(block), i, &shape);
  return true;
}

bool paddingArguments(Refiner *r) {
  MlirBlock block = irBody(r->main, 0);
  intptr_t count = mlirBlockGetNumArguments(block); // more come, of derived symbols
  for (intptr_t i = 0; i < count; ++i)
    if (!packArgument(r, block, i))
      return false;
  return true;
}

bool paddingResults(Refiner *r) {
  MlirOperation end = mlirBlockGetTerminator(irBody(r->main, 0));
  Padding p = {.r = r, .op = end, .b = irBuilderBefore(end)};
  intptr_t count = mlirOperationGetNumOperands(end);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue value = irOperand(end, i);
    PaddingLayout layout = paddingLayoutOf(r, value);
    RefineShape shape = refineShapeOf(r, value);
    Rows rows;
    if (!paddingIsOpenShape(&shape))
      continue;
    if (!rowsOf(r, end, mlirValueGetType(value), &shape, &rows))
      return false;
    mlirOperationSetOperand(end, i, moveElements(&p, value, partsOf(&layout), rows.parts, rows.type));
    setBorderAttr(r, "res_attrs", count, i, &shape);
  }
  return true;
}
