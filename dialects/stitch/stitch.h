//===- stitch.h - C handles of the stitch dialect's attributes -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every plan attribute has a plain C struct, a `Get` that makes the attribute from it, an `IsA`, and a `Value` that
// reads the struct back. Strings in structs are owned by the context.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_STITCH_H
#define STITCH_DIALECTS_STITCH_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A GPU (`#stitch.device`); units as in dialects/stitch/stitch.td.
typedef struct {
  MlirStringRef preset;
  int64_t arch;
  int64_t sms;
  int64_t threadsPerSM;
  int64_t blocksPerSM;
  int64_t registersPerSM;
  int64_t sharedPerSM;
  int64_t sharedPerBlock;
  int64_t l2Bytes;
  int64_t bandwidthGBps;
  int64_t launchNs;
  int64_t barrierNs;
  int64_t clusterBlocks;
  int64_t gpcSMs;
  int64_t clusterBarrierNs;
  int64_t clockMHz, productWarps, linkGBps, linkNs, machineGPUs, networkGBps, networkNs, callNs;
} StitchDevice;

typedef enum { STITCH_ROLE_MEMBER, STITCH_ROLE_DOMINANT, STITCH_ROLE_SUB_DOMINANT } StitchRole;

typedef enum {
  STITCH_SCHEME_INDEPENDENT,
  STITCH_SCHEME_LOCAL,
  STITCH_SCHEME_REGIONAL,
  STITCH_SCHEME_GLOBAL
} StitchScheme;

typedef enum {
  STITCH_MAPPING_FLAT,
  STITCH_MAPPING_ROW,
  STITCH_MAPPING_COLUMN,
  STITCH_MAPPING_CARRIED,
  STITCH_MAPPING_TILE,
  STITCH_MAPPING_KEPT,
  STITCH_MAPPING_AXES ///< `#stitch.axes`
} StitchMappingKind;

/// Most axes of a task loop.
enum { STITCH_MAX_AXES = 6 };

/// One axis of a task loop's iteration space, and the distribution of its positions (`#stitch.axes`), from the
/// outermost level to the innermost. The levels are tasks of the grid, as many as the axis takes; blocks of a cluster;
/// elements of a thread; warps; lanes of a warp; elements of a vector.
typedef struct {
  int64_t size;
  int64_t cluster;
  int64_t unroll;
  int64_t warps;
  int64_t lanes;
  int64_t vector;
} StitchAxis;

/// Which elements each thread handles (`#stitch.mapping`, `#stitch.axes`); docs/ir.md says it for each kind. Of axes,
/// `rows` is 1, `columns` counts the root's elements, `rowThreads` is the block, and `vector`, `unroll` and `cluster`
/// are products over the axes.
typedef struct {
  StitchMappingKind kind;
  int64_t rows;
  int64_t columns;
  int64_t blockRows;
  int64_t rowThreads;
  int64_t vector;
  int64_t unroll;
  int64_t split;
  int64_t cluster;
  int64_t run;                     ///< 0: vectors begin at multiples of their length in the row; else at such in memory
  bool sumsInShared, isReplicated; ///< carried sums are in shared memory; every block computes the loop's one task
  int64_t numAxes;                 ///< of the task loop; 0 but for STITCH_MAPPING_AXES
  StitchAxis axes[STITCH_MAX_AXES];
  int64_t numDims;               ///< of the root
  int64_t dims[STITCH_MAX_AXES]; ///< the axes that its elements, in row-major order, are made of, outermost first
} StitchMapping;

/// Fills in the fields of a mapping of axes that follow from its axes and dims.
void stitchCompleteAxes(StitchMapping *mapping);

/// A task loop of a kernel (`#stitch.loop`), and the one of an earlier phase whose elements its threads find in
/// registers (-1: none).
typedef struct {
  int64_t phase;
  StitchMapping mapping;
  int64_t keptFrom;
} StitchLoop;

/// The place of a root's computation (`#stitch.task`): its loop, and the pass over the elements of its tasks. Further,
/// the last phase in which its value is read (-1: its own, or none), and the loop that finishes it (-1: none).
typedef struct {
  int64_t loop;
  int64_t stage;
  int64_t until;
  int64_t finishedIn;
} StitchRootTask;

typedef enum { STITCH_SPACE_SHARED, STITCH_SPACE_SCRATCH } StitchBufferSpace;

/// Bytes `offset` to `offset + size` of the block's shared or the kernel's scratch memory (`#stitch.buffer`).
typedef struct {
  StitchBufferSpace space;
  int64_t offset;
  int64_t size;
} StitchBuffer;

typedef enum { STITCH_PRODUCT_FMA, STITCH_PRODUCT_MMA, STITCH_PRODUCT_WGMMA } StitchProductKind;

/// The plan of a softmax between two products, or of products of its gradient (`#stitch.attention`). It has rows of a
/// block, keys of a tile, and the number of tiles in shared memory.
typedef struct {
  StitchProductKind product;
  int64_t rows, keys, buffers;
  bool isGradient;
} StitchAttention;

/// How a kernel multiplies a few rows by large matrices on the tensor cores (`#stitch.skinny`). The attribute has
/// columns of a lane, contracted elements of a lane in a step, warps of a block, and steps whose loads are under way
/// together.
typedef struct {
  int64_t columns, depth, warps, unroll;
} StitchSkinny;

/// How a kernel is launched (`#stitch.launch`).
typedef struct {
  int64_t grid, block;
  int64_t registers, shared, scratch;
  int64_t barriers, cluster;
} StitchLaunch;

/// Bytes `offset` to `offset + bytes` of an input that the blocks ask for before the wait in front of a phase
/// (`#stitch.prefetch`).
typedef struct {
  int64_t phase, input;
  int64_t offset, bytes;
} StitchPrefetch;

/// The attribute of a preset; null if there is none of that name.
MlirAttribute stitchDeviceAttrGetPreset(MlirContext context, MlirStringRef preset);
bool stitchAttributeIsADevice(MlirAttribute attribute);
StitchDevice stitchDeviceAttrValue(MlirAttribute attribute);

/// The kind as the attribute spells it.
const char *stitchMappingKindName(StitchMappingKind kind);
MlirAttribute stitchMappingAttrGet(MlirContext context, StitchMapping mapping);
/// The same for a mapping from user text; null, after an error there, if there can be no such mapping.
MlirAttribute stitchMappingAttrGetChecked(MlirLocation location, StitchMapping mapping);
bool stitchAttributeIsAMapping(MlirAttribute attribute);
StitchMapping stitchMappingAttrValue(MlirAttribute attribute);

/// The loops of a `#stitch.schedule`, sorted by their phases.
MlirAttribute stitchScheduleAttrGet(MlirContext context, intptr_t numLoops, const StitchLoop *loops);
bool stitchAttributeIsASchedule(MlirAttribute attribute);
intptr_t stitchScheduleAttrNumLoops(MlirAttribute attribute);
StitchLoop stitchScheduleAttrLoop(MlirAttribute attribute, intptr_t number);

/// The attribute of a value, whether an attribute is one, and its value.
#define STITCH_ATTRIBUTE(Name, Value)                                                                                  \
  MlirAttribute stitch##Name##AttrGet(MlirContext context, Value value);                                               \
  bool stitchAttributeIsA##Name(MlirAttribute attribute);                                                              \
  Value stitch##Name##AttrValue(MlirAttribute attribute);
STITCH_ATTRIBUTE(Role, StitchRole)
STITCH_ATTRIBUTE(Scheme, StitchScheme)
STITCH_ATTRIBUTE(Task, StitchRootTask)
STITCH_ATTRIBUTE(Buffer, StitchBuffer)
STITCH_ATTRIBUTE(Attention, StitchAttention)
STITCH_ATTRIBUTE(Skinny, StitchSkinny)
STITCH_ATTRIBUTE(Launch, StitchLaunch)
STITCH_ATTRIBUTE(Prefetch, StitchPrefetch)
#undef STITCH_ATTRIBUTE

#ifdef __cplusplus
}
#endif

#endif // STITCH_DIALECTS_STITCH_H
