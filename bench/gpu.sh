#!/bin/sh
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks and times Stitch's kernels and models on a machine with an NVIDIA GPU, beside XLA and PyTorch, in one command.
#
#   bench/gpu.sh BUNDLE [--quick] [--out DIR] [--only=barrier,check,sanitizer,alone,models,networks,compile,kernels,tune]
#                       [--budget=SECONDS] [--resume FILE] [--work DIR] [--device=cuda|cuda:N|simt]
#
# BUNDLE is what bench/bundle has made on another machine: the file, or the folder that was extracted from it. Needs Python 3
# with NumPy, and with PyTorch (with CUDA) for the GPU; JAX, nvcc and compute-sanitizer are used where they are found, and
# what is missing is reported. PYTHON names the interpreter (default: python3). Ends after ten minutes at most, with --quick
# after three. The last lines are the table; results.json, table.txt and log.txt are in DIR (default: gpu-results).
#
# Exit status: 0: all right; 1: something is wrong; 3: nothing is wrong, but not all could be done; 2: usage.
set -eu

case "${1:-}" in
'' | -h | --help)
  sed -n '5,18s/^# \{0,1\}//p' "$0"
  [ $# -gt 0 ] && exit 0 || exit 2
  ;;
esac
bundle=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1

if [ -f "$bundle" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  tar -xzf "$bundle" -C "$folder"
  bundle=$folder/stitch-bundle
fi
if [ ! -f "$bundle/manifest.json" ]; then
  echo "gpu.sh: '$bundle' is no bundle: it has no manifest.json" >&2
  exit 2
fi
status=0
"$python" "$here/gpu/run.py" "$bundle" "$@" || status=$?
exit $status
