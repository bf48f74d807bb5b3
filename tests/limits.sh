#!/bin/bash
# Texts that ask for too much, to every verb that reads VALUEs: each gets an answer or one clear line, in bounded time and
# memory.  It takes milliseconds each on an idle machine; the bound here only tells an end from none.
#
#   tests/limits.sh BINARY
set -u
program=$1
seconds=10
failed=0
if (ulimit -v 1000000 && "$program" --version) >/dev/null 2>&1; then ulimit -v 1000000; fi # sanitizers reserve more
repeat() { printf "%$2s" "" | sed "s/ /$1/g"; }

# check STATUS INPUT WORDS...: the value is given as an argument and, where '-' reads it, on standard input.
check() {
    local status=$1 input=$2 out got lines
    shift 2
    out=$(printf '%s\n' "$input" | timeout $seconds "$program" "$@" --device cpu 2>&1 >/dev/null)
    got=$?
    lines=$(printf '%s' "$out" | grep -c '')
    case $status in *"$got"*) ;; *) got="status $got" ;; esac
    if [ "${got#status}" != "$got" ] || { [ "$got" != 0 ] && [ "$lines" != 1 ]; } || [ "${#out}" -gt 1000 ]; then
        printf '%.60s %.60s %.60s (%.40s): %s, %s lines: %.200s\n' "${@:1:3}" "$input" "$got" "$lines" "$out" >&2
        failed=1
    fi
}

digits=$(repeat 1234567890 1000)
values=("$digits" "0.$digits" "-1.${digits}e-400" 1e999999999 1e-999999999 "1e$digits" "2^999999999" "2^-999999999" \
    "1/3^100000" "(1/3)^100000" "1/0" "9^9^9^9" "1-1e-999999999" "0x1.$(repeat f 10000)p-20" "0x1p$digits" \
    "fp16:0x$(repeat 0 10000)1" "1$(repeat +1 50000)" "3$(repeat '*3' 50000)" "1$(repeat '\/3' 30000)" "$(repeat - 50000)1" \
    "2^$(repeat 9 5000)" "1/3^50000+1/7^30000" "1e20000" "1e-6000" "(1/3")
for value in "${values[@]}"; do
    for more in "" --json "--explain -f all" "--explain --json" "-f e8m23" "--block mxfp4" "--block nvfp4 --json"; do
        # shellcheck disable=SC2086
        check 02 "$value" bits - $more
    done
    check 02 "" calc "$value"
    check 02 "" calc "sqrt($value)" -f all --json
    [ ${#value} -gt 60000 ] || check 02 "" calc "fma($value,$value,-1)" -f e8m23 # Linux: 128 KiB an argument
    check 02 "" update --w="$value" --delta 1e-5
    check 02 "" update --w 1 --delta="$value" --json
    check 02 "" update --w 1 --lr="$value" --grad="$value" --steps 1000
    check 02 "" scale --rule "pytorch:init=$value" --steps 3
    check 02 "" train --task xor --steps 1 --lr="$value"
    check 02 "" train --task xor --steps 1 --scaler "fixed:$value"
done
deep="$(repeat '(' 100000)1$(repeat ')' 100000)"
for more in "" --json --explain "--block mxfp4"; do
    # shellcheck disable=SC2086
    check 2 "$deep" bits - $more
done
check 2 "" calc "$(repeat '(' 60000)1$(repeat ')' 60000)"
check 2 "" calc "$(repeat 'sqrt(' 20000)1$(repeat ')' 20000)"
check 0 "" scale --rule pytorch --overflow "$(repeat x 100000)"
check 0 "" scale --rule pytorch --overflow "$(repeat .x 50000)" --json
check 2 "" scale --rule pytorch --overflow "99999999999999999999."
check 2 "" scale --rule pytorch --overflow "$(repeat 9 100000)x"
check 2 "" show bits --size 99999999999x3
check 02 "" bits 1 -f "$(repeat fp16, 10000)fp32"
exit $failed
