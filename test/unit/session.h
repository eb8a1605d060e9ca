//===- session.h - a model and a device from the command line ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_UNIT_SESSION_H
#define STITCH_TEST_UNIT_SESSION_H

#include "runtime/stitch_runtime.h"
#include "test/unit/check.h"

/// Opens the model and the device that `argv` names, MODEL.so and DEVICE; false if that fails, which has been printed.
/// The caller frees both.
static inline bool openSession(int argc, char **argv, StitchModel **model, StitchSession **session) {
  *model = NULL;
  *session = NULL;
  CHECK(argc == 3);
  if (argc != 3)
    return false;
  CHECK_OK(stitchModelLoad(argv[1], model));
  if (*model)
    CHECK_OK(stitchSessionCreate(*model, &(StitchSessionOptions){.device = argv[2]}, session));
  return *session != NULL;
}

#endif // STITCH_TEST_UNIT_SESSION_H
