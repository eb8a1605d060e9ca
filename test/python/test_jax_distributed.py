# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stitch.jax.jit of functions with jax.shard_map under jax.distributed: two processes of one CPU device each, which mpirun starts."""
import os
import pathlib
import shutil
import socket
import subprocess
import sys

import pytest

pytest.importorskip("jax")

PROGRAM = '''
import os, sys
sys.path.insert(0, os.path.join(os.environ["STITCH_SOURCE"], "python"))
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
jax.distributed.initialize(f"127.0.0.1:{sys.argv[2]}", num_processes=2, process_id=rank)
import stitch.jax

mesh = Mesh(np.array(jax.devices()), ("batch",))
generator = np.random.default_rng(0)
weights = {"w": generator.normal(size=(16, 8)).astype(np.float32), "b": np.zeros(8, np.float32)}
x, y = generator.normal(size=(8, 16)).astype(np.float32), generator.normal(size=(8, 8)).astype(np.float32)


def loss(weights, x, y):
    return jnp.mean((jax.nn.gelu(x @ weights["w"] + weights["b"]) - y) ** 2)


def shard_step(weights, x, y):
    value, gradients = jax.value_and_grad(loss)(weights, x, y)
    return jax.lax.pmean(value, "batch"), jax.lax.pmean(gradients, "batch")


def step(weights, x, y):
    """The update is outside of the shard_map: JAX partitions it."""
    spread = jax.shard_map(shard_step, mesh=mesh, in_specs=(P(), P("batch"), P("batch")), out_specs=P(), check_vma=False)
    value, gradients = jax.jit(spread)(weights, x, y)
    return value, jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients)


def whole_step(weights, x, y):
    value, gradients = jax.value_and_grad(loss)(weights, x, y)
    return value, jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients)


def placed(array, spec):
    part = array[4 * rank:4 * rank + 4] if spec else array
    return jax.make_array_from_process_local_data(NamedSharding(mesh, P(*spec)), part, array.shape)


stitched = stitch.jax.jit(step)
theirs, ours = weights, {name: placed(value, ()) for name, value in weights.items()}
spread_x, spread_y = placed(x, ("batch",)), placed(y, ("batch",))
assert "stitch_call_host" in stitched.lower(ours, spread_x, spread_y).as_text()
right = True
for _ in range(3):
    expected, theirs = jax.jit(whole_step)(theirs, x, y)
    got, ours = stitched(ours, spread_x, spread_y)
    local = lambda array: np.asarray(array.addressable_data(0))
    right &= bool(np.allclose(local(got), expected, rtol=1e-5))
    right &= all(np.allclose(local(ours[name]), theirs[name], rtol=1e-5, atol=1e-6) for name in ours)

# Shards that stay where they are.
norm = stitch.jax.jit(jax.shard_map(lambda a: a / jax.lax.pmax(jnp.max(jnp.abs(a)), "batch"), mesh=mesh, in_specs=P("batch"), out_specs=P("batch")))
right &= bool(np.allclose(local(norm(spread_x)), x[4 * rank:4 * rank + 4] / np.abs(x).max(), rtol=1e-6))

# What cannot be done is said.
try:
    stitch.jax.jit(lambda a: jax.shard_map(lambda a: jax.lax.psum(a, "batch"), mesh=Mesh(np.array(jax.devices()[::-1]), ("batch",)), in_specs=P("batch"), out_specs=P())(a))(
        placed(x, ("batch",)))
    right = False
except ValueError as error:
    right &= "in the order of the processes" in str(error)
with open(f"{sys.argv[1]}.{rank}", "w") as file:
    print("right" if right else "wrong", file=file)
'''

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.mark.skipif(not shutil.which("mpirun"), reason="no MPI")
def test_shard_map(tmp_path: pathlib.Path) -> None:
    if not (pathlib.Path(os.environ["STITCH_BUILD"]) / "lib" / "libstitch_mpi.so").exists():
        pytest.skip("built without MPI")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "STITCH_SOURCE": str(SOURCE), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "JAX_PLATFORMS": "cpu"}
    environment.pop("XLA_FLAGS", None)  # one device a process
    done = subprocess.run(["mpirun", "--oversubscribe", "-n", "2", sys.executable, str(tmp_path / "program.py"), str(tmp_path / "answer"), str(port)],
                          env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [(tmp_path / f"answer.{rank}").read_text(encoding="utf-8") for rank in range(2)] == ["right\n"] * 2
