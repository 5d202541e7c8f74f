// SPDX-License-Identifier: Apache-2.0
// Weights into memory: what is computed from others, and panels. One after the other, and each source is given back
// when it was read for the last time, so that a model is never in memory twice.
#include "executable/executable.h"
#include "runtime/file_pages.h"
#include <chrono>

namespace pliant {
namespace {

class Loading {
public:
  Loading(const Program &program, std::vector<DenseTensor> sources, std::vector<void *> &table)
      : program(program), sources(std::move(sources)), table(table), values(program.weights.size()),
        uses(program.weights.size()), sourceUses(this->sources.size()), buffers(program.weights.size()) {}

  Status run(Pages &panels) {
    table.assign(program.buffers.size() + program.packed.size(), nullptr);
    PLIANT_CHECK(countUses());
    // One block for all panels: many small ones would cost a page fault every 4 KiB.
    std::vector<size_t> offsets{0};
    for (const PackedWeight &w : program.packed) {
      const auto bytes = static_cast<size_t>(w.spec.bytes(program.buffers[w.weightBuffer].type.dtype));
      offsets.push_back(offsets.back() + (bytes + 63) / 64 * 64);
    }
    PLIANT_TRY(panels, Pages::map(offsets.back(), "packed weights"));
    auto pack = [&](int buffer, const void *from) {
      for (size_t k = 0; k < program.packed.size(); ++k)
        if (program.packed[k].weightBuffer == buffer) {
          std::byte *to = panels.data() + offsets[k];
          program.packed[k].spec.pack(program.buffers[buffer].type.dtype, from, to);
          table[program.buffers.size() + k] = to;
        }
    };
    for (size_t i = 0; i < program.buffers.size(); ++i)
      if (program.buffers[i].storage == Buffer::Storage::Constant) {
        table[i] = program.constants[program.buffers[i].index].data();
        pack(static_cast<int>(i), table[i]);
      }
    for (size_t i = 0; i < values.size(); ++i) {
      PLIANT_CHECK(make(i));
      for (int buffer : buffers[i]) {
        pack(buffer, values[i].data());
        if (!onlyPanels(buffer))
          table[buffer] = values[i].data();
      }
      giveBack(i);
    }
    return ok();
  }

  /// Those that steps read as they are; the others are empty.
  std::vector<DenseTensor> kept() { return std::move(values); }

private:
  const Program &program;
  std::vector<DenseTensor> sources;
  std::vector<void *> &table;
  std::vector<DenseTensor> values;
  std::vector<int> uses;                 // of each weight: by weights still to be made, and by steps
  std::vector<int> sourceUses;           // by weights still to be made
  std::vector<std::vector<int>> buffers; // of each weight

  bool onlyPanels(int buffer) const {
    return std::any_of(program.packed.begin(), program.packed.end(),
                       [&](const PackedWeight &w) { return w.weightBuffer == buffer && w.only; });
  }

  Status countUses() {
    for (size_t i = 0; i < program.buffers.size(); ++i)
      if (program.buffers[i].storage == Buffer::Storage::Weight) {
        buffers[program.buffers[i].index].push_back(static_cast<int>(i));
        uses[program.buffers[i].index] += !onlyPanels(static_cast<int>(i));
      }
    for (const Weight &w : program.weights) {
      if (w.source >= static_cast<int>(sources.size()))
        return internalError("load", "weight '" + w.name + "' has no data");
      if (w.source >= 0)
        ++sourceUses[w.source];
      for (int input : w.inputs)
        ++uses[input];
    }
    return ok();
  }

  Status make(size_t i) {
    const Weight &w = program.weights[i];
    if (w.source >= 0) {
      values[i] = --sourceUses[w.source] ? sources[w.source] : std::move(sources[w.source]);
      return ok();
    }
    if (w.inputs.empty()) {
      values[i] = w.value;
      return ok();
    }
    if (auto count = elementCount(w.dims); !count)
      return count.takeError().at(w.name);
    std::vector<DenseTensor> operands;
    for (int input : w.inputs)
      operands.push_back(values[input]);
    if (w.op == OpId::Reshape) { // the same memory
      values[i] = DenseTensor::borrow(w.dtype, w.dims, operands[0].data(), std::make_shared<DenseTensor>(operands[0]));
    } else {
      auto made = evaluate(w.op, w.attrs, operands);
      if (!made)
        return made.takeError().at(w.name);
      values[i] = std::move(made->front());
    }
    operands.clear();
    for (int input : w.inputs) {
      --uses[input];
      giveBack(static_cast<size_t>(input));
    }
    return ok();
  }

  /// The memory of a weight that nothing reads any more, and the pages of its file: another tensor of the same memory
  /// reads them again.
  void giveBack(size_t i) {
    if (uses[i] > 0 || !values[i])
      return;
    dropFilePages(values[i].data(), values[i].bytes());
    values[i] = DenseTensor();
  }
};

} // namespace

Status Executable::loadWeights(std::vector<DenseTensor> sources) {
  const auto start = std::chrono::steady_clock::now();
  Loading loading(*plan, std::move(sources), table);
  PLIANT_CHECK(loading.run(packed));
  weights = loading.kept();
  loadedMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return ok();
}

} // namespace pliant
