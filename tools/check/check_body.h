//===- check_body.h - tuples of elements that a body combines -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_CHECK_CHECK_BODY_H
#define STITCH_TOOLS_CHECK_CHECK_BODY_H

#include "tools/check/operations.h"

/// Most inputs of an operation with a body.
enum { CHECK_MAX_RESULTS = 64 };

/// One tensor of rank 1 for each input, all equally long.
typedef struct {
  int64_t count;
  CheckTensor *tensors[CHECK_MAX_RESULTS];
} Tuples;

/// New ones of the types of `like`, with errors where these have some. False without memory.
bool tuplesCreate(Tuples *tuples, int64_t count, const CheckTensor *const *like, int64_t elements);
void tuplesDestroy(Tuples *tuples);
/// Copies tuple `j` of tensors.
void tuplesSet(Tuples *tuples, int64_t i, const CheckTensor *const *from, int64_t j);
/// The body's results for pairs of tuples, as new ones.
const char *tuplesCombine(const CheckCall *call, const CheckGraph *body, const Tuples *a, const Tuples *b,
                          Tuples *result);

const char *checkGeneralReduce(const CheckCall *call);
const char *checkGeneralReduceWindow(const CheckCall *call);
const char *checkGeneralCumulative(const CheckCall *call);
const char *checkGeneralSelectAndScatter(const CheckCall *call);

/// Updates element targets[i] (negative: none) of the results by element i of the updates, in order.
const char *checkUpdateByBody(const CheckCall *call, const CheckGraph *body, const int64_t *targets, int64_t count,
                              const CheckTensor *const *updates, CheckTensor *const *results);

#endif // STITCH_TOOLS_CHECK_CHECK_BODY_H
