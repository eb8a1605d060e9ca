//===- adaptive.h - options and results of exploration --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model compiled with `stitch-compile --adaptive` has several versions of some of its parts (Astra). The default
// versions run unless a session explores. Then each run takes other versions, does the caller's work, and is measured,
// until the fastest are known, which run from then on. So do the algorithms of library calls, in any model. Part of
// stitch_runtime.h.
//
// Versions compute the same values up to rounding: libraries may sum in another order for other sizes.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_ADAPTIVE_H
#define STITCH_RUNTIME_ADAPTIVE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct StitchSession StitchSession;

/// All zero: the default versions.
typedef struct {
  /// Runs explore until all is known. Such a run is finished when the call returns, on a GPU, too.
  bool explore;
  /// A file that keeps measurements for other sessions and processes, which may use it at the same time. With `explore`
  /// it is read and extended. Measurements of other models, devices, drivers and libraries in it are left alone; a
  /// damaged file, or one of another kind, is refused. NULL: none.
  const char *profileIndex;
  /// Every run has the same bits as with the default versions. Only variables that leave the bits alone are explored:
  /// streams, and plans of kernels that round each operation by itself. Libraries promise no bits, so their algorithms,
  /// and products of other sizes, stay as they are.
  bool bitwise;
  /// Versions to be used as they are, "products_0=all,ladder_1=by_2"; "*=all" for every variable that has one of that
  /// name. NULL: none.
  const char *versions;
} StitchAdaptiveOptions;

/// The results of a session's exploration for the bucket of sizes of its last run.
typedef struct {
  int64_t numVariables;
  int64_t runs;           ///< that explored, in this session
  int64_t remaining;      ///< to come at least; 0: the fastest versions run, or nothing is explored
  int64_t outliers;       ///< of the runs, those that did not count, since something else took an unusual time
  double exploredSeconds; ///< of these runs
  double ownSeconds;      ///< of choosing versions and noting times
  double markingSeconds;  ///< of the host's part of measuring: on a GPU, recording events and reading their times
  double savingSeconds;   ///< of reading and writing the profile index, which is done rarely
  const char *indexError; ///< why the profile index is not saved any more; NULL: it is. Borrowed until the next run
} StitchAdaptiveInfo;

typedef struct {
  const char *name;
  const char *const *versions; ///< their names
  int64_t numVersions;
  int64_t version; ///< that runs next
} StitchAdaptiveVariable;

StitchAdaptiveInfo stitchSessionAdaptive(StitchSession *session);

/// Variable `index`, less than numVariables.
StitchAdaptiveVariable stitchSessionAdaptiveVariable(StitchSession *session, int64_t index);

/// The median time of a version of a variable, over its executions, or, of allocation strategies, over whole runs.
/// Negative: it has not been measured for itself. Where runs had different sizes, it is the first version's time, times
/// this version's time relative to the first one's at the same size.
double stitchSessionAdaptiveSeconds(StitchSession *session, int64_t variable, int64_t version);

#ifdef __cplusplus
}
#endif

#endif // STITCH_RUNTIME_ADAPTIVE_H
