//===- cuda.c - the CUDA runtime on a test double of the driver ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-cuda MODEL.so CONVOLUTIONS.so LINEAR_ALGEBRA.so EPILOGUES.so CHOICES
//
// The models have kernels for simt and for sm_90, library calls, a kernel with a grid barrier, and a reference. NO GPU
// IS INVOLVED: test/cuda_double/double.h lists the checks.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cuda_abi.h"
#include "test/unit/cuda_session.h"

#include <pthread.h>

//===----------------------------------------------------------------------===//
// Ways to run
//===----------------------------------------------------------------------===//

static void testHostTensors(const StitchModel *model, StitchCudaOptions options, const char *details) {
  doubled.configure(NULL);
  Tensors t = makeTensors(model, 1);
  StitchSession *session = NULL;
  CHECK_OK(createSession(model, options, &session));
  for (int run = 0; run < 4; ++run) {
    CHECK_OK(runOnHostTensors(session, &t));
    CHECK(outputsAreRight(&t));
  }
  CHECK(strstr(stitchSessionInfo(session).device, "not a GPU"));
  CHECK(doubled.calls("cuMemHostAlloc") == options.pinnedStaging);
  CHECK(strstr(stitchSessionInfo(session).details, details));
  stitchSessionFree(session);
  freeTensors(&t);
  CHECK_CLEAN();
}

/// Zero copies, other addresses: kernels are re-pointed, and where library calls are concerned the graph is updated; it
/// is instantiated once.
static void testDeviceTensors(const StitchModel *model, const char *configuration) {
  doubled.configure(configuration);
  Tensors first = makeTensors(model, 1), second = makeTensors(model, 1000);
  DeviceTensors a, b;
  StitchSession *session = NULL;
  CHECK_OK(createSession(model, (StitchCudaOptions){0}, &session));
  moveTensors(session, &first, &a);
  moveTensors(session, &second, &b);
  int copies = doubled.calls("cuMemcpyHtoDAsync");
  for (int run = 0; run < 6; ++run) {
    Tensors *t = run % 2 ? &second : &first;
    DeviceTensors *d = run % 2 ? &b : &a;
    CHECK_OK(stitchSessionRun(session, d->inputs, t->numInputs, d->outputs, t->numOutputs));
    checkDeviceOutputs(session, t, d);
  }
  CHECK(doubled.calls("cuMemcpyHtoDAsync") == copies);
  CHECK(doubled.calls("cuGraphInstantiateWithFlags") == 1);
  CHECK(doubled.calls("cuGraphExecKernelNodeSetParams") > 0);
  CHECK(doubled.calls("cuGraphExecUpdate") > 0);
  int captures = doubled.calls("cuStreamBeginCapture"), launches = doubled.calls("cuLaunchKernelEx");
  CHECK_OK(stitchSessionRun(session, b.inputs, second.numInputs, b.outputs, second.numOutputs));
  CHECK_OK(stitchSessionSynchronize(session));
  CHECK(doubled.calls("cuStreamBeginCapture") == captures && doubled.calls("cuLaunchKernelEx") == launches);
  // Host and device tensors in one run.
  DeviceTensors mixed = b;
  mixed.inputs[0] = second.inputs[0];
  CHECK_OK(stitchSessionRun(session, mixed.inputs, second.numInputs, mixed.outputs, second.numOutputs));
  checkDeviceOutputs(session, &second, &b);
  // Memory outlives the session.
  stitchSessionFree(session);
  freeDeviceTensors(&first, &a);
  freeDeviceTensors(&second, &b);
  freeTensors(&first);
  freeTensors(&second);
  CHECK_CLEAN();
}

static void testWrongMemory(const StitchModel *model) {
  doubled.configure(NULL);
  Tensors t = makeTensors(model, 1);
  StitchSession *session = NULL;
  CHECK_OK(createSession(model, (StitchCudaOptions){0}, &session));
  StitchTensor right = t.inputs[0];
  t.inputs[0].memory = STITCH_MEMORY_CUDA;
  t.inputs[0].memoryId = 1;
  CHECK_STATUS(runOnHostTensors(session, &t), STITCH_INVALID_ARGUMENT,
               "is in memory that device 'cuda' cannot use: DLPack's device (2, 1)");
  t.inputs[0] = right;
  stitchSessionFree(session);
  CHECK_OK(stitchSessionCreate(model, &(StitchSessionOptions){.device = "reference"}, &session));
  t.inputs[0].memory = STITCH_MEMORY_CUDA;
  CHECK_STATUS(runOnHostTensors(session, &t), STITCH_INVALID_ARGUMENT, "device 'reference' cannot use");
  stitchSessionFree(session);
  freeTensors(&t);
  CHECK_CLEAN();
}

typedef struct {
  const StitchModel *model;
  unsigned seed;
} Worker;

static void *work(void *data) {
  const Worker *worker = data;
  Tensors t = makeTensors(worker->model, worker->seed);
  StitchSession *session = NULL;
  CHECK_OK(createSession(worker->model, (StitchCudaOptions){0}, &session));
  for (int run = 0; run < 3; ++run) {
    CHECK_OK(runOnHostTensors(session, &t));
    CHECK(outputsAreRight(&t));
  }
  stitchSessionFree(session);
  freeTensors(&t);
  return NULL;
}

/// Two models at once, each in two threads.
static void testThreads(const StitchModel *model, const StitchModel *other) {
  enum { COUNT = 4 };
  doubled.configure(NULL);
  pthread_t threads[COUNT];
  Worker workers[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    workers[i] = (Worker){i % 2 ? other : model, (unsigned)i * 77};
    CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
  }
  for (int i = 0; i < COUNT; ++i)
    pthread_join(threads[i], NULL);
  CHECK_CLEAN();
}

/// Sessions of one model share its loaded modules, until the last one has gone.
static void testSharedModule(const StitchModel *model) {
  doubled.configure(NULL);
  Tensors t = makeTensors(model, 1);
  StitchSession *first = NULL, *second = NULL;
  CHECK_OK(createSession(model, (StitchCudaOptions){0}, &first));
  int loaded = doubled.calls("cuModuleLoadDataEx");
  CHECK_OK(runOnHostTensors(first, &t));
  CHECK_OK(createSession(model, (StitchCudaOptions){.eager = true}, &second));
  CHECK(doubled.calls("cuModuleLoadDataEx") == loaded);
  CHECK_OK(runOnHostTensors(second, &t));
  stitchSessionFree(first);
  CHECK(doubled.calls("cuModuleUnload") == 0);
  CHECK_OK(runOnHostTensors(second, &t));
  CHECK(outputsAreRight(&t));
  stitchSessionFree(second);
  CHECK(doubled.calls("cuModuleUnload") == loaded);
  freeTensors(&t);
  CHECK_CLEAN();
}

/// The caller's stream: nothing has run before the caller waits for it.
static void testCallersStream(const StitchModel *model) {
  doubled.configure(NULL);
  void *library = dlopen(STITCH_CUDA_DOUBLE_FOLDER "/all/libcuda.so.1", RTLD_NOW);
  StitchCudaGetProcAddress find = (StitchCudaGetProcAddress)dlsym(library, "cuGetProcAddress_v2");
  CUdriverProcAddressQueryResult result;
#define FIND(name, version, parameters)                                                                                \
  CUresult(*name) parameters = NULL;                                                                                   \
  find(#name, (void **)&name, STITCH_CUDA_ABI_VERSION, 0, &result);
  FIND(cuInit, 0, (unsigned))
  FIND(cuDevicePrimaryCtxRetain, 0, (CUcontext *, CUdevice))
  FIND(cuDevicePrimaryCtxRelease, 0, (CUdevice))
  FIND(cuCtxPushCurrent, 0, (CUcontext))
  FIND(cuCtxPopCurrent, 0, (CUcontext *))
  FIND(cuStreamCreate, 0, (CUstream *, unsigned))
  FIND(cuStreamDestroy, 0, (CUstream))
  FIND(cuStreamSynchronize, 0, (CUstream))
  FIND(cuStreamBeginCapture, 0, (CUstream, CUstreamCaptureMode))
  FIND(cuStreamEndCapture, 0, (CUstream, CUgraph *))
  FIND(cuGraphDestroy, 0, (CUgraph))
#undef FIND
  CUcontext context = NULL, current = NULL;
  CUstream stream = NULL;
  CHECK(cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
  CHECK(cuCtxPushCurrent(context) == CUDA_SUCCESS && cuStreamCreate(&stream, 0) == CUDA_SUCCESS);
  Tensors t = makeTensors(model, 5);
  DeviceTensors d;
  StitchSession *session = NULL;
  CHECK_OK(createSession(model, (StitchCudaOptions){.stream = stream}, &session));
  moveTensors(session, &t, &d);
  for (int run = 0; run < 3; ++run) {
    CHECK_OK(stitchSessionRun(session, d.inputs, t.numInputs, d.outputs, t.numOutputs));
    CHECK(cuStreamSynchronize(stream) == CUDA_SUCCESS);
    checkDeviceOutputs(session, &t, &d);
  }
  // In the caller's own capture a run becomes steps of the caller's graph.
  CUgraph graph = NULL;
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS);
  CHECK_OK(stitchSessionRun(session, d.inputs, t.numInputs, d.outputs, t.numOutputs));
  // A step that cannot be captured is refused before it spoils the capture.
  StitchProfileStep *steps = NULL;
  int64_t count = 0;
  CHECK_STATUS(runOnHostTensors(session, &t), STITCH_FAILED_PRECONDITION, "the stream is being captured");
  CHECK_STATUS(stitchSessionProfile(session, d.inputs, t.numInputs, d.outputs, t.numOutputs, &steps, &count),
               STITCH_FAILED_PRECONDITION, "the stream is being captured");
  CHECK(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS && graph);
  CHECK(cuGraphDestroy(graph) == CUDA_SUCCESS);
  stitchSessionFree(session);
  // A session that has only been captured is not warm: its next run goes step by step, the one after it is a graph.
  CHECK_OK(createSession(model, (StitchCudaOptions){.stream = stream}, &session));
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS);
  CHECK_OK(stitchSessionRun(session, d.inputs, t.numInputs, d.outputs, t.numOutputs));
  CHECK(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS && cuGraphDestroy(graph) == CUDA_SUCCESS);
  int captures = doubled.calls("cuStreamBeginCapture");
  CHECK_OK(stitchSessionRun(session, d.inputs, t.numInputs, d.outputs, t.numOutputs));
  CHECK(doubled.calls("cuStreamBeginCapture") == captures);
  CHECK_OK(stitchSessionRun(session, d.inputs, t.numInputs, d.outputs, t.numOutputs));
  CHECK(doubled.calls("cuStreamBeginCapture") == captures + 1 ||
        strstr(stitchSessionInfo(session).details, "no CUDA graph"));
  checkDeviceOutputs(session, &t, &d);
  stitchSessionFree(session);
  freeDeviceTensors(&t, &d);
  freeTensors(&t);
  // The stream is the caller's still.
  CHECK(cuStreamSynchronize(stream) == CUDA_SUCCESS && cuStreamDestroy(stream) == CUDA_SUCCESS);
  CHECK(cuCtxPopCurrent(&current) == CUDA_SUCCESS && current == context); // nobody has left another one behind
  CHECK(cuDevicePrimaryCtxRelease(0) == CUDA_SUCCESS);
  dlclose(library);
  CHECK_CLEAN();
}

/// The legacy default stream cannot be captured; that the session captures elsewhere gives it its graph.
static void testLegacyStream(const StitchModel *model) {
  doubled.configure(NULL);
  Tensors t = makeTensors(model, 5);
  DeviceTensors d;
  StitchSession *session = NULL;
  CHECK_OK(createSession(model, (StitchCudaOptions){.stream = (void *)1}, &session));
  moveTensors(session, &t, &d);
  for (int run = 0; run < 3; ++run) {
    CHECK_OK(stitchSessionRun(session, d.inputs, t.numInputs, d.outputs, t.numOutputs));
    checkDeviceOutputs(session, &t, &d);
  }
  CHECK(strstr(stitchSessionInfo(session).details, "CUDA graph"));
  CHECK(doubled.calls("cuGraphLaunch") == 2);
  stitchSessionFree(session);
  freeDeviceTensors(&t, &d);
  freeTensors(&t);
  CHECK_CLEAN();
}

static void testProfile(const StitchModel *model) {
  doubled.configure(NULL);
  Tensors t = makeTensors(model, 1);
  StitchSession *session = NULL;
  StitchProfileStep *steps = NULL;
  int64_t count = 0;
  CHECK_OK(createSession(model, (StitchCudaOptions){0}, &session));
  clearOutputs(&t);
  CHECK_OK(stitchSessionProfile(session, t.inputs, t.numInputs, t.outputs, t.numOutputs, &steps, &count));
  CHECK(outputsAreRight(&t));
  int64_t calls = 0;
  double end = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    calls += steps[i].isLibraryCall;
    CHECK(strncmp(steps[i].name, steps[i].isLibraryCall ? "dot_" : "fusion_", 4) == 0);
    CHECK(steps[i].seconds >= 0.0 && steps[i].startSeconds >= end - 1e-9);
    end = steps[i].startSeconds + steps[i].seconds;
  }
  CHECK(calls == 5 && count > calls); // library_calls.mlir
  free(steps);
  stitchSessionFree(session);
  CHECK_OK(stitchSessionCreate(model, &(StitchSessionOptions){.device = "reference"}, &session));
  CHECK_STATUS(stitchSessionProfile(session, t.inputs, t.numInputs, t.outputs, t.numOutputs, &steps, &count),
               STITCH_UNIMPLEMENTED, "device 'reference' does not measure");
  stitchSessionFree(session);
  freeTensors(&t);
  CHECK_CLEAN();
}

//===----------------------------------------------------------------------===//
// Algorithms and libraries
//===----------------------------------------------------------------------===//

/// Which algorithm a call takes is explored in any model; here the last that the library names is the fastest. The
/// algorithms that were found hold for other sessions with the same GPU and options.
static void testAlgorithms(const StitchModel *model, const char *index) {
  static const char clock[] = "launch_ns=1000,call_ns=10000,algorithm_ns=5000,noise=2";
  Tensors t = makeTensors(model, 1);
  StitchSession *session = NULL;
  remove(index);
  doubled.configure(clock);
  CHECK_OK(explore(model, (StitchCudaOptions){0}, index, &t, &session));
  StitchAdaptiveInfo info = stitchSessionAdaptive(session);
  CHECK(info.numVariables > 0 && info.runs > 0 && info.remaining == 0);
  for (int64_t i = 0; i < info.numVariables; ++i) {
    StitchAdaptiveVariable variable = stitchSessionAdaptiveVariable(session, i);
    int64_t last = variable.numVersions - 1;
    while (strncmp(variable.versions[last], "apart", 5) == 0) // with a kernel behind it
      --last;
    CHECK(last > 0 && variable.version == last);
    CHECK(stitchSessionAdaptiveSeconds(session, i, 0) > stitchSessionAdaptiveSeconds(session, i, last));
  }
  stitchSessionFree(session);
  doubled.configure(clock);
  CHECK_OK(explore(model, (StitchCudaOptions){0}, index, &t, &session));
  CHECK(stitchSessionAdaptive(session).runs == 0 && doubled.calls("cuEventElapsedTime") == 0);
  stitchSessionFree(session);
  const char *const others[] = {"arch=100", clock};
  for (int i = 0; i < 2; ++i) {
    doubled.configure(others[i]);
    CHECK_OK(explore(model, (StitchCudaOptions){.tf32 = i == 1}, index, &t, &session));
    CHECK(stitchSessionAdaptive(session).runs > 0);
    stitchSessionFree(session);
  }
  remove(index);
  freeTensors(&t);
  CHECK_CLEAN();
}

/// Linear algebra without the libraries for it, with old ones, and for sizes that they do not have.
static void testOwnLinearAlgebra(const StitchModel *model) {
  testHostTensors(model, (StitchCudaOptions){.libraries = STITCH_CUDA_DOUBLE_FOLDER "/no_libraries"},
                  "no cuFFT, no cuSOLVER, no cuBLAS, CUDA graph");
  testHostTensors(model, (StitchCudaOptions){.libraries = STITCH_CUDA_DOUBLE_FOLDER "/other_libraries"},
                  "no cuBLAS (the cuBLAS has no function 'cublasGetStatusName'), CUDA graph");
  Tensors t = makeTensors(model, 3);
  static const char *const configurations[] = {"cufft=10900", "cusolver=10900", "cublas=110500",
                                               "fail=cufftMakePlanMany64:0:8", "fail=cufftMakePlanMany64:2:14"};
  for (size_t i = 0; i < sizeof(configurations) / sizeof(configurations[0]); ++i) {
    doubled.configure(configurations[i]);
    CHECK_OK(live(model, (StitchCudaOptions){0}, &t));
    CHECK(outputsAreRight(&t));
  }
  freeTensors(&t);
  CHECK_CLEAN();
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: unit-cuda MODEL.so CONVOLUTIONS.so LINEAR_ALGEBRA.so EPILOGUES.so CHOICES\n");
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
  testHostTensors(model, (StitchCudaOptions){0}, "cuBLASLt 13.0.1, CUDA graph");
  testHostTensors(model, (StitchCudaOptions){.pinnedStaging = true}, "CUDA graph");
  testHostTensors(model, (StitchCudaOptions){.eager = true}, "step by step");
  testDeviceTensors(model, NULL);
  testWrongMemory(model);
  testThreads(model, convolutions);
  testSharedModule(model);
  testCallersStream(model);
  testLegacyStream(model);
  testLegacyStream(convolutions);
  testProfile(model);
  testAlgorithms(model, argv[5]);
  testHostTensors(convolutions, (StitchCudaOptions){0}, "cuDNN 9.19.0, CUDA graph");
  testDeviceTensors(convolutions, NULL);
  testAlgorithms(convolutions, argv[5]);
  testHostTensors(linearAlgebra, (StitchCudaOptions){0},
                  "cuFFT 12.0.0, cuSOLVER 12.0.0, cuBLAS 13.0.1, no CUDA graph: the library's 'cholesky_");
  testHostTensors(linearAlgebra, (StitchCudaOptions){.eager = true}, "step by step");
  testDeviceTensors(linearAlgebra, "cusolver=10900"); // whose calls are not captured
  testThreads(linearAlgebra, model);
  testCallersStream(linearAlgebra);
  testOwnLinearAlgebra(linearAlgebra);
  testHostTensors(epilogues, (StitchCudaOptions){0}, "cuBLASLt 13.0.1, CUDA graph");
  stitchModelFree(epilogues);
  stitchModelFree(linearAlgebra);
  stitchModelFree(convolutions);
  stitchModelFree(model);
  return checkResult();
}
