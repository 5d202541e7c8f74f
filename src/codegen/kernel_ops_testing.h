// SPDX-License-Identifier: Apache-2.0
// For tests only: one op compiled as a program of one group, run on random tensors of given extents and compared with
// its reference.
#pragma once
#include "executable/executable.h"
#include "ops/dispatch.h"
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

namespace pliant::test {

using Dims = std::vector<int64_t>;

/// Types and forms of an op are emitted apart, so here all forms of the first type and a form of each kind of the
/// others are compiled. By `scripts/test --all` and in continuous integration: all forms of all types and targets.
inline bool everyForm() { return std::getenv("CI") || std::getenv("PLIANT_TEST_NARROWER"); }

inline Extents exprs(const Dims &values) { return Extents(values.begin(), values.end()); }

/// A type from extents as text: {"N", "3", "H+1"}.
inline TensorType typed(DType dtype, const std::vector<std::string> &extents) {
  TensorType result{dtype, {}};
  for (const std::string &extent : extents)
    result.shape.push_back(*Expr::parse(extent));
  return result;
}

/// Small numbers with many ties; for floats also fractions and, when asked for, NaN, infinities and -0.
DenseTensor randomTensor(DType dtype, const Dims &dims, std::mt19937 &random, bool special = false);

class OneOp {
public:
  /// Operands with a tensor in `weights` (by number) are constants of the program, which may pack them. `lastCache` is
  /// the size of it in bytes, if not what the target says.
  OneOp(OpId op, Attrs attrs, std::vector<TensorType> operands, const std::string &target = "host",
        std::map<size_t, DenseTensor> weights = {}, size_t lastCache = 0);

  /// Runs on tensors whose extents give the symbols their values; `tolerance` is relative to the largest element.
  void check(const std::vector<DenseTensor> &inputs, double tolerance = 0);
  std::vector<DenseTensor> run(const std::vector<DenseTensor> &inputs);
  /// The error of a run.
  std::string error(const std::vector<DenseTensor> &inputs);
  std::string emitted; ///< the kernel's text before it is lowered

private:
  OpId op;
  Attrs attrs;
  std::vector<TensorType> operands;
  std::map<size_t, DenseTensor> weights;
  std::unique_ptr<Executable> exe;

  std::vector<DenseTensor> variable(const std::vector<DenseTensor> &inputs) const;
  Status compile(const std::string &target, size_t lastCache);
  Attrs concrete(const std::vector<DenseTensor> &inputs) const;
};

inline double toleranceOf(DType type) {
  switch (type) {
  case DType::F16:
    return 2e-3;
  case DType::BF16:
    return 1.6e-2;
  case DType::F64:
    return 1e-12;
  default:
    return isFloat(type) ? 1e-5 : 0;
  }
}

} // namespace pliant::test
