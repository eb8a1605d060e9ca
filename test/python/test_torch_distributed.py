# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="stitch") under DDP: PyTorch sums the gradients between the graphs, by gloo, in two processes."""
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
import stitch.torch

rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
torch.manual_seed(0)
make = lambda: torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.LayerNorm(32), torch.nn.Linear(32, 4))
alone, model = make(), make()
model.load_state_dict(alone.state_dict())
x, y = torch.randn(8, 16), torch.randn(8, 4)
spread = torch.compile(torch.nn.parallel.DistributedDataParallel(model), backend="stitch")
for network, rows in ((alone, slice(0, 8)), (spread, slice(4 * rank, 4 * rank + 4))):
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(network(x[rows]), y[rows]).backward()
        optimizer.step()
worst = max(float((a - b).abs().max()) for a, b in zip(alone.parameters(), model.parameters()))
print("right" if worst < 1e-5 else f"wrong by {worst}")
dist.destroy_process_group()
'''

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


def test_data_parallel(tmp_path: pathlib.Path) -> None:
    program, meeting = tmp_path / "program.py", tmp_path / "meeting"
    program.write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "STITCH_SOURCE": str(SOURCE), "OMP_NUM_THREADS": "1"}
    started = [subprocess.Popen([sys.executable, str(program), str(rank), str(meeting)], env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True) for rank in range(2)]
    for process in started:
        output, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors
        assert output.strip() == "right", output + errors
