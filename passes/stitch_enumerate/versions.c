//===- versions.c - stitch-enumerate: the versions of a group ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A version computes the products of a group in chunks: the operands that differ are put side by side, one product of
// them is computed, and whoever reads a result reads a slice. Fusions that read results and can be computed right
// behind them are part of the group, so that they read these slices where they are and nothing is copied.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "passes/stitch_enumerate/enumerate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Of constants there are as many copies as there are sizes of chunks but the first; two are enough.
int64_t chunkSizes(const Enumeration *e, const Group *group, int64_t *sizes) {
  double largest = 0;
  for (int64_t i = 0; i < group->numProducts; ++i)
    largest = fmax(largest, flopsOf(group->products[i]));
  int64_t count = 0, last = group->numProducts;
  bool few = areConstants(group->products, last, group->side);
  sizes[count++] = 1;
  for (int64_t size = 2; size < last && !few && count < MAX_CHUNK_SIZES - 1; size *= 2)
    if (largest * (double)size / 2 < (double)e->saturatedFlops)
      sizes[count++] = size;
  if (largest * (double)sizes[count - 1] < (double)e->saturatedFlops)
    sizes[count++] = last;
  return count;
}

MlirAttribute newVariable(Enumeration *e, MlirOperation op, const char *kind, int64_t numVersions,
                          int64_t numProducts) {
  char name[48];
  snprintf(name, sizeof(name), "%s_%lld", kind, (long long)e->numVariables);
  MlirAttribute attribute = mlirStringAttrGet(mlirOperationGetContext(op), mlirStringRefCreateFromCString(name));
  intptr_t count = e->numVariables;
  IR_RESERVE_ONE(e->names, count, e->nameCapacity);
  IR_RESERVE_ONE(e->versions, count, e->versionCapacity);
  e->names[count] = attribute;
  e->versions[count] = numVersions;
  e->combinations += log10((double)numProducts);
  ++e->numVariables;
  return attribute;
}

static MlirAttribute versionName(MlirContext context, int64_t size, int64_t count) {
  char name[32];
  snprintf(name, sizeof(name), size == 1 ? "apart" : size == count ? "all" : "by_%lld", (long long)size);
  return mlirStringAttrGet(context, mlirStringRefCreateFromCString(name));
}

MlirOperation createAdaptive(MlirOperation before, MlirAttribute variable, const int64_t *sizes, int64_t numSizes,
                             int64_t numProducts, const ValueList *results) {
  IrBuilder b = irBuilderBefore(before);
  MlirAttribute names[MAX_CHUNK_SIZES];
  for (int64_t i = 0; i < numSizes; ++i)
    names[i] = versionName(b.context, sizes[i], numProducts);
  MlirType *types = irAllocate(sizeof(*types) * (size_t)(results->count + 1));
  for (int64_t i = 0; i < results->count; ++i)
    types[i] = mlirValueGetType(results->values[i]);
  MlirOperation op = irOpWithRegions(
      &b, "stitch.adaptive", IR_NO_VALUES, (IrTypes){results->count, types},
      IR_ATTRS(irAttr(&b, "variable", variable), irAttr(&b, "versions", mlirArrayAttrGet(b.context, numSizes, names))),
      numSizes, IR_NO_TYPES);
  free(types);
  return op;
}

/// Ends a version; what is built for it comes before the terminator, which is returned.
MlirOperation endVersion(MlirOperation adaptive, int64_t version, IrValues values) {
  IrBuilder b = irBuilderAtEnd(irBody(adaptive, version), mlirOperationGetLocation(adaptive));
  return irOp(&b, "stitch.yield", values, IR_NO_TYPES, IR_NO_ATTRS);
}

//===----------------------------------------------------------------------===//
// The version with products apart: the operations themselves
//===----------------------------------------------------------------------===//

static bool isIn(MlirOperation op, MlirOperation const *list, int64_t count) {
  bool found = false;
  for (int64_t i = 0; i < count; ++i)
    found |= mlirOperationEqual(op, list[i]);
  return found;
}

/// The operation of the group's block that `op` is or stands in.
static MlirOperation inBlock(MlirOperation op, MlirBlock block) {
  while (!mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

/// Results that something outside of the group reads.
static ValueList escapingResults(const Group *group) {
  ValueList results = {0};
  MlirBlock block = mlirOperationGetBlock(group->products[0]);
  for (int64_t i = 0; i < group->numProducts + group->numReaders; ++i) {
    MlirOperation op = i < group->numProducts ? group->products[i] : group->readers[i - group->numProducts];
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
      IR_FOR_EACH_USE(use, irResult(op, r)) {
        if (!isIn(inBlock(mlirOpOperandGetOwner(use), block), group->readers, group->numReaders))
          valueListAdd(&results, irResult(op, r));
      }
  }
  return results;
}

static void moveInto(MlirBlock block, MlirOperation op) {
  mlirOperationRemoveFromParent(op);
  mlirBlockAppendOwnedOperation(block, op);
}

static void buildApart(const Group *group, MlirOperation adaptive, const ValueList *results) {
  for (int64_t i = 0; i < results->count; ++i)
    mlirValueReplaceAllUsesOfWith(results->values[i], irResult(adaptive, i));
  MlirBlock block = irBody(adaptive, 0);
  for (int64_t i = 0; i < group->numProducts; ++i)
    moveInto(block, group->products[i]);
  for (int64_t i = 0; i < group->numReaders; ++i) {
    moveInto(block, group->readers[i]);
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(group->readers[i]); ++j) // inside, the value itself
      for (int64_t r = 0; r < results->count; ++r)
        if (mlirValueEqual(irOperand(group->readers[i], j), irResult(adaptive, r)))
          mlirOperationSetOperand(group->readers[i], j, results->values[r]);
  }
  endVersion(adaptive, 0, (IrValues){results->count, results->values});
}

//===----------------------------------------------------------------------===//
// Versions with chunks
//===----------------------------------------------------------------------===//

/// Where a result of the first version is in another one: a part of `value` along a dimension.
typedef struct {
  MlirValue from, value;
  int64_t dim, start, size; ///< dim -1: all of it
} Part;

typedef struct {
  const Group *group;
  MlirOperation end; ///< of the version
  Part *parts;       ///< of the products' results, then of the readers'
  int64_t numParts, capacity;
} Version;

static const Part *findPart(const Version *v, MlirValue from) {
  for (int64_t i = 0; i < v->numParts; ++i)
    if (mlirValueEqual(v->parts[i].from, from))
      return &v->parts[i];
  return NULL;
}

static void addPart(Version *v, Part part) {
  IR_RESERVE_ONE(v->parts, v->numParts, v->capacity);
  v->parts[v->numParts++] = part;
}

/// One product of the operands of products `first` to `first + count`.
static void buildChunk(Version *v, const Joining *joining, Joined operand, int64_t first, int64_t count) {
  MlirOperation const *products = v->group->products + first;
  int side = v->group->side;
  int64_t dim = resultDim(products[0], side), start = 0;
  MlirValue operands[2] = {productOperand(products[0], LHS), productOperand(products[0], RHS)};
  operands[side] = joinedValue(joining, operand);
  IrShape shape = irShapeOf(irResult(products[0], 0));
  for (int64_t i = 1; i < count; ++i)
    shape.dims[dim] += irShapeOf(irResult(products[i], 0)).dims[dim];
  MlirType type = tgWithShape(mlirValueGetType(irResult(products[0], 0)), shape);
  MlirValue value = buildProduct(products[0], operands[LHS], operands[RHS], type, (MlirValue){NULL}, v->end);
  for (int64_t i = 0; i < count; ++i) {
    MlirValue from = irResult(products[i], 0);
    int64_t size = irShapeOf(from).dims[dim];
    addPart(v, (Part){from, value, count == 1 ? -1 : dim, start, size});
    start += size;
  }
}

static void buildProducts(Version *v, int64_t size) {
  const Group *group = v->group;
  Joining joining = {0};
  int64_t dim = freeDim(group->products[0], group->side), count = group->numProducts;
  Joined *operands = irAllocate(sizeof(*operands) * (size_t)(count + 1));
  for (int64_t i = 0; i < count; i += size)
    operands[i] =
        joinOperands(&joining, group->products + i, i + size < count ? size : count - i, group->side, dim, v->end);
  joiningClose(&joining, v->end);
  for (int64_t i = 0; i < count; i += size)
    buildChunk(v, &joining, operands[i], i, i + size < count ? size : count - i);
  joiningDestroy(&joining);
  free(operands);
}

/// A copy of a reader that reads the parts where they are.
static void buildReader(Version *v, MlirOperation reader) {
  MlirOperation copy = mlirOperationClone(reader);
  MlirBlock body = irBody(copy, 0);
  intptr_t count = mlirOperationGetNumOperands(reader);
  MlirValue *operands = irAllocate(sizeof(*operands) * (size_t)(count + 1));
  IrBuilder b = irBuilderBefore(mlirBlockGetFirstOperation(body));
  for (intptr_t i = 0; i < count; ++i) {
    const Part *part = findPart(v, irOperand(reader, i));
    operands[i] = part ? part->value : irOperand(reader, i);
    if (!part || part->dim < 0)
      continue;
    MlirValue old = mlirBlockGetArgument(body, i);
    MlirValue all = mlirBlockInsertArgument(body, i, mlirValueGetType(part->value), b.loc);
    MlirValue slice = tgSlice(&b, all, part->dim, part->start, part->start + part->size);
    mlirValueReplaceAllUsesOfWith(old, slice);
    mlirBlockEraseArgument(body, (unsigned)i + 1);
  }
  mlirOperationSetOperands(copy, count, operands);
  free(operands);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(v->end), v->end, copy);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(reader); ++i)
    addPart(v, (Part){irResult(reader, i), irResult(copy, i), -1, 0, 0});
}

/// The results that leave the version; one kernel copies those that are a part of something.
static void buildResults(Version *v, const ValueList *results) {
  FusionBody body = {{NULL}, {0}};
  ValueList slices = {0};
  MlirLocation loc = mlirOperationGetLocation(v->end);
  int64_t *numbers = irAllocate(sizeof(*numbers) * (size_t)(results->count + 1));
  for (int64_t i = 0; i < results->count; ++i) {
    const Part *part = findPart(v, results->values[i]);
    numbers[i] = -1;
    if (part->dim < 0)
      continue;
    if (mlirBlockIsNull(body.block))
      body = fusionBodyCreate();
    MlirValue all = fusionBodyArgument(&body, part->value, loc);
    IrBuilder b = irBuilderAtEnd(body.block, loc);
    numbers[i] = valueListAdd(&slices, tgSlice(&b, all, part->dim, part->start, part->start + part->size));
  }
  MlirOperation fusion = {NULL};
  if (slices.count)
    fusion = fusionBodyClose(&body, "stitch.fusion", loc, &slices, v->end);
  for (int64_t i = 0; i < results->count; ++i)
    mlirOperationSetOperand(v->end, i,
                            numbers[i] < 0 ? findPart(v, results->values[i])->value : irResult(fusion, numbers[i]));
  free(numbers);
  valueListDestroy(&slices);
}

void buildGroup(Enumeration *e, const Group *group) {
  int64_t sizes[MAX_CHUNK_SIZES], numSizes = chunkSizes(e, group, sizes);
  if (numSizes < 2)
    return;
  MlirOperation last = group->numReaders ? group->readers[group->numReaders - 1] : group->products[0];
  for (int64_t i = 0; i < group->numProducts && !group->numReaders; ++i)
    last = group->products[i];
  ValueList results = escapingResults(group);
  MlirAttribute variable = newVariable(e, last, "products", numSizes, group->numProducts);
  MlirOperation adaptive =
      createAdaptive(mlirOperationGetNextInBlock(last), variable, sizes, numSizes, group->numProducts, &results);
  buildApart(group, adaptive, &results);
  for (int64_t i = 1; i < numSizes; ++i) {
    Version version = {.group = group};
    version.end = endVersion(adaptive, i, (IrValues){results.count, results.values});
    buildProducts(&version, sizes[i]);
    for (int64_t r = 0; r < group->numReaders; ++r)
      buildReader(&version, group->readers[r]);
    buildResults(&version, &results);
    free(version.parts);
  }
  stitchRemark(adaptive, "%lld products with a common operand, %lld versions, %lld fusions read their results in place",
               (long long)group->numProducts, (long long)numSizes, (long long)group->numReaders);
  valueListDestroy(&results);
}
