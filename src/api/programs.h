// SPDX-License-Identifier: Apache-2.0
// Programs of recorded segments: found by their whole structure, compiled when there is none whose guards hold.
#pragma once
#include "executable/executable.h"
#include "trace/symbolic.h"
#include <list>
#include <unordered_map>

namespace pliant::api {

class Programs {
public:
  struct Counts {
    int64_t compiles = 0, hits = 0;
  };
  /// Those of this process.
  static Programs &all();

  /// Computes the values of a segment that users hold: all of them, or an error for all. Waits for its leaves.
  void run(const trace::Segment &segment);
  Counts counts() const { return made; }

private:
  /// A guard as a test of numbers.
  struct Test {
    std::vector<Expr::Step> a, b;
    std::vector<int> symbolsA, symbolsB; ///< by step: the symbol's number
  };
  struct Program {
    trace::Words key;
    std::vector<Test> guards;
    std::unique_ptr<Executable> executable;
  };
  std::unordered_multimap<uint64_t, std::unique_ptr<Program>> programs;
  std::mutex mutex;
  Counts made;

  Result<std::vector<DenseTensor>> results(const trace::Segment &segment);
  Result<Executable *> find(const trace::Segment &segment);
  static bool holds(const Test &test, std::span<const int64_t> values);
};

} // namespace pliant::api
