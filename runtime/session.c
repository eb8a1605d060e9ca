//===- session.c - a model made ready on a device ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the session of stitch_runtime.h over a StitchDeviceInterface. It checks tensors, finds the symbols' values
// and the program for them, keeps one device state for each of the last values, and drives exploration (adaptation.h).
//
//===----------------------------------------------------------------------===//

#include "runtime/adaptation.h"
#include "runtime/sizes.h"
#include "runtime/tensor.h"

#include <stdlib.h>
#include <string.h>

enum { TENSOR_ALIGNMENT = 16, MAX_STATES = 6 };

/// A model ready on a device, for particular values of its symbols if it has some: those of the last run, if the
/// prepared state does not depend on them.
typedef struct {
  const StitchModelDescriptor *program; ///< the model, or one of its programs
  StitchSizes *sizes;                   ///< NULL: the model has no symbols
  StitchTensorMemory *values;           ///< those of the symbols where the device runs; NULL: in `sizes`
  bool isStale;                         ///< they could not be copied there
  void *state;
  StitchAdaptation *adaptation; ///< NULL: there is nothing to choose
  int64_t lastRun;
} SizedState;

/// The exploration of a program, of all sizes of a bucket.
typedef struct {
  const StitchModelDescriptor *program;
  StitchExploration *exploration; ///< NULL: there is nothing to choose
} Explored;

struct StitchSession {
  const StitchModel *model;
  const char *deviceName;
  const StitchDeviceInterface *device;
  void *shared;                  ///< by the states
  StitchSessionOptions options;  ///< texts are copies
  SizedState states[MAX_STATES]; ///< those used last
  int numStates;
  SizedState *current; ///< that of the last run
  Explored *explored;  ///< of each program that has run
  int64_t numExplored;
  int64_t numRuns;
  int64_t *values;      ///< of the model's symbols, while they are found out
  StitchTensor *inputs; ///< during a run: those given, then the values of symbols
  void **pointers;      ///< of the inputs, then of the outputs, during a run
};

static const StitchDeviceInterface *const devices[] = {&stitchSimtDevice, &stitchReferenceDevice, &stitchCudaDevice};
static const char *const deviceNames[] = {"simt", "reference", "cuda", NULL};
enum { NUM_DEVICES = sizeof(devices) / sizeof(devices[0]) };

const char *const *stitchDeviceNames(void) { return deviceNames; }

/// A device's name, or for "cuda" that and a number: "cuda:1".
static bool isDeviceName(const char *text, const char *name) {
  size_t length = strlen(name);
  return strncmp(text, name, length) == 0 &&
         (text[length] == '\0' || (text[length] == ':' && strcmp(name, "cuda") == 0));
}

static StitchStatus findDevice(const char *name, const StitchDeviceInterface **device) {
  for (int i = 0; i < NUM_DEVICES; ++i)
    if (isDeviceName(name, deviceNames[i])) {
      *device = devices[i];
      return NULL;
    }
  return stitchStatusMake(STITCH_NOT_FOUND, "unknown device '%s'; there are simt, reference and cuda", name);
}

StitchStatus stitchDeviceArchitecture(const StitchSessionOptions *options, int *architecture) {
  const StitchDeviceInterface *device = NULL;
  const char *name = options && options->device ? options->device : "simt";
  StitchStatus status = findDevice(name, &device);
  if (!status && !device->architecture)
    status = stitchStatusMake(STITCH_INVALID_ARGUMENT, "it is no GPU");
  if (!status)
    status = device->architecture(options, architecture);
  return stitchStatusAnnotate(status, "device '%s'", name);
}

static const char *nameOf(const StitchDeviceInterface *device) {
  int i = 0;
  while (devices[i] != device)
    ++i;
  return deviceNames[i];
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// The model as `state` sees it.
static const StitchModelDescriptor *descriptorOf(const StitchSession *session, const SizedState *state) {
  return state->sizes ? &state->sizes->descriptor : stitchModelDescriptor(session->model);
}

static void destroyState(const StitchSession *session, SizedState *state) {
  int64_t numSymbols = stitchModelDescriptor(session->model)->numSymbols;
  for (int64_t i = 0; state->values && i < numSymbols; ++i)
    if (state->values[i].release)
      state->values[i].release(&state->values[i]);
  free(state->values);
  stitchAdaptationDestroy(state->adaptation);
  session->device->destroy(state->state);
  stitchSizesDestroy(state->sizes);
}

/// The value of symbol `index` as an input of a run.
static StitchTensor symbolInput(const SizedState *state, int64_t index) {
  StitchTensor tensor = stitchSizesInput(state->sizes, index);
  if (state->values) {
    tensor.data = state->values[index].data;
    tensor.memory = state->values[index].memory;
    tensor.memoryId = state->values[index].memoryId;
  }
  return tensor;
}

/// Copies the symbols' values to where the device runs.
static StitchStatus copyValues(const StitchSession *session, SizedState *state) {
  StitchStatus status = NULL;
  for (int64_t i = 0; state->values && i < state->program->numSymbols && !status; ++i) {
    StitchTensor host = stitchSizesInput(state->sizes, i), placed = symbolInput(state, i);
    status = session->device->copy(state->state, &host, &placed, sizeof(int32_t));
  }
  return status;
}

/// Makes memory for the symbols' values where the device runs, so that a run does not copy them.
static StitchStatus placeValues(const StitchSession *session, SizedState *state) {
  int64_t numSymbols = stitchModelDescriptor(session->model)->numSymbols;
  if (!session->device->allocate || numSymbols == 0)
    return NULL;
  state->values = calloc((size_t)numSymbols, sizeof(*state->values));
  StitchStatus status = state->values ? NULL : stitchStatusOutOfMemory();
  for (int64_t i = 0; i < numSymbols && !status; ++i)
    status = session->device->allocate(state->state, sizeof(int32_t), &state->values[i]);
  return status ? status : copyValues(session, state);
}

/// Whether one state serves all values of a program's symbols. A caller may capture the operations on its own stream,
/// and replay them with the values of that time.
static bool isForAllValues(const StitchSession *session, const StitchModelDescriptor *program) {
  return program->numSymbols && !session->options.cuda.stream && stitchSizesAreFree(program);
}

/// The exploration of a program, which begins with its first state; NULL: there is nothing to choose.
static StitchStatus explorationOf(StitchSession *session, const SizedState *state, StitchExploration **exploration) {
  for (int64_t i = 0; i < session->numExplored; ++i)
    if (session->explored[i].program == state->program) {
      *exploration = session->explored[i].exploration;
      return NULL;
    }
  Explored *explored = realloc(session->explored, (size_t)(session->numExplored + 1) * sizeof(*explored));
  if (!explored)
    return stitchStatusOutOfMemory();
  session->explored = explored;
  StitchStatus status = stitchExplorationCreate(state->program, stitchModelHash(session->model), session->device,
                                                state->state, &session->options.adaptive, exploration);
  if (!status)
    explored[session->numExplored++] = (Explored){state->program, *exploration};
  return status;
}

static StitchStatus adapt(StitchSession *session, SizedState *state) {
  StitchExploration *exploration = NULL;
  StitchStatus status = explorationOf(session, state, &exploration);
  return status ? status : stitchAdaptationCreate(exploration, state->state, &state->adaptation);
}

/// The sizes that a state is prepared for: those of the session, or all, if it is for all of them.
static StitchStatus createSizes(const StitchSession *session, const StitchModelDescriptor *program,
                                StitchSizes **sizes) {
  if (!program->numSymbols)
    return NULL;
  return stitchSizesCreate(program, isForAllValues(session, program) ? NULL : session->values, sizes);
}

/// Makes a program ready for the session's `values`, in the place of the state that was not used for the longest time
/// if there are too many.
static StitchStatus createState(StitchSession *session, const StitchModelDescriptor *program) {
  SizedState created = {.program = program, .isStale = isForAllValues(session, program)};
  StitchStatus status = createSizes(session, program, &created.sizes);
  if (!status)
    status =
        session->device->create(session->shared, descriptorOf(session, &created), &session->options, &created.state);
  if (status)
    stitchSizesDestroy(created.sizes);
  else if ((status = placeValues(session, &created)) || (status = adapt(session, &created)))
    destroyState(session, &created);
  if (status)
    return stitchStatusAnnotate(status, "device '%s'", session->options.device);
  SizedState *place = &session->states[0];
  if (session->numStates < MAX_STATES)
    place = &session->states[session->numStates++];
  else {
    for (int i = 1; i < MAX_STATES; ++i)
      if (session->states[i].lastRun < place->lastRun)
        place = &session->states[i];
    destroyState(session, place);
  }
  *place = created;
  session->current = place;
  return NULL;
}

/// Whether a state is for the session's `values` as it is.
static bool hasValues(const StitchSession *session, const SizedState *state) {
  size_t bytes = sizeof(int64_t) * (size_t)state->program->numSymbols;
  return !bytes || memcmp(state->sizes->values, session->values, bytes) == 0;
}

/// Has `current` be the state for the session's `values`.
static StitchStatus chooseState(StitchSession *session) {
  const StitchModelDescriptor *program = stitchProgramOfSizes(stitchModelDescriptor(session->model), session->values);
  bool isForAll = isForAllValues(session, program);
  SizedState *found = NULL;
  for (int i = 0; i < session->numStates && !found; ++i)
    if (session->states[i].program == program && (isForAll || hasValues(session, &session->states[i])))
      found = &session->states[i];
  StitchStatus status = found ? NULL : createState(session, program);
  if (status)
    return status;
  session->current = found ? found : session->current;
  SizedState *state = session->current;
  if (hasValues(session, state) && !state->isStale)
    return NULL;
  stitchSizesSet(state->sizes, session->values);
  status = copyValues(session, state);
  state->isStale = status != NULL;
  return status;
}

static bool replaceByCopy(const char **text) {
  *text = *text ? strdup(*text) : NULL;
  return *text != NULL;
}

/// States are created later, too, so the memory behind the options' pointers is copied.
static StitchStatus keepOptions(StitchSession *session, const StitchSessionOptions *options) {
  session->options = *options;
  bool hasLibraries = options->cuda.libraries, hasAddress = options->world.address;
  bool hasIndex = options->adaptive.profileIndex, hasVersions = options->adaptive.versions;
  bool device = replaceByCopy(&session->options.device);
  bool index = replaceByCopy(&session->options.adaptive.profileIndex) == hasIndex;
  bool versions = replaceByCopy(&session->options.adaptive.versions) == hasVersions;
  bool libraries = replaceByCopy(&session->options.cuda.libraries);
  bool address = replaceByCopy(&session->options.world.address);
  bool copied = device && index && versions && libraries == hasLibraries && address == hasAddress;
  return copied ? NULL : stitchStatusOutOfMemory();
}

static StitchStatus allocateTables(StitchSession *session) {
  const StitchModelDescriptor *model = stitchModelDescriptor(session->model);
  session->pointers = calloc((size_t)(model->numInputs + model->numOutputs) + 1, sizeof(*session->pointers));
  session->inputs = calloc((size_t)model->numInputs + 1, sizeof(*session->inputs));
  session->values = calloc((size_t)model->numSymbols + 1, sizeof(*session->values));
  if (!session->pointers || !session->inputs || !session->values)
    return stitchStatusOutOfMemory();
  for (int64_t i = 0; i < model->numSymbols; ++i)
    session->values[i] = model->symbols[i].high;
  return NULL;
}

/// Joins the processes that run the model together. Each would choose among versions by times of its own.
static StitchStatus openWorld(const StitchSession *session) {
  int64_t processes = stitchModelDescriptor(session->model)->numProcesses;
  StitchWorld *world = NULL;
  if (processes <= 1)
    return NULL;
  if (session->options.adaptive.explore)
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "a model for several processes cannot explore its versions");
  if (session->device->join)
    return session->device->join(&session->options, processes, stitchModelHash(session->model));
  StitchStatus status = stitchWorldOpen(processes, session->options.world.timeLimit, &world);
  return status ? status : stitchWorldAgree(world, stitchModelHash(session->model));
}

static StitchStatus openDevice(StitchSession *session) {
  if (!session->device->open)
    return NULL;
  StitchStatus status =
      session->device->open(stitchModelDescriptor(session->model), &session->options, &session->shared);
  return stitchStatusAnnotate(status, "device '%s'", session->options.device);
}

StitchStatus stitchSessionCreate(const StitchModel *model, const StitchSessionOptions *options,
                                 StitchSession **session) {
  StitchSessionOptions given = options ? *options : (StitchSessionOptions){0};
  const StitchDeviceInterface *device = NULL;
  if (!given.device)
    given.device = "simt";
  StitchStatus status = findDevice(given.device, &device);
  if (status)
    return status;
  StitchSession *created = calloc(1, sizeof(*created));
  if (!created)
    return stitchStatusOutOfMemory();
  *created = (StitchSession){.model = model, .deviceName = nameOf(device), .device = device};
  status = keepOptions(created, &given);
  if (!status)
    status = allocateTables(created);
  if (!status)
    status = openWorld(created);
  if (!status)
    status = openDevice(created);
  if (!status)
    status = chooseState(created);
  if (status) {
    stitchSessionFree(created);
    return status;
  }
  *session = created;
  return NULL;
}

void stitchSessionFree(StitchSession *session) {
  if (!session)
    return;
  for (int i = 0; i < session->numStates; ++i)
    destroyState(session, &session->states[i]);
  for (int64_t i = 0; i < session->numExplored; ++i)
    stitchExplorationDestroy(session->explored[i].exploration);
  free(session->explored);
  if (session->shared)
    session->device->close(session->shared);
  free((char *)session->options.device);
  free((char *)session->options.cuda.libraries);
  free((char *)session->options.world.address);
  free((char *)session->options.adaptive.profileIndex);
  free((char *)session->options.adaptive.versions);
  free(session->values);
  free(session->inputs);
  free(session->pointers);
  free(session);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static bool isInHostMemory(const StitchTensor *tensor) {
  return tensor->memory == 0 || tensor->memory == STITCH_MEMORY_HOST || tensor->memory == STITCH_MEMORY_CUDA_HOST;
}

/// Whether the device can use the tensor where it is.
static StitchStatus checkMemory(const StitchSession *session, const char *what, int64_t index,
                                const StitchTensor *given, const char *name) {
  if (isInHostMemory(given) || (session->device->accepts && session->device->accepts(session->current->state, given)))
    return NULL;
  return stitchStatusMake(STITCH_INVALID_ARGUMENT,
                          "%s %lld ('%s') is in memory that device '%s' cannot use: DLPack's device (%d, %d)", what,
                          (long long)index, name, session->deviceName, (int)given->memory, (int)given->memoryId);
}

static StitchStatus checkTensor(const StitchSession *session, const char *what, int64_t index,
                                const StitchTensor *given, const char *name, StitchDataType dtype, int32_t rank,
                                const int64_t *dims) {
  bool same = stitchDataTypesEqual(given->dtype, dtype) && given->rank == rank;
  for (int32_t i = 0; same && i < rank; ++i)
    same = given->dims[i] == dims[i];
  if (!same) {
    char expected[256], got[256];
    stitchFormatTensorType(expected, sizeof(expected), dtype, rank, dims);
    stitchFormatTensorType(got, sizeof(got), given->dtype, given->rank, given->dims);
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "%s %lld ('%s') must be %s, got %s", what, (long long)index, name,
                            expected, got);
  }
  if (!given->data && stitchTensorBytes(dtype, rank, dims) > 0)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "%s %lld ('%s') has no data", what, (long long)index, name);
  if ((uintptr_t)given->data % TENSOR_ALIGNMENT != 0)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "the data of %s %lld ('%s') is not aligned to %d bytes", what,
                            (long long)index, name, TENSOR_ALIGNMENT);
  return checkMemory(session, what, index, given, name);
}

static StitchStatus checkCount(const char *what, int64_t expected, int64_t got) {
  if (expected == got)
    return NULL;
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "the model has %lld %s, got %lld", (long long)expected, what,
                          (long long)got);
}

/// Against the model for the sizes of the run.
static StitchStatus checkTensors(const StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                                 const StitchTensor *outputs, int64_t numOutputs) {
  const StitchModelDescriptor *model = descriptorOf(session, session->current);
  StitchStatus status = NULL;
  for (int64_t i = 0; !status && i < numInputs; ++i) {
    const StitchModelInput *info = &model->inputs[i];
    status = checkTensor(session, "input", i, &inputs[i], info->name,
                         stitchDataTypeOf((StitchElementType)info->elementType), (int32_t)info->rank, info->dims);
  }
  for (int64_t i = 0; !status && i < numOutputs; ++i) {
    const StitchModelOutput *info = &model->outputs[i];
    status = checkTensor(session, "output", i, &outputs[i], info->name,
                         stitchDataTypeOf((StitchElementType)info->elementType), (int32_t)info->rank, info->dims);
  }
  return status;
}

/// Checks the tensors and collects the device's arguments of them.
static StitchStatus prepareTensors(StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                                   const StitchTensor *outputs, int64_t numOutputs, StitchRunTensors *tensors) {
  const StitchModelDescriptor *model = stitchModelDescriptor(session->model);
  StitchStatus status = checkCount("inputs", stitchNumGivenInputs(model), numInputs);
  if (!status)
    status = checkCount("outputs", model->numOutputs, numOutputs);
  if (!status)
    status = stitchSizesOfInputs(model, inputs, session->values);
  if (!status)
    status = chooseState(session);
  if (!status)
    status = checkTensors(session, inputs, numInputs, outputs, numOutputs);
  if (status)
    return status;
  for (int64_t i = 0; i < numInputs; ++i)
    session->inputs[i] = inputs[i];
  for (int64_t i = 0; i < model->numSymbols; ++i)
    session->inputs[numInputs + i] = symbolInput(session->current, i);
  for (int64_t i = 0; i < model->numInputs; ++i)
    session->pointers[i] = session->inputs[i].data;
  for (int64_t i = 0; i < numOutputs; ++i)
    session->pointers[model->numInputs + i] = outputs[i].data;
  *tensors = (StitchRunTensors){session->inputs, outputs, session->pointers, session->pointers + model->numInputs};
  session->current->lastRun = ++session->numRuns;
  return NULL;
}

StitchStatus stitchSessionRun(StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                              const StitchTensor *outputs, int64_t numOutputs) {
  StitchRunTensors tensors;
  StitchStatus status = prepareTensors(session, inputs, numInputs, outputs, numOutputs, &tensors);
  if (status)
    return status;
  StitchAdaptation *adaptation = session->current->adaptation;
  return adaptation ? stitchAdaptationRun(adaptation, session->values, &tensors)
                    : session->device->run(session->current->state, &tensors);
}

/// prepareTensors for observers of the steps of a run; explores nothing.
static StitchStatus prepareSteps(StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                                 const StitchTensor *outputs, int64_t numOutputs, StitchRunTensors *tensors) {
  StitchStatus status = prepareTensors(session, inputs, numInputs, outputs, numOutputs, tensors);
  if (!status && session->current->adaptation)
    stitchAdaptationConfigure(session->current->adaptation);
  return status;
}

StitchStatus stitchSessionObserve(StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                                  const StitchTensor *outputs, int64_t numOutputs, const StitchObserver *observer) {
  if (!session->device->observe)
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "device '%s' has no steps to look at", session->deviceName);
  StitchRunTensors tensors;
  StitchStatus status = prepareSteps(session, inputs, numInputs, outputs, numOutputs, &tensors);
  return status ? status : session->device->observe(session->current->state, &tensors, observer);
}

StitchStatus stitchSessionProfile(StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                                  const StitchTensor *outputs, int64_t numOutputs, StitchProfileStep **steps,
                                  int64_t *numSteps) {
  if (!session->device->profile)
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "device '%s' does not measure the steps of a run",
                            session->deviceName);
  StitchRunTensors tensors;
  StitchStatus status = prepareSteps(session, inputs, numInputs, outputs, numOutputs, &tensors);
  return status ? status : session->device->profile(session->current->state, &tensors, steps, numSteps);
}

StitchStatus stitchSessionSynchronize(StitchSession *session) {
  return session->device->synchronize ? session->device->synchronize(session->current->state) : NULL;
}

StitchSessionInfo stitchSessionInfo(const StitchSession *session) {
  if (session->device->info)
    return session->device->info(session->current->state);
  return (StitchSessionInfo){.device = session->deviceName, .details = ""};
}

/// That of the program of the last run.
static StitchExploration *currentExploration(const StitchSession *session) {
  int64_t i = 0;
  while (session->explored[i].program != session->current->program)
    ++i;
  return session->explored[i].exploration;
}

StitchAdaptiveInfo stitchSessionAdaptive(StitchSession *session) {
  StitchExploration *exploration = currentExploration(session);
  return exploration ? stitchExplorationInfo(exploration) : (StitchAdaptiveInfo){0};
}

StitchAdaptiveVariable stitchSessionAdaptiveVariable(StitchSession *session, int64_t index) {
  return stitchExplorationVariable(currentExploration(session), index);
}

double stitchSessionAdaptiveSeconds(StitchSession *session, int64_t variable, int64_t version) {
  return stitchExplorationSeconds(currentExploration(session), variable, version);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void releaseHostBuffer(StitchTensorMemory *buffer) { free(buffer->data); }

StitchStatus stitchSessionAllocateBuffer(StitchSession *session, size_t bytes, StitchTensorMemory *buffer) {
  enum { ALIGNMENT = 64 };
  if (session->device->allocate)
    return session->device->allocate(session->current->state, bytes, buffer);
  void *data = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
  if (!data)
    return stitchStatusOutOfMemory();
  *buffer = (StitchTensorMemory){.data = data, .memory = STITCH_MEMORY_HOST, .release = releaseHostBuffer};
  return NULL;
}

StitchStatus stitchSessionCopy(StitchSession *session, const StitchTensor *from, const StitchTensor *to) {
  StitchStatus status = checkTensor(session, "tensor", 0, to, "to", from->dtype, from->rank, from->dims);
  if (!status)
    status = checkTensor(session, "tensor", 1, from, "from", from->dtype, from->rank, from->dims);
  if (status)
    return status;
  size_t bytes = stitchTensorBytes(from->dtype, from->rank, from->dims);
  if (bytes == 0)
    return NULL;
  if (!isInHostMemory(from) || !isInHostMemory(to))
    return session->device->copy(session->current->state, from, to, bytes);
  memcpy(to->data, from->data, bytes);
  return NULL;
}
