//===- plan.c - what the plan attributes imply ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/plan.h"

#include "ir/tg.h"

#define DEFINE_GETTER(Name, Type)                                                                                      \
  bool planGet##Name(MlirOperation op, Type *value) {                                                                  \
    MlirAttribute attribute = irGetAttr(op, ATTRIBUTE_NAME_##Name);                                                    \
    if (mlirAttributeIsNull(attribute) || !stitchAttributeIsA##Name(attribute))                                        \
      return false;                                                                                                    \
    *value = stitch##Name##AttrValue(attribute);                                                                       \
    return true;                                                                                                       \
  }
#define ATTRIBUTE_NAME_Role "stitch.role"
#define ATTRIBUTE_NAME_Scheme "stitch.scheme"
#define ATTRIBUTE_NAME_Mapping "stitch.mapping"
#define ATTRIBUTE_NAME_Buffer "stitch.buffer"
#define ATTRIBUTE_NAME_Launch "stitch.launch"
DEFINE_GETTER(Role, StitchRole)
DEFINE_GETTER(Scheme, StitchScheme)
DEFINE_GETTER(Mapping, StitchMapping)
DEFINE_GETTER(Buffer, StitchBuffer)
DEFINE_GETTER(Launch, StitchLaunch)

bool planIsRoot(MlirOperation op) {
  StitchRole role;
  return planGetRole(op, &role) && role != STITCH_ROLE_MEMBER;
}

bool planGetDevice(MlirOperation op, StitchDevice *device) {
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op)) {
    MlirAttribute attribute = irGetAttr(op, "stitch.device");
    if (mlirAttributeIsNull(attribute) || !stitchAttributeIsADevice(attribute))
      continue;
    *device = stitchDeviceAttrValue(attribute);
    return true;
  }
  return false;
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t planTasks(const StitchMapping *m) {
  if (m->kind == STITCH_MAPPING_COLUMN)
    return ceilDiv(m->columns, m->rowThreads * m->vector) * m->split;
  return ceilDiv(m->rows, m->blockRows) * m->split;
}

MlirType planAccumulatorType(MlirType elementType) {
  bool small = mlirTypeIsAFloat(elementType) && mlirFloatTypeGetWidth(elementType) < 32;
  return small ? mlirF32TypeGet(mlirTypeGetContext(elementType)) : elementType;
}

int64_t planReductionBytes(MlirOperation reduce, const StitchMapping *m) {
  if (tgClassOfKind(tgKindOf(reduce)) != TG_CLASS_REDUCE)
    return 0;
  int64_t bytes = irElementBytes(planAccumulatorType(irElementTypeOf(irResult(reduce, 0))));
  if (m->kind == STITCH_MAPPING_COLUMN)
    return m->blockRows > 1 ? planBlockSize(m) * m->vector * bytes : 0;
  return m->rowThreads > 32 ? planBlockSize(m) / 32 * bytes : 0;
}

int64_t planReductionAreaBytes(MlirOperation fusion) {
  int64_t most = 0;
  IR_FOR_EACH_OP(op, mlirRegionGetFirstBlock(mlirOperationGetRegion(fusion, 0))) {
    StitchMapping mapping;
    if (!planIsRoot(op) || !planGetMapping(op, &mapping))
      continue;
    int64_t bytes = planReductionBytes(op, &mapping);
    most = bytes > most ? bytes : most;
  }
  return (2 * most + 15) / 16 * 16;
}
