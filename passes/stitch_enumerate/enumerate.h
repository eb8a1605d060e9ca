//===- enumerate.h - stitch-enumerate: products and their versions -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files of the pass: products.c (what is a product), flow.c (what may be put together without a cycle),
// joining.c (operands side by side), variables.c (names and default versions), versions.c (sizes and the regions of a
// group), ladders.c and groups.c (which products one library call could compute), plans.c (what is a kernel) on
// part_graph.c.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_ENUMERATE_ENUMERATE_H
#define STITCH_PASSES_STITCH_ENUMERATE_ENUMERATE_H

#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "passes/common/fusion_body.h"
#include "passes/stitch_enumerate/flow.h"

/// The sides of a product.
enum { LHS, RHS };

/// What the pass knows and makes.
typedef struct {
  StitchPassRun run;
  int64_t saturatedFlops; ///< a product of so many fills the device: no larger one is tried
  int64_t growth;         ///< operations of all versions but the default ones, in percent of those of these
  int64_t numVariables;   ///< so far, of all graphs
  double combinations;    ///< of the versions of all variables, before pruning, as a decimal logarithm
  MlirAttribute *names;   ///< of the variables
  intptr_t nameCapacity;
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
// variables.c
//===----------------------------------------------------------------------===//

/// Operations that become versions of one variable, in the order of their block.
typedef struct {
  MlirOperation *data;
  int64_t count, capacity;
} Operations;

/// A new variable, "products_3", of so many choices before any is ruled out. `op` is in its context.
MlirAttribute newVariable(Enumeration *e, MlirOperation op, const char *kind, int64_t numChoices);

/// A stitch.adaptive before `before` with so many empty versions, and results as the values in the list.
MlirOperation createAdaptive(MlirOperation before, MlirAttribute variable, const MlirAttribute *names, int64_t count,
                             const ValueList *results);

/// Ends a version with what it yields. Returns its terminator, before which it is built.
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
} Group;

/// The products that a version computes together: so many columns of so many rows.
typedef struct {
  int64_t rows, columns;
} Chunk;

/// Chunks that are worth a version: one product, powers of two of a row, a row, powers of two of whole rows, and all;
/// fewer where a chunk fills the device alone (Astra 4.8). Returns their number.
enum { MAX_CHUNKS = 32 };
int64_t listChunks(const Enumeration *e, const Group *group, Chunk *chunks);

/// createAdaptive with a version for each chunk.
MlirOperation createChunks(MlirOperation before, MlirAttribute variable, const Group *group, const Chunk *chunks,
                           int64_t numChunks, const ValueList *results);

/// Makes the group, whose operations stand together, an adaptive variable.
void buildGroup(Enumeration *e, const Group *group);

//===----------------------------------------------------------------------===//
// part_graph.c: part of a graph as a module
//===----------------------------------------------------------------------===//

/// A module with the device and a function @main of what fusions and library calls compute: as they are, if `whole`, or
/// as operations outside of fusions. Its arguments are the values that they read, its results those that escape.
MlirOperation partModule(const Operations *ops, bool whole);

/// Puts a copy of what such a module computes before `end`, which then reads its results.
void partInsert(const Operations *ops, MlirOperation module, MlirOperation end);

//===----------------------------------------------------------------------===//
// plans.c
//===----------------------------------------------------------------------===//

/// Makes kernels, and library calls with epilogues, of the blocks of @main adaptive. False after an error.
bool enumeratePlans(Enumeration *e, MlirOperation main, MlirBlock const *blocks, int64_t numBlocks);

//===----------------------------------------------------------------------===//
// groups.c, ladders.c: each replaces products of a graph by stitch.adaptive
//===----------------------------------------------------------------------===//

/// Products with a common operand and no path between them (Astra 4.4.1).
void enumerateGroups(Enumeration *e, MlirBlock block);

/// Sums of products that nothing else reads.
void enumerateLadders(Enumeration *e, MlirBlock block);

#endif // STITCH_PASSES_STITCH_ENUMERATE_ENUMERATE_H
