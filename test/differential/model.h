// SPDX-License-Identifier: Apache-2.0
// A model that the differential fuzzer draws, with what is needed to run it: how each input is filled, and the values
// of the symbols at a point.
#pragma once
#include "runtime/dense_tensor.h"
#include "shape/type.h"
#include <map>
#include <onnx/onnx_pb.h>
#include <random>

namespace pliant::differential {

/// What elements an input gets. Integers of the range are exact in every type and stay exact in sums and products.
struct Data {
  enum class Kind : uint8_t {
    Integers, ///< low..high
    Quarters, ///< multiples of 1/4 in the range
    Real,     ///< anything in the range
    Special,  ///< NaN, infinities, signed zeros, denormals, the largest, among integers
    Index,    ///< -extent..extent-1
    Length,   ///< 0..extent
    Words     ///< of strings; otherwise these are the numbers of the range
  } kind = Kind::Integers;
  double low = -3, high = 3;
  Expr extent;
};

struct Input {
  std::string name;
  TensorType type;
  Data data;
  std::optional<DenseTensor> given; ///< instead of drawn data
};

/// Values of the basic symbols.
using Point = std::map<std::string, int64_t>;

struct Model {
  onnx::ModelProto proto;
  std::vector<Input> inputs;
  std::vector<std::pair<std::string, Expr>> derived; ///< further symbols, by the ones before
  uint64_t seed = 0;

  std::string bytes() const { return proto.SerializeAsString(); }
  std::optional<int64_t> valueOf(const Expr &extent, const Point &point) const;
  /// The inputs' tensors at a point; `round` changes the drawn elements.
  Result<std::vector<std::pair<std::string, DenseTensor>>> tensors(const Point &point, uint64_t round) const;
  std::string text() const; ///< nodes and inputs, a line each
};

int32_t onnxType(DType type);
onnx::TensorProto protoOf(const std::string &name, const DenseTensor &tensor);
Result<DenseTensor> filled(DType type, const std::vector<int64_t> &dims, const Data &data, int64_t extent,
                           std::mt19937_64 &random);

} // namespace pliant::differential
