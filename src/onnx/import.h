// SPDX-License-Identifier: Apache-2.0
// ONNX file to IR: one function `main`, symbols named by the graph's inputs, weights in a table beside it.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "onnx/file.h"
#include "plan/program.h"
#include <map>
#include <set>

namespace pliant::onnx_import {

struct ImportOptions {
  std::map<std::string, std::string> rename; ///< symbol names of the file to the user's
  bool symbolicInputs = false;               ///< every input extent becomes a symbol: for conformance
  std::set<std::string> staticInputs;        ///< but those of these inputs: a rank may depend on a vector's length
  std::vector<std::string> facts;            ///< what the user says of the inputs' symbols, under their final names
};

struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Weight> weights;
  std::vector<DenseTensor> weightData;
  std::vector<onnx_file::WeightSource> sources; ///< of weightData
};

/// All ops without a row are reported at once, with their nodes.
Result<ImportedModel> importModel(const onnx_file::ModelFile &file, mlir::MLIRContext &context,
                                  const ImportOptions &options);

} // namespace pliant::onnx_import
