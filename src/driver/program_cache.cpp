// SPDX-License-Identifier: Apache-2.0
// Keys of programs, and weights found again in the model's files.
#include "driver/program_cache.h"
#include "cache/build_id.h"
#include "cache/codec.h"
#include "onnx/file_map.h"
#include "onnx/file_wire.h"
#include "runtime/target.h"

namespace pliant::driver {
namespace {

using onnx_file::BlobPlace;
using onnx_file::Mapping;

/// The files of one model, and where its blobs lie.
class ModelFiles {
public:
  static std::optional<ModelFiles> open(const std::string &path) {
    ModelFiles files;
    files.path = path;
    auto own = Mapping::ofFile(path, onnx_file::Limits().fileBytes);
    if (!own)
      return std::nullopt;
    auto scan = onnx_file::scanWire((*own)->bytes(), onnx_file::Root::Model, {});
    if (!scan)
      return std::nullopt;
    files.content = scan->digest();
    files.blobs = std::move(scan->blobs);
    files.mappings[""] = std::move(*own);
    return files;
  }

  DigestBytes content{};

  struct Found {
    std::span<const std::byte> bytes;
    std::shared_ptr<const Mapping> keep;
  };
  std::optional<Found> find(const BlobPlace &place) {
    auto &mapping = mappings[place.location];
    if (!mapping) {
      auto real = onnx_file::externalPath(path, false, place.location);
      auto file = real ? Mapping::ofFile(*real, onnx_file::Limits().fileBytes)
                       : Result<std::unique_ptr<Mapping>>(real.takeError());
      if (!file)
        return std::nullopt;
      mapping = std::move(*file);
    }
    uint64_t offset = place.offset, size = mapping->bytes().size();
    if (place.location.empty()) {
      if (place.number >= blobs.size() || blobs[place.number].length != place.length)
        return std::nullopt;
      offset = blobs[place.number].offset;
    }
    if (offset > size || place.length > size - offset)
      return std::nullopt;
    return Found{mapping->bytes().subspan(offset, place.length), mapping};
  }

private:
  std::string path;
  std::vector<onnx_file::ScannedBlob> blobs;
  std::map<std::string, std::shared_ptr<Mapping>> mappings; // by location; the model's own under ""
};

} // namespace

std::string encoded(const Compiled &compiled) {
  Compiled kept = compiled;
  kept.weights.clear(); // their bytes are the model's
  kept.prints.clear();
  kept.stats = {};
  cache::Writer writer;
  writer.put(kept);
  return writer.finish();
}

std::optional<Compiled> decoded(std::string_view bytes) {
  Compiled compiled;
  cache::Reader reader(bytes);
  if (!reader.read(compiled) || !reader.finished() || !compiled.program)
    return std::nullopt;
  return compiled;
}

std::optional<ProgramCache> ProgramCache::open(const Options &options, const std::string &compiler) {
  auto store = options.cache ? cache::Store::open() : std::nullopt;
  if (!store || !options.stopAfter.empty() || !options.printAfter.empty())
    return std::nullopt;
  auto target = TargetDescription::forced(options.target);
  auto core = cache::coreBuildId();
  if (!target || !core)
    return std::nullopt;
  cache::Writer build;
  build.put(*core);
  build.put(compiler);
  build.put(target->key());
  build.put(options);
  return ProgramCache(std::move(*store), build.finish());
}

DigestBytes ProgramCache::key(const DigestBytes &content) const {
  return Digest().add("program").add(build).add(content).finish();
}

std::optional<Compiled> ProgramCache::find(const std::string &modelPath) const {
  auto files = ModelFiles::open(modelPath);
  auto bytes = files ? store.get("program", key(files->content)) : std::nullopt;
  if (!bytes)
    return std::nullopt;
  auto compiled = decoded(*bytes);
  if (!compiled)
    return std::nullopt;
  for (const onnx_file::ReadBlob &read : compiled->reads) {
    auto found = files->find(read.place);
    if (!found || digestOf(found->bytes) != read.digest)
      return std::nullopt;
  }
  for (const onnx_file::WeightSource &source : compiled->sources) {
    if (!source.place) {
      compiled->weights.push_back(source.value);
      continue;
    }
    auto found = files->find(*source.place);
    if (!found)
      return std::nullopt;
    auto weight = onnx_file::tensorOfPayload(source.dtype, source.dims, source.place->encoding, found->bytes,
                                             found->keep, "weight");
    if (!weight) // the compiler finds the same, and says where
      return std::nullopt;
    compiled->weights.push_back(std::move(*weight));
  }
  compiled->cached = true;
  return compiled;
}

void ProgramCache::keep(const Compiled &compiled) const {
  if (compiled.content == DigestBytes{} || compiled.sources.size() != compiled.weights.size())
    return;
  store.put("program", key(compiled.content), encoded(compiled));
  store.trim();
}

DigestBytes ProgramCache::key(const trace::Trace &trace) const {
  trace::Trace placeless = trace; // the same code on other lines is the same program; an error finds its line by the op
  for (trace::Op &op : placeless.ops)
    op.place.clear();
  cache::Writer writer;
  writer.put(placeless);
  return Digest().add("trace").add(build).add(writer.finish()).finish();
}

std::optional<Compiled> ProgramCache::find(const trace::Trace &trace) const {
  auto bytes = store.get("program", key(trace));
  auto compiled = bytes ? decoded(*bytes) : std::nullopt;
  if (compiled)
    compiled->cached = true;
  return compiled;
}

void ProgramCache::keep(const trace::Trace &trace, const Compiled &compiled) const {
  if (!compiled.weights.empty()) // a trace has none: its constants are in the program
    return;
  store.put("program", key(trace), encoded(compiled));
  store.trim();
}

} // namespace pliant::driver
