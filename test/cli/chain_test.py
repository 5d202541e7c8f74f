# SPDX-License-Identifier: Apache-2.0
"""A chain of 100,000 nodes compiles and runs in bounded memory; its values are those of the chain, node by node.
Usage: chain_test.py PLIANT MODEL-WRITER. The time is ctest's limit on this test."""

import json
import math
import os
import resource
import subprocess
import sys
import tempfile

PLIANT, WRITER = sys.argv[1], sys.argv[2]
NODES = 100_000
MEMORY = 512 << 20  # bytes resident at the most: 3.5 times what was measured


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([WRITER, folder, str(NODES)], check=True)
        model = os.path.join(folder, "chain.onnx")
        done = subprocess.run([PLIANT, "run", model, "--random", "1", "--shapes", "0;1;1000", "--json"],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"exit code {done.returncode}: {done.stderr}")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        page = json.loads(done.stdout)
    # Alternating sigmoid and tanh contract towards one cycle: whatever the input, the end is its tanh side.
    value = 0.0
    for _ in range(1000):
        value = math.tanh(1 / (1 + math.exp(-value)))
    print(f"{NODES} nodes: compiled in {page['compile_ms']:.0f} ms, {page['runs'][-1]['ms']:.0f} ms for 1000 elements, "
          f"{peak / 2**20:.0f} MB resident at the most")
    assert page["fallbacks"] == 0 and page["compiles"] == 1, page
    for run, extent in zip(page["runs"], (0, 1, 1000)):
        result = run["outputs"][0]
        assert result["shape"] == [extent], result
        for key in ("min", "max") if extent else ():
            assert abs(result[key] - value) < 1e-6, (result, value)
    assert peak < MEMORY, f"{peak} bytes resident, {MEMORY} allowed"


main()
