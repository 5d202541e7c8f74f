// SPDX-License-Identifier: Apache-2.0
// A model without the bytes of its weights, and bytes to take their place.
#include "files/bytes.h"
#include "repro.h"
#include <bit>
#include <filesystem>
#include <fstream>
#include <functional>
#include <onnx/onnx_pb.h>

namespace pliant::tool {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t threshold = 256, alignment = 64;
constexpr const char *weightsFile = "weights.bin";

/// Bytes of an element; 0 for strings and types that ONNX does not define.
uint64_t elementSize(int32_t type) {
  switch (type) {
  case onnx::TensorProto::DOUBLE:
  case onnx::TensorProto::INT64:
  case onnx::TensorProto::UINT64:
    return 8;
  case onnx::TensorProto::FLOAT:
  case onnx::TensorProto::INT32:
  case onnx::TensorProto::UINT32:
    return 4;
  case onnx::TensorProto::FLOAT16:
  case onnx::TensorProto::BFLOAT16:
  case onnx::TensorProto::INT16:
  case onnx::TensorProto::UINT16:
    return 2;
  case onnx::TensorProto::INT8:
  case onnx::TensorProto::UINT8:
  case onnx::TensorProto::BOOL:
    return 1;
  default:
    return 0;
  }
}

/// Types that weights have. Others steer shapes and indices.
bool isWeight(int32_t type) {
  return type == onnx::TensorProto::FLOAT || type == onnx::TensorProto::DOUBLE || type == onnx::TensorProto::FLOAT16 ||
         type == onnx::TensorProto::BFLOAT16 || type == onnx::TensorProto::INT8 || type == onnx::TensorProto::UINT8;
}

/// Every tensor of a model, in subgraphs and functions too; no recursion.
void forEachTensor(onnx::ModelProto &model, const std::function<void(onnx::TensorProto &)> &visit) {
  std::vector<onnx::GraphProto *> graphs{model.mutable_graph()};
  auto nodes = [&](auto &list) {
    for (onnx::NodeProto &node : list)
      for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
        if (attribute.has_t())
          visit(*attribute.mutable_t());
        if (attribute.has_sparse_tensor())
          visit(*attribute.mutable_sparse_tensor()->mutable_values());
        for (onnx::TensorProto &tensor : *attribute.mutable_tensors())
          visit(tensor);
        if (attribute.has_g())
          graphs.push_back(attribute.mutable_g());
        for (onnx::GraphProto &inner : *attribute.mutable_graphs())
          graphs.push_back(&inner);
      }
  };
  for (onnx::FunctionProto &function : *model.mutable_functions())
    nodes(*function.mutable_node());
  while (!graphs.empty()) {
    onnx::GraphProto *graph = graphs.back();
    graphs.pop_back();
    for (onnx::TensorProto &tensor : *graph->mutable_initializer())
      visit(tensor);
    for (onnx::SparseTensorProto &tensor : *graph->mutable_sparse_initializer())
      visit(*tensor.mutable_values());
    nodes(*graph->mutable_node());
  }
}

Result<onnx::ModelProto> read(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  onnx::ModelProto model;
  if (!stream || !model.ParseFromIstream(&stream))
    return files::cannotRead(path, "it is no ONNX model that protobuf reads");
  return model;
}

} // namespace

Result<std::string> withoutWeights(const std::string &path) {
  PLIANT_TRY(onnx::ModelProto model, read(path));
  uint64_t offset = 0;
  forEachTensor(model, [&](onnx::TensorProto &tensor) {
    // What lies in another file is left out whatever its type: a hostile model could name any file.
    const bool elsewhere = tensor.data_location() == onnx::TensorProto::EXTERNAL;
    uint64_t bytes = elsewhere || isWeight(tensor.data_type()) ? elementSize(tensor.data_type()) : 0;
    for (int64_t dim : tensor.dims()) // a hostile product is no weight
      if (dim < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes))
        return;
    if ((bytes <= threshold && !elsewhere) || bytes > uint64_t(1) << 40)
      return;
    onnx::TensorProto kept;
    kept.set_name(tensor.name());
    kept.set_data_type(tensor.data_type());
    *kept.mutable_dims() = tensor.dims();
    kept.set_data_location(onnx::TensorProto::EXTERNAL);
    auto add = [&](const char *key, const std::string &value) {
      auto *entry = kept.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    };
    add("location", weightsFile);
    add("offset", std::to_string(offset));
    add("length", std::to_string(bytes));
    offset += (bytes + alignment - 1) / alignment * alignment;
    tensor = std::move(kept);
  });
  std::string text;
  if (!model.SerializeToString(&text))
    return files::cannotWrite(path, "the model without its weights cannot be written");
  return text;
}

Status drawWeights(const std::string &folder) {
  const std::string path = (fs::path(folder) / weightsFile).string();
  if (fs::exists(path))
    return ok();
  PLIANT_TRY(onnx::ModelProto model, read((fs::path(folder) / "model.onnx").string()));
  std::ofstream stream(path, std::ios::binary);
  uint64_t state = 1;
  forEachTensor(model, [&](onnx::TensorProto &tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL)
      return;
    const uint64_t element = elementSize(tensor.data_type());
    if (!element)
      return;
    uint64_t bytes = element;
    for (int64_t dim : tensor.dims())
      bytes *= static_cast<uint64_t>(dim);
    // Vectors are above 0, since variances are among them.
    const bool positive = tensor.dims_size() < 2;
    std::string block;
    for (uint64_t at = 0; at < bytes; at += element) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const double unit = static_cast<double>(state >> 40) * 0x1p-24;
      const double value = positive ? 0.05 + unit / 8 : unit / 4 - 0.125;
      auto put = [&](const auto &number) { block.append(reinterpret_cast<const char *>(&number), sizeof number); };
      switch (tensor.data_type()) {
      case onnx::TensorProto::DOUBLE:
        put(value);
        break;
      case onnx::TensorProto::FLOAT:
        put(static_cast<float>(value));
        break;
      case onnx::TensorProto::BFLOAT16: {
        const auto single = static_cast<float>(value);
        put(static_cast<uint16_t>(std::bit_cast<uint32_t>(single) >> 16));
        break;
      }
      case onnx::TensorProto::FLOAT16: // 1/16 to 1/8: exponent 2^-4, ten bits drawn
        put(static_cast<uint16_t>(11u << 10 | (state >> 54) | (positive ? 0u : (state >> 20 & 1u) << 15)));
        break;
      case onnx::TensorProto::INT8:
      case onnx::TensorProto::UINT8:
        put(static_cast<uint8_t>(state >> 56));
        break;
      default: // indices and extents
        block.append(element, '\0');
      }
      if (block.size() >= size_t(1) << 20) {
        stream.write(block.data(), static_cast<std::streamsize>(block.size()));
        block.clear();
      }
    }
    block.resize(block.size() + (alignment - bytes % alignment) % alignment);
    stream.write(block.data(), static_cast<std::streamsize>(block.size()));
  });
  stream.flush();
  return stream ? ok() : Status(files::cannotWrite(path, "not all of it could be written"));
}

} // namespace pliant::tool
