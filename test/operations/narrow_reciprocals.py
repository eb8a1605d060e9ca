#!/usr/bin/env python3
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No reciprocal of a bf16 is so near to the middle between two of them that two ulps of f32 matter: lowering/ptx/lower_reciprocals.c rounds an
approximation to bf16, and gets the bits of the exact one.

usage: narrow_reciprocals.py

Goes through all positive bf16 numbers, subnormal ones too. rcp.approx.f32 is within one ulp of the reciprocal (PTX ISA); two are tried.
"""
import struct
import sys
from fractions import Fraction

INFINITY, ULPS = 0x7F80, 2


def number(bits):
    """Of the bits of an f32."""
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def nearest(value):
    """The bits of the f32 nearest to a double, which is that of the exact value or next to it."""
    try:
        return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        return INFINITY << 16


def narrow(bits):
    """The bf16 that an f32 is rounded to: to nearest, ties to even."""
    return bits >> 16 if bits >= INFINITY << 16 else (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def exact(bf16):
    return Fraction(2) ** 128 if bf16 == INFINITY else Fraction(number(bf16 << 16))


def main():
    wrong = 0
    for bits in range(1, INFINITY):
        reciprocal = 1 / exact(bits)
        approximation = nearest(1.0 / number(bits << 16))
        around = narrow(approximation)
        right = min((c for c in (around - 1, around, around + 1) if 0 <= c <= INFINITY), key=lambda c: (abs(exact(c) - reciprocal), c & 1))
        for ulps in range(-ULPS, ULPS + 1):
            other = approximation + ulps
            is_one = 0 <= other <= INFINITY << 16 and not (approximation == INFINITY << 16 and ulps < 0)
            wrong += is_one and narrow(other) != right
    print(f"{INFINITY - 1} reciprocals, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
