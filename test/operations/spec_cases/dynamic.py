# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dynamic operations whose results are static: what others have as attributes are operands here, constants."""
from . import Program, case
from .compute import CONV, K, X, Y, groups, swap

F = "tensor<2x3xf32>"
PAIR, TRIPLE = "tensor<2xi64>", "tensor<3xi64>"

case(Program("dynamic_reshape", [F, "tensor<1xi64>"], "", ["tensor<6xf32>"], constants={1: "6"}), C1={"results": ["tensor<6xf64>"]},
     C2={"results": ["tensor<5xf32>"], "constants": {1: "5"}}, C4={"operands": [F, PAIR], "constants": {1: "[6, 1]"}})
case(Program("dynamic_iota", [PAIR], "iota_dimension = 1 : i64", [F], constants={0: "[2, 3]"}), C1=swap("1", "2"),
     C2={"operands": [TRIPLE], "constants": {0: "[2, 3, 1]"}})

BROADCAST = ("broadcast_dimensions = array<i64: 2, 1>, known_expanding_dimensions = array<i64: 0>, "
             "known_nonexpanding_dimensions = array<i64: 1>")
FLAT, WIDE = "tensor<1x3xf32>", "tensor<2x3x2xf32>"
case(Program("dynamic_broadcast_in_dim", [FLAT, TRIPLE], BROADCAST, [WIDE], constants={1: "[2, 3, 2]"}), C1={"results": ["tensor<2x3x2xf64>"]},
     C2=swap("2, 1", "1"), C3=swap("2, 1", "3, 1"), C4=swap("2, 1", "1, 1"), C5={"results": ["tensor<2x4x2xf32>"], "constants": {1: "[2, 4, 2]"}},
     C7={"operands": [FLAT, PAIR], "constants": {1: "[2, 3]"}}, C8=swap("nonexpanding_dimensions = array<i64: 1", "nonexpanding_dimensions = array<i64: 0"),
     C9=swap("known_expanding_dimensions = array<i64: 0", "known_expanding_dimensions = array<i64: 2"),
     C10=swap("nonexpanding_dimensions = array<i64: 1", "nonexpanding_dimensions = array<i64: 2"))

PADDED = [F, "tensor<f32>", PAIR, PAIR, PAIR]
EDGES = {2: "[0, 1]", 3: "[2, 1]", 4: "[0, 1]"}
case(Program("dynamic_pad", PADDED, "", ["tensor<4x7xf32>"], constants=EDGES), C1={"operands": [F, "tensor<f64>", PAIR, PAIR, PAIR]},
     C2={"operands": [F, "tensor<f32>", PAIR, "tensor<1xi64>", PAIR], "constants": {**EDGES, 3: "2"}}, C3={"constants": {**EDGES, 4: "[0, -1]"}},
     C4={"results": ["tensor<4x8xf32>"]})

OPERAND, INDICES, SLICES = "tensor<4x4x5x5xf32>", "tensor<3x2xi32>", "tensor<4xi64>"
GATHER = "dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>"
case(Program("dynamic_gather", [OPERAND, INDICES, SLICES], GATHER, ["tensor<3x2x2xf32>"], constants={2: "[1, 1, 2, 2]"}),
     C1=swap("collapsed_slice_dims = [0, 1]", "collapsed_slice_dims = [0]"), C2=swap("index_vector_dim = 1", "index_vector_dim = 3"),
     C3=swap("start_index_map = [0, 1]", "start_index_map = [0]"), C4=swap("offset_dims = [1, 2]", "offset_dims = [2, 1]"),
     C5=swap("offset_dims = [1, 2]", "offset_dims = [1, 3]"), C6=swap("collapsed_slice_dims = [0, 1]", "collapsed_slice_dims = [1, 0]"),
     C7=swap("collapsed_slice_dims = [0, 1]", "collapsed_slice_dims = [0, 4]"), C8={"constants": {2: "[1, 2, 2, 2]"}},
     C9=swap("start_index_map = [0, 1]", "start_index_map = [1, 1]"), C10=swap("start_index_map = [0, 1]", "start_index_map = [0, 4]"),
     C11={"operands": [OPERAND, INDICES, TRIPLE], "constants": {2: "[1, 1, 2]"}},
     C12={"constants": {2: "[1, 1, 2, 6]"}, "results": ["tensor<3x2x6xf32>"]}, C13={"results": ["tensor<3x2x3xf32>"]},
     C14={"results": ["tensor<3x2x2xf64>"]})

# A convolution whose padding is an operand: its constraints are those of `convolution`, with other numbers from C25 on.
PADDING = "tensor<2x2xi64>"
DYNAMIC = CONV.replace("padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, ", "")
kernel = lambda rhs: {"operands": [X, rhs, PADDING]}
case(Program("dynamic_conv", [X, K, PADDING], DYNAMIC, [Y], constants={2: "[[0, 0], [1, 1]]"}),
     C1=kernel("tensor<3x3x4xf32>"), C2=swap("strides = array<i64: 1, 2", "strides = array<i64: 1"), C3=swap("strides = array<i64: 1, 2", "strides = array<i64: 1, 0"),
     C4={"operands": [X, K, "tensor<1x4xi64>"], "constants": {2: "[[0, 0, 1, 1]]"}},
     C5=swap("lhs_dilation = array<i64: 1, 1", "lhs_dilation = array<i64: 1"), C6=swap("lhs_dilation = array<i64: 1, 1", "lhs_dilation = array<i64: 0, 1"),
     C7=swap("rhs_dilation = array<i64: 1, 1", "rhs_dilation = array<i64: 1"), C8=swap("rhs_dilation = array<i64: 1, 1", "rhs_dilation = array<i64: 1, 0"),
     C9=swap("array<i1: false, false", "array<i1: false"), C10=groups(1, 3), C11=groups(3, 1), C12=swap("[b, 0, 1, f]x", "[b, 0, f]x"),
     C13=swap("[b, 0, 1, f]x", "[b, 0, 0, f]x"), C14=kernel("tensor<3x3x3x6xf32>"), C15={**groups(1, 2), **kernel("tensor<3x3x4x5xf32>")},
     C16={**groups(2, 1), **kernel("tensor<3x3x2x5xf32>")}, C17=swap("[0, 1, i, o]", "[0, i, o]"), C18=swap("[0, 1, i, o]", "[1, 1, i, o]"),
     C19=swap("->[b, 0, 1, f]", "->[b, 0, f]"), C20=swap("->[b, 0, 1, f]", "->[b, f, 1, f]"), C21=groups(0, 1), C22=groups(1, 0),
     C23={**groups(2, 2), **kernel("tensor<3x3x2x6xf32>")}, C24=swap(", #stablehlo<precision DEFAULT>]", "]"), C25={"results": ["tensor<2x6x5x6xf32>"]},
     C26={"results": ["tensor<2x6x24xf32>"]}, C27={"results": ["tensor<2x6x4x6xi32>"]})
