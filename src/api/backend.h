// SPDX-License-Identifier: Apache-2.0
// What computes recorded segments. `native` compiles them (api/programs.h); `reference` calls the plain evaluators of
// the ops' contracts one after the other and never opens the compiler: what a value should be, where a compiled one
// looks wrong. Recording, cuts, threads and errors are the same for all.
#pragma once
#include "trace/segment.h"
#include <optional>
#include <string_view>

namespace pliant::api {

class Backend {
public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  /// Computes the values of a segment that users hold; each has its own error, or none. Waits for its leaves.
  virtual void run(const trace::Segment &segment) = 0;
  /// Does beforehand what a run of the segment would have to do first.
  virtual Status prepare(const trace::Segment &segment) = 0;

  static std::span<Backend *const> all();
  static Backend &chosen(); ///< by the process, for what runs from now on
  static void choose(Backend &backend);
};
/// Makes the reference evaluators' values.
Backend &referenceBackend();

/// Sets `tensors` to those of a segment's leaves, none of those that `failed`; numbers that lie in nodes get one block
/// together. Tensors that were there before lend the memory of their extents.
Status tensorsOf(const std::vector<trace::Handle> &leaves, std::vector<bool> &failed,
                 std::vector<DenseTensor> &tensors);

} // namespace pliant::api
