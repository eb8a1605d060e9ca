# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package of this working tree, over the libraries of its build folder ($STITCH_BUILD, else build/)."""
import os
import pathlib
import sys

import numpy as np
import pytest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
os.environ.setdefault("STITCH_BUILD", str(SOURCE / "build"))
os.environ["STITCH_CACHE"] = "off"
os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path.insert(0, str(SOURCE / "python"))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture
def scratch(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """The folder for temporary files, to see what is left in it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path
