import ctypes
import glob
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "Stitch"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.stitch_source_dir, "test", "lit")
config.test_exec_root = os.path.join(config.stitch_build_dir, "test", "lit")

tools = [os.path.join(config.stitch_build_dir, "bin"), config.llvm_tools_dir]
config.environment["PATH"] = os.pathsep.join(tools + [os.environ["PATH"]])
# libMLIR.so is not instrumented: containers that cross its border look overflown to AddressSanitizer, and memory of its
# allocators that our objects have poisoned is never given back.
config.environment["ASAN_OPTIONS"] = "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0"

# Each test compiles its kernels, and leaves none behind.
config.environment["STITCH_CACHE"] = "off"

config.substitutions.append(("%unit", os.path.join(config.stitch_build_dir, "test", "unit", "bin")))
config.substitutions.append(("%source", config.stitch_source_dir))
sanitizers = " -fsanitize=address,undefined" if config.stitch_sanitize == "ON" else ""
if sanitizers:
    config.available_features.add("sanitizer")
config.substitutions.append(("%clang", os.path.join(config.llvm_tools_dir, "clang") + sanitizers))
config.substitutions.append(("%runtime", os.path.join(config.stitch_build_dir, "runtime", "libstitch_runtime.a")))
config.substitutions.append(("%mlir_lib", os.path.join(os.path.dirname(config.llvm_tools_dir), "lib")))
config.substitutions.append(("%llvm_bin", config.llvm_tools_dir))
config.substitutions.append(("%build", config.stitch_build_dir))
# Before a command: the CUDA libraries are the test double.
config.substitutions.append(
    ("%double", "env STITCH_CUDA_LIBRARIES=" + os.path.join(config.stitch_build_dir, "test", "cuda_double", "all")))
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%mlir_include", os.path.join(os.path.dirname(config.llvm_tools_dir), "include")))

# tools/test.sh --fast leaves out what takes longer than some seconds.
if not lit_config.params.get("fast"):
    config.available_features.add("long-tests")

if shutil.which("openssl"):
    config.available_features.add("openssl")

ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))

# Several processes, where the module for MPI has been built and there is what starts them.
mpirun = shutil.which("mpirun")
if mpirun and os.path.exists(os.path.join(config.stitch_build_dir, "lib", "libstitch_mpi.so")):
    config.available_features.add("mpi")
    config.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    config.substitutions.append(("%mpirun", mpirun + " --oversubscribe -n"))

# The real cuDNN, which makes plans without a GPU.
try:
    ctypes.CDLL("libcudnn.so.9")
    config.available_features.add("cudnn")
except OSError:
    pass

# Real models that are not part of the project, where they lie beside it.
shared_models = os.path.join(os.path.dirname(config.stitch_source_dir), "shared", "models")
if os.path.isdir(shared_models):
    config.available_features.add("shared-models")
    config.substitutions.append(("%shared_models", shared_models))

# The Python environment of tools/setup.sh --python, with JAX.
jax_python = os.path.join(config.stitch_source_dir, ".venv", "bin", "python")
if os.path.exists(jax_python):
    config.available_features.add("jax")
    config.substitutions.append(("%jax_python", jax_python))
    # Python does not load libraries that are instrumented.
    has_cffi = glob.glob(os.path.join(config.stitch_source_dir, ".venv", "lib", "python3*", "site-packages", "cffi"))
    if config.stitch_sanitize != "ON" and has_cffi and os.path.exists(os.path.join(config.stitch_build_dir, "python", "libstitch_jax.so")):
        config.available_features.add("python-package")

# Files can be hidden from a command, as root; and patchelf is there, which makes the wheel stand alone.
unshared = shutil.which("unshare") and subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0
if unshared and (shutil.which("patchelf") or os.path.exists(os.path.join(os.path.dirname(jax_python), "patchelf"))):
    config.available_features.add("mount-namespace")

# The one of tools/setup.sh --torch, with PyTorch.
torch_python = os.path.join(config.stitch_source_dir, ".venv-torch", "bin", "python")
if os.path.exists(torch_python):
    config.available_features.add("torch")
    config.substitutions.append(("%torch_python", torch_python))
    if "python-package" in config.available_features and glob.glob(os.path.join(config.stitch_source_dir, ".venv-torch", "lib", "python3*", "site-packages", "cffi")):
        config.available_features.add("python-torch")

# ptxas of CUDA 12, from the same environment: that of CUDA 13 does not know sm_70.
ptxas_cuda12 = glob.glob(
    os.path.join(config.stitch_source_dir, ".venv", "lib", "python3*", "site-packages", "nvidia", "cuda_nvcc", "bin", "ptxas"))
if ptxas_cuda12:
    config.available_features.add("ptxas-cuda12")
    config.substitutions.append(("%cuda12_ptxas", ptxas_cuda12[0]))

# A browser, for pictures of the report.
chromium = next(filter(None, map(lit.util.which, ("chromium", "chromium-headless-shell", "google-chrome"))), None)
if chromium:
    config.available_features.add("chromium")
    config.substitutions.append(("%chromium", chromium))
