//===- demand_cost.c - cost of recomputing a value ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a demand (demand.h). Leaves the nanoseconds of computing the value as often, and whether its code is too long;
// stitch-dominants and stitch-schemes weigh these against a barrier.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arithmetic.h"
#include "ir/plan/demand.h"

#include <math.h>
#include <stdlib.h>

/// The operations that compute a node, up to where `ends` is true: their nodes in falling order. 0: there are more than
/// `most`.
static int64_t coneNodes(const IrGraph *graph, const bool *ends, int64_t node, int64_t *nodes, int64_t most) {
  IrMap seen = {0};
  int64_t count = 0;
  nodes[count++] = node;
  for (int64_t next = 0; next < count && count > 0; ++next)
    for (int64_t j = 0; j < graph->nodes[nodes[next]].numOperands; ++j) {
      int64_t from = graph->nodes[nodes[next]].operands[j].node;
      if (from < 0 || ends[from] || irMapContains(&seen, graph->nodes[from].op.ptr))
        continue;
      irMapSet(&seen, graph->nodes[from].op.ptr, 1);
      if (count == most) {
        irMapDestroy(&seen);
        return 0;
      }
      nodes[count++] = from;
    }
  irMapDestroy(&seen);
  qsort(nodes, (size_t)count, sizeof(*nodes), compare64);
  for (int64_t i = 0; 2 * i < count - 1; ++i) {
    int64_t swapped = nodes[i];
    nodes[i] = nodes[count - 1 - i];
    nodes[count - 1 - i] = swapped;
  }
  return count;
}

PlanWork planWorkOf(const IrGraph *graph, IndexContext *index, const bool *ends, int64_t node) {
  enum { MOST_NODES = 256 };
  int64_t nodes[MOST_NODES], count = coneNodes(graph, ends, node, nodes, MOST_NODES);
  PlanWork work = {.isTooMuch = count == 0};
  PlanDemands *demands = count > 0 ? planDemandsCreate(graph, index) : NULL;
  for (int64_t i = 0; i < count; ++i) {
    PlanDemand demand =
        i == 0 ? (PlanDemand){.serial = 1, .copies = 1} : planDemandOf(demands, nodes[i], PLAN_ALL_GROUPS);
    work.instructions += demand.serial * (double)costInstructionsOf(graph->nodes[nodes[i]].op);
    work.operations += demand.copies;
    if (i == 0)
      planAskRoot(demands, nodes[i], 0);
    else
      planAskOperands(demands, nodes[i]);
  }
  if (demands)
    planDemandsDestroy(demands);
  return work;
}

double planCostOfAgain(const StitchDevice *device, const PlanDemand *demand, int64_t elements, double instructions,
                       int64_t ofThread) {
  double again = costOfComputingBy(device, (double)device->sms, (demand->times - (double)elements) * instructions);
  double alone = (demand->serial - 1) * instructions * (double)ofThread * 1000 / (double)device->clockMHz;
  return fmax(again, alone);
}

bool planIsMuchCode(const PlanDemand *demand, double operations) {
  // Models are below that: products of a few rows, say. From level to level the places multiply, and soon are more than
  // a few.
  enum { MOST = 768, MOST_OF_FEW = 1024, FEW = 3 };
  return demand->copies > 1 && demand->copies * operations > (demand->copies > FEW ? MOST : MOST_OF_FEW);
}
