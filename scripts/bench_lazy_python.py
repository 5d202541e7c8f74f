#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Nanoseconds of the processor for one op of two 4x4 tensors from Python: {"record_ns": ..., "replay_ns": ..., "run_ns":
...}; the last of 200 that are also run and read. New segments have an op more each time, so that what follows is not the
next of the one before."""

import json
import statistics
import time

import pliant as pl

x, a, b = (pl.ones((4, 4)) for _ in range(3))
pl.eval(x, a, b)


def chain(salt):
    y = x
    for i in range(100):
        y = y * a if salt >> i % 29 & 1 else y - a
        y = y + b
    return y


def recorded(salts):
    samples = []
    for salt in salts:
        start = time.process_time_ns()
        y = chain(salt)
        samples.append((time.process_time_ns() - start) / 200)
        del y
        pl.barrier()  # nobody holds a value: nothing runs
    return statistics.median(samples)


def run():
    samples = []
    for _ in range(300):
        start = time.process_time_ns()
        chain(1).numpy()
        samples.append((time.process_time_ns() - start) / 200)
    return statistics.median(samples)


chain(1).numpy()
print(json.dumps({"record_ns": recorded([i * 2654435761 % 2**29 for i in range(1, 300)]), "replay_ns": recorded([1] * 300),
                  "run_ns": run()}))
