#!/bin/sh
# Every size is survived; below 80x24 a notice says what is needed.
. "$(dirname "$0")/tui_lib.sh"

resize() { T resize-window -x "$1" -y "$2"; }

environment='LINES=10 COLUMNS=40' # exported by some shells; they must not freeze the size
start 120x36 bits
wait_for '[1 Bits]'
resize 79 24
wait_for 'needs 80x24, has 79x24'
resize 1 1
resize 3 2
resize 200 1
resize 1 200
resize 30 10
wait_for 'needs 80x24, has 30x10'
resize 80 24
wait_for 'q quit'
wait_for '[1 Bits]'
resize 250 70
wait_for 'every bit of fp16'
for n in 5 10 20 40 60 80 100 120; do resize $n $((n / 3 + 1)); done
wait_for 'why'
keys q
wait_for 'rc=0'
restored
stop

environment=A=b
start 1x1 train
wait_until test -s "$dir/pid"
resize 80 24
wait_for '[4 Train]'
keys q
wait_for 'rc=0'
restored
