# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model of two processes, each of which is a Python program (docs/devices.md)."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

PROGRAM = '''
import os, sys
sys.path.insert(0, os.path.join(os.environ["STITCH_SOURCE"], "python"))
import numpy as np
import stitch

rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
model = stitch.compile(open(os.path.join(os.environ["STITCH_SOURCE"], "test/lit/runtime/Inputs/sum_of_two.mlir")).read())
mine = [np.linspace(r, r + 1, 128, dtype=np.float32).reshape(16, 8) for r in range(2)]
for _ in range(3):
    total, number = model(mine[rank])
expected = np.tanh(np.exp(mine[0]) + np.exp(mine[1]))
with open(f"{sys.argv[1]}.{rank}", "w") as file:  # what both print may come mixed
    print(number, "right" if np.allclose(np.asarray(total), expected, rtol=1e-6) else "wrong", file=file)
'''

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.mark.skipif(not shutil.which("mpirun"), reason="no MPI")
def test_two_processes(tmp_path: pathlib.Path) -> None:
    if not (pathlib.Path(os.environ["STITCH_BUILD"]) / "lib" / "libstitch_mpi.so").exists():
        pytest.skip("built without MPI")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "STITCH_SOURCE": str(SOURCE), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(["mpirun", "--oversubscribe", "-n", "2", sys.executable, str(tmp_path / "program.py"), str(tmp_path / "answer")],
                          env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert [(tmp_path / f"answer.{rank}").read_text(encoding="utf-8") for rank in range(2)] == ["0 right\n", "1 right\n"]
