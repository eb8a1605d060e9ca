//===- build.h - operations through the C API, one line each -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The MLIR C API creates an operation in about ten lines. With these helpers it takes one, which reads like the IR that
// it makes:
//
//   MlirValue sum = irAddF(b, x, y);
//   MlirValue row = irValueOf(b, "tg.reverse", IR_VALUES(x), rowType, IR_ATTRS(irDims(b, "dims", 1, &dim)));
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_BUILD_H
#define STITCH_IR_MLIR_BUILD_H

#include "ir/mlir/predicates.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/IR.h"

/// Where and with which location operations are created.
typedef struct {
  MlirContext context;
  MlirLocation loc;
  MlirBlock block;
  MlirOperation before; ///< null: at the end of `block`
} IrBuilder;

IrBuilder irBuilderAtEnd(MlirBlock block, MlirLocation loc);
/// Inserts before `op`, with its location.
IrBuilder irBuilderBefore(MlirOperation op);
/// Inserts right after `op`, with its location.
IrBuilder irBuilderAfter(MlirOperation op);

typedef struct {
  intptr_t count;
  const MlirValue *data;
} IrValues;
typedef struct {
  intptr_t count;
  const MlirType *data;
} IrTypes;
typedef struct {
  intptr_t count;
  const MlirNamedAttribute *data;
} IrAttrs;
typedef struct {
  intptr_t count;
  const MlirBlock *data;
} IrBlocks;

#define IR_LIST_(list, type, ...) ((list){sizeof((type[]){__VA_ARGS__}) / sizeof(type), (type[]){__VA_ARGS__}})
#define IR_VALUES(...) IR_LIST_(IrValues, MlirValue, __VA_ARGS__)
#define IR_TYPES(...) IR_LIST_(IrTypes, MlirType, __VA_ARGS__)
#define IR_ATTRS(...) IR_LIST_(IrAttrs, MlirNamedAttribute, __VA_ARGS__)
#define IR_BLOCKS(...) IR_LIST_(IrBlocks, MlirBlock, __VA_ARGS__)
#define IR_NO_VALUES ((IrValues){0, NULL})
#define IR_NO_TYPES ((IrTypes){0, NULL})
#define IR_NO_ATTRS ((IrAttrs){0, NULL})

/// Creates and inserts an operation.
MlirOperation irOp(IrBuilder *b, const char *name, IrValues operands, IrTypes results, IrAttrs attributes);

/// Creates and inserts an operation with `numRegions` regions of one empty block each, whose arguments have the types
/// `blockArguments`.
MlirOperation irOpWithRegions(IrBuilder *b, const char *name, IrValues operands, IrTypes results, IrAttrs attributes,
                              intptr_t numRegions, IrTypes blockArguments);

/// Creates and inserts an operation with one region that has no block yet.
MlirOperation irOpWithEmptyRegion(IrBuilder *b, const char *name, IrAttrs attributes);

/// Creates and inserts a terminator with successors.
MlirOperation irBranch(IrBuilder *b, const char *name, IrValues operands, IrBlocks successors, IrAttrs attributes);

/// Creates and inserts an operation with one result, which is returned.
MlirValue irValueOf(IrBuilder *b, const char *name, IrValues operands, MlirType result, IrAttrs attributes);

/// Creates and inserts an operation with the name and the attributes of `like`, on other operands, whose result of
/// another type is returned.
MlirValue irValueLike(IrBuilder *b, MlirOperation like, const MlirValue *operands, MlirType result);

/// Moves the operations of a block to the end of another, the terminator only if asked for.
void irMoveOperations(MlirBlock from, MlirBlock to, bool withTerminator);

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

MlirNamedAttribute irNamed(MlirContext context, const char *name, MlirAttribute value);

/// A named attribute from a plain value: iN integer, index, DenseI64Array, string, unit, type, flat symbol, any
/// attribute.
MlirNamedAttribute irI1(IrBuilder *b, const char *name, bool value);
MlirNamedAttribute irI32(IrBuilder *b, const char *name, int64_t value);
MlirNamedAttribute irI64(IrBuilder *b, const char *name, int64_t value);
MlirNamedAttribute irDims(IrBuilder *b, const char *name, intptr_t count, const int64_t *values);
MlirNamedAttribute irString(IrBuilder *b, const char *name, const char *value);
MlirNamedAttribute irUnit(IrBuilder *b, const char *name);
MlirNamedAttribute irType(IrBuilder *b, const char *name, MlirType type);
MlirNamedAttribute irSymbol(IrBuilder *b, const char *name, const char *symbol);
MlirNamedAttribute irAttr(IrBuilder *b, const char *name, MlirAttribute value);

MlirAttribute irI64Attr(MlirContext context, int64_t value);
MlirAttribute irStringAttr(MlirContext context, const char *value);

/// Parses an attribute or type from text that this program made; ends the process if it does not parse.
MlirAttribute irParseAttr(MlirContext context, const char *format, ...) __attribute__((format(printf, 2, 3)));
MlirType irParseType(MlirContext context, const char *format, ...) __attribute__((format(printf, 2, 3)));

//===----------------------------------------------------------------------===//
// arith
//===----------------------------------------------------------------------===//

MlirValue irConstantIndex(IrBuilder *b, int64_t value);
MlirValue irConstantInt(IrBuilder *b, MlirType type, int64_t value);
MlirValue irConstantFloat(IrBuilder *b, MlirType type, double value);

/// Binary operations whose result has the operands' type.
#define IR_BINARY_OPS(X)                                                                                               \
  X(irAddI, "arith.addi")                                                                                              \
  X(irSubI, "arith.subi")                                                                                              \
  X(irMulI, "arith.muli")                                                                                              \
  X(irDivUI, "arith.divui")                                                                                            \
  X(irRemUI, "arith.remui")                                                                                            \
  X(irDivSI, "arith.divsi")                                                                                            \
  X(irRemSI, "arith.remsi")                                                                                            \
  X(irAndI, "arith.andi")                                                                                              \
  X(irOrI, "arith.ori")                                                                                                \
  X(irXorI, "arith.xori")                                                                                              \
  X(irShlI, "arith.shli")                                                                                              \
  X(irShrSI, "arith.shrsi")                                                                                            \
  X(irShrUI, "arith.shrui")                                                                                            \
  X(irMinSI, "arith.minsi")                                                                                            \
  X(irMaxSI, "arith.maxsi")                                                                                            \
  X(irMinUI, "arith.minui")                                                                                            \
  X(irMaxUI, "arith.maxui")                                                                                            \
  X(irAddF, "arith.addf")                                                                                              \
  X(irSubF, "arith.subf")                                                                                              \
  X(irMulF, "arith.mulf")                                                                                              \
  X(irDivF, "arith.divf")                                                                                              \
  X(irRemF, "arith.remf")                                                                                              \
  X(irMinimumF, "arith.minimumf")                                                                                      \
  X(irMaximumF, "arith.maximumf")

#define IR_DECLARE_BINARY(function, name) MlirValue function(IrBuilder *b, MlirValue lhs, MlirValue rhs);
IR_BINARY_OPS(IR_DECLARE_BINARY)
#undef IR_DECLARE_BINARY

MlirValue irCmpI(IrBuilder *b, IrCmpIPredicate predicate, MlirValue lhs, MlirValue rhs);
MlirValue irCmpF(IrBuilder *b, IrCmpFPredicate predicate, MlirValue lhs, MlirValue rhs);
MlirValue irSelect(IrBuilder *b, MlirValue condition, MlirValue onTrue, MlirValue onFalse);

/// A conversion such as arith.extf, arith.index_cast or math.exp with one operand.
MlirValue irUnary(IrBuilder *b, const char *name, MlirValue operand, MlirType result);

//===----------------------------------------------------------------------===//
// scf
//===----------------------------------------------------------------------===//

/// scf.for over [lower, upper) with loop-carried values. The body's arguments are the induction variable, then the
/// carried values; the caller ends the body with irYield.
MlirOperation irFor(IrBuilder *b, MlirValue lower, MlirValue upper, MlirValue step, IrValues carried);

/// scf.if; both regions get a block and the caller ends each with irYield (region 1 only if `hasElse`).
MlirOperation irIf(IrBuilder *b, MlirValue condition, IrTypes results, bool hasElse);

/// scf.yield.
void irYield(IrBuilder *b, IrValues values);

#endif // STITCH_IR_MLIR_BUILD_H
