// SPDX-License-Identifier: Apache-2.0
// Tensors from a short text.
#pragma once
#include "runtime/dense_tensor.h"
#include <string>
#include <vector>

namespace pliant::test {

/// "f32[2, 2]{1 -0 nan -inf}", any element type; values are separated by blanks or commas. "{*7}" is the value
/// everywhere,
/// "{+3}" counts up from it; of strings each word is one, and "" the empty one. An error names what is malformed.
Result<DenseTensor> tensorOf(const std::string &text);
/// The same, one after the other: "f32[]{1} i64[0]{}".
Result<std::vector<DenseTensor>> tensorsOf(const std::string &text);
/// The text of a tensor; it reads back as the same elements.
std::string textOf(const DenseTensor &tensor);

} // namespace pliant::test
