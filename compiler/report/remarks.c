//===- remarks.c - remarks of the planning passes, by operation -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the remarks of a planning run by operation. Locations are made unique before, and remarks are found by them.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/remarks.h"

#include "capi/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

typedef struct {
  IrMap seen;
  int64_t count;
} Locations;

static const void *locationKey(MlirLocation location) { return mlirLocationGetAttribute(location).ptr; }

/// The first operation of a place keeps its location.
static MlirWalkResult makeUnique(MlirOperation op, void *data) {
  Locations *locations = data;
  MlirLocation location = mlirOperationGetLocation(op);
  if (irMapContains(&locations->seen, locationKey(location))) {
    char name[32];
    snprintf(name, sizeof(name), "operation %lld", (long long)locations->count++);
    MlirContext context = mlirOperationGetContext(op);
    location = mlirLocationNameGet(context, mlirStringRefCreateFromCString(name), location);
    mlirOperationSetLocation(op, location);
  }
  irMapSet(&locations->seen, locationKey(location), 1);
  return MlirWalkResultAdvance;
}

void remarksPrepare(MlirOperation module) {
  Locations locations = {0};
  mlirOperationWalk(module, makeUnique, &locations, MlirWalkPreOrder);
  irMapDestroy(&locations.seen);
}

//===----------------------------------------------------------------------===//
// Collection
//===----------------------------------------------------------------------===//

typedef struct {
  IrArena *arena;
  char *text;
  size_t length;
} RemarkText;

static void appendReason(MlirStringRef part, void *data) {
  RemarkText *text = data;
  char *longer = irArenaAllocate(text->arena, text->length + part.length + 1);
  memcpy(longer, text->text, text->length);
  memcpy(longer + text->length, part.data, part.length);
  text->text = longer;
  text->length += part.length;
}

static void addRemark(Remarks *remarks, const void *place, const char *text) {
  int64_t index = irMapGet(&remarks->places, place, -1);
  if (index < 0) {
    IR_RESERVE_ONE(remarks->lists, remarks->count, remarks->capacity);
    index = remarks->count++;
    remarks->lists[index].first = remarks->lists[index].last = NULL;
    irMapSet(&remarks->places, place, index);
  }
  Remark *remark = IR_NEW(&remarks->arena, Remark);
  remark->text = (char *)text;
  if (remarks->lists[index].last)
    remarks->lists[index].last->next = remark;
  else
    remarks->lists[index].first = remark;
  remarks->lists[index].last = remark;
}

static MlirLogicalResult onRemark(MlirDiagnostic diagnostic, void *data) {
  Remarks *remarks = data;
  if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticRemark)
    return mlirLogicalResultFailure();
  RemarkText text = {&remarks->arena, irArenaAllocate(&remarks->arena, 1), 0};
  mlirDiagnosticPrint(diagnostic, appendReason, &text);
  addRemark(remarks, locationKey(mlirDiagnosticGetLocation(diagnostic)), text.text);
  return mlirLogicalResultSuccess();
}

MlirDiagnosticHandlerID remarksBegin(Remarks *remarks, MlirContext context) {
  stitchEnableRemarks(context, true);
  return mlirContextAttachDiagnosticHandler(context, onRemark, remarks, NULL);
}

void remarksEnd(MlirDiagnosticHandlerID handler, MlirContext context) {
  mlirContextDetachDiagnosticHandler(context, handler);
  stitchEnableRemarks(context, false);
}

const Remark *remarksOf(const Remarks *remarks, MlirOperation op) {
  int64_t index = irMapGet(&remarks->places, locationKey(mlirOperationGetLocation(op)), -1);
  return index < 0 ? NULL : remarks->lists[index].first;
}

void remarksDestroy(Remarks *remarks) {
  irMapDestroy(&remarks->places);
  irArenaDestroy(&remarks->arena);
  free(remarks->lists);
}
