//===- mini_compiler.c - a small compiler that has Stitch as a stage -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mini-compiler PROGRAM.mlir
//
// Compiles a function @main of two operations of its own, toy.matmul and toy.softmax, and runs it:
//
//   1. toy.matmul becomes linalg, which upstream lowers; toy.softmax becomes tg, which Stitch plans and makes kernels
//   of
//   2. Stitch: stitch-pipeline, convert-stitch-to-gpu, and, since it runs on this CPU, gpu-to-simt
//   3. upstream: buffers, loops, LLVM, machine code in this process
//   4. launches come to this program's own launch code
//
//===----------------------------------------------------------------------===//

#include "stitch.h"

#include "ir/graph/tg_build.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "runtime/simt/launch_once.h"
#include "runtime/simt/simt.h"

#include "mlir-c/Diagnostics.h"
#include "mlir-c/ExecutionEngine.h"
#include "mlir-c/RegisterEverything.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// 1. From toy to linalg and tg
//===----------------------------------------------------------------------===//

static MlirValue lowerSoftmax(IrBuilder *b, MlirOperation op) {
  MlirValue x = irOperand(op, 0);
  IrShape columns = {.rank = 1, .dims = {1}}, rows = {.rank = 1, .dims = {0}};
  MlirType type = mlirValueGetType(x);
  MlirValue most = tgBroadcast(b, tgReduce(b, TG_REDUCE_MAX, x, columns), type, rows);
  MlirValue e = tgUnary(b, "tg.exp", tgSub(b, x, most));
  return tgDiv(b, e, tgBroadcast(b, tgReduce(b, TG_REDUCE_ADD, e, columns), type, rows));
}

/// linalg.matmul in its generic form, with the body that a named operation has.
static MlirValue lowerMatmul(IrBuilder *b, MlirOperation op) {
  MlirType type = mlirValueGetType(irResult(op, 0)), element = irElementType(type);
  MlirAttribute zero = mlirDenseElementsAttrSplatGet(type, mlirFloatAttrDoubleGet(b->context, element, 0));
  MlirValue start = irValueOf(b, "arith.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(b, "value", zero)));
  MlirAttribute maps = irParseAttr(b->context, "[affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, "
                                               "affine_map<(m, n, k) -> (m, n)>]");
  MlirAttribute loops = irParseAttr(b->context, "[#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, "
                                                "#linalg.iterator_type<reduction>]");
  int32_t segments[2] = {2, 1};
  MlirOperation generic =
      irOpWithRegions(b, "linalg.generic", IR_VALUES(irOperand(op, 0), irOperand(op, 1), start), IR_TYPES(type),
                      IR_ATTRS(irAttr(b, "indexing_maps", maps), irAttr(b, "iterator_types", loops),
                               irAttr(b, "operandSegmentSizes", mlirDenseI32ArrayGet(b->context, 2, segments))),
                      1, IR_TYPES(element, element, element));
  MlirBlock body = irBody(generic, 0);
  IrBuilder inner = irBuilderAtEnd(body, b->loc);
  MlirValue product = irMulF(&inner, mlirBlockGetArgument(body, 0), mlirBlockGetArgument(body, 1));
  irOp(&inner, "linalg.yield", IR_VALUES(irAddF(&inner, mlirBlockGetArgument(body, 2), product)), IR_NO_TYPES,
       IR_NO_ATTRS);
  return irResult(generic, 0);
}

static bool lowerToy(MlirOperation main) {
  IR_FOR_EACH_OP_REPLACING(op, irBody(main, 0)) {
    MlirStringRef name = irOpName(op);
    if (name.length < 4 || memcmp(name.data, "toy.", 4) != 0)
      continue;
    IrBuilder b = irBuilderBefore(op);
    bool isMatmul = irOpIs(op, "toy.matmul");
    if (!isMatmul && !irOpIs(op, "toy.softmax")) {
      char message[128];
      snprintf(message, sizeof(message), "'%.*s' op is none of toy", (int)name.length, name.data);
      mlirEmitError(mlirOperationGetLocation(op), message);
      return false;
    }
    mlirValueReplaceAllUsesOfWith(irResult(op, 0), isMatmul ? lowerMatmul(&b, op) : lowerSoftmax(&b, op));
    mlirOperationDestroy(op);
  }
  irSetAttr(main, "llvm.emit_c_interface", mlirUnitAttrGet(mlirOperationGetContext(main)));
  return true;
}

//===----------------------------------------------------------------------===//
// 2. and 3. Stitch, then upstream
//===----------------------------------------------------------------------===//

static void print(MlirStringRef text, void *file) { fwrite(text.data, 1, text.length, file); }

static const char kernels[] = "convert-stitch-to-gpu{borders=tensor},gpu-to-simt,convert-launches-to-simt";

static const char upstream[] =
    "one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},"
    "buffer-results-to-out-params{modify-public-functions},convert-linalg-to-loops,expand-strided-metadata,"
    "lower-affine,convert-scf-to-cf,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts";

static bool compile(MlirContext context, MlirOperation module) {
  MlirPassManager manager = mlirPassManagerCreateOnOperation(context, mlirStringRefCreateFromCString("builtin.module"));
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  bool ok = mlirLogicalResultIsSuccess(stitchAppendPipeline(passes, "device=simt", print, stderr));
  const char *const others[] = {kernels, upstream};
  for (int i = 0; ok && i < 2; ++i)
    ok = mlirLogicalResultIsSuccess(
        mlirOpPassManagerAddPipeline(passes, mlirStringRefCreateFromCString(others[i]), print, stderr));
  ok = ok && mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, module));
  mlirPassManagerDestroy(manager);
  return ok;
}

//===----------------------------------------------------------------------===//
// 4. Launch code
//===----------------------------------------------------------------------===//

static StitchSimt *device;

static void check(StitchStatus status) {
  if (status) {
    fprintf(stderr, "%s\n", stitchStatusMessage(status));
    exit(1);
  }
}

/// Takes the place of the runtime's stitchSimtLaunchOnce: all launches go to one device.
static void launch(const char *name, void *kernel, const int64_t sizes[4], void *const *arguments,
                   int64_t numArguments) {
  printf("launches %s on %lld arguments\n", name, (long long)numArguments);
  StitchSimtLaunch config = {.name = name,
                             .kernel = (StitchSimtKernel)(uintptr_t)kernel,
                             .grid = (uint32_t)sizes[0],
                             .block = (uint32_t)sizes[1],
                             .sharedBytes = (uint64_t)sizes[2],
                             .cooperative = sizes[3] != 0,
                             .numArguments = (uint32_t)numArguments,
                             .arguments = arguments};
  check(stitchSimtLaunch(device, &config));
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

enum { ROWS = 4, COLUMNS = 8 };

/// MLIR's calling convention for a memref of two dimensions.
typedef struct {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} Matrix;

static Matrix matrixOf(float *data, int64_t rows) { return (Matrix){data, data, 0, {rows, COLUMNS}, {COLUMNS, 1}}; }

static float expectedOf(const float *x, const float *w, int row, int column) {
  float scores[COLUMNS], most = -INFINITY, sum = 0;
  for (int c = 0; c < COLUMNS; ++c) {
    scores[c] = 0;
    for (int k = 0; k < COLUMNS; ++k)
      scores[c] += x[row * COLUMNS + k] * w[k * COLUMNS + c];
    most = fmaxf(most, scores[c]);
  }
  for (int c = 0; c < COLUMNS; ++c)
    sum += expf(scores[c] - most);
  return expf(scores[column] - most) / sum;
}

static int run(MlirExecutionEngine engine) {
  static _Alignas(64) float x[ROWS * COLUMNS], w[COLUMNS * COLUMNS], y[ROWS * COLUMNS];
  for (int i = 0; i < ROWS * COLUMNS; ++i)
    x[i] = sinf((float)i);
  for (int i = 0; i < COLUMNS * COLUMNS; ++i)
    w[i] = cosf((float)i);
  Matrix matrices[3] = {matrixOf(x, ROWS), matrixOf(w, COLUMNS), matrixOf(y, ROWS)};
  Matrix *pointers[3] = {&matrices[0], &matrices[1], &matrices[2]};
  void *arguments[3] = {&pointers[0], &pointers[1], &pointers[2]};
  MlirStringRef main = mlirStringRefCreateFromCString("main");
  if (mlirLogicalResultIsFailure(mlirExecutionEngineInvokePacked(engine, main, arguments)))
    return 1;
  for (int i = 0; i < ROWS * COLUMNS; ++i)
    if (!(fabsf(y[i] - expectedOf(x, w, i / COLUMNS, i % COLUMNS)) < 1e-5f)) {
      printf("wrong: number %d is %g\n", i, (double)y[i]);
      return 1;
    }
  printf("ok: %d numbers agree\n", ROWS * COLUMNS);
  return 0;
}

static int compileAndRun(MlirContext context, const char *path) {
  MlirModule module = mlirModuleCreateParseFromFile(context, mlirStringRefCreateFromCString(path));
  if (mlirModuleIsNull(module))
    return 1;
  MlirOperation main = irFindFunction(mlirModuleGetOperation(module), "main");
  if (mlirOperationIsNull(main) || !lowerToy(main) || !compile(context, mlirModuleGetOperation(module))) {
    mlirModuleDestroy(module);
    return 1;
  }
  StitchSimtOptions options = {.cores = 1};
  check(stitchSimtCreate(&options, &device));
  MlirExecutionEngine engine = mlirExecutionEngineCreate(module, /*optLevel=*/2, 0, NULL, false, false);
  int status = 1;
  if (!mlirExecutionEngineIsNull(engine)) {
    mlirExecutionEngineRegisterSymbol(engine, mlirStringRefCreateFromCString("stitchSimtLaunchOnce"),
                                      (void *)(uintptr_t)launch);
    status = run(engine);
    mlirExecutionEngineDestroy(engine);
  }
  stitchSimtDestroy(device);
  mlirModuleDestroy(module);
  return status;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: mini-compiler PROGRAM.mlir\n");
    return 1;
  }
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  stitchRegisterEverything(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirContextSetAllowUnregisteredDialects(context, true); // toy
  mlirContextLoadAllAvailableDialects(context);
  mlirRegisterAllLLVMTranslations(context);
  int status = compileAndRun(context, argv[1]);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  return status;
}
