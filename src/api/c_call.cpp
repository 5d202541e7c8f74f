// SPDX-License-Identifier: Apache-2.0
// The C surface: functions by name.
#include "api/c.h"
#include "pliant/call.h"

using namespace pliant;
using namespace pliant::api::c;

namespace {

Attribute valueOf(const char *name, const pliant_attribute &attribute, pliant_site site) {
  Attribute out;
  out.integer = attribute.integer;
  out.real = attribute.real;
  if (attribute.count && !attribute.list)
    refuse(name, std::string("a null pointer in the place of '") + attribute.name + "'", site);
  switch (attribute.kind) {
  case PLIANT_VALUE_BOOL:
    out.kind = Attribute::Kind::Bool;
    return out;
  case PLIANT_VALUE_INTEGER:
    out.kind = Attribute::Kind::Integer;
    return out;
  case PLIANT_VALUE_REAL:
    out.kind = Attribute::Kind::Real;
    return out;
  case PLIANT_VALUE_TEXT:
    out.kind = Attribute::Kind::Text;
    out.text = {static_cast<const char *>(attribute.list), attribute.count};
    return out;
  case PLIANT_VALUE_INTEGERS:
    out.kind = Attribute::Kind::Integers;
    out.integers = {static_cast<const int64_t *>(attribute.list), attribute.count};
    return out;
  case PLIANT_VALUE_REALS:
    out.kind = Attribute::Kind::Reals;
    out.reals = {static_cast<const double *>(attribute.list), attribute.count};
    return out;
  case PLIANT_VALUE_DTYPE:
    out.kind = Attribute::Kind::Type;
    out.type = dtypeOf(static_cast<pliant_dtype>(attribute.integer), site);
    return out;
  }
  refuse(name, std::string("'") + attribute.name + "' is of kind " + std::to_string(attribute.kind), site);
}

pliant_value_kind kindOf(Attribute::Kind kind) { return static_cast<pliant_value_kind>(kind); }
static_assert(static_cast<int>(Attribute::Kind::Bool) == PLIANT_VALUE_BOOL &&
              static_cast<int>(Attribute::Kind::Type) == PLIANT_VALUE_DTYPE);

const Function &functionAt(size_t index) {
  if (index >= functions().size())
    refuse("function", "number " + std::to_string(index) + " of " + std::to_string(functions().size()));
  return functions()[index];
}

} // namespace

extern "C" {

pliant_status pliant_call(const char *name, const pliant_operand *operands, size_t operand_count,
                          const pliant_attribute *attributes, size_t attribute_count, pliant_tensor **results,
                          size_t result_count, pliant_site site) {
  return guarded([&] {
    if (!name)
      refuse("call", "a null pointer in the place of a function's name", site);
    const Function *called = function(name);
    if (!called)
      refuse(name, "no function has this name", site);
    std::vector<Operand> in;
    in.reserve(operand_count);
    for (const pliant_operand &operand : listOf(operands, operand_count, "the operands", site))
      in.push_back(operandOf(operand, site));
    std::vector<Attribute> values(called->parameters.size());
    for (const pliant_attribute &attribute : listOf(attributes, attribute_count, "the attributes", site)) {
      const std::string_view wanted = attribute.name ? attribute.name : "";
      size_t at = 0;
      while (at < values.size() && called->parameters[at].name != wanted)
        ++at;
      if (at == values.size())
        refuse(name, "it has no parameter '" + std::string(wanted) + "'", site);
      values[at] = valueOf(name, attribute, site);
    }
    const std::span<pliant_tensor *> places = listOf(results, result_count, "the results", site);
    std::vector<Tensor> out;
    call(*called, in, values, siteOf(site), out);
    if (out.size() != result_count)
      refuse(name, std::to_string(out.size()) + " results, room for " + std::to_string(result_count), site);
    putAll(places, std::move(out));
  });
}

size_t pliant_function_count(void) { return functions().size(); }

pliant_status pliant_function_at(size_t index, pliant_function *out) {
  return guarded([&] {
    const Function &row = functionAt(index);
    resultOf(out) = {row.name,     row.summary,           row.rules,  row.variadic ? 0 : row.operands.size(),
                     row.variadic, row.parameters.size(), row.results};
  });
}

pliant_status pliant_function_find(const char *name, size_t *out) {
  return giving(out, [&] {
    if (!name)
      refuse("function", "a null pointer in the place of a name");
    const Function *found = function(name);
    if (!found)
      refuse(name, "no function has this name");
    return found - functions().data();
  });
}

pliant_status pliant_function_operand(size_t index, size_t operand, const char **out) {
  return guarded([&] {
    const Function &row = functionAt(index);
    if (operand >= row.operands.size())
      refuse(row.name, "operand " + std::to_string(operand) + " of " + std::to_string(row.operands.size()));
    resultOf(out) = row.operands[operand];
  });
}

pliant_status pliant_function_parameter(size_t index, size_t parameter, pliant_parameter *out) {
  return guarded([&] {
    const Function &row = functionAt(index);
    if (parameter >= row.parameters.size())
      refuse(row.name, "parameter " + std::to_string(parameter) + " of " + std::to_string(row.parameters.size()));
    const Function::Parameter &found = row.parameters[parameter];
    resultOf(out) = {found.name, kindOf(found.kind), found.fallback};
  });
}
}
