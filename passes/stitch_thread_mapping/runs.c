//===- runs.c - stitch-thread-mapping: rows that begin anywhere ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the length of a row is no multiple of an access of 16 bytes, vectors that begin with the row are shorter, down
// to single elements. That is as many more accesses for each byte. All tensors with the elements of the rows have these
// at the same distance from such places, so vectors that begin there serve all of them (docs/ir.md, "Mappings", `run`).
// Against that stand masks where a row begins and ends, and lanes of threads that have a part of their vector, or none.
// Memory has to hide that, or it has to be no more than the saved accesses. Else vectors are shorter. They are, too,
// where a thread would lack registers for its elements that it has for those of shorter ones. So they are in a loop
// with column sums, where a thread would not have the same columns in all of its rows.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arithmetic.h"
#include "ir/mlir/symbol.h"
#include "ir/plan/cost.h"
#include "ir/plan/resources.h"
#include "passes/stitch_thread_mapping/mapper.h"

#include "capi/diagnostics.h"

/// Instructions for the masks of a run.
enum { OF_MASK = 4 };

/// The model takes as many instructions for a division or an exponential as they take at most; so much more, by it, is
/// not known to be more.
#define MARGIN 1.25

/// The work of a group for one element, and its accesses.
typedef struct {
  int64_t instructions;
  int64_t whole; ///< values in memory with all elements, that are gone through in their order
  int64_t parts; ///< others, which are accessed run by run
} ElementWork;

/// Whether an operation asks for the elements of its operands in the order in which it is asked for its own.
static bool keepsOrder(const GraphNode *node) {
  return node->class == TG_CLASS_ELEMENTWISE || node->class == TG_CLASS_REDUCE || node->kind == TG_reshape;
}

static ElementWork workOf(const Mapper *m, int64_t group) {
  const Group *g = &m->groups[group];
  ElementWork work = {0};
  IrMap seen = {0};
  for (int64_t k = m->view.first[group]; k < m->view.first[group + 1]; ++k) {
    const GraphNode *node = &m->graph->nodes[m->view.nodes[k]];
    work.instructions += iterationElements(node) == g->elements ? costInstructionsOf(node->op) : 0;
    work.whole += node->yielded && node->elements == g->elements && !planGoesByOperand(node->op);
    for (int64_t j = 0; j < node->numOperands; ++j) {
      MlirValue operand = irOperand(node->op, j);
      int64_t from = node->operands[j].node, elements = irNumElements(irShapeOf(operand));
      bool isOfGroup = from >= 0 && m->view.group[from] == group;
      if (isOfGroup || elements <= 1 || elements == g->mapping.rows || irMapContains(&seen, operand.ptr))
        continue;
      irMapSet(&seen, operand.ptr, 1);
      bool isWhole = elements == g->elements && keepsOrder(node);
      work.whole += isWhole;
      work.parts += !isWhole;
    }
  }
  irMapDestroy(&seen);
  return work;
}

static bool goesByOperand(const Mapper *m, int64_t group) {
  for (int64_t k = m->view.first[group]; k < m->view.first[group + 1]; ++k)
    if (planGoesByOperand(m->graph->nodes[m->view.nodes[k]].op))
      return true;
  return false;
}

/// The time of a group by a mapping: of memory, or of the instructions where these take longer.
static double timeOf(const Mapper *m, int64_t group, const ElementWork *work, const StitchMapping *mapping) {
  double threads = (double)(planBlocksOfTasks(mapping) * planBlockSize(mapping)), runs = 0;
  double steps = threads * (double)mapping->unroll;
  if (mapping->run > 0)
    runs = (double)(mapping->vector / mapping->run);
  double instructions = steps * (double)(mapping->vector * work->instructions + work->whole * COST_ACCESS);
  instructions += steps * (double)(work->parts * COST_ACCESS) * (runs > 0 ? runs : 1);
  instructions += threads * runs * 2 * OF_MASK; // of the first and the last step
  double computing = costOfComputingBy(&m->device, m->device.sms, instructions);
  double moving = costOfMoving(&m->device, (double)m->groups[group].bytes);
  return computing > moving ? computing : moving;
}

/// The mapping with vectors from aligned places on, by the same threads.
static StitchMapping alignedMapping(const Mapper *m, int64_t group, int64_t vector) {
  const Group *g = &m->groups[group];
  StitchMapping aligned = g->mapping;
  aligned.vector = vector;
  aligned.run = g->mapping.vector;
  int64_t columns = planColumnsOfVectors(&aligned), lanes = aligned.rowThreads * aligned.vector;
  if (g->mapping.kind == STITCH_MAPPING_FLAT) {
    aligned.unroll = flatUnroll(m, group, vector);
    aligned.split = ceilDiv(columns, lanes * aligned.unroll);
  } else if (g->mapping.split > 1) { // no more chunks, each of which leaves a partial result
    aligned.unroll = ceilDiv(columns, g->mapping.split * lanes);
    aligned.split = ceilDiv(columns, lanes * aligned.unroll);
  } else {
    aligned.unroll = ceilDiv(columns, aligned.cluster * lanes);
  }
  return aligned;
}

/// Accesses that all threads of the grid make of a value.
static int64_t stepsOf(const StitchMapping *mapping) { return mapping->unroll * planBlocksOfTasks(mapping); }

/// Whether rows with column sums can have a mapping. A thread has the same columns in all of its rows, registers for
/// them, and the block shared memory for the sums of its rows of threads.
static bool mayCarry(const Mapper *m, const StitchMapping *rows) {
  StitchMapping carried = carriedMapping(m, rows);
  int64_t blocks = m->carried.loop.workers * m->carried.loop.cluster, perSM = ceilDiv(blocks, m->device.sms);
  int64_t registers = PLAN_BESIDE_ELEMENTS + rows->unroll * rows->vector * m->carried.registers;
  bool leavesRows = rows->blockRows > 1 || planSharesSums(&carried);
  int64_t shared = leavesRows ? 2 * rows->blockRows * planPitchOfSums(rows) * m->carried.accumulator : 0;
  shared += planColumnsOfBlock(rows) * m->carried.sumBytes;
  return planKeepsColumns(&carried, blocks / rows->cluster) &&
         planBlocksPerSM(&m->device, m->block, registers, shared) >= perSM;
}

/// Whether a thread has registers for its elements, and for the masks of the first and the last.
static bool fits(const Mapper *m, const StitchMapping *mapping) {
  int64_t registers = m->device.registersPerSM / m->block;
  return mapping->unroll * mapping->vector + PLAN_BESIDE_ELEMENTS < registers;
}

void alignVectors(Mapper *m, int64_t group) {
  Group *g = &m->groups[group];
  StitchMapping *before = &g->mapping, aligned;
  bool carries = m->carried.rows == before->rows && before->kind == STITCH_MAPPING_ROW;
  if (!m->mayAlign || !m->adaptive || g->widest <= before->vector ||
      before->blockRows * (before->kind == STITCH_MAPPING_FLAT) > 1 || goesByOperand(m, group))
    return;
  ElementWork work = workOf(m, group);
  double ns = timeOf(m, group, &work, before), alignedNs = 0;
  for (aligned.vector = g->widest; work.whole > 0 && aligned.vector > before->vector; aligned.vector /= 2) {
    aligned = alignedMapping(m, group, aligned.vector);
    alignedNs = timeOf(m, group, &work, &aligned);
    if (carries && !mayCarry(m, &aligned))
      continue;
    if (stepsOf(&aligned) < stepsOf(before) && alignedNs <= MARGIN * ns && (fits(m, &aligned) || !fits(m, before)))
      break;
  }
  if (work.whole == 0 || aligned.vector <= before->vector)
    return;
  stitchRemark(
      m->graph->nodes[m->view.dominant[group]].op,
      "group %lld: vectors of %lld begin at aligned addresses instead of with the rows: %lld accesses a thread "
      "instead of %lld, %.0f ns instead of %.0f ns",
      (long long)group, (long long)aligned.vector, (long long)aligned.unroll, (long long)before->unroll, alignedNs, ns);
  *before = aligned;
}
