#!/bin/sh
# For a machine with an NVIDIA GPU: builds the CUDA device, compares every kernel and every recipe's digest with the
# CPU's, runs the tests of training on the GPU, compute-sanitizer where it is, and prints `bench` of both devices.
#
#   tests/gpu/check.sh [BUILD]     BUILD: where to build; default build/cuda
#
# Exit status: 0 all equal, or nothing to check here (says so); 1 otherwise.
# ULPSCOPE_CHECK_DEVICE=cpu goes through the script without a GPU, to check the script.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build/cuda}
device=${ULPSCOPE_CHECK_DEVICE:-cuda}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
cuda=ON
[ "$device" = cuda ] || cuda=AUTO

nvcc=$(command -v nvcc || true)
for dir in "${CUDA_PATH:-}" "${CUDA_HOME:-}" /usr/local/cuda; do
    [ -z "$nvcc" ] && [ -n "$dir" ] && [ -x "$dir/bin/nvcc" ] && nvcc=$dir/bin/nvcc
done
if [ "$device" = cuda ] && ! ls /dev/nvidia[0-9]* >/dev/null 2>&1 && ! [ -e /dev/dxg ]; then
    echo "gpu: nothing to check: no NVIDIA GPU on this machine (no /dev/nvidia*)"
    exit 0
fi
if [ "$device" = cuda ] && [ -z "$nvcc" ]; then
    echo "gpu: nothing to check: no nvcc (install the CUDA Toolkit, or set CUDA_PATH)"
    exit 0
fi

section() { printf '\n== %s\n' "$*"; }
status=0
# Runs a check; a failure is remembered and the rest goes on.
check() {
    if "$@"; then :; else
        echo "FAILED: $*"
        status=1
    fi
}

section "build"
if command -v ninja >/dev/null && [ ! -f "$build/CMakeCache.txt" ]; then
    CMAKE_GENERATOR=Ninja && export CMAKE_GENERATOR
fi
cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DULPSCOPE_CUDA=$cuda ${nvcc:+-DCMAKE_CUDA_COMPILER="$nvcc"} \
    >/dev/null
cmake --build "$build" --parallel "$jobs" --target ulpscope device_compare digest_tool unit_train unit_counts \
    unit_rescale >"$build/check.log" 2>&1 || {
    tail -40 "$build/check.log"
    exit 1
}
"$build/ulpscope" devices

section "every kernel, and steps of every run, against the CPU device"
opened=0
"$build/tests/device_compare" "$device" || opened=$?
if [ $opened -eq 4 ]; then
    echo "gpu: nothing to check: the GPU cannot be used (above)"
    exit 0
fi
[ $opened -eq 0 ] || status=1

section "digests after 300 steps"
check "$build/tests/digest_tool" --device "$device"

section "tests of training on the $device device"
for test in unit_counts unit_rescale unit_train; do
    result=0
    ULPSCOPE_DEVICE=$device timeout 100 "$build/tests/$test" >"$build/$test.log" 2>&1 || result=$?
    echo "$test: $([ $result -eq 0 ] && echo passed || echo FAILED)"
    [ $result -eq 0 ] || { tail -20 "$build/$test.log" && status=1; }
done

section "compute-sanitizer"
sanitizer=$(command -v compute-sanitizer || true)
[ -z "$sanitizer" ] && [ -n "$nvcc" ] && [ -x "$(dirname "$nvcc")/compute-sanitizer" ] &&
    sanitizer=$(dirname "$nvcc")/compute-sanitizer
if [ "$device" = cuda ] && [ -n "$sanitizer" ]; then
    check timeout 90 "$sanitizer" --tool memcheck --error-exitcode 1 "$build/tests/device_compare" cuda 1 2
else
    echo "skipped: not on this machine"
fi

section "bench"
check "$build/ulpscope" bench --device cpu
[ "$device" = cpu ] || check "$build/ulpscope" bench --device "$device"

section "$([ $status -eq 0 ] && echo "all equal" || echo "FAILED: see above")"
exit $status
