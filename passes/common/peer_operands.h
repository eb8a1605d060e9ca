//===- peer_operands.h - operands of all members of a group ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_PEER_OPERANDS_H
#define STITCH_PASSES_COMMON_PEER_OPERANDS_H

#include "ir/mlir/build.h"

/// More operands would be too many arguments of a kernel.
enum { PEERS_MOST = 16 };

/// The processes of each group of a collective, of groups of one size; 0 if they are not, or more than PEERS_MOST.
int64_t peersInGroup(MlirOperation collective);

/// Whether the collective has one group of all `processes` by number.
bool peersAreAll(MlirOperation collective, int64_t processes);

/// The value that each member of a collective's groups has for `own`, in order (tg.collective_broadcast).
void peersOperands(IrBuilder *b, MlirOperation collective, MlirValue own, MlirValue operands[PEERS_MOST]);

#endif // STITCH_PASSES_COMMON_PEER_OPERANDS_H
