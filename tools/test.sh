#!/usr/bin/env bash
# Sets up, builds and runs every test. Ends with a line "N passed, N failed" (and ", N skipped" where a test needs what this
# machine does not have: ptxas, a GPU).
#
# usage: tools/test.sh [--fast]
#
# --fast leaves out the tests that take longer than some seconds (REQUIRES: long-tests): under two minutes on two cores, for
# whoever changes a file.
set -euo pipefail
cd "$(dirname "$0")/.."
fast=
case "${1-}" in
  '') ;;
  --fast) fast=1 ;;
  --help) sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' tools/test.sh; exit ;;
  *) echo "tools/test.sh: unknown option '$1' (--help)" >&2; exit 2 ;;
esac
if [ "$fast" ]; then tools/setup.sh; else tools/setup.sh --python; fi

results=build/test-results.json
rm -f "$results"
status=0
/usr/lib/llvm-22/bin/lit -v --output "$results" ${fast:+--param fast=1 --quiet} build/test/lit || status=$?
[ "$fast" ] || [ -x .venv-torch/bin/python ] || echo "skipped: models of PyTorch and torch.compile, as there is no .venv-torch (tools/setup.sh --torch makes it)"
python3 test/summary.py "$results" || status=1
exit $status
