#!/usr/bin/env python3
"""Runs every test of the project and ends with the line "N passed, N failed".

Suites: lit (FileCheck and executed tests), the dialect files once more under
--verify-roundtrip, the executed ones once more on the emulated CUDA device, the GoogleTest programs, the op table without holes, and the
generated docs without drift. A suite that runs no test counts as one failure.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Executed tests of functions and recorded runs, which run on the CPU and once more
# on the device.
EMULATED = ["Numerics", "Replay", "Tools/run-compiled.mlir"]


class Tally:
    """Counts over all suites, with the names of what failed."""

    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.skipped = 0
        self.failures = []

    def add(self, suite, passed, failures, skipped=0):
        self.passed += passed
        self.failed += len(failures)
        self.skipped += skipped
        self.failures += [f"{suite}: {name}" for name in failures]
        text = f"    {suite}: {passed} passed, {len(failures)} failed"
        print(text + (f", {skipped} skipped" if skipped else ""), flush=True)


def run(command, **kwargs):
    return subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **kwargs)


def find_lit():
    for candidate in ("/usr/lib/llvm-22/bin/lit", "/usr/lib/llvm-22/build/utils/lit/lit.py"):
        if Path(candidate).exists():
            return candidate
    sys.exit("run_tests: error: lit of LLVM 22 not found; run ./dev setup")


def get_results(build):
    """Where each test's result is noted, for scripts/cuda_status.py."""
    folder = build / "test-results"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def run_lit(tally, suite, build, paths, environment=None, extra=()):
    env = dict(os.environ, **(environment or {}))
    record = {"lit": "lit", "lit on the emulated device": "emulated"}.get(suite)
    record = ["-o", str(get_results(build) / f"{record}.json")] if record else []
    result = run([sys.executable, find_lit(), "-v", "-j2", "--no-progress-bar", *record, *extra,
                  *[str(build / "test" / path) for path in paths]], env=env)
    passed = len(re.findall(r"^PASS: ", result.stdout, re.M))
    failures = re.findall(r"^(?:FAIL|XPASS|UNRESOLVED|TIMEOUT): (.*?) \(", result.stdout, re.M)
    skipped = re.findall(r"^UNSUPPORTED: (.*?) \(", result.stdout, re.M)
    if failures or passed == 0:
        print(result.stdout[-20000:])
    for name in skipped:
        print(f"    skipped (a feature this machine lacks): {name}")
    if passed == 0 and not failures:
        failures = ["no test was run"]
    tally.add(suite, passed, failures, len(skipped))


def run_gtest(tally, build, program):
    result = run([str(program), "--gtest_brief=1",
                  f"--gtest_output=json:{get_results(build) / program.name}.json"], timeout=900)
    match = re.search(r"\[  PASSED  \] (\d+) test", result.stdout)
    passed = int(match.group(1)) if match else 0
    failures = sorted(set(re.findall(r"^\[  FAILED  \] ([\w./]+\.\S+?)(?:,| \(|$)", result.stdout, re.M)))
    skipped = len(re.findall(r"^\[  SKIPPED \] \S+ \(", result.stdout, re.M))
    if result.returncode != 0 and not failures:
        failures = [f"exit code {result.returncode}"]
    if failures:
        print(result.stdout[-8000:])
    if passed == 0 and not failures:
        failures = ["no test was run"]
    tally.add(program.name, passed, failures, skipped)


def run_command(tally, suite, command):
    result = run(command)
    failures = [] if result.returncode == 0 else [suite]
    if failures:
        print(result.stdout[-8000:])
    tally.add(suite, 1 - len(failures), failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build", help="build folder")
    parser.add_argument("--filter", help="run only lit tests whose name matches")
    options = parser.parse_args()
    build = (ROOT / options.build).resolve()
    start = time.time()
    tally = Tally()
    extra = ["--filter", options.filter] if options.filter else []
    for stale in get_results(build).glob("*.json"):
        stale.unlink()
    run_lit(tally, "lit", build, ["."], extra=extra)
    if not options.filter:
        run_lit(tally, "lit under --verify-roundtrip", build, ["Dialect"],
                {"AMP_LIT_ROUNDTRIP": "1"})
        if all((build / "emulator" / name).exists() for name in ("libcuda.so.1", "libcublasLt.so.13")):
            run_lit(tally, "lit on the emulated device", build, EMULATED, {"AMP_LIT_TARGET": "cuda"})
        else:
            print("    skipped (this build has no emulator): lit on the emulated device")
        for program in sorted((build / "bin").glob("*-tests")) + sorted((build / "bin").glob("*-cts")):
            run_gtest(tally, build, program)
        run_command(tally, "op table without holes",
                    [str(build / "bin" / "amp-opt"), "--amp-op-table",
                     "--amp-op-table-goldens=test/Numerics/goldens"])
        run_command(tally, "docs without drift",
                    [sys.executable, "scripts/make_docs.py", "--check"])
        run_command(tally, "CUDA status without drift",
                    [sys.executable, "scripts/cuda_status.py", "--check",
                     f"--results={get_results(build)}"])
    for failure in tally.failures:
        print(f"FAILED {failure}")
    print(f"({time.time() - start:.0f} s)")
    skipped = f", {tally.skipped} skipped" if tally.skipped else ""
    print(f"{tally.passed} passed, {tally.failed} failed{skipped}")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
