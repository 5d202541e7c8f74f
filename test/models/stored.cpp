// SPDX-License-Identifier: Apache-2.0
// Finds and reads stored runs.
#include "stored.h"
#include "cases.h"
#include "files/npz.h"
#include "files/tensor_proto.h"
#include <algorithm>
#include <filesystem>

namespace pliant::models {
namespace {

namespace fs = std::filesystem;

/// A stored input or output, as "in:name", "out:name" or its name alone.
const DenseTensor *find(const Named &tensors, const std::string &prefix, const std::string &name) {
  for (const auto &[n, tensor] : tensors)
    if (n == prefix + name || n == name)
      return &tensor;
  return nullptr;
}

Result<std::vector<DenseTensor>> readSet(const fs::path &folder, const std::string &what, size_t count) {
  std::vector<DenseTensor> list;
  for (size_t i = 0; i < count; ++i) {
    PLIANT_TRY(files::NamedTensor tensor,
               files::readTensorProto((folder / (what + "_" + std::to_string(i) + ".pb")).string()));
    list.push_back(std::move(tensor.second));
  }
  return list;
}

} // namespace

std::vector<std::string> storedRuns(const std::string &model) {
  std::vector<std::string> list;
  auto all = [&](const std::string &begin, const std::string &end) {
    for (size_t k = 0;; ++k) {
      std::string path = findFile(begin + std::to_string(k) + end);
      if (path.empty())
        return;
      list.push_back(path);
    }
  };
  if (const size_t end = model.find('/'); end != std::string::npos) {
    const std::string folder = model.substr(0, end + 1);
    if (std::string path = findFile(folder + "io.npz"); !path.empty())
      list.push_back(path);
    all(folder + "test_data_set_", "");
    return list;
  }
  all(model.substr(0, model.rfind('.')) + ".io", ".npz");
  return list;
}

Result<StoredRun> readStored(const std::string &path, const Program &program) {
  StoredRun run{fs::path(path).filename().string(), {}, {}};
  if (fs::is_directory(path)) {
    PLIANT_TRY(run.inputs, readSet(path, "input", program.inputs.size()));
    PLIANT_TRY(run.outputs, readSet(path, "output", program.outputs.size()));
    return run;
  }
  PLIANT_TRY(Named tensors, files::readNpz(path));
  for (const Argument &input : program.inputs)
    if (const DenseTensor *tensor = find(tensors, "in:", input.name))
      run.inputs.push_back(*tensor);
  if (run.inputs.size() != program.inputs.size())
    return userError("models", path + " lacks inputs of the model");
  for (const Argument &output : program.outputs)
    if (const DenseTensor *tensor = find(tensors, "out:", output.name))
      run.outputs.push_back(*tensor);
  if (run.outputs.empty() && program.outputs.size() == 1 && tensors.size() == program.inputs.size() + 1)
    for (const auto &[name, tensor] : tensors) // the only one that names no input
      if (std::none_of(program.inputs.begin(), program.inputs.end(),
                       [&](const Argument &input) { return name == input.name || name == "in:" + input.name; }))
        run.outputs.push_back(tensor);
  if (run.outputs.size() != program.outputs.size())
    return userError("models", path + " lacks outputs of the model");
  return run;
}

} // namespace pliant::models
