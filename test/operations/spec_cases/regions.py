# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations with regions: reductions, windows, scatter, sort, control flow."""
from . import Program, body, case

F, G = "tensor<f32>", "tensor<f64>"
A, A64, OTHER = "tensor<4x6xf32>", "tensor<4x6xf64>", "tensor<6x4xf32>"
H = "tensor<f16>"


def add(kind, result=None):
    return body([kind, kind], None, result)


NARROW = add(H)  # the element types of operands are to be promoted to the region's, never the other way
COMPARE = "comparison_direction = #stablehlo<comparison_direction GE>"


def select(kind, result="tensor<i1>"):
    return (f'{{ ^bb0(%x: {kind}, %y: {kind}): %p = "stablehlo.compare"(%x, %y) {{{COMPARE}}} : ({kind}, {kind}) -> tensor<i1> '
            + (f'"stablehlo.return"(%p) : (tensor<i1>) -> () }}' if result == "tensor<i1>" else f'"stablehlo.return"(%x) : ({kind}) -> () }}'))


def give(*kinds, arguments=""):
    """A region that yields constants."""
    lines = "".join(f'%c{i} = "stablehlo.constant"() {{value = dense<1> : {k}}} : () -> {k} '.replace("<1>", "<1.0>" if "xf" in k or "<f" in k else "<1>")
                    for i, k in enumerate(kinds))
    kinds_text = ", ".join(kinds)
    return f'{{ ^bb0({arguments}): {lines}"stablehlo.return"({", ".join(f"%c{i}" for i in range(len(kinds)))}) : ({kinds_text}) -> () }}'


case(Program("reduce", [A, F], "dimensions = array<i64: 1>", ["tensor<4xf32>"], add(F)),
     C2={"operands": [A, G]}, C3={"operands": [A]}, C4={"replace": [("1", "2")]}, C5={"replace": [("64: 1", "64: 1, 1")]}, C6={"regions": NARROW},
     C7={"results": ["tensor<6xf32>"]}, C8={"results": ["tensor<4xf64>"]}, I2={"operands": [A, "tensor<1xf32>"]})
TWO = ('{ ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>): %y = "stablehlo.add"(%a, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32> '
       '%z = "stablehlo.add"(%b, %d) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%y, %z) : (tensor<f32>, tensor<f32>) -> () }')
case(Program("reduce", [A, A, F, F], "dimensions = array<i64: 1>", ["tensor<4xf32>", "tensor<4xf32>"], TWO), C1={"operands": [A, OTHER, F, F]})

WINDOW = ("window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, "
          "padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>")


def changed(name, new):
    start = WINDOW.index(f"{name} = array<i64: ") + len(f"{name} = array<i64: ")
    old = WINDOW[start:WINDOW.index(">", start)]
    return {"replace": [(f"{name} = array<i64: {old}", f"{name} = array<i64: {new}")]}


case(Program("reduce_window", [A, F], WINDOW, ["tensor<2x6xf32>"], add(F)),
     C1={"operands": [A]}, C3={"operands": [A, G]}, C4=changed("window_dimensions", "2"), C5=changed("window_dimensions", "0, 3"),
     C6=changed("window_strides", "2"), C7=changed("window_strides", "2, 0"), C8=changed("base_dilations", "1"), C9=changed("base_dilations", "0, 1"),
     C10=changed("window_dilations", "1"), C11=changed("window_dilations", "1, 0"),
     C12={"replace": [("dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>", "dense<[[0, 0, 1, 1]]> : tensor<1x4xi64>")]}, C13={"regions": NARROW},
     C15={"results": ["tensor<3x6xf32>"]}, C16={"results": ["tensor<2x6xf64>"]})
case(Program("reduce_window", [A, A, F, F], WINDOW, ["tensor<2x6xf32>", "tensor<2x6xf32>"], TWO), C2={"operands": [A, OTHER, F, F]},
     C14={"results": ["tensor<2x6xf32>", "tensor<2x5xf32>"]})

PLAIN = "window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>, padding = dense<0> : tensor<2x2xi64>"
SOURCE = "tensor<2x2xf32>"
BOTH = f"{select(F)}, {add(F)}"
case(Program("select_and_scatter", [A, SOURCE, F], PLAIN, [A], BOTH),
     C1={"operands": [A, "tensor<2x2xf64>", F]}, C2={"operands": [A, "tensor<2x3xf32>", F]}, C3={"operands": [A, SOURCE, G]},
     C4={"replace": [("2, 3", "2")]}, C5={"replace": [("2, 3", "2, 0")]}, C6={"replace": [("strides = array<i64: 2, 3", "strides = array<i64: 2")]},
     C7={"replace": [("strides = array<i64: 2, 3", "strides = array<i64: 2, 0")]}, C8={"replace": [("tensor<2x2xi64>", "tensor<4x1xi64>")]},
     C9={"regions": f"{select(H)}, {add(F)}"}, C10={"regions": f"{select(F)}, {NARROW}"}, C11={"results": [OTHER]}, C12={"results": [A64]})

SCATTER = ("scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], "
           "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>")
INPUT, INDICES, UPDATES = "tensor<2x4x5xf32>", "tensor<2x3x2xi32>", "tensor<2x3x2xf32>"
swap = lambda old, new: {"replace": [(old, new)]}
case(Program("scatter", [INPUT, INDICES, UPDATES], SCATTER, [INPUT], add(F)),
     C2=swap("inserted_window_dims = [1]", "inserted_window_dims = []"), C4={"operands": [INPUT, INDICES, "tensor<2x4x2xf32>"]},
     C5={"operands": [INPUT, INDICES]}, C6={"operands": [INPUT, INDICES, "tensor<2x3x2xf64>"]}, C8=swap("update_window_dims = [2]", "update_window_dims = [3]"),
     C9=swap("inserted_window_dims = [1]", "inserted_window_dims = [0]"), C11=swap("inserted_window_dims = [1]", "inserted_window_dims = [3]"),
     C13=swap("input_batching_dims = [0]", "input_batching_dims = [3]"), C15=swap("indices_batching_dims = [0]", "indices_batching_dims = [3]"),
     C16=swap("indices_batching_dims = [0]", "indices_batching_dims = [2]"), C17=swap("indices_batching_dims = [0]", "indices_batching_dims = []"),
     C18={"operands": [INPUT, "tensor<3x3x2xi32>", "tensor<3x3x2xf32>"]}, C19=swap("operand_dims = [1, 2]", "operand_dims = [1]"),
     C20=swap("operand_dims = [1, 2]", "operand_dims = [1, 1]"), C21=swap("operand_dims = [1, 2]", "operand_dims = [1, 3]"),
     C22=swap("index_vector_dim = 2", "index_vector_dim = 4"), C23={"regions": NARROW}, C24={"results": ["tensor<2x5x4xf32>"]},
     C25={"results": ["tensor<2x4x5xf64>"]}, I2={"operands": [INPUT, UPDATES, UPDATES]})
UNSORTED = "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>"
BIG, FEW = "tensor<4x4x5x5xf32>", "tensor<3x2x2xf32>"
case(Program("scatter", [BIG, "tensor<3x2xi32>", FEW], UNSORTED, [BIG], add(F)), C7=swap("window_dims = [1, 2]", "window_dims = [2, 1]"),
     C10=swap("inserted_window_dims = [0, 1]", "inserted_window_dims = [1, 0]"))
BATCHES = ("scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], "
           "scatter_dims_to_operand_dims = [2], index_vector_dim = 2>")
case(Program("scatter", ["tensor<3x3x5xf32>", "tensor<3x3xi32>", "tensor<3x3x2xf32>"], BATCHES, ["tensor<3x3x5xf32>"], add(F)),
     C12=swap("input_batching_dims = [0, 1]", "input_batching_dims = [1, 0]"), C14=swap("indices_batching_dims = [0, 1]", "indices_batching_dims = [0, 0]"))
case(Program("scatter", [BIG, BIG, "tensor<3x2xi32>", FEW, FEW], UNSORTED, [BIG, BIG], TWO),
     C1={"operands": [BIG, "tensor<4x4x5x6xf32>", "tensor<3x2xi32>", FEW, FEW]}, C3={"operands": [BIG, BIG, "tensor<3x2xi32>", FEW, "tensor<3x2x1xf32>"]})

case(Program("sort", [A], "dimension = 1 : i64, is_stable = true", [A], select(F)), C1={"operands": [], "results": []}, C2={"results": [A64]},
     C4={"replace": [("1", "2")]}, C5={"regions": select(F, "another")})
PAIR = ('{ ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>): %p = "stablehlo.compare"(%a, %b) {' + COMPARE
        + '} : (tensor<f32>, tensor<f32>) -> tensor<i1> "stablehlo.return"(%p) : (tensor<i1>) -> () }')
case(Program("sort", [A, A], "dimension = 1 : i64, is_stable = true", [A, A], PAIR), C3={"operands": [A, OTHER], "results": [A, OTHER]})
MAP = body([F, F], None)
case(Program("map", [A, A], "dimensions = array<i64: 0, 1>", [A], MAP), C1={"operands": [A, OTHER]}, C2={"operands": []},
     C3={"replace": [("0, 1", "1, 0")]}, C4={"regions": body([G, G], None)})

P, N = "tensor<i1>", "tensor<i32>"
case(Program("if", [P], "", [F], f"{give(F)}, {give(F)}"), C1={"regions": f"{give(F, arguments='%x: tensor<f32>')}, {give(F)}"},
     C2={"regions": f"{give(F)}, {give(G)}"}, C3={"results": [G]}, I1={"operands": [F]})
case(Program("case", [N], "", [F], f"{give(F)}, {give(F)}"), C1={"regions": ""}, C2={"regions": f"{give(F)}, {give(F, arguments='%x: tensor<f32>')}"},
     C3={"regions": f"{give(F)}, {give(G)}"}, C4={"results": [G]}, I1={"operands": [F]})
CONDITION, STEP = give(P, arguments="%x: tensor<f32>"), give(F, arguments="%x: tensor<f32>")
case(Program("while", [F], "", [F], f"{CONDITION}, {STEP}"), C1={"regions": f"{give(F, arguments='%x: tensor<f32>')}, {STEP}"},
     C2={"regions": f"{CONDITION}, {give(G, arguments='%x: tensor<f32>')}"}, C3={"results": [G]})
