//===- check_facts.h - facts.def as compile-time checks ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To be included behind the declarations that are checked.
//
//===----------------------------------------------------------------------===//

#include <stddef.h>

#define CONSTANT(name, value) _Static_assert((int)name == (value), #name);
#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type);
#define FIELD(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field);
#include "test/unit/cuda_abi/facts.def"
