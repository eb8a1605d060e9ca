# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples, as their comments say to run them."""
import os
import subprocess
import sys

import pytest
from conftest import SOURCE


@pytest.mark.parametrize("name,printed", [
    ("jax_bert_layer.py", "result (2, 16, 64)"),
    ("jax_train_step.py", "largest relative difference"),
])
def test_example(name, printed):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python")}
    run = subprocess.run([sys.executable, SOURCE / "examples" / name], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0 and printed in run.stdout, run.stdout + run.stderr
