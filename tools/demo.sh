#!/usr/bin/env bash
# Shows the whole way of one model: StableHLO -> stitched kernels -> run on the CPU's SIMT device -> checked against the
# reference, with the PTX of the same kernels beside it.
#   tools/demo.sh [MODEL.mlir]
# The default is a BERT: the whole one, exported from PyTorch, where it lies beside this checkout (../shared/models), else the layer in
# training, forward and backward, of test/models.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh

model=test/models/bert_layer_training.mlir
[ ! -f ../shared/models/pt_bert.mlir ] || model=../shared/models/pt_bert.mlir
model=${1:-$model}
out=build/demo
mkdir -p "$out"
echo
echo "== $model: StableHLO text, $(grep -c 'stablehlo\.' "$model") operations"
echo "== compiling (stitch-compile)"
build/bin/stitch-compile "$model" -o "$out/model.so" --target=simt,sm_90 --stats="$out/stats.json"
build/bin/stitch-compile "$model" -o "$out/model.ptx" --target=sm_90 --emit=ptx
echo
echo "== what was stitched (all figures: $out/stats.json)"
python3 - "$out/stats.json" <<'PYTHON'
import json, sys

with open(sys.argv[1]) as file:
    s = json.load(file)
print(f"{s['ops']} operations, {s['memory_intensive_ops']} of them memory-intensive, became {s['fusions']} kernel launches "
      f"({s['kernels_unique']} distinct kernels, {s['grid_barriers']} grid barriers) and {s['library_calls']} library calls")
print("schemes: " + ", ".join(f"{count} {scheme}" for scheme, count in s["scheme_counts"].items()))
print(f"global memory traffic of the kernels: {(s['bytes_read'] + s['bytes_written']) / 1e6:.1f} MB; "
      f"one operation at a time: {s['bytes_unfused'] / 1e6:.1f} MB")
print(f"compiled in {s['seconds']['total']:.1f} s")
PYTHON
echo
echo "== the PTX of the kernels: $out/model.ptx ($(grep -c '\.entry' "$out/model.ptx") kernels)"
echo "== running on the SIMT device and comparing every output with the reference (stitch-run --check)"
build/bin/stitch-run "$out/model.so" --device=simt --check
