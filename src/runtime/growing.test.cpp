// SPDX-License-Identifier: Apache-2.0
#include "runtime/growing.h"
#include "runtime/memory.h"
#include <gtest/gtest.h>

using namespace pliant;

TEST(GrowingTensor, KeepsElementsApartAlongItsAxis) {
  DenseTensor tensor = *DenseTensor::allocate(DType::F32, {2, 3, 4});
  for (int64_t i = 0; i < 24; ++i)
    tensor.as<float>()[i] = static_cast<float>(i);
  for (size_t axis = 0; axis < 3; ++axis)
    for (int64_t capacity : {0, 3, 7}) {
      auto made = GrowingTensor::copyOf(tensor, axis, capacity);
      ASSERT_TRUE(made);
      EXPECT_EQ(made->dims(), tensor.dims());
      EXPECT_EQ(made->capacity(), std::max(capacity, tensor.dims()[axis]));
      int64_t steps[3] = {12, 4, 1}; // of the block
      for (size_t i = 0; i < axis; ++i)
        steps[i] = steps[i] / tensor.dims()[axis] * made->capacity();
      EXPECT_EQ(static_cast<float *>(made->data())[steps[0] + 2 * steps[1] + 3 * steps[2]], 23);
      auto dense = made->tensor();
      ASSERT_TRUE(dense);
      EXPECT_EQ(dense->dims(), tensor.dims());
      EXPECT_EQ(std::memcmp(dense->data(), tensor.data(), tensor.bytes()), 0);
      made->setLength(1);
      EXPECT_EQ(made->tensor()->dims()[axis], 1);
    }
}

TEST(GrowingTensor, IsWrittenByItsOnlyHolder) {
  const size_t before = liveMemory();
  {
    GrowingTensor state = *GrowingTensor::allocate(DType::I64, {5}, 0, 8);
    EXPECT_TRUE(state.sole());
    DenseTensor dense = *state.tensor(); // one row: the block itself
    EXPECT_EQ(dense.data(), state.data());
    EXPECT_FALSE(state.sole());
    dense = DenseTensor();
    EXPECT_TRUE(state.sole());
    GrowingTensor other = state;
    EXPECT_FALSE(state.sole());
    EXPECT_EQ(liveMemory(), before + 64);
  }
  EXPECT_EQ(liveMemory(), before);
  EXPECT_FALSE(GrowingTensor());
}

TEST(GrowingTensor, EmptyExtentsAndHugeOnes) {
  for (std::vector<int64_t> dims : {std::vector<int64_t>{0, 3}, {3, 0}, {0, 0}})
    for (size_t axis : {0u, 1u}) {
      auto made = GrowingTensor::copyOf(*DenseTensor::zeros(DType::F32, dims), axis, 9);
      ASSERT_TRUE(made);
      EXPECT_EQ(made->capacity(), 9);
      EXPECT_EQ(made->tensor()->dims(), dims);
    }
  EXPECT_FALSE(GrowingTensor::allocate(DType::F64, {2, 1}, 1, INT64_MAX / 8));
}
