//===- status.h - the result of everything that can fail at run time -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One discipline in the whole runtime: a function that can fail returns a StitchStatus, its results are arguments that
// come last, and they are set only on success. NULL is success. Any other value is owned by its holder, who passes it
// on or releases it with stitchStatusFree:
//
//   StitchStatus status = stitchReadHeader(file, &header);
//   if (!status)
//     status = stitchReadBody(file, &header, &body);
//   fclose(file);
//   return status;
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_STATUS_H
#define STITCH_RUNTIME_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  STITCH_OK = 0,
  STITCH_INVALID_ARGUMENT,    ///< the caller asked for something that has no meaning
  STITCH_NOT_FOUND,           ///< a file, symbol or device that does not exist
  STITCH_FAILED_PRECONDITION, ///< right in itself but not here: an old model file, a wrong
                              ///< architecture
  STITCH_UNIMPLEMENTED,       ///< no code for this case in this build
  STITCH_OUT_OF_MEMORY,
  STITCH_IO_ERROR,
  STITCH_DEVICE_ERROR, ///< a kernel misbehaved, or the device or a library reported an error
  STITCH_INTERNAL,     ///< a defect of Stitch
  STITCH_CANCELLED,    ///< the caller wanted no more of it
} StitchStatusCode;

/// NULL is success; everything else has a code and a message.
typedef struct StitchStatusObject *StitchStatus;

/// A failure with a message, which the caller owns. If there is no memory for it, the result is a
/// static status of code STITCH_OUT_OF_MEMORY. `code` must not be STITCH_OK.
StitchStatus stitchStatusMake(StitchStatusCode code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Puts "TEXT: " in front of the message and keeps the code. Takes over `status` and returns its replacement; leaves
/// success as it is. Without memory the status stays as it was.
StitchStatus stitchStatusAnnotate(StitchStatus status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// The status for a failed allocation; needs no memory and may be freed like any other.
StitchStatus stitchStatusOutOfMemory(void);

/// Keeps the earlier failure of two: `first` if it is one (then `second` is freed), else `second`.
StitchStatus stitchStatusJoin(StitchStatus first, StitchStatus second);

/// STITCH_OK for NULL.
StitchStatusCode stitchStatusCode(StitchStatus status);

/// The message, owned by the status; "ok" for NULL.
const char *stitchStatusMessage(StitchStatus status);

/// Releases a status; NULL is allowed.
void stitchStatusFree(StitchStatus status);

#ifdef __cplusplus
}
#endif

#endif // STITCH_RUNTIME_STATUS_H
