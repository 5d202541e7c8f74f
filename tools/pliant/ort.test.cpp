// SPDX-License-Identifier: Apache-2.0
// Runs only where PLIANT_ORT names the library; the rest of the client is tested without it.
#include "ort.h"
#include "files/bytes.h"
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>
#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#include <onnx/onnx_pb.h>

using namespace pliant;

namespace {

std::string base() { return testing::TempDir() + "pliant_ort_" + std::to_string(getpid()); }

/// y = x + x, with a symbolic batch, and n = Shape(x).
void writeModel(const std::string &path) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto *graph = model.mutable_graph();
  graph->set_name("g");
  auto value = [](onnx::ValueInfoProto *info, const char *name, int type) {
    info->set_name(name);
    info->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    return info->mutable_type()->mutable_tensor_type()->mutable_shape();
  };
  for (auto [info, name] : {std::pair(graph->add_input(), "x"), std::pair(graph->add_output(), "y")}) {
    auto *shape = value(info, name, onnx::TensorProto::FLOAT);
    shape->add_dim()->set_dim_param("B");
    shape->add_dim()->set_dim_value(3);
  }
  value(graph->add_output(), "n", onnx::TensorProto::INT64)->add_dim()->set_dim_value(2);
  auto *add = graph->add_node();
  add->set_op_type("Add");
  add->add_input("x");
  add->add_input("x");
  add->add_output("y");
  auto *shape = graph->add_node();
  shape->set_op_type("Shape");
  shape->add_input("x");
  shape->add_output("n");
  ASSERT_TRUE(files::writeFile(path, model.SerializeAsString()));
}

class Ort : public testing::Test {
protected:
  void SetUp() override {
    const char *path = std::getenv("PLIANT_ORT");
    if (!path)
      GTEST_SKIP() << "PLIANT_ORT names no library";
    library = path;
    model = base() + ".onnx";
    writeModel(model);
  }
  void TearDown() override { unlink(model.c_str()); }
  std::string library, model;
};

} // namespace

TEST_F(Ort, RunsAndRunsAgain) {
  auto session = OrtSession::open(library, model, 1);
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->inputNames(), std::vector<std::string>{"x"});
  EXPECT_EQ(session->outputNames(), (std::vector<std::string>{"y", "n"}));
  EXPECT_FALSE(session->version().empty());
  for (int64_t batch : {0, 1, 4}) {
    DenseTensor x = *DenseTensor::allocate(DType::F32, {batch, 3});
    for (int64_t i = 0; i < x.size(); ++i)
      x.as<float>()[i] = static_cast<float>(i);
    auto call = session->prepare({{"x", x}});
    ASSERT_TRUE(call) << call.error().message;
    EXPECT_FALSE(call->outputs()) << "there was no run";
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(call->run());
    auto outputs = call->outputs();
    ASSERT_TRUE(outputs) << outputs.error().message;
    EXPECT_EQ((*outputs)[0].dims(), x.dims());
    for (int64_t i = 0; i < x.size(); ++i)
      EXPECT_EQ((*outputs)[0].as<float>()[i], static_cast<float>(2 * i));
    EXPECT_EQ((*outputs)[1].as<int64_t>()[0], batch);
    call->reset();
    EXPECT_FALSE(call->outputs());
  }
}

TEST_F(Ort, ACallOutlivesItsSession) {
  auto call = [&] {
    auto session = OrtSession::open(library, model, 1);
    return session->prepare({{"x", *DenseTensor::zeros(DType::F32, {2, 3})}});
  }();
  ASSERT_TRUE(call->run());
  EXPECT_EQ(call->outputs()->size(), 2u);
}

TEST_F(Ort, ErrorsAreTheRuntimes) {
  auto session = OrtSession::open(library, model, 1);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->prepare({{"z", *DenseTensor::zeros(DType::F32, {1, 3})}}).error().message,
            "the model has no input 'z'");
  auto wrong = session->run({{"x", *DenseTensor::zeros(DType::I64, {1, 3})}});
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("Unexpected input data type"), std::string::npos) << wrong.error().message;
  EXPECT_FALSE(session->run({}));
  EXPECT_FALSE(OrtSession::open(library, "/nowhere.onnx", 1));
}

TEST(OrtLibrary, IsFoundOrTheErrorSaysHow) {
  const char *before = std::getenv("PLIANT_ORT");
  std::string saved = before ? before : "";
  unsetenv("PLIANT_ORT");
  std::filesystem::path root = base(), package = root / "node_modules/onnxruntime-node";
  auto none = findOrt(root);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().hint.find("npm install --ignore-scripts onnxruntime-node"), std::string::npos);
  std::filesystem::create_directories(package / "bin/napi-v3/linux/arm64");
  EXPECT_NE(findOrt(root).error().message.find("came without"), std::string::npos);
  for (const char *version : {"napi-v3", "napi-v10", "napi-v6", "napi-x"}) {
    auto folder = package / "bin" / version / "linux/x64";
    std::filesystem::create_directories(folder);
    ASSERT_TRUE(files::writeFile(folder / "libonnxruntime.so.1", "no library"));
  }
  auto found = findOrt(root);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, package / "bin/napi-v10/linux/x64/libonnxruntime.so.1");
  auto notLibrary = OrtSession::open(*found, "x.onnx", 1);
  EXPECT_NE(notLibrary.error().message.find("cannot open the library"), std::string::npos);
  setenv("PLIANT_ORT", "/nowhere.so", 1);
  EXPECT_EQ(findOrt(root).error().message, "PLIANT_ORT is '/nowhere.so', which cannot be read");
  std::filesystem::remove_all(root);
  if (before)
    setenv("PLIANT_ORT", saved.c_str(), 1);
  else
    unsetenv("PLIANT_ORT");
}
