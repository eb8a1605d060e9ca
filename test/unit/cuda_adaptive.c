//===- cuda_adaptive.c - exploring on a GPU ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-cuda_adaptive ADAPTIVE.so INDEX
//
// On a test double of the driver and libraries whose clock is made up: the times of launches and calls are known, and
// so is the best configuration. NO GPU IS INVOLVED.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cublaslt_abi.h"
#include "runtime/cuda/cuda_abi.h"
#include "test/unit/cuda_session.h"

static const char *indexPath;

static StitchStatus createExploring(const StitchModel *model, bool bitwise, StitchSession **session) {
  StitchSessionOptions options = {.device = "cuda",
                                  .cuda = {.libraries = folder},
                                  .adaptive = {.explore = true, .profileIndex = indexPath, .bitwise = bitwise}};
  return stitchSessionCreate(model, &options, session);
}

static const char *versionOf(StitchSession *session, const char *name) {
  for (int64_t i = 0; i < stitchSessionAdaptive(session).numVariables; ++i) {
    StitchAdaptiveVariable variable = stitchSessionAdaptiveVariable(session, i);
    if (strcmp(variable.name, name) == 0)
      return variable.versions[variable.version];
  }
  return "";
}

/// The best configuration on a made-up device. Then a graph of it is captured, once.
static void testBest(const StitchModel *model, const char *clock, const char *products, const char *loop,
                     const char *ladder) {
  Tensors t = makeTensors(model, 3);
  StitchSession *session = NULL;
  remove(indexPath);
  doubled.configure(clock);
  CHECK_OK(explore(model, (StitchCudaOptions){0}, indexPath, &t, &session));
  StitchAdaptiveInfo info = stitchSessionAdaptive(session);
  CHECK(info.remaining == 0 && info.numVariables > 3 && !info.indexError && info.markingSeconds > 0);
  CHECK(strcmp(versionOf(session, "products_1"), products) == 0);
  CHECK(strcmp(versionOf(session, "products_2"), loop) == 0);
  CHECK(strcmp(versionOf(session, "ladder_0"), ladder) == 0);
  for (int64_t i = 0; i < info.numVariables && strstr(clock, "algorithm_ns"); ++i) {
    StitchAdaptiveVariable variable = stitchSessionAdaptiveVariable(session, i);
    CHECK(strncmp(variable.name, "dot_", 4) != 0 || variable.version == variable.numVersions - 1);
  }
  for (int run = 0; run < 4; ++run) {
    CHECK_OK(runOnHostTensors(session, &t));
    CHECK(outputsAreRight(&t));
  }
  CHECK(strstr(stitchSessionInfo(session).details, "CUDA graph"));
  CHECK(doubled.calls("cuGraphInstantiateWithFlags") == 1);
  CHECK(stitchSessionAdaptive(session).runs == info.runs);
  stitchSessionFree(session);
  freeTensors(&t);
  CHECK_CLEAN();
}

/// Without the freedom to change bits, products, ladders and algorithms stay as they are.
static void testBitwise(const StitchModel *model) {
  Tensors t = makeTensors(model, 3);
  StitchSession *session = NULL;
  remove(indexPath);
  doubled.configure("launch_ns=1000,call_ns=100000");
  CHECK_OK(createExploring(model, true, &session));
  int64_t runs = 0;
  for (; stitchSessionAdaptive(session).remaining && runs < 100; ++runs) {
    CHECK_OK(runOnHostTensors(session, &t));
    CHECK(outputsAreRight(&t) && strcmp(versionOf(session, "products_1"), "apart") == 0);
  }
  CHECK(runs < 100);
  CHECK_OK(runOnHostTensors(session, &t));
  CHECK(outputsAreRight(&t));
  for (int64_t i = 0; i < stitchSessionAdaptive(session).numVariables; ++i) {
    StitchAdaptiveVariable variable = stitchSessionAdaptiveVariable(session, i);
    CHECK(variable.version == 0 || strncmp(variable.name, "plan_", 5) == 0);
  }
  stitchSessionFree(session);
  freeTensors(&t);
  CHECK_CLEAN();
}

/// Each call that exploring needs fails in turn: an error that names it, or runs that are right; and the index is sound
/// by then.
static void testFailures(const StitchModel *model) {
  static const struct {
    const char *name;
    int code;
  } functions[] = {{"cuEventCreate", CUDA_ERROR_OUT_OF_MEMORY},
                   {"cuEventRecord", CUDA_ERROR_UNKNOWN},
                   {"cuEventElapsedTime", CUDA_ERROR_UNKNOWN},
                   {"cuStreamSynchronize", CUDA_ERROR_UNKNOWN},
                   {"cuLaunchKernelEx", CUDA_ERROR_UNKNOWN},
                   {"cublasLtMatmul", CUBLAS_STATUS_INTERNAL_ERROR},
                   {"cublasGemmBatchedEx_64", CUBLAS_STATUS_INTERNAL_ERROR},
                   {"cublasSetWorkspace_v2", CUBLAS_STATUS_INTERNAL_ERROR},
                   {"cuGraphInstantiateWithFlags", CUDA_ERROR_UNKNOWN},
                   {"cuStreamEndCapture", CUDA_ERROR_UNKNOWN}};
  Tensors t = makeTensors(model, 3);
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); ++i)
    for (int n = 1, done = 0; !done; n += n < 8 ? 1 : n / 2) {
      char configuration[128];
      snprintf(configuration, sizeof(configuration), "fail=%s:%d:%d,launch_ns=1000,call_ns=100000", functions[i].name,
               n, functions[i].code);
      remove(indexPath);
      doubled.configure(configuration);
      StitchSession *session = NULL;
      StitchStatus status = explore(model, (StitchCudaOptions){0}, indexPath, &t, &session);
      for (int run = 0; run < 3 && !status; ++run)
        status = runOnHostTensors(session, &t);
      CHECK(status ? strstr(stitchStatusMessage(status), functions[i].name) != NULL : outputsAreRight(&t));
      done = doubled.calls(functions[i].name) < n;
      stitchStatusFree(status);
      stitchSessionFree(session);
      CHECK_CLEAN();
      doubled.configure("launch_ns=1000,call_ns=100000");
      CHECK_OK(createExploring(model, false, &session));
      stitchSessionFree(session);
    }
  freeTensors(&t);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: unit-cuda_adaptive ADAPTIVE.so INDEX\n");
    return 1;
  }
  indexPath = argv[2];
  StitchModel *model = NULL;
  openDouble();
  CHECK_OK(stitchModelLoad(argv[1], &model));
  if (!model)
    return checkResult();
  testBest(model, "launch_ns=1000,call_ns=100000,batch_ns=60000,noise=5", "all", "all", "all");
  // The last algorithm is the fastest, of the products that the fastest versions have and of all others.
  testBest(model, "launch_ns=1000,call_ns=100000,batch_ns=60000,algorithm_ns=70000,noise=5", "all", "all", "all");
  // A batch takes less than one large product.
  testBest(model, "launch_ns=1000,call_ns=100000,batch_ns=-10000,noise=5", "batched", "batched", "all");
  // Two of three weights are constants, which no kernel has to put side by side. Adding to a sum takes a kernel, too.
  testBest(model, "launch_ns=100000,call_ns=20000,noise=5", "by_2", "apart", "all");
  testBitwise(model);
  testFailures(model);
  stitchModelFree(model);
  return checkResult();
}
