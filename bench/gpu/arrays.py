# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays where a device needs them: on the GPU through torch, for the simt device in host memory through numpy.

Both classes have the same methods. Element types have MLIR's names. Random values follow docs/random_inputs.md in kind, not
bit for bit: they are drawn where they are needed.
"""
import numpy as np


class HostArrays:
    xp, memory, memory_id = np, 1, 0

    def __init__(self):
        import ml_dtypes
        self.generator = np.random.default_rng(0)
        self.types = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i1": np.bool_,
                      **{f"{u}i{b}": np.dtype(f"{'u' if u else ''}int{b}").type for b in (8, 16, 32, 64) for u in ("", "u")}}

    def seed(self, number):
        self.generator = np.random.default_rng(number)

    def empty(self, shape, dtype):
        """Filled with ones: NaN for floats, so that an element that is never written shows."""
        array = np.empty(shape, self.types[dtype])
        array.view(np.uint8 if array.ndim else array.dtype)[...] = 255
        return array

    def normal(self, shape, dtype, scale=1.0):
        return (self.generator.standard_normal(shape) * scale).astype(self.types[dtype])

    def uniform(self, shape, dtype, low, high):
        return self.generator.uniform(low, high, shape).astype(self.types[dtype])

    def integers(self, shape, dtype, low, high):
        return self.generator.integers(low, high, shape).astype(self.types[dtype])

    def address(self, array):
        return array.ctypes.data

    def double(self, array):
        return array.astype(np.float64)

    def is_float(self, array):
        return array.dtype.kind in "fV" or "float" in str(array.dtype)

    def perturbed(self, array, delta):
        return array * (1.0 + self.generator.uniform(-delta, delta, array.shape))

    def same_bits(self, a, b):
        return a.tobytes() == b.tobytes()

    def copy(self, array):
        return array.copy()

    def synchronize(self):
        pass

    def release(self):
        pass


class TorchArrays:
    memory = 2

    def __init__(self, index=0):
        import torch
        self.xp = self.torch = torch
        self.device, self.memory_id = torch.device("cuda", index), index
        self.generator = torch.Generator(self.device)
        self.types = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
                      "i1": torch.bool, "ui8": torch.uint8, **{f"i{b}": getattr(torch, f"int{b}") for b in (8, 16, 32, 64)}}

    def seed(self, number):
        self.generator.manual_seed(number)

    def empty(self, shape, dtype):
        array = self.torch.empty(shape, dtype=self.types[dtype], device=self.device)
        if array.numel():
            array.view(-1).view(self.torch.uint8).fill_(255)
        return array

    def normal(self, shape, dtype, scale=1.0):
        values = self.torch.empty(shape, dtype=self._drawn(dtype), device=self.device)
        return values.normal_(0.0, scale, generator=self.generator).to(self.types[dtype])

    def uniform(self, shape, dtype, low, high):
        values = self.torch.empty(shape, dtype=self._drawn(dtype), device=self.device)
        return values.uniform_(low, high, generator=self.generator).to(self.types[dtype])

    def _drawn(self, dtype):
        return self.torch.float64 if dtype == "f64" else self.torch.float32

    def integers(self, shape, dtype, low, high):
        return self.torch.randint(low, high, shape, generator=self.generator, device=self.device).to(self.types[dtype])

    def address(self, array):
        return array.data_ptr()

    def double(self, array):
        return array.double()

    def is_float(self, array):
        return array.is_floating_point()

    def perturbed(self, array, delta):
        noise = self.torch.empty_like(array).uniform_(-delta, delta, generator=self.generator)
        return noise.add_(1.0).mul_(array)

    def same_bits(self, a, b):
        if not a.numel():
            return True
        return self.torch.equal(a.reshape(-1).view(self.torch.uint8), b.reshape(-1).view(self.torch.uint8))

    def copy(self, array):
        return array.clone()

    def synchronize(self):
        self.torch.cuda.synchronize(self.device)

    def release(self):
        self.torch.cuda.empty_cache()


def arrays_for(device):
    """On the GPU, if there is torch; else the runtime copies from and to host memory."""
    if device.startswith("cuda"):
        try:
            return TorchArrays(int(device.partition(":")[2] or 0))
        except ImportError:
            pass
    return HostArrays()
