# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table: what is written, and what is compared with it."""
import math
import re

from op_tests.absent import PAIRS, REASONS
from op_tests.cases import Ulps
from op_tests.run import DEVICES, Refusal
from op_tests.types import TYPES


class Cell:
    """All results of one operation in one type."""

    def __init__(self, results):
        self.results = results
        self.bound = max(r.case.check.bound for r in results)
        self.exact = all(not isinstance(r.case.check, Ulps) for r in results)

    def worst(self, device):
        """(error, example), or an error's text; None if the device was not asked."""
        found = [r.of[device] for r in self.results if device in r.of]
        texts = [f for f in found if isinstance(f, str)]
        if texts:
            return texts[0]
        return max(found, key=lambda f: f[0]) if found else None

    def refused(self, device):
        """Kernels do not have every operation: the compiler then says so."""
        return device == "simt" and any(isinstance(r.of.get(device), Refusal) for r in self.results)

    def passes(self, device):
        found = [(r.of[device], r.case.check.bound) for r in self.results if device in r.of]
        if self.refused(device):
            found = [f for f in found if not isinstance(f[0], Refusal)]
        return all(not isinstance(f, str) and f[0] <= bound for f, bound in found)

    def text(self, device):
        worst = self.worst(device)
        if worst is None:
            return "-"
        if isinstance(worst, str):
            return "refused" if self.refused(device) else "error"
        if self.exact:
            return "=" if worst[0] == 0 else f"{int(worst[0])} differ"
        return f"{worst[0]:.2f}" if worst[0] < 1e4 else f"{worst[0]:.0e}"


def collect(results):
    cells = {}
    for r in results:
        cells.setdefault((r.case.row, r.case.type.name), []).append(r)
    return {key: Cell(value) for key, value in cells.items()}


def rows_of(cells, wanted):
    return list(dict.fromkeys(row for (row, _), cell in cells.items() if cell.exact == wanted))


COMMON = [name for name, t in TYPES.items() if t.bits > 8 and t.kind != "complex" or name in ("i1", "i8", "ui8")]


def exact_table(cells, names):
    """`=`: both are equal to what is expected. `(=)`: the reference is, and kernels refuse the operation."""
    lines = ["| operation | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for row in [r for r in rows_of(cells, True) if any((r, name) in cells for name in names)]:
        texts = []
        for name in names:
            cell = cells.get((row, name))
            if not cell or not cell.exact:
                texts.append("")
            elif all(cell.passes(d) for d in DEVICES):
                texts.append("(=)" if cell.refused("simt") else "=")
            else:
                texts.append(" / ".join(cell.text(d) for d in DEVICES))
        lines.append(f"| {row} | " + " | ".join(texts) + " |")
    return lines


def float_table(cells):
    lines = ["| operation | type | bound | reference | simt | JAX |", "|---|---|---|---|---|---|"]
    for row in rows_of(cells, False):
        for name in TYPES:
            cell = cells.get((row, name))
            if cell and not cell.exact:
                lines.append(f"| {row} | {name} | {cell.bound:g} | {cell.text('reference')} | {cell.text('simt')} | {cell.text('jax')} |")
    return lines


def pairs_in(text):
    """(operation, type) -> (bound, whether kernels refuse it) of a written table."""
    pairs, header = {}, []
    for line in text.splitlines():
        fields = [f.strip() for f in line.strip("|").split("|")]
        if line.startswith("| operation"):
            header = fields
        elif line.startswith("| ") and header[1:3] == ["type", "bound"]:
            pairs[fields[0], fields[1]] = float(fields[2]), fields[4] == "refused"
        elif line.startswith("| "):
            pairs.update({(fields[0], name): (0.0, f == "(=)") for name, f in zip(header[1:], fields[1:]) if f})
    return pairs


def operation_of(row):
    return re.match(r"[\w.-]+", row).group()


def new_operations(cells, path):
    """Those that the written table knows nothing of yet: their own bounds hold."""
    with open(path) as file:
        known = {operation_of(row) for row, _ in pairs_in(file.read())}
    return sorted({operation_of(row) for row, _ in cells} - known)


def compare_with_table(cells, path):
    with open(path) as file:
        pairs = pairs_in(file.read())
    known, lines = {operation_of(row) for row, _ in pairs}, []
    for (row, name), cell in cells.items():
        if operation_of(row) not in known:
            continue
        if (row, name) not in pairs:
            lines.append(f"- {row} {name} is not in {path}")
            continue
        bound, refused = pairs[row, name]
        if cell.bound > bound * 1.001:
            lines.append(f"- {row} {name} has bound {cell.bound:g}, in {path} {bound:g}: write it anew")
        if cell.refused("simt") and not refused:
            lines.append(f"- {row} {name} is refused by kernels, which had it: {cell.worst('simt')}")
    return lines


def escape(text):
    return text.replace("|", "\\|")


def list_problems(cells, devices, wanted):
    lines = []
    for (row, name), cell in cells.items():
        for device in devices:
            if cell.passes(device) == wanted:
                continue
            worst = cell.worst(device)
            what = f"error: {worst}" if isinstance(worst, str) else f"{cell.text(device)}: {worst[1]}"
            lines.append(f"- {row} {name}, {device}: {escape(what[:200])}")
    return lines


def document(cells):
    mistakes = list_problems(cells, DEVICES, True)
    deviations = list_problems(cells, ("jax",), True)
    return "\n".join(
        ["# Every operation, every element type", "",
         "Made by `test/operations/op_table.py --bin build/bin --write test/operations/op_table.md`; how, and what the inputs are, is said there. All StableHLO and CHLO",
         "operations that `convert-stablehlo-to-tg` reads are here, in all types that the specification gives them: with rows, or below with a reason.", "",
         f"{len(cells)} pairs of operation and type, {sum(c.refused('simt') for c in cells.values())} of them in the reference only; "
         f"{len(mistakes)} outside of their bounds.", "",
         "## Exact results", "",
         "`=`: the reference and the kernels on the simt device are equal to what is expected, bit for bit (NaN: any NaN, except where elements are",
         "only moved). `(=)`: the reference is, and the compiler refuses to make kernels of it. Sums, differences, products, quotients, square roots and conversions are rounded once, to nearest, ties to even.",
         "Types are those of the operands, of dynamic slices and gathers with several index types those of the indices.", "",
         *exact_table(cells, COMMON), "", *exact_table(cells, [name for name in TYPES if name not in COMMON]), "",
         "## Errors in units in the last place", "",
         "The largest error, including the rounding of the result (0.5 is the best there is). Bounds: what glibc states (1; 2 for tanh, 5 for erfc,",
         "4 for cbrt of f64), and half a unit or more for the result; for f16 and bf16, computed in f32, the same; for 8-bit floats half a unit",
         "and what those of f32 are in theirs;",
         "1.01 and 0.51 for quotients that `docs/precision.md` relaxes, 1 for sums of products that are rounded or not, in units of the largest term;",
         "1.5 for rsqrt (a square root and a division, half a unit each, and their amplification); 4 for logistic (the error of exp, a sum, a quotient);",
         "of sums and products of n terms 0.5 + (n - 1) roundings of the accumulator, in units of the sum of magnitudes. Of complex numbers the",
         "unit is that of the magnitude.", "",
         *float_table(cells), "",
         "## Operations without rows", "", *(f"- {name}: {reason}" for name, reason in (REASONS | PAIRS).items()), "",
         "## Outside of their bounds", "", *(mistakes or ["None."]), "",
         "## Where JAX deviates", "",
         "JAX's XLA for the CPU counts subnormal numbers as zero; maximum, minimum and clamp miss a NaN or the sign of a zero where the code is",
         "vectorised; elementary functions are faster and less accurate; sums of 16-bit floats are rounded after each term; powers of integers",
         "read the lowest bits of the exponent only; a dynamic_update_slice by 8-bit indices wraps the size of a longer operand; of a scatter's",
         "windows that are not wholly inside it leaves out the rest, too; a reduce_window takes its initial value for the identity; a",
         "select_and_scatter may select padding; a matrix that has no Cholesky factor gives NaN in both triangles; transforms of f32 are",
         "computed in f32.",
         "Expected is what the specification says.", "",
         *(deviations or ["Nowhere."]), ""])
