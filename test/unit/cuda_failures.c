//===- cuda_failures.c - the CUDA runtime, when something fails ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-cuda_failures MODEL.so CONVOLUTIONS.so LINEAR_ALGEBRA.so EPILOGUES.so
//
// The models are those of cuda.c, on the same test double. NO GPU IS INVOLVED.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cublaslt_abi.h"
#include "runtime/cuda/cuda_abi.h"
#include "runtime/cuda/cudnn_abi.h"
#include "runtime/cuda/cufft_abi.h"
#include "runtime/cuda/cusolver_abi.h"
#include "test/unit/cuda_session.h"

/// The functions whose failure a session survives by going on without a graph.
static bool isForGraphs(const char *name) { return strstr(name, "Graph") || strstr(name, "Capture"); }

/// The functions that only release something, or give the text of another error.
static bool isIgnored(const char *name) {
  static const char *const names[] = {"cuGetErrorName",     "cuGetErrorString", "cuMemFree",
                                      "cuMemFreeHost",      "cuStreamDestroy",  "cuEventDestroy",
                                      "cuModuleUnload",     "cuCtxPopCurrent",  "cuDevicePrimaryCtxRelease",
                                      "cuGraphExecDestroy", "cuGraphDestroy"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
    if (strcmp(names[i], name) == 0)
      return true;
  return strstr(name, "Destroy") || strstr(name, "GetStatus") || strstr(name, "GetVersion") ||
         strstr(name, "ErrorString");
}

/// Lets each call of a function fail in turn: the session says so, naming the function, or does without; and leaves
/// nothing behind.
static int failEachCall(const StitchModel *model, StitchCudaOptions options, const char *name, int code, Tensors *t) {
  enum { MAX_CALLS = 40 };
  doubled.configure(NULL);
  CHECK_OK(live(model, options, t));
  int calls = doubled.calls(name);
  // At the session's end, for the program and for objects that programs share, errors are not reported, and without the
  // context nothing can be given back.
  if (strcmp(name, "cuCtxPushCurrent") == 0 || strcmp(name, "cuStreamSynchronize") == 0)
    calls -= 2;
  for (int n = 1; n <= calls && n <= MAX_CALLS; ++n) {
    char configuration[128];
    snprintf(configuration, sizeof(configuration), "fail=%s:%d:%d", name, n, code);
    doubled.configure(configuration);
    StitchStatus status = live(model, options, t);
    bool survives = isForGraphs(name);
    bool named = status && strstr(stitchStatusMessage(status), name);
    // A launch or a library call that fails while it is captured, and an old driver's missing library.
    bool launched = strcmp(name, "cuLaunchKernelEx") == 0 || strcmp(name, "cublasLtMatmul") == 0 ||
                    strcmp(name, "cuStreamCreate") == 0 || strstr(name, "SetStream") ||
                    strncmp(name, "cudnnBackend", 12) == 0 || strncmp(name, "cufftExec", 9) == 0;
    if (survives ? (status && !named) : (!named && !(launched && !status))) {
      fprintf(stderr, "%s, call %d, fails with %d: %s\n", name, n, code, stitchStatusMessage(status));
      CHECK(false);
    }
    CHECK(status || outputsAreRight(t));
    stitchStatusFree(status);
    if (doubled.live() || doubled.violations()) {
      fprintf(stderr, "%s, call %d, fails with %d: something is left behind\n", name, n, code);
      exit(1);
    }
  }
  return calls;
}

static void testFailures(const StitchModel *model, const StitchModel *convolutions, const StitchModel *linearAlgebra,
                         const StitchModel *epilogues) {
#define CUDA_SYMBOL(name, version, parameters) #name,
#define CUBLASLT_SYMBOL(result, name, parameters) #name,
#define CUDNN_SYMBOL(result, name, parameters) #name,
#define CUFFT_SYMBOL(name, parameters) #name,
#define CUSOLVER_SYMBOL(name, parameters) #name,
#define CUBLAS_SYMBOL(result, name, parameters) #name,
  static const char *const driver[] = {
#include "runtime/cuda/cuda_symbols.def"
#undef CUDA_SYMBOL
      NULL};
  static const char *const cublasLt[] = {
#include "runtime/cuda/cublaslt_symbols.def"
#undef CUBLASLT_SYMBOL
      NULL};
  static const char *const cudnn[] = {
#include "runtime/cuda/cudnn_symbols.def"
#undef CUDNN_SYMBOL
      NULL};
  static const char *const cufft[] = {
#include "runtime/cuda/cufft_symbols.def"
#undef CUFFT_SYMBOL
      NULL};
  static const char *const cusolver[] = {
#include "runtime/cuda/cusolver_symbols.def"
#undef CUSOLVER_SYMBOL
      NULL};
  static const char *const cublas[] = {
#include "runtime/cuda/cublas_symbols.def"
#undef CUBLAS_SYMBOL
      NULL};
  Tensors t = makeTensors(model, 3), c = makeTensors(convolutions, 3), l = makeTensors(linearAlgebra, 3);
  Tensors e = makeTensors(epilogues, 3);
  const struct {
    const char *const *names;
    int code;
    Tensors *tensors;
  } libraries[] = {
      {driver, CUDA_ERROR_UNKNOWN, &t},
      {cublasLt, CUBLAS_STATUS_INTERNAL_ERROR, &t},
      {cublasLt, CUBLAS_STATUS_INTERNAL_ERROR, &e},
      {cudnn, CUDNN_STATUS_EXECUTION_FAILED, &c},
      {cufft, CUFFT_INTERNAL_ERROR, &l},
      {cusolver, CUSOLVER_STATUS_INTERNAL_ERROR, &l},
      {cublas, CUBLAS_STATUS_INTERNAL_ERROR, &l},
  };
  StitchCudaOptions options = {.pinnedStaging = true};
  for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); ++i)
    for (const char *const *name = libraries[i].names; *name; ++name)
      if (!isIgnored(*name))
        failEachCall(libraries[i].tensors->model, options, *name, libraries[i].code, libraries[i].tensors);
  // Out of memory has a code of its own.
  CHECK(failEachCall(model, (StitchCudaOptions){0}, "cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY, &t) == 3);
  doubled.configure("fail=cuMemAlloc:1:2");
  CHECK_STATUS(live(model, (StitchCudaOptions){0}, &t), STITCH_OUT_OF_MEMORY,
               "bytes of intermediate results: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
  doubled.configure("fail=cuMemAlloc:2:2");
  CHECK_STATUS(live(model, (StitchCudaOptions){0}, &t), STITCH_OUT_OF_MEMORY, "bytes of workspace of library calls");
  doubled.configure("fail=cuMemAlloc:3:2");
  CHECK_STATUS(live(model, (StitchCudaOptions){0}, &t), STITCH_OUT_OF_MEMORY, "bytes of inputs and outputs");
  freeTensors(&e);
  freeTensors(&l);
  freeTensors(&c);
  freeTensors(&t);
}

/// Fails a call while steps are captured: in the second run, or, since the third one has other addresses, where kernels
/// are re-pointed and steps captured again. Every run is right, step by step from then on, and the session says why.
/// The failure does not keep the next session from having its graph.
static void failInCapture(const StitchModel *model, const char *libraries, const char *failure) {
  enum { RUNS = 5 };
  char configuration[160];
  snprintf(configuration, sizeof(configuration), "%s,%s", libraries, failure);
  doubled.configure(libraries);
  Tensors first = makeTensors(model, 1), second = makeTensors(model, 1000);
  DeviceTensors a, b;
  StitchSession *session = NULL;
  CHECK_OK(createSession(model, (StitchCudaOptions){0}, &session));
  moveTensors(session, &first, &a);
  moveTensors(session, &second, &b);
  CHECK_OK(stitchSessionRun(session, a.inputs, first.numInputs, a.outputs, first.numOutputs));
  doubled.configure(configuration);
  for (int run = 1; run < RUNS; ++run) {
    Tensors *t = run >= 2 ? &second : &first;
    DeviceTensors *d = run >= 2 ? &b : &a;
    CHECK_OK(stitchSessionRun(session, d->inputs, t->numInputs, d->outputs, t->numOutputs));
    checkDeviceOutputs(session, t, d);
  }
  if (!strstr(stitchSessionInfo(session).details, "no CUDA graph: ")) {
    fprintf(stderr, "%s: %s\n", failure, stitchSessionInfo(session).details);
    CHECK(false);
  }
  stitchSessionFree(session);
  doubled.configure(libraries);
  CHECK_OK(createSession(model, (StitchCudaOptions){0}, &session));
  for (int run = 0; run < 2; ++run)
    CHECK_OK(stitchSessionRun(session, a.inputs, first.numInputs, a.outputs, first.numOutputs));
  CHECK(doubled.calls("cuGraphLaunch") == 1);
  stitchSessionFree(session);
  freeDeviceTensors(&first, &a);
  freeDeviceTensors(&second, &b);
  freeTensors(&first);
  freeTensors(&second);
  CHECK_CLEAN();
}

/// A library whose call fails during a capture has spoilt it: nothing more can be captured, and there is no graph.
static void testFailedCaptures(const StitchModel *model, const StitchModel *linearAlgebra) {
  static const char *const failures[] = {
      "fail=cuStreamBeginCapture:1:900",
      "fail=cuStreamBeginCapture:2:900",
      "fail=cuStreamEndCapture:1:901",
      "fail=cuStreamEndCapture:2:901",
      "fail=cuStreamGetCaptureInfo:2:400",
      "fail=cuLaunchKernelEx:1:900",
      "fail=cuGraphInstantiateWithFlags:1:801",
      "fail=cuGraphExecKernelNodeSetParams:1:801",
      "fail=cublasLtMatmul:1:13",
      "fail=cublasLtMatmul:4:14",
  };
  for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); ++i)
    failInCapture(model, "arch=90", failures[i]);
  // With a cuSOLVER that is not used: its calls would not be captured.
  static const char *const libraryFailures[] = {"fail=cufftExecC2C:1:6", "fail=cublasSetStream_v2:1:14",
                                                "fail=cublasStrsmBatched_64:1:13", "fail=cuMemcpyDtoDAsync:1:900",
                                                "fail=cuStreamEndCapture:1:901"};
  for (size_t i = 0; i < sizeof(libraryFailures) / sizeof(libraryFailures[0]); ++i)
    failInCapture(linearAlgebra, "cusolver=10900", libraryFailures[i]);
}

static void testMissingFunctions(const StitchModel *model) {
  Tensors t = makeTensors(model, 3);
#define CUDA_SYMBOL(name, version, parameters)                                                                         \
  doubled.configure("missing=" #name);                                                                                 \
  CHECK_STATUS(live(model, (StitchCudaOptions){0}, &t), STITCH_NOT_FOUND,                                              \
               "the CUDA driver has no function '" #name "' of CUDA 12.0");
#include "runtime/cuda/cuda_symbols.def"
#undef CUDA_SYMBOL
  freeTensors(&t);
  CHECK_CLEAN();
}

/// After a kernel has broken the context every call fails with that error, and everything is given back all the same.
static void testStickyError(const StitchModel *model) {
  doubled.configure(NULL);
  Tensors t = makeTensors(model, 1);
  DeviceTensors d;
  StitchSession *session = NULL;
  CHECK_OK(createSession(model, (StitchCudaOptions){0}, &session));
  moveTensors(session, &t, &d);
  d.inputs[0].data = (void *)(uintptr_t)0x100; // nobody's memory
  CHECK_OK(stitchSessionRun(session, d.inputs, t.numInputs, d.outputs, t.numOutputs));
  CHECK_STATUS(stitchSessionSynchronize(session), STITCH_DEVICE_ERROR,
               "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered");
  CHECK_STATUS(stitchSessionRun(session, d.inputs, t.numInputs, d.outputs, t.numOutputs), STITCH_DEVICE_ERROR,
               "CUDA_ERROR_ILLEGAL_ADDRESS");
  stitchSessionFree(session);
  freeDeviceTensors(&t, &d);
  freeTensors(&t);
  CHECK_CLEAN();
}

/// Algorithms that cuBLASLt itself has named may be refused when they are to run: some of those that are explored, or
/// all, and those of the first run without exploring.
static void testRefusedProducts(const StitchModel *model) {
  Tensors t = makeTensors(model, 3);
  static const char *const configurations[] = {"fail=cublasLtMatmul:1:15", "fail=cublasLtMatmul:8:15",
                                               "fail=cublasLtMatmul:0:15"};
  for (size_t i = 0; i < sizeof(configurations) / sizeof(configurations[0]); ++i) {
    doubled.configure(configurations[i]);
    CHECK_OK(live(model, (StitchCudaOptions){0}, &t));
    CHECK(outputsAreRight(&t));
    CHECK_CLEAN();
    StitchSession *session = NULL;
    doubled.configure(configurations[i]);
    CHECK_OK(explore(model, (StitchCudaOptions){0}, NULL, &t, &session));
    CHECK_OK(runOnHostTensors(session, &t));
    CHECK(outputsAreRight(&t) && stitchSessionAdaptive(session).remaining == 0);
    stitchSessionFree(session);
    CHECK_CLEAN();
  }
  freeTensors(&t);
}

/// A run that fails has come to its end: nothing is copied from the caller's memory any more.
static void testFailureWaits(const StitchModel *model) {
  Tensors t = makeTensors(model, 1);
  StitchSession *session = NULL;
  doubled.configure("fail=cuLaunchKernelEx:1:1");
  CHECK_OK(createSession(model, (StitchCudaOptions){.pinnedStaging = true}, &session));
  int waits = doubled.calls("cuStreamSynchronize");
  CHECK_STATUS(runOnHostTensors(session, &t), STITCH_DEVICE_ERROR, "cuLaunchKernelEx");
  CHECK(doubled.calls("cuStreamSynchronize") == waits + 1);
  stitchSessionFree(session);
  freeTensors(&t);
  CHECK_CLEAN();
}

/// cuBLASLt may have no algorithm for a product with its epilogue, nor for the product alone.
static void testMissingEpilogues(const StitchModel *model) {
  Tensors t = makeTensors(model, 3);
  doubled.configure(NULL);
  CHECK_OK(live(model, (StitchCudaOptions){0}, &t));
  int heuristics = doubled.calls("cublasLtMatmulAlgoGetHeuristic"), launches = doubled.calls("cuLaunchKernelEx");
  for (int n = 0; n <= heuristics; ++n) {
    char configuration[64];
    snprintf(configuration, sizeof(configuration), "fail=cublasLtMatmulAlgoGetHeuristic:%d:15", n);
    doubled.configure(configuration);
    CHECK_OK(live(model, (StitchCudaOptions){0}, &t));
    CHECK(outputsAreRight(&t) && doubled.calls("cuLaunchKernelEx") >= launches);
    CHECK_CLEAN();
  }
  freeTensors(&t);
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: unit-cuda_failures MODEL.so CONVOLUTIONS.so LINEAR_ALGEBRA.so EPILOGUES.so\n");
    return 1;
  }
  StitchModel *model = NULL, *convolutions = NULL, *linearAlgebra = NULL, *epilogues = NULL;
  openDouble();
  CHECK_OK(stitchModelLoad(argv[1], &model));
  CHECK_OK(stitchModelLoad(argv[2], &convolutions));
  CHECK_OK(stitchModelLoad(argv[3], &linearAlgebra));
  CHECK_OK(stitchModelLoad(argv[4], &epilogues));
  if (!model || !convolutions || !linearAlgebra || !epilogues)
    return checkResult();
  testMissingEpilogues(epilogues);
  testRefusedProducts(model);
  testMissingFunctions(model);
  testFailureWaits(model);
  testStickyError(model);
  testFailures(model, convolutions, linearAlgebra, epilogues);
  testFailedCaptures(model, linearAlgebra);
  stitchModelFree(epilogues);
  stitchModelFree(linearAlgebra);
  stitchModelFree(convolutions);
  stitchModelFree(model);
  return checkResult();
}
