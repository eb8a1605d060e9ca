//===- transport.c - data between processes by MPI -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libstitch_mpi.so: a thin layer over MPI's calls that do not block. An element is a datatype of its bytes, so that a
// count fits in MPI's int wherever a tensor has at most 2^31 - 1 elements a process.
//
//===----------------------------------------------------------------------===//

#include "runtime/world/transport.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

enum { TAG_OF_GROUPS = 1, TAG_OF_MESSAGES = 2 };

typedef struct {
  MPI_Request request;
  MPI_Datatype type;
} Request;

static char problem[MPI_MAX_ERROR_STRING + 1];

static const char *textOf(int error) {
  int length = 0;
  if (error == MPI_SUCCESS)
    return NULL;
  if (MPI_Error_string(error, problem, &length) != MPI_SUCCESS)
    return "an error without a text";
  return problem;
}

static const char *openWorld(int64_t *rank, int64_t *size) {
  int isInitialized = 0, provided = 0, r = 0, n = 0;
  int error = MPI_Initialized(&isInitialized);
  if (error == MPI_SUCCESS && !isInitialized)
    error = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
  if (error == MPI_SUCCESS)
    error = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (error == MPI_SUCCESS)
    error = MPI_Comm_rank(MPI_COMM_WORLD, &r);
  if (error == MPI_SUCCESS)
    error = MPI_Comm_size(MPI_COMM_WORLD, &n);
  *rank = r;
  *size = n;
  return textOf(error);
}

static void closeWorld(int isOrderly) {
  if (!isOrderly)
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  else
    MPI_Finalize();
}

static void *makeGroup(const int64_t *ranks, int64_t count) {
  int *list = calloc((size_t)count + 1, sizeof(*list));
  MPI_Comm *made = malloc(sizeof(*made));
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  for (int64_t i = 0; list && i < count; ++i)
    list[i] = (int)ranks[i];
  int error = list && made ? MPI_Comm_group(MPI_COMM_WORLD, &all) : MPI_ERR_NO_MEM;
  if (error == MPI_SUCCESS)
    error = MPI_Group_incl(all, (int)count, list, &some);
  if (error == MPI_SUCCESS)
    error = MPI_Comm_create_group(MPI_COMM_WORLD, some, TAG_OF_GROUPS, made);
  if (error == MPI_SUCCESS)
    error = MPI_Comm_set_errhandler(*made, MPI_ERRORS_RETURN);
  if (some != MPI_GROUP_NULL)
    MPI_Group_free(&some);
  if (all != MPI_GROUP_NULL)
    MPI_Group_free(&all);
  free(list);
  if (error == MPI_SUCCESS)
    return made;
  free(made);
  return NULL;
}

/// A request with the datatype of an element; NULL if there is none.
static Request *beginRequest(StitchTransportMemory memory) {
  Request *request = memory.count <= INT_MAX && memory.bytes <= INT_MAX ? malloc(sizeof(*request)) : NULL;
  if (!request)
    return NULL;
  if (MPI_Type_contiguous((int)memory.bytes, MPI_BYTE, &request->type) == MPI_SUCCESS &&
      MPI_Type_commit(&request->type) == MPI_SUCCESS)
    return request;
  free(request);
  return NULL;
}

static void *started(Request *request, int error) {
  if (error == MPI_SUCCESS)
    return request;
  MPI_Type_free(&request->type);
  free(request);
  return NULL;
}

static void *sendTo(int64_t rank, StitchTransportMemory memory) {
  Request *r = beginRequest(memory);
  return r ? started(r, MPI_Isend(memory.data, (int)memory.count, r->type, (int)rank, TAG_OF_MESSAGES, MPI_COMM_WORLD,
                                  &r->request))
           : NULL;
}

static void *receiveFrom(int64_t rank, StitchTransportMemory memory) {
  Request *r = beginRequest(memory);
  return r ? started(r, MPI_Irecv(memory.data, (int)memory.count, r->type, (int)rank, TAG_OF_MESSAGES, MPI_COMM_WORLD,
                                  &r->request))
           : NULL;
}

static void *allGather(void *group, StitchTransportMemory from, void *to) {
  Request *r = beginRequest(from);
  int n = (int)from.count;
  return r ? started(r, MPI_Iallgather(from.data, n, r->type, to, n, r->type, *(MPI_Comm *)group, &r->request)) : NULL;
}

static void *allToAll(void *group, StitchTransportMemory from, void *to) {
  Request *r = beginRequest(from);
  int size = 1, error = MPI_Comm_size(*(MPI_Comm *)group, &size), n = (int)(from.count / size);
  if (r && error == MPI_SUCCESS)
    error = MPI_Ialltoall(from.data, n, r->type, to, n, r->type, *(MPI_Comm *)group, &r->request);
  return r ? started(r, error) : NULL;
}

static void *broadcast(void *group, StitchTransportMemory memory) {
  Request *r = beginRequest(memory);
  return r ? started(r, MPI_Ibcast(memory.data, (int)memory.count, r->type, 0, *(MPI_Comm *)group, &r->request)) : NULL;
}

static int test(void *request) {
  Request *r = request;
  int isDone = 0;
  int error = MPI_Test(&r->request, &isDone, MPI_STATUS_IGNORE);
  if (error == MPI_SUCCESS && !isDone)
    return 0;
  MPI_Type_free(&r->type);
  free(r);
  return error == MPI_SUCCESS ? 1 : -1;
}

__attribute__((visibility("default"))) const StitchTransport stitch_transport = {
    .version = STITCH_TRANSPORT_VERSION,
    .name = "MPI",
    .open = openWorld,
    .close = closeWorld,
    .group = makeGroup,
    .send = sendTo,
    .receive = receiveFrom,
    .allGather = allGather,
    .allToAll = allToAll,
    .broadcast = broadcast,
    .test = test,
};
