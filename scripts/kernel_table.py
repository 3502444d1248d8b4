#!/usr/bin/env python3
"""Keeps docs/generated/kernels.md: what the assembler made of every GPU kernel of a fixed
suite of training steps, for each architecture.

--check regenerates the table and fails when the committed one differs, or when a
kernel spills registers. Registers and shared memory depend on the assembler's version:
another one than the page names is held to everything else.
"""

import argparse
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cuda_toolkit

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/generated/kernels.md"
ARCHS = ("sm_80", "sm_89", "sm_90", "sm_100")

# Name -> (model, options). All kinds of kernels, both optimizer families, with and
# without loss scaling and clipping, whole steps and accumulated ones.
ADAMW = "optimizer=adamw lr=1e-3"
SGD = "optimizer=sgd lr=0.1 momentum=0.9 nesterov=true weight-decay=1e-4"
SUITE = {
    "digits_f32": ("digits_mlp", f"policy=f32 batch=64 {ADAMW}"),
    "digits_bf16": ("digits_mlp", f"policy=cuda-bf16 batch=64 {ADAMW}"),
    "digits_f16": ("digits_mlp", f"policy=cuda-f16 batch=64 {ADAMW} loss-scale=dynamic"),
    "mlp_f32": ("mlp_4x1024", f"policy=f32 batch=256 {ADAMW} clip=1.0"),
    "mlp_bf16": ("mlp_4x1024", f"policy=cuda-bf16 batch=256 {ADAMW} clip=1.0"),
    "mlp_f16": ("mlp_4x1024", f"policy=cuda-f16 batch=256 {ADAMW} clip=1.0 loss-scale=dynamic"),
    "norms_f32": ("norms", f"policy=f32 batch=64 {SGD}"),
    "norms_bf16": ("norms", f"policy=cuda-bf16 batch=64 {SGD}"),
    "norms_f16": ("norms", f"policy=cuda-f16 batch=64 {SGD} clip=1.0 loss-scale=dynamic"),
}
# Columns that only the assembler decides.
ASSEMBLER_COLUMNS = ("registers", "shared bytes")


def die(message):
    sys.exit(f"kernel_table: error: {message}")


def report(build, name):
    """The report of one step: a list of objects, by kernel and architecture."""
    model, options = SUITE[name]
    opt = build / "bin/amp-opt"
    archs = "+".join(ARCHS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        lower = subprocess.run(
            [opt, ROOT / f"bench/models/{model}.mlir",
             f"--amp-compile={options} window=single target=cuda arch={archs} stop-after=nvvm"],
            capture_output=True, check=False)
        if lower.returncode != 0:
            die(f"'{name}': {lower.stderr.decode()[-2000:]}")
        assemble = subprocess.run(
            [opt, "-", f"--amprt-assemble-kernels=arch={archs} assembler=ptxas report={path}",
             "-o", os.devnull], input=lower.stdout, capture_output=True, check=False)
        if assemble.returncode != 0:
            die(f"'{name}': {assemble.stderr.decode()[-2000:]}")
        return json.loads(path.read_text())


def per_arch(values):
    """One value where the architectures agree, else all of them in their order."""
    return values[0] if len(set(values)) == 1 else " / ".join(values)


def show_conversions(row):
    counts = {}
    for mnemonic, count in row["conversions"].items():
        # Of the mnemonic, the types and the rounding; integers are no conversion of formats.
        parts = mnemonic.split(".")[1:]
        if any(re.fullmatch(r"b?f\d+(x2)?|e[45]m\d(x2)?", part) for part in parts):
            counts[".".join(parts)] = count
    return ", ".join(f"{name} x{count}" for name, count in sorted(counts.items())) or "-"


def get_rows(reports):
    """Cells of the table, one list per kernel; and the kernels that spill."""
    table, spilling = [], []
    for name in SUITE:
        kernels = {}
        for row in reports[name]:
            kernels.setdefault(row["kernel"], {})[row["arch"]] = row
        if not kernels:
            die(f"'{name}' has no kernels")
        for kernel, by_arch in kernels.items():
            rows = [by_arch[arch] for arch in ARCHS]
            for row in rows:
                if "registers" not in row:
                    die(f"'{name}': the assembler's log says nothing of '{kernel}' on {row['arch']}")
                if row["spill_store_bytes"] or row["spill_load_bytes"]:
                    spilling.append(f"'{kernel}' of '{name}' on {row['arch']}: "
                                    f"{row['spill_store_bytes']} bytes stored, "
                                    f"{row['spill_load_bytes']} loaded")
            table.append([
                name, f"`{kernel}`",
                per_arch([str(row["registers"]) for row in rows]),
                per_arch([str(row["shared_bytes"]) for row in rows]),
                per_arch([str(row["spill_store_bytes"] + row["spill_load_bytes"]) for row in rows]),
                per_arch([f"{row['accesses_16']} of {row['accesses']}" for row in rows]),
                per_arch([show_conversions(row) for row in rows]),
            ])
    return table, spilling


HEADER = ["step", "kernel", "registers", "shared bytes", "spilled bytes", "16-byte accesses",
          "conversions"]


def make_page(table, version):
    lines = [
        "# Kernels of the suite",
        "",
        "Generated by `scripts/kernel_table.py`: every GPU kernel of these training steps, assembled for",
        f"{', '.join(ARCHS)} by ptxas {version}. Where architectures differ, all",
        "four values stand in this order. Accesses are instructions on global memory in the PTX (a loop's body",
        "counts once); conversions are the PTX instructions between number formats. `./dev test` fails when a kernel",
        "spills registers or this page is stale.",
        "",
    ]
    lines += [f"- `{name}`: `{model}.mlir`, `{options}`" for name, (model, options) in SUITE.items()]
    lines += ["", "| " + " | ".join(HEADER) + " |", "|" + "---|" * len(HEADER)]
    lines += ["| " + " | ".join(row) + " |" for row in table]
    return "\n".join(lines) + "\n"


def find_version():
    """The version of the ptxas that the compiler finds."""
    ptxas = cuda_toolkit.find().get("ptxas")
    if not ptxas:
        die("no ptxas found: run ./dev setup --cuda")
    text = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"V(\d+\.\d+\.\d+)", text).group(1)


def without_assembler_columns(page):
    """The page with what depends on the assembler's version blanked."""
    hidden = [HEADER.index(column) for column in ASSEMBLER_COLUMNS]
    lines = []
    for line in re.sub(r"ptxas \d+\.\d+\.\d+", "ptxas", page).splitlines():
        cells = line.split(" | ")
        if len(cells) == len(HEADER):
            line = " | ".join("" if i in hidden else cell for i, cell in enumerate(cells))
        lines.append(line)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", type=Path, help="build folder")
    parser.add_argument("--check", action="store_true", help="fail when the page differs")
    options = parser.parse_args()
    build = (ROOT / options.build).resolve()
    version = find_version()
    with ThreadPoolExecutor(2) as pool:
        reports = dict(zip(SUITE, pool.map(lambda name: report(build, name), SUITE)))
    table, spilling = get_rows(reports)
    page = make_page(table, version)
    for text in spilling:
        print(f"kernel_table: error: spills: {text}")
    old = PAGE.read_text() if PAGE.exists() else ""
    stale = old != page
    if stale and options.check and f"ptxas {version}" not in old:
        print(f"kernel_table: note: the page is of another ptxas than {version}: "
              f"{' and '.join(ASSEMBLER_COLUMNS)} are not compared")
        stale = without_assembler_columns(old) != without_assembler_columns(page)
    if stale and options.check:
        diff = difflib.unified_diff(old.splitlines(), page.splitlines(), PAGE.name, "regenerated", lineterm="")
        print("\n".join(list(diff)[:40]))
        print(f"kernel_table: docs/generated/{PAGE.name} is stale; run python3 scripts/kernel_table.py")
    elif stale:
        PAGE.write_text(page)
        print(f"wrote docs/generated/{PAGE.name}")
    print(f"{len(table)} kernels on {len(ARCHS)} architectures, {len(spilling)} spills")
    return 1 if spilling or (stale and options.check) else 0


if __name__ == "__main__":
    sys.exit(main())
