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
char *textOf(const std::string &text);
/// The elements as the array keeps them, without an owner.
inline pliant_array arrayOf(const Array &array) {
  return {static_cast<pliant_dtype>(array.dtype), array.shape.size(), array.shape.data(), array.data.get(), nullptr};
}
pliant_status statusOf(const Exception &error);

/// What a callback is given; released when nobody calls it any more.
class Context {
public:
  Context(void *context, void (*release)(void *))
      : held(context, [release](void *each) {
          if (release)
            release(each);
        }) {}
  void *get() const { return held.get(); }

private:
  std::shared_ptr<void> held;
};

[[noreturn]] void refuseNull(const char *what, pliant_site site);
/// Where a result goes.
template <class T> T &resultOf(T *out, pliant_site site = {}) {
  if (!out)
    refuseNull("a result", site);
  return *out;
}
template <class T> std::span<T> listOf(T *items, size_t count, const char *what, pliant_site site = {}) {
  if (count && !items)
    refuseNull(what, site);
  return {items, count};
}

template <class T, class V> void put(T &place, const V &value) { place = static_cast<T>(value); }
inline void put(pliant_tensor *&place, Tensor value) { place = new pliant_tensor{std::move(value)}; }
inline void put(char *&place, const std::string &text) { place = textOf(text); }

/// All, or none where that fails.
void putAll(std::span<pliant_tensor *> places, std::vector<Tensor> values);

/// A function with one result; what must not be lost is taken by `make`, after the place is known to be there.
template <class T, class F> pliant_status giving(T *out, pliant_site site, const F &make) noexcept {
  return guarded([&] {
    T &place = resultOf(out, site);
    put(place, make());
  });
}
template <class T, class F> pliant_status giving(T *out, const F &make) noexcept { return giving(out, {}, make); }

} // namespace pliant::api::c
