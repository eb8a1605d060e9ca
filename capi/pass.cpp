//===- pass.cpp - passes written in C, in MLIR's global registry ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

using namespace mlir;

namespace {

/// An option of one of the three types; exactly one pointer is set.
template <template <typename> class OptionOf> struct AnyOption {
  std::unique_ptr<OptionOf<bool>> boolean;
  std::unique_ptr<OptionOf<int64_t>> integer;
  std::unique_ptr<OptionOf<std::string>> string;

  template <typename Parent> static AnyOption create(Parent &parent, const StitchPassOption &option) {
    AnyOption result;
    llvm::cl::desc help(option.help);
    switch (option.kind) {
    case STITCH_OPTION_BOOL:
      result.boolean =
          std::make_unique<OptionOf<bool>>(parent, option.name, help, llvm::cl::init(option.defaultInt != 0));
      break;
    case STITCH_OPTION_INT:
      result.integer =
          std::make_unique<OptionOf<int64_t>>(parent, option.name, help, llvm::cl::init(option.defaultInt));
      break;
    case STITCH_OPTION_STRING:
      result.string = std::make_unique<OptionOf<std::string>>(
          parent, option.name, help, llvm::cl::init(std::string(option.defaultString ? option.defaultString : "")));
      break;
    }
    return result;
  }

  std::string text() const {
    if (boolean)
      return boolean->getValue() ? "true" : "false";
    if (integer)
      return std::to_string(integer->getValue());
    return string->getValue();
  }
};

/// One TypeID for each StitchPassInfo, the same for every clone of the pass.
TypeID typeIDOf(const StitchPassInfo *info) {
  static std::mutex mutex;
  static std::map<const StitchPassInfo *, std::unique_ptr<SelfOwningTypeID>> ids;
  std::lock_guard<std::mutex> lock(mutex);
  auto &id = ids[info];
  if (!id)
    id = std::make_unique<SelfOwningTypeID>();
  return *id;
}

std::optional<StringRef> anchorOf(const StitchPassInfo *info) {
  if (!info->anchor)
    return std::nullopt;
  return StringRef(info->anchor);
}

class CPass : public Pass {
public:
  explicit CPass(const StitchPassInfo *info) : Pass(typeIDOf(info), anchorOf(info)), info(info) {
    for (intptr_t i = 0; i < info->numOptions; ++i)
      options.push_back(AnyOption<PassOption>::create(*this, info->options[i]));
    for (intptr_t i = 0; i < info->numStatistics; ++i)
      statistics.push_back(std::make_unique<Statistic>(this, info->statistics[i].name, info->statistics[i].help));
  }

  template <typename T> using PassOption = Pass::Option<T>;

  StringRef getName() const override { return info->argument; }
  StringRef getArgument() const override { return info->argument; }
  StringRef getDescription() const override { return info->description; }
  std::unique_ptr<Pass> clonePass() const override { return std::make_unique<CPass>(info); }

  void getDependentDialects(DialectRegistry &registry) const override {
    for (intptr_t i = 0; i < info->numDependentDialects; ++i)
      mlirDialectHandleInsertDialect(info->dependentDialects[i](), wrap(&registry));
  }

  bool canScheduleOn(RegisteredOperationName name) const override {
    return !info->anchor || name.getStringRef() == info->anchor;
  }

  void runOnOperation() override { info->run(StitchPassRun{this}, wrap(getOperation())); }

  LogicalResult run(const char *pipeline, Operation *op) {
    OpPassManager manager(op->getName());
    std::string message;
    llvm::raw_string_ostream errors(message);
    if (failed(parsePassPipeline(pipeline, manager, errors)))
      return op->emitError() << "pass '" << info->argument << "' cannot run the pipeline '" << pipeline
                             << "': " << message;
    return runPipeline(manager, op);
  }

  using Pass::signalPassFailure;

  const StitchPassInfo *info;
  std::vector<AnyOption<PassOption>> options;
  std::vector<std::unique_ptr<Statistic>> statistics;
};

CPass *unwrapRun(StitchPassRun run) { return static_cast<CPass *>(run.ptr); }

/// The options of a named pipeline, parsed by MLIR.
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  template <typename T> using PipelineOption = PassPipelineOptions<PipelineOptions>::Option<T>;

  explicit PipelineOptions(const StitchPipelineInfo *info) {
    for (intptr_t i = 0; i < info->numOptions; ++i)
      options.push_back(AnyOption<PipelineOption>::create(*this, info->options[i]));
  }

  std::vector<AnyOption<PipelineOption>> options;
};

LogicalResult addPipeline(const StitchPipelineInfo *info, OpPassManager &manager, StringRef text,
                          function_ref<LogicalResult(const Twine &)> emitError) {
  PipelineOptions options(info);
  if (failed(options.parseFromString(text)))
    return failure();
  std::vector<std::string> values;
  for (const auto &option : options.options)
    values.push_back(option.text());
  std::vector<const char *> pointers;
  for (const std::string &value : values)
    pointers.push_back(value.c_str());
  const char *error = "out of memory";
  std::unique_ptr<char, decltype(&free)> expanded(info->expand(pointers.data(), &error), &free);
  if (!expanded)
    return emitError(Twine("pipeline '") + info->argument + "': " + error);
  std::string message;
  llvm::raw_string_ostream errors(message);
  if (failed(parsePassPipeline(expanded.get(), manager, errors)))
    return emitError(Twine("pipeline '") + info->argument + "': " + message);
  return success();
}

} // namespace

void stitchRegisterPass(const StitchPassInfo *info) {
  registerPass([info] { return std::make_unique<CPass>(info); });
}

MlirPass stitchCreatePass(const StitchPassInfo *info) { return wrap(new CPass(info)); }

bool stitchPassGetBool(StitchPassRun run, intptr_t index) { return unwrapRun(run)->options[index].boolean->getValue(); }

int64_t stitchPassGetInt(StitchPassRun run, intptr_t index) {
  return unwrapRun(run)->options[index].integer->getValue();
}

const char *stitchPassGetString(StitchPassRun run, intptr_t index) {
  return unwrapRun(run)->options[index].string->getValue().c_str();
}

void stitchPassAddStatistic(StitchPassRun run, intptr_t index, int64_t amount) {
  *unwrapRun(run)->statistics[index] += amount;
}

void stitchPassSignalFailure(StitchPassRun run) { unwrapRun(run)->signalPassFailure(); }

MlirLogicalResult stitchPassRunPipeline(StitchPassRun run, const char *pipeline, MlirOperation op) {
  return wrap(unwrapRun(run)->run(pipeline, unwrap(op)));
}

void stitchRegisterPipeline(const StitchPipelineInfo *info) {
  registerPassPipeline(
      info->argument, info->description,
      [info](OpPassManager &manager, StringRef options, function_ref<LogicalResult(const Twine &)> emitError) {
        return addPipeline(info, manager, options, emitError);
      },
      [info](function_ref<void(const detail::PassOptions &)> visit) {
        PipelineOptions options(info);
        visit(options);
      });
}
