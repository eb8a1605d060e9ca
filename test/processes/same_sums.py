#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same samples over 1, 2, 4 and 8 processes: with sums=tree the same bits of their sum, and of a step that uses it.

    python3 test/processes/same_sums.py --bin build/bin [--element f16] [--device cuda] [--sums at-once]

Of 8 samples of 3 x 20 numbers each process has as many. A gradient is the sum over samples and their first dimension.
It is summed over the processes, and subtracted from a parameter.
"""
import argparse
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

# There may be more processes than processors.
os.environ.update(OMP_NUM_THREADS="1", OMPI_MCA_mpi_yield_when_idle="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
SAMPLES, ROWS, COLUMNS = 8, 3, 20

PROGRAM = """module attributes {{mhlo.num_partitions = {count} : i32, mhlo.num_replicas = 1 : i32}} {{
  func.func @main(%x: tensor<{each}x{rows}x{columns}x{e}>, %w: tensor<{columns}x{e}>) -> (tensor<{columns}x{e}>, tensor<{columns}x{e}>) {{
    %b = stablehlo.broadcast_in_dim %w, dims = [2] : (tensor<{columns}x{e}>) -> tensor<{each}x{rows}x{columns}x{e}>
    %m = stablehlo.multiply %x, %b : tensor<{each}x{rows}x{columns}x{e}>
    %zero = stablehlo.constant dense<0.0> : tensor<{e}>
    %g = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<{each}x{rows}x{columns}x{e}>, tensor<{e}>) -> tensor<{columns}x{e}>
    %s = "stablehlo.all_reduce"(%g) <{{replica_groups = dense<{group}> : tensor<1x{count}xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}}> ({{
    ^bb0(%p: tensor<{e}>, %q: tensor<{e}>):
      %r = stablehlo.add %p, %q : tensor<{e}>
      stablehlo.return %r : tensor<{e}>
    }}) : (tensor<{columns}x{e}>) -> tensor<{columns}x{e}>
    %u = stablehlo.subtract %w, %s : tensor<{columns}x{e}>
    return %s, %u : tensor<{columns}x{e}>, tensor<{columns}x{e}>
  }}
}}
"""


def write_npy(path, shape, values, element):
    header = f"{{'descr': '<{'f4' if element == 'f32' else 'f2'}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = struct.pack(f"<{len(values)}{'f' if element == 'f32' else 'e'}", *values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def outputs_of(arguments, count, values, parameter, folder):
    """The bytes of both results of each process."""
    each, source, model = SAMPLES // count, folder / f"{count}.mlir", folder / f"{count}.so"
    source.write_text(PROGRAM.format(count=count, each=each, rows=ROWS, columns=COLUMNS, e=arguments.element, group=[list(range(count))]))
    subprocess.run([arguments.bin / "stitch-compile", source, "--target=simt,sm_90", "--no-cubins", f"--pipeline=sums={arguments.sums} precision=strict",
                    "-o", model], check=True)
    size = each * ROWS * COLUMNS
    for process in range(count):
        write_npy(folder / f"x_{count}_{process}.npy", (each, ROWS, COLUMNS), values[process * size:][:size], arguments.element)
    write_npy(folder / "w.npy", (COLUMNS,), parameter, arguments.element)
    command = ["mpirun", "--oversubscribe", "-n", str(count)] if count > 1 else []
    place = "{process}" if count > 1 else "0"
    command += [arguments.bin / "stitch-run", model, f"--device={arguments.device}", "--check", "--input", f"0:{folder}/x_{count}_{place}.npy",
                "--input", f"1:{folder}/w.npy", f"--output={folder}/out_{count}_{place}"]
    environment = {**os.environ, "STITCH_CUDA_DOUBLE": f"devices={max(count, 1)}"}
    done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"wrong: {count} processes\n{done.stdout}")
    return [[(folder / f"out_{count}_{p}" / f"output_{i}.npy").read_bytes() for i in range(2)] for p in range(count)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--element", default="f32")
    parser.add_argument("--device", default="simt")
    parser.add_argument("--sums", default="tree")
    arguments = parser.parse_args()
    numbers = random.Random(7)
    values = [numbers.gauss(0, 10 ** numbers.uniform(-3, 1)) for _ in range(SAMPLES * ROWS * COLUMNS)]
    parameter = [numbers.gauss(0, 1) for _ in range(COLUMNS)]
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        one = outputs_of(arguments, 1, values, parameter, pathlib.Path(folder))[0]
        for count in (2, 4, 8):
            for process, outputs in enumerate(outputs_of(arguments, count, values, parameter, pathlib.Path(folder))):
                different += outputs != one
            print(f"{count} processes: {different or 'no'} results with other bits than those of one", flush=True)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
