// SPDX-License-Identifier: Apache-2.0
// Three programs of each model.
#include "control.h"
#include "api/compiler.h"
#include "text_model.h"
#include "through_bytes.h"
#include "verify.h"

namespace pliant::test {
namespace {

template <class T> RunValue tensorOf(DType dtype, std::vector<int64_t> dims, const std::vector<T> &values) {
  DenseTensor tensor = *DenseTensor::allocate(dtype, std::move(dims));
  EXPECT_EQ(static_cast<size_t>(tensor.size()), values.size());
  for (size_t i = 0; i < values.size(); ++i)
    tensor.as<T>()[i] = values[i];
  return {tensor, std::nullopt};
}

std::string textOf(const DenseTensor &tensor) {
  std::string out = std::string(name(tensor.dtype())) + str(tensor.dims()) + ":";
  for (int64_t i = 0; i < tensor.size(); ++i) {
    char number[40];
    if (tensor.dtype() == DType::F32)
      std::snprintf(number, sizeof number, " %g", static_cast<double>(tensor.as<float>()[i]));
    else if (tensor.dtype() == DType::Bool)
      std::snprintf(number, sizeof number, " %d", tensor.as<uint8_t>()[i]);
    else
      std::snprintf(
          number, sizeof number, " %ld",
          static_cast<long>(tensor.dtype() == DType::I32 ? tensor.as<int32_t>()[i] : tensor.as<int64_t>()[i]));
    out += number;
  }
  return out;
}

std::string textOf(const std::vector<RunValue> &values) {
  std::string out;
  for (const RunValue &value : values) {
    out += out.empty() ? "" : "; ";
    if (!value.list) {
      out += textOf(value.tensor);
      continue;
    }
    out += value.list->present ? "[" : "absent";
    for (size_t i = 0; i < value.list->items.size(); ++i)
      out += (i ? ", " : "") + textOf(value.list->items[i]);
    out += value.list->present ? "]" : "";
  }
  return out;
}

} // namespace

RunValue f32(std::vector<int64_t> dims, std::vector<float> values) {
  return tensorOf(DType::F32, std::move(dims), values);
}
RunValue i64(std::vector<int64_t> dims, std::vector<int64_t> values) {
  return tensorOf(DType::I64, std::move(dims), values);
}
RunValue flag(bool value) { return tensorOf<uint8_t>(DType::Bool, {}, {uint8_t(value)}); }
RunValue list(std::vector<RunValue> items) {
  TensorList out;
  for (RunValue &item : items)
    out.items.push_back(item.tensor);
  return {{}, out};
}
RunValue absent() { return {{}, TensorList{false, {}}}; }
RunValue ramp(std::vector<int64_t> dims, float from) {
  std::vector<float> values(static_cast<size_t>(*elementCount(dims)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = from + static_cast<float>(i);
  return f32(std::move(dims), std::move(values));
}

void Control::model(const std::string &text, int opset) {
  ways.clear();
  auto api = compiler();
  ASSERT_TRUE(api) << api.error().text();
  for (const char *name : {"compiled", "reference", "verified"}) {
    driver::Options options;
    options.cache = false;
    options.reference = name == std::string("reference");
    options.observed = name == std::string("verified");
    auto compiled = (*api)->bytes(modelOf(text, opset), options);
    ASSERT_TRUE(compiled) << compiled.error().text();
    auto kept = throughBytes(std::move(*compiled));
    ASSERT_TRUE(kept) << kept.error().text();
    auto executable = Executable::load(kept->program, kept->image, {}, std::move(kept->weights));
    ASSERT_TRUE(executable) << executable.error().text();
    if (options.observed)
      (*executable)->observe(tool::verifier((*executable)->program()));
    ways.push_back({name, std::move(*executable)});
  }
}

std::string Control::run(const std::vector<RunValue> &inputs) {
  std::optional<std::string> first;
  bool good = true;
  for (Way &way : ways) {
    auto outputs = way.executable->runValues(inputs);
    std::string text = outputs ? textOf(*outputs) : outputs.error().text();
    if (!first) {
      good = static_cast<bool>(outputs);
      first = text;
    }
    EXPECT_EQ(static_cast<bool>(outputs), good) << way.name << ": " << text;
    if (good)
      EXPECT_EQ(text, *first) << way.name;
  }
  return first.value_or("");
}

std::string Control::compileError(const std::string &text, int opset) {
  auto api = compiler();
  if (!api)
    return api.error().text();
  driver::Options options;
  options.cache = false;
  auto compiled = (*api)->bytes(modelOf(text, opset), options);
  return compiled ? "compiled" : compiled.error().text();
}

} // namespace pliant::test
