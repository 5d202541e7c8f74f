// SPDX-License-Identifier: Apache-2.0
// Inputs from files and at random.
#include "inputs.h"
#include "files/files.h"
#include "files/list_proto.h"
#include "indexed.h"
#include "ops/dispatch.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace pliant::tool {

const std::vector<Option> &inputOptionList() {
  static const std::vector<Option> list = [] {
    std::vector<Option> all{
        {"--input", "NAME=FILE",
         "a .npy, .npz, .png, .jpg or ONNX .pb file; repeated; NAME= may be left out when the "
         "model has one input or the file names its tensors"},
        {"--random", "SEED",
         "draws the inputs without a file: floats in [-1, 1), integers below what they index, else 0 "
         "or 1"},
        {"--range", "NAME=A..B", "draws this input's values from A to B"},
        {"--shapes", "LIST",
         "values of the model's symbols: \"1,40..640/25\" or \"batch=1,width=40..640/25\"; ';' between "
         "lists"},
    };
    all.insert(all.end(), pictureOptionList().begin(), pictureOptionList().end());
    return all;
  }();
  return list;
}

/// Counter-based: the value depends on seed and position only.
static uint64_t mixed(uint64_t seed, uint64_t stream, uint64_t counter) {
  uint64_t z = seed * 0xd1342543de82ef95u + stream * 0x9e3779b97f4a7c15u + (counter + 1) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static std::string inputNames(const Program &program) {
  std::string names;
  for (const Argument &input : program.inputs)
    names += (names.empty() ? "" : ", ") + input.name;
  return names.empty() ? "the model has no inputs" : "the model's inputs are: " + names;
}

static std::optional<size_t> findInput(const Program &program, const std::string &name) {
  for (size_t i = 0; i < program.inputs.size(); ++i)
    if (program.inputs[i].name == name)
      return i;
  return std::nullopt;
}

static Result<double> parseNumber(std::string_view text, const std::string &what) {
  double value = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return userError("command line", what + ": '" + std::string(text) + "' is no number");
  return value;
}

Result<Inputs> Inputs::read(const Arguments &arguments, const Program &program, bool alwaysRandom) {
  Inputs out;
  out.program = &program;
  out.given.resize(program.inputs.size());
  PLIANT_TRY(PictureOptions picture, pictureOptions(arguments));
  if (arguments.has("--random") || alwaysRandom) {
    PLIANT_TRY(int64_t seed, arguments.integer("--random", 0, 0, INT64_MAX));
    out.seed = static_cast<uint64_t>(seed);
    out.random = true;
  }
  PLIANT_TRY(auto ranges, arguments.pairs("--range", "NAME=A..B"));
  for (auto &[name, text] : ranges) {
    if (!findInput(program, name))
      return userError("command line", "--range: the model has no input '" + name + "'", "", inputNames(program));
    size_t dots = text.find("..");
    if (dots == std::string::npos)
      return userError("command line", "--range of '" + name + "' is '" + text + "', not of the form A..B");
    PLIANT_TRY(double low, parseNumber(std::string_view(text).substr(0, dots), "--range"));
    PLIANT_TRY(double high, parseNumber(std::string_view(text).substr(dots + 2), "--range"));
    if (high < low)
      return userError("command line", "--range of '" + name + "' ends before it begins");
    out.ranges[name] = {low, high};
  }
  for (const std::string &word : arguments.all("--input")) {
    size_t equals = word.find('=');
    auto named = equals == std::string::npos ? std::nullopt : findInput(program, word.substr(0, equals));
    if (named && program.inputs[*named].list) {
      PLIANT_TRY(out.lists[*named], files::readListProto(word.substr(equals + 1), program.inputs[*named].list->kind));
      continue;
    }
    if (named) {
      PLIANT_TRY(files::NamedTensor tensor, files::readTensor(word.substr(equals + 1)));
      PLIANT_CHECK(out.addFile(word.substr(0, equals), std::move(tensor.second), picture));
      continue;
    }
    auto tensors = files::readTensors(word);
    if (!tensors && equals != std::string::npos) // NAME=FILE with a name that the model lacks
      return userError("input", "the model has no input '" + word.substr(0, equals) + "'", "", inputNames(program));
    if (!tensors)
      return tensors.takeError();
    if (tensors->size() == 1 && program.inputs.size() == 1)
      (*tensors)[0].first = program.inputs[0].name;
    for (auto &[name, tensor] : *tensors)
      PLIANT_CHECK(out.addFile(name, std::move(tensor), picture));
  }
  return out;
}

Status Inputs::addFile(const std::string &name, DenseTensor tensor, const PictureOptions &picture) {
  auto index = findInput(*program, name);
  if (!index)
    return userError("input",
                     name.empty() ? "the file does not name its tensor: use --input NAME=FILE"
                                  : "the model has no input '" + name + "'",
                     "", inputNames(*program));
  const Argument &argument = program->inputs[*index];
  if (given[*index])
    return userError("input", "input '" + name + "' is given twice");
  if (wantsPicture(tensor, argument.type)) {
    PLIANT_TRY(tensor, pictureInput(tensor, argument, picture));
  }
  const Extents &shape = argument.type.shape;
  if (tensor.rank() == argument.type.rank())
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (auto symbol = shape[axis].symbolName())
        symbols.emplace(*symbol, tensor.dims()[axis]);
  given[*index] = std::move(tensor);
  return ok();
}

Result<std::vector<DenseTensor>> Inputs::tensors(const SymbolValues &values) const {
  PLIANT_TRY(std::vector<RunValue> made, make(values));
  std::vector<DenseTensor> list;
  for (size_t i = 0; i < made.size(); ++i) {
    if (made[i].list)
      return userError("input", "input '" + program->inputs[i].name + "' is a " + program->inputs[i].list->str() +
                                    ", which only `pliant run` takes");
    list.push_back(std::move(made[i].tensor));
  }
  return list;
}

Status Inputs::feed(size_t input, RunValue value) {
  ++seed;
  if (value.list) {
    lists[input] = std::move(*value.list);
    return ok();
  }
  const Argument &argument = program->inputs[input];
  if (value.tensor.dtype() != argument.type.dtype || value.tensor.rank() != argument.type.rank())
    return userError("command line", "--loop: what is fed back to '" + argument.name + "' is " +
                                         std::string(name(value.tensor.dtype())) + pliant::str(value.tensor.dims()) +
                                         ", but the input is " + argument.type.str());
  for (size_t axis = 0; axis < argument.type.shape.size(); ++axis)
    if (auto symbol = argument.type.shape[axis].symbolName())
      symbols[*symbol] = value.tensor.dims()[axis];
  given[input] = std::move(value.tensor);
  return ok();
}

Result<std::vector<RunValue>> Inputs::make(const SymbolValues &values) const {
  std::vector<RunValue> list;
  for (size_t i = 0; i < program->inputs.size(); ++i) {
    const Argument &argument = program->inputs[i];
    if (argument.list) {
      auto found = lists.find(i);
      if (found == lists.end())
        return userError("input", "input '" + argument.name + "' (" + argument.list->str() + ") is missing", "",
                         "give --input " + argument.name + "=FILE.pb");
      list.push_back({{}, found->second});
    } else if (given[i]) {
      list.push_back({given[i], std::nullopt});
    } else if (random || ranges.contains(argument.name)) {
      PLIANT_TRY(DenseTensor tensor, draw(i, values));
      list.push_back({std::move(tensor), std::nullopt});
    } else {
      return userError("input", "input '" + argument.name + "' (" + argument.type.str() + ") is missing", "",
                       "give --input " + argument.name + "=FILE, or --random SEED");
    }
  }
  return list;
}

/// Integers: both ends included. An empty range (nothing can be indexed) has high below low.
Result<Inputs::Range> Inputs::rangeOf(size_t input, const SymbolValues &values) const {
  const Argument &argument = program->inputs[input];
  if (auto range = ranges.find(argument.name); range != ranges.end())
    return range->second;
  if (isFloat(argument.type.dtype))
    return Range{-1, 1};
  if (argument.type.dtype == DType::Bool)
    return Range{0, 1};
  auto bounds = boundInputs(*program);
  if (auto bound = bounds.find(static_cast<int>(input)); bound != bounds.end()) {
    const auto low = std::max<int64_t>(bound->second.first, 1);
    return Range{static_cast<double>(low), static_cast<double>(std::min(bound->second.second, low + 7))};
  }
  std::optional<int64_t> smallest;
  const auto uses = indexUses(*program);
  for (const IndexUse &use : uses[input]) {
    auto extent = valueOf(use.extent, values);
    if (!extent) // depends on values read at run time
      continue;
    int64_t below = use.changed ? std::max<int64_t>(*extent / 2, std::min<int64_t>(*extent, 1)) : *extent;
    smallest = std::min(smallest.value_or(below), below);
  }
  return Range{0, static_cast<double>(smallest.value_or(2) - 1)};
}

Result<DenseTensor> Inputs::draw(size_t input, const SymbolValues &values) const {
  const Argument &argument = program->inputs[input];
  std::vector<int64_t> dims;
  for (const Expr &extent : argument.type.shape) {
    auto value = valueOf(extent, values);
    if (!value)
      return userError("input", "the extent " + extent.str() + " of input '" + argument.name + "' has no value", "",
                       "give --shapes, or a file with --input");
    dims.push_back(*value);
  }
  auto made = DenseTensor::allocate(argument.type.dtype, dims);
  if (!made)
    return made.takeError().at("input " + argument.name);
  if (argument.type.dtype == DType::String) { // numbers as text, which most models of strings can read
    std::vector<std::string> texts(static_cast<size_t>(made->size()));
    for (size_t k = 0; k < texts.size(); ++k)
      texts[k] = std::to_string(mixed(seed, input, k) % 100);
    return DenseTensor::ofStrings(dims, std::move(texts));
  }
  PLIANT_TRY(Range range, rangeOf(input, values));
  if (range.high < range.low && made->size())
    return userError("input", "input '" + argument.name + "' indexes an empty extent, so it has no valid value");
  dispatch(argument.type.dtype, [&]<class T>(Type<T>) {
    T *out = made->as<T>();
    const double width = isFloatStorage<T> ? range.high - range.low : range.high - range.low + 1;
    for (int64_t k = 0; k < made->size(); ++k) {
      const double unit = static_cast<double>(mixed(seed, input, static_cast<uint64_t>(k)) >> 11) * 0x1p-53;
      double value = range.low + unit * width;
      if constexpr (!isFloatStorage<T>)
        value = std::min(std::floor(value), range.high);
      out[k] = static_cast<T>(value);
    }
  });
  return std::move(*made);
}

} // namespace pliant::tool
