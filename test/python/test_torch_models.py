# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A few models of transformers, where the package is installed; all: test/programs/torch_models.py."""
import os
import subprocess
import sys

import pytest
from conftest import SOURCE

pytest.importorskip("torch")
pytest.importorskip("transformers")


def test_models():
    command = [sys.executable, SOURCE / "test" / "programs" / "torch_models.py", "--only", "gpt2,mistral", "--checks", "forward,static", "--steps", "20"]
    run = subprocess.run(command, env={**os.environ, "PYTHONPATH": f"{SOURCE / 'python'}:{os.environ.get('PYTHONPATH', '')}"}, capture_output=True, text=True, check=False)
    assert run.returncode == 0 and run.stdout.splitlines()[-1] == "2 models, 0 differences" and "left" not in run.stdout, run.stdout + run.stderr
    assert [row.split(" | ")[4] for row in run.stdout.splitlines()[:2]] == ["equal, 2 compiled", "equal, 3 compiled"]
