#!/bin/sh
# Fuzzes the VALUE parser, the command line, saved sessions and demos with libFuzzer, under the address and
# undefined-behaviour sanitizers.  What each call may cost is bounded in fuzz.h and fuzz_cli.c; `bench` alone is never
# carried out.
#
#   tests/fuzz/run.sh [SECONDS EACH] [value|cli|session|demo]     default 60; what is found lands in $BUILD (build/fuzz)
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60}
root=$PWD # the targets work in folders of their own: paths are absolute
build=$root/build/fuzz
case ${BUILD:-} in /*) build=$BUILD ;; ?*) build=$root/$BUILD ;; esac
command -v clang >/dev/null || { echo "fuzz: skipped: no clang" >&2; exit 0; }
generator=
[ -f "$build/CMakeCache.txt" ] || ! command -v ninja >/dev/null || generator='-G Ninja'
# shellcheck disable=SC2086
cmake -S . -B "$build" $generator -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo -DULPSCOPE_CUDA=OFF \
    -DULPSCOPE_FUZZ=ON -DULPSCOPE_SANITIZE=address,undefined >/dev/null
cmake --build "$build" -j 2 --target fuzz_value fuzz_cli fuzz_session fuzz_demo >&2
for target in ${2:-value cli session demo}; do
    case $target in session | demo) length=800 ;; *) length=2000 ;; esac
    mkdir -p "$build/corpus_$target"
    echo "fuzz_$target: $seconds s"
    "$build/tests/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len="$length" -print_final_stats=1 \
        -dict="$root/tests/fuzz/words.dict" -artifact_prefix="$build/" "$build/corpus_$target" "$root/tests/fuzz/corpus/$target" \
        2>&1 | grep -E "stat::number_of_executed_units|ERROR|SUMMARY|Test unit|crash|timeout" || true
done
! ls "$build"/crash-* "$build"/timeout-* "$build"/oom-* "$build"/leak-* 2>/dev/null
