//===- stitch_set_device.c - stitch-set-device ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives a module the stitch.device that it is planned for, a preset of dialects/stitch/devices.def, unless it has one.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "dialects/stitch/stitch.h"
#include "ir/mlir/query.h"
#include "stitch.h"

enum { OPTION_DEVICE };

static void runSetDevice(StitchPassRun run, MlirOperation module) {
  if (irHasAttr(module, "stitch.device"))
    return;
  const char *preset = stitchPassGetString(run, OPTION_DEVICE);
  MlirAttribute device =
      stitchDeviceAttrGetPreset(mlirOperationGetContext(module), mlirStringRefCreateFromCString(preset));
  if (mlirAttributeIsNull(device)) {
    stitchEmitOpError(module, "stitch-set-device: there is no device '%s'", preset);
    stitchPassSignalFailure(run);
    return;
  }
  irSetAttr(module, "stitch.device", device);
}

static const StitchPassOption options[] = {
    {"device", "preset of a module that has no stitch.device", STITCH_OPTION_STRING, 0, "h200"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchSetDevicePass = {
    .argument = "stitch-set-device",
    .description = "Set the device that a module is planned for",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runSetDevice,
};
