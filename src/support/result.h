// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or an Error. Below src/api nothing throws, prints or aborts; failures travel by value.
#pragma once
#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace pliant {

/// What went wrong, in parts, so that every surface words it alike:
/// `[matmul] lhs has shape (B, 4) but rhs has shape (5, N): inner extents 4 and 5 differ (matmul.C2)`, then a hint.
struct Error {
  enum class Kind : unsigned char {
    User,     ///< the model, input or call is wrong; the user can act on it (exit code 2)
    Internal, ///< ours: "please report", with the stage
    Memory    ///< there is not enough memory; the user can act on it
  };
  Kind kind = Kind::User;
  std::string op;         ///< op or stage in brackets; may be empty
  std::string message;    ///< lower case, no final stop, values and symbols printed
  std::string constraint; ///< numbered constraint of the op's contract, e.g. "matmul.C2"; may be empty
  std::string hint;       ///< what to do next; may be empty
  std::string where;      ///< node name or source line; may be empty

  std::string text() const;
  Error at(std::string place) && {
    if (where.empty())
      where = std::move(place);
    return std::move(*this);
  }
};

inline Error userError(std::string op, std::string message, std::string constraint = {}, std::string hint = {}) {
  return {Error::Kind::User, std::move(op), std::move(message), std::move(constraint), std::move(hint), {}};
}
inline Error memoryError(std::string op, std::string message, std::string hint = {}) {
  return {Error::Kind::Memory, std::move(op), std::move(message), {}, std::move(hint), {}};
}
inline Error internalError(std::string stage, std::string message) {
  return {Error::Kind::Internal, std::move(stage), std::move(message), {}, {}, {}};
}

template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::make_unique<Error>(std::move(error))) {}
  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return std::get<0>(state); }
  const T &operator*() const { return std::get<0>(state); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }
  const Error &error() const { return *std::get<1>(state); }
  Error takeError() { return std::move(*std::get<1>(state)); }

private:
  std::variant<T, std::unique_ptr<Error>> state;
};

struct Success {};
using Status = Result<Success>;
inline Status ok() { return Success{}; }

} // namespace pliant

#define PLIANT_CONCAT_(a, b) a##b
#define PLIANT_CONCAT(a, b) PLIANT_CONCAT_(a, b)
/// `PLIANT_TRY(auto x, f());` binds the value or returns the error from the enclosing function.
#define PLIANT_TRY(binding, ...)                                                                                       \
  auto PLIANT_CONCAT(result_, __LINE__) = (__VA_ARGS__);                                                               \
  if (!PLIANT_CONCAT(result_, __LINE__))                                                                               \
    return PLIANT_CONCAT(result_, __LINE__).takeError();                                                               \
  binding = std::move(*PLIANT_CONCAT(result_, __LINE__))
/// `PLIANT_CHECK(f());` returns the error of a Status from the enclosing function.
#define PLIANT_CHECK(...)                                                                                              \
  do {                                                                                                                 \
    auto status_ = (__VA_ARGS__);                                                                                      \
    if (!status_)                                                                                                      \
      return status_.takeError();                                                                                      \
  } while (0)
