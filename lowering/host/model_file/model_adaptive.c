//===- model_adaptive.c - adaptive variables of a model file --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the attributes stitch.adaptive, stitch.update and stitch.steps of @stitch_host_main. Leaves the tables of
// variables, of the update tree's nodes and of steps in the model file (runtime/model.h). Nodes come in preorder;
// variables are found by name.
//
//===----------------------------------------------------------------------===//

#include "lowering/host/model_file/model_adaptive.h"

#include "capi/diagnostics.h"
#include "ir/mlir/query.h"

#include <string.h>

static MlirAttribute listOf(MlirOperation host, const char *name) {
  return mlirOperationIsNull(host) ? mlirAttributeGetNull() : irGetAttr(host, name);
}

LLVMValueRef adaptiveTable(Writer *w, MlirOperation host, int64_t *count) {
  MlirAttribute list = listOf(host, "stitch.adaptive");
  Constants table = {0};
  *count = mlirAttributeIsNull(list) ? 0 : mlirArrayAttrGetNumElements(list);
  for (intptr_t i = 0; i < *count; ++i) {
    MlirAttribute variable = mlirArrayAttrGetElement(list, i), versions = irEntry(variable, "versions");
    Constants names = {0};
    intptr_t numVersions = mlirArrayAttrGetNumElements(versions);
    for (intptr_t j = 0; j < numVersions; ++j)
      constantsAdd(&names, constantText(w, mlirArrayAttrGetElement(versions, j)));
    constantsAdd(&table, CONSTANT_STRUCT(w, constantText(w, irEntry(variable, "name")), constantTable(w, &names),
                                         constantInteger(w, numVersions),
                                         constantInteger(w, !mlirAttributeIsNull(irEntry(variable, "bitwise")))));
  }
  return constantTable(w, &table);
}

/// The number of the variable of that name; -1 after a diagnostic if there is none.
static int64_t variableNumber(Writer *w, MlirOperation host, MlirAttribute name) {
  MlirAttribute list = irGetAttr(host, "stitch.adaptive");
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(list); ++i)
    if (mlirAttributeEqual(irEntry(mlirArrayAttrGetElement(list, i), "name"), name))
      return i;
  stitchEmitOpError(host, "explores an adaptive variable that it does not list");
  w->failed = true;
  return -1;
}

static StitchUpdateMode modeOf(MlirAttribute name) {
  static const char *const names[] = {[STITCH_UPDATE_PARALLEL] = "parallel",
                                      [STITCH_UPDATE_EXHAUSTIVE] = "exhaustive",
                                      [STITCH_UPDATE_PREFIX] = "prefix"};
  StitchUpdateMode mode = STITCH_UPDATE_PARALLEL;
  while (!mlirStringRefEqual(mlirStringAttrGetValue(name), mlirStringRefCreateFromCString(names[mode])))
    ++mode;
  return mode;
}

static int64_t nodesOf(MlirAttribute node) {
  int64_t count = 1;
  for (intptr_t i = 1; mlirAttributeIsAArray(node) && i < mlirArrayAttrGetNumElements(node); ++i)
    count += nodesOf(mlirArrayAttrGetElement(node, i));
  return count;
}

static void addUpdateNode(Writer *w, MlirOperation host, MlirAttribute node, Constants *table) {
  bool isInner = mlirAttributeIsAArray(node), hasContext = mlirAttributeIsADictionary(node);
  Constants context = {0};
  MlirAttribute names = hasContext ? irEntry(node, "context") : mlirAttributeGetNull();
  intptr_t numContext = hasContext ? mlirArrayAttrGetNumElements(names) : 0;
  for (intptr_t i = 0; i < numContext; ++i)
    constantsAdd(&context, constantInteger(w, variableNumber(w, host, mlirArrayAttrGetElement(names, i))));
  StitchUpdateMode mode = isInner ? modeOf(mlirArrayAttrGetElement(node, 0)) : STITCH_UPDATE_VARIABLE;
  int64_t variable = isInner ? -1 : variableNumber(w, host, hasContext ? irEntry(node, "variable") : node);
  constantsAdd(table, CONSTANT_STRUCT(w, constantInteger(w, mode), constantInteger(w, variable),
                                      constantInteger(w, nodesOf(node)), constantTable(w, &context),
                                      constantInteger(w, numContext)));
  for (intptr_t i = 1; isInner && i < mlirArrayAttrGetNumElements(node); ++i)
    addUpdateNode(w, host, mlirArrayAttrGetElement(node, i), table);
}

LLVMValueRef updateTable(Writer *w, MlirOperation host, int64_t *count) {
  MlirAttribute tree = listOf(host, "stitch.update");
  Constants table = {0};
  if (!mlirAttributeIsNull(tree))
    addUpdateNode(w, host, tree, &table);
  *count = table.count;
  return constantTable(w, &table);
}

static LLVMValueRef numbersTable(Writer *w, MlirAttribute numbers) {
  Constants table = {0};
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(numbers); ++i)
    constantsAdd(&table, constantInteger(w, mlirDenseI64ArrayGetElement(numbers, i)));
  return constantTable(w, &table);
}

LLVMValueRef stepTable(Writer *w, MlirOperation host, int64_t *count, int64_t *numStreams) {
  MlirAttribute list = listOf(host, "stitch.steps");
  Constants table = {0};
  *count = mlirAttributeIsNull(list) ? 0 : mlirArrayAttrGetNumElements(list);
  *numStreams = *count > 0;
  for (intptr_t i = 0; i < *count; ++i) {
    MlirAttribute step = mlirArrayAttrGetElement(list, i), on = irEntry(step, "on"), after = irEntry(step, "after");
    bool isFixed = mlirAttributeIsNull(on);
    if (!mlirAttributeIsNull(irEntry(step, "stream"))) { // the same in all versions
      int64_t stream = mlirIntegerAttrGetValueInt(irEntry(step, "stream"));
      on = mlirDenseI64ArrayGet(mlirAttributeGetContext(step), 1, &stream);
    }
    bool hasStreams = !mlirAttributeIsNull(on);
    for (intptr_t j = 0; hasStreams && j < mlirDenseArrayGetNumElements(on); ++j)
      if (mlirDenseI64ArrayGetElement(on, j) >= *numStreams)
        *numStreams = mlirDenseI64ArrayGetElement(on, j) + 1;
    constantsAdd(&table,
                 CONSTANT_STRUCT(w, constantInteger(w, mlirIntegerAttrGetValueInt(irEntry(step, "super_epoch"))),
                                 constantInteger(w, isFixed ? -1 : variableNumber(w, host, irEntry(step, "variable"))),
                                 hasStreams ? numbersTable(w, on) : constantNull(w), numbersTable(w, after),
                                 constantInteger(w, mlirDenseArrayGetNumElements(after))));
  }
  return constantTable(w, &table);
}
