#!/bin/bash
# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: campaign.sh FOLDER [SEED [PERCENT]]
#
# 225,000 changed inputs (or PERCENT of them) through every target of stitch-fuzz, in the asan build. Findings go to FOLDER. The corpus is
# what the tests have, in text, in the generic form and as bytecode; plans, kernels, model files and arrays are made from it.
set -u
source=$(cd "$(dirname "$0")/../.." && pwd)
build=${STITCH_FUZZ_BUILD:-$source/build-asan}
folder=$1 seed=${2:-1} percent=${3:-100}
corpus=$folder/corpus
mkdir -p "$corpus"
export ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0
mapfile -t texts < <(find "$source"/test/lit/{dialects,lowering,passes,tools} "$source"/test/models "$source"/test/fuzz/corpus -name '*.mlir' -size -60k | sort)

for model in "$source"/test/fuzz/corpus/*.mlir "$source"/test/lit/tools/Inputs/{softmax,layers}.mlir "$source"/test/models/tosa_transformer_block.mlir; do
  name=$(basename "$model" .mlir)
  for stage in plan gpu; do
    "$build/bin/stitch-compile" "$model" --emit=$stage -o "$corpus/$name.$stage.mlir" 2> /dev/null
  done
  "$build/bin/stitch-compile" "$model" -o "$corpus/$name.so" 2> /dev/null &&
    "$build/bin/stitch-run" "$corpus/$name.so" --output "$corpus/$name" > /dev/null 2>&1
done

# Portable artifacts, if there is a jaxlib that writes them: of the first version, of the first with properties, and later ones.
python=$source/.venv/bin/python artifacts=()
if [ -x "$python" ]; then
  "$python" "$source/test/programs/artifacts.py" --write "$corpus/artifacts" --versions 0.9.0,0.15.0,1.6.0,1.17.0 --types f32,i1 \
    "$source"/test/lit/dialects/vhlo/Inputs/functions.mlir "$source"/test/lit/dialects/stablehlo/{pretty,generic}.mlir || exit 2
  artifacts=("$corpus"/artifacts/*.mlir.bc)
fi

fuzz() { # TARGET RUNS options and files
  local target=$1 runs=$(($2 * percent / 100))
  shift 2
  "$build/bin/stitch-fuzz" "$target" --runs=$runs --seed="$seed" --keep="$folder" "$@"
}
status=0
fuzz graph 25000 --form=text "${texts[@]}" || status=1
fuzz graph 20000 --form=generic "${texts[@]}" || status=1
fuzz graph 10000 --form=bytecode "${texts[@]}" || status=1
[ ${#artifacts[@]} = 0 ] || fuzz graph 10000 --form=bytecode "${artifacts[@]}" || status=1
fuzz plan 10000 "$corpus"/*.plan.mlir || status=1
fuzz kernels 10000 "$corpus"/*.gpu.mlir || status=1
fuzz templates 10000 "$source"/test/fuzz/corpus/*.templates || status=1
fuzz rules 10000 "$source"/test/fuzz/corpus/*.rules || status=1
fuzz tuned 5000 "$source"/test/fuzz/corpus/*.templates || status=1
fuzz index 100000 "$source"/test/fuzz/corpus/*.index || status=1
fuzz npy 10000 "$corpus"/*/*.npy || status=1
fuzz model 5000 "$corpus"/*.so || status=1
exit $status
