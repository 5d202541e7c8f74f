// SPDX-License-Identifier: Apache-2.0
// Keys of kernels, and those that this process made.
#include "driver/kernel_cache.h"
#include "cache/build_id.h"
#include "cache/codec.h"
#include <list>
#include <map>
#include <mutex>

namespace pliant::driver {
namespace {

void here() {} // where this library's code lies

/// All that a kernel is made of: places only name nodes of one model.
std::string structure(Group group) {
  for (GroupNode &node : group.nodes)
    node.place.clear();
  cache::Writer writer;
  writer.put(group);
  return writer.finish();
}

/// Kernels made here, as the bytes that the disk cache keeps. Those used longest ago go first.
class Made {
public:
  std::optional<std::string> get(const DigestBytes &key) {
    std::lock_guard lock(mutex);
    const auto found = places.find(key);
    if (found == places.end())
      return std::nullopt;
    kernels.splice(kernels.begin(), kernels, found->second);
    return kernels.front().second;
  }
  void put(const DigestBytes &key, std::string kernel) {
    std::lock_guard lock(mutex);
    if (places.contains(key))
      return; // by another thread
    bytes += kernel.size();
    kernels.emplace_front(key, std::move(kernel));
    places[key] = kernels.begin();
    for (; bytes > limit; kernels.pop_back()) {
      bytes -= kernels.back().second.size();
      places.erase(kernels.back().first);
    }
  }

private:
  static constexpr size_t limit = size_t(32) << 20;
  std::mutex mutex;
  std::list<std::pair<DigestBytes, std::string>> kernels; // the last used first
  std::map<DigestBytes, decltype(kernels)::iterator> places;
  size_t bytes = 0;
};

Made &made() {
  static Made *const list = new Made; // other threads may compile while the process ends
  return *list;
}

} // namespace

KernelCache::KernelCache(const TargetDescription &target, bool disk)
    : store(disk ? cache::Store::open() : std::nullopt) {
  auto own = cache::buildIdAt(reinterpret_cast<const void *>(&here)), core = cache::coreBuildId();
  if (!own || !core)
    store.reset();
  build = own.value_or("") + core.value_or("") + target.key();
}

std::string KernelCache::symbolOf(const Group &group) {
  const std::string text = structure(group);
  const DigestBytes digest = digestOf(std::as_bytes(std::span(text.data(), text.size())));
  return group.name() + "_" + hex(std::span(digest).first(8));
}

DigestBytes KernelCache::key(const Group &group) const {
  return Digest().add("kernel").add(build).add(structure(group)).finish();
}

std::optional<codegen::Kernel> KernelCache::find(const Group &group) const {
  const DigestBytes which = key(group);
  auto bytes = made().get(which);
  if (!bytes && store)
    bytes = store->get("kernel", which);
  if (!bytes)
    return std::nullopt;
  codegen::Kernel kernel;
  cache::Reader reader(*bytes);
  return reader.read(kernel) && reader.finished() ? std::optional(std::move(kernel)) : std::nullopt;
}

void KernelCache::keep(const Group &group, const codegen::Kernel &kernel) const {
  cache::Writer writer;
  writer.put(kernel);
  const DigestBytes which = key(group);
  std::string bytes = writer.finish();
  if (store)
    store->put("kernel", which, bytes);
  made().put(which, std::move(bytes));
}

void KernelCache::trim() const {
  if (store)
    store->trim();
}

} // namespace pliant::driver
