#!/usr/bin/env bash
# Sets up, builds and runs every test. Ends with a line "N passed, N failed" (and ", N skipped" where a test needs what this
# machine does not have: ptxas, a GPU).
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh --python

results=build/test-results.json
rm -f "$results"
status=0
/usr/lib/llvm-22/bin/lit -v --output "$results" build/test/lit || status=$?
[ -x .venv-torch/bin/python ] || echo "skipped: models of PyTorch and torch.compile, as there is no .venv-torch (tools/setup.sh --torch makes it)"
python3 test/summary.py "$results" || status=1
exit $status
