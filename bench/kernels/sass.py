# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel's machine code, read from nvdisasm: its instructions, and what each kind of them is for."""
import dataclasses
import functools
import glob
import os
import re
import shutil
import subprocess
import sys

# The first pattern that matches an operation names its kind.
KINDS = [
    ("memory", r"U?LD(?!C|GDEPBAR)|ST|ATOM|RED|LDGSTS|CCTL|MEMBAR|ERRBAR|CGAERRBAR"),
    ("exchange", r"SHFL|BAR|UCGABAR|VOTE|MATCH|REDUX"),
    ("special", r"MUFU"),
    ("tensor", r"[HIDQ]G?MMA"),
    ("conversion", r"F2|I2F|FRND|PRMT|IMAD\.U32$"),
    ("float", r"F(?!LO)|D(ADD|MUL|FMA|SETP)|H(ADD|MUL|FMA|SET|MNMX)2"),
    ("control", r"BRA|BRX|JMP|B?SYNC|BSSY|BSYNC|BREAK|BMOV|CALL|RET|EXIT|WARPSYNC|NOP|NANOSLEEP|YIELD|DEPBAR|PLOP3|UPLOP3"),
    ("integer", r""),
]


MASK = 0xFFFFFFFF
IS_PREDICATE = re.compile(r"!?U?P(\d|T)")


class DisassemblyError(Exception):
    pass


@functools.lru_cache(maxsize=None)
def decode(text):
    """What an operand is: ("register", (file, number)), ("number", n), ("constant", offset), (sign, operand), or ("", None)."""
    text = re.sub(r"\.(reuse|64|U32|X\d+|H0_H0|H1_H1)\b", "", text)
    if text[0] in "-~|":
        return text[0], text[1:].rstrip("|")
    if text in ("RZ", "URZ", "SRZ"):
        return "number", 0
    register = re.fullmatch(r"(U?R)(\d+)(?:\.\w+)*", text)
    if register:
        return "register", (register.group(1), int(register.group(2)))
    constant = re.fullmatch(r"c\[0x0\]\[0x([0-9a-f]+)\]", text)
    if constant:
        return "constant", int(constant.group(1), 16)
    return ("number", int(text, 0) & MASK) if re.fullmatch(r"0x[0-9a-f]+|\d+", text) else ("", None)


@dataclasses.dataclass
class Instruction:
    guard: str  # a predicate, "!P0" say, or ""
    operation: str  # with its modifiers: "ISETP.GE.AND"
    operands: list

    @functools.cached_property
    def opcode(self):
        return self.operation.split(".")[0]

    @functools.cached_property
    def modifiers(self):
        return self.operation.split(".")[1:]

    @functools.cached_property
    def kind(self):
        return next(kind for kind, pattern in KINDS if re.match(pattern, self.operation))

    @functools.cached_property
    def results(self):
        """Names of predicates, and registers as `decode` has them, that it may write."""
        leading = self.operands[:2]
        predicates = [name for name in leading if IS_PREDICATE.fullmatch(name) and not name.endswith("PT") and name[0] != "!"]
        register = next((name for name in leading if not IS_PREDICATE.fullmatch(name)), None)
        if register is None or self.opcode in ("ST", "STG", "STS", "STL") or decode(register)[0] != "register":
            return predicates, []
        size = max([int(m) // 32 for m in self.modifiers if m in ("64", "128")] + [4 if self.kind == "tensor" else 1]
                   + [2 if self.opcode[0] == "D" or "WIDE" in self.modifiers else 1])
        file, number = decode(register)[1]
        return predicates, [(file, number + part) for part in range(size)]


@dataclasses.dataclass
class Function:
    instructions: list
    labels: dict  # name -> index into instructions


def find_nvdisasm():
    """That of this Python's environment, or one that is installed."""
    found = glob.glob(os.path.join(sys.prefix, "lib", "python3*", "site-packages", "nvidia", "*", "bin", "nvdisasm"))
    path = found[0] if found else shutil.which("nvdisasm") or shutil.which("nvdisasm", path="/usr/local/cuda/bin")
    if not path:
        raise DisassemblyError("there is no nvdisasm: bench/requirements.txt names the package that has it")
    return path


def parse(text):
    """Kernel name -> Function, of what `nvdisasm -c` prints. Subroutines are in the functions that call them."""
    functions, function = {}, None
    for line in text.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.([\w$.]+),", line)
        label = re.match(r"([.\w$]+):$", line.strip())
        code = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)\s*([^;]*);", line)
        if section:
            function = functions[section.group(1)] = Function([], {})
        elif label and function is not None:
            function.labels[label.group(1)] = len(function.instructions)
        elif code and function is not None:
            operands = [operand.strip() for operand in code.group(3).split(",")] if code.group(3).strip() else []
            function.instructions.append(Instruction(code.group(1) or "", code.group(2), operands))
    return functions


def disassemble(cubin):
    result = subprocess.run([find_nvdisasm(), "-c", cubin], capture_output=True, text=True)
    if result.returncode != 0:
        raise DisassemblyError(result.stderr.strip())
    return parse(result.stdout)
