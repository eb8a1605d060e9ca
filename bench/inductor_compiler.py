# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch Inductor's Triton kernels of the classic graphs, compiled for an H100 without having one; needs torch with CUDA, and triton.

usage: PYTHON bench/inductor_compiler.py FOLDER NAME:ROWS:COLUMNS:DTYPE...    (PYTHON: .venv-torch/bin/python)

Leaves in FOLDER/NAME:ROWS:COLUMNS:DTYPE a cubin for each kernel and each configuration that Inductor's autotuner would time, and
launches.json: for each kernel in turn a list of these, {"cubin", "name", "grid", "block"}.
"""
import json
import operator
import os
import re
import sys
import types

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels"))

H100 = types.SimpleNamespace(
    name="NVIDIA H100 80GB HBM3", major=9, minor=0, total_memory=80 << 30, multi_processor_count=132, warp_size=32,
    regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, gcnArchName="",
    shared_memory_per_block=49152, shared_memory_per_block_optin=232448, shared_memory_per_multiprocessor=233472, L2_cache_size=50 << 20)


class NoDriver:
    """What triton asks of a driver where it compiles for a target that is given."""

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def get_active_torch_device(self):
        return torch.device("cuda", 0)


def pretend_device():
    """Inductor asks for a GPU's figures, and not for the GPU: before it is imported it gets those of an H100."""
    os.environ.update(TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER="0", TORCHINDUCTOR_COMPILE_THREADS="1")
    torch.cuda._lazy_init = lambda: None
    torch.cuda._get_device_properties = torch.cuda.get_device_properties = lambda device=None: H100
    torch.cuda.get_device_capability = lambda device=None: (9, 0)
    torch.cuda.current_device = lambda: 0
    torch.cuda.device_count = lambda: 1
    torch.cuda.is_available = lambda: True
    from torch._subclasses import fake_tensor
    fake_tensor.init_gpu_context = lambda device: None
    from triton.runtime.driver import driver
    driver.set_active(NoDriver())


TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "i32": torch.int32, "i1": torch.bool}


class Graph:
    """stablehlo.Graph's methods, on tensors."""

    UNARY = {"exponential": torch.exp, "rsqrt": torch.rsqrt, "tanh": torch.tanh, "log": torch.log, "sqrt": torch.sqrt}
    REDUCE = {"add": torch.sum, "maximum": torch.amax}

    def __init__(self, inputs=None):
        self.inputs, self.given, self.results = [], inputs, []

    def input(self, shape, dtype):
        number = len(self.inputs)
        self.inputs.append((tuple(shape), TYPES[dtype]))
        return self.given[number] if self.given else torch.empty(shape, dtype=TYPES[dtype], device="cuda")

    def output(self, *values):
        self.results.extend(values)

    def unary(self, op, x):
        return self.UNARY[op](x)

    def binary(self, op, a, b):
        return torch.clamp_min(a, b) if op == "maximum" else NotImplemented

    def reduce(self, op, x, dims):
        return self.REDUCE[op](x, dims)

    def broadcast(self, x, dims, shape):
        return x.reshape([shape[d] if d in dims else 1 for d in range(len(shape))]).expand(shape)

    def convert(self, x, dtype):
        return x.to(TYPES[dtype])

    def constant(self, number, shape, dtype):
        return torch.full(shape, number, dtype=TYPES[dtype], device="cuda")

    def iota(self, dim, shape, dtype):
        return self.broadcast(torch.arange(shape[dim], dtype=TYPES[dtype], device="cuda"), [dim], shape)

    def compare(self, direction, a, b, kind):
        return {"EQ": operator.eq}[direction](a, b)

    def select(self, predicate, a, b):
        return torch.where(predicate, a, b)

    def transpose(self, x, permutation):
        return x.permute(permutation)


def function_of(name, rows, columns, dtype):
    """The classic as a function of tensors: what it leaves is a Graph. Without tensors it makes its own, of the right shapes."""
    import classics

    def build(inputs):
        kernel = classics.Kernel(rows, columns, dtype)
        kernel.g = Graph(inputs)
        classics.CLASSICS[name](kernel)
        return kernel.g
    return build


def wrapper_code(build):
    """What Inductor generates: sources of kernels, and their launches."""
    from torch._inductor.debug import DebugContext
    from torch._inductor.decomposition import select_decomp_table
    from torch._inductor.graph import GraphLowering
    from torch._inductor.virtualized import V
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    with mode:
        inputs = [torch.empty(shape, dtype=dtype, device="cuda") for shape, dtype in build(None).inputs]
    module = make_fx(lambda *given: tuple(build(given).results), decomposition_table=select_decomp_table(), tracing_mode="fake")(*inputs)
    with V.set_fake_mode(mode), V.set_debug_handler(DebugContext()):
        graph = GraphLowering(module)
        with V.set_graph_handler(graph):
            graph.run(*inputs)
            return graph.codegen()[0].value


def compile_kernel(name, source, numbers, folder):
    """Each configuration that the autotuner would time."""
    from torch._inductor.runtime import triton_helpers
    from torch._inductor.runtime.triton_heuristics import GridExpr
    triton_helpers.set_driver_to_gpu = lambda: None
    path = os.path.join(folder, f"{name}.py")
    with open(path, "w") as file:
        file.write(source)
    module = types.ModuleType(name)
    module.__file__ = path
    exec(compile(source, path, "exec"), module.__dict__)
    tuner, found = module.__dict__[name], []
    for i, config in enumerate(tuner.configs):
        kernel = tuner._precompile_config(config).kernel
        cubin = os.path.join(folder, f"{name}_{i}.cubin")
        with open(cubin, "wb") as file:
            file.write(kernel.asm["cubin"])
        grid = GridExpr.from_meta(tuner.inductor_meta, config).eval_slow({**numbers, **config.kwargs})
        found.append({"cubin": cubin, "name": kernel.metadata.name, "grid": grid[0] * grid[1] * grid[2],
                      "block": 32 * kernel.metadata.num_warps})
    return found


def compile_case(case, folder):
    os.makedirs(folder)
    name, rows, columns, dtype = case.split(":")
    code = wrapper_code(function_of(name, int(rows), int(columns), dtype))
    sources = dict(re.findall(r"^(\w+) = async_compile\.triton\('\w+', '''\n(.*?)'''", code, re.DOTALL | re.MULTILINE))
    launches = []
    for kernel, arguments in re.findall(r"^\s+(\w+)\.run\((.*), stream=\w+\)", code, re.MULTILINE):
        names = re.search(r"def \w+\((.*?)\)", sources[kernel]).group(1).split(", ")
        numbers = {n.split(" ")[0]: int(a) for n, a in zip(names, arguments.split(", ")) if a.isdigit()}
        launches.append(compile_kernel(kernel, sources[kernel], numbers, folder))
    with open(os.path.join(folder, "launches.json"), "w") as file:
        json.dump(launches, file)


def main():
    folder, cases = sys.argv[1], sys.argv[2:]
    pretend_device()
    for case in cases:
        compile_case(case, os.path.join(folder, case))


if __name__ == "__main__":
    main()
