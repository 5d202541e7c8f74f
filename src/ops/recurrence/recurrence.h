// SPDX-License-Identifier: Apache-2.0
// The attributes of recurrent layers and of their steps in one form: which cell, which operands are there, activations.
#pragma once
#include "ops/op.h"
#include <array>

namespace pliant {

/// An activation by its ONNX name, and its parameters (those without any ignore them).
struct CellActivation {
  enum class Kind : uint8_t {
    Affine, ///< alpha * x + beta
    Relu,
    LeakyRelu,
    ThresholdedRelu,
    Tanh,
    ScaledTanh, ///< alpha * tanh(beta * x)
    Sigmoid,
    HardSigmoid,
    Elu,
    Softsign,
    Softplus
  };
  Kind kind;
  double alpha, beta;
  bool operator==(const CellActivation &) const = default;
};
struct CellActivationInfo {
  CellActivation::Kind kind;
  const char *name;
  bool takesAlpha, takesBeta;
  double alpha, beta; ///< defaults
};
/// Null when there is none of that name; upper and lower case are the same.
const CellActivationInfo *cellActivation(std::string_view name);

struct Recurrence {
  enum class Cell : uint8_t { Rnn, Gru, Lstm };
  Cell cell;
  bool layer = false; ///< with x and w, not the steps alone
  int64_t directions = 1;
  bool reverse = false; ///< of the only direction
  bool batchFirst = false;
  bool variant = false; ///< coupled or resetAfter
  double clip = 0;
  int64_t units = 0;
  std::vector<CellActivation> activations; ///< of all directions
  /// Operand numbers; -1 where absent.
  int bias = -1, lengths = -1, hidden = -1, cellState = -1, peepholes = -1;

  /// An error cites recurrence.C4.
  static Result<Recurrence> of(OpId op, const Attrs &attrs, size_t operands);

  int64_t gates() const { return cell == Cell::Lstm ? 4 : cell == Cell::Gru ? 3 : 1; }
  int64_t functions() const {
    return cell == Cell::Lstm ? 3 : cell == Cell::Gru ? 2 : 1;
  } ///< activations of a direction
  int recurrentWeights() const { return layer ? 2 : 1; }
  bool resetAfter() const { return cell == Cell::Gru && variant; }
  bool coupled() const { return cell == Cell::Lstm && variant; }
  const CellActivation &activation(int64_t direction, int64_t function) const {
    return activations[static_cast<size_t>(direction * functions() + function)];
  }
  /// The extents of a state, and of the steps' results.
  Extents stateShape(const Expr &batch, const Expr &units) const {
    return batchFirst ? Extents{batch, directions, units} : Extents{directions, batch, units};
  }
};

} // namespace pliant
