# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a program with every kind of attribute that StableHLO has, in the generic form of jaxlib's own StableHLO, which is another build.

usage: program.py [--locations]
"""
import sys

import jax
import jax.numpy as jnp
from jax import lax


def program(x, w, image, index):
    product = lax.dot_general(x, w, (((2,), (1,)), ((0,), (0,))))
    convolved = lax.conv_general_dilated(image, jnp.ones((3, 3, 2, 4)), (1, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    rows = jnp.where(product > 0, product, jnp.exp(product)).sum(-1)
    loop = lax.fori_loop(0, 3, lambda n, value: value * 2 + n, lax.cumsum(rows, axis=1))
    moved = jnp.transpose(lax.rev(lax.pad(rows, 0.0, ((1, 2, 0), (0, 0, 1))), (0,)))
    return (jnp.sort(product[:, index], axis=-1), product.at[0, index].add(1.0), lax.reduce_window(convolved, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
            loop, jax.random.uniform(jax.random.key(0), (4,)), moved, jnp.fft.rfft(rows), jnp.linalg.cholesky(jnp.eye(4)), lax.top_k(rows, 2),
            lax.dynamic_slice(rows, (index[0], 0), (1, 2)), jnp.arcsin(rows), lax.reduce_precision(rows, 5, 10), lax.clamp(0.0, rows, 1.0), jnp.isfinite(rows))


lowered = jax.jit(program).lower(jnp.ones((2, 3, 4)), jnp.ones((2, 4, 5)), jnp.ones((1, 6, 6, 2)), jnp.array([0, 1]))
print(lowered.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True, enable_debug_info="--locations" in sys.argv))
