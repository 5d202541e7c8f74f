// SPDX-License-Identifier: Apache-2.0
#include "runtime/dense_tensor.h"
#include "runtime/memory.h"
#include <gtest/gtest.h>

using namespace pliant;

TEST(DenseTensor, CountsElements) {
  EXPECT_EQ(*elementCount({}), 1);
  EXPECT_EQ(*elementCount({2, 3, 4}), 24);
  EXPECT_EQ(*elementCount({5, 0, 7}), 0);
  EXPECT_TRUE(elementCount({INT64_MAX / 8}));
  EXPECT_FALSE(elementCount({INT64_MAX / 8 + 1}));
  EXPECT_FALSE(elementCount({INT64_MAX, INT64_MAX}));
  EXPECT_FALSE(elementCount({0, INT64_MAX, INT64_MAX}));
  EXPECT_FALSE(elementCount({3, -1}));
  EXPECT_FALSE(elementCount({0, INT64_MIN}));
}

TEST(DenseTensor, PrintsShapes) {
  EXPECT_EQ(str(std::vector<int64_t>{}), "()");
  EXPECT_EQ(str(std::vector<int64_t>{3}), "(3,)");
  EXPECT_EQ(str(std::vector<int64_t>{2, 3}), "(2, 3)");
}

TEST(DenseTensor, AllocatesAligned) {
  for (int64_t n : {0, 1, 3, 1000, 300000}) {
    auto tensor = DenseTensor::allocate(DType::F32, {n, 3});
    ASSERT_TRUE(tensor);
    EXPECT_NE(tensor->data(), nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 64, 0u);
    EXPECT_EQ(tensor->size(), n * 3);
    EXPECT_EQ(tensor->bytes(), static_cast<size_t>(n) * 12);
  }
}

TEST(DenseTensor, ZerosAreZeroAndCopiesShare) {
  auto tensor = DenseTensor::zeros(DType::I64, {7});
  ASSERT_TRUE(tensor);
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(tensor->as<int64_t>()[i], 0);
  DenseTensor copy = *tensor;
  copy.as<int64_t>()[3] = 5;
  EXPECT_EQ(tensor->as<int64_t>()[3], 5);
}

TEST(DenseTensor, HugeIsAnErrorAndMemoryReturns) {
  size_t before = liveMemory();
  for (std::vector<int64_t> dims : {std::vector<int64_t>{INT64_MAX / 8}, {int64_t(1) << 45}, {-2}}) {
    auto tensor = DenseTensor::allocate(DType::F64, dims);
    ASSERT_FALSE(tensor);
    EXPECT_EQ(tensor.error().kind, Error::Kind::User);
  }
  {
    auto tensor = DenseTensor::allocate(DType::F64, {100});
  }
  EXPECT_EQ(liveMemory(), before);
}

TEST(DenseTensor, BorrowKeepsOwnerAlive) {
  auto owner = std::make_shared<std::vector<float>>(6, 1.0f);
  std::weak_ptr<std::vector<float>> watch = owner;
  DenseTensor tensor = DenseTensor::borrow(DType::F32, {2, 3}, owner->data(), owner);
  owner.reset();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(tensor.size(), 6);
  tensor = DenseTensor();
  EXPECT_TRUE(watch.expired());
  EXPECT_FALSE(tensor);
  float scalar = 2;
  EXPECT_TRUE(DenseTensor::borrow(DType::F32, {}, &scalar));
}
