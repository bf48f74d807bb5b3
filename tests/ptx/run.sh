#!/bin/sh
# The PTX that nvcc makes of the kernels, executed on the CPU by ptxrun and compared with the CPU device, bit for bit:
# every kernel, and training steps of both tasks under every recipe.  Both of nvcc's front ends (to sm_90, from sm_100).
#
#   tests/ptx/run.sh [BUILD]     BUILD: a configured build folder; default build/ptx, configured here
#
# ptxrun is looked for in $ULPSCOPE_SHARED/tools/ptxrun, default ../shared beside the repository.
# Exit status: 0 no bit differs, or skipped (says so); 1 otherwise.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
shared=${ULPSCOPE_SHARED:-$root/../shared}
build=${1:-$root/build/ptx}

nvcc=$(command -v nvcc || true)
for dir in "${CUDA_PATH:-}" "${CUDA_HOME:-}" /usr/local/cuda; do
    [ -z "$nvcc" ] && [ -n "$dir" ] && [ -x "$dir/bin/nvcc" ] && nvcc=$dir/bin/nvcc
done
if [ -z "$nvcc" ]; then
    echo "ptx: skipped: no nvcc (CUDA Toolkit) on this machine"
    exit 0
fi
if [ ! -f "$shared/tools/ptxrun/ptxrun.c" ]; then
    echo "ptx: skipped: no ptxrun in $shared/tools/ptxrun (set ULPSCOPE_SHARED)"
    exit 0
fi

if [ ! -f "$build/CMakeCache.txt" ]; then
    cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DULPSCOPE_CUDA=OFF -DULPSCOPE_SHARED="$shared" >/dev/null
fi
cmake --build "$build" --target ptx_compare --parallel 2 >"$build/ptx_build.log" 2>&1 || {
    cat "$build/ptx_build.log"
    exit 1
}
flags=$(sed -n 's/^ULPSCOPE_CUDA_FLAGS:INTERNAL=//p' "$build/CMakeCache.txt")
work=$build/ptx
mkdir -p "$work"

# One architecture: all of it in a fixed order, then with other inputs in a random order of warps and blocks.
compare() {
    # shellcheck disable=SC2086 # the flags are several words
    "$nvcc" $flags -std=c++17 -arch="$1" -ptx -I"$root/gpu" -o "$work/$1.ptx" "$root/gpu/cuda.cu" &&
        "$build/tests/ptx_compare" "$work/$1.ptx" "$1" --spiral 3 --xor 20 &&
        "$build/tests/ptx_compare" "$work/$1.ptx" "$1 (random order)" --seed 2 --order 5 --races --spiral 1 --xor 3
}

compare sm_75 >"$work/sm_75.log" 2>&1 &
first=$!
status=0
compare sm_100 >"$work/sm_100.log" 2>&1 || status=1
wait "$first" || status=1
sed 's/^/ptx: /' "$work/sm_75.log" "$work/sm_100.log"
exit $status
