#!/usr/bin/env bash
# Checks and measures the compiler's output on this machine's GPU:
#   ./run.sh [OUT]        (default: results)
# writes OUT/results.json, OUT/results.txt and OUT/logs. Needs a driver, cuBLASLt
# (a toolkit, a PyTorch or an nvidia-* wheel) and, where the prebuilt programs do
# not start, a C++ compiler. Stays under four minutes and goes on after a failure.
# The exit code is 0 when nothing failed; what is missing is skipped, and said.
#
#   AMP_DEVICE_QUICK=1                     small shapes, for the emulator
#   AMP_DEVICE_BUILD=prebuilt|link|source  which programs to use (default: the
#                                          first of the three that starts)
#   AMP_CUBLASLT=FILE                 the library to use
#   AMP_DEVICE_BUDGET=SECONDS              time for all (default 225)
set -u
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
OUT=${1:-results}
mkdir -p "$OUT/logs" || exit 2
OUT=$(cd "$OUT" && pwd)
LINES=$OUT/lines.jsonl
: >"$LINES"
BUDGET=${AMP_DEVICE_BUDGET:-225}
QUICK=()
[ "${AMP_DEVICE_QUICK:-0}" = 0 ] || QUICK=(--quick)

say() { printf '==> %s\n' "$*"; }
# Text that may stand inside a JSON string.
plain() { tr '\n\t"\\' '  '"''" | cut -c1-400; }
# note NAME STATUS SECONDS DETAIL: a line about a section.
note() {
  printf '{"section": "section", "name": "%s", "status": "%s", "seconds": %s, "detail": "%s"}\n' \
    "$1" "$2" "$3" "$(printf '%s' "$4" | plain)" >>"$LINES"
  printf '    %-12s %-8s %4s s  %s\n' "$1" "$2" "$3" "$4"
}

# section NAME SECONDS COMMAND...: runs it under its own timeout, keeps its lines
# of JSON, and notes how it ended.
section() {
  local name=$1 limit=$2 begin=$SECONDS left=$((BUDGET - SECONDS)) status detail
  shift 2
  [ "$left" -ge "$limit" ] || limit=$left
  if [ "$limit" -le 0 ]; then
    note "$name" failed 0 "no time left of $BUDGET s"
    return
  fi
  timeout -k 5 "$limit" "$@" >"$OUT/logs/$name.out" 2>"$OUT/logs/$name.err"
  local code=$? took=$((SECONDS - begin))
  grep '^{' "$OUT/logs/$name.out" >>"$LINES"
  detail=$(tail -n 1 "$OUT/logs/$name.err")
  case $code in
    0) status=ok detail=$(summary "$name") ;;
    77) status=skipped detail=${detail#skipped: } ;;
    124 | 137) status=failed detail="stopped after $limit s" ;;
    *) status=failed
       detail="$(summary "$name")${detail:+, $detail}, exit code $code" ;;
  esac
  note "$name" "$status" "$took" "$detail"
}

summary() {
  case $1 in
    conformance)
      printf '%s passed, %s failed, %s skipped' \
        "$(grep -c '^\[       OK \]' "$OUT/logs/$1.out")" \
        "$(grep -c '^\[  FAILED  \] .* ms)' "$OUT/logs/$1.out")" \
        "$(grep -c '^\[  SKIPPED \] .* ms)' "$OUT/logs/$1.out")" ;;
    *)
      printf '%s results' "$(grep -c '^{' "$OUT/logs/$1.out")"
      if grep -q '"status": "failed"' "$OUT/logs/$1.out"; then
        printf ', %s of them failed' "$(grep -c '"status": "failed"' "$OUT/logs/$1.out")"
      fi ;;
  esac
}

skip() { note "$1" skipped 0 "$2"; }

#===------------------------------------------------------------------------===#
# What there is
#===------------------------------------------------------------------------===#

first_file() {
  local file
  for file in "$@"; do
    if [ -e "$file" ]; then printf '%s' "$file"; return 0; fi
  done
  return 1
}

loader_path() { # The loader's cache knows it under this name.
  { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null |
    sed -n "s/^[[:space:]]*$1 .*x86-64.* => //p" | head -n 1
}

library_folders() { # One per line, in the order of preference.
  printf '%s' "${LD_LIBRARY_PATH:-}" | tr ':' '\n'
  printf '\n'
  local root
  for root in "${CUDA_PATH:-}" "${CUDA_HOME:-}" "${CUDA_ROOT:-}" /usr/local/cuda /usr/local/cuda-*; do
    [ -z "$root" ] || printf '%s\n' "$root/lib64" "$root/targets/x86_64-linux/lib"
  done
  # PyTorch brings its own, and so do the wheels: both lie in site-packages.
  local python
  for python in "${PYTHON:-python3}" python; do
    command -v "$python" >/dev/null || continue
    timeout 20 "$python" - 2>/dev/null <<'PYTHON'
import glob, os, sys
for folder in sys.path:
    for pattern in ("nvidia/*/lib", "torch/lib"):
        for found in sorted(glob.glob(os.path.join(folder, pattern))):
            print(found)
PYTHON
    break
  done
  printf '%s\n' /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/lib
}

find_cublaslt() {
  if [ -n "${AMP_CUBLASLT:-}" ]; then
    printf '%s' "$AMP_CUBLASLT"
    return
  fi
  local name folder folders
  folders=$(library_folders)
  for name in libcublasLt.so.13 libcublasLt.so.12; do
    while IFS= read -r folder; do
      if [ -n "$folder" ] && [ -e "$folder/$name" ]; then
        printf '%s' "$folder/$name"
        return
      fi
    done <<<"$folders"
    loader_path "$name" | grep . && return
  done
}

find_driver() {
  local folder
  while IFS= read -r folder; do
    if [ -n "$folder" ] && [ -e "$folder/libcuda.so.1" ]; then
      printf '%s' "$folder/libcuda.so.1"
      return
    fi
  done < <(printf '%s' "${LD_LIBRARY_PATH:-}" | tr ':' '\n'; printf '\n')
  loader_path libcuda.so.1 | grep . && return
  first_file /usr/lib/x86_64-linux-gnu/libcuda.so.1 /usr/lib64/libcuda.so.1 /usr/lib/wsl/lib/libcuda.so.1
}

find_compiler() {
  local compiler
  for compiler in "${CXX:-}" g++ c++ clang++; do
    if [ -n "$compiler" ] && command -v "$compiler" >/dev/null; then
      command -v "$compiler"
      return
    fi
  done
}

say "looking around"
DRIVER=$(find_driver)
CUBLASLT=$(find_cublaslt)
COMPILER=$(find_compiler)
printf '    driver:    %s\n    cuBLASLt:  %s\n    compiler:  %s\n' \
  "${DRIVER:-none found}" "${CUBLASLT:-none found (toolkit, PyTorch, nvidia-cublas wheel, LD_LIBRARY_PATH, AMP_CUBLASLT)}" \
  "${COMPILER:-none found}"
[ -z "$CUBLASLT" ] || export AMP_CUBLASLT=$CUBLASLT
if [ "${AMP_DEVICE_QUICK:-0}" = 0 ] && command -v nvidia-smi >/dev/null; then
  timeout 20 nvidia-smi >"$OUT/logs/nvidia-smi.txt" 2>&1
fi

#===------------------------------------------------------------------------===#
# Programs
#===------------------------------------------------------------------------===#

# A program starts when its usage line appears.
starts() { "$1/device-bench" 2>&1 | grep -q '^usage: device-bench'; }

choose_programs() {
  local mode
  for mode in ${AMP_DEVICE_BUILD:-prebuilt link source}; do
    case $mode in
      prebuilt) BIN=$HERE/bin ;;
      *) BIN=$OUT/build/bin
         [ -n "$COMPILER" ] || { say "programs: '$mode' needs a C++ compiler"; continue; }
         CXX=$COMPILER timeout -k 5 150 "$HERE/build.sh" "$mode" "$OUT/build" >"$OUT/logs/build-$mode.txt" 2>&1 ||
           { say "programs: '$mode' does not build, see logs/build-$mode.txt"; continue; } ;;
    esac
    if starts "$BIN"; then
      say "programs: $mode"
      return 0
    fi
    say "programs: '$mode' does not start: $("$BIN/device-bench" 2>&1 | tail -n 1)"
  done
  return 1
}

BEGIN=$SECONDS
if ! choose_programs; then
  note programs failed $((SECONDS - BEGIN)) "no program starts here, see logs"
  cat "$LINES"
  exit 1
fi
note programs ok $((SECONDS - BEGIN)) "${BIN#"$OUT/"}"
BENCH=$BIN/device-bench
DATA=--data=$HERE/data

#===------------------------------------------------------------------------===#
# Sections
#===------------------------------------------------------------------------===#

say "running (at most $BUDGET s)"
section machine 30 "$BENCH" info "$DATA"
if grep -q '"name": "machine", "status": "skipped"' "$LINES"; then
  for name in conformance gemm kernels steps-digits steps-mlp steps-norms pytorch; do
    skip "$name" "no device, see machine"
  done
else
  # All combinations take an emulator half a minute; the project's own tests run them.
  FILTER=()
  [ ${#QUICK[@]} -eq 0 ] || FILTER=("--gtest_filter=-All/*:CudaFaultTest.EveryCallFails")
  section conformance 70 "$BIN/amp-rt-cts" --backend=cuda "${FILTER[@]+"${FILTER[@]}"}"
  section steps-digits 40 "$BENCH" steps digits "$DATA" "${QUICK[@]+"${QUICK[@]}"}"
  section steps-mlp 50 "$BENCH" steps mlp "$DATA" "${QUICK[@]+"${QUICK[@]}"}"
  if [ ${#QUICK[@]} -ne 0 ]; then
    skip steps-norms "not in quick mode"
  else
    section steps-norms 30 "$BENCH" steps norms "$DATA"
  fi
  section gemm 50 "$BENCH" gemm "$DATA" "${QUICK[@]+"${QUICK[@]}"}"
  section kernels 40 "$BENCH" kernels "$DATA" "${QUICK[@]+"${QUICK[@]}"}"
  if [ ${#QUICK[@]} -ne 0 ]; then
    skip pytorch "not in quick mode"
  elif ! command -v "${PYTHON:-python3}" >/dev/null; then
    skip pytorch "no python3"
  else
    section pytorch 50 "${PYTHON:-python3}" "$HERE/torch_step.py"
  fi
fi

"$BENCH" report "$LINES" "$OUT"
CODE=$?
say "results: $OUT/results.txt, $OUT/results.json ($SECONDS s)"
cat "$OUT/results.txt"
exit $CODE
