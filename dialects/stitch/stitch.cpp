//===- stitch.cpp - the stitch dialect -----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/stitch/stitch.h"
#include "dialects/stitch/stitch_dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <limits>

#include "dialects/stitch/stitch_dialect.cpp.inc"
#include "dialects/stitch/stitch_enums.cpp.inc"

/// `, cluster = N`, `, run = N`, `, sums_in_shared` and `, replicated`, in this order; each may be missing.
static mlir::ParseResult parseMappingParts(mlir::AsmParser &parser, int64_t &cluster, int64_t &run, bool &sumsInShared,
                                           bool &replicated) {
  cluster = 1, run = 0, sumsInShared = replicated = false;
  const llvm::StringRef keywords[] = {"cluster", "run", "sums_in_shared", "replicated"};
  constexpr size_t numKeywords = std::size(keywords);
  int64_t *const values[] = {&cluster, &run};
  bool *const flags[] = {&sumsInShared, &replicated};
  size_t next = 0;
  while (next < numKeywords && succeeded(parser.parseOptionalComma())) {
    llvm::StringRef keyword;
    llvm::SMLoc place = parser.getCurrentLocation();
    if (failed(parser.parseKeyword(&keyword)))
      return mlir::failure();
    const llvm::StringRef *part = std::find(keywords + next, std::end(keywords), keyword);
    if (part == std::end(keywords)) {
      mlir::InFlightDiagnostic error = parser.emitError(place) << "expected ";
      for (size_t i = next; i < numKeywords; ++i)
        error << (i == next ? "'" : i + 1 == numKeywords ? " or '" : ", '") << keywords[i] << "'";
      return error << ", got '" << keyword << "'";
    }
    next = part - keywords + 1;
    if (next > std::size(values))
      *flags[next - 1 - std::size(values)] = true;
    else if (parser.parseEqual() || parser.parseInteger(*values[next - 1]))
      return mlir::failure();
  }
  return mlir::success();
}

static void printMappingParts(mlir::AsmPrinter &printer, int64_t cluster, int64_t run, bool sumsInShared,
                              bool replicated) {
  if (cluster != 1)
    printer << ", cluster = " << cluster;
  if (run != 0)
    printer << ", run = " << run;
  if (sumsInShared)
    printer << ", sums_in_shared";
  if (replicated)
    printer << ", replicated";
}

static mlir::ParseResult parseLoopMapping(mlir::AsmParser &parser, mlir::Attribute &mapping);
static void printLoopMapping(mlir::AsmPrinter &printer, mlir::Attribute mapping);

#define GET_ATTRDEF_CLASSES
#include "dialects/stitch/stitch_attrs.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/stitch/stitch_ops.cpp.inc"

using namespace mlir;
using namespace stitch;

void StitchDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/stitch/stitch_ops.cpp.inc"
      >();
}

void StitchDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/stitch/stitch_attrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// #stitch.device
//===----------------------------------------------------------------------===//

namespace {
/// Products of three counts fit into 64 bits.
constexpr int64_t mostOfCount = int64_t(1) << 20, mostOfMeasure = int64_t(1) << 40;

/// The figures of a device in the order of the attribute's parameters, with their keywords and limits.
constexpr struct {
  const char *name;
  int64_t most;
} figureKinds[] = {{"arch", mostOfCount},
                   {"sms", mostOfCount},
                   {"threads_per_sm", mostOfCount},
                   {"blocks_per_sm", mostOfCount},
                   {"registers_per_sm", mostOfCount},
                   {"shared_per_sm", mostOfMeasure},
                   {"shared_per_block", mostOfMeasure},
                   {"l2_bytes", mostOfMeasure},
                   {"bandwidth_gbps", mostOfMeasure},
                   {"launch_ns", mostOfMeasure},
                   {"barrier_ns", mostOfMeasure},
                   {"cluster_blocks", mostOfCount},
                   {"gpc_sms", mostOfCount},
                   {"cluster_barrier_ns", mostOfMeasure},
                   {"clock_mhz", mostOfMeasure},
                   {"product_warps", mostOfCount},
                   {"link_gbps", mostOfMeasure},
                   {"link_ns", mostOfMeasure},
                   {"machine_gpus", mostOfCount},
                   {"network_gbps", mostOfMeasure},
                   {"network_ns", mostOfMeasure},
                   {"call_ns", mostOfMeasure}};
constexpr size_t numFigures = sizeof(figureKinds) / sizeof(figureKinds[0]);

struct Preset {
  const char *name;
  int64_t figures[numFigures];
};
constexpr Preset presets[] = {
#define STITCH_DEVICE(preset_name, ...) {#preset_name, {__VA_ARGS__}},
#include "dialects/stitch/devices.def"
#undef STITCH_DEVICE
};

const Preset *findPreset(StringRef name) {
  for (const Preset &preset : presets)
    if (name == preset.name)
      return &preset;
  return nullptr;
}

int figureIndex(StringRef keyword) {
  for (size_t i = 0; i < numFigures; ++i)
    if (keyword == figureKinds[i].name)
      return i;
  return -1;
}
} // namespace

Attribute DeviceAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseLess() || parser.parseKeyword(&name))
    return {};
  const Preset *preset = findPreset(name);
  if (!preset) {
    InFlightDiagnostic error = parser.emitError(loc) << "unknown device '" << name << "'; known are";
    for (const Preset &known : presets)
      error << " " << known.name;
    return {};
  }
  int64_t f[numFigures];
  std::copy(std::begin(preset->figures), std::end(preset->figures), f);
  while (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    SMLoc keywordLoc = parser.getCurrentLocation();
    int64_t value;
    if (parser.parseKeyword(&keyword) || parser.parseEqual() || parser.parseInteger(value))
      return {};
    int index = figureIndex(keyword);
    if (index < 0)
      return parser.emitError(keywordLoc) << "a device has no figure '" << keyword << "'", Attribute();
    if (value <= 0)
      return parser.emitError(keywordLoc) << keyword << " must be positive, got " << value, Attribute();
    if (value > figureKinds[index].most)
      return parser.emitError(keywordLoc)
                 << keyword << " must be " << figureKinds[index].most << " at most, got " << value,
             Attribute();
    if (keyword == "product_warps" && value != 1 && value != 4)
      return parser.emitError(keywordLoc) << "product_warps must be 1 or 4, a warpgroup, got " << value, Attribute();
    f[index] = value;
  }
  if (parser.parseGreater())
    return {};
  return DeviceAttr::get(parser.getContext(), name, f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10],
                         f[11], f[12], f[13], f[14], f[15], f[16], f[17], f[18], f[19], f[20], f[21]);
}

void DeviceAttr::print(AsmPrinter &printer) const {
  const int64_t f[numFigures] = {getArch(),           getSms(),
                                 getThreadsPerSm(),   getBlocksPerSm(),
                                 getRegistersPerSm(), getSharedPerSm(),
                                 getSharedPerBlock(), getL2Bytes(),
                                 getBandwidthGbps(),  getLaunchNs(),
                                 getBarrierNs(),      getClusterBlocks(),
                                 getGpcSms(),         getClusterBarrierNs(),
                                 getClockMhz(),       getProductWarps(),
                                 getLinkGbps(),       getLinkNs(),
                                 getMachineGpus(),    getNetworkGbps(),
                                 getNetworkNs(),      getCallNs()};
  const Preset *preset = findPreset(getPreset());
  printer << "<" << getPreset();
  for (size_t i = 0; i < numFigures; ++i)
    if (!preset || f[i] != preset->figures[i])
      printer << ", " << figureKinds[i].name << " = " << f[i];
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Plan attributes
//===----------------------------------------------------------------------===//

static LogicalResult verifyPositive(function_ref<InFlightDiagnostic()> emitError,
                                    std::initializer_list<std::pair<const char *, int64_t>> figures) {
  for (auto [name, value] : figures)
    if (value <= 0)
      return emitError() << name << " must be positive, got " << value;
  return success();
}

LogicalResult MappingAttr::verify(function_ref<InFlightDiagnostic()> emitError, MappingKind kind, int64_t rows,
                                  int64_t columns, int64_t blockRows, int64_t rowThreads, int64_t vector,
                                  int64_t unroll, int64_t split, int64_t cluster, int64_t run, bool sumsInShared,
                                  bool replicated) {
  if (failed(verifyPositive(emitError, {{"rows", rows},
                                        {"columns", columns},
                                        {"block_rows", blockRows},
                                        {"row_threads", rowThreads},
                                        {"vector", vector},
                                        {"unroll", unroll},
                                        {"split", split},
                                        {"cluster", cluster}})))
    return failure();
  if (std::max({rows, columns, unroll, split}) > std::numeric_limits<int32_t>::max())
    return emitError() << "rows, columns, unroll and split are numbers of 32 bits, got " << rows << ", " << columns
                       << ", " << unroll << " and " << split;
  if (vector > 1024 || cluster > 1024)
    return emitError() << "vector and cluster are at most 1024, got " << vector << " and " << cluster;
  if (blockRows > 1024 || rowThreads > 1024 / blockRows)
    return emitError() << "block_rows x row_threads is a block of " << blockRows << " x " << rowThreads
                       << " threads; at most 1024 are possible";
  if (kind == MappingKind::axes)
    return emitError() << "a mapping of axes is written as #stitch.axes";
  if (kind == MappingKind::flat && rows != 1)
    return emitError() << "a flat mapping has one row, got rows = " << rows;
  if (kind == MappingKind::tile && (split != 1 || blockRows * unroll != rowThreads * vector))
    return emitError() << "a tile mapping has squares, block_rows x unroll = row_threads x vector, and split = 1, got "
                       << blockRows << " x " << unroll << ", " << rowThreads << " x " << vector << " and " << split;
  bool byColumns = kind == MappingKind::column || kind == MappingKind::kept;
  if (cluster > 1 && !byColumns && kind != MappingKind::row && kind != MappingKind::carried)
    return emitError() << "only rows and columns are handled by clusters of blocks, got cluster = " << cluster;
  // Blocks with all columns have rows of their own, and combine their sums.
  bool haveRows = kind == MappingKind::carried && rowThreads * vector * unroll >= columns;
  if (cluster > 1 && !byColumns && !haveRows && rowThreads < 32)
    return emitError() << "in a cluster a row has whole warps of each block, got row_threads = " << rowThreads;
  if (run != 0 && (run < 0 || run >= vector || vector % run != 0))
    return emitError() << "run must be a divisor of vector and less, got run = " << run << " and vector = " << vector;
  if (run != 0 && kind != MappingKind::row && kind != MappingKind::flat && kind != MappingKind::carried)
    return emitError() << "only rows and flat spaces are gone through in runs, got run = " << run;
  if (run != 0 && kind == MappingKind::flat && blockRows != 1)
    return emitError() << "threads that share elements have no runs, got run = " << run
                       << " and block_rows = " << blockRows;
  if (sumsInShared && (kind != MappingKind::carried || blockRows != 1))
    return emitError() << "sums are in shared memory where a block carries one row of columns: a carried mapping with "
                          "block_rows = 1";
  if (sumsInShared && cluster > 1 && haveRows && run != 0)
    return emitError() << "sums in shared memory that blocks combine are not in runs, got run = " << run;
  if (replicated && (kind != MappingKind::row || rows > blockRows || split != 1 || cluster != 1))
    return emitError() << "a replicated value is one task of rows: a row mapping with at most block_rows rows, "
                          "split = 1 and cluster = 1";
  return success();
}

static bool isPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

static int64_t productOf(llvm::ArrayRef<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    product =
        factor > std::numeric_limits<int32_t>::max() / product ? std::numeric_limits<int32_t>::max() : product * factor;
  return product;
}

static bool isOfOneAxis(llvm::ArrayRef<int64_t> factors) {
  return llvm::count_if(factors, [](int64_t factor) { return factor > 1; }) <= 1;
}

LogicalResult AxesAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> dims,
                               ArrayRef<int64_t> sizes, ArrayRef<int64_t> cluster, ArrayRef<int64_t> unroll,
                               ArrayRef<int64_t> warps, ArrayRef<int64_t> lanes, ArrayRef<int64_t> vector) {
  const std::pair<const char *, ArrayRef<int64_t>> lists[] = {{"sizes", sizes},   {"cluster", cluster},
                                                              {"unroll", unroll}, {"warps", warps},
                                                              {"lanes", lanes},   {"vector", vector}};
  if (sizes.empty() || sizes.size() > STITCH_MAX_AXES)
    return emitError() << "a task loop has 1 to " << static_cast<int64_t>(STITCH_MAX_AXES) << " axes, got "
                       << sizes.size();
  for (auto [name, list] : lists) {
    if (list.size() != sizes.size())
      return emitError() << name << " has " << list.size() << " numbers for " << sizes.size() << " axes";
    for (int64_t value : list)
      if (value < 1 || value > std::numeric_limits<int32_t>::max())
        return emitError() << name << " must be positive numbers of 32 bits, got " << value;
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!isPowerOfTwo(cluster[i]) || !isPowerOfTwo(warps[i]) || !isPowerOfTwo(lanes[i]) || !isPowerOfTwo(vector[i]))
      return emitError() << "cluster, warps, lanes and vector must be powers of two, got " << cluster[i] << ", "
                         << warps[i] << ", " << lanes[i] << " and " << vector[i] << " of axis " << i;
    if (sizes[i] % vector[i] != 0)
      return emitError() << "vectors of " << vector[i] << " do not divide the " << sizes[i] << " elements of axis "
                         << i;
  }
  if (productOf(lanes) != 32 || productOf(warps) > 32)
    return emitError() << "a warp has 32 lanes and a block at most 32 warps, got " << productOf(lanes) << " and "
                       << productOf(warps);
  if (productOf(cluster) > 16 || productOf(vector) > 16 || !isOfOneAxis(vector) || !isOfOneAxis(cluster))
    return emitError()
           << "a cluster has at most 16 blocks along one axis, and one axis vectors, of at most 16 elements";
  llvm::SmallVector<bool, STITCH_MAX_AXES> seen(sizes.size());
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= static_cast<int64_t>(sizes.size()) || seen[dim])
      return emitError() << "a root's elements are made of different axes from 0 to " << sizes.size() - 1 << ", got "
                         << dim;
    seen[dim] = true;
  }
  return success();
}

/// Of the mapping that most loops have the name is left out.
static ParseResult parseLoopMapping(AsmParser &parser, Attribute &mapping) {
  return parser.parseCustomAttributeWithFallback(mapping, Type(), [&](Attribute &result, Type type) {
    result = MappingAttr::parse(parser, type);
    return success(result != Attribute());
  });
}

static void printLoopMapping(AsmPrinter &printer, Attribute mapping) {
  if (auto rows = dyn_cast<MappingAttr>(mapping))
    printer.printStrippedAttrOrType(rows);
  else
    printer.printAttribute(mapping);
}

LogicalResult LoopAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t phase, Attribute mapping,
                               int64_t) {
  if (phase < 0)
    return emitError() << "phases are numbered from 0 on, got " << phase;
  if (!isa<MappingAttr, AxesAttr>(mapping))
    return emitError() << "mapping must be a #stitch.mapping or #stitch.axes, got " << mapping;
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<LoopAttr> loops) {
  int64_t last = 0;
  for (LoopAttr loop : loops) {
    if (loop.getPhase() != last && (loop.getPhase() != last + 1 || loop == loops.front()))
      return emitError() << "loops are in the order of their phases, which are numbered from 0 on, got phase "
                         << loop.getPhase() << " behind " << last;
    last = loop.getPhase();
    int64_t from = loop.getKeptFrom();
    if (from < -1 || from >= int64_t(loops.size()) || (from >= 0 && loops[from].getPhase() >= last))
      return emitError() << "elements are kept from a loop of an earlier phase, got loop " << from
                         << " for one of phase " << last;
  }
  return loops.empty() ? emitError() << "a kernel has a task loop" : success();
}

LogicalResult TaskAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t loop, int64_t stage, int64_t until,
                               int64_t finishedIn) {
  constexpr int64_t most = std::numeric_limits<int16_t>::max();
  if (loop < 0 || until < -1 || finishedIn < -1)
    return emitError() << "loops and phases are numbered from 0 on";
  if (stage < 0 || stage > most)
    return emitError() << "stage must be from 0 to " << most << ", got " << stage;
  return success();
}

LogicalResult BufferAttr::verify(function_ref<InFlightDiagnostic()> emitError, BufferSpace, int64_t offset,
                                 int64_t size) {
  if (offset < 0)
    return emitError() << "offset must not be negative, got " << offset;
  return verifyPositive(emitError, {{"size", size}});
}

LogicalResult PrefetchAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t phase, int64_t input,
                                   int64_t offset, int64_t bytes) {
  if (phase < 0 || input < 0 || offset < 0)
    return emitError() << "phases, inputs and bytes are numbered from 0 on";
  if (offset % 16 != 0 || bytes % 16 != 0)
    return emitError() << "offset and bytes must be multiples of 16, got " << offset << " and " << bytes;
  return verifyPositive(emitError, {{"bytes", bytes}});
}

LogicalResult AttentionAttr::verify(function_ref<InFlightDiagnostic()> emitError, ProductKind product, int64_t rows,
                                    int64_t keys, int64_t buffers, bool) {
  if (rows < 16 || rows > 512 || rows % 16 != 0)
    return emitError() << "rows must be a multiple of 16 and at most 512, got " << rows;
  if (keys < 16 || keys > 128 || keys % 16 != 0)
    return emitError() << "keys must be a multiple of 16 and at most 128, got " << keys;
  if (buffers < 1 || buffers > 2)
    return emitError() << "buffers must be 1 or 2, got " << buffers;
  if (product == ProductKind::wgmma && rows % 64 != 0)
    return emitError() << "rows must be a multiple of 64, those of a warpgroup, with wgmma, got " << rows;
  return success();
}

LogicalResult SkinnyAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t columns, int64_t depth,
                                 int64_t warps, int64_t unroll) {
  std::pair<const char *, int64_t> powers[] = {{"columns", columns}, {"depth", depth}, {"unroll", unroll}};
  for (auto [name, value] : powers)
    if (!llvm::is_contained({1, 2, 4, 8, 16}, value))
      return emitError() << name << " must be a power of two up to 16, got " << value;
  if (depth < 4)
    return emitError()
           << "depth must be at least 4, the contracted elements of a lane in a tensor core's instruction, got "
           << depth;
  if (warps < 1 || warps > 32)
    return emitError() << "warps must be from 1 to 32, got " << warps;
  return success();
}

LogicalResult LaunchAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t grid, int64_t block,
                                 int64_t registers, int64_t shared, int64_t scratch, int64_t barriers,
                                 int64_t cluster) {
  if (failed(verifyPositive(emitError,
                            {{"grid", grid}, {"block", block}, {"registers", registers}, {"cluster", cluster}})))
    return failure();
  if (block > 1024)
    return emitError() << "block must be at most 1024, got " << block;
  if (shared < 0 || scratch < 0 || barriers < 0)
    return emitError() << "shared, scratch and barriers must not be negative";
  if (grid % cluster != 0)
    return emitError() << "a grid of " << grid << " blocks is not made of clusters of " << cluster;
  return success();
}

/// Plan attributes are discardable attributes of any op; each has one type and one kind of place.
/// Whether an attribute is a rule as ir/plan/rules.h writes it.
static bool isRule(Attribute value) {
  auto rule = dyn_cast<DictionaryAttr>(value);
  if (!rule)
    return false;
  auto patterns = rule.getAs<ArrayAttr>("patterns");
  Attribute text = rule.get("value");
  return rule.getAs<LocationAttr>("at") && rule.getAs<StringAttr>("kind") && (!text || isa<StringAttr>(text)) &&
         patterns && llvm::all_of(patterns, [](Attribute pattern) { return isa<StringAttr>(pattern); });
}

LogicalResult StitchDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  auto expect = [&](bool holds, const char *type) -> LogicalResult {
    if (holds)
      return success();
    return op->emitOpError() << "attribute '" << name << "' must be " << type << ", got " << value;
  };
  if (name == "stitch.device") {
    if (!isa<ModuleOp, FunctionOpInterface>(op) && op->getName().getStringRef() != "gpu.module")
      return op->emitOpError() << "attribute 'stitch.device' belongs on a module or a function";
    return expect(isa<DeviceAttr>(value), "a #stitch.device");
  }
  if (name == "stitch.measured") {
    auto times = dyn_cast<DictionaryAttr>(value);
    bool areTimes = times && llvm::all_of(times, [](NamedAttribute time) {
                      auto ns = dyn_cast<FloatAttr>(time.getValue());
                      return ns && ns.getType().isF64();
                    });
    return expect(isa<ModuleOp>(op) && areTimes, "a dictionary of f64, on a module");
  }
  if (name == "stitch.rules") {
    auto rules = dyn_cast<ArrayAttr>(value);
    return expect(rules && llvm::all_of(rules, isRule),
                  "an array of rules, which stitch-rules makes of files and hints");
  }
  if (name == "stitch.group") {
    auto group = dyn_cast<IntegerAttr>(value);
    return expect(group && group.getType().isInteger(64) && group.getInt() >= 0, "a non-negative 64-bit integer");
  }
  if (name == "stitch.role")
    return expect(isa<RoleAttr>(value), "a #stitch.role");
  if (name == "stitch.scheme") { // outside of fusions it is a hint (docs/rules.md), which stitch-rules reads
    bool isHint = isa<StringAttr>(value) && !op->getParentOfType<FusionOp>();
    return expect(isa<SchemeAttr>(value) || isHint, "a #stitch.scheme");
  }
  if (name == "stitch.mapping")
    return expect(isa<MappingAttr, AxesAttr>(value), "a #stitch.mapping or #stitch.axes");
  if (name == "stitch.schedule") {
    if (!isa<FusionOp>(op))
      return op->emitOpError() << "attribute 'stitch.schedule' belongs on a stitch.fusion";
    return expect(isa<ScheduleAttr>(value), "a #stitch.schedule");
  }
  if (name == "stitch.task")
    return expect(isa<TaskAttr>(value), "a #stitch.task");
  if (name == "stitch.buffer")
    return expect(isa<BufferAttr>(value), "a #stitch.buffer");
  if (name == "stitch.attention") {
    if (!isa<FusionOp>(op))
      return op->emitOpError() << "attribute 'stitch.attention' belongs on a stitch.fusion";
    return expect(isa<AttentionAttr>(value), "a #stitch.attention");
  }
  if (name == "stitch.skinny")
    return expect(isa<FusionOp>(op) && isa<SkinnyAttr>(value), "a #stitch.skinny on a stitch.fusion");
  if (name == "stitch.scan")
    return expect(isa<FusionOp>(op) && isa<UnitAttr>(value), "a unit attribute of a stitch.fusion");
  if (name == "stitch.blocks") {
    auto blocks = dyn_cast<IntegerAttr>(value);
    bool isCluster = blocks && blocks.getType().isInteger(64) && llvm::is_contained({1, 2, 4, 8, 16}, blocks.getInt());
    return expect(isa<FusionOp>(op) && isCluster, "a power of two up to 16, of 64 bits, on a stitch.fusion");
  }
  if (name == "stitch.one_per_sm")
    return expect(isa<FusionOp>(op) && isa<UnitAttr>(value), "a unit attribute of a stitch.fusion");
  if (name == "stitch.persistent") {
    auto loop = dyn_cast<DictionaryAttr>(value);
    bool isLoop = loop && loop.getAs<IntegerAttr>("iterations") && loop.getAs<DenseI64ArrayAttr>("unchanged") &&
                  loop.getAs<DenseI64ArrayAttr>("counters");
    return expect(isa<FusionOp>(op) && (isa<UnitAttr>(value) || isLoop),
                  "a unit attribute of a stitch.fusion, or the loop's {iterations, unchanged, counters}");
  }
  if (name == "stitch.bf16_parts")
    return expect(isa<UnitAttr>(value) && op->getName().getStringRef() == "tg.dot", "a unit attribute of a tg.dot");
  if (name == "stitch.prefetch") {
    if (!isa<FusionOp>(op))
      return op->emitOpError() << "attribute 'stitch.prefetch' belongs on a stitch.fusion";
    auto list = dyn_cast<ArrayAttr>(value);
    return expect(list && llvm::all_of(list, [](Attribute entry) { return isa<PrefetchAttr>(entry); }),
                  "an array of #stitch.prefetch");
  }
  if (name == "stitch.launch") {
    // A tg operation outside of a fusion may be a kernel of its own.
    bool isKernel = isa<FusionOp>(op) || op->getName().getStringRef() == "gpu.func" ||
                    (op->getName().getDialectNamespace() == "tg" && !op->getParentOfType<FusionOp>());
    if (!isKernel)
      return op->emitOpError()
             << "attribute 'stitch.launch' belongs on a stitch.fusion, a gpu.func or an operation that "
                "is a kernel of its own";
    return expect(isa<LaunchAttr>(value), "a #stitch.launch");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// stitch.fusion, stitch.library_call
//===----------------------------------------------------------------------===//

/// `(%inner = %outer, ...) : (types) -> types attributes {...} { body }`
static ParseResult parseRegionOp(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseAssignmentList(arguments, operands))
    return failure();
  FunctionType type;
  if (parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != operands.size())
    return parser.emitError(loc) << "expected " << operands.size() << " input types, got " << type.getNumInputs();
  for (auto [argument, argumentType] : llvm::zip(arguments, type.getInputs()))
    argument.type = argumentType;
  result.addTypes(type.getResults());
  Region *body = result.addRegion();
  return failure(parser.resolveOperands(operands, type.getInputs(), loc, result.operands) ||
                 parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*body, arguments));
}

static void printRegionOp(OpAsmPrinter &printer, Operation *op) {
  Block &body = op->getRegion(0).front();
  printer << "(";
  llvm::interleaveComma(llvm::zip(body.getArguments(), op->getOperands()), printer,
                        [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
  printer << ") : ";
  printer.printFunctionalType(op->getOperandTypes(), op->getResultTypes());
  printer.printOptionalAttrDictWithKeyword(op->getAttrs());
  printer << " ";
  printer.printRegion(op->getRegion(0), /*printEntryBlockArgs=*/false);
}

static LogicalResult verifyRegionOp(Operation *op) {
  if (op->getRegion(0).empty())
    return op->emitOpError("has no body");
  Block &body = op->getRegion(0).front();
  if (!llvm::equal(body.getArgumentTypes(), op->getOperandTypes()))
    return op->emitOpError("body takes (")
           << body.getArgumentTypes() << ") but the inputs are (" << op->getOperandTypes() << ")";
  if (body.empty() || !isa<YieldOp>(body.back()))
    return op->emitOpError("body must end with stitch.yield");
  if (!llvm::equal(body.back().getOperandTypes(), op->getResultTypes()))
    return body.back().emitOpError("yields (") << body.back().getOperandTypes() << ") where the enclosing '"
                                               << op->getName() << "' has results (" << op->getResultTypes() << ")";
  return success();
}

ParseResult FusionOp::parse(OpAsmParser &parser, OperationState &result) {
  if (parseRegionOp(parser, result))
    return failure();
  ensureTerminator(*result.regions.front(), parser.getBuilder(), result.location);
  return success();
}
void FusionOp::print(OpAsmPrinter &printer) { printRegionOp(printer, *this); }
LogicalResult FusionOp::verify() { return verifyRegionOp(*this); }

ParseResult LibraryCallOp::parse(OpAsmParser &parser, OperationState &result) {
  if (parseRegionOp(parser, result))
    return failure();
  ensureTerminator(*result.regions.front(), parser.getBuilder(), result.location);
  return success();
}
void LibraryCallOp::print(OpAsmPrinter &printer) { printRegionOp(printer, *this); }
LogicalResult LibraryCallOp::verify() { return verifyRegionOp(*this); }

//===----------------------------------------------------------------------===//
// stitch.adaptive
//===----------------------------------------------------------------------===//

LogicalResult AdaptiveOp::verify() {
  if (getVariable().empty())
    return emitOpError("has a variable without a name");
  if (getNumResults() == 0)
    return emitOpError("has no results");
  if (getVersions().size() != getRegions().size())
    return emitOpError() << "has names for " << getVersions().size() << " versions but " << getRegions().size()
                         << " regions";
  if (getVersions().empty())
    return emitOpError("has no versions");
  SmallVector<StringRef> names;
  for (Attribute attribute : getVersions()) {
    StringRef name = cast<StringAttr>(attribute).getValue();
    if (name.empty())
      return emitOpError("has a version without a name");
    if (llvm::is_contained(names, name))
      return emitOpError() << "has two versions of the name '" << name << "'";
    names.push_back(name);
  }
  return success();
}

LogicalResult AdaptiveOp::verifyRegions() {
  for (auto [name, version] : llvm::zip(getVersions(), getRegions())) {
    Operation *yield = version.front().getTerminator();
    if (!llvm::equal(yield->getOperandTypes(), getResultTypes()))
      return yield->emitOpError("yields (") << yield->getOperandTypes() << ") in version " << name << " where ("
                                            << getResultTypes() << ") is expected";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// stitch.warpgroup_product
//===----------------------------------------------------------------------===//

/// Whether a memref has room for a matrix in blocks of 64 columns.
static bool holdsPanels(MemRefType memory, Type element, int64_t rows, int64_t columns) {
  return memory.getRank() == 1 && memory.getElementType() == element && memory.hasStaticShape() &&
         memory.getNumElements() >= rows * 64 * int64_t(llvm::divideCeil(columns, 64));
}

LogicalResult WarpgroupProductOp::verify() {
  auto rhs = cast<MemRefType>(getRhs().getType());
  Type element = rhs.getElementType();
  auto ofSums = VectorType::get({2, 2}, Float32Type::get(getContext())), ofWords = VectorType::get({4, 2}, element);
  int64_t depth = getDepth(), columns = 8 * int64_t(getNumResults());
  if (!element.isF16() && !element.isBF16())
    return emitOpError() << "multiplies f16 or bf16, not " << element;
  if (depth <= 0 || depth % 16 != 0 || columns == 0 || columns > 256)
    return emitOpError("contracts a multiple of 16 elements, and has 8 to 256 columns");
  if (getLhsRows() % 64 != 0 || getRhsRows() <= 0 || getRhsRows() % 8 != 0)
    return emitOpError("has panels whose rows are no multiples of 64 for A, and of 8 for B");
  auto isSums = [&](Type type) { return type == ofSums; };
  if (!llvm::all_of(getResultTypes(), isSums) || !llvm::all_of(getSums().getTypes(), isSums) ||
      (!getSums().empty() && getSums().size() != getNumResults()))
    return emitOpError() << "has results and sums that are no " << ofSums << ", or not as many sums as results";
  bool isInRegisters = getLhs().empty() && getLhsRow().empty() && int64_t(getFragments().size()) == depth / 16 &&
                       llvm::all_of(getFragments().getTypes(), [&](Type type) { return type == ofWords; });
  bool isInMemory = getFragments().empty() && getLhs().size() == 1 && getLhsRow().size() == 1 &&
                    holdsPanels(cast<MemRefType>(getLhs()[0].getType()), element, getLhsRows(), depth);
  if (!isInRegisters && !isInMemory)
    return emitOpError() << "has A neither as a " << ofWords << " for each 16 elements, nor as a memref of panels of "
                         << element << " and a row";
  int64_t rows = getTransposed() ? depth : columns;
  if (rows > int64_t(getRhsRows()) || !holdsPanels(rhs, element, getRhsRows(), getTransposed() ? columns : depth))
    return emitOpError("has no room for B in a memref of panels");
  return success();
}
