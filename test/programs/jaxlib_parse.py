#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses and verifies StableHLO text with jaxlib's own parser: says whether a model is valid StableHLO.

usage: jaxlib_parse.py [--generic | --pretty] FILE ...

With --generic or --pretty prints each file in that form, as jaxlib prints it: this is how the twins of
test/lit/dialects/stablehlo were made. Exit status 1 if a file is not valid.
"""
import argparse
import sys

from jax._src.interpreters import mlir
from jaxlib.mlir import ir


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--generic", action="store_true", help="print the generic form")
    form.add_argument("--pretty", action="store_true", help="print the pretty form")
    arguments = parser.parse_args()
    status = 0
    with mlir.make_ir_context():
        for name in arguments.files:
            try:
                with open(name) as file:
                    module = ir.Module.parse(file.read())
                module.operation.verify()
            except (OSError, ir.MLIRError) as error:
                print(f"{name}: {error}", file=sys.stderr)
                status = 1
                continue
            if arguments.generic or arguments.pretty:
                print(module.operation.get_asm(print_generic_op_form=arguments.generic))
            else:
                print(f"{name}: valid")
    return status


if __name__ == "__main__":
    sys.exit(main())
