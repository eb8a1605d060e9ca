#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR's own tests of linalg and tensor as inputs: each module goes through convert-linalg-to-tg, stitch-pipeline and convert-stitch-to-gpu, and none
may crash or fail without a located error. Functions on tensors of which something converts are run: in kernels on the simt device, or by the graph's
reference where libraries compute, and by upstream's own lowering, and have to compute the same. Where sizes are open, a second time with 4 in their
place.

usage: upstream_linalg.py --tests MLIR/test --bin build/bin --runtime build/runtime/libstitch_runtime.so --llvm /usr/lib/llvm-22 [--only TEXT] [--list]

MLIR/test is that folder of LLVM's source (apt-get source llvm-toolchain-22), or test/upstream, which has a part of it.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

from linalg_forms import element_of, numbers, shape_of
from mixed_modules import LINALG, STITCH, execute

FOLDERS = ["Dialect/Linalg", "Dialect/Tensor", "Integration/Dialect/Linalg/CPU", "Integration/Dialect/Tensor"]
DIALECTS = {"linalg", "tensor", "arith", "math", "complex", "func", "scf", "index", "affine", "cf"}
ELEMENT = r"(?:f16|bf16|f32|f64|i1|i8|i16|i32|i64|index)"
TENSOR = re.compile(rf"tensor<(?:\d+x)*{ELEMENT}>")
VALUE = re.compile(rf"{TENSOR.pattern}|{ELEMENT}")
# Slices and casts that are wrong when they run.
UNDEFINED = ["out_of_bounds_insert_slice", "tensor.cast_chain_invalid", "pad_nofold_same_static_shape"]
FOUND = {}  # the counts that the last line has


def count(key, more=1):
    FOUND[key] = FOUND.get(key, 0) + more


def pieces(folder):
    for each in FOLDERS:
        for path in sorted(glob.glob(os.path.join(folder, each, "**", "*.mlir"), recursive=True)):
            with open(path, encoding="utf-8", errors="replace") as file:
                for i, text in enumerate(re.split(r"^// -----.*$", file.read(), flags=re.M)):
                    yield f"{os.path.relpath(path, folder)}:{i}", text


def opt(options, text, *passes):
    command = [os.path.join(options.bin, "stitch-opt"), "-", "--allow-unregistered-dialect", "--mlir-disable-threading", *passes]
    return subprocess.run(command, input=text, capture_output=True, text=True, errors="replace", timeout=300)


def survives(options, name, text):
    """Whether the whole way through ends well, or in an error that is somewhere in the text."""
    done = opt(options, text, "-convert-linalg-to-tg", "-stitch-pipeline=device=simt", "-convert-stitch-to-gpu=borders=tensor")
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    if done.returncode == 0 or (done.returncode == 1 and errors and re.match(r"<stdin>:\d+:\d+: error: '", errors[0])):
        count("errors", done.returncode)
        return True
    print(f"{name}: {done.returncode}: {done.stderr[:400]}")
    return False


def functions(printed):
    """Those that can be run, of a module as it is printed: (text, arguments, results)."""
    aliases = "\n".join(line for line in printed.splitlines() if line.startswith("#"))
    for text in re.findall(r"^  func\.func [^\n]*\{\n.*?^  \}$", printed, flags=re.M | re.S):
        head, body = text.split("\n", 1)
        match = re.match(r"  func\.func (?:private )?@([\w.$-]+|\"[^\"]*\")\((.*?)\)(?: -> \(?(.*?)\)?)?(?: attributes .*)? \{$", head)
        names = re.findall(r'(?:^|[=\s])"?([a-z_]\w*)\.[a-z_]', re.sub(r'"[^"]*"', "", body))
        if not match or match[3] is None or "{" in match[2] or "{" in match[3] or set(re.findall(r"(?:^|= |\s)\"?([a-z]\w*)\.\w+", body)) - DIALECTS or "@" in body:
            continue
        arguments, results = VALUE.findall(re.sub(r"%\w+: ", "", match[2])), VALUE.findall(match[3])
        rest = [re.sub(VALUE, "", re.sub(r"%\w+: |, ", "", part)) for part in (match[2], match[3])]
        small = all(TENSOR.fullmatch(t) is None or size(t) <= 20000 for t in arguments + results)
        if any(rest) or not results or not small or not names or match[1] in UNDEFINED:
            continue
        yield aliases, defined(text), match[1], arguments, results


def defined(text):
    """With zeros where a function reads a tensor that nobody has written."""
    zeros = lambda m: f"arith.constant dense<{'0' if m[1][0] == 'i' else '0.0'}> : {m[0].split(' : ')[1]}"
    return re.sub(rf"tensor\.empty\(\) : tensor<(?:\d+x)*({ELEMENT})>", zeros, text)


def size(type_):
    product = 1
    for n in shape_of(type_):
        product *= n
    return product


def constant(type_, seed, natural, index):
    """Small numbers, without negative ones if they have to be `natural`; of indices `index`."""
    element = element_of(type_) if "tensor" in type_ else type_
    if element == "i1":
        return "true" if type_ == "i1" else "dense<true>"
    if element == "index":
        return str(index) if type_ == "index" else f"dense<{index}>"
    if element[0] == "i" and index == 0:
        return "0" if type_ == element else "dense<0>"
    text = numbers(type_, seed) if "tensor" in type_ else ("2" if element[0] == "i" else "1.5")
    return re.sub(r"-(?=\d)", "", text) if natural else text


def program(chosen):
    """A module that calls each and prints its results."""
    aliases, texts, main = [], [], []
    for k, (alias, text, name, arguments, results) in enumerate(chosen):
        own = lambda t: re.sub(r"#(\w+)\b(?=[,\]) =>])(?!\.)", lambda m: f"#{m[1]}_{k}" if re.search(rf"^#{m[1]} =", alias, flags=re.M) else m[0], t)
        aliases.append(own(alias))
        texts.append(own(text.replace(f"@{name}(", f"@f{k}(", 1).replace("func.func @", "func.func private @", 1)))
        natural = "unsigned" in text or "fptoui" in text  # of others there is no unsigned integer
        index = 0 if "tensor.extract " in text else 1  # what is within any tensor
        for i, type_ in enumerate(arguments):
            value = constant(type_, i + k, natural, index)
            main.append(f"%c{k}_{i} = arith.constant {value}" + ("" if value == "true" else f" : {type_}"))
        main.append(f"%r{k}:{len(results)} = call @f{k}({', '.join(f'%c{k}_{i}' for i in range(len(arguments)))}) : ({', '.join(arguments)}) -> ({', '.join(results)})")
        for i, type_ in enumerate(results):
            main += printed_as_float(f"%r{k}#{i}", type_, f"{k}_{i}")
    return "\n".join([*aliases, *texts, "func.func @main() {", *main, "return", "}",
                      'func.func private @printMemrefF32(tensor<*xf32> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}', ""])


def printed_as_float(value, type_, suffix):
    if "tensor" not in type_:
        yield f"%t{suffix} = tensor.from_elements {value} : tensor<{type_}>"
        value, type_ = f"%t{suffix}", f"tensor<{type_}>"
    element, to = element_of(type_), re.sub(rf"{ELEMENT}>$", "f32>", type_)
    if element == "index":
        yield f"%i{suffix} = arith.index_cast {value} : {type_} to {to.replace('f32', 'i32')}"
        value, type_, element = f"%i{suffix}", to.replace("f32", "i32"), "i32"
    if element != "f32":
        conversion = {"i1": "uitofp", "f64": "truncf", "f16": "extf", "bf16": "extf"}.get(element, "sitofp")
        yield f"%s{suffix} = arith.{conversion} {value} : {type_} to {to}"
        value = f"%s{suffix}"
    yield f"%u{suffix} = tensor.cast {value} : {to} to tensor<*xf32>"
    yield f"call @printMemrefF32(%u{suffix}) : (tensor<*xf32>) -> ()"


def differ(ours, theirs, results):
    """What differs beyond rounding; None if nothing does."""
    if not len(ours) == len(theirs) == len(results):
        return f"{len(ours)} and {len(theirs)} tensors of {len(results)}"
    for x, y, type_ in zip(ours, theirs, results):
        narrow = re.search(r"b?f16>?$", type_)  # upstream rounds each sum on the way
        exact, least = (2e-2, max(map(abs, y), default=1)) if narrow else (2e-5, 1)
        worst = max((abs(a - b) / max(1, least, abs(b)) for a, b in zip(x, y) if a != b and (a == a or b == b)), default=0)
        if len(x) != len(y) or not worst < exact:
            return f"{len(x)} and {len(y)} numbers of {type_}, which differ by {worst}: {x[:6]} and {y[:6]}"
    return None


def compare(options, folder, chosen):
    """Runs functions together; one by one, if that fails."""
    path = os.path.join(folder, "functions.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program([each[1:] for each in chosen]))
    try:
        theirs = execute(options, path, ["-math-expand-ops=ops=rsqrt,roundeven,ceilf,clampf,fpowi,exp2f", "-arith-expand"])
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        if len(chosen) == 1:
            return count("not lowered by upstream alone")
        return [compare(options, folder, [each]) for each in chosen]
    ours = None
    for before in ([], ["-canonicalize"]):  # a pack that stays and that upstream has no pass for may fold away
        try:
            ours = ours or execute(options, path, [*before, "-convert-linalg-to-tg", *(LINALG if options.reference else STITCH)])
        except subprocess.CalledProcessError as failure:
            error = failure
    if not ours:
        if len(chosen) > 1:
            return [compare(options, folder, [each]) for each in chosen]
        print(f"{chosen[0][0]}: {error.stderr[:600]}\n{chosen[0][2]}")
        return count("wrong")
    first = 0
    for name, _, text, _, _, results in chosen:
        problem = differ(ours[first : first + len(results)], theirs[first : first + len(results)], results)
        first += len(results)
        count("wrong" if problem else "equal")
        if problem:
            print(f"{name}: {problem}\n{text}")
    return None


def converted(options, chosen):
    """Those of which something becomes tg."""
    alone = {}
    for each in chosen:
        done = opt(options, each[1] + "\n" + each[2], "-convert-linalg-to-tg")
        if done.returncode:
            print(f"{each[0]}: {done.stderr[:400]}")
            count("wrong")
        elif " tg." in done.stdout:
            alone[each[0], each[3]] = "tg.dot" in done.stdout or "tg.convolution" in done.stdout, each
    return alone.values()


def main():
    parser = argparse.ArgumentParser()
    for name in ("tests", "bin", "runtime", "llvm"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--run-only", action="store_true", help="without the way of whole modules")
    options = parser.parse_args()
    groups = {False: [], True: []}
    for name, text in pieces(options.tests):
        if options.only not in name or opt(options, text).returncode:
            continue
        count("modules")
        if not options.run_only and not survives(options, name, text):
            count("wrong")
        variants = [text] + ([re.sub(r"\?", "4", text)] if "?" in text else [])
        seen = set()
        for variant in variants:
            printed = opt(options, variant)
            chosen = [(name, *each) for each in functions(printed.stdout)] if not printed.returncode else []
            chosen = [each for each in chosen if each[3] not in seen]
            seen |= {each[3] for each in chosen}
            for library, each in converted(options, chosen):
                groups[library].append(each)
    with tempfile.TemporaryDirectory() as folder:
        for library, chosen in groups.items():
            options.reference = library
            for first in range(0, len(chosen), 12):
                compare(options, folder, chosen[first : first + 12])
    print(", ".join(f"{FOUND.get(key, 0)} {key}" for key in ("modules", "errors", "equal", "not lowered by upstream alone", "wrong")))
    sys.exit(FOUND.get("wrong", 0) > 0)


if __name__ == "__main__":
    main()
