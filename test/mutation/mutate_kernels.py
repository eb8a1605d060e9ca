#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes kernels wrong, one place at a time, and counts how many of them `stitch-run --check` notices.

usage: mutate_kernels.py [--sites N] [--seed S] [--expect PERCENT] [--table FILE.md] [--resume FILE.json] [--classics [NAME,...]]
                         [--dtypes LIST] [--workloads] [--models] [--option OPTION] [MODEL.mlir...] --compile STITCH_COMPILE --run STITCH_RUN

  MODEL.mlir      models in files
  --models        test/models/*.mlir
  --workloads     the small ones of test/models/workloads
  --classics      the classic kernels of bench/kernels, at odd sizes, planned for a small GPU, in each type of --dtypes

Of the text of a model's kernels (`--emit=gpu`) N sites are drawn: a kernel, a kind of mistake (MISTAKES below), and a place for it.
A mutant counts if it changes a result of its kernel by more than 4 units in the last place of the result's type on one of three
seeds' inputs, or stops the run. Every launch has right inputs, whatever the others have computed (--from-reference): so kernels are
mutated together, one site in each. What stops a run, or is missed, is tried again alone, and with three more seeds if it is still
missed.

Exit status: 0, or 1 if less than --expect percent of the mutants that count are noticed, or if kernels as they are do not pass.
"""
import argparse
import collections
import concurrent.futures
import glob
import itertools
import json
import lzma
import os
import random
import re
import subprocess
import sys
import tempfile

TEST = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TEST, "programs"))
import check_classics  # noqa: E402

KERNEL = re.compile(r"^( *)gpu\.func @(\w+)\(")
COUNTS_FROM = 4.0  # units in the last place
MORE_SEEDS = (4, 7, 10)  # for what is missed with these
NOTICED = ("noticed", "stopped", "late")
RANKS = ("noticed", "stopped", "late", "missed", "rounding", "unchanged", "not launched", "no kernel")
SEEDS = (0, 1, 2)  # of inputs: each kind of them (docs/random_inputs.md)
SHAPES = [(37, 1250), (200, 33)]
DEVICE = "h200, sms = 6"
FLOAT = r"(f64|f32|f16|bf16)"
OTHER_OPERATOR = {"arith.addf": ("arith.subf", "arith.mulf"), "arith.subf": ("arith.addf",), "arith.mulf": ("arith.addf",),
                  "arith.divf": ("arith.mulf",), "arith.maximumf": ("arith.minimumf",), "arith.minimumf": ("arith.maximumf",),
                  "arith.maxsi": ("arith.minsi",), "arith.minsi": ("arith.maxsi",), "arith.maxui": ("arith.minui",),
                  "arith.andi": ("arith.ori",), "arith.ori": ("arith.andi",), "arith.xori": ("arith.ori",),
                  "arith.addi": ("arith.subi",), "arith.subi": ("arith.addi",), "arith.muli": ("arith.addi",),
                  "math.exp": ("math.absf",), "math.log": ("math.absf",), "math.sqrt": ("math.absf",), "math.tanh": ("math.absf",),
                  "math.erfc": ("math.absf",), "arith.negf": ("math.absf",), "math.absf": ("arith.negf",)}
OTHER_PREDICATE = {"eq": ("ne",), "ne": ("eq",), "slt": ("sge", "sle"), "sle": ("sgt", "slt"), "sgt": ("sle", "sge"),
                   "sge": ("slt", "sgt"), "ult": ("uge", "ule"), "ule": ("ugt", "ult"), "ugt": ("ule", "uge"), "uge": ("ult", "ugt"),
                   "oeq": ("one",), "one": ("oeq",), "une": ("oeq",), "ueq": ("one",), "olt": ("oge",), "ole": ("ogt",),
                   "ogt": ("ole",), "oge": ("olt",), "uno": ("ord",), "ord": ("uno",)}


# ----------------------------------------------------------------------------------------------------------------------
# Mistakes: from a line to the texts that may be put in its place
# ----------------------------------------------------------------------------------------------------------------------


def operator(line):
    """Another operator: a sum made a difference, a quotient a product, ..."""
    match = re.match(r"( *%\w+ = )([a-z]+\.[a-z]+)( .*)$", line)
    if match and not line.endswith(" index"):  # numbers, not places
        for other in OTHER_OPERATOR.get(match[2], ()):
            yield match[1] + other + match[3]


def predicate(line):
    """Another comparison."""
    match = re.match(r"( *%\w+ = arith\.cmp[fi] )(\w+)(,.*)$", line)
    for other in OTHER_PREDICATE.get(match[2], ()) if match else ():
        yield match[1] + other + match[3]


def constant(line):
    """A constant that is off by 1 %; 0.01 in place of 0."""
    match = re.match(r"( *%\w+ = arith\.constant )(-?\d\.\d+e[+-]\d+)( : " + FLOAT + ")$", line)
    if match:
        value = float(match[2])
        yield f"{match[1]}{value * 1.01 if value else 0.01:.6e}{match[3]}"


ACCESS = re.compile(r"( *)(.*(?:memref|vector)\.(?:load|store) .*%[\w#]+\[(?:.*, )?)(%[\w#]+)(\].*)$")


def index(line):
    """An access one element beside where it belongs."""
    if match := ACCESS.match(line):
        # What lies beside is not aligned.
        access = re.sub(r" \{alignment = \d+ : i64\}", "", f"{match[2]}%mutant{match[4]}")
        for step in (1, -1):
            yield (f"{match[1]}%mutant_step = arith.constant {step} : index\n"
                   f"{match[1]}%mutant = arith.addi {match[3]}, %mutant_step : index\n{match[1]}{access}")


def dropped_term(line):
    """One of two terms or factors."""
    match = re.match(r"( *%\w+ = )arith\.(addf|subf|mulf|divf|maximumf|minimumf|addi|andi|ori) (%[\w#]+), (%[\w#]+) (.*)$", line)
    if match and not line.endswith(" index"):
        identity = "maximumf" if match[2].endswith("f") else "andi"
        for kept in (match[3], match[4]):
            yield f"{match[1]}arith.{identity} {kept}, {kept} {re.sub('fastmath<[^>]*> ', '', match[5])}"


def shuffle(line):
    """A value from another lane."""
    match = re.match(r"( *)(%.* = gpu\.shuffle +)(\w+)( %[\w#]+, )(%[\w#]+)(, .*)$", line)
    if match:
        constant = re.match(r"%c(\d+)_i32", match[5])
        # (Another distance that has the same highest bit would give the same sum.)
        for offset in (0, {"1": 2}.get(constant[1], int(constant[1]) // 2) if constant else 3):
            yield f"{match[1]}%mutant = arith.constant {offset} : i32\n{match[1]}{match[2]}{match[3]}{match[4]}%mutant{match[6]}"
        other = {"xor": "down", "down": "up", "up": "down", "idx": "xor"}[match[3]]
        yield f"{match[1]}{match[2]}{other}{match[4]}{match[5]}{match[6]}"


def initial_value(line):
    """A reduction or loop that begins with something else."""
    match = re.match(r"( *)(.* iter_args\()(.*)(\) -> \((.*)\) \{)$", line)
    if not match:
        return
    arguments, types = match[3].split(", "), match[5].split(", ")
    for i, (argument, dtype) in enumerate(zip(arguments, types)):
        if not re.fullmatch(FLOAT + r"|i\d+", dtype):
            continue
        value = "true" if dtype == "i1" else f"{'0.375' if dtype[0] in 'fb' else '1'} : {dtype}"
        changed = [*arguments[:i], argument.split(" = ")[0] + " = %mutant", *arguments[i + 1:]]
        yield f"{match[1]}%mutant = arith.constant {value}\n{match[1]}{match[2]}{', '.join(changed)}{match[4]}"


def mask(line):
    """A mask or guard that is lost: a select takes the same side everywhere, a branch is always taken."""
    if match := re.match(r"( *%\w+ = arith\.select %[\w#]+, )(%[\w#]+), (%[\w#]+)( : .*)$", line):
        for side in (match[2], match[3]):
            yield f"{match[1]}{side}, {side}{match[4]}"
    elif match := re.match(r"( *)(.*scf\.if )%[\w#]+( .*)$", line):
        for value in ("true", "false") if "->" in line else ("true",):
            yield f"{match[1]}%mutant = arith.constant {value}\n{match[1]}{match[2]}%mutant{match[3]}"


def position(line):
    """Another element of a vector."""
    if match := re.match(r"( *%\w+ = vector\.extract %[\w#]+\[)(\d+)(\] : .* from vector<(\d+)x.*)$", line):
        if int(match[4]) > 1:
            yield f"{match[1]}{(int(match[2]) + 1) % int(match[4])}{match[3]}"
    elif match := re.match(r"( *%\w+ = vector\.from_elements )(%[\w#]+), (%[\w#]+)(.*)$", line):
        yield f"{match[1]}{match[3]}, {match[2]}{match[4]}"


# Why a mistake may change nothing.
HARMLESS = {
    "operator": "one operand is 0 or 1, or both are equal; the result is needed by threads alone that have nothing to do",
    "predicate": "a guard that all elements of these shapes pass, or that only keeps threads from work without effect",
    "constant": "an infinity stays one; what is selected by it is never taken",
    "index": "the element beside is masked, or the same; only one thread has something there",
    "dropped_term": "a mask that is implied by the other one; a term that is 0, or the larger one anyway",
    "shuffle": "lanes that hold the same, or whose result nobody reads",
    "initial_value": "the first element replaces it, or is larger than it for all rows",
    "mask": "shapes that fill their blocks: nothing is masked; a value that nobody reads where the mask is false",
    "position": "elements of a vector that are equal: broadcast ones",
}
MISTAKES = [operator, predicate, constant, index, dropped_term, shuffle, initial_value, mask, position]


# ----------------------------------------------------------------------------------------------------------------------
# Models
# ----------------------------------------------------------------------------------------------------------------------


class Site:
    """One mistake, and what became of it."""

    def __init__(self, kernel, kind, line, text):
        self.kernel, self.kind, self.line, self.text, self.outcome = kernel, kind and kind.__name__, line, text, None

    def add(self, outcome):
        """What became of it with other inputs: the outcome that says most counts."""
        if self.outcome is None or RANKS.index(outcome) < RANKS.index(self.outcome):
            self.outcome = outcome


def kernels(lines):
    """Kernel -> kind of mistake -> the numbers of lines where it can be made."""
    result, kernel, end = {}, None, None
    for number, line in enumerate(lines):
        if match := KERNEL.match(line):
            kernel, end = result.setdefault(match[2], collections.defaultdict(list)), match[1] + "}"
        elif line == end:
            kernel = None
        elif kernel is not None:
            for kind in MISTAKES:
                if next(kind(line), None):
                    kernel[kind].append(number)
    return {name: sites for name, sites in result.items() if sites}


def draw(rng, lines, number):
    """Sites, no two of them alike."""
    candidates, drawn = kernels(lines), {}
    for _ in range(number * 4 if candidates else 0):
        kernel = rng.choice(list(candidates))
        kind = rng.choice(list(candidates[kernel]))
        line = rng.choice(candidates[kernel][kind])
        text = rng.choice(list(kind(lines[line])))
        drawn.setdefault((line, text), Site(kernel, kind, line, text))
        if len(drawn) == number:
            break
    return list(drawn.values())


def rounds(sites):
    """Lists of sites in different kernels."""
    result = []
    for site in sites:
        free = next((r for r in result if all(s.kernel != site.kernel for s in r)), None)
        if free is None:
            result.append([site])
        else:
            free.append(site)
    return result


class Model:
    """A model, the text of its kernels, and what its launches compute."""

    def __init__(self, arguments, folder, name, source, options):
        self.arguments, self.name, self.source, self.options, self.limit = arguments, name, source, options, 600
        self.base = os.path.join(folder, re.sub(r"\W", "_", name))
        self.numbers = itertools.count()
        result = self.command(arguments.compile, source, "--emit=gpu", *options)
        if result.returncode:
            raise RuntimeError(f"{name}: {result.stderr}")
        self.lines = result.stdout.splitlines()
        self.limit = 30 + 10 * max(self.save(seed) for seed in SEEDS)

    def command(self, *words):
        return subprocess.run(words, capture_output=True, text=True, timeout=self.limit)

    def save(self, seed):
        """Writes what the launches compute as they are; the seconds that it takes."""
        binary = self.base + ".so"
        message = self.compile([], self.base) if not os.path.exists(binary) else None
        report, message = (None, message) if message else self.run(binary, seed, "save")
        if message or not report["ok"]:
            raise RuntimeError(f"{self.name}: kernels as they are do not pass with seed {seed}: {message or json.dumps(report)[:2000]}")
        return report["seconds"][0] + report["launches"]["seconds"]

    def compile(self, sites, base):
        """Compiles the kernels with these mistakes into base.so; what is wrong with them, or None."""
        texts = {site.line: site.text for site in sites}
        with open(base + ".kernels", "w") as file:
            file.write("\n".join(texts.get(i, line) for i, line in enumerate(self.lines)))
        try:
            result = self.command(self.arguments.compile, self.source, "-o", base + ".so", "--no-reference", f"--kernels={base}.kernels",
                                  *self.options)
        finally:
            os.remove(base + ".kernels")
        return "it does not compile: " + result.stderr.strip()[:300] if result.returncode else None

    def run(self, binary, seed, launches):
        """The report of a run, or what stops it."""
        path = f"{binary}.{seed}.json"
        try:
            result = self.command(self.arguments.run, binary, "--check", "--incomplete", "--from-reference", f"--seed={seed}",
                                  f"--{launches}-launches={self.base}.{seed}.launches", f"--json={path}")
            if not os.path.exists(path):
                return None, result.stderr.strip()[-300:] or f"it ends with {result.returncode}"
            with open(path) as file:
                return json.load(file), None
        except subprocess.TimeoutExpired:
            return None, "it does not end"
        finally:
            if os.path.exists(path):
                os.remove(path)

    def tries(self, sites):
        """Runs with mistakes in different kernels, and gives each its outcome."""
        self.tries_with(sites, SEEDS)
        if len(sites) == 1 and sites[0].outcome == "missed":
            for seed in MORE_SEEDS:
                if not os.path.exists(f"{self.base}.{seed}.launches"):
                    self.save(seed)
            late = Site(sites[0].kernel, None, sites[0].line, sites[0].text)
            self.tries_with([late], MORE_SEEDS)
            sites[0].outcome = "late" if late.outcome in NOTICED else "missed"

    def tries_with(self, sites, seeds):
        base = f"{self.base}.{next(self.numbers)}"
        message = self.compile(sites, base)
        for seed in seeds if not message else []:
            if all(site.outcome in NOTICED for site in sites):
                break
            report, message = self.run(base + ".so", seed, "saved")
            if message:
                break
            found = {kernel["name"]: kernel for kernel in report["launches"]["kernels"]}
            for site in sites:
                site.add(outcome(found.get(site.kernel)))
        if os.path.exists(base + ".so"):
            os.remove(base + ".so")
        # A store beside its buffer may change what another kernel reads.
        again = sites if message else [site for site in sites if site.outcome == "missed"]
        if len(sites) > 1:
            for site in again:
                site.outcome = None
                self.tries([site])
        elif message:
            sites[0].add("no kernel" if message.startswith("it does not compile") else "stopped")


def outcome(kernel):
    if not kernel or not kernel["launches"]:
        return "not launched"
    if kernel["wrong"]:
        return "noticed"
    if kernel["changed_ulp"] > COUNTS_FROM:
        return "missed"
    return "rounding" if kernel["changed_ulp"] else "unchanged"


def written(folder, name, text):
    path = os.path.join(folder, name + ".mlir")
    with open(path, "w") as file:
        file.write(text)
    return path


def models(arguments, folder):
    """Names, files and options of stitch-compile."""
    for path in arguments.models_in_files:
        yield os.path.splitext(os.path.basename(path))[0], path, []
    if arguments.models:
        for path in sorted(glob.glob(os.path.join(TEST, "models", "*.mlir"))):
            yield os.path.splitext(os.path.basename(path))[0], path, []
    if arguments.workloads:
        for path in sorted(glob.glob(os.path.join(TEST, "models", "workloads", "*-small*.mlir.xz"))):
            name = os.path.basename(path)[:-len(".mlir.xz")]
            with lzma.open(path, "rt") as file:
                yield name, written(folder, name, file.read()), []
    names = check_classics.classics.CLASSICS if arguments.classics == "all" else filter(None, (arguments.classics or "").split(","))
    for name in names:
        for dtype in arguments.dtypes.split(","):
            for rows, columns in SHAPES:
                full = f"{name} {rows}x{columns} {dtype}"
                text = check_classics.classics.build(name, rows, columns, dtype)
                yield full, written(folder, full.replace(" ", "_"), text), [f"--device={DEVICE}"]


# ----------------------------------------------------------------------------------------------------------------------
# Scores
# ----------------------------------------------------------------------------------------------------------------------

OUTCOMES = [("noticed", "noticed"), ("stopped", "stops the run"), ("late", "noticed with three more seeds"), ("missed", "missed"), ("rounding", "at most 4 ulp"),
            ("unchanged", "nothing"), ("not launched", "not launched"), ("no kernel", "no kernel")]


def score(outcomes):
    """Noticed, and of how many."""
    noticed = sum(outcomes[o] for o in NOTICED)
    return noticed, noticed + outcomes["missed"]


def row(name, outcomes):
    noticed, counting = score(outcomes)
    share = f"{100 * noticed / counting:.1f} %" if counting else ""
    return f"| {name} | {noticed} of {counting} | {share} | " + " | ".join(str(outcomes[o]) for o, _ in OUTCOMES) + " |"


def table(title, rows):
    head = f"| {title} | noticed of those that count | | " + " | ".join(label for _, label in OUTCOMES) + " |"
    total = sum(rows.values(), collections.Counter())
    return [head, "|---" * (3 + len(OUTCOMES)) + "|", *(row(*item) for item in rows.items()), row("**all**", total)]


def document(by_model, by_kind, missed):
    noticed, counting = score(sum(by_kind.values(), collections.Counter()))
    lines = ["# Wrong kernels, and how many of them `stitch-run --check` notices", "",
             "Made by `test/mutation/mutate_kernels.py`, which says what a mutant is and when it counts. One site in each; `nothing`: the results",
             "are the same bits on all inputs (a value that is not needed there, a guard that is never false, two operands that are",
             "equal); `no kernel`: what comes out does not verify or compile.", "",
             f"**{noticed} of {counting}** that count are noticed: {100 * noticed / max(counting, 1):.2f} %.", "", "## Kinds of mistakes",
             "", *table("kind", by_kind), "", "What changes nothing, and why that may be:", "",
             *(f"- {kind} ({by_kind[kind]['unchanged']}): {reason}" for kind, reason in HARMLESS.items()), "", "## Models", "", *table("model", by_model), ""]
    if missed:
        lines += ["## Missed", "", *(f"- {text}" for text in missed), ""]
    return "\n".join(lines)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models_in_files", nargs="*", metavar="MODEL.mlir")
    parser.add_argument("--sites", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1, help="of the sites")
    parser.add_argument("--expect", type=float, default=99.5)
    parser.add_argument("--table")
    parser.add_argument("--resume", metavar="FILE.json", help="keep results there, and leave out the models that it has")
    parser.add_argument("--models", action="store_true")
    parser.add_argument("--workloads", action="store_true")
    parser.add_argument("--classics", nargs="?", const="all")
    parser.add_argument("--dtypes", default="f32,bf16,f16,f64")
    parser.add_argument("--verbose", action="store_true", help="print every mutant with what became of it")
    parser.add_argument("--option", action="append", default=[], help="of stitch-compile")
    parser.add_argument("--compile", required=True)
    parser.add_argument("--run", required=True)
    return parser.parse_args()


def try_model(arguments, pool, folder, name, source, options):
    """What became of the sites of a model: (kind, outcome, the mistake) of each."""
    model = Model(arguments, folder, name, source, [*options, *arguments.option])
    sites = draw(random.Random(f"{arguments.seed}/{name}"), model.lines, arguments.sites)
    list(pool.map(model.tries, rounds(sites)))
    for path in glob.glob(glob.escape(model.base) + ".*"):
        os.remove(path)
    for site in sites:
        if arguments.verbose or site.outcome == "missed":
            print(f"{site.outcome}: {name}, {site.kernel}, {site.kind}: {model.lines[site.line].strip()}  ->  {site.text.strip()}")
    return [(s.kind, s.outcome, f"{s.kernel}, {s.kind}: `{model.lines[s.line].strip()}` -> `{s.text.strip()}`") for s in sites]


def counted(results):
    """Outcomes by model and by kind of mistake, and the mistakes that were missed."""
    by_model = {name: collections.Counter(outcome for _, outcome, _ in sites) for name, sites in results.items()}
    by_kind = {kind.__name__: collections.Counter() for kind in MISTAKES}
    for sites in results.values():
        for kind, outcome, _ in sites:
            by_kind[kind][outcome] += 1
    missed = [f"{name}, {text}".replace("\n", "; ") for name, sites in results.items() for _, outcome, text in sites if outcome == "missed"]
    return by_model, by_kind, missed


def read_results(path):
    if not path or not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def write_results(arguments, results):
    if arguments.resume:
        with open(arguments.resume, "w") as file:
            json.dump(results, file)
    if arguments.table:
        with open(arguments.table, "w") as file:
            file.write(document(*counted(results)))


def main():
    arguments = parse_arguments()
    results, wrong = read_results(arguments.resume), 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, source, options in models(arguments, folder):
            if name in results:
                continue
            try:
                results[name] = try_model(arguments, pool, folder, name, source, options)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                print(error)
                wrong += 1
                continue
            noticed, counting = score(collections.Counter(outcome for _, outcome, _ in results[name]))
            print(f"{name}: {len(results[name])} mutants, {noticed} of {counting} noticed", flush=True)
            write_results(arguments, results)
    noticed, counting = score(sum(counted(results)[1].values(), collections.Counter()))
    print(f"{noticed} of {counting} mutants that count are noticed")
    return 1 if wrong or noticed * 100 < arguments.expect * max(counting, 1) or not counting else 0


if __name__ == "__main__":
    sys.exit(main())
