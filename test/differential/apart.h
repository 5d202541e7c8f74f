// SPDX-License-Identifier: Apache-2.0
// Work in a process of its own.
#pragma once
#include <functional>
#include <optional>
#include <string>

namespace pliant::differential {

/// What `work` gives, in a child that may crash, or hang for so many seconds; nothing then, and `how` it ended. Not to
/// be called in a process in which ONNX Runtime runs: its threads hold locks that the child would wait for.
std::optional<std::string> apart(unsigned seconds, const std::function<std::string()> &work, std::string &how);

} // namespace pliant::differential
