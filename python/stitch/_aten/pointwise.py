# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators. Halves are computed in f32 and rounded once, as PyTorch does."""
import math
from collections.abc import Callable
from typing import Any

import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND as PROMOTION

from .builder import PARTS, Value
from .table import Context, Left, Scalar, fixed, is_complex, is_integer, lowers, promoted

Formula = Callable[..., Value]


def elementwise(c: Context, kind: PROMOTION, formula: Formula, *operands: Any) -> Value:
    """The formula on operands in the type that PyTorch computes in, rounded to the result's."""
    dtype = promoted(kind, *operands)
    return c.b.convert(formula(c, *(c.operand(_wrapped(x, dtype), dtype) for x in operands)), c.dtype)


def _wrapped(x: Any, dtype: torch.dtype) -> Any:
    """A number that an integer type does not have as what PyTorch makes of it."""
    if isinstance(x, bool) or not isinstance(x, int) or not is_integer(dtype):
        return x
    return torch.tensor(x).to(dtype).item()


def _simple(name: str, kind: PROMOTION, formula: Formula) -> None:
    lowers(f"aten.{name}.default")(lambda c, x: elementwise(c, kind, formula, x))


# ----------------------------------------------------------------------------------------------------------------------
# One operand
# ----------------------------------------------------------------------------------------------------------------------


def _op(name: str, dialect: str = "stablehlo", complex_too: bool = True) -> Formula:
    def formula(c: Context, *x: Value) -> Value:
        if not complex_too and is_complex(x[0].dtype):
            raise Left(f"{name} of complex numbers")
        return c.b.op(name, *x, dialect=dialect)

    return formula


def _real_only(formula: Formula) -> Formula:
    def checked(c: Context, *x: Value) -> Value:
        if is_complex(x[0].dtype):
            raise Left("of complex numbers")
        return formula(c, *x)

    return checked


def _log_base(base: float) -> Formula:
    """In f64, and whole numbers of powers of the base, as PyTorch has them."""
    def formula(c: Context, x: Value) -> Value:
        if is_complex(x.dtype):
            parts = [c.b.op("divide", part, c.b.like(math.log(base), part)) for part in parts_of(c, c.b.op("log", x))]
            return c.b.raw("complex", parts, [(x.dtype, x.shape)])[0]
        wide = c.b.convert(x, torch.float64)
        logarithm = c.b.op("log", wide)
        quotient = c.b.op("divide", logarithm, c.b.like(math.log(base), logarithm))
        whole = c.b.op("round_nearest_even", quotient)
        is_power = c.b.compare(c.b.op("power", c.b.like(base, whole), whole), wide, "EQ")
        return c.b.convert(c.b.select(is_power, whole, quotient), x.dtype)

    return formula


def _exp2(c: Context, x: Value) -> Value:
    if is_complex(x.dtype):
        return c.b.op("exponential", c.b.op("multiply", x, c.b.like(math.log(2.0), x)))
    return c.b.op("power", c.b.like(2.0, x), x)


def _reciprocal(c: Context, x: Value) -> Value:
    return c.b.op("divide", c.b.like(1, x), x)


def _sign(c: Context, x: Value) -> Value:
    if x.dtype is torch.bool:
        return x
    zero, one = c.b.like(0, x), c.b.like(1, x)
    if is_integer(x.dtype) and torch.iinfo(x.dtype).min == 0:
        return c.b.op("minimum", x, one)
    negative = c.b.select(c.b.compare(x, zero, "LT"), c.b.like(-1, x), zero)
    return c.b.select(c.b.compare(x, zero, "GT"), one, negative)  # of NaN 0


def _trunc(c: Context, x: Value) -> Value:
    up = c.b.compare(x, c.b.like(0, x), "LT")
    return c.b.select(up, c.b.op("ceil", x), c.b.op("floor", x))


def _float_only(formula: Formula) -> Formula:
    """Of integers nothing."""
    return lambda c, x: formula(c, x) if x.is_float else x


def _abs(c: Context, x: Value) -> Value:
    if is_complex(x.dtype):
        return c.b.op("abs", x, dtype=PARTS[x.dtype])
    return x if x.dtype is torch.bool or (is_integer(x.dtype) and torch.iinfo(x.dtype).min == 0) else c.b.op("abs", x)


def _square_root(c: Context, x: Value) -> Value:
    return c.b.op("sqrt", x)


def parts_of(c: Context, x: Value) -> tuple[Value, Value]:
    """Real and imaginary part."""
    real_part, imaginary = (c.b.raw(name, (x,), [(PARTS[x.dtype], x.shape)])[0] for name in ("real", "imag"))
    return real_part, imaginary


def _of_parts(combine: str, formula: Formula, of_integers: bool) -> Formula:
    """A property of both parts of a complex number."""
    def checked(c: Context, x: Value) -> Value:
        if is_complex(x.dtype):
            return c.b.op(combine, *(formula(c, part) for part in parts_of(c, x)))
        return formula(c, x) if x.is_float else c.b.constant(of_integers, torch.bool, x.shape)

    return checked


FLOAT, SAME, BOOL = PROMOTION.INT_TO_FLOAT, PROMOTION.DEFAULT, PROMOTION.ALWAYS_BOOL
for _name, _formula in {
    "exp": _op("exponential"), "expm1": _op("exponential_minus_one"), "log": _op("log"), "log1p": _op("log_plus_one"), "sqrt": _square_root,
    "rsqrt": _op("rsqrt"), "sin": _op("sine"), "cos": _op("cosine"), "tanh": _op("tanh"), "sigmoid": _op("logistic"), "reciprocal": _reciprocal,
    "tan": _op("tan"), "exp2": _exp2, "log2": _log_base(2.0), "log10": _log_base(10.0),
    "erf": _op("erf", "chlo", False), "erfc": _op("erfc", "chlo", False), "erfinv": _op("erf_inv", "chlo", False), "lgamma": _op("lgamma", "chlo", False),
    **{_n: _op(_n, "chlo") for _n in ("sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh")},
}.items():
    _simple(_name, FLOAT, _formula)
for _name, _formula in {
    "neg": _op("negate"), "sign": _real_only(_sign), "relu": lambda c, x: c.b.op("maximum", x, c.b.like(0, x)), "bitwise_not": _op("not"),
    "floor": _float_only(_op("floor")), "ceil": _float_only(_op("ceil")), "round": _float_only(_op("round_nearest_even")), "trunc": _float_only(_trunc),
    "positive": lambda c, x: x, "square": lambda c, x: c.b.op("multiply", x, x),
}.items():
    _simple(_name, SAME, _formula)
_simple("abs", PROMOTION.COMPLEX_TO_FLOAT, _abs)
_simple("logical_not", BOOL, lambda c, x: c.b.compare(x, c.b.like(0, x), "EQ"))
_simple("isnan", BOOL, lambda c, x: c.b.is_nan(x) if x.is_float or is_complex(x.dtype) else c.b.constant(False, torch.bool, x.shape))
_simple("isinf", BOOL, _of_parts("or", lambda c, x: c.b.compare(c.b.op("abs", x), c.b.like(math.inf, x), "EQ"), False))
_simple("isfinite", BOOL, _of_parts("and", lambda c, x: c.b.op("is_finite", x, dtype=torch.bool), True))


@lowers("aten.signbit.default")
def signbit(c: Context, x: Value) -> Value:
    if not x.is_float:
        return c.b.compare(x, c.b.like(0, x), "LT")
    word = {2: torch.int16, 4: torch.int32, 8: torch.int64}[x.dtype.itemsize]
    bits = c.b.raw("bitcast_convert", (x,), [(word, x.shape)])[0]
    return c.b.compare(bits, c.b.like(0, bits), "LT")


# ----------------------------------------------------------------------------------------------------------------------
# Two operands
# ----------------------------------------------------------------------------------------------------------------------


def _scaled(c: Context, name: str, x: Any, y: Any, alpha: Any) -> Value:
    def formula(c: Context, x: Value, y: Value) -> Value:
        scaled = y if not isinstance(alpha, Scalar) and alpha == 1 else c.b.op("multiply", y, c.operand(alpha, y.dtype))
        return c.b.op(name, x, scaled)

    if name == "subtract" and promoted(SAME, x, y) is torch.bool:
        raise Left("a difference of booleans")
    return elementwise(c, SAME, formula, x, y)


@lowers("aten.add.Tensor", "aten.add.Scalar", scalars=True)
def add(c: Context, x: Any, y: Any, alpha: Any = 1) -> Value:
    return _scaled(c, "add", x, y, alpha)


@lowers("aten.sub.Tensor", "aten.sub.Scalar", scalars=True)
def sub(c: Context, x: Any, y: Any, alpha: Any = 1) -> Value:
    return _scaled(c, "subtract", x, y, alpha)


@lowers("aten.rsub.Tensor", "aten.rsub.Scalar", scalars=True)
def rsub(c: Context, x: Any, y: Any, alpha: Any = 1) -> Value:
    return _scaled(c, "subtract", y, x, alpha)


def _binary(names: tuple[str, ...], kind: PROMOTION, formula: Formula) -> None:
    full = dict.fromkeys(n if "." in n else f"{n}.{overload}" for n in names for overload in ("Tensor", "Scalar"))
    lowers(*(f"aten.{n}" for n in full), scalars=True)(lambda c, x, y: elementwise(c, kind, formula, x, y))


_binary(("mul",), SAME, _op("multiply"))


def _nonzero_divisor(c: Context, y: Value) -> None:
    if is_integer(y.dtype):
        c.check(c.b.compare(y, c.b.like(0, y), "NE"), "RuntimeError: ZeroDivisionError")


def _floor_div(c: Context, x: Value, y: Value) -> Value:
    b = c.b
    _nonzero_divisor(c, y)
    quotient = b.op("divide", x, y)
    if not x.is_float:
        if torch.iinfo(x.dtype).min == 0:
            return quotient
        rest = b.op("remainder", x, y)
        zero = b.like(0, x)
        differ = b.op("xor", b.compare(x, zero, "LT"), b.compare(y, zero, "LT"))
        below = b.op("and", b.compare(rest, zero, "NE"), differ)
        return b.select(below, b.op("subtract", quotient, b.like(1, x)), quotient)
    zero = b.like(0, x)
    rest = b.op("remainder", x, y)
    exact = b.op("divide", b.op("subtract", x, rest), y)
    differ = b.op("xor", b.compare(y, zero, "LT"), b.compare(rest, zero, "LT"))
    exact = b.select(b.op("and", b.compare(rest, zero, "NE"), differ), b.op("subtract", exact, b.like(1, x)), exact)
    floor = b.op("floor", exact)
    floor = b.select(b.compare(b.op("subtract", exact, floor), b.like(0.5, x), "GT"), b.op("add", floor, b.like(1, x)), floor)
    signed_zero = b.op("multiply", zero, quotient)
    result = b.select(b.compare(exact, zero, "NE"), floor, signed_zero)
    return b.select(b.compare(y, zero, "EQ"), quotient, result)


def _trunc_div(c: Context, x: Value, y: Value) -> Value:
    _nonzero_divisor(c, y)
    quotient = c.b.op("divide", x, y)
    return _trunc(c, quotient) if x.is_float else quotient


@lowers("aten.div.Tensor", "aten.div.Scalar", "aten.true_divide.Tensor", "aten.true_divide.Scalar", scalars=True)
def div(c: Context, x: Any, y: Any) -> Value:
    return elementwise(c, FLOAT, _op("divide"), x, y)


@lowers("aten.div.Tensor_mode", "aten.div.Scalar_mode", scalars=True)
def div_mode(c: Context, x: Any, y: Any, *, rounding_mode: str | None) -> Value:
    if rounding_mode is None:
        return div(c, x, y)
    return elementwise(c, SAME, _real_only(_floor_div if rounding_mode == "floor" else _trunc_div), x, y)


_binary(("floor_divide.default", "floor_divide.Scalar"), SAME, _real_only(_floor_div))


def _fmod(c: Context, x: Value, y: Value) -> Value:
    _nonzero_divisor(c, y)
    return c.b.op("remainder", x, y)


def _remainder(c: Context, x: Value, y: Value) -> Value:
    b = c.b
    _nonzero_divisor(c, y)
    rest, zero = b.op("remainder", x, y), b.like(0, x)
    if is_integer(x.dtype) and torch.iinfo(x.dtype).min == 0:
        return rest
    differ = b.op("xor", b.compare(y, zero, "LT"), b.compare(rest, zero, "LT"))
    return b.select(b.op("and", b.compare(rest, zero, "NE"), differ), b.op("add", rest, y), rest)


_binary(("fmod",), SAME, _real_only(_fmod))
_binary(("remainder", "remainder.Scalar_Tensor"), SAME, _real_only(_remainder))


def _extreme(c: Context, name: str, x: Value, y: Value) -> Value:
    """The other one where one is NaN."""
    if not x.is_float:
        return c.b.op(name, x, y)
    return c.b.select(c.b.is_nan(x), y, c.b.select(c.b.is_nan(y), x, c.b.op(name, x, y)))


for _name, _hlo in {"maximum": "maximum", "minimum": "minimum", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor"}.items():
    _binary((f"{_name}.default",) if _name in ("maximum", "minimum") else (_name, f"{_name}.Scalar_Tensor"), SAME, _op(_hlo, complex_too=False))
_binary(("fmax.default",), SAME, lambda c, x, y: _extreme(c, "maximum", x, y))
_binary(("fmin.default",), SAME, lambda c, x, y: _extreme(c, "minimum", x, y))
_binary(("atan2.default",), FLOAT, _op("atan2", complex_too=False))
for _name, _direction in {"eq": "EQ", "ne": "NE", "lt": "LT", "le": "LE", "gt": "GT", "ge": "GE"}.items():
    _binary((_name,), BOOL, lambda c, x, y, d=_direction: c.b.compare(x, y, d))


def _logical(name: str) -> Formula:
    return lambda c, x, y: c.b.op(name, c.b.convert(x, torch.bool), c.b.convert(y, torch.bool))


for _name in ("and", "or", "xor"):
    _binary((f"logical_{_name}.default",), BOOL, _logical(_name))


def _shift(name: str) -> Formula:
    def formula(c: Context, x: Value, y: Value) -> Value:
        b, bits = c.b, 8 * x.dtype.itemsize
        is_unsigned = torch.iinfo(x.dtype).min == 0
        largest = bits if name == "shift_left" or is_unsigned else bits - 1
        inside = b.op("and", b.compare(y, b.like(0, y), "GE"), b.compare(y, b.like(min(largest, torch.iinfo(y.dtype).max), y), "LT"))
        hlo = "shift_left" if name == "shift_left" else "shift_right_logical" if is_unsigned else "shift_right_arithmetic"
        if name == "shift_left" or is_unsigned:
            return b.select(inside, b.op(hlo, x, y), b.like(0, x))
        return b.op(hlo, x, b.select(inside, y, b.like(bits - 1, y)))

    return formula


for _name, _dunder in {"left": "l", "right": "r"}.items():
    _binary((f"bitwise_{_name}_shift.Tensor", f"bitwise_{_name}_shift.Tensor_Scalar", f"bitwise_{_name}_shift.Scalar_Tensor", f"__{_dunder}shift__"), SAME,
            _shift(f"shift_{_name}"))


def _power(c: Context, x: Value, y: Value) -> Value:
    b, result = c.b, c.b.op("power", x, y)
    if not is_complex(x.dtype):
        return result
    (real_part, imaginary), none = parts_of(c, y), b.like(complex(math.nan, math.nan), x)
    is_real = b.compare(imaginary, b.like(0, imaginary), "EQ")
    of_zero = b.select(b.compare(real_part, b.like(0, real_part), "GT"), b.like(0, x),
                       b.select(b.compare(real_part, b.like(0, real_part), "LT"), b.like(complex(math.inf, math.nan), x), none))
    return b.select(b.compare(x, b.like(0, x), "EQ"), b.select(is_real, of_zero, none), result)


def _integer_power(c: Context, x: Value, exponent: int) -> Value:
    """By squaring, which wraps around as PyTorch's does."""
    result, square = None, x
    while exponent:
        if exponent & 1:
            result = square if result is None else c.b.op("multiply", result, square)
        exponent >>= 1
        square = c.b.op("multiply", square, square) if exponent else square
    return c.b.like(1, x) if result is None else result


@lowers("aten.pow.Tensor_Scalar", scalars=True)
def pow_scalar(c: Context, x: Value, exponent: Any) -> Value:
    exponent = fixed(exponent)
    dtype = promoted(SAME, x, exponent)
    base = c.operand(x, dtype)
    if not dtype.is_floating_point and not is_complex(dtype):
        if dtype is torch.bool or exponent < 0:
            raise Left("a power of booleans, or negative of integers")
        return _integer_power(c, base, int(exponent))
    special = {0.5: lambda: _square_root(c, base), -0.5: lambda: c.b.op("rsqrt", base), -1: lambda: _reciprocal(c, base),
               -2: lambda: _reciprocal(c, _integer_power(c, base, 2)), 0: lambda: c.b.like(1, base), 1: lambda: base,
               2: lambda: _integer_power(c, base, 2), 3: lambda: _integer_power(c, base, 3)}
    found = special[exponent]() if exponent in special else _power(c, base, c.operand(exponent, dtype))
    return c.b.convert(found, c.dtype)


@lowers("aten.pow.Tensor_Tensor", "aten.pow.Scalar", scalars=True)
def pow_tensor(c: Context, x: Any, exponent: Any) -> Value:
    dtype = promoted(PROMOTION.BOOL_TO_LONG, x, exponent)
    if c.dtype is torch.bool:
        raise Left("powers of booleans")
    return elementwise(c, PROMOTION.BOOL_TO_LONG, _power, x, exponent)


@lowers("aten.copysign.Tensor", "aten.copysign.Scalar")
def copysign(c: Context, x: Any, y: Any) -> Value:
    def formula(c: Context, x: Value, y: Value) -> Value:
        word = {4: torch.int32, 8: torch.int64}[x.dtype.itemsize]
        negative = c.b.raw("bitcast_convert", (y,), [(word, y.shape)])[0]
        size = c.b.op("abs", x)
        return c.b.select(c.b.compare(negative, c.b.like(0, negative), "LT"), c.b.op("negate", size), size)

    return elementwise(c, FLOAT, formula, x, y)


# ----------------------------------------------------------------------------------------------------------------------
# Choices and bounds
# ----------------------------------------------------------------------------------------------------------------------


@lowers("aten.where.self", "aten.where.ScalarOther", "aten.where.ScalarSelf", "aten.where.Scalar", scalars=True)
def where(c: Context, condition: Value, x: Any, y: Any) -> Value:
    predicate = c.operand(condition, torch.bool)
    return c.b.select(predicate, c.operand(x, c.dtype), c.operand(y, c.dtype))


@lowers("aten.masked_fill.Scalar", "aten.masked_fill.Tensor", scalars=True)
def masked_fill(c: Context, x: Value, mask: Value, value: Any) -> Value:
    return where(c, mask, value, x)


@lowers("aten.clamp.default", "aten.clamp.Tensor", "aten.clamp_min.default", "aten.clamp_min.Tensor", "aten.hardtanh.default", scalars=True)
def clamp(c: Context, x: Value, low: Any = None, high: Any = None, min: Any = None, max: Any = None,  # pylint: disable=redefined-builtin
          min_val: Any = None, max_val: Any = None) -> Value:
    low = next((v for v in (low, min, min_val) if v is not None), None)
    high = next((v for v in (high, max, max_val) if v is not None), None)
    bounds = [v for v in (low, high) if v is not None]
    dtype = promoted(SAME, x, *bounds)
    result = c.operand(x, dtype)
    if low is not None:
        result = c.b.op("maximum", result, c.operand(low, dtype))
    if high is not None:
        result = c.b.op("minimum", result, c.operand(high, dtype))
    return c.b.convert(result, c.dtype)


@lowers("aten.clamp_max.default", "aten.clamp_max.Tensor", scalars=True)
def clamp_max(c: Context, x: Value, high: Any) -> Value:
    return clamp(c, x, None, high)


# ----------------------------------------------------------------------------------------------------------------------
# Types and complex numbers
# ----------------------------------------------------------------------------------------------------------------------


@lowers("aten._to_copy.default", "aten.clone.default", "aten.alias.default", "aten.detach.default", "aten.lift_fresh_copy.default", "aten.lift_fresh.default",
        "aten.contiguous.default", "prims.convert_element_type.default", "aten.to.dtype", "prims.device_put.default", "aten.detach_.default",
        "prims.view_of.default", "aten.resolve_conj.default", "aten.resolve_neg.default")
def to_copy(c: Context, x: Value, *_args: Any, **_kwargs: Any) -> Value:
    if x.fake is not None and x.fake.device != c.out.device:
        raise Left("a copy to another device")
    if x.dtype in PARTS and c.dtype not in PARTS and c.dtype is not torch.bool:
        return c.b.convert(c.b.raw("real", (x,), [(PARTS[x.dtype], x.shape)])[0], c.dtype)
    return c.b.convert(x, c.dtype)


@lowers("aten._assert_tensor_metadata.default")
def assert_metadata(_c: Context, *_args: Any, **_kwargs: Any) -> None:
    """What it says of the tensor is compared everywhere."""


@lowers("aten.copy.default")
def copy(c: Context, _x: Value, source: Value, *_args: Any) -> Value:
    return c.b.broadcast(to_copy(c, source), c.shape)


@lowers("aten._conj.default", "aten._conj_physical.default", "aten.conj_physical.default", "aten.conj.default")
def conj(c: Context, x: Value) -> Value:
    if not is_complex(x.dtype):
        return x
    real_part, imaginary = parts_of(c, x)
    return c.b.raw("complex", (real_part, c.b.op("negate", imaginary)), [(x.dtype, x.shape)])[0]


@lowers("aten.complex.default")
def complex_(c: Context, real: Value, imag: Value) -> Value:
    part = PARTS[c.dtype]
    return c.b.raw("complex", (c.operand(real, part), c.operand(imag, part)), [(c.dtype, c.shape)])[0]


@lowers("aten.polar.default")
def polar(c: Context, size: Value, angle: Value) -> Value:  # pylint: disable=redefined-outer-name
    part = PARTS[c.dtype]
    size, angle = c.operand(size, part), c.operand(angle, part)
    parts = [c.b.op("multiply", size, c.b.op(name, angle)) for name in ("cosine", "sine")]
    return c.b.raw("complex", parts, [(c.dtype, c.shape)])[0]


@lowers("aten.view_as_real.default")
def view_as_real(c: Context, x: Value) -> Value:
    shape = (*x.shape, 1)
    return c.b.concatenate([c.b.reshape(part, shape) for part in parts_of(c, x)], x.ndim)


@lowers("aten.view_as_complex.default")
def view_as_complex(c: Context, x: Value) -> Value:
    parts = [c.b.reshape(c.b.slice_dim(x, x.ndim - 1, i, i + 1), c.shape) for i in range(2)]
    return c.b.raw("complex", parts, [(c.dtype, c.shape)])[0]


@lowers("aten.real.default", "aten.imag.default")
def real(c: Context, x: Value) -> Value:
    if not is_complex(x.dtype):
        return x
    raise Left("a part of complex numbers")  # both names come as aten.view_as_real


@lowers("aten.angle.default")
def angle(c: Context, x: Value) -> Value:
    if is_complex(x.dtype):
        real_part, imaginary = parts_of(c, x)
        return c.b.op("atan2", imaginary, real_part)
    x = c.operand(x, c.dtype)
    zero = c.b.like(0, x)
    return c.b.select(c.b.is_nan(x), x, c.b.select(c.b.compare(x, zero, "LT"), c.b.like(math.pi, x), zero))


@lowers("aten.view.dtype")
def view_dtype(c: Context, x: Value, _dtype: torch.dtype) -> Value:
    if torch.bool in (x.dtype, c.dtype) or is_complex(x.dtype) or is_complex(c.dtype):
        raise Left("the words of booleans or complex numbers")
    before, after = x.dtype.itemsize, c.dtype.itemsize
    if before == after:
        return c.b.raw("bitcast_convert", (x,), [(c.dtype, c.shape)])[0]
    if before > after:
        split = c.b.raw("bitcast_convert", (x,), [(c.dtype, (*x.shape, before // after))])[0]
        return c.b.reshape(split, c.shape)
    return c.b.raw("bitcast_convert", (c.b.reshape(x, (*c.shape, after // before)),), [(c.dtype, c.shape)])[0]
