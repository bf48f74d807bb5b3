#!/bin/sh
# Signals restore the terminal, and the program dies of them, while it trains, too.
. "$(dirname "$0")/tui_lib.sh"

for signal in TERM:143 HUP:129 QUIT:131 SEGV:139 ABRT:134; do
    for train in no yes; do
        rm -f "$dir/after"
        wrapper='env ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0'
        start 80x24 train
        wait_for '[4 Train]'
        if [ $train = yes ]; then
            keys Space
            wait_for '▶'
        fi
        kill -"${signal%:*}" "$(pid)"
        wait_for "rc=${signal#*:}"
        restored
        stop
    done
done

# A session that was killed is offered by the next one; one that ended by itself is not.
wrapper=
start 80x24 train
wait_for '[4 Train]'
keys s s s
wait_for 'step 3 '
wait_until grep -qx "$(pid)" "$XDG_STATE_HOME/ulpscope/autosave.open" # not the mark of one before
kill -KILL "$(pid)"
wait_for 'rc=137'
stop
start 80x24 train
wait_for 'the last session was cut off'
keys :
type_text 'restore'
keys Enter
wait_for 'the digest is the one saved'
keys q
wait_for 'rc=0'
stop
start 80x24 train
wait_for 'step 0 '
! screen | grep -q 'cut off' || fail "it ended by itself"
keys q
wait_for 'rc=0'
stop
