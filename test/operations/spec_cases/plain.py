# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operations, and those that move elements."""
from . import Program, case

F, G, I, B, C = "tensor<2x3xf32>", "tensor<2x3xf64>", "tensor<2x3xi32>", "tensor<2x3xi1>", "tensor<2x3xcomplex<f32>>"
OTHER = "tensor<3x2xf32>"

for name in ("cbrt", "ceil", "cosine", "exponential", "exponential_minus_one", "floor", "log", "log_plus_one", "logistic", "negate", "round_nearest_afz",
             "round_nearest_even", "rsqrt", "sign", "sine", "sqrt", "tan", "tanh"):
    case(Program(name, [F], "", [F]), C1={"results": [G]}, I1={"operands": [B], "results": [B]})
for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "remainder"):
    case(Program(name, [F, F], "", [F]), C1={"operands": [F, G]})
for name in ("and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical"):
    case(Program(name, [I, I], "", [I]), C1={"operands": [I, "tensor<2x3xi64>"]}, I1={"operands": [F, F], "results": [F]})
for name in ("not", "popcnt", "count_leading_zeros"):
    case(Program(name, [I], "", [I]), C1={"results": ["tensor<2x3xi64>"]}, I1={"operands": [F], "results": [F]})
case(Program("atan2", [F, F], "", [F]), C1={"results": [OTHER]}, I1={"operands": [I, I], "results": [I]})
case(Program("abs", [C], "", [F]), C1={"results": [OTHER]}, C2={"results": [C]}, I1={"operands": [B], "results": [B]})
case(Program("real", [C], "", [F]), C1={"results": [OTHER]}, C2={"results": [G]})
case(Program("imag", [C], "", [F]), C1={"results": [OTHER]}, C2={"results": [G]})
case(Program("complex", [F, F], "", [C]), C1={"operands": [F, G]}, C2={"results": ["tensor<3x2xcomplex<f32>>"]}, C3={"results": ["tensor<2x3xcomplex<f64>>"]})
case(Program("is_finite", [F], "", [B]), C1={"results": ["tensor<3x2xi1>"]}, I1={"operands": [I]})
case(Program("convert", [F], "", [I]), C1={"results": ["tensor<3x2xi32>"]})
case(Program("bitcast_convert", [F], "", [I]), C1={"results": ["tensor<2x3xi16>"]}, C2={"operands": [C]})
case(Program("clamp", [F, F, F], "", [F]), C1={"operands": [OTHER, F, F]}, C2={"operands": [F, F, OTHER]}, C3={"operands": [G, F, F]}, C4={"results": [G]})
case(Program("compare", [F, F], "comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>", [B]),
     C1={"operands": [F, G]}, C2={"results": ["tensor<3x2xi1>"]}, C3={"replace": [("FLOAT", "SIGNED")]})
case(Program("select", [B, F, F], "", [F]), C1={"operands": ["tensor<3x2xi1>", F, F]}, C2={"operands": [B, F, G]}, I1={"operands": [I, F, F]})
case(Program("reduce_precision", [F], "exponent_bits = 5 : i32, mantissa_bits = 10 : i32", [F]), C1={"results": [OTHER]}, C2={"replace": [("5", "0")]},
     C3={"replace": [("10", "-1")]})
case(Program("constant", [], "value = dense<1.0> : tensor<2x3xf32>", [F]), C1={"results": [G]})
case(Program("iota", [], "iota_dimension = 1 : i64", [F]), C1={"replace": [("1", "2")]})
case(Program("optimization_barrier", [F], "", [F]), C1={"results": [G]})
case(Program("get_dimension_size", [F], "dimension = 1 : i64", ["tensor<i32>"]), C1={"replace": [("1", "2")]})

case(Program("broadcast_in_dim", ["tensor<1x3xf32>"], "broadcast_dimensions = array<i64: 2, 1>", ["tensor<2x3x2xf32>"]),
     C1={"results": ["tensor<2x3x2xf64>"]}, C2={"replace": [("2, 1", "1")]}, C3={"replace": [("2, 1", "3, 1")]}, C4={"replace": [("2, 1", "1, 1")]},
     C5={"results": ["tensor<2x4x2xf32>"]})
case(Program("reshape", [F], "", ["tensor<6xf32>"]), C1={"results": ["tensor<6xf64>"]}, C2={"results": ["tensor<5xf32>"]})
case(Program("reverse", [F], "dimensions = array<i64: 0, 1>", [F]), C1={"results": [OTHER]}, C2={"replace": [("0, 1", "1, 1")]},
     C3={"replace": [("0, 1", "0, 2")]})
case(Program("transpose", [F], "permutation = array<i64: 1, 0>", [OTHER]), C1={"results": ["tensor<3x2xf64>"]}, C2={"replace": [("1, 0", "1, 1")]},
     C3={"results": [F]})
case(Program("concatenate", [F, F], "dimension = 0 : i64", ["tensor<4x3xf32>"]), C1={"operands": [F, G]}, C2={"operands": [F, OTHER]},
     C3={"operands": []}, C4={"replace": [("0", "2")]}, C5={"results": ["tensor<4x3xf64>"]}, C6={"results": ["tensor<5x3xf32>"]})
case(Program("slice", [F], "start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 3>, strides = array<i64: 1, 1>", ["tensor<2x2xf32>"]),
     C1={"results": ["tensor<2x2xf64>"]}, C2={"replace": [("0, 1", "0")]}, C3={"replace": [("2, 3", "2, 4")]}, C4={"replace": [("1, 1", "1, 0")]},
     C5={"results": ["tensor<2x1xf32>"]})
case(Program("pad", [F, "tensor<f32>"], "edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>, interior_padding = array<i64: 0, 1>",
             ["tensor<4x7xf32>"]),
     C1={"operands": [F, "tensor<f64>"]}, C2={"replace": [("2, 1", "2")]}, C3={"replace": [("interior_padding = array<i64: 0, 1", "interior_padding = array<i64: 0, -1")]},
     C4={"results": ["tensor<4x8xf32>"]}, I2={"operands": [F, "tensor<1xf32>"]})
S = "tensor<i32>"
case(Program("dynamic_slice", [F, S, S], "slice_sizes = array<i64: 1, 2>", ["tensor<1x2xf32>"]), C1={"results": ["tensor<1x2xf64>"]},
     C2={"operands": [F, S]}, C3={"operands": [F, S, "tensor<i64>"]}, C4={"replace": [("1, 2", "1, 4")], "results": ["tensor<1x4xf32>"]},
     C5={"results": ["tensor<1x3xf32>"]}, I2={"operands": [F, "tensor<f32>", "tensor<f32>"]})
case(Program("dynamic_update_slice", [F, "tensor<1x2xf32>", S, S], "", [F]), C1={"results": [OTHER]}, C2={"operands": [F, "tensor<1x2xf64>", S, S]},
     C3={"operands": [F, "tensor<2xf32>", S, S]}, C4={"operands": [F, "tensor<1x2xf32>", S]}, C5={"operands": [F, "tensor<1x2xf32>", S, "tensor<i64>"]},
     C6={"operands": [F, "tensor<1x4xf32>", S, S]})

GATHER = ("dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], "
          "start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2>")
case(Program("gather", ["tensor<2x4x5xf32>", "tensor<2x3x2xi32>"], GATHER, ["tensor<2x3x2xf32>"]),
     C1={"replace": [("collapsed_slice_dims = [1]", "collapsed_slice_dims = []")]}, C2={"replace": [("index_vector_dim = 2", "index_vector_dim = 4")]},
     C3={"replace": [("start_index_map = [1, 2]", "start_index_map = [1]")]}, C5={"replace": [("offset_dims = [2]", "offset_dims = [3]")]},
     C6={"replace": [("collapsed_slice_dims = [1]", "collapsed_slice_dims = [0]")]},
     C8={"replace": [("collapsed_slice_dims = [1]", "collapsed_slice_dims = [3]")]}, C9={"replace": [("1, 1, 2", "1, 2, 2")]},
     C11={"replace": [("operand_batching_dims = [0]", "operand_batching_dims = [3]")]}, C12={"replace": [("1, 1, 2", "2, 1, 2")]},
     C14={"replace": [("start_indices_batching_dims = [0]", "start_indices_batching_dims = [3]")]},
     C15={"replace": [("start_indices_batching_dims = [0]", "start_indices_batching_dims = [2]")]},
     C16={"replace": [("start_indices_batching_dims = [0]", "start_indices_batching_dims = []")]},
     C17={"operands": ["tensor<2x4x5xf32>", "tensor<3x3x2xi32>"], "results": ["tensor<3x3x2xf32>"]},
     C18={"replace": [("start_index_map = [1, 2]", "start_index_map = [1, 1]")]}, C19={"replace": [("start_index_map = [1, 2]", "start_index_map = [1, 3]")]},
     C20={"replace": [("1, 1, 2", "1, 1")]}, C21={"replace": [("1, 1, 2", "1, 1, 6")], "results": ["tensor<2x3x6xf32>"]},
     C22={"results": ["tensor<2x3x3xf32>"]}, C23={"results": ["tensor<2x3x2xf64>"]}, I2={"operands": ["tensor<2x4x5xf32>", "tensor<2x3x2xf32>"]})
SORTED = ("dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, "
          "slice_sizes = array<i64: 1, 1, 2, 2>")
case(Program("gather", ["tensor<4x4x5x5xf32>", "tensor<3x2xi32>"], SORTED, ["tensor<3x2x2xf32>"]), C4={"replace": [("offset_dims = [1, 2]", "offset_dims = [2, 1]")]},
     C7={"replace": [("collapsed_slice_dims = [0, 1]", "collapsed_slice_dims = [1, 0]")]})
BATCHED = ("dimension_numbers = #stablehlo.gather<offset_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], "
           "start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2>")
case(Program("gather", ["tensor<3x3x5xf32>", "tensor<3x3xi32>"], BATCHED, ["tensor<3x3x2xf32>"]),
     C10={"replace": [("operand_batching_dims = [0, 1]", "operand_batching_dims = [1, 0]")]},
     C13={"replace": [("start_indices_batching_dims = [0, 1]", "start_indices_batching_dims = [0, 0]")]})
