//===- descriptor.c - the descriptor of a model file as LLVM IR ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function here makes the LLVM constant for one struct of runtime/model.h, its fields in the struct's order. All
// of them are pointers, int64_t or double, so that an LLVM struct of these has the C struct's layout. Nothing of it
// runs: the only functions in its object are those of forwarders.c.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/function.h"
#include "ir/mlir/query.h"
#include "ir/mlir/symbol.h"
#include "lowering/host/model_file/constants.h"
#include "lowering/host/model_file/model_adaptive.h"
#include "lowering/host/model_file/model_sizes.h"
#include "runtime/library/packed.h"

#include "mlir-c/Dialect/GPU.h"
#include "llvm-c/Core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

static StitchInputRole roleFromName(MlirAttribute input) {
  static const char *const names[] = {
      [STITCH_INPUT_NORMAL] = "normal",   [STITCH_INPUT_POSITIVE] = "positive",
      [STITCH_INPUT_MASK] = "mask",       [STITCH_INPUT_INDEX] = "index",
      [STITCH_INPUT_INTEGER] = "integer", [STITCH_INPUT_POSITIVE_DEFINITE] = "positive_definite",
      [STITCH_INPUT_FINITE] = "finite",
  };
  MlirAttribute role = irEntry(input, "role");
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !mlirAttributeIsNull(role); ++i)
    if (mlirStringRefEqual(mlirStringAttrGetValue(role), mlirStringRefCreateFromCString(names[i])))
      return (StitchInputRole)i;
  return STITCH_INPUT_NORMAL;
}

/// The name that the source gave a value (`loc("x")`), else PREFIX and its number.
static LLVMValueRef borderName(Writer *w, MlirLocation location, const char *prefix, intptr_t index) {
  if (mlirLocationIsAName(location)) {
    MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
    return constantString(w, name.data, name.length);
  }
  char name[32];
  int length = snprintf(name, sizeof(name), "%s%ld", prefix, (long)index);
  return constantString(w, name, (size_t)length);
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
  return constantInteger(w, result);
}

static LLVMValueRef symbolTable(Writer *w, intptr_t *count) {
  MlirOperation main = irFindFunction(w->parts->graph, "main");
  Constants symbols = {0};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(irBody(main, 0)); ++i) {
    IrSymbol symbol = irSymbolOfArgument(main, i);
    if (mlirAttributeIsNull(symbol.name))
      continue;
    MlirStringRef name = mlirStringAttrGetValue(symbol.name);
    IrSize terms[IR_MAX_RANK];
    intptr_t numTerms = irReadSizes(symbol.derivation, terms);
    constantsAdd(&symbols,
                 CONSTANT_STRUCT(w, constantString(w, name.data, name.length), constantInteger(w, symbol.low),
                                 constantInteger(w, symbol.high),
                                 numTerms < 0 ? constantNull(w) : constantSizeList(w, main, numTerms, terms),
                                 constantInteger(w, numTerms < 0 ? 0 : numTerms), constantInteger(w, symbol.isSum)));
  }
  *count = symbols.count;
  return constantTable(w, &symbols);
}

/// The elements that a variable has before the first run.
static LLVMValueRef initialValue(Writer *w, MlirOperation main, intptr_t index) {
  MlirAttribute initial = irVariableInitial(main, index);
  if (!stitchModelHasElements(initial))
    return constantNull(w);
  return constantElements(w, initial, irTensorBytes(mlirAttributeGetType(initial)));
}

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

static LLVMValueRef inputTable(Writer *w, intptr_t *count) {
  MlirOperation host = hostFunction(w);
  MlirAttribute updated = mlirOperationIsNull(host) ? mlirAttributeGetNull() : irGetAttr(host, "stitch.updated");
  bool isUpdated = !mlirAttributeIsNull(updated);
  MlirOperation main = irFindFunction(w->parts->graph, "main");
  MlirBlock body = irBody(main, 0);
  Constants inputs = {0};
  *count = mlirBlockGetNumArguments(body);
  for (intptr_t i = 0; i < *count; ++i) {
    MlirValue argument = mlirBlockGetArgument(body, i);
    MlirType type = irBorderType(main, "arg_attrs", i, mlirValueGetType(argument));
    MlirAttribute input = irBorderAttr(main, "arg_attrs", i, "stitch.input");
    BorderSizes border = borderSizes(main, "arg_attrs", i, type);
    constantsAdd(&inputs,
                 CONSTANT_STRUCT(w, borderName(w, mlirValueGetLocation(argument), "in", i), elementType(w, main, type),
                                 constantInteger(w, border.shape.rank), constantDims(w, &border),
                                 constantInteger(w, roleFromName(input)), constantReal(w, irEntryFloat(input, "low")),
                                 constantReal(w, irEntryFloat(input, "high")), constantSizes(w, main, &border),
                                 constantInteger(w, 1 + irNextOfVariable(main, i)), initialValue(w, main, i),
                                 constantInteger(w, isUpdated ? 1 + mlirDenseI64ArrayGetElement(updated, i) : 0),
                                 constantInteger(w, irEntryInt(input, "poison"))));
  }
  return constantTable(w, &inputs);
}

/// The name of the variable that a result is the next value of, else "out" and its number.
static LLVMValueRef outputName(Writer *w, MlirOperation main, intptr_t index) {
  MlirAttribute variable = irVariableName(main, "res_attrs", index);
  if (mlirAttributeIsNull(variable))
    return borderName(w, mlirOperationGetLocation(main), "out", index);
  MlirStringRef name = mlirStringAttrGetValue(variable);
  return constantString(w, name.data, name.length);
}

static LLVMValueRef outputTable(Writer *w, intptr_t *count) {
  MlirOperation main = irFindFunction(w->parts->graph, "main");
  MlirType function = mlirTypeAttrGetValue(irGetAttr(main, "function_type"));
  Constants outputs = {0};
  *count = mlirFunctionTypeGetNumResults(function);
  for (intptr_t i = 0; i < *count; ++i) {
    MlirType type = irBorderType(main, "res_attrs", i, mlirFunctionTypeGetResult(function, i));
    MlirAttribute bound = irBorderAttr(main, "res_attrs", i, "stitch.bound");
    BorderSizes border = borderSizes(main, "res_attrs", i, type);
    constantsAdd(
        &outputs,
        CONSTANT_STRUCT(
            w, outputName(w, main, i), elementType(w, main, type), constantInteger(w, border.shape.rank),
            constantDims(w, &border), constantReal(w, irEntryFloat(bound, "variance")),
            constantReal(w, irEntryFloat(bound, "sum")), constantReal(w, irEntryFloat(bound, "largest_roundoff")),
            constantInteger(w, irEntryInt(bound, "longest_reduction")), constantInteger(w, irEntryInt(bound, "depth")),
            constantInteger(w, irEntryInt(bound, "discontinuous")), constantSizes(w, main, &border)));
  }
  return constantTable(w, &outputs);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static LLVMValueRef constantEntry(Writer *w, MlirOperation global) {
  MlirAttribute value = irGetAttr(global, "initial_value");
  if (!stitchModelHasElements(value)) {
    stitchEmitOpError(global, "must have dense elements or a resource as its value to be part of a model file");
    w->failed = true;
    return CONSTANT_STRUCT(w, constantNull(w), constantInteger(w, 0));
  }
  int64_t size = irTensorBytes(mlirTypeAttrGetValue(irGetAttr(global, "type")));
  return CONSTANT_STRUCT(w, constantElements(w, value, size), constantInteger(w, size));
}

/// The constants in the order of the module, which is that of `stitch.constants`.
static LLVMValueRef modelConstants(Writer *w, intptr_t *count) {
  Constants constants = {0};
  *count = 0;
  if (mlirOperationIsNull(w->parts->host))
    return constantNull(w);
  IR_FOR_EACH_OP(op, irBody(w->parts->host, 0)) {
    if (irOpIs(op, "memref.global"))
      constantsAdd(&constants, constantEntry(w, op));
  }
  *count = constants.count;
  return constantTable(w, &constants);
}

//===----------------------------------------------------------------------===//
// Kernels and images
//===----------------------------------------------------------------------===//

/// A StitchModelGraph: the function of that name, empty if there is no such function.
static LLVMValueRef graphOf(Writer *w, MlirStringRef name) {
  GraphBytes graph = {0};
  if (!mlirOperationIsNull(w->parts->graphs)) {
    IR_FOR_EACH_OP(op, irBody(w->parts->graphs, 0)) {
      if (mlirStringRefEqual(mlirStringAttrGetValue(irGetAttr(op, "sym_name")), name) && !w->failed)
        w->failed = !graphWrite(op, irFindFunction(w->parts->graph, "main"), &w->texts, &graph);
    }
  }
  LLVMValueRef data =
      graph.count ? constantBytes(w, (const char *)graph.data, (size_t)graph.count, 1) : constantNull(w);
  int64_t count = graph.count;
  free(graph.data);
  return CONSTANT_STRUCT(w, data, constantInteger(w, count));
}

/// One graph for each name in an attribute of the host function.
static LLVMValueRef graphTable(Writer *w, MlirOperation host, const char *attribute) {
  MlirAttribute names = mlirOperationIsNull(host) ? mlirAttributeGetNull() : irGetAttr(host, attribute);
  Constants graphs = {0};
  for (intptr_t i = 0; !mlirAttributeIsNull(names) && i < mlirArrayAttrGetNumElements(names); ++i)
    constantsAdd(&graphs, graphOf(w, mlirStringAttrGetValue(mlirArrayAttrGetElement(names, i))));
  return constantTable(w, &graphs);
}

static LLVMValueRef textTable(Writer *w, const MlirAttribute *texts, intptr_t count) {
  Constants list = {0};
  for (intptr_t i = 0; i < count; ++i)
    constantsAdd(&list, constantText(w, texts[i]));
  return constantTable(w, &list);
}

/// The texts in an attribute of the host function.
static LLVMValueRef hostTexts(Writer *w, MlirOperation host, const char *attribute, int64_t *count) {
  MlirAttribute list = mlirOperationIsNull(host) ? mlirAttributeGetNull() : irGetAttr(host, attribute);
  intptr_t size = mlirAttributeIsNull(list) ? 0 : mlirArrayAttrGetNumElements(list);
  MlirAttribute *texts = irAllocate(sizeof(*texts) * (size_t)(size + 1));
  for (intptr_t i = 0; i < size; ++i)
    texts[i] = mlirArrayAttrGetElement(list, i);
  LLVMValueRef result = textTable(w, texts, size);
  free(texts);
  *count = size;
  return result;
}

/// A function that the program has as NAME and SUFFIX.
static LLVMValueRef programFunction(Writer *w, MlirStringRef name, const char *suffix) {
  char *program = stitchModelProgramName(w->parts->graph);
  size_t size = name.length + strlen(suffix) + strlen(program) + 1;
  char *symbol = irAllocate(size);
  snprintf(symbol, size, "%.*s%s%s", (int)name.length, name.data, suffix, program);
  LLVMValueRef function = constantFunction(w, symbol);
  free(symbol);
  free(program);
  return function;
}

static LLVMValueRef kernelTable(Writer *w, intptr_t *count) {
  MlirOperation host = hostFunction(w);
  *count = 0;
  if (mlirOperationIsNull(host))
    return constantNull(w);
  MlirAttribute names = irGetAttr(host, "stitch.kernels");
  Constants kernels = {0};
  *count = mlirArrayAttrGetNumElements(names);
  for (intptr_t i = 0; i < *count; ++i) {
    MlirStringRef name = mlirStringAttrGetValue(mlirArrayAttrGetElement(names, i));
    LLVMValueRef text = constantString(w, name.data, name.length);
    bool hasSimt = !mlirOperationIsNull(w->parts->simt);
    LLVMValueRef simt = hasSimt ? programFunction(w, name, "_simt") : constantNull(w);
    constantsAdd(&kernels, CONSTANT_STRUCT(w, text, simt, graphOf(w, name)));
  }
  return constantTable(w, &kernels);
}

typedef struct {
  int64_t number; ///< 0: there is none
  bool isExact;   ///< its name ends with "a": code for it alone
} Architecture;

/// The one in an attribute that prints as `#nvvm.target<chip = "sm_90", ...>`.
static void findArchitecture(MlirStringRef text, void *data) {
  static const char marker[] = "\"sm_";
  for (size_t i = 0; i + sizeof(marker) <= text.length; ++i)
    if (memcmp(text.data + i, marker, sizeof(marker) - 1) == 0) {
      char *end;
      long number = strtol(text.data + i + sizeof(marker) - 1, &end, 10);
      *(Architecture *)data = (Architecture){number, *end == 'a'};
    }
}

static LLVMValueRef imageEntry(Writer *w, MlirOperation binary, MlirAttribute object) {
  enum { GPU_FORMAT_ASSEMBLY = 2, GPU_FORMAT_BINARY = 3 };
  Architecture arch = {0};
  mlirAttributePrint(mlirGPUObjectAttrGetTarget(object), findArchitecture, &arch);
  uint32_t format = mlirGPUObjectAttrGetFormat(object);
  if (arch.number == 0 || (format != GPU_FORMAT_ASSEMBLY && format != GPU_FORMAT_BINARY)) {
    stitchEmitOpError(binary, "must hold PTX or cubins for sm_ architectures to be part of a model file");
    w->failed = true;
  }
  // A text may or may not bring its own null byte.
  MlirStringRef data = mlirGPUObjectAttrGetObject(object);
  bool isText = format == GPU_FORMAT_ASSEMBLY;
  size_t length = isText ? strnlen(data.data, data.length) : data.length;
  LLVMValueRef address =
      isText ? constantString(w, data.data, length) : constantBytes(w, data.data, length, sizeof(int64_t));
  return CONSTANT_STRUCT(w, constantInteger(w, arch.number), constantInteger(w, arch.isExact),
                         constantInteger(w, isText ? STITCH_IMAGE_PTX : STITCH_IMAGE_CUBIN), address,
                         constantInteger(w, (int64_t)length));
}

static LLVMValueRef imageTable(Writer *w, intptr_t *count) {
  Constants images = {0};
  *count = 0;
  if (mlirOperationIsNull(w->parts->images))
    return constantNull(w);
  IR_FOR_EACH_OP(op, irBody(w->parts->images, 0)) {
    if (!irOpIs(op, "gpu.binary"))
      continue;
    MlirAttribute objects = irGetAttr(op, "objects");
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(objects); ++i)
      constantsAdd(&images, imageEntry(w, op, mlirArrayAttrGetElement(objects, i)));
  }
  *count = images.count;
  return constantTable(w, &images);
}

//===----------------------------------------------------------------------===//
// Library calls
//===----------------------------------------------------------------------===//

/// StitchModelLibraryCalls from the `stitch.library_calls` of `op`. The problems hold no pointers, so their bytes are
/// laid out by the C compiler of the runtime. The file has room for them, and the packed bytes.
static LLVMValueRef libraryCalls(Writer *w, MlirOperation op) {
  MlirAttribute calls = mlirOperationIsNull(op) ? (MlirAttribute){NULL} : irGetAttr(op, "stitch.library_calls");
  intptr_t count = mlirAttributeIsNull(calls) ? 0 : mlirArrayAttrGetNumElements(calls);
  if (count == 0)
    return CONSTANT_STRUCT(w, constantNull(w), constantNull(w), constantInteger(w, 0), constantInteger(w, 0));
  StitchLibraryProblem *problems = irAllocateZeroed((size_t)count, sizeof(*problems));
  for (intptr_t i = 0; i < count && !w->failed; ++i)
    w->failed =
        mlirLogicalResultIsFailure(stitchLibraryProblemFromAttr(op, mlirArrayAttrGetElement(calls, i), &problems[i]));
  size_t bytes = (size_t)count * sizeof(*problems), packedBytes = stitchPack(problems, bytes, NULL);
  uint8_t *packed = irAllocate(packedBytes + 1);
  stitchPack(problems, bytes, packed);
  LLVMValueRef data = constantBytes(w, (const char *)packed, packedBytes, 1);
  free(packed);
  free(problems);
  return CONSTANT_STRUCT(w, constantZeroMemory(w, (int64_t)bytes), data, constantInteger(w, count),
                         constantInteger(w, (int64_t)packedBytes));
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
    return constantString(w, "", 0);
  char *text = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&text, &length);
  if (file) {
    mlirAttributePrint(device, printTo, file);
    fclose(file);
  }
  LLVMValueRef result = constantString(w, text ? text : "", text ? length : 0);
  free(text);
  return result;
}

/// An entry of `stitch.windows`; 0: the program has none.
static LLVMValueRef windowEntry(Writer *w, MlirOperation host, int64_t number) {
  MlirAttribute windows = mlirOperationIsNull(host) ? mlirAttributeGetNull() : irGetAttr(host, "stitch.windows");
  return constantInteger(w, mlirAttributeIsNull(windows) ? 0 : mlirDenseI64ArrayGetElement(windows, number));
}

/// The descriptor of the writer's program, or of the model: then with `programs`, the others.
static LLVMValueRef descriptorOf(Writer *w, bool isModel, Constants *programs) {
  static const char producer[] = "stitch " STITCH_VERSION;
  MlirOperation host = hostFunction(w), reference = w->parts->reference;
  bool hasHost = !mlirOperationIsNull(host), hasReference = !mlirOperationIsNull(reference);
  intptr_t numInputs, numOutputs, numConstants, numKernels, numImages, numSymbols;
  LLVMValueRef inputs = inputTable(w, &numInputs), outputs = outputTable(w, &numOutputs);
  LLVMValueRef constants = modelConstants(w, &numConstants), kernels = kernelTable(w, &numKernels);
  LLVMValueRef images = imageTable(w, &numImages), symbols = symbolTable(w, &numSymbols);
  int64_t numSites, numCalls, numFills;
  LLVMValueRef libraryGraphs = graphTable(w, host, "stitch.library_names");
  LLVMValueRef libraryNames = hostTexts(w, host, "stitch.library_names", &numCalls);
  LLVMValueRef sites = hostTexts(w, host, "stitch.sites", &numSites);
  if (hasReference)
    constantsDefineShared(w, reference);
  LLVMValueRef fills = isModel ? constantFills(w, &numFills) : constantNull(w);
  if (!isModel)
    numFills = 0;
  int64_t numPrograms = programs->count;
  int64_t numAdaptive, numUpdates, numSteps, numStreams;
  LLVMValueRef adaptive = adaptiveTable(w, host, &numAdaptive), updates = updateTable(w, host, &numUpdates);
  LLVMValueRef steps = stepTable(w, host, &numSteps, &numStreams);
  return CONSTANT_STRUCT(
      w, constantInteger(w, STITCH_MODEL_MAGIC), constantInteger(w, STITCH_MODEL_ABI_VERSION),
      constantString(w, producer, sizeof(producer) - 1), deviceText(w), inputs, constantInteger(w, numInputs), outputs,
      constantInteger(w, numOutputs), constantInteger(w, hasHost ? irGetInt(host, "stitch.arena", 0) : 0),
      constantInteger(w, hasHost ? irGetInt(host, "stitch.zeroed", 0) : 0), constants, constantInteger(w, numConstants),
      kernels, constantInteger(w, numKernels), images, constantInteger(w, numImages),
      hasHost ? programFunction(w, mlirStringRefCreateFromCString("stitch_host_main"), "") : constantNull(w),
      libraryCalls(w, host), hasReference ? constantFunction(w, "stitch_reference_main") : constantNull(w),
      libraryCalls(w, reference), symbols, constantInteger(w, numSymbols), libraryGraphs, libraryNames,
      textTable(w, w->texts.data, w->texts.count), constantInteger(w, w->texts.count), sites,
      constantInteger(w, numSites), fills, constantInteger(w, numFills), adaptive, constantInteger(w, numAdaptive),
      updates, constantInteger(w, numUpdates), steps, constantInteger(w, numSteps), constantInteger(w, numStreams),
      constantTable(w, programs), constantInteger(w, numPrograms),
      constantInteger(w, irGetInt(w->parts->graph, "stitch.replicas", 1) *
                             irGetInt(w->parts->graph, "stitch.partitions", 1)),
      constantInteger(w, w->parts->writesStages), windowEntry(w, host, 0), windowEntry(w, host, 1),
      windowEntry(w, host, 2));
}

/// The model is its last program, with the others in a table.
static void defineDescriptor(Writer *w, const StitchModelParts *programs, int count) {
  Constants others = {0}, none = {0};
  for (int i = 0; i + 1 < count; ++i) {
    w->parts = &programs[i];
    constantsAdd(&others, descriptorOf(w, false, &none));
  }
  w->parts = &programs[count - 1];
  LLVMValueRef descriptor = descriptorOf(w, true, &others);
  LLVMValueRef global = LLVMAddGlobal(w->module, LLVMTypeOf(descriptor), STITCH_MODEL_SYMBOL);
  LLVMSetInitializer(global, descriptor);
  LLVMSetGlobalConstant(global, true);
  LLVMSetAlignment(global, sizeof(int64_t));
}

/// Writes constants that are too large for LLVM, in a file of its own.
static MlirLogicalResult writeConstants(Writer *w, const StitchLLVMCode *code, const char *path) {
  int error = rawObjectWrite(&w->raw, code->data, path);
  if (!error)
    return mlirLogicalResultSuccess();
  stitchEmitOpError(w->parts->graph, "cannot write '%s': %s", path, strerror(error));
  free(code->data);
  return mlirLogicalResultFailure();
}

MlirLogicalResult stitchCompileDescriptor(const StitchModelParts *programs, int count, const char *constants,
                                          StitchLLVMCode *code) {
  LLVMContextRef context = LLVMContextCreate();
  Writer w = {
      .parts = programs,
      .context = context,
      .module = LLVMModuleCreateWithNameInContext("model", context),
      .pointer = LLVMPointerTypeInContext(context, 0),
      .i32 = LLVMInt32TypeInContext(context),
      .i64 = LLVMInt64TypeInContext(context),
  };
  stitchDefineForwarders(w.module);
  defineDescriptor(&w, programs, count);
  MlirLogicalResult result =
      w.failed ? mlirLogicalResultFailure() : stitchCompileHostIR(programs->graph, w.module, code);
  if (mlirLogicalResultIsSuccess(result))
    result = writeConstants(&w, code, constants);
  LLVMDisposeModule(w.module);
  LLVMContextDispose(context);
  graphTextsDestroy(&w.texts);
  constantsDestroyStored(&w);
  return result;
}
