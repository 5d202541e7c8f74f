// SPDX-License-Identifier: Apache-2.0
// A recurrent layer as one product of all steps with w, whose epilogue adds the biases, and the steps proper.
#include "ops/recurrence/recurrence.h"
#include "ops/compose.h"

namespace pliant::ops::recurrence {
namespace {

class Layer {
public:
  Layer(ValueBuilder &b, OpId op, const Attrs &attrs, std::span<const Value> operands)
      : b(b), op(op), attrs(attrs), operands(operands) {}

  std::vector<Value> build() {
    std::vector<Value> results = make();
    if (b.failed())
      results.assign(static_cast<size_t>(info(op).results), Value{});
    return results;
  }

private:
  ValueBuilder &b;
  const OpId op;
  const Attrs &attrs;
  std::span<const Value> operands;
  Recurrence a{};
  Expr units = 0;

  std::vector<Value> fail(std::string message, const char *constraint, std::string hint = {}) {
    b.fail(userError(info(op).name, std::move(message), constraint, std::move(hint)));
    return {};
  }
  Value operand(int i) { return compose::widen(b, operands[static_cast<size_t>(i)]); }

  std::vector<Value> make() {
    if (b.failed())
      return {};
    if (operands.size() < 3)
      return fail("x, w and r are missing", "recurrence.C2");
    auto read = Recurrence::of(op, attrs, operands.size());
    if (!read) {
      b.fail(read.takeError());
      return {};
    }
    a = std::move(*read);
    const DType dtype = b.dtype(operands[0]);
    if (!compose::checkFloat(b, info(op).name, "recurrence.C1", operands[0]) || !checkShapes())
      return {};
    std::vector<Value> in{a.bias < 0 ? product() : b.add(product(), biases()), recurrent()};
    std::string given;
    auto pass = [&](const char *name, Value v) {
      given += (given.empty() ? "" : " ") + std::string(name);
      in.push_back(v);
    };
    if (a.resetAfter() && a.bias >= 0)
      pass("bias", ownBias());
    if (a.lengths >= 0)
      pass("lengths", operands[static_cast<size_t>(a.lengths)]);
    const std::pair<const char *, int> others[] = {
        {"hidden", a.hidden}, {"cell", a.cellState}, {"peepholes", a.peepholes}};
    for (auto [name, i] : others)
      if (i >= 0)
        pass(name, operand(i));
    if (b.failed())
      return {};
    std::vector<Value> results = steps(given, in);
    for (Value &v : results)
      v = compose::castTo(b, v, dtype);
    return results;
  }

  bool checkShapes() {
    const Extents &x = b.shape(operands[0]), &w = b.shape(operands[1]), &r = b.shape(operands[2]);
    for (size_t i = 1; i < operands.size(); ++i)
      if (static_cast<int>(i) != a.lengths && b.dtype(operands[i]) != b.dtype(operands[0])) {
        fail("x has element type " + std::string(name(b.dtype(operands[0]))) + " but operand " + std::to_string(i) +
                 " has " + std::string(name(b.dtype(operands[i]))),
             "recurrence.C1", "cast one of them");
        return false;
      }
    if (x.size() != 3 || w.size() != 3 || r.size() != 3) {
      fail("x has shape " + str(x) + ", w has " + str(w) + " and r has " + str(r) + ": they need three axes",
           "recurrence.C2");
      return false;
    }
    units = a.units ? Expr(a.units) : r[2];
    const Expr width = units * a.gates();
    bool fits = may(r, {a.directions, width, units}) && may(w, {a.directions, width, x[2]});
    if (!fits)
      fail("x has shape " + str(x) + ", w has " + str(w) + " and r has " + str(r) + " but with " + units.str() +
               " hidden units w must have " + str(Extents{a.directions, width, x[2]}) + " and r " +
               str(Extents{a.directions, width, units}),
           "recurrence.C2");
    if (fits && a.bias >= 0) {
      const Extents &bias = b.shape(operands[static_cast<size_t>(a.bias)]), wanted{a.directions, width * 2};
      fits = may(bias, wanted);
      if (!fits)
        fail("x has shape " + str(x) + " and bias has " + str(bias) + " but must have " + str(wanted), "recurrence.C2");
    }
    return fits;
  }
  bool may(const Extents &own, const Extents &wanted) {
    bool fits = own.size() == wanted.size();
    for (size_t i = 0; fits && i < own.size(); ++i)
      fits = b.facts().equal(own[i], wanted[i]) != Proof::No;
    return fits;
  }

  /// x times w of all directions, transposed: rows of D*G*H.
  Value product() {
    const Extents w = b.shape(operands[1]);
    const Expr rows = units * (a.gates() * a.directions);
    return b.matmul(operand(0), b.transpose(b.reshape(operand(1), {rows, w[2]}), {1, 0}));
  }
  Value recurrent() {
    const Extents wanted{a.directions, units * a.gates(), units};
    return b.shape(operands[2]) == wanted ? operand(2) : b.reshape(operand(2), wanted);
  }

  /// Gates [first, first + count) of w's (0) or r's (1) half of the biases: (D, count, H).
  Value half(int64_t which, int64_t first, int64_t count) {
    const Extents split{a.directions, a.gates() * 2, units};
    return b.slice(b.reshape(operand(a.bias), split), {0, which * a.gates() + first, 0}, {1, 1, 1},
                   {a.directions, count, units});
  }
  /// What is added to the product: w's biases, and r's where they are not masked by a reset gate; (D*G*H).
  Value biases() {
    Value outer = half(0, 0, a.gates()), inner;
    if (a.resetAfter())
      inner = b.pad(half(1, 0, a.gates() - 1), b.scalarLike(outer, 0), {0, 0, 0}, {0, 1, 0}, "constant");
    else
      inner = half(1, 0, a.gates());
    return b.reshape(b.add(outer, inner), {units * (a.gates() * a.directions)});
  }
  Value ownBias() { return b.reshape(half(1, a.gates() - 1, 1), {a.directions, units}); }

  std::vector<Value> steps(const std::string &given, const std::vector<Value> &in) {
    auto fill = [&](auto out, const auto &from) {
      out.given = given, out.direction = from.direction, out.activations = from.activations;
      out.alphas = from.alphas, out.betas = from.betas, out.clip = from.clip, out.batchFirst = from.batchFirst;
      return out;
    };
    if (op == OpId::Lstm) {
      const auto &from = std::get<LstmAttrs>(attrs);
      LstmStepsAttrs out = fill(LstmStepsAttrs{}, from);
      out.coupled = from.coupled;
      return b.build(OpId::LstmSteps, out, in);
    }
    if (op == OpId::Gru) {
      const auto &from = std::get<GruAttrs>(attrs);
      GruStepsAttrs out = fill(GruStepsAttrs{}, from);
      out.resetAfter = from.resetAfter;
      return b.build(OpId::GruSteps, out, in);
    }
    return b.build(OpId::RnnSteps, fill(RnnStepsAttrs{}, std::get<RnnAttrs>(attrs)), in);
  }
};

} // namespace

std::vector<Value> lstm(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  return Layer(b, OpId::Lstm, attrs, operands).build();
}
std::vector<Value> gru(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  return Layer(b, OpId::Gru, attrs, operands).build();
}
std::vector<Value> rnn(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  return Layer(b, OpId::Rnn, attrs, operands).build();
}

} // namespace pliant::ops::recurrence
