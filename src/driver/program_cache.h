// SPDX-License-Identifier: Apache-2.0
// Level two of the disk cache: whole programs by the model's structure, the compiler's build, the processor's features
// and the options. A hit reads no IR and opens no compiler; the weights come from the model's files as they are now.
#pragma once
#include "cache/store.h"
#include "driver/compile.h"

namespace pliant::driver {

/// What the cache keeps of a compilation, as bytes; and back, with nothing for bytes that `encoded` did not make.
std::string encoded(const Compiled &compiled);
std::optional<Compiled> decoded(std::string_view bytes);

class ProgramCache {
public:
  /// For one set of options; nothing where there is no cache or the options ask for what it does not keep.
  /// `compiler` is the build id of the compiler library, which need not be loaded.
  static std::optional<ProgramCache> open(const Options &options, const std::string &compiler);

  std::optional<Compiled> find(const std::string &modelPath) const;
  void keep(const Compiled &compiled) const;
  /// The same for recorded code: all that a program of it needs is in the trace.
  std::optional<Compiled> find(const trace::Trace &trace) const;
  void keep(const trace::Trace &trace, const Compiled &compiled) const;

private:
  ProgramCache(cache::Store store, std::string build) : store(std::move(store)), build(std::move(build)) {}
  cache::Store store;
  std::string build; ///< what a key holds besides the model
  DigestBytes key(const DigestBytes &content) const;
  DigestBytes key(const trace::Trace &trace) const;
};

} // namespace pliant::driver
