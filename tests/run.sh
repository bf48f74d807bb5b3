#!/bin/sh
# Installs what is missing, builds, and runs every test.
#
#   tests/run.sh [ARGUMENTS FOR ctest]
set -eu
cd "$(dirname "$0")/.."
demos/start.sh --build
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
cmake --build build/release -j "$jobs" >&2
exec ctest --test-dir build/release --output-on-failure -j "$jobs" "$@"
