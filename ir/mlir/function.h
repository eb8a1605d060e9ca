//===- function.h - the borders of functions -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_FUNCTION_H
#define STITCH_IR_MLIR_FUNCTION_H

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

/// Attribute `name` of argument or result `index` of a function; `list` is "arg_attrs" or "res_attrs". Null if it is
/// missing.
MlirAttribute irBorderAttr(MlirOperation function, const char *list, intptr_t index, const char *name);

/// Gives a function that had `before` arguments or results the attribute dictionaries of `count` more.
void irAppendBorderAttrs(MlirOperation function, const char *list, intptr_t before, intptr_t count,
                         const MlirAttribute *added);

/// Gives argument or result `index` of a function that has `count` of them one attribute more.
void irSetBorderAttr(MlirOperation function, const char *list, intptr_t count, intptr_t index,
                     MlirNamedAttribute attribute);
/// Removes an attribute from an argument, if it has it.
void irRemoveBorderAttr(MlirOperation function, const char *list, intptr_t index, const char *name);

/// A variable whose value outlives a run is an argument with its value before the run and, if the run may change it, a
/// result with the value behind it. Both have the attribute `stitch.variable`, a dictionary: `name`, and for the
/// argument `initial`, dense elements for the first run, if the program gives some.
#define IR_VARIABLE_ATTRIBUTE "stitch.variable"

/// The name of the variable that an argument or a result of a function belongs to; null if there is none.
MlirAttribute irVariableName(MlirOperation function, const char *list, intptr_t index);
/// The elements that the variable of argument `index` has before the first run; null if the program gives none.
MlirAttribute irVariableInitial(MlirOperation function, intptr_t index);
/// The number of the result that is the next value of the variable of argument `index`; -1 if there is none.
intptr_t irNextOfVariable(MlirOperation function, intptr_t index);
/// The attribute; `initial` may be null.
MlirNamedAttribute irVariableAttribute(MlirAttribute name, MlirAttribute initial);

/// A donated argument is one that the caller does not need behind the run: its memory may be that of a result with the
/// same type. The argument has the number of the result as the attribute `stitch.donated`.
#define IR_DONATED_ATTRIBUTE "stitch.donated"

/// A donated argument in whose memory the caller reads result K behind the run, as `stitch.destination = K`
/// (bufferization.materialize_in_destination): if the result is not updated there, it is copied. Models have none: the
/// memory of their arguments is the caller's.
#define IR_DESTINATION_ATTRIBUTE "stitch.destination"

/// The number of the result of which argument `index` is the destination; -1: of none.
intptr_t irDestinationOf(MlirOperation function, intptr_t index);

/// Has a function that keeps its tensors say so by operations again, bufferization.materialize_in_destination. Does
/// nothing to other operations.
void irMaterializeDestinations(MlirOperation op);

/// Marks an argument or result of @main whose elements of two or four bits are packed (tg-pack). It is a tensor of i8,
/// and the attribute `stitch.packed` is the type of the caller's tensor.
#define IR_PACKED_ATTRIBUTE "stitch.packed"

/// The type of the caller's tensor: that of the attribute, else `type`.
MlirType irBorderType(MlirOperation function, const char *list, intptr_t index, MlirType type);

/// The number of the result that may be in the memory of argument `index`. It is that of a donated argument, or of a
/// variable the next value. -1 if there is none.
intptr_t irResultInMemoryOf(MlirOperation function, intptr_t index);

#endif // STITCH_IR_MLIR_FUNCTION_H
