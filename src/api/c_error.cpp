// SPDX-License-Identifier: Apache-2.0
// Errors of the C surface, what its functions take and give, names of files that live as long as the process.
#include "api/c.h"
#include "api/record.h"
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_set>

namespace pliant::api::c {
namespace {

struct Last {
  std::string message, where, op;
  pliant_error error{PLIANT_OK, "", "", ""};
};
Last &last() {
  static thread_local Last own;
  return own;
}

pliant_status keep(pliant_status status, const char *message, const std::string &where, const std::string &op) {
  Last &own = last();
  own.message = message;
  own.where = where;
  own.op = op;
  own.error = {status, own.message.c_str(), own.where.c_str(), own.op.c_str()};
  return status;
}

} // namespace

pliant_status statusOf(const Exception &error) {
  if (dynamic_cast<const InternalException *>(&error))
    return PLIANT_INTERNAL;
  return dynamic_cast<const MemoryException *>(&error) ? PLIANT_MEMORY : PLIANT_INVALID;
}

pliant_status caught() noexcept {
  try {
    try {
      throw;
    } catch (const Exception &error) {
      return keep(statusOf(error), error.what(), error.where(), error.op());
    } catch (const std::bad_alloc &) {
      return keep(PLIANT_MEMORY, "not enough memory", {}, {});
    } catch (const std::exception &error) {
      return keep(PLIANT_INTERNAL, error.what(), {}, {});
    } catch (...) {
      return keep(PLIANT_INTERNAL, "an unknown exception", {}, {});
    }
  } catch (...) { // no memory for the message
    last().error = {PLIANT_MEMORY, "not enough memory", "", ""};
    return PLIANT_MEMORY;
  }
}

void refuse(const char *op, std::string message, pliant_site site) { raise(op, std::move(message), siteOf(site)); }

void refuseNull(const char *what, pliant_site site) {
  refuse("tensor", std::string("a null pointer in the place of ") + what, site);
}

const Tensor &tensorOf(const pliant_tensor *x, pliant_site site) {
  if (!x)
    refuseNull("a tensor", site);
  return x->value;
}

DType dtypeOf(pliant_dtype type, pliant_site site) {
  static_assert(static_cast<int>(DType::F32) == PLIANT_F32 && static_cast<int>(DType::BF16) == PLIANT_BF16 &&
                static_cast<int>(DType::I64) == PLIANT_I64 && static_cast<int>(DType::U64) == PLIANT_U64 &&
                static_cast<int>(DType::U8) == PLIANT_U8 && static_cast<int>(DType::Bool) == PLIANT_BOOL);
  if (static_cast<int64_t>(type) < 0 || static_cast<int64_t>(type) > PLIANT_BOOL)
    refuse("tensor", "the element type " + std::to_string(type) + " does not exist", site);
  return static_cast<DType>(type);
}

Shape shapeOf(size_t rank, const int64_t *shape, pliant_site site) {
  const std::span<const int64_t> extents = listOf(shape, rank, "a shape", site);
  return {extents.begin(), extents.end()};
}

Operand operandOf(const pliant_operand &operand, pliant_site site) {
  switch (operand.kind) {
  case PLIANT_OPERAND_TENSOR:
    return Operand(tensorOf(operand.tensor, site), siteOf(site));
  case PLIANT_OPERAND_BOOL:
    return Operand(operand.integer != 0, siteOf(site));
  case PLIANT_OPERAND_INTEGER:
    return Operand(operand.integer, siteOf(site));
  case PLIANT_OPERAND_REAL:
    return Operand(operand.real, siteOf(site));
  }
  refuse("tensor", "an operand of kind " + std::to_string(operand.kind), site);
}

void putAll(std::span<pliant_tensor *> places, std::vector<Tensor> values) {
  std::vector<std::unique_ptr<pliant_tensor>> made;
  for (Tensor &each : values)
    made.push_back(std::make_unique<pliant_tensor>(std::move(each)));
  for (size_t i = 0; i < made.size(); ++i)
    places[i] = made[i].release();
}

char *textOf(const std::string &text) {
  auto *out = new char[text.size() + 1];
  std::memcpy(out, text.c_str(), text.size() + 1);
  return out;
}

} // namespace pliant::api::c

extern "C" {

uint32_t pliant_abi_version(void) { return PLIANT_ABI_VERSION; }

const pliant_error *pliant_last_error(void) { return &pliant::api::c::last().error; }

void pliant_free(char *text) { delete[] text; }

const char *pliant_file(const char *name, size_t length) {
  try {
    static std::mutex mutex;
    static auto *names = new std::unordered_set<std::string>; // outlives every static
    std::lock_guard lock(mutex);
    return names->emplace(name, length).first->c_str();
  } catch (...) {
    return "";
  }
}
}
