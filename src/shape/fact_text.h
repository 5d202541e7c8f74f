// SPDX-License-Identifier: Apache-2.0
// Facts as text and back, and as questions: for facts that a user states, and for those that travel in a program's
// text.
#pragma once
#include "shape/facts.h"

namespace pliant {

/// "n <= 512", "m == 2*n", "n >= 1", "n < 8", "4 divides n", and what `Fact::str` prints of a fact without its source.
/// An error quotes the text and lists the forms.
Result<Facts::Fact> parseFact(std::string_view text);

/// The text that `parseFact` reads back: `Fact::str` without the source.
std::string textOf(const Facts::Fact &fact);
/// Every symbol that the fact is about, sorted, each once.
std::vector<std::string> symbolsOf(const Facts::Fact &fact);
/// Adds one fact of any kind; an error when it contradicts what is known.
Status assume(Facts &facts, const Facts::Fact &fact);
/// Whether the fact follows from `facts`.
bool follows(const Facts &facts, const Facts::Fact &fact);
/// Expressions that are 0 exactly where the fact holds, for a test at run time.
std::vector<Expr> residuesOf(const Facts::Fact &fact);

} // namespace pliant
