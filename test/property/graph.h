// SPDX-License-Identifier: Apache-2.0
// Random ONNX graphs with symbolic extents, drawn so that most of their arithmetic is exact.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace pliant::ring {

struct RandomGraph {
  std::string model;              ///< an ONNX file's bytes
  std::vector<std::string> nodes; ///< "v3 = Concat(v1, v2)", for reports
};

/// The first `limit` nodes of the graph that `seed` draws; equal seeds give equal prefixes. Symbols are n and m.
RandomGraph drawGraph(uint64_t seed, int limit);

} // namespace pliant::ring
