#!/usr/bin/env python3
"""Finds the parts of a CUDA toolkit, in the places where the compiler looks for
them (lib/Target/CUDA/Toolkit.cpp), and says which wheels would bring the rest.

Prints one line for each part; --missing-wheels prints the pinned requirements of
the wheels to install, --check fails when a part is missing.
AMP_CUDA_PATH=none finds nothing.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The release that is installed where there is no toolkit: CUDA 13.0.
NVCC = "nvidia-cuda-nvcc==13.0.88"
NVVM = "nvidia-nvvm==13.0.88"
RUNTIME = "nvidia-cuda-runtime==13.0.96"
CRT = "nvidia-cuda-crt==13.0.88"
CUBLAS = "nvidia-cublas==13.1.0.3"

# Part: (paths below a root, wheels).
PARTS = {
    "ptxas": (["bin/ptxas"], [NVCC]),
    "fatbinary": (["bin/fatbinary"], [NVCC]),
    "libdevice": (["nvvm/libdevice/libdevice.10.bc", "libdevice/libdevice.10.bc"], [NVVM]),
    "cuda.h": (["include/cuda.h"], [RUNTIME, CRT]),
    "cublasLt.h": (["include/cublasLt.h"], [CUBLAS]),
    "libcublasLt.so.13": (["lib64/libcublasLt.so.13", "lib/libcublasLt.so.13"], [CUBLAS]),
}
# Found when it is there; no wheel is installed for it.
OPTIONAL_PARTS = {
    "libnvJitLink.so.13": ["lib64/libnvJitLink.so.13", "lib/libnvJitLink.so.13"],
}
# What the tests of code generation need.
COMPILER_PARTS = ("ptxas", "fatbinary", "libdevice")


def wheel_folders(environment):
    return sorted(path for path in Path(environment).glob("lib*/python*/site-packages/nvidia/*")
                  if path.is_dir())


def get_places():
    places = [Path(os.environ[name]) for name in ("AMP_CUDA_PATH", "CUDA_PATH", "CUDA_HOME", "CUDA_ROOT")
              if os.environ.get(name)]
    if os.environ.get("VIRTUAL_ENV"):
        places += wheel_folders(os.environ["VIRTUAL_ENV"])
    return places + wheel_folders(ROOT / ".venv") + [Path("/usr/local/cuda")]


def find():
    """The path of each part that is there."""
    if os.environ.get("AMP_CUDA_PATH") == "none":
        return {}
    found = {}
    tails_of = {part: tails for part, (tails, _) in PARTS.items()} | OPTIONAL_PARTS
    for part, tails in tails_of.items():
        for place in get_places():
            for tail in tails:
                if (place / tail).exists():
                    found.setdefault(part, str(place / tail))
        if part not in found and tails[0].startswith("bin/"):
            if program := shutil.which(part):
                found[part] = program
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missing-wheels", action="store_true", help="print requirements, one a line")
    parser.add_argument("--check", action="store_true", help="fail when a part is missing")
    options = parser.parse_args()
    found = find()
    if options.missing_wheels:
        wheels = [wheel for part, (_, names) in PARTS.items() if part not in found for wheel in names]
        for wheel in dict.fromkeys(wheels):
            print(wheel)
        return 0
    for part in [*PARTS, *OPTIONAL_PARTS]:
        print(f"{part}: {found.get(part, 'not found')}")
    return 1 if options.check and any(part not in found for part in PARTS) else 0


if __name__ == "__main__":
    sys.exit(main())
