//===- supported.c - limits of kernel libraries ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of a function enqueues launches and returns. So every operation that needs a library of the vendor, a wait of
// the host or the state of a session is refused here. The plan still has the operations of the model.
//
//===----------------------------------------------------------------------===//

#include "compiler/kernel_library/kernel_library.h"

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/function.h"
#include "ir/mlir/query.h"

/// The operation that a library is called for: the first that is no constant, reshape or the like.
static MlirOperation calledFor(MlirOperation call) {
  MlirOperation found = call;
  IR_FOR_EACH_OP(op, irBody(call, 0)) {
    TgKind kind = tgKindOf(op);
    if (kind == TG_NONE || kind == TG_constant || kind == TG_reshape)
      continue;
    if (mlirOperationEqual(found, call) || !tgIsMemoryIntensive(op))
      found = op;
  }
  return found;
}

static MlirWalkResult checkOp(MlirOperation op, void *data) {
  bool *ok = data;
  TgKind kind = tgKindOf(op);
  if (irOpIs(op, "stitch.library_call")) {
    stitchEmitOpError(calledFor(op), "is computed by a call of a library, and a kernel library has launches of kernels "
                                     "alone: leave it out of the graph, or make a model file (--emit=so)");
    *ok = false;
    return MlirWalkResultSkip;
  }
  if (irOpIs(op, "stitch.adaptive"))
    stitchEmitOpError(op, "has versions that a session measures, and a kernel library has no session: compile without "
                          "adaptive=true");
  else if (kind == TG_if || kind == TG_case || (kind == TG_while && irGetInt(op, "trip_count", 0) <= 0))
    stitchEmitOpError(op, "has the host wait for a predicate, and a function of a kernel library enqueues its launches "
                          "without waiting: make a model file (--emit=so)");
  else
    return MlirWalkResultAdvance;
  *ok = false;
  return MlirWalkResultAdvance;
}

/// Whether the function keeps nothing from one run to the next.
static bool checkVariables(MlirOperation main) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(irBody(main, 0)); ++i) {
    MlirAttribute name = irVariableName(main, "arg_attrs", i);
    if (mlirAttributeIsNull(name))
      continue;
    MlirStringRef text = mlirStringAttrGetValue(name);
    stitchEmitOpError(main,
                      "has the variable '%.*s', whose value persists between runs, but a kernel library has no session "
                      "to store it in",
                      (int)text.length, text.data);
    return false;
  }
  return true;
}

static bool checkProcesses(MlirOperation module, MlirOperation main) {
  if (irGetInt(module, "stitch.replicas", 1) * irGetInt(module, "stitch.partitions", 1) == 1)
    return true;
  stitchEmitOpError(main, "is the program of several processes, and a kernel library is of one");
  return false;
}

bool libraryIsSupported(MlirOperation planned) {
  MlirOperation main = irFindFunction(planned, "main");
  bool ok = checkProcesses(planned, main) && checkVariables(main);
  mlirOperationWalk(main, checkOp, &ok, MlirWalkPreOrder);
  return ok;
}
