//===- select_entry.c - the function that is compiled --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Leaves a module with one public function, @main. It is the one with the name of the option, or else @main, or else
// the only public one (exporters call it @forward and the like). Others become private, so that functions that are not
// called are dropped later.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

#include <stdio.h>
#include <string.h>

static bool isFunctionWithBody(MlirOperation op) {
  return irOpIs(op, "func.func") && !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
}

static bool isPublic(MlirOperation function) {
  MlirAttribute visibility = irGetAttr(function, "sym_visibility");
  return mlirAttributeIsNull(visibility) || !mlirAttributeIsAString(visibility) ||
         mlirStringRefEqual(mlirStringAttrGetValue(visibility), mlirStringRefCreateFromCString("public"));
}

static MlirStringRef functionSymbol(MlirOperation function) {
  return mlirStringAttrGetValue(irGetAttr(function, "sym_name"));
}

/// Emits an error that ends with the names of all public functions.
static void reportChoice(MlirOperation module, const char *problem) {
  char names[1024] = "";
  size_t length = 0;
  IR_FOR_EACH_OP(op, irBody(module, 0)) {
    if (!isFunctionWithBody(op) || !isPublic(op))
      continue;
    MlirStringRef name = functionSymbol(op);
    bool fits = length + name.length + sizeof(", @, ...") < sizeof(names);
    length += (size_t)snprintf(names + length, sizeof(names) - length, fits ? "%s@%.*s" : "%s...", length ? ", " : "",
                               (int)name.length, name.data);
    if (!fits)
      break;
  }
  stitchEmitOpError(module, "%s: %s", problem, names);
}

/// The only public function; null after an error.
static MlirOperation onlyPublicFunction(MlirOperation module) {
  MlirOperation found = {NULL};
  int count = 0;
  IR_FOR_EACH_OP(op, irBody(module, 0))
    if (isFunctionWithBody(op) && isPublic(op)) {
      found = op;
      ++count;
    }
  if (count == 0)
    stitchEmitOpError(module, "has no public function");
  if (count > 1)
    reportChoice(module,
                 "has several public functions and no @main; --entry=NAME chooses one (of select-entry: name=NAME)");
  return count == 1 ? found : (MlirOperation){NULL};
}

/// The function to compile; null after an error.
static MlirOperation findEntry(MlirOperation module, const char *name) {
  MlirOperation entry = irFindFunction(module, *name ? name : "main");
  if (!mlirOperationIsNull(entry) && isFunctionWithBody(entry))
    return entry;
  if (!*name)
    return onlyPublicFunction(module);
  char problem[256];
  snprintf(problem, sizeof(problem), "has no function @%s with a body; public are", name);
  reportChoice(module, problem);
  return (MlirOperation){NULL};
}

/// Gives a function another name, where it is called too.
static bool renameFunction(MlirOperation module, MlirOperation function, const char *name) {
  MlirStringRef to = mlirStringRefCreateFromCString(name);
  if (mlirLogicalResultIsFailure(mlirSymbolTableReplaceAllSymbolUses(functionSymbol(function), to, module))) {
    stitchEmitOpError(function, "is referred to in a way that is not understood, and cannot be called @%s", name);
    return false;
  }
  irSetAttr(function, "sym_name", irStringAttr(mlirOperationGetContext(function), name));
  return true;
}

/// Another function may be called @main.
static bool freeMain(MlirOperation module) {
  MlirOperation other = irFindFunction(module, "main");
  if (mlirOperationIsNull(other))
    return true;
  char name[32];
  int number = 0;
  do
    snprintf(name, sizeof(name), "main_%d", number++);
  while (!mlirOperationIsNull(irFindFunction(module, name)));
  return renameFunction(module, other, name);
}

static void run(StitchPassRun pass, MlirOperation module) {
  MlirOperation entry = findEntry(module, stitchPassGetString(pass, 0));
  bool ok = !mlirOperationIsNull(entry);
  bool isMain = ok && mlirStringRefEqual(functionSymbol(entry), mlirStringRefCreateFromCString("main"));
  if (!ok || (!isMain && (!freeMain(module) || !renameFunction(module, entry, "main")))) {
    stitchPassSignalFailure(pass);
    return;
  }
  IR_FOR_EACH_OP(op, irBody(module, 0)) {
    bool isEntry = mlirOperationEqual(op, entry);
    if (isFunctionWithBody(op) && isPublic(op) != isEntry)
      irSetAttr(op, "sym_visibility", irStringAttr(mlirOperationGetContext(op), isEntry ? "public" : "private"));
  }
}

static const StitchPassOption options[] = {
    {.name = "name",
     .help = "The name of the function; without it @main or the only public one",
     .kind = STITCH_OPTION_STRING},
};

const StitchPassInfo selectEntryPass = {
    .argument = "select-entry",
    .description = "Make the function that is compiled @main, and all others private",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = 1,
    .run = run,
};
