// SPDX-License-Identifier: Apache-2.0
// A recorded trace to IR: one function `main`, whose inputs are the leaves in order, then, where numbers travel by
// value, an empty tensor that carries them as its extents.
#pragma once
#include "onnx/import.h"
#include "trace/trace.h"

namespace pliant::driver {

/// The module; a trace has no weights. Its guards become facts, which every run tests.
Result<onnx_import::ImportedModel> importTrace(const trace::Trace &trace, mlir::MLIRContext &context);

} // namespace pliant::driver
