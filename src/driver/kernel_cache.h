// SPDX-License-Identifier: Apache-2.0
// Level one of the disk cache: kernels by their group's structure, so that a changed model compiles only what is new.
#pragma once
#include "cache/store.h"
#include "codegen/kernel.h"

namespace pliant::driver {

class KernelCache {
public:
  KernelCache(const TargetDescription &target, bool use);

  /// The symbol of a group's kernel: its name, and a digest that tells it from others of the same name.
  static std::string symbolOf(const Group &group);
  std::optional<codegen::Kernel> find(const Group &group) const;
  void keep(const Group &group, const codegen::Kernel &kernel) const;
  /// After a compilation: the cache is within its bound again.
  void trim() const;

private:
  std::optional<cache::Store> store;
  std::string build; ///< what a key holds besides the group
  DigestBytes key(const Group &group) const;
};

} // namespace pliant::driver
