//===- llvm_host_symbols.c - kernels, library calls and constants by number ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the kernels, library calls, constants, adaptive variables and sites of the host function. Leaves a number for
// each in the order of its first use, and the attributes of @stitch_host_main that list them.
//
//===----------------------------------------------------------------------===//

#include "lowering/host/llvm_host.h"

#include "ir/mlir/arena.h"

#include <stdlib.h>

void hostAppend(AttributeList *list, MlirAttribute attribute) {
  IR_RESERVE_ONE(list->data, list->count, list->capacity);
  list->data[list->count++] = attribute;
}

MlirAttribute hostArrayOf(HostConversion *h, const AttributeList *list) {
  return mlirArrayAttrGet(h->context, list->count, list->data);
}

static MlirStringRef symbolName(MlirOperation op) { return mlirStringAttrGetValue(irGetAttr(op, "sym_name")); }

//===----------------------------------------------------------------------===//
// Numbering
//===----------------------------------------------------------------------===//

static void numberKernels(HostConversion *h, MlirOperation gpuModule) {
  IR_FOR_EACH_OP(op, irBody(gpuModule, 0)) {
    if (!irOpIs(op, "gpu.func"))
      continue;
    irMapSet(&h->kernels, op.ptr, h->kernelNames.count);
    hostAppend(&h->kernelNames, irGetAttr(op, "sym_name"));
  }
}

/// The declaration's stitch.library attribute with one more entry, if it does not have it: the types of its arguments.
static MlirAttribute libraryCallAttribute(HostConversion *h, MlirOperation declaration) {
  MlirAttribute library = irGetAttr(declaration, "stitch.library");
  if (!mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(library, mlirStringRefCreateFromCString("types"))))
    return library;
  MlirType type = mlirTypeAttrGetValue(irGetAttr(declaration, "function_type"));
  AttributeList operands = {0};
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    hostAppend(&operands, mlirTypeAttrGet(mlirFunctionTypeGetInput(type, i)));
  intptr_t count = mlirDictionaryAttrGetNumElements(library);
  MlirNamedAttribute *entries = irAllocate(sizeof(*entries) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    entries[i] = mlirDictionaryAttrGetElement(library, i);
  entries[count] = irNamed(h->context, "types", hostArrayOf(h, &operands));
  MlirAttribute result = mlirDictionaryAttrGet(h->context, count + 1, entries);
  free(entries);
  free(operands.data);
  return result;
}

static void numberLibraryCall(HostConversion *h, MlirOperation declaration) {
  MlirAttribute library = irGetAttr(declaration, "stitch.library");
  if (mlirAttributeIsNull(library) || !mlirAttributeIsADictionary(library))
    return;
  irMapSet(&h->calls, declaration.ptr, h->callAttributes.count);
  hostAppend(&h->callAttributes, libraryCallAttribute(h, declaration));
  hostAppend(&h->callNames, irGetAttr(declaration, "sym_name"));
}

static void numberConstant(HostConversion *h, MlirOperation global) {
  irMapSet(&h->constants, global.ptr, h->constantNames.count);
  hostAppend(&h->constantNames, mlirFlatSymbolRefAttrGet(h->context, symbolName(global)));
}

int64_t hostNumberSite(HostConversion *h, MlirAttribute text) {
  int64_t known = irMapGet(&h->siteNumbers, text.ptr, -1); // attributes are unique
  if (known >= 0)
    return known;
  irMapSet(&h->siteNumbers, text.ptr, h->sites.count);
  hostAppend(&h->sites, text);
  return h->sites.count - 1;
}

static void numberAdaptive(HostConversion *h) {
  MlirAttribute list = irGetAttr(h->main, "stitch.adaptive");
  for (intptr_t i = 0; !mlirAttributeIsNull(list) && i < mlirArrayAttrGetNumElements(list); ++i) {
    MlirAttribute name =
        mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(list, i), mlirStringRefCreateFromCString("name"));
    irMapSet(&h->adaptive, name.ptr, i); // attributes are unique
  }
}

void hostNumberSymbols(HostConversion *h) {
  numberAdaptive(h);
  IR_FOR_EACH_OP(op, irBody(h->module, 0)) {
    if (irOpIs(op, "gpu.module"))
      numberKernels(h, op);
    else if (irOpIs(op, "func.func"))
      numberLibraryCall(h, op);
    else if (irOpIs(op, "memref.global"))
      numberConstant(h, op);
  }
}

MlirOperation hostFindSymbol(MlirBlock body, MlirStringRef name) {
  IR_FOR_EACH_OP(op, body) {
    MlirAttribute symbol = irGetAttr(op, "sym_name");
    if (!mlirAttributeIsNull(symbol) && mlirStringRefEqual(mlirStringAttrGetValue(symbol), name))
      return op;
  }
  return (MlirOperation){NULL};
}
