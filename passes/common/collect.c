//===- collect.c - operations to be replaced -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module and a predicate. Leaves the list of operations for which it holds, so that a pass can replace them
// while nothing else goes through the module.
//
//===----------------------------------------------------------------------===//

#include "passes/common/collect.h"

#include "ir/mlir/arena.h"

typedef struct {
  bool (*wanted)(MlirOperation op);
  Operations found;
} Collecting;

void addOperation(Operations *list, MlirOperation op) {
  IR_RESERVE_ONE(list->data, list->count, list->capacity);
  list->data[list->count++] = op;
}

static MlirWalkResult visitWanted(MlirOperation op, void *data) {
  Collecting *c = data;
  if (c->wanted(op))
    addOperation(&c->found, op);
  return MlirWalkResultAdvance;
}

Operations collectOperations(MlirOperation root, bool (*wanted)(MlirOperation op), MlirWalkOrder order) {
  Collecting collecting = {.wanted = wanted};
  mlirOperationWalk(root, visitWanted, &collecting, order);
  return collecting.found;
}
