#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mixed modules drawn at random: operations of tg, linalg (windows, places that are computed), tensor (slices, pads, open sizes), arith, scf and
calls beside each other. Each is lowered twice for the CPU: what is tg by Stitch's kernels on the simt device and the rest by upstream, or all of it by
upstream (convert-tg-to-linalg); what the two programs print has to be equal, up to the rounding of sums. In every second module what can be becomes
tg first (convert-linalg-to-tg).

usage: mixed_modules.py --bin build/bin --runtime build/runtime/libstitch_runtime.so --llvm /usr/lib/llvm-22 [--count 30] [--seed 1] [--through linalg]

--through linalg: all of tg becomes linalg first and comes back by convert-linalg-to-tg.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

SHAPES = [(4, 8), (3, 5), (7, 33), (16, 64), (1, 130)]
UNARY = ["exp", "tanh", "neg", "abs", "logistic", "sin"]
BINARY = ["add", "mul", "sub", "max", "min"]


class Drawn:
    """A module under construction: `values` are names of tensors of the function's shape, all that can be read at the current place."""

    def __init__(self, random_, functions):
        self.random, self.functions, self.text, self.count = random_, functions, [], 0
        self.rows, self.columns = random_.choice(SHAPES)
        self.type = f"tensor<{self.rows}x{self.columns}xf32>"
        self.row = f"tensor<{self.rows}xf32>"

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, line):
        self.text.append("  " + line)

    def of(self, line, type_=None):
        name = self.name()
        self.emit(f"{name} = {line}" + (f" : {type_}" if type_ else ""))
        return name

    def draw(self, values, depth):
        kinds = [self.unary] * 3 + [self.binary] * 3 + [self.softmax, self.linalg, self.arith, self.pad, self.constant, self.compare,
                                                        self.window, self.pooling, self.open_sizes, self.row_by_row, self.elsewhere]
        if depth < 2:
            kinds += [self.loop, self.branch]
        if self.functions:
            kinds.append(self.call)
        for _ in range(self.random.randint(3, 7)):
            values.append(self.random.choice(kinds)(values, depth))

    def pick(self, values):
        return self.random.choice(values[-5:])

    def unary(self, values, _):
        return self.of(f"tg.{self.random.choice(UNARY)} {self.bounded(self.pick(values))}", self.type)

    def bounded(self, value):
        return self.of(f"tg.tanh {value}", self.type) # so that nothing overflows, and nothing depends on large differences

    def binary(self, values, _):
        return self.of(f"tg.{self.random.choice(BINARY)} {self.pick(values)}, {self.pick(values)}", self.type)

    def softmax(self, values, _):
        x = self.bounded(self.pick(values))
        e = self.of(f"tg.exp {x}", self.type)
        s = self.of(f"tg.reduce add {e} dims [1] : ({self.type}) -> {self.row}")
        b = self.of(f"tg.broadcast {s} dims [0] : ({self.row}) -> {self.type}")
        return self.of(f"tg.div {e}, {b}", self.type)

    def compare(self, values, _):
        x, y = self.pick(values), self.pick(values)
        c = self.of(f"tg.compare lt, {x}, {y}", self.type)
        mask = self.type.replace("f32", "i1")
        if self.random.random() < 0.5: # booleans cross the border
            c = self.of(f"arith.xori {c}, {c}", mask)
        return self.of(f"tg.select {c}, {x}, {y} : {mask}, {self.type}")

    def linalg(self, values, _):
        x, y = self.pick(values), self.pick(values)
        e = self.of(f"tensor.empty() : {self.type}")
        op = self.random.choice(["add", "sub", "max"])
        return self.of(f"linalg.{op} ins({x}, {y} : {self.type}, {self.type}) outs({e} : {self.type}) -> {self.type}")

    def arith(self, values, _):
        return self.of(f"arith.{self.random.choice(['addf', 'subf', 'maximumf'])} {self.pick(values)}, {self.pick(values)}", self.type)

    def constant(self, values, _):
        dialect = self.random.choice(["tg.constant", "arith.constant"])
        c = self.of(f"{dialect} dense<{self.random.choice([0.5, -1.25, 2.0])}> : {self.type}")
        return self.of(f"tg.add {c}, {self.pick(values)}", self.type)

    def pad(self, values, _):
        x = self.pick(values)
        slice_ = f"tensor<{self.rows}x1xf32>"
        a = self.of(f"tensor.extract_slice {x}[0, 0] [{self.rows}, 1] [1, 1] : {self.type} to {slice_}")
        z = self.of("arith.constant 0.25 : f32")
        p = self.name()
        self.emit(f"{p} = tensor.pad {a} low[0, 0] high[0, {self.columns - 1}] {{\n  ^bb0(%i: index, %j: index):\n    tensor.yield {z} : f32\n"
                  f"  }} : {slice_} to {self.type}")
        return p

    def padded(self, value, low, high):
        """By one column on each side, or by two in one that is known at run time."""
        type_ = f"tensor<{self.rows}x{self.columns + 2}xf32>"
        number = self.of(f"arith.constant {self.random.choice([0.0, -0.5])} : f32")
        result = self.name()
        self.emit(f"{result} = tensor.pad {value} low[0, {low}] high[0, {high}] {{\n  ^bb0(%i: index, %j: index):\n    tensor.yield {number} : f32\n"
                  f"  }} : {self.type} to {type_}")
        return result, type_

    def generic(self, maps, kinds, ins, types, out, type_, body):
        maps = ", ".join(f"affine_map<{m}>" for m in maps)
        kinds = ", ".join({"p": '"parallel"', "r": '"reduction"'}[c] for c in kinds)
        block = ", ".join([*(f"%x{i}: f32" for i in range(len(ins))), "%o: f32"])
        head = f"ins({', '.join(ins)} : {', '.join(types)}) " if ins else ""
        return self.of(f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {head}outs({out} : {type_}) {{\n  ^bb0({block}):\n"
                       f"    {body}\n  }} -> {type_}")

    def window(self, values, _):
        """A sum over three neighbours of a row, by a pad whose sizes may be known at run time alone."""
        low, high = 1, 1
        if self.random.random() < 0.5:
            i, k = self.of(f"arith.constant {self.random.randint(0, 2)} : index"), self.of("arith.constant 2 : index")
            low, high = i, self.of(f"arith.subi {k}, {i} : index")
        p, type_ = self.padded(self.bounded(self.pick(values)), low, high)
        w = self.of("tensor.empty() : tensor<3xf32>")
        z = self.of(f"arith.constant dense<0.0> : {self.type}")
        return self.generic(["(r, i, j) -> (r, i + j)", "(r, i, j) -> (j)", "(r, i, j) -> (r, i)"], "ppr", [p, w], [type_, "tensor<3xf32>"], z, self.type,
                            "%q = arith.mulf %x0, %x0 : f32\n    %s = arith.addf %o, %q : f32\n    linalg.yield %s : f32")

    def pooling(self, values, _):
        p, type_ = self.padded(self.pick(values), 1, 1)
        wide, narrow = (f"tensor<1x{self.rows}x{c}x1xf32>" for c in (self.columns + 2, self.columns))
        e = self.of(f"tensor.expand_shape {p} [[0, 1], [2, 3]] output_shape [1, {self.rows}, {self.columns + 2}, 1] : {type_} into {wide}")
        w = self.of("tensor.empty() : tensor<1x3xf32>")
        o = self.of(f"arith.constant dense<-1.0> : {narrow}")
        r = self.of(f"linalg.pooling_nhwc_max ins({e}, {w} : {wide}, tensor<1x3xf32>) outs({o} : {narrow}) -> {narrow}")
        return self.of(f"tensor.collapse_shape {r} [[0, 1], [2, 3]] : {narrow} into {self.type}")

    def open_sizes(self, values, _):
        """An operation whose sizes are forgotten: it stays, with tg around it."""
        type_ = f"tensor<?x{self.columns}xf32>"
        x = self.of(f"tensor.cast {self.pick(values)} : {self.type} to {type_}")
        r = self.of(f"linalg.negf ins({x} : {type_}) outs({x} : {type_}) -> {type_}")
        return self.of(f"tensor.cast {r} : {type_} to {self.type}")

    def row_by_row(self, values, _):
        """Row after row in a loop."""
        zero, one = self.of("arith.constant 0 : index"), self.of("arith.constant 1 : index")
        many, row = self.of(f"arith.constant {min(self.rows, 3)} : index"), f"tensor<1x{self.columns}xf32>"
        source, result, carried = self.pick(values), self.name(), self.name()
        at = f"%i{self.count}"
        self.emit(f"{result} = scf.for {at} = {zero} to {many} step {one} iter_args({carried} = {self.pick(values)}) -> ({self.type}) {{")
        x = self.of(f"tensor.extract_slice {source}[{at}, 0] [1, {self.columns}] [1, 1] : {self.type} to {row}")
        y = self.of(f"tg.tanh {x}", row)
        r = self.of(f"tensor.insert_slice {y} into {carried}[{at}, 0] [1, {self.columns}] [1, 1] : {row} into {self.type}")
        self.emit(f"scf.yield {r} : {self.type}\n  }}")
        return result

    def elsewhere(self, values, _):
        """Elements of rows in another order, by tensor.extract; strides backwards, by a map."""
        x, e = self.pick(values), self.of(f"tensor.empty() : {self.type}")
        last = self.of(f"arith.constant {self.columns - 1} : index")
        if self.random.random() < 0.5:
            return self.generic([f"(i, j) -> (i, -j + {self.columns - 1})", "(i, j) -> (i, j)"], "pp", [x], [self.type], e, self.type, "linalg.yield %x0 : f32")
        return self.generic(["(i, j) -> (i, j)"], "pp", [], [], e, self.type,
                            f"%i = linalg.index 0 : index\n    %j = linalg.index 1 : index\n    %k = arith.subi {last}, %j : index\n"
                            f"    %e = tensor.extract {x}[%i, %k] : {self.type}\n    linalg.yield %e : f32")

    def loop(self, values, depth):
        zero, one = self.of("arith.constant 0 : index"), self.of("arith.constant 1 : index")
        many = self.of(f"arith.constant {self.random.randint(1, 3)} : index")
        result, carried = self.name(), self.name()
        self.emit(f"{result} = scf.for %i{self.count} = {zero} to {many} step {one} iter_args({carried} = {self.pick(values)}) -> ({self.type}) {{")
        inner = values + [carried]
        self.draw(inner, depth + 1)
        self.emit(f"scf.yield {inner[-1]} : {self.type}\n  }}")
        return result

    def branch(self, values, depth):
        c = self.of(f"arith.constant {self.random.choice(['true', 'false'])}")
        result = self.name()
        self.emit(f"{result} = scf.if {c} -> ({self.type}) {{")
        for last in (False, True):
            inner = list(values)
            self.draw(inner, depth + 1)
            self.emit(f"scf.yield {inner[-1]} : {self.type}")
            self.emit("}" if last else "} else {")
        return result

    def call(self, values, _):
        name, type_ = self.random.choice(self.functions)
        return self.of(f"func.call @{name}({self.pick(values)}) : ({type_}) -> {type_}") if type_ == self.type else self.unary(values, _)


def draw_module(seed):
    random_ = random.Random(seed)
    functions, text, shape = [], [], random_.choice(SHAPES)
    for i in range(random_.randint(1, 3)):
        drawn = Drawn(random_, functions)
        drawn.rows, drawn.columns = shape
        drawn.type, drawn.row = f"tensor<{shape[0]}x{shape[1]}xf32>", f"tensor<{shape[0]}xf32>"
        values = ["%a"]
        if random_.random() < 0.3: # a function that is nothing but a graph
            for _ in range(3):
                values.append(random_.choice([drawn.unary, drawn.binary, drawn.softmax])(values, 0))
        else:
            drawn.draw(values, 0)
        visibility = random_.choice(["", "private "])
        text += [f"func.func {visibility}@f{i}(%a: {drawn.type}) -> {drawn.type} {{", *drawn.text, f"  return {values[-1]} : {drawn.type}", "}"]
        functions.append((f"f{i}", drawn.type))
    type_ = functions[-1][1]
    count = shape[0] * shape[1]
    numbers = ", ".join(str([round(random_.uniform(-2, 2), 3) for _ in range(shape[1])]) for _ in range(count // shape[1]))
    text += ["func.func @main() {", f"  %a = arith.constant dense<[{numbers}]> : {type_}"]
    for i, (name, _) in enumerate(functions):
        text += [f"  %r{i} = call @{name}(%a) : ({type_}) -> {type_}", f"  %u{i} = tensor.cast %r{i} : {type_} to tensor<*xf32>",
                 f"  call @printMemrefF32(%u{i}) : (tensor<*xf32>) -> ()"]
    return "\n".join(text + ["  return", "}", "func.func private @printMemrefF32(tensor<*xf32> {bufferization.access = \"read\"}) attributes {llvm.emit_c_interface}", ""])


UPSTREAM = ["-canonicalize", "-convert-elementwise-to-linalg", "-one-shot-bufferize=bufferize-function-boundaries allow-return-allocs-from-loops",
            "-convert-linalg-to-loops", "-expand-strided-metadata", "-lower-affine", "-convert-scf-to-cf", "-convert-complex-to-standard",
            "-stitch-cpu-math", "-convert-math-to-libm",
            "-convert-to-llvm", "-reconcile-unrealized-casts"]
STITCH = ["-stitch-pipeline=device=simt", "-convert-stitch-to-gpu=borders=tensor", "-gpu-to-simt", "-convert-launches-to-simt"]
LINALG = ["-tg-decompose", "-convert-tg-to-linalg"]


def execute(options, path, passes, said=None):
    """What the module prints, lowered by `passes` and then by upstream: the numbers of each tensor. `said` gets the lines of remarks."""
    lowered = path + ".lowered.mlir"
    done = subprocess.run([os.path.join(options.bin, "stitch-opt"), path, *passes, *UPSTREAM, "-o", lowered], check=True, stderr=subprocess.PIPE, text=True)
    if said is not None:
        said += done.stderr.splitlines()
    libraries = [os.path.join(options.llvm, "lib", f"libmlir_{name}runner_utils.so") for name in ("", "c_")] + [os.path.abspath(options.runtime)]
    command = [os.path.join(options.llvm, "bin", "mlir-runner"), lowered, "-O1", "-e", "main", "-entry-point-result=void",
               "-shared-libs=" + ",".join(libraries)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    tensors = re.split(r"Unranked Memref base@.*\n", printed)[1:]
    return [[float(x) for x in re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?|-?inf|-?nan", tensor)] for tensor in tensors]


def run(options, path, passes):
    return [x for tensor in execute(options, path, passes) for x in tensor]


def main():
    parser = argparse.ArgumentParser()
    for name in ("bin", "runtime", "llvm"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--through", choices=["linalg"])
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            path = os.path.join(folder, "module.mlir")
            before = LINALG if options.through else []
            kernels = before + (["-convert-linalg-to-tg"] if options.through or seed % 2 else []) + STITCH
            with open(path, "w", encoding="utf-8") as file:
                file.write(draw_module(seed))
            try:
                ours, theirs = run(options, path, kernels), run(options, path, LINALG)
            except subprocess.CalledProcessError as error:
                print(f"seed {seed}: {error.stderr[:2000]}")
                failed += 1
                continue
            # Six digits are printed; sums of at most 130 elements of magnitude 1.
            worst = max((abs(x - y) / max(1, abs(y)) for x, y in zip(ours, theirs)), default=0)
            if len(ours) != len(theirs) or not ours or not worst < 2e-5:
                print(f"seed {seed}: {len(ours)} and {len(theirs)} numbers, which differ by {worst}")
                failed += 1
    print(f"{options.count - failed} of {options.count} mixed modules agree")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
