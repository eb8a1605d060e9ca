//===- enumerate.h - stitch-enumerate: products and their versions -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files of the pass. The files are products.c (recognising products: products.h), flow.c (sets without a
// cycle), joining.c (concatenated operands: joining.h), variables.c (names and default versions), versions.c (sizes and
// the regions of a group). Further, ladders.c and groups.c (products that one library call could compute), strategies.c
// (conflicts of groups), plans.c (kernels of other plans) on parts.c and part_graph.c, size.c (the length of the file).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_ENUMERATE_ENUMERATE_H
#define STITCH_PASSES_STITCH_ENUMERATE_ENUMERATE_H

#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "passes/common/collect.h"
#include "passes/common/fusion_body.h"
#include "passes/stitch_enumerate/flow.h"
#include "passes/stitch_enumerate/products.h"
#include "passes/stitch_enumerate/size.h"

/// Allocation strategies of equal parts of the graph (strategies.c): a variable that others depend on.
typedef struct {
  char *text; ///< the common properties of the parts
  MlirAttribute name;
  int64_t numVersions;
} Fork;

/// The state of the pass.
typedef struct {
  StitchPassRun run;
  int64_t saturatedFlops; ///< a product of so many fills the device: no larger one is tried
  VersionRoom room;
  int64_t numVariables;   ///< so far, of all graphs
  double combinations;    ///< of the versions of all variables, before pruning, as a decimal logarithm
  MlirAttribute *updates; ///< of the variables, as the update tree has them: a name, or a name and its context
  intptr_t updateCapacity;
  MlirOperation main;
  Fork *forks;
  intptr_t numForks, forkCapacity;
  bool obeysRules;    ///< versions of groups obey rules; if not, operations that rules name are in none
  MlirAttribute fork; ///< in whose versions variables are made; null: outside
} Enumeration;

//===----------------------------------------------------------------------===//
// variables.c
//===----------------------------------------------------------------------===//

// Operations that become versions of one variable are in the order of their block.

/// A new variable, "products_3", of so many choices before any is ruled out. `op` is in its context.
MlirAttribute newVariable(Enumeration *e, MlirOperation op, const char *kind, int64_t numChoices);

/// A stitch.adaptive before `before` with so many empty versions, and results as the values in the list.
MlirOperation createAdaptive(MlirOperation before, MlirAttribute variable, const MlirAttribute *names, int64_t count,
                             const ValueList *results);

/// Ends a version with its yield. Returns its terminator, before which it is built.
MlirOperation endVersion(MlirOperation adaptive, int64_t version, IrValues values);

/// Results of the operations that others read.
ValueList escapingResults(const Operations *ops);

/// Moves the operations, whose results escape so, into the first version; others read its results then.
void buildDefault(const Operations *ops, MlirOperation adaptive, const ValueList *results);

//===----------------------------------------------------------------------===//
// versions.c
//===----------------------------------------------------------------------===//

/// Products that one call could compute, and the fusions that may be computed with them.
typedef struct {
  MlirOperation *products; ///< row by row; along a row the operands on `side` differ, along a column the others
  int64_t numProducts;
  int64_t numRows;        ///< that all have equally many products
  MlirOperation *readers; ///< fusions that read results, in the order of the block
  int64_t numReaders;
  int side;
} ProductGroup;

/// The products that a version computes together: so many columns of so many rows.
typedef struct {
  int64_t rows, columns;
  bool isBatched; ///< with their operands where they are
} Chunk;

/// Chunks that are worth a version: one product, powers of two of a row, a row, powers of two of whole rows, and all.
/// There are fewer where a chunk fills the device alone (Astra 4.8). Returns their number, as the next one does.
enum { MAX_CHUNKS = 32 };
int64_t listChunks(const Enumeration *e, const ProductGroup *group, Chunk *chunks);

/// The further costs of a version that computes products together, apart from concatenations and calls. They are bytes
/// of the kernels that read the products, once more, and results that it copies out of a product of several. Of a
/// ladder both operands differ; `mayBatch`: its products may be one call with their operands where they are.
typedef struct {
  int64_t readers, copied;
  bool isLadder, mayBatch;
} ChunkSizes;

/// Leaves one product, and of larger chunks those that the file has room for. First comes all as a batch, which has no
/// kernels of its own, as its readers are the default's. Then all concatenated, then others in a quarter of the room,
/// the largest first. Chunks without room for their kernels, or for their constants, are batches. A remark lists
/// omitted chunks. `chunks` has MAX_CHUNKS + 1 entries.
int64_t limitChunks(Enumeration *e, const ProductGroup *group, const ChunkSizes *sizes, Chunk *chunks, int64_t count);

/// createAdaptive with a version for each chunk.
MlirOperation createChunks(MlirOperation before, MlirAttribute variable, const ProductGroup *group, const Chunk *chunks,
                           int64_t numChunks, const ValueList *results);

/// Products along a row.
int64_t columnsOf(const ProductGroup *group);

/// Makes an adaptive variable of the group, whose operations stand together, with a version for each chunk; the first
/// one is single products.
MlirOperation buildVersions(Enumeration *e, const ProductGroup *group, const Chunk *chunks, int64_t numChunks);

/// The same with all chunks that there is room for.
void buildGroup(Enumeration *e, const ProductGroup *group);

//===----------------------------------------------------------------------===//
// part_graph.c: parts of a graph
//===----------------------------------------------------------------------===//

/// Blocks before any is changed. `blocks` is the caller's to free.
typedef struct {
  MlirBlock *blocks;
  intptr_t count, capacity;
} Blocks;

/// Adds a block and those within it.
void collectBlocks(Blocks *blocks, MlirBlock block);

/// A module with the device and a function @main with the computation of fusions and library calls: as they are, if
/// `whole`, or as operations outside of fusions. Its arguments are the values that they read, its results those that
/// escape.
MlirOperation partModule(const Operations *ops, bool whole);

/// Puts a copy of the computation of such a module before `end`, which then reads its results.
void partInsert(const Operations *ops, MlirOperation module, MlirOperation end);

//===----------------------------------------------------------------------===//
// plans.c
//===----------------------------------------------------------------------===//

/// Makes products with their readers, kernels, and library calls with epilogues adaptive. False after an error.
bool enumeratePlans(Enumeration *e);

//===----------------------------------------------------------------------===//
// strategies.c
//===----------------------------------------------------------------------===//

/// Makes a fork, "allocation_0", of the computation where groups of a block want the same products. It has a version
/// for each way to decide that (Astra 4.5.2), and groups within each version.
void enumerateStrategies(Enumeration *e, MlirBlock block);

//===----------------------------------------------------------------------===//
// groups.c, ladders.c: each replaces products of a graph by stitch.adaptive
//===----------------------------------------------------------------------===//

/// A candidate for a group (grouping.h) by its first product and the side on which its products differ.
typedef struct {
  int64_t op; ///< its number in the block
  int side;
} CandidateKey;

/// Products with a common operand and no path between them (Astra 4.4.1). Of candidates that want the same product
/// those of `first` get it, then the largest. `build` makes something of each group: buildGroup.
void enumerateGroups(Enumeration *e, MlirBlock block, const CandidateKey *first, int64_t numFirst,
                     void (*build)(Enumeration *e, const ProductGroup *group));

/// Sums of products that nothing else reads.
void enumerateLadders(Enumeration *e, MlirBlock block);

#endif // STITCH_PASSES_STITCH_ENUMERATE_ENUMERATE_H
