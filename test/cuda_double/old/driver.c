//===- driver.c - a driver that is too old -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version) {
  *version = 11080;
  return 0;
}
