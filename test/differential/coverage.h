// SPDX-License-Identifier: Apache-2.0
// Which rows of the importer are drawn, and which never are, with the reason.
#pragma once
#include <cstdint>
#include <set>
#include <string>

namespace pliant::differential {

/// The importer's row for an op at an opset: "Pad@11"; for what it reads without a row, as loops, the op alone.
std::string rowOf(const std::string &op, int64_t opset);
/// Rows that are neither drawn nor listed as not drawn, and listed ones that are drawn or do not exist: one a line,
/// each with what is wrong.
std::string gaps(const std::set<std::string> &drawn);
/// Rows that are to be drawn and were not.
std::set<std::string> missing(const std::set<std::string> &drawn);

} // namespace pliant::differential
