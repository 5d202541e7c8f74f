// SPDX-License-Identifier: Apache-2.0
// Inputs' elements and models as text.
#include "model.h"
#include "ops/dispatch.h"
#include <cmath>

namespace pliant::differential {
namespace {

double element(const Data &data, int64_t extent, std::mt19937_64 &random) {
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  static constexpr double special[] = {NAN,  INFINITY, -INFINITY, 0,    -0.0, 1e-40, -1e-40,
                                       1e30, -1e30,    0.5,       -0.5, 1.5,  2.5};
  switch (data.kind) {
  case Data::Kind::Special:
    if (below(3) == 0)
      return special[below(std::size(special))];
    [[fallthrough]];
  case Data::Kind::Integers:
  case Data::Kind::Words:
    return data.low + static_cast<double>(below(static_cast<int64_t>(data.high - data.low) + 1));
  case Data::Kind::Quarters:
    return data.low + 0.25 * static_cast<double>(below(static_cast<int64_t>(4 * (data.high - data.low)) + 1));
  case Data::Kind::Real:
    return data.low + (data.high - data.low) * static_cast<double>(random() >> 11) * 0x1p-53;
  case Data::Kind::Index:
    return static_cast<double>(extent ? below(2 * extent) - extent : 0);
  case Data::Kind::Length:
    return static_cast<double>(below(extent + 1));
  }
  return 0;
}

/// Numbers as text, or words of both cases with the empty one among them.
std::string text(const Data &data, int64_t extent, std::mt19937_64 &random) {
  static constexpr const char *words[] = {"", "a", "A", "The", "the", "Monday", "monday", "12", "x y", "q"};
  if (data.kind == Data::Kind::Words)
    return words[random() % std::size(words)];
  char shown[40];
  snprintf(shown, sizeof shown, "%.9g", element(data, extent, random));
  return shown;
}

} // namespace

Result<DenseTensor> filled(DType type, const std::vector<int64_t> &dims, const Data &data, int64_t extent,
                           std::mt19937_64 &random) {
  if (type == DType::String) {
    PLIANT_TRY(int64_t count, elementCount(dims));
    std::vector<std::string> texts;
    for (int64_t i = 0; i < count; ++i)
      texts.push_back(text(data, extent, random));
    return DenseTensor::ofStrings(dims, std::move(texts));
  }
  PLIANT_TRY(DenseTensor tensor, DenseTensor::allocate(type, dims));
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double value = element(data, extent, random);
    dispatch(type, [&]<class T>(Type<T>) {
      if constexpr (isFloatStorage<T>)
        tensor.as<T>()[i] = T(static_cast<ComputeOf<T>>(value));
      else if (type == DType::Bool)
        tensor.as<uint8_t>()[i] = value > 0;
      else
        tensor.as<T>()[i] =
            std::isfinite(value) ? static_cast<T>(static_cast<int64_t>(std::clamp(value, -1e9, 1e9))) : T(7);
    });
  }
  return tensor;
}

int32_t onnxType(DType type) {
  static constexpr int32_t codes[] = {1, 11, 10, 16, 7, 6, 5, 3, 13, 12, 4, 2, 9, 8};
  return codes[static_cast<size_t>(type)];
}

onnx::TensorProto protoOf(const std::string &name, const DenseTensor &tensor) {
  onnx::TensorProto proto;
  proto.set_name(name);
  proto.set_data_type(onnxType(tensor.dtype()));
  for (int64_t d : tensor.dims())
    proto.add_dims(d);
  if (tensor.dtype() == DType::String)
    for (int64_t i = 0; i < tensor.size(); ++i)
      proto.add_string_data(std::string(tensor.text(i)));
  else
    proto.set_raw_data(tensor.data(), tensor.bytes());
  return proto;
}

std::optional<int64_t> Model::valueOf(const Expr &extent, const Point &point) const {
  auto value = extent.evaluate([&](const std::string &name) -> std::optional<int64_t> {
    if (auto found = point.find(name); found != point.end())
      return found->second;
    for (const auto &[symbol, expr] : derived)
      if (symbol == name)
        return valueOf(expr, point);
    return std::nullopt;
  });
  return value ? std::optional(*value) : std::nullopt;
}

Result<std::vector<std::pair<std::string, DenseTensor>>> Model::tensors(const Point &point, uint64_t round) const {
  std::vector<std::pair<std::string, DenseTensor>> out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Input &input = inputs[i];
    if (input.given) {
      out.emplace_back(input.name, *input.given);
      continue;
    }
    std::vector<int64_t> dims;
    for (const Expr &extent : input.type.shape)
      dims.push_back(valueOf(extent, point).value_or(-1));
    std::mt19937_64 random(seed * 1000003 + i * 97 + round);
    auto tensor = filled(input.type.dtype, dims, input.data, valueOf(input.data.extent, point).value_or(0), random);
    if (!tensor)
      return tensor.takeError();
    out.emplace_back(input.name, std::move(*tensor));
  }
  return out;
}

std::string Model::text() const {
  std::string out;
  for (const Input &input : inputs)
    out += "    " + input.name + ": " + input.type.str() + "\n";
  std::vector<std::pair<const onnx::GraphProto *, std::string>> graphs{{&proto.graph(), "    "}};
  for (size_t g = 0; g < graphs.size(); ++g) {
    const auto [graph, indent] = graphs[g];
    for (const auto &node : graph->node()) {
      out += indent;
      for (const auto &name : node.output())
        out += (&name == &*node.output().begin() ? "" : ", ") + name;
      out += " = " + node.op_type() + "(";
      for (const auto &name : node.input())
        out += (&name == &*node.input().begin() ? "" : ", ") + name;
      out += ")";
      for (const auto &a : node.attribute()) {
        out += " " + a.name() + "=";
        if (a.has_g()) {
          out += "{...}";
          graphs.emplace_back(&a.g(), indent + "  " + a.name() + ": ");
        } else if (a.has_s()) {
          out += a.s();
        } else if (a.has_f()) {
          out += std::to_string(a.f());
        } else if (a.has_i()) {
          out += std::to_string(a.i());
        } else {
          for (int64_t v : a.ints())
            out += std::to_string(v) + ",";
          for (float v : a.floats())
            out += std::to_string(v) + ",";
          for (const std::string &v : a.strings())
            out += v + ",";
        }
      }
      out += "\n";
    }
  }
  for (const auto &tensor : proto.graph().initializer()) {
    out += "    " + tensor.name() + ": constant";
    for (int64_t d : tensor.dims())
      out += " " + std::to_string(d);
    if (tensor.data_type() == onnx::TensorProto::INT64 && tensor.raw_data().size() <= 64) {
      out += ":";
      for (size_t i = 0; i + 8 <= tensor.raw_data().size(); i += 8) {
        int64_t v;
        std::memcpy(&v, tensor.raw_data().data() + i, 8);
        out += " " + std::to_string(v);
      }
    }
    out += "\n";
  }
  return out + "    opset " + std::to_string(proto.opset_import(0).version()) + "\n";
}

} // namespace pliant::differential
