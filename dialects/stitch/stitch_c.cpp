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
                      device.getClockMhz(),      device.getProductWarps(),   device.getLinkGbps(),
                      device.getLinkNs(),        device.getMachineGpus(),    device.getNetworkGbps(),
                      device.getNetworkNs(),     device.getCallNs()};
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

namespace {
/// The figures of a mapping of axes as the attribute has them: a list for each.
struct AxesLists {
  llvm::SmallVector<int64_t, STITCH_MAX_AXES> sizes, cluster, unroll, warps, lanes, vector;
  llvm::ArrayRef<int64_t> dims;

  explicit AxesLists(const StitchMapping &m) : dims(m.dims, m.numDims) {
    for (const StitchAxis &axis : llvm::ArrayRef(m.axes, m.numAxes)) {
      sizes.push_back(axis.size);
      cluster.push_back(axis.cluster);
      unroll.push_back(axis.unroll);
      warps.push_back(axis.warps);
      lanes.push_back(axis.lanes);
      vector.push_back(axis.vector);
    }
  }
};
} // namespace

static AxesAttr axesOf(MLIRContext *context, const StitchMapping &m) {
  AxesLists l(m);
  return AxesAttr::get(context, l.dims, l.sizes, l.cluster, l.unroll, l.warps, l.lanes, l.vector);
}

static AxesAttr checkedAxesOf(llvm::function_ref<InFlightDiagnostic()> error, MLIRContext *context,
                              const StitchMapping &m) {
  AxesLists l(m);
  if (failed(AxesAttr::verify(error, l.dims, l.sizes, l.cluster, l.unroll, l.warps, l.lanes, l.vector)))
    return AxesAttr();
  return axesOf(context, m);
}

MlirAttribute stitchMappingAttrGet(MlirContext context, StitchMapping m) {
  if (m.kind == STITCH_MAPPING_AXES)
    return wrap(axesOf(loaded(context), m));
  return wrap(MappingAttr::get(loaded(context), static_cast<MappingKind>(m.kind), m.rows, m.columns, m.blockRows,
                               m.rowThreads, m.vector, m.unroll, m.split, m.cluster, m.run, m.sumsInShared,
                               m.isReplicated));
}
MlirAttribute stitchMappingAttrGetChecked(MlirLocation location, StitchMapping m) {
  Location loc = unwrap(location);
  auto error = [&] { return emitError(loc); };
  MLIRContext *context = loaded(wrap(loc.getContext()));
  if (m.kind == STITCH_MAPPING_AXES)
    return wrap(checkedAxesOf(error, context, m));
  return wrap(MappingAttr::getChecked(error, context, static_cast<MappingKind>(m.kind), m.rows, m.columns, m.blockRows,
                                      m.rowThreads, m.vector, m.unroll, m.split, m.cluster, m.run, m.sumsInShared,
                                      m.isReplicated));
}

void stitchCompleteAxes(StitchMapping *m) {
  m->kind = STITCH_MAPPING_AXES;
  m->rows = m->columns = m->blockRows = m->split = m->vector = m->unroll = m->cluster = m->rowThreads = 1;
  for (int64_t i = 0; i < m->numAxes; ++i) {
    const StitchAxis &axis = m->axes[i];
    m->vector *= axis.vector;
    m->unroll *= axis.unroll;
    m->cluster *= axis.cluster;
    m->rowThreads *= axis.warps * axis.lanes;
  }
  for (int64_t i = 0; i < m->numDims; ++i)
    m->columns *= m->axes[m->dims[i]].size;
}

bool stitchAttributeIsAMapping(MlirAttribute attribute) { return isa<MappingAttr, AxesAttr>(unwrap(attribute)); }

static StitchMapping valueOfAxes(AxesAttr attribute) {
  StitchMapping m = {};
  m.numAxes = attribute.getSizes().size();
  m.numDims = attribute.getDims().size();
  for (int64_t i = 0; i < m.numAxes; ++i)
    m.axes[i] = {attribute.getSizes()[i], attribute.getCluster()[i], attribute.getUnroll()[i],
                 attribute.getWarps()[i], attribute.getLanes()[i],   attribute.getVector()[i]};
  for (int64_t i = 0; i < m.numDims; ++i)
    m.dims[i] = attribute.getDims()[i];
  stitchCompleteAxes(&m);
  return m;
}

StitchMapping stitchMappingAttrValue(MlirAttribute attribute) {
  if (auto axes = dyn_cast<AxesAttr>(unwrap(attribute)))
    return valueOfAxes(axes);
  auto m = cast<MappingAttr>(unwrap(attribute));
  StitchMapping mapping = {};
  mapping.kind = static_cast<StitchMappingKind>(m.getKind());
  mapping.rows = m.getRows();
  mapping.columns = m.getColumns();
  mapping.blockRows = m.getBlockRows();
  mapping.rowThreads = m.getRowThreads();
  mapping.vector = m.getVector();
  mapping.unroll = m.getUnroll();
  mapping.split = m.getSplit();
  mapping.cluster = m.getCluster();
  mapping.run = m.getRun();
  mapping.sumsInShared = m.getSumsInShared();
  mapping.isReplicated = m.getReplicated();
  return mapping;
}

MlirAttribute stitchScheduleAttrGet(MlirContext context, intptr_t numLoops, const StitchLoop *loops) {
  MLIRContext *ctx = loaded(context);
  SmallVector<LoopAttr> list;
  for (const StitchLoop &loop : ArrayRef(loops, numLoops))
    list.push_back(LoopAttr::get(ctx, loop.phase, unwrap(stitchMappingAttrGet(context, loop.mapping)), loop.keptFrom));
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

MlirAttribute stitchSkinnyAttrGet(MlirContext context, StitchSkinny s) {
  return wrap(SkinnyAttr::get(loaded(context), s.columns, s.depth, s.warps, s.unroll));
}
StitchSkinny stitchSkinnyAttrValue(MlirAttribute attribute) {
  auto s = cast<SkinnyAttr>(unwrap(attribute));
  return StitchSkinny{s.getColumns(), s.getDepth(), s.getWarps(), s.getUnroll()};
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

MlirAttribute stitchPrefetchAttrGet(MlirContext context, StitchPrefetch p) {
  return wrap(PrefetchAttr::get(loaded(context), p.phase, p.input, p.offset, p.bytes));
}
StitchPrefetch stitchPrefetchAttrValue(MlirAttribute attribute) {
  auto p = cast<PrefetchAttr>(unwrap(attribute));
  return StitchPrefetch{p.getPhase(), p.getInput(), p.getOffset(), p.getBytes()};
}

#define DEFINE_IS_A(name)                                                                                              \
  bool stitchAttributeIsA##name(MlirAttribute attribute) { return isa_and_nonnull<name##Attr>(unwrap(attribute)); }
DEFINE_IS_A(Device)
DEFINE_IS_A(Role)
DEFINE_IS_A(Scheme)
DEFINE_IS_A(Schedule)
DEFINE_IS_A(Task)
DEFINE_IS_A(Buffer)
DEFINE_IS_A(Attention)
DEFINE_IS_A(Skinny)
DEFINE_IS_A(Launch)
DEFINE_IS_A(Prefetch)
