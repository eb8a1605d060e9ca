//===- model_file.h - writing model files --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model file is a shared object that exports a StitchModelDescriptor (runtime/model.h). Each part of it has been
// lowered by then; the remaining steps are to describe the parts, to make machine code, and to link.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_HOST_MODEL_FILE_MODEL_FILE_H
#define STITCH_LOWERING_HOST_MODEL_FILE_MODEL_FILE_H

#include "lowering/llvm/host_objects.h"
#include "runtime/model.h"

#include "mlir-c/IR.h"

/// The attribute of the modules of one of several programs: a string that no other program has, part of a symbol.
#define STITCH_MODEL_PROGRAM "stitch.program"

/// The code of a module in the LLVM dialect for its place in a model file, on any thread. NULL after a located error.
typedef StitchHostCode *StitchModelCode(MlirOperation module);
StitchModelCode stitchModelCodeOfHost, stitchModelCodeOfSimt, stitchModelCodeOfReference;
/// That of a reference outside of a model file: with all of its constants.
StitchModelCode stitchModelCodeOfPlainReference;

enum { STITCH_MODEL_MAX_CODE = 3 };

/// The modules of a program in a model file, each null if the file goes without it, and the code of those that have
/// any.
typedef struct {
  MlirOperation graph;     ///< @main on tensors, with the attributes of tg-input-roles and tg-error-bounds; never null
  MlirOperation host;      ///< the result of convert-host-to-llvm: @stitch_host_main, constants
  MlirOperation simt;      ///< the result of gpu-to-simt: KERNEL_simt for each kernel
  MlirOperation images;    ///< the result of gpu-to-ptx: gpu.binary
  MlirOperation reference; ///< @stitch_reference_main
  bool writesStages;       ///< StitchModelDescriptor.writesStages
  MlirOperation graphs;    ///< the module @graphs of convert-stitch-to-gpu
  StitchHostCode *code[STITCH_MODEL_MAX_CODE]; ///< of host, simt and reference: those that there are
  int numCode;
} StitchModelParts;

/// Writes the model file: all of it or, after a located error, nothing. Of several programs the last one has the
/// largest sizes, and each has an attribute STITCH_MODEL_PROGRAM.
MlirLogicalResult stitchWriteModel(const StitchModelParts *programs, int count, const char *path);

/// Whether the elements of a constant are in the model: dense, or a resource of the right size (constants.c).
bool stitchModelHasElements(MlirAttribute value);
/// Copies them as they lie in memory, where an i1 takes a byte: `size` bytes.
void stitchModelCopyElements(MlirAttribute value, void *to, int64_t size);

/// The element type in a model file: false if there is none.
bool stitchElementTypeFromMLIR(MlirType elementType, StitchElementType *type);

//===----------------------------------------------------------------------===//
// Within this folder
//===----------------------------------------------------------------------===//

/// The object file with the descriptor and all that it points to (descriptor.c).
MlirLogicalResult stitchCompileDescriptor(const StitchModelParts *programs, int count, const char *constants,
                                          StitchLLVMCode *code);

/// The suffix of a program's function names, as its modules say, in memory that the caller frees: "" for the only one
/// (code.c).
char *stitchModelProgramName(MlirOperation module);

/// Leaves the elements of long constants of the reference, a module in the LLVM dialect, to the descriptor's object
/// file (constants.c).
void stitchTakeConstants(MlirOperation reference);

/// Defines the functions that the host code calls: they call through the StitchHostCallbacks that it hands them
/// (forwarders.c).
void stitchDefineForwarders(LLVMModuleRef module);

/// The run-time form of a `stitch.library_calls` entry (library_problem.c). Reports an error at `op` if it has none.
MlirLogicalResult stitchLibraryProblemFromAttr(MlirOperation op, MlirAttribute attribute,
                                               StitchLibraryProblem *problem);

/// Links objects to a shared object that exports the model's descriptor alone (link.c). Reports errors at `op`.
MlirLogicalResult stitchLinkModel(MlirOperation op, const char *const *objects, int count, const char *exports,
                                  const char *output);

#endif // STITCH_LOWERING_HOST_MODEL_FILE_MODEL_FILE_H
