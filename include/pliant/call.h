// SPDX-License-Identifier: Apache-2.0
// Functions by name: all ops and what functions.h adds to them, with what each takes and gives. For bindings of other
// languages, which need no word per function.
#pragma once
#include "pliant/tensor.h"
#include <string>
#include <string_view>

namespace pliant {

/// What is given for a parameter that is no operand. Refers to memory of the caller.
struct Attribute {
  enum class Kind : uint8_t { None, Bool, Integer, Real, Text, Integers, Reals, Type };
  Kind kind = Kind::None; ///< None: not given
  DType type = DType::F32;
  int64_t integer = 0; ///< also of Bool
  double real = 0;
  std::string_view text;
  std::span<const int64_t> integers;
  std::span<const double> reals;
};

struct Function {
  struct Parameter {
    const char *name;     ///< snake_case
    Attribute::Kind kind; ///< what it takes; Integer is taken for Real, and one number for a list
    const char *fallback; ///< what it is when it is not given, as text; null when it must be given
  };
  const char *name;    ///< snake_case
  const char *summary; ///< one sentence
  const char *rules;   ///< its numbered constraints, for documentation; may be empty
  std::span<const char *const> operands;
  bool variadic; ///< takes any number of tensors, at least one
  std::span<const Parameter> parameters;
  uint32_t results; ///< 0: a list, as long as the arguments say
  bool waits;       ///< it asks for elements, since the shape of a result depends on them
  void (*run)(const Function &, std::span<const Operand>, std::span<const Attribute>, Site, std::vector<Tensor> &);
};

/// Sorted by name.
std::span<const Function> functions();
/// Null when there is none of this name.
const Function *function(std::string_view name);
/// Puts the results into `out`. The values are in the order of the parameters; those at the end may be left out. Throws
/// as the function does, and when operands or values do not fit.
void call(const Function &function, std::span<const Operand> operands, std::span<const Attribute> values, Site site,
          std::vector<Tensor> &out);

} // namespace pliant
