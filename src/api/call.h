// SPDX-License-Identifier: Apache-2.0
// What the generated table of functions (api/functions_by_name.cpp) takes its arguments from.
#pragma once
#include "pliant/call.h"
#include "pliant/functions.h"
#include "pliant/random.h"

namespace pliant::api {

/// The arguments of one call. Asking for a value that is not given, or of another kind, throws the user's error.
class Given {
public:
  Given(const Function &function, std::span<const Operand> operands, std::span<const Attribute> values, Site site)
      : function(function), operands(operands), values(values), site(site) {}

  const Operand &operand(size_t i) const { return operands[i]; }
  std::vector<Tensor> tensors() const; ///< all operands
  bool has(size_t i) const { return values[i].kind != Attribute::Kind::None; }
  bool flag(size_t i) const;
  int64_t integer(size_t i) const;
  double real(size_t i) const;
  Operand number(size_t i) const; ///< an integer or a real one, at the line of the call
  std::string text(size_t i) const;
  std::vector<int64_t> integers(size_t i) const;
  std::vector<double> reals(size_t i) const;
  DType type(size_t i) const;
  template <class T, class Get> T either(size_t i, T fallback, Get get) const {
    return has(i) ? T((this->*get)(i)) : std::move(fallback);
  }

  const Function &function;
  const std::span<const Operand> operands;
  const std::span<const Attribute> values;
  const Site site;

private:
  [[noreturn]] void wrong(size_t i) const;
};

} // namespace pliant::api
