// SPDX-License-Identifier: Apache-2.0
// Reading ONNX files: blobs wherever weights can be, external data, sizes, contents, real files, cost of opening.
#include "onnx/file.test.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace pliant;
using namespace pliant::onnx_file;
using namespace pliant::onnx_file::test;
namespace fs = std::filesystem;

namespace {

void expectFloats(const Result<DenseTensor> &tensor, int64_t count, float start) {
  ASSERT_OPENS(tensor);
  ASSERT_EQ(tensor->dtype(), DType::F32);
  ASSERT_EQ(tensor->size(), count);
  for (int64_t i = 0; i < count; ++i)
    ASSERT_EQ(tensor->as<float>()[i], start + static_cast<float>(i));
}

ModelProto withTensor(const TensorProto &tensor) {
  ModelProto model = identityModel();
  *model.mutable_graph()->add_initializer() = tensor;
  return model;
}
TensorProto tensorOf(int type, std::vector<int64_t> dims) {
  TensorProto tensor;
  tensor.set_name("w");
  tensor.set_data_type(type);
  for (int64_t dim : dims)
    tensor.add_dims(dim);
  return tensor;
}
Result<DenseTensor> readBack(const TensorProto &tensor) {
  PLIANT_TRY(ModelFile file, load(withTensor(tensor)));
  return file.tensor(file.proto().graph().initializer(0));
}
void setEntry(TensorProto &tensor, const std::string &key, const std::string &value) {
  auto &entry = *tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}
TensorProto externalTensor(const std::string &location, int64_t count, const std::string &offset = {},
                           const std::string &length = {}) {
  TensorProto tensor = tensorOf(TensorProto::FLOAT, {count});
  tensor.set_data_location(TensorProto::EXTERNAL);
  setEntry(tensor, "location", location);
  if (!offset.empty())
    setEntry(tensor, "offset", offset);
  if (!length.empty())
    setEntry(tensor, "length", length);
  return tensor;
}
std::string floatBytes(int64_t count, float start) {
  TensorProto tensor;
  setFloats(tensor, count, start);
  return tensor.raw_data();
}

TEST(OnnxFile, FindsWeightsWhereverTheyAre) {
  auto file = load(richModel());
  ASSERT_OPENS(file);
  const GraphProto &graph = file->proto().graph();
  const TensorProto &w = graph.initializer(0), &small = graph.initializer(1);
  EXPECT_EQ(file->blobs().size(), 5u); // w, c, two branches, and the function's, once for both calls
  ASSERT_NE(file->blobOf(w), nullptr);
  EXPECT_EQ(file->blobOf(w)->length, 400u);
  EXPECT_FALSE(w.has_raw_data());
  EXPECT_EQ(file->blobOf(small), nullptr);
  expectFloats(file->tensor(w), 100, 1);
  expectFloats(file->tensor(small), 2, 5);
  expectFloats(file->tensor(graph.node(1).attribute(0).t()), 100, 2);
  for (int i : {0, 1})
    expectFloats(file->tensor(graph.node(2).attribute(i).g().initializer(0)), 100, 3);
  const NodeProto &inlined = graph.node(3);
  EXPECT_EQ(inlined.op_type(), "Constant");
  expectFloats(file->tensor(inlined.attribute(0).t()), 100, 4);
  EXPECT_EQ(graph.node(4).output(0), "t1");
  TensorProto copy = w; // a copy keeps its blob
  EXPECT_EQ(file->blobOf(copy), file->blobOf(w));
  ModelFile moved = std::move(*file);
  expectFloats(moved.tensor(copy), 100, 1);
  moved.dropPages(*moved.blobOf(copy));
  expectFloats(moved.tensor(copy), 100, 1);
}

TEST(OnnxFile, ThresholdIsMoreThan256Bytes) {
  for (int64_t count : {64, 65}) {
    TensorProto tensor;
    setFloats(tensor, count, 7);
    auto file = load(withTensor(tensor));
    ASSERT_OPENS(file);
    EXPECT_EQ(file->blobOf(file->proto().graph().initializer(0)) != nullptr, count == 65);
    expectFloats(file->tensor(file->proto().graph().initializer(0)), count, 7);
  }
}

TEST(OnnxFile, AFileCannotForgeABlob) {
  ModelProto model = richModel();
  model.mutable_graph()->mutable_initializer(1)->mutable_segment()->set_begin(0);
  expectError(load(model), {"segment"});
  // Two messages of one field would be merged by the library: the first one's blob, the second one's shape.
  TensorProto first, second;
  setFloats(first, 100);
  setFloats(second, 2);
  ModelProto base = identityModel();
  AttributeProto attribute;
  attribute.set_name("value");
  std::string twice = attribute.SerializeAsString();
  for (const TensorProto *each : {&first, &second}) {
    AttributeProto holder;
    *holder.mutable_t() = *each;
    twice += holder.SerializeAsString();
  }
  NodeProto node;
  node.set_op_type("Constant");
  node.add_output("c");
  std::string nodeBytes = node.SerializeAsString() + "\x2a";
  auto length = [](std::string &to, size_t n) {
    for (; n > 127; n >>= 7)
      to += static_cast<char>(n | 128);
    to += static_cast<char>(n);
  };
  length(nodeBytes, twice.size());
  nodeBytes += twice;
  std::string graph = base.graph().SerializeAsString() + "\x0a";
  length(graph, nodeBytes.size());
  graph += nodeBytes;
  base.clear_graph();
  std::string bytes = base.SerializeAsString() + "\x3a";
  length(bytes, graph.size());
  bytes += graph;
  expectError(ModelFile::fromBytes(bytes), {"second field 5"});
}

TEST(OnnxFile, PayloadInPieces) {
  TensorProto whole, piece;
  setFloats(whole, 100);
  piece.add_float_data(1);
  std::string tensor = whole.SerializeAsString() + piece.SerializeAsString();
  Folder folder;
  expectError(readTensorFile(folder.write("t.pb", tensor)), {"more than one piece", "t.pb"});
  expectFloats(readTensorFile(folder.write("t.pb", whole.SerializeAsString())), 100, 0);
}

TEST(OnnxFile, SizesMustAgree) {
  TensorProto tensor = tensorOf(TensorProto::FLOAT, {2, 3});
  tensor.set_raw_data(std::string(20, 'a'));
  expectError(load(withTensor(tensor)), {"'w'", "24", "20", "float (2, 3)"});
  tensor.set_raw_data(std::string(2000, 'a'));
  expectError(load(withTensor(tensor)), {"'w'", "24", "2000"});
  tensor.clear_raw_data();
  expectError(load(withTensor(tensor)), {"'w'", "24", "0"});
  for (int i = 0; i < 5; ++i)
    tensor.add_float_data(1);
  expectError(load(withTensor(tensor)), {"'w'", "6 numbers", "5"});
  tensor.set_dims(0, -2);
  expectError(load(withTensor(tensor)), {"'w'", "negative extent -2"});
  for (int64_t huge : {int64_t(1) << 40, INT64_MAX}) {
    TensorProto wide = tensorOf(TensorProto::FLOAT, {huge, huge, huge});
    wide.set_raw_data("abcd");
    expectError(load(withTensor(wide)), {"'w'", "more elements than memory"});
  }
  expectError(load(withTensor(tensorOf(TensorProto::FLOAT, std::vector<int64_t>(65, 1)))), {"65 dimensions"});
  TensorProto large = tensorOf(TensorProto::FLOAT, {int64_t(1) << 50});
  expectError(load(withTensor(large)), {"4503599627370496", "0"});
  TensorProto empty = tensorOf(TensorProto::FLOAT, {INT64_MAX, INT64_MAX, 0});
  EXPECT_OPENS(load(withTensor(empty)));
  for (int type : {0, -1, 99})
    expectError(load(withTensor(tensorOf(type, {1}))), {"'w'", "unknown element type"});
  TensorProto both = tensorOf(TensorProto::FLOAT, {1});
  both.add_float_data(1);
  both.set_raw_data("abcd");
  expectError(load(withTensor(both)), {"two fields"});
  TensorProto wrong = tensorOf(TensorProto::FLOAT, {1});
  wrong.add_int64_data(1);
  expectError(load(withTensor(wrong)), {"another type"});
}

template <class T> void expectValues(const TensorProto &tensor, const std::vector<T> &values) {
  auto read = readBack(tensor);
  ASSERT_OPENS(read);
  ASSERT_EQ(read->size(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(read->as<T>()[i], values[i]) << i;
}

TEST(OnnxFile, ReadsEveryTypeAndField) {
  for (int64_t repeat : {1, 200}) { // inside the proto, and as a blob
    auto fill = [&](int type, const std::vector<int64_t> &values, auto add) {
      TensorProto tensor = tensorOf(type, {repeat * static_cast<int64_t>(values.size())});
      for (int64_t i = 0; i < repeat; ++i)
        for (int64_t value : values)
          add(tensor, value);
      return tensor;
    };
    auto wide = [&]<class T>(std::vector<T> values) {
      std::vector<T> all;
      for (int64_t i = 0; i < repeat; ++i)
        all.insert(all.end(), values.begin(), values.end());
      return all;
    };
    auto i32 = [](TensorProto &t, int64_t v) { t.add_int32_data(static_cast<int32_t>(v)); };
    auto i64 = [](TensorProto &t, int64_t v) { t.add_int64_data(v); };
    auto u64 = [](TensorProto &t, int64_t v) { t.add_uint64_data(static_cast<uint64_t>(v)); };
    auto f64 = [](TensorProto &t, int64_t v) { t.add_double_data(static_cast<double>(v) / 2); };
    auto f32 = [](TensorProto &t, int64_t v) { t.add_float_data(static_cast<float>(v) / 2); };
    expectValues(fill(TensorProto::INT32, {-5, INT32_MIN, 7}, i32), wide(std::vector<int32_t>{-5, INT32_MIN, 7}));
    expectValues(fill(TensorProto::INT16, {-5, 300}, i32), wide(std::vector<int16_t>{-5, 300}));
    expectValues(fill(TensorProto::UINT16, {65535, 300}, i32), wide(std::vector<uint16_t>{65535, 300}));
    expectValues(fill(TensorProto::INT8, {-128, 127}, i32), wide(std::vector<int8_t>{-128, 127}));
    expectValues(fill(TensorProto::UINT8, {0, 255}, i32), wide(std::vector<uint8_t>{0, 255}));
    expectValues(fill(TensorProto::BOOL, {0, 2}, i32), wide(std::vector<uint8_t>{0, 1}));
    expectValues(fill(TensorProto::FLOAT16, {0x3c00, 0xbc00, -17408}, i32),
                 wide(std::vector<uint16_t>{0x3c00, 0xbc00, 0xbc00}));
    expectValues(fill(TensorProto::BFLOAT16, {0x3f80}, i32), wide(std::vector<uint16_t>{0x3f80}));
    expectValues(fill(TensorProto::INT64, {-5, INT64_MIN}, i64), wide(std::vector<int64_t>{-5, INT64_MIN}));
    expectValues(fill(TensorProto::UINT64, {-1, 5}, u64), wide(std::vector<uint64_t>{UINT64_MAX, 5}));
    expectValues(fill(TensorProto::UINT32, {UINT32_MAX, 5}, u64), wide(std::vector<uint32_t>{UINT32_MAX, 5}));
    expectValues(fill(TensorProto::DOUBLE, {3, -1}, f64), wide(std::vector<double>{1.5, -0.5}));
    expectValues(fill(TensorProto::FLOAT, {3, -1}, f32), wide(std::vector<float>{1.5f, -0.5f}));
    expectError(readBack(fill(TensorProto::INT8, {128}, i32)), {"'w'", "128", "i8"});
    expectError(readBack(fill(TensorProto::UINT8, {-1}, i32)), {"'w'", "-1", "u8"});
    expectError(readBack(fill(TensorProto::UINT32, {-1}, u64)), {"'w'", "u32"});
  }
  TensorProto bools = tensorOf(TensorProto::BOOL, {3});
  bools.set_raw_data(std::string("\0\1\xff", 3));
  expectValues(bools, std::vector<uint8_t>{0, 1, 1});
}

TEST(OnnxFile, VarintBlobsAreCountedWhenRead) {
  TensorProto tensor = tensorOf(TensorProto::INT64, {200});
  for (int i = 0; i < 201; ++i)
    tensor.add_int64_data(300);
  auto file = load(withTensor(tensor)); // 402 bytes may be 200 numbers
  ASSERT_OPENS(file);
  expectError(file->tensor(file->proto().graph().initializer(0)), {"more than the 200"});
  tensor.set_dims(0, 202);
  auto fewer = load(withTensor(tensor));
  ASSERT_OPENS(fewer);
  expectError(fewer->tensor(fewer->proto().graph().initializer(0)), {"202", "201"});
  tensor.set_dims(0, 1000);
  expectError(load(withTensor(tensor)), {"1000", "402"});
}

TEST(OnnxFile, StringsAreReadAndOtherTypesFailAtUseOnly) {
  TensorProto strings = tensorOf(TensorProto::STRING, {2});
  strings.add_string_data("a");
  expectError(load(withTensor(strings)), {"2 strings", "1"});
  strings.add_string_data("b");
  ASSERT_OPENS(load(withTensor(strings)));
  auto texts = readBack(strings);
  ASSERT_OPENS(texts);
  EXPECT_EQ(texts->text(0), "a");
  EXPECT_EQ(texts->text(1), "b");
  TensorProto int4 = tensorOf(22, {3});
  int4.set_raw_data("ab");
  ASSERT_OPENS(load(withTensor(int4)));
  expectError(readBack(int4), {"int4", "not supported"});
}

TEST(OnnxFile, ExternalData) {
  Folder folder;
  folder.write("data.bin", floatBytes(100, 9));
  folder.write("sub/more.bin", floatBytes(10, 3));
  ModelProto model = withTensor(externalTensor("data.bin", 100));
  *model.mutable_graph()->add_initializer() = externalTensor("data.bin", 50, "200", "200");
  model.mutable_graph()->mutable_initializer(1)->set_name("half");
  *model.mutable_graph()->add_initializer() = externalTensor("sub/more.bin", 10);
  model.mutable_graph()->mutable_initializer(2)->set_name("more");
  std::string path = folder.write("m.onnx", model.SerializeAsString());
  auto file = ModelFile::open(path);
  ASSERT_OPENS(file);
  expectFloats(file->tensor(file->proto().graph().initializer(0)), 100, 9);
  expectFloats(file->tensor(file->proto().graph().initializer(1)), 50, 59);
  expectFloats(file->tensor(file->proto().graph().initializer(2)), 10, 3);
  const WeightBlob *half = file->blobOf(file->proto().graph().initializer(1));
  EXPECT_EQ(fs::path(half->file), fs::canonical(folder.where / "data.bin"));
  EXPECT_EQ(half->offset, 200u);
  EXPECT_OPENS(ModelFile::fromBytes(model.SerializeAsString(), folder.where));
  expectError(load(model), {"without a folder"});
}

TEST(OnnxFile, ExternalDataStaysInTheFolder) {
  Folder folder;
  folder.write("secret.bin", floatBytes(100, 0));
  folder.write("in/data.bin", floatBytes(100, 0));
  fs::create_symlink("../secret.bin", folder.where / "in/link.bin");
  fs::create_symlink("..", folder.where / "in/up");
  fs::create_symlink("data.bin", folder.where / "in/inside.bin");
  ::mkfifo((folder.where / "in/pipe").c_str(), 0600);
  auto open = [&](const TensorProto &tensor) {
    return ModelFile::open(folder.write("in/m.onnx", withTensor(tensor).SerializeAsString()));
  };
  EXPECT_OPENS(open(externalTensor("data.bin", 100)));
  EXPECT_OPENS(open(externalTensor("./data.bin", 100)));
  EXPECT_OPENS(open(externalTensor("inside.bin", 100)));
  expectError(open(externalTensor((folder.where / "in/data.bin").string(), 100)), {"absolute", "'w'"});
  expectError(open(externalTensor("../secret.bin", 100)), {"leaves the model's folder", "'w'"});
  expectError(open(externalTensor("x/../../secret.bin", 100)), {"leaves the model's folder"});
  expectError(open(externalTensor("link.bin", 100)), {"symbolic link"});
  expectError(open(externalTensor("up/secret.bin", 100)), {"symbolic link"});
  expectError(open(externalTensor("none.bin", 100)), {"'none.bin'", "No such file"});
  expectError(open(externalTensor("", 100)), {"no file name"});
  expectError(open(externalTensor(std::string("data.bin\0x", 10), 100)), {"no file name"});
  expectError(open(externalTensor("pipe", 100)), {"no regular file"});
  expectError(open(externalTensor(".", 100)), {"folder"});
  expectError(open(externalTensor("data.bin", 101)), {"'w'", "404", "400"});
  expectError(open(externalTensor("data.bin", 100, "4")), {"'w'", "400"});
  expectError(open(externalTensor("data.bin", 100, "18446744073709551615", "400")), {"'w'"});
  expectError(open(externalTensor("data.bin", 100, "0", "396")), {"'w'", "400", "396"});
  expectError(open(externalTensor("data.bin", 100, "-1")), {"offset", "'-1'"});
  expectError(open(externalTensor("data.bin", 100, "0", "1e3")), {"length", "'1e3'"});
  // As model hubs lay them out: both names are links into one store.
  fs::create_directories(folder.where / "snapshot");
  folder.write("store/aa", withTensor(externalTensor("d.bin", 100)).SerializeAsString());
  folder.write("store/bb", floatBytes(100, 0));
  fs::create_symlink("../store/aa", folder.where / "snapshot/m.onnx");
  fs::create_symlink("../store/bb", folder.where / "snapshot/d.bin");
  EXPECT_OPENS(ModelFile::open(folder.where / "snapshot/m.onnx"));
}

TEST(OnnxFile, WhatIsNoModel) {
  Folder folder;
  expectError(ModelFile::open(folder.where / "none.onnx"), {"No such file", "none.onnx"});
  expectError(ModelFile::open(folder.where), {"folder"});
  expectError(ModelFile::open("/dev/zero"), {"no regular file"});
  expectError(ModelFile::open(folder.write("empty.onnx", "")), {"empty"});
  expectError(ModelFile::fromBytes("\x89PNG\r\n\x1a\n and so on"), {"no ONNX model"});
  expectError(ModelFile::fromBytes(std::string(100, '\xff')), {"no ONNX model"});
}

TEST(OnnxFile, NamesAreShownSafely) {
  EXPECT_EQ(quote("a b"), "'a b'");
  EXPECT_EQ(quote("\x1b[31m\n"), "'?[31m?'");
  EXPECT_EQ(quote("\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80"), "'\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80'");
  EXPECT_EQ(quote("\xc2\x9b\xff\xc0\xaf\xed\xa0\x80\xe4\xb8"), "'" + std::string(10, '?') + "'");
  EXPECT_EQ(quote("\xe2\x80\xae"), "'" + std::string(3, '?') + "'"); // turns the reading direction
  EXPECT_LE(quote(std::string(1000, 'x')).size(), 90u);
}

TEST(OnnxFile, LargeStringsAreRefusedBeforeTheyAreCopied) {
  Folder folder;
  std::string path = folder.write("m.onnx", std::string("\x08\x08\x32\x80\x80\x80\x80\x28", 8)); // doc_string
  fs::resize_file(path, 8 + (uint64_t(10) << 30));
  expectError(ModelFile::open(path), {"besides its weights"});
}

TEST(OnnxFile, ExternalFilesAreMappedOnce) {
  Folder folder;
  folder.write("data.bin", floatBytes(1, 9));
  ModelProto model = identityModel();
  std::string location = "data.bin";
  for (int i = 0; i < 50; ++i, location = "./" + location) {
    TensorProto tensor = externalTensor(location, 1);
    tensor.set_name("w" + std::to_string(i));
    *model.mutable_graph()->add_initializer() = tensor;
  }
  auto file = ModelFile::fromBytes(model.SerializeAsString(), folder.where);
  ASSERT_OPENS(file);
  for (const WeightBlob &blob : file->blobs())
    EXPECT_EQ(blob.mapping, 1u);
  Limits limits;
  limits.externalFiles = 20;
  expectError(ModelFile::fromBytes(model.SerializeAsString(), folder.where, limits), {"more than 20 files"});
}

TEST(OnnxFile, LimitsHold) {
  Limits limits;
  limits.items = 20;
  expectError(load(richModel(), limits), {"limit of 20 messages"});
  limits = {};
  limits.restBytes = 500;
  expectError(load(richModel(), limits), {"more than 500 bytes"});
  auto nested = [](int depth) {
    ModelProto model = identityModel();
    GraphProto *graph = model.mutable_graph();
    for (int i = 0; i < depth; ++i) {
      NodeProto &node = addNode(*graph, "If", {"x"}, {"o"});
      graph = addAttribute(node, "then_branch", AttributeProto::GRAPH).mutable_g();
      addValue(*graph->mutable_output(), "x");
    }
    return model;
  };
  EXPECT_OPENS(load(nested(64)));
  expectError(load(nested(65)), {"more than 64 levels"});
  ModelProto typed = identityModel();
  auto *type = typed.mutable_graph()->mutable_input(0)->mutable_type();
  for (int i = 0; i < 20; ++i)
    type = type->mutable_sequence_type()->mutable_elem_type();
  expectError(load(typed), {"more than 16 levels"});
}

TEST(OnnxFile, RealModelsOpen) {
  auto folder = dataFolder("PLIANT_MODELS");
  if (!folder)
    GTEST_SKIP() << "PLIANT_MODELS is not set";
  int count = 0;
  for (const auto &entry : fs::recursive_directory_iterator(*folder)) {
    if (entry.path().extension() == ".onnx") {
      auto file = ModelFile::open(entry.path());
      ASSERT_OPENS(file) << entry.path();
      uint64_t blobs = 0;
      for (const WeightBlob &blob : file->blobs())
        blobs += blob.length;
      uint64_t size = entry.file_size(), rest = file->proto().ByteSizeLong();
      EXPECT_LE(blobs + rest, size + size / 10) << entry.path();
      ++count;
    } else if (entry.path().extension() == ".pb") {
      EXPECT_OPENS(readTensorFile(entry.path())) << entry.path();
    }
  }
  EXPECT_GT(count, 0);
}

TEST(OnnxFile, ConformanceFilesOpen) {
  auto folder = dataFolder("PLIANT_ONNX_TESTDATA", "/usr/share/libonnx-testdata/data");
  if (!folder)
    GTEST_SKIP() << "libonnx-testdata is not installed";
  int models = 0, tensors = 0;
  for (const auto &entry : fs::recursive_directory_iterator(*folder)) {
    std::string path = entry.path();
    if (entry.path().extension() == ".onnx") {
      EXPECT_OPENS(ModelFile::open(path)) << path;
      ++models;
    } else if (entry.path().extension() == ".pb") {
      auto tensor = readTensorFile(path); // sequences, optionals and strings are no tensors of ours
      tensors += bool(tensor);
      if (tensor || tensor.error().message.find("element type") != std::string::npos)
        continue;
      bool noTensor = false;
      for (const char *part : {"seq", "loop", "opt", "if_", "identity"})
        noTensor |= path.find(part) != std::string::npos;
      EXPECT_TRUE(noTensor) << path << ": " << tensor.error().message;
    }
  }
  EXPECT_GT(models, 500);
  EXPECT_GT(tensors, 1000);
}

// Opening must not touch the weights: a sparse file of 400 MB opens in milliseconds with few page faults.
TEST(OnnxFile, OpeningDoesNotReadWeights) {
  Folder folder;
  std::string path = (folder.where / "big.onnx").string(), before;
  ModelProto model = identityModel();
  constexpr int tensors = 100;
  constexpr uint64_t each = 4 << 20;
  uint64_t total = 0;
  {
    std::ofstream out(path, std::ios::binary);
    auto varint = [](uint64_t n) {
      std::string text;
      for (; n > 127; n >>= 7)
        text += static_cast<char>(n | 128);
      return text + static_cast<char>(n);
    };
    auto header = [&](int i) {
      TensorProto tensor = tensorOf(TensorProto::FLOAT, {static_cast<int64_t>(each / 4)});
      tensor.set_name("w" + std::to_string(i));
      return tensor.SerializeAsString() + "\x4a" + varint(each);
    };
    for (int i = 0; i < tensors; ++i)
      total += 1 + varint(header(i).size() + each).size() + header(i).size() + each;
    std::string graph = model.graph().SerializeAsString();
    model.clear_graph();
    out << model.SerializeAsString() << "\x3a" << varint(graph.size() + total) << graph;
    for (int i = 0; i < tensors; ++i) {
      out << "\x2a" << varint(header(i).size() + each) << header(i);
      out.seekp(each - 1, std::ios::cur);
      out.put(0);
    }
  }
  ASSERT_GT(fs::file_size(path), uint64_t(400) << 20);
  struct rusage start, end;
  ::getrusage(RUSAGE_SELF, &start);
  auto clock = std::chrono::steady_clock::now();
  auto file = ModelFile::open(path);
  double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - clock).count();
  ::getrusage(RUSAGE_SELF, &end);
  ASSERT_OPENS(file);
  EXPECT_EQ(file->blobs().size(), size_t(tensors));
  EXPECT_LT(end.ru_minflt + end.ru_majflt - start.ru_minflt - start.ru_majflt, 2000);
  EXPECT_LT(ms, 1000); // generous; typically below 5
  RecordProperty("milliseconds", std::to_string(ms));
}

} // namespace
