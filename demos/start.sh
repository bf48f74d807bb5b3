#!/bin/sh
# Installs what is missing, builds, and opens ulpscope with a short guided start.
#
#   demos/start.sh            all of it; run again, it starts at once
#   demos/start.sh --deps     installs what building and testing need, and stops
#   demos/start.sh --build    builds, and stops
#
# On Debian and its relatives packages come from the package manager, without questions.  Elsewhere, and without the
# rights to install, it says exactly what to install.
set -eu
cd "$(dirname "$0")/.."
build=build/release

say() { printf 'ulpscope: %s\n' "$*" >&2; }

# package: the file or program that tells whether it is there
debian_packages='
gcc:cc
cmake:cmake
ninja-build:ninja
pkg-config:pkg-config
libncurses-dev:ncursesw.pc
libgmp-dev:gmp.h
libmpfr-dev:mpfr.h
libjansson-dev:jansson.h
libcmocka-dev:cmocka.h
tmux:tmux'

have() {
    case $1 in
    *.h) printf '#include <stddef.h>\n#include <stdarg.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <%s>\n' "$1" |
        cc -E -x c - >/dev/null 2>&1 ;;
    *.pc) pkg-config --exists "${1%.pc}" 2>/dev/null ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

missing_packages() {
    for entry in $debian_packages; do
        have "${entry#*:}" || printf '%s ' "${entry%%:*}"
    done
}

# What to type on systems where this script does not install by itself.
explain() {
    say "to build and test it, ulpscope needs a C11 compiler, CMake 3.25, ninja or make, pkg-config, ncursesw, GMP, MPFR,"
    say "jansson, cmocka and tmux.  Not found here: $1"
    say "  Debian, Ubuntu:  sudo apt-get install gcc cmake ninja-build pkg-config libncurses-dev libgmp-dev libmpfr-dev libjansson-dev libcmocka-dev tmux"
    say "  Fedora:          sudo dnf install gcc cmake ninja-build pkgconf-pkg-config ncurses-devel gmp-devel mpfr-devel jansson-devel libcmocka-devel tmux"
    say "  Arch:            sudo pacman -S --needed gcc cmake ninja pkgconf ncurses gmp mpfr jansson cmocka tmux"
    say "  macOS, Homebrew: brew install cmake ninja pkg-config ncurses gmp mpfr jansson cmocka tmux"
    say "then run this again.  The CUDA Toolkit is optional: without it there is the CPU device alone."
    exit 1
}

install_missing() {
    missing=$(missing_packages)
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null 2>&1 || explain "$missing"
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        as_root='sudo -n'
    else
        explain "$missing"
    fi
    say "installing with apt-get: $missing"
    # shellcheck disable=SC2086  # both are lists of words
    {
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2
    }
}

build() {
    # An executable that is newer than every source needs nothing: not even a look by the build tool.
    if [ -x $build/ulpscope ] && [ -f $build/CMakeCache.txt ] &&
        [ -z "$(find CMakeLists.txt CMakePresets.json src gpu ui tests/CMakeLists.txt -newer $build/ulpscope -type f | head -n 1)" ]; then
        return 0
    fi
    generator=
    if [ ! -f $build/CMakeCache.txt ] && command -v ninja >/dev/null 2>&1; then
        generator='-G Ninja'
    fi
    say "building in $build"
    # shellcheck disable=SC2086
    cmake --preset release $generator >&2
    cmake --build $build -j "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" --target ulpscope >&2
    touch $build/ulpscope
}

case ${1-} in
'') ;;
--deps) install_missing; exit 0 ;;
--build) install_missing; build; exit 0 ;;
*) say "usage: demos/start.sh [--deps|--build]"; exit 2 ;;
esac
install_missing
build
exec $build/ulpscope play demos/start.demo
