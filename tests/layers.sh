#!/bin/sh
# Holds the directions of the house: gpu knows no src, src knows no ui, and only ui/term.c knows curses.
set -eu
cd "$(dirname "$0")/.."
bad=0
names_of() { (cd "$1" && ls ./*.h | sed 's|^\./||'); }
forbid() { # in folder $1, headers of folder $2
    for header in $(names_of "$2"); do
        if grep -rln --include='*.c' --include='*.h' --include='*.cu' "#include \"$header\"" "$1"; then
            echo "  includes $2/$header, which is above $1"
            bad=1
        fi
    done
}
forbid gpu src
forbid gpu ui
forbid src ui
if grep -rlE '#include *<(n?curses|ncursesw/[a-z]+)\.h>' src gpu ui tests --include='*.c' --include='*.h' | grep -v '^ui/term\.c$'; then
    echo "  includes curses outside ui/term.c"
    bad=1
fi
if grep -lE '#include *"(device|kernels|worker|trainer_internal|plan)\.h"|#include *<(pthread|time|stdlib)\.h>|getenv|clock_gettime' ui/panel_*.c; then
    echo "  a panel reaches for a device, a thread, the clock or the environment"
    bad=1
fi
long=$(git ls-files '*.c' '*.h' '*.cu' | xargs wc -l | awk '$2 != "total" && $1 > 600')
[ -z "$long" ] || { echo "over 600 lines:"; echo "$long"; bad=1; }
exit $bad
