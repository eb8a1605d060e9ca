//===- module.c - modules and functions of the test double ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An image is looked at as far as a driver would refuse it: a cubin's architecture, a PTX text's target and version.
// The code that runs is not the image's but that of the model file around the image: the kernels' simt version. The PTX
// in the same file tells the parameters of a kernel, also of one that is loaded from a cubin.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // dladdr

#include "runtime/cuda/kernels.h"
#include "runtime/model.h"
#include "test/cuda_double/internal.h"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  Module module;
  const char *ptx; ///< with the entries' parameters; NULL if there is none
  const StitchModelDescriptor *model;
  Function *functions[4096];
  int numFunctions;
} LoadedModule;

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// The number after the first `marker` in a text; 0 if there is none.
static int numberAfter(const char *text, const char *marker) {
  const char *position = text ? strstr(text, marker) : NULL;
  return position ? atoi(position + strlen(marker)) : 0;
}

static int architectureOfCubin(const Elf64_Ehdr *header) {
  enum { ABI_OF_CUDA_13 = 8 };
  return header->e_ident[EI_ABIVERSION] >= ABI_OF_CUDA_13 ? (int)(header->e_flags >> 8 & 0xff)
                                                          : (int)(header->e_flags & 0xff);
}

static CUresult checkCubin(const void *image) {
  const Elf64_Ehdr *header = image;
  int arch = architectureOfCubin(header);
  if (header->e_machine != EM_CUDA)
    return CUDA_ERROR_INVALID_IMAGE;
  return arch / 10 == config.arch / 10 && arch <= config.arch ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/// PTX versions begin where CUDA versions do: 8.0 came with CUDA 12.0, 9.0 with 13.0.
static CUresult checkPtx(const char *text, char *log, size_t logBytes) {
  const char *version = strstr(text, ".version ");
  int major = 0, minor = 0;
  if (!version || sscanf(version, ".version %d.%d", &major, &minor) != 2) {
    snprintf(log, logBytes, "ptxas fatal   : Missing .version directive at start of file\n\n");
    return CUDA_ERROR_INVALID_PTX;
  }
  if (10 * major + minor > 10 * (config.driver / 1000 - 4) + config.driver % 1000 / 10)
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  if (numberAfter(text, ".target sm_") > config.arch) {
    snprintf(log, logBytes, "ptxas fatal   : PTX is for sm_%d\n", numberAfter(text, ".target sm_"));
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  return CUDA_SUCCESS;
}

/// The model file that an address lies in; NULL if it is in something else.
static const StitchModelDescriptor *modelOf(const void *image) {
  Dl_info info;
  if (!dladdr(image, &info))
    return NULL;
  void *file = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  const StitchModelDescriptor *model = file ? dlsym(file, STITCH_MODEL_SYMBOL) : NULL;
  if (file)
    dlclose(file);
  return model && model->magic == STITCH_MODEL_MAGIC ? model : NULL;
}

/// Whether an image is that of a model file. The header of a cubin has its size.
static bool isSameImage(const StitchModelImage *known, const void *image, bool isCubin) {
  if ((known->format == STITCH_IMAGE_CUBIN) != isCubin)
    return false;
  if (!isCubin)
    return strcmp(known->data, image) == 0;
  return memcmp(known->data, image, sizeof(Elf64_Ehdr)) == 0 && memcmp(known->data, image, (size_t)known->bytes) == 0;
}

/// The program of the model that has the same image; NULL if there is none.
static const StitchModelDescriptor *sameProgram(const StitchModelDescriptor *model, const void *image, bool isCubin) {
  for (int64_t p = -1; p < model->numPrograms; ++p) {
    const StitchModelDescriptor *program = p < 0 ? model : &model->programs[p];
    for (int64_t i = 0; i < program->numImages; ++i)
      if (isSameImage(&program->images[i], image, isCubin))
        return program;
  }
  return NULL;
}

/// The same of the model files of the configuration.
static const StitchModelDescriptor *configuredProgram(const void *image, bool isCubin) {
  for (int i = 0; i < config.numModels; ++i) {
    void *file = dlopen(config.models[i], RTLD_LAZY);
    const StitchModelDescriptor *model = file ? dlsym(file, STITCH_MODEL_SYMBOL) : NULL;
    const StitchModelDescriptor *program = model ? sameProgram(model, image, isCubin) : NULL;
    if (!model)
      fprintf(stderr, "cuda double: '%s' is no model file\n", config.models[i]);
    if (program)
      return program;
  }
  return NULL;
}

/// The program of the model whose image this is.
static const StitchModelDescriptor *programOf(const StitchModelDescriptor *model, const void *image) {
  for (int64_t p = 0; model && p < model->numPrograms; ++p)
    for (int64_t i = 0; i < model->programs[p].numImages; ++i)
      if (model->programs[p].images[i].data == image)
        return &model->programs[p];
  return model;
}

static const char *ptxOf(const StitchModelDescriptor *model) {
  for (int64_t i = 0; model && i < model->numImages; ++i)
    if (model->images[i].format == STITCH_IMAGE_PTX)
      return model->images[i].data;
  return NULL;
}

CUresult double_cuModuleLoadDataEx(CUmodule *result, const void *image, unsigned int numOptions, CUjit_option *options,
                                   void **values) {
  char *log = NULL;
  size_t logBytes = 0;
  for (unsigned i = 0; i < numOptions; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      log = values[i];
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      logBytes = (size_t)(uintptr_t)values[i];
  }
  // The log of a compilation that fails on request.
  snprintf(log, logBytes, "ptxas application ptx input, line 9; fatal   : as the test double was told\n\n");
  ENTER_CONTEXT(cuModuleLoadDataEx);
  *log = '\0';
  CUresult unsafe = unsafeInCapture("cuModuleLoadDataEx");
  if (unsafe)
    return unsafe;
  bool isCubin = memcmp(image, ELFMAG, SELFMAG) == 0;
  CUresult checked = isCubin ? checkCubin(image) : checkPtx(image, log, logBytes);
  if (checked)
    return checked;
  LoadedModule *module = newObject(KIND_MODULE, sizeof(*module));
  const StitchModelDescriptor *model = modelOf(image);
  module->model = model ? programOf(model, image) : configuredProgram(image, isCubin);
  module->ptx = isCubin ? ptxOf(module->model) : image;
  *result = (CUmodule)module;
  return CUDA_SUCCESS;
}

CUresult double_cuModuleUnload(CUmodule handle) {
  ENTER(cuModuleUnload);
  if (!isObject(handle, KIND_MODULE, "cuModuleUnload"))
    return CUDA_ERROR_INVALID_HANDLE;
  LoadedModule *module = (LoadedModule *)handle;
  if (!stickyError && isUsedByQueue(&module->module)) // after such an error nothing runs any more
    violation("cuModuleUnload: a kernel of the module has not run yet");
  for (int i = 0; i < module->numFunctions; ++i)
    destroyObject(module->functions[i]);
  destroyObject(module);
  return stickyError;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

extern _Thread_local int64_t stitchThreadIndex, stitchThreadCount;
_Thread_local int64_t stitchThreadIndex = 0, stitchThreadCount = 1;
void stitchThreadWait(void);
void stitchThreadWait(void) { pauseUnlocked(); }

/// The runtime's own kernels: X(name, type of the parameters, how many pointers these begin with)
#define OWN_KERNELS(X)                                                                                                 \
  X(stitch_pack, StitchPackParameters, 2)                                                                              \
  X(stitch_dot, StitchDotParameters, 3)                                                                                \
  X(stitch_convolution, StitchConvolutionParameters, 3)                                                                \
  X(stitch_epilogue, StitchEpilogueParameters, 4)                                                                      \
  X(stitch_sums, StitchSumsParameters, 2)                                                                              \
  X(stitch_cholesky_column, StitchCholeskyParameters, 3)                                                               \
  X(stitch_cholesky_finish, StitchCholeskyParameters, 3)                                                               \
  X(stitch_triangular_solve, StitchTriangularSolveParameters, 3)                                                       \
  X(stitch_addresses, StitchAddressesParameters, 1)                                                                    \
  X(stitch_address_list, StitchAddressListParameters, 1)                                                               \
  X(stitch_roots, StitchRootsParameters, 1)                                                                            \
  X(stitch_fourier, StitchFourierParameters, 3)                                                                        \
  X(stitch_spectrum, StitchSpectrumParameters, 2)                                                                      \
  X(stitch_combine, StitchCombineParameters, 2)                                                                        \
  X(stitch_tick, StitchTickParameters, 2)                                                                              \
  X(stitch_signal, StitchSignalParameters, 5 + STITCH_KERNEL_MEMBERS)

#define OWN_KERNEL_RUN(name, type, pointers)                                                                           \
  void name(type parameters);                                                                                          \
  static void run_##name(const void *parameters) { name(*(const type *)parameters); }
OWN_KERNELS(OWN_KERNEL_RUN)
#undef OWN_KERNEL_RUN

/// Reads "(.param .u64 a, .param .align 8 .b8 b[296])" of an entry: pointers have 8 bytes, arrays their size.
static bool readParameters(Function *function, const char *list) {
  const char *end = strchr(list, ')');
  for (const char *p = list; end && (p = strstr(p, ".param")) && p < end; p += strlen(".param")) {
    const char *stop = p + strcspn(p, ",)"), *bracket = memchr(p, '[', (size_t)(stop - p));
    if (function->numParameters == MAX_PARAMETERS)
      return false;
    function->parameterBytes[function->numParameters++] = bracket ? atoi(bracket + 1) : 8;
  }
  return end != NULL;
}

/// Reads a kernel's entry in PTX.
static bool readEntry(Function *function, const char *ptx) {
  char marker[160];
  snprintf(marker, sizeof(marker), ".entry %s(", function->name);
  const char *entry = ptx ? strstr(ptx, marker) : NULL;
  if (!entry)
    return false;
  const char *body = strchr(entry, '{');
  char *head = body ? strndup(entry, (size_t)(body - entry)) : NULL;
  bool ok = head && readParameters(function, head);
  if (ok) {
    function->requiredBlock = numberAfter(head, ".reqntid ");
    function->registers = numberAfter(head, ".maxnreg ");
    function->cluster = numberAfter(head, ".reqnctapercluster ");
    const char *waits = strstr(body, "griddepcontrol.wait;"), *load = strstr(body, "ld.global"),
               *end = strstr(body, "\n}\n");
    function->waits = waits && end && waits < end && (!load || waits < load);
  }
  free(head);
  return ok;
}

static bool findCode(Function *function, const StitchModelDescriptor *model) {
#define OWN_KERNEL_FIND(kernel, type, pointers)                                                                        \
  if (strcmp(function->name, #kernel) == 0) {                                                                          \
    function->own = run_##kernel;                                                                                      \
    function->numOwnPointers = pointers;                                                                               \
  }
  OWN_KERNELS(OWN_KERNEL_FIND)
#undef OWN_KERNEL_FIND
  for (int64_t i = 0; model && i < model->numKernels; ++i)
    if (strcmp(model->kernels[i].name, function->name) == 0) {
      function->simt = (StitchSimtKernel)(uintptr_t)model->kernels[i].simt;
      describeTouches(function, model, i);
    }
  return function->own || function->simt;
}

CUresult double_cuModuleGetFunction(CUfunction *result, CUmodule handle, const char *name) {
  ENTER_CONTEXT(cuModuleGetFunction);
  if (!isObject(handle, KIND_MODULE, "cuModuleGetFunction"))
    return CUDA_ERROR_INVALID_HANDLE;
  LoadedModule *module = (LoadedModule *)handle;
  for (int i = 0; i < module->numFunctions; ++i)
    if (strcmp(module->functions[i]->name, name) == 0) {
      *result = (CUfunction)module->functions[i];
      return CUDA_SUCCESS;
    }
  Function *function = newObject(KIND_FUNCTION, sizeof(*function));
  function->module = &module->module;
  function->sharedAllowed = 49152;
  snprintf(function->name, sizeof(function->name), "%s", name);
  module->functions[module->numFunctions++] = function;
  if (!readEntry(function, module->ptx) || !findCode(function, module->model)) {
    fprintf(stderr, "cuda double: '%s' cannot be executed: its model file has no PTX or no simt kernels\n", name);
    return CUDA_ERROR_NOT_FOUND;
  }
  *result = (CUfunction)function;
  return CUDA_SUCCESS;
}

CUresult double_cuModuleGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUmodule handle, const char *name) {
  ENTER_CONTEXT(cuModuleGetGlobal);
  if (!isObject(handle, KIND_MODULE, "cuModuleGetGlobal"))
    return CUDA_ERROR_INVALID_HANDLE;
  const LoadedModule *module = (const LoadedModule *)handle;
  if (!module->ptx || !strstr(module->ptx, name))
    return CUDA_ERROR_NOT_FOUND;
  *pointer = 0;
  *bytes = 1;
  return CUDA_SUCCESS;
}

CUresult double_cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction handle) {
  ENTER_CONTEXT(cuFuncGetAttribute);
  if (!isObject(handle, KIND_FUNCTION, "cuFuncGetAttribute"))
    return CUDA_ERROR_INVALID_HANDLE;
  const Function *function = (const Function *)handle;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = function->requiredBlock ? function->requiredBlock : 1024;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = 0;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = function->registers ? function->registers : 32;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = function->sharedAllowed;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    *value = function->cluster;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult double_cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  ENTER_CONTEXT(cuFuncSetAttribute);
  if (!isObject(handle, KIND_FUNCTION, "cuFuncSetAttribute"))
    return CUDA_ERROR_INVALID_HANDLE;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > config.shared)
    return CUDA_ERROR_INVALID_VALUE;
  ((Function *)handle)->sharedAllowed = value;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Limits of a multiprocessor from compute capability 8.0 on.
int residentBlocks(const Function *function, int block, size_t sharedBytes) {
  enum { THREADS = 2048, BLOCKS = 32, REGISTERS = 65536, RESERVED_SHARED = 1024 };
  int limit = BLOCKS, registers = function->registers ? function->registers : 32;
  if (THREADS / block < limit)
    limit = THREADS / block;
  if (REGISTERS / (registers * block) < limit)
    limit = REGISTERS / (registers * block);
  int byShared = (int)((size_t)(config.shared + RESERVED_SHARED) / (sharedBytes + RESERVED_SHARED));
  return byShared < limit ? byShared : limit;
}

CUresult double_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block,
                                                            size_t sharedBytes) {
  ENTER_CONTEXT(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  if (!isObject(function, KIND_FUNCTION, "cuOccupancyMaxActiveBlocksPerMultiprocessor"))
    return CUDA_ERROR_INVALID_HANDLE;
  *blocks = residentBlocks((const Function *)function, block, sharedBytes);
  return CUDA_SUCCESS;
}

/// How many clusters run at once. The blocks of one are on one graphics processing cluster, of 16 multiprocessors or
/// (two of eight on Hopper) 18: Stitch's plans must not need the larger ones.
static int residentClusters(const Function *function, int block, size_t sharedBytes) {
  enum { GPC_SMS = 16 };
  int perSM = residentBlocks(function, block, sharedBytes);
  return config.sms / GPC_SMS * (GPC_SMS * perSM / function->cluster) +
         config.sms % GPC_SMS * perSM / function->cluster;
}

/// Larger clusters need CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED (cuda.h).
static bool isPortableCluster(int blocks) { return blocks >= 1 && blocks <= 8; }

CUresult double_cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *launch) {
  ENTER_CONTEXT(cuOccupancyMaxActiveClusters);
  if (!isObject(function, KIND_FUNCTION, "cuOccupancyMaxActiveClusters"))
    return CUDA_ERROR_INVALID_HANDLE;
  const Function *f = (const Function *)function;
  if (!isPortableCluster(f->cluster))
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  *clusters = residentClusters(f, (int)launch->blockDimX, launch->sharedMemBytes);
  return CUDA_SUCCESS;
}

static CUresult readAttributes(const CUlaunchConfig *launch, Op *op, const Function *function) {
  for (unsigned i = 0; i < launch->numAttrs; ++i) {
    const CUlaunchAttribute *attribute = &launch->attrs[i];
    if (attribute->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      op->cooperative = attribute->value.cooperative != 0;
    else if (attribute->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      if ((int)attribute->value.clusterDim.x != function->cluster || !isPortableCluster(function->cluster) ||
          launch->gridDimX % attribute->value.clusterDim.x != 0)
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    } else if (attribute->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) {
      if (!function->waits || op->cooperative) // it would read memory that earlier kernels have not written yet
        return CUDA_ERROR_INVALID_VALUE;
    } else
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

/// Parameters are copied when a kernel is launched, not when it runs.
static unsigned char *copyParameters(const Function *function, void **parameters) {
  size_t bytes = 0;
  for (int i = 0; i < function->numParameters; ++i)
    bytes += ((size_t)function->parameterBytes[i] + 7) / 8 * 8;
  unsigned char *copy = calloc(1, bytes + 8);
  if (!copy)
    abort();
  size_t offset = 0;
  for (int i = 0; i < function->numParameters; ++i) {
    memcpy(copy + offset, parameters[i], (size_t)function->parameterBytes[i]);
    offset += ((size_t)function->parameterBytes[i] + 7) / 8 * 8;
  }
  return copy;
}

CUresult double_cuLaunchKernelEx(const CUlaunchConfig *launch, CUfunction handle, void **parameters, void **extra) {
  ENTER_CONTEXT(cuLaunchKernelEx);
  if (!isObject(handle, KIND_FUNCTION, "cuLaunchKernelEx"))
    return CUDA_ERROR_INVALID_HANDLE;
  Function *function = (Function *)handle;
  if (launch->gridDimX == 0 || launch->gridDimY != 1 || launch->gridDimZ != 1 || launch->blockDimX == 0 ||
      launch->blockDimX > 1024 || launch->blockDimY != 1 || launch->blockDimZ != 1 || extra ||
      (int)launch->sharedMemBytes > function->sharedAllowed ||
      (function->requiredBlock && (int)launch->blockDimX != function->requiredBlock))
    return CUDA_ERROR_INVALID_VALUE;
  Op op = {
      .kind = OP_KERNEL,
      .function = function,
      .grid = launch->gridDimX,
      .block = launch->blockDimX,
      .sharedBytes = launch->sharedMemBytes,
  };
  CUresult result = readAttributes(launch, &op, function);
  if (result)
    return result;
  int resident = function->cluster > 1 ? residentClusters(function, (int)op.block, op.sharedBytes) * function->cluster
                                       : residentBlocks(function, (int)op.block, op.sharedBytes) * config.sms;
  if (resident == 0)
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (op.cooperative && op.grid > (unsigned)resident)
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  op.parameters = copyParameters(function, parameters);
  return enqueue(launch->hStream, &op);
}
