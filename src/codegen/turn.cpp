// SPDX-License-Identifier: Apache-2.0
// Turns squares in two-operand shuffles: within groups of four elements, which for 4-byte elements are x86's unpack
// instructions, then whole groups.
#include "codegen/turn.h"

using namespace mlir;

namespace pliant::codegen {

Values turned(Emitter &e, ArrayRef<Value> rows) {
  const auto lanes = static_cast<int64_t>(rows.size()), groups = lanes / 4;
  auto shuffle = [&](Value a, Value b, llvm::function_ref<int64_t(int64_t)> from) -> Value {
    SmallVector<int64_t> mask;
    for (int64_t i = 0; i < lanes; ++i)
      mask.push_back(from(i)); // elements of b count from `lanes` on
    return e.b.create<vector::ShuffleOp>(e.loc, a, b, mask);
  };
  // Pairs of rows, then pairs of pairs: part k of quads[4 g + c] is column 4 k + c of rows 4 g to 4 g + 3.
  auto unpacked = [&](ArrayRef<Value> from, size_t apart, int64_t width, size_t i, bool high) {
    return shuffle(from[i], from[i + apart], [&](int64_t lane) {
      const int64_t within = lane % 4, piece = within / width; // pieces come from a and b in turn
      return lane - within + (high ? 2 : 0) + piece / 2 * width + within % width + piece % 2 * lanes;
    });
  };
  Values pairs, quads;
  for (size_t i = 0; i < rows.size(); i += 2) {
    pairs.push_back(unpacked(rows, 1, 1, i, false));
    pairs.push_back(unpacked(rows, 1, 1, i, true));
  }
  for (size_t i = 0; i < rows.size(); i += 4)
    for (size_t half : {i, i + 1}) {
      quads.push_back(unpacked(pairs, 2, 2, half, false));
      quads.push_back(unpacked(pairs, 2, 2, half, true));
    }
  // Columns of groups of four.
  auto grouped = [&](Value a, Value b, std::array<int64_t, 4> parts) { // of both, those of b from `groups` on
    return shuffle(a, b, [&](int64_t lane) { return parts[static_cast<size_t>(lane / 4)] * 4 + lane % 4; });
  };
  Values columns(rows.size());
  for (size_t c = 0; c < 4; ++c) {
    if (groups == 1) {
      columns[c] = quads[c];
    } else if (groups == 2) {
      columns[c] = grouped(quads[c], quads[4 + c], {0, 2});
      columns[4 + c] = grouped(quads[c], quads[4 + c], {1, 3});
    } else {
      for (int64_t odd : {0, 1}) {
        Value low = grouped(quads[c], quads[4 + c], {odd, odd + 2, odd + 4, odd + 6});
        Value high = grouped(quads[8 + c], quads[12 + c], {odd, odd + 2, odd + 4, odd + 6});
        columns[4 * static_cast<size_t>(odd) + c] = grouped(low, high, {0, 2, 4, 6});
        columns[8 + 4 * static_cast<size_t>(odd) + c] = grouped(low, high, {1, 3, 5, 7});
      }
    }
  }
  return columns;
}

} // namespace pliant::codegen
