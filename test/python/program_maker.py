# SPDX-License-Identifier: Apache-2.0
"""Draws programs for random_programs.py: statements as text, chosen while NumPy runs them, so that both libraries mean the
same by each; with a bound for the error of every value that is not exact."""
import numpy as np
from numpy_adapter import NumpyFunctions, boring, refuse_misfit

REFUSALS = (ValueError, TypeError, IndexError, OverflowError)
EPSILON = {"float16": 2**-10, "float32": 2**-23, "float64": 2**-52}
TYPES = ["float32"] * 6 + ["float64"] * 2 + ["int64"] * 2 + ["int32"] * 2 + ["bool"] * 2 + \
    ["float16", "int16", "int8", "uint8", "uint16", "uint32", "uint64"]


class Program:
    """Statements, and the arrays that they begin with."""

    def __init__(self, statements, leaves):
        self.statements, self.leaves = statements, leaves

    def text(self):
        lines = ["import numpy as np, pliant as xp  # or NumPy as xp"]
        used = "\n".join(self.statements)
        for i, leaf in enumerate(self.leaves):
            if f"leaf({i})" in used:
                lines.append(f"# leaf({i}): np.array({leaf.tolist()}, np.{leaf.dtype.name}).reshape({leaf.shape})"
                             if leaf.size < 200 else f"# leaf({i}): of {leaf.dtype.name} {leaf.shape}")
        return "\n".join(lines + self.statements)


def execute(statement, scope):
    """Runs a statement; whether it was refused. Everything else that is raised goes on."""
    try:
        if scope["xp"] is NumpyFunctions:
            refuse_misfit(statement, scope)
        exec(statement, scope)  # noqa: S102: our own text
        return False
    except REFUSALS:
        if statement.startswith("read"):
            raise
        return True


def settle_scalars(scope, statement):
    """NumPy makes scalars of arrays without axes; tensors stay tensors."""
    name = statement.split(" = ")[0]
    if isinstance(scope.get(name), np.generic):
        scope[name] = np.asarray(scope[name])


class Maker:
    """Draws a program, running it with NumPy meanwhile."""

    def __init__(self, chance, length, large=False):
        self.chance, self.length, self.large = chance, length, large
        self.threads = chance.random() < 0.4  # whether other threads take part
        self.statements, self.leaves = [], []
        self.groups, self.errors, self.count = {}, {}, 0  # variable -> what it shares elements with -> bound of its error
        self.generators = []
        self.scope = {"xp": NumpyFunctions, "np": np, "leaf": lambda i: self.leaves[i].copy(),
                      "read": lambda *_: None, "barrier": lambda: None}

    def program(self):
        for _ in range(self.chance.randint(1, 3)):
            self.leaf()
        while len(self.statements) < self.length:
            self.step()
        for name in self.names():
            self.read(name)
        return Program(self.statements, self.leaves)

    # -- what there is

    def names(self):
        return list(self.groups)

    def value(self, name):
        return self.scope[name]

    def error(self, name):
        return self.errors[self.groups[name]]

    def some(self, test=lambda value, error: True):
        found = [name for name in self.names() if test(self.value(name), self.error(name))]
        return self.chance.choice(found) if found else None

    def exact(self, test=lambda value: True):
        return self.some(lambda value, error: not error and test(value))

    # -- statements

    def new(self, expression, error=0.0, of=None):
        """A variable; `of` is what it is a view of."""
        self.count += 1
        name = f"v{self.count}"
        statement = f"{name} = {expression}"
        if not self.add(statement):
            return None
        value = self.value(name)
        if value.size > (100_000 if self.large else 3000) or value.ndim > 5:
            self.statements.pop()
            del self.scope[name]
            return None
        self.groups[name] = self.groups[of] if of else self.count
        if not of:
            self.errors[self.count] = error if value.dtype.kind == "f" else 0.0
        self.settle(name)
        return name

    def add(self, statement):
        """Runs and keeps it; False when NumPy refuses it (it is kept all the same: so must we)."""
        refused = execute(statement, self.scope)
        self.append(statement)
        settle_scalars(self.scope, statement)
        if refused and self.chance.random() < 0.8:
            self.statements.pop()
        return not refused

    def append(self, statement):
        """Some are another thread's; what it reads it may read while this one goes on."""
        if self.threads and self.chance.random() < 0.3:
            statement += f"  # on thread {self.chance.randint(0, 1)}"
            if statement.startswith("read") and self.chance.random() < 0.6:
                statement += ", meanwhile"
        self.statements.append(statement)

    def settle(self, name):
        """Values that are too inexact, or inexact and not finite, begin anew as NumPy has them."""
        value, error = self.value(name), self.error(name)
        if not error:
            return
        finite = np.all(np.isfinite(value)) and np.isfinite(error)
        if not finite or error > 1e-3 * (1 + float(np.max(np.abs(value), initial=0))):
            self.read(name) if finite else None
            group = self.groups[name]
            for each in [each for each in self.names() if self.groups[each] == group]:
                self.forget(each)

    def forget(self, name):
        self.statements.append(f"del {name}")
        del self.scope[name], self.groups[name]

    def read(self, name):
        bound = self.error(name)
        if self.value(name).dtype.kind == "f" and bound:
            self.append(f"read({name}, {2 * bound + 1e-300:.3g})")
        else:
            self.append(f"read({name})")

    def shape(self):
        rank = self.chance.choice([1, 2, 2, 3] if self.large else [0, 1, 1, 2, 2, 2, 3, 3, 4])
        extents = [1, 3, 17, 64, 257, 1031] if self.large else [0, 1, 1, 2, 3, 3, 4, 5, 7, 17]
        shape = tuple(self.chance.choice(extents) for _ in range(rank))
        while np.prod(shape, dtype=int) > (40_000 if self.large else 1500):
            shape = shape[1:]
        return shape

    def leaf(self):
        shape = self.shape()
        kind = self.chance.choice(TYPES)
        noise = np.random.RandomState(self.chance.randint(0, 2**31 - 1))
        if kind == "bool":
            array = noise.rand(*shape) < 0.5
        elif kind.startswith("float"):
            array = np.array(noise.randn(*shape) if self.chance.random() < 0.6 else noise.randint(-4, 5, shape), float)
            if self.chance.random() < 0.1 and array.size:
                array.reshape(-1)[noise.randint(array.size)] = self.chance.choice([np.nan, np.inf, -np.inf, -0.0])
        else:
            array = noise.randint(0 if kind[0] == "u" else -9, 10, shape)
        self.leaves.append(np.asarray(array).astype(kind))
        self.new(f"leaf({len(self.leaves) - 1})")

    def number(self):
        return self.chance.choice(["2", "3", "-1", "0.5", "2.5", "True", "0", "1", "-0.25", "7"])

    def operand(self):
        return self.number() if self.chance.random() < 0.3 else self.some()

    def magnitude(self, text):
        value = self.value(text) if text in self.groups else eval(text)  # noqa: S307
        return float(np.max(np.abs(np.asarray(value, np.float64)), initial=0))

    def bound(self, text):
        return self.error(text) if text in self.groups else 0.0

    def rounding(self, *texts):
        """The unit of the widest rounding that an op on these does."""
        kinds = [self.value(text).dtype.name for text in texts if text in self.groups]
        return max([EPSILON[kind] for kind in kinds if kind in EPSILON] + [2**-52])

    def step(self):
        steps = [(self.binary, 8), (self.unary, 5), (self.index, 5), (self.write, 5), (self.in_place, 4), (self.fold, 4),
                 (self.view, 4), (self.rearrange, 4), (self.cast, 2), (self.select, 2), (self.contract, 1), (self.look, 3),
                 (self.cut, 2), (self.leaf, 1), (self.drop, 1), (self.scan, 1), (self.draw, 3)]
        names, weights = zip(*steps)
        before = len(self.statements)
        self.chance.choices(names, weights)[0]()
        if not self.groups:
            self.leaf()
        return len(self.statements) > before

    def binary(self):
        op = self.chance.choice(["+", "-", "*", "+", "*", "/", "<", ">=", "==", "!=", "//", "%", "&", "|", "^", "maximum",
                                 "minimum", "<<", ">>", "**"])
        a, b = (self.operand(), self.operand()) if op not in ("//", "%", "<", ">=", "==", "!=", "&", "|", "^", "<<", ">>", "**") \
            else (self.exact(), self.exact() if self.chance.random() < 0.7 else self.number())
        if not a or not b or (a not in self.groups and b not in self.groups):
            return
        if op not in ("&", "|", "^", "<", ">=", "==", "!=", "<<", ">>") and self.chance.random() < 0.3:
            a, b = b, a
        expression = self.arithmetic(op, a, b)
        if expression:
            self.new(*expression)

    def arithmetic(self, op, a, b):
        """The expression with its error, if its values are such that both libraries mean the same."""
        x = self.value(a) if a in self.groups else eval(a)  # noqa: S307
        y = self.value(b) if b in self.groups else eval(b)  # noqa: S307
        ea, eb = self.bound(a), self.bound(b)
        inexact = ea or eb
        unit = self.rounding(a, b)
        kind = np.result_type(np.asarray(x).dtype if a in self.groups else x, np.asarray(y).dtype if b in self.groups else y).kind
        if op in ("==", "!=") and (not broadcastable(np.shape(x), np.shape(y)) or b.startswith("-") or a.startswith("-")):
            return None  # NumPy 1 gives False, also for unsigned integers and numbers below 0
        if op in ("maximum", "minimum"):
            # Which of 0 and -0 is larger is open: adding 0 makes both 0.
            return f"xp.{op}({a}, {b})" + (" + 0" if kind == "f" else ""), max(ea, eb)
        if op in "//%" and op != "/":
            if kind != "f" and (np.any(np.asarray(y) == 0) or kind == "b"):
                return None
        if op == "/":
            least = float(np.min(np.abs(np.asarray(y, np.float64)), initial=np.inf))
            if inexact and least < 0.1:
                return None
            error = inexact and (ea + eb * self.magnitude(a) / least) / (least - eb) + unit * self.magnitude(a) / least
            return f"{a} / {b}", error
        if op in ("<<", ">>"):
            if kind not in "iu" or np.any(np.asarray(y) < 0) or np.any(np.asarray(y) > 7):
                return None
        if op == "**":
            y = np.asarray(y)
            if y.dtype.kind == "f" or kind == "f":
                if y.ndim or kind == "b" or float(y) not in (2.0, 0.5, 3.0) or (float(y) == 0.5 and not np.all(np.asarray(x) >= 0)):
                    return None
                return f"{a} ** {b}", 8 * unit * (1 + self.magnitude(a) ** float(y))
            if np.any(y < 0) or np.any(y > 6) or kind == "b":
                return None
            if np.asarray(x).dtype.kind == "b" and y.ndim == 0 and y == 2:
                return None  # NumPy takes its square, an int8; every other power of bools is an int64
        error = 0.0
        if inexact:
            result = self.magnitude(a) * self.magnitude(b) if op == "*" else self.magnitude(a) + self.magnitude(b)
            error = unit * result + (ea * (self.magnitude(b) + eb) + eb * self.magnitude(a) if op == "*" else ea + eb)
        return f"{a} {op} {b}", error

    def unary(self):
        op = self.chance.choice(["-{}", "abs({})", "~{}", "xp.sqrt({})", "xp.exp({})", "xp.tanh({})", "xp.floor({})",
                                 "xp.sin({})", "xp.log({})", "xp.sign({})", "xp.square({})", "xp.is_nan({})", "xp.ceil({})",
                                 "xp.cos({})", "xp.relu({})"])
        jumps = op in ("~{}", "xp.floor({})", "xp.sign({})", "xp.is_nan({})", "xp.ceil({})", "xp.sqrt({})", "xp.log({})")
        smooth = op in ("xp.exp({})", "xp.tanh({})", "xp.sin({})", "xp.log({})", "xp.cos({})")
        name = self.exact() if jumps else self.some()
        if not name or not boring(self.value(name), op):
            return
        largest, unit = self.magnitude(name), self.rounding(name)
        if smooth and (largest > 20 or not np.all(np.isfinite(self.value(name)))):
            return
        kind = self.value(name).dtype
        if kind.kind in "iub" and smooth or op == "xp.sqrt({})":  # computed in the float type that takes them
            unit = {1: 2**-10, 2: 2**-23}.get(kind.itemsize, 2**-52) if kind.kind != "f" else unit
        error = self.error(name)
        if op == "xp.exp({})":
            error = np.exp(largest) * (error + 4 * unit)
        elif op == "xp.square({})":
            error = error and 2 * largest * error + unit * largest**2
        elif op == "xp.log({})":
            error = 8 * unit * (1 + abs(np.log(max(largest, 1e-30)))) + 100 * unit
        elif smooth:
            error = error + 4 * unit
        self.new(op.format(name), error)

    def key(self, value, write):
        """An index expression for a value."""
        parts, axis, arrays = [], 0, 0
        while axis < value.ndim:
            extent = value.shape[axis]
            what = self.chance.random()
            if what < 0.2 and extent:
                parts.append(str(self.chance.randint(-extent, extent - 1)))
            elif what < 0.55:
                ends = [self.chance.choice(["", str(self.chance.randint(-extent - 1, extent + 1))]) for _ in range(2)]
                step = self.chance.choice(["", "", "", ":2", ":-1", ":-2", ":1"])
                parts.append(f"{ends[0]}:{ends[1]}{step}")
            elif what < 0.65 and extent and arrays < 2:
                many = self.chance.randint(0, 3)
                chosen = [self.chance.randint(-extent, extent - 1) for _ in range(3 if arrays else many or 3)]
                if write:  # of equal places the last stays, which NumPy leaves open
                    chosen = sorted({index % extent for index in chosen})
                    if arrays:
                        break
                parts.append(str(chosen))
                arrays += 1
            elif what < 0.7 and not arrays and extent < 100:
                mask = [self.chance.random() < 0.5 for _ in range(extent)]
                parts.append(f"np.array({mask}, bool)")
                arrays += 1
            elif what < 0.8:
                parts.append("None")
                continue
            elif what < 0.87 and "..." not in parts:
                parts.append("...")
                axis = value.ndim
                continue
            else:
                parts.append(":")
            axis += 1
            if self.chance.random() < 0.15:
                break
        if "..." not in parts:
            parts.append("...")  # so that NumPy gives arrays, not scalars
        return ", ".join(parts), arrays > 0 or any("[" in part for part in parts)

    def index(self):
        name = self.some()
        key, copies = self.key(self.value(name), False)
        if self.chance.random() < 0.08:
            mask = self.exact(lambda value: value.dtype == bool and value.ndim and value.shape == self.value(name).shape[:value.ndim])
            if mask:
                key, copies = mask, True
        if copies:
            self.new(f"{name}[{key}]", self.error(name))
        else:
            self.new(f"{name}[{key}]", of=name)

    def write(self):
        name = self.some(lambda value, error: not broadcast(value))
        if not name:
            return
        target = self.value(name)
        key, _ = self.key(target, True)
        if self.chance.random() < 0.1:
            mask = self.exact(lambda value: value.dtype == bool and value.ndim and value.shape == target.shape[:value.ndim])
            key = mask or key
        try:
            picked = eval(f"{name}[{key}]", self.scope)  # noqa: S307
        except REFUSALS:
            return
        value = self.operand()
        given = self.value(value) if value in self.groups else eval(value)  # noqa: S307
        if not castable(np.asarray(given), target.dtype) or (self.bound(value) and target.dtype.kind != "f"):
            return
        if value in self.groups:
            if np.asarray(given).shape != np.shape(picked) and self.chance.random() < 0.5:
                return
            error = max(self.error(name), self.bound(value) + (self.bound(value) and self.rounding(name) * self.magnitude(value)))
        else:
            error = self.error(name)
        if self.chance.random() < 0.3 and target.dtype.kind == "f" and np.isfinite(self.magnitude(value)):
            if not self.add(f"{name}[{key}] += {value}"):
                return
            error = self.error(name) + self.bound(value)
            error = error and error + self.rounding(name, value) * (self.magnitude(name) + self.magnitude(value))
        elif not self.add(f"{name}[{key}] = {value}"):
            return
        self.errors[self.groups[name]] = error if target.dtype.kind == "f" else 0.0
        self.settle(name)

    def in_place(self):
        name = self.some(lambda value, error: not broadcast(value))
        value = self.operand()
        if not name or not value:
            return
        op = self.chance.choice(["+", "-", "*", "+", "/"])
        if self.value(name).dtype.kind != "f" and self.bound(value):
            return
        expression = self.arithmetic(op, name, value)
        if expression and self.add(f"{name} {op}= {value}"):
            error = expression[1]
            if error:
                error += self.rounding(name) * self.magnitude(name)
            self.errors[self.groups[name]] = error if self.value(name).dtype.kind == "f" else 0.0
            self.settle(name)

    def fold(self):
        op = self.chance.choice(["sum", "sum", "mean", "amax", "amin", "prod", "any", "all", "max", "var", "argmax", "argmin"])
        name = self.exact() if op in ("any", "all", "prod", "var", "argmax", "argmin") else self.some()
        if not name:
            return
        value = self.value(name)
        if op == "prod" and value.dtype.kind == "f" and not np.all(np.abs(value) < 3):
            return
        if op in ("sum", "mean", "var") and value.dtype.kind == "f" and not np.all(np.isfinite(value)):
            return
        axes = tuple(axis for axis in range(value.ndim) if self.chance.random() < 0.5)
        if not axes:
            axes = tuple(range(value.ndim))
        if value.size == 0 and op in ("mean", "var"):
            return
        count = max(1, int(np.prod([value.shape[axis] for axis in axes], dtype=int)))
        largest, unit = self.magnitude(name), self.rounding(name)
        error = self.error(name)
        if op in ("sum", "mean", "var"):
            error = (error + 2 * count**0.5 * unit * largest) * (count if op == "sum" else 1)
            if op == "var":
                error = 8 * unit * (1 + largest**2) * (2 + count**0.5)
        elif op == "prod":
            error = 2 * count * unit * min(1e9, max(1.0, largest)) ** min(count, 30)
            if value.dtype.kind == "f" and error > 1:
                return
        if value.dtype.kind not in "f":
            error = 0.0 if op not in ("mean", "var") else 1e-13 * (1 + largest**2) * count
        if value.dtype == np.float16 and op in ("sum", "mean", "var", "prod"):
            error = error + 2**-9 * (largest + 1) ** (2 if op == "var" else 1) * count  # NumPy sums in f16 here and there
        zero = " + 0" if op in ("amax", "amin", "max") and value.dtype.kind == "f" else ""  # of 0 and -0 either
        self.new(f"xp.{op}({name}, {axes}, {self.chance.choice(['True', 'False'])}){zero}", error)

    def scan(self):
        name = self.exact(lambda value: value.dtype.kind in "iuf" and value.ndim and np.all(np.isfinite(value)))
        if name:
            axis = self.chance.randrange(self.value(name).ndim)
            value = self.value(name)
            error = 2 * value.shape[axis] ** 1.5 * self.rounding(name) * self.magnitude(name) if value.dtype.kind == "f" else 0.0
            self.new(f"xp.cumsum({name}, {axis})", error)

    def view(self):
        name = self.some()
        value = self.value(name)
        what = self.chance.choice(["T", "transpose", "reshape", "reshape", "broadcast"])
        if what == "T":
            self.new(f"{name}.T", of=name)
        elif what == "transpose" and value.ndim:
            order = list(range(value.ndim))
            self.chance.shuffle(order)
            self.new(f"{name}.transpose({tuple(order)})", of=name)
        elif what == "reshape":
            shape = self.reshaped(value.size)
            shares = np.shares_memory(value.reshape(shape), value) or value.size == 0
            # NumPy copies where strides need it; ours is a view all the same.
            if shares:
                self.new(f"{name}.reshape({shape})", of=name)
            else:
                self.new(f"xp.reshape({name}, {shape})", self.error(name))
        elif what == "broadcast":
            shape = (self.chance.choice([1, 2, 3]),) * self.chance.randint(0, 1) + value.shape
            self.new(f"xp.broadcast_to({name}, {shape})", self.error(name))

    def reshaped(self, size):
        if not size:
            return self.chance.choice([(0,), (0, 3), (2, 0)])
        shape, rest = [], size
        while rest > 1 and len(shape) < 4:
            divisors = [n for n in range(1, rest + 1) if rest % n == 0]
            shape.append(self.chance.choice(divisors))
            rest //= shape[-1]
        shape.append(rest)
        if self.chance.random() < 0.3:
            shape[self.chance.randrange(len(shape))] = -1
        return tuple(shape)

    def rearrange(self):
        name = self.some(lambda value, error: value.ndim > 0)
        if not name:
            return
        value = self.value(name)
        axis = self.chance.randrange(value.ndim)
        what = self.chance.choice(["concat", "stack", "roll", "flip", "expand_dims", "squeeze", "transpose", "take", "split"])
        error = self.error(name)
        if what in ("concat", "stack"):
            other = self.some(lambda each, _: each.ndim == value.ndim and all(
                each.shape[i] == value.shape[i] or (what == "concat" and i == axis) for i in range(value.ndim)))
            self.new(f"xp.{what}([{name}, {other}], {axis})", max(error, self.error(other)))
        elif what == "roll":
            self.new(f"xp.roll({name}, {self.chance.randint(-5, 9)}, {axis})", error)
        elif what == "flip":
            self.new(f"xp.flip({name}, ({axis},))", error)
        elif what == "expand_dims":
            self.new(f"xp.expand_dims({name}, {axis - value.ndim - 1})", error)
        elif what == "squeeze":
            self.new(f"xp.squeeze({name})", error)
        elif what == "transpose":
            self.new(f"xp.transpose({name})", error)
        elif what == "take" and value.shape[axis]:
            chosen = [self.chance.randint(-value.shape[axis], value.shape[axis] - 1) for _ in range(self.chance.randint(1, 4))]
            self.new(f"xp.gather({name}, np.array({chosen}), {axis})", error)
        elif what == "split":
            cuts = sorted(self.chance.randint(0, value.shape[axis]) for _ in range(2))
            self.new(f"xp.split({name}, {cuts}, {axis})[{self.chance.randint(0, 2)}]", error)

    def cast(self):
        kind = self.chance.choice(TYPES)
        name = self.some(lambda value, error: castable(value, np.dtype(kind)) and (not error or kind.startswith("float")))
        if name:
            error = self.error(name)
            if error and kind in EPSILON:
                error += EPSILON[kind] * self.magnitude(name)
            self.new(f"{name}.astype('{kind}')", error)

    def select(self):
        condition = self.exact(lambda value: value.dtype == bool)
        a, b = self.operand(), self.operand()
        if condition and a and b and (a in self.groups or b in self.groups):
            self.new(f"xp.where({condition}, {a}, {b})", max(self.bound(a), self.bound(b)))

    def contract(self):
        a = self.some(lambda value, error: value.ndim and value.dtype.kind == "f" and value.dtype != np.float16
                      and np.all(np.isfinite(value)))
        b = a and self.some(lambda value, error: value.ndim and value.dtype.kind == "f" and value.dtype != np.float16
                            and np.all(np.isfinite(value)) and value.shape[max(0, value.ndim - 2)] == self.value(a).shape[-1])
        if not b:
            return
        inner = self.value(a).shape[-1]
        x, y = self.magnitude(a), self.magnitude(b)
        error = inner * (2 * self.rounding(a, b) * x * y * (1 + inner**0.5) + self.error(a) * (y + self.error(b)) + self.error(b) * x)
        self.new(f"{a} @ {b}", max(error, 1e-300))

    def draw(self):
        """Random numbers."""
        if not self.generators or self.chance.random() < 0.2:
            origin = self.chance.choice(self.generators) if self.generators else None
            new = f"g{len(self.generators) + 1}"
            self.add(f"{new} = {origin}.fork()" if origin else f"{new} = xp.Generator({self.chance.choice([0, 7, 2**40 + 3, 2**64 - 1])})")
            self.generators.append(new)
        name, shape = self.chance.choice(self.generators), self.shape()
        what = self.chance.choice(["uniform", "uniform", "normal", "integers", "bernoulli", "permutation", "seek"])
        kind = self.chance.choice(["float32", "float32", "float64", "float16"])
        if what == "uniform":
            self.new(f"{name}.uniform({shape}, '{kind}')")
        elif what == "normal":  # of 5.8 at most in float32, and 8.6
            self.new(f"{name}.normal({shape}, '{kind}')", EPSILON[kind] * 64)
        elif what == "integers":
            low, high = self.chance.choice([(0, 10), (-5, 5), (0, 1), (-2**63, 2**63 - 1), (3, 2**40)])
            self.new(f"{name}.integers({shape}, {low}, {high})")
        elif what == "bernoulli":
            self.new(f"{name}.bernoulli({shape}, {self.chance.choice([0, 0.25, 0.5, 1])})")
        elif what == "permutation":
            self.new(f"{name}.permutation({max(shape, default=1)})")
        else:
            self.add(f"{name}.seek({self.chance.choice([0, 3, 2**32 - 2, 2**40])})")

    def look(self):
        self.read(self.some())

    def cut(self):
        self.statements.append("barrier()")

    def drop(self):
        if len(self.groups) > 2:
            self.forget(self.some())


def broadcast(value):
    return any(stride == 0 and extent > 1 for stride, extent in zip(value.strides, value.shape))


def broadcastable(a, b):
    return all(m == n or 1 in (m, n) for m, n in zip(a[::-1], b[::-1]))


def castable(value, kind):
    """Whether NumPy's cast is defined: floats in the range of integers."""
    if kind.kind in "fb" or value.dtype.kind != "f":
        return True
    limits = np.iinfo(kind)
    return bool(np.all(np.isfinite(value)) and np.all(value > max(limits.min, -2**62) - 1) and np.all(value < min(limits.max, 2**62)))
