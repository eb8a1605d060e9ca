//===- profile_index.c - unit test of the profile index ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-profile_index FOLDER
//
// Files that are damaged, foreign, or written by somebody who is killed; processes and threads that explore with one
// file at the same time.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // usleep

#include "runtime/wirer/index.h"
#include "runtime/wirer/wirer.h"
#include "test/unit/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[4096];

static void writeFile(const char *text, size_t size) {
  FILE *file = fopen(path, "w");
  CHECK(file && fwrite(text, 1, size, file) == size);
  if (file)
    fclose(file);
}

static size_t readFile(char *text, size_t capacity) {
  FILE *file = fopen(path, "r");
  size_t size = file ? fread(text, 1, capacity, file) : 0;
  if (file)
    fclose(file);
  return size;
}

static void removeFile(void) { unlink(path); }

//===----------------------------------------------------------------------===//
// Entries that are kept
//===----------------------------------------------------------------------===//

static const StitchIndexSize none = {{0}}, small = {{37, 4}}, large = {{1000}};

static void testSamples(void) {
  StitchIndex index = {0};
  for (int i = 0; i < 3000; ++i) {
    char key[32];
    snprintf(key, sizeof(key), "key_%d", i % 1000);
    CHECK_OK(stitchIndexAdd(&index, key, none, i));
  }
  CHECK(index.count == 1000 && !stitchIndexFind(&index, "key_1000"));
  StitchIndexEntry *entry = stitchIndexFind(&index, "key_7");
  if (entry)
    stitchIndexSummarize(entry);
  CHECK(entry && entry->count == 3 && entry->median == 1007);
  CHECK(entry && entry->spread == 2000.0 / 1007.0);
  for (int i = 0; i < 100; ++i)
    CHECK_OK(stitchIndexAdd(&index, "key_7", none, 1));
  CHECK(stitchIndexFind(&index, "key_7")->count == STITCH_INDEX_MAX_SAMPLES);
  stitchIndexDestroy(&index);
}

/// Two sessions that each save their entries have both; those of another scope stay.
static void testScopes(void) {
  removeFile();
  StitchIndex a = {0}, b = {0}, other = {0};
  CHECK_OK(stitchIndexAdd(&a, "x=1", none, 0.1)); // has no end in binary, and has to come back as it is
  CHECK_OK(stitchIndexAdd(&b, "x=1", none, 0.3));
  CHECK_OK(stitchIndexAdd(&b, "x=2", large, 0.5));
  CHECK_OK(stitchIndexAdd(&b, "x=2", small, 0.6));
  CHECK_OK(stitchIndexAdd(&b, "x=2", large, 0.7));
  stitchIndexFind(&b, "x=2")->isSettled = true;
  CHECK_OK(stitchIndexAdd(&other, "x=1", none, 7));
  CHECK_OK(stitchIndexSynchronize(&a, path, "model"));
  CHECK_OK(stitchIndexSynchronize(&other, path, "mode")); // a part of a name is another name
  CHECK_OK(stitchIndexSynchronize(&b, path, "model"));
  CHECK_OK(stitchIndexSynchronize(&a, path, "model"));
  const StitchIndexEntry *entry = stitchIndexFind(&a, "x=1");
  CHECK(entry && entry->count == 2 && entry->samples[0] == 0.1 && entry->samples[1] == 0.3);
  const StitchIndexEntry *sized = stitchIndexFind(&a, "x=2");
  CHECK(sized && sized->isSettled && !entry->isSettled && a.count == 2 && sized->count == 3 &&
        sized->samples[1] == 0.6);
  for (int i = 0; sized && i < 3; ++i)
    CHECK(memcmp(&a.sizes[sized->sizeNumbers[i]], i == 1 ? &small : &large, sizeof(small)) == 0);
  stitchIndexDestroy(&other);
  CHECK_OK(stitchIndexSynchronize(&other, path, "mode"));
  CHECK(other.count == 1 && stitchIndexFind(&other, "x=1")->samples[0] == 7);
  removeFile(); // the file is removed: known entries are written again
  CHECK_OK(stitchIndexSynchronize(&a, path, "model"));
  stitchIndexDestroy(&b);
  CHECK_OK(stitchIndexSynchronize(&b, path, "model"));
  CHECK(b.count == 2 && stitchIndexFind(&b, "x=1")->count == 2);
  stitchIndexDestroy(&a);
  stitchIndexDestroy(&b);
  stitchIndexDestroy(&other);
}

//===----------------------------------------------------------------------===//
// Files that are refused
//===----------------------------------------------------------------------===//

/// Neither reads nor changes a file of these bytes.
static void checkRefused(const char *text, size_t size, StitchStatusCode code) {
  static char after[1 << 16];
  StitchIndex index = {0};
  writeFile(text, size);
  CHECK_OK(stitchIndexAdd(&index, "x=9", none, 1));
  StitchStatus status = stitchIndexSynchronize(&index, path, "model");
  CHECK(stitchStatusCode(status) == code && strstr(stitchStatusMessage(status), path));
  CHECK(index.count == 1 && readFile(after, sizeof(after)) == size && memcmp(text, after, size) == 0);
  stitchStatusFree(status);
  stitchIndexDestroy(&index);
}

static void testDamage(void) {
  static char good[1 << 16], bad[1 << 16];
  testScopes();
  size_t size = readFile(good, sizeof(good));
  CHECK(size > 100);
  for (size_t i = 0; i < size; ++i)
    checkRefused(good, i, STITCH_INVALID_ARGUMENT); // cut off, an empty file among them
  for (size_t i = 0; i < size; ++i)
    for (int bit = 0; bit < 8; ++bit) {
      memcpy(bad, good, size);
      bad[i] = (char)(bad[i] ^ (1 << bit));
      bool isVersion = i >= strlen("stitch-profile ") && i <= strlen("stitch-profile 3");
      checkRefused(bad, size, isVersion ? STITCH_FAILED_PRECONDITION : STITCH_INVALID_ARGUMENT);
    }
  memcpy(bad, good, size);
  memcpy(bad + size, "\n", 1);
  checkRefused(bad, size + 1, STITCH_INVALID_ARGUMENT);
  checkRefused("stitch-objects 2\n", 17, STITCH_INVALID_ARGUMENT);
  checkRefused("stitch-profile 2\nmore\n", 22, STITCH_FAILED_PRECONDITION);
}

/// A file that is whole, but has lines which no index has.
static void testNonsense(void) {
  static const char *const lines[] = {"model x=1 -0x1p+0\n",
                                      "model x=1 nan\n",
                                      "model x=1 inf\n",
                                      "model x=1 0x1p+0 abc\n",
                                      "model x=1\n",
                                      "model\n",
                                      " x=1 0x1p+0\n",
                                      "model x=1 0x1p+0@\n",
                                      "model x=1 0x1p+0@-1\n",
                                      "model x=1 0x1p+0@1,\n",
                                      "model x=1 0x1p+0@1x 0x1p+0\n",
                                      "model x=1 0x1p+0@1,2,3,4,5\n",
                                      "model x=1 @1\n",
                                      "model x=1 settled\n",
                                      "model x=1 0x1p+0@1 settled 0x1p+0\n"};
  for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); ++i) {
    char text[256];
    int length = snprintf(text, sizeof(text), "stitch-profile 3\n%s", lines[i]);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int k = 0; k < length; ++k)
      hash = (hash ^ (uint8_t)text[k]) * UINT64_C(0x100000001b3);
    length += snprintf(text + length, sizeof(text) - (size_t)length, "end %016llx\n", (unsigned long long)hash);
    checkRefused(text, (size_t)length, STITCH_INVALID_ARGUMENT);
  }
  CHECK_STATUS(stitchIndexSynchronize(&(StitchIndex){0}, "/nonexistent/folder/index", "model"), STITCH_IO_ERROR,
               "/nonexistent/folder/index");
}

//===----------------------------------------------------------------------===//
// Many at once
//===----------------------------------------------------------------------===//

enum { NUM_VARIABLES = 12, NUM_VERSIONS = 5, NUM_THREADS = 4, NUM_KILLS = 50 };

static const char *const versionNames[NUM_VERSIONS] = {"apart", "by_2", "by_4", "by_8", "all"};
static char variableNames[NUM_VARIABLES][16];
static StitchModelAdaptive variables[NUM_VARIABLES];
static StitchModelUpdate nodes[NUM_VARIABLES + 1];

/// Version i % 5 of variable i is the fastest.
static double secondsOf(int64_t variable, int64_t version) {
  return 1e-3 * (double)(1 + (version - variable % NUM_VERSIONS) * (version - variable % NUM_VERSIONS));
}

static void makeSpace(void) {
  nodes[0] = (StitchModelUpdate){STITCH_UPDATE_PREFIX, -1, NUM_VARIABLES + 1, NULL, 0};
  for (int i = 0; i < NUM_VARIABLES; ++i) {
    snprintf(variableNames[i], sizeof(variableNames[i]), "products_%d", i);
    variables[i] = (StitchModelAdaptive){variableNames[i], versionNames, NUM_VERSIONS, 0};
    nodes[i + 1] = (StitchModelUpdate){STITCH_UPDATE_VARIABLE, i, 1, NULL, 0};
  }
}

static double frozenClock(void *context) { // saving takes no time on it, so every run is saved
  return *(double *)context;
}

/// Runs until the wirer is done; the number of runs, -1 if it ends with another configuration than the best.
static int64_t exploreFile(useconds_t delay) {
  double time = 0, seconds[NUM_VARIABLES];
  StitchWirerSpace space = {variables, NUM_VARIABLES, nodes, NUM_VARIABLES + 1};
  StitchWirerOptions options = {.path = path, .scope = "model", .clock = frozenClock, .clockContext = &time};
  StitchWirer *wirer = NULL;
  StitchStatus status = stitchWirerCreate(&space, &options, &wirer);
  int64_t runs = 0;
  for (; !status && !stitchWirerIsDone(wirer); ++runs) {
    double rest = 0.1, total = rest;
    for (int64_t i = 0; i < NUM_VARIABLES; ++i)
      total += seconds[i] = secondsOf(i, stitchWirerVersions(wirer)[i]);
    usleep(delay);
    status = stitchWirerRecord(wirer, &(StitchMeasurement){seconds, NULL, total, rest});
    if (!status && stitchWirerProgress(wirer).indexError)
      runs = INT64_MIN;
  }
  for (int64_t i = 0; !status && i < NUM_VARIABLES; ++i)
    if (stitchWirerVersions(wirer)[i] != i % NUM_VERSIONS)
      runs = -1;
  if (status)
    runs = -1;
  stitchStatusFree(status);
  stitchWirerFree(wirer);
  return runs;
}

/// Whoever is killed, the next one finds a sound file and goes on.
static void testKills(void) {
  removeFile();
  int64_t known = 0, kills = 0;
  srand(1);
  for (; kills < NUM_KILLS; ++kills) {
    pid_t child = fork();
    if (child == 0) {
      exploreFile(300);
      _exit(0);
    }
    usleep((useconds_t)(500 + rand() % 4000));
    kill(child, SIGKILL);
    int how = 0;
    waitpid(child, &how, 0);
    StitchIndex index = {0};
    CHECK_OK(stitchIndexSynchronize(&index, path, "model"));
    int64_t samples = 0;
    for (int64_t i = 0; i < index.count; ++i)
      samples += index.entries[i].count;
    CHECK(samples >= known);
    known = samples;
    stitchIndexDestroy(&index);
  }
  int64_t left = exploreFile(0);
  CHECK(left >= 0 && left + known == 3 * NUM_VARIABLES * NUM_VERSIONS); // nothing was measured in vain
  printf("%d kills: %lld samples were kept, %lld runs were left\n", NUM_KILLS, (long long)known, (long long)left);
}

static void *exploreThread(void *runs) {
  *(int64_t *)runs = exploreFile(200);
  return NULL;
}

/// The runs of all threads; -1 if one of them fails.
static int64_t exploreInThreads(void) {
  pthread_t threads[NUM_THREADS];
  int64_t runs[NUM_THREADS], sum = 0;
  for (int i = 0; i < NUM_THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, exploreThread, &runs[i]) == 0);
  for (int i = 0; i < NUM_THREADS; ++i) {
    pthread_join(threads[i], NULL);
    sum = runs[i] < 0 || sum < 0 ? -1 : sum + runs[i];
  }
  return sum;
}

/// They share the work: all together need fewer runs than each alone would.
static void testTogether(void) {
  removeFile();
  fflush(stdout);
  pid_t child = fork();
  int64_t runs = exploreInThreads();
  if (child == 0)
    _exit(runs < 0 || checksFailed);
  int how = 0;
  waitpid(child, &how, 0);
  CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
  CHECK(runs >= 0 && runs < NUM_THREADS * 3 * NUM_VARIABLES * NUM_VERSIONS);
  StitchIndex index = {0};
  CHECK_OK(stitchIndexSynchronize(&index, path, "model"));
  CHECK(index.count == NUM_VARIABLES * NUM_VERSIONS);
  stitchIndexDestroy(&index);
  printf("2 processes of %d threads: this one made %lld runs of %d\n", NUM_THREADS, (long long)runs,
         NUM_THREADS * 3 * NUM_VARIABLES * NUM_VERSIONS);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: unit-profile_index FOLDER\n");
    return 1;
  }
  snprintf(path, sizeof(path), "%s/index", argv[1]);
  makeSpace();
  testSamples();
  testDamage();
  testNonsense();
  testKills();
  testTogether();
  return checkResult();
}
