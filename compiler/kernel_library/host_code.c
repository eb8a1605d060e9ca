//===- host_code.c - the host function as C ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the host function of docs/ir.md, section 3: views of memory become addresses, launches and counted loops
// statements of C. The names in these are those of files/library.c.in.
//
//===----------------------------------------------------------------------===//

#include "compiler/kernel_library/library_emit.h"

#include "capi/diagnostics.h"
#include "ir/graph/executions.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "ir/plan/plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONSTANTS "library->constants"

/// A place in the memory that a variable of C points to.
typedef struct {
  const char *memory;
  int64_t offset;
} Address;

typedef struct {
  KernelLibrary *library;
  LibraryProgram *program;
  MlirOperation module;
  IrMap values; ///< of the host function -> index in `addresses`
  Address *addresses;
  intptr_t numAddresses, capacity;
  IrMap kernels; ///< gpu.func -> number
  intptr_t numVariables;
  int indent, depth; ///< of loops
  FILE *code;
  bool failed;
} HostCode;

__attribute__((format(printf, 2, 3))) static const char *formatted(HostCode *h, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = irArenaAllocate(h->library->arena, (size_t)length + 1);
  va_start(arguments, format);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return text;
}

static void failAt(HostCode *h, MlirOperation op, const char *message) {
  stitchEmitOpError(op, "%s", message);
  h->failed = true;
}

static void setAddress(HostCode *h, MlirValue value, Address address) {
  IR_RESERVE_ONE(h->addresses, h->numAddresses, h->capacity);
  irMapSet(&h->values, value.ptr, h->numAddresses);
  h->addresses[h->numAddresses++] = address;
}

static Address addressOf(HostCode *h, MlirOperation user, MlirValue value) {
  int64_t index = irMapGet(&h->values, value.ptr, -1);
  if (index >= 0)
    return h->addresses[index];
  failAt(h, user, "has an operand that the C of a kernel library cannot compute");
  return (Address){"NULL", 0};
}

/// A pointer to a variable that has the address, as launches take it.
static const char *pointerTo(HostCode *h, Address address) {
  if (address.offset == 0 && strcmp(address.memory, CONSTANTS) != 0)
    return formatted(h, "&%s", address.memory);
  h->library->hasPlaces = true;
  return formatted(h, "AT(%s, %" PRId64 ")", address.memory, address.offset);
}

static bool readConstant(MlirValue value, int64_t *result) {
  MlirOperation op = irDefiningOp(value);
  MlirAttribute attribute =
      mlirOperationIsNull(op) || !irOpIs(op, "arith.constant") ? mlirAttributeGetNull() : irGetAttr(op, "value");
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute))
    return false;
  *result = mlirIntegerAttrGetValueInt(attribute);
  return true;
}

static void beginLine(HostCode *h) { fprintf(h->code, "%*s", h->indent + 2 * h->depth, ""); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Arguments are the inputs, among them the values of symbols behind the others, the outputs and the arena.
static void bindArguments(HostCode *h, const LibraryFunction *f, MlirOperation main) {
  MlirBlock body = irBody(main, 0);
  intptr_t count = mlirBlockGetNumArguments(body), numInputs = (intptr_t)irGetInt(main, "stitch.inputs", 0),
           numOutputs = (intptr_t)irGetInt(main, "stitch.outputs", 0);
  MlirOperation graph = irFindFunction(h->program->compiler.graph, "main");
  intptr_t tensors = 0, symbols = 0;
  bool hasArena = count > numInputs + numOutputs;
  h->program->arenaBytes = hasArena ? irTensorBytes(mlirValueGetType(mlirBlockGetArgument(body, count - 1))) : 0;
  h->program->zeroedBytes = irGetInt(main, "stitch.zeroed", 0);
  for (intptr_t i = 0; i < count; ++i) {
    Address address = {"workspace", 0};
    if (i < numInputs && !mlirAttributeIsNull(irSymbolOfArgument(graph, i).name))
      address.offset = libraryPlaceOfSymbol(h->program, symbols++);
    else if (i < numInputs + numOutputs) {
      address.memory = tensors < f->numInputs ? f->inputs[tensors].cName : f->outputs[tensors - f->numInputs].cName;
      ++tensors;
    }
    setAddress(h, mlirBlockGetArgument(body, i), address);
  }
}

static void readView(HostCode *h, MlirOperation op) {
  int64_t offset = 0;
  Address address = addressOf(h, op, irOperand(op, 0));
  if (!readConstant(irOperand(op, 1), &offset))
    return failAt(h, op, "has an offset that is not known, which the C of a kernel library cannot compute");
  address.offset += offset;
  setAddress(h, irResult(op, 0), address);
}

/// Elements of equal constants are there once.
static int64_t placeOfConstant(KernelLibrary *library, MlirAttribute data, int64_t bytes) {
  enum { ALIGNMENT = 256 };
  for (intptr_t i = 0; i < library->numConstants; ++i)
    if (mlirAttributeEqual(library->constants[i].data, data))
      return library->constants[i].offset;
  IR_RESERVE_ONE(library->constants, library->numConstants, library->constantCapacity);
  int64_t offset = (library->constantBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  library->constants[library->numConstants++] = (LibraryConstant){.data = data, .offset = offset, .bytes = bytes};
  library->constantBytes = offset + bytes;
  return offset;
}

static MlirOperation findSymbol(MlirBlock body, MlirStringRef name) {
  IR_FOR_EACH_OP(op, body) {
    MlirAttribute symbol = irGetAttr(op, "sym_name");
    if (!mlirAttributeIsNull(symbol) && mlirStringRefEqual(mlirStringAttrGetValue(symbol), name))
      return op;
  }
  return (MlirOperation){NULL};
}

static void readGlobal(HostCode *h, MlirOperation op) {
  MlirOperation global = findSymbol(irBody(h->module, 0), mlirFlatSymbolRefAttrGetValue(irGetAttr(op, "name")));
  MlirAttribute data = mlirOperationIsNull(global) ? mlirAttributeGetNull() : irGetAttr(global, "initial_value");
  if (!stitchModelHasElements(data))
    return failAt(h, op, "names no constant whose elements are in the model");
  int64_t bytes = irTensorBytes(mlirTypeAttrGetValue(irGetAttr(global, "type")));
  setAddress(h, irResult(op, 0), (Address){CONSTANTS, placeOfConstant(h->library, data, bytes)});
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

enum { GRID = 1, BLOCK = 4, CLUSTER = 7, SHARED = 10, KERNEL_OPERANDS = 11, NUM_SEGMENTS = 13 };

/// The operands of segment `segment`, one of which is `*count`.
static intptr_t segmentOf(MlirOperation launch, int segment, intptr_t *count) {
  MlirAttribute sizes = irGetAttr(launch, "operandSegmentSizes");
  intptr_t start = 0;
  for (int i = 0; i < segment; ++i)
    start += mlirDenseI32ArrayGetElement(sizes, i);
  *count = mlirDenseI32ArrayGetElement(sizes, segment);
  return start;
}

/// The constant that a launch has at a segment; `missing` if it has none there, -1 if it is not known.
static int64_t launchSize(MlirOperation launch, int segment, int64_t missing) {
  intptr_t count, start = segmentOf(launch, segment, &count);
  int64_t value = -1;
  if (count == 0)
    return missing;
  return readConstant(irOperand(launch, start), &value) ? value : -1;
}

static int64_t ofPair(MlirOperation op, const char *name, intptr_t i) {
  MlirAttribute pair = irGetAttr(op, name);
  return mlirAttributeIsNull(pair) ? 0 : mlirDenseI64ArrayGetElement(pair, i);
}

static LibraryKernel kernelOf(MlirOperation function, MlirOperation launch) {
  StitchLaunch plan = {0};
  bool isPlanned = planGetLaunch(function, &plan);
  return (LibraryKernel){.grid = launchSize(launch, GRID, -1),
                         .block = launchSize(launch, BLOCK, -1),
                         .cluster = launchSize(launch, CLUSTER, 1),
                         .shared = launchSize(launch, SHARED, 0),
                         .read = ofPair(function, "stitch.traffic", 0),
                         .written = ofPair(function, "stitch.traffic", 1),
                         .isCooperative = isPlanned && plan.barriers > 0};
}

static bool isSameLaunch(const LibraryKernel *a, const LibraryKernel *b) {
  return a->grid == b->grid && a->block == b->block && a->cluster == b->cluster && a->shared == b->shared;
}

/// The number of the kernel of a launch; -1 after a failure.
static int64_t numberKernel(HostCode *h, MlirOperation launch) {
  MlirAttribute symbol = irGetAttr(launch, "kernel");
  MlirOperation module = findSymbol(irBody(h->module, 0), mlirSymbolRefAttrGetRootReference(symbol));
  MlirOperation function =
      mlirOperationIsNull(module) ? module : findSymbol(irBody(module, 0), mlirSymbolRefAttrGetLeafReference(symbol));
  if (mlirOperationIsNull(function))
    return failAt(h, launch, "names no kernel of this module"), -1;
  LibraryKernel kernel = kernelOf(function, launch);
  if (kernel.grid < 0 || kernel.block < 0 || kernel.cluster < 0 || kernel.shared < 0)
    return failAt(h, launch, "has a size that is not known, which the C of a kernel library cannot compute"), -1;
  int64_t number = irMapGet(&h->kernels, function.ptr, -1);
  if (number < 0) {
    MlirStringRef name = mlirStringAttrGetValue(irGetAttr(function, "sym_name"));
    kernel.name = formatted(h, "%.*s", (int)name.length, name.data);
    number = h->program->numKernels++;
    h->program->kernels[number] = kernel;
    irMapSet(&h->kernels, function.ptr, number);
  }
  if (!isSameLaunch(&h->program->kernels[number], &kernel))
    return failAt(h, launch, "launches a kernel otherwise than the launch before"), -1;
  h->program->kernels[number].launches += irTimesExecuted(launch);
  return number;
}

static void readLaunch(HostCode *h, MlirOperation op) {
  int64_t number = numberKernel(h, op);
  if (number < 0)
    return;
  intptr_t count, first = segmentOf(op, KERNEL_OPERANDS, &count);
  LibraryLine line = libraryBeginLine(h->code, h->indent + 2 * h->depth, "LAUNCH(");
  libraryAddToLine(&line, "%" PRId64, h->program->firstKernel + number);
  for (intptr_t i = 0; i < count; ++i)
    libraryAddToLine(&line, "%s", pointerTo(h, addressOf(h, op, irOperand(op, first + i))));
  fprintf(h->code, "); // %s\n", h->program->kernels[number].name);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static void readBlock(HostCode *h, MlirBlock block);

/// A variable of a loop; there may be nothing that reads it.
static void writeVariable(HostCode *h, const char *name, intptr_t number, Address address) {
  beginLine(h);
  h->library->hasPlaces = true;
  fprintf(h->code, "__attribute__((unused)) CUdeviceptr %s%ld_ = *AT(%s, %" PRId64 ");\n", name, (long)number,
          address.memory, address.offset);
}

/// Loop-carried values are addresses, in variables of their own; all of them change together.
static void readLoop(HostCode *h, MlirOperation op) {
  MlirBlock body = irBody(op, 0);
  MlirOperation yield = mlirBlockGetTerminator(body);
  intptr_t count = mlirOperationGetNumResults(op), first = h->numVariables;
  int64_t low, high, step;
  if (!readConstant(irOperand(op, 0), &low) || !readConstant(irOperand(op, 1), &high) ||
      !readConstant(irOperand(op, 2), &step))
    return failAt(h, op, "has limits that are not known, which the C of a kernel library cannot compute");
  h->numVariables += count;
  for (intptr_t i = 0; i < count; ++i) {
    writeVariable(h, "v", first + i, addressOf(h, op, irOperand(op, 3 + i)));
    Address variable = {formatted(h, "v%ld_", (long)(first + i)), 0};
    setAddress(h, mlirBlockGetArgument(body, 1 + i), variable);
    setAddress(h, irResult(op, i), variable);
  }
  beginLine(h);
  fprintf(h->code, "for (int64_t i_ = %" PRId64 "; i_ < %" PRId64 "; i_ += %" PRId64 ") {\n", low, high, step);
  ++h->depth;
  readBlock(h, body);
  for (intptr_t i = 0; i < count && !h->failed; ++i)
    writeVariable(h, "n", first + i, addressOf(h, yield, irOperand(yield, i)));
  for (intptr_t i = 0; i < count; ++i) {
    beginLine(h);
    fprintf(h->code, "v%ld_ = n%ld_;\n", (long)(first + i), (long)(first + i));
  }
  --h->depth;
  beginLine(h);
  fprintf(h->code, "}\n");
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// The same elements in another shape.
static void readCast(HostCode *h, MlirOperation op) {
  MlirAttribute offsets = irGetAttr(op, "static_offsets");
  bool isWhole = mlirOperationGetNumOperands(op) == 1 && mlirAttributeIsADenseI64Array(offsets) &&
                 mlirDenseArrayGetNumElements(offsets) == 1 && mlirDenseI64ArrayGetElement(offsets, 0) == 0;
  if (!isWhole)
    return failAt(h, op, "has an offset, or sizes that are not known, which the C of a kernel library cannot compute");
  setAddress(h, irResult(op, 0), addressOf(h, op, irOperand(op, 0)));
}

/// Constants are read where they are used. All launches are on one stream, in their order: which of several streams a
/// step would be on is a choice that nothing else reads.
static void readNothing(HostCode *h, MlirOperation op) {
  (void)h;
  (void)op;
}

static void readOperation(HostCode *h, MlirOperation op) {
  static const struct {
    const char *name;
    void (*read)(HostCode *h, MlirOperation op);
  } readers[] = {
      {"memref.view", readView},
      {"memref.reinterpret_cast", readCast},
      {"memref.get_global", readGlobal},
      {"gpu.launch_func", readLaunch},
      {"scf.for", readLoop},
      {"scf.yield", readNothing},
      {"arith.constant", readNothing},
      {"func.return", readNothing},
      {"stitch.step", readNothing},
      {"stitch.join", readNothing},
      {"stitch.choose", readNothing},
      {"stitch.chosen", readNothing},
  };
  for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); ++i)
    if (irOpIs(op, readers[i].name))
      return readers[i].read(h, op);
  failAt(h, op, "has no place in the C of a kernel library");
}

static void readBlock(HostCode *h, MlirBlock block) {
  IR_FOR_EACH_OP(op, block)
    if (!h->failed)
      readOperation(h, op);
}

/// Sets the words of the workspace before the first launch: counters of barriers, and sizes.
static void setWords(HostCode *h, const LibraryFunction *f) {
  if (h->program->zeroedBytes) {
    beginLine(h);
    fprintf(h->code, "set_words(&call_, 0, 0, %" PRId64 ");\n", h->program->zeroedBytes / 4);
  }
  for (intptr_t i = 0; i < h->program->numSymbols; ++i) {
    beginLine(h);
    fprintf(h->code, "set_words(&call_, %" PRId64 ", (unsigned)", libraryPlaceOfSymbol(h->program, i));
    libraryPrintSymbol(h->code, f, h->program, i, LIBRARY_BY_NAME);
    fprintf(h->code, ", 1);\n");
  }
}

/// Inputs that are updated in place begin the memory of their outputs, unless they are it.
static void copyUpdated(HostCode *h, const LibraryFunction *f) {
  for (intptr_t i = 0; i < f->numInputs; ++i)
    if (f->inputs[i].updatedIn >= 0) {
      beginLine(h);
      fprintf(h->code, "copy_input(&call_, %s, %s, ", f->outputs[f->inputs[i].updatedIn].cName, f->inputs[i].cName);
      libraryPrintBytes(h->code, f, &f->inputs[i], LIBRARY_BY_NAME);
      fprintf(h->code, ");\n");
    }
}

static MlirWalkResult countKernels(MlirOperation op, void *count) {
  *(intptr_t *)count += irOpIs(op, "gpu.func");
  return MlirWalkResultAdvance;
}

bool libraryReadHostCode(KernelLibrary *library, const LibraryFunction *f, LibraryProgram *program) {
  MlirOperation module = program->compiler.kernels, main = irFindFunction(module, "main");
  char *text = NULL;
  size_t size = 0;
  HostCode h = {.library = library,
                .program = program,
                .module = module,
                .indent = f->numPrograms > 1 ? 4 : 2,
                .code = open_memstream(&text, &size)};
  if (!h.code)
    return messagesFail(program->compiler.messages, "out of memory");
  intptr_t count = 0;
  mlirOperationWalk(module, countKernels, &count, MlirWalkPreOrder);
  program->kernels = IR_NEW_ARRAY(library->arena, LibraryKernel, count + 1);
  program->firstKernel = library->numKernels;
  bindArguments(&h, f, main);
  setWords(&h, f);
  copyUpdated(&h, f);
  readBlock(&h, irBody(main, 0));
  library->numKernels += program->numKernels;
  bool ok = fclose(h.code) == 0 || messagesFail(program->compiler.messages, "out of memory");
  char *copy = irArenaAllocate(library->arena, size + 1);
  if (ok)
    memcpy(copy, text, size);
  program->code = copy;
  free(text);
  free(h.addresses);
  irMapDestroy(&h.values);
  irMapDestroy(&h.kernels);
  return ok && !h.failed;
}
