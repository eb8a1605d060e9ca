# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables that torch_table.py and jax_table.py make: a row for each operator, a cell for each type, with counts of samples."""


def cell(counts) -> str:
    return " ".join(f"{n} {what}" for what, n in sorted(counts.items(), reverse=True))


def row(name, cells, reasons):
    return [name, *cells, "; ".join(sorted(set(reasons)))[:120].replace("|", "\\|")]


def document(title, text, types, rows) -> str:
    lines = [f"# {title}", "", *text, "", "| operator | " + " | ".join(types) + " | why |", "|---" * (len(types) + 2) + "|"]
    return "\n".join(lines + ["| " + " | ".join(cells) + " |" for cells in rows]) + "\n"
