#!/bin/sh
# The digests are the same constants whatever compiles the program: gcc and clang, -O0 and -O3, every instruction set.
#
#   tests/digest_builds.sh [WORK]     WORK: where to build; default build/digest_builds
#
# Exit status: 0 every digest is that of tests/proof/digest_table.h, 1 otherwise.  A compiler that is not there is
# skipped, and said to be.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=${1:-$root/build/digest_builds}
mkdir -p "$work"

# One build of the tool that checks digests, with the product's own CMakeLists.txt, and its runs.
build() {
    dir=$work/$1$2
    cmake -S "$root" -B "$dir" -DCMAKE_C_COMPILER="$1" -DCMAKE_BUILD_TYPE=Proof -DCMAKE_C_FLAGS_PROOF="$2" \
        -DULPSCOPE_CUDA=OFF >"$dir.log" 2>&1 &&
        cmake --build "$dir" --target digest_tool >>"$dir.log" 2>&1 || {
        echo "$1 $2: does not build" && tail -20 "$dir.log"
        return 1
    }
    for isa in baseline avx2 avx512; do
        spiral=20
        [ "$isa$2" = baseline-O0 ] && spiral=0 # too slow: the vectorised -O0 builds do it
        result=0
        text=$("$dir/tests/digest_tool" --isa $isa --recipes --spiral $spiral 2>&1) || result=$?
        echo "$1 $2: $text"
        [ $result -eq 1 ] && return 1
    done
    return 0
}

both() {
    status=0
    if command -v "$1" >/dev/null; then
        build "$1" -O0 || status=1
        build "$1" -O3 || status=1
    else
        echo "$1: skipped: not on this machine"
    fi
    return $status
}

status=0
both clang >"$work/clang.txt" 2>&1 &
clang=$!
both gcc || status=1
wait $clang || status=1
cat "$work/clang.txt"
exit $status
