//===- scan_tree.h - recursive prefix scans in graphs --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The prefixes of n elements, as jax.lax.associative_scan computes them by a function f of two elements, each of one or
// several tensors (components), along one axis:
//
//   reduced = f(x[0:n-1:2], x[1:n:2])                   pairs
//   odd     = the prefixes of reduced                   those of elements 1, 3, 5, ...
//   even    = x[0:1], f(odd, x[2:n:2])                  those of elements 0, 2, 4, ...; of odd without its last if n is
//   even result  = even[0], odd[0], even[1], ...             a sum of both, with zeros between their elements
//
// Level 0 is x, level 1 is reduced, and so on up to one element.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_TG_RAISE_CUMULATIVES_SCAN_TREE_H
#define STITCH_PASSES_TG_RAISE_CUMULATIVES_SCAN_TREE_H

#include "ir/mlir/map.h"
#include "ir/mlir/query.h"

enum {
  SCAN_MOST_COMPONENTS = 8,
  SCAN_MOST_LEVELS = 40 ///< more than any tensor has elements for
};

typedef struct {
  int64_t axis;
  intptr_t numLevels;
  int64_t sizes[SCAN_MOST_LEVELS]; ///< along the axis
  intptr_t count;                  ///< of components
  /// Of each level and component; null where nothing needs it.
  MlirValue elements[SCAN_MOST_LEVELS][SCAN_MOST_COMPONENTS];
  MlirValue prefixes[SCAN_MOST_LEVELS][SCAN_MOST_COMPONENTS];
  /// A value of f at level 0 -> its number as an argument of f: component i of the first element is i, of the second
  /// one count + i.
  IrMap arguments;
} ScanTree;

/// Whether a value is the sum of two others with zeros between their elements.
bool scanIsInterleaved(MlirOperation op);

/// Finds the tree whose result of one component is `result`. False if there is none. The caller destroys it if there
/// is.
bool scanFind(MlirValue result, ScanTree *tree);
void scanDestroy(ScanTree *tree);

/// Whether `result` is the prefixes of one of the components of a tree; sets its number.
bool scanHasResult(ScanTree *tree, MlirValue result, intptr_t *component);

#endif // STITCH_PASSES_TG_RAISE_CUMULATIVES_SCAN_TREE_H
