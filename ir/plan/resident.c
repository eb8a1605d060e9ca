//===- resident.c - inputs that persistent kernels keep on the chip ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes the attribute stitch.resident, and tells which reduces read a loop-invariant input in order.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/resident.h"

#include "ir/graph/tg.h"
#include "ir/index/space.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/build.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

enum { NUM_ENTRIES = 5 };
static const char *const entryNames[NUM_ENTRIES] = {"input", "group", "registers", "shared", "offset"};

/// Reads the entries of a dictionary; false if one is missing or no integer.
static bool readEntries(MlirAttribute dictionary, int64_t *values) {
  for (int i = 0; i < NUM_ENTRIES; ++i) {
    MlirAttribute value =
        mlirAttributeIsADictionary(dictionary)
            ? mlirDictionaryAttrGetElementByName(dictionary, mlirStringRefCreateFromCString(entryNames[i]))
            : (MlirAttribute){NULL};
    if (mlirAttributeIsNull(value) || !mlirAttributeIsAInteger(value))
      return false;
    values[i] = mlirIntegerAttrGetValueInt(value);
  }
  return true;
}

intptr_t planResidents(MlirOperation fusion, PlanResident **residents) {
  MlirAttribute list = irGetAttr(fusion, PLAN_RESIDENT);
  *residents = NULL;
  if (mlirAttributeIsNull(list))
    return 0;
  intptr_t count = mlirAttributeIsAArray(list) ? mlirArrayAttrGetNumElements(list) : -1;
  if (count < 0)
    return -1;
  *residents = irAllocate(sizeof(**residents) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i) {
    int64_t values[NUM_ENTRIES];
    if (!readEntries(mlirArrayAttrGetElement(list, i), values)) {
      free(*residents);
      *residents = NULL;
      return -1;
    }
    (*residents)[i] = (PlanResident){values[0], values[1], values[2], values[3], values[4]};
  }
  return count;
}

void planSetResidents(MlirOperation fusion, intptr_t count, const PlanResident *residents) {
  IrBuilder b = irBuilderBefore(fusion);
  MlirAttribute *list = irAllocate(sizeof(*list) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i) {
    const PlanResident *r = &residents[i];
    const int64_t values[NUM_ENTRIES] = {r->input, r->group, r->registers, r->shared, r->offset};
    MlirNamedAttribute entries[NUM_ENTRIES];
    for (int k = 0; k < NUM_ENTRIES; ++k)
      entries[k] = irI64(&b, entryNames[k], values[k]);
    list[i] = mlirDictionaryAttrGet(b.context, NUM_ENTRIES, entries);
  }
  irSetAttr(fusion, PLAN_RESIDENT, mlirArrayAttrGet(b.context, count, list));
  free(list);
}

/// Looks for the input among the values that `op` reads for its element i: its element i.
static bool readsInOrder(MlirOperation op, MlirValue input, IrMap *visited) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = irOperand(op, i);
    bool isSame = tgClassOfKind(tgKindOf(op)) == TG_CLASS_REDUCE || irKeepsElements(op, i);
    if (!isSame || irMapContains(visited, operand.ptr))
      continue;
    irMapSet(visited, operand.ptr, 1);
    if (mlirValueEqual(operand, input))
      return true;
    MlirOperation from = irDefiningOp(operand);
    if (!mlirOperationIsNull(from) && !planIsRoot(from) && readsInOrder(from, input, visited))
      return true;
  }
  return false;
}

bool planReadsInOrder(MlirOperation reduce, MlirBlock body, intptr_t number) {
  IrMap visited = {0};
  bool reads = irReduceSpace(reduce).natural && readsInOrder(reduce, mlirBlockGetArgument(body, number), &visited);
  irMapDestroy(&visited);
  return reads;
}

int64_t planResidentReader(const GroupView *view, const PlanResident *resident) {
  for (int64_t i = 0; i < view->graph->numNodes; ++i) {
    const GraphNode *node = &view->graph->nodes[i];
    if (view->group[i] == resident->group && node->class == TG_CLASS_REDUCE &&
        planReadsInOrder(node->op, view->graph->block, resident->input))
      return i;
  }
  return -1;
}

int64_t planRounds(const StitchMapping *mapping, int64_t grid) { return ceilDiv(planBlocksOfTasks(mapping), grid); }

int64_t planResidentBytes(const StitchMapping *mapping, int64_t grid, int64_t steps, int64_t elementBytes) {
  return planRounds(mapping, grid) * steps * planBlockSize(mapping) * mapping->vector * elementBytes;
}
