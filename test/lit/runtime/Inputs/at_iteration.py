# The kernel's loop begins anew at iteration N.
import re
import sys

text = sys.stdin.read()
loop = re.search(r"scf\.for (%\w+) = ", text).group(1)
begins = rf"""%begins = arith.cmpi eq, {loop}, %zeroth : index
        %again = arith.cmpi eq, {loop}, %the_iteration : index
        \1 = arith.ori %begins, %again : i1"""
text, count = re.subn(rf"(%\w+) = arith\.cmpi eq, {loop}, %\w+ : index", begins, text, count=1)
assert count == 1
constants = f"%zeroth = arith.constant 0 : index\n      %the_iteration = arith.constant {sys.argv[1]} : index\n      "
print(text.replace("scf.for", constants + "scf.for", 1))
