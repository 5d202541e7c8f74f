// SPDX-License-Identifier: Apache-2.0
// A program's text, as `--print-after` gives it or as a person writes it, back into IR.
#pragma once
#include "onnx/import.h"

namespace pliant::driver {

/// Parses, verifies and refines the function @main of a file. Extents that the text leaves open (`tensor<?xf32>`) get
/// names; declared ones must provably agree with the ops' rules. The weight table has types without bytes.
Result<onnx_import::ImportedModel> readText(const std::string &path, mlir::MLIRContext &context);

} // namespace pliant::driver
