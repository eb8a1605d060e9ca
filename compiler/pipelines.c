//===- pipelines.c - textual pipelines of passes ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds a pass manager from textual pipelines, and runs it on a module with the statistics and remarks of the
// compilation.
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "capi/threads.h"
#include "compiler/compiler.h"

#include <stdio.h>
#include <stdlib.h>

static void appendTo(MlirStringRef part, void *file) { fwrite(part.data, 1, part.length, file); }

/// Adds the passes of a textual pipeline; its errors come in parts.
static bool addPasses(Compiler *c, MlirOpPassManager passes, const char *pipeline) {
  char *problem = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&problem, &size);
  if (!file)
    return messagesFail(c->messages, "out of memory");
  MlirLogicalResult result =
      mlirOpPassManagerAddPipeline(passes, mlirStringRefCreateFromCString(pipeline), appendTo, file);
  bool ok = fclose(file) == 0 && mlirLogicalResultIsSuccess(result);
  while (size > 0 && problem[size - 1] == '\n')
    problem[--size] = '\0';
  if (!ok && size > 0)
    messagesFail(c->messages, "%s", problem);
  free(problem);
  return ok || messagesFail(c->messages, "cannot run '%s'", pipeline);
}

MlirPassManager createPasses(Compiler *c, MlirOperation module, const char *pipeline) {
  MlirPassManager manager =
      mlirPassManagerCreateOnOperation(c->context, mlirIdentifierStr(mlirOperationGetName(module)));
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  if (addPasses(c, passes, pipeline)) {
    stitchQuietPasses(passes);
    return manager;
  }
  mlirPassManagerDestroy(manager);
  return (MlirPassManager){NULL};
}

bool runPipeline(Compiler *c, MlirOperation module, const char *pipeline) {
  MlirPassManager manager = createPasses(c, module, pipeline);
  if (mlirPassManagerIsNull(manager))
    return false;
  stitchPreparePasses(manager);
  bool ok = mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, module));
  mlirPassManagerDestroy(manager);
  return ok;
}
