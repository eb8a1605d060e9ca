//===- collective.c - communication between processes --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model file runs in one process. A collective operation whose groups have one process each is then an identity; any
// other is refused.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/rules.h"

#include "ir/graph/tg_build.h"
#include "ir/mlir/query.h"

#include <string.h>

/// Processes in each group: columns of `replica_groups`; 1 if it is empty, which stands for one group of all processes.
static bool readGroupSize(HloConversion *c, int64_t *size) {
  MlirAttribute groups = irGetAttr(c->op, "replica_groups");
  *size = 1;
  if (mlirAttributeIsNull(groups))
    return true;
  if (!mlirAttributeIsAElements(groups))
    return hloFail(c, "attribute 'replica_groups' is not a table of processes");
  IrShape shape = irTypeShape(mlirAttributeGetType(groups));
  if (shape.rank == 2 && shape.dims[0] > 0)
    *size = shape.dims[1];
  return true;
}

bool hloConvertCollective(HloConversion *c) {
  int64_t size;
  if (!readGroupSize(c, &size))
    return false;
  if (size != 1)
    return hloFail(c, "it spans %lld processes, and a compiled model runs in one", (long long)size);
  return hloReplaceByOperands(c);
}

/// The only result becomes zeros.
static bool replaceByZeros(HloConversion *c) {
  MlirType type = hloResultType(c, 0), element = irElementType(type);
  bool isNumber = irIsInteger(element) || irIsFloat(element) || mlirTypeIsAComplex(element);
  if (!mlirTypeIsARankedTensor(type) || !mlirShapedTypeHasStaticShape(type) || !isNumber)
    return hloFail(c, "its result is not a tensor of numbers of known sizes");
  return hloReplaceResult(c, 0, tgSplat(&c->b, type, 0));
}

/// The only process sends to itself, or gets zeros.
bool hloConvertCollectivePermute(HloConversion *c) {
  MlirAttribute pairs = irGetAttr(c->op, "source_target_pairs");
  if (mlirAttributeIsNull(pairs) || !mlirAttributeIsADenseIntElements(pairs) ||
      !mlirTypeIsAInteger(irElementType(mlirAttributeGetType(pairs))) ||
      mlirIntegerTypeGetWidth(irElementType(mlirAttributeGetType(pairs))) != 64)
    return hloFail(c, "attribute 'source_target_pairs' is not a table of 64-bit integers");
  int64_t count = mlirElementsAttrGetNumElements(pairs);
  for (int64_t i = 0; i < count && (i == 0 || !mlirDenseElementsAttrIsSplat(pairs)); ++i)
    if (mlirDenseElementsAttrGetInt64Value(pairs, i) != 0)
      return hloFail(c, "it names process %lld, and a compiled model runs in one",
                     (long long)mlirDenseElementsAttrGetInt64Value(pairs, i));
  return count > 0 ? hloReplaceByOperands(c) : replaceByZeros(c);
}

/// The number of the only process.
bool hloConvertProcessId(HloConversion *c) { return replaceByZeros(c); }
