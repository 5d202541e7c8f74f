// SPDX-License-Identifier: Apache-2.0
// The model's symbols and --shapes, which gives them values.
#pragma once
#include "plan/program.h"

namespace pliant::tool {

using SymbolValues = std::map<std::string, int64_t>;

/// Symbols of the inputs' extents, in order of first occurrence: what `check` lists and --shapes counts.
std::vector<std::string> modelSymbols(const std::vector<Argument> &inputs);

/// `--shapes`: lists of values separated by ';'. A list gives values to all symbols in order, "1,40..640/25", or to
/// symbols by name, "batch=1,width=40..640/25"; A..B is every value from A to B, A..B/STEP every STEP-th. Several
/// ranges in a list give all combinations, the last symbol running fastest. Symbols in `known` may be left out by name.
Result<std::vector<SymbolValues>> parseShapes(const std::string &text, const std::vector<std::string> &symbols,
                                              const SymbolValues &known = {});

/// "batch=1, width=40"; empty without symbols.
std::string str(const SymbolValues &values, const std::vector<std::string> &order);

/// The value of an expression under values of symbols.
Result<int64_t> valueOf(const Expr &expr, const SymbolValues &values);

} // namespace pliant::tool
