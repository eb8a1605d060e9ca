//===- hlo_processes.c - the processes that a program is for --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the module's numbers of replicas and partitions, and the groups of a collective. Leaves the groups of process
// numbers that tg's operations have. Tables that break the specification are errors.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_processes.h"

#include "capi/diagnostics.h"
#include "ir/mlir/query.h"
#include "runtime/library/cpu_problem.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static const char replicasName[] = "stitch.replicas", partitionsName[] = "stitch.partitions";

static bool readCount(MlirOperation module, const char *name, int64_t *count) {
  *count = irGetInt(module, name, 1);
  if (*count >= 1 && *count <= STITCH_LIBRARY_MAX_PROCESSES)
    return true;
  stitchEmitError(mlirOperationGetLocation(module), "attribute '%s' must be in [1, %d], got %lld", name,
                  STITCH_LIBRARY_MAX_PROCESSES, (long long)*count);
  return false;
}

bool hloReadProcesses(MlirOperation module) {
  int64_t replicas, partitions;
  if (!readCount(module, "mhlo.num_replicas", &replicas) || !readCount(module, "mhlo.num_partitions", &partitions))
    return false;
  if (replicas * partitions > STITCH_LIBRARY_MAX_PROCESSES) {
    stitchEmitError(mlirOperationGetLocation(module), "it is for %lld processes, and there may be at most %d",
                    (long long)(replicas * partitions), STITCH_LIBRARY_MAX_PROCESSES);
    return false;
  }
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(module), 64);
  if (replicas * partitions > 1) {
    irSetAttr(module, replicasName, mlirIntegerAttrGet(i64, replicas));
    irSetAttr(module, partitionsName, mlirIntegerAttrGet(i64, partitions));
  }
  return true;
}

HloProcesses hloProcessesOf(MlirOperation op) {
  while (!mlirOperationIsNull(mlirOperationGetParentOperation(op)))
    op = mlirOperationGetParentOperation(op);
  return (HloProcesses){irGetInt(op, replicasName, 1), irGetInt(op, partitionsName, 1)};
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The meaning of the numbers of a table: the specification's strategies.
typedef enum { CROSS_REPLICA, CROSS_PARTITION, CROSS_REPLICA_AND_PARTITION, FLATTENED_IDS } Strategy;

static bool isReduction(HloConversion *c) {
  return irOpIs(c->op, "stablehlo.all_reduce") || irOpIs(c->op, "stablehlo.reduce_scatter") ||
         irOpIs(c->op, "stablehlo.all_gather");
}

static Strategy strategyOf(HloConversion *c) {
  MlirAttribute global = irGetAttr(c->op, "use_global_device_ids");
  bool isGlobal = !mlirAttributeIsNull(global) && (!mlirAttributeIsABool(global) || mlirBoolAttrGetValue(global));
  bool hasChannel = hloIntField(hloAttrText(c, "channel_handle"), "handle", 0) > 0;
  if (!hasChannel)
    return CROSS_REPLICA;
  if (!isReduction(c))
    return CROSS_PARTITION;
  return isGlobal ? FLATTENED_IDS : CROSS_REPLICA_AND_PARTITION;
}

/// The number of ids, and the name of their unit, for messages.
static int64_t limitOf(Strategy strategy, HloProcesses processes, const char **what) {
  *what = strategy == FLATTENED_IDS ? "process" : strategy == CROSS_PARTITION ? "partition" : "replica";
  return strategy == FLATTENED_IDS     ? processes.replicas * processes.partitions
         : strategy == CROSS_PARTITION ? processes.partitions
                                       : processes.replicas;
}

/// A table of 64-bit integers of rank 2.
static bool readTable(HloConversion *c, const char *name, HloGroups *table) {
  MlirAttribute attribute = irGetAttr(c->op, name);
  *table = (HloGroups){0, 0, NULL};
  if (mlirAttributeIsNull(attribute))
    return true;
  bool isTable =
      mlirAttributeIsADenseIntElements(attribute) && mlirShapedTypeGetRank(mlirAttributeGetType(attribute)) == 2;
  MlirType element = isTable ? irElementType(mlirAttributeGetType(attribute)) : (MlirType){NULL};
  if (!isTable || !mlirTypeIsAInteger(element) || mlirIntegerTypeGetWidth(element) != 64)
    return hloFail(c, "attribute '%s' is not a table of processes", name);
  IrShape shape = irTypeShape(mlirAttributeGetType(attribute));
  *table = (HloGroups){shape.dims[0], shape.dims[1], NULL};
  int64_t count = table->rows * table->columns;
  table->ids = IR_NEW_ARRAY(c->arena, int64_t, count + 1);
  for (int64_t i = 0; i < count; ++i)
    table->ids[i] = mlirDenseElementsAttrGetInt64Value(attribute, mlirDenseElementsAttrIsSplat(attribute) ? 0 : i);
  return true;
}

/// One group of all.
static HloGroups allOf(HloConversion *c, int64_t limit) {
  HloGroups table = {1, limit, IR_NEW_ARRAY(c->arena, int64_t, limit + 1)};
  for (int64_t i = 0; i < limit; ++i)
    table.ids[i] = i;
  return table;
}

/// Whether each number is there at most once, or, of a table that has to name all, exactly once.
static bool checkTable(HloConversion *c, const HloGroups *table, int64_t limit, const char *what, bool namesAll) {
  bool *seen = IR_NEW_ARRAY(c->arena, bool, limit + 1);
  int64_t count = 0;
  memset(seen, 0, sizeof(*seen) * (size_t)limit);
  for (int64_t i = 0; i < table->rows * table->columns; ++i) {
    int64_t id = table->ids[i];
    if (id == -1)
      continue;
    if (id < 0 || id >= limit)
      return hloFail(c, "it names %s %lld, and the module has %lld (mhlo.num_%ss)", what, (long long)id,
                     (long long)limit, strcmp(what, "process") ? what : "replicas times mhlo.num_partition");
    if (seen[id])
      return hloFail(c, "'replica_groups' has %s %lld in two groups", what, (long long)id);
    seen[id] = true;
    ++count;
  }
  if (namesAll && count != limit)
    return hloFail(c, "'replica_groups' has %lld of the %lld %ss: it must have all", (long long)count, (long long)limit,
                   strcmp(what, "process") ? what : "processe");
  return true;
}

static int64_t processNumber(HloProcesses processes, int64_t replica, int64_t partition) {
  return replica < 0 || partition < 0 ? -1 : replica * processes.partitions + partition;
}

/// A row for each row and each number of the other kind.
static HloGroups crossed(HloConversion *c, const HloGroups *table, HloProcesses processes, bool ofPartitions) {
  int64_t others = ofPartitions ? processes.replicas : processes.partitions;
  HloGroups groups = {table->rows * others, table->columns, NULL};
  groups.ids = IR_NEW_ARRAY(c->arena, int64_t, groups.rows *groups.columns + 1);
  int64_t *next = groups.ids;
  for (int64_t row = 0; row < table->rows; ++row)
    for (int64_t other = 0; other < others; ++other)
      for (int64_t i = 0; i < table->columns; ++i) {
        int64_t id = table->ids[row * table->columns + i];
        *next++ = ofPartitions ? processNumber(processes, other, id) : processNumber(processes, id, other);
      }
  return groups;
}

/// Each row for all partitions.
static HloGroups widened(HloConversion *c, const HloGroups *table, HloProcesses processes) {
  HloGroups groups = {table->rows, table->columns * processes.partitions, NULL};
  groups.ids = IR_NEW_ARRAY(c->arena, int64_t, groups.rows *groups.columns + 1);
  for (int64_t row = 0; row < table->rows; ++row) {
    int64_t *ids = groups.ids + row * groups.columns, count = 0;
    for (int64_t partition = 0; partition < processes.partitions; ++partition)
      for (int64_t i = 0; i < table->columns; ++i) {
        int64_t id = processNumber(processes, table->ids[row * table->columns + i], partition);
        if (id >= 0)
          ids[count++] = id;
      }
    while (count < groups.columns)
      ids[count++] = -1;
  }
  return groups;
}

bool hloProcessGroups(HloConversion *c, HloGroups *groups) {
  HloProcesses processes = hloProcessesOf(c->op);
  Strategy strategy = strategyOf(c);
  const char *what;
  int64_t limit = limitOf(strategy, processes, &what);
  HloGroups table;
  if (!readTable(c, "replica_groups", &table))
    return false;
  if (table.rows * table.columns == 0)
    table = allOf(c, limit);
  bool namesAll = !irOpIs(c->op, "stablehlo.collective_broadcast") && !irOpIs(c->op, "stablehlo.collective_reduce");
  if (!checkTable(c, &table, limit, what, namesAll))
    return false;
  *groups = strategy == FLATTENED_IDS                 ? table
            : strategy == CROSS_REPLICA_AND_PARTITION ? widened(c, &table, processes)
                                                      : crossed(c, &table, processes, strategy == CROSS_PARTITION);
  return true;
}

bool hloProcessPairs(HloConversion *c, HloGroups *pairs) {
  HloProcesses processes = hloProcessesOf(c->op);
  Strategy strategy = strategyOf(c);
  const char *what;
  int64_t limit = limitOf(strategy, processes, &what);
  HloGroups table;
  if (!readTable(c, "source_target_pairs", &table))
    return false;
  if (table.rows > 0 && table.columns != 2)
    return hloFail(c, "'source_target_pairs' must have a source and a target in each row");
  for (int side = 0; side < 2; ++side)
    for (int64_t row = 0; row < table.rows; ++row) {
      int64_t id = table.ids[2 * row + side];
      if (id < 0 || id >= limit)
        return hloFail(c, "it names %s %lld, and the module has %lld (mhlo.num_%ss)", what, (long long)id,
                       (long long)limit, what);
      for (int64_t k = 0; k < row; ++k)
        if (table.ids[2 * k + side] == id)
          return hloFail(c, "'source_target_pairs' has %s %lld twice as a %s", what, (long long)id,
                         side ? "target" : "source");
    }
  table.columns = 2;
  *pairs = crossed(c, &table, processes, strategy == CROSS_PARTITION);
  return true;
}

MlirNamedAttribute hloGroupsAttr(HloConversion *c, const char *name, const HloGroups *groups) {
  int64_t shape[] = {groups->rows, groups->columns};
  MlirType type = mlirRankedTensorTypeGet(2, shape, mlirIntegerTypeGet(c->b.context, 64), mlirAttributeGetNull());
  return irAttr(&c->b, name, mlirDenseElementsAttrInt64Get(type, groups->rows * groups->columns, groups->ids));
}
