//===- gpu_function.c - kernels as gpu.func ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes arguments, working memory and a body's builder. Leaves a gpu.func in a gpu.module, and the operations of gpu,
// nvgpu and stitch that a kernel synchronises and exchanges values with.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/gpu/gpu_function.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"
#include "lowering/kernel/gpu/elements.h"

#include <stdlib.h>

void gpuAddArgument(IrBuilder *b, GpuArguments *arguments, MlirType element, int64_t count, GpuArgumentUse use) {
  static const char *const attributes[] = {[GPU_INPUT] = ", llvm.noalias, llvm.readonly",
                                           [GPU_ORDERED_INPUT] = ", llvm.readonly",
                                           [GPU_OUTPUT] = ", llvm.noalias",
                                           [GPU_WORKING] = ""};
  IR_RESERVE_ONE(arguments->types, arguments->count, arguments->typeCapacity);
  IR_RESERVE_ONE(arguments->attributes, arguments->count, arguments->attributeCapacity);
  arguments->types[arguments->count] = mlirMemRefTypeContiguousGet(element, 1, &count, mlirAttributeGetNull());
  arguments->attributes[arguments->count++] = irParseAttr(b->context, "{llvm.align = 16 : i64%s}", attributes[use]);
}

void gpuAddTensor(IrBuilder *b, GpuArguments *arguments, MlirType tensor, GpuArgumentUse use) {
  MlirType element = irElementType(tensor);
  gpuAddArgument(b, arguments, memoryType(element), irNumElements(irTypeShape(tensor)) * memoryParts(element), use);
}

void gpuSetOpenSize(IrBuilder *b, GpuArguments *arguments, intptr_t size, int64_t limit) {
  MlirAttribute *last = &arguments->attributes[arguments->count - 1];
  intptr_t count = mlirDictionaryAttrGetNumElements(*last);
  MlirNamedAttribute *all = irAllocate(sizeof(*all) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    all[i] = mlirDictionaryAttrGetElement(*last, i);
  all[count] = irDims(b, "stitch.size", 2, (const int64_t[]){size, limit});
  *last = mlirDictionaryAttrGet(b->context, count + 1, all);
  free(all);
}

void gpuAddWorkingMemory(IrBuilder *b, GpuArguments *arguments, const StitchLaunch *launch) {
  if (launch->scratch)
    gpuAddArgument(b, arguments, mlirIntegerTypeGet(b->context, 8), launch->scratch, GPU_WORKING);
  if (launch->barriers)
    gpuAddArgument(b, arguments, mlirIntegerTypeGet(b->context, 32), 1, GPU_WORKING);
}

void gpuArgumentsDestroy(GpuArguments *arguments) {
  free(arguments->types);
  free(arguments->attributes);
  *arguments = (GpuArguments){0};
}

MlirOperation gpuCreateFunction(IrBuilder *b, const char *name, const GpuArguments *arguments,
                                const StitchLaunch *launch) {
  int32_t block[3] = {(int32_t)launch->block, 1, 1};
  MlirType type = mlirFunctionTypeGet(b->context, arguments->count, arguments->types, 0, NULL);
  MlirOperation function = irOpWithRegions(
      b, "gpu.func", IR_NO_VALUES, IR_NO_TYPES,
      IR_ATTRS(irString(b, "sym_name", name), irType(b, "function_type", type), irUnit(b, "gpu.kernel"),
               irAttr(b, "arg_attrs", mlirArrayAttrGet(b->context, arguments->count, arguments->attributes)),
               irAttr(b, "gpu.known_block_size", mlirDenseI32ArrayGet(b->context, 3, block))),
      1, (IrTypes){arguments->count, arguments->types});
  int32_t cluster[3] = {(int32_t)launch->cluster, 1, 1};
  if (launch->cluster > 1)
    irSetAttr(function, "known_cluster_size", mlirDenseI32ArrayGet(b->context, 3, cluster));
  return function;
}

MlirValue gpuCoordinate(IrBuilder *b, const char *name) {
  MlirAttribute x = irParseAttr(b->context, "#gpu<dim x>");
  return irValueOf(b, name, IR_NO_VALUES, mlirIndexTypeGet(b->context), IR_ATTRS(irAttr(b, "dimension", x)));
}

void gpuBarrier(IrBuilder *b) { irOp(b, "gpu.barrier", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS); }

MlirValue gpuBarrierAny(IrBuilder *b, MlirValue is) { return irUnary(b, "stitch.block_any", is, mlirValueGetType(is)); }

MlirValue gpuSharedMemory(IrBuilder *b) {
  MlirType bytes = irParseType(b->context, "memref<?xi8, #gpu.address_space<workgroup>>");
  return irValueOf(b, "gpu.dynamic_shared_memory", IR_NO_VALUES, bytes, IR_NO_ATTRS);
}

void gpuCopyAsync(IrBuilder *b, MlirValue target, MlirValue to, MlirValue source, MlirValue from, int64_t elements,
                  MlirValue read) {
  bool isPart = !mlirValueIsNull(read);
  MlirValue operands[] = {target, to, source, from, read};
  MlirType index = mlirIndexTypeGet(b->context);
  irOp(b, "nvgpu.device_async_copy", (IrValues){4 + isPart, operands},
       IR_TYPES(irParseType(b->context, "!nvgpu.device.async.token")),
       IR_ATTRS(irAttr(b, "dstElements", mlirIntegerAttrGet(index, elements)), irUnit(b, "bypassL1"),
                irAttr(b, "operandSegmentSizes", irParseAttr(b->context, "array<i32: 1, 1, 1, 1, %d>", (int)isPart))));
}

void gpuCommitCopies(IrBuilder *b) { irOp(b, "nvvm.cp.async.commit.group", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS); }

void gpuWaitForCopies(IrBuilder *b, int64_t others) {
  MlirAttribute number = mlirIntegerAttrGet(mlirIntegerTypeGet(b->context, 32), others);
  irOp(b, "nvvm.cp.async.wait.group", IR_NO_VALUES, IR_NO_TYPES, IR_ATTRS(irAttr(b, "n", number)));
}

void gpuGridBarrier(IrBuilder *b, MlirValue counter, const StitchLaunch *launch) {
  MlirOperation op = irOp(b, "stitch.grid_barrier", IR_VALUES(counter), IR_NO_TYPES, IR_NO_ATTRS);
  if (launch->grid == launch->cluster)
    irSetAttr(op, "blocks", mlirIntegerAttrGet(mlirIntegerTypeGet(b->context, 64), launch->grid));
}

void gpuClusterBarrier(IrBuilder *b) { irOp(b, "stitch.cluster_barrier", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS); }

/// Of a value of 32 or 64 bits.
static MlirValue shuffleWord(IrBuilder *b, GpuShuffle mode, MlirValue word, MlirValue offset) {
  static const char *const modes[] = {[GPU_SHUFFLE_XOR] = "xor", [GPU_SHUFFLE_UP] = "up", [GPU_SHUFFLE_INDEX] = "idx"};
  MlirValue width = irConstantInt(b, mlirIntegerTypeGet(b->context, 32), 32);
  MlirOperation shuffle =
      irOp(b, "gpu.shuffle", IR_VALUES(word, offset, width),
           IR_TYPES(mlirValueGetType(word), mlirIntegerTypeGet(b->context, 1)),
           IR_ATTRS(irAttr(b, "mode", irParseAttr(b->context, "#gpu<shuffle_mode %s>", modes[mode]))));
  return irResult(shuffle, 0);
}

MlirValue gpuShuffle(IrBuilder *b, GpuShuffle mode, MlirValue value, MlirValue offset) {
  MlirType type = mlirValueGetType(value);
  if (mlirTypeIsAComplex(type)) { // part by part
    MlirType part = mlirComplexTypeGetElementType(type);
    MlirValue re = shuffleWord(b, mode, irUnary(b, "complex.re", value, part), offset);
    MlirValue im = shuffleWord(b, mode, irUnary(b, "complex.im", value, part), offset);
    return irValueOf(b, "complex.create", IR_VALUES(re, im), type, IR_NO_ATTRS);
  }
  bool isFloat = mlirTypeIsAFloat(type);
  uint32_t width = isFloat ? mlirFloatTypeGetWidth(type) : irIsInteger(type) ? mlirIntegerTypeGetWidth(type) : 64;
  if (width >= 32)
    return shuffleWord(b, mode, value, offset);
  MlirType bits = mlirIntegerTypeGet(b->context, width), word = mlirIntegerTypeGet(b->context, 32);
  MlirValue wide = irUnary(b, "arith.extui", isFloat ? irUnary(b, "arith.bitcast", value, bits) : value, word);
  MlirValue narrow = irUnary(b, "arith.trunci", shuffleWord(b, mode, wide, offset), bits);
  return isFloat ? irUnary(b, "arith.bitcast", narrow, type) : narrow;
}
