// SPDX-License-Identifier: Apache-2.0
// What the importer lends to a node's rows.
#pragma once
#include "onnx/file.h"
#include "onnx/node.h"

namespace pliant::onnx_import {

struct NodeImport::State {
  const onnx_file::ModelFile &file;
  std::function<Value(const std::string &)> lookup;   ///< a value by name; invalid when unknown
  std::function<const DenseTensor *(Value)> constant; ///< the tensor of a small constant, or null
  std::vector<Value> results;                         ///< filled by out()
};

} // namespace pliant::onnx_import
