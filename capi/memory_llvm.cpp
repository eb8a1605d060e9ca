//===- memory_llvm.cpp - when memory runs out in C++ and LLVM -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/allocate.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

/// The stack of a thread is memory, too. Anything else that LLVM gives up at is a fault, and ends as it does in LLVM.
static void onFatalError(void *, const char *reason, bool) {
  if (llvm::StringRef(reason).starts_with("pthread_create failed"))
    stitchOutOfMemory(0);
  llvm::errs() << "LLVM ERROR: " << reason << "\n";
  abort();
}

/// MLIR takes memory for operations and does not look whether there was any. Allocates nothing.
static void onSegmentationFault(int, siginfo_t *info, void *) {
  constexpr size_t probe = 16 << 20;
  bool isNearNull = reinterpret_cast<uintptr_t>(info->si_addr) < (1 << 16);
  void *memory = mmap(nullptr, probe, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED)
    munmap(memory, probe);
  if (isNearNull && memory == MAP_FAILED)
    stitchOutOfMemory(0);
  // The handler is the default one again, and the instruction that is repeated ends the process.
}

void stitchExitWithoutLLVMMemory(const char *tool) {
  stitchExitWithoutMemory(tool);
  std::set_new_handler([] { stitchOutOfMemory(0); });
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { stitchOutOfMemory(0); });
  llvm::install_fatal_error_handler(onFatalError);
  struct sigaction action = {};
  action.sa_sigaction = onSegmentationFault;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_RESETHAND);
  sigaction(SIGSEGV, &action, nullptr);
}
