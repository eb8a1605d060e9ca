# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bindings of a kernel library for PyTorch, on the tests' double of the CUDA driver: tensors of the CPU, copied to it and back."""
import os
import subprocess
import sys

import pytest
from conftest import SOURCE

import stitch

pytest.importorskip("torch")

MODEL = SOURCE / "test" / "lit" / "runtime" / "Inputs" / "kernel_library" / "several.mlir"
CODE = """
import sys
sys.path.insert(0, FOLDER)
import torch
import several_torch as several
factor = torch.tensor([1, 2, 3, 4, 0, -1, 1, 2, 1, 2, 3, 4, 0, -1, 1, 2.0]).repeat_interleave(4)
x = torch.randn(64, generator=torch.Generator().manual_seed(1), requires_grad=True)
several.square(x).backward(torch.full((64,), 2.0))
torch.testing.assert_close(several.square(x), x * x * factor)
torch.testing.assert_close(x.grad, 4 * x.detach() * factor)
torch.testing.assert_close(torch.ops.several.square(x[::1].detach().clone()[0:64]), (x * x * factor).detach())
strided = torch.randn(64, 2)[:, 0]
torch.testing.assert_close(several.square(strided), strided * strided * factor)
compiled = torch.compile(lambda x: several.square(x) + 1, fullgraph=True, backend="aot_eager")
torch.testing.assert_close(compiled(x), x * x * factor + 1)
torch.library.opcheck(torch.ops.several.square, (torch.randn(64, requires_grad=True),))
old = torch.zeros(16, 32)
new = several.scale(old, torch.ones(1, 32), torch.tensor(3, dtype=torch.int32))
assert old.abs().max() == 0
torch.testing.assert_close(new[3], torch.ones(32).tanh())
assert new.sum() == new[3].sum()

def failing(call):
    try:
        call()
        print("no error")
    except (TypeError, RuntimeError) as error:
        print(error)

failing(lambda: several.square(torch.zeros(63)))
failing(lambda: several.square(torch.zeros(64, dtype=torch.float64)))
failing(lambda: several.scale(torch.zeros(16, 32, requires_grad=True), torch.ones(1, 32), torch.tensor(3, dtype=torch.int32)).sum().backward())
"""


def test_operators(tmp_path):
    library = stitch.kernel(str(MODEL), None, tmp_path / "several", reference=False)
    library.build()
    models = []
    for function in library.functions:
        models.append(f"model={tmp_path / function}.so")
        stitch.compile(str(MODEL), target="simt,sm_90", entry=function).save(tmp_path / f"{function}.so")
    environment = {**os.environ, "STITCH_CUDA_LIBRARIES": os.path.join(os.environ["STITCH_BUILD"], "test", "cuda_double", "all"),
                   "STITCH_CUDA_DOUBLE": ",".join(models)}
    done = subprocess.run([sys.executable, "-c", CODE.replace("FOLDER", repr(str(library.folder)))], env=environment, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "several.square: 'in0' has the shape (63,), not (64,)",
        "several.square: 'in0' is f32 of 1 dimensions, not torch.float64 of 1",
        "several.scale has no gradient: the library was made without a function scale_gradient",
    ]
