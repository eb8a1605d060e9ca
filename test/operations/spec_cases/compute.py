# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products, convolutions, normalisation, transforms, matrices, random numbers."""
from . import Program, case

swap = lambda old, new: {"replace": [(old, new)]}
DOT = ("dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], "
       "rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]")
ALGORITHM = (", algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, "
             "rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>")
L, R, O = "tensor<2x3x4xf32>", "tensor<2x4x5xf32>", "tensor<2x3x5xf32>"
case(Program("dot_general", [L, R], DOT, [O]),
     C1=swap("lhs_batching_dimensions = [0]", "lhs_batching_dimensions = []"), C2=swap("lhs_contracting_dimensions = [2]", "lhs_contracting_dimensions = []"),
     C3=swap("lhs_contracting_dimensions = [2]", "lhs_contracting_dimensions = [0]"), C4=swap("rhs_contracting_dimensions = [1]", "rhs_contracting_dimensions = [0]"),
     C5=swap("lhs_batching_dimensions = [0]", "lhs_batching_dimensions = [3]"), C6=swap("lhs_contracting_dimensions = [2]", "lhs_contracting_dimensions = [3]"),
     C7=swap("rhs_batching_dimensions = [0]", "rhs_batching_dimensions = [3]"), C8=swap("rhs_contracting_dimensions = [1]", "rhs_contracting_dimensions = [3]"),
     C9={"operands": [L, "tensor<3x4x5xf32>"]}, C10={"operands": [L, "tensor<2x6x5xf32>"]}, C11=swap(", #stablehlo<precision DEFAULT>]", "]"),
     C12={"results": ["tensor<2x3x6xf32>"]}, C13={"operands": [L, "tensor<2x4x5xi32>"]})
case(Program("dot_general", [L, R], DOT + ALGORITHM, [O]), C21=swap("DEFAULT", "HIGHEST"), C22=swap("lhs_component_count = 1", "lhs_component_count = -1"),
     C23=swap("rhs_component_count = 1", "rhs_component_count = 0"), C24=swap("num_primitive_operations = 1", "num_primitive_operations = 0"))

CONV = ("window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, "
        "rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
        "feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]")
X, K, Y = "tensor<2x8x8x4xf32>", "tensor<3x3x4x6xf32>", "tensor<2x6x4x6xf32>"
groups = lambda features, batches: {"replace": [("feature_group_count = 1", f"feature_group_count = {features}"), ("batch_group_count = 1", f"batch_group_count = {batches}")]}
case(Program("convolution", [X, K], CONV, [Y]),
     C1={"operands": [X, "tensor<3x3x4xf32>"]}, C2=swap("strides = array<i64: 1, 2", "strides = array<i64: 1"), C3=swap("strides = array<i64: 1, 2", "strides = array<i64: 1, 0"),
     C4=swap("dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>", "dense<[[0, 0, 1, 1]]> : tensor<1x4xi64>"), C5=swap("lhs_dilation = array<i64: 1, 1", "lhs_dilation = array<i64: 1"),
     C6=swap("lhs_dilation = array<i64: 1, 1", "lhs_dilation = array<i64: 0, 1"), C7=swap("rhs_dilation = array<i64: 1, 1", "rhs_dilation = array<i64: 1"),
     C8=swap("rhs_dilation = array<i64: 1, 1", "rhs_dilation = array<i64: 1, 0"), C9=swap("array<i1: false, false", "array<i1: false"), C10=groups(1, 3), C11=groups(3, 1),
     C12=swap("[b, 0, 1, f]x", "[b, 0, f]x"), C13=swap("[b, 0, 1, f]x", "[b, 0, 0, f]x"), C14={"operands": [X, "tensor<3x3x3x6xf32>"]}, C15={**groups(1, 2), "operands": [X, "tensor<3x3x4x5xf32>"]},
     C16={**groups(2, 1), "operands": [X, "tensor<3x3x2x5xf32>"]}, C17=swap("[0, 1, i, o]", "[0, i, o]"), C18=swap("[0, 1, i, o]", "[1, 1, i, o]"), C19=swap("->[b, 0, 1, f]", "->[b, 0, f]"),
     C20=swap("->[b, 0, 1, f]", "->[b, f, 1, f]"), C21=groups(0, 1), C22=groups(1, 0),
     C23={**groups(2, 2), "operands": [X, "tensor<3x3x2x6xf32>"]}, C24=swap(", #stablehlo<precision DEFAULT>]", "]"), C25={"results": ["tensor<2x6x5x6xf32>"]},
     C26={"results": ["tensor<2x6x24xf32>"]}, C27={"results": ["tensor<2x6x4x6xi32>"]})

T, V = "tensor<2x3x4xf32>", "tensor<3xf32>"
BN = "epsilon = 1.0e-5 : f32, feature_index = 1 : i64"
W, V64 = "tensor<4xf32>", "tensor<3xf64>"
case(Program("batch_norm_inference", [T, V, V, V, V], BN, [T]), C1=swap("feature_index = 1", "feature_index = 3"), C2={"operands": [T, V64, V, V, V]},
     C3={"operands": [T, W, V, V, V]}, C4={"operands": [T, V, W, V, V]}, C5={"operands": [T, V, V, W, V]}, C6={"operands": [T, V, V, V, W]},
     C7={"results": ["tensor<3x2x4xf32>"]})
case(Program("batch_norm_training", [T, V, V], BN, [T, V, V]), C1=swap("feature_index = 1", "feature_index = -1"), C2={"operands": [T, V64, V]},
     C3={"operands": [T, W, V]}, C4={"operands": [T, V, W]}, C5={"results": [T, W, V]}, C6={"results": [T, V, W]}, C7={"results": ["tensor<3x2x4xf32>", V, V]})
case(Program("batch_norm_grad", [T, V, V, V, T], BN, [T, V, V]), C1=swap("feature_index = 1", "feature_index = 3"), C2={"operands": [T, V64, V, V, T]},
     C3={"operands": [T, V, V, V, "tensor<3x2x4xf32>"]}, C4={"results": [T, V, W]}, C5={"operands": [T, W, W, W, T], "results": [T, W, W]})

case(Program("fft", ["tensor<2x8xf32>"], "fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>", ["tensor<2x5xcomplex<f32>>"]),
     C1={"operands": ["tensor<8xf32>"], "results": ["tensor<5xcomplex<f32>>"], "replace": [("64: 8", "64: 1, 8")]}, C2={"results": ["tensor<2x5xf32>"]},
     C3={"replace": [("64: 8", "64")]}, C4={"replace": [("64: 8", "64: 6")]}, C5={"results": ["tensor<2x8xcomplex<f32>>"]})
M = "tensor<2x3x3xf32>"
case(Program("cholesky", [M], "lower = true", [M]), C1={"results": ["tensor<2x3x3xf64>"]}, C2={"operands": ["tensor<3xf32>"], "results": ["tensor<3xf32>"]},
     C3={"operands": ["tensor<2x3x4xf32>"], "results": ["tensor<2x3x4xf32>"]}, I1={"operands": ["tensor<2x3x3xi32>"], "results": ["tensor<2x3x3xi32>"]})
SOLVE = "left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>"
case(Program("triangular_solve", [M, "tensor<2x3x4xf32>"], SOLVE, ["tensor<2x3x4xf32>"]), C1={"operands": ["tensor<2x3x3xf64>", "tensor<2x3x4xf32>"]},
     C2={"operands": ["tensor<3x3xf32>", "tensor<2x3x4xf32>"]}, C3={"operands": [M, "tensor<2x4x4xf32>"], "results": ["tensor<2x4x4xf32>"]},
     C4={"results": ["tensor<2x3x5xf32>"]})

RNG = "rng_distribution = #stablehlo<rng_distribution UNIFORM>"
E, SHAPE = "tensor<f32>", "tensor<2xi64>"
case(Program("rng", [E, E, SHAPE], RNG, ["tensor<2x3xf32>"]), C1={"operands": [E, "tensor<f64>", SHAPE]},
     C2={"operands": ["tensor<i32>", "tensor<i32>", SHAPE], "results": ["tensor<2x3xi32>"], "replace": [("UNIFORM", "NORMAL")]},
     C3={"operands": [E, E, "tensor<3xi64>"]})
THREE = "rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>"
case(Program("rng_bit_generator", ["tensor<2xui64>"], THREE, ["tensor<2xui64>", "tensor<3xui32>"]), C1={"results": ["tensor<2xui32>", "tensor<3xui32>"]},
     C2={"operands": ["tensor<3xui64>"], "results": ["tensor<3xui64>", "tensor<3xui32>"]})

# The constraints of the attribute are in no list of the specification: A1, A2.
ACCURACY = "result_accuracy = #stablehlo.result_accuracy<atol = 0.0, rtol = 0.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>"
for name in ("exponential", "cosine", "log", "rsqrt", "tanh"):
    case(Program(name, ["tensor<2xf32>"], ACCURACY, ["tensor<2xf32>"]), A1=swap("TOLERANCE", "DEFAULT"), A2=swap("ulps = 2", "ulps = -2"))
