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
// IS INVOLVED: test/cuda_double/double.h says what is checked.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cublaslt_abi.h"
#include "runtime/cuda/cudnn_abi.h"
#include "runtime/cuda/cufft_abi.h"
#include "runtime/cuda/cusolver_abi.h"
#include "runtime/stitch_runtime.h"
#include "test/cuda_double/double.h"
#include "test/unit/check.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static const char folder[] = STITCH_CUDA_DOUBLE_FOLDER "/all";

static struct {
  StitchDoubleConfigure configure;
  StitchDoubleCalls calls;
  StitchDoubleLive live;
  StitchDoubleViolations violations;
} doubled;

static void openDouble(void) {
  void *library = dlopen(STITCH_CUDA_DOUBLE_FOLDER "/all/libcuda.so.1", RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  doubled.configure = (StitchDoubleConfigure)dlsym(library, "stitchDoubleConfigure");
  doubled.calls = (StitchDoubleCalls)dlsym(library, "stitchDoubleCalls");
  doubled.live = (StitchDoubleLive)dlsym(library, "stitchDoubleLive");
  doubled.violations = (StitchDoubleViolations)dlsym(library, "stitchDoubleViolations");
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

enum { MAX_TENSORS = 64 };

/// Inputs and outputs of a model in host memory.
typedef struct {
  const StitchModel *model;
  int64_t numInputs, numOutputs;
  StitchTensor inputs[MAX_TENSORS], outputs[MAX_TENSORS], expected[MAX_TENSORS];
} Tensors;

static StitchTensor newTensor(StitchDataType dtype, int32_t rank, const int64_t *dims) {
  size_t bytes = stitchTensorBytes(dtype, rank, dims);
  void *data = aligned_alloc(64, (bytes + 64) / 64 * 64);
  if (!data)
    abort();
  memset(data, 0, bytes);
  return (StitchTensor){.dtype = dtype, .rank = rank, .dims = dims, .data = data};
}

/// Floats between -1 and 1; integers stay 0.
static void fill(StitchTensor *tensor, unsigned seed) {
  bool isFloat = tensor->dtype.code == STITCH_TYPE_FLOAT && tensor->dtype.bits == 32;
  for (int64_t i = 0; isFloat && i < stitchTensorElements(tensor->rank, tensor->dims); ++i) {
    seed = seed * 1664525u + 1013904223u;
    ((float *)tensor->data)[i] = (float)(seed >> 8) / (float)(1 << 23) - 1.0f;
  }
}

static void runReference(Tensors *t) {
  StitchSession *session = NULL;
  CHECK_OK(stitchSessionCreate(t->model, &(StitchSessionOptions){.device = "reference"}, &session));
  CHECK_OK(stitchSessionRun(session, t->inputs, t->numInputs, t->expected, t->numOutputs));
  stitchSessionFree(session);
}

static Tensors makeTensors(const StitchModel *model, unsigned seed) {
  Tensors t = {.model = model, .numInputs = stitchModelNumInputs(model), .numOutputs = stitchModelNumOutputs(model)};
  if (t.numInputs > MAX_TENSORS || t.numOutputs > MAX_TENSORS)
    abort();
  for (int64_t i = 0; i < t.numInputs; ++i) {
    StitchInputInfo info = stitchModelInput(model, i);
    t.inputs[i] = newTensor(info.dtype, info.rank, info.dims);
    fill(&t.inputs[i], seed + (unsigned)i);
  }
  for (int64_t i = 0; i < t.numOutputs; ++i) {
    StitchOutputInfo info = stitchModelOutput(model, i);
    t.outputs[i] = newTensor(info.dtype, info.rank, info.dims);
    t.expected[i] = newTensor(info.dtype, info.rank, info.dims);
  }
  runReference(&t);
  return t;
}

static void freeTensors(Tensors *t) {
  for (int64_t i = 0; i < t->numInputs; ++i)
    free(t->inputs[i].data);
  for (int64_t i = 0; i < t->numOutputs; ++i) {
    free(t->outputs[i].data);
    free(t->expected[i].data);
  }
}

/// f32 outputs up to rounding, which stitch-run --check bounds exactly.
static bool outputsAreRight(const Tensors *t) {
  for (int64_t i = 0; i < t->numOutputs; ++i) {
    const float *got = t->outputs[i].data, *expected = t->expected[i].data;
    for (int64_t e = 0; e < stitchTensorElements(t->outputs[i].rank, t->outputs[i].dims); ++e)
      if (!(fabsf(got[e] - expected[e]) <= 1e-3f * (1.0f + fabsf(expected[e]))))
        return false;
  }
  return true;
}

static void clearOutputs(Tensors *t) {
  for (int64_t i = 0; i < t->numOutputs; ++i)
    memset(t->outputs[i].data, 0xff, stitchTensorBytes(t->outputs[i].dtype, t->outputs[i].rank, t->outputs[i].dims));
}

static StitchStatus createSession(const StitchModel *model, StitchCudaOptions options, StitchSession **session) {
  options.libraries = options.libraries ? options.libraries : folder;
  return stitchSessionCreate(model, &(StitchSessionOptions){.device = "cuda", .cuda = options}, session);
}

static StitchStatus runOnHostTensors(StitchSession *session, Tensors *t) {
  clearOutputs(t);
  return stitchSessionRun(session, t->inputs, t->numInputs, t->outputs, t->numOutputs);
}

/// Nothing is left and nothing forbidden has been done.
#define CHECK_CLEAN() CHECK(doubled.live() == 0 && doubled.violations() == 0)

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

/// Tensors in the session's memory.
typedef struct {
  DLManagedTensorVersioned *managed[2 * MAX_TENSORS];
  StitchTensor inputs[MAX_TENSORS], outputs[MAX_TENSORS];
} DeviceTensors;

static StitchTensor moveTensor(StitchSession *session, const StitchTensor *host, DLManagedTensorVersioned **managed) {
  StitchTensor tensor = {.rank = 0};
  CHECK_OK(stitchSessionAllocate(session, host->dtype, host->rank, host->dims, managed));
  CHECK_OK(stitchTensorFromDLPack(&(*managed)->dl_tensor, &tensor));
  CHECK(tensor.memory == STITCH_MEMORY_CUDA);
  CHECK_OK(stitchSessionCopy(session, host, &tensor));
  return tensor;
}

static void moveTensors(StitchSession *session, const Tensors *t, DeviceTensors *d) {
  for (int64_t i = 0; i < t->numInputs; ++i)
    d->inputs[i] = moveTensor(session, &t->inputs[i], &d->managed[i]);
  for (int64_t i = 0; i < t->numOutputs; ++i)
    d->outputs[i] = moveTensor(session, &t->outputs[i], &d->managed[t->numInputs + i]);
}

static void freeDeviceTensors(const Tensors *t, DeviceTensors *d) {
  for (int64_t i = 0; i < t->numInputs + t->numOutputs; ++i)
    d->managed[i]->deleter(d->managed[i]);
}

static void checkDeviceOutputs(StitchSession *session, Tensors *t, const DeviceTensors *d) {
  clearOutputs(t);
  for (int64_t i = 0; i < t->numOutputs; ++i)
    CHECK_OK(stitchSessionCopy(session, &d->outputs[i], &t->outputs[i]));
  CHECK(outputsAreRight(t));
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

/// Sessions of one model share what is loaded, until the last one has gone.
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
  // What cannot be captured is refused before it spoils the capture.
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
// Failures
//===----------------------------------------------------------------------===//

/// A session's whole life: three runs, the first step by step, the others as a graph, with host tensors.
static StitchStatus live(const StitchModel *model, StitchCudaOptions options, Tensors *t) {
  StitchSession *session = NULL;
  StitchStatus status = createSession(model, options, &session);
  for (int run = 0; run < 3 && !status; ++run)
    status = runOnHostTensors(session, t);
  stitchSessionFree(session);
  return status;
}

/// The functions whose failure a session survives by going on without a graph.
static bool isForGraphs(const char *name) { return strstr(name, "Graph") || strstr(name, "Capture"); }

/// The functions that only release something, or say what another error means.
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
  // At the session's end nobody is told, and without the context nothing can be given back.
  if (strcmp(name, "cuCtxPushCurrent") == 0 || strcmp(name, "cuStreamSynchronize") == 0)
    --calls;
  for (int n = 1; n <= calls && n <= MAX_CALLS; ++n) {
    char configuration[128];
    snprintf(configuration, sizeof(configuration), "fail=%s:%d:%d", name, n, code);
    doubled.configure(configuration);
    StitchStatus status = live(model, options, t);
    bool survives = isForGraphs(name) || strcmp(name, "cublasLtMatmulAlgoCheck") == 0;
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
  StitchCudaOptions options = {.autotune = true, .pinnedStaging = true};
  for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); ++i)
    for (const char *const *name = libraries[i].names; *name; ++name)
      if (!isIgnored(*name))
        failEachCall(libraries[i].tensors->model, options, *name, libraries[i].code, libraries[i].tensors);
  // Out of memory has a code of its own.
  CHECK(failEachCall(model, (StitchCudaOptions){0}, "cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY, &t) == 2);
  doubled.configure("fail=cuMemAlloc:1:2");
  CHECK_STATUS(live(model, (StitchCudaOptions){0}, &t), STITCH_OUT_OF_MEMORY,
               "bytes of intermediate results, constants and workspace: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out "
               "of memory");
  doubled.configure("fail=cuMemAlloc:2:2");
  CHECK_STATUS(live(model, (StitchCudaOptions){0}, &t), STITCH_OUT_OF_MEMORY, "bytes of inputs and outputs");
  freeTensors(&e);
  freeTensors(&l);
  freeTensors(&c);
  freeTensors(&t);
}

/// Fails a call while steps are captured: in the second run, or, since the third one has other addresses, where kernels
/// are re-pointed and steps captured again. Every run is right, step by step from then on, and the session says why.
/// What failed does not keep the next session from having its graph.
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

static void testChoices(const StitchModel *model, const char *file) {
  doubled.configure(NULL);
  remove(file);
  Tensors t = makeTensors(model, 1);
  StitchCudaOptions options = {.autotune = true, .choices = file};
  CHECK_OK(live(model, options, &t));
  CHECK(outputsAreRight(&t));
  int heuristics = doubled.calls("cublasLtMatmulAlgoGetHeuristic");
  CHECK(heuristics > 0 && doubled.calls("cuEventElapsedTime") >= 2 * heuristics);
  // The next session neither asks nor measures.
  doubled.configure(NULL);
  CHECK_OK(live(model, options, &t));
  CHECK(outputsAreRight(&t));
  CHECK(doubled.calls("cublasLtMatmulAlgoGetHeuristic") == 0 && doubled.calls("cuEventElapsedTime") == 0);
  // Another GPU's choices are not taken.
  doubled.configure("arch=100");
  CHECK_OK(live(model, options, &t));
  CHECK(doubled.calls("cublasLtMatmulAlgoGetHeuristic") == heuristics);
  FILE *damaged = fopen(file, "a");
  CHECK(damaged && fputs("5\n", damaged) >= 0 && fclose(damaged) == 0);
  CHECK_STATUS(live(model, options, &t), STITCH_INVALID_ARGUMENT, "is damaged");
  CHECK_STATUS(live(model, (StitchCudaOptions){.choices = folder}, &t), STITCH_IO_ERROR, "cannot read");
  remove(file);
  freeTensors(&t);
  CHECK_CLEAN();
}

/// The plans of cuDNN, as testChoices.
static void testChosenPlans(const StitchModel *model, const char *file) {
  doubled.configure(NULL);
  remove(file);
  Tensors t = makeTensors(model, 1);
  StitchCudaOptions options = {.autotune = true, .choices = file};
  CHECK_OK(live(model, options, &t));
  CHECK(outputsAreRight(&t));
  int timed = doubled.calls("cuEventElapsedTime"), made = doubled.calls("cudnnBackendCreateDescriptor");
  CHECK(timed >= 2 * 3);
  doubled.configure(NULL);
  CHECK_OK(live(model, options, &t));
  CHECK(outputsAreRight(&t));
  CHECK(doubled.calls("cuEventElapsedTime") == 0 && doubled.calls("cudnnBackendCreateDescriptor") < made / 2);
  // With TF32 other engines may be taken: those choices are others.
  doubled.configure(NULL);
  options.tf32 = true;
  CHECK_OK(live(model, options, &t));
  CHECK(doubled.calls("cuEventElapsedTime") > timed);
  remove(file);
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

/// Algorithms that cuBLASLt itself has named may be refused when they are to run: some of the candidates that are
/// timed, or all, and those of the first run without timing.
static void testRefusedProducts(const StitchModel *model) {
  Tensors t = makeTensors(model, 3);
  static const char *const configurations[] = {"fail=cublasLtMatmul:1:15", "fail=cublasLtMatmul:8:15",
                                               "fail=cublasLtMatmul:0:15"};
  for (size_t i = 0; i < sizeof(configurations) / sizeof(configurations[0]); ++i)
    for (int autotune = 0; autotune < 2; ++autotune) {
      doubled.configure(configurations[i]);
      CHECK_OK(live(model, (StitchCudaOptions){.autotune = autotune}, &t));
      CHECK(outputsAreRight(&t));
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
  testChoices(model, argv[5]);
  testHostTensors(convolutions, (StitchCudaOptions){0}, "cuDNN 9.19.0, CUDA graph");
  testDeviceTensors(convolutions, NULL);
  testChosenPlans(convolutions, argv[5]);
  testHostTensors(linearAlgebra, (StitchCudaOptions){0},
                  "cuFFT 12.0.0, cuSOLVER 12.0.0, cuBLAS 13.0.1, no CUDA graph: the library's 'cholesky_");
  testHostTensors(linearAlgebra, (StitchCudaOptions){.eager = true}, "step by step");
  testDeviceTensors(linearAlgebra, "cusolver=10900"); // whose calls are not captured
  testThreads(linearAlgebra, model);
  testCallersStream(linearAlgebra);
  testOwnLinearAlgebra(linearAlgebra);
  testHostTensors(epilogues, (StitchCudaOptions){0}, "cuBLASLt 13.0.1, CUDA graph");
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
