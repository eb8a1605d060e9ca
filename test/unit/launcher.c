//===- launcher.c - environment variables of launchers --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/world/launcher.h"

#include "test/unit/check.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name, *value;
} Variable;

/// All variables but these are unset.
static bool find(const Variable *variables, StitchLauncher *launcher) {
  static const char *const all[] = {"OMPI_COMM_WORLD_RANK",
                                    "OMPI_COMM_WORLD_SIZE",
                                    "OMPI_COMM_WORLD_LOCAL_RANK",
                                    "PMI_RANK",
                                    "PMI_SIZE",
                                    "RANK",
                                    "WORLD_SIZE",
                                    "LOCAL_RANK",
                                    "MASTER_ADDR",
                                    "MASTER_PORT",
                                    "SLURM_PROCID",
                                    "SLURM_NTASKS",
                                    "SLURM_LOCALID",
                                    "SLURM_JOB_ID",
                                    "SLURM_STEP_NODELIST",
                                    "STITCH_WORLD_ADDRESS"};
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
    unsetenv(all[i]);
  for (; variables->name; ++variables)
    setenv(variables->name, variables->value, 1);
  return stitchLauncherFind(launcher);
}

static void testMpirun(void) {
  StitchLauncher l;
  Variable variables[] = {{"OMPI_COMM_WORLD_RANK", "3"},
                          {"OMPI_COMM_WORLD_SIZE", "4"},
                          {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                          {NULL, NULL},
                          {NULL, NULL}};
  CHECK(find(variables, &l) && l.rank == 3 && l.size == 4 && l.localRank == 1 && !*l.host);
  variables[3] = (Variable){"STITCH_WORLD_ADDRESS", "node-1:77"};
  CHECK(find(variables, &l) && strcmp(l.host, "node-1") == 0 && l.port == 77);
  variables[3].value = "node-1:0";
  CHECK(find(variables, &l) && !*l.host);
}

static void testTorchrun(void) {
  StitchLauncher l;
  Variable variables[] = {
      {"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "10.0.0.1"}, {"MASTER_PORT", "29500"}, {NULL, NULL}};
  CHECK(find(variables, &l) && l.rank == 1 && l.size == 2 && l.localRank == -1);
  CHECK(strcmp(l.host, "10.0.0.1") == 0 && l.port == 29501);
  variables[3].value = "65535";
  CHECK(find(variables, &l) && !*l.host);
}

static void testSlurm(void) {
  StitchLauncher l;
  Variable variables[] = {{"SLURM_PROCID", "5"},
                          {"SLURM_NTASKS", "8"},
                          {"SLURM_LOCALID", "2"},
                          {"SLURM_JOB_ID", "40007"},
                          {"SLURM_STEP_NODELIST", "gpu[07-09,12],other"},
                          {NULL, NULL}};
  CHECK(find(variables, &l) && l.rank == 5 && l.size == 8 && l.localRank == 2);
  CHECK(strcmp(l.host, "gpu07") == 0 && l.port == 20007);
  variables[4].value = "alone";
  CHECK(find(variables, &l) && strcmp(l.host, "alone") == 0);
  variables[4].value = "a1,a2";
  CHECK(find(variables, &l) && strcmp(l.host, "a1") == 0);
}

static void testNothing(void) {
  StitchLauncher l;
  Variable none[] = {{NULL, NULL}}, half[] = {{"RANK", "1"}, {NULL, NULL}},
           wrong[] = {{"RANK", "x"}, {"WORLD_SIZE", "2"}, {NULL, NULL}};
  CHECK(!find(none, &l));
  CHECK(!find(half, &l));
  CHECK(!find(wrong, &l));
}

int main(void) {
  testMpirun();
  testTorchrun();
  testSlurm();
  testNothing();
  return checkResult();
}
