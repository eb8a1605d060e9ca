//===- stitch_dialect.h - C++ classes of the stitch dialect --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_STITCH_DIALECT_H
#define STITCH_DIALECTS_STITCH_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <mutex>
#include <utility>

namespace stitch {
/// Under a lock, since passes plan kernels side by side.
struct KernelTimes {
  std::mutex mutex;
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, std::pair<double, mlir::Attribute>> known;
};
} // namespace stitch

#include "dialects/stitch/stitch_dialect.h.inc"
#include "dialects/stitch/stitch_enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/stitch/stitch_attrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/stitch/stitch_ops.h.inc"

#endif // STITCH_DIALECTS_STITCH_DIALECT_H
