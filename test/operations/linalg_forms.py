#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of linalg and tensor one by one: each is converted (convert-linalg-to-tg leaves none of it) and computes in kernels on the simt device
what upstream's own lowering of the same text computes.

usage: linalg_forms.py --bin build/bin --runtime build/runtime/libstitch_runtime.so --llvm /usr/lib/llvm-22 [--only TEXT] [--kinds LIST]

A form is a function: types of arguments, whose elements are small numbers of either sign, the text, in which arguments are %0, %1, ... and the result is
%r, and its type.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "generators"))
from mixed_modules import LINALG, STITCH, execute  # noqa: E402

FORMS = []


def form(name, arguments, result, text):
    FORMS.append((name, arguments, result, text))


def shape_of(type_):
    return [int(x) for x in re.findall(r"(\d+)x", type_)]


def element_of(type_):
    return re.search(r"(?:x|<)([a-z]\w*)>", type_).group(1)


def windowed(name, image, window, result, window_attributes=None, numbers=()):
    """A convolution or a pooling."""
    attributes = window_attributes or ""
    ins = [image, window, *numbers]
    form(name, [*ins, result], result,
         f"%r = linalg.{name} {attributes} ins({', '.join(f'%{i}' for i in range(len(ins)))} : {', '.join(ins)}) outs(%{len(ins)} : {result}) -> {result}")


def strides(*values, dilations=None):
    n = len(values)
    dilations = dilations or [1] * n
    return (f"{{strides = dense<[{', '.join(map(str, values))}]> : tensor<{n}xi64>, "
            f"dilations = dense<[{', '.join(map(str, dilations))}]> : tensor<{n}xi64>}}")


def convolutions():
    t = lambda shape, element="f32": f"tensor<{shape}x{element}>"
    one, two, three = strides(2), strides(2, 1, dilations=[1, 2]), strides(1, 2, 1)
    windowed("conv_1d", t("11"), t("3"), t("9"))
    windowed("conv_2d", t("7x9"), t("3x2"), t("5x8"))
    windowed("conv_3d", t("4x5x6"), t("2x3x2"), t("3x3x5"))
    windowed("conv_1d_ncw_fcw", t("2x3x9"), t("4x3x3"), t("2x4x4"), one)
    windowed("conv_1d_nwc_wcf", t("2x9x3"), t("3x3x4"), t("2x4x4"), one)
    windowed("conv_2d_nchw_fchw", t("2x3x7x8"), t("4x3x3x2"), t("2x4x3x6"), two)
    windowed("conv_2d_nhwc_hwcf", t("2x7x8x3"), t("3x2x3x4"), t("2x3x6x4"), two)
    windowed("conv_2d_nhwc_fhwc", t("2x7x8x3"), t("4x3x2x3"), t("2x3x6x4"), two)
    windowed("conv_2d_ngchw_fgchw", t("1x2x3x7x8"), t("4x2x3x3x2"), t("1x2x4x3x6"), two)
    windowed("conv_2d_ngchw_gfchw", t("1x2x3x7x8"), t("2x4x3x3x2"), t("1x2x4x3x6"), two)
    windowed("conv_2d_nhwgc_gfhwc", t("1x7x8x2x3"), t("2x4x3x2x3"), t("1x3x6x2x4"), two)
    windowed("conv_3d_ncdhw_fcdhw", t("1x2x4x6x5"), t("3x2x2x3x2"), t("1x3x3x2x4"), three)
    windowed("conv_3d_ndhwc_dhwcf", t("1x4x6x5x2"), t("2x3x2x2x3"), t("1x3x2x4x3"), three)
    windowed("depthwise_conv_1d_ncw_cw", t("2x3x9"), t("3x3"), t("2x3x4"), one)
    windowed("depthwise_conv_1d_nwc_wc", t("2x9x3"), t("3x3"), t("2x4x3"), one)
    windowed("depthwise_conv_1d_nwc_wcm", t("2x9x3"), t("3x3x2"), t("2x4x3x2"), one)
    windowed("depthwise_conv_2d_nchw_chw", t("2x3x7x8"), t("3x3x2"), t("2x3x3x6"), two)
    windowed("depthwise_conv_2d_nhwc_hwc", t("2x7x8x3"), t("3x2x3"), t("2x3x6x3"), two)
    windowed("depthwise_conv_2d_nhwc_hwcm", t("2x7x8x3"), t("3x2x3x2"), t("2x3x6x3x2"), two)
    windowed("depthwise_conv_3d_ncdhw_cdhw", t("1x2x4x6x5"), t("2x2x3x2"), t("1x2x3x2x4"), three)
    windowed("depthwise_conv_3d_ndhwc_dhwc", t("1x4x6x5x2"), t("2x3x2x2"), t("1x3x2x4x2"), three)
    windowed("depthwise_conv_3d_ndhwc_dhwcm", t("1x4x6x5x2"), t("2x3x2x2x3"), t("1x3x2x4x2x3"), three)
    for zero in ("0.0", "1.0"):  # the convolution's own padding, and one that is not
        image, filter_, out = t("1x2x4x4"), t("3x2x3x3"), t("1x3x4x4")
        form(f"conv_padded_{zero}", [image, filter_, out], out, f"%z = arith.constant {zero} : f32\n%p = tensor.pad %0 low[0, 0, 1, 1] high[0, 0, 1, 1] {{\n"
             f"^bb0(%i: index, %j: index, %k: index, %l: index):\ntensor.yield %z : f32\n}} : {image} to {t('1x2x6x6')}\n"
             f"%r = linalg.conv_2d_nchw_fchw ins(%p, %1 : {t('1x2x6x6')}, {filter_}) outs(%2 : {out}) -> {out}")
    zero_points = ("i32", "i32")
    windowed("conv_2d_nhwc_hwcf_q", t("2x7x8x3", "i8"), t("3x2x3x4", "i8"), t("2x3x6x4", "i32"), two, zero_points)
    windowed("conv_2d_nchw_fchw_q", t("2x3x7x8", "i8"), t("4x3x3x2", "i8"), t("2x4x3x6", "i32"), two, zero_points)
    windowed("depthwise_conv_2d_nhwc_hwc_q", t("2x7x8x3", "i8"), t("3x2x3", "i8"), t("2x3x6x3", "i32"), two, zero_points)
    windowed("depthwise_conv_2d_nhwc_hwcm_q", t("2x7x8x3", "i8"), t("3x2x3x2", "i8"), t("2x3x6x3x2", "i32"), two, zero_points)


def poolings():
    window = strides(2, 1, dilations=[1, 2])
    for kind in ("max", "min", "sum"):
        windowed(f"pooling_nhwc_{kind}", "tensor<2x7x8x3xf32>", "tensor<3x2xf32>", "tensor<2x3x6x3xf32>", window)
        windowed(f"pooling_nwc_{kind}", "tensor<2x9x3xf32>", "tensor<3xf32>", "tensor<2x4x3xf32>", strides(2))
        windowed(f"pooling_ndhwc_{kind}", "tensor<1x4x6x5x2xf32>", "tensor<2x3x2xf32>", "tensor<1x3x2x4x2xf32>", strides(1, 2, 1))
    for kind in ("max", "sum"):
        windowed(f"pooling_nchw_{kind}", "tensor<2x3x7x8xf32>", "tensor<3x2xf32>", "tensor<2x3x3x6xf32>", window)
        windowed(f"pooling_ncw_{kind}", "tensor<2x3x9xf32>", "tensor<3xf32>", "tensor<2x3x4xf32>", strides(2))
    for kind in ("max", "min"):
        windowed(f"pooling_nhwc_{kind}_unsigned", "tensor<2x7x8x3xi32>", "tensor<3x2xi32>", "tensor<2x3x6x3xi32>", window)
        windowed(f"pooling_nwc_{kind}_unsigned", "tensor<2x9x3xi16>", "tensor<3xi16>", "tensor<2x4x3xi16>", strides(2))


def products():
    def named(name, *types, attributes="", numbers=()):
        *ins, out = types
        ins = [*ins, *numbers]
        form(name + attributes[:0], [*ins, out], out, f"%r = linalg.{name} {attributes} ins({', '.join(f'%{i}' for i in range(len(ins)))} : {', '.join(ins)})"
             f" outs(%{len(ins)} : {out}) -> {out}")

    named("matmul", "tensor<4x5xf32>", "tensor<5x3xf32>", "tensor<4x3xf32>")
    named("matmul", "tensor<4x5xi8>", "tensor<5x3xi8>", "tensor<4x3xi32>", attributes="{cast = #linalg.type_fn<cast_unsigned>}")
    named("matmul", "tensor<5x4xf32>", "tensor<3x5xf32>", "tensor<4x3xf32>",
          attributes="indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]")
    named("quantized_matmul", "tensor<4x5xi8>", "tensor<5x3xi8>", "tensor<4x3xi32>", numbers=())
    FORMS.pop()
    form("quantized_matmul", ["tensor<4x5xi8>", "tensor<5x3xi8>", "i32", "i32", "tensor<4x3xi32>"], "tensor<4x3xi32>",
         "%r = linalg.quantized_matmul ins(%0, %1, %2, %3 : tensor<4x5xi8>, tensor<5x3xi8>, i32, i32) outs(%4 : tensor<4x3xi32>) -> tensor<4x3xi32>")
    named("batch_matmul", "tensor<2x4x5xf32>", "tensor<2x5x3xf32>", "tensor<2x4x3xf32>")
    named("batch_reduce_matmul", "tensor<2x4x5xf32>", "tensor<2x5x3xf32>", "tensor<4x3xf32>")
    named("mmt4d", "tensor<2x3x4x2xf32>", "tensor<3x3x2x2xf32>", "tensor<2x3x4x2xf32>")
    named("batch_mmt4d", "tensor<2x2x3x4x2xf32>", "tensor<2x3x3x2x2xf32>", "tensor<2x2x3x4x2xf32>")
    named("matvec", "tensor<4x5xf32>", "tensor<5xf32>", "tensor<4xf32>")
    named("vecmat", "tensor<5xf32>", "tensor<5x4xf32>", "tensor<4xf32>")
    named("batch_matvec", "tensor<2x4x5xf32>", "tensor<2x5xf32>", "tensor<2x4xf32>")
    named("batch_vecmat", "tensor<2x5xf32>", "tensor<2x5x4xf32>", "tensor<2x4xf32>")
    named("dot", "tensor<5xf32>", "tensor<5xf32>", "tensor<f32>")
    named("contract", "tensor<2x5x4xf32>", "tensor<5x3x2xf32>", "tensor<3x4xf32>",
          attributes="indexing_maps = [affine_map<(a, b, i, j) -> (a, b, i)>, affine_map<(a, b, i, j) -> (b, j, a)>, affine_map<(a, b, i, j) -> (j, i)>]")


def elementwise():
    t = "tensor<3x5xf32>"
    for name in ("exp", "abs", "ceil", "floor", "negf", "reciprocal", "round", "square", "tanh", "erf"):
        form(name, [t, t], t, f"%r = linalg.{name} ins(%0 : {t}) outs(%1 : {t}) -> {t}")
    for name in ("log", "sqrt", "rsqrt"):
        form(name, [t, t], t, f"%p = linalg.exp ins(%0 : {t}) outs(%1 : {t}) -> {t}\n%r = linalg.{name} ins(%p : {t}) outs(%1 : {t}) -> {t}")
    for name in ("add", "sub", "mul", "div", "max", "min"):
        form(name, [t, t], t, f"%e = linalg.exp ins(%1 : {t}) outs(%1 : {t}) -> {t}\n%r = linalg.{name} ins(%0, %e : {t}, {t}) outs(%1 : {t}) -> {t}")
    form("powf", [t, t], t, f"%e = linalg.exp ins(%0 : {t}) outs(%0 : {t}) -> {t}\n%r = linalg.powf ins(%e, %1 : {t}, {t}) outs(%1 : {t}) -> {t}")
    u = "tensor<3x5xi32>"
    form("div_unsigned", [u, u], u, f"%c = arith.constant dense<3> : {u}\n%r = linalg.div_unsigned ins(%0, %c : {u}, {u}) outs(%1 : {u}) -> {u}")
    form("select", [t, t], t, f"%c = arith.cmpf olt, %0, %1 : {t}\n%r = linalg.select ins(%c, %0, %1 : tensor<3x5xi1>, {t}, {t}) outs(%1 : {t}) -> {t}")
    form("elementwise", [t, "tensor<5xf32>"], t, "%r = linalg.elementwise kind=#linalg.elementwise_kind<add> indexing_maps = [affine_map<(i, j) -> (i, j)>, "
         f"affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>] ins(%0, %1 : {t}, tensor<5xf32>) outs(%0 : {t}) -> {t}")
    form("map", [t, t], t, f"%r = linalg.map {{ arith.mulf }} ins(%0, %1 : {t}, {t}) outs(%0 : {t})")
    form("copy", [t, t], t, f"%r = linalg.copy ins(%0 : {t}) outs(%1 : {t}) -> {t}")
    form("broadcast", ["tensor<5xf32>", t], t, f"%r = linalg.broadcast ins(%0 : tensor<5xf32>) outs(%1 : {t}) dimensions = [0]")
    form("transpose", [t, "tensor<5x3xf32>"], "tensor<5x3xf32>", f"%r = linalg.transpose ins(%0 : {t}) outs(%1 : tensor<5x3xf32>) permutation = [1, 0]")
    for name, x in (("exp2", "%0"), ("atan", "%0"), ("trunc", "%0"), ("sin", "%0")):
        form(f"math.{name}", [t], t, f"%r = math.{name} {x} : {t}")
    for name in ("log2", "log10", "log1p", "cbrt"):
        form(f"math.{name}", [t, t], t, f"%e = math.exp %0 : {t}\n%r = math.{name} %e : {t}")
    form("math.copysign", [t, t], t, f"%r = math.copysign %0, %1 : {t}")
    form("math.fpowi", [t], t, f"%n = arith.constant dense<[[0, 1, 2, 3, 4], [-1, -2, 5, 9, 1], [2, 2, 2, 2, 2]]> : {u}\n"
         f"%s = math.exp %0 : {t}\n%r = math.fpowi %s, %n : {t}, {u}")
    form("math.fpowi.3", [t], t, f"%n = arith.constant dense<3> : {u}\n%r = math.fpowi %0, %n : {t}, {u}")
    for name in ("floordivsi", "ceildivsi"):
        form(f"arith.{name}", [u, u], u, f"%c = arith.constant dense<[[1, 2, 3, -2, -3], [4, -5, 2, 2, 2], [-1, -2, 3, 3, -3]]> : {u}\n%r = arith.{name} %0, %c : {u}")
    form("math.cttz", [u], u, f"%r = math.cttz %0 : {u}")


def functions():
    """What several operations of tg compute."""
    t, u, booleans = "tensor<3x5xf32>", "tensor<3x5xi32>", "tensor<3x5xi1>"
    for name, before in (("asin", "math.tanh"), ("acos", "math.tanh"), ("atanh", "math.tanh"), ("acosh", "math.exp"), ("asinh", "math.absf"), ("sinh", "math.sin"),
                         ("cosh", "math.sin"), ("atan", "math.exp")):
        more = f"%o = arith.constant dense<{'1.0' if name == 'acosh' else '0.0'}> : {t}\n%d = arith.addf %e, %o : {t}\n"
        form(f"math.{name}", [t], t, f"%e = {before} %0 : {t}\n{more}%r = math.{name} %d : {t}")
        form(f"math.{name}.f16", [t], t, f"%e = {before} %0 : {t}\n{more}%h = arith.truncf %d : {t} to tensor<3x5xf16>\n"
             f"%s = math.{name} %h : tensor<3x5xf16>\n%r = arith.extf %s : tensor<3x5xf16> to {t}")
    large = f"%k = arith.constant dense<123456789> : {u}\n%a = arith.muli %0, %k : {u}\n"
    for name in ("mulsi_extended", "mului_extended"):
        form(f"arith.{name}", [u, u], u, f"{large}%l, %h = arith.{name} %a, %1 : {u}\n%r = arith.xori %l, %h : {u}")
    form("arith.addui_extended", [u, u], u, f"{large}%s, %o = arith.addui_extended %a, %1 : {u}, {booleans}\n%e = arith.extui %o : {booleans} to {u}\n"
         f"%r = arith.xori %s, %e : {u}")
    form("arith.ceildivui", [u], u, f"%c = arith.constant dense<[[1, 2, 3, -2, -3], [4, -5, 2, 2, 2], [-1, -2, 3, 3, -3]]> : {u}\n%r = arith.ceildivui %0, %c : {u}")
    generic("index", [u, u], u, ["(i, j) -> (i, j)", "(i, j)"], "pp", "%i = linalg.index 0 : index\n%j = linalg.index 1 : index\n%a = index.shl %i, %j\n"
            "%b = index.or %a, %j\n%c = index.xor %b, %i\n%d = index.maxu %c, %i\n%e = index.shru %d, %i\n%f = index.casts %e : index to i32\nlinalg.yield %f : i32")
    # A region that reads what is computed outside of it.
    form("map_of_outside", [t, "f32"], t, f"%n = arith.negf %1 : f32\n%r = linalg.map ins(%0 : {t}) outs(%0 : {t}) (%x: f32, %o: f32) {{ %y = arith.mulf %x, %n : f32\n"
         "linalg.yield %y : f32 }")


def complex_numbers():
    """Complex numbers are made of two floats, and their parts are looked at."""
    t, c, e = "tensor<3x5xf32>", "tensor<3x5xcomplex<f32>>", "complex<f32>"
    make = (f"%m = tensor.empty() : {c}\n%z = linalg.map ins(%0, %1 : {t}, {t}) outs(%m : {c}) (%x: f32, %y: f32, %o: {e}) "
            f"{{ %w = complex.create %x, %y : {e}\nlinalg.yield %w : {e} }}\n")
    part = lambda value, type_, to: (f"%p = tensor.empty() : {to}\n%r = linalg.map ins({value} : {type_}) outs(%p : {to}) (%x: {e}, %o: f32) "
                                     f"{{ %u = complex.re %x : {e}\n%v = complex.im %x : {e}\n%h = arith.constant 3.0 : f32\n%w = arith.mulf %v, %h : f32\n"
                                     "%s = arith.addf %u, %w : f32\nlinalg.yield %s : f32 }")
    def unary(name, body):
        form(name, [t, t], t, f"%k = complex.constant [0.5 : f32, -2.0 : f32] : {e}\n{make}%q = linalg.map ins(%z : {c}) outs(%m : {c}) (%x: {e}, %o: {e}) {{\n{body}\nlinalg.yield %y : {e} }}\n"
             + part("%q", c, t))

    for name in ("conj", "cos", "exp", "neg", "sin", "sqrt", "tanh", "sign"):
        unary(f"complex.{name}", f"%y = complex.{name} %x : {e}")
    for name in ("add", "sub", "mul", "div", "pow"):
        unary(f"complex.{name}", f"%y = complex.{name} %k, %x : {e}")
    for name in ("abs", "angle"):
        unary(f"complex.{name}", f"%a = complex.{name} %x : {e}\n%y = complex.create %a, %a : {e}")
    unary("complex.eq", f"%a = complex.add %x, %k : {e}\n%b = complex.neq %a, %k : {e}\n%y = arith.select %b, %x, %k : {e}")
    unary("complex.log", f"%a = complex.exp %x : {e}\n%y = complex.log %a : {e}")
    row, square = "tensor<3xcomplex<f32>>", "tensor<3x3xcomplex<f32>>"
    for name in ("add", "mul", "sub"):
        accumulated = "%o, %x" if name == "sub" else "%x, %o"
        form(f"reduce_complex.{name}", [t, t], "tensor<3xf32>", f"{make}%i = complex.constant [1.0 : f32, 0.25 : f32] : {e}\n%a = tensor.empty() : {row}\n"
             f"%f = linalg.fill ins(%i : {e}) outs(%a : {row}) -> {row}\n%q = linalg.reduce ins(%z : {c}) outs(%f : {row}) dimensions = [1] "
             f"(%x: {e}, %o: {e}) {{ %y = complex.{name} {accumulated} : {e}\nlinalg.yield %y : {e} }}\n" + part("%q", row, "tensor<3xf32>"))
    form("complex_moved", [t, t], "tensor<5x2xf32>", f"{make}%a = tensor.empty() : tensor<5x3xcomplex<f32>>\n%b = linalg.transpose ins(%z : {c}) outs(%a : tensor<5x3xcomplex<f32>>) "
         "permutation = [1, 0]\n%q = tensor.extract_slice %b[0, 1] [5, 2] [1, 1] : tensor<5x3xcomplex<f32>> to tensor<5x2xcomplex<f32>>\n"
         + part("%q", "tensor<5x2xcomplex<f32>>", "tensor<5x2xf32>"))
    # Across a border: a function that is not a graph alone.
    form("complex_border", [t, t, "index"], t, f"{make}%i = arith.index_cast %2 : index to i32\n%n = arith.sitofp %i : i32 to f32\n"
         f"%q = scf.for %j = %2 to %2 step %2 iter_args(%s = %z) -> ({c}) {{ %l = linalg.map ins(%s : {c}) outs(%m : {c}) (%x: {e}, %o: {e}) {{ %y = complex.exp %x : {e}\n"
         f"linalg.yield %y : {e} }}\nscf.yield %l : {c} }}\n" + part("%q", c, t))


def generic(name, arguments, out, maps, iterators, body, outs=None, post=""):
    """A linalg.generic of all arguments but the last, into the last."""
    outs = outs or [out]
    ins = arguments[: len(arguments) - len(outs)]
    n = len(ins)
    dims = maps[0].split("->")[0]
    maps = ", ".join(f"affine_map<{m if '->' in m else f'{dims} -> {m}'}>" for m in maps)
    kinds = ", ".join({"p": '"parallel"', "r": '"reduction"'}[c] for c in iterators)
    values = lambda first, types: f"{', '.join(f'%{first + i}' for i in range(len(types)))} : {', '.join(types)}"
    block = ", ".join(f"%{'x' if i < n else 'o'}{i if i < n else i - n}: {element_of(type_)}" for i, type_ in enumerate(arguments))
    results = f"({', '.join(outs)})" if len(outs) > 1 else outs[0]
    name_of = "%r" if len(outs) == 1 and not post else f"%q:{len(outs)}" if len(outs) > 1 else "%q"
    head = f"ins({values(0, ins)}) " if ins else ""
    form(name, arguments, out, f"{name_of} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {head}outs({values(n, outs)}) {{\n"
         f"^bb0({block}):\n{body}\n}} -> {results}\n{post}")


def generics():
    copy, add = "linalg.yield %x0 : f32", "%s = arith.addf %x0, %o0 : f32\nlinalg.yield %s : f32"
    generic("strided", ["tensor<9x7xf32>", "tensor<5x3xf32>"], "tensor<5x3xf32>", ["(i, j) -> (i * 2, j * 3)", "(i, j)"], "pp", copy)
    generic("reversed", ["tensor<4x6xf32>", "tensor<6x4xf32>"], "tensor<6x4xf32>", ["(i, j) -> (3 - j, i)", "(i, j)"], "pp", copy)
    FORMS[-1] = (FORMS[-1][0], *FORMS[-1][1:3], FORMS[-1][3].replace("3 - j", "-j + 3"))
    generic("diagonal", ["tensor<5x5xf32>", "tensor<5xf32>"], "tensor<5xf32>", ["(i) -> (i, i)", "(i)"], "p", copy)
    generic("modulo", ["tensor<3x2xf32>", "tensor<11xf32>"], "tensor<11xf32>", ["(i) -> ((i floordiv 2) mod 3, i mod 2)", "(i)"], "p", copy)
    generic("row", ["tensor<4x6xf32>", "tensor<6xf32>"], "tensor<6xf32>", ["(i) -> (2, i)", "(i)"], "p", copy)
    generic("unfolded", ["tensor<9xf32>", "tensor<4x3xf32>"], "tensor<4x3xf32>", ["(i, j) -> (i * 2 + j)", "(i, j)"], "pp", copy)
    generic("window_sum", ["tensor<2x9xf32>", "tensor<3xf32>", "tensor<2x4xf32>"], "tensor<2x4xf32>", ["(b, i, j) -> (b, i * 2 + j)", "(j)", "(b, i)"], "ppr",
            "%p = arith.mulf %x0, %x0 : f32\n%s = arith.addf %o0, %p : f32\nlinalg.yield %s : f32")
    generic("window_max_of_two", ["tensor<9xf32>", "tensor<3xf32>", "tensor<4xf32>"], "tensor<4xf32>", ["(i, j) -> (i * 2 + j)", "(j)", "(i)"], "pr",
            "%p = arith.subf %x0, %x1 : f32\n%s = arith.maximumf %p, %o0 : f32\nlinalg.yield %s : f32")
    generic("window_both", ["tensor<9xf32>", "tensor<9xf32>", "tensor<3xf32>", "tensor<7xf32>"], "tensor<7xf32>", ["(i, j) -> (i + j)", "(i + j)", "(j)", "(i)"], "pr",
            "%p = arith.mulf %x0, %x1 : f32\n%s = arith.addf %o0, %p : f32\nlinalg.yield %s : f32")
    generic("keepdims", ["tensor<4x6xf32>", "tensor<4x1xf32>"], "tensor<4x1xf32>", ["(i, j) -> (i, j)", "(i, 0)"], "pr", add)
    generic("transposed_result", ["tensor<4x6x2xf32>", "tensor<2x4xf32>"], "tensor<2x4xf32>", ["(i, j, k) -> (i, j, k)", "(k, i)"], "prp", add)
    for name in ("maxnumf", "minnumf", "mulf", "minimumf", "subf"):
        generic(f"reduce_{name}", ["tensor<4x6xf32>", "tensor<4xf32>"], "tensor<4xf32>", ["(i, j) -> (i, j)", "(i)"], "pr",
                f"%s = arith.{name} {'%o0, %x0' if name == 'subf' else '%x0, %o0'} : f32\nlinalg.yield %s : f32")
        if "num" in name:  # of an output that begins with a known number
            FORMS[-1] = (*FORMS[-1][:3], f"%c = arith.constant dense<0.5> : tensor<4xf32>\n" + FORMS[-1][3].replace("outs(%1", "outs(%c"))
    for name in ("maxui", "minui", "maxsi", "andi", "ori", "xori", "muli"):
        generic(f"reduce_{name}", ["tensor<4x6xi32>", "tensor<4xi32>"], "tensor<4xi32>", ["(i, j) -> (i, j)", "(i)"], "pr",
                f"%s = arith.{name} %x0, %o0 : i32\nlinalg.yield %s : i32")
    generic("two_sums", ["tensor<4x6xf32>", "tensor<4xf32>", "tensor<4xf32>"], "tensor<4xf32>", ["(i, j) -> (i, j)", "(i)", "(i)"], "pr",
            "%a = arith.addf %x0, %o0 : f32\n%p = arith.mulf %x0, %x0 : f32\n%b = arith.addf %p, %o1 : f32\nlinalg.yield %a, %b : f32, f32",
            outs=["tensor<4xf32>", "tensor<4xf32>"], post="%r = arith.divf %q#0, %q#1 : tensor<4xf32>")
    for name, predicate, order in (("gt", "ogt", "%x0, %o0"), ("lt", "olt", "%x0, %o0"), ("ge_second", "oge", "%o0, %x0")):
        generic(f"reduce_selected_{name}", ["tensor<4x6xf32>", "tensor<4xf32>"], "tensor<4xf32>", ["(i, j) -> (i, j)", "(i)"], "pr",
                f"%c = arith.cmpf {predicate}, {order} : f32\n%s = arith.select %c, %x0, %o0 : f32\nlinalg.yield %s : f32")
    generic("reduce_selected_unsigned", ["tensor<4x6xi32>", "tensor<4xi32>"], "tensor<4xi32>", ["(i, j) -> (i, j)", "(i)"], "pr",
            "%c = arith.cmpi ugt, %x0, %o0 : i32\n%s = arith.select %c, %x0, %o0 : i32\nlinalg.yield %s : i32")
    generic("value_and_index", ["tensor<4x6xf32>", "tensor<4xf32>", "tensor<4xi64>"], "tensor<4xf32>", ["(i, j) -> (i, j)", "(i)", "(i)"], "pr",
            "%n = linalg.index 1 : index\n%c = arith.index_cast %n : index to i64\n%g = arith.cmpf ogt, %x0, %o0 : f32\n%m = arith.select %g, %x0, %o0 : f32\n"
            "%k = arith.select %g, %c, %o1 : i64\nlinalg.yield %m, %k : f32, i64",
            outs=["tensor<4xf32>", "tensor<4xi64>"], post="%f = arith.sitofp %q#1 : tensor<4xi64> to tensor<4xf32>\n%r = arith.addf %q#0, %f : tensor<4xf32>")
    for kind, predicate, combiner in (("max", "ogt", "maximumf"), ("min", "olt", "minimumf")):
        generic(f"arg_{kind}", ["tensor<4x6xf32>", "tensor<4xf32>", "tensor<4xi32>"], "tensor<4xi32>", ["(i, j) -> (i, j)", "(i)", "(i)"], "pr",
                f"%n = linalg.index 1 : index\n%c = arith.index_cast %n : index to i32\n%m = arith.{combiner} %x0, %o0 : f32\n"
                f"%g = arith.cmpf {predicate}, %x0, %o0 : f32\n%k = arith.select %g, %c, %o1 : i32\nlinalg.yield %m, %k : f32, i32",
                outs=["tensor<4xf32>", "tensor<4xi32>"], post="%z = arith.constant dense<0> : tensor<4xi32>\n%r = arith.addi %q#1, %z : tensor<4xi32>")
        # A NaN in a row, nothing but infinities in another one.
        name, arguments, result, text = FORMS[-1]
        row = "[1.0, {0}, 2.0, 0x7FC00000, 3.0, 4.0]".format("3.0")
        infinite = "0xFF800000" if kind == "max" else "0x7F800000"
        nan = (f"%d = arith.constant dense<[{row}, [{', '.join([infinite] * 6)}], [0x7FC00000, 1.0, 2.0, 3.0, 4.0, 5.0], [1.0, -1.0, 1.0, -1.0, 2.0, -2.0]]> : "
               f"tensor<4x6xf32>\n%i = arith.constant dense<{infinite}> : tensor<4xf32>\n")
        form(f"arg_{kind}_nan", arguments, result, nan + text.replace("ins(%0 ", "ins(%d ").replace("outs(%1,", "outs(%i,"))
        over = FORMS[-1][3].replace(f"%m = arith.{combiner} %x0, %o0 : f32\n", "").replace("%k =", "%m = arith.select %g, %x0, %o0 : f32\n%k =")
        form(f"arg_{kind}_passes_over_nan", arguments, result, over)
        takes = over.replace(f"%g = arith.cmpf {predicate}", "%n0 = arith.cmpf ord, %o0, %o0 : f32\n%g0 = arith.cmpf u" + predicate[1:])
        takes = takes.replace("%m = arith.select", "%g = arith.andi %g0, %n0 : i1\n%m = arith.select")
        form(f"arg_{kind}_takes_nan", arguments, result, takes)
        generic(f"{kind}_passes_over_nan", ["tensor<4x6xf32>", "tensor<4xf32>"], "tensor<4xf32>", ["(i, j) -> (i, j)", "(i)"], "pr",
                f"%m = arith.{combiner} %x0, %o0 : f32\n%n = arith.cmpf uno, %x0, %x0 : f32\n%s = arith.select %n, %o0, %m : f32\nlinalg.yield %s : f32")
        FORMS[-1] = (*FORMS[-1][:3], nan + FORMS[-1][3].replace("ins(%0 ", "ins(%d "))
    generic("index_arithmetic", ["tensor<4x6xf32>"], "tensor<4x6xf32>", ["(i, j) -> (i, j)"], "pp",
            "%i = linalg.index 0 : index\n%j = linalg.index 1 : index\n%t = index.constant 5\n%p = index.mul %i, %j\n%m = index.remu %p, %t\n"
            "%c = arith.index_castui %m : index to i32\n%f = arith.uitofp %c : i32 to f32\n%s = arith.addf %f, %o0 : f32\nlinalg.yield %s : f32")
    generic("choice", ["tensor<4x6xf32>", "tensor<4x6xf32>"], "tensor<4x6xf32>", ["(i, j) -> (i, j)", "(i, j)"], "pp",
            "%z = arith.constant 0.0 : f32\n%c = arith.cmpf ogt, %x0, %z : f32\n%s, %t = scf.if %c -> (f32, f32) {\n%a = math.exp %o0 : f32\n"
            "%d = arith.cmpf olt, %o0, %z : f32\n%b = scf.if %d -> f32 {\nscf.yield %z : f32\n} else {\n%e = arith.mulf %a, %x0 : f32\n"
            "scf.yield %e : f32\n}\nscf.yield %a, %b : f32, f32\n} else {\nscf.yield %x0, %o0 : f32, f32\n}\n%u = arith.subf %s, %t : f32\nlinalg.yield %u : f32")
    generic("choice_of_quotient", ["tensor<4x6xi32>", "tensor<4x6xi32>"], "tensor<4x6xi32>", ["(i, j) -> (i, j)", "(i, j)"], "pp",
            "%z = arith.constant 0 : i32\n%c = arith.cmpi ne, %o0, %z : i32\n%s = scf.if %c -> i32 {\n%q = arith.divsi %x0, %o0 : i32\nscf.yield %q : i32\n"
            "} else {\nscf.yield %x0 : i32\n}\nlinalg.yield %s : i32")
    generic("choice_of_sum", ["tensor<4x6xf32>", "tensor<4xf32>"], "tensor<4xf32>", ["(i, j) -> (i, j)", "(i)"], "pr",
            "%i = linalg.index 1 : index\n%n = arith.constant 3 : index\n%z = arith.constant 0.0 : f32\n%c = arith.cmpi ult, %i, %n : index\n"
            "%v = scf.if %c -> f32 {\nscf.yield %x0 : f32\n} else {\nscf.yield %z : f32\n}\n%s = arith.addf %v, %o0 : f32\nlinalg.yield %s : f32")
    generic("rows_of_table", ["tensor<5xi32>", "tensor<7x3xf32>", "tensor<5x3xf32>"], "tensor<5x3xf32>", ["(i, j) -> (i)", "(i, j)"], "pp",
            "%a = arith.constant 7 : i32\n%b = arith.constant 3 : i32\n%s = arith.addi %x0, %a : i32\n%m = arith.remui %s, %b : i32\n"
            "%n = arith.index_cast %m : i32 to index\n%l = linalg.index 1 : index\n%e = tensor.extract %1[%n, %l] : tensor<7x3xf32>\nlinalg.yield %e : f32")
    name, arguments, result, text = FORMS[-1]
    text = text.replace("ins(%0, %1 : tensor<5xi32>, tensor<7x3xf32>)", "ins(%0 : tensor<5xi32>)").replace("%x1: f32, ", "")
    FORMS[-1] = (name, arguments, result, text)
    generic("nearest", ["tensor<2x3x4xf32>", "tensor<2x6x4xf32>"], "tensor<2x6x4xf32>", ["(b, i, c) -> (b, i, c)"], "ppp",
            "%b = linalg.index 0 : index\n%i = linalg.index 1 : index\n%c = linalg.index 2 : index\n%t = arith.constant 2 : index\n"
            "%h = arith.floordivsi %i, %t : index\n%e = tensor.extract %0[%b, %h, %c] : tensor<2x3x4xf32>\nlinalg.yield %e : f32")
    name, arguments, result, text = FORMS[-1]
    FORMS[-1] = (name, arguments, result, text.replace("ins(%0 : tensor<2x3x4xf32>) ", "").replace("%x0: f32, ", ""))
    form("reduce", ["tensor<4x6x2xf32>", "tensor<6xf32>"], "tensor<6xf32>",
         "%r = linalg.reduce { arith.addf } ins(%0 : tensor<4x6x2xf32>) outs(%1 : tensor<6xf32>) dimensions = [0, 2]")


def movement():
    t = "tensor<4x6xf32>"
    number = "%c = arith.constant 1.5 : f32"
    pad = lambda low, high, result, body: f"%r = tensor.pad %0 low[{low}] high[{high}] {{\n^bb0(%i: index, %j: index):\n{body}\n}} : {t} to {result}"
    form("pad", [t], "tensor<6x9xf32>", f"{number}\n" + pad("1, 0", "1, 3", "tensor<6x9xf32>", "tensor.yield %c : f32"))
    form("pad_by_number", [t, "f32"], "tensor<6x9xf32>", pad("1, 0", "1, 3", "tensor<6x9xf32>", "tensor.yield %1 : f32"))
    form("pad_by_index", [t], "tensor<6x9xf32>",
         pad("1, 2", "1, 1", "tensor<6x9xf32>", "%s = arith.addi %i, %j : index\n%n = arith.index_cast %s : index to i32\n%f = arith.sitofp %n : i32 to f32\n"
             "tensor.yield %f : f32"))
    form("pad_dynamic", [t, "index"], "tensor<6x9xf32>",
         f"{number}\n%t = arith.constant 2 : index\n%l = arith.remui %1, %t : index\n%h = arith.subi %t, %l : index\n"
         + pad("%l, 0", "%h, 3", "tensor<6x9xf32>", "tensor.yield %c : f32"))
    form("slice", [t], "tensor<2x2xf32>", f"%r = tensor.extract_slice %0[1, 1] [2, 2] [2, 3] : {t} to tensor<2x2xf32>")
    form("slice_without_unit", [t], "tensor<3xf32>", f"%r = tensor.extract_slice %0[2, 1] [1, 3] [1, 1] : {t} to tensor<3xf32>")
    form("slice_dynamic", [t, "index"], "tensor<2x3xf32>", f"%k = arith.constant 3 : index\n%n = arith.remui %1, %k : index\n"
         f"%r = tensor.extract_slice %0[%n, 2] [2, 3] [1, 1] : {t} to tensor<2x3xf32>")
    form("insert", [t, "tensor<2x3xf32>"], t, f"%r = tensor.insert_slice %1 into %0[1, 2] [2, 3] [1, 1] : tensor<2x3xf32> into {t}")
    form("insert_strided", [t, "tensor<2x3xf32>"], t, f"%r = tensor.insert_slice %1 into %0[1, 0] [2, 3] [2, 2] : tensor<2x3xf32> into {t}")
    form("insert_dynamic", [t, "tensor<3xf32>", "index"], t, f"%k = arith.constant 3 : index\n%n = arith.remui %2, %k : index\n"
         f"%r = tensor.insert_slice %1 into %0[%n, 2] [1, 3] [1, 1] : tensor<3xf32> into {t}")
    form("concat", [t, "tensor<4x1xf32>"], "tensor<4x7xf32>", f"%r = tensor.concat dim(1) %0, %1 : ({t}, tensor<4x1xf32>) -> tensor<4x7xf32>")
    form("splat", ["f32"], t, f"%r = tensor.splat %0 : {t}")
    form("expand", [t], "tensor<2x2x6xf32>", f"%r = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 2, 6] : {t} into tensor<2x2x6xf32>")
    form("collapse", [t], "tensor<24xf32>", f"%r = tensor.collapse_shape %0 [[0, 1]] : {t} into tensor<24xf32>")
    form("generate", ["f32"], "tensor<3x4xf32>", "%r = tensor.generate {\n^bb0(%i: index, %j: index):\n%s = arith.muli %i, %j : index\n"
         "%n = arith.index_cast %s : index to i32\n%f = arith.sitofp %n : i32 to f32\n%g = arith.addf %f, %0 : f32\ntensor.yield %g : f32\n} : tensor<3x4xf32>")
    form("cast", [t, t], t, f"%d = tensor.cast %0 : {t} to tensor<?x6xf32>\n%s = tensor.extract_slice %d[0, 0] [4, 6] [1, 1] : tensor<?x6xf32> to {t}\n"
         f"%r = arith.addf %s, %1 : {t}")
    form("bitcast", [t], "tensor<4x6xi32>", f"%r = tensor.bitcast %0 : {t} to tensor<4x6xi32>")
    FORMS.pop()  # its numbers are large, and it is an operation of arith there, too
    for name, x, packed, text in (("pack", "4x6", "2x2x2x3", "inner_dims_pos = [0, 1] inner_tiles = [2, 3]"),
                                  ("pack_transposed", "4x6", "3x2x2x2", "outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [2, 2]")):
        form(name, [f"tensor<{x}xf32>", f"tensor<{packed}xf32>"], f"tensor<{packed}xf32>",
             f"%r = linalg.pack %0 {text} into %1 : tensor<{x}xf32> -> tensor<{packed}xf32>")
        form("un" + name, [f"tensor<{packed}xf32>", f"tensor<{x}xf32>"], f"tensor<{x}xf32>",
             f"%r = linalg.unpack %0 {text} into %1 : tensor<{packed}xf32> -> tensor<{x}xf32>")
    form("pack_padded", ["tensor<5x6xf32>", "tensor<3x2x2x4xf32>"], "tensor<3x2x2x4xf32>",
         f"{number}\n%r = linalg.pack %0 padding_value(%c : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %1 : tensor<5x6xf32> -> tensor<3x2x2x4xf32>")
    form("unpack_padded", ["tensor<3x2x2x4xf32>", "tensor<5x6xf32>"], "tensor<5x6xf32>",
         "%r = linalg.unpack %0 inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %1 : tensor<3x2x2x4xf32> -> tensor<5x6xf32>")


# ---------------------------------------------------------------------------------------------------------------------
# Modules
# ---------------------------------------------------------------------------------------------------------------------


def numbers(type_, seed):
    """Small numbers, all different from their neighbours, of either sign; of integers whole ones."""
    element, count = element_of(type_) if "tensor" in type_ else type_, 1
    shape = shape_of(type_)
    for n in shape:
        count *= n
    values = [((i * 7 + seed * 5) % 23 - 11) / 4 for i in range(count)]
    if element == "index":
        return str(seed + 1)
    if element[0] == "i":
        values = [int(4 * v) for v in values]
    texts = [str(v) for v in values]
    for n in reversed(shape[1:]):
        texts = [f"[{', '.join(texts[i : i + n])}]" for i in range(0, len(texts), n)]
    return f"dense<{'[' + ', '.join(texts) + ']' if shape else texts[0]}>" if "tensor" in type_ else texts[0]


def module_of(forms):
    functions, main = [], []
    for k, (_, arguments, result, text) in enumerate(forms):
        parameters = ", ".join(f"%{i}: {type_}" for i, type_ in enumerate(arguments))
        text = re.sub(r"%(\d+)", r"%a\1", text)
        functions.append(f"func.func private @f{k}({parameters.replace('%', '%a')}) -> {result} {{\n{text}\nreturn %r : {result}\n}}")
        for i, type_ in enumerate(arguments):
            main.append(f"%c{k}_{i} = arith.constant {numbers(type_, i + k)}" + (f" : {type_}"))
        main.append(f"%r{k} = call @f{k}({', '.join(f'%c{k}_{i}' for i in range(len(arguments)))}) : ({', '.join(arguments)}) -> {result}")
        name = f"%r{k}"
        if element_of(result) != "f32":
            float_ = re.sub(r"[a-z]\d+>$", "f32>", result)
            main.append(f"%s{k} = arith.sitofp {name} : {result} to {float_}")
            name, result = f"%s{k}", float_
        main.append(f"%u{k} = tensor.cast {name} : {result} to tensor<*xf32>\ncall @printMemrefF32(%u{k}) : (tensor<*xf32>) -> ()")
    return "\n".join(functions + ["func.func @main() {"] + main + ["return", "}", 'func.func private @printMemrefF32(tensor<*xf32> {bufferization.access = "read"}) '
                                                                  "attributes {llvm.emit_c_interface}", ""])


# What upstream has no pass for: packing is lowered by transformations.
TRANSFORM = """module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %packs = transform.structured.match ops{["linalg.pack"]} in %module : (!transform.any_op) -> !transform.op<"linalg.pack">
    transform.structured.lower_pack %packs : (!transform.op<"linalg.pack">) -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">, !transform.op<"linalg.transpose">)
    %unpacks = transform.structured.match ops{["linalg.unpack"]} in %module : (!transform.any_op) -> !transform.op<"linalg.unpack">
    transform.structured.lower_unpack %unpacks : (!transform.op<"linalg.unpack">) -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">, !transform.op<"tensor.collapse_shape">, !transform.op<"tensor.extract_slice">)
    transform.yield
  }
}
"""


def compare(options, forms, folder, are_calls):
    """The forms that are wrong, each with what is."""
    path, schedule = os.path.join(folder, "forms.mlir"), os.path.join(folder, "schedule.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(module_of(forms))
    with open(schedule, "w", encoding="utf-8") as file:
        file.write(TRANSFORM)
    packing = [] if not any("pack" in name for name, *_ in forms) else [f"-transform-preload-library=transform-library-paths={schedule}", "-transform-interpreter"]
    said = []
    kernels = LINALG if are_calls else STITCH  # of what libraries compute, the graph's reference
    ours = execute(options, path, ["-convert-linalg-to-tg", *kernels], said)
    theirs = execute(options, path, [*packing, "-math-expand-ops", "-arith-expand"])
    left = [line for line in said if "convert-linalg-to-tg" in line]
    if left:
        yield "", left[0]
    for (name, _, _, _), x, y in zip(forms, ours, theirs):
        worst = max((abs(a - b) / max(1, abs(b)) for a, b in zip(x, y) if a != b and (a == a or b == b)), default=0)
        exact = 2e-3 if name.endswith(".f16") else 2e-5  # f16: here in f32, upstream step by step
        if len(x) != len(y) or not x or not worst < exact:
            yield name, f"{len(x)} and {len(y)} numbers, which differ by {worst}: {x[:8]} and {y[:8]}"
    if not len(ours) == len(theirs) == len(forms):
        yield "", f"{len(ours)} and {len(theirs)} results of {len(forms)}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("bin", "runtime", "llvm"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--kinds", default="convolutions,poolings,products,elementwise,functions,complex_numbers,generics,movement")
    options = parser.parse_args()
    failed, count, at_once = 0, 0, 16
    for make in [globals()[name] for name in options.kinds.split(",")]:
        FORMS.clear()
        make()
        forms = [f for f in FORMS if options.only in f[0]]
        count += len(forms)
        with tempfile.TemporaryDirectory() as folder:
            for first in range(0, len(forms), at_once):
                try:
                    for name, problem in compare(options, forms[first : first + at_once], folder, make is convolutions):
                        print(f"{make.__name__} {name}: {problem}")
                        failed += 1
                except subprocess.CalledProcessError as error:
                    print(f"{make.__name__}: {' '.join(error.cmd)}\n{error.stderr[:3000]}")
                    failed += 1
    print(f"{count} forms, {failed} problems")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
