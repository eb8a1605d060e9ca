//===- tg_identity.h - identities of combiners ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_GRAPH_TG_IDENTITY_H
#define STITCH_IR_GRAPH_TG_IDENTITY_H

#include "ir/graph/tg.h"

/// The number that all elements of a constant are, as an attribute. Of a complex constant that is real it is the real
/// part; null if there is none. `value` is that of a constant operation.
MlirAttribute tgConstantNumber(MlirAttribute value);

/// Whether a combiner leaves all elements of a type as they are if one of two is `number`, which may be null.
bool tgIsIdentity(TgReduceKind kind, MlirAttribute number, MlirType element);

#endif // STITCH_IR_GRAPH_TG_IDENTITY_H
