//===- tg_input_roles.c - tg-input-roles ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes one function @main of tg operations. Leaves on each of its arguments
//
//   stitch.input = {role = "index", low = 0.0 : f64, high = 30522.0 : f64}
//   stitch.input = {role = "normal", low = 0.0 : f64, high = 1.0 : f64, poison = 3 : i64}
//
// which says how the function uses it, and so the range of a random value for it (docs/random_inputs.md). Integers that
// select elements stay in range, masks are 0 or 1, floats under a root or logarithm or in a denominator are positive.
// Matrices of systems of equations are far from singular, and factors of a dot are scaled so that its result stays as
// large as its operands. So many elements may be infinite or NaN and leave most of every value as it is (reach.h).
//
// An argument is followed through operations that move its elements, scale them, or shift them by little; the first use
// that asks for something decides.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/function.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"
#include "passes/tg_input_roles/reach.h"

#include "mlir-c/Dialect/Func.h"

#include <math.h>
#include <string.h>

/// The requirements of one argument's uses.
typedef struct {
  IrMap visited;
  int64_t indexLimit;  ///< indices are below it; 0: no index
  int64_t contraction; ///< the longest dot that it is a factor of; 0: none
  int64_t matrixSize;  ///< of the matrices that are factors of systems of equations, or are factorised; 0: none
  bool positive;       ///< under a root or logarithm, or in a denominator
  bool transformed;    ///< by a library, which does with infinities and NaN as it likes
  bool convertedToFloat;
  bool inLoop; ///< carried by a loop, or used in one: perhaps the number of its iterations
} Uses;

static void lower(int64_t *limit, int64_t value) {
  if (value > 0 && (*limit == 0 || value < *limit))
    *limit = value;
}

//===----------------------------------------------------------------------===//
// Uses that decide
//===----------------------------------------------------------------------===//

/// Start indices of a gather: each component stays below the last place where the slice fits.
static void useInGather(MlirOperation op, Uses *uses) {
  IrShape operand = irShapeOf(irOperand(op, 0)), map = irGetDims(op, "start_index_map");
  IrShape sizes = irGetDims(op, "slice_sizes");
  for (intptr_t i = 0; i < map.rank; ++i)
    lower(&uses->indexLimit, operand.dims[map.dims[i]] - sizes.dims[map.dims[i]] + 1);
}

static void useInDynamicSlice(MlirOperation op, intptr_t dim, Uses *uses) {
  lower(&uses->indexLimit, irShapeOf(irOperand(op, 0)).dims[dim] - irShapeOf(irResult(op, 0)).dims[dim] + 1);
}

static void useInDynamicUpdateSlice(MlirOperation op, intptr_t dim, Uses *uses) {
  lower(&uses->indexLimit, irShapeOf(irOperand(op, 0)).dims[dim] - irShapeOf(irOperand(op, 1)).dims[dim] + 1);
}

/// Indices of a scatter: below the size of each dimension that they are for. (Windows over the edge are skipped.)
static void useInScatter(MlirOperation op, Uses *uses) {
  IrShape shape = irShapeOf(irOperand(op, 0)), map = irGetDims(op, "scatter_dims_to_operand_dims");
  for (intptr_t i = 0; i < map.rank; ++i)
    lower(&uses->indexLimit, shape.dims[map.dims[i]]);
}

static void useInDot(MlirOperation op, intptr_t operand, Uses *uses) {
  IrShape shape = irShapeOf(irOperand(op, operand));
  IrShape dims = irGetDims(op, operand == 0 ? "lhs_contract" : "rhs_contract");
  int64_t length = 1;
  for (intptr_t i = 0; i < dims.rank; ++i)
    length *= shape.dims[dims.dims[i]];
  if (length > uses->contraction)
    uses->contraction = length;
}

/// A convolution's kernel: all its elements but one for each output feature, the largest dimension for lack of better.
static void useInConvolution(MlirOperation op, Uses *uses) {
  IrShape shape = irShapeOf(irOperand(op, 1));
  int64_t largest = 1;
  for (intptr_t i = 0; i < shape.rank; ++i)
    largest = shape.dims[i] > largest ? shape.dims[i] : largest;
  int64_t length = irNumElements(shape) / largest;
  if (length > uses->contraction)
    uses->contraction = length;
}

static bool isFloatOrComplex(MlirType element) { return irIsFloat(element) || mlirTypeIsAComplex(element); }

/// A matrix of a system of equations, or one that is factorised.
static void useAsMatrix(MlirOperation op, Uses *uses) {
  IrShape shape = irShapeOf(irOperand(op, 0));
  uses->matrixSize = shape.dims[shape.rank - 1];
}

/// Whether a value is a constant, perhaps broadcast.
static bool isConstant(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  while (!mlirOperationIsNull(op) && tgKindOf(op) == TG_broadcast)
    op = irDefiningOp(irOperand(op, 0));
  return !mlirOperationIsNull(op) && tgKindOf(op) == TG_constant;
}

/// Records the requirements of operand `operand` of `op`. Returns whether the value that `op` makes of it is to be
/// followed.
static bool visitUse(MlirOperation op, intptr_t operand, Uses *uses) {
  switch (tgKindOf(op)) {
  case TG_gather:
    if (operand == 1)
      useInGather(op, uses);
    return operand == 0;
  case TG_dynamic_slice:
    if (operand >= 1)
      useInDynamicSlice(op, operand - 1, uses);
    return operand == 0;
  case TG_dynamic_update_slice:
    if (operand >= 2)
      useInDynamicUpdateSlice(op, operand - 2, uses);
    return operand < 2;
  case TG_case:
    lower(&uses->indexLimit, mlirOperationGetNumRegions(op));
    return false;
  case TG_scatter:
    if (operand == 1)
      useInScatter(op, uses);
    return false;
  case TG_dot:
    useInDot(op, operand, uses);
    return false;
  case TG_convolution:
    if (operand == 1)
      useInConvolution(op, uses);
    return false;
  case TG_cholesky:
    useAsMatrix(op, uses);
    return false;
  case TG_triangular_solve:
    if (operand == 0)
      useAsMatrix(op, uses);
    uses->transformed = true;
    return false;
  case TG_fft:
    uses->transformed = true;
    return false;
  case TG_complex:
  case TG_all_gather:
  case TG_all_to_all:
  case TG_collective_broadcast:
  case TG_collective_permute:
    return true;
  case TG_sqrt:
  case TG_rsqrt:
  case TG_log:
    uses->positive = true;
    return false;
  case TG_div:
    uses->positive |= operand == 1;
    return operand == 0 && isFloatOrComplex(irElementTypeOf(irResult(op, 0)));
  case TG_mul: // an optimizer's mean of squares, which decays before its root is taken
    return isFloatOrComplex(irElementTypeOf(irResult(op, 0))) && isConstant(irOperand(op, 1 - operand));
  case TG_pow:
    uses->positive |= operand == 0;
    return false;
  case TG_convert:
    uses->convertedToFloat |=
        irIsFloat(irElementTypeOf(irResult(op, 0))) && !irIsFloat(irElementTypeOf(irOperand(op, 0)));
    return true;
  case TG_select:
    return operand > 0;
  case TG_clamp:
    return operand == 1;
  case TG_add: // a small constant on a variance, the length of an axis on a negative index
    return !mlirOperationIsNull(irDefiningOp(irOperand(op, 1 - operand)));
  case TG_max:
  case TG_min:
  case TG_pad:
  case TG_rem:
  case TG_sub:
    return operand == 0;
  default:
    return tgClassOfKind(tgKindOf(op)) == TG_CLASS_SHAPE;
  }
}

static void follow(MlirValue value, Uses *uses);

static void followLoop(MlirOperation op, intptr_t operand, Uses *uses) {
  for (intptr_t region = 0; region < 2; ++region)
    follow(mlirBlockGetArgument(irBody(op, region), operand), uses);
  follow(irResult(op, operand), uses);
}

/// Out of a branch, or into the next iteration.
static void followYield(MlirOperation yield, intptr_t operand, Uses *uses) {
  MlirBlock block = mlirOperationGetBlock(yield);
  MlirOperation op = mlirBlockGetParentOperation(block);
  if (tgKindOf(op) == TG_while && mlirBlockEqual(block, irBody(op, 1)))
    followLoop(op, operand, uses);
  else if (tgKindOf(op) == TG_if || tgKindOf(op) == TG_case)
    follow(irResult(op, operand), uses);
}

static void follow(MlirValue value, Uses *uses) {
  if (irMapContains(&uses->visited, value.ptr))
    return;
  irMapSet(&uses->visited, value.ptr, 1);
  IR_FOR_EACH_USE(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    intptr_t operand = mlirOpOperandGetOperandNumber(use);
    uses->inLoop |= tgKindOf(op) == TG_while || tgKindOf(mlirOperationGetParentOperation(op)) == TG_while;
    if (tgKindOf(op) == TG_while)
      followLoop(op, operand, uses);
    else if (irOpIs(op, "tg.yield"))
      followYield(op, operand, uses);
    else if (visitUse(op, operand, uses))
      follow(irResult(op, 0), uses);
  }
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

typedef struct {
  const char *role;
  double low;
  double high;
} Role;

/// Integers below `high`, or as many of them as the type has.
static Role integersBelow(const char *role, double high, MlirType element) {
  int bits = (int)mlirIntegerTypeGetWidth(element) - !irIsUnsigned(element);
  return (Role){role, 0.0, fmin(high, ldexp(1.0, bits))};
}

static Role roleOfInteger(const Uses *uses, MlirType type) {
  static const double few = 8.0;
  MlirType element = irElementType(type);
  if (uses->indexLimit > 0)
    return integersBelow("index", (double)uses->indexLimit, element);
  if (uses->inLoop)
    return integersBelow("index", few, element);
  if (uses->convertedToFloat && irTypeShape(type).rank > 0) // a scalar counts something
    return (Role){"mask", 0.0, 2.0};
  return integersBelow("integer", few, element);
}

/// Whether the last two dimensions of an argument, which its uses may have moved, are those of such matrices.
static bool holdsMatrices(const Uses *uses, IrShape shape) {
  return uses->matrixSize > 0 && shape.rank >= 2 && shape.dims[shape.rank - 1] == uses->matrixSize &&
         shape.dims[shape.rank - 2] == uses->matrixSize;
}

static Role roleOfFloat(const Uses *uses, MlirType type) {
  if (holdsMatrices(uses, irTypeShape(type)))
    return (Role){"positive_definite", 1.0, 2.0};
  if (uses->positive || mlirTypeIsAFloat8E8M0FNU(irElementType(type))) // which has no other numbers
    return (Role){"positive", 0.5, 1.5};
  double high = uses->contraction > 1 ? 1.0 / sqrt((double)uses->contraction) : 1.0;
  return (Role){uses->transformed ? "finite" : "normal", 0.0, high};
}

static Role roleOf(MlirValue argument) {
  MlirType element = irElementTypeOf(argument);
  if (irIsBool(element))
    return (Role){"mask", 0.0, 2.0};
  Uses uses = {0};
  follow(argument, &uses);
  irMapDestroy(&uses.visited);
  return isFloatOrComplex(element) ? roleOfFloat(&uses, mlirValueGetType(argument))
                                   : roleOfInteger(&uses, mlirValueGetType(argument));
}

/// The caller's value: of a packed argument the elements behind the conversion of their bits.
static MlirValue argumentElements(MlirOperation function, intptr_t index) {
  MlirValue argument = mlirBlockGetArgument(irBody(function, 0), index);
  bool isPacked = !mlirAttributeIsNull(irBorderAttr(function, "arg_attrs", index, IR_PACKED_ATTRIBUTE));
  MlirOpOperand use = mlirValueGetFirstUse(argument);
  for (; isPacked && !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (tgKindOf(mlirOpOperandGetOwner(use)) == TG_bitcast_convert)
      return irResult(mlirOpOperandGetOwner(use), 0);
  return argument;
}

/// Elements of an argument with that role that may be infinite or NaN. Formats of 8 bits and less have no such numbers,
/// or few others.
static int64_t poisonOf(Reach *reach, MlirValue argument, Role role) {
  MlirType element = irElementTypeOf(argument);
  bool isNormal = strcmp(role.role, "normal") == 0 || strcmp(role.role, "positive") == 0;
  return isNormal && irElementBytes(element) > 1 ? reachTake(reach, argument) : 0;
}

static MlirAttribute roleAttr(MlirContext context, Role role, int64_t poison) {
  MlirType f64 = mlirF64TypeGet(context);
  MlirNamedAttribute entries[] = {
      irNamed(context, "role", irStringAttr(context, role.role)),
      irNamed(context, "low", mlirFloatAttrDoubleGet(context, f64, role.low)),
      irNamed(context, "high", mlirFloatAttrDoubleGet(context, f64, role.high)),
      irNamed(context, "poison", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), poison)),
  };
  intptr_t count = sizeof(entries) / sizeof(entries[0]) - (poison == 0);
  return mlirDictionaryAttrGet(context, count, entries);
}

static void run(StitchPassRun pass, MlirOperation module) {
  MlirOperation function = irFindFunction(module, "main");
  if (mlirOperationIsNull(function)) {
    stitchEmitOpError(module, "has no function @main");
    stitchPassSignalFailure(pass);
    return;
  }
  MlirContext context = mlirOperationGetContext(module);
  MlirBlock body = irBody(function, 0);
  Reach *reach = reachOf(body);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirValue argument = mlirBlockGetArgument(body, i);
    Role role = roleOf(argumentElements(function, i));
    mlirFuncSetArgAttr(function, i, mlirStringRefCreateFromCString("stitch.input"),
                       roleAttr(context, role, poisonOf(reach, argument, role)));
  }
  reachFree(reach);
}

const StitchPassInfo tgInputRolesPass = {
    .argument = "tg-input-roles",
    .description = "Find out how each argument of @main is used",
    .anchor = "builtin.module",
    .run = run,
};
