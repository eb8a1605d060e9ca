#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives of several processes against what StableHLO's specification says of each.

    python3 test/processes/collectives.py --bin build/bin [--grid 2x2] [--device cuda]

For each grid of replicas and partitions one program has all collectives, with each strategy of making groups, on
random integers. It runs under mpirun, every launch checked on every process, and each process's results are compared
with the specification's pseudo code below. The examples of the specification come last, with their own numbers.
"""
import argparse
import ast
import itertools
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

# There may be more processes than processors.
os.environ.update(OMP_NUM_THREADS="1", OMPI_MCA_mpi_yield_when_idle="1")
if os.geteuid() == 0:  # in a container, where there is no other user
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

GRIDS = [(2, 1), (1, 2), (3, 1), (2, 2), (1, 4)]


# Tensors are (shape, list of elements in row-major order).
def strides(shape):
    return [product(shape[i + 1:]) for i in range(len(shape))]


def product(numbers):
    result = 1
    for n in numbers:
        result *= n
    return result


def indices(shape):
    return itertools.product(*(range(n) for n in shape))


def at(tensor, index):
    return tensor[1][sum(i * s for i, s in zip(index, strides(tensor[0])))]


def build(shape, element):
    return list(shape), [element(index) for index in indices(shape)]


def replaced(index, dim, value):
    return index[:dim] + (value,) + index[dim + 1:]


def concatenate(tensors, dim):
    size = tensors[0][0][dim]
    shape = replaced(tuple(tensors[0][0]), dim, size * len(tensors))
    return build(shape, lambda i: at(tensors[i[dim] // size], replaced(i, dim, i[dim] % size)))


def split(tensor, parts, dim):
    size = tensor[0][dim] // parts
    shape = replaced(tuple(tensor[0]), dim, size)
    return [build(shape, lambda i, p=p: at(tensor, replaced(i, dim, p * size + i[dim]))) for p in range(parts)]


def zeros(tensor):
    return tensor[0], [0] * len(tensor[1])


# The specification's strategies: groups of processes (replica, partition).
def cross_replica(groups, replicas, partitions):
    return [[(r, p) for r in group] for group in groups for p in range(partitions)]


def cross_partition(groups, replicas, partitions):
    return [[(r, p) for p in group] for group in groups for r in range(replicas)]


def cross_replica_and_partition(groups, replicas, partitions):
    return [[(r, p) for p in range(partitions) for r in group] for group in groups]


def flattened_ids(groups, replicas, partitions):
    return [[(i // partitions, i % partitions) for i in group] for group in groups]


# Operations: what each does with the operands of all processes, by process.
def fold(tensors, combine):
    values = tensors[0][1]
    for tensor in tensors[1:]:
        values = [combine(a, b) for a, b in zip(values, tensor[1])]
    return tensors[0][0], values


def in_groups(operands, groups, result):
    """`result(members' operands, place)` of each process in a group."""
    results = {}
    for group in groups:
        for place, process in enumerate(group):
            results[process] = result([operands[p] for p in group], place)
    return results


def permute(operands, pairs):
    results = {process: zeros(tensor) for process, tensor in operands.items()}
    for source, target in pairs:
        results[target] = operands[source]
    return results


BODIES = {"add": ("stablehlo.add", lambda a, b: a + b), "max": ("stablehlo.maximum", max), "min": ("stablehlo.minimum", min),
          "odd": (None, lambda a, b: a * 3 + b * 5)}


def body(name, element):
    scalar = f"tensor<{element}>"
    if name == "odd":
        text = (f"%c3 = stablehlo.constant dense<3> : {scalar} %c5 = stablehlo.constant dense<5> : {scalar} "
                f"%m = stablehlo.multiply %x, %c3 : {scalar} %n = stablehlo.multiply %y, %c5 : {scalar} %r = stablehlo.add %m, %n : {scalar}")
    else:
        text = f"%r = {BODIES[name][0]} %x, %y : {scalar}"
    return f"({{ ^bb0(%x: {scalar}, %y: {scalar}): {text} stablehlo.return %r : {scalar} }})"


class Program:
    """A module and what it computes on each process."""

    def __init__(self, replicas, partitions):
        self.replicas, self.partitions = replicas, partitions
        self.processes = [(r, p) for r in range(replicas) for p in range(partitions)]
        self.operands, self.lines, self.results = [], [], []

    def operand(self, shape, values=None):
        values = values or {process: build(shape, lambda _: random.randrange(-1000, 1000)) for process in self.processes}
        self.operands.append(values)
        return len(self.operands) - 1

    @staticmethod
    def type_of(tensor):
        return f"tensor<{''.join(f'{n}x' for n in tensor[0])}i64>"

    def add(self, name, operands, attributes, results, region=""):
        """`results`: for each result the tensor of each process."""
        first = self.processes[0]
        types = ", ".join(self.type_of(self.operands[o][first]) for o in operands)
        number = len(self.results)
        names = ", ".join(f"%r{number + i}" for i in range(len(results)))
        given = ", ".join(f"%a{o}" for o in operands)
        self.lines.append(f'{names} = "stablehlo.{name}"({given}) <{{{attributes}}}> {region} : ({types}) -> '
                          f'({", ".join(self.type_of(r[first]) for r in results)})')
        self.results += results

    def text(self):
        first = self.processes[0]
        arguments = ", ".join(f"%a{i}: {self.type_of(o[first])}" for i, o in enumerate(self.operands))
        types = ", ".join(self.type_of(r[first]) for r in self.results)
        values = ", ".join(f"%r{i}" for i in range(len(self.results)))
        lines = "\n  ".join(self.lines)
        return (f"module attributes {{mhlo.num_replicas = {self.replicas} : i32, mhlo.num_partitions = {self.partitions} : i32}} {{\n"
                f"func.func @main({arguments}) -> ({types}) {{\n  {lines}\n  return {values} : {types}\n}}\n}}\n")


def table(name, rows):
    columns = len(rows[0]) if rows else 2
    return f"{name} = dense<{rows if rows else ''}> : tensor<{len(rows)}x{columns}xi64>"


def channel(handle):
    return f", channel_handle = #stablehlo.channel_handle<handle = {handle}, type = 1>" if handle else ""


def shuffled_groups(count, size):
    numbers = random.sample(range(count), count)
    return [numbers[i:i + size] for i in range(0, count, size)]


def reductions(program):
    """Strategies of all_gather, all_reduce and reduce_scatter: (groups of processes, attributes)."""
    replicas, partitions = program.replicas, program.partitions
    count = replicas * partitions
    for strategy, total, attributes in ((cross_replica, replicas, channel(0)), (cross_replica_and_partition, replicas, channel(1)),
                                        (flattened_ids, count, channel(2) + ", use_global_device_ids")):
        for size in {1, total} | ({2} if total % 2 == 0 else set()):
            groups = shuffled_groups(total, size)
            yield strategy(groups, replicas, partitions), table("replica_groups", groups) + attributes


def exchanges(program):
    for strategy, total, attributes in ((cross_replica, program.replicas, channel(0)), (cross_partition, program.partitions, channel(3))):
        groups = shuffled_groups(total, total)
        yield strategy(groups, program.replicas, program.partitions), table("replica_groups", groups) + attributes, total, strategy


def all_of(replicas, partitions):
    program = Program(replicas, partitions)
    size = 12
    a, b = program.operand([size, 2, size]), program.operand([2, size])
    at_a, at_b = program.operands[a], program.operands[b]
    for groups, attributes in reductions(program):
        count = len(groups[0])
        for dim in range(2):
            program.add("all_gather", [b, b], f"all_gather_dim = {dim} : i64, {attributes}",
                        2 * [in_groups(at_b, groups, lambda tensors, _, dim=dim: concatenate(tensors, dim))])
        for name in BODIES:
            combine = BODIES[name][1]
            program.add("all_reduce", [a, b], attributes,
                        [in_groups(x, groups, lambda tensors, _, combine=combine: fold(tensors, combine)) for x in (at_a, at_b)],
                        body(name, "i64"))
            for dim in (0, 2):
                program.add("reduce_scatter", [a], f"scatter_dimension = {dim} : i64, {attributes}",
                            [in_groups(at_a, groups, lambda tensors, place, combine=combine, dim=dim, count=count:
                                       split(fold(tensors, combine), count, dim)[place])], body(name, "i64"))
    for groups, attributes, count, strategy in exchanges(program):
        for first, second in ((0, 0), (0, 1), (2, 0), (2, 1), (2, 2)):
            program.add("all_to_all", [a], f"split_dimension = {first} : i64, concat_dimension = {second} : i64, split_count = {count} : i64, {attributes}",
                        [in_groups(at_a, groups, lambda tensors, place, first=first, second=second, count=count:
                                   concatenate([split(t, count, first)[place] for t in tensors], second))])
        for broadcast in ([random.sample(range(count), count)], [random.sample(range(count), max(1, count - 1))]):
            handle = 3 if strategy is cross_partition else 0
            results = {process: zeros(at_b[process]) for process in program.processes}
            results.update(in_groups(at_b, strategy(broadcast, replicas, partitions), lambda tensors, _: tensors[0]))
            program.add("collective_broadcast", [b], table("replica_groups", broadcast) + channel(handle), [results])
        pairs = list(zip(random.sample(range(count), count), random.sample(range(count), count)))[:max(1, count - 1)]
        processes = [(tuple(pair)) for pair in strategy([list(pair) for pair in pairs], replicas, partitions)]
        program.add("collective_permute", [b], table("source_target_pairs", [list(p) for p in pairs]) + channel(handle),
                    [permute(at_b, processes)])
    for place, name in ((0, "replica_id"), (1, "partition_id")):
        program.lines.append(f'%u{place} = stablehlo.{name} : tensor<ui32> %r{len(program.results)} = stablehlo.convert %u{place} : (tensor<ui32>) -> tensor<i64>')
        program.results.append({process: ([], [process[place]]) for process in program.processes})
    return program


def flat(nested):
    return [element for part in nested for element in flat(part)] if isinstance(nested, list) else [nested]


def shape_of(nested):
    return [len(nested)] + shape_of(nested[0]) if isinstance(nested, list) else []


def example(name, replicas, attributes, operands, results, region=""):
    """One of the specification's examples: operands and results of each replica, as it writes them."""
    program = Program(replicas, 1)
    read = lambda texts: {(r, 0): (shape_of(ast.literal_eval(t)), flat(ast.literal_eval(t))) for r, t in enumerate(texts)}
    numbers = [program.operand(None, read(texts)) for texts in operands]
    program.add(name, numbers, attributes, [read(texts) for texts in results], region)
    return program


def examples():
    both = table("replica_groups", [[0, 1]])
    yield example("all_reduce", 2, both, [["[1, 2, 3, 4]", "[5, 6, 7, 8]"], ["[9, 10, 11, 12]", "[13, 14, 15, 16]"]],
                  [2 * ["[6, 8, 10, 12]"], 2 * ["[22, 24, 26, 28]"]], body("add", "i64"))
    yield example("all_gather", 2, "all_gather_dim = 1 : i64, " + both,
                  [["[[1, 2], [3, 4]]", "[[5, 6], [7, 8]]"], ["[[11, 12], [13, 14]]", "[[15, 16], [17, 18]]"]],
                  [2 * ["[[1, 2, 5, 6], [3, 4, 7, 8]]"], 2 * ["[[11, 12, 15, 16], [13, 14, 17, 18]]"]])
    yield example("all_to_all", 2, "split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, " + both,
                  [["[[1, 2, 3, 4], [5, 6, 7, 8]]", "[[9, 10, 11, 12], [13, 14, 15, 16]]"]],
                  [["[[1, 2], [5, 6], [9, 10], [13, 14]]", "[[3, 4], [7, 8], [11, 12], [15, 16]]"]])
    yield example("collective_broadcast", 4, table("replica_groups", [[2, 1]]), [["[[1, 2]]", "[[3, 4]]", "[[5, 6]]", "[[7, 8]]"]],
                  [["[[0, 0]]", "[[5, 6]]", "[[5, 6]]", "[[0, 0]]"]])
    yield example("collective_permute", 3, table("source_target_pairs", [[0, 1], [1, 2]]),
                  [["[[1, 2], [3, 4]]", "[[5, 6], [7, 8]]", "[[9, 10], [11, 12]]"]],
                  [["[[0, 0], [0, 0]]", "[[1, 2], [3, 4]]", "[[5, 6], [7, 8]]"]])
    yield example("reduce_scatter", 2, "scatter_dimension = 1 : i64, " + both,
                  [["[[1, 2, 3, 4], [5, 6, 7, 8]]", "[[9, 10, 11, 12], [13, 14, 15, 16]]"]],
                  [["[[10, 12], [18, 20]]", "[[14, 16], [22, 24]]"]], body("add", "i64"))


def write_npy(path, tensor):
    shape = "(" + "".join(f"{n}, " for n in tensor[0]) + ")"
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}}}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(tensor[1])}q", *tensor[1]))


def read_npy(path):
    data = path.read_bytes()
    length = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    shape = list(header["shape"])
    return shape, list(struct.unpack_from(f"<{product(shape)}q", data, 10 + length))


def run(program, bin_folder, folder, options):
    folder.mkdir()
    (folder / "program.mlir").write_text(program.text())
    model = folder / "program.so"
    subprocess.run([bin_folder / "stitch-compile", folder / "program.mlir", "--target=simt,sm_90", "--no-cubins", "-o", model], check=True)
    command = ["mpirun", "--oversubscribe", "-n", str(len(program.processes)), bin_folder / "stitch-run", model, "--check", *options,
               "--output", folder / "{process}"]
    for i, operand in enumerate(program.operands):
        command += ["--input", f"{i}:{folder}/input_{i}_{{process}}.npy"]
        for number, process in enumerate(program.processes):
            write_npy(folder / f"input_{i}_{number}.npy", operand[process])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{folder}: {done.stdout}{done.stderr}")
    wrong = 0
    for i, result in enumerate(program.results):
        for number, process in enumerate(program.processes):
            got = read_npy(folder / str(number) / f"output_{i}.npy")
            if got != (list(result[process][0]), result[process][1]):
                wrong += 1
                print(f"wrong: result {i} of process {process}: {got}, expected {result[process]}")
    return wrong, done.stdout.count(" 0 wrong")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--grid", help="replicas x partitions, such as 2x2; all if missing")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--thread-order", default="0")
    parser.add_argument("--device", default="simt", help="cuda: the environment says where CUDA's libraries are, or their test double")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    grids = [tuple(map(int, arguments.grid.split("x")))] if arguments.grid else GRIDS
    programs = [(f"{r}x{p}", all_of(r, p)) for r, p in grids]
    if not arguments.grid:
        programs += [(f"example {i}", program) for i, program in enumerate(examples())]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, program in programs:
            wrong, checked = run(program, arguments.bin, pathlib.Path(folder) / name.replace(" ", "_"), ["--thread-order", arguments.thread_order, "--device", arguments.device])
            print(f"{name}: {len(program.results)} results of {len(program.processes)} processes, {wrong} wrong; {checked} processes checked")
            failures += wrong + (checked != len(program.processes))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
