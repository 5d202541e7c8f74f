// SPDX-License-Identifier: Apache-2.0
// Lists whose elements only a run knows, but whose length decides a rank.
#pragma once
#include "onnx/node.h"

namespace pliant::onnx_import {

/// The length of a list on which a rank depends, when it is known; nothing beyond what any tensor's rank is, since a
/// few bytes of a file can declare any length.
inline std::optional<int64_t> listLength(const NodeImport &n, Value list) {
  if (n.b.failed() || n.b.rank(list) != 1)
    return std::nullopt;
  const std::optional<int64_t> length = n.b.shape(list)[0].constant();
  return length && *length <= contentLimit ? length : std::nullopt;
}

} // namespace pliant::onnx_import
