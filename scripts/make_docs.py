#!/usr/bin/env python3
"""Generates the dialect and pass pages of docs/generated from TableGen.

--check regenerates into memory and fails when a committed page differs.
"""

import argparse
import difflib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "generated"
PAGES = {
    "AMPDialect.md": ("AMP/IR/AMPOps.td", "Dialect", ["-gen-dialect-doc", "-dialect=amp"]),
    "NNDialect.md": ("NN/IR/NNOps.td", "Dialect", ["-gen-dialect-doc", "-dialect=nn"]),
    "AMPRTDialect.md": ("AMPRT/IR/AMPRTOps.td", "Dialect", ["-gen-dialect-doc", "-dialect=amprt"]),
    "AMPPasses.md": ("AMP/Transforms/Passes.td", "Dialect", ["-gen-pass-doc"]),
    "NNPasses.md": ("NN/Transforms/Passes.td", "Dialect", ["-gen-pass-doc"]),
    "AMPRTPasses.md": ("AMPRT/Transforms/Passes.td", "Dialect", ["-gen-pass-doc"]),
    "ConversionPasses.md": ("Passes.td", "Conversion", ["-gen-pass-doc"]),
    "CUDAPasses.md": ("CUDA/Passes.td", "Target", ["-gen-pass-doc"]),
    "NumericOpInterface.md": ("NumericOpInterface.td", "Interfaces", ["-gen-op-interface-docs"]),
    "VJPOpInterface.md": ("VJPOpInterface.td", "Interfaces", ["-gen-op-interface-docs"]),
    "ReferenceOpInterface.md": ("ReferenceOpInterface.td", "Interfaces", ["-gen-op-interface-docs"]),
}


def find_tblgen():
    for candidate in ("mlir-tblgen-22", "/usr/lib/llvm-22/bin/mlir-tblgen"):
        if shutil.which(candidate):
            return candidate
    sys.exit("make_docs: error: mlir-tblgen of LLVM 22 not found; run ./dev setup")


def generate(tblgen, source, folder, flags):
    td = ROOT / "include" / "amp" / folder / source
    result = subprocess.run(
        [tblgen, *flags, "-I", str(ROOT / "include"), "-I", "/usr/lib/llvm-22/include", str(td)],
        text=True, capture_output=True, check=False)
    if result.returncode != 0:
        sys.exit(f"make_docs: error: {source}: {result.stderr}")
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when a page differs")
    options = parser.parse_args()
    tblgen = find_tblgen()
    stale = 0
    OUT.mkdir(parents=True, exist_ok=True)
    for page, (source, folder, flags) in PAGES.items():
        text = generate(tblgen, source, folder, flags)
        path = OUT / page
        old = path.read_text() if path.exists() else ""
        if old == text:
            continue
        if options.check:
            stale += 1
            diff = difflib.unified_diff(old.splitlines(), text.splitlines(), page, "regenerated", lineterm="")
            print("\n".join(list(diff)[:20]))
        else:
            path.write_text(text)
            print(f"wrote docs/generated/{page}")
    if stale:
        print(f"make_docs: {stale} pages are stale; run ./dev docs")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
