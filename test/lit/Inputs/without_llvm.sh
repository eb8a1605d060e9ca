# Runs a command on a machine like this one that has none of the libraries that the wheel brings along (as root: in a mount namespace).
#   unshare -m bash without_llvm.sh LLVM_FOLDER COMMAND...
set -e
mount -t tmpfs none "$1"
shift
for library in LLVM MLIR z3 dnnl cjson OpenCL xml2 icuuc icudata edit bsd gomp; do
  for file in /usr/lib/*-linux-gnu/lib$library[-.]*so*; do
    [ ! -f "$file" ] || mount --bind /dev/null "$file"
  done
done
exec "$@"
