#!/bin/sh
# Golden screens: what `show` prints for each panel, compared with tests/golden/*.txt.
#
#   tests/golden.sh ULPSCOPE            compares all of them
#   tests/golden.sh ULPSCOPE --update   rewrites them; read the difference before committing it
set -u
cd "$(dirname "$0")/golden" || exit 1
ulpscope=$1
update=${2-}
LC_ALL=C.UTF-8
export LC_ALL
unset NO_COLOR ULPSCOPE_DEVICE
got=$(mktemp) || exit 1
trap 'rm -f "$got"' EXIT
failed=0

# golden NAME SIZE PANEL [OPTION ...]: NAME.SIZE.txt is what the panel looks like at that size.
golden() {
    want=$1.$2.txt size=$2 panel=$3
    shift 3
    if ! "$ulpscope" show "$panel" --size "$size" --device cpu "$@" >"$got"; then
        echo "$want: show failed"
        failed=1
    elif [ "$update" = --update ]; then
        cp "$got" "$want"
    elif ! diff -u "$want" "$got"; then
        failed=1
    fi
}

for size in 80x24 120x36; do
    for panel in bits update scale train; do
        if [ -f "$panel.script" ]; then
            golden "$panel" $size $panel --script "$panel.script"
        else
            golden "$panel" $size $panel
        fi
    done
done
for size in 80x24 120x36; do
    for name in bits-all bits-sr calc calc-steps block; do
        golden $name $size bits --script $name.script
    done
done
golden bits-negative 80x24 bits --script bits-negative.script
golden block-sr 80x24 bits --script block-sr.script
golden block-ascii 80x24 bits --ascii --script block.script
golden bits-policy 120x36 bits --script bits-policy.script
golden bits-explain 80x24 bits --script bits-explain.script
golden calc-ascii 80x24 bits --ascii --script calc.script
golden bits-overflow 120x36 bits --script bits-overflow.script
golden bits-subnormal 80x24 bits --script bits-subnormal.script
golden bits-nan 80x24 bits --script bits-nan.script
golden bits 160x60 bits
golden bits-ascii 80x24 bits --ascii
golden update-live 120x36 update --script update-live.script
for size in 80x24 120x36; do
    golden train-break $size train --script train-break.script
done
golden train-back 120x36 train --script train-back.script
golden train-map 80x24 train --script train-map.script
golden help 80x24 bits --script help.script

# The README's picture is what it says.
"$ulpscope" show bits --size 120x36 --as svg --device cpu >"$got" || failed=1
if [ "$update" = --update ]; then
    cp "$got" ../../demos/bits.svg
elif ! cmp "$got" ../../demos/bits.svg; then
    failed=1
fi
exit $failed
