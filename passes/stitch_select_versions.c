//===- stitch_select_versions.c - stitch-select-versions -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module with stitch.adaptive (Astra's adaptive variables) and the wanted versions, by name, as stitch-run
// --versions has them. Leaves these versions alone, the first one of variables that are not named, and no update tree.
// The runtime's best versions so become a plan like any other, with a cost by the model, and a model file with nothing
// else.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"
#include "passes/common/inline_version.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_VERSIONS };

/// "NAME=VERSION" for one variable, or "*=VERSION" for all that have it.
typedef struct {
  MlirStringRef variable, version;
  bool isMet; ///< some variable has it
} VersionChoice;

typedef struct {
  VersionChoice *data;
  int64_t count;
} VersionChoices;

//===----------------------------------------------------------------------===//
// Wanted versions
//===----------------------------------------------------------------------===//

static int64_t numPartsOf(const char *list) {
  int64_t count = 1;
  for (; *list; ++list)
    count += *list == ',';
  return count;
}

/// The list's text is borrowed.
static VersionChoices readChoices(const char *list) {
  VersionChoices choices = {.data = irAllocate(sizeof(VersionChoice) * (size_t)numPartsOf(list))};
  while (*list) {
    size_t size = strcspn(list, ","), name = strcspn(list, "=,"), begin = name < size ? name + 1 : size;
    choices.data[choices.count++] = (VersionChoice){{list, name}, {list + begin, size - begin}, false};
    list += size + (list[size] == ',');
  }
  return choices;
}

/// The number of the version that a choice means of a variable; -1: none.
static intptr_t meantBy(const VersionChoice *choice, MlirOperation adaptive) {
  MlirAttribute versions = irGetAttr(adaptive, "versions");
  MlirStringRef variable = mlirStringAttrGetValue(irGetAttr(adaptive, "variable"));
  bool isMeant = mlirStringRefEqual(choice->variable, mlirStringRefCreateFromCString("*")) ||
                 mlirStringRefEqual(choice->variable, variable);
  for (intptr_t v = 0; v < mlirArrayAttrGetNumElements(versions) && isMeant; ++v)
    if (mlirStringRefEqual(choice->version, mlirStringAttrGetValue(mlirArrayAttrGetElement(versions, v))))
      return v;
  return -1;
}

/// The number of the version that is wanted: the last choice that means one counts.
static intptr_t versionOf(const VersionChoices *choices, MlirOperation adaptive) {
  intptr_t wanted = 0;
  for (int64_t i = 0; i < choices->count; ++i) {
    intptr_t meant = meantBy(&choices->data[i], adaptive);
    wanted = meant >= 0 ? meant : wanted;
  }
  return wanted;
}

/// Marks the choices that a variable has, be it in a version that is not wanted.
static MlirWalkResult markChoices(MlirOperation op, void *data) {
  VersionChoices *choices = data;
  for (int64_t i = 0; i < choices->count && irOpIs(op, "stitch.adaptive"); ++i)
    choices->data[i].isMet |= meantBy(&choices->data[i], op) >= 0;
  return MlirWalkResultAdvance;
}

static bool checkChoices(const VersionChoices *choices, MlirOperation module) {
  bool areMet = true;
  for (int64_t i = 0; i < choices->count; ++i) {
    const VersionChoice *choice = &choices->data[i];
    if (!choice->isMet)
      stitchEmitOpError(module, "stitch-select-versions: there is no adaptive variable and version '%.*s=%.*s'",
                        (int)choice->variable.length, choice->variable.data, (int)choice->version.length,
                        choice->version.data);
    areMet &= choice->isMet;
  }
  return areMet;
}

//===----------------------------------------------------------------------===//
// Taking it
//===----------------------------------------------------------------------===//

/// Takes the versions of all variables in a block, and then of those in the taken versions.
static void selectIn(const VersionChoices *choices, MlirBlock block) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = next) {
    if (irOpIs(op, "stitch.adaptive")) {
      next = inlineVersion(op, versionOf(choices, op));
      continue;
    }
    next = irNextOp(op);
    for (intptr_t i = 0; tgIsControlFlow(op) && i < mlirOperationGetNumRegions(op); ++i)
      selectIn(choices, irBody(op, i));
  }
}

static void runSelect(StitchPassRun run, MlirOperation module) {
  MlirOperation main = irFindFunction(module, "main");
  if (mlirOperationIsNull(main) || mlirBlockIsNull(irBody(main, 0)))
    return;
  VersionChoices choices = readChoices(stitchPassGetString(run, OPTION_VERSIONS));
  mlirOperationWalk(main, markChoices, &choices, MlirWalkPreOrder);
  if (checkChoices(&choices, module)) {
    selectIn(&choices, irBody(main, 0));
    mlirOperationRemoveAttributeByName(main, mlirStringRefCreateFromCString("stitch.update"));
  } else {
    stitchPassSignalFailure(run);
  }
  free(choices.data);
}

static const StitchPassOption options[] = {
    {"versions", "the versions, as products_0=all,*=xla; the first versions of other variables", STITCH_OPTION_STRING,
     0, ""},
};

static const StitchValidValues valid[] = {
    {"versions", "~[^=,]+=[^=,]+(,[^=,]+=[^=,]+)*~versions such as products_0=all,*=xla"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchSelectVersionsPass = {
    .argument = "stitch-select-versions",
    .description = "Leave one version of each adaptive variable (Astra)",
    .anchor = "builtin.module",
    .takes = "stitch.adaptive",
    .after = "stitch-enumerate|stitch-enumerate-templates",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runSelect,
};
