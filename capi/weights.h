//===- weights.h - large constants in a module's text --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser has the elements of `dense<"0x...">` several times: as text, as a string, and in the context. Here they
// are decoded before it sees the text, of which no more than a piece is in memory at a time, and become resources.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_WEIGHTS_H
#define STITCH_CAPI_WEIGHTS_H

#include "capi/file.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// A text without the elements of its large constants.
class TextWithoutWeights {
public:
  /// Constants of fewer than `minBytes` are left to the parser.
  TextWithoutWeights(StitchFile file, uint64_t minBytes);
  /// Ends with a null byte; may be written.
  llvm::MutableArrayRef<char> text();
  /// Once the text has been parsed: gives the context the elements.
  void addResources(mlir::MLIRContext *context);

private:
  struct Weight {
    std::string key;
    mlir::AsmResourceBlob elements;
  };

  /// Takes the constant out whose digits begin at `digits` and end at `quote` if it is a large tensor.
  void take(size_t constant, size_t digits, size_t quote);
  /// Where the next '"' is; the end of the text if there is none.
  size_t findQuote(size_t at) const;
  bool decode(size_t digits, llvm::MutableArrayRef<char> bytes) const;
  /// Gives back the memory of a part of a file that is not read again soon.
  void giveBack(size_t begin, size_t end) const;
  void appendUpTo(size_t end);
  /// The weight of these elements.
  const Weight &add(mlir::AsmResourceBlob elements);

  std::shared_ptr<char> data;
  size_t size;
  bool isMapped;
  uint64_t minBytes;
  size_t copied = 0; ///< the text up to here is in `shortened`
  std::string shortened;
  std::vector<Weight> weights;
  bool hasConflict = false; ///< the text may have a resource of one of our names
};

#endif // STITCH_CAPI_WEIGHTS_H
