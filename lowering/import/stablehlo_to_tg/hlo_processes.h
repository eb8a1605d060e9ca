//===- hlo_processes.h - the processes that a program is for --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// StableHLO numbers processes by a replica and a partition, tg by one number: replica * partitions + partition.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_PROCESSES_H
#define STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_PROCESSES_H

#include "lowering/import/stablehlo_to_tg/hlo_conversion.h"

/// How many there are of each.
typedef struct {
  int64_t replicas, partitions;
} HloProcesses;

/// A table of process numbers, row by row; -1 fills up short rows.
typedef struct {
  int64_t rows, columns;
  int64_t *ids;
} HloGroups;

/// Takes the numbers from `mhlo.num_replicas` and `mhlo.num_partitions` of a module, where they are missing 1, and
/// leaves them as `stitch.replicas` and `stitch.partitions` if their product is more than 1. False after an error.
bool hloReadProcesses(MlirOperation module);

/// As hloReadProcesses has left them for the module of an operation.
HloProcesses hloProcessesOf(MlirOperation op);
static inline int64_t hloNumProcesses(MlirOperation op) {
  HloProcesses processes = hloProcessesOf(op);
  return processes.replicas * processes.partitions;
}

/// The process groups of a collective operation by the specification's strategies: `replica_groups` of replicas,
/// partitions, or processes, as the channel and `use_global_device_ids` say.  An empty table is one group of all. False
/// after an error.
bool hloProcessGroups(HloConversion *c, HloGroups *groups);
/// The sources and targets of a collective_permute, in two columns.
bool hloProcessPairs(HloConversion *c, HloGroups *pairs);

/// Groups as an attribute of tg.
MlirNamedAttribute hloGroupsAttr(HloConversion *c, const char *name, const HloGroups *groups);

#endif // STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_PROCESSES_H
