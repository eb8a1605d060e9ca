//===- launcher.c - rank and address from a launcher ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads rank, size and address from the environment variables of mpirun, torchrun and Slurm.
//
//===----------------------------------------------------------------------===//

#include "runtime/world/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_PORT = 65535, SLURM_FIRST_PORT = 20000, SLURM_PORTS = 20000 };

static bool readNumber(const char *name, int64_t *value) {
  const char *text = getenv(name);
  char *end = NULL;
  *value = text ? strtoll(text, &end, 10) : 0;
  return text && *text && !*end;
}

bool stitchLauncherReadAddress(const char *text, char host[STITCH_LAUNCHER_HOST], int *port) {
  const char *colon = text ? strrchr(text, ':') : NULL;
  char *end = NULL;
  long number = colon ? strtol(colon + 1, &end, 10) : 0;
  if (!colon || colon == text || colon - text >= STITCH_LAUNCHER_HOST || !end || *end || number < 1 ||
      number > LARGEST_PORT)
    return false;
  snprintf(host, STITCH_LAUNCHER_HOST, "%.*s", (int)(colon - text), text);
  *port = (int)number;
  return true;
}

/// The first machine of a list as Slurm writes it: "node[07-09,12],other" begins with node07.
static bool readFirstHost(const char *list, char host[STITCH_LAUNCHER_HOST]) {
  if (!list || !*list)
    return false;
  size_t prefix = strcspn(list, "[,");
  size_t digits = list[prefix] == '[' ? strcspn(list + prefix + 1, ",-]") : 0;
  int written =
      snprintf(host, STITCH_LAUNCHER_HOST, "%.*s%.*s", (int)prefix, list, (int)digits, digits ? list + prefix + 1 : "");
  return written > 0 && written < STITCH_LAUNCHER_HOST;
}

/// torchrun's own port is in use: the next one is ours.
static void findAddressOfTorchrun(StitchLauncher *l) {
  const char *host = getenv("MASTER_ADDR");
  int64_t port = 0;
  if (!host || !readNumber("MASTER_PORT", &port) || port < 1 || port >= LARGEST_PORT)
    return;
  if (snprintf(l->host, sizeof(l->host), "%s", host) < (int)sizeof(l->host))
    l->port = (int)port + 1;
  else
    l->host[0] = '\0';
}

static void findAddressOfSlurm(StitchLauncher *l) {
  int64_t job = 0;
  if (readFirstHost(getenv("SLURM_STEP_NODELIST"), l->host) && readNumber("SLURM_JOB_ID", &job))
    l->port = (int)(SLURM_FIRST_PORT + job % SLURM_PORTS);
  else
    l->host[0] = '\0';
}

bool stitchLauncherFind(StitchLauncher *l) {
  static const struct {
    const char *rank, *size, *localRank;
    void (*findAddress)(StitchLauncher *l);
  } launchers[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", NULL},
      {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", NULL},
      {"RANK", "WORLD_SIZE", "LOCAL_RANK", findAddressOfTorchrun},
      {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", findAddressOfSlurm},
  };
  for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); ++i) {
    *l = (StitchLauncher){.localRank = -1};
    if (!readNumber(launchers[i].rank, &l->rank) || !readNumber(launchers[i].size, &l->size))
      continue;
    if (!readNumber(launchers[i].localRank, &l->localRank))
      l->localRank = -1;
    if (!stitchLauncherReadAddress(getenv("STITCH_WORLD_ADDRESS"), l->host, &l->port) && launchers[i].findAddress)
      launchers[i].findAddress(l);
    return true;
  }
  return false;
}
