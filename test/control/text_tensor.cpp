// SPDX-License-Identifier: Apache-2.0
// Tensors from text and back.
#include "text_tensor.h"
#include "ops/dispatch.h"
#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace pliant::test {
namespace {

std::vector<std::string> wordsOf(const std::string &text) {
  std::vector<std::string> words(1);
  for (char c : text)
    if (c != ' ' && c != ',' && c != '\n')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  if (words.back().empty())
    words.pop_back();
  return words;
}

template <class T> T numberOf(const std::string &word) {
  if constexpr (isFloatStorage<T>)
    return static_cast<T>(std::strtod(word.c_str(), nullptr));
  else if constexpr (std::is_same_v<T, uint64_t>)
    return std::strtoull(word.c_str(), nullptr, 10);
  else
    return static_cast<T>(std::strtoll(word.c_str(), nullptr, 10));
}

template <class T> Status fill(const DenseTensor &tensor, const std::string &values) {
  T *to = tensor.as<T>();
  const std::vector<std::string> words = wordsOf(values);
  const bool same = values.starts_with('*'), counts = values.starts_with('+');
  if (!same && !counts && static_cast<int64_t>(words.size()) != tensor.size())
    return userError("", std::to_string(words.size()) + " values for " + str(tensor.dims()));
  for (int64_t i = 0; i < tensor.size(); ++i)
    if (same || counts)
      to[i] = static_cast<T>(static_cast<ComputeOf<T>>(numberOf<T>(values.substr(1))) +
                             static_cast<ComputeOf<T>>(counts ? i : 0));
    else
      to[i] = numberOf<T>(words[static_cast<size_t>(i)]);
  return ok();
}

} // namespace

Result<DenseTensor> tensorOf(const std::string &text) {
  const size_t bracket = text.find('['), closed = text.find(']'), open = text.find('{'), end = text.find('}');
  auto dtype = dtypeFromName(text.substr(0, bracket));
  if (!dtype || closed == text.npos || open != closed + 1 || end != text.size() - 1)
    return userError("", "no tensor: " + text);
  std::vector<int64_t> dims;
  for (const std::string &word : wordsOf(text.substr(bracket + 1, closed - bracket - 1)))
    dims.push_back(numberOf<int64_t>(word));
  const std::string values = text.substr(open + 1, end - open - 1);
  if (*dtype == DType::String) {
    std::vector<std::string> words = wordsOf(values);
    std::replace(words.begin(), words.end(), std::string("\"\""), std::string());
    return DenseTensor::ofStrings(dims, std::move(words));
  }
  PLIANT_TRY(DenseTensor tensor, DenseTensor::allocate(*dtype, dims));
  PLIANT_CHECK(dispatch(*dtype, [&]<class T>(Type<T>) { return fill<T>(tensor, values); }));
  return tensor;
}

Result<std::vector<DenseTensor>> tensorsOf(const std::string &text) {
  std::vector<DenseTensor> list;
  for (size_t from = 0; (from = text.find_first_not_of(" \n", from)) != text.npos;) {
    const size_t to = std::min(text.find('}', from), text.size() - 1) + 1;
    PLIANT_TRY(DenseTensor tensor, tensorOf(text.substr(from, to - from)));
    list.push_back(std::move(tensor));
    from = to;
  }
  return list;
}

std::string textOf(const DenseTensor &tensor) {
  std::string out = std::string(name(tensor.dtype())) + "[";
  for (size_t i = 0; i < tensor.dims().size(); ++i)
    out += (i ? ", " : "") + std::to_string(tensor.dims()[i]);
  out += "]{";
  if (tensor.dtype() == DType::String) {
    for (int64_t i = 0; i < tensor.size(); ++i)
      out += (i ? " " : "") + (tensor.text(i).empty() ? std::string("\"\"") : std::string(tensor.text(i)));
    return out + "}";
  }
  dispatch(tensor.dtype(), [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < tensor.size(); ++i) {
      char digits[40];
      char *end = digits;
      if constexpr (isFloatStorage<T>)
        end = std::to_chars(digits, std::end(digits), static_cast<ComputeOf<T>>(tensor.as<T>()[i])).ptr;
      else
        end = std::to_chars(digits, std::end(digits), +tensor.as<T>()[i]).ptr;
      out += (i ? " " : "") + std::string(digits, end);
    }
  });
  return out + "}";
}

} // namespace pliant::test
