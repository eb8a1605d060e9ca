# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which instructions one thread executes: it is followed through the machine code with its own number and its block's.

What addresses and loops are made of, integers and predicates, is computed as the machine does; what comes from memory or from
floats is unknown, but that no magnitude reaches a constant of 2^20 or more. A branch that depends on it goes where no subroutine is
called (these are the slow paths of divisions, roots and the like), into the code behind it rather than around it, and out of a loop
that waits for memory.
"""
import collections
import re
import struct

from sass import IS_PREDICATE, MASK, decode

# Where constant bank 0 has the kernel's parameters.
PARAMETERS = {"sm_70": 0x160, "sm_75": 0x160, "sm_80": 0x160, "sm_86": 0x160, "sm_89": 0x160, "sm_90": 0x210, "sm_90a": 0x210}
MOST_STEPS = 20_000_000
LARGE = 1 << 20


class WalkError(Exception):
    pass


def signed(value):
    return value - (1 << 32) if value & 0x80000000 else value


class Thread:
    """The state of one thread: registers and predicates that are known; what is in no table is unknown."""

    def __init__(self, function, arch, launch, block, number):
        self.function, self.arch, self.launch = function, arch, launch
        self.registers, self.predicates, self.spilled = {}, {}, {}
        x, y = launch["block"], launch["grid"]
        self.special = {"SR_TID.X": number, "SR_TID.Y": 0, "SR_TID.Z": 0, "SR_LANEID": number % 32, "SRZ": 0,
                        "SR_CTAID.X": block, "SR_CTAID.Y": 0, "SR_CTAID.Z": 0,
                        "SR_CgaCtaId": block % launch.get("cluster", 1)}
        self.constants = {0x0: x, 0x4: 1, 0x8: 1, 0xC: y, 0x10: 1, 0x14: 1}

    # --- operands -------------------------------------------------------------------------------------------------

    def constant(self, offset):
        if offset in self.constants:
            return self.constants[offset]
        parameter = offset - PARAMETERS[self.arch]
        if parameter < 0:
            return None
        # Parameters are pointers: far from each other, aligned to 256 bytes.
        return (parameter // 8 + 1) << 8 if parameter % 8 else 0

    def read(self, text, part=0):
        """A 32-bit operand, or its part `part` if it is a pair of registers or constants; None if it is unknown."""
        kind, value = decode(text)
        if kind == "register":
            return self.registers.get((value[0], value[1] + part))
        if kind == "number":
            return value if part == 0 else 0
        if kind == "constant":
            return self.constant(value + 4 * part)
        if kind in ("-", "~", "|"):
            number = self.read(value, part)
            if number is None:
                return None
            return {"-": -number, "~": ~number, "|": abs(signed(number))}[kind] & MASK
        return None

    def read_wide(self, text):
        low, high = self.read(text), self.read(text, 1)
        return None if low is None or high is None else high << 32 | low

    def predicate(self, text):
        if text.startswith("!"):
            value = self.predicate(text[1:])
            return None if value is None else not value
        return True if text in ("PT", "UPT") else self.predicates.get(text)

    def write(self, name, value, part=0):
        kind, register = decode(name)
        if kind == "register":
            self.registers[register[0], register[1] + part] = None if value is None else value & MASK

    def write_wide(self, name, value):
        self.write(name, value)
        self.write(name, None if value is None else value >> 32, 1)

    def write_predicate(self, name, value):
        if name not in ("PT", "UPT"):
            self.predicates[name] = value

    # --- instructions ---------------------------------------------------------------------------------------------

    def forget(self, instruction):
        """The results of an instruction that is not computed."""
        predicates, registers = instruction.results
        for name in predicates:
            self.predicates[name] = None
        for register in registers:
            self.registers[register] = None

    def execute(self, instruction):
        method = COMPUTES.get(instruction.opcode)
        taken = self.predicate(instruction.guard) if instruction.guard else True
        if taken is None or method is None:
            self.forget(instruction)
        elif taken:
            method(self, instruction)

    def arithmetic(self, instruction, compute, sources):
        values = [self.read(source) for source in sources]
        self.write(instruction.operands[0], None if None in values else compute(*values))

    def move(self, i):
        self.write(i.operands[0], self.read(i.operands[-1 if i.opcode in ("MOV", "UMOV") and len(i.operands) == 2 else 1]))

    def special_register(self, i):
        self.write(i.operands[0], self.special.get(i.operands[1]))
        if i.opcode == "CS2R" and "32" not in i.modifiers:
            self.write(i.operands[0], self.special.get(i.operands[1]), 1)

    def load_constant(self, i):
        self.write(i.operands[0], self.read(i.operands[1]))
        if "64" in i.modifiers:
            self.write(i.operands[0], self.read(i.operands[1], 1), 1)

    @staticmethod
    def stack_words(i, address):
        """Where a thread's stack has what is spilled: the words of the operand. Its pointer, R1, does not move."""
        offset = re.fullmatch(r"\[R1(?:\+(-?0x[0-9a-f]+))?\]", address)
        size = next((int(m) // 32 for m in i.modifiers if m in ("64", "128")), 1)
        start = int(offset.group(1) or "0", 16) if offset else None
        return [] if start is None else [start + 4 * part for part in range(size)]

    def spill(self, i):
        for part, word in enumerate(self.stack_words(i, i.operands[0])):
            self.spilled[word] = self.read(i.operands[1], part)

    def fill(self, i):
        self.forget(i)
        for part, word in enumerate(self.stack_words(i, i.operands[1])):
            self.write(i.operands[0], self.spilled.get(word), part)

    def split(self, i):
        """Results that are predicates, sources that are not, sources that are; behind the first operand."""
        is_predicate = [bool(IS_PREDICATE.fullmatch(o)) for o in i.operands[1:]]
        leading = next((n for n, p in enumerate(is_predicate) if not p), len(is_predicate))
        rest = i.operands[1 + leading:]
        sources = [o for o in rest if not IS_PREDICATE.fullmatch(o)]
        return i.operands[1:1 + leading], sources, [o for o in rest if o not in sources]

    def add3(self, i):
        carries, sources, ins = self.split(i)
        values = [self.read(s) for s in sources]
        if "X" in i.modifiers:
            values += [self.predicate(p) for p in ins]
        total = None if None in values else sum(int(v) for v in values)
        self.write(i.operands[0], total)
        for n, carry in enumerate(carries):
            self.write_predicate(carry, None if total is None else (total >> 32) > n)

    def multiply_add(self, i):
        _, sources, ins = self.split(i)
        carry = self.predicate(ins[-1]) if "X" in i.modifiers and ins else 0
        if "WIDE" in i.modifiers or "HI" in i.modifiers:
            a, b, c = self.read(sources[0]), self.read(sources[1]), self.read_wide(sources[2])
            if None in (a, b, c):
                return self.write_wide(i.operands[0], None)
            product = a * b if "U32" in i.modifiers else signed(a) * signed(b)
            if "HI" in i.modifiers:
                return self.write(i.operands[0], product + (c & MASK << 32) >> 32)
            return self.write_wide(i.operands[0], product + c)
        values = [self.read(s) for s in sources]
        known = None not in (values[2], carry) and (0 in values[:2] or None not in values[:2])
        product = 0 if 0 in values[:2] else values[0] * values[1] if known else 0
        self.write(i.operands[0], product + values[2] + carry if known else None)

    def scaled_add(self, i):
        carries, sources, ins = self.split(i)
        values = [self.read(s) for s in sources]
        if None in values:
            self.write(i.operands[0], None)
            for carry in carries:
                self.write_predicate(carry, None)
            return
        if "HI" in i.modifiers:
            high = (MASK if values[0] >> 31 else 0) if "SX32" in i.modifiers else values[2] if len(values) > 3 else 0
            carry = self.predicate(ins[-1]) if "X" in i.modifiers and ins else False
            if carry is None:
                return self.write(i.operands[0], None)
            return self.write(i.operands[0], ((high << 32 | values[0]) << values[-1] >> 32) + values[1] + carry)
        total = (values[0] << values[2] & MASK) + values[1]
        self.write(i.operands[0], total)
        for carry in carries:
            self.write_predicate(carry, total >> 32 > 0)

    def funnel_shift(self, i):
        def compute(low, amount, high):
            both = high << 32 | low
            if i.modifiers[1][0] == "S" and high >> 31:
                both -= 1 << 64
            both = both << amount if i.modifiers[0] == "L" else both >> amount
            return both >> 32 if "HI" in i.modifiers else both
        self.arithmetic(i, compute, i.operands[1:4])

    def logic3(self, i):
        results = [o for o in i.operands[:1] if IS_PREDICATE.fullmatch(o)]
        register, *sources = i.operands[len(results):]
        values, table = [self.read(s) for s in sources[:3]], int(sources[3], 16)
        if None in values and table == 0xC0 and 0 in values[:2]:
            values = [0, 0, 0]
        known = None not in values
        result = 0
        for n in range(8) if known else []:
            if table >> n & 1:
                result |= (values[0] if n & 4 else ~values[0]) & (values[1] if n & 2 else ~values[1]) \
                    & (values[2] if n & 1 else ~values[2])
        self.write(register, result if known else None)
        for name in results:
            self.write_predicate(name, (result & MASK) != 0 if known else None)

    def compare(self, i):
        a, b = self.read(i.operands[2]), self.read(i.operands[3])
        combined = self.predicate(i.operands[4])
        if None in (a, b):
            result = None
        else:
            if "U32" not in i.modifiers:
                a, b = signed(a), signed(b)
            test = i.modifiers[0]
            result = {"GE": a >= b, "GT": a > b, "LE": a <= b, "LT": a < b, "EQ": a == b, "NE": a != b, "T": True, "F": False}[test]
            if "EX" in i.modifiers:
                low = self.predicate(i.operands[5])
                result = low if a == b else test in ("NE",) or (a > b if test[0] == "G" else a < b if test[0] == "L" else False)
        for name, value in ((i.operands[0], result), (i.operands[1], None if result is None else not result)):
            if "AND" in i.modifiers and (value is False or combined is False):
                self.write_predicate(name, False)
            elif "OR" in i.modifiers and (value or combined):
                self.write_predicate(name, True)
            else:
                self.write_predicate(name, None if None in (value, combined) else value ^ combined if "XOR" in i.modifiers
                                     else value and combined if "AND" in i.modifiers else value or combined)

    def compare_floats(self, i):
        """Unknown, but for the magnitude of a number beside a large constant: that it is as large is what slow paths are for."""
        large = i.operands[2].startswith("|") and re.fullmatch(r"\d+(\.\d+)?(e\+?\d+)?", i.operands[3]) and float(i.operands[3]) >= LARGE
        result = {"GE": False, "GT": False, "LE": True, "LT": True}.get(i.modifiers[0][:2]) if large else None
        combined = self.predicate(i.operands[4])
        for name, value in ((i.operands[0], result), (i.operands[1], None if result is None else not result)):
            decides = False if "AND" in i.modifiers else True
            self.write_predicate(name, decides if decides in (value, combined) else None if None in (value, combined) else not decides)

    def predicate_logic(self, i):
        values = [self.predicate(p) for p in i.operands[2:5]]
        for name, table in ((i.operands[0], i.operands[5]), (i.operands[1], i.operands[6])):
            possible = {bool(int(table, 16) >> n & 1) for n in range(8)
                        if all(v is None or v == bool(n >> 2 - k & 1) for k, v in enumerate(values))}
            self.write_predicate(name, possible.pop() if len(possible) == 1 else None)

    def choose(self, i):
        condition = self.predicate(i.operands[3])
        self.write(i.operands[0], None if condition is None else self.read(i.operands[1 if condition else 2]))

    def minimum(self, i):
        greatest = self.predicate(i.operands[3])
        key = (lambda v: v) if "U32" in i.modifiers else signed
        if greatest is None:
            return self.write(i.operands[0], None)
        self.arithmetic(i, lambda a, b: min(a, b, key=key) if greatest else max(a, b, key=key), i.operands[1:3])

    def permute(self, i):
        """Bytes of a pair of registers, each by a digit of four bits, of which the highest asks for the byte's sign."""
        def compute(low, digits, high):
            result = 0
            for n in range(4):
                digit = digits >> 4 * n & 0xF
                byte = (high << 32 | low) >> 8 * (digit & 7) & 0xFF
                result |= (0xFF * (byte >> 7) if digit & 8 else byte) << 8 * n
            return result
        self.arithmetic(i, compute, i.operands[1:4])

    def half_constants(self, i):
        """HFMA2 of zero and a pair of halves is how a 32-bit constant is moved."""
        numbers = i.operands[3:5]
        if i.operands[1:3] != ["-RZ", "RZ"] or len(numbers) != 2:
            return self.write(i.operands[0], None)
        high, low = (struct.unpack("<H", struct.pack("<e", float(n)))[0] for n in numbers)
        self.write(i.operands[0], high << 16 | low)

    def sign_extend(self, i):
        def compute(value, bits):
            value &= (1 << bits) - 1
            return value - (1 << bits) if "U32" not in i.modifiers and value >> bits - 1 else value
        self.arithmetic(i, compute, i.operands[1:3])


COMPUTES = {"MOV": Thread.move, "R2UR": Thread.move, "S2R": Thread.special_register, "CS2R": Thread.special_register,
            "LDC": Thread.load_constant, "IADD3": Thread.add3, "IMAD": Thread.multiply_add, "LEA": Thread.scaled_add,
            "SHF": Thread.funnel_shift, "LOP3": Thread.logic3, "ISETP": Thread.compare, "FSETP": Thread.compare_floats, "PLOP3": Thread.predicate_logic,
            "SEL": Thread.choose, "IMNMX": Thread.minimum, "VIMNMX": Thread.minimum, "PRMT": Thread.permute,
            "HFMA2": Thread.half_constants, "VIADD": Thread.add3, "SGXT": Thread.sign_extend, "STL": Thread.spill, "LDL": Thread.fill}
COMPUTES.update({f"U{name}": method for name, method in list(COMPUTES.items())} | {"S2UR": Thread.special_register})


def calls_soon(function, index):
    """Whether the code from here on calls a subroutine before it branches or meets others."""
    joins = set(function.labels.values())
    for n in range(index, len(function.instructions)):
        instruction = function.instructions[n]
        if instruction.opcode == "CALL" and not instruction.guard:
            return True
        if instruction.opcode in ("BRA", "EXIT", "RET", "BRX") or (n > index and n in joins):
            return False
    return False


class Walk:
    """Follows one thread; `counts` has how often it executes each kind of instruction, or what `name` calls one."""

    def __init__(self, thread, name=lambda instruction: instruction.kind):
        self.thread, self.function, self.name = thread, thread.function, name
        self.counts, self.seen, self.returns = collections.Counter(), {}, []

    def depends_on_data(self, index, behind, target):
        """Where a branch goes whose predicate is unknown."""
        state = (tuple(sorted((k, v) for k, v in self.thread.registers.items() if v is not None)))
        if target <= index or calls_soon(self.function, target):
            choice = behind
        elif calls_soon(self.function, behind):
            choice = target
        else:
            choice = behind
        if self.seen.get(index) == (state, choice):  # nothing known has changed: it waits
            choice = target if choice == behind else behind
        self.seen[index] = (state, choice)
        return choice

    def branch(self, index, instruction):
        label = next((o for o in instruction.operands if o.startswith("`(")), None)
        conditions = [o for o in instruction.operands if IS_PREDICATE.fullmatch(o)]
        if instruction.opcode == "BRX" or label is None:
            raise WalkError(f"an indirect branch: {instruction.operation}")
        target = self.function.labels[label[2:-1]]
        if "DIV" in instruction.modifiers or "CONV" in instruction.modifiers:
            return index + 1  # the warp has not diverged
        tests = [self.thread.predicate(c) for c in conditions + ([instruction.guard] if instruction.guard else [])]
        if False in tests:
            return index + 1
        return self.depends_on_data(index, index + 1, target) if None in tests else target

    def next(self, index, instruction):
        """The number of the next instruction; None behind the last one."""
        opcode, guard = instruction.opcode, instruction.guard
        if opcode in ("BRA", "BRX"):
            return self.branch(index, instruction)
        taken = self.thread.predicate(guard) if guard else True
        if opcode == "EXIT":
            return index + 1 if taken is not True else None
        if opcode == "CALL" and taken:
            self.returns.append(index + 1)
            return self.function.labels[instruction.operands[-1][2:-1]]
        if opcode == "RET" and taken:
            return self.returns.pop()
        self.thread.execute(instruction)
        return index + 1

    def run(self):
        index, steps = 0, 0
        while index is not None:
            instruction = self.function.instructions[index]
            self.counts[self.name(instruction)] += 1
            steps += 1
            if steps > MOST_STEPS:
                raise WalkError("the loop that the thread is in does not seem to end")
            index = self.next(index, instruction)
        return self.counts


def executed(function, arch, launch, name=lambda instruction: instruction.kind):
    """Kind, or what `name` calls them -> instructions that all threads together execute; launch has grid and block. The first block and the
    last one, which have more to do or less, stand for themselves, and a few in between for all others; of a block, some of its warps."""
    grid, warps = launch["grid"], -(-launch["block"] // 32)
    middle = sorted({grid * n // 8 for n in range(1, 8)} - {0, grid - 1})
    weights = {block: (grid - len({0, grid - 1})) / len(middle) for block in middle} | {0: 1, grid - 1: 1}
    numbers = sorted({warps * n // 4 for n in range(4)} | {warps - 1})
    total = collections.Counter()
    for block, weight in weights.items():
        for number in numbers:
            for kind, count in Walk(Thread(function, arch, launch, block, 32 * number), name).run().items():
                total[kind] += count * weight / len(numbers) * launch["block"]
    return dict(total)
