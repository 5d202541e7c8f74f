// SPDX-License-Identifier: Apache-2.0
// What is thrown: the user's errors and ours.
#pragma once
#include <stdexcept>
#include <string>

namespace pliant {

/// The call, a shape, a type or a value is wrong. `what()` is the whole text with the line that recorded the op:
/// `model.cpp:12: [matmul] lhs has shape (2, 4) but rhs has shape (5, 3): inner extents 4 and 5 differ (matmul.C2)`.
class Exception : public std::runtime_error {
public:
  Exception(std::string text, std::string where, std::string op = {})
      : std::runtime_error(std::move(text)), place(std::move(where)), called(std::move(op)) {}
  const std::string &where() const { return place; } ///< "model.cpp:12"; may be empty
  const std::string &op() const { return called; }   ///< that was called, as in brackets in the text; may be empty

private:
  std::string place, called;
};

/// There is not enough memory: the system gives none, or PLIANT_MEMORY_LIMIT is reached.
class MemoryException : public Exception {
  using Exception::Exception;
};

/// A fault of Pliant itself: please report it.
class InternalException : public Exception {
  using Exception::Exception;
};

} // namespace pliant
