# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""unprivileged.py COMMAND...: runs a command to which the modes of files apply, even if the user is root."""
import ctypes
import os
import sys

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2

if os.geteuid() == 0:
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        # Where that is not allowed, in a container, root does not have the capability either, or the test says so.
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
os.execvp(sys.argv[1], sys.argv[1:])
