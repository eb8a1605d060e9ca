//===- simt.c - hand-written kernels on the simt device ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// unit-simt KERNELS.mlir [drop-barriers]
//
// Compiles the kernels of the file for this machine, runs each with several seeds and compares with a loop on the CPU.
// With drop-barriers the barriers are taken out first and the comparison of some seed has to fail.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include "capi/pass.h"
#include "lowering/llvm/llvm_kernel.h"
#include "lowering/llvm/llvm_object.h"
#include "runtime/simt/simt.h"
#include "stitch.h"

#include "llvm-c/Core.h"
#include "llvm-c/LLJIT.h"
#include "llvm-c/Orc.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

extern const StitchPassInfo gpuToSimtPass;

enum { SIZE = 4096, WORDS = 8192 };

/// Memory that kernels read and write, aligned as arguments have to be.
static _Alignas(64) float input[WORDS], input2[WORDS], output[WORDS], scratch[WORDS];
static _Alignas(64) uint16_t halfs[WORDS];
static _Alignas(64) int32_t integers[WORDS], integers2[WORDS];
static _Alignas(64) int64_t longs[WORDS];
static _Alignas(64) uint8_t bytes[WORDS];
static _Alignas(64) int32_t counter[16];

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static char *readText(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  static char text[1 << 20];
  size_t size = fread(text, 1, sizeof text - 1, file);
  text[size] = '\0';
  fclose(file);
  return text;
}

static void dropBarriers(MlirOperation module) {
  KernelOps barriers = kernelOpsCalled(module, "gpu.barrier");
  for (intptr_t i = 0; i < barriers.count; ++i)
    mlirOperationDestroy(barriers.data[i]);
  free(barriers.data);
}

static bool compile(const char *text, bool withoutBarriers, StitchLLVMCode *object) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  stitchRegisterEverything(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  bool ok = !mlirModuleIsNull(module);
  if (ok) {
    MlirOperation op = mlirModuleGetOperation(module);
    if (withoutBarriers)
      dropBarriers(op);
    MlirPassManager manager =
        mlirPassManagerCreateOnOperation(context, mlirStringRefCreateFromCString("builtin.module"));
    mlirPassManagerAddOwnedPass(manager, stitchCreatePass(&gpuToSimtPass));
    ok = mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, op)) &&
         mlirLogicalResultIsSuccess(stitchCompileHostObject(op, false, object));
    mlirPassManagerDestroy(manager);
    mlirModuleDestroy(module);
  }
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  return ok;
}

static bool succeeded(LLVMErrorRef error) {
  if (!error)
    return true;
  char *message = LLVMGetErrorMessage(error);
  fprintf(stderr, "%s\n", message);
  LLVMDisposeErrorMessage(message);
  return false;
}

static LLVMOrcLLJITRef loadObject(const StitchLLVMCode *object) {
  LLVMOrcLLJITRef jit = NULL;
  if (!succeeded(LLVMOrcCreateLLJIT(&jit, NULL)))
    return NULL;
  LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(jit);
  LLVMOrcDefinitionGeneratorRef process = NULL;
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(object->data, object->size, "kernels");
  bool ok = succeeded(
      LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL));
  if (ok)
    LLVMOrcJITDylibAddGenerator(library, process);
  return ok && succeeded(LLVMOrcLLJITAddObjectFile(jit, library, buffer)) ? jit : NULL;
}

static StitchSimtKernel findKernel(LLVMOrcLLJITRef jit, const char *name) {
  char symbol[128];
  snprintf(symbol, sizeof symbol, "%s_simt", name);
  LLVMOrcExecutorAddress address = 0;
  return succeeded(LLVMOrcLLJITLookup(jit, &address, symbol)) ? (StitchSimtKernel)(uintptr_t)address : NULL;
}

//===----------------------------------------------------------------------===//
// Inputs and references
//===----------------------------------------------------------------------===//

static float bf16Value(uint16_t bits) {
  uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

/// Round to nearest even; the test has no NaN here.
static uint16_t bf16Bits(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return (uint16_t)((word + 0x7fff + ((word >> 16) & 1)) >> 16);
}

static void fillInputs(void) {
  uint32_t state = 12345;
  for (int i = 0; i < WORDS; ++i) {
    state = state * 1664525 + 1013904223;
    input[i] = (float)(state >> 8) / (1 << 22) - 2.0f;
    input2[i] = (float)((state >> 4) & 0xffff) / 65536.0f;
    integers[i] = (int32_t)(state >> 12) - 500000;
    halfs[i] = bf16Bits(input[i]);
    bytes[i] = (state >> 20) & 1;
  }
  memset(output, 0, sizeof output);
  memset(integers2, 0, sizeof integers2);
  memset(longs, 0, sizeof longs);
}

static bool near(float a, float b, float bound) { return fabsf(a - b) <= bound * fmaxf(1.0f, fabsf(b)); }

static bool checkAdd(void) {
  for (int i = 0; i < SIZE; ++i)
    if (output[i] != expf(input[i]) + input2[i])
      return false;
  return true;
}

/// Rows of 512.
static bool checkSoftmax(void) {
  for (int row = 0; row < 8; ++row) {
    const float *x = input + row * 512;
    float max = x[0], sum = 0.0f;
    for (int i = 0; i < 512; ++i)
      max = fmaxf(max, x[i]);
    for (int i = 0; i < 512; ++i)
      sum += expf(x[i] - max);
    for (int i = 0; i < 512; ++i)
      if (!near(output[row * 512 + i], expf(x[i] - max) / sum, 1e-6f))
        return false;
  }
  return true;
}

/// C + A B of the lanes' fragments, each rounded in another order.
static bool checkProduct(void) {
  enum { ROWS = 16, COLUMNS = 8, CONTRACTED = 16 };
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j) {
      float sum = input[i * COLUMNS + j], magnitude = fabsf(sum);
      for (int k = 0; k < CONTRACTED; ++k) {
        float product = bf16Value(halfs[i * CONTRACTED + k]) * bf16Value(halfs[ROWS * CONTRACTED + k * COLUMNS + j]);
        sum += product;
        magnitude += fabsf(product);
      }
      if (!(fabsf(output[i * COLUMNS + j] - sum) <= 1e-5f * magnitude))
        return false;
    }
  return true;
}

/// To nearest, ties away from zero, by another way than on bits: TF32 has 10 bits and the exponents of f32.
static float roundedToTf32(float x) {
  int exponent;
  frexp((double)x, &exponent);
  double least = ldexp(1.0, (exponent < -125 ? -125 : exponent) - 11);
  return isfinite(x) ? (float)(round((double)x / least) * least) : x;
}

/// A tie and its neighbours, numbers that overflow to infinity and that just do not, subnormal numbers, NaN.
static _Alignas(16) float specials[32] = {
    0.0F,          -0.0F,       1.0F,       0x1.002p0F,   -0x1.002p0F,     0x1.001ffep0F,    0x1.006p0F,
    0x1.00200ep0F, 0x1.ffdp3F,  0x1.fffp3F, 0x1.ffep127F, 0x1.ffdffep127F, -0x1.fffffep127F, 0x1p-126F,
    0x1p-137F,     0x1.8p-137F, 0x1p-138F,  -0x1p-137F,   0x1p-149F,       0x1.ffffp-127F,   INFINITY,
    -INFINITY,     NAN,         -NAN,       0.1F,         -0.1F,           3.14159274F,      1e-38F,
    1e38F,         123456.789F, -1e-40F,    0x1.001p-130F};

static bool checkTf32Roundings(void) {
  for (int i = 0; i < 32; ++i) {
    float expected = roundedToTf32(specials[i]);
    bool isSame = isnan(expected) ? isnan(output[i]) : !memcmp(&expected, &output[i], sizeof(expected));
    if (!isSame) {
      printf("%a is rounded to %a, not %a\n", specials[i], output[i], expected);
      return false;
    }
  }
  return true;
}

static bool checkTf32Products(void) {
  enum { ROWS = 16, COLUMNS = 8 };
  const float *a = input, *c = output;
  for (int depth = 8; depth >= 4; depth -= 4, c += ROWS * COLUMNS) {
    const float *b = a + ROWS * depth;
    for (int i = 0; i < ROWS; ++i)
      for (int j = 0; j < COLUMNS; ++j) {
        double sum = 0, magnitude = 0;
        for (int k = 0; k < depth; ++k) {
          double product = (double)roundedToTf32(a[i * depth + k]) * (double)roundedToTf32(b[k * COLUMNS + j]);
          sum += product;
          magnitude += fabs(product);
        }
        if (!(fabs((double)c[i * COLUMNS + j] - sum) <= depth * 0x1p-24 * magnitude))
          return false;
      }
    a = b + depth * COLUMNS;
  }
  return true;
}

static bool checkWideMatrices(void) {
  for (int matrix = 0; matrix < 6; ++matrix)
    for (int lane = 0; lane < 32; ++lane)
      if (output[32 * matrix + lane] != input[32 * (matrix < 4 ? matrix : matrix - 4) + lane])
        return false;
  return true;
}

/// PTX ISA, ldmatrix: of each matrix lane 4 g + t has columns 2 t and 2 t + 1 of row g, or, transposed, rows 2 t and
/// 2 t + 1 of column g.
static bool checkMatrices(void) {
  static const struct {
    int count;
    bool transposed;
  } loads[] = {{4, false}, {4, true}, {2, false}, {2, true}};
  const float *stored = output;
  for (int load = 0; load < 4; ++load)
    for (int matrix = 0; matrix < loads[load].count; ++matrix)
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 2; ++i) {
          int outer = lane / 4, inner = lane % 4 * 2 + i;
          int row = loads[load].transposed ? inner : outer, column = loads[load].transposed ? outer : inner;
          if (*stored++ != bf16Value(halfs[(matrix * 8 + row) * 8 + column]))
            return false;
        }
  return true;
}

/// Before any wait, behind that for the first group both vectors, and behind that for the second.
static bool checkCopies(void) {
  for (int thread = 0; thread < 256; ++thread)
    for (int i = 0; i < 4; ++i) {
      float copied = input[thread * 4 + i], expected[] = {1, copied, 1, i < 2 ? copied : 0};
      for (int look = 0; look < 4; ++look)
        if (output[thread * 16 + look * 4 + i] != expected[look])
          return false;
    }
  return true;
}

static bool checkRowSum(void) {
  for (int row = 0; row < 8; ++row) {
    float sum = 0.0f;
    for (int i = 0; i < 1024; ++i)
      sum += bf16Value(halfs[row * 1024 + i]);
    if (!near(output[row], sum, 1e-4f))
      return false;
  }
  return true;
}

/// Each of 3 tasks of a block reverses 64 words through shared memory.
static bool checkReverse(void) {
  for (int tile = 0; tile < 6; ++tile)
    for (int i = 0; i < 64; ++i)
      if (integers2[tile * 64 + i] != integers[tile * 64 + 63 - i])
        return false;
  return true;
}

static bool checkMixed(void) {
  for (int i = 0; i < SIZE; ++i) {
    int32_t n = integers[i];
    float x = bf16Value(halfs[i]);
    float square = bf16Value(bf16Bits(x * x));
    float sum = bf16Value(bf16Bits(square + x));
    int64_t expected = bytes[i] ? ((int64_t)n * 3) / 7 - (n >> 2) : (int64_t)(int32_t)sum;
    if (longs[i] != expected)
      return false;
  }
  return true;
}

static bool checkMath(void) {
  for (int i = 0; i < SIZE; ++i) {
    float x = input[i];
    float expected = tanhf(x) + erff(x) + log1pf(x * x) + expm1f(x) + 1.0f / sqrtf(x * x + 1.0f) + powf(x * x, 0.75f) +
                     sinf(x) * cosf(x) + floorf(x) + atan2f(x, 2.0f) + cbrtf(x) + rintf(x);
    if (!near(output[i], expected, 1e-6f))
      return false;
  }
  return true;
}

/// One warp: up, down, idx and xor of several types.
static bool checkShuffles(void) {
  for (int lane = 0; lane < 32; ++lane) {
    int64_t up = lane >= 3 ? integers[lane - 3] : -1, down = lane + 5 < 32 ? integers[lane + 5] : -1;
    int64_t index = integers[lane / 4] * (INT64_C(1) << 33), exclusive = halfs[lane ^ 9];
    if (longs[lane] != up + down + index + exclusive)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

typedef struct {
  const char *kernel;
  uint32_t grid, block;
  uint64_t sharedBytes;
  bool cooperative;
  void *arguments[4];
  bool (*check)(void);
  bool hasBarrier; ///< a block barrier without which it is wrong
} Case;

static const Case cases[] = {
    {"add", 4, 256, 0, false, {input, input2, output}, checkAdd, false},
    {"softmax", 8, 128, 32, false, {input, output}, checkSoftmax, true},
    {"product", 1, 32, 0, false, {halfs, input, output}, checkProduct, false},
    {"tf32_products", 1, 32, 0, false, {input, output}, checkTf32Products, false},
    {"wide_matrices", 1, 32, 1536, false, {input, output}, checkWideMatrices, false},
    {"tf32_roundings", 1, 32, 0, false, {specials, output}, checkTf32Roundings, false},
    {"matrices", 1, 32, 1536, false, {halfs, output}, checkMatrices, false},
    {"copies", 4, 64, 2048, false, {input, output}, checkCopies, false},
    {"split_sum", 32, 32, 0, true, {halfs, output, scratch, counter}, checkRowSum, false},
    {"reverse", 2, 64, 256, false, {integers, integers2}, checkReverse, true},
    {"mixed", 8, 512, 0, false, {halfs, bytes, integers, longs}, checkMixed, false},
    {"math", 32, 128, 0, false, {input, output}, checkMath, false},
    {"shuffles", 1, 32, 0, false, {integers, halfs, longs}, checkShuffles, false},
};

static StitchSimtLaunch launchOf(const Case *c, StitchSimtKernel kernel) {
  uint32_t count = 0;
  while (count < 4 && c->arguments[count])
    ++count;
  return (StitchSimtLaunch){.name = c->kernel,
                            .kernel = kernel,
                            .grid = c->grid,
                            .block = c->block,
                            .sharedBytes = c->sharedBytes,
                            .cooperative = c->cooperative,
                            .numArguments = count,
                            .arguments = c->arguments};
}

/// Whether the result is right.
static bool runCase(const Case *c, StitchSimtKernel kernel, uint64_t seed, uint32_t cores) {
  StitchSimt *simt = NULL;
  CHECK_OK(stitchSimtCreate(&(StitchSimtOptions){.seed = seed, .cores = cores}, &simt));
  fillInputs();
  StitchSimtLaunch launch = launchOf(c, kernel);
  bool right = true;
  for (int again = 0; again < 2; ++again) {
    CHECK_OK(stitchSimtLaunch(simt, &launch));
    right = c->check() && right;
  }
  stitchSimtDestroy(simt);
  return right;
}

static void checkCase(const Case *c, StitchSimtKernel kernel, bool withoutBarriers) {
  bool allRight = true;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    bool right = runCase(c, kernel, seed, seed % 3);
    allRight = allRight && right;
  }
  if (allRight != !(withoutBarriers && c->hasBarrier)) {
    fprintf(stderr, "kernel '%s' is %s\n", c->kernel, allRight ? "right without its barriers" : "wrong");
    ++checksFailed;
  }
}

/// Launches that have to fail, with their messages.
static void checkFailures(LLVMOrcLLJITRef jit) {
  static const struct {
    Case launch;
    StitchStatusCode code;
    const char *message;
  } failures[] = {
      {{"divergent", 2, 64, 0, false, {output}, NULL, false},
       STITCH_DEVICE_ERROR,
       "kernel 'divergent', block 0: the threads of a block stop at different places: thread 0 is at a block barrier "
       "(stop 0 of the kernel), thread 32 at its end"},
      {{"shuffles", 1, 24, 0, false, {integers, halfs, longs}, NULL, false},
       STITCH_DEVICE_ERROR,
       "kernel 'shuffles', block 0, thread 19: a shuffle (stop 1 of the kernel) reads from thread 24, which does not "
       "exist"},
      {{"missed_grid_barrier", 3, 32, 0, true, {counter}, NULL, false},
       STITCH_DEVICE_ERROR,
       "kernel 'missed_grid_barrier': the grid would wait for ever: block 0 is at a grid barrier (stop 0 of the "
       "kernel), block 2 at its end"},
      {{"missed_grid_barrier", 3, 32, 0, false, {counter}, NULL, false},
       STITCH_INVALID_ARGUMENT,
       "kernel 'missed_grid_barrier' has a grid barrier but its launch is not cooperative"},
      {{"add", 4, 256, 65536, false, {input, input2, output}, NULL, false},
       STITCH_INVALID_ARGUMENT,
       "asks for 65536 bytes of shared memory, the device has 49152"},
      {{"add", 4, 2048, 0, false, {input, input2, output}, NULL, false},
       STITCH_INVALID_ARGUMENT,
       "cannot launch 4 blocks of 2048 threads"},
      {{"add", 4, 256, 0, false, {input, input2, (char *)output + 4}, NULL, false},
       STITCH_INVALID_ARGUMENT,
       "kernel 'add': argument 2 is null or not aligned to 16 bytes"},
  };
  for (uint32_t cores = 1; cores < 4; ++cores)
    for (size_t i = 0; i < sizeof failures / sizeof *failures; ++i) {
      StitchSimt *simt = NULL;
      CHECK_OK(stitchSimtCreate(&(StitchSimtOptions){.cores = cores, .sharedLimit = 49152}, &simt));
      StitchSimtKernel kernel = findKernel(jit, failures[i].launch.kernel);
      CHECK(kernel);
      StitchSimtLaunch launch = launchOf(&failures[i].launch, kernel);
      CHECK_STATUS(stitchSimtLaunch(simt, &launch), failures[i].code, failures[i].message);
      stitchSimtDestroy(simt);
    }
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Nanoseconds for each thread of a launch, printed for the curious.
static void printSpeed(const Case *c, StitchSimtKernel kernel, uint64_t seed) {
  StitchSimt *simt = NULL;
  CHECK_OK(stitchSimtCreate(&(StitchSimtOptions){.seed = seed}, &simt));
  StitchSimtLaunch launch = launchOf(c, kernel);
  int launches = 200;
  double start = seconds();
  for (int i = 0; i < launches; ++i)
    CHECK_OK(stitchSimtLaunch(simt, &launch));
  double ns = (seconds() - start) * 1e9 / launches / (c->grid * c->block);
  printf("%s: %.1f ns a thread (seed %d)\n", c->kernel, ns, (int)seed);
  stitchSimtDestroy(simt);
}

int main(int argc, char **argv) {
  bool withoutBarriers = argc > 2 && strcmp(argv[2], "drop-barriers") == 0;
  char *text = argc > 1 ? readText(argv[1]) : NULL;
  StitchLLVMCode object;
  if (!text || !compile(text, withoutBarriers, &object))
    return 1;
  LLVMOrcLLJITRef jit = loadObject(&object);
  if (!jit)
    return 1;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    StitchSimtKernel kernel = findKernel(jit, cases[i].kernel);
    if (!kernel)
      return 1;
    checkCase(&cases[i], kernel, withoutBarriers);
    if (!withoutBarriers)
      for (uint64_t seed = 0; seed < 2; ++seed)
        printSpeed(&cases[i], kernel, seed);
  }
  if (!withoutBarriers)
    checkFailures(jit);
  succeeded(LLVMOrcDisposeLLJIT(jit));
  free(object.data);
  return checkResult();
}
