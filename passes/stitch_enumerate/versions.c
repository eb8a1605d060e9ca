//===- versions.c - stitch-enumerate: the versions of a group ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A version computes the products of a group in chunks: the operands that differ are concatenated, one product of them
// is computed, and readers of a result read a slice. Or one call computes all of them with their operands where they
// are, which it finds by arrays of addresses. Fusions that read results and can be computed right behind them are part
// of the group, so that they read these slices where they are and nothing is copied.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "ir/plan/plan.h"
#include "passes/stitch_enumerate/joining.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

int64_t columnsOf(const ProductGroup *group) { return group->numProducts / group->numRows; }

typedef struct {
  Chunk *chunks;
  int64_t count;
  double flops, saturated; ///< of a product, and of a product that fills the device
} ChunkList;

/// Adds a larger chunk, unless the last one fills the device.
static void addChunk(ChunkList *list, int64_t rows, int64_t columns) {
  Chunk last = list->count ? list->chunks[list->count - 1] : (Chunk){0, 0, false};
  bool isNew = rows != last.rows || columns != last.columns;
  if (isNew && list->count < MAX_CHUNKS &&
      (!list->count || list->flops * (double)(last.rows * last.columns) < list->saturated))
    list->chunks[list->count++] = (Chunk){rows, columns, false};
}

/// Of constants there are as many copies as there are chunks but the first; two are enough.
int64_t listChunks(const Enumeration *e, const ProductGroup *group, Chunk *chunks) {
  ChunkList list = {.chunks = chunks, .saturated = (double)e->saturatedFlops};
  for (int64_t i = 0; i < group->numProducts; ++i)
    list.flops = fmax(list.flops, flopsOf(group->products[i]));
  int64_t rows = group->numRows, columns = columnsOf(group);
  bool few = areConstants(group->products, columns, group->side);
  addChunk(&list, 1, 1);
  for (int64_t size = 2; size < columns && !few; size *= 2)
    addChunk(&list, 1, size);
  for (int64_t size = 1; size < rows && !few; size *= 2)
    addChunk(&list, size, columns);
  addChunk(&list, rows, columns);
  return list.count;
}

/// The constants that a chunk concatenates: their bytes, and a key of their parts.
static int64_t constantsOf(const ProductGroup *group, Chunk chunk, uint64_t *key) {
  int64_t columns = columnsOf(group), bytes;
  MlirOperation *column = irAllocate(sizeof(*column) * (size_t)(group->numRows + 1));
  *key = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)(chunk.rows << 20 ^ chunk.columns); // FNV-1a
  for (int64_t r = 0; r < group->numRows; ++r)
    column[r] = group->products[r * columns];
  for (int64_t i = 0; i < columns + group->numRows; ++i) {
    bool isRow = i >= columns;
    MlirOperation product = isRow ? column[i - columns] : group->products[i];
    MlirValue operand = productOperand(product, isRow ? 1 - group->side : group->side);
    bool isConstant = areConstants(&product, 1, isRow ? 1 - group->side : group->side);
    *key = (*key ^ (isConstant ? (uint64_t)(uintptr_t)operand.ptr : 0)) * UINT64_C(0x100000001b3);
  }
  bytes = joinedConstantBytes(group->products, columns, chunk.columns, group->side) +
          joinedConstantBytes(column, group->numRows, chunk.rows, 1 - group->side);
  free(column);
  return bytes;
}

/// Whether the file has room for the constants of a chunk, which is taken then, or has them.
static bool hasRoomForChunk(Enumeration *e, const ProductGroup *group, Chunk chunk) {
  uint64_t key;
  int64_t bytes = constantsOf(group, chunk, &key);
  const void *mapKey = (const void *)(uintptr_t)(key | 1); // which no null pointer is
  if (bytes == 0 || irMapContains(&e->room.joined, mapKey))
    return true;
  if (bytes > e->room.constants)
    return false;
  irMapSet(&e->room.joined, mapKey, 0);
  e->room.constants -= bytes;
  return true;
}

enum { NAME_SIZE = 32 };

static void nameChunk(char name[NAME_SIZE], const ProductGroup *group, Chunk chunk) {
  bool isAll = chunk.rows * chunk.columns == group->numProducts, isRows = chunk.columns == columnsOf(group);
  if (chunk.isBatched && isAll)
    snprintf(name, NAME_SIZE, "batched");
  else if (chunk.isBatched)
    snprintf(name, NAME_SIZE, isRows ? "batched_rows_%lld" : "batched_%lld",
             (long long)(isRows ? chunk.rows : chunk.columns));
  else if (chunk.rows * chunk.columns == 1)
    snprintf(name, NAME_SIZE, "apart");
  else if (isAll)
    snprintf(name, NAME_SIZE, "all");
  else
    snprintf(name, NAME_SIZE, isRows ? "rows_%lld" : "by_%lld", (long long)(isRows ? chunk.rows : chunk.columns));
}

static int64_t callsOf(const ProductGroup *group, Chunk chunk) {
  int64_t columns = columnsOf(group), rows = group->numRows;
  return ((rows + chunk.rows - 1) / chunk.rows) * ((columns + chunk.columns - 1) / chunk.columns);
}

/// How much longer a version of such chunks makes the file.
static int64_t bytesOfChunk(const ProductGroup *group, const ChunkSizes *sizes, Chunk chunk) {
  int64_t columns = columnsOf(group), rows = group->numRows, calls = callsOf(group, chunk), joined = 0;
  if (chunk.isBatched)
    return callsBytes(calls, group->numProducts);
  if (chunk.columns > 1 && !areConstants(group->products, columns, group->side))
    joined += columns;
  if (sizes->isLadder && !areConstants(group->products, columns, 1 - group->side))
    joined += columns;
  joined += chunk.rows > 1 ? rows : 0;
  return callsBytes(calls, calls) + joiningBytes(joined) + sizes->readers + splittingBytes(sizes->copied);
}

/// Remarks on a chunk that has no room in the file, and its possible gain: the launches of the calls that it saves.
static void remarkOnLeftOut(const Enumeration *e, const ProductGroup *group, const ChunkSizes *sizes, Chunk chunk,
                            int64_t left) {
  char name[NAME_SIZE];
  StitchDevice device;
  int64_t calls = callsOf(group, chunk);
  bool hasConstants = bytesOfChunk(group, sizes, chunk) <= left; // and these had none
  bool isKnown = planGetDevice(e->main, &device);
  nameChunk(name, group, chunk);
  stitchRemark(group->products[group->numProducts - 1],
               "%lld products: %s is left out, as %s would make the file too long (option growth): %lld calls, which "
               "could save %.0f ns of launches",
               (long long)group->numProducts, name,
               hasConstants      ? "its constants side by side"
               : chunk.isBatched ? "its calls"
                                 : "its kernels",
               (long long)calls, isKnown ? (double)((group->numProducts - calls) * device.launchNs) : 0);
}

/// Takes a chunk if there is room for it in so many bytes, which it takes then.
static bool takeChunk(Enumeration *e, const ProductGroup *group, const ChunkSizes *sizes, Chunk chunk, int64_t *left) {
  int64_t bytes = bytesOfChunk(group, sizes, chunk);
  bool taken = bytes <= *left && (chunk.isBatched || hasRoomForChunk(e, group, chunk));
  *left -= taken ? bytes : 0;
  return taken;
}

int64_t limitChunks(Enumeration *e, const ProductGroup *group, const ChunkSizes *sizes, Chunk *chunks, int64_t count) {
  int64_t left = e->room.left + e->room.slack, kept = count; // from here on
  int64_t smaller = e->room.left / 4;                        // for smaller chunks side by side: others need some, too
  bool canBatch = sizes->mayBatch && canBeBatched(group->products, group->numProducts);
  Chunk batch = {group->numRows, columnsOf(group), true};
  bool hasBatch = canBatch && takeChunk(e, group, sizes, batch, &left);
  if (canBatch && !hasBatch)
    remarkOnLeftOut(e, group, sizes, batch, left);
  for (int64_t i = count - 1; i > 0; --i) {
    Chunk batched = {chunks[i].rows, chunks[i].columns, true};
    int64_t before = left, share = i < count - 1 && smaller < left ? smaller : left, rest = share;
    bool taken = takeChunk(e, group, sizes, chunks[i], &rest);
    left -= share - rest;
    smaller -= i < count - 1 ? before - left : 0;
    if (taken)
      chunks[--kept] = chunks[i];
    else if (canBatch && i < count - 1 && takeChunk(e, group, sizes, batched, &left))
      chunks[--kept] = batched;
    else
      remarkOnLeftOut(e, group, sizes, chunks[i], left);
  }
  memmove(chunks + 1, chunks + kept, sizeof(*chunks) * (size_t)(count - kept));
  count += 1 - kept;
  if (hasBatch)
    chunks[count++] = batch;
  return count;
}

static MlirAttribute versionName(MlirContext context, const ProductGroup *group, Chunk chunk) {
  char name[NAME_SIZE];
  nameChunk(name, group, chunk);
  return mlirStringAttrGet(context, mlirStringRefCreateFromCString(name));
}

MlirOperation createChunks(MlirOperation before, MlirAttribute variable, const ProductGroup *group, const Chunk *chunks,
                           int64_t numChunks, const ValueList *results) {
  MlirAttribute names[MAX_CHUNKS + 1];
  for (int64_t i = 0; i < numChunks; ++i)
    names[i] = versionName(mlirOperationGetContext(before), group, chunks[i]);
  return createAdaptive(before, variable, names, numChunks, results);
}

//===----------------------------------------------------------------------===//
// Versions with chunks
//===----------------------------------------------------------------------===//

/// Where a result of the first version is in another one: a part of `value`.
typedef struct {
  MlirValue from, value;
  bool isWhole;
  int64_t dims[2], starts[2], sizes[2]; ///< along rows and columns of the chunk; -1: all
} ResultPart;

static MlirValue sliceOfResult(IrBuilder *b, MlirValue all, const ResultPart *part) {
  IrShape shape = irShapeOf(all);
  for (int i = 0; i < 2; ++i)
    if (part->dims[i] >= 0 && part->sizes[i] != shape.dims[part->dims[i]])
      all = tgSlice(b, all, part->dims[i], part->starts[i], part->starts[i] + part->sizes[i]);
  return all;
}

typedef struct {
  const ProductGroup *group;
  MlirOperation end; ///< of the version
  ResultPart *parts; ///< of the products' results, then of the readers'
  int64_t numParts, capacity;
} GroupVersion;

static const ResultPart *findPart(const GroupVersion *v, MlirValue from) {
  for (int64_t i = 0; i < v->numParts; ++i)
    if (mlirValueEqual(v->parts[i].from, from))
      return &v->parts[i];
  return NULL;
}

static void addResultPart(GroupVersion *v, ResultPart part) {
  IR_RESERVE_ONE(v->parts, v->numParts, v->capacity);
  v->parts[v->numParts++] = part;
}

static MlirOperation productAt(const ProductGroup *group, int64_t row, int64_t column) {
  return group->products[row * columnsOf(group) + column];
}

/// Where the results of products are in the result of one for all of them. A single row is cut along columns alone: the
/// operand that its products share may have nothing else.
static void addParts(GroupVersion *v, MlirValue value, Chunk at, Chunk chunk) {
  const ProductGroup *group = v->group;
  MlirOperation first = productAt(group, at.rows, at.columns);
  bool isRow = chunk.rows == 1;
  int64_t dims[2] = {isRow ? -1 : resultDim(first, 1 - group->side), resultDim(first, group->side)}, row = 0;
  for (int64_t r = at.rows; r < at.rows + chunk.rows; ++r) {
    int64_t column = 0, height = isRow ? 0 : irShapeOf(irResult(productAt(group, r, at.columns), 0)).dims[dims[0]];
    for (int64_t c = at.columns; c < at.columns + chunk.columns; ++c) {
      MlirValue from = irResult(productAt(group, r, c), 0);
      int64_t width = irShapeOf(from).dims[dims[1]];
      bool isWhole = chunk.rows * chunk.columns == 1;
      addResultPart(v, (ResultPart){from, value, isWhole, {dims[0], dims[1]}, {row, column}, {height, width}});
      column += width;
    }
    row += height;
  }
}

/// The type of one result for products.
static MlirType chunkType(const ProductGroup *group, Chunk at, Chunk chunk) {
  MlirOperation first = productAt(group, at.rows, at.columns);
  int64_t columnDim = resultDim(first, group->side), rowDim = chunk.rows > 1 ? resultDim(first, 1 - group->side) : 0;
  MlirType type = mlirValueGetType(irResult(first, 0));
  IrShape shape = irTypeShape(type);
  for (int64_t r = 1; r < chunk.rows; ++r)
    shape.dims[rowDim] += irShapeOf(irResult(productAt(group, at.rows + r, at.columns), 0)).dims[rowDim];
  for (int64_t c = 1; c < chunk.columns; ++c)
    shape.dims[columnDim] += irShapeOf(irResult(productAt(group, at.rows, at.columns + c), 0)).dims[columnDim];
  return shape.dims[0] == irTypeShape(type).dims[0] ? tgWithInnerShape(type, shape) : tgWithShape(type, shape);
}

static int64_t atMost(int64_t size, int64_t left) { return size < left ? size : left; }

/// The operands of a column of products, which differ along it, side by side.
static Joined joinColumn(GroupVersion *v, Joining *joining, int64_t row, int64_t rows) {
  const ProductGroup *group = v->group;
  MlirOperation *column = irAllocate(sizeof(*column) * (size_t)(rows + 1));
  for (int64_t r = 0; r < rows; ++r)
    column[r] = productAt(group, row + r, 0);
  int side = 1 - group->side;
  int64_t dim = rows > 1 ? freeDim(column[0], side) : 0;
  Joined joined = joinOperands(joining, column, rows, side, dim, v->end);
  free(column);
  return joined;
}

static void buildProducts(GroupVersion *v, Chunk chunk) {
  const ProductGroup *group = v->group;
  Joining joining = {0};
  int64_t rows = group->numRows, columns = columnsOf(group), dim = freeDim(group->products[0], group->side);
  Joined *ofRows = irAllocate(sizeof(Joined) * (size_t)(rows + columns + 2)), *ofColumns = ofRows + rows + 1;
  for (int64_t r = 0; r < rows; r += chunk.rows)
    ofRows[r] = joinColumn(v, &joining, r, atMost(chunk.rows, rows - r));
  for (int64_t c = 0; c < columns; c += chunk.columns)
    ofColumns[c] =
        joinOperands(&joining, group->products + c, atMost(chunk.columns, columns - c), group->side, dim, v->end);
  joiningClose(&joining, v->end);
  for (int64_t r = 0; r < rows; r += chunk.rows)
    for (int64_t c = 0; c < columns; c += chunk.columns) {
      Chunk at = {r, c, false}, here = {atMost(chunk.rows, rows - r), atMost(chunk.columns, columns - c), false};
      MlirValue operands[2];
      operands[1 - group->side] = joinedValue(&joining, ofRows[r]);
      operands[group->side] = joinedValue(&joining, ofColumns[c]);
      MlirValue value = buildProduct(productAt(group, r, c), operands[LHS], operands[RHS], chunkType(group, at, here),
                                     (MlirValue){NULL}, v->end);
      addParts(v, value, at, here);
    }
  joiningDestroy(&joining);
  free(ofRows);
}

/// A product of its own, as the default version has it.
static MlirValue productAlone(const GroupVersion *v, int64_t number) {
  MlirOperation product = v->group->products[number];
  MlirType type = mlirValueGetType(irResult(product, 0));
  return buildProduct(product, productOperand(product, LHS), productOperand(product, RHS), type, (MlirValue){NULL},
                      v->end);
}

/// The products of each chunk in one call that finds their operands where they are. Those of a chunk stand one behind
/// the other: it has one row, or whole rows.
static void buildBatched(GroupVersion *v, Chunk chunk) {
  const ProductGroup *group = v->group;
  int64_t size = chunk.rows * chunk.columns, columns = columnsOf(group), rowEnd = columns;
  for (int64_t i = 0; i < group->numProducts; rowEnd = (i / columns + 1) * columns) {
    int64_t end = chunk.columns < columns ? atMost(size, rowEnd - i) : atMost(size, group->numProducts - i);
    if (end == 1) {
      addResultPart(v, (ResultPart){irResult(group->products[i], 0), productAlone(v, i), true, {0}, {0}, {0}});
    } else {
      MlirOperation call = buildBatch(group->products + i, end, v->end);
      for (int64_t k = 0; k < end; ++k)
        addResultPart(v, (ResultPart){irResult(group->products[i + k], 0), irResult(call, k), true, {0}, {0}, {0}});
    }
    i += end;
  }
}

/// Leaves one argument for operands that are the same value; returns how many there are.
static intptr_t mergeOperands(MlirBlock body, MlirValue *operands, intptr_t count) {
  intptr_t kept = 0;
  for (intptr_t i = 0; i < count; ++i) {
    intptr_t same = 0;
    while (same < kept && !mlirValueEqual(operands[same], operands[i]))
      ++same;
    operands[same] = operands[i];
    if (same == kept) {
      ++kept;
      continue;
    }
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, kept), mlirBlockGetArgument(body, same));
    mlirBlockEraseArgument(body, (unsigned)kept);
  }
  return kept;
}

/// A copy of a reader that reads the parts where they are.
static void buildReader(GroupVersion *v, MlirOperation reader) {
  MlirOperation copy = mlirOperationClone(reader);
  MlirBlock body = irBody(copy, 0);
  intptr_t count = mlirOperationGetNumOperands(reader);
  MlirValue *operands = irAllocate(sizeof(*operands) * (size_t)(count + 1));
  IrBuilder b = irBuilderBefore(mlirBlockGetFirstOperation(body));
  for (intptr_t i = 0; i < count; ++i) {
    const ResultPart *part = findPart(v, irOperand(reader, i));
    operands[i] = part ? part->value : irOperand(reader, i);
    if (!part || part->isWhole)
      continue;
    MlirValue old = mlirBlockGetArgument(body, i);
    MlirValue all = mlirBlockInsertArgument(body, i, mlirValueGetType(part->value), b.loc);
    mlirValueReplaceAllUsesOfWith(old, sliceOfResult(&b, all, part));
    mlirBlockEraseArgument(body, (unsigned)i + 1);
  }
  mlirOperationSetOperands(copy, mergeOperands(body, operands, count), operands);
  free(operands);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(v->end), v->end, copy);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(reader); ++i)
    addResultPart(v, (ResultPart){irResult(reader, i), irResult(copy, i), true, {0}, {0}, {0}});
}

/// The results that leave the version; one kernel copies those that are a part of something.
static void buildResults(GroupVersion *v, const ValueList *results) {
  FusionBody body = {{NULL}, {0}};
  ValueList slices = {0};
  MlirLocation loc = mlirOperationGetLocation(v->end);
  int64_t *numbers = irAllocate(sizeof(*numbers) * (size_t)(results->count + 1));
  for (int64_t i = 0; i < results->count; ++i) {
    const ResultPart *part = findPart(v, results->values[i]);
    numbers[i] = -1;
    if (part->isWhole)
      continue;
    if (mlirBlockIsNull(body.block))
      body = fusionBodyCreate();
    MlirValue all = fusionBodyArgument(&body, part->value, loc);
    IrBuilder b = irBuilderAtEnd(body.block, loc);
    numbers[i] = valueListAdd(&slices, sliceOfResult(&b, all, part));
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

/// The products, then the readers.
static Operations operationsOf(const ProductGroup *group) {
  Operations ops = {.data = irAllocate(sizeof(*ops.data) * (size_t)(group->numProducts + group->numReaders + 1))};
  for (int64_t i = 0; i < group->numProducts; ++i)
    ops.data[ops.count++] = group->products[i];
  for (int64_t i = 0; i < group->numReaders; ++i)
    ops.data[ops.count++] = group->readers[i];
  return ops;
}

/// The operation behind which the group's versions stand.
static MlirOperation lastOf(const ProductGroup *group) {
  return group->numReaders ? group->readers[group->numReaders - 1] : group->products[group->numProducts - 1];
}

MlirOperation buildVersions(Enumeration *e, const ProductGroup *group, const Chunk *chunks, int64_t numChunks) {
  MlirOperation last = lastOf(group);
  Operations ops = operationsOf(group);
  ValueList results = escapingResults(&ops);
  MlirAttribute variable = newVariable(e, last, "products", group->numProducts);
  MlirOperation adaptive =
      createChunks(mlirOperationGetNextInBlock(last), variable, group, chunks, numChunks, &results);
  buildDefault(&ops, adaptive, &results);
  free(ops.data);
  for (int64_t i = 1; i < numChunks; ++i) {
    GroupVersion version = {.group = group};
    version.end = endVersion(adaptive, i, (IrValues){results.count, results.values});
    if (chunks[i].isBatched)
      buildBatched(&version, chunks[i]);
    else
      buildProducts(&version, chunks[i]);
    for (int64_t r = 0; r < group->numReaders; ++r)
      buildReader(&version, group->readers[r]);
    buildResults(&version, &results);
    free(version.parts);
  }
  valueListDestroy(&results);
  return adaptive;
}

/// The common sizes of all versions of a group but the first.
static ChunkSizes chunkSizesOf(const ProductGroup *group) {
  Operations ops = operationsOf(group);
  ValueList results = escapingResults(&ops);
  ChunkSizes sizes = {.readers = versionSizes(group->readers, group->numReaders).defaults, .mayBatch = true};
  for (int64_t i = 0; i < results.count; ++i)
    for (int64_t k = 0; k < group->numProducts; ++k)
      sizes.copied += mlirOperationEqual(irDefiningOp(results.values[i]), group->products[k]);
  valueListDestroy(&results);
  free(ops.data);
  return sizes;
}

void buildGroup(Enumeration *e, const ProductGroup *group) {
  Chunk chunks[MAX_CHUNKS + 1];
  int64_t numChunks = listChunks(e, group, chunks);
  if (numChunks < 2)
    return;
  ChunkSizes sizes = chunkSizesOf(group);
  numChunks = limitChunks(e, group, &sizes, chunks, numChunks);
  if (numChunks < 2) {
    stitchRemark(lastOf(group),
                 "%lld products with a common operand: side by side they would make the file too long (option growth)",
                 (long long)group->numProducts);
    return;
  }
  MlirOperation adaptive = buildVersions(e, group, chunks, numChunks);
  e->room.left -= versionSizes(&adaptive, 1).others;
  stitchRemark(adaptive, "%lld products with %s, %lld versions, %lld fusions read their results in place",
               (long long)group->numProducts, group->numRows > 1 ? "common operands on both sides" : "a common operand",
               (long long)numChunks, (long long)group->numReaders);
}
