//===- threads.cpp - work side by side -----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/threads.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/Threading.h"

#include <vector>

using namespace mlir;

struct StitchTask {
  MLIRContext *context;
  void (*run)(void *data);
  void *data;
  std::vector<Diagnostic> diagnostics;
  std::shared_future<void> ended;
};

void stitchRunInThreads(MlirContext context, int count, void (*run)(void *data, int i), void *data) {
  parallelFor(unwrap(context), 0, static_cast<size_t>(count), [&](size_t i) { run(data, static_cast<int>(i)); });
}

/// Runs the work and keeps the diagnostics of this thread. Those of other threads that help it come through this one:
/// MLIR gives them when their work has been joined.
static void runTask(StitchTask &task) {
  uint64_t thread = llvm::get_threadid();
  DiagnosticEngine &engine = task.context->getDiagEngine();
  DiagnosticEngine::HandlerID handler = engine.registerHandler([&task, thread](Diagnostic &diagnostic) {
    if (llvm::get_threadid() != thread)
      return failure();
    task.diagnostics.push_back(std::move(diagnostic));
    return success();
  });
  task.run(task.data);
  engine.eraseHandler(handler);
}

StitchTask *stitchTaskBegin(MlirContext context, void (*run)(void *data), void *data) {
  auto *task = new StitchTask{unwrap(context), run, data, {}, {}};
  if (task->context->isMultithreadingEnabled() && task->context->getNumThreads() > 1) // else it would wait for itself
    task->ended = task->context->getThreadPool().async([task] { runTask(*task); });
  else
    runTask(*task);
  return task;
}

void stitchTaskFinish(StitchTask *task) {
  if (task->ended.valid())
    task->ended.wait();
  for (Diagnostic &diagnostic : task->diagnostics)
    task->context->getDiagEngine().emit(std::move(diagnostic));
  delete task;
}

void stitchPreparePasses(MlirPassManager passes) {
  PassManager *manager = unwrap(passes);
  DialectRegistry dialects;
  manager->getDependentDialects(dialects);
  manager->getContext()->appendDialectRegistry(dialects);
  for (StringRef name : dialects.getDialectNames())
    manager->getContext()->getOrLoadDialect(name);
}
