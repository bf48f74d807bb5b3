#!/bin/sh
# Fuzzes the VALUE parser and the command line with libFuzzer, under the address and undefined-behaviour sanitizers.
#
#   tests/fuzz/run.sh [SECONDS EACH] [value|cli]     default 60; what is found lands in build/fuzz/
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60}
command -v clang >/dev/null || { echo "fuzz: skipped: no clang" >&2; exit 0; }
generator=
[ -f build/fuzz/CMakeCache.txt ] || ! command -v ninja >/dev/null || generator='-G Ninja'
# shellcheck disable=SC2086
cmake -S . -B build/fuzz $generator -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo -DULPSCOPE_CUDA=OFF \
    -DULPSCOPE_FUZZ=ON -DULPSCOPE_SANITIZE=address,undefined >/dev/null
cmake --build build/fuzz -j 2 --target fuzz_value fuzz_cli >&2
for target in ${2:-value cli}; do
    mkdir -p "build/fuzz/corpus_$target"
    echo "fuzz_$target: $seconds s"
    "build/fuzz/tests/fuzz_$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -max_len=2000 -print_final_stats=1 \
        -dict=tests/fuzz/words.dict -artifact_prefix=build/fuzz/ "build/fuzz/corpus_$target" "tests/fuzz/corpus/$target" \
        2>&1 | grep -E "stat::number_of_executed_units|ERROR|SUMMARY|Test unit|crash|timeout" || true
done
! ls build/fuzz/crash-* build/fuzz/timeout-* build/fuzz/oom-* 2>/dev/null
