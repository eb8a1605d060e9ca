# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantised types, and the constraints on them of operations that take them."""
from . import Program, Written, body, case
from .compute import CONV, DOT, swap
from .distributed import GROUPS, ONE, PAIRS

F, B = "tensor<2x3xf32>", "tensor<2x3xi1>"
Q, OTHER, WIDE, HALF = (f"tensor<2x3x!quant.uniform<{kind}>>" for kind in ("i8:f32, 0.5:3", "i8:f32, 0.25:3", "i16:f32, 0.5:3", "i8:f16, 0.5:3"))
BOUNDED, UNSIGNED = "tensor<2x3x!quant.uniform<i8<-100:100>:f32, 0.5:3>>", "tensor<2x3x!quant.uniform<u8:f32, 0.5:3>>"
SCALES = "{0.5:3, 0.25, 0.125:-1}"
AXIS, FIRST = f"tensor<2x3x!quant.uniform<i8:f32:1, {SCALES}>>", "tensor<2x3x!quant.uniform<i8:f32:0, {0.5:3, 0.25}>>"
CHANGED = AXIS.replace("0.125", "0.0625")
scalar = lambda tensor: tensor.replace("tensor<2x3x", "tensor<")

# Types. Most of their constraints are the business of the dialect quant's parser.
kind = lambda text: {"replace": [("i8:f32, 0.5:3", text)]}
case(Written("Types", f"(%a: {F})", f'%r = "stablehlo.uniform_quantize"(%a) : ({F}) -> {Q}'), C1=kind("i8<-200:100>:f32, 0.5:3"),
     C2=kind("i8<-100:200>:f32, 0.5:3"), C3=kind("i8<5:5>:f32, 0.5:5"), C4=kind("i8:i32, 0.5:3"), C5=kind("i8:f32, 0.0:3"), C6=kind("i8:f32, 1.0e39:3"),
     C7=kind("i8<-100:100>:f32, 0.5:101"), C8=kind("i8:f32, 0.5:3.5"), C9=kind("i8:f32:1, {0.5:3, :4, 0.5}"), C10=kind("i8:f32, {0.5:3, 0.25}"),
     C11=kind("i8:f32:-1, {0.5:3, 0.25}"), C12=kind("i8:f32:2, {0.5:3, 0.25, 0.5}"), C13=kind("i8:f32:1, {0.5:3, 0.25}"))
case(Written("Types", f"(%a: {F})", f'%r = "stablehlo.uniform_quantize"(%a) : ({F}) -> {Q}'), I1=kind("i7:f32, 0.5:3"), I4=kind("i8:f8E5M2, 0.5:3"),
     I5=kind("i8:f32:{0:1}, {0.5, 0.25}"))
constant = lambda value, of: Written("Constants", "()", f'%c = "stablehlo.constant"() {{value = dense<{value}> : {of}}} : () -> {Q}')
case(constant("[[1, 2, 3], [4, 5, 6]]", "tensor<2x3xi8>"), C1=swap("tensor<2x3xi8>", "tensor<2x3xi16>"), C2=swap("[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>", "[1, 2]> : tensor<2xi8>"))

case(Program("uniform_quantize", [F], "", [Q]), C1={"results": ["tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>"]}, C2={"results": [HALF]}, I1={"operands": ["tensor<2x3xi32>"]})
case(Program("uniform_quantize", [AXIS], "", [Q]), C2={"results": [HALF]}, I1={"results": [F]})
case(Program("uniform_dequantize", [Q], "", [F]), C1={"results": ["tensor<3x2xf32>"]}, C2={"results": ["tensor<2x3xf16>"]}, I1={"operands": [F]})

# What computes on floats: one scale, and types that are equal but for scales and zero points.
for name in ("abs", "cbrt", "ceil", "cosine", "exponential", "exponential_minus_one", "floor", "log", "log_plus_one", "logistic", "negate", "round_nearest_afz",
             "round_nearest_even", "rsqrt", "sign", "sine", "sqrt", "tan", "tanh"):
    case(Program(name, [Q], "", [OTHER]), **{"C2" if name == "abs" else "C1": {"results": [WIDE]}}, I1={"operands": [AXIS], "results": [AXIS]})
for name in ("atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder", "subtract"):
    case(Program(name, [Q, OTHER], "", [Q]), C1={"operands": [Q, HALF]}, I1={"operands": [AXIS, Q]}, I2={"operands": [Q, F]})
case(Program("reduce_precision", [Q], "exponent_bits = 5 : i32, mantissa_bits = 3 : i32", [Q]), C1={"results": [BOUNDED]})
case(Program("clamp", [scalar(Q), OTHER, Q], "", [Q]), C3={"operands": [scalar(HALF), OTHER, Q]}, C4={"results": [UNSIGNED]})
case(Program("select", [B, Q, OTHER], "", [Q]), C2={"operands": [B, Q, WIDE]}, I2={"operands": [B, AXIS, Q]}, I3={"operands": [B, Q, F]})
case(Program("compare", [Q, OTHER], "comparison_direction = #stablehlo<comparison_direction LT>", [B]), C1={"operands": [Q, WIDE]}, I1={"operands": [AXIS, AXIS]},
     C3={"attributes": "comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>"})
case(Program("is_finite", [Q], "", [B]), C1={"results": ["tensor<3x2xi1>"]}, I1={"operands": [AXIS]})
case(Program("iota", [], "iota_dimension = 1 : i64", [Q]), A1={"attributes": "iota_dimension = 2 : i64"}, I1={"results": [AXIS]})
case(Program("add", [AXIS, Q], "", [AXIS]), C2={"operands": [AXIS, F]}, C3={"operands": [AXIS, WIDE]}, C4={"operands": [AXIS, HALF]}, C5={"results": [Q]},
     C6={"operands": [FIRST, Q]}, C7={"operands": [AXIS, FIRST]})
case(Program("add", [BOUNDED, Q], "", [OTHER]), C5={"results": [AXIS]})
V, R = "tensor<3x!quant.uniform<i8:f32, 0.5:3>>", "epsilon = 0.1 : f32, feature_index = 1 : i64"
case(Program("batch_norm_inference", [Q, V, V, V, V], R, [Q]), C2={"operands": [Q, V, V.replace("i8", "i16"), V, V]}, C7={"results": [BOUNDED]})
case(Program("batch_norm_training", [Q, V, V], R, [Q, V, V]), C2={"operands": [Q, V, V.replace("f32", "f16")]}, C7={"results": [WIDE, V, V]})
case(Program("batch_norm_grad", [Q, V, V, V, Q], R, [Q, V, V]), C2={"operands": [Q, V, V, V, BOUNDED]})
S = "tensor<3x3x!quant.uniform<i8:f32, 0.5:3>>"
case(Program("cholesky", [S], "lower = true", [S]), C1={"results": [S.replace("i8", "i16")]})
case(Program("triangular_solve", [S, S], "left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>", [S]),
     C1={"operands": [S.replace("f32", "f16"), S]}, C4={"results": [S.replace("i8", "i16")]})

# What moves elements.
case(Program("transpose", [AXIS], "permutation = array<i64: 1, 0>", [f"tensor<3x2x!quant.uniform<i8:f32:0, {SCALES}>>"]),
     C1={"results": [f"tensor<3x2x!quant.uniform<i8:f32:0, {SCALES.replace('0.25', '0.5')}>>"]}, C4=swap("1, 0", "0, 1"))
case(Program("reshape", [AXIS], "", [f"tensor<2x1x3x!quant.uniform<i8:f32:2, {SCALES}>>"]), C1={"results": ["tensor<2x1x3x!quant.uniform<i8:f32, 0.5:3>>"]},
     C3={"results": [f"tensor<3x2x!quant.uniform<i8:f32:0, {SCALES}>>"]})
case(Program("reshape", [Q], "", ["tensor<6x!quant.uniform<i8:f32, 0.5:3>>"]), C1={"results": ["tensor<6x!quant.uniform<i8:f32, 0.25:3>>"]})
case(Program("dynamic_reshape", [AXIS, "tensor<3xi64>"], "", [f"tensor<2x1x3x!quant.uniform<i8:f32:2, {SCALES}>>"], constants={1: "[2, 1, 3]"}),
     C1={"results": [f"tensor<2x1x3x!quant.uniform<i8:f16:2, {SCALES}>>"]}, C3={"results": [f"tensor<3x2x1x!quant.uniform<i8:f32:0, {SCALES}>>"]})
BIG = f"tensor<4x2x3x!quant.uniform<i8:f32:2, {SCALES}>>"
for name, more, constants in (("broadcast_in_dim", [], {}), ("dynamic_broadcast_in_dim", ["tensor<3xi64>"], {1: "[4, 2, 3]"})):
    case(Program(name, [AXIS, *more], "broadcast_dimensions = array<i64: 1, 2>", [BIG], constants=constants), C1={"results": [BIG.replace("i8", "i16")]},
         C6={"results": [BIG.replace("0.25", "0.5")]})
    case(Program(name, ["tensor<2x1x!quant.uniform<i8:f32:1, {0.5:3}>>", *more], "broadcast_dimensions = array<i64: 1, 2>",
                 [f"tensor<4x2x3x!quant.uniform<i8:f32:2, {{0.5:3, 0.5:3, 0.5:3}}>>"], constants=constants), C6={"results": [BIG]})
    case(Program(name, [FIRST, *more], "broadcast_dimensions = array<i64: 1, 2>", ["tensor<4x2x3x!quant.uniform<i8:f32:1, {0.5:3, 0.25}>>"], constants=constants),
         C6={"results": [BIG]})
PART = "start_indices = array<i64: 0, 0>, limit_indices = array<i64: 2, 3>, strides = array<i64: 1, 1>"
case(Program("slice", [Q], PART, [Q]), C1={"results": [OTHER]}, I1={"operands": [AXIS], "results": [AXIS]})
case(Program("reverse", [Q], "dimensions = array<i64: 1>", [Q]), C1={"results": [OTHER]})
case(Program("concatenate", [Q, Q], "dimension = 0 : i64", ["tensor<4x3x!quant.uniform<i8:f32, 0.5:3>>"]), C1={"operands": [Q, OTHER]}, C5={"results": ["tensor<4x3xi8>"]})
PAD = "edge_padding_low = array<i64: 0, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>"
case(Program("pad", [Q, scalar(Q)], PAD, [Q]), C1={"operands": [Q, scalar(OTHER)]})
case(Program("dynamic_slice", [Q, "tensor<i32>", "tensor<i32>"], "slice_sizes = array<i64: 2, 3>", [Q]), C1={"results": [OTHER]})
case(Program("dynamic_update_slice", [Q, Q, "tensor<i32>", "tensor<i32>"], "", [Q]), C1={"results": [OTHER]}, C2={"operands": [Q, OTHER, "tensor<i32>", "tensor<i32>"]})
ROWS = ("dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
        "slice_sizes = array<i64: 1, 3>")
case(Program("gather", [Q, "tensor<2x1xi32>"], ROWS, [Q]), C23={"results": [OTHER]})
case(Program("optimization_barrier", [Q, F], "", [Q, F]), C1={"results": [OTHER, F]})
case(Program("bitcast_convert", [Q], "", [UNSIGNED]), C1={"results": [WIDE]})
case(Program("get_dimension_size", [AXIS], "dimension = 1 : i64", ["tensor<i32>"]), C1=swap("1", "2"))

# Products.
L, R, O = "tensor<2x3x4x!quant.uniform<i8:f32, 0.5:3>>", "tensor<2x4x5x!quant.uniform<i8:f32, 0.5>>", "tensor<2x3x5x!quant.uniform<i32:f32, 0.25>>"
RA, RC = R.replace("f32, 0.5", "f32:2, {0.5, 0.5, 0.5, 0.5, 0.25}"), R.replace("f32, 0.5", "f32:1, {0.5, 0.5, 0.5, 0.25}")
OA = O.replace("f32, 0.25", "f32:2, {0.5, 0.5, 0.5, 0.5, 0.25}")
case(Program("dot_general", [L, R], DOT, [O]), C14={"results": ["tensor<2x3x5xf32>"]}, C15={"operands": [L, R.replace("0.5", "0.5:1")]}, C16={"operands": [L, RC]},
     C17={"operands": [L, R.replace("i8", "i16")]}, C18={"results": [O.replace("f32", "f16")]}, C19={"results": [OA]},
     I1={"operands": [L.replace("f32, 0.5:3", "f32:1, {0.5, 0.25, 0.125}"), R]})
case(Program("dot_general", [L, RA], DOT, [OA]), C17={"operands": [L.replace("i8", "u8"), RA]}, C18={"operands": [L.replace("f32", "f16"), RA]})
case(Program("dot_general", ["tensor<2x3x4xf32>", RA], DOT, ["tensor<2x3x5xf32>"]), C14={"operands": ["tensor<2x3x4xf32>", "tensor<2x4x5xf32>"], "results": [O]},
     C20={"operands": ["tensor<2x3x4xf16>", RA]})
IMAGE, KERNEL, RESULT = (f"tensor<{shape}x!quant.uniform<i8:f32, 0.5>>" for shape in ("2x8x8x4", "3x3x4x6", "2x6x4x6"))
SIX = "{0.5, 0.5, 0.5, 0.5, 0.5, 0.25:3}"
KA, KI = KERNEL.replace("f32, 0.5", f"f32:3, {SIX}"), KERNEL.replace("f32, 0.5", "f32:2, {0.5, 0.5, 0.5, 0.25}")
YA, YB = RESULT.replace("f32, 0.5", f"f32:3, {SIX}"), RESULT.replace("f32, 0.5", "f32:0, {0.5, 0.25}")
case(Program("convolution", [IMAGE, KERNEL], CONV, [RESULT]), C28={"results": ["tensor<2x6x4x6xf32>"]}, C31={"operands": [IMAGE, KERNEL.replace("i8", "i16")]},
     C32={"results": [RESULT.replace("f32", "f16")]}, C33={"results": [YA]})
case(Program("convolution", [IMAGE, KA], CONV, [YA]), C29={"operands": [IMAGE, KI]}, C30={"results": [YB]})
case(Program("convolution", ["tensor<2x8x8x4xf32>", KA], CONV, ["tensor<2x6x4x6xf32>"]), C34={"operands": ["tensor<2x8x8x4xf16>", KA]})

# Combinations.
SUM, WIDER, LESS = (body([scalar(of)] * 2, "add") for of in (Q, WIDE, Q.replace("i8", "i4")))
ROW, ROWWIDE = Q.replace("2x3x", "2x"), WIDE.replace("2x3x", "2x")
case(Program("reduce", [Q, scalar(Q)], "dimensions = array<i64: 1>", [ROW], SUM), C2={"operands": [Q, scalar(OTHER)]}, C6={"regions": LESS, "results": [ROW.replace("i8", "i4")]},
     C8={"results": [ROWWIDE]}, I1={"operands": [AXIS, scalar(Q)]})
case(Program("reduce", [Q, scalar(Q)], "dimensions = array<i64: 1>", [ROWWIDE], WIDER), C6={"operands": [HALF, scalar(HALF)]})
WINDOW = "window_dimensions = array<i64: 1, 1>"
case(Program("reduce_window", [Q, scalar(Q)], WINDOW, [Q], SUM), C3={"operands": [Q, scalar(OTHER)]}, C13={"regions": LESS, "results": [Q.replace("i8", "i4")]},
     C16={"results": [WIDE]})
SELECT = (f'{{ ^bb0(%x: {scalar(Q)}, %y: {scalar(Q)}): %z = "stablehlo.compare"(%x, %y) {{comparison_direction = #stablehlo<comparison_direction GE>}} : '
          f'({scalar(Q)}, {scalar(Q)}) -> tensor<i1> "stablehlo.return"(%z) : (tensor<i1>) -> () }}')
case(Program("select_and_scatter", [Q, Q, scalar(Q)], WINDOW, [Q], f"{SELECT}, {SUM}"), C1={"operands": [Q, OTHER, scalar(Q)]}, C3={"operands": [Q, Q, scalar(OTHER)]},
     C9={"regions": f"{SELECT.replace('0.5', '0.25')}, {SUM}"}, C10={"regions": f"{SELECT}, {LESS}", "results": [Q.replace("i8", "i4")]}, C12={"results": [WIDE]})
SCATTER = ("scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
           "index_vector_dim = 1>")
case(Program("scatter", [Q, "tensor<2x1xi32>", Q], SCATTER, [Q], SUM), C6={"operands": [Q, "tensor<2x1xi32>", OTHER]}, C25={"results": [WIDE]},
     C23={"regions": LESS, "results": [Q.replace("i8", "i4")]})
case(Program("map", [Q, Q], "dimensions = array<i64: 0, 1>", [Q], SUM), C4={"operands": [Q, OTHER]}, I1={"results": [OTHER]})
ORDER = SELECT.replace("GE", "LT")
case(Program("sort", [Q], "dimension = 1 : i64, is_stable = true", [Q], ORDER), C2={"results": [OTHER]}, C5={"regions": ORDER.replace("0.5", "0.25")})

# Several processes.
case(Program("all_gather", [Q], "all_gather_dim = 1 : i64, " + GROUPS, [Q]), C6={"results": [OTHER]})
case(Program("all_reduce", [Q], GROUPS, [Q], SUM), C5={"regions": LESS, "results": [Q.replace("i8", "i4")]}, C7={"results": [WIDE]})
case(Program("all_to_all", [Q], f"split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, replica_groups = {ONE}", [Q]), C9={"results": [OTHER]})
case(Program("collective_broadcast", [Q], f"replica_groups = {ONE}", [Q]), C3={"results": [OTHER]})
case(Program("collective_permute", [Q], f"source_target_pairs = {PAIRS}", [Q]), C5={"results": [OTHER]})
case(Program("collective_reduce", [Q], f"replica_groups = {ONE}", [Q], SUM), C4={"regions": LESS, "results": [Q.replace("i8", "i4")]})
case(Program("reduce_scatter", [Q], "scatter_dimension = 1 : i64, " + GROUPS, [Q], SUM), C7={"regions": LESS, "results": [Q.replace("i8", "i4")]}, C9={"results": [WIDE]})

# Control flow: integers do not show any more what they stand for.
P = "tensor<i1>"
yields = lambda value, of: f'{{ "stablehlo.return"(%a{value}) : ({of}) -> () }}'
case(Written("if", f"(%p: {P}, %a0: {Q}, %a1: {OTHER})", f'%r = "stablehlo.if"(%p) ({yields(0, Q)}, {yields(0, Q)}) : ({P}) -> {Q}'),
     C3=swap(yields(0, Q), yields(1, OTHER)))
case(Written("case", f"(%p: tensor<i32>, %a0: {Q}, %a1: {OTHER})", f'%r = "stablehlo.case"(%p) ({yields(0, Q)}) : (tensor<i32>) -> {Q}'),
     C4=swap(yields(0, Q), yields(1, OTHER)))
LOOP = (f'%r = "stablehlo.while"(%a0) ({{ ^bb0(%x: {Q}): "stablehlo.return"(%p) : ({P}) -> () }}, {{ ^bb0(%x: {Q}): "stablehlo.return"(%x) : ({Q}) -> () }}) : '
        f'({Q}) -> {Q}')
case(Written("while", f"(%p: {P}, %a0: {Q}, %a1: {OTHER})", LOOP), C1=swap(f"^bb0(%x: {Q}): \"stablehlo.return\"(%p)", f"^bb0(%x: {OTHER}): \"stablehlo.return\"(%p)"),
     C2=swap(f'"stablehlo.return"(%x) : ({Q})', f'"stablehlo.return"(%a1) : ({OTHER})'), C3=swap(f"({Q}) -> {Q}", f"({Q}) -> {OTHER}"))
PACK = f'%t = "stablehlo.tuple"(%a0) : ({Q}) -> tuple<{Q}> %r = "stablehlo.get_tuple_element"(%t) {{index = 0 : i32}} : (tuple<{Q}>) -> {Q}'
case(Written("tuple", f"(%a0: {Q})", PACK), C1={"replace": [(f"-> tuple<{Q}>", f"-> tuple<{OTHER}>"), (f"(tuple<{Q}>)", f"(tuple<{OTHER}>)")]})
case(Written("get_tuple_element", f"(%a0: {Q})", PACK), C2=swap(f"(tuple<{Q}>) -> {Q}", f"(tuple<{Q}>) -> {OTHER}"))
CALL = f'%r = "stablehlo.composite"(%a) {{name = "own.same", composite_attributes = {{}}, decomposition = @same, version = 1 : i32}} : ({Q}) -> {Q}'
SAME = f"return\n}}\nfunc.func private @same(%x: {Q}) -> {Q} {{\n  return %x : {Q}"
case(Written("composite", f"(%a: {Q})", CALL, SAME), C4=swap(f"-> {Q}", f"-> {OTHER}"))
case(Written("composite", f"(%a: {Q}, %b: {OTHER})", CALL, SAME), C3={"replace": [("(%a)", "(%b)"), (f": ({Q})", f": ({OTHER})")]})

# No meaning for quantised types.
for name in ("convert", "not", "popcnt", "real", "count_leading_zeros"):
    case(Program(name, ["tensor<2x3xi32>" if name != "real" else F], "", ["tensor<2x3xi32>" if name != "real" else F]), I1={"operands": [Q], "results": [Q]})
