#!/usr/bin/env python3
"""Makes the folder that checks and measures the project on a machine with a GPU.

In it: training steps compiled ahead of time (host objects with a fatbin inside),
the runtime and the conformance suite as source, objects and programs, input
batches, and what the CPU back end computes from them. Nothing in it needs LLVM,
the network or Python packages; device/README.md describes it. Fails when the folder
is larger than 40 MiB.

  --cpu  the same steps for the CPU back end only, to try the programs anywhere
"""

import argparse
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cuda_toolkit

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 40 * 1024 * 1024
ARCHS = "sm_80+sm_89+sm_90+sm_100"

# Program's model -> (file, options): the benchmarks' models. The last one is there for its
# kernels: rows of layer norm and softmax, long enough to be measured.
MODELS = {
    "digits": ("bench/models/digits_mlp.mlir", "batch=64 optimizer=adamw lr=1e-3"),
    "mlp": ("bench/models/mlp_4x1024.mlir", "batch=256 optimizer=adamw lr=1e-3 clip=1.0"),
    "norms": ("bench/models/norms.mlir", "batch=4096 optimizer=sgd lr=0.1 momentum=0.9 clip=1.0"),
}
PRECISIONS = {
    "f32": "policy=f32",
    "bf16": "policy=cuda-bf16",
    "f16": "policy=cuda-f16 loss-scale=dynamic",
}
DIGITS_BATCHES, DIGITS_ROWS = 20, 64

# The least that a loss may differ by, relatively. The products are rounded to the
# compute type once, so another order of accumulation moves a value by one unit in
# its last place now and then; a loss is a mean over many values, and stays well
# within one unit. f32 has 2^-24, and sums of up to 1024 products: 2^-16.
FLOOR = {"f32": 2.0**-16, "bf16": 2.0**-8, "f16": 2.0**-11}
# Training amplifies such differences. How much is measured: the CPU runs once more
# with other instructions and one thread, and this times the largest difference up
# to a step is allowed too.
MARGIN = 16


def die(message):
    sys.exit(f"device-bundle: error: {message}")


def run(command, **kwargs):
    command = [str(part) for part in command]
    result = subprocess.run(command, cwd=ROOT, check=False, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **kwargs)
    if result.returncode != 0:
        die(f"'{' '.join(command)}' failed with exit code {result.returncode}\n"
            f"{(result.stderr or result.stdout)[-4000:]}")
    return result.stdout


# What belongs into the folder, to remove what an earlier run has left there.
KEPT = set()


def write(path, content):
    """Writes only what differs, so that nothing is compiled again for no reason."""
    KEPT.add(path)
    data = content if isinstance(content, bytes) else content.encode()
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def copy(source, target):
    write(target, source.read_bytes())
    shutil.copymode(source, target)


def copy_tree(source, target, patterns):
    for pattern in patterns:
        for path in sorted(source.glob(pattern)):
            copy(path, target / path.relative_to(source))


# ---------------------------------------------------------------------------
# Compiled steps
# ---------------------------------------------------------------------------


def get_programs():
    return [f"{model}_{precision}" for model in MODELS for precision in PRECISIONS
            if model != "norms" or precision == "f16"]


def get_options(program):
    model, precision = program.split("_")
    return MODELS[model][0], f"{PRECISIONS[precision]} {MODELS[model][1]} window=single"


def compile_steps(build, folder, target, environment):
    """Writes NAME.o and NAME.h of every program."""
    folder.mkdir(parents=True, exist_ok=True)
    extra = f" target=cuda arch={ARCHS}" if target == "cuda" else " target=cpu"

    def compile_one(program, fresh):
        model, options = get_options(program)
        run([build / "bin/amp-compile", model, f"--amp-compile={options}{extra}",
             f"--name={program}", "-o", fresh / f"{program}.o"], env=environment)
        for kind in ("o", "h"):
            copy(fresh / f"{program}.{kind}", folder / f"{program}.{kind}")

    with tempfile.TemporaryDirectory() as fresh, ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda program: compile_one(program, Path(fresh)), get_programs()))


def write_program_table(path):
    includes = "\n".join(f'#include "{program}.h"' for program in get_programs())
    pointers = ", ".join(f"&{program}_program" for program in get_programs())
    write(path, f"""// The programs of this bundle.
#include "ProgramRun.h"

{includes}

const std::vector<const amp_rt_program_info *> &device::getPrograms() {{
  static const std::vector<const amp_rt_program_info *> programs = {{{pointers}}};
  return programs;
}}
""")


# ---------------------------------------------------------------------------
# Data
# ---------------------------------------------------------------------------


def read_safetensors(path):
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    return {name: content[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]]
            for name, entry in header.items() if name != "__metadata__"}


def write_batches(data):
    """The first batches of the digits' training set."""
    tensors = read_safetensors(ROOT / "examples/digits/digits.safetensors")
    rows = DIGITS_BATCHES * DIGITS_ROWS
    write(data / "digits.x.bin", tensors["train.x"][:rows * 64 * 4])
    write(data / "digits.y.bin", tensors["train.y"][:rows * 8])


def compute_tolerances(reference, other, precision):
    tolerances, noise = [], 0.0
    for a, b in zip(reference["losses"], other["losses"]):
        noise = max(noise, abs(a - b) / abs(a))
        tolerances.append(max(FLOOR[precision], MARGIN * noise))
    return tolerances, noise


def write_references(bench, data):
    """What the CPU computes, with what a loss may differ by."""
    command = [bench, "reference", "--backend=cpu", f"--data={data}"]
    references = json.loads(run(command))
    others = json.loads(run(command, env=dict(os.environ, ONEDNN_MAX_CPU_ISA="AVX2",
                                              OMP_NUM_THREADS="1")))
    for program, reference in references.items():
        precision = program.split("_")[1]
        tolerances, noise = compute_tolerances(reference, others[program], precision)
        reference["tolerances"] = tolerances
        reference["noise"] = noise
        for member in ("scales", "skipped"):
            if reference[member] != others[program][member]:
                die(f"'{program}': '{member}' depends on the order of accumulation")
    write(data / "references.json", json.dumps(references, indent=1) + "\n")


# ---------------------------------------------------------------------------
# Traffic of the kernels
# ---------------------------------------------------------------------------

BITS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "i64": 64, "i32": 32, "i8": 8, "i1": 8}


def get_bytes(memref):
    """Bytes of 'memref<4x8xf32, ...>'."""
    shape = memref[len("memref<"):].split(",")[0].rstrip(">").split("x")
    count = 1
    for extent in shape[:-1]:
        count *= int(extent)
    return count * BITS[shape[-1]] // 8


def read_traffic(ir):
    """Bytes that each kernel reads and writes at least: every buffer once in each
    direction in which the kernel touches it."""
    traffic = {}
    for match in re.finditer(r"gpu\.func @([\w$.]+)\((.*?)\)[^\n]*\bkernel\b(.*?)\n    }", ir, re.S):
        name, arguments, body = match.groups()
        entry = {"read": 0, "written": 0}
        for value, memref in re.findall(r"(%\w+): (memref<[^>]*>)", arguments):
            uses = [line for line in body.splitlines() if re.search(re.escape(value) + r"\b", line)]
            if any("load" in line for line in uses):
                entry["read"] += get_bytes(memref)
            if any("store" in line for line in uses):
                entry["written"] += get_bytes(memref)
        traffic[name] = entry
    return traffic


def write_traffic(build, data):
    traffic = {}
    for program in get_programs():
        model, options = get_options(program)
        ir = run([build / "bin/amp-opt", model,
                  f"--amp-compile={options} target=cuda stop-after=gpu"])
        traffic[program] = read_traffic(ir)
        if not traffic[program]:
            die(f"no kernels found in the IR of '{program}'")
    write(data / "kernels.json", json.dumps(traffic, indent=1) + "\n")


# ---------------------------------------------------------------------------
# The folder
# ---------------------------------------------------------------------------


def copy_sources(out):
    runtime = ROOT / "runtime"
    copy_tree(runtime / "include", out / "include", ["amp-rt/*.h", "amp-rt/*.def"])
    copy_tree(runtime / "lib", out / "runtime/lib",
              [f"{part}/*.{kind}" for part in ("common", "cuda", "gemm-rules", "numerics")
               for kind in ("cpp", "h", "def")])
    copy_tree(runtime / "cts", out / "runtime/cts", ["*.cpp", "*.h", "*.c"])
    copy_tree(ROOT / "device/bench", out / "bench", ["*.cpp", "*.h"])
    copy_tree(ROOT / "device", out, ["run.sh", "build.sh", "README.md", "torch_step.py"])
    copy(ROOT / "LICENSE", out / "LICENSE")
    write_program_table(out / "bench/Programs.cpp")
    for part in ("include", "runtime", "bench"):
        for path in (out / part).rglob("*.*"):
            if path not in KEPT:
                path.unlink()


def copy_gtest(out):
    """GoogleTest is linked in, so that the suite builds where there is none."""
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/lib"):
        library = Path(folder) / "libgtest.a"
        if library.exists():
            copy(library, out / "objects/libgtest.a")
            text = Path("/usr/share/doc/libgtest-dev/copyright")
            if text.exists():
                copy(text, out / "objects/libgtest.copyright")
            return
    die("no libgtest.a: run ./dev setup")


def build_reference_bench(build, out, work):
    """device-bench on the CPU back end of this build."""
    compile_steps(build, work / "steps", "cpu", None)
    write_program_table(work / "Programs.cpp")
    bench = work / "device-bench"
    objects = sorted(path for path in (out / "objects/bench").glob("*.o") if path.stem != "Programs")
    run([os.environ.get("CXX", "g++"), "-std=c++17", "-O2", "-ffp-contract=off",
         f"-I{out}/include", f"-I{out}/bench", f"-I{work}/steps", work / "Programs.cpp", *objects,
         *sorted((work / "steps").glob("*.o")), "-Wl,--wrap=amp_rt_launch,--wrap=amp_rt_gemm",
         f"-L{build}/lib", "-lamp-rt", build / "lib/libamp_rt_numerics.a",
         f"-Wl,-rpath,{build}/lib", "-ldl", "-lm", "-o", bench])
    return bench


def get_size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def print_libc(out):
    """The newest glibc that the programs ask for."""
    newest = max(tuple(map(int, version.split(b".")))
                 for program in sorted((out / "bin").iterdir())
                 for version in re.findall(rb"GLIBC_(\d+\.\d+)\b", program.read_bytes()))
    print(f"programs start from glibc {'.'.join(map(str, newest))} on")


def print_sizes(out):
    for part in sorted(out.iterdir()):
        size = get_size(part) if part.is_dir() else part.stat().st_size
        if size > 100_000:
            print(f"    {part.name:<10} {size / 2**20:7.2f} MiB")


HEADERS = ("cuda.h", "cublasLt.h")


def make_bundle(build, out):
    parts = cuda_toolkit.find()
    missing = [part for part in (*cuda_toolkit.COMPILER_PARTS, *HEADERS) if part not in parts]
    if missing:
        die(f"no {', '.join(missing)}: run ./dev setup --cuda")
    # For the emulator; not a part of the bundle.
    environment = dict(os.environ, AMP_CUDA_BITCODE_DIR=str(build / "device/bitcode"))
    shutil.rmtree(build / "device/bitcode", ignore_errors=True)
    (build / "device/bitcode").mkdir(parents=True)
    compile_steps(build, out / "steps", "cuda", environment)
    copy_sources(out)
    copy_gtest(out)
    run([out / "build.sh", "source", out], env=dict(os.environ, AMP_CUDA_INCLUDE_DIR=" ".join(
        {str(Path(parts[header]).parent): None for header in HEADERS})))
    write_batches(out / "data")
    bench = build_reference_bench(build, out, build / "device/reference")
    write_references(bench, out / "data")
    write_traffic(build, out / "data")
    print_libc(out)
    size = get_size(out)
    print(f"{out}: {size / 2**20:.1f} MiB")
    print_sizes(out)
    if size > LIMIT:
        die(f"the bundle has {size / 2**20:.1f} MiB, more than {LIMIT / 2**20:.0f} MiB")


def try_on_cpu(build, out):
    """The programs with the CPU back end alone: what can be tried without CUDA."""
    copy_sources(out)
    work = build / "device/cpu"
    (out / "objects/bench").mkdir(parents=True, exist_ok=True)
    compiler = os.environ.get("CXX", "g++")

    newest = max(path.stat().st_mtime for part in ("include", "bench")
                 for path in (out / part).rglob("*.h"))

    def compile_one(source):
        target = out / "objects/bench" / f"{source.stem}.o"
        if target.exists() and target.stat().st_mtime > max(newest, source.stat().st_mtime):
            return
        run([compiler, "-std=c++17", "-O2", "-ffp-contract=off", "-Wall", "-Wextra",
             f"-I{out}/include", f"-I{out}/bench", "-c", source, "-o", target])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, sorted((ROOT / "device/bench").glob("*.cpp"))))
    bench = build_reference_bench(build, out, work)
    write_batches(out / "data")
    write_references(bench, out / "data")
    print(bench)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", type=Path, help="build folder")
    parser.add_argument("--cpu", action="store_true", help="steps of the CPU back end only")
    parser.add_argument("out", nargs="?", type=Path, help="default: BUILD/device/bundle")
    options = parser.parse_args()
    build = (ROOT / options.build).resolve()
    out = (options.out or build / "device" / ("cpu-bundle" if options.cpu else "bundle")).resolve()
    out.mkdir(parents=True, exist_ok=True)
    (try_on_cpu if options.cpu else make_bundle)(build, out)


if __name__ == "__main__":
    main()
