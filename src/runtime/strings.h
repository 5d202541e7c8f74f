// SPDX-License-Identifier: Apache-2.0
// Texts that a run makes: elements of its string tensors point to them until it ends.
#pragma once
#include <deque>
#include <string>

namespace pliant {

class StringPool {
public:
  const std::string *add(std::string text) { return text.empty() ? nullptr : &texts.emplace_back(std::move(text)); }
  void clear() { texts.clear(); }

private:
  std::deque<std::string> texts;
};

} // namespace pliant
