//===- scan_tree.c - recursive prefix scans in graphs --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs of level 0 define f. All other places where f is applied, of which each level has two, must be the same
// operations on the tree's values there.
//
//===----------------------------------------------------------------------===//

#include "passes/tg_raise_cumulatives/scan_tree.h"

#include "ir/graph/tg.h"

//===----------------------------------------------------------------------===//
// Operations that move elements along the axis
//===----------------------------------------------------------------------===//

/// The operand of a slice of elements start, start + stride, ... along the axis, up to `limit` or as many as it then
/// has; null if it is no such slice.
static MlirValue sliceOf(MlirValue value, int64_t axis, int64_t start, int64_t stride, int64_t count) {
  MlirOperation op = tgDefinedBy(value, TG_slice);
  if (mlirOperationIsNull(op))
    return (MlirValue){NULL};
  IrShape from = irShapeOf(irOperand(op, 0)), to = irShapeOf(value), starts = irGetDims(op, "starts");
  IrShape strides = irGetDims(op, "strides");
  for (intptr_t d = 0; d < from.rank; ++d) {
    bool isWhole = starts.dims[d] == 0 && to.dims[d] == from.dims[d];
    bool isWanted = starts.dims[d] == start && to.dims[d] == count && (count == 1 || strides.dims[d] == stride);
    if (!(d == axis ? isWanted : isWhole))
      return (MlirValue){NULL};
  }
  return irOperand(op, 0);
}

/// The axis along which a pad puts something between elements, if that and `low` in front is all that it does;
/// otherwise -1.
static int64_t spreadAxis(MlirOperation op, int64_t low) {
  IrShape lows = irGetDims(op, "low"), highs = irGetDims(op, "high"), interior = irGetDims(op, "interior");
  int64_t axis = -1;
  for (intptr_t d = 0; d < lows.rank; ++d) {
    if (lows.dims[d] == 0 && highs.dims[d] == 0 && interior.dims[d] == 0)
      continue;
    if (axis >= 0 || interior.dims[d] != 1 || lows.dims[d] != low || highs.dims[d] < 0 || highs.dims[d] > 1)
      return -1;
    axis = d;
  }
  return axis;
}

static bool isZero(MlirValue value) {
  MlirOperation op = tgDefinedBy(value, TG_constant);
  if (mlirOperationIsNull(op) || !tgIsSplat(op))
    return false;
  const char *bytes = mlirDenseElementsAttrGetRawData(irGetAttr(op, "value"));
  bool isZero = true;
  for (int64_t i = 0; i < irElementBytes(irElementTypeOf(value)); ++i)
    isZero = isZero && bytes[i] == 0;
  return isZero;
}

typedef struct {
  MlirValue even, odd;
  int64_t axis;
} Interleaved;

static bool readInterleaved(MlirOperation op, Interleaved *parts) {
  TgKind kind = tgKindOf(op);
  if (kind != TG_add && kind != TG_or)
    return false;
  MlirOperation pads[2];
  for (int i = 0; i < 2; ++i) {
    pads[i] = tgDefinedBy(irOperand(op, i), TG_pad);
    if (mlirOperationIsNull(pads[i]) || !isZero(irOperand(pads[i], 1)))
      return false;
  }
  int first = spreadAxis(pads[0], 0) >= 0 && spreadAxis(pads[1], 1) >= 0 ? 0 : 1;
  *parts = (Interleaved){irOperand(pads[first], 0), irOperand(pads[1 - first], 0), spreadAxis(pads[first], 0)};
  return parts->axis >= 0 && spreadAxis(pads[1 - first], 1) == parts->axis;
}

bool scanIsInterleaved(MlirOperation op) {
  Interleaved parts;
  return readInterleaved(op, &parts);
}

/// Reads the prefixes of elements 0, 2, ...: the first element, of the tensor `elements`, and the others, null if there
/// are none.
static bool readEven(const Interleaved *parts, MlirValue *elements, MlirValue *others) {
  MlirOperation op = tgDefinedBy(parts->even, TG_concatenate);
  MlirValue first = mlirOperationIsNull(op) ? parts->even : irOperand(op, 0);
  intptr_t count = mlirOperationIsNull(op) ? 1 : mlirOperationGetNumOperands(op);
  if (count > 2 || (count == 2 && irGetInt(op, "dim", -1) != parts->axis))
    return false;
  *elements = sliceOf(first, parts->axis, 0, 1, 1);
  bool hasOthers = count == 2 && irShapeOf(irOperand(op, 1)).dims[parts->axis] > 0;
  *others = hasOthers ? irOperand(op, 1) : (MlirValue){NULL};
  return !mlirValueIsNull(*elements);
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

/// Sets component 0 of the elements of all levels, as the interleaved result says, and the sizes.
static bool readLevels(MlirValue result, ScanTree *t) {
  for (intptr_t level = 0; level < SCAN_MOST_LEVELS; ++level) {
    IrShape shape = irShapeOf(result);
    Interleaved parts;
    MlirValue others;
    MlirOperation op = irDefiningOp(result);
    bool isInterleaved = !mlirOperationIsNull(op) && readInterleaved(op, &parts);
    t->numLevels = level + 1;
    if (level == 0 && !isInterleaved)
      return false;
    t->axis = level == 0 ? parts.axis : t->axis;
    t->sizes[level] = shape.dims[t->axis];
    t->elements[level][0] = result;
    if (shape.dims[t->axis] == 1)
      return true;
    if (!isInterleaved || parts.axis != t->axis || !readEven(&parts, &t->elements[level][0], &others))
      return false;
    result = parts.odd;
    if (irShapeOf(result).dims[t->axis] != t->sizes[level] / 2)
      return false;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// The value whose pairs of a level a half belongs to, the first ones or the second ones; null if it is neither.
static MlirValue pairsOf(const ScanTree *t, intptr_t level, MlirValue value, bool isSecond) {
  MlirValue source = sliceOf(value, t->axis, isSecond, 2, t->sizes[level] / 2);
  bool fits = !mlirValueIsNull(source) && irShapeOf(source).dims[t->axis] == t->sizes[level];
  return fits ? source : (MlirValue){NULL};
}

static intptr_t componentOf(const ScanTree *t, intptr_t level, MlirValue value) {
  for (intptr_t i = 0; i < t->count; ++i)
    if (mlirValueEqual(t->elements[level][i], value))
      return i;
  return -1;
}

/// A constant of equal elements, or a broadcast of one.
static MlirAttribute splatOf(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (!mlirOperationIsNull(op) && tgKindOf(op) == TG_broadcast)
    op = irDefiningOp(irOperand(op, 0));
  if (mlirOperationIsNull(op) || tgKindOf(op) != TG_constant || !tgIsSplat(op))
    return mlirAttributeGetNull();
  return mlirDenseElementsAttrGetSplatValue(irGetAttr(op, "value"));
}

static bool isApplied(MlirOperation op) {
  return !mlirOperationIsNull(op) && tgClassOfKind(tgKindOf(op)) == TG_CLASS_ELEMENTWISE &&
         mlirOperationGetNumResults(op) == 1;
}

enum { MOST_OPERATIONS = 256 }; ///< of f: beyond it a graph is no function of two elements

/// Finds the components that `value`, a result of f at level 0, is computed from. False if it is no result.
static bool collectComponents(ScanTree *t, MlirValue value, IrMap *seen, int *budget) {
  for (int isSecond = 0; isSecond < 2; ++isSecond) {
    MlirValue source = pairsOf(t, 0, value, isSecond);
    if (mlirValueIsNull(source))
      continue;
    if (componentOf(t, 0, source) < 0 && t->count == SCAN_MOST_COMPONENTS)
      return false;
    if (componentOf(t, 0, source) < 0)
      t->elements[0][t->count++] = source;
    return true;
  }
  if (!mlirAttributeIsNull(splatOf(value)) || irMapContains(seen, value.ptr))
    return true;
  MlirOperation op = irDefiningOp(value);
  if (!isApplied(op) || --*budget < 0 || !irShapesEqual(irShapeOf(value), irShapeOf(t->elements[1][0])))
    return false;
  irMapSet(seen, value.ptr, 1);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!collectComponents(t, irOperand(op, i), seen, budget))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Places where the function is applied
//===----------------------------------------------------------------------===//

static bool hasPrefixes(ScanTree *t, intptr_t level, intptr_t component, MlirValue value);
static bool hasElements(ScanTree *t, intptr_t level, intptr_t component, MlirValue value);

/// A place: pairs of a level, or prefixes of its elements 2, 4, ... `matched`: a value of f at level 0 -> its
/// counterpart here.
typedef struct {
  ScanTree *tree;
  intptr_t level;
  bool isOfPairs;
  IrMap matched;
} TreePlace;

/// Whether `value` is argument `number` of f at a place.
static bool isArgument(TreePlace *p, int64_t number, MlirValue value) {
  ScanTree *t = p->tree;
  bool isSecond = number >= t->count;
  intptr_t component = number % t->count;
  int64_t size = t->sizes[p->level];
  if (p->isOfPairs) {
    MlirValue source = pairsOf(t, p->level, value, isSecond);
    return !mlirValueIsNull(source) && hasElements(t, p->level, component, source);
  }
  if (isSecond) {
    MlirValue source = sliceOf(value, t->axis, 2, 2, (size - 1) / 2);
    return !mlirValueIsNull(source) && hasElements(t, p->level, component, source);
  }
  MlirValue odd = size % 2 ? value : sliceOf(value, t->axis, 0, 1, size / 2 - 1);
  return !mlirValueIsNull(odd) && hasPrefixes(t, p->level + 1, component, odd);
}

/// Whether `value` is at a place the counterpart of `function` of f at level 0.
static bool matches(TreePlace *p, MlirValue function, MlirValue value) {
  ScanTree *t = p->tree;
  int64_t known = irMapGet(&p->matched, function.ptr, 0), number = irMapGet(&t->arguments, function.ptr, -1);
  if (known)
    return (void *)(intptr_t)known == value.ptr;
  irMapSet(&p->matched, function.ptr, (int64_t)(intptr_t)value.ptr);
  if (number >= 0)
    return isArgument(p, number, value);
  MlirAttribute splat = splatOf(function);
  if (!mlirAttributeIsNull(splat))
    return mlirTypeEqual(irElementTypeOf(function), irElementTypeOf(value)) &&
           mlirAttributeEqual(splat, splatOf(value));
  MlirOperation a = irDefiningOp(function), b = irDefiningOp(value);
  if (mlirOperationIsNull(b) || tgKindOf(a) != tgKindOf(b) || !irSameAttributes(a, b) ||
      mlirOperationGetNumOperands(a) != mlirOperationGetNumOperands(b) ||
      !mlirTypeEqual(irElementTypeOf(function), irElementTypeOf(value)))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(a); ++i)
    if (!matches(p, irOperand(a, i), irOperand(b, i)))
      return false;
  return true;
}

static bool isApplication(ScanTree *t, intptr_t level, bool isOfPairs, intptr_t component, MlirValue value) {
  TreePlace p = {.tree = t, .level = level, .isOfPairs = isOfPairs};
  if (mlirValueIsNull(t->elements[1][component]))
    return false;
  bool does = matches(&p, t->elements[1][component], value);
  irMapDestroy(&p.matched);
  return does;
}

/// Whether `value` is the elements of a component at a level.
static bool hasElements(ScanTree *t, intptr_t level, intptr_t component, MlirValue value) {
  MlirValue *known = &t->elements[level][component];
  if (!mlirValueIsNull(*known))
    return mlirValueEqual(*known, value);
  *known = value;
  return level == 1 || isApplication(t, level - 1, true, component, value);
}

/// Whether `value` is the prefixes of a component at a level.
static bool hasPrefixes(ScanTree *t, intptr_t level, intptr_t component, MlirValue value) {
  MlirValue *known = &t->prefixes[level][component], elements, others;
  if (!mlirValueIsNull(*known))
    return mlirValueEqual(*known, value);
  *known = value;
  if (t->sizes[level] == 1)
    return hasElements(t, level, component, value);
  Interleaved parts;
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !readInterleaved(op, &parts) || parts.axis != t->axis ||
      irShapeOf(value).dims[t->axis] != t->sizes[level] || !readEven(&parts, &elements, &others) ||
      !hasElements(t, level, component, elements) || !hasPrefixes(t, level + 1, component, parts.odd))
    return false;
  bool hasOthers = t->sizes[level] > 2;
  return hasOthers == !mlirValueIsNull(others) && (!hasOthers || isApplication(t, level, false, component, others));
}

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

/// Numbers the arguments of f among the values of level 0.
static void numberArguments(ScanTree *t) {
  irMapDestroy(&t->arguments);
  t->arguments = (IrMap){0};
  for (intptr_t i = 0; i < t->count; ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(t->elements[0][i]); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      for (int isSecond = 0; isSecond < 2 && tgKindOf(user) == TG_slice; ++isSecond)
        if (!mlirValueIsNull(pairsOf(t, 0, irResult(user, 0), isSecond)))
          irMapSet(&t->arguments, irResult(user, 0).ptr, i + isSecond * t->count);
    }
}

static bool knowsFunction(const ScanTree *t) {
  bool knows = true;
  for (intptr_t i = 0; i < t->count; ++i)
    knows = knows && !mlirValueIsNull(t->elements[1][i]);
  return knows;
}

/// Finds f. That of component 0 is known. The pairs of level 1 name level 1 of the components that it reads, which
/// defines f of these. The pairs of level 2 those that these read, and so on.
static bool findCombiner(ScanTree *t) {
  IrMap seen = {0};
  int budget = MOST_OPERATIONS;
  bool finds = collectComponents(t, t->elements[1][0], &seen, &budget);
  numberArguments(t);
  for (intptr_t level = 1; finds && !knowsFunction(t) && level + 1 < t->numLevels; ++level) {
    finds = isApplication(t, level, true, 0, t->elements[level + 1][0]);
    for (intptr_t i = 0; finds && i < t->count; ++i)
      finds = mlirValueIsNull(t->elements[1][i]) || collectComponents(t, t->elements[1][i], &seen, &budget);
    numberArguments(t);
  }
  irMapDestroy(&seen);
  return finds && knowsFunction(t);
}

bool scanFind(MlirValue result, ScanTree *tree) {
  enum { LEAST_LEVELS = 4 };
  *tree = (ScanTree){.count = 1};
  if (readLevels(result, tree) && tree->numLevels >= LEAST_LEVELS && findCombiner(tree) &&
      hasPrefixes(tree, 0, 0, result))
    return true;
  scanDestroy(tree);
  return false;
}

void scanDestroy(ScanTree *tree) { irMapDestroy(&tree->arguments); }

bool scanHasResult(ScanTree *tree, MlirValue result, intptr_t *component) {
  Interleaved parts;
  MlirValue elements, others;
  MlirOperation op = irDefiningOp(result);
  if (mlirOperationIsNull(op) || !readInterleaved(op, &parts) || parts.axis != tree->axis ||
      !readEven(&parts, &elements, &others))
    return false;
  *component = componentOf(tree, 0, elements);
  if (*component < 0)
    return false;
  ScanTree before = *tree; // a value that is no result leaves no trace
  bool has = hasPrefixes(tree, 0, *component, result);
  if (!has) {
    before.arguments = tree->arguments;
    *tree = before;
  }
  return has;
}
