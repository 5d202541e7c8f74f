// SPDX-License-Identifier: Apache-2.0
// The command line: options declared per command, unknown ones are errors that suggest the nearest name.
#pragma once
#include "support/result.h"
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pliant::tool {

struct Option {
  const char *name;  ///< "--shapes"
  const char *value; ///< what its value is called in the help; null for a flag
  const char *help;
};

class Arguments {
public:
  /// `--name value`, `--name=value` and operands in any order; `--` ends the options.
  static Result<Arguments> parse(std::string_view command, std::span<const Option> options,
                                 std::span<const std::string> words);

  const std::vector<std::string> &operands() const { return rest; }
  /// The only operand; an error that says what is missing.
  Result<std::string> single(const char *what) const;
  bool has(std::string_view name) const { return given.contains(name); }
  std::string get(std::string_view name, std::string otherwise = {}) const; ///< the last one given
  const std::vector<std::string> &all(std::string_view name) const;
  Result<int64_t> integer(std::string_view name, int64_t otherwise, int64_t low, int64_t high) const;
  /// The values of a repeated option of the form NAME=REST.
  Result<std::vector<std::pair<std::string, std::string>>> pairs(std::string_view name, const char *form) const;

private:
  std::map<std::string, std::vector<std::string>, std::less<>> given;
  std::vector<std::string> rest;
};

/// The candidate nearest to `word` by edit distance, or empty when none is near.
std::string nearest(std::string_view word, std::span<const std::string> candidates);
/// A whole decimal number; an error that names `what`.
Result<int64_t> parseInteger(std::string_view text, const std::string &what);
/// The parts between separators; empty parts are kept.
std::vector<std::string> split(std::string_view text, char separator);

} // namespace pliant::tool
