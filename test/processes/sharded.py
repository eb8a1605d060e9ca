#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers that jax.shard_map spreads over 2 and 4 devices, as text and as artifacts, run by as many processes.

    .venv/bin/python test/processes/sharded.py --bin build/bin [--only pipeline]

Each is data, tensor, sequence, expert or pipeline parallel, and returns what the same layer on one device does: JAX computes
that, and each process's shards of the results are compared with it. Every launch on every process is checked, too.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ.update(OMP_NUM_THREADS="1", OMPI_MCA_mpi_yield_when_idle="1")  # there may be more processes than processors
if os.geteuid() == 0:  # in a container, where there is no other user
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

ROWS, WIDTH, HIDDEN = 16, 32, 64
random = np.random.default_rng(0)


def normal(*shape):
    return (random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)


def loss_of(w1, w2, x, y):
    return jnp.mean((jnp.tanh(x @ w1) @ w2 - y) ** 2)


def train(w1, w2, x, y):
    loss, gradients = jax.value_and_grad(loss_of, argnums=(0, 1))(w1, w2, x, y)
    return (w1 - 0.1 * gradients[0], w2 - 0.1 * gradients[1], loss)


def data_parallel(devices):
    """A training step: each device has rows of the batch, gradients are averaged."""
    def local(w1, w2, x, y):
        loss, gradients = jax.value_and_grad(loss_of, argnums=(0, 1))(w1, w2, x, y)
        gradients, loss = jax.lax.pmean((gradients, loss), "d")
        return (w1 - 0.1 * gradients[0], w2 - 0.1 * gradients[1], loss)
    inputs = (normal(WIDTH, HIDDEN), normal(HIDDEN, WIDTH), normal(ROWS, WIDTH), normal(ROWS, WIDTH))
    return local, train, inputs, (P(), P(), P("d"), P("d")), (P(), P(), P())


def tensor_parallel(devices):
    """A product by columns, then one by rows, whose parts are summed."""
    def local(w1, w2, x):
        return (jax.lax.psum(jax.nn.gelu(x @ w1) @ w2, "d"),)
    def one(w1, w2, x):
        return (jax.nn.gelu(x @ w1) @ w2,)
    return local, one, (normal(WIDTH, HIDDEN), normal(HIDDEN, WIDTH), normal(ROWS, WIDTH)), (P(None, "d"), P("d"), P()), (P(),)


def norm(x, scale):
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * scale


def sequence_parallel(devices):
    """Rows are scattered around a norm, gathered before the product and scattered as they are summed behind it."""
    def local(w1, w2, scale, x):
        whole = jax.lax.all_gather(norm(x, scale), "d", axis=0, tiled=True)
        return (x + jax.lax.psum_scatter(jax.nn.relu(whole @ w1) @ w2, "d", scatter_dimension=0, tiled=True),)
    def one(w1, w2, scale, x):
        return (x + jax.nn.relu(norm(x, scale) @ w1) @ w2,)
    inputs = (normal(WIDTH, HIDDEN), normal(HIDDEN, WIDTH), normal(WIDTH), normal(ROWS, WIDTH))
    return local, one, inputs, (P(None, "d"), P("d"), P(), P("d")), (P("d"),)


def expert_parallel(devices):
    """Each device has an expert, to which the others send their tokens, and gets its own back."""
    def local(w, x):
        sent = jax.lax.all_to_all(x, "d", split_axis=0, concat_axis=1)
        done = jnp.tanh(jnp.einsum("etk,ekn->etn", sent, w))
        return (jax.lax.all_to_all(done, "d", split_axis=1, concat_axis=0),)
    def one(w, x):
        return (jnp.tanh(jnp.einsum("etk,ekn->etn", x, w)),)
    return local, one, (normal(devices, WIDTH, HIDDEN), normal(devices, ROWS, WIDTH)), (P("d"), P(None, "d")), (P(None, "d"),)


def pipeline_parallel(devices):
    """A layer on each device; microbatches go from one to the next."""
    steps = 3
    def local(w, x):
        place = jax.lax.axis_index("d")
        state, results = jnp.zeros_like(x[0]), []
        for step in range(steps + devices - 1):
            state = jnp.where(place == 0, x[min(step, steps - 1)], state)
            state = jnp.tanh(state @ w[0])
            if step >= devices - 1:
                results.append(jax.lax.psum(jnp.where(place == devices - 1, state, 0), "d"))
            state = jax.lax.ppermute(state, "d", [(i, i + 1) for i in range(devices - 1)])
        return (jnp.stack(results),)
    def one(w, x):
        for layer in w:
            x = jnp.tanh(x @ layer)
        return (x,)
    return local, one, (normal(devices, WIDTH, WIDTH), normal(steps, ROWS, WIDTH)), (P("d"), P()), (P(),)


LAYERS = {"data": data_parallel, "tensor": tensor_parallel, "sequence": sequence_parallel, "expert": expert_parallel,
          "pipeline": pipeline_parallel}


def shards(array, mesh, spec):
    """What each device has of an array, in the mesh's order."""
    places = NamedSharding(mesh, spec).devices_indices_map(array.shape)
    return [np.array(array[places[device]], order="C") for device in mesh.devices.flat]


def run(name, devices, form, device, bin_folder, folder):
    local, one, inputs, in_specs, out_specs = LAYERS[name](devices)
    mesh = Mesh(np.array(jax.devices()[:devices]), ("d",), axis_types=(AxisType.Auto,))
    function = jax.jit(jax.shard_map(local, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False))
    if form == "text":
        program = function.lower(*inputs).as_text().encode()
    else:
        program = jax.export.export(function)(*inputs).mlir_module_serialized
    (folder / "program").write_bytes(program)
    subprocess.run([bin_folder / "stitch-compile", folder / "program", "--target=simt,sm_90", "--no-cubins", "-o", folder / "model.so"], check=True)
    command = ["mpirun", "--oversubscribe", "-n", str(devices), bin_folder / "stitch-run", folder / "model.so", "--check", "--thread-order=3", "--device", device,
               "--output", folder / "{process}"]
    for i, (array, spec) in enumerate(zip(inputs, in_specs)):
        command += ["--input", f"{i}:{folder}/in_{i}_{{process}}.npy"]
        for number, shard in enumerate(shards(array, mesh, spec)):
            np.save(folder / f"in_{i}_{number}.npy", shard)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{name}, {devices} devices, {form}: {done.stdout}{done.stderr}")
    worst = 0.0
    for i, (expected, spec) in enumerate(zip(map(np.asarray, jax.jit(one)(*inputs)), out_specs)):
        for number, shard in enumerate(shards(expected, mesh, spec)):
            got = np.load(folder / str(number) / f"output_{i}.npy")
            if got.shape != shard.shape:
                sys.exit(f"{name}: result {i} of process {number} has shape {got.shape}, expected {shard.shape}")
            worst = max(worst, float(np.max(np.abs(got - shard)) / max(1e-6, np.max(np.abs(shard)))))
    return worst, done.stdout.count(" 0 wrong")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--only", choices=LAYERS)
    parser.add_argument("--device", default="simt", help="cuda: the environment says where CUDA's libraries are, or their test double")
    arguments = parser.parse_args()
    failures = 0
    for name in [arguments.only] if arguments.only else LAYERS:
        for devices, form in ((2, "text"), (4, "text"), (4, "artifact")):
            with tempfile.TemporaryDirectory() as folder:
                worst, checked = run(name, devices, form, arguments.device, arguments.bin, pathlib.Path(folder))
            ok = worst < 2e-5 and checked == devices
            failures += not ok
            print(f"{'ok' if ok else 'wrong'}: {name} parallel, {devices} devices, {form}: {worst:.1e} from one device; {checked} processes checked", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
