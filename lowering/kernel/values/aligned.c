//===- aligned.c - vectors of rows that begin anywhere -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/values/aligned.h"

#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/gpu/elements.h"

const IndexExpr *alignedPhase(Values *v, const IndexExpr *row, const StitchMapping *m) {
  if (m->run == 0)
    return indexConstant(v->index, 0);
  return indexMod(v->index, indexScale(v->index, row, m->columns), m->vector);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// Columns that are all in the row, from `first` on. One that moves with the row becomes a variable, or else it would
/// not be seen that the row stays the same.
static void placeInside(Values *v, const StitchMapping *m, const IndexExpr *first, bool movesWithRow,
                        AlignedVector *vector) {
  int64_t offset = first->min, numbers = (m->columns - m->vector - offset) / m->run + 1;
  if (movesWithRow || first->max + m->vector > m->columns) {
    const IndexExpr *rest = indexDiv(v->index, indexAddConstant(v->index, first, -offset), m->run);
    rest = bindIndex(v, emitIndex(v, rest), max64(numbers, 1));
    first = indexAddConstant(v->index, indexScale(v->index, rest, m->run), offset);
  }
  for (int64_t i = 0; i < vector->numRuns; ++i)
    vector->runs[i] = (Position){indexAddConstant(v->index, first, i * m->run), {NULL}};
}

/// Columns some of which may be outside, before the row or behind it.
static void placeAtEdge(Values *v, const StitchMapping *m, const IndexExpr *first, AlignedVector *vector) {
  IrBuilder *b = &v->b;
  int64_t count = m->columns / m->run;
  MlirValue zero = irConstantIndex(b, 0), end = irConstantIndex(b, count), last = irConstantIndex(b, count - 1);
  for (int64_t i = 0; i < vector->numRuns; ++i) {
    const IndexExpr *column = indexAddConstant(v->index, first, i * m->run);
    bool mayBeBefore = column->min<0, mayBeBehind = column->max + m->run> m->columns;
    MlirValue number = emitIndex(v, indexDiv(v->index, column, m->run)), valid = {NULL};
    if (mayBeBefore || mayBeBehind)
      valid = irCmpI(b, IR_CMPI_ULT, number, end); // below the row's first it wraps around
    number = mayBeBefore ? irMaxSI(b, number, zero) : number;
    number = mayBeBehind ? irMinSI(b, number, last) : number;
    vector->runs[i] = (Position){indexScale(v->index, bindIndex(v, number, count), m->run), valid};
  }
  vector->whole = bothOf(v, vector->runs[0].valid, vector->runs[vector->numRuns - 1].valid);
}

/// Where the vector is in memory. One that is behind the row's last stands for that.
static void placeInMemory(Values *v, const StitchMapping *m, const IndexExpr *row, const IndexExpr *base,
                          bool mayBeBehind, AlignedVector *vector) {
  const IndexExpr *phase = alignedPhase(v, row, m), *number = indexDiv(v->index, base, m->vector);
  if (mayBeBehind) {
    const IndexExpr *last = indexDiv(v->index, indexAddConstant(v->index, phase, m->columns - 1), m->vector);
    MlirValue moved = irMinUI(&v->b, emitIndex(v, number), emitIndex(v, last));
    number = bindIndex(v, moved, last->max + 1);
  }
  const IndexExpr *before = indexDiv(v->index, vector->rowStart, m->vector);
  vector->linear = indexScale(v->index, indexAdd(v->index, before, number), m->vector);
  int64_t whole = vector->elements / m->vector * m->vector;
  if (mayBeBehind && whole < vector->elements)
    vector->reachesOut = irCmpI(&v->b, IR_CMPI_EQ, emitIndex(v, vector->linear), irConstantIndex(&v->b, whole));
}

const IndexExpr *alignedColumn(Values *v, const AlignedVector *vector, int64_t i) {
  const IndexExpr *column = vector->runs[i].index;
  return vector->run.variable ? indexAdd(v->index, column, vector->run.variable) : column;
}

const IndexExpr *alignedLinear(Values *v, const AlignedVector *vector, int64_t i) {
  return indexAdd(v->index, vector->rowStart, alignedColumn(v, vector, i));
}

static void addPlace(Values *v, const IndexExpr *linear, AlignedPlace place) {
  IR_RESERVE_ONE(v->aligned, v->numAligned, v->alignedCapacity);
  v->aligned[v->numAligned++] = place;
  irMapSet(&v->alignedPlaces, linear, v->numAligned);
}

/// Loads will ask for runs, or for single elements of them.
static void addPlaces(Values *v, const AlignedVector *vector) {
  for (int64_t i = 0; i < vector->numRuns; ++i) {
    const IndexExpr *linear = alignedLinear(v, vector, i);
    addPlace(v, linear, (AlignedPlace){vector, i * vector->run.count});
    for (int64_t lane = 0; vector->run.variable && lane < vector->run.count; ++lane)
      addPlace(v, atLane(v, linear, vector->run, lane), (AlignedPlace){vector, i * vector->run.count + lane});
  }
}

const AlignedVector *alignedVector(Values *v, const StitchMapping *m, const IndexExpr *row, const IndexExpr *base,
                                   bool isInside) {
  static const char key;
  IndexVector index = {.rank = 5,
                       .dims = {row, base, indexConstant(v->index, m->columns), indexConstant(v->index, m->vector),
                                indexConstant(v->index, m->run)}};
  const MemoValue *known = memoFind(&v->memo, &key, &index);
  if (known)
    return known->aligned;
  AlignedVector *vector = IR_NEW(&v->arena, AlignedVector);
  *vector = (AlignedVector){.rowStart = indexScale(v->index, row, m->columns),
                            .lanes = m->vector,
                            .elements = m->rows * m->columns,
                            .numRuns = m->vector / m->run,
                            .run = lanesOf(v, m->run)};
  const IndexExpr *phase = alignedPhase(v, row, m);
  const IndexExpr *first = indexAdd(v->index, base, indexScale(v->index, phase, -1));
  bool mayBeBehind = !isInside && first->max + m->vector > m->columns;
  placeInMemory(v, m, row, base, mayBeBehind, vector);
  if (mayBeBehind || first->min < 0)
    placeAtEdge(v, m, first, vector);
  else
    placeInside(v, m, first, !indexIsConstant(phase), vector);
  addPlaces(v, vector);
  memoAdd(&v->memo, &key, &index, (MemoValue){.aligned = vector});
  return vector;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The vector at hand that has the element; its elements of `value` are in the memo by an index that no element has.
static const AlignedPlace *placeOf(const Values *v, MlirValue value, const IndexExpr *linear, IndexVector *index) {
  int64_t number = irMapGet(&v->alignedPlaces, linear, 0);
  const AlignedPlace *place = number ? &v->aligned[number - 1] : NULL;
  if (!place || irNumElements(irShapeOf(value)) != place->vector->elements)
    return NULL;
  *index = (IndexVector){.rank = 2, .dims = {place->vector->linear, indexConstant(v->index, -1)}};
  return place;
}

static Bundle partOf(const AlignedPlace *place, Bundle all, Lanes lanes) {
  return (Bundle){lanes.count, all.values + place->lane};
}

bool alignedFind(Values *v, MlirValue value, const IndexExpr *linear, Lanes lanes, Bundle *bundle) {
  IndexVector index;
  const AlignedPlace *place = placeOf(v, value, linear, &index);
  const MemoValue *known = place ? memoFind(&v->memo, value.ptr, &index) : NULL;
  if (known)
    *bundle = partOf(place, known->bundle, lanes);
  return known != NULL;
}

/// The parts of a vector, as many as one access has in each.
typedef struct {
  int64_t count, lanes; ///< so many of so many lanes each
  MlirValue loaded[KERNEL_MAX_LANES];
} Accesses;

static Accesses accessesOf(const AlignedVector *vector, MlirType element) {
  enum { ACCESS_BYTES = 16 };
  int64_t lanes = vector->lanes;
  while (lanes > 1 && lanes * irElementBytes(element) > ACCESS_BYTES)
    lanes /= 2;
  return (Accesses){.count = vector->lanes / lanes, .lanes = lanes};
}

static MlirValue placeInMemref(Values *v, const IndexExpr *linear, MlirType element) {
  return emitIndex(v, indexScale(v->index, linear, memoryParts(element)));
}

static void loadWhole(Values *v, MlirValue memref, MlirType element, const AlignedVector *vector, Accesses *to) {
  for (int64_t i = 0; i < to->count; ++i) {
    const IndexExpr *first = indexAddConstant(v->index, vector->linear, i * to->lanes);
    to->loaded[i] = memoryLoadParts(&v->b, memref, element, placeInMemref(v, first, element), to->lanes);
  }
}

/// The last vector of the space, as far as there are elements, one by one. The other lanes are outside of the row, so
/// any element will do. They become vectors again at once, or LLVM would see single loads in both branches, and make
/// them of the other one's vectors, too.
static void loadRest(Values *v, MlirValue memref, MlirType element, const AlignedVector *vector, Accesses *to) {
  int64_t rest = vector->elements % vector->lanes, perElement = memoryParts(element);
  MlirValue parts[2 * KERNEL_MAX_LANES];
  MlirType vectorType = mlirValueGetType(to->loaded[0]);
  for (int64_t i = 0; i < vector->lanes; ++i)
    for (int64_t part = 0; part < perElement; ++part) {
      MlirValue place = irConstantIndex(&v->b, (vector->elements - rest + i) * perElement + part);
      parts[i * perElement + part] =
          i < rest ? irValueOf(&v->b, "memref.load", IR_VALUES(memref, place), memoryType(element), IR_NO_ATTRS)
                   : parts[(i - 1) * perElement + part];
    }
  int64_t perAccess = to->lanes * perElement;
  for (int64_t i = 0; i < to->count; ++i)
    to->loaded[i] =
        irValueOf(&v->b, "vector.from_elements", (IrValues){perAccess, parts + i * perAccess}, vectorType, IR_NO_ATTRS);
}

/// Accesses to a vector that may reach beyond the space.
static void loadInside(Values *v, MlirValue memref, MlirType element, const AlignedVector *vector, Accesses *to) {
  MlirType types[KERNEL_MAX_LANES];
  int64_t perAccess = to->lanes * memoryParts(element);
  for (int64_t i = 0; i < to->count; ++i)
    types[i] = mlirVectorTypeGet(1, &perAccess, memoryType(element));
  MlirOperation branch = irIf(&v->b, vector->reachesOut, (IrTypes){to->count, types}, /*hasElse=*/true);
  BlockState state = enterBlock(v, irBody(branch, 1));
  loadWhole(v, memref, element, vector, to);
  irYield(&v->b, (IrValues){to->count, to->loaded});
  leaveBlock(v, state);
  state = enterBlock(v, irBody(branch, 0));
  loadRest(v, memref, element, vector, to);
  irYield(&v->b, (IrValues){to->count, to->loaded});
  leaveBlock(v, state);
  for (int64_t i = 0; i < to->count; ++i)
    to->loaded[i] = irResult(branch, i);
}

static Bundle loadVector(Memory *memory, MlirValue memref, MlirType element, const AlignedVector *vector) {
  Values *v = memory->values;
  Accesses accesses = accessesOf(vector, element);
  trafficRead(memory, memref, vector->lanes * irElementBytes(element));
  if (mlirValueIsNull(vector->reachesOut))
    loadWhole(v, memref, element, vector, &accesses);
  else
    loadInside(v, memref, element, vector, &accesses);
  MlirValue values[KERNEL_MAX_LANES];
  for (int64_t i = 0; i < accesses.count; ++i)
    memoryElements(&v->b, accesses.loaded[i], element, accesses.lanes, values + i * accesses.lanes);
  return bundleOf(v, vector->lanes, values);
}

Bundle alignedLoad(Memory *memory, MlirValue value, MlirValue memref, const IndexExpr *linear, Lanes lanes) {
  Values *v = memory->values;
  MlirType element = irElementTypeOf(value);
  IndexVector index;
  const AlignedPlace *place = placeOf(v, value, linear, &index);
  if (!place)
    return loadLanes(memory, memref, element, linear, lanes);
  Bundle all = loadVector(memory, memref, element, place->vector);
  memoAdd(&v->memo, value.ptr, &index, (MemoValue){.bundle = all});
  return partOf(place, all, lanes);
}
