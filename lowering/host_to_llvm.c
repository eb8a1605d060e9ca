//===- host_to_llvm.c - convert-host-to-llvm ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the host function @main of docs/ir.md, section 3, with its loops and branches as upstream's convert-scf-to-cf
// leaves them. It only computes addresses, calls, and branches on what it reads back, so every memref becomes one
// pointer, and the whole function becomes
//
//   llvm.func @stitch_host_main(%callbacks, %inputs, %outputs, %arena, %constants : !llvm.ptr) -> i32
//
// which is a StitchHostFunction (runtime/model.h). Launches, library calls and copies from the device to the host go
// through the three functions
//
//   llvm.func @stitchLaunchKernel(callbacks, kernel, grid, block, sharedBytes, cooperative, arguments, numArguments)
//   llvm.func @stitchLibraryCall(callbacks, call, pointers)
//   llvm.func @stitchReadDevice(callbacks, host, device, bytes)
//
// which the model writer defines; the first that does not return 0 ends the function with what it returned.
//
// Leaves kernels (gpu.module) and constants (memref.global) where they are; @main and the library declarations are
// gone. What the model file needs to know besides is attributes of @stitch_host_main:
//
//   stitch.kernels = ["fusion_0", ...]     names in the order of `kernel`
//   stitch.library_calls = [{kind = "dot", ..., types = [memref<...>, ...]}, ...]  in the order of `call`
//   stitch.constants = [@constant_0, ...]  in the order of %constants
//   stitch.arena, stitch.zeroed            bytes
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/arena.h"
#include "ir/build.h"
#include "ir/map.h"
#include "ir/plan.h"
#include "ir/query.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

enum { CALLBACKS, INPUTS, OUTPUTS, ARENA, CONSTANTS, NUM_ARGUMENTS };

/// A list of attributes that grows.
typedef struct {
  MlirAttribute *data;
  intptr_t count;
  intptr_t capacity;
} AttributeList;

typedef struct {
  MlirContext context;
  MlirOperation module;
  MlirOperation main;
  MlirOperation function; ///< @stitch_host_main
  MlirType pointer;
  MlirType i32;
  MlirType i64;
  IrBuilder entry; ///< pointers that do not depend on control flow; before the first call
  IrBuilder b;     ///< the calls in order
  MlirBlock failure;
  MlirValue arguments; ///< room for the longest argument list
  IrMap values;        ///< MlirValue -> MlirValue of the LLVM dialect: a memref's is a pointer, an index's an i64
  IrMap blocks;        ///< MlirBlock of @main -> MlirBlock of the new function
  IrMap kernels;       ///< gpu.func -> number
  IrMap calls;         ///< library declaration -> number
  IrMap constants;     ///< memref.global -> number
  AttributeList kernelNames;
  AttributeList callAttributes;
  AttributeList constantNames;
  bool failed;
} Host;

static void append(AttributeList *list, MlirAttribute attribute) {
  IR_RESERVE_ONE(list->data, list->count, list->capacity);
  list->data[list->count++] = attribute;
}

static MlirAttribute arrayOf(Host *h, const AttributeList *list) {
  return mlirArrayAttrGet(h->context, list->count, list->data);
}

static MlirStringRef symbolName(MlirOperation op) { return mlirStringAttrGetValue(irGetAttr(op, "sym_name")); }

//===----------------------------------------------------------------------===//
// Numbering
//===----------------------------------------------------------------------===//

static void numberKernels(Host *h, MlirOperation gpuModule) {
  IR_FOR_EACH_OP(op, irBody(gpuModule, 0)) {
    if (!irOpIs(op, "gpu.func"))
      continue;
    irMapSet(&h->kernels, op.ptr, h->kernelNames.count);
    append(&h->kernelNames, irGetAttr(op, "sym_name"));
  }
}

/// The declaration's stitch.library attribute with one more entry, if it does not have it: the types of its arguments.
static MlirAttribute libraryCallAttribute(Host *h, MlirOperation declaration) {
  MlirAttribute library = irGetAttr(declaration, "stitch.library");
  if (!mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(library, mlirStringRefCreateFromCString("types"))))
    return library;
  MlirType type = mlirTypeAttrGetValue(irGetAttr(declaration, "function_type"));
  AttributeList operands = {0};
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    append(&operands, mlirTypeAttrGet(mlirFunctionTypeGetInput(type, i)));
  intptr_t count = mlirDictionaryAttrGetNumElements(library);
  MlirNamedAttribute *entries = irAllocate(sizeof(*entries) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    entries[i] = mlirDictionaryAttrGetElement(library, i);
  entries[count] = irNamed(h->context, "types", arrayOf(h, &operands));
  MlirAttribute result = mlirDictionaryAttrGet(h->context, count + 1, entries);
  free(entries);
  free(operands.data);
  return result;
}

static void numberLibraryCall(Host *h, MlirOperation declaration) {
  MlirAttribute library = irGetAttr(declaration, "stitch.library");
  if (mlirAttributeIsNull(library) || !mlirAttributeIsADictionary(library))
    return;
  irMapSet(&h->calls, declaration.ptr, h->callAttributes.count);
  append(&h->callAttributes, libraryCallAttribute(h, declaration));
}

static void numberConstant(Host *h, MlirOperation global) {
  irMapSet(&h->constants, global.ptr, h->constantNames.count);
  append(&h->constantNames, mlirFlatSymbolRefAttrGet(h->context, symbolName(global)));
}

static void numberSymbols(Host *h) {
  IR_FOR_EACH_OP(op, irBody(h->module, 0)) {
    if (irOpIs(op, "gpu.module"))
      numberKernels(h, op);
    else if (irOpIs(op, "func.func"))
      numberLibraryCall(h, op);
    else if (irOpIs(op, "memref.global"))
      numberConstant(h, op);
  }
}

static MlirOperation findSymbol(MlirBlock body, MlirStringRef name) {
  IR_FOR_EACH_OP(op, body) {
    MlirAttribute symbol = irGetAttr(op, "sym_name");
    if (!mlirAttributeIsNull(symbol) && mlirStringRefEqual(mlirStringAttrGetValue(symbol), name))
      return op;
  }
  return (MlirOperation){NULL};
}

//===----------------------------------------------------------------------===//
// LLVM operations
//===----------------------------------------------------------------------===//

static MlirValue constantInt(IrBuilder *b, MlirType type, int64_t value) {
  return irValueOf(b, "llvm.mlir.constant", IR_NO_VALUES, type,
                   IR_ATTRS(irAttr(b, "value", mlirIntegerAttrGet(type, value))));
}

/// base + index * sizeof(element).
static MlirValue elementPointer(Host *h, IrBuilder *b, MlirValue base, MlirType element, int64_t index) {
  if (index == 0)
    return base;
  if (index > INT32_MAX || index < INT32_MIN) {
    MlirAttribute dynamic = irParseAttr(h->context, "array<i32: -2147483648>");
    return irValueOf(b, "llvm.getelementptr", IR_VALUES(base, constantInt(b, h->i64, index)), h->pointer,
                     IR_ATTRS(irType(b, "elem_type", element), irAttr(b, "rawConstantIndices", dynamic)));
  }
  MlirAttribute constant = irParseAttr(h->context, "array<i32: %lld>", (long long)index);
  return irValueOf(b, "llvm.getelementptr", IR_VALUES(base), h->pointer,
                   IR_ATTRS(irType(b, "elem_type", element), irAttr(b, "rawConstantIndices", constant)));
}

static MlirType i8(Host *h) { return mlirIntegerTypeGet(h->context, 8); }

/// Pointer `index` of an array of pointers.
static MlirValue loadPointer(Host *h, IrBuilder *b, MlirValue array, int64_t index) {
  return irValueOf(b, "llvm.load", IR_VALUES(elementPointer(h, b, array, h->pointer, index)), h->pointer, IR_NO_ATTRS);
}

/// Calls a callback and leaves the function if it does not return 0; `h->b` continues in the block after that.
static void callAndCheck(Host *h, const char *callee, IrValues operands) {
  IrBuilder *b = &h->b;
  MlirAttribute segments = irParseAttr(h->context, "array<i32: %ld, 0>", (long)operands.count);
  MlirAttribute bundles = irParseAttr(h->context, "array<i32>");
  MlirValue code = irValueOf(b, "llvm.call", operands, h->i32,
                             IR_ATTRS(irSymbol(b, "callee", callee), irAttr(b, "operandSegmentSizes", segments),
                                      irAttr(b, "op_bundle_sizes", bundles)));
  enum { LLVM_ICMP_NE = 1 };
  MlirValue failed = irValueOf(b, "llvm.icmp", IR_VALUES(code, constantInt(b, h->i32, 0)),
                               mlirIntegerTypeGet(h->context, 1), IR_ATTRS(irI64(b, "predicate", LLVM_ICMP_NE)));
  MlirBlock next = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockBefore(mlirOperationGetRegion(h->function, 0), h->failure, next);
  irBranch(b, "llvm.cond_br", IR_VALUES(failed, code), IR_BLOCKS(h->failure, next),
           IR_ATTRS(irAttr(b, "operandSegmentSizes", irParseAttr(h->context, "array<i32: 1, 1, 0>"))));
  h->b.block = next;
}

//===----------------------------------------------------------------------===//
// Operations of the host function
//===----------------------------------------------------------------------===//

static void fail(Host *h, MlirOperation op, const char *message) {
  stitchEmitOpError(op, "%s", message);
  h->failed = true;
}

static bool constantValue(MlirValue value, int64_t *result) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !irOpIs(op, "arith.constant"))
    return false;
  MlirAttribute attribute = irGetAttr(op, "value");
  if (!mlirAttributeIsAInteger(attribute))
    return false;
  *result = mlirIntegerAttrGetValueInt(attribute);
  return true;
}

static void setValue(Host *h, MlirValue from, MlirValue to) {
  irMapSet(&h->values, from.ptr, (int64_t)(intptr_t)to.ptr);
}

static MlirValue valueOf(Host *h, MlirOperation user, MlirValue from) {
  int64_t to = irMapGet(&h->values, from.ptr, 0);
  if (!to)
    fail(h, user, "has an operand that host code cannot compute");
  return (MlirValue){(void *)(intptr_t)to};
}

/// What a value of this type is in LLVM; null if it has no place in host code.
static MlirType convertedType(Host *h, MlirType type) {
  if (mlirTypeIsAMemRef(type))
    return h->pointer;
  if (mlirTypeIsAIndex(type))
    return h->i64;
  return mlirTypeIsAInteger(type) ? type : (MlirType){NULL};
}

static void convertView(Host *h, MlirOperation op) {
  int64_t offset = 0;
  MlirValue base = valueOf(h, op, irOperand(op, 0));
  if (!constantValue(irOperand(op, 1), &offset))
    fail(h, op, "must have a constant offset in host code");
  if (!h->failed)
    setValue(h, irResult(op, 0), elementPointer(h, &h->entry, base, i8(h), offset));
}

/// reinterpret_cast without offset: the same elements in another shape. (Parts of a buffer are views of the arena.)
static void convertReinterpretCast(Host *h, MlirOperation op) {
  MlirValue base = valueOf(h, op, irOperand(op, 0));
  MlirAttribute offsets = irGetAttr(op, "static_offsets");
  bool isWhole = mlirOperationGetNumOperands(op) == 1 && mlirAttributeIsADenseI64Array(offsets) &&
                 mlirDenseArrayGetNumElements(offsets) == 1 && mlirDenseI64ArrayGetElement(offsets, 0) == 0;
  if (!isWhole)
    fail(h, op, "must have offset 0 and static sizes and strides in host code");
  if (!h->failed)
    setValue(h, irResult(op, 0), base);
}

static void convertGetGlobal(Host *h, MlirOperation op) {
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(irGetAttr(op, "name"));
  MlirOperation global = findSymbol(irBody(h->module, 0), name);
  int64_t index = mlirOperationIsNull(global) ? -1 : irMapGet(&h->constants, global.ptr, -1);
  if (index < 0)
    return fail(h, op, "names no memref.global");
  MlirValue table = mlirBlockGetArgument(irBody(h->function, 0), CONSTANTS);
  setValue(h, irResult(op, 0), loadPointer(h, &h->entry, table, index));
}

/// The parts of a gpu.launch_func, from its segment sizes.
typedef struct {
  intptr_t grid;
  intptr_t block;
  intptr_t cluster;     ///< -1: none
  intptr_t sharedBytes; ///< -1: none
  intptr_t arguments;
  intptr_t numArguments;
} LaunchOperands;

static LaunchOperands launchOperands(MlirOperation op) {
  enum { DEPENDENCIES = 0, GRID = 1, BLOCK = 4, CLUSTER = 7, SHARED = 10, KERNEL_OPERANDS = 11, NUM_SEGMENTS = 13 };
  MlirAttribute sizes = irGetAttr(op, "operandSegmentSizes");
  intptr_t start[NUM_SEGMENTS + 1] = {0};
  for (intptr_t i = 0; i < NUM_SEGMENTS; ++i)
    start[i + 1] = start[i] + mlirDenseI32ArrayGetElement(sizes, i);
  return (LaunchOperands){
      .grid = start[GRID],
      .block = start[BLOCK],
      .cluster = start[CLUSTER] == start[CLUSTER + 1] ? -1 : start[CLUSTER],
      .sharedBytes = start[SHARED] == start[SHARED + 1] ? -1 : start[SHARED],
      .arguments = start[KERNEL_OPERANDS],
      .numArguments = start[KERNEL_OPERANDS + 1] - start[KERNEL_OPERANDS],
  };
}

static MlirOperation findKernel(Host *h, MlirOperation launch) {
  MlirAttribute symbol = irGetAttr(launch, "kernel");
  MlirOperation module = findSymbol(irBody(h->module, 0), mlirSymbolRefAttrGetRootReference(symbol));
  if (mlirOperationIsNull(module) || mlirSymbolRefAttrGetNumNestedReferences(symbol) != 1)
    return (MlirOperation){NULL};
  MlirAttribute nested = mlirSymbolRefAttrGetNestedReference(symbol, 0);
  return findSymbol(irBody(module, 0), mlirSymbolRefAttrGetRootReference(nested));
}

/// Stores the pointers of `count` operands of `op` in the argument array.
static void storeArguments(Host *h, MlirOperation op, intptr_t first, intptr_t count) {
  for (intptr_t i = 0; i < count && !h->failed; ++i) {
    MlirValue pointer = valueOf(h, op, irOperand(op, first + i));
    if (h->failed)
      return;
    MlirValue slot = elementPointer(h, &h->b, h->arguments, h->pointer, i);
    irOp(&h->b, "llvm.store", IR_VALUES(pointer, slot), IR_NO_TYPES, IR_NO_ATTRS);
  }
}

static MlirValue callbacksOf(Host *h) { return mlirBlockGetArgument(irBody(h->function, 0), CALLBACKS); }

static void convertLaunch(Host *h, MlirOperation op) {
  LaunchOperands o = launchOperands(op);
  int64_t grid[3], block[3], cluster[3] = {1, 1, 1}, sharedBytes = 0;
  bool constant = o.sharedBytes < 0 || constantValue(irOperand(op, o.sharedBytes), &sharedBytes);
  for (int i = 0; i < 3; ++i)
    constant = constant && constantValue(irOperand(op, o.grid + i), &grid[i]) &&
               constantValue(irOperand(op, o.block + i), &block[i]) &&
               (o.cluster < 0 || constantValue(irOperand(op, o.cluster + i), &cluster[i]));
  if (!constant)
    return fail(h, op, "must have constant grid, block, cluster and shared memory sizes");
  if (grid[1] != 1 || grid[2] != 1 || block[1] != 1 || block[2] != 1 || cluster[1] != 1 || cluster[2] != 1)
    return fail(h, op, "must be one-dimensional");
  MlirOperation kernel = findKernel(h, op);
  int64_t index = mlirOperationIsNull(kernel) ? -1 : irMapGet(&h->kernels, kernel.ptr, -1);
  if (index < 0)
    return fail(h, op, "names no kernel of this module");
  StitchLaunch launch;
  bool isPlanned = planGetLaunch(kernel, &launch), cooperative = isPlanned && launch.barriers > 0;
  if (cluster[0] != (isPlanned ? launch.cluster : 1)) // runtimes ask the kernel
    return fail(h, op, "must have the clusters that its kernel has");
  storeArguments(h, op, o.arguments, o.numArguments);
  if (h->failed)
    return;
  IrBuilder *b = &h->b;
  callAndCheck(h, "stitchLaunchKernel",
               IR_VALUES(callbacksOf(h), constantInt(b, h->i64, index), constantInt(b, h->i64, grid[0]),
                         constantInt(b, h->i64, block[0]), constantInt(b, h->i64, sharedBytes),
                         constantInt(b, h->i64, cooperative), h->arguments, constantInt(b, h->i64, o.numArguments)));
}

static void convertCall(Host *h, MlirOperation op) {
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(irGetAttr(op, "callee"));
  MlirOperation callee = findSymbol(irBody(h->module, 0), name);
  int64_t index = mlirOperationIsNull(callee) ? -1 : irMapGet(&h->calls, callee.ptr, -1);
  if (index < 0)
    return fail(h, op, "calls a function without the attribute 'stitch.library'");
  storeArguments(h, op, 0, mlirOperationGetNumOperands(op));
  if (!h->failed)
    callAndCheck(h, "stitchLibraryCall", IR_VALUES(callbacksOf(h), constantInt(&h->b, h->i64, index), h->arguments));
}

//===----------------------------------------------------------------------===//
// Scalars and branches
//===----------------------------------------------------------------------===//

static void convertConstant(Host *h, MlirOperation op) {
  int64_t value;
  MlirType type = convertedType(h, mlirValueGetType(irResult(op, 0)));
  if (mlirTypeIsNull(type) || !constantValue(irResult(op, 0), &value))
    return fail(h, op, "must be an integer in host code");
  setValue(h, irResult(op, 0), constantInt(&h->entry, type, value));
}

static void setBinary(Host *h, MlirOperation op, const char *name, IrAttrs attributes) {
  MlirValue lhs = valueOf(h, op, irOperand(op, 0)), rhs = valueOf(h, op, irOperand(op, 1));
  MlirType type = convertedType(h, mlirValueGetType(irResult(op, 0)));
  if (!h->failed)
    setValue(h, irResult(op, 0), irValueOf(&h->b, name, IR_VALUES(lhs, rhs), type, attributes));
}

static void convertSelect(Host *h, MlirOperation op) {
  MlirValue operands[3];
  for (int i = 0; i < 3; ++i)
    operands[i] = valueOf(h, op, irOperand(op, i));
  MlirType type = convertedType(h, mlirValueGetType(irResult(op, 0)));
  if (!h->failed)
    setValue(h, irResult(op, 0), irValueOf(&h->b, "llvm.select", (IrValues){3, operands}, type, IR_NO_ATTRS));
}

static void convertAdd(Host *h, MlirOperation op) { setBinary(h, op, "llvm.add", IR_NO_ATTRS); }

/// The predicates of both dialects have the same numbers.
static void convertCompare(Host *h, MlirOperation op) {
  setBinary(h, op, "llvm.icmp", IR_ATTRS(irI64(&h->b, "predicate", irGetInt(op, "predicate", 0))));
}

/// Host code has 64-bit indices and reads narrower integers.
static void convertIndexCast(Host *h, MlirOperation op) {
  MlirValue from = valueOf(h, op, irOperand(op, 0));
  MlirType to = convertedType(h, mlirValueGetType(irResult(op, 0)));
  if (h->failed)
    return;
  int64_t fromWidth = mlirIntegerTypeGetWidth(mlirValueGetType(from)), toWidth = mlirIntegerTypeGetWidth(to);
  const char *extension = irOpIs(op, "arith.index_castui") ? "llvm.zext" : "llvm.sext";
  const char *name = toWidth > fromWidth ? extension : "llvm.trunc";
  setValue(h, irResult(op, 0), toWidth == fromWidth ? from : irValueOf(&h->b, name, IR_VALUES(from), to, IR_NO_ATTRS));
}

/// Memory of the host for what it reads from the device.
static void convertAlloca(Host *h, MlirOperation op) {
  MlirType type = mlirValueGetType(irResult(op, 0));
  MlirValue bytes = constantInt(&h->entry, h->i64, irTensorBytes(type));
  setValue(h, irResult(op, 0),
           irValueOf(&h->entry, "llvm.alloca", IR_VALUES(bytes), h->pointer,
                     IR_ATTRS(irType(&h->b, "elem_type", i8(h)), irI64(&h->b, "alignment", 16))));
}

/// gpu.memcpy from the device into an alloca.
static void convertRead(Host *h, MlirOperation op) {
  intptr_t first = mlirOperationGetNumOperands(op) - 2; // after the tokens that it waits for
  MlirValue target = valueOf(h, op, irOperand(op, first)), source = valueOf(h, op, irOperand(op, first + 1));
  MlirOperation memory = irDefiningOp(irOperand(op, first));
  if (mlirOperationIsNull(memory) || !irOpIs(memory, "memref.alloca"))
    return fail(h, op, "must copy into a memref.alloca in host code");
  int64_t bytes = irTensorBytes(mlirValueGetType(irOperand(op, first)));
  if (!h->failed)
    callAndCheck(h, "stitchReadDevice", IR_VALUES(callbacksOf(h), target, source, constantInt(&h->b, h->i64, bytes)));
}

/// The callback of gpu.memcpy waits itself.
static void convertWait(Host *h, MlirOperation op) {
  (void)h;
  (void)op;
}

static void convertLoad(Host *h, MlirOperation op) {
  int64_t index = 0;
  MlirValue pointer = valueOf(h, op, irOperand(op, 0));
  MlirType type = mlirValueGetType(irResult(op, 0));
  if (mlirOperationGetNumOperands(op) != 2 || !constantValue(irOperand(op, 1), &index) || !mlirTypeIsAInteger(type))
    return fail(h, op, "must load an integer from a constant place of a 1-D memref in host code");
  if (!h->failed)
    setValue(
        h, irResult(op, 0),
        irValueOf(&h->b, "llvm.load", IR_VALUES(elementPointer(h, &h->b, pointer, type, index)), type, IR_NO_ATTRS));
}

/// Operands and successors as they are, in the new function.
static void convertBranch(Host *h, MlirOperation op, const char *name, IrAttrs attributes) {
  intptr_t numOperands = mlirOperationGetNumOperands(op), numSuccessors = mlirOperationGetNumSuccessors(op);
  MlirValue *operands = irAllocate(sizeof(MlirValue) * (size_t)(numOperands + 1));
  MlirBlock *successors = irAllocate(sizeof(MlirBlock) * (size_t)(numSuccessors + 1));
  for (intptr_t i = 0; i < numOperands; ++i)
    operands[i] = valueOf(h, op, irOperand(op, i));
  for (intptr_t i = 0; i < numSuccessors; ++i)
    successors[i].ptr = (void *)(intptr_t)irMapGet(&h->blocks, mlirOperationGetSuccessor(op, i).ptr, 0);
  if (!h->failed)
    irBranch(&h->b, name, (IrValues){numOperands, operands}, (IrBlocks){numSuccessors, successors}, attributes);
  free(operands);
  free(successors);
}

static void convertJump(Host *h, MlirOperation op) { convertBranch(h, op, "llvm.br", IR_NO_ATTRS); }

static void convertConditionalBranch(Host *h, MlirOperation op) {
  convertBranch(h, op, "llvm.cond_br",
                IR_ATTRS(irAttr(&h->b, "operandSegmentSizes", irGetAttr(op, "operandSegmentSizes"))));
}

static void convertSwitch(Host *h, MlirOperation op) {
  MlirAttribute values = irGetAttr(op, "case_values"), segments = irGetAttr(op, "case_operand_segments");
  MlirNamedAttribute attributes[3] = {
      irAttr(&h->b, "operandSegmentSizes", irGetAttr(op, "operandSegmentSizes")),
      irAttr(&h->b, "case_operand_segments", segments),
      irAttr(&h->b, "case_values", values),
  };
  convertBranch(h, op, "llvm.switch", (IrAttrs){mlirAttributeIsNull(values) ? 2 : 3, attributes});
}

static void convertReturn(Host *h, MlirOperation op) {
  if (mlirOperationGetNumOperands(op) != 0)
    return fail(h, op, "must return nothing: outputs are arguments of the host function");
  irOp(&h->b, "llvm.return", IR_VALUES(constantInt(&h->b, h->i32, 0)), IR_NO_TYPES, IR_NO_ATTRS);
}

static void convertOperation(Host *h, MlirOperation op) {
  static const struct {
    const char *name;
    void (*convert)(Host *h, MlirOperation op);
  } conversions[] = {
      {"memref.view", convertView},
      {"memref.reinterpret_cast", convertReinterpretCast},
      {"memref.get_global", convertGetGlobal},
      {"gpu.launch_func", convertLaunch},
      {"func.call", convertCall},
      {"func.return", convertReturn},
      {"arith.constant", convertConstant},
      {"arith.addi", convertAdd},
      {"arith.cmpi", convertCompare},
      {"arith.index_cast", convertIndexCast},
      {"arith.index_castui", convertIndexCast},
      {"arith.select", convertSelect},
      {"memref.alloca", convertAlloca},
      {"memref.load", convertLoad},
      {"gpu.wait", convertWait},
      {"gpu.memcpy", convertRead},
      {"cf.br", convertJump},
      {"cf.cond_br", convertConditionalBranch},
      {"cf.switch", convertSwitch},
  };
  for (size_t i = 0; i < sizeof(conversions) / sizeof(conversions[0]); ++i)
    if (irOpIs(op, conversions[i].name))
      return conversions[i].convert(h, op);
  fail(h, op, "has no place in host code");
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

static MlirOperation createFunction(IrBuilder *b, const char *name, const char *type) {
  MlirType functionType = irParseType(b->context, "!llvm.func<%s>", type);
  return irOpWithEmptyRegion(b, "llvm.func",
                             IR_ATTRS(irString(b, "sym_name", name), irType(b, "function_type", functionType)));
}

static MlirWalkResult countOperands(MlirOperation op, void *longest) {
  intptr_t count = mlirOperationGetNumOperands(op);
  if (count > *(intptr_t *)longest)
    *(intptr_t *)longest = count;
  return MlirWalkResultAdvance;
}

static intptr_t longestArgumentList(MlirOperation main) {
  intptr_t longest = 1;
  mlirOperationWalk(main, countOperands, &longest, MlirWalkPreOrder);
  return longest;
}

/// The function with three blocks: ^entry(arguments), ^body, ^failure(code). Calls, and the other blocks of @main, add
/// blocks before ^failure.
static void createHostFunction(Host *h) {
  IrBuilder b = irBuilderBefore(h->main);
  createFunction(&b, "stitchLaunchKernel", "i32 (ptr, i64, i64, i64, i64, i64, ptr, i64)");
  createFunction(&b, "stitchLibraryCall", "i32 (ptr, i64, ptr)");
  createFunction(&b, "stitchReadDevice", "i32 (ptr, ptr, ptr, i64)");
  h->function = createFunction(&b, "stitch_host_main", "i32 (ptr, ptr, ptr, ptr, ptr)");
  MlirRegion region = mlirOperationGetRegion(h->function, 0);
  MlirBlock entry = mlirBlockCreate(0, NULL, NULL);
  for (int i = 0; i < NUM_ARGUMENTS; ++i)
    mlirBlockAddArgument(entry, h->pointer, b.loc);
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  h->failure = mlirBlockCreate(1, &h->i32, &b.loc);
  mlirRegionAppendOwnedBlock(region, entry);
  mlirRegionAppendOwnedBlock(region, body);
  mlirRegionAppendOwnedBlock(region, h->failure);
  h->entry = irBuilderAtEnd(entry, b.loc);
  h->b = irBuilderAtEnd(body, b.loc);
  MlirValue count = constantInt(&h->entry, h->i64, longestArgumentList(h->main));
  h->arguments =
      irValueOf(&h->entry, "llvm.alloca", IR_VALUES(count), h->pointer, IR_ATTRS(irType(&b, "elem_type", h->pointer)));
}

/// @main's arguments are the inputs, the outputs, and the arena if there is one.
static void bindArguments(Host *h, int64_t numInputs, int64_t numOutputs) {
  MlirBlock body = irBody(h->main, 0);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirValue table = mlirBlockGetArgument(irBody(h->function, 0), i < numInputs ? INPUTS : OUTPUTS);
    MlirValue pointer = i < numInputs + numOutputs ? loadPointer(h, &h->entry, table, i < numInputs ? i : i - numInputs)
                                                   : mlirBlockGetArgument(irBody(h->function, 0), ARENA);
    setValue(h, mlirBlockGetArgument(body, i), pointer);
  }
}

static void finishFunction(Host *h, int64_t arenaBytes) {
  irBranch(&h->entry, "llvm.br", IR_NO_VALUES, IR_BLOCKS(mlirBlockGetNextInRegion(h->entry.block)), IR_NO_ATTRS);
  IrBuilder b = irBuilderAtEnd(h->failure, h->b.loc);
  irOp(&b, "llvm.return", IR_VALUES(mlirBlockGetArgument(h->failure, 0)), IR_NO_TYPES, IR_NO_ATTRS);
  irSetAttr(h->function, "stitch.kernels", arrayOf(h, &h->kernelNames));
  irSetAttr(h->function, "stitch.library_calls", arrayOf(h, &h->callAttributes));
  irSetAttr(h->function, "stitch.constants", arrayOf(h, &h->constantNames));
  irSetAttr(h->function, "stitch.arena", irI64Attr(h->context, arenaBytes));
  irSetAttr(h->function, "stitch.zeroed", irI64Attr(h->context, irGetInt(h->main, "stitch.zeroed", 0)));
}

static void eraseHostFunctions(Host *h) {
  IR_FOR_EACH_OP_REPLACING(op, irBody(h->module, 0)) {
    if (irMapContains(&h->calls, op.ptr) || mlirOperationEqual(op, h->main))
      mlirOperationDestroy(op);
  }
}

/// What must hold of @main before anything is built.
static bool checkMain(Host *h, int64_t numInputs, int64_t numOutputs) {
  MlirRegion region = mlirOperationGetRegion(h->main, 0);
  MlirBlock body = mlirRegionGetFirstBlock(region);
  if (mlirBlockIsNull(body))
    fail(h, h->main, "must have a body");
  else if (numInputs < 0 || numOutputs < 0)
    fail(h, h->main, "must have the attributes 'stitch.inputs' and 'stitch.outputs'");
  else if (mlirBlockGetNumArguments(body) < numInputs + numOutputs ||
           mlirBlockGetNumArguments(body) > numInputs + numOutputs + 1)
    fail(h, h->main, "must have its inputs, its outputs and at most one arena as arguments");
  for (intptr_t i = 0; !h->failed && i < mlirBlockGetNumArguments(body); ++i)
    if (!mlirTypeIsAMemRef(mlirValueGetType(mlirBlockGetArgument(body, i))))
      fail(h, h->main, "must have memrefs as arguments");
  return !h->failed;
}

/// A block for each block of @main but the first, with its arguments.
static void createBlocks(Host *h) {
  MlirBlock first = irBody(h->main, 0);
  irMapSet(&h->blocks, first.ptr, (int64_t)(intptr_t)h->b.block.ptr);
  for (MlirBlock from = mlirBlockGetNextInRegion(first); !mlirBlockIsNull(from);
       from = mlirBlockGetNextInRegion(from)) {
    MlirBlock to = mlirBlockCreate(0, NULL, NULL);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(from); ++i) {
      MlirType type = convertedType(h, mlirValueGetType(mlirBlockGetArgument(from, i)));
      if (mlirTypeIsNull(type))
        return fail(h, h->main, "has a block argument that host code cannot compute"), mlirBlockDestroy(to);
      setValue(h, mlirBlockGetArgument(from, i), mlirBlockAddArgument(to, type, h->entry.loc));
    }
    irMapSet(&h->blocks, from.ptr, (int64_t)(intptr_t)to.ptr);
    mlirRegionInsertOwnedBlockBefore(mlirOperationGetRegion(h->function, 0), h->failure, to);
  }
}

static void convertBlock(Host *h, MlirBlock block) {
  h->b.block.ptr = (void *)(intptr_t)irMapGet(&h->blocks, block.ptr, 0);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op) && !h->failed;
       op = mlirOperationGetNextInBlock(op))
    convertOperation(h, op);
}

static void convertMain(Host *h) {
  int64_t numInputs = irGetInt(h->main, "stitch.inputs", -1);
  int64_t numOutputs = irGetInt(h->main, "stitch.outputs", -1);
  if (!checkMain(h, numInputs, numOutputs))
    return;
  MlirBlock body = irBody(h->main, 0);
  bool hasArena = mlirBlockGetNumArguments(body) > numInputs + numOutputs;
  int64_t arenaBytes =
      hasArena ? irTensorBytes(mlirValueGetType(mlirBlockGetArgument(body, numInputs + numOutputs))) : 0;
  numberSymbols(h);
  createHostFunction(h);
  bindArguments(h, numInputs, numOutputs);
  createBlocks(h);
  for (MlirBlock block = body; !mlirBlockIsNull(block) && !h->failed; block = mlirBlockGetNextInRegion(block))
    convertBlock(h, block);
  finishFunction(h, arenaBytes);
  if (!h->failed)
    eraseHostFunctions(h);
}

static void destroyHost(Host *h) {
  irMapDestroy(&h->values);
  irMapDestroy(&h->blocks);
  irMapDestroy(&h->kernels);
  irMapDestroy(&h->calls);
  irMapDestroy(&h->constants);
  free(h->kernelNames.data);
  free(h->callAttributes.data);
  free(h->constantNames.data);
}

static void run(StitchPassRun pass, MlirOperation module) {
  MlirContext context = mlirOperationGetContext(module);
  Host h = {
      .context = context,
      .module = module,
      .main = irFindFunction(module, "main"),
      .pointer = mlirLLVMPointerTypeGet(context, 0),
      .i32 = mlirIntegerTypeGet(context, 32),
      .i64 = mlirIntegerTypeGet(context, 64),
  };
  if (mlirOperationIsNull(h.main))
    fail(&h, module, "has no function @main");
  else
    convertMain(&h);
  destroyHost(&h);
  if (h.failed)
    stitchPassSignalFailure(pass);
}

static MlirDialectHandle (*const dependentDialects[])(void) = {mlirGetDialectHandle__llvm__};

const StitchPassInfo hostToLLVMPass = {
    .argument = "convert-host-to-llvm",
    .description = "Turn the host function into LLVM IR that launches kernels through callbacks",
    .anchor = "builtin.module",
    .dependentDialects = dependentDialects,
    .numDependentDialects = 1,
    .run = run,
};
