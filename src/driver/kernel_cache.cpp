// SPDX-License-Identifier: Apache-2.0
// Keys of kernels.
#include "driver/kernel_cache.h"
#include "cache/build_id.h"
#include "cache/codec.h"

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

} // namespace

KernelCache::KernelCache(const TargetDescription &target, bool use) : store(use ? cache::Store::open() : std::nullopt) {
  auto own = cache::buildIdAt(reinterpret_cast<const void *>(&here)), core = cache::coreBuildId();
  if (!own || !core)
    store.reset();
  else
    build = *own + *core + target.key();
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
  auto bytes = store ? store->get("kernel", key(group)) : std::nullopt;
  if (!bytes)
    return std::nullopt;
  codegen::Kernel kernel;
  cache::Reader reader(*bytes);
  return reader.read(kernel) && reader.finished() ? std::optional(std::move(kernel)) : std::nullopt;
}

void KernelCache::keep(const Group &group, const codegen::Kernel &kernel) const {
  if (!store)
    return;
  cache::Writer writer;
  writer.put(kernel);
  store->put("kernel", key(group), writer.finish());
}

void KernelCache::trim() const {
  if (store)
    store->trim();
}

} // namespace pliant::driver
