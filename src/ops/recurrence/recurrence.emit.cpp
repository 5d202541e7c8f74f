// SPDX-License-Identifier: Apache-2.0
// Recurrences: at each step the product of the hidden states with r, packed once, by the generator of matrix products;
// then the gates, vectors of hidden units at a time. Rows of one direction go together, so that a panel of r serves all
// of them; the states live in the results. A sum runs over the units in order, whatever the rows: the bits of a row
// depend neither on the others nor on how units are shared among threads.
#include "ops/recurrence/recurrence.h"
#include "codegen/contraction/contraction.h"
#include "codegen/lines.h"
#include "codegen/math.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

using Cell = Recurrence::Cell;

constexpr int64_t mostRows = 84; ///< rows that go together: whole tiles of 14, 12, 6 and 4

Number apply(const CellActivation &f, Number x) {
  using Kind = CellActivation::Kind;
  switch (f.kind) {
  case Kind::Affine:
    return x * f.alpha + f.beta;
  case Kind::Relu:
    return greatestNan(x.constant(0), x);
  case Kind::LeakyRelu:
    return select(x >= 0.0, x, x * f.alpha);
  case Kind::ThresholdedRelu:
    return select(x > f.alpha, x, 0.0);
  case Kind::Tanh:
    return tanh(x);
  case Kind::ScaledTanh:
    return tanh(x * f.beta) * f.alpha;
  case Kind::Sigmoid:
    return sigmoid(x);
  case Kind::HardSigmoid: {
    Number line = x * f.alpha + f.beta;
    return greatestNan(leastNan(line, x.constant(1)), x.constant(0));
  }
  case Kind::Elu:
    return select(x > 0.0, x, (exp(x) - 1.0) * f.alpha);
  case Kind::Softsign:
    return x / (abs(x) + 1.0);
  case Kind::Softplus:
    return greatestNan(x.constant(0), x) + log(exp(-abs(x)) + 1.0);
  }
  return x;
}

class Steps {
public:
  Steps(KernelEmitter &k, const Recurrence &a)
      : k(k), a(a), type(k.node->type.dtype), gatesShape(k.operandTypes[0].shape),
        time(gatesShape[a.batchFirst ? 1 : 0]), batch(gatesShape[a.batchFirst ? 0 : 1]),
        units(k.node->type.shape.back()), width(units * a.gates()) {}

  Result<Expr> emit() {
    T = k.extent(time), B = k.extent(batch), H = k.extent(units);
    describeProducts();
    placeScratch();
    k.advance(k.begin, k.end, [&](Value unit) {
      Block block;
      block.direction = a.directions == 1 ? k.idx(0) : k.div(unit, B);
      block.first = a.directions == 1 ? unit : k.rem(unit, B);
      block.rows =
          batch.isConstant(1) ? k.idx(1) : k.min(k.min(k.sub(k.end, unit), k.sub(B, block.first)), k.idx(mostRows));
      run(block);
      return k.add(unit, block.rows);
    });
    PLIANT_CHECK(std::move(status));
    return batch * a.directions;
  }

private:
  /// Rows [first, first + rows) of one direction.
  struct Block {
    Value direction, first, rows;
  };
  /// One row at one step; pointers to its first unit.
  struct Row {
    Value direction;
    Value gates, sums, hidden, cell, masked, y;
  };
  KernelEmitter &k;
  const Recurrence &a;
  const DType type;
  const Extents &gatesShape;
  const Expr time, batch, units, width;
  GemmSpec spec;
  int64_t products = 1; ///< matrices of one direction in r: all gates together, or each by itself
  Expr packedSize;      ///< elements of one of them
  Value T, B, H;
  Value gemmScratch, sums, masked, weights;
  Status status = ok();

  // ---- memory

  void describeProducts() {
    spec.dtype = type;
    spec.target = contractionTarget(*k.target);
    spec.loopedEpilogue = false;
    if (a.cell == Cell::Gru && !a.resetAfter())
      products = 3; // the last one is multiplied with masked states
    const Expr columns = products == 1 ? width : units;
    spec.tile = chooseTile(type, spec.target, columns.constant().value_or(-1));
    packedSize = ceilDiv(columns, spec.tile.columns()) * spec.tile.columns() * units;
  }

  void placeScratch() {
    const auto bytes = static_cast<int64_t>(byteSize(type));
    auto take = [&](const Expr &size) {
      Value at = k.atByte(k.scratch, k.extent(k.scratchBytes));
      k.scratchBytes = k.scratchBytes + ceilDiv(size, 64) * 64;
      return at;
    };
    const Expr rows = min(batch, mostRows);
    gemmScratch = take(gemmScratchBytes<Expr>(spec.tile, type, spec.target, false, units));
    sums = take(rows * width * bytes);
    if (products > 1)
      masked = take(rows * units * bytes);
    const Expr columns = products == 1 ? width : units;
    const int64_t matrices = a.directions * products;
    auto depth = units.constant(), count = columns.constant();
    weights = k.inputs[1];
    if (k.weights[1] && depth && count) {
      PackSpec pack;
      pack.isConv = true; // groups of filters with one tap are a stack of matrices
      pack.conv = ConvWeights::conv(matrices, *depth, *count, 1);
      pack.panel = spec.tile.columns();
      k.packed.emplace_back(1, pack);
      return;
    }
    const Expr slack = spec.tile.lanes * spec.tile.columns(); // packing writes whole vectors of k
    weights = take((packedSize * matrices + slack) * bytes);
    k.loop(k.idx(0), k.idx(matrices), k.idx(1), [&](Value m) {
      emitPackTransposed(k.b, k.loc, spec, k.at(k.inputs[1], k.mul(m, k.extent(columns * units))), H, H,
                         k.extent(columns), k.at(weights, k.mul(m, k.extent(packedSize))));
    });
  }

  /// First unit of a state in (D, B, H) or (B, D, H).
  Value stateAt(Value direction, Value row) {
    Value at = a.batchFirst ? k.add(k.mul(row, k.idx(a.directions)), direction) : k.add(k.mul(direction, B), row);
    return k.mul(at, H);
  }
  Value stateStride() { return a.batchFirst ? k.mul(H, k.idx(a.directions)) : H; }
  Value placeOf(Value t, Value row) { return a.batchFirst ? k.add(k.mul(row, T), t) : k.add(k.mul(t, B), row); }
  Value outputAt(Value direction, Value t, Value row) {
    Value at = a.batchFirst ? k.add(k.mul(placeOf(t, row), k.idx(a.directions)), direction)
                            : k.add(k.mul(k.add(k.mul(t, k.idx(a.directions)), direction), B), row);
    return k.at(k.outputs[0], k.mul(at, H));
  }
  Number load(const PointEmitter &p, Value pointer, Value at) { return {p, loadElements(p, k, pointer, type, at)}; }
  void store(const PointEmitter &p, Value v, Value pointer, Value at) { storeElements(p, k, v, pointer, type, at); }
  void inUnits(llvm::function_ref<void(Value, const PointEmitter &)> body) {
    k.inVectors(k.idx(0), H, 1, [&](Value at, int, const PointEmitter &p) { body(at, p); });
  }
  void forRows(const Block &block, llvm::function_ref<void(Value, Value)> body) {
    k.loop(k.idx(0), block.rows, k.idx(1), [&](Value i) { body(i, k.add(block.first, i)); });
  }

  // ---- lengths

  /// The steps of a row: recorded as an error and clamped when outside of [0, T].
  Value lengthOf(Value row, bool check = false) {
    if (a.lengths < 0)
      return T;
    PointEmitter p = k.point();
    Value given = k.b.create<arith::IndexCastOp>(
        k.loc, k.b.getIndexType(), loadElements(p, k, k.inputs[static_cast<size_t>(a.lengths)], DType::I32, row));
    if (check)
      p.fault(RunErrorExtent, k.either(k.less(given, k.idx(0)), k.less(T, given)), given, T);
    return k.min(k.max(given, k.idx(0)), T);
  }
  Value longest(const Block &block) {
    if (a.lengths < 0)
      return T;
    return k.loop(k.idx(0), block.rows, k.idx(1), ValueRange(k.idx(0)), [&](Value i, ValueRange most) {
      return Values{k.max(most[0], lengthOf(k.add(block.first, i), true))};
    })[0];
  }
  /// The place of step `s` in a row of the given length.
  Value timeOf(const Block &block, Value s, Value length) {
    Value mirrored = k.sub(k.sub(length, k.idx(1)), s);
    if (a.directions == 1)
      return a.reverse ? mirrored : s;
    return k.select(k.equal(block.direction, k.idx(1)), mirrored, s);
  }

  // ---- steps

  void run(const Block &block) {
    k.outOfLine([&] { begin(block); });
    Value steps = longest(block);
    k.loop(k.idx(0), steps, k.idx(1), [&](Value s) {
      Value hidden = k.at(k.outputs[1], stateAt(block.direction, block.first));
      if (products == 1) {
        multiply(block, hidden, stateStride(), 0, 1);
      } else {
        multiply(block, hidden, stateStride(), 0, 2);
        k.outOfLine([&] { forActive(block, s, [&](const Row &row, int64_t d) { resetGates(row, d); }); });
        multiply(block, masked, H, 2, 1);
      }
      k.outOfLine([&] {
        forActive(block, s, [&](const Row &row, int64_t d) {
          inUnits([&](Value at, const PointEmitter &p) { cell(row, d, at, p); });
        });
      });
    });
    if (a.lengths >= 0)
      k.outOfLine([&] { finish(block); });
  }

  /// The initial states.
  void begin(const Block &block) {
    forRows(block, [&](Value, Value row) {
      Value at = stateAt(block.direction, row);
      auto fill = [&](Value to, int from) {
        inUnits([&](Value j, const PointEmitter &p) {
          Value v = from < 0 ? p.constant(type, 0) : Value(load(p, k.inputs[static_cast<size_t>(from)], k.add(at, j)));
          store(p, v, to, k.add(at, j));
        });
      };
      fill(k.outputs[1], a.hidden);
      if (a.cell == Cell::Lstm)
        fill(k.outputs[2], a.cellState);
    });
  }
  /// Zeros behind the rows' ends.
  void finish(const Block &block) {
    forRows(block, [&](Value, Value row) {
      k.loop(lengthOf(row), T, k.idx(1), [&](Value t) {
        Value to = outputAt(block.direction, t, row);
        inUnits([&](Value j, const PointEmitter &p) { store(p, p.constant(type, 0), to, j); });
      });
    });
  }

  /// sums[row][gate][unit] = states * r' for `count` products from `first` on.
  void multiply(const Block &block, Value states, Value stride, int64_t first, int64_t count) {
    GemmOperands o;
    o.a = states;
    o.b = k.at(weights, k.mul(k.add(k.mul(block.direction, k.idx(products)), k.idx(first)), k.extent(packedSize)));
    o.c = k.at(sums, k.mul(k.idx(first), H));
    o.batch = k.idx(count);
    o.m = block.rows, o.n = k.extent(products == 1 ? width : units), o.k = H;
    o.lda = stride, o.ldb = k.idx(0), o.ldc = k.extent(width);
    o.batchStrideA = k.idx(0), o.batchStrideB = k.extent(packedSize), o.batchStrideC = H;
    o.scratch = gemmScratch;
    o.begin = k.idx(0);
    o.end = k.mul(o.batch, k.mul(k.ceilDiv(o.m, k.idx(spec.tile.rows)), k.ceilDiv(o.n, k.idx(spec.tile.columns()))));
    if (Status emitted = emitGemm(k.b, k.loc, spec, o, {}); !emitted)
      status = std::move(emitted);
  }

  /// Calls body(row, direction) for the rows that take part in step `s`; the direction counts only where activations
  /// differ.
  void forActive(const Block &block, Value s, llvm::function_ref<void(const Row &, int64_t)> body) {
    forRows(block, [&](Value i, Value number) {
      Value length = lengthOf(number);
      auto active = [&] {
        Value t = timeOf(block, s, length), state = stateAt(block.direction, number);
        Row row;
        row.direction = block.direction;
        Value gates = k.mul(placeOf(t, number), k.extent(width * a.directions));
        row.gates = k.at(k.inputs[0], k.add(gates, k.mul(block.direction, k.extent(width))));
        row.sums = k.at(sums, k.mul(i, k.extent(width)));
        row.hidden = k.at(k.outputs[1], state);
        if (a.cell == Cell::Lstm)
          row.cell = k.at(k.outputs[2], state);
        if (masked)
          row.masked = k.at(masked, k.mul(i, H));
        row.y = outputAt(block.direction, t, number);
        bool alike = true;
        for (int64_t f = 0; f < a.functions(); ++f)
          alike &= a.directions == 1 || a.activation(0, f) == a.activation(1, f);
        if (alike)
          body(row, 0);
        else
          k.when(k.equal(block.direction, k.idx(0)), [&] { body(row, 0); }, [&] { body(row, 1); });
      };
      if (a.lengths < 0)
        active();
      else
        k.when(k.less(s, length), active);
    });
  }

  // ---- cells

  Number activate(int64_t direction, int64_t function, Number x) {
    if (a.clip > 0)
      x = greatestNan(leastNan(x, x.constant(a.clip)), x.constant(-a.clip));
    return apply(a.activation(direction, function), x);
  }
  Value unitOf(int64_t gate, Value at) { return k.add(k.mul(k.idx(gate), H), at); }
  /// The share of x, and that of the hidden state.
  Number outer(const Row &row, int64_t gate, Value at, const PointEmitter &p) {
    return load(p, row.gates, unitOf(gate, at));
  }
  Number inner(const Row &row, int64_t gate, Value at, const PointEmitter &p) {
    return load(p, row.sums, unitOf(gate, at));
  }
  Number both(const Row &row, int64_t gate, Value at, const PointEmitter &p) {
    return outer(row, gate, at, p) + inner(row, gate, at, p);
  }
  /// Of a parameter with `count` entries for each unit of a direction.
  Number parameter(const Row &row, int operand, int64_t count, int64_t entry, Value at, const PointEmitter &p) {
    Value base = k.mul(k.add(k.mul(row.direction, k.idx(count)), k.idx(entry)), H);
    return load(p, k.inputs[static_cast<size_t>(operand)], k.add(base, at));
  }

  void cell(const Row &row, int64_t d, Value at, const PointEmitter &p) {
    Number h = a.cell == Cell::Lstm  ? lstm(row, d, at, p)
               : a.cell == Cell::Gru ? gru(row, d, at, p)
                                     : activate(d, 0, both(row, 0, at, p));
    store(p, h, row.hidden, at);
    store(p, h, row.y, at);
  }

  Number lstm(const Row &row, int64_t d, Value at, const PointEmitter &p) {
    Number before = load(p, row.cell, at);
    auto gate = [&](int64_t gate, int64_t peephole, Number state) {
      Number x = both(row, gate, at, p);
      return activate(d, 0, a.peepholes < 0 ? x : x + parameter(row, a.peepholes, 3, peephole, at, p) * state);
    };
    Number input = gate(0, 0, before), forget = a.coupled() ? 1.0 - input : gate(2, 2, before);
    Number after = forget * before + input * activate(d, 1, both(row, 3, at, p));
    store(p, after, row.cell, at);
    return gate(1, 1, after) * activate(d, 2, after);
  }

  /// Where the reset gate acts before the product: the update gate, kept in its sums, and the masked states.
  void resetGates(const Row &row, int64_t d) {
    inUnits([&](Value at, const PointEmitter &p) {
      store(p, activate(d, 0, both(row, 0, at, p)), row.sums, at);
      store(p, activate(d, 0, both(row, 1, at, p)) * load(p, row.hidden, at), row.masked, at);
    });
  }
  Number gru(const Row &row, int64_t d, Value at, const PointEmitter &p) {
    Number before = load(p, row.hidden, at), update = inner(row, 0, at, p), recurrent = inner(row, 2, at, p);
    if (a.resetAfter()) {
      update = activate(d, 0, both(row, 0, at, p));
      if (a.bias >= 0)
        recurrent = recurrent + parameter(row, a.bias, 1, 0, at, p);
      recurrent = activate(d, 0, both(row, 1, at, p)) * recurrent;
    }
    return (1.0 - update) * activate(d, 1, outer(row, 2, at, p) + recurrent) + update * before;
  }
};

} // namespace
} // namespace pliant::codegen

namespace pliant::ops::recurrence {

using namespace codegen;

Result<Expr> emit(KernelEmitter &k, OpId op, const Attrs &attrs) {
  PLIANT_TRY(const Recurrence a, Recurrence::of(op, attrs, k.inputs.size()));
  return Steps(k, a).emit();
}

} // namespace pliant::ops::recurrence
