//===- query.h - questions about operations and values -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_QUERY_H
#define STITCH_IR_MLIR_QUERY_H

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/IR.h"

/// The largest tensor rank that Stitch handles.
enum { IR_MAX_RANK = 16 };

/// A list of dimensions, sizes or strides by value.
typedef struct {
  intptr_t rank;
  int64_t dims[IR_MAX_RANK];
} IrShape;

/// The name of an operation, such as "tg.add"; owned by the context.
MlirStringRef irOpName(MlirOperation op);
bool irOpIs(MlirOperation op, const char *name);

/// The operation that defines `value`; null for a block argument.
MlirOperation irDefiningOp(MlirValue value);

static inline MlirValue irOperand(MlirOperation op, intptr_t i) { return mlirOperationGetOperand(op, i); }
static inline MlirValue irResult(MlirOperation op, intptr_t i) { return mlirOperationGetResult(op, i); }

/// Attributes by name (inherent and discardable ones). The attribute is null if missing; the others return `missing`.
MlirAttribute irGetAttr(MlirOperation op, const char *name);
int64_t irGetInt(MlirOperation op, const char *name, int64_t missing);
bool irHasAttr(MlirOperation op, const char *name);
/// A DenseI64Array attribute; of rank 0 if missing. An array of more than IR_MAX_RANK elements is cut off.
IrShape irGetDims(MlirOperation op, const char *name);
void irSetAttr(MlirOperation op, const char *name, MlirAttribute value);

/// The shape of a ranked tensor, vector or memref; a scalar has rank 0. Dynamic sizes are INT64_MIN.
IrShape irShapeOf(MlirValue value);
IrShape irTypeShape(MlirType type);
MlirType irElementTypeOf(MlirValue value);
/// The element type of a shaped type; other types are their own.
MlirType irElementType(MlirType type);

/// Product of the dimensions; INT64_MAX if it is larger.
int64_t irNumElements(IrShape shape);
bool irShapesEqual(IrShape a, IrShape b);
/// Appends a dimension to a list of less than IR_MAX_RANK.
static inline void irAppendDim(IrShape *list, int64_t dim) { list->dims[list->rank++] = dim; }
/// Where `value` is in a list of dimensions; -1: nowhere.
intptr_t irPositionIn(IrShape list, int64_t value);
/// Whether a list of dimensions has `value`.
bool irContains(IrShape list, int64_t value);
/// Row-major strides in elements.
IrShape irStrides(IrShape shape);

/// Bytes of one element in memory: i1 takes one byte, 0 if the type has no fixed size.
int64_t irElementBytes(MlirType elementType);
/// Bytes of a tensor in memory; INT64_MAX if there are more.
int64_t irTensorBytes(MlirType type);

bool irIsFloat(MlirType type);
bool irIsInteger(MlirType type);
bool irIsUnsigned(MlirType type);
bool irIsBool(MlirType type);
/// The range of an integer type as far as int64_t goes.
void irIntegerRange(MlirType type, int64_t *lowest, int64_t *highest);

/// A type, or an operation by itself, as it prints; the caller releases it with free(). A copy of the operation is
/// printed: for one in its place MLIR would number all values of the function around it.
char *irTypeText(MlirType type);
char *irOperationText(MlirOperation op);

/// The function with that symbol name in a module; null if there is none.
MlirOperation irFindFunction(MlirOperation module, const char *name);

/// The only block of a region of `op`; null if it has none.
MlirBlock irBody(MlirOperation op, intptr_t region);
/// The operation behind `op`, null behind the last one and behind null.
MlirOperation irNextOp(MlirOperation op);

/// Iterates over the blocks of a region.
#define IR_FOR_EACH_BLOCK(block, region)                                                                               \
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);                                     \
       block = mlirBlockGetNextInRegion(block))

/// Iterates over the operations of a block.
#define IR_FOR_EACH_OP(op, block)                                                                                      \
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = irNextOp(op))

/// The same where the body may erase or move `op`; operations that it inserts right behind `op` are not visited.
#define IR_FOR_EACH_OP_REPLACING(op, block)                                                                            \
  for (MlirOperation op = mlirBlockGetFirstOperation(block), op##Next = irNextOp(op); !mlirOperationIsNull(op);        \
       op = op##Next, op##Next = irNextOp(op))

/// Operations of a block, those in their regions not counted.
int64_t irNumOps(MlirBlock block);

bool irHasOneUse(MlirValue value);
/// Whether anything reads a result of `op`.
bool irIsUsed(MlirOperation op);

/// Whether two operations have the same attributes.
bool irSameAttributes(MlirOperation a, MlirOperation b);

/// The entry of a dictionary; null if it is none, or has none of that name. Its number, or 0.
MlirAttribute irEntry(MlirAttribute dictionary, const char *name);
double irEntryFloat(MlirAttribute dictionary, const char *name);
int64_t irEntryInt(MlirAttribute dictionary, const char *name);

/// Iterates over the uses of a value.
#define IR_FOR_EACH_USE(use, value)                                                                                    \
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))

#endif // STITCH_IR_MLIR_QUERY_H
