//===- embedded_graphs.c - planned graphs among other operations ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The borders of such a graph are tensors, which other operations compute and read:
//
//   %x = bufferization.to_buffer %tensor read_only
//   %y = memref.alloc(), %arena = memref.alloc(), whose barrier counters gpu.memset sets to zero
//   call @f_graph_0(%x, %y, %arena)
//   %result = bufferization.to_tensor %y restrict
//
// An output that updates an argument in place begins with a copy of it: these are values.
//
// Nothing here releases memory: upstream's ownership-based-buffer-deallocation does, as for the allocations of
// one-shot-bufferize.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/embedded_graphs.h"

#include "capi/diagnostics.h"
#include "ir/graph/embedded.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/function.h"
#include "lowering/kernel/gpu/elements.h"
#include "lowering/scalar/narrow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  HostModule *shared;
  MlirOperation op; ///< of the module, in whose regions the graphs are
  intptr_t numGraphs;
} HostEmbedding;

//===----------------------------------------------------------------------===//
// Borders
//===----------------------------------------------------------------------===//

static MlirType tensorLike(MlirType tensor, MlirType element) {
  IrShape shape = irTypeShape(tensor);
  return mlirRankedTensorTypeGet(shape.rank, shape.dims, element, mlirAttributeGetNull());
}

/// The tensor whose buffer has the layout of kernels. It has bytes for booleans and small integers, no unsigned types,
/// the two parts of a complex number as a dimension of their own.
static MlirType memoryTensor(MlirType tensor) {
  MlirType element = irElementType(tensor);
  if (!mlirTypeIsAComplex(element))
    return tensorLike(tensor, memoryType(element));
  IrShape shape = irTypeShape(tensor);
  shape.dims[shape.rank++] = 2;
  return mlirRankedTensorTypeGet(shape.rank, shape.dims, mlirComplexTypeGetElementType(element),
                                 mlirAttributeGetNull());
}

/// Integers of the same width without a sign.
static MlirType signless(MlirType tensor) {
  MlirType element = irElementType(tensor);
  return tensorLike(tensor, mlirIntegerTypeGet(mlirTypeGetContext(element), mlirIntegerTypeGetWidth(element)));
}

static bool isSigned(MlirType element) { return mlirTypeIsAInteger(element) && !mlirIntegerTypeIsSignless(element); }

static MlirValue elementAt(IrBuilder *b, MlirValue tensor, const MlirValue *indices) {
  intptr_t rank = irShapeOf(tensor).rank;
  MlirValue operands[IR_MAX_RANK + 2] = {tensor};
  memcpy(operands + 1, indices, sizeof(MlirValue) * (size_t)rank);
  return irValueOf(b, "tensor.extract", (IrValues){1 + rank, operands}, irElementTypeOf(tensor), IR_NO_ATTRS);
}

/// A tensor of type `type` that is `tensor` with its complex numbers as two, or the other way round.
static MlirValue generateParts(IrBuilder *b, MlirValue tensor, MlirType type) {
  MlirType types[IR_MAX_RANK + 1], element = irElementType(type);
  MlirValue indices[IR_MAX_RANK + 1], parts[2];
  intptr_t rank = irTypeShape(type).rank, narrow = rank;
  for (intptr_t i = 0; i < rank; ++i)
    types[i] = mlirIndexTypeGet(b->context);
  MlirOperation op =
      irOpWithRegions(b, "tensor.generate", IR_NO_VALUES, (IrTypes){1, &type}, IR_NO_ATTRS, 1, (IrTypes){rank, types});
  MlirBlock body = irBody(op, 0);
  IrBuilder in = irBuilderAtEnd(body, b->loc);
  for (intptr_t i = 0; i < rank; ++i)
    indices[i] = mlirBlockGetArgument(body, i);
  MlirValue result;
  if (mlirTypeIsAComplex(element)) {
    for (int i = 0; i < 2; ++i) {
      indices[narrow] = irConstantIndex(&in, i);
      parts[i] = elementAt(&in, tensor, indices);
    }
    result = irValueOf(&in, "complex.create", IR_VALUES(parts[0], parts[1]), element, IR_NO_ATTRS);
  } else {
    MlirValue number = elementAt(&in, tensor, indices), one = irConstantIndex(&in, 1);
    parts[0] = irUnary(&in, "complex.re", number, element);
    parts[1] = irUnary(&in, "complex.im", number, element);
    MlirValue isSecond = irValueOf(&in, "arith.cmpi", IR_VALUES(indices[rank - 1], one),
                                   mlirIntegerTypeGet(b->context, 1), IR_ATTRS(irI64(&in, "predicate", 0)));
    result = irValueOf(&in, "arith.select", IR_VALUES(isSecond, parts[1], parts[0]), element, IR_NO_ATTRS);
  }
  irOp(&in, "tensor.yield", IR_VALUES(result), IR_NO_TYPES, IR_NO_ATTRS);
  return irResult(op, 0);
}

static MlirValue toMemory(IrBuilder *b, MlirValue tensor) {
  MlirType type = mlirValueGetType(tensor), element = irElementType(type), memory = memoryTensor(type);
  if (mlirTypeIsAComplex(element))
    return generateParts(b, tensor, memory);
  if (isSigned(element))
    tensor = irUnary(b, "tensor.bitcast", tensor, signless(type));
  if (mlirTypeEqual(mlirValueGetType(tensor), memory))
    return tensor;
  bool hasSign = !irIsBool(element) && !irIsUnsigned(element);
  return irUnary(b, hasSign ? "arith.extsi" : "arith.extui", tensor, memory);
}

static MlirValue fromMemory(IrBuilder *b, MlirValue tensor, MlirType type) {
  MlirType element = irElementType(type);
  if (mlirTypeIsAComplex(element))
    return generateParts(b, tensor, type);
  MlirType narrow = isSigned(element) ? signless(type) : type;
  if (!mlirTypeEqual(mlirValueGetType(tensor), narrow))
    tensor = irUnary(b, "arith.trunci", tensor, narrow);
  return isSigned(element) ? irUnary(b, "tensor.bitcast", tensor, type) : tensor;
}

/// Whether other dialects can hold the graph's inputs and outputs in the layout of kernels.
static bool checkBorder(const MlirValue *values, intptr_t count, MlirOperation op) {
  for (intptr_t i = 0; i < count; ++i) {
    MlirType type = mlirValueGetType(values[i]);
    bool isStatic = mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type) &&
                    mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type));
    int64_t parts = isStatic && mlirTypeIsAComplex(irElementType(type)) ? 1 : 0;
    if (isStatic && mlirShapedTypeGetRank(type) + parts <= IR_MAX_RANK)
      continue;
    char *text = irTypeText(type);
    stitchEmitOpError(
        op,
        "begins a graph between operations of other dialects that takes or returns %s: only tensors "
        "of static shape without encoding, of at most %d dimensions, %d of complex numbers, can cross that border",
        text, IR_MAX_RANK, IR_MAX_RANK - 1);
    free(text);
    return false;
  }
  return true;
}

/// Whether functions can be called from the graph's location: MLIR finds none from within an operation of an
/// unregistered dialect, which may have symbols of its own.
static bool checkPlace(MlirOperation op) {
  MlirContext context = mlirOperationGetContext(op);
  for (MlirOperation around = mlirOperationGetParentOperation(op); !mlirOperationIsNull(around);
       around = mlirOperationGetParentOperation(around)) {
    MlirStringRef name = irOpName(around);
    if (mlirOperationGetNumRegions(around) != 1 || mlirContextIsRegisteredOperation(context, name))
      continue;
    stitchEmitOpError(op,
                      "begins a graph in the region of '%.*s', whose dialect is not registered: no function can be "
                      "called there",
                      (int)name.length, name.data);
    return false;
  }
  return true;
}

/// Constants that others read need no kernel.
static void takeOutConstants(IrEmbeddedGraph *graph, IrBuilder *b) {
  intptr_t count = 0;
  for (intptr_t i = 0; i < graph->numOutputs; ++i) {
    MlirValue output = graph->outputs[i];
    MlirType type = mlirValueGetType(output);
    if (tgKindOf(irDefiningOp(output)) != TG_constant || isSigned(irElementType(type)) ||
        !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type))) {
      graph->outputs[count++] = output;
      continue;
    }
    MlirValue constant = irValueOf(b, "arith.constant", IR_NO_VALUES, type,
                                   IR_ATTRS(irAttr(b, "value", irGetAttr(irDefiningOp(output), "value"))));
    IrEmbeddedGraph one = *graph;
    one.outputs = &output;
    one.numOutputs = 1;
    irReplaceOutputs(&one, &constant);
  }
  graph->numOutputs = count;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static void setToZero(IrBuilder *b, MlirValue arena, int64_t bytes) {
  MlirType i8 = mlirIntegerTypeGet(b->context, 8);
  MlirType type = mlirMemRefTypeContiguousGet(i8, 1, &bytes, mlirAttributeGetNull());
  MlirValue counters = irValueOf(b, "memref.view", IR_VALUES(arena, irConstantIndex(b, 0)), type, IR_NO_ATTRS);
  irOp(b, "gpu.memset", IR_VALUES(counters, irConstantInt(b, i8, 0)), IR_NO_TYPES, IR_NO_ATTRS);
}

/// Memory with the alignment that kernels expect of their arguments, and arenas of their parts.
static MlirValue allocateTensor(IrBuilder *b, MlirType type) {
  int32_t segments[2] = {0, 0};
  return irValueOf(b, "memref.alloc", IR_NO_VALUES, type,
                   IR_ATTRS(irI64(b, "alignment", HOST_ARENA_ALIGNMENT),
                            irAttr(b, "operandSegmentSizes", mlirDenseI32ArrayGet(b->context, 2, segments))));
}

/// Copies the initial contents of outputs: `stitch.updated` has the output for each input, or -1.
static void copyUpdated(IrBuilder *b, MlirOperation function, const MlirValue *arguments, intptr_t numInputs) {
  MlirAttribute updated = irGetAttr(function, "stitch.updated");
  for (intptr_t i = 0; !mlirAttributeIsNull(updated) && i < numInputs; ++i) {
    int64_t output = mlirDenseI64ArrayGetElement(updated, i);
    if (output >= 0)
      irOp(b, "memref.copy", IR_VALUES(arguments[i], arguments[numInputs + output]), IR_NO_TYPES, IR_NO_ATTRS);
  }
}

/// Calls the host function and has its results, of types `outputs`, read in the place of those of the placeholder.
static void callHostFunction(const IrEmbeddedGraph *graph, MlirOperation placeholder, const MlirType *outputs,
                             IrBuilder *b, MlirOperation function) {
  MlirType type = mlirTypeAttrGetValue(irGetAttr(function, "function_type"));
  intptr_t count = mlirFunctionTypeGetNumInputs(type);
  MlirValue *arguments = irAllocate(sizeof(MlirValue) * (size_t)count);
  for (intptr_t i = 0; i < graph->numInputs; ++i)
    arguments[i] = irValueOf(b, "bufferization.to_buffer", IR_VALUES(toMemory(b, graph->inputs[i])),
                             mlirFunctionTypeGetInput(type, i), IR_ATTRS(irUnit(b, "read_only")));
  for (intptr_t i = graph->numInputs; i < count; ++i)
    arguments[i] = allocateTensor(b, mlirFunctionTypeGetInput(type, i));
  int64_t zeroed = irGetInt(function, "stitch.zeroed", 0);
  if (zeroed)
    setToZero(b, arguments[count - 1], zeroed);
  copyUpdated(b, function, arguments, graph->numInputs);
  MlirAttribute name = irGetAttr(function, "sym_name");
  irOp(b, "func.call", (IrValues){count, arguments}, IR_NO_TYPES,
       IR_ATTRS(irAttr(b, "callee", mlirFlatSymbolRefAttrGet(b->context, mlirStringAttrGetValue(name)))));
  for (intptr_t i = 0; i < graph->numOutputs; ++i) {
    // Not writable: MLIR folds to_buffer of to_tensor, and bufferization does not see then that a later graph reads it.
    MlirValue tensor = irValueOf(b, "bufferization.to_tensor", IR_VALUES(arguments[graph->numInputs + i]),
                                 memoryTensor(outputs[i]), IR_ATTRS(irUnit(b, "restrict")));
    mlirValueReplaceAllUsesOfWith(irResult(placeholder, i), fromMemory(b, tensor, outputs[i]));
  }
  free(arguments);
}

/// A name that the module does not have, made of that of the function in which the graph is.
static void nameGraph(HostEmbedding *e, size_t size, char *name) {
  MlirAttribute symbol = irGetAttr(e->op, "sym_name");
  MlirStringRef around =
      mlirAttributeIsNull(symbol) ? mlirStringRefCreateFromCString("module") : mlirStringAttrGetValue(symbol);
  char *prefix = irAllocate(around.length + 16);
  snprintf(prefix, around.length + 16, "%.*s_graph_", (int)around.length, around.data);
  hostFreshName(e->shared->module, prefix, &e->numGraphs, size, name);
  free(prefix);
  ++e->numGraphs;
}

/// The placeholders of a graph's outputs, while the host function is made of it: readers of the outputs read these.
static MlirOperation createPlaceholder(IrEmbeddedGraph *graph, IrBuilder *b, const MlirType *types) {
  MlirOperation op = irOp(b, "builtin.unrealized_conversion_cast", (IrValues){graph->numInputs, graph->inputs},
                          (IrTypes){graph->numOutputs, types}, IR_NO_ATTRS);
  MlirValue *values = irAllocate(sizeof(MlirValue) * (size_t)(graph->numOutputs + 1));
  for (intptr_t i = 0; i < graph->numOutputs; ++i)
    values[i] = irResult(op, i);
  irReplaceOutputs(graph, values);
  free(values);
  return op;
}

/// For each input of the graph the output that may be in its memory, as the function around it says; -1: none.
static void findDonated(const HostEmbedding *e, const IrEmbeddedGraph *graph, int64_t *donated) {
  for (intptr_t i = 0; i < graph->numInputs; ++i) {
    donated[i] = -1;
    MlirValue input = graph->inputs[i];
    if (!irOpIs(e->op, "func.func") || !mlirValueIsABlockArgument(input) ||
        !mlirBlockEqual(mlirBlockArgumentGetOwner(input), irBody(e->op, 0)))
      continue;
    intptr_t result = irResultInMemoryOf(e->op, mlirBlockArgumentGetArgNumber(input));
    for (intptr_t k = 0; result >= 0 && k < graph->numOutputs; ++k)
      if (mlirValueEqual(irOperand(mlirBlockGetTerminator(irBody(e->op, 0)), result), graph->outputs[k]))
        donated[i] = k;
  }
}

static void setDonated(MlirOperation function, const int64_t *donated, intptr_t count) {
  MlirContext context = mlirOperationGetContext(function);
  for (intptr_t i = 0; i < count; ++i)
    if (donated[i] >= 0)
      irSetBorderAttr(function, "arg_attrs", count, i,
                      irNamed(context, IR_DONATED_ATTRIBUTE, irI64Attr(context, donated[i])));
}

static bool convertOutlined(HostEmbedding *e, IrEmbeddedGraph *graph, IrBuilder *b, MlirType *types) {
  MlirAttribute symbol = irGetAttr(e->op, "sym_name");
  size_t size = (mlirAttributeIsNull(symbol) ? 8 : mlirStringAttrGetValue(symbol).length) + 48;
  char *name = irAllocate(size);
  nameGraph(e, size, name);
  IrBuilder outside = irBuilderBefore(e->op);
  outside.loc = b->loc;
  int64_t *donated = irAllocate(sizeof(int64_t) * (size_t)(graph->numInputs + 1));
  findDonated(e, graph, donated);
  MlirOperation function = irOutlineEmbeddedGraph(graph, &outside, name);
  setDonated(function, donated, graph->numInputs);
  free(donated);
  free(name);
  irSetAttr(function, "sym_visibility", irStringAttr(b->context, "private"));
  MlirOperation placeholder = createPlaceholder(graph, b, types);
  MlirOperation host = hostConvert(e->shared, function);
  if (mlirOperationIsNull(host))
    return false;
  callHostFunction(graph, placeholder, types, b, host);
  mlirOperationDestroy(placeholder);
  return true;
}

static bool convertGraph(IrEmbeddedGraph *graph, void *data) {
  HostEmbedding *e = data;
  MlirLocation loc = mlirOperationGetLocation(graph->ops[0]);
  IrBuilder b = mlirOperationIsNull(graph->before) ? irBuilderAtEnd(graph->block, loc) : irBuilderBefore(graph->before);
  b.loc = loc;
  takeOutConstants(graph, &b);
  if (graph->numOutputs == 0) { // nothing reads the rest
    for (intptr_t i = graph->numOps - 1; i >= 0; --i)
      mlirOperationDestroy(graph->ops[i]);
    return true;
  }
  if (!checkPlace(graph->ops[0]) || !checkBorder(graph->inputs, graph->numInputs, graph->ops[0]) ||
      !checkBorder(graph->outputs, graph->numOutputs, graph->ops[0]))
    return false;
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)graph->numOutputs);
  for (intptr_t i = 0; i < graph->numOutputs; ++i)
    types[i] = mlirValueGetType(graph->outputs[i]);
  bool success = convertOutlined(e, graph, &b, types);
  free(types);
  return success;
}

bool convertEmbeddedGraphs(HostModule *shared, MlirOperation op) {
  HostEmbedding e = {.shared = shared, .op = op};
  IrGraphFinder finder = {.visit = convertGraph, .data = &e};
  bool success = irForEachEmbeddedGraph(op, &finder);
  if (success)
    irMaterializeDestinations(op);
  return success;
}
