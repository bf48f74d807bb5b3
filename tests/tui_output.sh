#!/bin/sh
# What goes to the terminal: nothing while idle, no colour with NO_COLOR, only ASCII in the C locale; and what
# happens without a terminal.
. "$(dirname "$0")/tui_lib.sh"
escape=$(printf '\033')

size_of() { wc -c <"$dir/bytes"; }
ticks() { cut -d' ' -f14,15 "/proc/$(pid)/stat" 2>/dev/null; }

start 80x24 bits
wait_for 'q quit'
keys 4
wait_for '[4 Train]'
keys Space
wait_for '▶'
keys Space
wait_for '‖'
sleep 0.5 # the last frame
bytes=$(size_of) cpu=$(ticks)
sleep 2
[ "$(size_of)" = "$bytes" ] || fail 'bytes are written while idle'
[ "$(ticks)" = "$cpu" ] || fail "idle time is spent: $cpu, then $(ticks)"
grep -q "$escape\[[0-9;]*3[0-9;:]*m" "$dir/bytes" || fail 'no colour at all'
clears=$(tr "$escape" '\n' <"$dir/bytes" | grep -c '^\[2\{0,1\}J')
[ "$clears" -le 2 ] || fail "the screen was cleared $clears times"
keys q
wait_for 'rc=0'
stop

environment=NO_COLOR=1
start 80x24 update
wait_for 'LOST'
keys 1 4 Space
wait_for '▶'
keys q
wait_for 'rc=0'
if grep -q "$escape\[\([0-9]*;\)*\(3[0-8]\|4[0-8]\|9[0-7]\|10[0-7]\)[;m]" "$dir/bytes"; then
    fail 'colour in spite of NO_COLOR'
fi
stop

environment=LC_ALL=C
start 120x36 bits
wait_for 'q quit'
keys 2 3 4 Space
wait_for '[4 Train]'
keys '?'
wait_for 'keys in Train'
keys q
wait_for 'rc=0'
[ "$(LC_ALL=C tr -d '\000-\177' <"$dir/bytes" | wc -c)" -eq 0 ] || fail 'more than ASCII in the C locale'
stop

# Without a terminal the panel is printed; a terminal of no known kind is refused with status 2.
"$ulpscope" bits --device cpu >"$dir/text" </dev/null || fail 'bits without a terminal'
grep -q '0x3c00' "$dir/text" || fail 'bits without a terminal prints no panel'
! grep -q "$escape" "$dir/text" || fail 'an escape in a file'
"$ulpscope" bits --device cpu | head -1 >/dev/null || fail 'a closed pipe'
environment=TERM=nonsense
wrapper='env ASAN_OPTIONS=detect_leaks=0' # curses forgets its own memory when it finds no terminal
start 80x24 bits
wait_for 'rc=2'
screen | grep -q nonsense || fail 'the message does not name TERM'
