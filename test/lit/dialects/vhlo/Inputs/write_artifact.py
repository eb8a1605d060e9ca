# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: write_artifact.py IN.mlir OUT.mlir.bc VERSION [FROM TO] ...: jaxlib's artifact of a text, in which each FROM of bytes is TO.

With "none" for the version it is bytecode of StableHLO itself."""
import io
import sys

import jaxlib.mlir.dialects.stablehlo as stablehlo
from jax._src.interpreters import mlir
from jaxlib.mlir import ir

text, out, version, *changes = sys.argv[1:]
with mlir.make_ir_context(), ir.Location.unknown():
    with open(text) as file:
        module = ir.Module.parse(file.read())
    stream = io.BytesIO()
    if version == "none":
        module.operation.write_bytecode(stream)
    artifact = stream.getvalue() or stablehlo.serialize_portable_artifact(module, version)
for old, new in zip(changes[::2], changes[1::2]):
    old, new = (bytes(part, "latin-1").decode("unicode_escape").encode("latin-1") for part in (old, new))
    if old not in artifact:
        sys.exit(f"{old} is not in the artifact")
    artifact = artifact.replace(old, new)
with open(out, "wb") as file:
    file.write(artifact)
