#!/bin/sh
# Ctrl-Z gives the shell its terminal back; fg goes on where it was, also at another size.
. "$(dirname "$0")/tui_lib.sh"
command -v bash >/dev/null 2>&1 || exit 77

T new-session -d -x 100 -y 30 "env PS1='shell> ' bash --norc --noprofile -i" || exit 1
T set -g status off
T resize-window -x 100 -y 30
wait_for 'shell>'
keys "'$ulpscope' --device cpu bits" Enter
wait_for '[1 Bits]'
keys 2
wait_for '[2 Update]'
keys C-z
wait_for 'Stopped'
# What answers must not stand in what is typed.
keys 'stty -a | grep -o -w -e -icanon -e icanon -e echo; printf %s%s check ed' Enter
wait_for 'checked'
screen | grep -q '^icanon' || fail 'the shell has no cooked terminal'
T resize-window -x 120 -y 36
keys clear Enter fg Enter
wait_for '[2 Update]'
wait_for 'q quit'
keys 1
wait_for '[1 Bits]'
keys C-z
wait_for 'Stopped'
keys 'fg' Enter
wait_for '[1 Bits]'
keys q
wait_for 'shell>'
keys 'printf %s=%s rc $?' Enter
wait_for 'rc=0'
