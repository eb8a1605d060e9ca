#!/usr/bin/env bash
# The nightly run over the papers' workloads: every model is planned and compiled, the small ones run and are checked.
# usage: bench/models.sh [options of bench/models.py]
set -euo pipefail
exec python3 "$(dirname "$0")/models.py" "$@"
