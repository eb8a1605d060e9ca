//===- parse.cpp - modules from memory -----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/parse.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

static bool isWhole(DenseArrayAttr array) {
  unsigned width = array.getElementType().isIntOrFloat() ? array.getElementType().getIntOrFloatBitWidth() : 0;
  int64_t count = array.getSize(), bytes = array.getRawData().size(), elementBytes = (width + 7) / 8;
  return width ? count == bytes / elementBytes && bytes % elementBytes == 0 : count == 0 && bytes == 0;
}

static bool isWhole(DenseElementsAttr elements) {
  if (!elements.getType().hasStaticShape())
    return false;
  if (auto strings = dyn_cast<DenseStringElementsAttr>(elements)) {
    int64_t count = strings.getRawStringData().size();
    return count == elements.getNumElements() || (strings.isSplat() && count == 1);
  }
  bool isSplat = false;
  return DenseElementsAttr::isValidRawBuffer(elements.getType(), elements.getRawData(), isSplat);
}

static bool isWhole(RankedTensorType type) {
  return llvm::all_of(type.getShape(), [](int64_t size) { return size >= 0 || ShapedType::isDynamic(size); });
}

/// Whether all that is in the attributes and types of the operations is whole.
static bool isWhole(Operation *module) {
  const char *problem = nullptr;
  auto check = [&](bool whole, const char *what) {
    if (!whole)
      problem = what;
    return whole ? WalkResult::advance() : WalkResult::interrupt();
  };
  const char *length = "a dense attribute whose length is not that of its data", *size = "a tensor of negative size";
  AttrTypeWalker walker;
  walker.addWalk([&](DenseArrayAttr array) { return check(isWhole(array), length); });
  walker.addWalk([&](DenseElementsAttr elements) { return check(isWhole(elements), length); });
  walker.addWalk([&](RankedTensorType type) { return check(isWhole(type), size); });
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    walker.walk(op->getAttrDictionary());
    for (Type type : op->getResultTypes())
      walker.walk(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          walker.walk(type);
    if (!problem)
      return WalkResult::advance();
    emitError(op->getLoc()) << "'" << op->getName().getStringRef() << "' has " << problem;
    return WalkResult::interrupt();
  });
  return !problem;
}

bool stitchCheckBytecode(MlirContext context, const char *data, size_t size) {
  llvm::MemoryBufferRef buffer(llvm::StringRef(data, size), "bytecode");
  if (!isBytecode(buffer))
    return true;
  Block block;
  {
    // What is wrong besides is said when the file is read again.
    ScopedDiagnosticHandler silent(unwrap(context), [](Diagnostic &) { return success(); });
    if (failed(readBytecodeFile(buffer, &block, ParserConfig(unwrap(context), /*verifyAfterParse=*/false))))
      return true;
  }
  for (Operation &op : block)
    if (!isWhole(&op))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

/// Memory that malloc has made.
class OwnedBuffer : public llvm::MemoryBuffer {
public:
  OwnedBuffer(char *data, size_t size, const char *name) : name(name) {
    init(data, data + size, /*RequiresNullTerminator=*/true);
  }
  ~OwnedBuffer() override { free(const_cast<char *>(getBufferStart())); }
  llvm::StringRef getBufferIdentifier() const override { return name; }
  BufferKind getBufferKind() const override { return MemoryBuffer_Malloc; }

private:
  std::string name;
};

} // namespace

MlirModule stitchParseModule(MlirContext context, char *data, size_t size, const char *name) {
  bool isText = !isBytecode(llvm::MemoryBufferRef(llvm::StringRef(data, size), name));
  auto source = std::make_shared<llvm::SourceMgr>();
  source->AddNewSourceBuffer(std::make_unique<OwnedBuffer>(data, size, name), llvm::SMLoc());
  ParserConfig config(unwrap(context), /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(source, config);
  bool isValid = module && (isText || isWhole(module->getOperation())) && succeeded(verify(*module));
  return isValid ? wrap(module.release()) : MlirModule{nullptr};
}
