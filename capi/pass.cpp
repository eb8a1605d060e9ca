//===- pass.cpp - passes written in C, in MLIR's global registry ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"

#include "capi/statistics.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/Support/Regex.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <unistd.h>
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
    case STITCH_OPTION_PASSES:
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

/// "a, b or c" of "a|b|c".
std::string listOf(StringRef choices) {
  llvm::SmallVector<StringRef> names;
  choices.split(names, '|', -1, /*KeepEmpty=*/false);
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += ((i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i]).str();
  return text;
}

bool isChoice(StringRef choices, StringRef value) {
  llvm::SmallVector<StringRef> names;
  choices.split(names, '|', -1, /*KeepEmpty=*/false);
  return llvm::is_contained(names, value);
}

/// The same of a value that is none of the choices, but may be the path of a file.
std::string problemOfChoice(const std::string &problem, StringRef choices, StringRef value) {
  if (!isChoice(choices, "FILE"))
    return problem + "must be " + listOf(choices) + ", and is '" + value.str() + "'";
  if (access(value.str().c_str(), R_OK) == 0)
    return "";
  return problem + "names a file that cannot be read: " + value.str() + ": " + strerror(errno);
}

/// The error in the value of an option of a pass or a pipeline; empty if it is valid.
template <typename Info> std::string problemOf(const Info *info, const StitchPassOption &option, StringRef value) {
  std::string problem = (Twine("option '") + option.name + "' ").str();
  if (option.kind == STITCH_OPTION_PASSES) {
    OpPassManager manager("builtin.module");
    std::string message;
    llvm::raw_string_ostream errors(message);
    return succeeded(parsePassPipeline(value, manager, errors)) ? "" : problem + "does not parse: " + message;
  }
  StringRef valid;
  for (intptr_t i = 0; i < info->numValid; ++i)
    if (StringRef(info->valid[i].name) == option.name)
      valid = info->valid[i].values;
  if (valid.empty() || (value.empty() && StringRef(option.defaultString ? option.defaultString : "").empty()))
    return "";
  if (valid.consume_front("~")) {
    auto [form, description] = valid.split('~');
    return llvm::Regex(("^(" + form + ")$").str()).match(value)
               ? ""
               : problem + "must be " + description.str() + ", and is '" + value.str() + "'";
  }
  if (!valid.contains(".."))
    return isChoice(valid, value) ? "" : problemOfChoice(problem, valid, value);
  auto [low, high] = valid.split("..");
  int64_t number = std::stoll(value.str()), least = std::stoll(low.str());
  int64_t most = high.empty() ? INT64_MAX : std::stoll(high.str());
  std::string range = high.empty() ? " or more" : " to " + high.str();
  return number >= least && number <= most
             ? ""
             : problem + (high.empty() ? "must be " : "must be from ") + low.str() + range + ", and is " + value.str();
}

/// One TypeID for each StitchPassInfo, the same for every clone of the pass.
struct TypeIDs {
  std::mutex mutex;
  std::map<const StitchPassInfo *, std::unique_ptr<SelfOwningTypeID>> ids;
};

TypeIDs &typeIDs() {
  static TypeIDs all;
  return all;
}

TypeID typeIDOf(const StitchPassInfo *info) {
  std::lock_guard<std::mutex> lock(typeIDs().mutex);
  auto &id = typeIDs().ids[info];
  if (!id)
    id = std::make_unique<SelfOwningTypeID>();
  return *id;
}

/// Whether a pass is one of those that are written in C.
bool isTypeOfCPass(TypeID type) {
  std::lock_guard<std::mutex> lock(typeIDs().mutex);
  return llvm::any_of(typeIDs().ids, [&](auto &entry) { return type == *entry.second; });
}

/// Whether `op` is one of those, or of one of those dialects, that `names` has with bars between.
bool isNamed(Operation *op, StringRef names) {
  return isChoice(names, op->getName().getStringRef()) || isChoice(names, op->getName().getDialectNamespace());
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
  std::unique_ptr<Pass> clonePass() const override {
    auto clone = std::make_unique<CPass>(info);
    clone->isQuiet = isQuiet;
    return clone;
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    for (intptr_t i = 0; i < info->numDependentDialects; ++i)
      mlirDialectHandleInsertDialect(info->dependentDialects[i](), wrap(&registry));
  }

  bool canScheduleOn(RegisteredOperationName name) const override {
    return !info->anchor || name.getStringRef() == info->anchor;
  }

  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> errorHandler) override {
    if (failed(Pass::initializeOptions(text, errorHandler)))
      return failure();
    for (intptr_t i = 0; i < info->numOptions; ++i) {
      std::string problem = problemOf(info, info->options[i], options[i].text());
      if (!problem.empty())
        return errorHandler(Twine("pass '") + info->argument + "': " + problem);
    }
    return success();
  }

  void runOnOperation() override {
    if (!isQuiet && info->takes)
      sayIfNothing();
    info->run(StitchPassRun{this}, wrap(getOperation()));
  }

  /// A remark if the pass has nothing to do.
  void sayIfNothing() {
    bool found = getOperation()
                     ->walk([&](Operation *op) {
                       return isNamed(op, info->takes) ? WalkResult::interrupt() : WalkResult::advance();
                     })
                     .wasInterrupted();
    if (found)
      return;
    InFlightDiagnostic remark = emitRemark(getOperation()->getLoc())
                                << info->argument << ": finds no operation of " << listOf(info->takes);
    if (info->after)
      remark << ", which " << listOf(info->after) << " leaves";
  }

  LogicalResult run(const char *pipeline, Operation *op) {
    OpPassManager manager(op->getName());
    std::string message;
    llvm::raw_string_ostream errors(message);
    if (failed(parsePassPipeline(pipeline, manager, errors)))
      return op->emitError() << "pass '" << info->argument << "' cannot run the pipeline '" << pipeline
                             << "': " << message;
    stitchQuietPasses(wrap(&manager));
    return runPipeline(manager, op);
  }

  using Pass::signalPassFailure;

  const StitchPassInfo *info;
  bool isQuiet = false;
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
  for (intptr_t i = 0; i < info->numOptions; ++i) {
    values.push_back(options.options[i].text());
    std::string problem = problemOf(info, info->options[i], values.back());
    if (!problem.empty())
      return emitError(Twine("pipeline '") + info->argument + "': " + problem);
  }
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

void stitchQuietPasses(MlirOpPassManager manager) {
  for (Pass &pass : unwrap(manager)->getPasses())
    if (isTypeOfCPass(pass.getTypeID()))
      static_cast<CPass &>(pass).isQuiet = true;
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
  stitchCount(unwrapRun(run)->info, index, amount);
}

bool stitchPassIsQuiet(StitchPassRun run) { return unwrapRun(run)->isQuiet; }

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
