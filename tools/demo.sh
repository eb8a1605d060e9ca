#!/usr/bin/env bash
# Shows the whole way of one model: StableHLO -> stitched kernels -> run on the CPU's SIMT device -> checked against the
# reference, with the PTX of the same kernels beside it.
#   tools/demo.sh [MODEL.mlir]      default: a BERT (see test/models/)
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh

model=${1:-test/models/bert_layer_training.mlir}
out=build/demo
mkdir -p "$out"
echo
echo "== $model: StableHLO text, $(grep -c 'stablehlo\.' "$model") operations"
echo "== compiling (stitch-compile)"
build/bin/stitch-compile "$model" -o "$out/model.so" --target=simt,sm_90 --stats="$out/stats.json"
build/bin/stitch-compile "$model" -o "$out/model.ptx" --target=sm_90 --emit=ptx
echo
echo "== what was stitched ($out/stats.json)"
cat "$out/stats.json"
echo
echo "== the PTX of the kernels: $out/model.ptx ($(grep -c '\.entry' "$out/model.ptx") kernels)"
echo "== running on the SIMT device and comparing every output with the reference (stitch-run --check)"
build/bin/stitch-run "$out/model.so" --device=simt --check
