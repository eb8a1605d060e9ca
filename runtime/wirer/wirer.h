//===- wirer.h - the custom-wirer ----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Astra 4.7: explores the versions of a model's adaptive variables while the model works. Every run takes one version
// of each variable and does the caller's work; its times decide. The device is not known here: it runs with the
// versions that the wirer wants, and says how long each variable took.
//
//   for (;;) {
//     stitchWirerBegin(wirer, sizes of the run);
//     run with stitchWirerVersions(wirer), measuring each variable if stitchWirerIsDone(wirer) is false;
//     stitchWirerRecord(wirer, &measurement);
//   }
//
// A variable may be a part of another one, as the algorithm of a product is of the products that are computed so
// (spans.h). It runs with some versions of that alone, and of that a time counts only when all its parts run at their
// best. So a version is compared by its best form. Parts are explored once for each version around them, not once for
// each combination.
//
// The runs of one bucket of sizes have one wirer (5.5). Each is measured at the size that comes, and compared by its
// time relative to the first version's at the same size (estimate.h).
//
// Variables that other variables depend on (their `context`) are forks, 4.5.2: for each of their combinations all
// others find their best versions, and then the whole run decides.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WIRER_WIRER_H
#define STITCH_RUNTIME_WIRER_WIRER_H

#include "runtime/status.h"
#include "runtime/wirer/wirer_space.h"

#include <stdbool.h>

typedef struct {
  const StitchModelAdaptive *variables;
  int64_t numVariables;
  const StitchModelUpdate *updates; ///< all of them outlive the wirer
  int64_t numUpdates;
} StitchWirerSpace;

/// All zero is the usual way.
typedef struct {
  const char *path;  ///< of the profile index; NULL: measurements are forgotten
  const char *scope; ///< the origin of the measurements: a text without blanks (index.h); NULL: "-"
  /// A version is measured at least `minSamples` times (0: 3). It is measured up to `maxSamples` times (0: 7) while the
  /// middle half of its samples is spread by more than `tolerance` (0: 0.1) of their median.
  int64_t minSamples, maxSamples;
  double tolerance;
  /// Sizes that differ from run to run; of more than STITCH_INDEX_MAX_SYMBOLS the first ones are looked at. 0: all runs
  /// are of one size.
  int64_t numSymbols;
  /// Seconds of a clock that never goes back, by which saving is not too frequent; NULL: the system's.
  double (*clock)(void *context);
  void *clockContext;
} StitchWirerOptions;

typedef struct {
  int64_t runs;           ///< recorded, by this wirer
  int64_t remaining;      ///< to come at least; 0: it is done
  int64_t outliers;       ///< of the runs, those that did not count: something else took another time than usual
  double exploredSeconds; ///< of all runs recorded
  double savingSeconds;   ///< of reading and writing the index
  const char *indexError; ///< why the index is no longer saved; NULL: it is. Borrowed
} StitchWirerProgress;

typedef struct StitchWirer StitchWirer;

/// Most configurations that are run before it is done; a space with more is refused.
enum { STITCH_WIRER_MAX_CONFIGURATIONS = 10000 };

/// Reads the index. Fails with STITCH_INVALID_ARGUMENT if the space contradicts itself or is too large, and as
/// stitchIndexSynchronize does; `options` may be NULL and is copied.
StitchStatus stitchWirerCreate(const StitchWirerSpace *space, const StitchWirerOptions *options, StitchWirer **wirer);

/// Before a run: its sizes, each positive, as many as there are symbols. If they are others than before, versions are
/// chosen anew when they are asked for.
void stitchWirerBegin(StitchWirer *wirer, const int64_t *sizes);

/// The version of each variable for the next run. Valid until the next call of stitchWirerBegin or stitchWirerRecord.
const int64_t *stitchWirerVersions(StitchWirer *wirer);

/// Whether everything has been measured: the versions are the best ones and stay.
bool stitchWirerIsDone(StitchWirer *wirer);

/// Of each variable: whether its best version in the next run is not known yet. As stitchWirerVersions.
const bool *stitchWirerOpen(StitchWirer *wirer);

/// Values that replace the seconds of a variable.
#define STITCH_ABSENT (-1.0)     ///< nothing of it ran
#define STITCH_UNMEASURED (-2.0) ///< it ran, but its time does not count: a part of it was open

/// The times of a run with stitchWirerVersions.
typedef struct {
  const double *seconds; ///< of each variable, all times that it ran together
  const int64_t *times;  ///< how often each of them ran, which may depend on others; NULL: once
  double total;          ///< of all
  double rest;           ///< of everything outside of variables
} StitchMeasurement;

/// Fails without memory.
StitchStatus stitchWirerRecord(StitchWirer *wirer, const StitchMeasurement *measurement);

StitchWirerProgress stitchWirerProgress(StitchWirer *wirer);

/// The median time of version `version` of a variable, of each execution, with the present versions of the others, or,
/// of a fork, of whole runs. Negative: it has not been measured. Where sizes differ, its time where the first version
/// takes its median.
double stitchWirerSeconds(StitchWirer *wirer, int64_t variable, int64_t version);

/// Saves the index; NULL is allowed.
void stitchWirerFree(StitchWirer *wirer);

#endif // STITCH_RUNTIME_WIRER_WIRER_H
