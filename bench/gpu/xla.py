# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""XLA, through JAX, on the StableHLO text that Stitch compiles. Imported only where JAX is wanted: it takes seconds."""
import os

# Memory as it is needed: the GPU is shared with the others that are measured in this process.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax  # noqa: E402
from jax._src import compiler  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jaxlib import _jax  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402

jax.config.update("jax_enable_x64", True)  # else 64-bit inputs become 32-bit ones


class Program:
    """A StableHLO module compiled by XLA for a device."""

    def __init__(self, path, platform, index=0):
        self.device = jax.local_devices(backend=platform)[index]
        with mlir.make_ir_context(), open(path) as file:
            module = ir.Module.parse(file.read())
            options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
            self.executable = self.device.client.compile_and_load(module, _jax.DeviceList((self.device,)), options)

    def adopt(self, tensors):
        """Arrays of XLA that share the memory of torch's or numpy's."""
        return [self._adopt(t) for t in tensors]

    def _adopt(self, tensor):
        if not hasattr(tensor, "is_cuda"):  # numpy
            return jax.device_put(tensor, self.device)
        try:
            return jax.dlpack.from_dlpack(tensor.contiguous())
        except Exception:  # an element type that one of the two does not pass on
            return self._copied(tensor)

    def _copied(self, tensor):
        import ml_dtypes
        import torch
        if tensor.dtype == torch.bfloat16:
            array = tensor.view(torch.int16).cpu().numpy().view(ml_dtypes.bfloat16)
        else:
            array = tensor.cpu().numpy()
        return jax.device_put(array, self.device)

    def run(self, arguments):
        """Enqueues a run; its results are arrays of XLA."""
        if hasattr(self.executable, "execute_sharded"):
            results = self.executable.execute_sharded(arguments)
            return [arrays[0] for arrays in results.disassemble_into_single_device_arrays()]
        return self.executable.execute(arguments)


def wait(results):
    for result in results:
        result.block_until_ready()


def version():
    return f"jax {jax.__version__}"
