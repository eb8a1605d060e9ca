#!/usr/bin/env bash
# Makes the environment in the folder VENV, exports the models again, and compares every byte with what is in the repository:
#   reproduce.sh VENV [PATTERN ...]
set -euo pipefail
here="$(dirname "$0")"
[ -e "$1/bin/python" ] || "$here/setup.sh" "$1"
python="$1/bin/python"
shift
exec "$python" "$here/export.py" --check "$@"
