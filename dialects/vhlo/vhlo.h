//===- vhlo.h - a reader of VHLO bytecode --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VHLO is the form of StableHLO that portable artifacts have: versioned operations, attributes and types. Here it has
// operations alone, which are their names (ops.def). Its attributes and types become those of StableHLO's reader
// (dialects/stablehlo) and MLIR's own as they are read (attributes.cpp, types.cpp). MLIR's interface of the dialect is
// vhlo.cpp, above them. The pass in lowering/import/vhlo_to_stablehlo makes StableHLO of the operations.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_VHLO_VHLO_H
#define STITCH_DIALECTS_VHLO_VHLO_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"

#include <atomic>

namespace vhlo_reader {

/// Reads a list; `read` reads one element into its argument. Unlike DialectBytecodeReader::readList it takes no memory
/// for elements that the file does not have.
template <typename T, typename Read>
mlir::LogicalResult readEach(mlir::DialectBytecodeReader &reader, llvm::SmallVectorImpl<T> &list, Read read) {
  uint64_t count;
  if (failed(reader.readVarInt(count)))
    return mlir::failure();
  for (uint64_t i = 0; i < count; ++i)
    if (failed(read(list.emplace_back())))
      return mlir::failure();
  return mlir::success();
}

mlir::LogicalResult readInts(mlir::DialectBytecodeReader &reader, llvm::SmallVectorImpl<int64_t> &list);

/// A type of VHLO, as the type that StableHLO text has in its place; null after an error.
mlir::Type readType(mlir::DialectBytecodeReader &reader, mlir::MLIRContext *context);

/// An attribute of VHLO, as StableHLO text has it; null after an error.
mlir::Attribute readAttribute(mlir::DialectBytecodeReader &reader, mlir::MLIRContext *context);

/// MLIR's interface for reading a dialect in bytecode. Attributes and types of a damaged file may refer to each other
/// in a circle, and MLIR's reader would resolve one after the other without end. This class ends the loop.
class ReaderInterface : public mlir::BytecodeDialectInterface {
public:
  explicit ReaderInterface(mlir::Dialect *dialect) : BytecodeDialectInterface(dialect) {}
  mlir::Attribute readAttribute(mlir::DialectBytecodeReader &reader) const final;
  mlir::Type readType(mlir::DialectBytecodeReader &reader) const final;

protected:
  virtual mlir::Attribute attribute(mlir::DialectBytecodeReader &reader) const = 0;
  virtual mlir::Type type(mlir::DialectBytecodeReader &reader) const;

private:
  /// Whether to go on, after an error if not.
  bool goesOn(mlir::DialectBytecodeReader &reader) const;
  /// Counts requests without a result since the last success; many readers may share it.
  mutable std::atomic<unsigned> failures{0};
};

/// Registers the operations of the dialect that ops.def lists (reader.cpp).
void addListedOperations(mlir::Dialect *dialect, mlir::TypeIDAllocator &ids);

/// The elements of a constant (attributes_tensor.cpp).
mlir::Attribute readTensorAttribute(mlir::DialectBytecodeReader &reader);

class VhloReaderDialect : public mlir::Dialect {
public:
  explicit VhloReaderDialect(mlir::MLIRContext *context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return "vhlo"; }

private:
  mlir::TypeIDAllocator operationIDs;
};

/// Shardy, whose annotations artifacts of JAX hold: where values lie in a mesh of devices. Of its attributes nothing is
/// kept (sdy.cpp).
class SdyReaderDialect : public mlir::Dialect {
public:
  explicit SdyReaderDialect(mlir::MLIRContext *context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return "sdy"; }

  mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser, mlir::Type type) const override;

private:
  mlir::TypeIDAllocator operationIDs;
};

} // namespace vhlo_reader

MLIR_DECLARE_EXPLICIT_TYPE_ID(vhlo_reader::VhloReaderDialect)
MLIR_DECLARE_EXPLICIT_TYPE_ID(vhlo_reader::SdyReaderDialect)

#endif // STITCH_DIALECTS_VHLO_VHLO_H
