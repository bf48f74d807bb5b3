# tui_lib.sh: what the tests in a real terminal share; tests/tui_*.sh source it.  The terminal is tmux; nothing
# sleeps for a guessed time: every step waits for what it expects to see.
set -u
ulpscope=$1
command -v tmux >/dev/null 2>&1 || {
    echo "tmux is not there: skipped"
    exit 77
}
unset NO_COLOR ULPSCOPE_DEVICE LINES COLUMNS TMUX
export LC_ALL=C.UTF-8
dir=$(mktemp -d) || exit 1
export XDG_STATE_HOME="$dir/state" # what sessions save by themselves
socket=ulpscope-$$
T() { tmux -L "$socket" -f /dev/null "$@"; }
finish() {
    T kill-server 2>/dev/null
    rm -rf "$dir"
}
trap finish EXIT

# start SIZE ARGUMENTS...: runs ulpscope in a window of that size (80x24).  Its process is $(pid); what it sends to
# the terminal is kept in $dir/bytes; when it ends the screen shows rc=STATUS and the terminal's modes.
start() {
    size=$1
    shift
    rm -f "$dir/pid" "$dir/go"
    : >"$dir/bytes"
    cat >"$dir/run" <<EOF
trap : INT
while [ ! -f "$dir/go" ]; do sleep 0.02; done
stty -g >"$dir/before"
sh -c 'echo \$\$ >"$dir/pid"; exec ${wrapper:-} "$ulpscope" --device cpu $*'
echo rc=\$?
stty -g >"$dir/after"
exec cat
EOF
    T new-session -d -x "${size%x*}" -y "${size#*x}" "env ${environment:-A=b} sh '$dir/run'" || exit 1
    T set -g status off
    T resize-window -x "${size%x*}" -y "${size#*x}" 2>/dev/null
    T pipe-pane "cat >>'$dir/bytes'"
    touch "$dir/go"
}
stop() { T kill-server 2>/dev/null; socket=$socket+; }
pid() { cat "$dir/pid"; }
keys() { T send-keys "$@"; }
type_text() { T send-keys -l "$1"; }
screen() { T capture-pane -p; }
fail() {
    echo "FAILED: $*"
    screen
    exit 1
}

# wait_for TEXT: until the screen shows it.
wait_for() {
    tries=0
    until screen | grep -qF -e "$1"; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || fail "'$1' did not appear"
        sleep 0.05
    done
}

# wait_until COMMAND...: until it succeeds.
wait_until() {
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || fail "$*"
        sleep 0.05
    done
}

# The terminal's modes are what they were, and the main screen is back with a cursor.
restored() {
    wait_until test -s "$dir/after"
    cmp -s "$dir/before" "$dir/after" || fail "the terminal's modes have changed"
    [ "$(T display-message -p '#{alternate_on}#{cursor_flag}#{mouse_any_flag}')" = 010 ] || fail "the screen was not restored"
}
