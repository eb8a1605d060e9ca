//===- host.c - the host function ----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/stitch_to_gpu/host.h"

#include "capi/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Where the elements of a tensor are.
typedef enum { PLACE_INPUT, PLACE_OUTPUT, PLACE_ARENA, PLACE_CONSTANT } PlaceKind;
typedef struct {
  PlaceKind kind;
  int64_t number;     // INPUT, OUTPUT: of the argument; ARENA: offset
  MlirValue flat;     // 1-D memref, once created
  MlirAttribute data; // CONSTANT
  int64_t bytes;
  intptr_t lastUse; // ARENA: index of the operation that reads it last
} Place;

typedef struct {
  MlirAttribute data;
  char name[32];
} Constant;

typedef struct {
  MlirAttribute problem;
  MlirType type;
  char name[32];
} Problem;

typedef struct {
  MlirOperation module;
  MlirOperation source; // the planned function
  MlirBlock body;       // of the host function
  IrBuilder b;
  HostKernels kernels;
  HostArena arena;
  IrMap placeOf; // value -> index in places
  Place *places;
  intptr_t numPlaces, placeCapacity;
  Constant *constants;
  intptr_t numConstants, constantCapacity;
  Problem *problems;
  intptr_t numProblems, problemCapacity;
  intptr_t numInputs, numOutputs;
  int64_t zeroedBytes;
  int64_t counterBytes; // of the zeroed bytes, those handed out
  MlirValue arenaMemory;
} Host;

/// Barrier counters stand this far apart: each is a kernel argument aligned to 16 bytes.
enum { COUNTER_STRIDE = 16 };

static MlirType bufferType(MlirType tensor) {
  IrShape shape = irTypeShape(tensor);
  return mlirMemRefTypeContiguousGet(memoryType(irElementType(tensor)), shape.rank, shape.dims, mlirAttributeGetNull());
}

static int64_t bufferBytes(MlirType tensor) {
  return irNumElements(irTypeShape(tensor)) * irElementBytes(memoryType(irElementType(tensor)));
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static intptr_t addPlace(Host *host, MlirValue value, Place place) {
  IR_RESERVE_ONE(host->places, host->numPlaces, host->placeCapacity);
  host->places[host->numPlaces] = place;
  irMapSet(&host->placeOf, value.ptr, host->numPlaces);
  return host->numPlaces++;
}

static Place *placeOf(Host *host, MlirValue value) {
  int64_t index = irMapGet(&host->placeOf, value.ptr, -1);
  return index < 0 ? NULL : &host->places[index];
}

/// The value whose elements a reshape shows in another shape.
static MlirValue withoutReshapes(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  while (!mlirOperationIsNull(op) && tgKindOf(op) == TG_reshape) {
    value = irOperand(op, 0);
    op = irDefiningOp(value);
  }
  return value;
}

/// Results that are returned are computed right in the output; other results live in the arena until their last use.
static void placeResults(Host *host, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue value = irResult(op, i);
    if (!placeOf(host, value))
      addPlace(host, value, (Place){.kind = PLACE_ARENA, .number = -1, .bytes = bufferBytes(mlirValueGetType(value))});
  }
}

static bool isCall(MlirOperation op) { return irOpIs(op, "stitch.fusion") || irOpIs(op, "stitch.library_call"); }

static bool isComputed(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && isCall(op);
}

static void placeAll(Host *host) {
  MlirBlock block = irBody(host->source, 0);
  for (intptr_t i = 0; i < host->numInputs; ++i)
    addPlace(host, mlirBlockGetArgument(block, i), (Place){.kind = PLACE_INPUT, .number = i});
  MlirOperation terminator = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < host->numOutputs; ++i) {
    MlirValue value = withoutReshapes(irOperand(terminator, i));
    if (isComputed(value) && !placeOf(host, value))
      addPlace(host, value, (Place){.kind = PLACE_OUTPUT, .number = host->numInputs + i});
  }
  intptr_t number = 0;
  IR_FOR_EACH_OP(op, block) {
    ++number;
    if (isCall(op))
      placeResults(host, op);
    if (tgKindOf(op) == TG_constant)
      addPlace(host, irResult(op, 0), (Place){.kind = PLACE_CONSTANT, .data = irGetAttr(op, "value")});
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      Place *place = placeOf(host, withoutReshapes(irOperand(op, i)));
      if (place)
        place->lastUse = number;
    }
  }
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The data with elements as they are in memory: i1 as bytes, unsigned integers as signless ones. Null if it cannot be
/// read.
static MlirAttribute memoryData(MlirAttribute data) {
  MlirType type = mlirAttributeGetType(data), element = irElementType(type), memory = memoryType(element);
  if (mlirTypeEqual(element, memory))
    return data;
  IrShape shape = irTypeShape(type);
  MlirType memoryTensor = mlirRankedTensorTypeGet(shape.rank, shape.dims, memory, mlirAttributeGetNull());
  if (!mlirAttributeIsADenseElements(data))
    return mlirAttributeGetNull();
  if (!irIsBool(element)) {
    int64_t count = mlirDenseElementsAttrIsSplat(data) ? 1 : irNumElements(shape);
    return mlirDenseElementsAttrRawBufferGet(memoryTensor, (size_t)(count * irElementBytes(memory)),
                                             mlirDenseElementsAttrGetRawData(data));
  }
  int64_t count = irNumElements(shape);
  int8_t *bytes = irAllocate((size_t)count + 1);
  for (int64_t i = 0; i < count; ++i)
    bytes[i] = mlirDenseElementsAttrIsSplat(data) ? mlirDenseElementsAttrGetBoolSplatValue(data)
                                                  : mlirDenseElementsAttrGetBoolValue(data, i);
  MlirAttribute result = mlirDenseElementsAttrInt8Get(memoryTensor, count, bytes);
  free(bytes);
  return result;
}

/// The flat memref of a constant; equal constants share one global.
static MlirValue constantMemory(Host *host, MlirOperation user, MlirAttribute value) {
  MlirAttribute data = memoryData(value);
  if (mlirAttributeIsNull(data) || !mlirAttributeIsADenseElements(data)) {
    stitchEmitOpError(user, "uses a constant whose elements are not stored as dense elements");
    return (MlirValue){NULL};
  }
  intptr_t i = 0;
  while (i < host->numConstants && !mlirAttributeEqual(host->constants[i].data, data))
    ++i;
  MlirType type = bufferType(mlirAttributeGetType(data));
  if (i == host->numConstants) {
    IR_RESERVE_ONE(host->constants, host->numConstants, host->constantCapacity);
    Constant *constant = &host->constants[host->numConstants++];
    constant->data = data;
    snprintf(constant->name, sizeof(constant->name), "constant_%ld", (long)i);
    IrBuilder b = irBuilderBefore(host->source);
    irOp(&b, "memref.global", IR_NO_VALUES, IR_NO_TYPES,
         IR_ATTRS(irString(&b, "sym_name", constant->name), irString(&b, "sym_visibility", "private"),
                  irType(&b, "type", type), irAttr(&b, "initial_value", data), irUnit(&b, "constant")));
  }
  return irValueOf(&host->b, "memref.get_global", IR_NO_VALUES, type,
                   IR_ATTRS(irSymbol(&host->b, "name", host->constants[i].name)));
}

//===----------------------------------------------------------------------===//
// Memrefs of values
//===----------------------------------------------------------------------===//

/// The same memory with another static shape.
static MlirValue reshapedMemref(Host *host, MlirValue memref, IrShape shape) {
  MlirType type = mlirMemRefTypeContiguousGet(irElementTypeOf(memref), shape.rank, shape.dims, mlirAttributeGetNull());
  if (mlirTypeEqual(type, mlirValueGetType(memref)))
    return memref;
  IrShape strides = irStrides(shape);
  int64_t zero = 0;
  int32_t segments[4] = {1, 0, 0, 0};
  return irValueOf(
      &host->b, "memref.reinterpret_cast", IR_VALUES(memref), type,
      IR_ATTRS(irDims(&host->b, "static_offsets", 1, &zero), irDims(&host->b, "static_sizes", shape.rank, shape.dims),
               irDims(&host->b, "static_strides", shape.rank, strides.dims),
               irAttr(&host->b, "operandSegmentSizes", mlirDenseI32ArrayGet(host->b.context, 4, segments))));
}

static MlirValue arenaView(Host *host, int64_t offset, MlirType element, IrShape shape) {
  MlirType type = mlirMemRefTypeContiguousGet(element, shape.rank, shape.dims, mlirAttributeGetNull());
  return irValueOf(&host->b, "memref.view", IR_VALUES(host->arenaMemory, irConstantIndex(&host->b, offset)), type,
                   IR_NO_ATTRS);
}

static IrShape flatShape(int64_t count) { return (IrShape){.rank = 1, .dims = {count}}; }

/// The memory of a value, in one dimension. Null after a diagnostic.
static MlirValue flatMemref(Host *host, MlirOperation user, MlirValue value) {
  Place *place = placeOf(host, withoutReshapes(value));
  if (!place) {
    stitchEmitOpError(user, "uses a value that neither a kernel nor a library computes");
    return (MlirValue){NULL};
  }
  if (!mlirValueIsNull(place->flat))
    return place->flat;
  IrShape flat = flatShape(irNumElements(irShapeOf(value)));
  switch (place->kind) {
  case PLACE_INPUT:
  case PLACE_OUTPUT:
    place->flat = reshapedMemref(host, mlirBlockGetArgument(host->body, place->number), flat);
    break;
  case PLACE_ARENA:
    place->flat = arenaView(host, place->number, memoryType(irElementTypeOf(value)), flat);
    break;
  case PLACE_CONSTANT: {
    MlirValue memory = constantMemory(host, user, place->data);
    if (!mlirValueIsNull(memory))
      place->flat = reshapedMemref(host, memory, flat);
    break;
  }
  }
  return place->flat;
}

static void allocateResults(Host *host, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    Place *place = placeOf(host, irResult(op, i));
    if (place->kind == PLACE_ARENA)
      place->number = hostArenaAllocate(&host->arena, place->bytes);
  }
}

static void releaseIfLast(Host *host, MlirValue value, intptr_t number) {
  Place *place = placeOf(host, withoutReshapes(value));
  if (!place || place->kind != PLACE_ARENA || place->lastUse > number || place->bytes < 0)
    return;
  hostArenaRelease(&host->arena, place->number, place->bytes);
  place->bytes = -1; // once
}

static void releaseAfter(Host *host, MlirOperation op, intptr_t number) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    releaseIfLast(host, irOperand(op, i), number);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    releaseIfLast(host, irResult(op, i), number);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static void launch(Host *host, const HostKernel *kernel, intptr_t count, const MlirValue *arguments) {
  IrBuilder *b = &host->b;
  MlirValue one = irConstantIndex(b, 1);
  MlirValue grid = irConstantIndex(b, kernel->launch.grid), block = irConstantIndex(b, kernel->launch.block);
  MlirValue shared = irConstantInt(b, mlirIntegerTypeGet(b->context, 32), kernel->launch.shared);
  enum { FIXED = 7 };
  MlirValue *operands = irAllocate(sizeof(MlirValue) * (size_t)(FIXED + count));
  MlirValue fixed[FIXED] = {grid, one, one, block, one, one, shared};
  memcpy(operands, fixed, sizeof(fixed));
  memcpy(operands + FIXED, arguments, sizeof(MlirValue) * (size_t)count);
  // asyncDependencies, grid x y z, block x y z, cluster x y z, dynamic shared memory, arguments, async object
  int32_t segments[13] = {0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, (int32_t)count, 0};
  MlirOperation op = irOp(b, "gpu.launch_func", (IrValues){FIXED + count, operands}, IR_NO_TYPES,
                          IR_ATTRS(irAttr(b, "kernel", irParseAttr(b->context, "@kernels::@%s", kernel->name)),
                                   irAttr(b, "operandSegmentSizes", mlirDenseI32ArrayGet(b->context, 13, segments))));
  if (kernel->launch.barriers)
    irSetAttr(op, "stitch.cooperative", mlirUnitAttrGet(b->context));
  free(operands);
}

/// The inputs, constants, outputs, scratch memory and counter of a fusion's kernel. False after a diagnostic.
static bool collectArguments(Host *host, MlirOperation fusion, const HostKernel *kernel, int64_t scratch,
                             MlirValue *arguments, intptr_t *count) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(fusion); ++i)
    arguments[(*count)++] = flatMemref(host, fusion, irOperand(fusion, i));
  for (intptr_t i = 0; i < kernel->numConstants; ++i) {
    MlirValue memory = constantMemory(host, fusion, kernel->constants[i]);
    if (mlirValueIsNull(memory))
      return false;
    arguments[(*count)++] = reshapedMemref(host, memory, flatShape(irNumElements(irShapeOf(memory))));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    arguments[(*count)++] = flatMemref(host, fusion, irResult(fusion, i));
  MlirType i8 = mlirIntegerTypeGet(host->b.context, 8), i32 = mlirIntegerTypeGet(host->b.context, 32);
  if (kernel->launch.scratch)
    arguments[(*count)++] = arenaView(host, scratch, i8, flatShape(kernel->launch.scratch));
  if (kernel->launch.barriers) {
    arguments[(*count)++] = arenaView(host, host->counterBytes, i32, flatShape(1));
    host->counterBytes += COUNTER_STRIDE;
  }
  for (intptr_t i = 0; i < *count; ++i)
    if (mlirValueIsNull(arguments[i]))
      return false;
  return true;
}

static bool convertFusion(Host *host, MlirOperation fusion) {
  const HostKernel *kernel = hostKernelFor(&host->kernels, fusion);
  if (!kernel)
    return false;
  int64_t scratch = kernel->launch.scratch ? hostArenaAllocate(&host->arena, kernel->launch.scratch) : 0;
  intptr_t capacity =
      mlirOperationGetNumOperands(fusion) + mlirOperationGetNumResults(fusion) + kernel->numConstants + 2;
  MlirValue *arguments = irAllocateZeroed((size_t)capacity, sizeof(MlirValue));
  intptr_t count = 0;
  bool success = collectArguments(host, fusion, kernel, scratch, arguments, &count);
  if (success)
    launch(host, kernel, count, arguments);
  if (kernel->launch.scratch)
    hostArenaRelease(&host->arena, scratch, kernel->launch.scratch);
  free(arguments);
  return success;
}

//===----------------------------------------------------------------------===//
// Library calls
//===----------------------------------------------------------------------===//

/// The description of a dot for a library: docs/ir.md, section 3. `transpose` of its result, or null.
static MlirAttribute dotProblem(IrBuilder *b, MlirOperation dot, MlirOperation transpose) {
  const char *dims[] = {"lhs_batch", "lhs_contract", "rhs_batch", "rhs_contract"};
  MlirNamedAttribute entries[6];
  intptr_t count = 0;
  entries[count++] = irString(b, "kind", "dot");
  for (int i = 0; i < 4; ++i) {
    IrShape list = irGetDims(dot, dims[i]);
    entries[count++] = irDims(b, dims[i], list.rank, list.dims);
  }
  if (!mlirOperationIsNull(transpose)) {
    IrShape permutation = irGetDims(transpose, "permutation");
    entries[count++] = irDims(b, "result_permutation", permutation.rank, permutation.dims);
  }
  return mlirDictionaryAttrGet(b->context, count, entries);
}

static const char *problemFunction(Host *host, MlirAttribute problem, MlirType type) {
  for (intptr_t i = 0; i < host->numProblems; ++i)
    if (mlirAttributeEqual(host->problems[i].problem, problem) && mlirTypeEqual(host->problems[i].type, type))
      return host->problems[i].name;
  IR_RESERVE_ONE(host->problems, host->numProblems, host->problemCapacity);
  Problem *entry = &host->problems[host->numProblems++];
  *entry = (Problem){.problem = problem, .type = type};
  snprintf(entry->name, sizeof(entry->name), "dot_%ld", (long)host->numProblems - 1);
  IrBuilder b = irBuilderBefore(host->source);
  MlirOperation function =
      irOpWithRegions(&b, "func.func", IR_NO_VALUES, IR_NO_TYPES,
                      IR_ATTRS(irString(&b, "sym_name", entry->name), irType(&b, "function_type", type),
                               irString(&b, "sym_visibility", "private"), irAttr(&b, "stitch.library", problem)),
                      1, IR_NO_TYPES);
  MlirBlock body = irBody(function, 0); // a declaration has none
  mlirBlockDetach(body);
  mlirBlockDestroy(body);
  return entry->name;
}

/// The dot of a library call, and the transpose behind it (null if there is none). False if the call holds anything
/// else.
static bool matchDot(MlirOperation call, MlirOperation *dot, MlirOperation *transpose) {
  MlirBlock body = irBody(call, 0);
  MlirOperation yield = mlirBlockGetTerminator(body);
  *dot = mlirBlockGetFirstOperation(body);
  *transpose = (MlirOperation){NULL};
  if (tgKindOf(*dot) != TG_dot || mlirOperationGetNumOperands(call) > 2 || mlirOperationGetNumResults(call) != 1)
    return false;
  MlirOperation last = *dot, next = mlirOperationGetNextInBlock(*dot);
  if (tgKindOf(next) == TG_transpose && mlirValueEqual(irOperand(next, 0), irResult(*dot, 0))) {
    *transpose = last = next;
    next = mlirOperationGetNextInBlock(next);
  }
  return mlirOperationEqual(next, yield) && mlirValueEqual(irOperand(yield, 0), irResult(last, 0));
}

static bool convertLibraryCall(Host *host, MlirOperation call) {
  MlirBlock body = irBody(call, 0);
  MlirOperation dot, transpose;
  if (!matchDot(call, &dot, &transpose)) {
    stitchEmitOpError(call,
                      "must hold one tg.dot, or a tg.dot and a tg.transpose of it: no other library call can be made");
    return false;
  }
  MlirValue arguments[3];
  MlirType types[3];
  for (intptr_t i = 0; i < 3; ++i) {
    MlirValue inner = i < 2 ? irOperand(dot, i) : irResult(call, 0), outer = inner;
    for (intptr_t j = 0; i < 2 && j < mlirOperationGetNumOperands(call); ++j)
      if (mlirValueEqual(mlirBlockGetArgument(body, j), inner))
        outer = irOperand(call, j);
    arguments[i] = flatMemref(host, call, outer);
    if (mlirValueIsNull(arguments[i]))
      return false;
    arguments[i] = reshapedMemref(host, arguments[i], irShapeOf(inner));
    types[i] = mlirValueGetType(arguments[i]);
  }
  MlirType type = mlirFunctionTypeGet(host->b.context, 3, types, 0, NULL);
  const char *name = problemFunction(host, dotProblem(&host->b, dot, transpose), type);
  irOp(&host->b, "func.call", (IrValues){3, arguments}, IR_NO_TYPES, IR_ATTRS(irSymbol(&host->b, "callee", name)));
  return true;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Outputs that no kernel wrote: inputs, constants, and results that are returned twice.
static bool copyOutputs(Host *host, MlirOperation terminator) {
  for (intptr_t i = 0; i < host->numOutputs; ++i) {
    MlirValue value = irOperand(terminator, i);
    Place *place = placeOf(host, withoutReshapes(value));
    if (place && place->kind == PLACE_OUTPUT && place->number == host->numInputs + i)
      continue;
    MlirValue source = flatMemref(host, terminator, value);
    if (mlirValueIsNull(source))
      return false;
    int64_t count = irNumElements(irShapeOf(value));
    MlirValue target = reshapedMemref(host, mlirBlockGetArgument(host->body, host->numInputs + i), flatShape(count));
    const HostKernel *kernel =
        hostCopyKernel(&host->kernels, mlirOperationGetLocation(terminator), irElementTypeOf(source), count);
    launch(host, kernel, 2, (MlirValue[]){source, target});
  }
  return true;
}

static bool convertBody(Host *host) {
  intptr_t number = 0;
  IR_FOR_EACH_OP(op, irBody(host->source, 0)) {
    ++number;
    host->b.loc = mlirOperationGetLocation(op);
    if (isCall(op))
      allocateResults(host, op);
    bool success = true;
    if (irOpIs(op, "stitch.fusion"))
      success = convertFusion(host, op);
    else if (irOpIs(op, "stitch.library_call"))
      success = convertLibraryCall(host, op);
    else if (irOpIs(op, "func.return"))
      success = copyOutputs(host, op);
    else if (tgKindOf(op) != TG_reshape && tgKindOf(op) != TG_constant) {
      stitchEmitOpError(op, "has no implementation outside of kernels and libraries");
      success = false;
    }
    if (!success)
      return false;
    releaseAfter(host, op, number);
  }
  return true;
}

static int64_t countBarrierKernels(MlirOperation function) {
  int64_t count = 0;
  IR_FOR_EACH_OP(op, irBody(function, 0)) {
    StitchLaunch config;
    count += irOpIs(op, "stitch.fusion") && planGetLaunch(op, &config) && config.barriers > 0;
  }
  return count;
}

/// `(inputs, outputs, arena)`; the arena's type is not known before the end and set then.
static MlirOperation createFunction(Host *host, MlirType functionType) {
  intptr_t count = host->numInputs + host->numOutputs + 1;
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)count);
  for (intptr_t i = 0; i < host->numInputs; ++i)
    types[i] = bufferType(mlirFunctionTypeGetInput(functionType, i));
  for (intptr_t i = 0; i < host->numOutputs; ++i)
    types[host->numInputs + i] = bufferType(mlirFunctionTypeGetResult(functionType, i));
  int64_t unknown = 0;
  types[count - 1] =
      mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(host->b.context, 8), 1, &unknown, mlirAttributeGetNull());
  IrBuilder b = irBuilderBefore(host->source);
  MlirOperation function = irOpWithRegions(
      &b, "func.func", IR_NO_VALUES, IR_NO_TYPES,
      IR_ATTRS(irString(&b, "sym_name", "main"),
               irType(&b, "function_type", mlirFunctionTypeGet(b.context, count, types, 0, NULL)),
               irI64(&b, "stitch.inputs", host->numInputs), irI64(&b, "stitch.outputs", host->numOutputs)),
      1, (IrTypes){count, types});
  free(types);
  return function;
}

static void setArenaSize(Host *host, MlirOperation function, MlirValue arena) {
  MlirType type =
      mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(host->b.context, 8), 1, &host->arena.size, mlirAttributeGetNull());
  mlirValueSetType(arena, type);
  intptr_t count = mlirBlockGetNumArguments(host->body);
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)count);
  for (intptr_t i = 0; i < count; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(host->body, i));
  irSetAttr(function, "function_type", mlirTypeAttrGet(mlirFunctionTypeGet(host->b.context, count, types, 0, NULL)));
  irSetAttr(function, "stitch.zeroed", irI64Attr(host->b.context, host->zeroedBytes));
  free(types);
}

static void createKernelModule(Host *host) {
  IrBuilder b = irBuilderBefore(host->source);
  MlirOperation kernels = irOpWithRegions(&b, "gpu.module", IR_NO_VALUES, IR_NO_TYPES,
                                          IR_ATTRS(irString(&b, "sym_name", "kernels")), 1, IR_NO_TYPES);
  host->kernels.block = irBody(kernels, 0);
  host->kernels.loc = b.loc;
  irSetAttr(host->module, "gpu.container_module", mlirUnitAttrGet(b.context));
}

static void hostDestroy(Host *host) {
  hostKernelsDestroy(&host->kernels);
  hostArenaDestroy(&host->arena);
  irMapDestroy(&host->placeOf);
  free(host->places);
  free(host->constants);
  free(host->problems);
}

bool hostConvert(MlirOperation module, MlirOperation main) {
  MlirType functionType = mlirTypeAttrGetValue(irGetAttr(main, "function_type"));
  Host host = {.module = module,
               .source = main,
               .b = irBuilderBefore(main),
               .numInputs = mlirFunctionTypeGetNumInputs(functionType),
               .numOutputs = mlirFunctionTypeGetNumResults(functionType)};
  host.zeroedBytes = countBarrierKernels(main) * COUNTER_STRIDE;
  if (host.zeroedBytes)
    hostArenaAllocate(&host.arena, host.zeroedBytes);
  createKernelModule(&host);
  MlirOperation function = createFunction(&host, functionType);
  host.body = irBody(function, 0);
  host.b = irBuilderAtEnd(host.body, mlirOperationGetLocation(main));
  host.arenaMemory = mlirBlockGetArgument(host.body, mlirBlockGetNumArguments(host.body) - 1);
  placeAll(&host);
  bool success = convertBody(&host);
  if (success) {
    irOp(&host.b, "func.return", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
    setArenaSize(&host, function, host.arenaMemory);
    mlirOperationDestroy(main);
  } else {
    mlirOperationDestroy(function);
  }
  hostDestroy(&host);
  return success;
}
