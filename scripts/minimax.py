#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Polynomials of src/codegen/math*.cpp: Remez exchange in 60 digits, then the coefficients rounded to the type from the
lowest power up, each time fitting the rest again. `minimax.py [name...]` prints them with the error left, in bits."""
import sys
from mpmath import mp, mpf, matrix, lu_solve, sqrt, exp, log, erf, sin, cos, tan, asin, atan, sinh, pi, ldexp, frexp

mp.dps = 60


def rounded(x, bits):
    if x == 0:
        return mpf(0)
    mantissa, exponent = frexp(x)
    return ldexp(mp.nint(ldexp(mantissa, bits)), exponent - bits)


def remez(f, w, lo, hi, powers):
    """Minimises max |(f(v) - sum c_p v^p) * w(v)|; w may vanish at an end."""
    n = len(powers)
    count = 24 * (n + 2)
    grid = [(lo + hi) / 2 - (hi - lo) / 2 * mp.cos(pi * (i + mpf(1) / 2) / count) for i in range(count)]
    fs, ws = [f(v) for v in grid], [abs(w(v)) for v in grid]
    pick = [(2 * i + 1) * count // (2 * (n + 1)) for i in range(n + 1)]
    c, worst = [], mpf(0)
    for _ in range(30):
        a, y = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for r, i in enumerate(pick):
            for k, p in enumerate(powers):
                a[r, k] = grid[i] ** p * ws[i]
            a[r, n] = (-1) ** r
            y[r] = fs[i] * ws[i]
        s = lu_solve(a, y)
        c = [s[k] for k in range(n)]
        err = [(fs[i] - sum(ck * grid[i] ** p for ck, p in zip(c, powers))) * ws[i] for i in range(count)]
        runs, worst = [], max(abs(x) for x in err)
        for i in range(count):
            if runs and (err[i] > 0) == (err[runs[-1]] > 0):
                if abs(err[i]) > abs(err[runs[-1]]):
                    runs[-1] = i
            else:
                runs.append(i)
        while len(runs) > n + 1:
            if len(runs) == n + 2:
                runs.pop(0 if abs(err[runs[0]]) < abs(err[runs[-1]]) else -1)
            else:
                weakest = min(range(len(runs)), key=lambda j: abs(err[runs[j]]))
                runs.pop(weakest)
                if 0 < weakest < len(runs) and (err[runs[weakest]] > 0) == (err[runs[weakest - 1]] > 0):
                    runs.pop(weakest if abs(err[runs[weakest]]) < abs(err[runs[weakest - 1]]) else weakest - 1)
        if len(runs) < n + 1 or worst < abs(s[n]) * mpf("1.001") or runs == pick:
            break
        pick = runs
    return c, worst


def fit(name, bits, f, w, lo, hi, degree, first=0):
    lo, hi = mpf(lo), mpf(hi)
    grid = [lo + (hi - lo) * (i + mpf(1) / 2) / 2000 for i in range(2000)]
    values = [(v, f(v), w(v)) for v in grid]

    def error(coefficients):
        return max(abs((y - sum(c * v ** p for p, c in coefficients.items())) * wv) for v, y, wv in values)

    powers, fixed = list(range(first, degree + 1)), {}
    best = {p: rounded(c, bits) for p, c in zip(powers, remez(f, w, lo, hi, powers)[0])}
    while powers and lo >= 0:  # without its low powers the basis is no Haar system around 0
        c, _ = remez(lambda v: f(v) - sum(c * v ** p for p, c in fixed.items()), w, lo, hi, powers)
        fixed[powers.pop(0)] = rounded(c[0], bits)
    if fixed and error(fixed) < error(best):
        best = fixed
    text = ", ".join(float(best[p]).hex().replace("0000000p", "p") for p in sorted(best))
    print(f"{name}: degree {degree}, 2^{float(log(error(best), 2)):.1f}\n  {{{text}}}", flush=True)


def odd(g):  # (g(x) - x) / x^3 over z = x^2, relative to g
    f = lambda z: (g(sqrt(z)) - sqrt(z)) / (z * sqrt(z))
    w = lambda z: z * sqrt(z) / g(sqrt(z))
    return f, w


half_ln2, root = log(2) / 2 + mpf("1e-4"), sqrt(mpf(2))
exp_q = (lambda r: (exp(r) - 1 - r) / r ** 2, lambda r: r ** 2 / exp(r), -half_ln2, half_ln2)
log_p = (lambda f: (mp.log1p(f) - f + f * f / 2) / f ** 3, lambda f: f ** 3 / mp.log1p(f), 1 / root - 1, root - 1)
# log(1+f) = f - (f^2/2 - s (f^2/2 + R(s^2))), s = f / (2 + f): the remainder of 2 atanh(s), as in fdlibm
log_r = (lambda z: 2 * (mp.atanh(sqrt(z)) - sqrt(z)) / sqrt(z), lambda z: 1 / mpf(2), mpf(0) + mpf("1e-30"), mpf("0.02944"))
cubic = (lambda z: (mp.atanh(sqrt(z)) / sqrt(z) - 1 - z / 3) / z ** 2, lambda z: z ** 2, mpf("1e-12"), mpf("0.02944"))
quarter = (pi / 4 + mpf("1e-3")) ** 2
tiny = mpf("1e-12")
cos_q = (lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2, lambda z: z ** 2 / cos(sqrt(z)), tiny, quarter)
erf_small = (lambda z: erf(sqrt(z)) / sqrt(z) - 1, lambda z: sqrt(z) / erf(sqrt(z)), tiny, 1)


def erf_root(lo, hi, centre):  # erf = 1 - p(t)^4, t = x - centre
    root = lambda t: mp.erfc(t + centre) ** mpf(0.25)
    return root, lambda t: 4 * root(t) ** 3 / erf(t + centre), mpf(lo) - centre, mpf(hi) - centre


# erf = 1 - exp(-q(t)), t = x - 3
erf_log = (lambda t: -log(mp.erfc(t + 3)), lambda t: mp.erfc(t + 3) / erf(t + 3), mpf(-2), mpf(3))

FITS = {
    "exp_f32": (24, *exp_q, 4), "exp_f64": (53, *exp_q, 9),
    "log_f32": (24, *log_p, 8), "log_f64": (53, *log_r, 7, 1),
    "log_mid": (53, *cubic, 4), "log_wide": (53, *cubic, 9),
    "erf_small_f32": (24, *erf_small, 6), "erf_large_f32": (24, *erf_root(1, "3.95", mpf("2.375")), 11),
    "erf_small_f64": (53, *erf_small, 12), "erf_large_f64": (53, *erf_log, 25),
    "sin_f32": (24, *odd(sin), tiny, quarter, 3), "sin_f64": (53, *odd(sin), tiny, quarter, 6),
    "cos_f32": (24, *cos_q, 3), "cos_f64": (53, *cos_q, 6),
    "tan_f32": (24, *odd(tan), tiny, quarter, 6), "tan_f64": (53, *odd(tan), tiny, quarter, 13),
    "asin_f32": (24, *odd(asin), tiny, "0.2501", 4), "asin_f64": (53, *odd(asin), tiny, "0.2501", 12),
    "atan_f32": (24, *odd(atan), tiny, 1, 8), "atan_f64": (53, *odd(atan), tiny, 1, 19),
    "tanh_f32": (24, *odd(mp.tanh), tiny, "0.3026", 4),
    "sinh_f32": (24, *odd(sinh), tiny, "1.001", 3), "sinh_f64": (53, *odd(sinh), tiny, "1.001", 7),
}
for name in sys.argv[1:] or FITS:
    fit(name, *FITS[name])
