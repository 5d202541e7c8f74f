// SPDX-License-Identifier: Apache-2.0
// What the files of the C surface share: handles, and how exceptions become statuses.
#pragma once
#include "pliant-c/pliant.h"
#include "pliant/random.h"
#include <span>

struct pliant_tensor {
  pliant::Tensor value;
};
struct pliant_generator {
  pliant::Generator value;
};

namespace pliant::api::c {

/// Keeps the exception being handled as the thread's last error.
pliant_status caught() noexcept;
/// Throws the user's error.
[[noreturn]] void refuse(const char *op, std::string message, pliant_site site = {});

template <class F> pliant_status guarded(const F &body) noexcept {
  try {
    body();
    return PLIANT_OK;
  } catch (...) {
    return caught();
  }
}

inline Site siteOf(pliant_site site) { return site.file ? Site(site.file, site.line) : Site(); }
const Tensor &tensorOf(const pliant_tensor *x, pliant_site site = {});
DType dtypeOf(pliant_dtype type, pliant_site site = {});
Shape shapeOf(size_t rank, const int64_t *shape, pliant_site site);
Operand operandOf(const pliant_operand &operand, pliant_site site);
inline void give(pliant_tensor **out, Tensor value) { *out = new pliant_tensor{std::move(value)}; }
char *textOf(const std::string &text);

} // namespace pliant::api::c
