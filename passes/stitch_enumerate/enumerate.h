//===- enumerate.h - stitch-enumerate: products and their versions -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files of the pass: products.c (what is a product), flow.c (what may be put together without a cycle),
// joining.c (operands side by side), versions.c (names, sizes and the regions of a group), ladders.c and groups.c
// (which products one library call could compute).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_ENUMERATE_ENUMERATE_H
#define STITCH_PASSES_STITCH_ENUMERATE_ENUMERATE_H

#include "capi/pass.h"
#include "ir/graph/numbering.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "passes/common/fusion_body.h"

/// The sides of a product.
enum { LHS, RHS };

/// What the pass knows and makes.
typedef struct {
  StitchPassRun run;
  int64_t saturatedFlops; ///< a product of so many fills the device: no larger one is tried
  int64_t numVariables;   ///< so far, of all graphs
  double combinations;    ///< of the versions of all variables, before pruning, as a decimal logarithm
  MlirAttribute *names;   ///< of the variables
  intptr_t nameCapacity;
  int64_t *versions; ///< how many each has
  intptr_t versionCapacity;
} Enumeration;

//===----------------------------------------------------------------------===//
// products.c
//===----------------------------------------------------------------------===//

/// Whether a stitch.library_call is one tg.dot of floats and nothing else.
bool isProduct(MlirOperation op);

/// The tg.dot of a product.
MlirOperation dotOf(MlirOperation product);

/// What a product multiplies, outside of its body.
MlirValue productOperand(MlirOperation product, int side);

/// The first dimension of an operand that is neither a batch nor a contracted one, and where it is in the result; -1 if
/// there is none.
int64_t freeDim(MlirOperation product, int side);
int64_t resultDim(MlirOperation product, int side);

/// Whether two products differ in nothing but in the size of dimension `dim` of the operand on `side`.
bool haveSameForm(MlirOperation a, MlirOperation b, int side, int64_t dim);

/// Floating-point operations of a product.
double flopsOf(MlirOperation product);

/// Whether the value of an operation is put into a slice of a loop's buffer where it is computed.
bool isUpdate(MlirOperation op);

/// A new library call before `before`: the product of other operands, with `addend` (null: nothing) added.
MlirValue buildProduct(MlirOperation like, MlirValue lhs, MlirValue rhs, MlirType result, MlirValue addend,
                       MlirOperation before);

//===----------------------------------------------------------------------===//
// flow.c
//===----------------------------------------------------------------------===//

/// The operations of a block with those put together that belong to one group.
typedef struct {
  IrNumbering numbering;
  int64_t *firstUser; ///< index in `users`, one more than there are operations
  int64_t *users;     ///< operations of the block, those whose regions use a value among them
  int64_t *group;     ///< of each operation; -1: none
  int64_t *visited;   ///< mark of the last search that came by
  int64_t mark;
} Flow;

Flow flowCreate(MlirBlock block);
void flowDestroy(Flow *flow);

/// Whether `op` can join the group without a cycle: no path leads from one to the other and back. Without
/// `mayFollow` no path may lead from one to the other at all.
bool flowCanJoin(Flow *flow, int64_t group, int64_t op, bool mayFollow);

/// Reorders the block so that the operations of each group stand together, in the order in which they stood.
void flowGather(Flow *flow);

//===----------------------------------------------------------------------===//
// joining.c: operands side by side
//===----------------------------------------------------------------------===//

/// The fusion that puts operands side by side, while it is filled. Zero-initialised it is empty.
typedef struct {
  FusionBody body;
  ValueList results;
  MlirOperation fusion; ///< null until it is closed, and if there is nothing to do at run time
} Joining;

/// Operands side by side: a value, or (null) a result of the fusion.
typedef struct {
  MlirValue value;
  int64_t result;
} Joined;

/// Whether operands are constants, which are laid out when the model is compiled.
bool areConstants(MlirOperation const *products, int64_t count, int side);

/// The operands on `side` of products side by side along a dimension; constants before `before`.
Joined joinOperands(Joining *joining, MlirOperation const *products, int64_t count, int side, int64_t dim,
                    MlirOperation before);

/// Puts the fusion, if it is needed, before `before`; joinedValue may be called then, joiningDestroy has to be.
void joiningClose(Joining *joining, MlirOperation before);
MlirValue joinedValue(const Joining *joining, Joined joined);
void joiningDestroy(Joining *joining);

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
} Group;

/// The products that a version computes together: so many columns of so many rows.
typedef struct {
  int64_t rows, columns;
} Chunk;

/// Chunks that are worth a version: one product, powers of two of a row, a row, powers of two of whole rows, and all;
/// fewer where a chunk fills the device alone (Astra 4.8). Returns their number.
enum { MAX_CHUNKS = 32 };
int64_t listChunks(const Enumeration *e, const Group *group, Chunk *chunks);

/// A new variable, for `numProducts` products: "products_3". `op` is in its context.
MlirAttribute newVariable(Enumeration *e, MlirOperation op, const char *kind, int64_t numVersions, int64_t numProducts);

/// A stitch.adaptive before `before` with a version for each chunk, empty, and results as the values in the list.
MlirOperation createAdaptive(MlirOperation before, MlirAttribute variable, const Group *group, const Chunk *chunks,
                             int64_t numChunks, const ValueList *results);

/// Ends a version with what it yields. Returns its terminator.
MlirOperation endVersion(MlirOperation adaptive, int64_t version, IrValues values);

/// Makes the group, whose operations stand together, an adaptive variable.
void buildGroup(Enumeration *e, const Group *group);

//===----------------------------------------------------------------------===//
// groups.c, ladders.c: each replaces products of a graph by stitch.adaptive
//===----------------------------------------------------------------------===//

/// Products with a common operand and no path between them (Astra 4.4.1).
void enumerateGroups(Enumeration *e, MlirBlock block);

/// Sums of products that nothing else reads.
void enumerateLadders(Enumeration *e, MlirBlock block);

#endif // STITCH_PASSES_STITCH_ENUMERATE_ENUMERATE_H
