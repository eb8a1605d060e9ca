//===- host.h - kernels, the host function, the arena --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_HOST_HOST_H
#define STITCH_LOWERING_KERNEL_HOST_HOST_H

#include "lowering/kernel/gpu/elements.h"
#include "lowering/kernel/plan/kernel_plan.h"

//===----------------------------------------------------------------------===//
// kernels.c: the gpu.module
//===----------------------------------------------------------------------===//

/// A kernel and how to launch it. Identical fusions share one.
typedef struct {
  char *text; ///< the fusion as it prints: equal texts are identical kernels
  char name[32];
  StitchLaunch launch; ///< with the shared memory that the kernel really uses
  intptr_t numConstants;
  MlirAttribute *constants; ///< values of the arguments after the inputs
  intptr_t numSymbols;
  IrSymbol *symbols; ///< whose values are the arguments after the constants
} HostKernel;

typedef struct {
  MlirBlock block;  ///< of the gpu.module
  MlirBlock graphs; ///< of the module @graphs; null: there is none
  bool writeStages; ///< kernels are in debug form: they write out the values that their stages leave for each other
  MlirLocation loc;
  char name[32]; ///< of the gpu.module
  intptr_t numKernels, capacity;
  HostKernel *kernels;
} HostKernels;

/// The kernel of a planned fusion, emitted if there is no identical one. Null after a diagnostic. The pointer is valid
/// until the next call.
const HostKernel *hostKernelFor(HostKernels *kernels, MlirOperation fusion);

/// The same for an operation of class KERNEL with its stitch.launch.
const HostKernel *hostOpKernelFor(HostKernels *kernels, MlirOperation op);

/// A kernel that copies elements of a type: `count` of them, or so many for the largest value of a `symbol` that is not
/// null, and in proportion for others. The symbol is the kernel's second argument.
const HostKernel *hostCopyKernel(HostKernels *kernels, MlirLocation loc, MlirType memoryElement, int64_t count,
                                 const IrSymbol *symbol);

void hostKernelsDestroy(HostKernels *kernels);

//===----------------------------------------------------------------------===//
// graphs.c: the graphs of kernels and library calls
//===----------------------------------------------------------------------===//

/// Adds a function of the kernel's name to `graphs`.
void hostAddFusionGraph(MlirBlock graphs, const char *name, const KernelPlan *plan);
/// The same for an operation that is a kernel of its own.
void hostAddOpGraph(MlirBlock graphs, const char *name, MlirOperation op);
/// The same for a stitch.library_call whose function has the `operands`, inputs and results, values of its body.
void hostAddCallGraph(MlirBlock graphs, const char *name, MlirOperation call, const MlirValue *operands,
                      intptr_t count);
/// The same for a copy of a tensor; `isOpen`: behind it there is an argument with the value of its symbol.
void hostAddCopyGraph(MlirBlock graphs, MlirLocation loc, const char *name, MlirType tensor, bool isOpen);

//===----------------------------------------------------------------------===//
// arena.c: which bytes hold which value
//===----------------------------------------------------------------------===//

/// Bytes of the arena, ranges sorted by offset that never touch.
typedef struct {
  intptr_t count, capacity;
  struct HostRange *data;
} HostRanges;

/// First-fit allocation in order of execution. Between hostArenaBeginStep and hostArenaEndEpoch steps may run at the
/// same time: memory that one of them releases is not reused before the epoch ends.
typedef struct {
  int64_t size;    ///< bytes needed so far
  HostRanges free; ///< for all
  bool isInStep;
  HostRanges own;      ///< that the step has allocated and released: free for it alone
  HostRanges released; ///< free when the epoch ends
  HostRanges taken;    ///< that the step has allocated, in no order
} HostArena;

/// Every allocation starts at a multiple of this.
enum { HOST_ARENA_ALIGNMENT = 256 };

int64_t hostArenaAllocate(HostArena *arena, int64_t bytes);
void hostArenaRelease(HostArena *arena, int64_t offset, int64_t bytes);
void hostArenaBeginStep(HostArena *arena);
void hostArenaEndStep(HostArena *arena);
void hostArenaEndEpoch(HostArena *arena);
void hostArenaDestroy(HostArena *arena);

//===----------------------------------------------------------------------===//
// host_module.c: shared state of a module's host functions
//===----------------------------------------------------------------------===//

/// A constant in memory and the memref.global that it is.
typedef struct {
  MlirAttribute data;
  char name[32];
} HostConstant;

/// A library problem and the declared function for it.
typedef struct {
  MlirAttribute problem;
  MlirType type;
  char name[32];
} HostProblem;

/// The shared state of a module's host functions: kernels, constants and library functions are there once.
typedef struct {
  MlirOperation module;
  HostKernels kernels;
  HostConstant *constants;
  intptr_t numConstants, constantCapacity;
  HostProblem *problems;
  intptr_t numProblems, problemCapacity;
} HostModule;

/// Creates gpu.module @kernels in front of `first`, an operation of the module, and, `withGraphs`, the module @graphs;
/// under another name where the module has such a symbol. `writeStages` is HostKernels.writeStages.
HostModule hostModuleCreate(MlirOperation module, MlirOperation first, bool withGraphs, bool writeStages);
void hostModuleDestroy(HostModule *shared);

/// `prefix` and the first number from `*number` on that make a symbol the module does not have; `*number` is that.
void hostFreshName(MlirOperation module, const char *prefix, intptr_t *number, size_t size, char *name);

//===----------------------------------------------------------------------===//
// host.c: the host function
//===----------------------------------------------------------------------===//

/// Replaces a planned function of the module by the host function of docs/ir.md section 3, of the same name, which is
/// returned. Kernels, constants and library functions become part of the module. Null after a diagnostic.
MlirOperation hostConvert(HostModule *shared, MlirOperation function);

#endif // STITCH_LOWERING_KERNEL_HOST_HOST_H
