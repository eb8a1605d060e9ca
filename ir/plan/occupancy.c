//===- occupancy.c - blocks that a device holds at once ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/plan/occupancy.h"

#include "ir/mlir/arithmetic.h"

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
  enum { MOST = 255, STEP = 8 }; // registers are given to warps in eights: 255 take as many as 256
  int64_t blocks = planBlocksPerSM(device, block, registers, shared), most = registers;
  if (blocks == 0 || registers >= MOST)
    return registers;
  for (int64_t more = most + STEP; more <= MOST + 1 && planBlocksPerSM(device, block, more, shared) == blocks;
       more += STEP)
    most = more;
  return min64(most, MOST);
}

int64_t planResidentBlocks(const StitchDevice *device, int64_t blocksPerSM, int64_t cluster) {
  enum { MANY = 4, MISSING = 6 };
  if (cluster == 1)
    return device->sms * blocksPerSM;
  int64_t gpcSMs = min64(device->gpcSMs, device->sms), gpcs = device->sms / gpcSMs;
  int64_t ofSmallest = (gpcs < MANY ? gpcSMs : gpcSMs - MISSING) * blocksPerSM / cluster;
  return ((gpcs - 1) * (gpcSMs * blocksPerSM / cluster) + ofSmallest) * cluster;
}
