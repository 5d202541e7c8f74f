// SPDX-License-Identifier: Apache-2.0
// Reference of recurrences: ONNX's equations in double, one row of one direction at a time.
#include "ops/recurrence/recurrence.h"
#include "ops/ref_values.h"
#include <algorithm>
#include <cmath>

namespace pliant::ops::recurrence {
namespace {

using Row = std::vector<double>;

double apply(const CellActivation &f, double x) {
  using Kind = CellActivation::Kind;
  switch (f.kind) {
  case Kind::Affine:
    return f.alpha * x + f.beta;
  case Kind::Relu:
    return x > 0 || std::isnan(x) ? x : 0;
  case Kind::LeakyRelu:
    return x >= 0 ? x : f.alpha * x;
  case Kind::ThresholdedRelu:
    return x > f.alpha ? x : 0;
  case Kind::Tanh:
    return std::tanh(x);
  case Kind::ScaledTanh:
    return f.alpha * std::tanh(f.beta * x);
  case Kind::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case Kind::HardSigmoid: {
    const double line = f.alpha * x + f.beta;
    return std::isnan(line) ? line : std::max(0.0, std::min(1.0, line));
  }
  case Kind::Elu:
    return x > 0 ? x : f.alpha * (std::exp(x) - 1);
  case Kind::Softsign:
    return x / (1 + std::fabs(x));
  case Kind::Softplus:
    return std::isnan(x) ? x : std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
  }
  return x;
}

/// One direction's weights and the step of one row.
struct CellStep {
  const Recurrence &a;
  int64_t direction, units;
  const double *r, *bias, *peepholes; ///< of the direction; the last two may be null

  double activate(int64_t function, double x) const {
    if (a.clip > 0 && !std::isnan(x))
      x = std::max(-a.clip, std::min(a.clip, x));
    return apply(a.activation(direction, function), x);
  }
  /// Row `gate * units + j` of r times a state.
  double product(int64_t gate, int64_t j, const Row &state) const {
    const double *row = r + (gate * units + j) * units;
    double sum = 0;
    for (int64_t k = 0; k < units; ++k)
      sum += row[k] * state[k];
    return sum;
  }
  void run(const double *x, Row &h, Row &c) const {
    const Row before = h;
    if (a.cell == Recurrence::Cell::Rnn)
      for (int64_t j = 0; j < units; ++j)
        h[j] = activate(0, x[j] + product(0, j, before));
    else if (a.cell == Recurrence::Cell::Gru)
      gru(x, before, h);
    else
      lstm(x, before, h, c);
  }
  void gru(const double *x, const Row &before, Row &h) const {
    Row update(before.size()), reset(before.size()), masked(before.size());
    for (int64_t j = 0; j < units; ++j) {
      update[j] = activate(0, x[j] + product(0, j, before));
      reset[j] = activate(0, x[units + j] + product(1, j, before));
      masked[j] = reset[j] * before[j];
    }
    for (int64_t j = 0; j < units; ++j) {
      const double recurrent =
          a.resetAfter() ? reset[j] * (product(2, j, before) + (bias ? bias[j] : 0)) : product(2, j, masked);
      h[j] = (1 - update[j]) * activate(1, x[2 * units + j] + recurrent) + update[j] * before[j];
    }
  }
  void lstm(const double *x, const Row &before, Row &h, Row &c) const {
    for (int64_t j = 0; j < units; ++j) {
      auto gate = [&](int64_t g) { return x[g * units + j] + product(g, j, before); };
      auto peek = [&](int64_t p) { return peepholes ? peepholes[p * units + j] : 0; };
      const double input = activate(0, gate(0) + peek(0) * c[j]);
      const double forget = a.coupled() ? 1 - input : activate(0, gate(2) + peek(2) * c[j]);
      c[j] = forget * c[j] + input * activate(1, gate(3));
      h[j] = activate(0, gate(1) + peek(1) * c[j]) * activate(2, c[j]);
    }
  }
};

} // namespace

Status ref(RefContext &c) {
  PLIANT_TRY(const Recurrence a, Recurrence::of(c.op, c.attrs, c.inputs.size()));
  const std::vector<int64_t> &dims = c.inputs[0].dims();
  const int64_t time = dims[a.batchFirst ? 1 : 0], batch = dims[a.batchFirst ? 0 : 1], units = c.inputs[1].dims()[2];
  const int64_t width = a.gates() * units, all = a.directions * width;
  auto operand = [&](int i) { return i < 0 ? Row() : ref::read<double>(c.inputs[static_cast<size_t>(i)]); };
  const Row gates = operand(0), r = operand(1), bias = operand(a.bias), peepholes = operand(a.peepholes);
  const size_t states = static_cast<size_t>(a.directions * batch * units);
  Row hidden = operand(a.hidden), cell = operand(a.cellState), y(states * static_cast<size_t>(time));
  hidden.resize(states);
  cell.resize(states);
  for (int64_t d = 0; d < a.directions; ++d)
    for (int64_t b = 0; b < batch; ++b) {
      int64_t length = time;
      if (a.lengths >= 0)
        length = c.inputs[static_cast<size_t>(a.lengths)].as<int32_t>()[b];
      if (length < 0 || length > time)
        return c.error("row " + std::to_string(b) + " has length " + std::to_string(length) + " but there are " +
                           std::to_string(time) + " steps",
                       "C3");
      const int64_t state = (a.batchFirst ? b * a.directions + d : d * batch + b) * units;
      Row h(hidden.begin() + state, hidden.begin() + state + units);
      Row memory(cell.begin() + state, cell.begin() + state + units);
      const CellStep step{a,
                          d,
                          units,
                          r.data() + d * width * units,
                          a.bias < 0 ? nullptr : bias.data() + d * units,
                          a.peepholes < 0 ? nullptr : peepholes.data() + d * 3 * units};
      const bool backwards = a.directions == 2 ? d == 1 : a.reverse;
      for (int64_t s = 0; s < length; ++s) {
        const int64_t t = backwards ? length - 1 - s : s, at = a.batchFirst ? b * time + t : t * batch + b;
        step.run(gates.data() + at * all + d * width, h, memory);
        const int64_t to = a.batchFirst ? at * a.directions + d : (t * a.directions + d) * batch + b;
        std::copy(h.begin(), h.end(), y.begin() + to * units);
      }
      std::copy(h.begin(), h.end(), hidden.begin() + state);
      std::copy(memory.begin(), memory.end(), cell.begin() + state);
    }
  ref::write(c.outputs[0], y);
  ref::write(c.outputs[1], hidden);
  if (a.cell == Recurrence::Cell::Lstm)
    ref::write(c.outputs[2], cell);
  return ok();
}

} // namespace pliant::ops::recurrence
