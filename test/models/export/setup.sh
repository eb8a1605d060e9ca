#!/usr/bin/env bash
# Makes the Python environment that exports the models: setup.sh VENV, with Python 3.11.
# The list of packages is complete (it is what `pip freeze` prints), so that nothing else is resolved or installed.
set -euo pipefail
python3 -m venv "$1"
"$1/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$(dirname "$0")/requirements.txt"
echo "now: $1/bin/python $(dirname "$0")/export.py"
