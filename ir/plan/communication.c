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
#include "ir/mlir/query.h"

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

Communication planCommunicationOf(MlirOperation op, const StitchDevice *device) {
  Communication c = {.processes = 1};
  TgKind kind = calledKind(op);
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
  double bandwidth = partOfLink * (double)(c.crossesMachines ? device->networkGBps : device->linkGBps);
  for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]) && c.processes > 1; ++i) {
    const Protocol *p = &protocols[i];
    double step = c.crossesMachines ? p->network * (double)device->networkNs : p->link * (double)device->linkNs;
    double time =
        p->call * (double)device->callNs + stepsOf(kind, c.processes) * step + c.traffic / (p->bandwidth * bandwidth);
    c.nanoseconds = i == 0 || time < c.nanoseconds ? time : c.nanoseconds;
  }
  return c;
}

/// The bytes that move in nine times the latency of a call.
double planBytesOfBucket(const StitchDevice *device) {
  static const double times = 9;
  double latency = protocols[1].call * (double)device->callNs + protocols[1].link * (double)device->linkNs;
  return times * latency * partOfLink * (double)device->linkGBps;
}
