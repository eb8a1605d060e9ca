# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="stitch") under DDP, FSDP2 and tensor parallelism: PyTorch talks to the other process between the graphs, by gloo."""
import os
import pathlib
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

PROGRAM = '''
import os, sys
sys.path.insert(0, os.path.join(os.environ["STITCH_SOURCE"], "python"))
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
import stitch.torch

compiled, variant_of = [], stitch.torch._Graph._compiled


def count(self, args):
    variant = variant_of(self, args)
    compiled.extend([1] if variant is not None else [])
    return variant


stitch.torch._Graph._compiled = count
rank, kind = int(sys.argv[1]), sys.argv[3]
dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
torch.manual_seed(0)
mesh = init_device_mesh("cpu", (2,))


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = torch.nn.LayerNorm(16), torch.nn.Linear(16, 32), torch.nn.Linear(32, 16)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


make = lambda: torch.nn.Sequential(Block(), Block())
alone, model = make(), make()
model.load_state_dict(alone.state_dict())
x, y = torch.randn(8, 16), torch.randn(8, 16)
rows = slice(4 * rank, 4 * rank + 4)
if kind == "ddp":
    spread = torch.compile(torch.nn.parallel.DistributedDataParallel(model), backend="stitch")
elif kind == "fsdp":  # weights are gathered before each block
    for block in model:
        block.compile(backend="stitch")
        fully_shard(block, mesh=mesh)
    spread = fully_shard(model, mesh=mesh)
else:  # each process has some columns of the first product and rows of the second
    for block in model:
        parallelize_module(block, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    spread, rows = torch.compile(model, backend="stitch"), slice(0, 8)
for network, part in ((alone, slice(0, 8)), (spread, rows)):
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(network(x[part]), y[part]).backward()
        optimizer.step()
whole = lambda p: p.full_tensor() if hasattr(p, "full_tensor") else p
worst = max(float((a - whole(b)).detach().abs().max()) for a, b in zip(alone.parameters(), model.parameters()))
print(("right" if worst < 1e-5 else f"wrong by {worst}") + ("" if compiled else ", but all of it is left to PyTorch"))
dist.destroy_process_group()
'''

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize("kind", ["ddp", "fsdp", "tensor"])
def test_parallel(tmp_path: pathlib.Path, kind: str) -> None:
    program, meeting = tmp_path / "program.py", tmp_path / "meeting"
    program.write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "STITCH_SOURCE": str(SOURCE), "OMP_NUM_THREADS": "1"}
    started = [subprocess.Popen([sys.executable, str(program), str(rank), str(meeting), kind], env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True) for rank in range(2)]
    for process in started:
        output, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors
        assert output.strip() == "right", output + errors
