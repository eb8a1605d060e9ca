# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Communication between processes, of which there is one; tuples and composites; what is not taken at all."""
from . import Program, Written, body, case, refused
from .compute import swap

F, G = "tensor<2x3xf32>", "tensor<2x3xf64>"
ONE, TWICE, OTHER = "dense<0> : tensor<1x1xi64>", "dense<0> : tensor<2x1xi64>", "dense<1> : tensor<1x1xi64>"
SECOND = "dense<[[0], [1]]> : tensor<2x1xi64>"
GROUPS = f"replica_groups = {ONE}, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids"
SUM, WIDE, NARROW = body(["tensor<f32>"] * 2, "add"), body(["tensor<f64>"] * 2, "add"), body(["tensor<f16>"] * 2, "add")
HANDLE = swap("handle = 1", "handle = 0")

case(Program("all_gather", [F, F], "all_gather_dim = 1 : i64, " + GROUPS, [F, F]), C1=swap("dim = 1", "dim = 2"), C2=swap(ONE, TWICE),
     C3=swap(ONE, SECOND), C4=swap(ONE, OTHER), C5=HANDLE, C6={"results": [F, "tensor<4x3xf32>"]})
case(Program("all_reduce", [F, F], GROUPS, [F, F], SUM), C1=swap(ONE, TWICE), C2=swap(ONE, SECOND), C3=swap(ONE, OTHER), C4=HANDLE,
     C5={"regions": NARROW, "results": ["tensor<2x3xf16>"] * 2}, C6={"results": [F, "tensor<3x2xf32>"]}, C7={"results": [F, G]})
case(Program("all_reduce", [F], GROUPS, [G], WIDE), C5={"regions": body(["tensor<i64>"] * 2, "add"), "results": ["tensor<2x3xi64>"]})
ALL_TO_ALL = f"split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, replica_groups = {ONE}"
case(Program("all_to_all", [F, F], ALL_TO_ALL, [F, F]), C1=swap("split_dimension = 1", "split_dimension = 2"), C2=swap("split_count = 1", "split_count = 2"),
     C3=swap("concat_dimension = 0", "concat_dimension = -1"), C4=swap("split_count = 1", "split_count = 0"), C5=swap(ONE, TWICE), C6=swap(ONE, SECOND),
     C7=swap(ONE, OTHER), C8=swap("split_count = 1", "split_count = 3"), C9={"results": [F, "tensor<3x2xf32>"]})
case(Program("collective_broadcast", [F, F], f"replica_groups = {ONE}", [F, F]), C1=swap(ONE, TWICE), C2=swap(ONE, OTHER), C3={"results": [F, G]},
     C5={"results": [F]})
case(Program("collective_broadcast", [F, F, "tensor<2xi32>"], f"replica_groups = {ONE}, has_dynamic_root = true", [F, F], constants={2: "0"}),
     C4={"operands": [F, F, "tensor<2xi64>"]}, C5={"results": [F, F, F]}, C6={"constants": {2: "[0, 1]"}})
PAIRS = "dense<0> : tensor<1x2xi64>"
case(Program("collective_permute", [F], f"source_target_pairs = {PAIRS}", [F]), C1=swap(PAIRS, "dense<0> : tensor<1x3xi64>"),
     C2=swap(PAIRS, "dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>"), C3=swap(PAIRS, "dense<0> : tensor<2x2xi64>"),
     C4=swap(PAIRS, "dense<[[0, -1]]> : tensor<1x2xi64>"), C5={"results": ["tensor<3x2xf32>"]})
case(Program("collective_reduce", [F], f"replica_groups = {ONE}", [F], SUM), C1=swap(ONE, TWICE), C2=swap(ONE, OTHER), C3={"results": ["tensor<3x2xf32>"]},
     C4={"regions": NARROW, "results": ["tensor<2x3xf16>"]})
case(Program("reduce_scatter", [F], "scatter_dimension = 1 : i64, " + GROUPS, [F], SUM), C2=swap("dimension = 1", "dimension = 2"), C3=swap(ONE, TWICE),
     C4=swap(ONE, SECOND), C5=swap(ONE, OTHER), C6=HANDLE, C7={"regions": NARROW, "results": ["tensor<2x3xf16>"]}, C8={"results": ["tensor<2x4xf32>"]},
     C9={"results": [G]},
     C1=swap(ONE, "dense<[[0, 1]]> : tensor<1x2xi64>"))

TUPLE = ('%t = "stablehlo.tuple"(%a, %b) : (tensor<2xf32>, tensor<3xi32>) -> tuple<tensor<2xf32>, tensor<3xi32>> '
         '%r = "stablehlo.get_tuple_element"(%t) {index = 1 : i32} : (tuple<tensor<2xf32>, tensor<3xi32>>) -> tensor<3xi32>')
SIGNATURE = "(%a: tensor<2xf32>, %b: tensor<3xi32>) -> tensor<3xi32>"
END = "return %r : tensor<3xi32>"
case(Written("tuple", SIGNATURE, TUPLE, END), C1=swap("-> tuple<tensor<2xf32>", "-> tuple<tensor<2xf64>"))
case(Written("get_tuple_element", SIGNATURE, TUPLE, END), C1=swap("index = 1", "index = 2"), C2=swap("index = 1", "index = 0"))
COMPOSITE = 'name = "own.add", composite_attributes = {}, decomposition = @add, version = 1 : i32'
CALL = f'%r = "stablehlo.composite"(%a, %a) {{{COMPOSITE}}} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>'
CALLEE = END + "\n}\nfunc.func private @add(%x: tensor<3xi32>, %y: tensor<3xi32>) -> tensor<3xi32> {\n  return %x : tensor<3xi32>"
case(Written("composite", "(%a: tensor<3xi32>) -> tensor<3xi32>", CALL, CALLEE), C1=swap("own.add", "add"), C2=swap("@add", "@sub"),
     C3={"replace": [("(%a, %a)", "(%a)"), ("(tensor<3xi32>, tensor<3xi32>)", "(tensor<3xi32>)")]})
case(Written("composite", "(%a: tensor<3xi32>)", CALL, CALLEE.replace(END, "return")), C4=swap("-> tensor<3xi32>", "-> tensor<4xi32>"))

# Constants: what their literals may be is the parser's business.
constant = lambda value: Written("Constants", "()", f'%c = "stablehlo.constant"() {{value = dense<{value[0]}> : {value[1]}}} : () -> {value[1]}')
for right, wrong in ((("[1, 2]", "tensor<2xi32>"), {"C1": ("[1, 2]", "[1.5, 2.5]")}), (("[1.0, 2.0]", "tensor<2xf32>"), {"C1": ("1.0", "true")}),
                     (("[0x7FC00000, 1.0]", "tensor<2xf32>"), {"C2": ("0x7FC00000", "0x7FC000000")}),
                     (("(1.0, 2.0)", "tensor<2xcomplex<f32>>"), {"C1": ("1.0", "true"), "C2": ("2.0", "true")}),
                     (("[[1], [2]]", "tensor<2x1xi64>"), {"C1": ("[1]", "[a]"), "C2": ("[[1], [2]]", "[1, 2, 3]")})):
    case(constant(right), **{key: swap(*change) for key, change in wrong.items()})

# Not taken, whatever they look like.
TOKEN, CHANNEL = "!stablehlo.token", "channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true"
every = lambda first, last: [f"C{i}" for i in range(first, last + 1)]
refused(Written("infeed", f"(%t: {TOKEN})", f'%r:2 = "stablehlo.infeed"(%t) {{infeed_config = ""}} : ({TOKEN}) -> (tensor<2xf32>, {TOKEN})'), every(1, 3))
refused(Written("recv", f"(%t: {TOKEN})", f'%r:2 = "stablehlo.recv"(%t) {{{CHANNEL}}} : ({TOKEN}) -> (tensor<2xf32>, {TOKEN})'), every(1, 5))
refused(Written("send", f"(%a: tensor<2xf32>, %t: {TOKEN})", f'%r = "stablehlo.send"(%a, %t) {{{CHANNEL}}} : (tensor<2xf32>, {TOKEN}) -> {TOKEN}'), every(1, 5))
# Asynchronous operations.
START = ('%f = "stablehlo.async_start"(%a) ({ ^bb0(%x: tensor<2x3xf32>): %y = "stablehlo.slice"(%x) {start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1, 3>, '
         'strides = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<1x3xf32> "stablehlo.return"(%y) : (tensor<1x3xf32>) -> () }) : '
         '(tensor<2x3xf32>) -> !stablehlo.future<tensor<1x3xf32>>')
case(Written("async_start", "(%a: tensor<2x3xf32>)", START),
     C1=swap('"stablehlo.return"', '%z = "stablehlo.negate"(%y) : (tensor<1x3xf32>) -> tensor<1x3xf32> "stablehlo.return"'),
     C2=swap('"stablehlo.slice"(%x) {start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1, 3>, strides = array<i64: 1, 1>}', '"stablehlo.reshape"(%x)'),
     C3=swap('"stablehlo.slice"(%x)', '"stablehlo.slice"(%a)'), C4=swap("future<tensor<1x3xf32>>", "future<tensor<1x2xf32>>"))
case(Written("async_done", "(%a: tensor<2x3xf32>)", START + ' %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<1x3xf32>>) -> tensor<1x3xf32>'),
     C1=swap("(!stablehlo.future<tensor<1x3xf32>>) -> tensor<1x3xf32>", "(!stablehlo.future<tensor<1x3xf32>>) -> tensor<1x2xf32>"))
