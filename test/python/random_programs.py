#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""NumPy as oracle: random programs, run by both, whose every read must agree.

    random_programs.py [--programs N] [--seed S] [--only INDEX] [--statements N]

A program is text that both libraries run: ops, promotions, slices, in-place writes, views, reads and cuts at random
places. What IEEE 754 decides must agree to the bit; sums and functions like exp within bounds that are carried along, and
nothing that jumps (comparisons, casts to integers) is asked of such values. The same program must then give the same
bits when it is run again (known programs), op by op, with other cuts, and on another thread. A program that fails is
made as small as it can be and printed."""
import argparse
import os
import random
import sys
import threading
import traceback
import warnings

import numpy as np
from numpy_adapter import NumpyFunctions
from program_maker import Maker, Program, execute, settle_scalars

import pliant

np._set_promotion_state("weak")  # NEP 50, the rules of NumPy 2
np.seterr(all="ignore")
warnings.simplefilter("ignore", RuntimeWarning)  # programs that are all different compile again and again


def run_numpy(program):
    """The values of all reads, and which statements are refused; None when the program is no longer one."""
    reads, refused = [], []
    scope = {"xp": NumpyFunctions, "np": np, "leaf": lambda i: program.leaves[i].copy(),
             "read": lambda x, bound=0.0: reads.append((np.array(x), bound)), "barrier": lambda: None}
    for statement in program.statements:
        try:
            refused.append(execute(statement, scope))
        except Exception:  # a name is gone: what was taken away is needed
            return None
        settle_scalars(scope, statement)
    return reads, refused


def run_pliant(program, refused, mode, seed):
    """The values of all reads. Raises what goes wrong."""
    reads = []
    chance = random.Random(seed)
    scope = {"xp": pliant, "np": np, "leaf": lambda i: pliant.tensor(program.leaves[i]),
             "read": lambda x, bound=0.0: reads.append(x.numpy()), "barrier": pliant.barrier}
    for number, statement in enumerate(program.statements):
        if mode == "cuts" and chance.random() < 0.4:
            pliant.barrier()
        if execute(statement, scope) != refused[number]:
            raise AssertionError(f"statement {number + 1}, {statement}: "
                                 + ("is not refused" if refused[number] else "is refused"))
        if mode == "eager":
            pliant.eval([each for each in scope.values() if isinstance(each, pliant.Tensor)])
    return reads


def run_on_thread(program, refused):
    out = []

    def work():
        try:
            out.append(run_pliant(program, refused, "lazy", 0))
        except BaseException as error:
            out.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if isinstance(out[0], BaseException):
        raise out[0]
    return out[0]


def differs(got, want, bound):
    """What is wrong with a value, or None."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype} {got.shape}, not {want.dtype} {want.shape}"
    if want.dtype.kind != "f" or not bound:
        equal = (got == want) | ((got != got) & (want != want))
        if want.dtype.kind == "f" and np.all(equal):
            equal = (np.signbit(got) == np.signbit(want)) | (want != want)
    else:
        with np.errstate(invalid="ignore"):
            far = np.abs(got.astype(np.float64) - want.astype(np.float64))
        equal = (far <= bound) | (got == want) | ((got != got) & (want != want))
    if np.all(equal):
        return None
    at = tuple(int(i) for i in np.argwhere(~np.atleast_1d(equal))[0]) if np.ndim(want) else ()
    return f"at {at}: {got[at]!r}, not {want[at]!r} (bound {bound:.3g})"


def fault(program, modes=("again", "eager", "cuts", "thread")):
    """What is wrong, as one line, or None."""
    oracle = run_numpy(program)
    if oracle is None:
        return None
    wanted, refused = oracle
    try:
        first = run_pliant(program, refused, "lazy", 0)
        for i, (got, (want, bound)) in enumerate(zip(first, wanted)):
            if found := differs(got, want, bound):
                return f"read {i + 1} is {found}"
        for mode in modes:
            others = run_on_thread(program, refused) if mode == "thread" else run_pliant(program, refused, mode, 7)
            for i, (got, want) in enumerate(zip(others, first)):
                if got.tobytes() != want.tobytes():
                    return f"read {i + 1} has other bits when it is run as '{mode}'"
    except Exception as error:
        return f"{type(error).__name__}: {error}".split("\n  at:")[0]
    return None


def kind_of(found):
    """Faults of one kind, so that shrinking keeps to it."""
    return found.split(":")[0].split(" is ")[-1].split(" at ")[0][:40] if found else None


def shrunk(program, found):
    """The least program with a fault of the kind: statements are taken away as long as one can be."""
    changed = True
    while changed:
        changed = False
        size = max(1, len(program.statements) // 2)
        while size:
            i = len(program.statements)
            while i > 0:
                begin = max(0, i - size)
                smaller = Program(program.statements[:begin] + program.statements[i:], program.leaves)
                now = fault(smaller) if smaller.statements else None
                if now and kind_of(now) == kind_of(found):
                    program, found, changed = smaller, now, True
                i = begin
            size //= 2
    return program, found


def main():
    parser = argparse.ArgumentParser(description="Random programs with NumPy as oracle.")
    parser.add_argument("--programs", type=int, default=500 if "CI" in os.environ else 100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="this program alone")
    parser.add_argument("--statements", type=int, default=14)
    parser.add_argument("--keep-going", action="store_true", help="count faults instead of ending at the first")
    options = parser.parse_args()
    numbers = range(options.programs) if options.only is None else [options.only]
    faults, reads = 0, 0
    for number in numbers:
        chance = random.Random(options.seed * 1_000_003 + number)
        try:
            program = Maker(chance, options.statements).program()
        except Exception:
            traceback.print_exc()
            print(f"drawing program {number} failed")
            return 2
        reads += sum(statement.startswith("read") for statement in program.statements)
        # Another way of running each: they cost compiles of their own.
        found = fault(program, ("again", ("eager", "cuts", "thread")[number % 3]))
        if not found:
            continue
        faults += 1
        program, found = shrunk(program, found)
        print(f"--- program {number} of seed {options.seed}: {found}\n{program.text()}\n", flush=True)
        if not options.keep_going:
            break
    print(f"{len(numbers)} programs, {reads} reads, {faults} faults, {pliant.counters()['compiles']} programs compiled")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
