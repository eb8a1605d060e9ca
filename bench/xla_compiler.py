# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""XLA's own kernels of a StableHLO file, compiled for an H100 without having one; needs jax and its CUDA plugin.

usage: PYTHON bench/xla_compiler.py MODEL.mlir OPTIMISED.hlo    (in a process of its own: XLA reads XLA_FLAGS once)
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

# XLA's description of an H100 with 80 GB, as it publishes it for compilation without a device.
TARGET = """
gpu_device_info {
  threads_per_block_limit: 1024  threads_per_warp: 32  shared_memory_per_block: 49152  shared_memory_per_core: 233472
  threads_per_core_limit: 2048  core_count: 132  fpus_per_core: 128
  block_dim_limit_x: 2147483647  block_dim_limit_y: 65535  block_dim_limit_z: 65535
  memory_bandwidth: 3352320000000  l2_cache_size: 52428800  clock_rate_ghz: 1.98  device_memory_size: 84978434048
  shared_memory_per_block_optin: 232448  cuda_compute_capability { major: 9 }
  registers_per_core_limit: 65536  registers_per_block_limit: 65536
}
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 3 }
device_description_str: "NVIDIA H100 80GB HBM3"
"""
FLAGS = ["--xla_gpu_autotune_level=0", "--xla_gpu_enable_triton_gemm=false"]


def compile_model(path):
    """The optimised HLO of a StableHLO file, as text."""
    from jax._src import compiler
    from jax._src.interpreters import mlir
    from jax.experimental import topologies
    from jaxlib import _jax
    from jaxlib.mlir import ir
    topology = topologies.get_topology_desc(platform="cuda", target_config=TARGET, topology="1x1x1")
    device = topology.devices[0]
    with mlir.make_ir_context(), open(path) as file:
        module = ir.Module.parse(file.read())
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    return device.client.compile(module, _jax.DeviceList((device,)), options).hlo_modules()[0].to_string()


def optimised_hlo(path, flags):
    """What compile_model returns, of a process with these flags of XLA's."""
    environment = {**os.environ, "JAX_SKIP_CUDA_CONSTRAINTS_CHECK": "1", "XLA_FLAGS": " ".join(FLAGS + flags)}
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "optimised.hlo")
        result = subprocess.run([sys.executable, __file__, path, out], env=environment, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{path}: {result.stderr[-2000:]}")
        with open(out) as file:
            return file.read()


def launches(path, folder):
    """XLA's PTX files, left in `folder`, and what runs in turn: a kernel's name, blocks, threads; None for what is no kernel."""
    optimised_hlo(path, [f"--xla_dump_to={folder}"])
    sequence, = glob.glob(os.path.join(folder, "*.thunk_sequence.txt"))
    with open(sequence) as file:
        lines = [line for line in file if re.match(r"\d+: k", line)]
    found = [re.search(r"\] (\w+) grid: \[(\d+), 1, 1\] threads: \[(\d+), 1, 1\]", line) for line in lines]
    texts = [path for path in glob.glob(os.path.join(folder, "*.ptx")) if os.path.getsize(path)]
    return texts, [(f[1], int(f[2]), int(f[3])) if f else None for f in found]


if __name__ == "__main__":
    with open(sys.argv[2], "w") as output:
        output.write(compile_model(sys.argv[1]))
