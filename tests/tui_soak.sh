#!/bin/sh
# Keys, commands and resizes while a run trains: for ULPSCOPE_SOAK seconds, 5 if that is not set.  Built with the
# thread sanitizer (preset tsan) it is what shows that the threads share nothing unguarded.
. "$(dirname "$0")/tui_lib.sh"

environment="TSAN_OPTIONS=log_path=$dir/race:exitcode=66"
start 120x36 train
wait_for '[4 Train]'
type_text ':lane add bf16-pure'
keys Enter
type_text ':break step 100000'
keys Enter
keys Space
until=$(($(date +%s) + ${ULPSCOPE_SOAK:-5}))
turn=0
while [ "$(date +%s)" -lt $until ]; do
    for key in s p 1 = Escape 2 Down 3 4 C h PageDown H Right H b i Space L '<' '>' '{' '}' Tab Space '?' Escape; do
        keys $key
    done
    type_text ":goto $((turn * 37 % 400))"
    keys Enter
    type_text ':weight fc1.weight[1,2]'
    keys Enter
    keys 4 Space
    T resize-window -x $((80 + turn * 13 % 120)) -y $((24 + turn * 7 % 40))
    turn=$((turn + 1))
done
T resize-window -x 120 -y 36
keys Escape Escape 1
wait_for '[1 Bits]'
keys q
wait_for 'rc=0'
restored
for log in "$dir"/race*; do
    [ ! -f "$log" ] || {
        head -40 "$log"
        fail 'the thread sanitizer found something'
    }
done
echo "$turn rounds"
