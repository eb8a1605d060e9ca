//===- internal.h - between the files of the test double -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_CUDA_DOUBLE_INTERNAL_H
#define STITCH_TEST_CUDA_DOUBLE_INTERNAL_H

#include "runtime/cuda/cublaslt_abi.h"
#include "runtime/cuda/cuda_memory_abi.h"
#include "runtime/simt/simt.h"
#include "test/cuda_double/double.h"
#include "test/cuda_double/order.h"

#include <stdbool.h>

#define EXPORTED __attribute__((visibility("default")))

#define CUDA_SYMBOL(name, version, parameters) CUresult double_##name parameters;
#include "runtime/cuda/cuda_symbols.def"
#undef CUDA_SYMBOL
/// Calls of kernel libraries in addition to those of the runtime (docs/kernel_libraries.md).
CUresult double_cuMemsetD32Async(CUdeviceptr pointer, unsigned int value, size_t count, CUstream stream);

//===----------------------------------------------------------------------===//
// control.c: configuration, calls, objects
//===----------------------------------------------------------------------===//

typedef struct {
  int driver, devices, arch, sms, shared;
  int cufft, cusolver, cublas, nccl; ///< versions
  int lose, stall;                   ///< operations of NCCL, and signals between processes
  char messages[128];                ///< the folder of NCCL's messages
  int late;                          ///< milliseconds before each kernel of a model
  int windows;                       ///< whether processes can share memory
  int wrong;                         ///< kernels of a model leave something wrong
  int launch_ns, block_ns, call_ns, column_ns, batch_ns, algorithm_ns, wait_ns, noise,
      random;    ///< of a made-up clock; 0: times are real
  int races;     ///< whether they are looked for
  int skip_wait; ///< the call of cuStreamWaitEvent that does nothing
  int splits;    ///< products of few elements split their sums, where they may
  long long seed;
  char models[16][512]; ///< with the programs of images that are in no model file
  int numModels;
} DoubleConfig;
extern DoubleConfig config;

/// Locks the double for the rest of the function, notes the call, and returns if it is to fail. Not for calls after
/// a sticky error that must work: those begin with ENTER_ALWAYS.
#define ENTER(name)                                                                                                    \
  __attribute__((cleanup(leave))) int entered = enterLock();                                                           \
  int injected = enterCall(#name);                                                                                     \
  if (injected)                                                                                                        \
    return injected;                                                                                                   \
  (void)entered
#define ENTER_CONTEXT(name)                                                                                            \
  ENTER(name);                                                                                                         \
  if (!currentContext(#name))                                                                                          \
    return CUDA_ERROR_INVALID_CONTEXT;                                                                                 \
  if (stickyError)                                                                                                     \
  return stickyError

/// The invalid value that a failed call may leave in place of a handle.
#define POISON ((void *)(uintptr_t)16)

int enterLock(void);
/// Lets other threads in for a moment, while an operation waits for another process.
void pauseUnlocked(void);
void leave(const int *entered);
int enterCall(const char *name);
bool isMissing(const char *name);
/// How often a function has been called, for one that is being called.
int callsOf(const char *name);

/// The error that a broken kernel leaves behind: every call in the context fails with it.
extern CUresult stickyError;

/// Notes that the program has done something forbidden.
__attribute__((format(printf, 1, 2))) void violation(const char *format, ...);

typedef enum {
  KIND_CONTEXT = 0x51,
  KIND_STREAM,
  KIND_EVENT,
  KIND_MODULE,
  KIND_FUNCTION,
  KIND_GRAPH,
  KIND_NODE,
  KIND_EXEC,
  KIND_DEVICE_MEMORY,
  KIND_PHYSICAL_MEMORY,
  KIND_PINNED_MEMORY,
  KIND_BLAS,
  KIND_MATMUL,
  KIND_LAYOUT,
  KIND_PREFERENCE,
  KIND_DNN,
  KIND_DNN_DESCRIPTOR,
  KIND_FFT_PLAN,
  KIND_CUBLAS,
  KIND_SOLVER,
  KIND_SOLVER_PARAMETERS,
  KIND_COMMUNICATOR,
} Kind;

/// The beginning of everything that has a handle. Never freed: a destroyed one is recognised.
typedef struct Object {
  Kind kind;
  bool alive;
  struct Object *next;
} Object;

/// A new object of `size` bytes, zeroed behind its beginning. Functions and nodes live with their module and graph, and
/// are not counted.
void *newObject(Kind kind, size_t size);
void destroyObject(void *object);
/// Whether a handle is a living object of a kind; reports it if not.
bool isObject(const void *handle, Kind kind, const char *function);
Object *firstObject(void);

//===----------------------------------------------------------------------===//
// driver.c: device, context
//===----------------------------------------------------------------------===//

/// Whether the calling thread has a context that is alive; reports it if not.
bool currentContext(const char *function);
/// The number of the GPU of that context; -1: there is none.
int currentOrdinal(void);

//===----------------------------------------------------------------------===//
// memory.c
//===----------------------------------------------------------------------===//

/// The host memory behind a device address with `bytes` bytes after it; NULL if that is not all in one allocation.
void *translate(CUdeviceptr address, size_t bytes);
/// Whether host memory is page-locked.
bool isPinned(const void *pointer);
/// Where memory that `translate` has given, or page-locked memory, is in its allocation of `size` bytes; false if it is
/// neither.
bool placeOf(const void *pointer, size_t *offset, size_t *size);

//===----------------------------------------------------------------------===//
// module.c
//===----------------------------------------------------------------------===//

enum { MAX_PARAMETERS = 512 };

typedef struct Module {
  Object object;
} Module;

/// The tensor behind a parameter of a kernel.
typedef struct {
  size_t bytes; ///< 0: not known
  bool isStore;
} ParameterTouch;

typedef struct {
  Object object;
  Module *module;
  char name[128];
  StitchSimtKernel simt;     ///< a kernel of a model
  void (*own)(const void *); ///< one of the runtime's own kernels, which takes its parameters as a struct
  int numOwnPointers;        ///< the first fields of that struct
  int numParameters;
  int parameterBytes[MAX_PARAMETERS];
  ParameterTouch touches[MAX_PARAMETERS]; ///< of a kernel of a model, as the model file describes it
  int requiredBlock;                      ///< 0: any
  int registers, cluster;
  bool waits; ///< for the grids before it, before it does anything
  int sharedAllowed;
} Function;

int residentBlocks(const Function *function, int block, size_t sharedBytes);

//===----------------------------------------------------------------------===//
// kernel.c
//===----------------------------------------------------------------------===//

struct StitchModelDescriptor;

/// Fills in `touches` of a kernel of a model.
void describeTouches(Function *function, const struct StitchModelDescriptor *model, int64_t kernel);

//===----------------------------------------------------------------------===//
// stream.c: operations
//===----------------------------------------------------------------------===//

typedef enum { OP_KERNEL, OP_SET, OP_COPY, OP_RECORD, OP_WAIT, OP_MATMUL, OP_CONVOLUTION, OP_WORK } OpKind;

/// The work of a library in one operation: the beginning of a struct with all that it needs. A graph can be updated
/// from one to another that runs the same function.
typedef struct Work {
  bool (*run)(const struct Work *work); ///< false if an address is not device memory
  size_t bytes;                         ///< of the struct
  const char *name;                     ///< of the library's function
  int64_t further;                      ///< products of a batch behind the first
} Work;

/// Something that a stream does. Copies of an operation share `parameters`, which nobody changes in place.
typedef struct {
  OpKind kind;
  Function *function; ///< KERNEL
  unsigned grid, block, sharedBytes;
  bool cooperative;
  unsigned char *parameters; ///< one after the other, each at a multiple of 8
  CUdeviceptr to, from;      ///< SET, COPY: a device address, or
  void *toHost;              ///< COPY to the host
  const void *fromHost;      ///< COPY from the host
  size_t bytes;
  unsigned char value;   ///< SET
  struct Event *event;   ///< RECORD, WAIT
  long long ticket;      ///< the number of the recording that is made or waited for
  double earliest;       ///< on the made-up clock: when it was enqueued
  struct Launch *launch; ///< of a graph that it is a node of
  size_t node;
  struct Matmul *matmul; ///< MATMUL
  struct RunConvolution *convolution;
  const Work *work;
  uint64_t problem; ///< of a call: a hash of its problem
  int64_t columns;  ///< of a product of cuBLASLt: those of its result
  int fasterWays;   ///< of a call: algorithms that take less time on the made-up clock
  int stream;       ///< number of the one that it was enqueued on, or captured on
  const Position *position;
} Op;

typedef struct {
  Op *ops;
  size_t count, capacity;
  size_t next; ///< those before it have run
} Queue;

/// The nodes that the next operation of a captured stream depends on.
enum { MAX_DEPENDENCIES = 16 };
typedef struct {
  CUgraphNode nodes[MAX_DEPENDENCIES];
  size_t count;
} Dependencies;

void append(Queue *queue, const Op *op);

/// Runs a launch (kernel.c); false if a parameter is not device memory, or after a failed check.
bool runKernel(const Op *op);

typedef struct Stream {
  Object object;
  Queue queue;
  struct Graph *capture; ///< NULL: the stream executes its operations
  bool invalidated;
  bool isBranch; ///< it came into the capture by an event
  Dependencies dependencies;
  double now; ///< of the made-up clock: the end of the operations that have run
  Timeline timeline;
  bool isBlocking; ///< waits for the legacy default stream, and that for it
  unsigned long long thread;
  bool isRunning; ///< an operation, in some thread
} Stream;

/// Enqueues an operation, or records it if the stream is captured.
/// The stream of a handle; NULL, and a violation, if it is none. 1 is the legacy default stream (cuda.h's
/// CU_STREAM_LEGACY), which nobody has created, and which can be neither captured nor destroyed.
Stream *streamOf(CUstream handle, const char *function);
bool isLegacy(const Stream *stream);

CUresult enqueue(CUstream stream, const Op *op);
/// The last launch of an executable graph. Zero-initialised there was none.
typedef struct {
  Stream *stream;
  Clock clock;
} LastLaunch;
/// Where the nodes of a graph are that is launched now, which becomes the last launch.
const Position *placeLaunch(Stream *stream, LastLaunch *last);
/// The same for a copy of a library's work.
CUresult enqueueWork(CUstream stream, const Work *work);
/// Runs the queue of a stream, or of all.
CUresult flush(Stream *stream);
CUresult flushAll(void);
/// The host waits for a stream.
CUresult synchronize(Stream *stream);
/// Makes the captures of this thread end with an error; false if there are none.
bool spoilCaptures(void);
/// For calls that may disturb a capture of this thread: spoils it and returns the error.
CUresult unsafeInCapture(const char *function);
bool isUsedByQueue(const Module *module);

//===----------------------------------------------------------------------===//
// graph.c
//===----------------------------------------------------------------------===//

typedef struct {
  Object object;
  Op op;
  size_t index;
  Dependencies dependencies;
} Node;

/// When the nodes of a graph that is launched have ended.
typedef struct Launch {
  struct Launch *next;
  size_t count;
  double begin;               ///< negative: it has not begun
  Dependencies *dependencies; ///< of each node
  double *ends;
} Launch;

/// Adds those of `from` that are missing in `to`; false if there are too many.
bool addDependencies(Dependencies *to, const Dependencies *from);

typedef struct Graph {
  Object object;
  Node **nodes;
  size_t count, capacity;
} Graph;

Node *addNode(Graph *graph, const Op *op, const Dependencies *dependencies);
void destroyGraph(Graph *graph);

//===----------------------------------------------------------------------===//
// cublaslt.c
//===----------------------------------------------------------------------===//

/// A matrix product with all that it needs.
typedef struct Matmul Matmul;
/// False if an address is not device memory.
bool runMatmul(const Matmul *matmul);
bool sameMatmul(const Matmul *a, const Matmul *b);

/// A product as functions of BLAS are given it, all matrices column-major.
typedef struct {
  cublasOperation_t transA, transB;
  int64_t m, n, k, lda, ldb, ldc;
  cudaDataType aType, bType, cType;
  cublasComputeType_t compute;
} PlainMatmul;
/// Whether cublasGemmBatchedEx's table has its types and its sizes fit together; reports it if not.
bool isPlainMatmul(const PlainMatmul *matmul, const char *function);
/// Whether alpha is 1 and beta 0 in the type in which it scales.
bool isUnscaled(const PlainMatmul *matmul, const void *alpha, const void *beta);
/// Runs it. False if an address is not device memory.
bool runPlainMatmul(const PlainMatmul *matmul, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c);

//===----------------------------------------------------------------------===//
// cudnn_run.c
//===----------------------------------------------------------------------===//

/// As runMatmul and sameMatmul.
bool runConvolution(const struct RunConvolution *convolution);
bool sameConvolution(const struct RunConvolution *a, const struct RunConvolution *b);

#endif // STITCH_TEST_CUDA_DOUBLE_INTERNAL_H
