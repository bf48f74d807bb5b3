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
[ "$(T display-message -p '#{mouse_any_flag}')" = 1 ] || fail "the mouse is off"
type_text "$(printf '\033[<0;13;1M\033[<0;13;1m')"
wait_for '[1 Bits]'
type_text "$(printf '\033[<0;42;1M')"
wait_for '[4 Train]'
keys :
type_text 'mouse off'
keys Enter
wait_until sh -c "[ \"\$(tmux -L $socket display-message -p '#{mouse_any_flag}')\" = 0 ]"
keys :
type_text 'mouse on'
keys Enter
wait_until sh -c "[ \"\$(tmux -L $socket display-message -p '#{mouse_any_flag}')\" = 1 ]"
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
