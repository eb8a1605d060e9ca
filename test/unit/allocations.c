//===- allocations.c - the runtime when memory runs out ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-allocations MODEL.so DEVICE [INDEX]
//
// The allocation functions of the C library are ours here. Each allocation that the runtime makes in the life of a
// session, from loading the model to the end, fails in turn: the session says that it is out of memory, or does
// without and computes the same; and all that the runtime has allocated is released. Of CUDA a test double is used: NO
// GPU IS INVOLVED. With INDEX, the name of a file, sessions explore the versions of an adaptive model.
//
//===----------------------------------------------------------------------===//

#include "runtime/stitch_runtime.h"
#include "test/unit/check.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

/// This program, of which the runtime is a part; the linker defines them.
extern const char __executable_start, etext;

enum { MAX_ALIVE = 1 << 16 };

static struct {
  pthread_mutex_t lock;
  bool counting;
  int count;    ///< allocations of the runtime so far
  int failing;  ///< number of the one that fails; 0: none
  int numAlive; ///< of those that have not been released
  void *alive[MAX_ALIVE];
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

/// Whether an allocation may go on: it is not the runtime's, or not the one that is to fail.
static bool mayAllocate(const void *caller) {
  if (!heap.counting || (const char *)caller < &__executable_start || (const char *)caller >= &etext)
    return true;
  pthread_mutex_lock(&heap.lock);
  bool fails = ++heap.count == heap.failing;
  pthread_mutex_unlock(&heap.lock);
  if (fails)
    errno = ENOMEM;
  return !fails;
}

static void *note(const void *caller, void *memory) {
  if (!memory || !heap.counting || (const char *)caller < &__executable_start || (const char *)caller >= &etext)
    return memory;
  pthread_mutex_lock(&heap.lock);
  if (heap.numAlive == MAX_ALIVE)
    abort();
  heap.alive[heap.numAlive++] = memory;
  pthread_mutex_unlock(&heap.lock);
  return memory;
}

static void forget(const void *memory) {
  pthread_mutex_lock(&heap.lock);
  for (int i = heap.numAlive - 1; memory && i >= 0; --i)
    if (heap.alive[i] == memory) {
      heap.alive[i] = heap.alive[--heap.numAlive];
      break;
    }
  pthread_mutex_unlock(&heap.lock);
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t bytes) { return mayAllocate(CALLER) ? note(CALLER, __libc_malloc(bytes)) : NULL; }

void *calloc(size_t count, size_t bytes) {
  return mayAllocate(CALLER) ? note(CALLER, __libc_calloc(count, bytes)) : NULL;
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  return mayAllocate(CALLER) ? note(CALLER, __libc_memalign(alignment, bytes)) : NULL;
}

void *realloc(void *memory, size_t bytes) {
  if (!mayAllocate(CALLER))
    return NULL;
  void *moved = __libc_realloc(memory, bytes);
  if (moved)
    forget(memory);
  return note(CALLER, moved);
}

void free(void *memory) {
  forget(memory);
  __libc_free(memory);
}

//===----------------------------------------------------------------------===//
// A session's life
//===----------------------------------------------------------------------===//

enum { MAX_TENSORS = 16, MAX_RANK = 8, NUM_RUNS = 3, NUM_EXPLORING_RUNS = 12 };

static struct {
  StitchModel *model;                ///< stays loaded, for the tensors' shapes
  const char *file, *device, *index; ///< of a profile index; NULL: nothing is explored
  StitchTensor inputs[MAX_TENSORS], outputs[MAX_TENSORS];
  void *expected[MAX_TENSORS]; ///< the outputs of a run without failures
} test;

static size_t bytesOf(const StitchTensor *tensor) {
  return stitchTensorBytes(tensor->dtype, tensor->rank, tensor->dims);
}

/// The sizes of a tensor of the model when its inputs are as large as can be; `dims` are the largest for any.
static const int64_t *dimsOf(const StitchSize *sizes, int64_t rank, const int64_t *dims) {
  static int64_t all[2 * MAX_TENSORS][MAX_RANK];
  static int count;
  int64_t values[MAX_RANK], *own = all[count++];
  for (int64_t i = 0; i < stitchModelNumSymbols(test.model); ++i)
    values[i] = stitchModelSymbol(test.model, i).high;
  for (int64_t i = 0; i < rank; ++i)
    own[i] = sizes ? stitchModelSize(test.model, sizes[i], values) : dims[i];
  return own;
}

static StitchTensor newTensor(StitchDataType dtype, int32_t rank, const int64_t *dims) {
  StitchTensor tensor = {.dtype = dtype, .rank = rank, .dims = dims};
  tensor.data = aligned_alloc(64, (bytesOf(&tensor) + 64) / 64 * 64);
  if (!tensor.data)
    abort();
  memset(tensor.data, 0, bytesOf(&tensor));
  return tensor;
}

/// Loads the model, runs it, and gives everything back, while the runtime's allocations are counted.
static StitchStatus live(void) {
  StitchModel *model = NULL;
  StitchSession *session = NULL;
  StitchSessionOptions options = {.device = test.device, .cuda = {.libraries = STITCH_CUDA_DOUBLE_FOLDER "/all"}};
  options.adaptive.explore = test.index != NULL;
  options.adaptive.profileIndex = test.index;
  if (test.index)
    remove(test.index);
  heap.count = heap.numAlive = 0;
  heap.counting = true;
  StitchStatus status = stitchModelLoad(test.file, &model);
  if (!status)
    status = stitchSessionCreate(model, &options, &session);
  for (int run = 0; run < (test.index ? NUM_EXPLORING_RUNS : NUM_RUNS) && !status; ++run)
    status =
        stitchSessionRun(session, test.inputs, stitchModelNumInputs(model), test.outputs, stitchModelNumOutputs(model));
  stitchSessionFree(session);
  stitchModelFree(model);
  heap.counting = false;
  return status;
}

static bool outputsAreRight(void) {
  for (int64_t i = 0; i < stitchModelNumOutputs(test.model); ++i)
    if (memcmp(test.outputs[i].data, test.expected[i], bytesOf(&test.outputs[i])) != 0)
      return false;
  return true;
}

static void begin(const char *file, const char *device) {
  test.file = file;
  test.device = device;
  CHECK_OK(stitchModelLoad(file, &test.model));
  if (!test.model || stitchModelNumInputs(test.model) > MAX_TENSORS || stitchModelNumOutputs(test.model) > MAX_TENSORS)
    exit(1);
  for (int64_t i = 0; i < stitchModelNumInputs(test.model); ++i) {
    StitchInputInfo info = stitchModelInput(test.model, i);
    test.inputs[i] = newTensor(info.dtype, info.rank, dimsOf(info.sizes, info.rank, info.dims));
  }
  for (int64_t i = 0; i < stitchModelNumOutputs(test.model); ++i) {
    StitchOutputInfo info = stitchModelOutput(test.model, i);
    test.outputs[i] = newTensor(info.dtype, info.rank, dimsOf(info.sizes, info.rank, info.dims));
  }
  CHECK_OK(live());
  for (int64_t i = 0; i < stitchModelNumOutputs(test.model); ++i) {
    test.expected[i] = newTensor(test.outputs[i].dtype, test.outputs[i].rank, test.outputs[i].dims).data;
    memcpy(test.expected[i], test.outputs[i].data, bytesOf(&test.outputs[i]));
  }
}

/// Whether the session said so.
static bool failAllocation(int number) {
  heap.failing = number;
  StitchStatus status = live();
  heap.failing = 0;
  if (status ? stitchStatusCode(status) != STITCH_OUT_OF_MEMORY : !outputsAreRight()) {
    fprintf(stderr, "allocation %d fails: %s\n", number, stitchStatusMessage(status));
    CHECK(false);
  }
  bool said = status != NULL;
  stitchStatusFree(status);
  if (heap.numAlive) {
    fprintf(stderr, "allocation %d fails: %d allocations are left behind\n", number, heap.numAlive);
    CHECK(false);
  }
  return said;
}

#if defined(__has_feature) && __has_feature(address_sanitizer)
enum { HAS_OTHER_ALLOCATOR = true };
#else
enum { HAS_OTHER_ALLOCATOR = false };
#endif

int main(int argc, char **argv) {
  if (HAS_OTHER_ALLOCATOR) {
    printf("AddressSanitizer has the allocation functions\n");
    return 0;
  }
  if (argc != 3 && argc != 4) {
    fprintf(stderr, "usage: %s MODEL.so DEVICE [INDEX]\n", argv[0]);
    return 2;
  }
  test.index = argv[3];
  begin(argv[1], argv[2]);
  int count = heap.count, said = 0;
  for (int i = 1; i <= count; ++i)
    said += failAllocation(i);
  CHECK_OK(live());
  CHECK(outputsAreRight());
  CHECK(said > 0);
  printf("%d of %d failures were reported, the session did without the others\n", said, count);
  stitchModelFree(test.model);
  return checkResult();
}
