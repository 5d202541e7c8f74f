// SPDX-License-Identifier: Apache-2.0
// ModelFile: map, scan, parse the rest, check, and tie every payload to a blob.
#include "onnx/file.h"
#include "onnx/file_map.h"
#include "onnx/file_tensor.h"
#include "onnx/file_wire.h"
#include <algorithm>
#include <charconv>
#include <google/protobuf/io/coded_stream.h>
#include <set>
#include <unordered_map>

namespace pliant::onnx_file {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

std::string describe(const NodeProto &node, int index) {
  std::string text = "node ";
  if (!node.name().empty())
    text += quote(node.name());
  else if (index >= 0)
    text += "#" + std::to_string(index);
  else
    text += node.output_size() ? "of " + quote(node.output(0)) : "without a name";
  return text + " (" + quote(node.op_type()).substr(1, quote(node.op_type()).size() - 2) + ")";
}

struct ModelFile::State {
  std::string path;
  bool pathIsFolder = false;
  std::vector<std::shared_ptr<Mapping>> mappings;
  std::vector<std::string> files; // their paths
  std::vector<WeightBlob> blobs;
  DigestBytes digest;
  std::set<uint64_t> read; // blobs whose content was asked for
  ModelProto proto;
  std::unordered_map<std::string, uint32_t> externals; // location or real path, to mapping

  Status load(const Limits &limits);
  Status visit(GraphProto &graph, const Limits &limits, unsigned depth);
  Status visit(TensorProto &tensor, const Limits &limits, const std::string &label);
  Status addExternal(TensorProto &tensor, const Limits &limits, const std::string &label);
  Result<uint32_t> mapExternal(const std::string &location, const Limits &limits);
  Payload payloadOf(const TensorProto &tensor) const;
};

namespace {

/// Parses within the depth that the scan allowed; false when the protobuf library refuses.
bool parseScanned(const std::string &rest, const Limits &limits, google::protobuf::MessageLite &into) {
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(rest.data()),
                                                static_cast<int>(rest.size()));
  // Graph, node, attribute for each level, and a little for the leaves.
  stream.SetRecursionLimit(static_cast<int>(3 * (limits.graphDepth + 2) + 2 * maxTypeDepth + 16));
  return into.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

constexpr uint64_t readWhole = uint64_t(4) << 20;

Result<uint64_t> decimal(const std::string &text, const char *what, const std::string &label) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return userError("onnx", label + " has the external " + what + " " + quote(text) + ", which is no number");
  return value;
}

std::string labelOf(const TensorProto &tensor, const NodeProto *node, const AttributeProto *attribute) {
  std::string text = tensor.name().empty() ? "tensor" : "tensor " + quote(tensor.name());
  if (node)
    text += " in attribute " + quote(attribute->name()) + " of " + describe(*node);
  return text;
}

} // namespace

Status ModelFile::State::load(const Limits &limits) {
  if (mappings[0]->bytes().empty())
    return userError("onnx", "the file is empty");
  // Small files are read whole at once; of large ones, mostly weights, only what is looked at.
  bool large = mappings[0]->bytes().size() > readWhole;
  if (large)
    mappings[0]->readAhead(false);
  auto scanned = scanWire(mappings[0]->bytes(), Root::Model, limits);
  if (large)
    mappings[0]->readAhead(true);
  PLIANT_TRY(Scan scan, std::move(scanned));
  digest = scan.digest();
  for (const ScannedBlob &blob : scan.blobs)
    blobs.push_back({{{}, blobs.size(), blob.offset, blob.length, blob.encoding}, files[0], 0});
  if (!parseScanned(scan.rest, limits, proto))
    return userError("onnx", "the file is damaged or no ONNX model");
  std::string().swap(scan.rest);
  if (!proto.has_graph())
    return userError("onnx", "the model has no graph", {}, "is this an ONNX file?");
  PLIANT_CHECK(checkVersions(proto));
  proto.clear_training_info(); // never run, so never checked
  PLIANT_CHECK(inlineFunctions(proto, limits));
  PLIANT_CHECK(checkVersions(proto)); // of what the functions import
  PLIANT_CHECK(visit(*proto.mutable_graph(), limits, 0));
  return checkGraph(proto, limits);
}

Status ModelFile::State::visit(GraphProto &graph, const Limits &limits, unsigned depth) {
  if (depth > limits.graphDepth)
    return userError("onnx", "subgraphs are nested more than " + std::to_string(limits.graphDepth) + " deep");
  for (TensorProto &tensor : *graph.mutable_initializer())
    PLIANT_CHECK(visit(tensor, limits, labelOf(tensor, nullptr, nullptr)));
  for (auto &sparse : *graph.mutable_sparse_initializer()) {
    PLIANT_CHECK(visit(*sparse.mutable_values(), limits, labelOf(sparse.values(), nullptr, nullptr)));
    PLIANT_CHECK(visit(*sparse.mutable_indices(), limits, labelOf(sparse.indices(), nullptr, nullptr)));
  }
  for (NodeProto &node : *graph.mutable_node())
    for (AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_t())
        PLIANT_CHECK(visit(*attribute.mutable_t(), limits, labelOf(attribute.t(), &node, &attribute)));
      for (TensorProto &tensor : *attribute.mutable_tensors())
        PLIANT_CHECK(visit(tensor, limits, labelOf(tensor, &node, &attribute)));
      if (attribute.has_sparse_tensor()) {
        auto &sparse = *attribute.mutable_sparse_tensor();
        PLIANT_CHECK(visit(*sparse.mutable_values(), limits, labelOf(sparse.values(), &node, &attribute)));
        PLIANT_CHECK(visit(*sparse.mutable_indices(), limits, labelOf(sparse.indices(), &node, &attribute)));
      }
      attribute.clear_sparse_tensors(); // no operator takes a list of them
      if (attribute.has_g())
        PLIANT_CHECK(visit(*attribute.mutable_g(), limits, depth + 1));
      for (GraphProto &inner : *attribute.mutable_graphs())
        PLIANT_CHECK(visit(inner, limits, depth + 1));
    }
  return ok();
}

Status ModelFile::State::visit(TensorProto &tensor, const Limits &limits, const std::string &label) {
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    if (tensor.has_segment())
      return userError("onnx", label + " has data both inside and outside of the file");
    PLIANT_CHECK(addExternal(tensor, limits, label));
  }
  return checkTensor(tensor, payloadOf(tensor), label);
}

Status ModelFile::State::addExternal(TensorProto &tensor, const Limits &limits, const std::string &label) {
  if (path.empty())
    return userError("onnx", label + " has external data, but the model comes from memory without a folder");
  PLIANT_TRY(uint64_t declared, declaredBytes(tensor, label));
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const auto &entry : tensor.external_data()) {
    if (entry.key() == "location") {
      location = entry.value();
    } else if (entry.key() == "offset") {
      PLIANT_TRY(offset, decimal(entry.value(), "offset", label));
    } else if (entry.key() == "length") {
      PLIANT_TRY(length, decimal(entry.value(), "length", label));
    }
  }
  auto index = mapExternal(location, limits);
  if (!index)
    return index.takeError().at(label);
  uint64_t size = mappings[*index]->bytes().size(), bytes = length.value_or(declared);
  if (offset > size || bytes > size - offset)
    return userError("onnx", label + " takes bytes " + std::to_string(offset) + " to " + std::to_string(offset) + "+" +
                                 std::to_string(bytes) + " of external data " + quote(location) + ", which has " +
                                 std::to_string(size));
  tensor.mutable_segment()->set_begin(static_cast<int64_t>(blobs.size()));
  blobs.push_back({{location, 0, offset, bytes, Encoding::Raw}, files[*index], *index});
  return ok();
}

// Mapped once for each file, however it is spelled: a process has only so many mappings.
Result<uint32_t> ModelFile::State::mapExternal(const std::string &location, const Limits &limits) {
  if (auto found = externals.find(location); found != externals.end())
    return found->second;
  if (externals.size() >= 2 * uint64_t(limits.externalFiles))
    return userError("onnx",
                     "the model has external data in more than " + std::to_string(limits.externalFiles) + " files");
  PLIANT_TRY(std::string real, externalPath(path, pathIsFolder, location));
  auto [byPath, isNew] = externals.try_emplace("/" + real, static_cast<uint32_t>(mappings.size()));
  uint32_t index = byPath->second;
  externals.emplace(location, index);
  if (isNew) {
    PLIANT_TRY(auto mapping, Mapping::ofFile(real, limits.fileBytes));
    mappings.push_back(std::move(mapping));
    files.push_back(std::move(real));
  }
  return index;
}

Payload ModelFile::State::payloadOf(const TensorProto &tensor) const {
  if (!tensor.has_segment())
    return {};
  auto index = static_cast<uint64_t>(tensor.segment().begin());
  if (index >= blobs.size())
    return {};
  const WeightBlob &blob = blobs[index];
  return {&blob, mappings[blob.mapping]->bytes().subspan(blob.offset, blob.length)};
}

ModelFile::ModelFile(std::shared_ptr<State> state) : state(std::move(state)) {}
ModelFile::ModelFile(ModelFile &&) noexcept = default;
ModelFile &ModelFile::operator=(ModelFile &&) noexcept = default;
ModelFile::~ModelFile() = default;

Result<ModelFile> ModelFile::open(const std::string &path, const Limits &limits) {
  auto state = std::make_shared<State>();
  state->path = path;
  PLIANT_TRY(auto mapping, Mapping::ofFile(path, limits.fileBytes));
  state->mappings.push_back(std::move(mapping));
  state->files.push_back(path);
  auto status = state->load(limits);
  if (!status)
    return status.takeError().at(path);
  return ModelFile(std::move(state));
}

Result<ModelFile> ModelFile::fromBytes(std::string bytes, const std::string &folder, const Limits &limits) {
  auto state = std::make_shared<State>();
  state->path = folder;
  state->pathIsFolder = true;
  state->mappings.push_back(Mapping::ofBytes(std::move(bytes)));
  state->files.emplace_back();
  PLIANT_CHECK(state->load(limits));
  return ModelFile(std::move(state));
}

const std::string &ModelFile::path() const { return state->path; }
const ModelProto &ModelFile::proto() const { return state->proto; }
const std::vector<WeightBlob> &ModelFile::blobs() const { return state->blobs; }
std::shared_ptr<const void> ModelFile::keepAlive() const { return state; }

int64_t ModelFile::opset(std::string_view domain) const {
  if (domain == "ai.onnx")
    domain = {};
  for (const auto &import : state->proto.opset_import())
    if ((import.domain() == "ai.onnx" ? std::string_view() : std::string_view(import.domain())) == domain)
      return import.version();
  return 0;
}

const WeightBlob *ModelFile::blobOf(const TensorProto &tensor) const { return state->payloadOf(tensor).blob; }

std::span<const std::byte> ModelFile::bytes(const WeightBlob &blob) const {
  if (blob.mapping >= state->mappings.size())
    return {};
  auto all = state->mappings[blob.mapping]->bytes();
  return blob.offset > all.size() || blob.length > all.size() - blob.offset ? all.first(0)
                                                                            : all.subspan(blob.offset, blob.length);
}

void ModelFile::dropPages(const WeightBlob &blob) const {
  if (blob.mapping < state->mappings.size())
    state->mappings[blob.mapping]->dropPages(blob.offset, blob.length);
}

Result<DenseTensor> ModelFile::tensor(const TensorProto &tensor) const {
  Payload payload = state->payloadOf(tensor);
  if (payload.blob)
    state->read.insert(static_cast<uint64_t>(payload.blob - state->blobs.data()));
  return readTensor(tensor, payload, labelOf(tensor, nullptr, nullptr));
}

Result<DenseTensor> ModelFile::weight(const TensorProto &tensor) const {
  Payload payload = state->payloadOf(tensor);
  if (!payload.blob)
    return DenseTensor();
  PLIANT_TRY(DType dtype, dtypeOf(tensor.data_type()));
  return tensorOfPayload(dtype, {tensor.dims().begin(), tensor.dims().end()}, payload.blob->encoding, payload.bytes,
                         state->mappings[payload.blob->mapping], labelOf(tensor, nullptr, nullptr));
}

const DigestBytes &ModelFile::digest() const { return state->digest; }

std::vector<const WeightBlob *> ModelFile::read() const {
  std::vector<const WeightBlob *> list;
  for (uint64_t index : state->read)
    list.push_back(&state->blobs[index]);
  return list;
}

Result<DenseTensor> readTensorFile(const std::string &path, const Limits &limits) {
  PLIANT_TRY(auto mapping, Mapping::ofFile(path, limits.fileBytes));
  auto read = [&]() -> Result<DenseTensor> {
    PLIANT_TRY(Scan scan, scanWire(mapping->bytes(), Root::DenseTensor, limits));
    TensorProto tensor;
    if (!parseScanned(scan.rest, limits, tensor))
      return userError("onnx", "the file is damaged or no ONNX tensor");
    if (tensor.data_location() == TensorProto::EXTERNAL)
      return userError("onnx", "a tensor file with external data is not supported");
    WeightBlob blob;
    Payload payload;
    if (!scan.blobs.empty()) {
      blob = {{{}, 0, scan.blobs[0].offset, scan.blobs[0].length, scan.blobs[0].encoding}, path, 0};
      payload = {&blob, mapping->bytes().subspan(blob.offset, blob.length)};
    }
    return readTensor(tensor, payload, labelOf(tensor, nullptr, nullptr));
  };
  auto result = read();
  if (!result)
    return result.takeError().at(path);
  return result;
}

} // namespace pliant::onnx_file
