# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples, as their comments say to run them."""
import html
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


def test_notebook(monkeypatch):
    """All cells run, and the page of the report is in what the notebook shows."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", str(SOURCE / "python"))
    notebook = nbclient.NotebookClient(nbformat.read(SOURCE / "examples" / "notebook.ipynb", as_version=4), timeout=120).execute()
    outputs = [cell.outputs[0] for cell in notebook.cells if cell.cell_type == "code"]
    assert float(outputs[0].text.split(": ")[1]) < 1e-5
    page = html.unescape(outputs[1].data["text/html"])
    assert page.startswith("<iframe srcdoc=") and "<svg " in page and "What runs, in order" in page
    assert "fusions         1\n" in outputs[2].text and ".visible .entry" in outputs[3].text
