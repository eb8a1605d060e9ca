//===- control.c - configuration, calls and objects of the test double ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/internal.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_RULES = 64, NAME_BYTES = 64, MAX_FUNCTIONS = 256 };

typedef struct {
  char name[NAME_BYTES];
  int call, code;
} Failure;

typedef struct {
  char name[NAME_BYTES];
  int calls;
} Counter;

#define STANDARD_CONFIG                                                                                                \
  {.driver = 12030,                                                                                                    \
   .devices = 1,                                                                                                       \
   .arch = 90,                                                                                                         \
   .sms = 132,                                                                                                         \
   .shared = 232448,                                                                                                   \
   .cufft = 12000,                                                                                                     \
   .cusolver = 12000,                                                                                                  \
   .cublas = 130001,                                                                                                   \
   .nccl = 22809,                                                                                                      \
   .messages = "/dev/shm",                                                                                             \
   .races = 1,                                                                                                         \
   .windows = 1}
static const DoubleConfig standard = STANDARD_CONFIG;
DoubleConfig config = STANDARD_CONFIG;
CUresult stickyError = CUDA_SUCCESS;

static Failure failures[MAX_RULES];
static int numFailures = 0;
static char missing[MAX_RULES][NAME_BYTES];
static int numMissing = 0;
static Counter counters[MAX_FUNCTIONS];
static int numCounters = 0;
static FILE *logFile = NULL;
static int violations = 0;
static char firstViolation[1024];
static Object *objects = NULL;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool configured = false;

//===----------------------------------------------------------------------===//
// Configuration
//===----------------------------------------------------------------------===//

static void refuse(const char *item) {
  fprintf(stderr, "cuda double: cannot understand '%s'\n", item);
  _exit(97);
}

static void setNumber(const char *item, const char *name, int *value) {
  size_t length = strlen(name);
  if (strncmp(item, name, length) == 0 && item[length] == '=')
    *value = atoi(item + length + 1);
}

static void addFailure(const char *text) {
  Failure *failure = &failures[numFailures++];
  if (numFailures == MAX_RULES || sscanf(text, "%63[^:]:%d:%d", failure->name, &failure->call, &failure->code) != 3)
    refuse(text);
}

static void configureItem(const char *item) {
  if (!strchr(item, '='))
    refuse(item);
  setNumber(item, "driver", &config.driver);
  setNumber(item, "devices", &config.devices);
  setNumber(item, "arch", &config.arch);
  setNumber(item, "sms", &config.sms);
  setNumber(item, "shared", &config.shared);
  setNumber(item, "cufft", &config.cufft);
  setNumber(item, "cusolver", &config.cusolver);
  setNumber(item, "cublas", &config.cublas);
  setNumber(item, "nccl", &config.nccl);
  setNumber(item, "lose", &config.lose);
  setNumber(item, "stall", &config.stall);
  setNumber(item, "launch_ns", &config.launch_ns);
  setNumber(item, "block_ns", &config.block_ns);
  setNumber(item, "wait_ns", &config.wait_ns);
  setNumber(item, "wrong", &config.wrong);
  setNumber(item, "call_ns", &config.call_ns);
  setNumber(item, "column_ns", &config.column_ns);
  setNumber(item, "batch_ns", &config.batch_ns);
  setNumber(item, "algorithm_ns", &config.algorithm_ns);
  setNumber(item, "noise", &config.noise);
  setNumber(item, "random", &config.random);
  setNumber(item, "races", &config.races);
  setNumber(item, "skip_wait", &config.skip_wait);
  setNumber(item, "splits", &config.splits);
  setNumber(item, "windows", &config.windows);
  setNumber(item, "late", &config.late);
  if (strncmp(item, "seed=", 5) == 0)
    config.seed = atoll(item + 5);
  if (strncmp(item, "model=", 6) == 0 && config.numModels < (int)(sizeof(config.models) / sizeof(config.models[0])))
    snprintf(config.models[config.numModels++], sizeof(config.models[0]), "%s", item + 6);
  if (strncmp(item, "messages=", 9) == 0)
    snprintf(config.messages, sizeof(config.messages), "%s", item + 9);
  if (strncmp(item, "fail=", 5) == 0)
    addFailure(item + 5);
  if (strncmp(item, "missing=", 8) == 0 && numMissing < MAX_RULES)
    snprintf(missing[numMissing++], NAME_BYTES, "%s", item + 8);
  if (strncmp(item, "log=", 4) == 0 && !(logFile = fopen(item + 4, "w")))
    refuse(item);
}

static void configure(const char *text) {
  configured = true;
  config = standard;
  numFailures = numMissing = numCounters = 0;
  stickyError = CUDA_SUCCESS;
  if (logFile)
    fclose(logFile);
  logFile = NULL;
  char *copy = strdup(text ? text : ""), *position = NULL;
  for (char *item = strtok_r(copy, ",", &position); item; item = strtok_r(NULL, ",", &position))
    configureItem(item);
  free(copy);
}

EXPORTED void stitchDoubleConfigure(const char *text) {
  pthread_mutex_lock(&mutex);
  configure(text);
  pthread_mutex_unlock(&mutex);
}

bool isMissing(const char *name) {
  for (int i = 0; i < numMissing; ++i)
    if (strcmp(missing[i], name) == 0)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

int enterLock(void) {
  pthread_mutex_lock(&mutex);
  if (!configured)
    configure(getenv("STITCH_CUDA_DOUBLE"));
  return 1;
}

void leave(const int *entered) {
  (void)entered;
  pthread_mutex_unlock(&mutex);
}

void pauseUnlocked(void) {
  pthread_mutex_unlock(&mutex);
  usleep(100);
  pthread_mutex_lock(&mutex);
}

static Counter *counterOf(const char *name) {
  for (int i = 0; i < numCounters; ++i)
    if (strcmp(counters[i].name, name) == 0)
      return &counters[i];
  if (numCounters == MAX_FUNCTIONS)
    refuse("more functions than there are");
  Counter *counter = &counters[numCounters++];
  *counter = (Counter){.calls = 0};
  snprintf(counter->name, sizeof(counter->name), "%s", name);
  return counter;
}

/// Errors of which cuda.h says that they leave the process in an inconsistent state: every later call fails with them.
static bool staysForever(int code) {
  return code == CUDA_ERROR_ILLEGAL_ADDRESS || code == CUDA_ERROR_MISALIGNED_ADDRESS ||
         code == CUDA_ERROR_LAUNCH_FAILED;
}

int enterCall(const char *name) {
  int call = ++counterOf(name)->calls;
  int code = 0;
  for (int i = 0; i < numFailures; ++i)
    if (strcmp(failures[i].name, name) == 0 && (failures[i].call == call || failures[i].call == 0))
      code = failures[i].code;
  // A library call that fails during a capture has done something forbidden there; the driver only refuses a step.
  bool isLibrary = !(name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z');
  if (code && isLibrary)
    spoilCaptures();
  if (!isLibrary && staysForever(code))
    stickyError = (CUresult)code;
  if (logFile) {
    fprintf(logFile, code ? "%s fails with %d\n" : "%s\n", name, code);
    fflush(logFile);
  }
  return code;
}

int callsOf(const char *name) { return counterOf(name)->calls; }

EXPORTED int stitchDoubleCalls(const char *function) {
  pthread_mutex_lock(&mutex);
  int calls = callsOf(function);
  pthread_mutex_unlock(&mutex);
  return calls;
}

void violation(const char *format, ...) {
  char text[sizeof(firstViolation)];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  fprintf(stderr, "cuda double: %s\n", text);
  if (violations++ == 0)
    memcpy(firstViolation, text, sizeof(text));
}

EXPORTED int stitchDoubleViolations(void) { return violations; }

EXPORTED int stitchDoubleForgive(char *first, int size) {
  pthread_mutex_lock(&mutex);
  int count = violations;
  snprintf(first, (size_t)size, "%s", count ? firstViolation : "");
  violations = 0;
  pthread_mutex_unlock(&mutex);
  return count;
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

static const char *kindName(Kind kind) {
  static const char *const names[] = {"context",
                                      "stream",
                                      "event",
                                      "module",
                                      "function",
                                      "graph",
                                      "graph node",
                                      "executable graph",
                                      "device memory",
                                      "page-locked memory",
                                      "cuBLASLt handle",
                                      "matmul descriptor",
                                      "matrix layout",
                                      "matmul preference",
                                      "cuDNN handle",
                                      "cuDNN descriptor",
                                      "cuFFT plan",
                                      "cuBLAS handle",
                                      "cuSOLVER handle",
                                      "cuSOLVER parameters",
                                      "NCCL communicator"};
  return names[kind - KIND_CONTEXT];
}

void *newObject(Kind kind, size_t size) {
  Object *object = calloc(1, size);
  if (!object)
    abort();
  *object = (Object){.kind = kind, .alive = true, .next = objects};
  objects = object;
  return object;
}

void destroyObject(void *object) { ((Object *)object)->alive = false; }

Object *firstObject(void) { return objects; }

bool isObject(const void *handle, Kind kind, const char *function) {
  for (const Object *object = objects; object; object = object->next) {
    if (object != handle)
      continue;
    if (object->alive && object->kind == kind)
      return true;
    violation("%s: the %s is %s", function, kindName(kind), object->alive ? kindName(object->kind) : "destroyed");
    return false;
  }
  violation("%s: not a handle of a %s: %p", function, kindName(kind), handle);
  return false;
}

static bool isCounted(const Object *object) {
  return object->alive && object->kind != KIND_FUNCTION && object->kind != KIND_NODE && object->kind != KIND_CONTEXT;
}

EXPORTED int stitchDoubleLive(void) {
  int count = 0;
  for (const Object *object = objects; object; object = object->next)
    count += isCounted(object);
  return count;
}

/// A context lives as long as it is retained.
__attribute__((destructor)) static void checkAtExit(void) {
  int leaks = 0;
  for (const Object *object = objects; object; object = object->next)
    if (isCounted(object) || (object->alive && object->kind == KIND_CONTEXT)) {
      fprintf(stderr, "cuda double: a %s is left behind\n", kindName(object->kind));
      ++leaks;
    }
  if (logFile)
    fclose(logFile);
  if (leaks || violations)
    _exit(99);
}
