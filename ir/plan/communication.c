//===- communication.c - time of calls between processes ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a collective and the device. Leaves the steps, bytes and nanoseconds of the call by NCCL's own model.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/communication.h"

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"

#include <stdlib.h>

/// NCCL reckons with 235 of an A100's 300 GB/s.
static const double partOfLink = 0.78;

/// Figures of a protocol, LL or Simple: the time of a step and of a call (LL's), and the part of the bandwidth.
typedef struct {
  double link, network, call, bandwidth;
} Protocol;
static const Protocol protocols[] = {
    {1, 1, 1, 0.25},
    {3.4 / 0.47, 9.6 / 2.7, 8.4 / 3.6, 1},
};

static TgKind calledKind(MlirOperation op) {
  return tgKindOf(irOpIs(op, "stitch.library_call") ? mlirBlockGetFirstOperation(irBody(op, 0)) : op);
}

bool planIsCommunication(MlirOperation op) {
  switch (calledKind(op)) {
  case TG_all_reduce:
  case TG_all_gather:
  case TG_reduce_scatter:
  case TG_all_to_all:
  case TG_collective_broadcast:
  case TG_collective_permute:
    return true;
  default:
    return false;
  }
}

/// Reads the table of groups, or of pairs.
static void readProcessTable(MlirOperation op, const StitchDevice *device, Communication *c) {
  bool arePairs = tgKindOf(op) == TG_collective_permute;
  MlirAttribute table = irGetAttr(op, arePairs ? "pairs" : "groups");
  IrShape shape = irTypeShape(mlirAttributeGetType(table));
  c->processes = arePairs ? 2 : shape.dims[1];
  for (int64_t i = 0; i < shape.dims[0]; ++i) {
    int64_t first = -1;
    for (int64_t j = 0; j < shape.dims[1]; ++j) {
      bool isSplat = mlirDenseElementsAttrIsSplat(table);
      int64_t process = mlirDenseElementsAttrGetInt64Value(table, isSplat ? 0 : i * shape.dims[1] + j);
      first = first < 0 ? process : first;
      c->crossesMachines |= process >= 0 && process / device->machineGPUs != first / device->machineGPUs;
    }
  }
}

/// Adds the traffic of an operation. A part of a tensor is that of one of n processes.
static void addTraffic(MlirOperation op, Communication *c) {
  double bytes = (double)irTensorBytes(mlirValueGetType(irOperand(op, 0))), n = (double)c->processes;
  c->bytes += bytes;
  switch (tgKindOf(op)) {
  case TG_all_reduce:
    c->traffic += 2 * (n - 1) / n * bytes;
    break;
  case TG_all_gather:
    c->traffic += (n - 1) * bytes;
    break;
  case TG_reduce_scatter:
  case TG_all_to_all:
    c->traffic += (n - 1) / n * bytes;
    break;
  default:
    c->traffic += bytes;
  }
}

static double stepsOf(TgKind kind, int64_t processes) {
  double others = (double)processes - 1;
  if (kind == TG_all_to_all || kind == TG_collective_permute) // all at the same time
    return 1;
  return kind == TG_all_reduce ? 2 * others : others;
}

/// With the faster protocol.
static double timeOfCall(const Communication *c, TgKind kind, const StitchDevice *device) {
  double bandwidth = partOfLink * (double)(c->crossesMachines ? device->networkGBps : device->linkGBps), least = 0;
  for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]) && c->processes > 1; ++i) {
    const Protocol *p = &protocols[i];
    double step = c->crossesMachines ? p->network * (double)device->networkNs : p->link * (double)device->linkNs;
    double time =
        p->call * (double)device->callNs + stepsOf(kind, c->processes) * step + c->traffic / (p->bandwidth * bandwidth);
    least = i == 0 || time < least ? time : least;
  }
  return least;
}

int64_t planOperandsOfAll(MlirOperation op) {
  int64_t count = 0;
  if (!irOpIs(op, "stitch.library_call"))
    return 0;
  IR_FOR_EACH_OP(called, irBody(op, 0)) {
    count += tgKindOf(called) == TG_collective_broadcast;
  }
  return count > 1 ? count : 0;
}

/// Bytes of a value that fusions read: of one that they only slice at a dynamic index, those of the slices.
static double bytesReadOf(MlirValue value) {
  double sliced = 0;
  IR_FOR_EACH_USE(use, value) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    if (!irOpIs(reader, "stitch.fusion"))
      return (double)irTensorBytes(mlirValueGetType(value));
    MlirValue inside = mlirBlockGetArgument(irBody(reader, 0), mlirOpOperandGetOperandNumber(use));
    IR_FOR_EACH_USE(inner, inside) {
      MlirOperation slice = mlirOpOperandGetOwner(inner);
      if (tgKindOf(slice) != TG_dynamic_slice)
        return (double)irTensorBytes(mlirValueGetType(value));
      sliced += (double)irTensorBytes(mlirValueGetType(irResult(slice, 0)));
    }
  }
  return sliced;
}

/// The processes signal each other over one link. Then kernels load the operands of the others.
static void addOperandsOfAll(MlirOperation call, const StitchDevice *device, Communication *c) {
  double count = (double)planOperandsOfAll(call);
  c->bytes = (double)irTensorBytes(mlirValueGetType(irOperand(call, 0)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i)
    c->traffic += bytesReadOf(irResult(call, i)) * (count - 1) / count;
  c->nanoseconds = (double)device->linkNs + c->traffic / (partOfLink * (double)device->linkGBps);
}

Communication planCommunicationOf(MlirOperation op, const StitchDevice *device) {
  Communication c = {.processes = 1};
  TgKind kind = calledKind(op);
  if (planOperandsOfAll(op)) {
    readProcessTable(mlirBlockGetFirstOperation(irBody(op, 0)), device, &c);
    addOperandsOfAll(op, device, &c);
    return c;
  }
  if (irOpIs(op, "stitch.library_call")) {
    readProcessTable(mlirBlockGetFirstOperation(irBody(op, 0)), device, &c);
    IR_FOR_EACH_OP(called, irBody(op, 0)) {
      if (planIsCommunication(called))
        addTraffic(called, &c);
    }
  } else {
    readProcessTable(op, device, &c);
    addTraffic(op, &c);
  }
  c.nanoseconds = timeOfCall(&c, kind, device);
  return c;
}

double planTimeOfSum(double bytes, int64_t n, const StitchDevice *device) {
  Communication c = {.processes = n, .bytes = bytes, .traffic = 2 * ((double)n - 1) / (double)n * bytes};
  return timeOfCall(&c, TG_all_reduce, device);
}

/// The bytes that move in nine times the latency of a call.
double planBytesOfBucket(const StitchDevice *device) {
  static const double times = 9;
  double latency = protocols[1].call * (double)device->callNs + protocols[1].link * (double)device->linkNs;
  return times * latency * partOfLink * (double)device->linkGBps;
}

/// In front of each step is a launch in which processes signal each other, over one link. In two steps the combining of
/// a part is another launch.
PeerSumCost planCostOfPeerSum(double bytes, int64_t n, const StitchDevice *device) {
  double bandwidth = partOfLink * (double)device->linkGBps, others = (double)n - 1;
  double signal = (double)device->launchNs + (double)device->linkNs;
  return (PeerSumCost){
      .atOnce = signal + others * bytes / bandwidth,
      .inTwoSteps = 2 * signal + (double)device->launchNs + 2 * others / (double)n * bytes / bandwidth,
  };
}

MlirAttribute planGroupsFrom(MlirAttribute groups, int64_t first) {
  IrShape shape = irTypeShape(mlirAttributeGetType(groups));
  int64_t columns = shape.dims[1], count = shape.dims[0] * columns, *ids = irAllocate(sizeof(*ids) * (size_t)count);
  bool isSplat = mlirDenseElementsAttrIsSplat(groups);
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = i % columns, from = place == 0 ? first : place <= first ? place - 1 : place;
    ids[i] = mlirDenseElementsAttrGetInt64Value(groups, isSplat ? 0 : i - place + from);
  }
  MlirAttribute result = mlirDenseElementsAttrInt64Get(mlirAttributeGetType(groups), (intptr_t)count, ids);
  free(ids);
  return result;
}
