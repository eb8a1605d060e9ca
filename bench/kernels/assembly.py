# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled model's kernels look like: launches, traffic, registers, spills, access widths, occupancy."""
import glob
import os
import re
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Per multiprocessor (CUDA programming guide, compute capabilities): threads, blocks, registers, bytes of shared memory.
MULTIPROCESSORS = {
    "sm_70": (2048, 32, 65536, 96 << 10),
    "sm_75": (1024, 16, 65536, 64 << 10),
    "sm_80": (2048, 32, 65536, 164 << 10),
    "sm_86": (1536, 16, 65536, 100 << 10),
    "sm_89": (1536, 24, 65536, 100 << 10),
    "sm_90": (2048, 32, 65536, 228 << 10),
}
REGISTER_STEP, RESERVED_SHARED = 8, 1024
# What kernels of an architecture are planned for.
DEVICES = {"sm_70": "v100", "sm_75": "t4", "sm_80": "a100", "sm_86": "a100", "sm_89": "a100", "sm_90": "h200"}


class CompileError(Exception):
    pass


def find_ptxas(arch):
    """A ptxas that knows the architecture: that of CUDA 13 has dropped sm_70. None if there is none."""
    if arch == "sm_70":
        old = glob.glob(os.path.join(ROOT, ".venv", "lib", "python3*", "site-packages", "nvidia", "cuda_nvcc", "bin", "ptxas"))
        return os.environ.get("STITCH_PTXAS_CUDA12") or (old[0] if old else None)
    return shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise CompileError(result.stderr.strip().splitlines()[-1] if result.stderr.strip() else "failed")
    return result


def launches(compiler, model, arch, device, options="plan=astitch-by-cost"):
    """Kernel name -> its launch and traffic."""
    text = run([compiler, model, "--emit=gpu", f"--target={arch}", f"--device={device}", f"--pipeline={options}"]).stdout
    kernels = {}
    for line in text.splitlines():
        match = re.search(r"gpu\.func @(\w+)\(.*#stitch\.launch<([^>]*)>.*stitch\.traffic = array<i64: (\d+), (\d+)>", line)
        if match:
            launch = {key: int(value) for key, value in re.findall(r"(\w+) = (\d+)", match.group(2))}
            kernels[match.group(1)] = {**launch, "read": int(match.group(3)), "written": int(match.group(4))}
    return kernels


def access_widths(ptx):
    """Kernel name -> (accesses to global memory of 16 bytes, all accesses to global memory), as they stand in the text."""
    widths, kernel = {}, None
    for line in ptx.splitlines():
        entry = re.search(r"\.entry (\w+)\(", line)
        if entry:
            kernel = entry.group(1)
            widths[kernel] = [0, 0]
        access = re.search(r"\b(?:ld|st)\.(?:[\w:]+\.)*?global\.(?:[\w:]+\.)*?(?:v(\d)\.)?[bfsu](\d+)\s", line)
        if access and kernel:
            size = int(access.group(1) or 1) * int(access.group(2)) // 8
            widths[kernel][1] += 1
            widths[kernel][0] += size >= 16
    return widths


def assemble(ptx_file, arch, ptxas):
    """Kernel name -> registers, spilled bytes (stores and loads), as ptxas tells them."""
    messages = run([ptxas, f"-arch={arch}", "-v", ptx_file, "-o", f"{ptx_file}.cubin"]).stderr
    kernels, kernel = {}, None
    for line in messages.splitlines():
        entry = re.search(r"Compiling entry function '(\w+)'", line)
        if entry:
            kernel = kernels.setdefault(entry.group(1), {"registers": 0, "spilled": 0})
        spills = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line)
        if spills and kernel is not None:
            kernel["spilled"] = int(spills.group(1)) + int(spills.group(2))
        registers = re.search(r"Used (\d+) registers", line)
        if registers and kernel is not None:
            kernel["registers"] = int(registers.group(1))
    return kernels


def occupancy(arch, block, registers, shared):
    """The share of a multiprocessor's threads that are resident at once."""
    threads, blocks, file, memory = MULTIPROCESSORS[arch]
    rounded = max((registers + REGISTER_STEP - 1) // REGISTER_STEP * REGISTER_STEP, REGISTER_STEP)
    resident = min(threads // block, blocks, file // (rounded * block), memory // (shared + RESERVED_SHARED))
    return resident * block / threads


def examine(compiler, model, folder, archs, device=None, options="plan=astitch-by-cost"):
    """All there is to know of a model's kernels: name -> architecture -> figures. Planned for `device`, or for each
    architecture's own."""
    kernels = {}
    for arch in archs:
        planned_for = device or DEVICES[arch]
        ptx_file = os.path.join(folder, f"{arch}.ptx")
        run([compiler, model, "--emit=ptx", f"--target={arch}", f"--device={planned_for}", f"--pipeline={options}", "-o", ptx_file])
        with open(ptx_file) as file:
            widths = access_widths(file.read())
        ptxas = find_ptxas(arch)
        assembled = assemble(ptx_file, arch, ptxas) if ptxas else {}
        for name, launch in launches(compiler, model, arch, planned_for, options).items():
            figures = {"cluster": 1, **launch, "bound": launch["registers"], **assembled.get(name, {"registers": None})}
            figures["wide"], figures["accesses"] = widths[name]
            if figures["registers"]:
                figures["occupancy"] = occupancy(arch, launch["block"], figures["registers"], launch["shared"])
            kernels.setdefault(name, {})[arch] = figures
    return kernels
