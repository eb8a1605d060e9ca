//===- embedded_graphs.h - planned graphs among other operations ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_EMBEDDED_GRAPHS_H
#define STITCH_LOWERING_KERNEL_EMBEDDED_GRAPHS_H

#include "lowering/kernel/host/host.h"

/// Replaces each planned graph in the regions of `op`, an operation of the module, by a call of a private host
/// function. The call has buffers of the tensors that it reads, new memory for its results and an arena (docs/ir.md,
/// section 3, "Mixed modules"). False after a diagnostic.
bool convertEmbeddedGraphs(HostModule *shared, MlirOperation op);

#endif // STITCH_LOWERING_KERNEL_EMBEDDED_GRAPHS_H
