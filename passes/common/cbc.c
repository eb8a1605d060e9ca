//===- cbc.c - COIN-OR's branch and cut, where it is installed -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface of CBC 2.10 (Cbc_C_Interface.h), of which no header is needed to build Stitch.
//
//===----------------------------------------------------------------------===//

#include "passes/common/cbc.h"

#include "ir/mlir/arena.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// One list of the called functions: X(result, name, parameters).
#define CBC_FUNCTIONS(X)                                                                                               \
  X(void *, Cbc_newModel, (void))                                                                                      \
  X(void, Cbc_deleteModel, (void *))                                                                                   \
  X(void, Cbc_loadProblem,                                                                                             \
    (void *, int, int, const int *, const int *, const double *, const double *, const double *, const double *,       \
     const double *, const double *))                                                                                  \
  X(void, Cbc_setObjSense, (void *, double))                                                                           \
  X(void, Cbc_setInteger, (void *, int))                                                                               \
  X(void, Cbc_setParameter, (void *, const char *, const char *))                                                      \
  X(int, Cbc_solve, (void *))                                                                                          \
  X(int, Cbc_isProvenOptimal, (void *))                                                                                \
  X(int, Cbc_numberSavedSolutions, (void *))                                                                           \
  X(const double *, Cbc_getColSolution, (void *))

typedef struct {
  bool found;
#define CBC_POINTER(result, name, parameters) result(*name) parameters;
  CBC_FUNCTIONS(CBC_POINTER)
#undef CBC_POINTER
} CbcFunctions;

static CbcFunctions cbc;
static pthread_mutex_t solving = PTHREAD_MUTEX_INITIALIZER; // CBC has global state

static bool findFunction(void *handle, const char *name, void *function) {
  void *address = dlsym(handle, name);
  memcpy(function, &address, sizeof(address));
  return address != NULL;
}

static void openCbc(void) {
  void *handle = dlopen("libCbcSolver.so.3", RTLD_NOW | RTLD_LOCAL);
  cbc.found = handle != NULL;
#define CBC_FIND(result, name, parameters) cbc.found = cbc.found && findFunction(handle, #name, &cbc.name);
  CBC_FUNCTIONS(CBC_FIND)
#undef CBC_FIND
}

/// Bounds the search by the same number of nodes on every machine; the seconds are for even slower searches. The linear
/// programs of patterns have whole numbers, or nearly. Preprocessing, heuristics and most cuts take longer than they
/// save (GPT-2's training step, 5,010 patterns: 0.3 s instead of 0.1). Cuts of cliques find the patterns of which each
/// two share an operation: GNMT's training step, 25,000 patterns, takes 1.2 s instead of a minute without proof.
static void limitSearch(void *model, double seconds) {
  char text[32];
  snprintf(text, sizeof(text), "%.3f", seconds);
  cbc.Cbc_setParameter(model, "log", "0");
  cbc.Cbc_setParameter(model, "maxNodes", "2000");
  cbc.Cbc_setParameter(model, "preprocess", "off");
  cbc.Cbc_setParameter(model, "cuts", "off");
  cbc.Cbc_setParameter(model, "cliqueCuts", "on");
  cbc.Cbc_setParameter(model, "heuristics", "off");
  cbc.Cbc_setParameter(model, "sec", text);
}

static void loadProgram(void *model, const BinaryProgram *p) {
  size_t columns = (size_t)p->numColumns, rows = (size_t)p->numRows, entries = (size_t)p->starts[p->numColumns];
  double *ones = irAllocate(sizeof(double) * (entries + columns + 1));
  double *zeros = irAllocateZeroed(columns + 1, sizeof(double));
  double *lows = irAllocateZeroed(rows + 1, sizeof(double)); // sums of terms that are not negative
  for (size_t i = 0; i < entries + columns; ++i)
    ones[i] = 1;
  cbc.Cbc_loadProblem(model, p->numColumns, p->numRows, p->starts, p->rows, ones, zeros, ones, p->objective, lows,
                      p->limits);
  cbc.Cbc_setObjSense(model, -1);
  for (int j = 0; j < p->numColumns; ++j)
    cbc.Cbc_setInteger(model, j);
  free(ones);
  free(zeros);
  free(lows);
}

/// The memory that OpenBLAS, which factors matrices for CBC, maps when it is first called. If it cannot, it tries again
/// for ever.
enum { BLAS_BYTES = 256 << 20 };

static CbcOutcome solve(const BinaryProgram *program, double seconds, bool *chosen) {
  free(irAllocate(BLAS_BYTES));
  void *model = cbc.Cbc_newModel();
  loadProgram(model, program);
  limitSearch(model, seconds);
  cbc.Cbc_solve(model);
  bool isOptimal = cbc.Cbc_isProvenOptimal(model) != 0, hasSolution = cbc.Cbc_numberSavedSolutions(model) > 0;
  const double *solution = isOptimal || hasSolution ? cbc.Cbc_getColSolution(model) : NULL;
  for (int j = 0; solution && j < program->numColumns; ++j)
    chosen[j] = solution[j] > 0.5;
  cbc.Cbc_deleteModel(model);
  return !solution ? CBC_FAILED : isOptimal ? CBC_OPTIMAL : CBC_FEASIBLE;
}

CbcOutcome cbcSolve(const BinaryProgram *program, double seconds, bool *chosen) {
  static bool isOpen;
  pthread_mutex_lock(&solving);
  if (!isOpen)
    openCbc();
  isOpen = true;
  CbcOutcome outcome = cbc.found ? solve(program, seconds, chosen) : CBC_MISSING;
  pthread_mutex_unlock(&solving);
  return outcome;
}
