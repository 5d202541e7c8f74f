// SPDX-License-Identifier: Apache-2.0
// Attributes of recurrent layers, and the shape rule of their steps.
#include "ops/recurrence/recurrence.h"
#include "ops/rules.h"
#include <sstream>

namespace pliant {

const CellActivationInfo *cellActivation(std::string_view name) {
  using Kind = CellActivation::Kind;
  // Defaults are those of the ONNX ops of the same names; the two without an op are the identity and tanh.
  static constexpr CellActivationInfo all[] = {
      {Kind::Affine, "Affine", true, true, 1, 0},
      {Kind::Relu, "Relu", false, false, 0, 0},
      {Kind::LeakyRelu, "LeakyRelu", true, false, 0.01, 0},
      {Kind::ThresholdedRelu, "ThresholdedRelu", true, false, 1, 0},
      {Kind::Tanh, "Tanh", false, false, 0, 0},
      {Kind::ScaledTanh, "ScaledTanh", true, true, 1, 1},
      {Kind::Sigmoid, "Sigmoid", false, false, 0, 0},
      {Kind::HardSigmoid, "HardSigmoid", true, true, 0.2, 0.5},
      {Kind::Elu, "Elu", true, false, 1, 0},
      {Kind::Softsign, "Softsign", false, false, 0, 0},
      {Kind::Softplus, "Softplus", false, false, 0, 0},
  };
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  for (const CellActivationInfo &each : all) {
    const std::string_view own = each.name;
    bool same = own.size() == name.size();
    for (size_t i = 0; same && i < own.size(); ++i)
      same = lower(own[i]) == lower(name[i]);
    if (same)
      return &each;
  }
  return nullptr;
}

namespace {

std::vector<std::string> wordsOf(const std::string &text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(std::move(word));
  return words;
}

struct Read {
  OpId op;
  size_t operands;

  Error error(std::string message, std::string hint = {}) const {
    return userError(info(op).name, std::move(message), "recurrence.C4", std::move(hint));
  }

  template <class A> Result<Recurrence> from(const A &a, Recurrence r) const {
    if (a.direction != "forward" && a.direction != "reverse" && a.direction != "bidirectional")
      return error("the direction \"" + a.direction + "\" does not exist", "use forward, reverse or bidirectional");
    r.directions = a.direction == "bidirectional" ? 2 : 1;
    r.reverse = a.direction == "reverse";
    r.batchFirst = a.batchFirst;
    r.clip = a.clip;
    r.units = a.units;
    if (!(a.clip >= 0))
      return error("clip is " + std::to_string(a.clip), "give a bound above 0, or 0 for none");
    if (a.units < 0)
      return error("there cannot be " + std::to_string(a.units) + " hidden units");
    if constexpr (requires { a.coupled; })
      r.variant = a.coupled;
    if constexpr (requires { a.resetAfter; })
      r.variant = a.resetAfter;
    PLIANT_CHECK(readActivations(a.activations, a.alphas, a.betas, r));
    PLIANT_CHECK(readGiven(a.given, r));
    return r;
  }

  Status readActivations(const std::string &text, const std::vector<double> &alphas, const std::vector<double> &betas,
                         Recurrence &r) const {
    const std::vector<std::string> names = wordsOf(text);
    const auto wanted = static_cast<size_t>(r.directions * r.functions());
    if (names.size() != wanted || alphas.size() != wanted || betas.size() != wanted)
      return error("there are " + std::to_string(names.size()) + " activations, " + std::to_string(alphas.size()) +
                       " alphas and " + std::to_string(betas.size()) + " betas but " + std::to_string(wanted) +
                       " are needed",
                   "name " + std::to_string(r.functions()) + " for each direction");
    for (size_t i = 0; i < wanted; ++i) {
      const CellActivationInfo *found = cellActivation(names[i]);
      if (!found)
        return error("the activation \"" + names[i] + "\" does not exist");
      r.activations.push_back({found->kind, found->takesAlpha ? alphas[i] : 0, found->takesBeta ? betas[i] : 0});
    }
    return ok();
  }

  Status readGiven(const std::string &text, Recurrence &r) const {
    int at = r.recurrentWeights() + 1;
    const bool lstm = r.cell == Recurrence::Cell::Lstm;
    const std::pair<const char *, int *> slots[] = {{"bias", r.layer || r.resetAfter() ? &r.bias : nullptr},
                                                    {"lengths", &r.lengths},
                                                    {"hidden", &r.hidden},
                                                    {"cell", lstm ? &r.cellState : nullptr},
                                                    {"peepholes", lstm ? &r.peepholes : nullptr}};
    size_t next = 0;
    for (const std::string &word : wordsOf(text)) {
      while (next < std::size(slots) && (!slots[next].second || word != slots[next].first))
        ++next;
      if (next == std::size(slots))
        return error("there is no operand \"" + word + "\" at its place in \"" + text + "\"");
      *slots[next++].second = at++;
    }
    if (static_cast<size_t>(at) != operands)
      return error("there are " + std::to_string(operands) + " operands but " + std::to_string(at) + " are expected");
    return ok();
  }
};

} // namespace

Result<Recurrence> Recurrence::of(OpId op, const Attrs &attrs, size_t operands) {
  const Read read{op, operands};
  switch (op) {
  case OpId::Lstm:
    return read.from(std::get<LstmAttrs>(attrs), {Cell::Lstm, true});
  case OpId::Gru:
    return read.from(std::get<GruAttrs>(attrs), {Cell::Gru, true});
  case OpId::Rnn:
    return read.from(std::get<RnnAttrs>(attrs), {Cell::Rnn, true});
  case OpId::LstmSteps:
    return read.from(std::get<LstmStepsAttrs>(attrs), {Cell::Lstm});
  case OpId::GruSteps:
    return read.from(std::get<GruStepsAttrs>(attrs), {Cell::Gru});
  case OpId::RnnSteps:
    return read.from(std::get<RnnStepsAttrs>(attrs), {Cell::Rnn});
  default:
    return internalError("recurrence", std::string(info(op).name) + " is no recurrent layer");
  }
}

namespace ops::recurrence {

/// Operand `i` must have this shape.
static Status expect(ShapeContext &c, int i, const char *what, const Extents &wanted) {
  if (i < 0)
    return ok();
  const Extents &own = c.operand(static_cast<size_t>(i)).shape;
  bool fits = own.size() == wanted.size();
  for (size_t axis = 0; fits && axis < own.size(); ++axis)
    fits = rules::mayEqual(c, own[axis], wanted[axis]);
  return fits ? ok()
              : Status(c.error(std::string(what) + " has shape " + str(own) + " but must have " + str(wanted), "C2"));
}

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  if (c.operands.size() < 2)
    return c.error("gates and r are missing", "C2");
  PLIANT_TRY(const Recurrence a, Recurrence::of(c.op, c.attrs, c.operands.size()));
  const TensorType &gates = c.operand(0), &r = c.operand(1);
  if (gates.dtype != DType::F32 && gates.dtype != DType::F64)
    return c.error("gates have element type " + std::string(name(gates.dtype)) + " but must be f32 or f64", "C1",
                   "cast them to f32");
  for (size_t i = 1; i < c.operands.size(); ++i)
    if (static_cast<int>(i) != a.lengths)
      PLIANT_CHECK(rules::sameType(c, 0, i, "C1"));
  if (a.lengths >= 0 && c.operand(static_cast<size_t>(a.lengths)).dtype != DType::I32)
    return c.error("lengths must be i32", "C3", "cast them");
  if (gates.rank() != 3 || r.rank() != 3)
    return c.error("gates have shape " + str(gates.shape) + " and r has " + str(r.shape) + ": both need three axes",
                   "C2");
  const Expr units = a.units ? Expr(a.units) : r.shape[2], &time = gates.shape[a.batchFirst ? 1 : 0],
             &batch = gates.shape[a.batchFirst ? 0 : 1];
  PLIANT_CHECK(expect(c, 1, "r", {a.directions, units * a.gates(), units}));
  PLIANT_CHECK(expect(c, 0, "gates", {gates.shape[0], gates.shape[1], units * (a.gates() * a.directions)}));
  PLIANT_CHECK(expect(c, a.bias, "bias", {a.directions, units}));
  PLIANT_CHECK(expect(c, a.lengths, "lengths", {batch}));
  const Extents state = a.stateShape(batch, units);
  PLIANT_CHECK(expect(c, a.hidden, "hidden", state));
  PLIANT_CHECK(expect(c, a.cellState, "cell", state));
  PLIANT_CHECK(expect(c, a.peepholes, "peepholes", {a.directions, units * 3}));
  const Extents y =
      a.batchFirst ? Extents{batch, time, a.directions, units} : Extents{time, a.directions, batch, units};
  std::vector<TensorType> results{{gates.dtype, y}, {gates.dtype, state}};
  if (a.cell == Recurrence::Cell::Lstm)
    results.push_back({gates.dtype, state});
  return results;
}

} // namespace ops::recurrence
} // namespace pliant
