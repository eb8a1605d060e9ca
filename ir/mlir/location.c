//===- location.c - places in the model's text ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the first file position in a location, through names, fusions and call sites, and prints it.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/location.h"

#include "ir/mlir/arena.h"

#include <stdio.h>
#include <stdlib.h>

static IrPlace filePlace(MlirLocation location) {
  MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
  size_t start = file.length;
  while (start > 0 && file.data[start - 1] != '/')
    --start;
  return (IrPlace){.file = {file.data + start, file.length - start},
                   .line = mlirLocationFileLineColRangeGetStartLine(location),
                   .column = mlirLocationFileLineColRangeGetStartColumn(location)};
}

static IrPlace namedPlace(MlirLocation location) {
  IrPlace place = irPlaceOf(mlirLocationNameGetChildLoc(location));
  place.name = mlirIdentifierStr(mlirLocationNameGetName(location));
  return place;
}

static IrPlace firstPlace(MlirLocation location) {
  unsigned count = mlirLocationFusedGetNumLocations(location);
  MlirLocation *locations = irAllocate(sizeof(*locations) * (count + 1));
  mlirLocationFusedGetLocations(location, locations);
  IrPlace place = count ? irPlaceOf(locations[0]) : (IrPlace){0};
  free(locations);
  return place;
}

IrPlace irPlaceOf(MlirLocation location) {
  if (mlirLocationIsAFileLineColRange(location))
    return filePlace(location);
  if (mlirLocationIsAName(location))
    return namedPlace(location);
  if (mlirLocationIsACallSite(location))
    return irPlaceOf(mlirLocationCallSiteGetCallee(location));
  return mlirLocationIsAFused(location) ? firstPlace(location) : (IrPlace){0};
}

char *irLocationText(MlirLocation location) {
  IrPlace place = irPlaceOf(location);
  size_t size = place.file.length + place.name.length + 64;
  char *text = irAllocate(size), position[32] = "";
  bool hasFile = place.file.length > 0, hasName = place.name.length > 0;
  if (hasFile)
    snprintf(position, sizeof(position), ":%d:%d", place.line, place.column);
  if (!hasFile && !hasName)
    snprintf(text, size, "?");
  else
    snprintf(text, size, "%.*s%s%.*s%s%s", (int)place.name.length, place.name.data, hasName && hasFile ? " (" : "",
             (int)place.file.length, place.file.data, position, hasName && hasFile ? ")" : "");
  return text;
}
