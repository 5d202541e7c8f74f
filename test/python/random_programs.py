#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""NumPy as oracle: random programs, run by both, whose every read must agree.

    random_programs.py [--programs N] [--seed S] [--jobs N] [--ways N] [--only INDEX] [--statements N]

A program is text that both libraries run: ops, promotions, random numbers, slices, in-place writes, views, reads and cuts
at random places, statements that another thread runs, and reads there that go on meanwhile. What IEEE 754 decides must
agree to the bit; sums and functions like exp within bounds that are carried along, and nothing that jumps (comparisons,
casts to integers) is asked of such values. The same program must then give the same bits in other ways: known programs
again, eager, with any cut budget, with more barriers, on any number of threads, on another thread. A program that fails is
made as small as it can be and printed."""
import argparse
import os
import random
import re
import sys
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

import numpy as np
from numpy_adapter import NumpyFunctions
from program_maker import Maker, Program, execute, settle_scalars

import pliant

np._set_promotion_state("weak")  # NEP 50, the rules of NumPy 2
np.seterr(all="ignore")
warnings.simplefilter("ignore", RuntimeWarning)  # programs that are all different compile again and again

CUTS = {"ops": 1 << 14, "bytes": 1 << 28}
# Those that run the first one's programs, and those with programs of their own.
KNOWN = {"again": {}, "one thread": {"kernels": 1}, "two threads": {"kernels": 2}, "four threads": {"kernels": 4},
         "another thread": {"elsewhere": True}}
OTHER = {"eager": {"eager": True}, "cut at 1 op": {"ops": 1}, "cut at 2 ops": {"ops": 2}, "cut at 7 ops": {"ops": 7},
         "cut at 64 bytes": {"bytes": 64}, "more barriers": {"barriers": 0.4}}
ALL = {**KNOWN, **OTHER}


def ways_of(number, count):
    """So many ways of each, or all; each number has others."""
    known, other = list(KNOWN), list(OTHER)
    if count > len(OTHER):
        return list(ALL)
    return [names[(number + i) % len(names)] for names in (known, other) for i in range(min(count, len(names)))]


class Threads:
    """The threads that programs speak of. They live as long as the process, with what they have recorded."""

    def __init__(self):
        self.threads = [ThreadPoolExecutor(1) for _ in range(3)]

    def begin(self, number, call, *arguments):
        return self.threads[number].submit(call, *arguments)

    def run(self, number, call, *arguments):
        return self.begin(number, call, *arguments).result()

    def set_eager(self, eager):
        pliant.set_eager(eager)
        for number in range(len(self.threads)):
            self.run(number, pliant.set_eager, eager)


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


class Reads:
    """Values in the order in which they were asked for, though some come meanwhile."""

    def __init__(self):
        self.values, self.waiting = [], []

    def now(self, x, bound=0.0):
        self.values.append(x.numpy())

    def meanwhile(self, threads, number, x):
        place = len(self.values)
        self.values.append(None)

        def work():
            self.values[place] = x.numpy()
        self.waiting.append(threads.begin(number, work))

    def join(self):
        while self.waiting:
            self.waiting.pop().result()


def run_statements(program, refused, barriers, threads):
    """The values of all reads. Raises what goes wrong."""
    reads = Reads()
    chance = random.Random(7)
    scope = {"xp": pliant, "np": np, "leaf": lambda i: pliant.tensor(program.leaves[i]), "read": reads.now,
             "barrier": pliant.barrier}
    try:
        for number, statement in enumerate(program.statements):
            if chance.random() < barriers:
                pliant.barrier()
            if re.match(r"\w+(\[| [-+*/]=)", statement):
                reads.join()  # nobody reads what another one changes
            place = re.search(r"# on thread (\d)(, meanwhile)?$", statement)
            if place and place[2]:
                reads.meanwhile(threads, int(place[1]), scope[re.match(r"read\((\w+)", statement)[1]])
                continue
            run = execute if not place else lambda *given, on=int(place[1]): threads.run(on, execute, *given)
            if run(statement, scope) != refused[number]:
                raise AssertionError(f"statement {number + 1}, {statement}: "
                                     + ("is not refused" if refused[number] else "is refused"))
    finally:
        reads.join()
    return reads.values


def run_pliant(program, refused, threads, eager=False, ops=CUTS["ops"], bytes=CUTS["bytes"], elsewhere=False, barriers=0.0,
               kernels=None):
    """The values of all reads, in a way of `ALL`."""
    threads.set_eager(eager)
    pliant.set_cut_budget(ops, bytes)
    usual = threads_of_kernels()
    pliant.set_threads(kernels or usual, 0 if kernels else 20000)  # 0: also the smallest is split
    try:
        work = [run_statements, program, refused, barriers, threads]
        return threads.run(2, *work) if elsewhere else work[0](*work[1:])
    finally:
        threads.set_eager(False)
        pliant.set_cut_budget(*CUTS.values())
        pliant.set_threads(usual)


def threads_of_kernels():
    return len(os.sched_getaffinity(0))


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


def fault(program, ways, threads):
    """What is wrong, as one line, or None."""
    oracle = run_numpy(program)
    if oracle is None:
        return None
    wanted, refused = oracle
    way = "lazy"
    try:
        first = run_pliant(program, refused, threads)
        for i, (got, (want, bound)) in enumerate(zip(first, wanted)):
            if found := differs(got, want, bound):
                return f"read {i + 1} is {found}"
        for way in ways:
            for i, (got, want) in enumerate(zip(run_pliant(program, refused, threads, **ALL[way]), first)):
                if got.tobytes() != want.tobytes():
                    return f"read {i + 1} has other bits in the way '{way}': {differs(got, want, 0.0)}"
    except Exception as error:
        return f"{type(error).__name__} in the way '{way}': {error}".split("\n  at:")[0]
    return None


def kind_of(found):
    """Faults of one kind, so that shrinking keeps to it."""
    return found.split(":")[0].split(" is ")[-1].split(" at ")[0].split(" has ")[-1][:40] if found else None


def shrunk(program, found, ways, threads):
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
                now = fault(smaller, ways, threads) if smaller.statements else None
                if now and kind_of(now) == kind_of(found):
                    program, found, changed = smaller, now, True
                i = begin
            size //= 2
    return program, found


def made(options, number):
    """Every tenth program has arrays that kernels share among threads of themselves."""
    return Maker(random.Random(options.seed * 1_000_003 + number), options.statements, large=number % 10 == 9).program()


running = None  # for each job the program that it runs, kept where the others see it


def share_memory(memory):
    global running
    running = memory


def check(options, numbers, job=0):
    """Counts of programs, reads, faults and compiles."""
    counts, threads = np.zeros(4, int), Threads()
    for number in numbers:
        if running:
            running[job] = number
        try:
            program = made(options, number)
        except Exception:
            traceback.print_exc()
            print(f"drawing program {number} failed", flush=True)
            counts[2] += 1
            break
        counts[:2] += 1, sum(statement.startswith("read") for statement in program.statements)
        ways = ways_of(number, options.ways)
        if found := fault(program, ways, threads):
            counts[2] += 1
            program, found = shrunk(program, found, ways, threads)
            print(f"--- program {number} of seed {options.seed}: {found}\n{program.text()}\n", flush=True)
            if not options.keep_going:
                break
    counts[3] = pliant.counters()["compiles"]
    return counts


def main():
    parser = argparse.ArgumentParser(description="Random programs with NumPy as oracle.")
    parser.add_argument("--programs", type=int, default=500 if os.environ.get("CI") else 200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=threads_of_kernels(), help="processes that share the programs")
    parser.add_argument("--ways", type=int, default=1,
                        help="how many of the other ways that need compiles, and of those that do not, each program is run in")
    parser.add_argument("--only", type=int, help="this program alone, in all ways")
    parser.add_argument("--statements", type=int, default=14)
    parser.add_argument("--keep-going", action="store_true", help="count faults instead of ending at the first")
    options = parser.parse_args()
    if options.only is not None:
        options.ways = len(ALL)
        counts = check(options, [options.only])
    else:
        jobs = max(1, min(options.jobs, options.programs))
        context = get_context("spawn")
        memory = context.Array("q", [-1] * jobs)
        with ProcessPoolExecutor(jobs, context, share_memory, (memory,)) as pool:
            parts = [pool.submit(check, options, range(job, options.programs, jobs), job) for job in range(jobs)]
            try:
                counts = sum(part.result() for part in parts)
            except BrokenProcessPool:
                print(f"a process has ended in one of the programs {list(memory)} of seed {options.seed}")
                return 1
    print("{} programs, {} reads, {} faults, {} programs compiled".format(*counts))
    return 1 if counts[2] else 0


if __name__ == "__main__":
    sys.exit(main())
