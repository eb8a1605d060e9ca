#!/usr/bin/env bash
# Installs what a Debian 12 machine lacks for building and testing Stitch, then configures and builds it.
#   tools/setup.sh             packages and build
#   tools/setup.sh --python    also the Python environment that compares with JAX and tests python/ (.venv)
#   tools/setup.sh --torch     also that of PyTorch (.venv-torch), for test/corpus
# Does nothing, quickly, when nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools clang-22 lld-22 clang-format-22 libclang-rt-22-dev libclc-22
  libdnnl-dev libopenblas0-serial libcjson-dev coinor-libcbc3 libopenmpi-dev openmpi-bin cmake ninja-build ccache git python3 python3-venv
)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    echo "these packages are missing and installing them needs root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  if ! apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; then
    echo "LLVM 22 is in Debian 12's security archive: bookworm-security must be among apt's sources" >&2
    exit 1
  fi
fi

# An environment with what a file of pinned versions names; the stamp is the file that it was made from.
environment() {
  if ! cmp -s "$2" "$1/requirements.txt"; then
    echo "creating a Python environment ($1)"
    rm -rf "$1"
    if ! { python3 -m venv "$1" && "$1/bin/pip" install -q --disable-pip-version-check -r "$2" && cp "$2" "$1/requirements.txt"; }; then
      rm -rf "$1" # half of one would do harm
      echo "the Python environment $1 cannot be made: it needs PyPI and disk space, of which there are $(df -h --output=avail . | tail -1 | tr -d ' ')" >&2
      return 1
    fi
  fi
}
case "${1:-}" in
  --python) environment .venv test/requirements.txt ;;
  --torch)
    environment .venv test/requirements.txt
    environment .venv-torch test/requirements-torch.txt
    ;;
esac

# With an environment once more: libstitch_jax is built where jaxlib is.
[ -f build/build.ninja ] && [ $# -eq 0 ] || cmake --preset release >/dev/null
cmake --build build
