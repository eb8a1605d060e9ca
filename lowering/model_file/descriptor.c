//===- descriptor.c - the descriptor of a model file as LLVM IR ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function here makes the LLVM constant for one struct of runtime/model.h, its fields in the struct's order: all
// of them are pointers, int64_t or double, so that an LLVM struct of these has the C struct's layout. What runs is not
// here but for three functions that call through StitchHostCallbacks on behalf of the host code.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/arena.h"
#include "ir/build.h"
#include "ir/function.h"
#include "ir/query.h"
#include "ir/symbol.h"
#include "lowering/model_file/model_file.h"

#include "mlir-c/Dialect/GPU.h"
#include "llvm-c/Core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONSTANT_ALIGNMENT = 256 };

typedef struct {
  const StitchModelParts *parts;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMTypeRef pointer;
  LLVMTypeRef i32;
  LLVMTypeRef i64;
  bool failed;
} Writer;

/// A list of constants that grows.
typedef struct {
  LLVMValueRef *data;
  unsigned count;
  unsigned capacity;
} Constants;

static void append(Constants *list, LLVMValueRef value) {
  IR_RESERVE_ONE(list->data, list->count, list->capacity);
  list->data[list->count++] = value;
}

//===----------------------------------------------------------------------===//
// LLVM constants
//===----------------------------------------------------------------------===//

static LLVMValueRef integer(Writer *w, int64_t value) { return LLVMConstInt(w->i64, (unsigned long long)value, true); }

static LLVMValueRef real(Writer *w, double value) { return LLVMConstReal(LLVMDoubleTypeInContext(w->context), value); }

static LLVMValueRef null(Writer *w) { return LLVMConstNull(w->pointer); }

static LLVMValueRef structOf(Writer *w, unsigned count, LLVMValueRef *fields) {
  return LLVMConstStructInContext(w->context, fields, count, false);
}
#define STRUCT(w, ...)                                                                                                 \
  structOf(w, sizeof((LLVMValueRef[]){__VA_ARGS__}) / sizeof(LLVMValueRef), (LLVMValueRef[]){__VA_ARGS__})

/// The address of a new constant of this file.
static LLVMValueRef addressOf(Writer *w, LLVMValueRef value, unsigned alignment) {
  LLVMValueRef global = LLVMAddGlobal(w->module, LLVMTypeOf(value), "");
  LLVMSetInitializer(global, value);
  LLVMSetGlobalConstant(global, true);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetAlignment(global, alignment);
  return global;
}

/// The address of an array, NULL if it has no elements. Releases the list.
static LLVMValueRef table(Writer *w, Constants *list) {
  LLVMValueRef result = null(w);
  if (list->count)
    result = addressOf(w, LLVMConstArray2(LLVMTypeOf(list->data[0]), list->data, list->count), sizeof(int64_t));
  free(list->data);
  *list = (Constants){0};
  return result;
}

static LLVMValueRef bytes(Writer *w, const char *data, size_t size, unsigned alignment) {
  return addressOf(w, LLVMConstStringInContext2(w->context, data, size, /*DontNullTerminate=*/true), alignment);
}

static LLVMValueRef string(Writer *w, const char *text, size_t length) {
  return addressOf(w, LLVMConstStringInContext2(w->context, text, length, /*DontNullTerminate=*/false), 1);
}

/// The elements of a constant as they lie in memory, `size` bytes: a splat is repeated, an i1 takes a byte.
static void copyElements(MlirAttribute value, char *data, int64_t size) {
  int64_t elementBytes = irElementBytes(irElementType(mlirAttributeGetType(value)));
  if (irIsBool(irElementType(mlirAttributeGetType(value)))) {
    bool splat = mlirDenseElementsAttrIsSplat(value);
    for (int64_t i = 0; i < size; ++i)
      data[i] = mlirDenseElementsAttrGetBoolValue(value, splat ? 0 : i);
    return;
  }
  const char *raw = mlirDenseElementsAttrGetRawData(value);
  if (!mlirDenseElementsAttrIsSplat(value)) {
    memcpy(data, raw, (size_t)size);
    return;
  }
  for (int64_t i = 0; i < size; i += elementBytes)
    memcpy(data + i, raw, (size_t)elementBytes);
}

/// The address of the elements of a constant of `size` bytes.
static LLVMValueRef elementsOf(Writer *w, MlirAttribute value, int64_t size) {
  char *data = irAllocate((size_t)size + 1);
  copyElements(value, data, size);
  LLVMValueRef result = bytes(w, data, (size_t)size, CONSTANT_ALIGNMENT);
  free(data);
  return result;
}

/// A function of another object file of the model.
static LLVMValueRef externalFunction(Writer *w, const char *name) {
  LLVMTypeRef type = LLVMFunctionType(w->i32, NULL, 0, false);
  LLVMValueRef existing = LLVMGetNamedFunction(w->module, name);
  return existing ? existing : LLVMAddFunction(w->module, name, type);
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

static MlirAttribute dictionaryElement(MlirAttribute dictionary, const char *name) {
  if (mlirAttributeIsNull(dictionary) || !mlirAttributeIsADictionary(dictionary))
    return (MlirAttribute){NULL};
  return mlirDictionaryAttrGetElementByName(dictionary, mlirStringRefCreateFromCString(name));
}

static double doubleElement(MlirAttribute dictionary, const char *name) {
  MlirAttribute value = dictionaryElement(dictionary, name);
  return mlirAttributeIsNull(value) ? 0.0 : mlirFloatAttrGetValueDouble(value);
}

static int64_t integerElement(MlirAttribute dictionary, const char *name) {
  MlirAttribute value = dictionaryElement(dictionary, name);
  return mlirAttributeIsNull(value) ? 0 : mlirIntegerAttrGetValueInt(value);
}

static StitchInputRole roleFromName(MlirAttribute input) {
  static const char *const names[] = {
      [STITCH_INPUT_NORMAL] = "normal",   [STITCH_INPUT_POSITIVE] = "positive",
      [STITCH_INPUT_MASK] = "mask",       [STITCH_INPUT_INDEX] = "index",
      [STITCH_INPUT_INTEGER] = "integer", [STITCH_INPUT_POSITIVE_DEFINITE] = "positive_definite",
  };
  MlirAttribute role = dictionaryElement(input, "role");
  for (int i = STITCH_INPUT_NORMAL; i <= STITCH_INPUT_POSITIVE_DEFINITE && !mlirAttributeIsNull(role); ++i)
    if (mlirStringRefEqual(mlirStringAttrGetValue(role), mlirStringRefCreateFromCString(names[i])))
      return (StitchInputRole)i;
  return STITCH_INPUT_NORMAL;
}

/// The name that the source gave a value (`loc("x")`), else PREFIX and its number.
static LLVMValueRef borderName(Writer *w, MlirLocation location, const char *prefix, intptr_t index) {
  if (mlirLocationIsAName(location)) {
    MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
    return string(w, name.data, name.length);
  }
  char name[32];
  int length = snprintf(name, sizeof(name), "%s%ld", prefix, (long)index);
  return string(w, name, (size_t)length);
}

static LLVMValueRef dimsTable(Writer *w, MlirType type) {
  IrShape shape = irTypeShape(type);
  Constants dims = {0};
  for (intptr_t i = 0; i < shape.rank; ++i)
    append(&dims, integer(w, shape.dims[i]));
  return table(w, &dims);
}

static LLVMValueRef elementType(Writer *w, MlirOperation main, MlirType type) {
  StitchElementType result = STITCH_ELEMENT_F32;
  bool supported = mlirTypeIsAShaped(type) && mlirShapedTypeHasStaticShape(type) &&
                   stitchElementTypeFromMLIR(irElementType(type), &result);
  if (!supported) {
    stitchEmitOpError(main,
                      "has an argument or result whose type no model file can hold: it must be a tensor of static "
                      "shape with a simple element type");
    w->failed = true;
  }
  return integer(w, result);
}

static LLVMValueRef symbolTable(Writer *w, intptr_t *count) {
  MlirOperation main = irFindFunction(w->parts->graph, "main");
  Constants symbols = {0};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(irBody(main, 0)); ++i) {
    IrSymbol symbol = irSymbolOfArgument(main, i);
    if (mlirAttributeIsNull(symbol.name))
      continue;
    MlirStringRef name = mlirStringAttrGetValue(symbol.name);
    append(&symbols, STRUCT(w, string(w, name.data, name.length), integer(w, symbol.low), integer(w, symbol.high)));
  }
  *count = symbols.count;
  return table(w, &symbols);
}

/// 1 + number of the result that has the next value of the variable which argument `index` of @main is; 0: none.
static int64_t nextOfVariable(MlirOperation main, intptr_t index) {
  MlirAttribute name = irVariableName(main, "arg_attrs", index);
  MlirType function = mlirTypeAttrGetValue(irGetAttr(main, "function_type"));
  for (intptr_t i = 0; !mlirAttributeIsNull(name) && i < mlirFunctionTypeGetNumResults(function); ++i)
    if (mlirAttributeEqual(irVariableName(main, "res_attrs", i), name))
      return i + 1;
  return 0;
}

/// The elements that a variable has before the first run.
static LLVMValueRef initialValue(Writer *w, MlirOperation main, intptr_t index) {
  MlirAttribute initial = irVariableInitial(main, index);
  if (mlirAttributeIsNull(initial) || !mlirAttributeIsADenseElements(initial))
    return null(w);
  return elementsOf(w, initial, irTensorBytes(mlirAttributeGetType(initial)));
}

static LLVMValueRef inputTable(Writer *w, intptr_t *count) {
  MlirOperation main = irFindFunction(w->parts->graph, "main");
  MlirBlock body = irBody(main, 0);
  Constants inputs = {0};
  *count = mlirBlockGetNumArguments(body);
  for (intptr_t i = 0; i < *count; ++i) {
    MlirValue argument = mlirBlockGetArgument(body, i);
    MlirType type = mlirValueGetType(argument);
    MlirAttribute input = irBorderAttr(main, "arg_attrs", i, "stitch.input");
    append(&inputs, STRUCT(w, borderName(w, mlirValueGetLocation(argument), "in", i), elementType(w, main, type),
                           integer(w, irTypeShape(type).rank), dimsTable(w, type), integer(w, roleFromName(input)),
                           real(w, doubleElement(input, "low")), real(w, doubleElement(input, "high")),
                           integer(w, irSymbolNumber(main, type)), integer(w, nextOfVariable(main, i)),
                           initialValue(w, main, i)));
  }
  return table(w, &inputs);
}

/// The name of the variable that a result is the next value of, else "out" and its number.
static LLVMValueRef outputName(Writer *w, MlirOperation main, intptr_t index) {
  MlirAttribute variable = irVariableName(main, "res_attrs", index);
  if (mlirAttributeIsNull(variable))
    return borderName(w, mlirOperationGetLocation(main), "out", index);
  MlirStringRef name = mlirStringAttrGetValue(variable);
  return string(w, name.data, name.length);
}

static LLVMValueRef outputTable(Writer *w, intptr_t *count) {
  MlirOperation main = irFindFunction(w->parts->graph, "main");
  MlirType function = mlirTypeAttrGetValue(irGetAttr(main, "function_type"));
  Constants outputs = {0};
  *count = mlirFunctionTypeGetNumResults(function);
  for (intptr_t i = 0; i < *count; ++i) {
    MlirType type = mlirFunctionTypeGetResult(function, i);
    MlirAttribute bound = irBorderAttr(main, "res_attrs", i, "stitch.bound");
    append(&outputs,
           STRUCT(w, outputName(w, main, i), elementType(w, main, type), integer(w, irTypeShape(type).rank),
                  dimsTable(w, type), real(w, doubleElement(bound, "variance")), real(w, doubleElement(bound, "sum")),
                  real(w, doubleElement(bound, "largest_roundoff")),
                  integer(w, integerElement(bound, "longest_reduction")), integer(w, integerElement(bound, "depth")),
                  integer(w, integerElement(bound, "discontinuous")), integer(w, irSymbolNumber(main, type))));
  }
  return table(w, &outputs);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static LLVMValueRef constantEntry(Writer *w, MlirOperation global) {
  MlirAttribute value = irGetAttr(global, "initial_value");
  if (mlirAttributeIsNull(value) || !mlirAttributeIsADenseElements(value)) {
    stitchEmitOpError(global, "must have dense elements as its value to be part of a model file");
    w->failed = true;
    return STRUCT(w, null(w), integer(w, 0));
  }
  int64_t size = irTensorBytes(mlirTypeAttrGetValue(irGetAttr(global, "type")));
  return STRUCT(w, elementsOf(w, value, size), integer(w, size));
}

/// The constants in the order of the module, which is that of `stitch.constants`.
static LLVMValueRef constantTable(Writer *w, intptr_t *count) {
  Constants constants = {0};
  *count = 0;
  if (mlirOperationIsNull(w->parts->host))
    return null(w);
  IR_FOR_EACH_OP(op, irBody(w->parts->host, 0)) {
    if (irOpIs(op, "memref.global"))
      append(&constants, constantEntry(w, op));
  }
  *count = constants.count;
  return table(w, &constants);
}

//===----------------------------------------------------------------------===//
// Kernels and images
//===----------------------------------------------------------------------===//

/// @stitch_host_main; null if there is no host module.
static MlirOperation hostFunction(Writer *w) {
  if (mlirOperationIsNull(w->parts->host))
    return w->parts->host;
  IR_FOR_EACH_OP(op, irBody(w->parts->host, 0)) {
    if (irOpIs(op, "llvm.func") && irHasAttr(op, "stitch.kernels"))
      return op;
  }
  return (MlirOperation){NULL};
}

static LLVMValueRef kernelTable(Writer *w, intptr_t *count) {
  MlirOperation host = hostFunction(w);
  *count = 0;
  if (mlirOperationIsNull(host))
    return null(w);
  MlirAttribute names = irGetAttr(host, "stitch.kernels");
  Constants kernels = {0};
  *count = mlirArrayAttrGetNumElements(names);
  for (intptr_t i = 0; i < *count; ++i) {
    MlirStringRef name = mlirStringAttrGetValue(mlirArrayAttrGetElement(names, i));
    LLVMValueRef text = string(w, name.data, name.length);
    bool hasSimt = !mlirOperationIsNull(w->parts->simt);
    char *symbol = irAllocateZeroed(name.length + sizeof("_simt"), 1);
    memcpy(symbol, name.data, name.length);
    strcpy(symbol + name.length, "_simt");
    append(&kernels, STRUCT(w, text, hasSimt ? externalFunction(w, symbol) : null(w)));
    free(symbol);
  }
  return table(w, &kernels);
}

/// The number in an attribute that prints as `#nvvm.target<chip = "sm_90", ...>`; 0 if there is none.
static void findArchitecture(MlirStringRef text, void *data) {
  static const char marker[] = "\"sm_";
  for (size_t i = 0; i + sizeof(marker) <= text.length; ++i)
    if (memcmp(text.data + i, marker, sizeof(marker) - 1) == 0)
      *(int64_t *)data = strtol(text.data + i + sizeof(marker) - 1, NULL, 10);
}

static LLVMValueRef imageEntry(Writer *w, MlirOperation binary, MlirAttribute object) {
  enum { GPU_FORMAT_ASSEMBLY = 2, GPU_FORMAT_BINARY = 3 };
  int64_t arch = 0;
  mlirAttributePrint(mlirGPUObjectAttrGetTarget(object), findArchitecture, &arch);
  uint32_t format = mlirGPUObjectAttrGetFormat(object);
  if (arch == 0 || (format != GPU_FORMAT_ASSEMBLY && format != GPU_FORMAT_BINARY)) {
    stitchEmitOpError(binary, "must hold PTX or cubins for sm_ architectures to be part of a model file");
    w->failed = true;
  }
  // A text may or may not bring its own null byte.
  MlirStringRef data = mlirGPUObjectAttrGetObject(object);
  bool isText = format == GPU_FORMAT_ASSEMBLY;
  size_t length = isText ? strnlen(data.data, data.length) : data.length;
  LLVMValueRef address = isText ? string(w, data.data, length) : bytes(w, data.data, length, sizeof(int64_t));
  return STRUCT(w, integer(w, arch), integer(w, isText ? STITCH_IMAGE_PTX : STITCH_IMAGE_CUBIN), address,
                integer(w, (int64_t)length));
}

static LLVMValueRef imageTable(Writer *w, intptr_t *count) {
  Constants images = {0};
  *count = 0;
  if (mlirOperationIsNull(w->parts->images))
    return null(w);
  IR_FOR_EACH_OP(op, irBody(w->parts->images, 0)) {
    if (!irOpIs(op, "gpu.binary"))
      continue;
    MlirAttribute objects = irGetAttr(op, "objects");
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(objects); ++i)
      append(&images, imageEntry(w, op, mlirArrayAttrGetElement(objects, i)));
  }
  *count = images.count;
  return table(w, &images);
}

//===----------------------------------------------------------------------===//
// Library calls
//===----------------------------------------------------------------------===//

/// StitchModelLibraryCalls from the `stitch.library_calls` of `op`. The problems hold no pointers, so their bytes are
/// what the C compiler of the runtime lays out.
static LLVMValueRef libraryCalls(Writer *w, MlirOperation op) {
  MlirAttribute calls = mlirOperationIsNull(op) ? (MlirAttribute){NULL} : irGetAttr(op, "stitch.library_calls");
  intptr_t count = mlirAttributeIsNull(calls) ? 0 : mlirArrayAttrGetNumElements(calls);
  if (count == 0)
    return STRUCT(w, null(w), integer(w, 0));
  StitchLibraryProblem *problems = irAllocateZeroed((size_t)count, sizeof(*problems));
  for (intptr_t i = 0; i < count && !w->failed; ++i)
    w->failed =
        mlirLogicalResultIsFailure(stitchLibraryProblemFromAttr(op, mlirArrayAttrGetElement(calls, i), &problems[i]));
  LLVMValueRef data = bytes(w, (const char *)problems, (size_t)count * sizeof(*problems), sizeof(int64_t));
  free(problems);
  return STRUCT(w, data, integer(w, count));
}

//===----------------------------------------------------------------------===//
// Calls of the host code
//===----------------------------------------------------------------------===//

/// Field `index` of StitchHostCallbacks, whose fields are all pointers.
static LLVMValueRef callbacksField(Writer *w, LLVMBuilderRef b, LLVMValueRef callbacks, unsigned index) {
  LLVMValueRef position = LLVMConstInt(w->i64, index, false);
  LLVMValueRef address = LLVMBuildGEP2(b, w->pointer, callbacks, &position, 1, "");
  return LLVMBuildLoad2(b, w->pointer, address, "");
}

/// Defines `i32 NAME(ptr callbacks, rest...)`: calls the function in a field with the context in another field and the
/// rest.
static void defineForwarder(Writer *w, const char *name, unsigned contextField, unsigned functionField,
                            unsigned numParameters, LLVMTypeRef *parameters) {
  LLVMTypeRef type = LLVMFunctionType(w->i32, parameters, numParameters, false);
  LLVMValueRef function = LLVMAddFunction(w->module, name, type);
  LLVMBuilderRef b = LLVMCreateBuilderInContext(w->context);
  LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(w->context, function, ""));
  LLVMValueRef *arguments = irAllocate(sizeof(*arguments) * numParameters);
  LLVMValueRef callbacks = LLVMGetParam(function, 0);
  arguments[0] = callbacksField(w, b, callbacks, contextField);
  for (unsigned i = 1; i < numParameters; ++i)
    arguments[i] = LLVMGetParam(function, i);
  LLVMValueRef callee = callbacksField(w, b, callbacks, functionField);
  LLVMBuildRet(b, LLVMBuildCall2(b, type, callee, arguments, numParameters, ""));
  free(arguments);
  LLVMDisposeBuilder(b);
}

static void defineForwarders(Writer *w) {
  LLVMTypeRef p = w->pointer, i = w->i64;
  unsigned launch = offsetof(StitchHostCallbacks, launchContext) / sizeof(void *);
  unsigned library = offsetof(StitchHostCallbacks, libraryContext) / sizeof(void *);
  unsigned read = offsetof(StitchHostCallbacks, read) / sizeof(void *);
  defineForwarder(w, "stitchLaunchKernel", launch, launch + 1, 8, (LLVMTypeRef[]){p, i, i, i, i, i, p, i});
  defineForwarder(w, "stitchLibraryCall", library, library + 1, 3, (LLVMTypeRef[]){p, i, p});
  defineForwarder(w, "stitchReadDevice", launch, read, 4, (LLVMTypeRef[]){p, p, p, i});
}

//===----------------------------------------------------------------------===//
// The descriptor
//===----------------------------------------------------------------------===//

static void printTo(MlirStringRef part, void *file) { fwrite(part.data, 1, part.length, file); }

/// `#stitch.device<...>` of the first part that has one, else an empty string.
static LLVMValueRef deviceText(Writer *w) {
  MlirOperation host = w->parts->host;
  MlirAttribute device = mlirOperationIsNull(host) ? (MlirAttribute){NULL} : irGetAttr(host, "stitch.device");
  if (mlirAttributeIsNull(device))
    return string(w, "", 0);
  char *text = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&text, &length);
  if (file) {
    mlirAttributePrint(device, printTo, file);
    fclose(file);
  }
  LLVMValueRef result = string(w, text ? text : "", text ? length : 0);
  free(text);
  return result;
}

static void defineDescriptor(Writer *w) {
  static const char producer[] = "stitch " STITCH_VERSION;
  MlirOperation host = hostFunction(w), reference = w->parts->reference;
  bool hasHost = !mlirOperationIsNull(host), hasReference = !mlirOperationIsNull(reference);
  intptr_t numInputs, numOutputs, numConstants, numKernels, numImages, numSymbols;
  LLVMValueRef inputs = inputTable(w, &numInputs), outputs = outputTable(w, &numOutputs);
  LLVMValueRef constants = constantTable(w, &numConstants), kernels = kernelTable(w, &numKernels);
  LLVMValueRef images = imageTable(w, &numImages), symbols = symbolTable(w, &numSymbols);
  LLVMValueRef descriptor =
      STRUCT(w, integer(w, STITCH_MODEL_MAGIC), integer(w, STITCH_MODEL_ABI_VERSION),
             string(w, producer, sizeof(producer) - 1), deviceText(w), inputs, integer(w, numInputs), outputs,
             integer(w, numOutputs), integer(w, hasHost ? irGetInt(host, "stitch.arena", 0) : 0),
             integer(w, hasHost ? irGetInt(host, "stitch.zeroed", 0) : 0), constants, integer(w, numConstants), kernels,
             integer(w, numKernels), images, integer(w, numImages),
             hasHost ? externalFunction(w, "stitch_host_main") : null(w), libraryCalls(w, host),
             hasReference ? externalFunction(w, "stitch_reference_main") : null(w), libraryCalls(w, reference), symbols,
             integer(w, numSymbols));
  LLVMValueRef global = LLVMAddGlobal(w->module, LLVMTypeOf(descriptor), STITCH_MODEL_SYMBOL);
  LLVMSetInitializer(global, descriptor);
  LLVMSetGlobalConstant(global, true);
  LLVMSetAlignment(global, sizeof(int64_t));
}

MlirLogicalResult stitchCompileDescriptor(const StitchModelParts *parts, StitchLLVMCode *code) {
  LLVMContextRef context = LLVMContextCreate();
  Writer w = {
      .parts = parts,
      .context = context,
      .module = LLVMModuleCreateWithNameInContext("model", context),
      .pointer = LLVMPointerTypeInContext(context, 0),
      .i32 = LLVMInt32TypeInContext(context),
      .i64 = LLVMInt64TypeInContext(context),
  };
  defineForwarders(&w);
  defineDescriptor(&w);
  MlirLogicalResult result = w.failed ? mlirLogicalResultFailure() : stitchCompileHostIR(parts->graph, w.module, code);
  LLVMDisposeModule(w.module);
  LLVMContextDispose(context);
  return result;
}
