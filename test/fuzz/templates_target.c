//===- templates_target.c - changed templates of a kernel ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/targets.h"

#include "ir/mlir/query.h"
#include "ir/plan/template_file.h"
#include "passes/common/kernel_list.h"
#include "passes/common/kernel_module.h"

#include <stdlib.h>

/// Rows, columns, a value that both share and that is a result, and one that can be computed again.
const char targetsKernel[] =
    "func.func @main(%x: tensor<12x5x64xf32>, %w: tensor<64xf32>) -> (tensor<12x5x64xf32>, tensor<60x64xf32>) {\n"
    "  %e = tg.exp %x : tensor<12x5x64xf32>\n"
    "  %s = tg.reduce add %e dims [2] : (tensor<12x5x64xf32>) -> tensor<12x5xf32>\n"
    "  %b = tg.broadcast %s dims [0, 1] : (tensor<12x5xf32>) -> tensor<12x5x64xf32>\n"
    "  %d = tg.div %e, %b : tensor<12x5x64xf32>\n"
    "  %r = tg.reshape %d : (tensor<12x5x64xf32>) -> tensor<60x64xf32>\n"
    "  %c = tg.reduce add %r dims [0] : (tensor<60x64xf32>) -> tensor<64xf32>\n"
    "  %g = tg.add %c, %w : tensor<64xf32>\n"
    "  %t = tg.tanh %g : tensor<64xf32>\n"
    "  %u = tg.broadcast %t dims [1] : (tensor<64xf32>) -> tensor<60x64xf32>\n"
    "  %m = tg.mul %r, %u : tensor<60x64xf32>\n"
    "  return %d, %m : tensor<12x5x64xf32>, tensor<60x64xf32>\n"
    "}\n";

/// Plans each kernel of the graph by a template. True if one has it; a refusal has a reason.
static bool tryTemplate(MlirOperation planned, const char *text, bool *isSilent) {
  MlirOperation module = mlirOperationClone(planned);
  Operations fusions = plannedKernels(module);
  bool isMet = false;
  for (intptr_t i = 0; i < fusions.count; ++i) {
    char *problem = NULL;
    bool ok = kernelApplyTemplate(&fusions.data[i], text, &problem);
    isMet |= ok;
    *isSilent |= !ok && !problem;
    free(problem);
  }
  free(fusions.data);
  mlirOperationDestroy(module);
  return isMet;
}

Outcome runTemplates(const char *path) {
  static MlirOperation planned;
  if (mlirOperationIsNull(planned))
    planned = targetsPlan(targetsKernel);
  TemplateFile file;
  char *problem = NULL;
  int64_t line;
  if (!templateFileRead(path, /*alternatives=*/true, &file, &problem, &line)) {
    Outcome outcome = problem ? OUTCOME_REFUSED : OUTCOME_SILENT;
    free(problem);
    templateFileDestroy(&file);
    return outcome;
  }
  bool isMet = false, isSilent = false;
  for (int64_t i = 0; i < file.count; ++i)
    isMet |= tryTemplate(planned, file.entries[i].text, &isSilent);
  templateFileDestroy(&file);
  return isSilent ? OUTCOME_SILENT : isMet ? OUTCOME_ACCEPTED : OUTCOME_REFUSED;
}
