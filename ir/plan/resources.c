//===- resources.c - resources of multiprocessors and threads -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes occupancy, register bounds and the number of loads in flight from a device's limits, and limits a device to
// the share of a fusion.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/resources.h"

#include "ir/mlir/arithmetic.h"
#include "ir/mlir/query.h"

#include <math.h>

int64_t planBlocksOf(MlirOperation fusion) { return irGetInt(fusion, PLAN_BLOCKS, 0); }

void planLimitDevice(StitchDevice *device, MlirOperation fusion) {
  // On an H100 and an H200 bench/gpu measured 10 ns of 128 threads, 39 of 1024. For a cluster of 8 that is alone it
  // measured 410 to 720 ns and 185 to 345, half of the time between the exchanges of rows.
  enum { BLOCK_BARRIER_NS = 39, TIMES_ALONE = 2 };
  int64_t blocks = planBlocksOf(fusion);
  if (blocks > 0 || irHasAttr(fusion, PLAN_ONE_PER_SM))
    device->blocksPerSM = 1;
  if (blocks == 0)
    return;
  double gigabytes = (double)(blocks * PLAN_BYTES_PER_CYCLE * device->clockMHz) / 1000;
  device->sms = device->gpcSMs = min64(device->sms, blocks);
  device->bandwidthGBps = min64(device->bandwidthGBps, (int64_t)ceil(gigabytes));
  device->barrierNs = blocks == 1 ? BLOCK_BARRIER_NS : device->clusterBarrierNs / TIMES_ALONE;
  device->clusterBlocks = 1; // its only cluster is the grid: no row has one of its own
}

int64_t planRegistersUp(int64_t registers) {
  return min64(ceilDiv(registers, PLAN_REGISTER_STEP) * PLAN_REGISTER_STEP, PLAN_MOST_REGISTERS);
}

int64_t planRegistersDown(int64_t registers) {
  return min64(registers / PLAN_REGISTER_STEP * PLAN_REGISTER_STEP, PLAN_MOST_REGISTERS);
}

int64_t planBlocksPerSM(const StitchDevice *device, int64_t block, int64_t registers, int64_t shared) {
  int64_t blocks = min64(device->threadsPerSM / block, device->blocksPerSM);
  blocks = min64(blocks, device->registersPerSM / (registers * block));
  if (shared > device->sharedPerBlock)
    return 0;
  if (shared > 0)
    blocks = min64(blocks, device->sharedPerSM / min64(shared + PLAN_RESERVED_SHARED, device->sharedPerSM));
  return blocks;
}

int64_t planSpareRegisters(const StitchDevice *device, int64_t block, int64_t registers, int64_t shared) {
  int64_t blocks = planBlocksPerSM(device, block, registers, shared), most = registers;
  if (blocks == 0 || registers >= PLAN_MOST_REGISTERS)
    return registers;
  // 255 registers take as many as 256.
  for (int64_t more = most + PLAN_REGISTER_STEP; more <= PLAN_MOST_REGISTERS + 1; more += PLAN_REGISTER_STEP) {
    if (planBlocksPerSM(device, block, more, shared) != blocks)
      break;
    most = more;
  }
  return min64(most, PLAN_MOST_REGISTERS);
}

int64_t planResidentBlocks(const StitchDevice *device, int64_t blocksPerSM, int64_t cluster) {
  enum { MANY = 4, MISSING = 6 };
  if (cluster == 1)
    return device->sms * blocksPerSM;
  int64_t gpcSMs = min64(device->gpcSMs, device->sms), gpcs = device->sms / gpcSMs;
  int64_t ofSmallest = (gpcs < MANY ? gpcSMs : gpcSMs - MISSING) * blocksPerSM / cluster;
  return ((gpcs - 1) * (gpcSMs * blocksPerSM / cluster) + ofSmallest) * cluster;
}

bool planBlockHoldsRow(const StitchDevice *device, int64_t elements) {
  enum { VALUES = 2, MOST_BYTES = 8 };
  return VALUES * MOST_BYTES * elements <= device->sharedPerBlock;
}

int64_t planRowsOfBatch(const PlanColumnReads *r) {
  enum { OF_LOOP = 28 }; // registers: addresses, the round, values of the row
  int64_t most = r->words * r->vector * PLAN_ROWS_AT_ONCE + PLAN_BESIDE_ELEMENTS <= r->registers ? PLAN_ROWS_AT_ONCE
                                                                                                 : PLAN_FEW_STEPS;
  int64_t left = min64(r->registers - OF_LOOP - r->accumulators, PLAN_WORDS_AT_ONCE), rows = most;
  while (rows > 1 && rows * r->vector * r->words > left)
    rows /= 2;
  return rows;
}

int64_t planBatchesAtOnce(const PlanColumnReads *r, int64_t rows) {
  int64_t ofBatch = planRowsOfBatch(r), words = ceilDiv(r->bytes * r->vector, 4) * ofBatch, batches = 1;
  int64_t beside = PLAN_BESIDE_SUMS + r->accumulators + ofBatch * r->vector;
  while (words > 0 && 2 * batches * words <= PLAN_WORDS_AT_ONCE && beside + 2 * batches * words <= r->registers &&
         2 * batches * ofBatch <= rows)
    batches *= 2;
  return batches;
}

int64_t planLoadsOfColumns(const PlanColumnReads *r) {
  return ceilDiv(r->rows, planRowsOfBatch(r) * planBatchesAtOnce(r, r->rows));
}
