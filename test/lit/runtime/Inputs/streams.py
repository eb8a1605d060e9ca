# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a model with an epoch of ten equal products, then one of kernels with scratch memory beside products of two other
shapes, a loop, which ends the super-epoch, and two products of what the loop computes."""

N = 10
SQUARE, WIDE, ROW = "tensor<48x48xf32>", "tensor<48x96xf32>", "tensor<48xf32>"


def dot(result, lhs, rhs, shape=SQUARE):
    print(f"  %{result} = tg.dot %{lhs}, %{rhs} contract [1] x [0] : ({SQUARE}, {shape}) -> {shape}")


arguments = ", ".join([f"%a{i}: {SQUARE}" for i in range(N + 1)] + [f"%w: {WIDE}"])
print(f"func.func @main({arguments}) -> ({SQUARE}, {SQUARE}, {WIDE}, {ROW}) {{")
print("  %zero = tg.constant dense<0> : tensor<i32>\n  %three = tg.constant dense<3> : tensor<i32>")
print("  %one = tg.constant dense<1> : tensor<i32>")
for i in range(N):
    dot(f"p{i}", f"a{i}", f"a{i + 1}")
dot("q0", "p0", "p1")
dot("q1", "p2", "p3")
dot("q2", "p4", "w", WIDE)
dot("q3", "p5", "w", WIDE)
print(f"  %sum = tg.add %p6, %p7 : {SQUARE}\n  %t = tg.tanh %sum : {SQUARE}")
print(f"  %r = tg.reduce add %t dims [0] : ({SQUARE}) -> {ROW}")
print(f"  %u = tg.mul %p8, %p9 : {SQUARE}\n  %s = tg.reduce max %u dims [1] : ({SQUARE}) -> {ROW}")
print(f"  %rs = tg.sub %r, %s : {ROW}\n  %v = tg.add %q2, %q3 : {WIDE}")
print(f"  %l:2 = tg.while(%n = %zero, %h = %q0) : tensor<i32>, {SQUARE} cond {{")
print("    %more = tg.compare lt, %n, %three : tensor<i32>\n    tg.yield %more : tensor<i1>\n  } do {")
print("    %next = tg.add %n, %one : tensor<i32>")
print("  ", end="")
dot("m", "h", "q1")
print(f"    %k = tg.tanh %m : {SQUARE}\n    tg.yield %next, %k : tensor<i32>, {SQUARE}\n  }}")
dot("x", "l#1", "q1")
dot("y", "l#1", "a3")
print(f"  return %x, %y, %v, %rs : {SQUARE}, {SQUARE}, {WIDE}, {ROW}\n}}")
