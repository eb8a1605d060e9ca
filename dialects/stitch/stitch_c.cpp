//===- stitch_c.cpp - C handles of the stitch dialect's attributes -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/stitch/stitch.h"
#include "dialects/stitch/stitch_dialect.h"
#include "stitch.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace stitch;

extern "C" {
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Stitch, stitch, stitch::StitchDialect)
}

/// The attribute classes are looked up in a loaded dialect.
static MLIRContext *loaded(MlirContext context) {
  unwrap(context)->getOrLoadDialect<StitchDialect>();
  return unwrap(context);
}

MlirAttribute stitchDeviceAttrGetPreset(MlirContext context, MlirStringRef preset) {
  MLIRContext *ctx = loaded(context);
  StringRef name = unwrap(preset);
#define STITCH_DEVICE(preset_name, ...)                                                                                \
  if (name == #preset_name)                                                                                            \
    return wrap(DeviceAttr::get(ctx, #preset_name, __VA_ARGS__));
#include "dialects/stitch/devices.def"
#undef STITCH_DEVICE
  return wrap(Attribute());
}

StitchDevice stitchDeviceAttrValue(MlirAttribute attribute) {
  auto device = cast<DeviceAttr>(unwrap(attribute));
  return StitchDevice{wrap(device.getPreset()),  device.getArch(),           device.getSms(),
                      device.getThreadsPerSm(),  device.getBlocksPerSm(),    device.getRegistersPerSm(),
                      device.getSharedPerSm(),   device.getSharedPerBlock(), device.getL2Bytes(),
                      device.getBandwidthGbps(), device.getLaunchNs(),       device.getBarrierNs(),
                      device.getClusterBlocks(), device.getGpcSms(),         device.getClusterBarrierNs(),
                      device.getClockMhz()};
}

MlirAttribute stitchRoleAttrGet(MlirContext context, StitchRole role) {
  return wrap(RoleAttr::get(loaded(context), static_cast<Role>(role)));
}
StitchRole stitchRoleAttrValue(MlirAttribute attribute) {
  return static_cast<StitchRole>(cast<RoleAttr>(unwrap(attribute)).getValue());
}

MlirAttribute stitchSchemeAttrGet(MlirContext context, StitchScheme scheme) {
  return wrap(SchemeAttr::get(loaded(context), static_cast<Scheme>(scheme)));
}
StitchScheme stitchSchemeAttrValue(MlirAttribute attribute) {
  return static_cast<StitchScheme>(cast<SchemeAttr>(unwrap(attribute)).getValue());
}

const char *stitchMappingKindName(StitchMappingKind kind) {
  return stringifyMappingKind(static_cast<MappingKind>(kind)).data(); // of a literal, which ends with a null byte
}

static MappingAttr mappingAttr(MLIRContext *context, const StitchMapping &m) {
  return MappingAttr::get(context, static_cast<MappingKind>(m.kind), m.rows, m.columns, m.blockRows, m.rowThreads,
                          m.vector, m.unroll, m.split, m.cluster, m.run, m.sumsInShared);
}
MlirAttribute stitchMappingAttrGet(MlirContext context, StitchMapping m) {
  return wrap(Attribute(mappingAttr(loaded(context), m)));
}
MlirAttribute stitchMappingAttrGetChecked(MlirLocation location, StitchMapping m) {
  Location loc = unwrap(location);
  return wrap(MappingAttr::getChecked([&] { return emitError(loc); }, loaded(wrap(loc.getContext())),
                                      static_cast<MappingKind>(m.kind), m.rows, m.columns, m.blockRows, m.rowThreads,
                                      m.vector, m.unroll, m.split, m.cluster, m.run, m.sumsInShared));
}
StitchMapping stitchMappingAttrValue(MlirAttribute attribute) {
  auto m = cast<MappingAttr>(unwrap(attribute));
  return StitchMapping{static_cast<StitchMappingKind>(m.getKind()),
                       m.getRows(),
                       m.getColumns(),
                       m.getBlockRows(),
                       m.getRowThreads(),
                       m.getVector(),
                       m.getUnroll(),
                       m.getSplit(),
                       m.getCluster(),
                       m.getRun(),
                       m.getSumsInShared()};
}

MlirAttribute stitchScheduleAttrGet(MlirContext context, intptr_t numLoops, const StitchLoop *loops) {
  MLIRContext *ctx = loaded(context);
  SmallVector<LoopAttr> list;
  for (const StitchLoop &loop : ArrayRef(loops, numLoops))
    list.push_back(LoopAttr::get(ctx, loop.phase, mappingAttr(ctx, loop.mapping), loop.keptFrom));
  return wrap(ScheduleAttr::get(ctx, list));
}
intptr_t stitchScheduleAttrNumLoops(MlirAttribute attribute) {
  return cast<ScheduleAttr>(unwrap(attribute)).getLoops().size();
}
StitchLoop stitchScheduleAttrLoop(MlirAttribute attribute, intptr_t number) {
  LoopAttr loop = cast<ScheduleAttr>(unwrap(attribute)).getLoops()[number];
  return StitchLoop{loop.getPhase(), stitchMappingAttrValue(wrap(loop.getMapping())), loop.getKeptFrom()};
}

MlirAttribute stitchTaskAttrGet(MlirContext context, StitchRootTask t) {
  return wrap(TaskAttr::get(loaded(context), t.loop, t.stage, t.until, t.finishedIn));
}
StitchRootTask stitchTaskAttrValue(MlirAttribute attribute) {
  auto t = cast<TaskAttr>(unwrap(attribute));
  return StitchRootTask{t.getLoop(), t.getStage(), t.getUntil(), t.getFinishedIn()};
}

MlirAttribute stitchBufferAttrGet(MlirContext context, StitchBuffer b) {
  return wrap(BufferAttr::get(loaded(context), static_cast<BufferSpace>(b.space), b.offset, b.size));
}
StitchBuffer stitchBufferAttrValue(MlirAttribute attribute) {
  auto b = cast<BufferAttr>(unwrap(attribute));
  return StitchBuffer{static_cast<StitchBufferSpace>(b.getSpace()), b.getOffset(), b.getSize()};
}

MlirAttribute stitchAttentionAttrGet(MlirContext context, StitchAttention a) {
  return wrap(AttentionAttr::get(loaded(context), static_cast<ProductKind>(a.product), a.rows, a.keys, a.buffers,
                                 a.isGradient));
}
StitchAttention stitchAttentionAttrValue(MlirAttribute attribute) {
  auto a = cast<AttentionAttr>(unwrap(attribute));
  return StitchAttention{static_cast<StitchProductKind>(a.getProduct()), a.getRows(), a.getKeys(), a.getBuffers(),
                         a.getGradient()};
}

MlirAttribute stitchLaunchAttrGet(MlirContext context, StitchLaunch l) {
  return wrap(
      LaunchAttr::get(loaded(context), l.grid, l.block, l.registers, l.shared, l.scratch, l.barriers, l.cluster));
}
StitchLaunch stitchLaunchAttrValue(MlirAttribute attribute) {
  auto l = cast<LaunchAttr>(unwrap(attribute));
  return StitchLaunch{l.getGrid(),    l.getBlock(),    l.getRegisters(), l.getShared(),
                      l.getScratch(), l.getBarriers(), l.getCluster()};
}

#define DEFINE_IS_A(name)                                                                                              \
  bool stitchAttributeIsA##name(MlirAttribute attribute) { return isa_and_nonnull<name##Attr>(unwrap(attribute)); }
DEFINE_IS_A(Device)
DEFINE_IS_A(Role)
DEFINE_IS_A(Scheme)
DEFINE_IS_A(Mapping)
DEFINE_IS_A(Schedule)
DEFINE_IS_A(Task)
DEFINE_IS_A(Buffer)
DEFINE_IS_A(Attention)
DEFINE_IS_A(Launch)
