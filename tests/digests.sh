#!/bin/sh
# Writes tests/proof/digest_table.h anew: the constants that unit_digest and others hold.  Only after a change that is
# meant to change bits (the kernels' mathematics, data, initial weights): say so in the commit.
#
#   tests/digests.sh [BUILD]     BUILD: a configured build folder; default build/release
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/release}
cmake --build "$build" --target digest_tool --parallel 2 >/dev/null
"$build/tests/digest_tool" --print >"$build/digest_table.txt"
{
    echo "/* Written by tests/digests.sh: {state after 20 steps, weights and state after 300}, in run_table's order. */"
    echo "/* clang-format off */"
    cat "$build/digest_table.txt"
} >"$root/tests/proof/digest_table.h"
cmake --build "$build" --target digest_tool --parallel 2 >/dev/null
"$build/tests/digest_tool" --isa baseline --spiral 20
