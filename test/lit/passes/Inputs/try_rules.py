# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans a model by each rule of a test, and prints its kernels in one line each, or what is wrong with the rule.

usage: try_rules.py COMPILE TEST MODEL TEMPORARY [OPTION ...]

A line `TRY: RULE ; RULE` of TEST is a file of rules; operations of kernels are printed with their schemes: `exp/local`.
"""
import os
import re
import subprocess
import sys

compiler, test, model, temporary, *options = sys.argv[1:]
with open(test) as file:
    tries = re.findall(r"TRY: (.*)", file.read())
for rules in tries:
    with open(temporary, "w") as file:
        file.write("stitch-rules 1\n" + "".join(rule.strip(" ") + "\n" for rule in rules.split(" ; ")))
    run = subprocess.run([compiler, model, "--emit=plan", "--rules=" + temporary, *options], capture_output=True, text=True)
    print("try:", rules)
    for line in run.stderr.splitlines():
        print(" ", line.replace(temporary, "RULES").replace(os.path.basename(temporary), "RULES"))
    for kernel in re.findall(r"stitch\.(?:fusion|library_call)\((.*?)\n    }", run.stdout, re.S):
        ops = re.findall(r"= tg\.(?!constant|broadcast)(\w+)(.*)", kernel)
        schemes = [re.search(r"stitch\.scheme<(\w+)>", rest) for _, rest in ops]
        print("  kernel:", " ".join(name + (f"/{scheme[1]}" if scheme else "") for (name, _), scheme in zip(ops, schemes)))
