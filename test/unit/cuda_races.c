//===- cuda_races.c - the test double's check for missing orders ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-cuda_races TANH.so CHECKED.so
//
// Pairs of operations on two streams that touch the same bytes, with and without an order, step by step and in a graph.
// Both files have the hyperbolic tangent of 96 x 64 f32; CHECKED.so was compiled with checks. NO GPU IS INVOLVED.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cufft_abi.h"
#include "runtime/cuda/own_kernels.h"
#include "runtime/device.h"
#include "test/unit/cuda_session.h"

enum { ELEMENTS = 96 * 64, BYTES = 4 * ELEMENTS, POINTS = 8, NUM_BUFFERS = 4 };

#define CUFFT_SYMBOL(name, parameters) cufftResult(*name) parameters;
static struct {
#include "runtime/cuda/cufft_symbols.def"
} fft;
#undef CUFFT_SYMBOL

static StitchCuda *cuda;
static StitchOwnKernels ownKernels;
static cufftHandle plan;
static CUstream streams[2];
static CUevent events[3];
static CUdeviceptr buffers[NUM_BUFFERS];

/// A model with one kernel, and the launch that its host code asks for.
typedef struct {
  StitchModel *model;
  StitchCudaModule *module;
  StitchCudaLaunch launch;
} Kernel;
static Kernel plain, checked;

//===----------------------------------------------------------------------===//
// Operations: each reads all of a buffer and writes all of another
//===----------------------------------------------------------------------===//

typedef struct {
  const char *name; ///< in messages
  void (*enqueue)(CUstream stream, CUdeviceptr from, CUdeviceptr to);
} Operation;

static int32_t keepLaunch(void *context, int64_t kernel, int64_t grid, int64_t block, int64_t sharedBytes,
                          int64_t cooperative, void *const *arguments, int64_t numArguments) {
  (void)arguments;
  ((Kernel *)context)->launch = (StitchCudaLaunch){.kernel = kernel,
                                                   .grid = grid,
                                                   .block = block,
                                                   .sharedBytes = sharedBytes,
                                                   .cooperative = cooperative != 0,
                                                   .numArguments = numArguments};
  return 0;
}
static void ignoreSite(void *context, int64_t site) { (void)context, (void)site; }

static void loadKernel(const char *path, Kernel *kernel) {
  void *tensors[1] = {NULL};
  CHECK_OK(stitchModelLoad(path, &kernel->model));
  const StitchModelDescriptor *model = stitchModelDescriptor(kernel->model);
  StitchHostCallbacks callbacks = {.launchContext = kernel, .launch = keepLaunch, .at = ignoreSite};
  CHECK(model->run(&callbacks, tensors, tensors, NULL, NULL) == 0 && kernel->launch.numArguments == 2);
  CHECK_OK(stitchCudaModuleLoad(cuda, model, &kernel->module));
}

static void launch(const Kernel *kernel, CUstream stream, CUdeviceptr from, CUdeviceptr to) {
  void *arguments[2] = {(void *)(uintptr_t)from, (void *)(uintptr_t)to}, *parameters[2];
  StitchCudaLaunch launch = kernel->launch;
  launch.arguments = arguments;
  CHECK_OK(stitchCudaModulePrepare(kernel->module, &launch));
  CHECK_OK(stitchCudaModuleLaunch(kernel->module, &launch, stream, parameters));
}

static void launchPlain(CUstream stream, CUdeviceptr from, CUdeviceptr to) { launch(&plain, stream, from, to); }
static void launchChecked(CUstream stream, CUdeviceptr from, CUdeviceptr to) { launch(&checked, stream, from, to); }

static void pack(CUstream stream, CUdeviceptr from, CUdeviceptr to) {
  StitchKernelAxes axes = {.rank = 1, .sizes = {ELEMENTS}, .strides = {1}};
  CHECK_OK(stitchOwnKernelsPack(&ownKernels, &axes, 4, (void *)(uintptr_t)from, (void *)(uintptr_t)to, stream));
}

static void copy(CUstream stream, CUdeviceptr from, CUdeviceptr to) {
  CHECK_OK(CUDA_CALL(cuda, cuMemcpyDtoDAsync, to, from, BYTES, stream));
}

static void transform(CUstream stream, CUdeviceptr from, CUdeviceptr to) {
  CHECK(fft.cufftSetStream(plan, stream) == CUFFT_SUCCESS);
  CHECK(fft.cufftExecC2C(plan, (void *)(uintptr_t)from, (void *)(uintptr_t)to, CUFFT_FORWARD) == CUFFT_SUCCESS);
}

static const Operation operations[] = {{"kernel 'fusion_0'", launchPlain},
                                       {"kernel 'fusion_0'", launchChecked},
                                       {"kernel 'stitch_pack'", pack},
                                       {"cuMemcpyDtoDAsync", copy},
                                       {"cufftExecC2C", transform}};
enum { NUM_OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

static void begin(char **paths) {
  CHECK_OK(stitchCudaCreate(folder, 0, &cuda));
  CHECK_OK(stitchCudaEnter(cuda));
  for (int i = 0; i < NUM_BUFFERS; ++i)
    CHECK_OK(CUDA_CALL(cuda, cuMemAlloc, &buffers[i], BYTES));
  for (int i = 0; i < 2; ++i)
    CHECK_OK(CUDA_CALL(cuda, cuStreamCreate, &streams[i], CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < 3; ++i)
    CHECK_OK(CUDA_CALL(cuda, cuEventCreate, &events[i], CU_EVENT_DISABLE_TIMING));
  CHECK_OK(stitchOwnKernelsLoad(cuda, &ownKernels));
  loadKernel(paths[0], &plain);
  loadKernel(paths[1], &checked);
  void *library = dlopen(STITCH_CUDA_DOUBLE_FOLDER "/all/libcufft.so.12", RTLD_NOW);
#define CUFFT_SYMBOL(name, parameters) *(void **)&fft.name = dlsym(library, #name);
#include "runtime/cuda/cufft_symbols.def"
#undef CUFFT_SYMBOL
  long long points = POINTS;
  size_t workspace = 0;
  CHECK(fft.cufftCreate(&plan) == CUFFT_SUCCESS && fft.cufftSetAutoAllocation(plan, 0) == CUFFT_SUCCESS);
  CHECK(fft.cufftMakePlanMany64(plan, 1, &points, NULL, 1, 1, NULL, 1, 1, CUFFT_C2C, BYTES / 8 / POINTS, &workspace) ==
        CUFFT_SUCCESS);
  CHECK(workspace == 0);
}

static void end(void) {
  CHECK(fft.cufftDestroy(plan) == CUFFT_SUCCESS);
  stitchCudaModuleFree(plain.module);
  stitchCudaModuleFree(checked.module);
  stitchModelFree(plain.model);
  stitchModelFree(checked.model);
  stitchOwnKernelsFree(&ownKernels);
  for (int i = 0; i < 3; ++i)
    CHECK_OK(CUDA_CALL(cuda, cuEventDestroy, events[i]));
  for (int i = 0; i < 2; ++i)
    CHECK_OK(CUDA_CALL(cuda, cuStreamDestroy, streams[i]));
  for (int i = 0; i < NUM_BUFFERS; ++i)
    CHECK_OK(CUDA_CALL(cuda, cuMemFree, buffers[i]));
  stitchCudaLeave(cuda);
  stitchCudaRelease(cuda);
  CHECK_CLEAN();
}

static void synchronize(void) {
  for (int i = 0; i < 2; ++i)
    CHECK_OK(CUDA_CALL(cuda, cuStreamSynchronize, streams[i]));
}

/// The next operation on a stream waits for those on the other.
static void await(int stream, CUevent event) {
  CHECK_OK(CUDA_CALL(cuda, cuEventRecord, event, streams[1 - stream]));
  CHECK_OK(CUDA_CALL(cuda, cuStreamWaitEvent, streams[stream], event, 0));
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// Buffers that the first operation, on the first stream, reads and writes, and those of the second.
typedef struct {
  int from, to, otherFrom, otherTo;
  bool isRace; ///< without an order
  const char *does, *otherDoes;
} Pair;
static const Pair pairs[] = {{0, 1, 1, 2, true, "writes", "reads"},
                             {0, 1, 2, 0, true, "reads", "writes"},
                             {0, 1, 2, 1, true, "writes", "writes"},
                             {0, 1, 0, 2, false, "", ""},
                             {0, 1, 2, 3, false, "", ""}};

static void enqueuePair(const Operation *one, const Operation *other, const Pair *pair, bool waits) {
  one->enqueue(streams[0], buffers[pair->from], buffers[pair->to]);
  if (waits)
    await(1, events[0]);
  other->enqueue(streams[1], buffers[pair->otherFrom], buffers[pair->otherTo]);
}

/// Both streams as branches of a graph, which runs twice: the operations of one launch are before the next.
static void runGraph(const Operation *one, const Operation *other, const Pair *pair, bool waits) {
  CUgraph graph = NULL;
  CUgraphExec exec = NULL;
  CHECK_OK(CUDA_CALL(cuda, cuStreamBeginCapture, streams[0], CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  await(1, events[1]);
  enqueuePair(one, other, pair, waits);
  await(0, events[2]);
  CHECK_OK(CUDA_CALL(cuda, cuStreamEndCapture, streams[0], &graph));
  CHECK_OK(CUDA_CALL(cuda, cuGraphInstantiateWithFlags, &exec, graph, 0));
  CHECK_OK(CUDA_CALL(cuda, cuGraphLaunch, exec, streams[0]));
  CHECK_OK(CUDA_CALL(cuda, cuGraphLaunch, exec, streams[1]));
  synchronize();
  CHECK_OK(CUDA_CALL(cuda, cuGraphExecDestroy, exec));
  CHECK_OK(CUDA_CALL(cuda, cuGraphDestroy, graph));
}

/// Whether the only kind of race there is was found, with the names of both, and the bytes.
static bool isFound(const char *text, const Operation *one, const Operation *other, const Pair *pair) {
  char bytes[64], does[128], otherDoes[128];
  snprintf(bytes, sizeof(bytes), "the same %d bytes, the first at 0 of the %d that", BYTES, BYTES);
  snprintf(does, sizeof(does), "%s on stream 1", one->name);
  snprintf(otherDoes, sizeof(otherDoes), "%s on stream 2", other->name);
  return strstr(text, does) && strstr(text, otherDoes) && strstr(text, bytes) && strstr(text, pair->does) &&
         strstr(text, pair->otherDoes);
}

/// Of any two operations, in either order in which the double may do them.
static void testPairs(bool isGraph) {
  char text[1024];
  for (int i = 0; i < NUM_OPERATIONS * NUM_OPERATIONS; ++i)
    for (size_t p = 0; p < sizeof(pairs) / sizeof(pairs[0]); ++p)
      for (int waits = 0; waits < 2; ++waits) {
        const Operation *one = &operations[i / NUM_OPERATIONS], *other = &operations[i % NUM_OPERATIONS];
        if (isGraph)
          runGraph(one, other, &pairs[p], waits != 0);
        else
          enqueuePair(one, other, &pairs[p], waits != 0);
        synchronize();
        int count = doubled.forgive(text, sizeof(text));
        CHECK((count > 0) == (pairs[p].isRace && !waits));
        CHECK(count == 0 || isFound(text, one, other, &pairs[p]));
        CHECK(!count || (strstr(text, "of a graph on stream") != NULL) == isGraph);
      }
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

static int racesOfSecond(void) {
  char text[1024];
  copy(streams[1], buffers[1], buffers[2]);
  synchronize();
  return doubled.forgive(text, sizeof(text));
}

/// The host waits for the stream, for an event behind the operation, or for everything: but not for another stream or
/// for an event before it. An event stands for where it was recorded when it was waited for.
static void testOrder(void) {
  copy(streams[0], buffers[0], buffers[1]);
  CHECK_OK(CUDA_CALL(cuda, cuStreamSynchronize, streams[0]));
  CHECK(racesOfSecond() == 0);
  copy(streams[0], buffers[0], buffers[1]);
  CHECK_OK(CUDA_CALL(cuda, cuStreamSynchronize, streams[1]));
  CHECK(racesOfSecond() == 1);
  copy(streams[0], buffers[0], buffers[1]);
  CHECK_OK(CUDA_CALL(cuda, cuEventRecord, events[0], streams[0]));
  CHECK_OK(CUDA_CALL(cuda, cuEventSynchronize, events[0]));
  CHECK(racesOfSecond() == 0);
  CHECK_OK(CUDA_CALL(cuda, cuEventRecord, events[0], streams[0]));
  copy(streams[0], buffers[0], buffers[1]);
  CHECK_OK(CUDA_CALL(cuda, cuEventSynchronize, events[0]));
  CHECK(racesOfSecond() == 1);
  CHECK_OK(CUDA_CALL(cuda, cuEventRecord, events[0], streams[0]));
  copy(streams[0], buffers[0], buffers[1]);
  CHECK_OK(CUDA_CALL(cuda, cuStreamWaitEvent, streams[1], events[0], 0));
  CHECK(racesOfSecond() == 1);
  CHECK_OK(CUDA_CALL(cuda, cuEventRecord, events[0], streams[0]));
  CHECK_OK(CUDA_CALL(cuda, cuStreamWaitEvent, streams[1], events[0], 0));
  copy(streams[0], buffers[0], buffers[1]);
  CHECK_OK(CUDA_CALL(cuda, cuEventRecord, events[0], streams[0]));
  CHECK(racesOfSecond() == 1);
  CUdeviceptr another = 0;
  copy(streams[0], buffers[0], buffers[1]);
  CHECK_OK(CUDA_CALL(cuda, cuMemAlloc, &another, 1));
  CHECK_OK(CUDA_CALL(cuda, cuMemFree, another));
  CHECK(racesOfSecond() == 0);
}

/// The legacy default stream waits for streams that are not CU_STREAM_NON_BLOCKING.
static void testLegacy(void) {
  CUstream legacy = (CUstream)(uintptr_t)1, blocking = NULL;
  CHECK_OK(CUDA_CALL(cuda, cuStreamCreate, &blocking, 0));
  copy(legacy, buffers[0], buffers[1]);
  copy(blocking, buffers[1], buffers[2]);
  copy(legacy, buffers[3], buffers[1]);
  CHECK_OK(CUDA_CALL(cuda, cuStreamDestroy, blocking));
  CHECK_OK(CUDA_CALL(cuda, cuStreamSynchronize, legacy));
  CHECK(doubled.violations() == 0 && racesOfSecond() == 0);
  char text[1024];
  copy(legacy, buffers[0], buffers[1]);
  copy(streams[1], buffers[1], buffers[2]);
  CHECK_OK(CUDA_CALL(cuda, cuStreamSynchronize, legacy));
  synchronize();
  CHECK(doubled.forgive(text, sizeof(text)) == 1);
}

/// Bytes between those that a row-wise copy writes are another's.
static void testBytes(void) {
  StitchKernelAxes even = {.rank = 1, .sizes = {ELEMENTS / 2}, .strides = {2}};
  char text[1024];
  for (int offset = 0; offset < 2; ++offset) {
    CHECK_OK(CUDA_CALL(cuda, cuMemsetD8Async, buffers[0] + 4, 0, 4, streams[0]));
    CHECK_OK(stitchOwnKernelsPack(&ownKernels, &even, 4, (void *)(uintptr_t)(buffers[0] + 4 * (CUdeviceptr)offset),
                                  (void *)(uintptr_t)buffers[1], streams[1]));
    synchronize();
    CHECK(doubled.forgive(text, sizeof(text)) == offset &&
          (!offset || strstr(text, "the same 4 bytes, the first at 4 of")));
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: unit-cuda_races TANH.so CHECKED.so\n");
    return 1;
  }
  openDouble();
  doubled.configure("");
  begin(argv + 1);
  for (int order = 0; order < 3; ++order) {
    char configuration[32];
    snprintf(configuration, sizeof(configuration), "seed=%d", order);
    doubled.configure(configuration);
    testPairs(false);
    testPairs(true);
  }
  testOrder();
  testLegacy();
  testBytes();
  end();
  return checkResult();
}
