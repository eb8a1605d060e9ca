//===- launch_graphs.c - graphs of launches as bytes ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is a list of numbers, so that those who check a launch need no MLIR to read it: docs/ir.md, section 6.
//
//===----------------------------------------------------------------------===//

#include "lowering/host/model_file/launch_graphs.h"

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/location.h"
#include "ir/mlir/query.h"
#include "ir/mlir/symbol.h"
#include "lowering/host/model_file/model_file.h"

#include <stdlib.h>
#include <string.h>

/// The number of a string attribute; attributes are unique.
static int64_t graphTextNumber(GraphTexts *texts, MlirAttribute text) {
  int64_t known = irMapGet(&texts->numberOf, text.ptr, -1);
  if (known >= 0)
    return known;
  IR_RESERVE_ONE(texts->data, texts->count, texts->capacity);
  irMapSet(&texts->numberOf, text.ptr, texts->count);
  texts->data[texts->count++] = text;
  return texts->count - 1;
}

void graphTextsDestroy(GraphTexts *texts) {
  irMapDestroy(&texts->numberOf);
  free(texts->data);
  *texts = (GraphTexts){0};
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// A growing list of numbers.
typedef struct {
  int64_t *data;
  intptr_t count, capacity;
} GraphWords;

static void addWord(GraphWords *words, int64_t word) {
  IR_RESERVE_ONE(words->data, words->count, words->capacity);
  words->data[words->count++] = word;
}

static void addAll(GraphWords *words, const GraphWords *more) {
  for (intptr_t i = 0; i < more->count; ++i)
    addWord(words, more->data[i]);
}

/// One graph under construction: the numbers of its values.
typedef struct {
  MlirOperation main; ///< has the symbols
  MlirContext context;
  GraphTexts *texts;
  IrMap numberOf; ///< value -> number
  intptr_t numValues;
  GraphWords types, ops;
  int64_t numOps;
  bool failed;
} LaunchGraph;

static void addText(LaunchGraph *g, GraphWords *words, const char *text) {
  addWord(words, graphTextNumber(g->texts, irStringAttr(g->context, text)));
}

/// The number of a text that may be empty, or -1.
static int64_t optionalText(LaunchGraph *g, MlirStringRef text) {
  return text.length ? graphTextNumber(g->texts, mlirStringAttrGet(g->context, text)) : -1;
}

static void addPlace(LaunchGraph *g, GraphWords *words, MlirLocation location) {
  IrPlace place = irPlaceOf(location);
  addWord(words, optionalText(g, place.file));
  addWord(words, place.line);
  addWord(words, place.column);
  addWord(words, optionalText(g, place.name));
}

static void addType(LaunchGraph *g, GraphWords *words, MlirOperation op, MlirType type) {
  StitchElementType element = STITCH_ELEMENT_F32;
  if (!mlirTypeIsARankedTensor(type) || !stitchElementTypeFromMLIR(irElementType(type), &element)) {
    stitchEmitOpError(op, "has a value of a type that no model file can hold");
    g->failed = true;
    return;
  }
  IrShape shape = irTypeShape(type);
  addWord(words, element);
  addWord(words, irSymbolNumber(g->main, type));
  addWord(words, shape.rank);
  for (intptr_t d = 0; d < shape.rank; ++d)
    addWord(words, shape.dims[d]);
}

static void addGraphValue(LaunchGraph *g, MlirOperation op, MlirValue value) {
  addType(g, &g->types, op, mlirValueGetType(value));
  irMapSet(&g->numberOf, value.ptr, g->numValues++);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// A table of processes: its rows and columns, and its numbers.
static bool tableNumbers(MlirAttribute a, GraphWords *numbers) {
  IrShape shape = irTypeShape(mlirAttributeGetType(a));
  MlirType element = irElementType(mlirAttributeGetType(a));
  if (shape.rank != 2 || !mlirTypeIsAInteger(element) || mlirIntegerTypeGetWidth(element) != 64)
    return false;
  addWord(numbers, shape.dims[0]);
  addWord(numbers, shape.dims[1]);
  for (int64_t i = 0; i < shape.dims[0] * shape.dims[1]; ++i)
    addWord(numbers, mlirDenseElementsAttrGetInt64Value(a, mlirDenseElementsAttrIsSplat(a) ? 0 : i));
  return true;
}

/// Behind its name: the numbers of an attribute. False: it has none that matter.
static bool attributeNumbers(MlirAttribute a, GraphWords *numbers) {
  if (mlirAttributeIsAInteger(a) || mlirAttributeIsABool(a))
    addWord(numbers, mlirAttributeIsABool(a) ? mlirBoolAttrGetValue(a) : mlirIntegerAttrGetValueInt(a));
  else if (mlirAttributeIsADenseI64Array(a))
    for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(a); ++i)
      addWord(numbers, mlirDenseI64ArrayGetElement(a, i));
  else if (mlirAttributeIsADenseBoolArray(a))
    for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(a); ++i)
      addWord(numbers, mlirDenseBoolArrayGetElement(a, i));
  else if (mlirAttributeIsADenseIntElements(a))
    return tableNumbers(a, numbers);
  else
    return mlirAttributeIsAUnit(a);
  return true;
}

/// The bytes of the element that all elements of a constant are.
static bool splatNumbers(MlirAttribute value, GraphWords *numbers) {
  int64_t words[2] = {0};
  if (!mlirAttributeIsADenseElements(value) || !mlirDenseElementsAttrIsSplat(value))
    return false;
  MlirType element = irElementType(mlirAttributeGetType(value));
  if (irIsBool(element))
    words[0] = mlirDenseElementsAttrGetBoolValue(value, 0);
  else
    memcpy(words, mlirDenseElementsAttrGetRawData(value), (size_t)irElementBytes(element));
  addWord(numbers, words[0]);
  addWord(numbers, words[1]);
  return true;
}

static int64_t addAttributes(LaunchGraph *g, MlirOperation op, GraphWords *words) {
  int64_t count = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    GraphWords numbers = {0};
    bool matters = tgKindOf(op) == TG_constant ? splatNumbers(named.attribute, &numbers)
                                               : attributeNumbers(named.attribute, &numbers);
    if (matters) {
      ++count;
      addText(g, words, mlirIdentifierStr(named.name).data);
      addWord(words, numbers.count);
      addAll(words, &numbers);
    }
    free(numbers.data);
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool writeGraph(LaunchGraph *outer, MlirBlock block, GraphWords *words);
static void addOperation(LaunchGraph *g, MlirOperation op);

/// The number of an operand. A body may read constants around it, which become its own.
static int64_t operandNumber(LaunchGraph *g, MlirOperation user, MlirValue value) {
  int64_t known = irMapGet(&g->numberOf, value.ptr, -1);
  MlirOperation op = irDefiningOp(value);
  if (known < 0 && !mlirOperationIsNull(op) && tgKindOf(op) == TG_constant) {
    addOperation(g, op);
    known = irMapGet(&g->numberOf, value.ptr, -1);
  }
  if (known < 0 && !g->failed) {
    stitchEmitOpError(user, "reads a value around its body, which no model file can hold");
    g->failed = true;
  }
  return known;
}

static void addOperation(LaunchGraph *g, MlirOperation op) {
  GraphWords words = {0}, attributes = {0};
  intptr_t numOperands = mlirOperationGetNumOperands(op), numRegions = mlirOperationGetNumRegions(op);
  addText(g, &words, tgNameOfKind(tgKindOf(op)));
  addPlace(g, &words, mlirOperationGetLocation(op));
  addWord(&words, numOperands);
  for (intptr_t i = 0; i < numOperands; ++i)
    addWord(&words, operandNumber(g, op, irOperand(op, i)));
  addWord(&words, mlirOperationGetNumResults(op));
  addWord(&words, addAttributes(g, op, &attributes));
  addAll(&words, &attributes);
  addWord(&words, numRegions);
  for (intptr_t i = 0; i < numRegions && !g->failed; ++i)
    g->failed = !writeGraph(g, irBody(op, i), &words);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    addGraphValue(g, op, irResult(op, i));
  addAll(&g->ops, &words);
  ++g->numOps;
  free(words.data);
  free(attributes.data);
}

/// The operations of a block; its terminator has the results.
static bool writeGraph(LaunchGraph *outer, MlirBlock block, GraphWords *words) {
  LaunchGraph g = {.main = outer->main, .context = outer->context, .texts = outer->texts};
  MlirOperation terminator = mlirBlockGetTerminator(block);
  intptr_t numArguments = mlirBlockGetNumArguments(block), numResults = mlirOperationGetNumOperands(terminator);
  GraphWords results = {0};
  for (intptr_t i = 0; i < numArguments; ++i)
    addGraphValue(&g, terminator, mlirBlockGetArgument(block, i));
  IR_FOR_EACH_OP(op, block) {
    if (!g.failed && !mlirOperationEqual(op, terminator))
      addOperation(&g, op);
  }
  for (intptr_t i = 0; i < numResults && !g.failed; ++i)
    addWord(&results, operandNumber(&g, terminator, irOperand(terminator, i)));
  addWord(words, g.numValues);
  addAll(words, &g.types);
  addWord(words, numArguments);
  addWord(words, g.numOps);
  addAll(words, &g.ops);
  addWord(words, numResults);
  addAll(words, &results);
  irMapDestroy(&g.numberOf);
  free(g.types.data);
  free(g.ops.data);
  free(results.data);
  return !g.failed;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static void addDims(GraphWords *words, MlirAttribute list) {
  intptr_t count = mlirAttributeIsNull(list) ? 0 : mlirDenseArrayGetNumElements(list);
  for (intptr_t i = 0; i < count; ++i)
    addWord(words, mlirDenseI64ArrayGetElement(list, i));
}

static void addSlices(LaunchGraph *g, MlirOperation function, GraphWords *words) {
  MlirAttribute slices = irGetAttr(function, "stitch.slices");
  intptr_t count = mlirAttributeIsNull(slices) ? 0 : mlirArrayAttrGetNumElements(slices);
  addWord(words, count);
  for (intptr_t i = 0; i < count; ++i) {
    MlirAttribute slice = mlirArrayAttrGetElement(slices, i);
    addWord(words, mlirIntegerAttrGetValueInt(irEntry(slice, "result")));
    addWord(words, mlirIntegerAttrGetValueInt(irEntry(slice, "argument")));
    addType(g, words, function, mlirTypeAttrGetValue(irEntry(slice, "buffer")));
    addDims(words, irEntry(slice, "sizes"));
    addDims(words, irEntry(slice, "starts"));
    addDims(words, irEntry(slice, "constants"));
  }
}

static void addLoopWords(MlirOperation function, GraphWords *words) {
  MlirAttribute loop = irGetAttr(function, "stitch.loop");
  if (mlirAttributeIsNull(loop))
    return;
  MlirAttribute arguments = irEntry(loop, "arguments"), results = irEntry(loop, "results");
  MlirAttribute others = irEntry(loop, "others");
  intptr_t count = mlirDenseArrayGetNumElements(arguments);
  addWord(words, mlirIntegerAttrGetValueInt(irEntry(loop, "iterations")));
  addWord(words, mlirIntegerAttrGetValueInt(irEntry(loop, "waits")));
  addWord(words, count);
  for (intptr_t i = 0; i < count; ++i) {
    addWord(words, mlirDenseI64ArrayGetElement(arguments, i));
    addWord(words, mlirDenseI64ArrayGetElement(results, i));
    addWord(words, mlirDenseI64ArrayGetElement(others, i));
  }
}

/// Words in as few bytes as they need: seven bits in each, the low ones first, the highest bit says that more follow.
/// A negative word is odd, its complement above the lowest bit.
static void encode(const GraphWords *words, GraphBytes *bytes) {
  for (intptr_t i = 0; i < words->count; ++i) {
    int64_t word = words->data[i];
    uint64_t rest = (uint64_t)word << 1 ^ (uint64_t)(word >> 63);
    do {
      IR_RESERVE_ONE(bytes->data, bytes->count, bytes->capacity);
      bytes->data[bytes->count++] = (uint8_t)((rest & 0x7F) | (rest > 0x7F ? 0x80 : 0));
      rest >>= 7;
    } while (rest);
  }
}

static bool writeLaunch(MlirOperation function, MlirOperation main, GraphTexts *texts, GraphWords *words) {
  LaunchGraph g = {.main = main, .context = mlirOperationGetContext(function), .texts = texts};
  bool success = writeGraph(&g, irBody(function, 0), words);
  MlirAttribute outputs = irGetAttr(function, "stitch.outputs");
  addDims(words, irGetAttr(function, "stitch.inputs"));
  addWord(words, mlirDenseArrayGetNumElements(outputs));
  addDims(words, outputs);
  addSlices(&g, function, words);
  int64_t tiles = irGetInt(function, "stitch.running_softmax", 0);
  addWord(words, irHasAttr(function, "stitch.library") ? 1 : tiles ? 1 + tiles : 0);
  addLoopWords(function, words);
  return success && !g.failed;
}

bool graphWrite(MlirOperation function, MlirOperation main, GraphTexts *texts, GraphBytes *bytes) {
  GraphWords words = {0};
  bool success = writeLaunch(function, main, texts, &words);
  if (success)
    encode(&words, bytes);
  free(words.data);
  return success;
}
