//===- branches.c - modules that are made side by side -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A branch of compile.c's picture that only the model file waits for: passes over a module, and LLVM's bitcode of their
// result, both of which are work for one thread. It runs concurrently with the later stages. The machine code of all
// branches is made at the end, in parts, by as many threads as there are (lowering/llvm/ host_objects.c).
//
//===----------------------------------------------------------------------===//

#include "capi/threads.h"
#include "compiler/compiler.h"

static const char *const names[NUM_BRANCHES] = {
    [BRANCH_HOST] = "host",
    [BRANCH_SIMT] = "simt",
    [BRANCH_REFERENCE] = "reference",
};

static void runBranch(void *data) {
  Branch *b = data;
  if (mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(b->passes, b->module)) && mlirOperationVerify(b->module))
    b->code = b->translate(b->module);
}

bool beginBranch(Compiler *c, BranchKind kind, MlirOperation module, const char *pipeline, StitchModelCode *translate) {
  Branch *b = &c->branches[kind];
  *b = (Branch){.module = module, .translate = translate, .passes = createPasses(c, module, pipeline)};
  if (mlirPassManagerIsNull(b->passes))
    return false;
  // Verification behind each pass takes a quarter of the time of a branch, and its end shows a fault, too.
  mlirPassManagerEnableVerifier(b->passes, false);
  stitchPreparePasses(b->passes);
  b->task = stitchTaskBegin(c->context, runBranch, b);
  return true;
}

/// Waits for a branch that is under way.
static void joinBranch(Branch *b) {
  if (!b->task)
    return;
  stitchTaskFinish(b->task);
  b->task = NULL;
}

void joinBranches(Compiler *c) {
  for (int kind = 0; kind < NUM_BRANCHES; ++kind)
    joinBranch(&c->branches[kind]);
}

bool finishBranches(Compiler *c) {
  bool ok = true;
  for (int kind = 0; kind < NUM_BRANCHES && ok; ++kind) {
    Branch *b = &c->branches[kind];
    if (mlirOperationIsNull(b->module))
      continue;
    ok = beginStage(c, names[kind]);
    joinBranch(b);
    ok = ok && b->code;
  }
  return ok;
}

void destroyBranches(Compiler *c) {
  joinBranches(c);
  for (int kind = 0; kind < NUM_BRANCHES; ++kind) {
    Branch *b = &c->branches[kind];
    stitchHostCodeDestroy(b->code);
    if (!mlirPassManagerIsNull(b->passes))
      mlirPassManagerDestroy(b->passes);
    if (!mlirOperationIsNull(b->module))
      mlirOperationDestroy(b->module);
  }
}
