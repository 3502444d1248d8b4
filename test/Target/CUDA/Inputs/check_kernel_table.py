"""check_kernel_table.py SCRIPTS PAGE: what scripts/kernel_table.py finds wrong, on made-up
reports of one kernel. Prints the exit code of each case."""

import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import kernel_table

kernel_table.SUITE = {"step": ("model", "options")}
kernel_table.PAGE = Path(sys.argv[2])


def run(title, *arguments, version="13.0.88", **changes):
    """One call on the report with changes made to sm_90's row."""
    rows = []
    for arch in kernel_table.ARCHS:
        row = {"kernel": "k", "arch": arch, "registers": 20, "shared_bytes": 0, "stack_bytes": 0,
               "spill_store_bytes": 0, "spill_load_bytes": 0, "accesses": 2, "accesses_16": 2,
               "conversions": {"cvt.rn.f16x2.f32": 4}}
        rows.append(row | changes if arch == "sm_90" else row)
    kernel_table.report = lambda build, name: rows
    kernel_table.find_version = lambda: version
    sys.argv = ["kernel_table.py", *arguments]
    print(f"== {title}", flush=True)
    print(f"exit code {kernel_table.main()}", flush=True)


run("write")
run("equal", "--check")
run("registers", "--check", registers=21)
run("registers, another assembler", "--check", version="13.1.0", registers=21)
run("accesses, another assembler", "--check", version="13.1.0", accesses_16=0)
run("conversions", "--check", conversions={})
run("spill", "--check", spill_load_bytes=4)
