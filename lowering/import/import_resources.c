//===- import_resources.c - constants whose elements are resources of the ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exporters of PyTorch write weights as `dense_resource<name>` and the bytes behind the module. A large constant stays
// in the memory that the file was read into, if its elements lie there as in a kernel's memory. Everything else, which
// passes look at, becomes dense elements. Resources that are missing or do not fit are errors.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "capi/resource.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// Fewer bytes are copied.
enum { MIN_BYTES = 4096 };

/// Whether an element is in the file as in memory: booleans, unsigned, complex and small numbers are others for MLIR.
static bool isAsInMemory(MlirType element) {
  bool isWide = irElementBytes(element) > 1 && irIsFloat(element);
  return isWide || (mlirTypeIsAInteger(element) && mlirIntegerTypeIsSignless(element) && !irIsBool(element) &&
                    mlirIntegerTypeGetWidth(element) >= 8);
}

/// Booleans have a byte each, or a bit each if the size says so.
static MlirAttribute booleans(MlirType type, const StitchResource *resource, int64_t count) {
  bool isPacked = resource->size != (size_t)count;
  int *values = irAllocate(sizeof(int) * (size_t)count + 1);
  for (int64_t i = 0; i < count; ++i)
    values[i] = isPacked ? (resource->data[i / 8] >> (i % 8)) & 1 : resource->data[i] != 0;
  MlirAttribute result = mlirDenseElementsAttrBoolGet(type, count, values);
  free(values);
  return result;
}

/// The attribute's replacement; null after an error.
static MlirAttribute imported(MlirOperation op, MlirAttribute attribute) {
  StitchResource resource = stitchResourceOf(attribute);
  MlirType type = mlirAttributeGetType(attribute);
  int nameLength = (int)resource.name.length;
  if (mlirStringRefEqual(resource.name, mlirStringRefCreateFromCString("__elided__"))) {
    stitchEmitOpError(op, "has elements that are not in the file: the text was printed without its weights "
                          "(dense_resource<__elided__>)");
    return mlirAttributeGetNull();
  }
  if (!resource.found) {
    stitchEmitOpError(op, "has elements that are not in the file: there is no resource '%.*s' in its '{-# ... #-}'",
                      nameLength, resource.name.data);
    return mlirAttributeGetNull();
  }
  MlirType element = irElementType(type);
  bool isTensor = mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type);
  int64_t bytes = isTensor ? irTensorBytes(type) : 0, count = isTensor ? irNumElements(irTypeShape(type)) : 0;
  bool isPacked = irIsBool(element) && resource.size == (size_t)(count / 8 + (count % 8 != 0));
  if (!isTensor || bytes == INT64_MAX || irElementBytes(element) == 0 ||
      (resource.size != (size_t)bytes && !isPacked)) {
    stitchEmitOpError(op, "has elements that do not fit: resource '%.*s' has %zu bytes, and its type needs %" PRId64,
                      nameLength, resource.name.data, resource.size, bytes);
    return mlirAttributeGetNull();
  }
  bool isAligned = (uintptr_t)resource.data % (uintptr_t)irElementBytes(element) == 0;
  if (isAligned && bytes >= MIN_BYTES && isAsInMemory(element))
    return attribute;
  if (irIsBool(element))
    return booleans(type, &resource, count);
  return mlirDenseElementsAttrRawBufferGet(type, resource.size, resource.data);
}

typedef struct {
  bool failed;
} Import;

static MlirWalkResult importOp(MlirOperation op, void *data) {
  Import *import = data;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    if (!mlirAttributeIsADenseResourceElements(named.attribute))
      continue;
    MlirAttribute value = imported(op, named.attribute);
    if (mlirAttributeIsNull(value))
      import->failed = true;
    else if (!mlirAttributeEqual(value, named.attribute))
      mlirOperationSetAttributeByName(op, mlirIdentifierStr(named.name), value);
  }
  return MlirWalkResultAdvance;
}

static void run(StitchPassRun pass, MlirOperation module) {
  Import import = {0};
  mlirOperationWalk(module, importOp, &import, MlirWalkPreOrder);
  if (import.failed)
    stitchPassSignalFailure(pass);
}

const StitchPassInfo importResourcesPass = {
    .argument = "import-resources",
    .description = "Take the elements of constants that are resources of the file",
    .anchor = "builtin.module",
    .run = run,
};
