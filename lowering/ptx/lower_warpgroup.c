//===- lower_warpgroup.c - products of a warpgroup by wgmma --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For sm_90a. Takes stitch.warpgroup_product; leaves wgmma.mma_async.m64nNk16, one for each 16 elements that are
// contracted. LLVM has no intrinsics with A in registers, so that a product is one piece of inline assembly. It waits
// for its result: while a warpgroup waits, the others of the multiprocessor compute. PTX ISA, "Asynchronous Warpgroup
// Level Matrix Instructions". The descriptor's fields for matrices in blocks of columns are in its section "Strides",
// for swizzles of 128 bytes:
//
//   the contracted dimension is contiguous: stride offset: 8 rows of a block of columns
//   the contracted dimension is rows (transposed): leading offset: a block of 64 columns; stride offset: 8 rows
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/lower_warpgroup.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/mlir/text.h"
#include "lowering/llvm/llvm_kernel.h"
#include "lowering/llvm/llvm_warpgroup.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// Bytes of a row of a block of columns, and of 8 rows, after which the swizzle repeats; of a unit of descriptors.
enum { ROW_BYTES = 128, ATOM_BYTES = 8 * ROW_BYTES, UNIT = 16 };
/// Elements that an instruction contracts; 32-bit words that a thread has of 64 x 16 elements of A; elements of C for 8
/// columns.
enum { STEP = 16, WORDS_OF_A = 4, ELEMENTS_OF_C = 4, COLUMNS = 8, ADDRESS_BITS = 14 };

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

uint64_t warpgroupDescriptor(int64_t rows, bool transposed) {
  enum { LEADING_BIT = 16, STRIDE_BIT = 32, SWIZZLE_BIT = 62 };
  const uint64_t swizzle128 = 1;
  uint64_t leading = transposed ? (uint64_t)(rows * ROW_BYTES / UNIT) : 1; // not used where it is 1
  return leading << LEADING_BIT | (uint64_t)(ATOM_BYTES / UNIT) << STRIDE_BIT | swizzle128 << SWIZZLE_BIT;
}

int64_t warpgroupDescriptorStep(int64_t rows, int64_t depth, bool transposed) {
  enum { ELEMENT_BYTES = 2 };
  int64_t panel = depth / WARPGROUP_PANEL, inPanel = depth % WARPGROUP_PANEL;
  return (transposed ? depth * ROW_BYTES : panel * rows * ROW_BYTES + inPanel * ELEMENT_BYTES) / UNIT;
}

/// The descriptor of a matrix whose first row is row `row` of `memory`, or row 0 if that is null.
static MlirValue descriptorOf(IrBuilder *b, MlirValue memory, MlirValue row, uint64_t layout) {
  MlirType i64 = mlirIntegerTypeGet(b->context, 64), i32 = mlirIntegerTypeGet(b->context, 32);
  MlirValue first = mlirValueIsNull(row) ? irConstantIndex(b, 0) : irMulI(b, row, irConstantIndex(b, WARPGROUP_PANEL));
  MlirValue address = irUnary(b, "llvm.ptrtoint", kernelElementPointer(b, memory, first), i32);
  MlirValue units =
      irAndI(b, irShrUI(b, address, irConstantInt(b, i32, 4)), irConstantInt(b, i32, (1 << ADDRESS_BITS) - 1));
  return irOrI(b, irUnary(b, "arith.extui", units, i64), irConstantInt(b, i64, (int64_t)layout));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The parts of a product's assembly: its operands, and the number of the first one of each kind.
typedef struct {
  IrArena arena;
  IrText text, constraints;
  MlirValue *operands;
  int64_t numOperands, numElements;
  int64_t ofLhs, ofRhs;
} InlineAssembly;

static void addOperand(InlineAssembly *a, MlirValue value, const char *constraint) {
  a->operands[a->numOperands++] = value;
  irTextFormat(&a->constraints, ",%s", constraint);
}

/// Results first; then the sums, in the same registers; then A, and the descriptor of B.
static void listOperands(IrBuilder *b, const WarpgroupProduct *p, InlineAssembly *a) {
  MlirType f32 = mlirF32TypeGet(b->context), i32 = mlirIntegerTypeGet(b->context, 32);
  a->numElements = p->numResults * ELEMENTS_OF_C;
  a->operands = IR_NEW_ARRAY(&a->arena, MlirValue, a->numElements + WORDS_OF_A * (p->numFragments + 1) + 2);
  for (int64_t i = 0; i < a->numElements; ++i) // written before all operands have been read
    irTextFormat(&a->constraints, "%s=&f", i ? "," : "");
  for (int64_t i = 0; i < (p->numSums > 0 ? a->numElements : 0); ++i) {
    int64_t place[] = {i % ELEMENTS_OF_C / 2, i % 2};
    addOperand(a,
               irValueOf(b, "vector.extract", IR_VALUES(p->sums[i / ELEMENTS_OF_C]), f32,
                         IR_ATTRS(irDims(b, "static_position", 2, place))),
               "");
    irTextFormat(&a->constraints, "%lld", (long long)i);
  }
  a->ofLhs = a->numElements + a->numOperands;
  for (int64_t i = 0; i < p->numFragments * WORDS_OF_A; ++i) {
    int64_t word = i % WORDS_OF_A, first = 0;
    MlirValue fragment = irOperand(p->op, i / WORDS_OF_A);
    MlirType pair = mlirVectorTypeGet(1, (const int64_t[]){2}, irElementTypeOf(fragment));
    MlirValue elements =
        irValueOf(b, "vector.extract", IR_VALUES(fragment), pair, IR_ATTRS(irDims(b, "static_position", 1, &word)));
    MlirValue bits = irUnary(b, "vector.bitcast", elements, mlirVectorTypeGet(1, (const int64_t[]){1}, i32));
    addOperand(a,
               irValueOf(b, "vector.extract", IR_VALUES(bits), i32, IR_ATTRS(irDims(b, "static_position", 1, &first))),
               "r");
  }
  if (p->numFragments == 0)
    addOperand(a, descriptorOf(b, p->lhs, p->lhsRow, warpgroupDescriptor(p->lhsRows, false)), "l");
  a->ofRhs = a->numElements + a->numOperands;
  addOperand(a, descriptorOf(b, p->rhs, (MlirValue){NULL}, warpgroupDescriptor(p->rhsRows, p->transposed)), "l");
}

static void listRegisters(InlineAssembly *a, int64_t first, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    irTextFormat(&a->text, "%s$%lld", i ? ", " : "{", (long long)(first + i));
  irTextFormat(&a->text, "}");
}

/// One instruction, for 16 elements that are contracted.
static void addInstruction(const WarpgroupProduct *p, InlineAssembly *a, int64_t depth) {
  const char *type = mlirTypeIsABF16(irElementTypeOf(p->rhs)) ? "bf16" : "f16";
  bool isInMemory = p->numFragments == 0, isFirst = depth == 0 && p->numSums == 0;
  irTextFormat(&a->text, "add.s64 rhs, $%lld, %lld;\n", (long long)a->ofRhs,
               (long long)warpgroupDescriptorStep(p->rhsRows, depth, p->transposed));
  if (isInMemory)
    irTextFormat(&a->text, "add.s64 lhs, $%lld, %lld;\n", (long long)a->ofLhs,
                 (long long)warpgroupDescriptorStep(p->lhsRows, depth, /*transposed=*/false));
  irTextFormat(&a->text, "wgmma.mma_async.sync.aligned.m64n%lldk16.f32.%s.%s ", (long long)(p->numResults * COLUMNS),
               type, type);
  listRegisters(a, 0, a->numElements);
  irTextFormat(&a->text, ", ");
  if (isInMemory)
    irTextFormat(&a->text, "lhs");
  else
    listRegisters(a, a->ofLhs + depth / STEP * WORDS_OF_A, WORDS_OF_A);
  irTextFormat(&a->text, ", rhs, %s, 1, 1, %s%d;\n", isFirst ? "none" : "all", isInMemory ? "0, " : "", p->transposed);
}

static const char *assemblyOf(const WarpgroupProduct *p, InlineAssembly *a) {
  irTextFormat(&a->text, "{\n.reg .b64 lhs, rhs;\n.reg .pred all, none;\n");
  irTextFormat(&a->text, "setp.ne.b32 all, 1, 0;\nsetp.ne.b32 none, 0, 0;\nwgmma.fence.sync.aligned;\n");
  for (int64_t depth = 0; depth < p->depth; depth += STEP)
    addInstruction(p, a, depth);
  irTextFormat(&a->text, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}");
  return a->text.data;
}

/// Turns the elements into the operation's results.
static void replaceResults(IrBuilder *b, const WarpgroupProduct *p, MlirValue all) {
  MlirType f32 = mlirF32TypeGet(b->context);
  for (int64_t n = 0; n < p->numResults; ++n) {
    MlirValue elements[ELEMENTS_OF_C];
    for (int64_t i = 0; i < ELEMENTS_OF_C; ++i) {
      int64_t place = n * ELEMENTS_OF_C + i;
      elements[i] = irValueOf(b, "llvm.extractvalue", IR_VALUES(all), f32, IR_ATTRS(irDims(b, "position", 1, &place)));
    }
    MlirValue result = irValueOf(b, "vector.from_elements", (IrValues){ELEMENTS_OF_C, elements},
                                 mlirValueGetType(irResult(p->op, n)), IR_NO_ATTRS);
    mlirValueReplaceAllUsesOfWith(irResult(p->op, n), result);
  }
}

static void lowerProduct(MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  WarpgroupProduct p = warpgroupProductOf(op);
  InlineAssembly a = {.numOperands = 0};
  a.text.arena = a.constraints.arena = &a.arena;
  listOperands(&b, &p, &a);
  MlirType *types = IR_NEW_ARRAY(&a.arena, MlirType, a.numElements);
  for (int64_t i = 0; i < a.numElements; ++i)
    types[i] = mlirF32TypeGet(b.context);
  MlirType all = mlirLLVMStructTypeLiteralGet(b.context, a.numElements, types, /*isPacked=*/false);
  MlirValue result = irValueOf(&b, "llvm.inline_asm", (IrValues){a.numOperands, a.operands}, all,
                               IR_ATTRS(irUnit(&b, "has_side_effects"), irString(&b, "asm_string", assemblyOf(&p, &a)),
                                        irString(&b, "constraints", a.constraints.data)));
  replaceResults(&b, &p, result);
  irArenaDestroy(&a.arena);
  warpgroupProductDestroy(&p);
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

/// A thread's stores to shared memory before a barrier are ordered for wgmma's reads behind it.
static void fenceBarrier(MlirOperation barrier) {
  IrBuilder b = irBuilderBefore(barrier);
  irOp(&b, "llvm.inline_asm", IR_NO_VALUES, IR_NO_TYPES,
       IR_ATTRS(irUnit(&b, "has_side_effects"), irString(&b, "asm_string", "fence.proxy.async.shared::cta;"),
                irString(&b, "constraints", "~{memory}")));
}

void lowerWarpgroupProducts(MlirOperation gpuModule) {
  IR_FOR_EACH_OP(kernel, irBody(gpuModule, 0)) {
    KernelOps products = kernelOpsCalled(kernel, "stitch.warpgroup_product");
    free(products.data);
    if (products.count == 0)
      continue;
    kernelLowerCalled(kernel, "gpu.barrier", fenceBarrier);
    kernelLowerCalled(kernel, "stitch.block_any", fenceBarrier);
    kernelLowerCalled(kernel, "stitch.warpgroup_product", lowerProduct);
  }
}
