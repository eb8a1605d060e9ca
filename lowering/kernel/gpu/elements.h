//===- elements.h - elements of tensors in a kernel's memory -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory holds numbers of the types that memrefs and vectors have: an i1 is a byte, and a complex number two floats,
// the real part first. In registers an element is a value of scalarType.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_GPU_ELEMENTS_H
#define STITCH_LOWERING_KERNEL_GPU_ELEMENTS_H

#include "ir/mlir/build.h"

/// The type of the numbers in memory that elements of `elementType` are made of, and how many of them one is.
MlirType memoryType(MlirType elementType);
int64_t memoryParts(MlirType elementType);

/// The memref of a dense tensor, which has one more dimension for the parts of complex numbers (of 16 dimensions the
/// last is longer).
MlirType memoryMemref(MlirType tensor);
/// The same in one dimension.
MlirType memoryFlatMemref(MlirType elementType, int64_t numElements, MlirAttribute memorySpace);

/// Loads `count` consecutive elements by one access. `first` is the index of the first one's first part; the access is
/// aligned to its size.
void memoryLoad(IrBuilder *b, MlirValue memref, MlirType elementType, MlirValue first, int64_t count,
                MlirValue *values);
/// The same in two steps: the load, of a number or a vector, and the elements made of it.
MlirValue memoryLoadParts(IrBuilder *b, MlirValue memref, MlirType elementType, MlirValue first, int64_t count);
void memoryElements(IrBuilder *b, MlirValue loaded, MlirType elementType, int64_t count, MlirValue *values);
/// Stores them.
void memoryStore(IrBuilder *b, MlirValue memref, MlirValue first, int64_t count, const MlirValue *values);

/// `count` elements from byte `offset` on of a memref of bytes.
MlirValue memoryView(IrBuilder *b, MlirValue bytes, int64_t offset, int64_t count, MlirType elementType);
MlirValue memoryViewAt(IrBuilder *b, MlirValue bytes, MlirValue offset, int64_t count, MlirType elementType);

#endif // STITCH_LOWERING_KERNEL_GPU_ELEMENTS_H
