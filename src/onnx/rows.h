// SPDX-License-Identifier: Apache-2.0
// The rows of all op folders, and the one that applies to a node.
#pragma once
#include "onnx/node.h"

namespace pliant::onnx_import {

std::vector<std::span<const Row>> allRows(); // generated
/// The row with the highest `since` not above the opset; null when the op is unknown at that version.
const Row *findRow(std::string_view op, int64_t opset);

} // namespace pliant::onnx_import
