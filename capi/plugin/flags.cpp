//===- flags.cpp - a plugin's passes as flags of mlir-opt ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The option of MLIR's tools that has all passes as flags (PassPipelineCLParser) lists them when it is made, before a
// plugin is loaded: mlir-opt takes a plugin's passes in --pass-pipeline alone. LLVM lets anybody add a flag to an
// option (llvm::cl::AddLiteralOption), but not what it means: for that the option's parser, whose type is local to
// MLIR's PassRegistry.cpp, is described here once more. It is the same as long as LLVM is; the flags that it already
// has are looked at before one is added.
//
//===----------------------------------------------------------------------===//

#include "capi/plugin/flags.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

namespace {
struct PassArgData {
  PassArgData() = default;
  PassArgData(const PassRegistryEntry *entry) : entry(entry) {}
  const PassRegistryEntry *entry = nullptr;
  StringRef options;
};
} // namespace

template <> struct llvm::cl::OptionValue<PassArgData> final : OptionValueBase<PassArgData, /*isClass=*/true> {
  OptionValue(const PassArgData &value) { this->setValue(value); }
  OptionValue() = default;
  void anchor() override {}
  bool hasValue() const { return true; }
  const PassArgData &getValue() const { return value; }
  void setValue(const PassArgData &value) { this->value = value; }
  PassArgData value;
};

namespace {

struct PassNameParser : llvm::cl::parser<PassArgData> {
  using parser::parser;
  void printOptionInfo(const llvm::cl::Option &, size_t) const override {}
  size_t getOptionWidth(const llvm::cl::Option &) const override { return 0; }
  bool parse(llvm::cl::Option &, StringRef, StringRef, PassArgData &) { return true; }
  bool passNamesOnly = false;
};

using PassList = llvm::cl::list<PassArgData, bool, PassNameParser>;

/// Whether the parser has the flags of MLIR's transformations, as far as one can tell that it is one.
bool hasFlags(const PassNameParser &parser) {
  unsigned count = parser.parser::getNumOptions(), found = 0;
  for (unsigned i = 0; count < 100000 && i < count; ++i) {
    StringRef name = parser.parser::getOption(i);
    found += name == "canonicalize" || name == "cse" || name == "inline";
  }
  return found == 3;
}

} // namespace

bool stitchAddPassFlag(const char *argument, const char *description) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto known = options.find("canonicalize");
  const PassRegistryEntry *entry = PassInfo::lookup(argument);
  if (!entry)
    entry = PassPipelineInfo::lookup(argument);
  if (!entry || known == options.end() || options.count(argument))
    return false;
  PassNameParser &parser = static_cast<PassList *>(known->second)->getParser();
  if (!hasFlags(parser))
    return false;
  parser.addLiteralOption(argument, entry, description);
  return true;
}
