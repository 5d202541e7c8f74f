// SPDX-License-Identifier: Apache-2.0
// Damaged ONNX files: cut at every byte, every byte changed, random edits. Always a Result; the sanitizers watch.
#include "onnx/file.test.h"
#include <chrono>
#include <random>
#include <set>

using namespace pliant;
using namespace pliant::onnx_file;
using namespace pliant::onnx_file::test;

namespace {

void readAll(const ModelFile &file, const GraphProto &graph) {
  for (const TensorProto &tensor : graph.initializer())
    (void)file.tensor(tensor);
  for (const NodeProto &node : graph.node())
    for (const AttributeProto &attribute : node.attribute()) {
      if (attribute.has_t())
        (void)file.tensor(attribute.t());
      if (attribute.has_g())
        readAll(file, attribute.g());
    }
}

/// Opens and reads everything; true when it opened. A tensor never gets more memory than its bytes in the file allow:
/// under AddressSanitizer max_allocation_size_mb checks the rest.
bool survive(const std::string &bytes, const std::string &folder = {}) {
  auto file = ModelFile::fromBytes(bytes, folder);
  if (!file) {
    EXPECT_EQ(file.error().kind, Error::Kind::User);
    EXPECT_FALSE(file.error().message.empty());
    return false;
  }
  for (const WeightBlob &blob : file->blobs())
    EXPECT_EQ(file->bytes(blob).size(), blob.length);
  readAll(*file, file->proto().graph());
  return true;
}

std::string seedModel() {
  ModelProto model = richModel(65);
  TensorProto &packed = *model.mutable_graph()->add_initializer();
  packed.set_name("packed");
  packed.set_data_type(TensorProto::INT64);
  packed.add_dims(150);
  for (int i = 0; i < 150; ++i)
    packed.add_int64_data(i * 100);
  return model.SerializeAsString();
}

TEST(OnnxFuzz, CutAtEveryByte) {
  std::string bytes = seedModel();
  ASSERT_TRUE(survive(bytes));
  for (size_t i = 0; i < bytes.size(); ++i)
    survive(bytes.substr(0, i));
}

TEST(OnnxFuzz, EveryByteChanged) {
  std::string bytes = seedModel();
  for (size_t i = 0; i < bytes.size(); ++i)
    for (unsigned flip : {1u, 2u, 8u, 0x80u, 0xffu}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ flip);
      survive(changed);
    }
}

TEST(OnnxFuzz, RandomEdits) {
  Folder folder;
  folder.write("data.bin", std::string(1000, 'x'));
  ModelProto external = identityModel();
  TensorProto &tensor = *external.mutable_graph()->add_initializer();
  tensor.set_name("e");
  tensor.set_data_type(TensorProto::FLOAT);
  tensor.add_dims(100);
  tensor.set_data_location(TensorProto::EXTERNAL);
  for (auto [key, value] : {std::pair("location", "data.bin"), {"offset", "100"}, {"length", "400"}}) {
    auto &entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  std::vector<std::string> corpus = {seedModel(), external.SerializeAsString()};
  if (auto models = dataFolder("PLIANT_MODELS"))
    for (const auto &entry : std::filesystem::recursive_directory_iterator(*models))
      if (entry.path().extension() == ".onnx" && entry.file_size() < 200000) {
        std::ifstream in(entry.path(), std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
      }
  const char *budget = std::getenv("PLIANT_FUZZ_SECONDS"), *seed = std::getenv("PLIANT_FUZZ_SEED");
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(budget ? std::atoi(budget) : 10);
  std::mt19937_64 random(seed ? std::strtoull(seed, nullptr, 10) : 1);
  auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  static const std::string tokens[] = {std::string(9, '\xff') + "\x01", "\xff\xff\xff\xff\x0f",
                                       "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", std::string("\0", 1),
                                       "\x3a\x00"};
  size_t runs = 0, opened = 0;
  auto slowest = std::chrono::steady_clock::duration::zero();
  while (std::chrono::steady_clock::now() < end) {
    std::string bytes = corpus[below(corpus.size())];
    for (size_t edits = 1 + below(8); edits > 0 && !bytes.empty(); --edits) {
      size_t at = below(bytes.size()), span = 1 + below(std::min<size_t>(64, bytes.size() - at));
      switch (below(6)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.erase(at, span);
        break;
      case 2:
        bytes.insert(at, bytes.substr(below(bytes.size()), span));
        break;
      case 3:
        bytes.insert(at, tokens[below(std::size(tokens))]);
        break;
      case 4:
        bytes.replace(at, span, std::string(span, static_cast<char>(random())));
        break;
      default:
        bytes[at] = static_cast<char>(bytes[at] + (below(2) ? 1 : -1));
      }
    }
    auto start = std::chrono::steady_clock::now();
    opened += survive(bytes, folder.where);
    slowest = std::max(slowest, std::chrono::steady_clock::now() - start);
    ++runs;
  }
  EXPECT_LT(slowest, std::chrono::seconds(2));
  RecordProperty("runs", std::to_string(runs));
  RecordProperty("opened", std::to_string(opened));
}

// Random graphs over few names, with subgraphs and functions: what opens must satisfy what a ModelFile promises.
class RandomModel {
public:
  explicit RandomModel(uint64_t seed) : random(seed) {}

  ModelProto make() {
    ModelProto model = identityModel();
    functions = below(4);
    for (size_t i = 0; i < functions; ++i) {
      FunctionProto &function = *model.add_functions();
      function.set_domain("f");
      function.set_name("F" + std::to_string(i));
      for (size_t j = below(3); j > 0; --j)
        function.add_input(anyName());
      for (size_t j = below(3); j > 0; --j)
        function.add_output(anyName());
      for (size_t j = below(4); j > 0; --j)
        fill(*function.add_node(), 2, i); // mostly calls to the ones before
    }
    GraphProto &graph = *model.mutable_graph();
    graph.mutable_output()->Clear();
    for (size_t i = below(8); i > 0; --i)
      fill(*graph.add_node(), 3, functions);
    for (const NodeProto &node : graph.node())
      for (const std::string &name : node.output())
        if (!name.empty() && below(2))
          addValue(*graph.mutable_output(), name);
    return model;
  }

private:
  size_t below(size_t n) { return static_cast<size_t>(random() % n); }
  std::string anyName() { return std::string(1, static_cast<char>('p' + below(16))); } // x and y among them
  void fill(NodeProto &node, int depth, size_t callable) {
    bool call = callable > 0 && below(3) == 0;
    node.set_op_type(call ? "F" + std::to_string(below(below(16) ? callable : functions)) : "Op");
    if (call)
      node.set_domain("f");
    for (size_t i = below(3); i > 0; --i)
      node.add_input(below(8) ? anyName() : "");
    for (size_t i = 1 + below(2); i > 0; --i)
      node.add_output(below(8) ? anyName() : "");
    if (depth == 0 || below(4))
      return;
    AttributeProto &attribute = addAttribute(node, "body", AttributeProto::GRAPH);
    if (below(8) == 0) {
      attribute.set_ref_attr_name("body");
      return;
    }
    GraphProto &graph = *attribute.mutable_g();
    if (below(2))
      addValue(*graph.mutable_input(), anyName());
    for (size_t i = 1 + below(3); i > 0; --i)
      fill(*graph.add_node(), depth - 1, callable);
    addValue(*graph.mutable_output(), anyName());
  }

  std::mt19937_64 random;
  size_t functions = 0;
};

void expectWellFormed(const GraphProto &graph, std::set<std::string> visible) {
  std::set<std::string> own;
  for (const auto &input : graph.input())
    EXPECT_TRUE(own.insert(input.name()).second);
  visible.insert(own.begin(), own.end());
  for (const NodeProto &node : graph.node()) {
    EXPECT_NE(node.domain(), "f");
    for (const std::string &name : node.input())
      EXPECT_TRUE(name.empty() || visible.contains(name)) << name;
    for (const AttributeProto &attribute : node.attribute()) {
      EXPECT_TRUE(attribute.ref_attr_name().empty());
      if (attribute.has_g())
        expectWellFormed(attribute.g(), visible);
    }
    for (const std::string &name : node.output()) {
      EXPECT_TRUE(name.empty() || own.insert(name).second) << name;
      visible.insert(name);
    }
  }
  for (const auto &output : graph.output())
    EXPECT_TRUE(visible.contains(output.name()));
}

TEST(OnnxFuzz, RandomModelsAreWellFormedWhenTheyOpen) {
  int opened = 0, inlined = 0, sorted = 0;
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    ModelProto model = RandomModel(seed).make();
    auto file = load(model);
    if (!file)
      continue;
    ++opened;
    const GraphProto &after = file->proto().graph();
    expectWellFormed(after, {});
    bool calls = false;
    for (const NodeProto &node : model.graph().node())
      calls |= node.domain() == "f";
    inlined += calls;
    sorted += !calls && after.SerializeAsString() != model.graph().SerializeAsString();
    if (HasFailure()) {
      ADD_FAILURE() << "seed " << seed << "\n" << model.DebugString() << after.DebugString();
      break;
    }
  }
  EXPECT_GT(opened, 500); // or the test tests nothing
  EXPECT_GT(inlined, 50);
  EXPECT_GT(sorted, 10);
}

// Small files that ask for much: bytes in the file over bytes in memory must stay within the limits.
TEST(OnnxFuzz, Amplification) {
  auto varint = [](uint64_t n) {
    std::string text;
    for (; n > 127; n >>= 7)
      text += static_cast<char>(n | 128);
    return text + static_cast<char>(n);
  };
  auto wrap = [&](char tag, const std::string &inner) { return tag + varint(inner.size()) + inner; };
  auto repeat = [](const std::string &what, size_t times) {
    std::string text;
    for (size_t i = 0; i < times; ++i)
      text += what;
    return text;
  };
  std::string nodes = repeat(std::string("\x0a\x00", 2), 9 << 20), head = "\x08\x08";
  expectError(ModelFile::fromBytes(head + wrap('\x3a', nodes)), {"limit of", "messages"});
  // Nested as deep as bytes allow, in each place where a message can hold itself.
  std::string graph, type;
  for (int i = 0; i < 2000; ++i) {
    graph = wrap('\x0a', wrap('\x2a', wrap('\x32', graph)));
    type = wrap('\x22', wrap('\x0a', type));
  }
  expectError(ModelFile::fromBytes(head + wrap('\x3a', graph)), {"levels deep"});
  expectError(ModelFile::fromBytes(head + wrap('\x3a', wrap('\x5a', wrap('\x12', type)))), {"levels deep"});
  expectError(ModelFile::fromBytes(head + repeat("\xfb\x07", 100000)), {"wire type 3"});
  // Groups inside messages that only the library walks.
  expectError(ModelFile::fromBytes(head + wrap('\x42', repeat("\xfb\x07", 100000))), {"wire type 3"});
}

} // namespace
