# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans the one kernel of a model by each template in the lines `// TRY: ...` of its text, and prints the plan's template, or why not.

usage: try_template.py STITCH_COMPILE MODEL DEVICE
"""
import re
import subprocess
import sys
import tempfile

compiler, model, device = sys.argv[1:]
command = [compiler, model, f"--device={device}", "--pipeline=plan=astitch", "--emit=templates"]


def printed(*arguments):
    run = subprocess.run([*command, *arguments], capture_output=True, text=True)
    return run.stderr.split("\n")[0] if run.returncode else " ".join(re.sub(r"^(kernel|stitch-templates) .*$", "", run.stdout, flags=re.M).split())


key = re.search(r"kernel \w+", subprocess.run(command, capture_output=True, text=True).stdout)[0]
print("plan:", printed())
with open(model) as file:
    templates = re.findall(r"^// TRY: (.*)$", file.read(), re.M)
for template in templates:
    with tempfile.NamedTemporaryFile("w", suffix=".templates") as file:
        file.write(f"stitch-templates 1\n{key}\n{template}\n")
        file.flush()
        print(f"try:  {template}\n      {printed('--templates=' + file.name)}".replace(file.name, "FILE"))
