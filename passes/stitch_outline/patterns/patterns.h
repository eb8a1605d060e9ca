//===- patterns.h - fusions that could be, and the best of them ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching, section 4: algorithms propose *patterns*, sets of operations that could be one kernel; each gets a
// score; an integer program chooses disjoint ones with the highest sum. From the lowest layer to the highest:
//
// dependences.c   the operands of each operation, free operations looked through
// pattern_set.c   patterns, each once
// products.c      thin products are in patterns as a whole
// substitution.c  algorithm 1: all operations between adjacent partition operations
// exploration.c   algorithm 2: from large operations on, one producer or consumer after the other
// aggregation.c   APOLLO's aggregation rules
// settings.c      tiles of reductions, before there are kernels
// scopes.c        AStitch's scope and XLA's
// unions.c        chosen patterns with those that read them
// signature.c     which patterns are the same kernel
// score.c         the cost of patterns as kernels
// selection.c     the integer program; choices that form a cycle are ruled out
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_OUTLINE_PATTERNS_PATTERNS_H
#define STITCH_PASSES_STITCH_OUTLINE_PATTERNS_PATTERNS_H

#include "capi/kernel_times.h"
#include "passes/common/set_packing.h"
#include "passes/stitch_outline/outline.h"

// dependences.c Edges between the nodes that are not free. They lead from a read node to its readers, and from each
// operation that keeps the order of the program to the next one. Each edge is there once.
typedef struct {
  int64_t *firstUser; ///< node -> its users in `users` (numNodes + 1 entries)
  int64_t *users;     ///< rising
  int64_t *firstProducer;
  int64_t *producers; ///< rising
  int64_t *mark;      ///< scratch: zero between two questions
  int64_t *stack;     ///< scratch
} Dependences;

/// In the outline's arena.
Dependences findDependences(Outline *outline);

/// Whether no path leaves a set of nodes and comes back into it, so that the set can be one operation. The search gives
/// up, and says no, behind so many nodes outside of the set: sets of neighbours need few.
bool isConvex(Dependences *dependences, const int64_t *nodes, int64_t count);

// pattern_set.c
/// Where a pattern comes from, for remarks.
typedef enum {
  PATTERN_SINGLE,
  PATTERN_SUBSTITUTION,
  PATTERN_EXPLORATION,
  PATTERN_AGGREGATION,
  PATTERN_ASTITCH,
  PATTERN_XLA,
  PATTERN_UNION
} PatternSource;

typedef struct {
  const int64_t *nodes; ///< stitched nodes, rising
  int64_t count;
  PatternSource source; ///< the first that proposed it
  double kernelNs;      ///< of its kernel, by its plan (scorePatterns)
  double ns;            ///< the same, less or more where a rule prefers or avoids it
} Pattern;

typedef struct {
  Outline *outline;
  Pattern *data;
  int64_t count;
  int64_t capacity;
  int64_t numOps;     ///< of all patterns together
  int64_t mostOps;    ///< the budget: patterns beyond it are not added
  int64_t numRefused; ///< patterns that exceeded it
  int64_t *byHash;    ///< open addressing: 1 + pattern; 0: free
  int64_t hashCapacity;
  Dependences *dependences;
  NumberList *products; ///< thin products of several rows: their nodes
  int64_t numProducts;
  int64_t *productOf; ///< node -> its product, or -1
  bool *isBehind;     ///< node -> whether it concatenates the sums of its product
  bool *isIn;         ///< scratch of completeProducts: by product
  int64_t *completed; ///< the same: nodes
} Patterns;

uint64_t hashOfNumbers(const int64_t *numbers, int64_t count);

/// Adds a pattern, with its thin products completed (products.c), unless there is an equal one, or the budget is spent.
/// `nodes` are rising, and copied. True if any is new.
bool addPattern(Patterns *patterns, const int64_t *nodes, int64_t count, PatternSource source);
/// Adds the fusions of the outline's components, within the bounds.
void addComponents(Patterns *patterns, PatternSource source);
void destroyPatterns(Patterns *patterns);

// products.c
/// Finds the thin products of several rows.
void findProducts(Patterns *patterns);
/// Completes the sums of the products that a set of rising nodes has sums of. With `behind` adds the concatenations of
/// these, too, and leaves those of others out. The set is the same one, or valid until the next call. False if it is no
/// pattern then, or, with `behind`, has nothing of a product. The set is the same one, or valid until the next call.
/// False if it is no pattern then, or, with `behind`, has nothing of a product.
bool completeProducts(Patterns *patterns, const int64_t **nodes, int64_t *count, bool behind);

// substitution.c
void proposeSubstitutions(Patterns *patterns);

// exploration.c
void proposeExplorations(Patterns *patterns, Dependences *dependences);

// aggregation.c
/// Unites the outline's components as APOLLO's tables 1 and 2 say.
void aggregate(Outline *outline, Dependences *dependences);

// settings.c
/// The stitch.mapping of a reduction as a kernel of its own: tiles and blocks. Null if it has none.
MlirAttribute reductionSettings(MlirOperation reduction);

// scopes.c
void proposeScopes(Patterns *patterns);

// unions.c
/// Proposes the union of each two of the outline's components of which one reads the other.
void proposeUnions(Patterns *patterns, Dependences *dependences);

// signature.c
/// Adds the graph of a pattern to a key, equal for those that are the same kernel. False if the key holds for this
/// outline alone (kernelKeyPutOperation).
bool keyOfPattern(Outline *outline, const Pattern *pattern, StitchKernelKey *key);

// score.c
/// Plans each pattern from number `first` on as a kernel of its own and sets its `ns` (ir/plan/kernel_cost.h); those
/// before have theirs. False after an error.
bool scorePatterns(Patterns *patterns, int64_t first);
/// A module within the one that is planned, with a function @patterns and in it an unplanned fusion for each of the
/// patterns, in their order.
MlirOperation patternsModule(Outline *outline, Pattern *const *patterns, int64_t count);

// selection.c
/// The chosen patterns, for remarks. In the outline's arena.
typedef struct {
  int64_t *candidates; ///< patterns with a positive score
  double *scores;      ///< of these
  bool *chosen;        ///< of these
  int64_t count;
  int64_t numPrograms, numConflicts;
  SetPackingReport report; ///< of the last program
} PatternSelection;

/// Chooses among the patterns and makes the chosen ones the outline's components. The time it takes is subtracted from
/// `*seconds`.
PatternSelection selectPatterns(Patterns *patterns, Dependences *dependences, double *seconds);
/// Remarks on the patterns that were chosen in the end.
void explainSelection(const Patterns *patterns, const PatternSelection *selection);
/// Finds the levels of nodes whose components are no cycle: the order in which emit.c writes them.
void findLevelsOfComponents(Outline *outline, const Dependences *dependences);

// choose.c
/// All patterns of substitution and exploration or, with `all`, of all sources, with their scores, for the caller to
/// destroy. False after an error.
bool proposePatterns(Outline *outline, Dependences *dependences, bool all, Patterns *patterns);
/// The components of scope=fusionstitching (substitutions and explorations) or, with `all`, of all sources. False after
/// an error.
bool formBestComponents(Outline *outline, bool all, double seconds);
/// The components of scope=apollo.
void formAggregatedComponents(Outline *outline);

#endif // STITCH_PASSES_STITCH_OUTLINE_PATTERNS_PATTERNS_H
