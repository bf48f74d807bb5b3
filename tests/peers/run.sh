#!/bin/sh
# The same training task in PyTorch on this machine, in the same run: steps per second of spiral (full batch of 768,
# 2-32-32-3 tanh, Adam 3e-4), one thread each, FP32 and BF16 autocast, and how many times faster ulpscope is.
#
#   tests/peers/run.sh [BUILD]     BUILD: a built build folder; default build/release
#
# Needs a python3 with torch (Debian: python3-torch; PYTHON chooses another).  Exit status: 0, also when skipped.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build/release}
python=${PYTHON:-/usr/bin/python3}

if ! "$python" -c 'import torch' 2>/dev/null; then
    echo "peers: skipped: $python has no torch (Debian: apt-get install python3-torch)"
    exit 0
fi
if [ ! -x "$build/ulpscope" ]; then
    echo "peers: skipped: no $build/ulpscope (build it first)"
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/ulpscope" bench --json --device cpu >"$work/before.json"
OMP_NUM_THREADS=1 "$python" "$root/tests/peers/spiral_torch.py" >"$work/torch.jsonl"
"$build/ulpscope" bench --json --device cpu >"$work/after.json"
"$python" - "$work" <<'PYTHON'
import json
import sys

work = sys.argv[1]


def ours(name):
    best = {}
    device = json.load(open(f"{work}/{name}.json"))["devices"][0]
    for row in device["results"]:
        task, _, recipe = row["name"].partition(" ")
        if row["group"] == "train" and task == "spiral":
            best[recipe] = row["value_approx"]
    return device["description"], best


description, before = ours("before")
_, after = ours("after")
peers = [json.loads(line) for line in open(f"{work}/torch.jsonl")]
print(f"spiral, steps per second, one thread: ulpscope ({description}) and PyTorch {peers[0]['torch']}")
for peer in peers:
    mine = max(before[peer["recipe"]], after[peer["recipe"]])
    theirs = peer["steps_per_second"]
    print(f"  {peer['recipe']:5} ulpscope {mine:7.0f}   torch {theirs:7.0f}   ratio {mine / theirs:5.2f}"
          f"   (torch's loss after 2000 steps: {peer['loss']:.4f})")
PYTHON
