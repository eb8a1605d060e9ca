//===- shared_files.h - open files of other processes ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WORLD_SHARED_FILES_H
#define STITCH_RUNTIME_WORLD_SHARED_FILES_H

#include "runtime/world/peers.h"
#include "runtime/world/world.h"

/// Gives each member of a group the file descriptors of all its members, in order: `files` has room for them, and its
/// own is a copy. All processes call it together; `own` is -1 on one that has no file. `*areShared` says whether all
/// processes of the program have got theirs, and else `files` are -1: some have no file, are in no group, or are on
/// another machine. The caller closes them. Fails as stitchPeersGather does.
StitchStatus stitchPeersShareFiles(StitchPeers *peers, StitchWorldGroup group, int own, int *files, bool *areShared);

#endif // STITCH_RUNTIME_WORLD_SHARED_FILES_H
