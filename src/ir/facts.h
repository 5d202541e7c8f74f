// SPDX-License-Identifier: Apache-2.0
// What is known of a function's symbols. Facts from outside (user, front end) are an attribute of the function,
// `pliant.facts = [["n <= 512", "user"], ...]`: text and source of each; the others follow from the ops.
#pragma once
#include "ir/dialect.h"
#include "shape/fact_text.h"
#include <set>
#include <span>

namespace pliant::ir {

/// The source of facts that a `bind` op states and that the attribute leaves out.
inline constexpr const char *readAtRunTime = "read at run time";

/// Writes the facts as the function's attribute; none leaves the function without it.
void writeFacts(mlir::Operation *function, std::span<const Facts::Fact> facts);
/// Reads the attribute back; empty without it. An error says what is malformed or contradicts itself.
Result<std::vector<Facts::Fact>> outsideFacts(mlir::Operation *function);
/// The outside facts and the bounds that `bind` ops declare, over the default for extents.
Facts factsOf(mlir::Operation *function);

/// The symbols of the function's types and attributes: those that a pass has not removed.
std::set<std::string> liveSymbols(mlir::Operation *function);
/// The first of the facts whose symbols are all alive that does not follow from what the function says now.
std::optional<Facts::Fact> lostFact(mlir::Operation *function, std::span<const Facts::Fact> facts);

} // namespace pliant::ir
