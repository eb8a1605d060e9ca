//===- cufft.c - cuFFT of the test double --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cooley and Tukey's algorithm, in the precision of the plan, not divided by the number of points. As the real ones do,
// a plan must not be made during a capture, and one without memory of its own needs a workspace, over which each
// execution writes; a transform to real numbers writes over its input, too, which must be half a spectrum of real
// numbers.
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/elements.h"
#include "test/cuda_double/internal.h"
#include "test/cuda_double/touches.h"

#include "runtime/cuda/cufft_abi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CUFFT_SYMBOL(name, parameters) EXPORTED cufftResult name parameters;
#include "runtime/cuda/cufft_symbols.def"
#undef CUFFT_SYMBOL

enum { MAX_RANK = 3 };

typedef struct {
  Object object;
  int handle;
  bool made, allocates;
  cufftType type;
  int rank;
  int64_t sizes[MAX_RANK];
  int64_t batch;
  size_t workspaceBytes;
  CUdeviceptr workspace;
  CUstream stream;
} Plan;

/// An execution.
typedef struct {
  Work work;
  Plan plan; ///< as it was
  CUdeviceptr from, to;
  int direction;
} Transform;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static bool isDouble(cufftType type) { return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D; }
static bool isFromReal(cufftType type) { return type == CUFFT_R2C || type == CUFFT_D2Z; }
static bool isToReal(cufftType type) { return type == CUFFT_C2R || type == CUFFT_Z2D; }

static StitchElementType elementOf(const Plan *plan, bool isReal) {
  if (isReal)
    return isDouble(plan->type) ? STITCH_ELEMENT_F64 : STITCH_ELEMENT_F32;
  return isDouble(plan->type) ? STITCH_ELEMENT_COMPLEX128 : STITCH_ELEMENT_COMPLEX64;
}

static int64_t pointsOf(const Plan *plan) {
  int64_t points = 1;
  for (int i = 0; i < plan->rank; ++i)
    points *= plan->sizes[i];
  return points;
}

/// Elements of a block in memory: real numbers, complex ones, or half a spectrum.
static int64_t storedElements(const Plan *plan, bool isHalf) {
  int64_t last = plan->sizes[plan->rank - 1];
  return isHalf ? pointsOf(plan) / last * (last / 2 + 1) : pointsOf(plan);
}

//===----------------------------------------------------------------------===//
// The algorithm
//===----------------------------------------------------------------------===//

/// Where element `index` of a whole spectrum is in half of one; or, if it is not there, its conjugate.
static int64_t inHalf(const Plan *plan, int64_t index, bool *isConjugate) {
  int64_t coordinates[MAX_RANK], last = plan->rank - 1, result = 0;
  for (int64_t i = last; i >= 0; index /= plan->sizes[i], --i)
    coordinates[i] = index % plan->sizes[i];
  *isConjugate = coordinates[last] > plan->sizes[last] / 2;
  for (int64_t i = 0; i <= last; ++i) {
    int64_t at = *isConjugate ? (plan->sizes[i] - coordinates[i]) % plan->sizes[i] : coordinates[i];
    result = result * (i == last ? plan->sizes[i] / 2 + 1 : plan->sizes[i]) + at;
  }
  return result;
}

/// All points of a block, whatever part of them is stored.
static double complex *loadBlock(const Plan *plan, const void *data, int64_t block) {
  int64_t points = pointsOf(plan), stored = storedElements(plan, isToReal(plan->type));
  double complex *result = malloc((size_t)points * sizeof(*result));
  if (!result)
    abort();
  for (int64_t i = 0; i < points; ++i) {
    bool isConjugate = false;
    int64_t at = isToReal(plan->type) ? inHalf(plan, i, &isConjugate) : i;
    double complex value = loadComplexElement(elementOf(plan, isFromReal(plan->type)), data, block * stored + at);
    result[i] = isConjugate ? conj(value) : value;
  }
  return result;
}

static void storeBlock(const Plan *plan, void *data, int64_t block, const double complex *values) {
  int64_t points = pointsOf(plan), stored = storedElements(plan, isFromReal(plan->type));
  for (int64_t i = 0; i < points; ++i) {
    bool isConjugate = false;
    int64_t at = isFromReal(plan->type) ? inHalf(plan, i, &isConjugate) : i;
    if (!isConjugate)
      storeComplexElement(elementOf(plan, isToReal(plan->type)), data, block * stored + at, values[i]);
  }
}

/// In the precision of the plan.
static double complex rounded(const Plan *plan, double complex x) {
  return isDouble(plan->type) ? x : __builtin_complex((double)(float)creal(x), (double)(float)cimag(x));
}

static double complex root(const Plan *plan, int64_t k, int64_t points, int direction) {
  double angle = direction * 2.0 * acos(-1.0) * (double)(k % points) / (double)points;
  return rounded(plan, __builtin_complex(cos(angle), sin(angle)));
}

/// `points` elements of `x`, `stride` apart, into `line`.
static void transformLine(const Plan *plan, const double complex *x, int64_t stride, int64_t points, int direction,
                          double complex *line) {
  int64_t radix = 2;
  while (radix < points && points % radix != 0)
    ++radix;
  if (points == 1) {
    line[0] = x[0];
    return;
  }
  int64_t rest = points / radix;
  double complex *parts = calloc((size_t)points, sizeof(*parts));
  if (!parts)
    abort();
  for (int64_t r = 0; r < radix; ++r)
    transformLine(plan, x + r * stride, radix * stride, rest, direction, parts + r * rest);
  for (int64_t k = 0; k < points; ++k) {
    line[k] = 0.0;
    for (int64_t r = 0; r < radix; ++r)
      line[k] =
          rounded(plan, line[k] + rounded(plan, parts[r * rest + k % rest] * root(plan, r * k, points, direction)));
  }
  free(parts);
}

static void transformBlock(const Plan *plan, double complex *values, int direction) {
  int64_t points = pointsOf(plan), stride = 1;
  double complex *line = calloc((size_t)points, sizeof(*line));
  if (!line)
    abort();
  for (int i = plan->rank - 1; i >= 0; stride *= plan->sizes[i], --i)
    for (int64_t first = 0; first < points; ++first) {
      if (first / stride % plan->sizes[i] != 0)
        continue;
      transformLine(plan, values + first, stride, plan->sizes[i], direction, line);
      for (int64_t k = 0; k < plan->sizes[i]; ++k)
        values[first + k * stride] = line[k];
    }
  free(line);
}

/// The real library may make anything of a spectrum that real numbers cannot have. `values` are those of half a
/// spectrum and the conjugates that belong to the other half.
static void checkIsOfReals(const Plan *plan, const double complex *values) {
  for (int64_t i = 0; i < pointsOf(plan); ++i) {
    int64_t mirrored = 0, stride = 1, rest = i;
    for (int d = plan->rank - 1; d >= 0; stride *= plan->sizes[d], rest /= plan->sizes[d], --d)
      mirrored += (plan->sizes[d] - rest % plan->sizes[d]) % plan->sizes[d] * stride;
    if (values[i] == values[i] && values[i] != conj(values[mirrored])) {
      violation("cufftExecC2R: the input is no half of a spectrum of real numbers");
      return;
    }
  }
}

static bool runTransform(const Work *work) {
  const Transform *t = (const Transform *)work;
  const Plan *plan = &t->plan;
  size_t fromBytes = (size_t)(plan->batch * storedElements(plan, isToReal(plan->type))) *
                     stitchElementBytes(elementOf(plan, isFromReal(plan->type)));
  size_t toBytes = (size_t)(plan->batch * storedElements(plan, isFromReal(plan->type))) *
                   stitchElementBytes(elementOf(plan, isToReal(plan->type)));
  void *from = translate(t->from, fromBytes), *to = translate(t->to, toBytes);
  void *workspace = plan->workspaceBytes ? translate(plan->workspace, plan->workspaceBytes) : NULL;
  if (!from || !to || (plan->workspaceBytes && !workspace))
    return false;
  if (workspace)
    memset(workspace, 0xff, plan->workspaceBytes);
  touch(workspace, plan->workspaceBytes, true);
  touch(from, fromBytes, isToReal(plan->type));
  touch(to, toBytes, true);
  for (int64_t block = 0; block < plan->batch; ++block) {
    double complex *values = loadBlock(plan, from, block);
    if (isToReal(plan->type))
      checkIsOfReals(plan, values);
    transformBlock(plan, values, t->direction);
    storeBlock(plan, to, block, values);
    free(values);
  }
  if (isToReal(plan->type))
    memset(from, 0xff, fromBytes);
  return true;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static Plan *planOf(cufftHandle handle, const char *function) {
  Plan *plan = NULL;
  for (Object *object = firstObject(); object && !plan; object = object->next)
    if (object->kind == KIND_FFT_PLAN && ((Plan *)object)->handle == handle)
      plan = (Plan *)object;
  if (!plan || !plan->object.alive)
    violation("%s: the plan %d is %s", function, handle, plan ? "destroyed" : "none");
  return plan && plan->object.alive ? plan : NULL;
}

cufftResult cufftGetVersion(int *version) {
  ENTER(cufftGetVersion);
  *version = config.cufft;
  return CUFFT_SUCCESS;
}

cufftResult cufftCreate(cufftHandle *handle) {
  static int next = 0;
  *handle = 1 << 30; // as a failed call may
  ENTER(cufftCreate);
  if (!currentContext("cufftCreate"))
    return CUFFT_SETUP_FAILED;
  Plan *plan = newObject(KIND_FFT_PLAN, sizeof(*plan));
  plan->handle = next++;
  plan->allocates = true;
  *handle = plan->handle;
  return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle handle) {
  ENTER(cufftDestroy);
  Plan *plan = planOf(handle, "cufftDestroy");
  if (!plan)
    return CUFFT_INVALID_PLAN;
  destroyObject(plan);
  return CUFFT_SUCCESS;
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int allocate) {
  ENTER(cufftSetAutoAllocation);
  Plan *plan = planOf(handle, "cufftSetAutoAllocation");
  if (!plan)
    return CUFFT_INVALID_PLAN;
  plan->allocates = allocate != 0;
  return CUFFT_SUCCESS;
}

cufftResult cufftMakePlanMany64(cufftHandle handle, int rank, long long int *sizes, long long int *inputSizes,
                                long long int inputStride, long long int inputDistance, long long int *outputSizes,
                                long long int outputStride, long long int outputDistance, cufftType type,
                                long long int batch, size_t *workspaceBytes) {
  ENTER(cufftMakePlanMany64);
  (void)inputStride, (void)inputDistance, (void)outputStride, (void)outputDistance; // of no meaning in the basic layout
  Plan *plan = planOf(handle, "cufftMakePlanMany64");
  if (!plan || plan->made)
    return CUFFT_INVALID_PLAN;
  if (unsafeInCapture("cufftMakePlanMany64"))
    return CUFFT_INTERNAL_ERROR;
  if (rank < 1 || rank > MAX_RANK || batch < 1 || inputSizes || outputSizes || plan->allocates)
    return CUFFT_INVALID_VALUE;
  plan->rank = rank;
  plan->type = type;
  plan->batch = batch;
  for (int i = 0; i < rank; ++i) {
    if (sizes[i] < 1)
      return CUFFT_INVALID_SIZE;
    plan->sizes[i] = sizes[i];
  }
  plan->made = true;
  plan->workspaceBytes = pointsOf(plan) > 8 ? (size_t)(pointsOf(plan) * batch) * 3 : 0; // no multiple of anything
  *workspaceBytes = plan->workspaceBytes;
  return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void *workspace) {
  ENTER(cufftSetWorkArea);
  Plan *plan = planOf(handle, "cufftSetWorkArea");
  if (!plan || !plan->made)
    return CUFFT_INVALID_PLAN;
  plan->workspace = (CUdeviceptr)(uintptr_t)workspace;
  return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle handle, CUstream stream) {
  ENTER(cufftSetStream);
  Plan *plan = planOf(handle, "cufftSetStream");
  if (!plan || !streamOf(stream, "cufftSetStream"))
    return CUFFT_INVALID_PLAN;
  plan->stream = stream;
  return CUFFT_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Executions
//===----------------------------------------------------------------------===//

static cufftResult execute(cufftHandle handle, cufftType type, void *from, void *to, int direction,
                           const char *function) {
  const Plan *plan = planOf(handle, function);
  if (!plan || !plan->made || plan->type != type)
    return CUFFT_INVALID_PLAN;
  if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)
    return CUFFT_INVALID_VALUE;
  if (plan->workspaceBytes && !plan->workspace)
    return CUFFT_NO_WORKSPACE;
  if ((isFromReal(type) || isToReal(type)) && from == to)
    violation("%s: half a spectrum has no room for real numbers in place", function);
  Transform transform = {
      .work = {runTransform, sizeof(transform), function, 0},
      .plan = *plan,
      .from = (CUdeviceptr)(uintptr_t)from,
      .to = (CUdeviceptr)(uintptr_t)to,
      .direction = direction,
  };
  return enqueueWork(plan->stream, &transform.work) ? CUFFT_EXEC_FAILED : CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *from, cufftComplex *to, int direction) {
  ENTER(cufftExecC2C);
  return execute(plan, CUFFT_C2C, from, to, direction, "cufftExecC2C");
}

cufftResult cufftExecR2C(cufftHandle plan, cufftReal *from, cufftComplex *to) {
  ENTER(cufftExecR2C);
  return execute(plan, CUFFT_R2C, from, to, CUFFT_FORWARD, "cufftExecR2C");
}

cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *from, cufftReal *to) {
  ENTER(cufftExecC2R);
  return execute(plan, CUFFT_C2R, from, to, CUFFT_INVERSE, "cufftExecC2R");
}

cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *from, cufftDoubleComplex *to, int direction) {
  ENTER(cufftExecZ2Z);
  return execute(plan, CUFFT_Z2Z, from, to, direction, "cufftExecZ2Z");
}

cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *from, cufftDoubleComplex *to) {
  ENTER(cufftExecD2Z);
  return execute(plan, CUFFT_D2Z, from, to, CUFFT_FORWARD, "cufftExecD2Z");
}

cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *from, cufftDoubleReal *to) {
  ENTER(cufftExecZ2D);
  return execute(plan, CUFFT_Z2D, from, to, CUFFT_INVERSE, "cufftExecZ2D");
}
