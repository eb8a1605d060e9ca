//===- tg_pack.c - tg-pack -----------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of two and four bits lie two or four to a byte, the first one in the lowest bits. They do so in the memory
// of a model's arguments, results and large constants. XLA, PyTorch and DLPack pack them the same way. Takes the
// simplified graph. Leaves these values as tensors of i8, with conversions of the bits around them, which kernels do
// where they load and store. A byte is written by one thread, as it is one element. The attribute `stitch.packed` has
// the caller's type.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/function.h"
#include "ir/mlir/symbol.h"
#include "passes/common/collect.h"
#include "stitch.h"

#include <stdlib.h>

enum { BYTE_BITS = 8, LEAST_PACKED_ELEMENTS = 1024 }; // of a constant

/// How many elements a byte holds; 1 of types that are not packed.
static int64_t perByte(MlirType element) {
  bool isFloat = irIsFloat(element);
  if (!isFloat && !irIsInteger(element))
    return 1;
  int64_t width = isFloat ? mlirFloatTypeGetWidth(element) : mlirIntegerTypeGetWidth(element);
  return width == 2 || width == 4 ? BYTE_BITS / width : 1;
}

/// Whether no row ends inside a byte, so that the bytes have the shape of the elements but for the last dimension.
static bool hasWholeRows(MlirType type) {
  IrShape shape = irTypeShape(type);
  return shape.rank > 0 && shape.rank < IR_MAX_RANK && shape.dims[shape.rank - 1] % perByte(irElementType(type)) == 0;
}

/// The bytes of a tensor.
static MlirType packedType(MlirType type) {
  MlirType i8 = mlirIntegerTypeGet(mlirTypeGetContext(type), BYTE_BITS);
  IrShape shape = irTypeShape(type);
  int64_t per = perByte(irElementType(type));
  if (hasWholeRows(type)) {
    shape.dims[shape.rank - 1] /= per;
    return tgWithElement(tgWithShape(type, shape), i8);
  }
  int64_t bytes = (irNumElements(shape) + per - 1) / per;
  return mlirRankedTensorTypeGet(1, &bytes, i8, mlirAttributeGetNull());
}

/// The elements of each byte in a dimension of their own.
static MlirType openedType(MlirType bytes, MlirType element) {
  IrShape shape = irTypeShape(bytes);
  shape.dims[shape.rank++] = perByte(element);
  return tgWithElement(tgWithShape(bytes, shape), element);
}

static MlirType flatType(MlirType type, int64_t count) {
  return tgWithShape(type, (IrShape){.rank = 1, .dims = {count}});
}

/// The elements, of `type`, of bytes.
static MlirValue unpack(IrBuilder *b, MlirValue bytes, MlirType type) {
  MlirType opened = openedType(mlirValueGetType(bytes), irElementType(type));
  MlirValue elements = irUnary(b, "tg.bitcast_convert", bytes, opened);
  int64_t count = irNumElements(irTypeShape(type)), all = irNumElements(irTypeShape(opened));
  if (all > count)
    elements = tgSlice(b, tgReshape(b, elements, flatType(type, all)), 0, 0, count);
  return tgReshape(b, elements, type);
}

/// Bits that no element has are zero.
static MlirValue pack(IrBuilder *b, MlirValue elements) {
  MlirType type = mlirValueGetType(elements), bytes = packedType(type);
  MlirType opened = openedType(bytes, irElementType(type));
  int64_t count = irNumElements(irTypeShape(type)), all = irNumElements(irTypeShape(opened));
  if (all > count) {
    MlirType rest = flatType(type, all - count);
    MlirValue behind = irIsFloat(irElementType(type)) ? tgSplat(b, rest, 0) : tgSplatBits(b, rest, 0);
    elements = tgConcatenate(b, IR_VALUES(tgReshape(b, elements, flatType(type, count)), behind), 0);
  }
  return irUnary(b, "tg.bitcast_convert", tgReshape(b, elements, opened), bytes);
}

//===----------------------------------------------------------------------===//
// Updates in place
//===----------------------------------------------------------------------===//

/// False for values that no operation defines.
static bool isOfKind(MlirOperation op, TgKind kind) { return !mlirOperationIsNull(op) && tgKindOf(op) == kind; }

/// The bytes that `elements` have been unpacked from by `unpack`; null if they have not.
static MlirValue bytesOfPacked(MlirValue elements) {
  MlirOperation op = irDefiningOp(elements);
  if (isOfKind(op, TG_reshape))
    op = irDefiningOp(irOperand(op, 0));
  bool isUnpacked = isOfKind(op, TG_bitcast_convert) && hasWholeRows(mlirValueGetType(elements)) &&
                    mlirTypeEqual(mlirValueGetType(irOperand(op, 0)), packedType(mlirValueGetType(elements)));
  return isUnpacked ? irOperand(op, 0) : (MlirValue){NULL};
}

/// The bytes of `elements`. Where they are an update of whole rows of bytes, that is one of bytes, which can be in
/// place.
static MlirValue packResult(IrBuilder *b, MlirValue elements) {
  MlirValue bytes = bytesOfPacked(elements);
  if (!mlirValueIsNull(bytes))
    return bytes;
  MlirOperation op = irDefiningOp(elements);
  if (!isOfKind(op, TG_dynamic_update_slice))
    return pack(b, elements);
  MlirValue operand = bytesOfPacked(irOperand(op, 0));
  IrShape shape = irShapeOf(elements), update = irShapeOf(irOperand(op, 1));
  if (mlirValueIsNull(operand) || shape.dims[shape.rank - 1] != update.dims[shape.rank - 1])
    return pack(b, elements);
  intptr_t count = mlirOperationGetNumOperands(op);
  MlirValue *operands = irAllocate(sizeof(MlirValue) * (size_t)count);
  for (intptr_t i = 2; i < count; ++i)
    operands[i] = irOperand(op, i);
  operands[0] = operand;
  operands[1] = pack(b, irOperand(op, 1));
  MlirValue result =
      irValueOf(b, "tg.dynamic_update_slice", (IrValues){count, operands}, mlirValueGetType(operand), IR_NO_ATTRS);
  free(operands);
  return result;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Dense elements as bytes.
static MlirAttribute packedElements(MlirAttribute elements) {
  MlirType type = mlirAttributeGetType(elements), bytes = packedType(type);
  int64_t per = perByte(irElementType(type)), width = BYTE_BITS / per, count = irNumElements(irTypeShape(type));
  int64_t size = irNumElements(irTypeShape(bytes));
  const uint8_t *data = mlirDenseElementsAttrGetRawData(elements);
  bool isSplat = mlirDenseElementsAttrIsSplat(elements);
  uint8_t *packed = irAllocateZeroed((size_t)size + 1, 1);
  for (int64_t i = 0; i < count; ++i)
    packed[i / per] |= (uint8_t)((data[isSplat ? 0 : i] & ((1 << width) - 1)) << (i % per * width));
  MlirAttribute result = mlirDenseElementsAttrRawBufferGet(bytes, (size_t)size, packed);
  free(packed);
  return result;
}

static bool isPackedConstant(MlirOperation op) {
  if (tgKindOf(op) != TG_constant || tgIsSplat(op))
    return false;
  MlirType type = mlirValueGetType(irResult(op, 0));
  return perByte(irElementType(type)) > 1 && mlirAttributeIsADenseElements(irGetAttr(op, "value")) &&
         irNumElements(irTypeShape(type)) >= LEAST_PACKED_ELEMENTS;
}

static void packConstant(MlirOperation op) {
  IrBuilder b = irBuilderAfter(op);
  MlirAttribute packed = packedElements(irGetAttr(op, "value"));
  MlirValue bytes =
      irValueOf(&b, "tg.constant", IR_NO_VALUES, mlirAttributeGetType(packed), IR_ATTRS(irAttr(&b, "value", packed)));
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), unpack(&b, bytes, mlirValueGetType(irResult(op, 0))));
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// The borders of @main
//===----------------------------------------------------------------------===//

/// Sizes that are not known are those of rows, which must be whole bytes.
static bool checkRows(MlirOperation function, const char *list, intptr_t index, MlirType type) {
  bool isOpen = !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)) ||
                !mlirAttributeIsNull(irBorderAttr(function, list, index, IR_SIZES_ATTRIBUTE));
  IrShape shape = irTypeShape(type);
  if (!isOpen || (hasWholeRows(type) && shape.rank > 1))
    return true;
  char *text = irTypeText(type);
  stitchEmitOpError(function, "%s %ld of type %s has an open size, and rows that end inside a byte",
                    list[0] == 'a' ? "argument" : "result", (long)index, text);
  free(text);
  return false;
}

static bool isPackedBorder(MlirType type) {
  return mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type) && perByte(irElementType(type)) > 1 &&
         irNumElements(irTypeShape(type)) > 0;
}

static MlirNamedAttribute packedAttribute(MlirType type) {
  return irNamed(mlirTypeGetContext(type), IR_PACKED_ATTRIBUTE, mlirTypeAttrGet(type));
}

static bool packArgument(MlirOperation function, intptr_t count, intptr_t index) {
  MlirBlock body = irBody(function, 0);
  MlirValue argument = mlirBlockGetArgument(body, index);
  MlirType type = mlirValueGetType(argument);
  if (!isPackedBorder(type))
    return true;
  if (!checkRows(function, "arg_attrs", index, type))
    return false;
  MlirAttribute initial = irVariableInitial(function, index);
  if (!mlirAttributeIsNull(initial) && mlirAttributeIsADenseElements(initial))
    irSetBorderAttr(function, "arg_attrs", count, index,
                    irVariableAttribute(irVariableName(function, "arg_attrs", index), packedElements(initial)));
  irSetBorderAttr(function, "arg_attrs", count, index, packedAttribute(type));
  mlirValueSetType(argument, packedType(type));
  IrBuilder b = irBuilderBefore(mlirBlockGetFirstOperation(body));
  MlirValue elements = unpack(&b, argument, type);
  MlirOperation first = irDefiningOp(elements);
  while (tgKindOf(first) != TG_bitcast_convert)
    first = irDefiningOp(irOperand(first, 0));
  mlirValueReplaceAllUsesExcept(argument, elements, 1, &first);
  return true;
}

static bool packResults(MlirOperation function) {
  MlirOperation end = mlirBlockGetTerminator(irBody(function, 0));
  intptr_t count = mlirOperationGetNumOperands(end);
  for (intptr_t i = 0; i < count; ++i) {
    MlirType type = mlirValueGetType(irOperand(end, i));
    if (!isPackedBorder(type))
      continue;
    if (!checkRows(function, "res_attrs", i, type))
      return false;
    irSetBorderAttr(function, "res_attrs", count, i, packedAttribute(type));
    IrBuilder b = irBuilderBefore(end);
    mlirOperationSetOperand(end, i, packResult(&b, irOperand(end, i)));
  }
  return true;
}

static void setFunctionType(MlirOperation function) {
  MlirBlock body = irBody(function, 0);
  MlirOperation end = mlirBlockGetTerminator(body);
  intptr_t inputs = mlirBlockGetNumArguments(body), results = mlirOperationGetNumOperands(end);
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)(inputs + results + 1));
  for (intptr_t i = 0; i < inputs; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(body, i));
  for (intptr_t i = 0; i < results; ++i)
    types[inputs + i] = mlirValueGetType(irOperand(end, i));
  MlirType type = mlirFunctionTypeGet(mlirOperationGetContext(function), inputs, types, results, types + inputs);
  irSetAttr(function, "function_type", mlirTypeAttrGet(type));
  free(types);
}

static void run(StitchPassRun pass, MlirOperation module) {
  Operations constants = collectOperations(module, isPackedConstant, MlirWalkPreOrder);
  for (intptr_t i = 0; i < constants.count; ++i)
    packConstant(constants.data[i]);
  free(constants.data);
  MlirOperation function = irFindFunction(module, "main");
  if (mlirOperationIsNull(function))
    return;
  intptr_t count = mlirBlockGetNumArguments(irBody(function, 0));
  bool ok = true;
  for (intptr_t i = 0; i < count && ok; ++i)
    ok = packArgument(function, count, i);
  if (ok && packResults(function))
    setFunctionType(function);
  else
    stitchPassSignalFailure(pass);
}

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__};

const StitchPassInfo tgPackPass = {
    .argument = "tg-pack",
    .description = "Pack elements of two and four bits of arguments, results and large constants into bytes",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .dependentDialects = dialects,
    .numDependentDialects = 1,
    .run = run,
};
