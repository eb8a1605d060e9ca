//===- host_module.c - shared state of a module's host functions ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State of the conversion of a module that its host functions share: names in use, the gpu.module, kernels by text.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host.h"

#include "ir/mlir/query.h"

#include <stdio.h>
#include <stdlib.h>

static bool isSymbol(MlirOperation module, const char *name) {
  IR_FOR_EACH_OP(op, irBody(module, 0)) {
    MlirAttribute symbol = irGetAttr(op, "sym_name");
    if (!mlirAttributeIsNull(symbol) && mlirAttributeIsAString(symbol) &&
        mlirStringRefEqual(mlirStringAttrGetValue(symbol), mlirStringRefCreateFromCString(name)))
      return true;
  }
  return false;
}

void hostFreshName(MlirOperation module, const char *prefix, intptr_t *number, size_t size, char *name) {
  do
    snprintf(name, size, "%s%ld", prefix, (long)(*number)++);
  while (isSymbol(module, name));
  --*number;
}

/// A module or gpu.module called `name`, or that and a number, which it writes to `result`.
static MlirBlock createModule(IrBuilder *b, MlirOperation module, const char *op, const char *name, size_t size,
                              char *result) {
  char prefix[32];
  intptr_t number = 0;
  snprintf(prefix, sizeof(prefix), "%s_", name);
  snprintf(result, size, "%s", name);
  if (isSymbol(module, name))
    hostFreshName(module, prefix, &number, size, result);
  return irBody(
      irOpWithRegions(b, op, IR_NO_VALUES, IR_NO_TYPES, IR_ATTRS(irString(b, "sym_name", result)), 1, IR_NO_TYPES), 0);
}

HostModule hostModuleCreate(MlirOperation module, MlirOperation first, bool withGraphs, bool writeStages) {
  IrBuilder b = irBuilderBefore(first);
  HostModule shared = {.module = module, .kernels.loc = b.loc, .kernels.writeStages = writeStages};
  HostKernels *kernels = &shared.kernels;
  kernels->block = createModule(&b, module, "gpu.module", "kernels", sizeof(kernels->name), kernels->name);
  char graphs[32];
  if (withGraphs)
    kernels->graphs = createModule(&b, module, "builtin.module", "graphs", sizeof(graphs), graphs);
  irSetAttr(module, "gpu.container_module", mlirUnitAttrGet(b.context));
  return shared;
}

void hostModuleDestroy(HostModule *shared) {
  hostKernelsDestroy(&shared->kernels);
  free(shared->constants);
  free(shared->problems);
}
