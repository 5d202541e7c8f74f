// SPDX-License-Identifier: Apache-2.0
#include "api/backend.h"
#include "api/programs.h"
#include "runtime/block_pool.h"

namespace pliant::api {

std::span<Backend *const> Backend::all() {
  static Backend *const known[] = {&Programs::all(), &referenceBackend()};
  return known;
}

static std::atomic<Backend *> &choice() {
  static std::atomic<Backend *> chosen{&Programs::all()};
  return chosen;
}
Backend &Backend::chosen() { return *choice().load(std::memory_order_acquire); }
void Backend::choose(Backend &backend) { choice().store(&backend, std::memory_order_release); }

Status tensorsOf(const std::vector<trace::Handle> &leaves, std::vector<bool> &failed,
                 std::vector<DenseTensor> &tensors) {
  constexpr size_t bytesEach = 8;
  tensors.resize(leaves.size());
  std::shared_ptr<void> numbers;
  size_t used = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const trace::Node &leaf = *leaves[i].get();
    if (!leaf.isScalar()) {
      const trace::Stored &value = leaf.stored()->get();
      if (value.error) {
        failed.resize(leaves.size());
        failed[i] = true;
      }
      tensors[i] = value.tensor;
      continue;
    }
    if (!numbers) {
      PLIANT_TRY(numbers, newBlock((leaves.size() - i) * bytesEach, "numbers"));
    }
    std::byte *at = static_cast<std::byte *>(numbers.get()) + bytesEach * used++;
    std::copy_n(leaf.number.data(), bytesEach, at);
    PLIANT_CHECK(tensors[i].assign(leaf.dtype, {}, std::shared_ptr<void>(numbers, at)));
  }
  return ok();
}

} // namespace pliant::api
