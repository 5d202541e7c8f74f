#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to record one op from Python, in processor time; NumPy's for running the same beside it.

    PYTHONPATH=build/release/python bench/recording.py"""
import argparse
import json
import statistics
import time

import numpy as np

import pliant


def per_op(step, before, ops, repeat):
    """The median over runs, of the middle of the runs; nanoseconds."""
    times = []
    for _ in range(repeat):
        before()
        begin = time.process_time_ns()
        step()
        times.append((time.process_time_ns() - begin) / ops)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description="Recording from Python.")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeat", type=int, default=200)
    options = parser.parse_args()
    ops = 200
    figures = {}
    for name, library in (("pliant", pliant), ("numpy", np)):
        make = (lambda: pliant.full((4, 4), 1.0)) if library is pliant else (lambda: np.full((4, 4), 1.0, np.float32))
        x, a = make(), make()
        finish = (lambda: pliant.eval(y)) if library is pliant else (lambda: None)
        y = x

        def multiply():
            nonlocal y
            for _ in range(ops // 4):
                y = x * a
                y = x * a
                y = x * a
                y = x * a

        def number():
            nonlocal y
            for _ in range(ops // 4):
                y = x * 2.5
                y = x * 2.5
                y = x * 2.5
                y = x * 2.5

        def call():
            nonlocal y
            f = pliant.exp if library is pliant else np.exp
            for _ in range(ops // 4):
                y = f(x)
                y = f(x)
                y = f(x)
                y = f(x)

        if library is pliant:
            pliant.eval(x, a)
        figures[name] = {what: round(per_op(step, finish, ops, options.repeat))
                         for what, step in (("x * a", multiply), ("x * 2.5", number), ("exp(x)", call))}

    def read():
        (x * a).numpy()

    x, a = pliant.full((4, 4), 1.0), pliant.full((4, 4), 1.0)
    pliant.eval(x, a)
    figures["read of a known program"] = round(per_op(read, lambda: None, 1, 2000))
    print(json.dumps(figures) if options.json else "\n".join(f"{key}: {value} ns" for key, value in figures.items()))


if __name__ == "__main__":
    main()
