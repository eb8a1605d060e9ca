#!/usr/bin/env python3
"""Parses and verifies every ```mlir example in the documentation of a dialect's operations, and prints it: what is printed, in short
and in generic form, must be the same operations when it is parsed again.

usage: check_documentation.py STITCH-OPT MLIR-TBLGEN INCLUDE-FOLDERS... FILE.td

An example uses values that it does not define. Their types are learned from the parser: each starts as a tensor that
nobody expects, and the error "expects different type than prior uses: 'T'" says what it should have been.
"""
import re
import subprocess
import sys

WRONG = "tensor<0xi64>"
SEPARATOR = "// -----\n"


def examples_of(tblgen, includes, td):
    command = [tblgen, "-gen-op-doc", td] + [f"-I{folder}" for folder in includes]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    sections = re.split(r"^### ", text, flags=re.M)[1:]
    for section in sections:
        name = re.match(r"`([\w.]+)`", section).group(1)
        # The first code block is the assembly format, which has no language.
        yield name, [m.group(1) for m in re.finditer(r"^\s*```mlir\n(.*?)^\s*```", section, flags=re.M | re.S)]


def undefined_values(example):
    defined = set()
    for results in re.findall(r"^\s*(%\w+(?::\d+)?(?:, %\w+)*) = ", example, flags=re.M):
        defined |= set(re.findall(r"%\w+", results))
    for assignments in re.findall(r"\((%\w+ = [^()]*)\)", example):
        defined |= set(re.findall(r"(%\w+) = ", assignments))
    defined |= set(re.findall(r"(%\w+):", "".join(re.findall(r"\^\w+\((.*?)\):", example))))
    return sorted(set(re.findall(r"%\w+", example)) - defined)


def module_of(example, types):
    values = "".join(f'  {value} = "test.value"() : () -> ({type})\n' for value, type in types.items())
    return "module {\n" + values + example + "}\n"


def printed(opt, text, *options):
    command = [opt, "-allow-unregistered-dialect", "-split-input-file", *options]
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout


def changed_by_printing(opt, chunks):
    """The index of an example that is not the same when it is parsed from its short or its generic form."""
    short = printed(opt, SEPARATOR.join(chunks))
    for form in (short, printed(opt, SEPARATOR.join(chunks), "-mlir-print-op-generic")):
        pairs = zip(short.split(SEPARATOR), printed(opt, form).split(SEPARATOR))
        yield from (index for index, (before, after) in enumerate(pairs) if before.strip() != after.strip())


def errors_of(opt, chunks):
    text = SEPARATOR.join(chunks)
    command = [opt, "-allow-unregistered-dialect", "-split-input-file", "-mlir-print-op-on-diagnostic=false", "-o", "/dev/null"]
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    starts, line = [], 1
    for chunk in chunks:
        starts.append(line)
        line += chunk.count("\n") + 1
    errors = {}
    for match in re.finditer(r"^<stdin>:(\d+):\d+: error: (.*)$", result.stderr, flags=re.M):
        index = max(i for i, start in enumerate(starts) if start <= int(match.group(1)))
        errors.setdefault(index, match.group(2))
    if result.returncode and not errors:
        sys.exit(result.stderr)
    return errors


def main():
    opt, tblgen, *includes, td = sys.argv[1:]
    names, examples, missing = [], [], []
    for name, texts in examples_of(tblgen, includes, td):
        if not texts:
            missing.append(name)
        for text in texts:
            names.append(name)
            examples.append(text)
    types = [{value: WRONG for value in undefined_values(example)} for example in examples]
    while True:
        errors = errors_of(opt, [module_of(e, t) for e, t in zip(examples, types)])
        learned = False
        for index, error in errors.items():
            match = re.search(r"use of value '(%\w+)' expects different type than prior uses: '(.*)' vs '(.*)'", error)
            if match and types[index].get(match.group(1)) == WRONG:
                types[index][match.group(1)] = match.group(2)
                learned = True
        if not learned:
            break
    for index, error in errors.items():
        print(f"{names[index]}: {error}\n{module_of(examples[index], types[index])}")
    for name in missing:
        print(f"{name}: has no example")
    changed = [] if errors else sorted(set(changed_by_printing(opt, [module_of(e, t) for e, t in zip(examples, types)])))
    for index in changed:
        print(f"{names[index]}: is another operation when what it prints is parsed")
    print(f"{len(examples) - len(errors)} of {len(examples)} examples parse, {len(missing)} operations have none")
    return 1 if errors or missing or changed or not examples else 0


sys.exit(main())
