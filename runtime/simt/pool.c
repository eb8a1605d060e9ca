//===- pool.c - CPU threads that share the blocks of a launch ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a job of numbered items, blocks or clusters. Threads take them in ascending order by an atomic counter, so that
// the first failure by number is reported, whatever the timing.
//
//===----------------------------------------------------------------------===//

#include "runtime/simt/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/// The work of all CPU threads.
typedef struct {
  StitchSimtPoolWork work;
  void *context;
  uint32_t count;
  atomic_uint next;     ///< the first item that no thread has taken
  atomic_uint failedAt; ///< the first item that has failed; `count` if none has
  StitchStatus failure;
} Job;

typedef struct {
  StitchSimtPool *pool;
  uint32_t core;
  pthread_t thread;
} Worker;

struct StitchSimtPool {
  uint32_t cores;
  uint32_t started; ///< workers whose thread runs, of `cores` - 1
  Worker *workers;
  pthread_mutex_t mutex;
  pthread_cond_t wake, idle;
  Job *job;            ///< NULL between jobs
  uint64_t generation; ///< counts jobs, so that a worker takes part in each once
  uint32_t busy;       ///< workers in the job
  bool quit;
};

static void recordFailure(StitchSimtPool *pool, Job *job, uint32_t index, StitchStatus failure) {
  pthread_mutex_lock(&pool->mutex);
  if (index < atomic_load(&job->failedAt)) {
    atomic_store(&job->failedAt, index);
    stitchStatusFree(job->failure);
    job->failure = failure;
  } else {
    stitchStatusFree(failure);
  }
  pthread_mutex_unlock(&pool->mutex);
}

/// Items are taken in ascending order and no item before a failed one is skipped: so the first failure is found.
static void work(StitchSimtPool *pool, Job *job, uint32_t core) {
  for (uint32_t index; (index = atomic_fetch_add(&job->next, 1)) < atomic_load(&job->failedAt);) {
    StitchStatus failure = job->work(job->context, core, index);
    if (failure)
      recordFailure(pool, job, index, failure);
  }
}

static void *workerMain(void *argument) {
  Worker *worker = argument;
  StitchSimtPool *pool = worker->pool;
  uint64_t done = 0;
  pthread_mutex_lock(&pool->mutex);
  while (!pool->quit) {
    if (!pool->job || pool->generation == done) {
      pthread_cond_wait(&pool->wake, &pool->mutex);
      continue;
    }
    Job *job = pool->job;
    done = pool->generation;
    ++pool->busy;
    pthread_mutex_unlock(&pool->mutex);
    work(pool, job, worker->core);
    pthread_mutex_lock(&pool->mutex);
    if (--pool->busy == 0)
      pthread_cond_signal(&pool->idle);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

StitchStatus stitchSimtPoolRun(StitchSimtPool *pool, uint32_t count, StitchSimtPoolWork function, void *context) {
  Job job = {.work = function, .context = context, .count = count};
  atomic_init(&job.next, 0);
  atomic_init(&job.failedAt, count);
  if (pool->started && count > 1) {
    pthread_mutex_lock(&pool->mutex);
    pool->job = &job;
    ++pool->generation;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
  }
  work(pool, &job, 0);
  if (pool->started && count > 1) {
    pthread_mutex_lock(&pool->mutex);
    pool->job = NULL;
    while (pool->busy)
      pthread_cond_wait(&pool->idle, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
  }
  return job.failure;
}

uint32_t stitchSimtPoolCores(const StitchSimtPool *pool) { return pool->cores; }

static StitchStatus startWorkers(StitchSimtPool *pool) {
  for (uint32_t core = 1; core < pool->cores; ++core) {
    Worker *worker = &pool->workers[core - 1];
    *worker = (Worker){.pool = pool, .core = core};
    int error = pthread_create(&worker->thread, NULL, workerMain, worker);
    if (error)
      return stitchStatusMake(STITCH_OUT_OF_MEMORY, "cannot start a CPU thread: %s", strerror(error));
    ++pool->started;
  }
  return NULL;
}

StitchStatus stitchSimtPoolCreate(uint32_t cores, StitchSimtPool **pool) {
  StitchSimtPool *created = calloc(1, sizeof *created);
  if (!created)
    return stitchStatusOutOfMemory();
  created->cores = cores > 1 ? cores : 1;
  created->workers = calloc(created->cores, sizeof *created->workers);
  pthread_mutex_init(&created->mutex, NULL);
  pthread_cond_init(&created->wake, NULL);
  pthread_cond_init(&created->idle, NULL);
  StitchStatus status = created->workers ? startWorkers(created) : stitchStatusOutOfMemory();
  if (status)
    stitchSimtPoolDestroy(created);
  else
    *pool = created;
  return status;
}

void stitchSimtPoolDestroy(StitchSimtPool *pool) {
  if (!pool)
    return;
  pthread_mutex_lock(&pool->mutex);
  pool->quit = true;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
  for (uint32_t i = 0; i < pool->started; ++i)
    pthread_join(pool->workers[i].thread, NULL);
  pthread_cond_destroy(&pool->idle);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->mutex);
  free(pool->workers);
  free(pool);
}
