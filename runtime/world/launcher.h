//===- launcher.h - rank and address from a launcher ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WORLD_LAUNCHER_H
#define STITCH_RUNTIME_WORLD_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

enum { STITCH_LAUNCHER_HOST = 256 };

/// The environment variables that a launcher has set for a process.
typedef struct {
  int64_t rank, size;
  int64_t localRank;               ///< its number on this machine; -1: not known
  char host[STITCH_LAUNCHER_HOST]; ///< where process 0 can be reached by TCP; "": not known
  int port;
} StitchLauncher;

/// Reads the variables of mpirun, torchrun or Slurm; false if there was no launcher. STITCH_WORLD_ADDRESS ("host:port")
/// is the address of process 0. Else it is torchrun's MASTER_ADDR with the port behind its MASTER_PORT, or the first
/// machine of Slurm's job step with a port made of the job's number.
bool stitchLauncherFind(StitchLauncher *launcher);

/// Reads "host:port"; false if it is none.
bool stitchLauncherReadAddress(const char *text, char host[STITCH_LAUNCHER_HOST], int *port);

#endif // STITCH_RUNTIME_WORLD_LAUNCHER_H
