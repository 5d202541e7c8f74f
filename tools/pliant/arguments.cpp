// SPDX-License-Identifier: Apache-2.0
// Parsing of command lines.
#include "arguments.h"
#include <algorithm>
#include <charconv>

namespace pliant::tool {

static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > 200) // a hostile word must not cost a table of its square
    return {};
  std::string best;
  size_t distance = word.size() / 3 + 2;
  for (const std::string &candidate : candidates) {
    size_t d = candidate.size() > 200 ? distance : editDistance(word, candidate);
    if (d < distance) {
      distance = d;
      best = candidate;
    }
  }
  return best;
}

Result<int64_t> parseInteger(std::string_view text, const std::string &what) {
  int64_t value = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || text.empty())
    return userError("command line", what + " is '" + std::string(text) + "', not a whole number");
  return value;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t at; (at = text.find(separator)) != text.npos; text.remove_prefix(at + 1))
    parts.emplace_back(text.substr(0, at));
  parts.emplace_back(text);
  return parts;
}

Result<Arguments> Arguments::parse(std::string_view command, std::span<const Option> options,
                                   std::span<const std::string> words) {
  Arguments out;
  bool onlyOperands = false;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (onlyOperands || word.size() < 2 || word[0] != '-') {
      out.rest.emplace_back(word);
      continue;
    }
    if (word == "--") {
      onlyOperands = true;
      continue;
    }
    size_t equals = word.find('=');
    std::string_view name = word.substr(0, equals);
    auto option = std::find_if(options.begin(), options.end(), [&](const Option &o) { return o.name == name; });
    if (option == options.end()) {
      std::vector<std::string> names;
      for (const Option &o : options)
        names.emplace_back(o.name);
      std::string near = nearest(name, names);
      return userError("command line", std::string(command) + " has no option " + std::string(name), "",
                       near.empty() ? "`pliant help " + std::string(command) + "` lists the options"
                                    : "did you mean " + near + "?");
    }
    std::string &value = out.given[std::string(name)].emplace_back();
    if (!option->value) {
      if (equals != word.npos)
        return userError("command line", std::string(name) + " takes no value");
    } else if (equals != word.npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < words.size()) {
      value = words[++i];
    } else {
      return userError("command line", std::string(name) + " needs a value: " + option->value);
    }
  }
  return out;
}

Result<std::string> Arguments::single(const char *what) const {
  if (rest.empty())
    return userError("command line", std::string("no ") + what + " is given");
  if (rest.size() > 1)
    return userError("command line",
                     "one " + std::string(what) + " is expected, but '" + rest[1] + "' follows '" + rest[0] + "'");
  return rest[0];
}

std::string Arguments::get(std::string_view name, std::string otherwise) const {
  auto found = given.find(name);
  return found == given.end() ? std::move(otherwise) : found->second.back();
}

const std::vector<std::string> &Arguments::all(std::string_view name) const {
  static const std::vector<std::string> none;
  auto found = given.find(name);
  return found == given.end() ? none : found->second;
}

Result<int64_t> Arguments::integer(std::string_view name, int64_t otherwise, int64_t low, int64_t high) const {
  if (!has(name))
    return otherwise;
  PLIANT_TRY(int64_t value, parseInteger(get(name), std::string(name)));
  if (value < low || value > high)
    return userError("command line", std::string(name) + " is " + std::to_string(value) + ", not in " +
                                         std::to_string(low) + ".." + std::to_string(high));
  return value;
}

Result<std::vector<std::pair<std::string, std::string>>> Arguments::pairs(std::string_view name,
                                                                          const char *form) const {
  std::vector<std::pair<std::string, std::string>> list;
  for (const std::string &value : all(name)) {
    size_t equals = value.find('=');
    if (equals == value.npos || equals == 0)
      return userError("command line", std::string(name) + " is '" + value + "', not of the form " + form);
    list.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  }
  return list;
}

} // namespace pliant::tool
