#!/bin/sh
# A terminal that takes no output: Ctrl-S does not stop ours, and one whose output is stopped, or that nobody reads,
# does not keep the program from dying of a signal.
. "$(dirname "$0")/tui_lib.sh"

start 80x24 bits
wait_for '[1 Bits]'
keys C-s
keys 2
wait_for '[2 Update]'
keys C-q
wait_for '[2 Update]'
keys q
wait_for 'rc=0'
restored
stop

# A terminal that nobody reads: the other side of a pseudo-terminal that only holds it open.
command -v python3 >/dev/null 2>&1 || exit 0
for signal in TERM HUP; do
    timeout 20 python3 - "$ulpscope" $signal <<'EOF2' || fail "SIG$signal did not end it"
import os, pty, signal, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm-256color"
    os.execv(sys.argv[1], [sys.argv[1], "--device", "cpu", "train"])
seen = b""
while b"Train" not in seen:
    seen += os.read(fd, 65536)
os.write(fd, b" ")  # training draws up to 30 frames a second, which soon fill the terminal's buffer
time.sleep(2)
number = getattr(signal, "SIG" + sys.argv[2])
os.kill(pid, number)
_, status = os.waitpid(pid, 0)
sys.exit(not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == number))
EOF2
done
