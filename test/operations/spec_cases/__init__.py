# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that keep StableHLO's constraints, and for each constraint one that violates it."""


class Program:
    """One operation in the generic form; `constants` are operands by number that are constants, and their elements."""

    def __init__(self, name, operands, attributes, results, regions="", constants=None):
        self.name, self.operands, self.attributes, self.results, self.regions = name, operands, attributes, results, regions
        self.constants = constants or {}

    def changed(self, operands=None, attributes=None, results=None, regions=None, replace=(), constants=None):
        """Another program; `replace` are pairs of texts, of which the first is replaced by the second in the attributes."""
        text = self.attributes if attributes is None else attributes
        for old, new in replace:
            assert old in text, (self.name, old)
            text = text.replace(old, new, 1)
        pick = lambda new, old: old if new is None else new
        return Program(self.name, pick(operands, self.operands), text, pick(results, self.results), pick(regions, self.regions),
                       pick(constants, self.constants))

    def text(self):
        values = [f"%a{i}" for i in range(len(self.operands))]
        results = f"%r:{len(self.results)} = " if self.results else ""
        attributes = f" {{{self.attributes}}}" if self.attributes else ""
        regions = f" ({self.regions})" if self.regions else ""
        arguments = ", ".join(f"{v}: {t}" for i, (v, t) in enumerate(zip(values, self.operands)) if i not in self.constants)
        constants = "".join(f'%a{i} = "stablehlo.constant"() {{value = dense<{elements}> : {self.operands[i]}}} : () -> {self.operands[i]} '
                            for i, elements in self.constants.items())
        kinds = f"({', '.join(self.operands)}) -> ({', '.join(self.results)})"
        used = f" {', '.join(f'%r#{i}' for i in range(len(self.results)))} : {', '.join(self.results)}" if self.results else ""
        return (f"func.func @main({arguments}) -> ({', '.join(self.results)}) {{\n"
                f'  {constants}{results}"stablehlo.{self.name}"({", ".join(values)}){regions}{attributes} : {kinds}\n  return{used}\n}}\n')


class Written:
    """A program of several operations: what a function of a signature has before its end, on one line."""

    def __init__(self, name, signature, operations, end="return"):
        self.name, self.signature, self.operations, self.end = name, signature, operations, end

    def changed(self, replace):
        operations = self.operations
        for old, new in replace:
            assert old in operations, (self.name, old)
            operations = operations.replace(old, new, 1)
        return Written(self.name, self.signature, operations, self.end)

    def text(self):
        return f"func.func @main{self.signature} {{\n  {self.operations}\n  {self.end}\n}}\n"


class Case:
    def __init__(self, name, valid, violations):
        self.name, self.valid, self.violations = name, valid, violations


CASES = []
NOT_TAKEN = []  # (constraints, program): operations and types that are refused whatever they look like


def case(valid, **violations):
    """Of each constraint what is changed about the valid program, as keywords of Program.changed."""
    CASES.append(Case(valid.name, valid, {key: valid.changed(**change) for key, change in violations.items()}))


def refused(program, constraints):
    """A program that keeps all constraints, of an operation or a type that is not taken; `constraints` are those that nobody need check then."""
    NOT_TAKEN.append((constraints, program))


def body(arguments, operation, result=None, name="stablehlo.add", kind=None):
    """A region that combines its first and its middle argument."""
    values = ", ".join(f"%x{i}: {t}" for i, t in enumerate(arguments))
    kind = kind or arguments[0]
    result = result or kind
    del operation
    half = len(arguments) // 2
    return (f'{{ ^bb0({values}): %y = "{name}"(%x0, %x{half}) : ({arguments[0]}, {arguments[half]}) -> {result} '
            f'"stablehlo.return"(%y) : ({result}) -> () }}')
