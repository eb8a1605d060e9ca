//===- model.c - opening model files -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model is a shared object. The system's loader explains little and may run code of the file. So everything that is
// visible from outside is checked first: that it is a file, an ELF object, and for this kind of machine.
//
//===----------------------------------------------------------------------===//

#include "runtime/device.h"
#include "runtime/file_signature.h"
#include "runtime/library/packed.h"
#include "runtime/seal.h"
#include "runtime/sizes.h"
#include "runtime/tensor.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct StitchModel {
  void *library; ///< dlopen's handle
  int copy;      ///< a file in memory that it is loaded from; -1: none. Open, so that its name is no other model's
  const StitchModelDescriptor *descriptor;
  uint64_t hash; ///< of the file
};

#if defined(__x86_64__)
enum { HOST_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { HOST_MACHINE = EM_AARCH64 };
#else
#error "model files for this architecture are not known: add its ELF machine number"
#endif

static const char *machineName(int machine) {
  switch (machine) {
  case EM_X86_64:
    return "x86-64";
  case EM_AARCH64:
    return "AArch64";
  case EM_RISCV:
    return "RISC-V";
  case EM_386:
    return "x86";
  case EM_CUDA:
    return "NVIDIA CUDA";
  default:
    return "another architecture";
  }
}

static StitchStatus checkHeader(const Elf64_Ehdr *header, size_t size) {
  if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "it is not an ELF file; models are made by stitch-compile");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != HOST_MACHINE)
    return stitchStatusMake(STITCH_FAILED_PRECONDITION, "it was compiled for %s, but this machine is %s",
                            machineName(header->e_machine), machineName(HOST_MACHINE));
  if (header->e_type != ET_DYN)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "it is an ELF file, but not a shared object");
  return NULL;
}

static StitchStatus checkSeal(int file, uint64_t *hash) {
  switch (stitchCheckSeal(file, hash)) {
  case STITCH_SEAL_GOOD:
    return NULL;
  case STITCH_SEAL_MISSING:
    return stitchStatusMake(STITCH_INVALID_ARGUMENT,
                            "it does not end as stitch-compile ends a model file: it was cut off or changed");
  case STITCH_SEAL_BROKEN:
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "it was damaged after stitch-compile wrote it");
  case STITCH_SEAL_UNREAD:
    break;
  }
  return stitchStatusMake(STITCH_IO_ERROR, "%s", strerror(errno));
}

static StitchStatus checkFile(const char *path, uint64_t *hash) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return stitchStatusMake(errno == ENOENT ? STITCH_NOT_FOUND : STITCH_IO_ERROR, "%s", strerror(errno));
  struct stat info;
  Elf64_Ehdr header = {0};
  ssize_t size = 0;
  StitchStatus status = NULL;
  if (fstat(file, &info))
    status = stitchStatusMake(STITCH_IO_ERROR, "%s", strerror(errno));
  else if (!S_ISREG(info.st_mode))
    status = stitchStatusMake(STITCH_INVALID_ARGUMENT, S_ISDIR(info.st_mode) ? "it is a directory" : "not a file");
  else if ((size = read(file, &header, sizeof(header))) < 0)
    status = stitchStatusMake(STITCH_IO_ERROR, "%s", strerror(errno));
  else
    status = checkHeader(&header, (size_t)size);
  if (!status)
    status = checkSeal(file, hash);
  close(file);
  return status;
}

/// Whether a size is of a symbol before `numSymbols` and, if it rises with it, `largest` for the largest value.
static bool isSize(const StitchModelDescriptor *d, const StitchSize *size, int64_t numSymbols, int64_t largest) {
  int64_t value = 0;
  if (size->symbol < -1 || size->symbol >= numSymbols)
    return false;
  if (size->symbol >= 0 && size->factor < 0)
    return true;
  return (size->symbol < 0 || !__builtin_mul_overflow(size->factor, d->symbols[size->symbol].high, &value)) &&
         !__builtin_add_overflow(value, size->offset, &value) && value == largest;
}

static bool areSizes(const StitchModelDescriptor *d, const StitchSize *sizes, int64_t rank, const int64_t *dims) {
  bool valid = true;
  for (int64_t i = 0; sizes && valid && i < rank; ++i)
    valid = isSize(d, &sizes[i], d->numSymbols, dims[i]);
  return valid;
}

/// Whether a symbol is one by itself and stands before all that are derived, or derived from those before it.
static bool isSymbol(const StitchModelDescriptor *d, int64_t index) {
  const StitchModelSymbol *symbol = &d->symbols[index];
  if (!symbol->name || symbol->low <= 0 || symbol->low > symbol->high || symbol->numTerms < 0 ||
      (symbol->numTerms > 0) != (symbol->terms != NULL))
    return false;
  if (!symbol->terms)
    return index == 0 || !d->symbols[index - 1].terms;
  bool valid = true;
  for (int64_t i = 0; valid && i < symbol->numTerms; ++i)
    valid = symbol->terms[i].symbol >= -1 && symbol->terms[i].symbol < index;
  return valid;
}

static StitchStatus checkModelTensor(const StitchModelDescriptor *d, const char *what, int64_t index,
                                     int64_t elementType, int64_t rank, const int64_t *dims, const StitchSize *sizes) {
  if (!stitchElementBytes((StitchElementType)elementType))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "%s %lld has an unknown element type (%lld)", what,
                            (long long)index, (long long)elementType);
  bool valid = rank >= 0 && rank <= STITCH_LIBRARY_MAX_RANK && (rank == 0 || dims);
  for (int64_t i = 0; valid && i < rank; ++i)
    valid = dims[i] >= 0;
  if (!valid || !areSizes(d, sizes, rank, dims))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "%s %lld has no valid shape", what, (long long)index);
  return NULL;
}

/// Whether output number `number` - 1, if that is not 0, has the type of an input.
static bool isOfType(const StitchModelDescriptor *d, const StitchModelInput *input, int64_t number) {
  if (number < 0 || number > d->numOutputs)
    return false;
  const StitchModelOutput *output = &d->outputs[number ? number - 1 : 0];
  bool same = number == 0 || (output->elementType == input->elementType && output->rank == input->rank);
  for (int64_t i = 0; number && same && i < input->rank; ++i)
    same = output->dims[i] == input->dims[i];
  return same;
}

/// An input that is a variable has the type of the output with its next value, and one that is updated in place that of
/// its updated output.
static StitchStatus checkNext(const StitchModelDescriptor *d, int64_t index) {
  const StitchModelInput *input = &d->inputs[index];
  if (!isOfType(d, input, input->updated))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "input %lld is updated in an output of another type",
                            (long long)index);
  if (!isOfType(d, input, input->next))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "input %lld, a variable, has no output of its type",
                            (long long)index);
  return NULL;
}

static bool areCalls(const StitchModelLibraryCalls *calls) {
  return calls->count == 0 || (calls->count > 0 && calls->problems && calls->packed && calls->packedBytes >= 0);
}

static bool checkAdaptive(const StitchModelDescriptor *d) {
  bool valid =
      d->numAdaptive >= 0 && d->numUpdates >= 0 && (!d->numAdaptive || d->adaptive) && (!d->numUpdates || d->updates);
  for (int64_t i = 0; valid && i < d->numAdaptive; ++i)
    valid = d->adaptive[i].name && d->adaptive[i].versions && d->adaptive[i].numVersions > 0;
  return valid;
}

/// Whether windows are within the arena, behind the counters.
static bool areWindows(const StitchModelDescriptor *d) {
  bool areAligned = d->windows.first % STITCH_WINDOW_ALIGNMENT == 0 && d->windows.bytes % STITCH_WINDOW_ALIGNMENT == 0;
  return d->windows.count == 0 ||
         (areAligned && d->windows.count > 0 && d->windows.bytes > 0 && d->windows.first >= d->zeroedBytes &&
          d->windows.count <= (d->arenaBytes - d->windows.first) / d->windows.bytes);
}

/// Checks a model or program for errors that a file with the right magic number and version has only by damage.
static StitchStatus checkProgram(const StitchModelDescriptor *d) {
  bool counts = d->numInputs >= 0 && d->numOutputs >= 0 && d->numConstants >= 0 && d->numKernels >= 0 &&
                d->numImages >= 0 && d->numFills >= 0 && d->arenaBytes >= 0 && d->zeroedBytes >= 0 &&
                d->zeroedBytes <= d->arenaBytes && areWindows(d);
  bool tables = (!d->numInputs || d->inputs) && (!d->numOutputs || d->outputs) && (!d->numConstants || d->constants) &&
                (!d->numKernels || d->kernels) && (!d->numFills || d->fills) && (!d->numImages || d->images) &&
                d->producer && d->device;
  bool symbols = d->numSymbols >= 0 && d->numSymbols <= d->numInputs && (!d->numSymbols || d->symbols);
  for (int64_t i = 0; symbols && i < d->numSymbols; ++i)
    symbols = isSymbol(d, i);
  if (!counts || !tables || !symbols || !areCalls(&d->libraryCalls) || !areCalls(&d->referenceCalls) ||
      !checkAdaptive(d) || (!d->run && !d->reference))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "its descriptor contradicts itself");
  StitchStatus status = NULL;
  for (int64_t i = 0; !status && i < d->numInputs; ++i)
    status = checkModelTensor(d, "input", i, d->inputs[i].elementType, d->inputs[i].rank, d->inputs[i].dims,
                              d->inputs[i].sizes);
  for (int64_t i = 0; !status && i < d->numOutputs; ++i)
    status = checkModelTensor(d, "output", i, d->outputs[i].elementType, d->outputs[i].rank, d->outputs[i].dims,
                              d->outputs[i].sizes);
  for (int64_t i = 0; !status && i < d->numInputs; ++i)
    status = checkNext(d, i);
  return status;
}

/// Whether two tensors have the same sizes for the same values of the symbols.
static bool sameSizes(int64_t rank, const int64_t *a, const int64_t *b, const StitchSize *x, const StitchSize *y) {
  bool same = !x == !y;
  for (int64_t i = 0; same && i < rank; ++i)
    same = x ? x[i].symbol == y[i].symbol && x[i].factor == y[i].factor && x[i].offset == y[i].offset : a[i] == b[i];
  return same;
}

/// Whether a program takes and returns the model's tensors, except for open sizes.
static bool isProgramOf(const StitchModelDescriptor *d, const StitchModelDescriptor *program) {
  bool same = program->numInputs == d->numInputs && program->numOutputs == d->numOutputs &&
              program->numSymbols == d->numSymbols && program->numPrograms == 0 && program->numFills == 0 &&
              program->run && d->run;
  for (int64_t i = 0; same && i < d->numSymbols; ++i)
    same = strcmp(program->symbols[i].name, d->symbols[i].name) == 0 && program->symbols[i].high <= d->symbols[i].high;
  for (int64_t i = 0; same && i < d->numInputs; ++i) {
    const StitchModelInput *a = &program->inputs[i], *b = &d->inputs[i];
    same = a->elementType == b->elementType && a->rank == b->rank && a->updated == b->updated &&
           sameSizes(a->rank, a->dims, b->dims, a->sizes, b->sizes);
  }
  for (int64_t i = 0; same && i < d->numOutputs; ++i) {
    const StitchModelOutput *a = &program->outputs[i], *b = &d->outputs[i];
    same = a->elementType == b->elementType && a->rank == b->rank &&
           sameSizes(a->rank, a->dims, b->dims, a->sizes, b->sizes);
  }
  return same;
}

static StitchStatus checkDescriptor(const StitchModelDescriptor *d) {
  StitchStatus status = checkProgram(d);
  if (!status && (d->numPrograms < 0 || (d->numPrograms && (!d->programs || !d->numSymbols))))
    status = stitchStatusMake(STITCH_INVALID_ARGUMENT, "its descriptor contradicts itself");
  for (int64_t i = 0; !status && i < d->numPrograms; ++i) {
    status = checkProgram(&d->programs[i]);
    if (!status && !isProgramOf(d, &d->programs[i]))
      status = stitchStatusMake(STITCH_INVALID_ARGUMENT, "program %lld has other inputs or outputs than the model",
                                (long long)i);
  }
  return status;
}

static void fill(const StitchModelFill *f) {
  const size_t bytes = (size_t)f->bytes, elementBytes = (size_t)f->elementBytes;
  char *data = f->data;
  if (memcmp(data + bytes - elementBytes, f->element, elementBytes) == 0)
    return; // the file was open before
  for (size_t i = 0; i < bytes; i += elementBytes)
    memcpy(data + i, f->element, elementBytes);
}

/// Each problem has operands, so that those that are zero are packed yet. False: they are damaged.
static bool unpackProblems(const StitchModelLibraryCalls *calls) {
  StitchLibraryProblem *problems = (StitchLibraryProblem *)calls->problems;
  if (calls->count == 0 || problems[calls->count - 1].numOperands > 0)
    return true;
  return stitchUnpack(calls->packed, (size_t)calls->packedBytes, problems, sizeof(*problems) * (size_t)calls->count);
}

static bool unpackCalls(const StitchModelDescriptor *d) {
  return unpackProblems(&d->libraryCalls) && unpackProblems(&d->referenceCalls);
}

/// Fills memory that is zero in the file. One that is opened twice has its memory once, and may be in use.
static StitchStatus fillMemory(const StitchModelDescriptor *d) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  for (int64_t i = 0; i < d->numFills; ++i)
    fill(&d->fills[i]);
  bool unpacked = unpackCalls(d);
  for (int64_t i = 0; i < d->numPrograms; ++i)
    unpacked &= unpackCalls(&d->programs[i]);
  pthread_mutex_unlock(&mutex);
  return unpacked ? NULL : stitchStatusMake(STITCH_INVALID_ARGUMENT, "its table of library calls is damaged");
}

static StitchStatus findDescriptor(StitchModel *model) {
  const StitchModelDescriptor *d = dlsym(model->library, STITCH_MODEL_SYMBOL);
  if (!d)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "it exports no symbol '%s': not made by stitch-compile",
                            STITCH_MODEL_SYMBOL);
  if (d->magic != STITCH_MODEL_MAGIC)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "its symbol '%s' is no model descriptor", STITCH_MODEL_SYMBOL);
  if (d->abiVersion != STITCH_MODEL_ABI_VERSION)
    return stitchStatusMake(STITCH_FAILED_PRECONDITION,
                            "it has version %lld of the model format and this runtime reads version %d: compile the "
                            "model again with the stitch-compile of this runtime",
                            (long long)d->abiVersion, STITCH_MODEL_ABI_VERSION);
  model->descriptor = d;
  StitchStatus status = checkDescriptor(d);
  return status ? status : fillMemory(d);
}

static StitchStatus openLibrary(StitchModel *model, const char *path) {
  // Without a slash, dlopen would search the library path. A file in memory has no other path.
  char *absolute = model->copy < 0 ? realpath(path, NULL) : strdup(path);
  if (!absolute)
    return stitchStatusMake(STITCH_IO_ERROR, "%s", strerror(errno));
  model->library = dlopen(absolute, RTLD_NOW | RTLD_LOCAL);
  free(absolute);
  if (model->library)
    return findDescriptor(model);
  const char *reason = dlerror();
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "%s", reason ? reason : "dlopen fails");
}

StitchStatus stitchModelLoad(const char *path, StitchModel **model) {
  StitchModel *created = calloc(1, sizeof(*created));
  if (!created)
    return stitchStatusOutOfMemory();
  StitchStatus status = stitchSignedCopy(path, &created->copy);
  char inMemory[32];
  snprintf(inMemory, sizeof(inMemory), "/proc/self/fd/%d", created->copy);
  const char *loaded = created->copy < 0 ? path : inMemory;
  status = status ? status : checkFile(loaded, &created->hash);
  status = status ? status : openLibrary(created, loaded);
  if (status) {
    stitchModelFree(created);
    return stitchStatusAnnotate(status, "cannot load model '%s'", path);
  }
  *model = created;
  return NULL;
}

void stitchModelFree(StitchModel *model) {
  if (model && model->library)
    dlclose(model->library);
  if (model && model->copy >= 0)
    close(model->copy);
  free(model);
}

const StitchModelDescriptor *stitchModelDescriptor(const StitchModel *model) { return model->descriptor; }
uint64_t stitchModelHash(const StitchModel *model) { return model->hash; }
const char *stitchModelProducer(const StitchModel *model) { return model->descriptor->producer; }
const char *stitchModelDevice(const StitchModel *model) { return model->descriptor->device; }
int64_t stitchModelNumProcesses(const StitchModel *model) { return model->descriptor->numProcesses; }
int64_t stitchModelNumInputs(const StitchModel *model) { return stitchNumGivenInputs(model->descriptor); }
int64_t stitchModelNumOutputs(const StitchModel *model) { return model->descriptor->numOutputs; }

StitchInputInfo stitchModelInput(const StitchModel *model, int64_t index) {
  const StitchModelInput *input = &model->descriptor->inputs[index];
  return (StitchInputInfo){
      .name = input->name,
      .dtype = stitchDataTypeOf((StitchElementType)input->elementType),
      .rank = (int32_t)input->rank,
      .dims = input->dims,
      .role = (StitchInputRole)input->role,
      .low = input->low,
      .high = input->high,
      .sizes = input->sizes,
      .initial = input->initial,
      .next = input->next - 1,
      .updated = input->updated - 1,
      .poison = input->poison,
  };
}

StitchOutputInfo stitchModelOutput(const StitchModel *model, int64_t index) {
  const StitchModelOutput *output = &model->descriptor->outputs[index];
  return (StitchOutputInfo){
      .name = output->name,
      .dtype = stitchDataTypeOf((StitchElementType)output->elementType),
      .rank = (int32_t)output->rank,
      .dims = output->dims,
      .errorVariance = output->errorVariance,
      .errorSum = output->errorSum,
      .largestRoundoff = output->largestRoundoff,
      .longestReduction = output->longestReduction,
      .depth = output->depth,
      .discontinuous = output->discontinuous != 0,
      .sizes = output->sizes,
  };
}

int64_t stitchModelNumSymbols(const StitchModel *model) { return stitchNumFreeSymbols(model->descriptor); }

StitchSymbolInfo stitchModelSymbol(const StitchModel *model, int64_t index) {
  const StitchModelSymbol *symbol = &model->descriptor->symbols[index];
  return (StitchSymbolInfo){.name = symbol->name, .low = symbol->low, .high = symbol->high};
}

StitchStatus stitchModelReadSizes(const StitchModel *model, const StitchTensor *inputs, int64_t *values) {
  int64_t *all = calloc((size_t)model->descriptor->numSymbols + 1, sizeof(*all));
  if (!all)
    return stitchStatusOutOfMemory();
  StitchStatus status = stitchSizesOfInputs(model->descriptor, inputs, all);
  for (int64_t i = 0; i < stitchModelNumSymbols(model); ++i)
    values[i] = all[i];
  free(all);
  return status;
}

int64_t stitchModelSize(const StitchModel *model, StitchSize size, const int64_t *values) {
  return stitchSizeFor(model->descriptor, size, values);
}
