//===- padding_index.c - gathers and scatters of padded tensors -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// StableHLO moves the slices of a gather, and drops the updates of a scatter, that are not within the tensor: the
// run's, not the padded one.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/padding.h"

#include "lowering/import/stablehlo_to_tg/hlo_region.h"

/// Of a gather or a scatter: which dimension of the operand each element of an index vector is for.
typedef struct {
  IrShape map;
  int64_t vectorDim;
} IndexMap;

/// Scalars, one for each element of the index vectors, as a tensor of the indices' shape.
static MlirValue splatVector(Padding *p, const MlirValue *scalars, const IndexMap *m, const IrShape *shape) {
  if (m->vectorDim >= shape->rank)
    return paddingSplat(p, scalars[0], shape);
  IrShape one = {1, {1}}, list = {1, {m->map.rank}}, dims = {1, {m->vectorDim}};
  MlirValue parts[IR_MAX_RANK];
  for (intptr_t i = 0; i < m->map.rank; ++i)
    parts[i] = paddingReshape(p, scalars[i], &one);
  MlirValue vector = m->map.rank == 1 ? parts[0]
                                      : irValueOf(&p->b, "stablehlo.concatenate", (IrValues){m->map.rank, parts},
                                                  paddingType(p, irElementTypeOf(parts[0]), &list),
                                                  IR_ATTRS(irI64(&p->b, "dimension", 0)));
  return paddingBroadcast(p, vector, &dims, shape);
}

/// How far slices of `sizes` may begin from the operand's first element, by element of the index vectors; `isOpen` says
/// whether one of these is open.
static bool roomsOf(Padding *p, const IndexMap *m, const RefineShape *extents, const RefineShape *sizes,
                    RefineSize *rooms, bool *isOpen) {
  *isOpen = false;
  for (intptr_t i = 0; i < m->map.rank; ++i) {
    int64_t d = m->map.dims[i];
    if (d < 0 || d >= extents->rank || d >= sizes->rank)
      return refineFail(p->op, "names a dimension that its operand has not");
    if (!refineSub(extents->dims[d], sizes->dims[d], &rooms[i]) || paddingLeast(p->r, rooms[i]) < 0)
      return refineFail(p->op, "takes %s elements of dimension %ld, which may have fewer: %s",
                        refineSizeText(p->r, sizes->dims[d]), (long)d, refineSizeText(p->r, extents->dims[d]));
    *isOpen |= paddingIsOpen(extents->dims[d]) || paddingIsOpen(sizes->dims[d]);
  }
  return true;
}

static bool readMap(Padding *p, const char *attribute, const char *field, IndexMap *m, const char **text) {
  *text = hloAttrText(&p->c, attribute);
  m->vectorDim = hloIntField(*text, "index_vector_dim", 0);
  return hloListField(&p->c, *text, field, &m->map);
}

static MlirValue limitsOf(Padding *p, const IndexMap *m, const RefineSize *rooms, MlirValue indices) {
  MlirValue scalars[IR_MAX_RANK];
  IrShape shape = irShapeOf(indices);
  for (intptr_t i = 0; i < m->map.rank; ++i)
    scalars[i] = paddingSizeAs(p, rooms[i], irElementTypeOf(indices));
  return splatVector(p, scalars, m, &shape);
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

/// Whether all elements of an index vector that is known are within the rooms: nothing is moved.
static bool areWithin(const Padding *p, MlirValue indices, const RefineSize *rooms, intptr_t count) {
  const RefineValue *known = refineValueOf(p->r, indices);
  if (!known || known->count != count)
    return false;
  for (intptr_t i = 0; i < count; ++i) {
    int64_t low, high;
    if (!refineDifference(p->r, rooms[i], known->elements[i], &low, &high) || low < 0 ||
        paddingLeast(p->r, known->elements[i]) < 0)
      return false;
  }
  return true;
}

/// Whether the first `size` elements of a dimension are there for all sizes.
static bool startsAtFirst(Padding *p, intptr_t dim, RefineSize extent, RefineSize size) {
  RefineSize rest;
  return (refineLess(p->r, extent, size, &rest) && paddingLeast(p->r, rest) >= 0) ||
         refineFail(p->op, "takes %s elements of dimension %ld, which may have fewer: %s", refineSizeText(p->r, size),
                    (long)dim, refineSizeText(p->r, extent));
}

/// Slices of `sizes`, which along a dimension that has padding in the operand are of one size or of all of it.
static bool padGather(Padding *p, const RefineShape *sizes, const IrShape *padded) {
  IndexMap m;
  const char *text;
  RefineSize rooms[IR_MAX_RANK];
  bool isOpen;
  paddingPlainOperand(p, 0);
  paddingPlainOperand(p, 1);
  MlirValue operand = irOperand(p->op, 0), indices = irOperand(p->op, 1);
  RefineShape extents = refineShapeOf(p->r, operand);
  if (!readMap(p, "dimension_numbers", "start_index_map", &m, &text) ||
      !roomsOf(p, &m, &extents, sizes, rooms, &isOpen))
    return false;
  for (intptr_t i = 0; i < sizes->rank; ++i)
    if (!irContains(m.map, i) && !startsAtFirst(p, i, extents.dims[i], sizes->dims[i]))
      return false;
  if (isOpen && !areWithin(p, indices, rooms, m.map.rank)) {
    IrShape shape = irShapeOf(indices);
    MlirValue zero = paddingSplat(p, paddingInteger(p, irElementTypeOf(indices), 0), &shape);
    indices = irValueOf(&p->b, "stablehlo.clamp", IR_VALUES(zero, indices, limitsOf(p, &m, rooms, indices)),
                        mlirValueGetType(indices), IR_NO_ATTRS);
  }
  for (intptr_t i = 0; i < m.map.rank; ++i) {
    int64_t d = m.map.dims[i], reach = paddingMost(p->r, rooms[i]) + padded->dims[d];
    if (paddingIsOpen(sizes->dims[d]) && reach > irShapeOf(operand).dims[d])
      operand = paddingExtend(p, operand, d, reach - irShapeOf(operand).dims[d]);
  }
  MlirAttribute numbers = irGetAttr(p->op, "dimension_numbers");
  MlirValue gathered = irValueOf(
      &p->b, "stablehlo.gather", IR_VALUES(operand, indices), mlirValueGetType(irResult(p->op, 0)),
      IR_ATTRS(irAttr(&p->b, "dimension_numbers", numbers), irDims(&p->b, "slice_sizes", padded->rank, padded->dims),
               irI1(&p->b, "indices_are_sorted", false)));
  return paddingReplace(p, gathered);
}

bool paddingGather(Padding *p) {
  IrShape list;
  if (!hloListAttr(&p->c, "slice_sizes", &list))
    return false;
  RefineShape sizes = {.rank = list.rank};
  for (intptr_t i = 0; i < list.rank; ++i)
    sizes.dims[i] = refineConstant(list.dims[i]);
  return padGather(p, &sizes, &list);
}

bool paddingDynamicGather(Padding *p) {
  const RefineValue *value = refineValueOf(p->r, irOperand(p->op, 2));
  if (!value || value->count > IR_MAX_RANK)
    return refineFail(p->op, "has slices whose sizes do not follow from the sizes of the inputs");
  RefineShape sizes = {.rank = value->count};
  IrShape padded = {.rank = value->count};
  for (intptr_t i = 0; i < value->count; ++i) {
    sizes.dims[i] = value->elements[i];
    padded.dims[i] = paddingMost(p->r, value->elements[i]);
  }
  return padGather(p, &sizes, &padded);
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// The windows of a scatter, by dimension of the operand.
typedef struct {
  RefineShape sizes;        ///< those of the updates, or one
  IrShape updateDims;       ///< of the updates; -1: none
  bool isPart[IR_MAX_RANK]; ///< an open size that is not all of the operand's
  bool hasParts;
} ScatterWindows;

static bool readWindows(Padding *p, const char *text, const RefineShape *extents, const RefineShape *updates,
                        ScatterWindows *w) {
  IrShape window, inserted, batching;
  if (!hloListField(&p->c, text, "update_window_dims", &window) ||
      !hloListField(&p->c, text, "inserted_window_dims", &inserted) ||
      !hloListField(&p->c, text, "input_batching_dims", &batching))
    return false;
  intptr_t next = 0;
  *w = (ScatterWindows){.sizes = {.rank = extents->rank}, .updateDims = {.rank = extents->rank}};
  for (intptr_t d = 0; d < extents->rank; ++d) {
    w->sizes.dims[d] = refineConstant(1);
    w->updateDims.dims[d] = -1;
    if (irContains(inserted, d) || irContains(batching, d))
      continue;
    if (next == window.rank || window.dims[next] < 0 || window.dims[next] >= updates->rank)
      return refineFail(p->op, "has dimension numbers that do not fit its operands");
    w->updateDims.dims[d] = window.dims[next];
    w->sizes.dims[d] = updates->dims[window.dims[next++]];
    w->isPart[d] = paddingIsOpen(w->sizes.dims[d]) && !refineEqual(w->sizes.dims[d], extents->dims[d]);
    w->hasParts |= w->isPart[d];
  }
  return true;
}

/// Windows of an open size that is not all of the operand's. Their padding becomes the neutral element, and the operand
/// is longer, as windows that reach out of it would be dropped.
static bool writeParts(Padding *p, const ScatterWindows *w, const RefineSize *rooms, const IndexMap *m) {
  int kind = hloRegionKind(&p->c, 0);
  MlirValue operand = irOperand(p->op, 0), updates = irOperand(p->op, 2), longer = operand;
  MlirAttribute identity =
      kind >= 0 ? hloIdentity(p->r->context, kind, irElementTypeOf(updates)) : mlirAttributeGetNull();
  if (mlirOperationGetNumResults(p->op) != 1 || mlirAttributeIsNull(identity))
    return refineFail(p->op, "writes windows of an open size in a way that no element leaves as it is");
  IrShape masked = {0}, shape = irShapeOf(operand);
  for (intptr_t d = 0; d < shape.rank; ++d)
    if (w->isPart[d])
      masked.dims[masked.rank++] = w->updateDims.dims[d];
  for (intptr_t i = 0; i < m->map.rank; ++i) {
    int64_t d = m->map.dims[i], reach = paddingMost(p->r, rooms[i]) + paddingMost(p->r, w->sizes.dims[d]);
    if (reach > shape.dims[d])
      longer = paddingExtend(p, longer, d, reach - shape.dims[d]);
  }
  MlirValue neutral = paddingElement(p, irElementTypeOf(updates), identity);
  mlirOperationSetOperand(p->op, 2, paddingMasked(p, updates, &masked, neutral));
  if (mlirValueEqual(longer, operand))
    return true;
  MlirOperation scatter = mlirOperationClone(p->op);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(p->op), p->op, scatter);
  mlirOperationSetOperand(scatter, 0, longer);
  mlirValueSetType(irResult(scatter, 0), mlirValueGetType(longer));
  MlirValue written = irResult(scatter, 0);
  for (intptr_t d = 0; d < shape.rank; ++d)
    written = paddingExtend(p, written, d, shape.dims[d] - irShapeOf(written).dims[d]);
  return paddingReplace(p, written);
}

/// Where each index is of an element of the model, as a tensor of the indices' shape; null if all are.
static MlirValue maskOfIndices(Padding *p, MlirValue indices, const IndexMap *m) {
  RefineShape extents = refineShapeOf(p->r, indices);
  IrShape shape = irShapeOf(indices);
  MlirValue mask = {NULL};
  for (intptr_t i = 0; i < extents.rank; ++i) {
    if (i == m->vectorDim || !paddingIsOpen(extents.dims[i]))
      continue;
    MlirValue next = paddingBelow(p, &shape, i, extents.dims[i]);
    mask = mlirValueIsNull(mask) ? next : paddingBinary(p, "stablehlo.and", mask, next);
  }
  return mask;
}

/// Indices of dropped updates become -1, or the largest: no window begins there.
bool paddingScatter(Padding *p) {
  intptr_t count = mlirOperationGetNumResults(p->op);
  IndexMap m;
  const char *text;
  RefineSize rooms[IR_MAX_RANK];
  ScatterWindows windows;
  bool isOpen;
  if (mlirOperationGetNumOperands(p->op) != 2 * count + 1)
    return refineFail(p->op, "must have updates for each operand");
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(p->op); ++i)
    paddingPlainOperand(p, i);
  MlirValue indices = irOperand(p->op, count);
  RefineShape extents = refineShapeOf(p->r, irOperand(p->op, 0)),
              updates = refineShapeOf(p->r, irOperand(p->op, count + 1));
  if (!readMap(p, "scatter_dimension_numbers", "scatter_dims_to_operand_dims", &m, &text) ||
      !readWindows(p, text, &extents, &updates, &windows) || !roomsOf(p, &m, &extents, &windows.sizes, rooms, &isOpen))
    return false;
  MlirValue mask = maskOfIndices(p, indices, &m);
  if (m.map.rank == 0 && !mlirValueIsNull(mask))
    return refineFail(p->op, "has no index to drop its padding by");
  if (isOpen) {
    MlirValue within = paddingCompare(p, "LE", indices, limitsOf(p, &m, rooms, indices));
    mask = mlirValueIsNull(mask) ? within : paddingBinary(p, "stablehlo.and", mask, within);
  }
  if (!mlirValueIsNull(mask)) {
    IrShape shape = irShapeOf(indices);
    int64_t lowest, highest;
    irIntegerRange(irElementTypeOf(indices), &lowest, &highest);
    int64_t outside = irIsUnsigned(irElementTypeOf(indices)) ? highest : -1;
    MlirValue none = paddingSplat(p, paddingInteger(p, irElementTypeOf(indices), outside), &shape);
    mlirOperationSetOperand(p->op, count, paddingSelect(p, mask, indices, none));
    irSetAttr(p->op, "indices_are_sorted", mlirBoolAttrGet(p->r->context, 0));
    irSetAttr(p->op, "unique_indices", mlirBoolAttrGet(p->r->context, 0));
  }
  return !windows.hasParts || writeParts(p, &windows, rooms, &m);
}
