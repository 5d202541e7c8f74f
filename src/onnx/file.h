// SPDX-License-Identifier: Apache-2.0
// Reading ONNX files, which are hostile input: the weights stay in the memory map as blobs and only the small rest is
// parsed by the protobuf library. A ModelFile that opened is checked: sizes, names, order, functions inlined.
#pragma once
#include "onnx/blob.h"
#include "support/digest.h"
#include <onnx/onnx_pb.h>

namespace pliant::onnx_file {

constexpr int64_t newestOpset = 24;     ///< of the default domain
constexpr int64_t newestIrVersion = 13; ///< of the file format
/// A tensor's payload inside a file.
struct WeightBlob : BlobPlace {
  std::string file;     ///< the model's path, or that of an external data file
  uint32_t mapping = 0; ///< index of the mapped file, for ModelFile
};

class ModelFile {
public:
  static Result<ModelFile> open(const std::string &path, const Limits &limits = {});
  /// A model in memory. External data is looked for in `folder`; without one it is an error.
  static Result<ModelFile> fromBytes(std::string bytes, const std::string &folder = {}, const Limits &limits = {});

  ModelFile(ModelFile &&) noexcept;
  ModelFile &operator=(ModelFile &&) noexcept;
  ~ModelFile();

  const std::string &path() const;
  /// The model without its blobs: nodes sorted, functions inlined. Copies of its tensors keep their blobs.
  const ::onnx::ModelProto &proto() const;
  /// The imported version of a domain; 0 when the model does not import it.
  int64_t opset(std::string_view domain = {}) const;

  /// Where the payload of a tensor of this model is; null when it is small and inside the proto.
  const WeightBlob *blobOf(const ::onnx::TensorProto &) const;
  const std::vector<WeightBlob> &blobs() const;
  /// The mapped bytes: read only, not aligned, valid while this object or a `keepAlive()` lives. The file must not
  /// shrink meanwhile.
  std::span<const std::byte> bytes(const WeightBlob &) const;
  std::shared_ptr<const void> keepAlive() const;
  /// Of everything but the blobs' bytes: equal for models that differ in their weights' values at most.
  const DigestBytes &digest() const;
  /// The pages of a blob that was copied elsewhere leave memory; a later read fetches them again.
  void dropPages(const WeightBlob &) const;

  /// The content of any tensor of this model, copied, small or blob. A blob counts as read from then on.
  Result<DenseTensor> tensor(const ::onnx::TensorProto &) const;
  /// The tensor of a blob for the weight table, in the mapped memory where it can be; null without a blob.
  Result<DenseTensor> weight(const ::onnx::TensorProto &) const;
  /// The blobs whose content `tensor` gave out: what was made of the model depends on it.
  std::vector<const WeightBlob *> read() const;

private:
  struct State;
  explicit ModelFile(std::shared_ptr<State> state);
  std::shared_ptr<State> state;
};

/// A file that holds one TensorProto, as the ONNX conformance data does (input_0.pb).
Result<DenseTensor> readTensorFile(const std::string &path, const Limits &limits = {});

/// The element type of TensorProto.data_type or TypeProto.Tensor.elem_type; an error that names it when unsupported.
Result<DType> dtypeOf(int32_t onnxType);
/// "float16", "string", ...; empty for numbers that ONNX does not define.
std::string_view onnxTypeName(int32_t onnxType);
/// Bits of one element of a type; 0 for strings and numbers that ONNX does not define.
unsigned onnxTypeBits(int32_t onnxType);

std::string describe(const ::onnx::NodeProto &node, int index = -1); ///< `node 'n' (MatMul)`

/// What `open` runs, for protos that come from elsewhere (tests, tools).
Status checkVersions(const ::onnx::ModelProto &model);
/// Every name has one producer that comes before its readers; unsorted node lists are sorted, cycles are named.
Status checkGraph(::onnx::ModelProto &model, const Limits &limits = {});
/// Calls of the model's own functions are replaced by their bodies; `functions` is empty afterwards.
Status inlineFunctions(::onnx::ModelProto &model, const Limits &limits = {});

} // namespace pliant::onnx_file
