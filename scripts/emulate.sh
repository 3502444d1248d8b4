#!/usr/bin/env bash
# Runs a command with the emulated CUDA device: emulate.sh BUILD COMMAND [ARGS].
#
# The emulator's libraries come first in the search path, and the compiler
# leaves the bitcode of device code in a folder for them. A folder that
# AMP_CUDA_BITCODE_DIR names already is used and kept.
set -uo pipefail

build=$(cd "$1" && pwd) || exit 1
shift
if [ ! -e "$build/emulator/libcuda.so.1" ]; then
  echo "emulate: error: no emulator in $build (it needs CUDA's headers: ./dev setup --cuda, ./dev build)" >&2
  exit 1
fi

if [ -z "${AMP_CUDA_BITCODE_DIR:-}" ]; then
  AMP_CUDA_BITCODE_DIR=$(mktemp -d) || exit 1
  trap 'rm -rf "$AMP_CUDA_BITCODE_DIR"' EXIT
fi
export AMP_CUDA_BITCODE_DIR
export LD_LIBRARY_PATH="$build/emulator${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
"$@"
