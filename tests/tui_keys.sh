#!/bin/sh
# Keys in a real terminal: panels, a flip, a field, training, quitting.
. "$(dirname "$0")/tui_lib.sh"

start 80x24 bits
wait_for '[1 Bits]'
wait_for '0x3c00'
keys x
wait_for 'fp16:0x3e00'
keys x Home x
wait_for '0xbc00'
keys =
wait_for 'Enter take'
type_text '1/3'
keys Enter
wait_for '0x3555'
keys =
type_text 'q'
keys Escape
wait_for 'q quit'
keys 2
wait_for '[2 Update]'
keys Tab
wait_for '[3 Scale]'
keys 4
wait_for 'step 0'
keys s
wait_for 'step 1 '
keys Space
wait_for '▶'
keys Space
wait_for '‖'
keys '?'
wait_for 'keys in Train'
keys F1
wait_for 'watch'
keys :
type_text 'nonsense'
keys Enter
wait_for "no command 'nonsense'"
keys Escape Escape C-l
wait_for 'q quit'
keys q
wait_for 'rc=0'
restored
stop

# Ctrl-C quits as well, by its signal or by its command.
start 120x36 update
wait_for '[2 Update]'
keys C-c
wait_for 'rc='
restored
