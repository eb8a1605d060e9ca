//===- stitch_to_gpu.c - convert-stitch-to-gpu ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module of planned functions, with stitch.fusion (plan attributes and stitch.launch), stitch.library_call,
// tg.reshape as views and tg.constant. Leaves gpu.module @kernels with one gpu.func for each distinct fusion. Each
// function that is nothing but a graph becomes a function on memrefs with gpu.launch_func and calls to library
// functions: docs/ir.md, section 3. Graphs between operations of other dialects, and in functions that are called,
// become calls of such functions (embedded_graphs.c). After AStitch sections 3.2 and 4.3, with the values of equal
// mappings kept in registers across groups.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/embedded_graphs.h"
#include "lowering/kernel/host/host.h"

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/embedded.h"
#include "ir/mlir/function.h"
#include "passes/common/graph_calls.h"
#include "stitch.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Bufferization.h"
#include "mlir-c/Dialect/Complex.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/GPU.h"
#include "mlir-c/Dialect/Math.h"
#include "mlir-c/Dialect/MemRef.h"
#include "mlir-c/Dialect/NVGPU.h"
#include "mlir-c/Dialect/NVVM.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/Tensor.h"
#include "mlir-c/Dialect/UB.h"
#include "mlir-c/Dialect/Vector.h"

#include <string.h>

enum { OPTION_GRAPHS, OPTION_BORDERS, OPTION_STAGES };

static MlirWalkResult findGraphOp(MlirOperation op, void *found) {
  if (irOpIs(op, "gpu.module") || irOpIs(op, "builtin.module"))
    return MlirWalkResultSkip;
  *(bool *)found |= irIsOfGraphs(op);
  return *(bool *)found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool hasGraph(MlirOperation op) {
  bool found = false;
  mlirOperationWalk(op, findGraphOp, &found, MlirWalkPreOrder);
  return found;
}

/// Whether a function is one of a model that returns its inputs, alone in its module: it becomes a host function, too.
static bool isLonelyMain(GraphCalls *calls, MlirOperation op) {
  return graphCallsIsOneGraph(calls) && mlirOperationEqual(op, irFindFunction(calls->module, "main"));
}

static bool convertModule(StitchPassRun pass, MlirOperation module, int64_t *numConverted) {
  bool tensors = strcmp(stitchPassGetString(pass, OPTION_BORDERS), "tensor") == 0, success = true, isBegun = false;
  GraphCalls calls = graphCallsOf(module);
  HostModule shared;
  IR_FOR_EACH_OP_REPLACING(op, irBody(module, 0)) {
    if (irOpIs(op, "builtin.module"))
      success = success && convertModule(pass, op, numConverted);
    bool isAlone = graphCallsStandsAlone(&calls, op) && !tensors;
    if (!success)
      continue;
    if (!hasGraph(op) && !(isAlone && isLonelyMain(&calls, op))) {
      irMaterializeDestinations(op);
      continue;
    }
    if (!isBegun)
      shared =
          hostModuleCreate(module, op, stitchPassGetBool(pass, OPTION_GRAPHS), stitchPassGetBool(pass, OPTION_STAGES));
    isBegun = true;
    success = isAlone ? !mlirOperationIsNull(hostConvert(&shared, op)) : convertEmbeddedGraphs(&shared, op);
    ++*numConverted;
  }
  if (isBegun)
    hostModuleDestroy(&shared);
  graphCallsDestroy(&calls);
  return success;
}

static void run(StitchPassRun pass, MlirOperation module) {
  int64_t numConverted = 0;
  if (!convertModule(pass, module, &numConverted))
    stitchPassSignalFailure(pass);
  else if (!numConverted && !stitchPassIsQuiet(pass))
    stitchEmitRemark(mlirOperationGetLocation(module),
                     "convert-stitch-to-gpu: finds no stitch.fusion and no stitch.library_call, which the planning "
                     "passes (stitch-pipeline) make of operations of tg");
}

static MlirDialectHandle (*const dialects[])(void) = {
    mlirGetDialectHandle__arith__,  mlirGetDialectHandle__complex__, mlirGetDialectHandle__func__,
    mlirGetDialectHandle__gpu__,    mlirGetDialectHandle__math__,    mlirGetDialectHandle__memref__,
    mlirGetDialectHandle__scf__,    mlirGetDialectHandle__ub__,      mlirGetDialectHandle__nvgpu__,
    mlirGetDialectHandle__nvvm__,   mlirGetDialectHandle__vector__,  mlirGetDialectHandle__bufferization__,
    mlirGetDialectHandle__tensor__, mlirGetDialectHandle__stitch__};

static const StitchPassOption options[] = {
    {"graphs", "keep the graph of each kernel and library function in a module @graphs, for checks", STITCH_OPTION_BOOL,
     0, NULL},
    {"borders",
     "memref: a function that is nothing but a graph, and that nothing calls, takes memrefs for its arguments, its "
     "results and its arena; tensor: every function keeps its type",
     STITCH_OPTION_STRING, 0, "memref"},
    {"stages", "kernels write out the values that their stages and iterations exchange, for checks", STITCH_OPTION_BOOL,
     0, NULL},
};

static const StitchValidValues valid[] = {{"borders", "memref|tensor"}};

const StitchPassInfo convertStitchToGpuPass = {
    .argument = "convert-stitch-to-gpu",
    .description = "Planned fusions to GPU kernels, and the function around them to launches and library calls",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = 1,
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = run,
};
