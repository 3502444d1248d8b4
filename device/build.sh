#!/usr/bin/env bash
# Builds the bundle's programs with a C++17 compiler and nothing else:
#   build.sh link OUT      links the prebuilt objects
#   build.sh source OUT    compiles the sources, and links (needs cuda.h and
#                          cublasLt.h of a toolkit; the compiled steps stay as
#                          they are)
# Programs go to OUT/bin, objects to OUT/objects. CXX and CXXFLAGS are respected.
set -euo pipefail
shopt -s nullglob
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
MODE=${1:?usage: build.sh link|source OUT}
mkdir -p "${2:?usage: build.sh link|source OUT}/bin"
OUT=$(cd "$2" && pwd)
CXX=${CXX:-g++}
JOBS=${AMP_DEVICE_JOBS:-$(nproc)}

die() { printf 'build.sh: error: %s\n' "$*" >&2; exit 1; }

# Folders with the CUDA headers: a toolkit, or the wheels.
find_headers() {
  local header folder
  for header in cuda.h cublasLt.h; do
    for folder in ${AMP_CUDA_INCLUDE_DIR:-} "${CUDA_PATH:-}/include" "${CUDA_HOME:-}/include" \
      "${CUDA_ROOT:-}/include" /usr/local/cuda/include /usr/local/cuda-*/include \
      $(python3 -c 'import glob, sys
for path in sys.path: print(*glob.glob(path + "/nvidia/*/include"))' 2>/dev/null); do
      if [ -e "$folder/$header" ]; then
        printf '%s\n' "-isystem$folder"
        continue 2
      fi
    done
    die "no $header: set CUDA_PATH to a CUDA toolkit"
  done
}

# compile OBJECT SOURCE FLAGS...: notes the job, unless the object is up to date.
COMMANDS=()
NEWEST=
WANTED=()
compile() {
  local object=$OUT/objects/$1 source=$HERE/$2
  shift 2
  WANTED+=("$object")
  mkdir -p "$(dirname "$object")"
  if [ -e "$object" ] && [ "$object" -nt "$source" ] && [ "$object" -nt "$NEWEST" ]; then return; fi
  COMMANDS+=("$CXX -std=c++17 -O2 -fPIC -ffp-contract=off -Wall -I$HERE/include -I$HERE/runtime/lib $* ${CXXFLAGS:-} -c $source -o $object")
}

compile_sources() {
  local headers source name
  headers=$(find_headers | sort -u | tr '\n' ' ')
  NEWEST=$(find "$HERE/include" "$HERE/runtime" "$HERE/bench" "$HERE/steps" -name '*.h' -o -name '*.def' |
    xargs ls -t | head -n 1)
  cd "$HERE"
  for source in runtime/lib/*/*.cpp; do
    name=${source#runtime/lib/}
    name=runtime/${name//\//-}
    case $source in
      # Once per instruction set; a table is picked at run time.
      */BulkKernels.cpp)
        compile "${name%.cpp}.v3.o" "$source" -march=x86-64-v3 \
          -DAMP_RT_BULK_TABLE=kBulkKernelsV3 "-DAMP_RT_BULK_ISA=\\\"x86-64-v3\\\""
        compile "${name%.cpp}.v4.o" "$source" -march=x86-64-v4 -mprefer-vector-width=512 \
          -DAMP_RT_BULK_TABLE=kBulkKernelsV4 "-DAMP_RT_BULK_ISA=\\\"x86-64-v4\\\"" ;;
      *) compile "${name%.cpp}.o" "$source" -march=x86-64-v3 -fexceptions -DAMP_RT_HAVE_CUDA $headers ;;
    esac
  done
  for source in bench/*.cpp; do
    compile "${source%.cpp}.o" "$source" -I"$HERE/steps" $headers
  done
  if printf '#include <gtest/gtest.h>\n' | $CXX -std=c++17 -x c++ -fsyntax-only - 2>/dev/null; then
    for source in runtime/cts/*.cpp; do
      name=${source#runtime/}
      compile "${name%.cpp}.o" "$source" $headers
    done
  elif [ "$OUT" != "$HERE" ]; then
    printf 'no GoogleTest here: the conformance suite is linked from its prebuilt objects\n'
    mkdir -p "$OUT/objects/cts"
    cp "$HERE"/objects/cts/*.o "$OUT/objects/cts"
  fi
  # Objects of sources that are gone.
  local object
  for object in "$OUT"/objects/*/*.o; do
    case " ${WANTED[*]} " in
      *" $object "*) ;;
      *) [[ $object == */cts/* ]] || rm "$object" ;;
    esac
  done
  [ ${#COMMANDS[@]} -eq 0 ] || printf '%s\n' "${COMMANDS[@]}" | xargs -d '\n' -P "$JOBS" -I{} sh -c '{} || exit 255'
}

# The libraries of the compiler go into the program where they exist as archives.
link() {
  local program=$1
  shift
  $CXX -static-libstdc++ -static-libgcc -o "$OUT/bin/$program" "$@" -ldl -lpthread -lm 2>"$OUT/link.txt" ||
    $CXX -o "$OUT/bin/$program" "$@" -ldl -lpthread -lm || { cat "$OUT/link.txt" >&2; die "cannot link $program"; }
  rm -f "$OUT/link.txt"
}

case $MODE in
  link) OBJECTS=$HERE/objects ;;
  source) compile_sources; OBJECTS=$OUT/objects ;;
  *) die "expects 'link' or 'source', but got '$MODE'" ;;
esac
GTEST=$HERE/objects/libgtest.a
[ -e "$GTEST" ] || GTEST=-lgtest
link device-bench "$OBJECTS"/bench/*.o "$OBJECTS"/runtime/*.o "$HERE"/steps/*.o \
  -Wl,--wrap=amp_rt_launch -Wl,--wrap=amp_rt_gemm
link amp-rt-cts "$OBJECTS"/cts/*.o "$OBJECTS"/bench/OldLibc.o "$OBJECTS"/runtime/*.o "$GTEST"
