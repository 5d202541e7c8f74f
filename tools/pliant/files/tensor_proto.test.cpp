// SPDX-License-Identifier: Apache-2.0
#include "files/tensor_proto.h"
#include <gtest/gtest.h>
#include <unistd.h>
#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

using namespace pliant;
using namespace pliant::files;
using onnx::TensorProto;

namespace {

TensorProto proto(int type, std::vector<int64_t> dims) {
  TensorProto p;
  p.set_data_type(type);
  for (int64_t extent : dims)
    p.add_dims(extent);
  return p;
}

Result<NamedTensor> parse(const TensorProto &p) {
  std::string bytes = p.SerializeAsString();
  return parseTensorProto(bytes.data(), bytes.size(), "x.pb");
}

std::string reason(const TensorProto &p) {
  auto tensor = parse(p);
  return tensor ? "read" : tensor.error().message;
}

} // namespace

TEST(TensorProto, RoundTripsEveryTypeRaw) {
  std::string path = testing::TempDir() + "pliant_" + std::to_string(getpid()) + ".pb";
  for (uint8_t i = 0; i <= static_cast<uint8_t>(DType::Bool); ++i)
    for (std::vector<int64_t> dims : {std::vector<int64_t>{}, {0, 3}, {2, 3}}) {
      DenseTensor tensor = *DenseTensor::zeros(static_cast<DType>(i), dims);
      for (size_t b = 0; b < tensor.bytes(); ++b)
        tensor.as<uint8_t>()[b] = tensor.dtype() == DType::Bool ? b & 1 : static_cast<uint8_t>(b + 1);
      ASSERT_TRUE(writeTensorProto(path, {"x", tensor}));
      auto back = readTensorProto(path);
      ASSERT_TRUE(back) << back.error().message;
      EXPECT_EQ(back->first, "x");
      EXPECT_EQ(back->second.dtype(), tensor.dtype());
      EXPECT_EQ(back->second.dims(), dims);
      EXPECT_EQ(std::memcmp(back->second.data(), tensor.data(), tensor.bytes()), 0);
    }
  unlink(path.c_str());
}

TEST(TensorProto, ReadsTypedFields) {
  auto f32 = proto(TensorProto::FLOAT, {2});
  f32.add_float_data(1.5f);
  f32.add_float_data(-2);
  EXPECT_EQ(parse(f32)->second.as<float>()[1], -2);
  auto f64 = proto(TensorProto::DOUBLE, {});
  f64.add_double_data(0.1);
  EXPECT_EQ(parse(f64)->second.as<double>()[0], 0.1);
  auto i64 = proto(TensorProto::INT64, {1});
  i64.add_int64_data(INT64_MIN);
  EXPECT_EQ(parse(i64)->second.as<int64_t>()[0], INT64_MIN);
  auto u64 = proto(TensorProto::UINT64, {1});
  u64.add_uint64_data(UINT64_MAX);
  EXPECT_EQ(parse(u64)->second.as<uint64_t>()[0], UINT64_MAX);
  auto u32 = proto(TensorProto::UINT32, {1});
  u32.add_uint64_data(UINT32_MAX);
  EXPECT_EQ(parse(u32)->second.as<uint32_t>()[0], UINT32_MAX);
  for (int type : {TensorProto::FLOAT16, TensorProto::BFLOAT16, TensorProto::UINT16}) {
    auto half = proto(type, {1});
    half.add_int32_data(0xbc00);
    EXPECT_EQ(parse(half)->second.as<uint16_t>()[0], 0xbc00);
  }
  auto i8 = proto(TensorProto::INT8, {1});
  i8.add_int32_data(-7);
  EXPECT_EQ(parse(i8)->second.as<int8_t>()[0], -7);
  auto i16 = proto(TensorProto::INT16, {1});
  i16.add_int32_data(-700);
  EXPECT_EQ(parse(i16)->second.as<int16_t>()[0], -700);
  auto u8 = proto(TensorProto::UINT8, {1});
  u8.add_int32_data(200);
  EXPECT_EQ(parse(u8)->second.as<uint8_t>()[0], 200);
  auto flag = proto(TensorProto::BOOL, {2});
  flag.add_int32_data(0);
  flag.add_int32_data(5);
  EXPECT_EQ(parse(flag)->second.as<uint8_t>()[1], 1);
  EXPECT_EQ(parse(proto(TensorProto::FLOAT, {0, 4}))->second.size(), 0);
}

TEST(TensorProto, ErrorsSayWhy) {
  auto shorter = proto(TensorProto::FLOAT, {2, 2});
  shorter.set_raw_data("abcd");
  EXPECT_EQ(reason(shorter), "cannot read 'x.pb': a f32 tensor of shape (2, 2) has 16 bytes, but the file holds 4");
  auto wrongField = proto(TensorProto::INT32, {1});
  wrongField.add_float_data(1);
  EXPECT_EQ(reason(wrongField), "cannot read 'x.pb': a i32 tensor of shape (1,) has 1 elements, but the file holds 0");
  EXPECT_EQ(reason(proto(TensorProto::FLOAT, {int64_t(1) << 40})),
            "cannot read 'x.pb': a f32 tensor of shape (1099511627776,) has 1099511627776 elements, but the file holds "
            "0");
  EXPECT_EQ(reason(proto(TensorProto::FLOAT, {-1})), "cannot read 'x.pb': shape (-1,) has the negative extent -1");
  EXPECT_EQ(reason(proto(TensorProto::STRING, {1})),
            "cannot read 'x.pb': a string tensor of shape (1,) has 1 texts, but the file holds 0");
  EXPECT_EQ(reason(proto(TensorProto::COMPLEX64, {1})), "cannot read 'x.pb': element type COMPLEX64 is not supported");
  EXPECT_EQ(reason(proto(77, {1})), "cannot read 'x.pb': element type 77 is not supported");
  EXPECT_EQ(reason(TensorProto()), "cannot read 'x.pb': it is no TensorProto: it has no element type");
  onnx::SequenceProto sequence;
  sequence.set_elem_type(onnx::SequenceProto::TENSOR);
  sequence.add_tensor_values()->set_data_type(TensorProto::FLOAT);
  std::string bytes = sequence.SerializeAsString();
  EXPECT_EQ(parseTensorProto(bytes.data(), bytes.size(), "x.pb").error().message,
            "cannot read 'x.pb': it is a sequence, an optional or a segment of a tensor, not a whole tensor");
  auto external = proto(TensorProto::FLOAT, {1});
  external.set_data_location(TensorProto::EXTERNAL);
  EXPECT_EQ(reason(external), "cannot read 'x.pb': its data lies in another file, which is not supported here");
  EXPECT_FALSE(parseTensorProto("\xff\xff\xff", 3, "x.pb"));
}

TEST(TensorProto, SurvivesCutsAndChangedBytes) {
  auto p = proto(TensorProto::FLOAT16, {2, 2});
  p.set_name("half");
  for (int i = 0; i < 4; ++i)
    p.add_int32_data(i);
  std::string whole = p.SerializeAsString();
  for (size_t length = 0; length < whole.size(); ++length)
    (void)static_cast<bool>(parseTensorProto(whole.data(), length, "x.pb"));
  for (size_t i = 0; i < whole.size(); ++i)
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[i] = static_cast<char>(value);
      (void)static_cast<bool>(parseTensorProto(changed.data(), changed.size(), "x.pb"));
    }
}
