# The lit suite: FileCheck tests of the compiler and executed tests of its tools.
#
# AMP_LIT_ROUNDTRIP=1 runs every amp-opt under --verify-roundtrip.
# AMP_LIT_TARGET=cuda runs every amp-run on the emulated CUDA device.
import ctypes
import os
import sys

import lit.formats
import lit.util
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "AMP-MLIR"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.amp_obj_root, "test")
config.excludes = ["Inputs", "data", "goldens", "models", "lib", "unit", "CMakeLists.txt"]

llvm_config.with_system_environment(["HOME", "TMP", "TEMP", "LD_LIBRARY_PATH", "VIRTUAL_ENV",
                                     "AMP_CUDA_PATH", "CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"])
llvm_config.use_default_substitutions()
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)

amp_opt = "amp-opt"
extra = ["--verify-roundtrip"] if os.environ.get("AMP_LIT_ROUNDTRIP") else []
tools = [ToolSubst("amp-opt", extra_args=extra)]
for tool in ("amp-bench", "amp-compile", "amp-rt-cts", "amp-run", "amp-train"):
    tools.append(ToolSubst(tool, unresolved="ignore"))
emulate = f"bash {config.amp_src_root}/scripts/emulate.sh {config.amp_obj_root}"
if os.environ.get("AMP_LIT_TARGET") == "cuda":
    for name in ("amp-run", "amp-train"):
        path = os.path.join(config.amp_tools_dir, name)
        tools = [tool for tool in tools if tool.key != name]
        tools.append(ToolSubst(name, command=f"{emulate} {path}", extra_args=["--target=cuda"]))
llvm_config.add_tool_substitutions(tools, [config.amp_tools_dir, config.llvm_tools_dir])
# Definitions of a test may use each other.
config.recursiveExpansionLimit = 4
config.substitutions.append(("%amp_src_root", config.amp_src_root))
config.substitutions.append(("%amp_obj_root", config.amp_obj_root))
config.substitutions.append(("%amp_lib_dir", config.amp_lib_dir))

# Tests of the training driver need it; a build of the compiler alone has none.
if lit.util.which("amp-train", config.amp_tools_dir):
    config.available_features.add("amp-train")

# Tests that assemble kernels need the toolkit's programs and libdevice.
sys.path.insert(0, os.path.join(config.amp_src_root, "scripts"))
import cuda_toolkit

cuda_parts = cuda_toolkit.find()
if all(part in cuda_parts for part in cuda_toolkit.COMPILER_PARTS):
    config.available_features.add("cuda")
if "libnvJitLink.so.13" in cuda_parts:
    config.available_features.add("nvjitlink")
# The user's cache of cubins is not a test's to fill.
config.environment["AMP_CUDA_CACHE_DIR"] = os.path.join(config.test_exec_root, "cuda-cache")
config.environment.pop("AMP_CUDA_BITCODE_DIR", None)

# %emulate COMMAND: the command with the emulated CUDA device.
if os.path.exists(os.path.join(config.amp_obj_root, "emulator", "libcuda.so.1")):
    config.available_features.add("emulator")
if os.path.exists(os.path.join(config.amp_obj_root, "emulator", "libcublasLt.so.13")):
    config.available_features.add("emulator-cublaslt")
config.substitutions.append(("%emulate", emulate))
try:
    ctypes.CDLL("libcuda.so.1")
    config.available_features.add("cuda-driver")
except OSError:
    pass
