# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m stitch info: versions, libraries and devices."""
import argparse
import importlib.metadata
import importlib.util
import sys

import stitch
from stitch._library import library_path
from stitch._model import device_target


def _gpu() -> str:
    try:
        return device_target("cuda")
    except stitch.StitchError as error:
        return f"none ({error})"


def _version(package: str) -> str:
    return importlib.metadata.version(package) if importlib.util.find_spec(package) else "not installed"


def info() -> None:
    """Prints what there is."""
    print(f"stitch {stitch.__version__}, Python {sys.version.split()[0]}")
    for name in ("stitch", "stitch_runtime", "stitch_jax"):
        path = library_path(name)
        print(f"lib{name}: {path if path.exists() else 'not there'}")
    print(f"devices: {' '.join(stitch.devices())}")
    print(f"plans for: {' '.join(stitch.planned_devices())}")
    print(f"GPU: {_gpu()}")
    for package in ("numpy", "jax", "torch"):
        print(f"{package}: {_version(package)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m stitch", description=__doc__)
    parser.add_argument("command", choices=["info"])
    parser.parse_args()
    info()
