//===- parse.cpp - modules from memory -----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/parse.h"

#include "capi/booleans.h"
#include "capi/nesting.h"
#include "capi/weights.h"

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
    // Other errors are reported when the file is read again.
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

/// A file as MLIR's reader of bytecode wants it.
class OwnedBuffer : public llvm::MemoryBuffer {
public:
  OwnedBuffer(StitchFile file, const char *name) : file(file), name(name) {
    init(file.data, file.data + file.size, /*RequiresNullTerminator=*/true);
  }
  ~OwnedBuffer() override { stitchReleaseFile(file); }
  llvm::StringRef getBufferIdentifier() const override { return name; }
  BufferKind getBufferKind() const override { return MemoryBuffer_Malloc; }

private:
  StitchFile file;
  std::string name;
};

} // namespace

/// The module in `buffer`, not verified.
static OwningOpRef<ModuleOp> parse(MLIRContext *context, std::unique_ptr<llvm::MemoryBuffer> buffer) {
  auto source = std::make_shared<llvm::SourceMgr>();
  source->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(source, ParserConfig(context, /*verifyAfterParse=*/false));
}

static OwningOpRef<ModuleOp> parseText(MLIRContext *context, StitchFile file, const char *name, uint64_t minWeight) {
  TextWithoutWeights whole(file, minWeight);
  MutableArrayRef<char> text = whole.text();
  long line, column;
  if (irFindDeepNesting(text.data(), text.size(), &line, &column)) {
    emitError(FileLineColLoc::get(context, *name ? name : "<stdin>", unsigned(line), unsigned(column)))
        << "brackets are nested more than " << int(IR_MAX_NESTING) << " deep";
    return {};
  }
  stitchPackBooleans(text.data(), text.size());
  OwningOpRef<ModuleOp> module =
      parse(context, llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(text.data(), text.size()), name));
  whole.addResources(context);
  return module;
}

MlirModule stitchParseModule(MlirContext context, StitchFile file, const char *name) {
  return stitchParseModuleWithWeights(context, file, name, size_t(1) << 20);
}

MlirModule stitchParseModuleWithWeights(MlirContext context, StitchFile file, const char *name, size_t minWeight) {
  bool isText = !isBytecode(llvm::MemoryBufferRef(llvm::StringRef(file.data, file.size), name));
  OwningOpRef<ModuleOp> module = isText ? parseText(unwrap(context), file, name, minWeight)
                                        : parse(unwrap(context), std::make_unique<OwnedBuffer>(file, name));
  bool isValid = module && (isText || isWhole(module->getOperation())) && succeeded(verify(*module));
  return isValid ? wrap(module.release()) : MlirModule{nullptr};
}
