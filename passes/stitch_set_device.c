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
  irSetAttr(module, "stitch.device", device);
}

static const StitchPassOption options[] = {
    {"device", "preset of a module that has no stitch.device", STITCH_OPTION_STRING, 0, "h200"},
};

static const char deviceNames[] = ""
#define STITCH_DEVICE(name, ...) "|" #name
#include "dialects/stitch/devices.def"
#undef STITCH_DEVICE
    ;

static const StitchValidValues valid[] = {{"device", deviceNames}};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchSetDevicePass = {
    .argument = "stitch-set-device",
    .description = "Set the device that a module is planned for",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = 1,
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runSetDevice,
};
