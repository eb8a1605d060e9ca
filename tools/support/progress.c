//===- progress.c - progress of a tool on a terminal ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A second thread waits a second after each stage began, and shows its name if it has not ended by then.
//
//===----------------------------------------------------------------------===//

#include "tools/support/progress.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { QUIET_SECONDS = 1 };

struct ToolProgress {
  const char *tool;
  bool terminal;
  const char *stage;
  bool running; ///< a stage is under way
  struct timespec start;
  bool shown; ///< its name is on the terminal
  bool ended; ///< the thread is to end
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
};

static double secondsSince(struct timespec start) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec);
}

static void *watch(void *data) {
  ToolProgress *p = data;
  pthread_mutex_lock(&p->mutex);
  while (!p->ended) {
    if (!p->running || p->shown) {
      pthread_cond_wait(&p->changed, &p->mutex);
      continue;
    }
    struct timespec deadline = p->start;
    deadline.tv_sec += QUIET_SECONDS;
    if (secondsSince(p->start) < QUIET_SECONDS) {
      pthread_cond_timedwait(&p->changed, &p->mutex, &deadline);
      continue;
    }
    fprintf(stderr, "%s: %s ...", p->tool, p->stage);
    p->shown = true;
  }
  pthread_mutex_unlock(&p->mutex);
  return NULL;
}

ToolProgress *toolProgressCreate(const char *tool) {
  ToolProgress *p = calloc(1, sizeof(*p));
  if (!p)
    return NULL;
  p->tool = tool;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&p->mutex, NULL);
  pthread_cond_init(&p->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  p->terminal = isatty(STDERR_FILENO) && pthread_create(&p->thread, NULL, watch, p) == 0;
  return p;
}

void toolProgressBegin(ToolProgress *p, const char *name) {
  toolProgressEnd(p);
  if (!p)
    return;
  pthread_mutex_lock(&p->mutex);
  p->stage = name;
  p->running = true;
  p->shown = false;
  clock_gettime(CLOCK_MONOTONIC, &p->start);
  pthread_cond_signal(&p->changed);
  pthread_mutex_unlock(&p->mutex);
}

void toolProgressEnd(ToolProgress *p) {
  if (!p || !p->running)
    return;
  pthread_mutex_lock(&p->mutex);
  p->running = false;
  if (p->shown)
    fprintf(stderr, " %.1f s\n", secondsSince(p->start));
  pthread_cond_signal(&p->changed);
  pthread_mutex_unlock(&p->mutex);
}

void toolProgressDestroy(ToolProgress *p) {
  if (!p)
    return;
  toolProgressEnd(p);
  if (p->terminal) {
    pthread_mutex_lock(&p->mutex);
    p->ended = true;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->mutex);
    pthread_join(p->thread, NULL);
  }
  pthread_cond_destroy(&p->changed);
  pthread_mutex_destroy(&p->mutex);
  free(p);
}
