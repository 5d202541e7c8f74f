// SPDX-License-Identifier: Apache-2.0
#include "api/call.h"
#include "api/record.h"
#include <algorithm>

namespace pliant {
namespace api {

using Kind = Attribute::Kind;

static const char *wanted(Kind kind) {
  switch (kind) {
  case Kind::Bool:
    return "a bool";
  case Kind::Integer:
    return "an integer";
  case Kind::Real:
    return "a number";
  case Kind::Text:
    return "a text";
  case Kind::Integers:
    return "integers";
  case Kind::Reals:
    return "numbers";
  case Kind::Type:
    return "an element type";
  case Kind::None:
    break;
  }
  return "nothing";
}

void Given::wrong(size_t i) const {
  const Function::Parameter &parameter = function.parameters[i];
  raise(function.name,
        "'" + std::string(parameter.name) + "' is " + wanted(parameter.kind) + ", " +
            (has(i) ? std::string("not ") + wanted(values[i].kind) : "and was not given"),
        site);
}

std::vector<Tensor> Given::tensors() const {
  std::vector<Tensor> out;
  for (const Operand &operand : operands)
    out.push_back(operand.tensor ? *operand.tensor : full({}, operand));
  return out;
}

bool Given::flag(size_t i) const {
  if (values[i].kind != Kind::Bool && values[i].kind != Kind::Integer)
    wrong(i);
  return values[i].integer != 0;
}

int64_t Given::integer(size_t i) const {
  if (values[i].kind != Kind::Integer)
    wrong(i);
  return values[i].integer;
}

double Given::real(size_t i) const {
  if (values[i].kind == Kind::Integer)
    return static_cast<double>(values[i].integer);
  if (values[i].kind != Kind::Real)
    wrong(i);
  return values[i].real;
}

Operand Given::number(size_t i) const {
  return values[i].kind == Kind::Integer ? Operand(values[i].integer, site) : Operand(real(i), site);
}

std::string Given::text(size_t i) const {
  if (values[i].kind != Kind::Text)
    wrong(i);
  return std::string(values[i].text);
}

std::vector<int64_t> Given::integers(size_t i) const {
  if (values[i].kind == Kind::Integer)
    return {values[i].integer};
  if (values[i].kind != Kind::Integers)
    wrong(i);
  return {values[i].integers.begin(), values[i].integers.end()};
}

std::vector<double> Given::reals(size_t i) const {
  switch (values[i].kind) {
  case Kind::Integer:
  case Kind::Real:
    return {real(i)};
  case Kind::Integers:
    return {values[i].integers.begin(), values[i].integers.end()};
  case Kind::Reals:
    return {values[i].reals.begin(), values[i].reals.end()};
  default:
    wrong(i);
  }
}

DType Given::type(size_t i) const {
  if (values[i].kind != Kind::Type)
    wrong(i);
  return values[i].type;
}

} // namespace api

const Function *function(std::string_view name) {
  const std::span<const Function> all = functions();
  const auto found =
      std::ranges::lower_bound(all, name, {}, [](const Function &each) { return std::string_view(each.name); });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

void call(const Function &function, std::span<const Operand> operands, std::span<const Attribute> values, Site site,
          std::vector<Tensor> &out) {
  if (function.variadic ? operands.empty() : operands.size() != function.operands.size())
    api::raise(function.name,
               std::to_string(operands.size()) + " operands given, " +
                   (function.variadic ? "at least 1" : std::to_string(function.operands.size())) + " taken",
               site);
  if (values.size() > function.parameters.size())
    api::raise(function.name, "more values than parameters", site);
  out.clear();
  if (values.size() == function.parameters.size())
    return function.run(function, operands, values, site, out);
  std::vector<Attribute> all(values.begin(), values.end());
  all.resize(function.parameters.size());
  function.run(function, operands, all, site, out);
}

} // namespace pliant
