// SPDX-License-Identifier: Apache-2.0
// A small model whose parts can be changed one by one: y = leaky_relu(x @ w + b)[:, rows] * s.
#pragma once
#include <cstdint>
#include <string>

namespace pliant::test {

struct ModelParts {
  float weight = 0.5f;    ///< w, 64 x 32: a blob of raw bytes
  float bias = 1;         ///< b, 32: part of the program
  float slope = 0.1f;     ///< an attribute
  int64_t firstRow = 3;   ///< rows, 100 numbers written as varints: a blob that must be decoded
  float half = 2;         ///< s, 100 halves written as varints: a blob, but small enough to be part of the program
  std::string external;   ///< when set, b lies in this file beside the model
  std::string name = "x"; ///< of the input
};

/// Writes the model (and the external file) and returns its path.
std::string writeModel(const std::string &folder, const ModelParts &parts);

} // namespace pliant::test
