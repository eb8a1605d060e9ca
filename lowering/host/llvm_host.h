//===- llvm_host.h - the host function on its way to LLVM -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files of the pass convert-host-to-llvm (lowering/host/host_to_llvm.c).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_HOST_LLVM_HOST_H
#define STITCH_LOWERING_HOST_LLVM_HOST_H

#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"

/// The arguments of the new function.
enum { HOST_CALLBACKS, HOST_INPUTS, HOST_OUTPUTS, HOST_ARENA, HOST_CONSTANTS, HOST_NUM_ARGUMENTS };

/// A list of attributes that grows.
typedef struct {
  MlirAttribute *data;
  intptr_t count;
  intptr_t capacity;
} AttributeList;

typedef struct {
  MlirContext context;
  MlirOperation module;
  MlirOperation main;
  MlirOperation function; ///< @stitch_host_main
  MlirType pointer;
  MlirType i32;
  MlirType i64;
  IrBuilder entry; ///< pointers that do not depend on control flow; before the first call
  IrBuilder b;     ///< the calls in order
  MlirBlock failure;
  MlirValue arguments; ///< room for the longest argument list
  IrMap values;        ///< MlirValue -> MlirValue of the LLVM dialect: a memref's is a pointer, an index's an i64
  IrMap blocks;        ///< MlirBlock of @main -> MlirBlock of the new function
  IrMap kernels;       ///< gpu.func -> number
  IrMap calls;         ///< library declaration -> number
  IrMap constants;     ///< memref.global -> number
  AttributeList kernelNames;
  AttributeList callAttributes;
  AttributeList constantNames;
  AttributeList callNames; ///< of library functions
  IrMap adaptive;          ///< name of an adaptive variable -> number
  AttributeList steps;     ///< as `stitch.steps` lists them
  AttributeList sites;     ///< texts of places
  IrMap siteNumbers;       ///< text -> index in `sites`
  bool failed;
} HostConversion;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Numbers kernels, library calls and constants in the order of the module, and adaptive variables in the order in
/// which @main lists them.
void hostNumberSymbols(HostConversion *h);
/// The operation of a block with that symbol name; null if there is none.
MlirOperation hostFindSymbol(MlirBlock body, MlirStringRef name);
MlirAttribute hostArrayOf(HostConversion *h, const AttributeList *list);
void hostAppend(AttributeList *list, MlirAttribute attribute);
/// The number of a place in the model's text.
int64_t hostNumberSite(HostConversion *h, MlirAttribute text);

//===----------------------------------------------------------------------===//
// LLVM operations
//===----------------------------------------------------------------------===//

MlirValue hostConstant(IrBuilder *b, MlirType type, int64_t value);
/// base + index * sizeof(element).
MlirValue hostElementPointer(HostConversion *h, IrBuilder *b, MlirValue base, MlirType element, int64_t index);
/// Pointer `index` of an array of pointers.
MlirValue hostLoadPointer(HostConversion *h, IrBuilder *b, MlirValue array, int64_t index);
/// The first argument of all callbacks.
MlirValue hostCallbacks(HostConversion *h);
/// Calls a callback and leaves the function if it does not return 0; `h->b` continues in the block after that.
void hostCallAndCheck(HostConversion *h, const char *callee, IrValues operands);
/// Tells the runtime where the operation that is called next stands.
void hostCallAt(HostConversion *h, MlirOperation op);

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Reports an error at `op`; the conversion ends behind it.
void hostFail(HostConversion *h, MlirOperation op, const char *message);
/// Whether a value is an integer constant.
bool hostConstantValue(MlirValue value, int64_t *result);
/// The value in the new function of a value of @main; hostValueOf fails at `user` if nothing has been set.
void hostSetValue(HostConversion *h, MlirValue from, MlirValue to);
MlirValue hostValueOf(HostConversion *h, MlirOperation user, MlirValue from);
/// The LLVM type of a type of host code; null if it has none.
MlirType hostConvertedType(HostConversion *h, MlirType type);

//===----------------------------------------------------------------------===//
// Conversions of single operations, which report unsupported forms
//===----------------------------------------------------------------------===//

void hostConvertAdd(HostConversion *h, MlirOperation op);
void hostConvertAlloca(HostConversion *h, MlirOperation op);
void hostConvertCall(HostConversion *h, MlirOperation op);
void hostConvertChoose(HostConversion *h, MlirOperation op);
void hostConvertChosen(HostConversion *h, MlirOperation op);
void hostConvertCompare(HostConversion *h, MlirOperation op);
void hostConvertConditionalBranch(HostConversion *h, MlirOperation op);
void hostConvertConstant(HostConversion *h, MlirOperation op);
void hostConvertGetGlobal(HostConversion *h, MlirOperation op);
void hostConvertIndexCast(HostConversion *h, MlirOperation op);
void hostConvertJoin(HostConversion *h, MlirOperation op);
void hostConvertJump(HostConversion *h, MlirOperation op);
void hostConvertLaunch(HostConversion *h, MlirOperation op);
void hostConvertLoad(HostConversion *h, MlirOperation op);
void hostConvertRead(HostConversion *h, MlirOperation op);
void hostConvertReinterpretCast(HostConversion *h, MlirOperation op);
void hostConvertReturn(HostConversion *h, MlirOperation op);
void hostConvertSelect(HostConversion *h, MlirOperation op);
void hostConvertStep(HostConversion *h, MlirOperation op);
void hostConvertSwitch(HostConversion *h, MlirOperation op);
void hostConvertView(HostConversion *h, MlirOperation op);
void hostConvertWait(HostConversion *h, MlirOperation op);

#endif // STITCH_LOWERING_HOST_LLVM_HOST_H
