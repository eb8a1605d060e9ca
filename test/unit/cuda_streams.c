//===- cuda_streams.c - steps on several streams of a GPU ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-cuda_streams STREAMS.so VERSIONS VERSIONS
//
// On a test double of the driver and libraries that runs operations on different streams in any order that events
// allow. VERSIONS put steps on several streams; with the second ones nothing is in order unless each wait is there. NO
// GPU IS INVOLVED.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cublaslt_abi.h"
#include "runtime/cuda/cuda_abi.h"
#include "test/unit/cuda_session.h"

static const char *versions, *tightVersions;

static StitchStatus create(const StitchModel *model, const char *chosen, bool eager, StitchSession **session) {
  StitchSessionOptions options = {
      .device = "cuda", .cuda = {.libraries = folder, .eager = eager}, .adaptive = {.versions = chosen}};
  return stitchSessionCreate(model, &options, session);
}

static bool sameOutputs(const Tensors *a, const Tensors *b) {
  for (int64_t i = 0; i < a->numOutputs; ++i) {
    const StitchTensor *x = &a->outputs[i], *y = &b->outputs[i];
    if (memcmp(x->data, y->data, stitchTensorBytes(x->dtype, x->rank, x->dims)) != 0)
      return false;
  }
  return true;
}

/// Each run has inputs of its own: values that an earlier run has left in memory are wrong.
static void testBits(const StitchModel *model, bool eager) {
  for (int order = 0; order < 6; ++order) {
    char configuration[32];
    snprintf(configuration, sizeof(configuration), "seed=%d", order);
    doubled.configure(configuration);
    StitchSession *one = NULL, *several = NULL;
    CHECK_OK(create(model, NULL, eager, &one));
    CHECK_OK(create(model, versions, eager, &several));
    for (unsigned run = 0; run < 4; ++run) {
      Tensors a = makeTensors(model, 10 + run), b = makeTensors(model, 10 + run);
      CHECK_OK(runOnHostTensors(one, &a));
      CHECK_OK(runOnHostTensors(several, &b));
      CHECK(outputsAreRight(&a) && sameOutputs(&a, &b));
      freeTensors(&a);
      freeTensors(&b);
    }
    CHECK(eager || strstr(stitchSessionInfo(several).details, "CUDA graph"));
    CHECK(doubled.calls("cuStreamWaitEvent") > 0);
    stitchSessionFree(one);
    stitchSessionFree(several);
    CHECK_CLEAN();
  }
}

/// The default versions need no events.
static void testOne(const StitchModel *model) {
  Tensors t = makeTensors(model, 3);
  doubled.configure("");
  CHECK_OK(live(model, (StitchCudaOptions){0}, &t));
  CHECK(outputsAreRight(&t) && doubled.calls("cuStreamWaitEvent") == 0 && doubled.calls("cuEventRecord") == 0);
  freeTensors(&t);
  CHECK_CLEAN();
}

/// Each call fails in turn: an error that names it, or runs that are right; and the next run is right again.
static void testFailures(const StitchModel *model, bool eager) {
  static const struct {
    const char *name;
    int code;
  } functions[] = {{"cuStreamCreate", CUDA_ERROR_OUT_OF_MEMORY},
                   {"cuEventCreate", CUDA_ERROR_OUT_OF_MEMORY},
                   {"cuEventRecord", CUDA_ERROR_UNKNOWN},
                   {"cuStreamWaitEvent", CUDA_ERROR_UNKNOWN},
                   {"cuStreamEndCapture", CUDA_ERROR_UNKNOWN},
                   {"cuGraphLaunch", CUDA_ERROR_UNKNOWN},
                   {"cublasLtMatmul", CUBLAS_STATUS_INTERNAL_ERROR},
                   {"cuLaunchKernelEx", CUDA_ERROR_UNKNOWN}};
  Tensors t = makeTensors(model, 3);
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); ++i)
    for (int n = 1, done = 0; !done; n += n < 6 ? 1 : n / 2) {
      char configuration[128];
      snprintf(configuration, sizeof(configuration), "fail=%s:%d:%d", functions[i].name, n, functions[i].code);
      doubled.configure(configuration);
      StitchSession *session = NULL;
      StitchStatus status = create(model, versions, eager, &session);
      for (int run = 0; run < 4 && session; ++run) {
        stitchStatusFree(status);
        status = runOnHostTensors(session, &t);
        CHECK(status || outputsAreRight(&t));
        CHECK(!status || strstr(stitchStatusMessage(status), functions[i].name));
      }
      done = doubled.calls(functions[i].name) < n;
      stitchStatusFree(status);
      if (session && !done) { // one call fails, and that once
        CHECK_OK(runOnHostTensors(session, &t));
        CHECK(outputsAreRight(&t));
      }
      stitchSessionFree(session);
      CHECK_CLEAN();
    }
  freeTensors(&t);
}

/// Each wait that the runtime asks for is left out in turn, and each time that is noticed: two operations touch the
/// same bytes without an order, or the driver refuses the capture.
static void testMissingWaits(const StitchModel *model, bool eager) {
  Tensors t = makeTensors(model, 3);
  char configuration[64], first[1024];
  for (int n = 1, done = 0; !done; ++n) {
    snprintf(configuration, sizeof(configuration), "skip_wait=%d", n);
    doubled.configure(configuration);
    StitchSession *session = NULL;
    CHECK_OK(create(model, tightVersions, eager, &session));
    for (int run = 0; run < 3; ++run)
      stitchStatusFree(runOnHostTensors(session, &t)); // outputs are whatever they are
    done = doubled.calls("cuStreamWaitEvent") < n;
    bool isRefused = !eager && strstr(stitchSessionInfo(session).details, "no CUDA graph");
    stitchSessionFree(session);
    bool isNoticed = doubled.forgive(first, sizeof(first)) > 0 || isRefused;
    CHECK(isNoticed == !done);
    CHECK(!done || n > 10);
    CHECK_CLEAN();
  }
  freeTensors(&t);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: unit-cuda_streams STREAMS.so VERSIONS VERSIONS\n");
    return 1;
  }
  versions = argv[2];
  tightVersions = argv[3];
  StitchModel *model = NULL;
  openDouble();
  CHECK_OK(stitchModelLoad(argv[1], &model));
  if (!model)
    return checkResult();
  testOne(model);
  for (int eager = 0; eager < 2; ++eager) {
    testBits(model, eager);
    testFailures(model, eager);
    testMissingWaits(model, eager);
  }
  stitchModelFree(model);
  return checkResult();
}
