#!/usr/bin/env python3
"""Keeps docs/cuda-status.md: what is claimed of the CUDA target, which test shows it, and
with what: ptxas, the real library, the emulator, or a device.

The claims are in docs/cuda-status.json. Without options the page is written. --check
fails when the page is stale, when a claim names no test or one that does not exist, when
a test cannot be of the kind that it stands for, and when a claim speaks of a device that
no device has shown. --results=DIR (lit.json and GoogleTest's files, from
scripts/run_tests.py) adds that every named test has run and passed; tests that were
skipped for want of a feature are counted and reported.
"""

import argparse
import difflib
import functools
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLAIMS = ROOT / "docs/cuda-status.json"
PAGE = ROOT / "docs/cuda-status.md"

# Kind -> what it proves, and the lit features of which its tests must name one. (The
# emulator's tests of itself are GoogleTest programs.)
KINDS = {
    "ptxas": ("NVIDIA's assembler accepts the code and says what it needs", ("cuda", "ptxas")),
    "real library": ("cuBLASLt itself took the descriptors, or refused them, without a device",
                     ("cuda", "cublaslt", "real-cublaslt")),
    "emulator": ("the code ran, its LLVM bitcode on the host's processor: values, order of calls, "
                 "errors; no times and no rules of a real driver", ("emulator",)),
    "device": ("it ran on a GPU: the record names which", ()),
}
SPEAKS_OF_DEVICE = re.compile(r"\bon (?:a|the|real|an NVIDIA) (?:device|gpu|hardware)\b|\bdevice time\b", re.I)


def read_text(path):
    return path.read_text(encoding="utf-8")


# ---------------------------------------------------------------------------
# Tests by name: "Device/run.test" is a file under test/, "emulated:Numerics/*" files that
# run_tests.py runs once more on the emulated device, "amp-rt-cts:Suite.Name" a GoogleTest of
# a program ("amp-rt-cts:Suite.*": all of a suite).
# ---------------------------------------------------------------------------


@functools.lru_cache(None)
def get_gtests():
    """"Suite.Name" of every GoogleTest in the sources."""
    names = set()
    for folder in ("runtime", "test"):
        for path in (ROOT / folder).rglob("*.cpp"):
            for match in re.finditer(r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", read_text(path), re.M):
                names.add(f"{match.group(1)}.{match.group(2)}")
    return names


def find_features(path):
    """The text that may name the features of a lit test: its own, and its folders'."""
    text = "\n".join(line for line in read_text(path).splitlines() if "REQUIRES" in line)
    for folder in path.relative_to(ROOT).parents:
        local = ROOT / folder / "lit.local.cfg"
        if local.exists():
            text += read_text(local)
    return text


def check_test(name, kind):
    """What is wrong with a test as a proof of this kind; None when nothing is."""
    if name.startswith("emulated:"):
        if not any((ROOT / "test").glob(name.split(":", 1)[1])):
            return f"no file of '{name}'"
        return None if kind == "emulator" else f"'{name}' shows something with 'emulator' only"
    if ":" in name:
        pattern = re.compile(re.escape(name.split(":", 1)[1]).replace(r"\*", ".*"))
        if not any(pattern.fullmatch(test) for test in get_gtests()):
            return f"no GoogleTest '{name}' in the sources"
        return None
    path = ROOT / ("" if name.startswith("scripts/") else "test") / name.split(" ")[0]
    if not path.is_file():
        return f"no file '{path.relative_to(ROOT)}'"
    features = KINDS[kind][1]
    if path.suffix in (".test", ".mlir") and features:
        text = find_features(path)
        if not any(re.search(rf"\b{re.escape(feature)}\b", text) for feature in features):
            return f"'{name}' does not require '{features[0]}', so it cannot show something with '{kind}'"
    return None


def check_device_record(name):
    """A device's record is a results.json of the device bundle without failures."""
    path = ROOT / name
    if not path.is_file():
        return f"no record '{name}' of a device"
    record = json.loads(read_text(path))
    if record.get("failed") != 0 or not record.get("machine"):
        return f"'{name}' is not the record of a run without failures"
    return None


def check_claims(parts):
    errors = []
    for part in parts:
        for claim in part["claims"]:
            text = claim["claim"]
            shown = claim["shown"]
            if not any(shown.values()):
                errors.append(f"'{text}' is shown by nothing")
            if SPEAKS_OF_DEVICE.search(text) and "device" not in shown:
                errors.append(f"'{text}' speaks of a device, but none has shown it")
            for kind, tests in shown.items():
                if kind not in KINDS:
                    errors.append(f"'{text}': expects one of {', '.join(KINDS)}, but got '{kind}'")
                    continue
                for test in tests:
                    error = check_device_record(test) if kind == "device" else check_test(test, kind)
                    if error:
                        errors.append(f"'{text}': {error}")
    return errors


# ---------------------------------------------------------------------------
# Results of a run
# ---------------------------------------------------------------------------


def read_results(folder):
    """Name -> "passed", "skipped" or "failed"."""
    results = {}
    for path in sorted(folder.glob("*.json")):
        content = json.loads(read_text(path))
        for test in content.get("tests", []) if isinstance(content.get("tests"), list) else []:
            code = {"PASS": "passed", "FLAKYPASS": "passed", "UNSUPPORTED": "skipped"}.get(test["code"], "failed")
            prefix = "emulated:" if path.stem == "emulated" else ""
            results[prefix + test["name"].split(" :: ")[-1]] = code
        for suite in content.get("testsuites", []):
            for test in suite["testsuite"]:
                code = "failed" if test.get("failures") else "skipped" if test["result"] != "COMPLETED" else "passed"
                # A parameterised test counts as its plain name; one failure is a failure.
                name = (f"{path.stem}:{test['classname'].split('/')[-1] if '/' in test['classname'] else test['classname']}"
                        f".{test['name'].split('/')[0]}")
                if results.get(name) != "failed":
                    results[name] = code
    return results


def check_results(parts, results):
    errors, skipped = [], 0
    # A build without an emulator has none of its programs.
    has_emulator = any(name.startswith("emulated:") for name in results)
    for part in parts:
        for claim in part["claims"]:
            for kind, tests in claim["shown"].items():
                if kind == "device":
                    continue
                for test in tests:
                    if test.startswith("scripts/"):
                        continue
                    pattern = re.compile(re.escape(test).replace(r"\*", ".*"))
                    found = [code for name, code in results.items() if pattern.fullmatch(name)]
                    if not found and ":" in test and not has_emulator:
                        skipped += 1
                    elif not found:
                        errors.append(f"'{claim['claim']}': '{test}' was not run")
                    elif "failed" in found:
                        errors.append(f"'{claim['claim']}': '{test}' failed")
                    elif "passed" not in found:
                        skipped += 1
    return errors, skipped


# ---------------------------------------------------------------------------
# The page
# ---------------------------------------------------------------------------


def link(test):
    if test.startswith("emulated:"):
        return f"`{test.split(':', 1)[1]}` on the emulated device"
    if ":" in test:
        program, name = test.split(":", 1)
        return f"`{program}` `{name}`"
    if test.startswith(("scripts/", "docs/")):
        path = test.split(" ")[0]
        return f"[{test}](../{path})"
    return f"[{test}](../test/{test})"


def make_page(parts):
    claims = [claim for part in parts for claim in part["claims"]]
    on_device = sum("device" in claim["shown"] for claim in claims)
    lines = [
        "# CUDA: what is shown, and with what",
        "",
        "Generated from [cuda-status.json](cuda-status.json) by `scripts/cuda_status.py`; `./dev test` fails when a claim's test",
        "is missing, does not run or does not pass.",
        "",
        f"{len(claims)} claims; {on_device} of them shown on a device. What a device has not shown is not known to work on one:"
        " [cuda.md](cuda.md#on-a-machine-with-a-gpu) tells how to find out.",
        "",
        "| kind | what it proves |",
        "|---|---|",
    ]
    lines += [f"| {kind} | {meaning} |" for kind, (meaning, _) in KINDS.items()]
    for part in parts:
        lines += ["", f"## {part['title']}", "", "| claim | kind | shown by | on a device |", "|---|---|---|---|"]
        for claim in part["claims"]:
            kinds = [kind for kind in KINDS if claim["shown"].get(kind)]
            tests = []
            for kind in kinds:
                tests += [link(test) for test in claim["shown"][kind] if link(test) not in tests]
            lines.append(f"| {claim['claim']} | {', '.join(kinds)} | {', '.join(tests)} | "
                         f"{'yes' if 'device' in kinds else 'not yet'} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail instead of writing")
    parser.add_argument("--results", type=Path, metavar="DIR", help="results of a test run to check against")
    parser.add_argument("--claims", type=Path, default=CLAIMS, help=argparse.SUPPRESS)
    parser.add_argument("--page", type=Path, default=PAGE, help=argparse.SUPPRESS)
    options = parser.parse_args()
    parts = json.loads(read_text(options.claims))
    errors = check_claims(parts)
    if options.results:
        found, skipped = check_results(parts, read_results(options.results))
        errors += found
        if skipped:
            print(f"cuda_status: {skipped} tests of claims were skipped on this machine")
    page = make_page(parts)
    old = read_text(options.page) if options.page.exists() else ""
    if old != page and options.check:
        diff = difflib.unified_diff(old.splitlines(), page.splitlines(), options.page.name, "regenerated", lineterm="")
        print("\n".join(list(diff)[:20]))
        errors.append("docs/cuda-status.md is stale; run python3 scripts/cuda_status.py")
    elif old != page:
        options.page.write_text(page, encoding="utf-8")
        print(f"wrote {options.page.name}")
    for error in errors:
        print(f"cuda_status: error: {error}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
