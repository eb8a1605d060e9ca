//===- flags.cpp - a plugin's passes as flags of mlir-opt ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The option of MLIR's tools that has all passes as flags (PassPipelineCLParser) lists them when it is made, before a
// plugin is loaded. So mlir-opt takes a plugin's passes in --pass-pipeline alone. LLVM lets a program add a flag to an
// option (llvm::cl::AddLiteralOption), but not its meaning. The option's parser, whose type is local to MLIR's
// PassRegistry.cpp, is therefore declared here once more. It is the same as long as LLVM is; the flags that it already
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

/// The parser of an option that has all passes as values, or as flags; null if it is not there, or is another.
static PassNameParser *parserOf(const char *option) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto known = options.find(option);
  if (known == options.end())
    return nullptr;
  PassNameParser &parser = static_cast<PassList *>(known->second)->getParser();
  return hasFlags(parser) ? &parser : nullptr;
}

bool stitchAddPassFlag(const char *argument, const char *description) {
  const PassRegistryEntry *pass = PassInfo::lookup(argument), *entry = pass;
  if (!entry)
    entry = PassPipelineInfo::lookup(argument);
  PassNameParser *flags = parserOf("canonicalize");
  if (!entry || !flags || llvm::cl::getRegisteredOptions().count(argument))
    return false;
  flags->addLiteralOption(argument, entry, description);
  for (const char *option : {"mlir-print-ir-before", "mlir-print-ir-after"})
    if (PassNameParser *names = pass ? parserOf(option) : nullptr)
      names->addLiteralOption(argument, entry, description);
  return true;
}
