"""Prepares the device code of the conformance suite for the emulator.

suite-kernels.py CTS OUT: checks that CTS/Kernels.h holds the PTX that llc makes
of CTS/Kernels.ll, and writes the bitcode to OUT under the key of that PTX.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

cts, out = Path(sys.argv[1]), Path(sys.argv[2])
source = cts / "Kernels.ll"
ptx = subprocess.run(["llc", "-O2", "-mcpu=sm_80", "-mattr=+ptx78", str(source), "-o", "-"],
                     check=True, capture_output=True, text=True).stdout
held = re.search(r'R"ptx\((.*)\)ptx"', (cts / "Kernels.h").read_text(), re.S).group(1)
if held != ptx:
    sys.exit("Kernels.h expects the PTX that llc makes of Kernels.ll; it says how")

text = re.sub(r"//[^\n]*", "", ptx)
key = hashlib.sha256(re.sub(r"[ \t\r\n\0]", "", text).encode()).hexdigest()[:32]
subprocess.run(["llvm-as", str(source), "-o", str(out / f"{key}.bc")], check=True)
print(f"{source.name}: {len(ptx.splitlines())} lines of PTX")
