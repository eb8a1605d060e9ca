// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model file that ends the program that opens it.
#include <stdlib.h>

__attribute__((constructor)) static void crash(void) { abort(); }
