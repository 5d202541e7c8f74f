// SPDX-License-Identifier: Apache-2.0
// Kernels by their group's structure: those that this process made, and level one of the disk cache, so that a changed
// model compiles only what is new.
#pragma once
#include "cache/store.h"
#include "codegen/kernel.h"

namespace pliant::driver {

class KernelCache {
public:
  /// `disk` says whether the folder is used. What this process has made, up to 32 MB, is found without it.
  KernelCache(const TargetDescription &target, bool disk);

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
