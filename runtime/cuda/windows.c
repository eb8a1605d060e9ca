//===- windows.c - an arena with windows into that of other processes -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a program with windows, and the processes. Leaves a range of addresses: own memory in front of the windows, in
// the first window and behind them, and in each other window the first one of a member. Whatever fails on one process
// leaves none on all.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/windows.h"

#include "runtime/cuda/kernels.h"
#include "runtime/library/cpu_collective.h"
#include "runtime/world/shared_files.h"

#include <stdlib.h>
#include <unistd.h>

/// In the header of a window: a number of each member, and behind them the own one.
enum { SEQUENCE_OFFSET = STITCH_WINDOW_HEADER - 8 };
_Static_assert(STITCH_KERNEL_MEMBERS * 8 <= SEQUENCE_OFFSET, "numbers overlap");

/// Own memory in front of the windows, in the first one, and behind them.
enum { IN_FRONT, OWN_WINDOW, BEHIND, NUM_OWN };

struct StitchCudaWindows {
  StitchCuda *cuda;
  StitchCommunicators *communicators;
  CUdeviceptr base;
  size_t bytes, firstWindow, windowBytes;
  size_t mapped; ///< bytes from `base` on
  int64_t ranks[STITCH_KERNEL_MEMBERS];
  StitchWorldGroup group;
  CUmemGenericAllocationHandle own[NUM_OWN], others[STITCH_KERNEL_MEMBERS]; ///< 0: none
};

void *stitchCudaWindowsArena(const StitchCudaWindows *w) { return (void *)(uintptr_t)w->base; }
StitchWorldGroup stitchCudaWindowsGroup(const StitchCudaWindows *w) { return w->group; }

static CUdeviceptr windowAt(const StitchCudaWindows *w, int64_t number) {
  return w->base + w->firstWindow + (size_t)number * w->windowBytes;
}

bool stitchCudaWindowsIsOfOthers(const StitchCudaWindows *w, const void *memory) {
  CUdeviceptr address = (CUdeviceptr)(uintptr_t)memory;
  return address >= windowAt(w, 1) && address < windowAt(w, 1 + w->group.count);
}

void *stitchCudaWindowsOperand(const StitchCudaWindows *w, const void *result) {
  CUdeviceptr address = (CUdeviceptr)(uintptr_t)result;
  bool isInFirst = address >= windowAt(w, 1) && address < windowAt(w, 2);
  return isInFirst ? (void *)(uintptr_t)(address - w->windowBytes) : NULL;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static CUmemAllocationProp properties(const StitchCudaWindows *w, bool isShared) {
  return (CUmemAllocationProp){
      .type = CU_MEM_ALLOCATION_TYPE_PINNED,
      .requestedHandleTypes = isShared ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : (CUmemAllocationHandleType)0,
      .location = {CU_MEM_LOCATION_TYPE_DEVICE, w->cuda->device},
  };
}

/// Whether this GPU can share memory in units of windows.
static bool canShare(const StitchCudaWindows *w) {
  StitchCuda *cuda = w->cuda;
  int hasVirtual = 0, hasFiles = 0;
  size_t granularity = 0;
  CUmemAllocationProp shared = properties(w, true);
  return cuda->driver.cuDeviceGetAttribute(&hasVirtual, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                                           cuda->device) == CUDA_SUCCESS &&
         cuda->driver.cuDeviceGetAttribute(&hasFiles, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
                                           cuda->device) == CUDA_SUCCESS &&
         hasVirtual && hasFiles &&
         cuda->driver.cuMemGetAllocationGranularity(&granularity, &shared, CU_MEM_ALLOC_GRANULARITY_MINIMUM) ==
             CUDA_SUCCESS &&
         granularity > 0 && STITCH_WINDOW_ALIGNMENT % granularity == 0;
}

static StitchStatus map(StitchCudaWindows *w, size_t bytes, CUmemGenericAllocationHandle handle) {
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, w->cuda->device}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUdeviceptr at = w->base + w->mapped;
  StitchStatus status = CUDA_CALL(w->cuda, cuMemMap, at, bytes, 0, handle, 0);
  if (status)
    return status;
  w->mapped += bytes;
  return CUDA_CALL(w->cuda, cuMemSetAccess, at, bytes, &access, 1);
}

static StitchStatus addOwn(StitchCudaWindows *w, int which, size_t bytes) {
  CUmemAllocationProp wanted = properties(w, which == OWN_WINDOW);
  if (bytes == 0)
    return NULL;
  StitchStatus status = CUDA_CALL(w->cuda, cuMemCreate, &w->own[which], bytes, &wanted, 0);
  if (status)
    w->own[which] = 0;
  return status ? status : map(w, bytes, w->own[which]);
}

/// The range, with this process's memory up to its window, and zeros in its header.
static StitchStatus mapOwn(StitchCudaWindows *w) {
  StitchCuda *cuda = w->cuda;
  StitchStatus status = CUDA_CALL(cuda, cuMemAddressReserve, &w->base, w->bytes, 0, 0, 0);
  if (status) {
    w->base = 0;
    return status;
  }
  status = addOwn(w, IN_FRONT, w->firstWindow);
  if (!status)
    status = addOwn(w, OWN_WINDOW, w->windowBytes);
  if (!status) // as in stitchTicksCreate
    status = CUDA_CALL(cuda, cuMemsetD8Async, windowAt(w, 0), 0, STITCH_WINDOW_HEADER, (CUstream)1);
  return status ? status : CUDA_CALL(cuda, cuStreamSynchronize, (CUstream)1);
}

static StitchStatus mapOthers(StitchCudaWindows *w, const int *files) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < w->group.count && !status; ++i) {
    status = CUDA_CALL(w->cuda, cuMemImportFromShareableHandle, &w->others[i], (void *)(intptr_t)files[i],
                       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    if (status)
      w->others[i] = 0;
    else
      status = map(w, w->windowBytes, w->others[i]);
  }
  return status ? status : addOwn(w, BEHIND, w->bytes - w->mapped);
}

/// A window's file descriptor; -1: none, for a reason that does not matter.
static int exportWindow(StitchCudaWindows *w) {
  int file = -1;
  StitchStatus status = canShare(w) ? mapOwn(w) : stitchStatusMake(STITCH_UNIMPLEMENTED, "no virtual memory");
  if (!status)
    status = CUDA_CALL(w->cuda, cuMemExportToShareableHandle, &file, w->own[OWN_WINDOW],
                       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  file = status ? -1 : file;
  stitchStatusFree(status);
  return file;
}

//===----------------------------------------------------------------------===//
// Beginning and end
//===----------------------------------------------------------------------===//

/// The group of the calls that windows are for; of no member if there is no such call, or it is too large.
static void findGroup(StitchCudaWindows *w, const StitchModelDescriptor *program) {
  int64_t ranks[2 * STITCH_LIBRARY_MAX_PROCESSES], rank = stitchPeersRank(stitchCommunicatorsPeers(w->communicators));
  for (int64_t i = 0; i < program->libraryCalls.count && w->group.count == 0; ++i) {
    const StitchLibraryProblem *problem = &program->libraryCalls.problems[i];
    if (!stitchLibraryIsOfAll(problem) || problem->count + 1 != program->windows.count)
      continue;
    StitchWorldGroup group = stitchCollectiveGroup(&problem->collective, rank, ranks);
    w->group = (StitchWorldGroup){w->ranks, group.count <= STITCH_KERNEL_MEMBERS ? group.count : 0};
    for (int64_t k = 0; k < w->group.count; ++k)
      w->ranks[k] = ranks[k];
  }
}

/// Whether all processes say yes.
static StitchStatus agree(StitchPeers *peers, bool own, bool *all) {
  int64_t count = stitchPeersSize(peers);
  char answer = own, *answers = calloc((size_t)count, 1);
  StitchStatus status =
      answers ? stitchPeersGather(peers, "the windows of processes", &answer, 1, answers) : stitchStatusOutOfMemory();
  *all = !status;
  for (int64_t i = 0; i < count && !status; ++i)
    *all = *all && answers[i];
  free(answers);
  return status;
}

static StitchStatus shareWindows(StitchCudaWindows *w, bool *areMapped) {
  StitchPeers *peers = stitchCommunicatorsPeers(w->communicators);
  int files[STITCH_KERNEL_MEMBERS], own = w->group.count ? exportWindow(w) : -1;
  bool areShared = false;
  StitchStatus status = stitchPeersShareFiles(peers, w->group, own, files, &areShared);
  if (own >= 0)
    close(own);
  *areMapped = false;
  if (status || !areShared)
    return status;
  StitchStatus mapping = mapOthers(w, files);
  for (int64_t i = 0; i < w->group.count; ++i)
    close(files[i]);
  status = agree(peers, !mapping, areMapped);
  stitchStatusFree(mapping);
  return status;
}

StitchStatus stitchCudaWindowsCreate(StitchCuda *cuda, StitchCommunicators *communicators,
                                     const StitchModelDescriptor *program, StitchCudaWindows **windows) {
  StitchCudaWindows *w = calloc(1, sizeof(*w));
  *windows = NULL;
  if (!w)
    return stitchStatusOutOfMemory();
  size_t arena = (size_t)program->arenaBytes, unit = STITCH_WINDOW_ALIGNMENT;
  *w = (StitchCudaWindows){.cuda = cuda,
                           .communicators = communicators,
                           .bytes = (arena + unit - 1) / unit * unit,
                           .firstWindow = (size_t)program->windows.first,
                           .windowBytes = (size_t)program->windows.bytes};
  findGroup(w, program);
  bool areMapped = false;
  StitchStatus status = shareWindows(w, &areMapped);
  if (status || !areMapped)
    stitchCudaWindowsFree(w);
  else
    *windows = w;
  return status;
}

static void freeHandle(StitchCudaWindows *w, CUmemGenericAllocationHandle handle) {
  if (handle)
    w->cuda->driver.cuMemRelease(handle);
}

void stitchCudaWindowsFree(StitchCudaWindows *w) {
  if (!w)
    return;
  if (w->mapped)
    w->cuda->driver.cuMemUnmap(w->base, w->mapped);
  for (int i = 0; i < NUM_OWN; ++i)
    freeHandle(w, w->own[i]);
  for (int64_t i = 0; i < STITCH_KERNEL_MEMBERS; ++i)
    freeHandle(w, w->others[i]);
  if (w->base)
    w->cuda->driver.cuMemAddressFree(w->base, w->bytes);
  free(w);
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

StitchStatus stitchCudaWindowsSignal(const StitchCudaWindows *w, StitchTicks *ticks, int64_t call, CUstream stream) {
  StitchTickParameters tick;
  StitchStatus status = stitchTicksEnter(ticks, call, stream, &tick);
  StitchSignalParameters parameters = {
      .own = (void *)(uintptr_t)windowAt(w, 0),
      .sequence = (void *)(uintptr_t)(windowAt(w, 0) + SEQUENCE_OFFSET),
      .stop = stitchCommunicatorsStopWord(w->communicators),
      .counter = tick.counter,
      .word = tick.word,
      .number = tick.number,
      .members = w->group.count,
  };
  int64_t rank = stitchPeersRank(stitchCommunicatorsPeers(w->communicators));
  for (int64_t i = 0; i < w->group.count; ++i) {
    parameters.others[i] = (void *)(uintptr_t)windowAt(w, 1 + i);
    if (w->ranks[i] == rank)
      parameters.place = i;
  }
  if (!status)
    status = stitchOwnKernelsLaunch(ticks->kernels, STITCH_OWN_SIGNAL, 1, &parameters, stream);
  return status ? status : stitchTicksLeave(ticks, stream);
}
