"""The spiral task in PyTorch on the CPU, one thread: steps per second as JSON, one line for each recipe.

2-32-32-3 tanh, full batch of 768 points, softmax cross-entropy, Adam 3e-4: what `ulpscope train` does by default.
"""

import json
import math
import sys
import time

try:
    import torch
except ImportError as error:
    print(f"skipped: {error} (Debian: apt-get install python3-torch)", file=sys.stderr)
    sys.exit(77)

RUNS, WINDOW, LEARN_STEPS = 5, 0.5, 2000


def make_data():
    """Three arms of 256 points: r = 0.05 + 0.95 t, angle 2 pi c/3 + 3.5 t + 0.1 N(0,1)."""
    torch.manual_seed(0)
    t = torch.arange(256) / 255
    points, labels = [], []
    for arm in range(3):
        angle = 2 * math.pi * arm / 3 + 3.5 * t + 0.1 * torch.randn(256)
        radius = 0.05 + 0.95 * t
        points.append(torch.stack([radius * angle.sin(), radius * angle.cos()], 1))
        labels.append(torch.full((256,), arm))
    return torch.cat(points), torch.cat(labels)


def make_model():
    layers = []
    for fan_in, fan_out in ((2, 32), (32, 32), (32, 3)):
        linear = torch.nn.Linear(fan_in, fan_out)
        torch.nn.init.normal_(linear.weight, std=1 / math.sqrt(fan_in))
        torch.nn.init.zeros_(linear.bias)
        layers += [linear, torch.nn.Tanh()]
    return torch.nn.Sequential(*layers[:-1])


def measure(autocast):
    points, labels = make_data()
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    loss_of = torch.nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
            logits = model(points)
        loss = loss_of(logits.float(), labels)
        loss.backward()
        optimizer.step()
        return loss

    for _ in range(50):
        step()
    best = 0.0
    for _ in range(RUNS):
        steps, start = 0, time.perf_counter()
        while time.perf_counter() - start < WINDOW:
            step()
            steps += 1
        best = max(best, steps / (time.perf_counter() - start))

    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    for _ in range(LEARN_STEPS):
        loss = step()
    return best, float(loss)


torch.set_num_threads(1)
for recipe, autocast in (("fp32", False), ("bf16", True)):
    steps_per_second, loss = measure(autocast)
    print(json.dumps({"recipe": recipe, "steps_per_second": steps_per_second, "loss": loss,
                      "torch": torch.__version__}), flush=True)
