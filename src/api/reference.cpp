// SPDX-License-Identifier: Apache-2.0
// Segments by the reference evaluators, op by op. Memory of a value goes with its last reader.
#include "api/backend.h"
#include "api/observe.h"
#include "trace/oplist.h"

namespace pliant::api {
namespace {

class Reference : public Backend {
public:
  std::string_view name() const override { return "reference"; }
  Status prepare(const trace::Segment &) override { return ok(); }

  void run(const trace::Segment &segment) override {
    if (segment.results.empty())
      return;
    const int64_t begin = observe::now();
    bool failed = false;
    const std::vector<Computed> values = valuesOf(segment);
    for (size_t i = 0; i < segment.results.size(); ++i) {
      const Computed &value = values[segment.structure->results[i]];
      failed |= value.error != nullptr;
      segment.results[i]->stored()->set(value.error ? Result<DenseTensor>(*value.error)
                                                    : Result<DenseTensor>(value.tensor));
    }
    observe::ran(begin, segment.structure->code->ops, failed);
  }

private:
  struct Computed {
    DenseTensor tensor;
    std::shared_ptr<const Error> error;
  };

  /// An op that fails has its error, and so has whatever depends on it; the others go on.
  static std::vector<Computed> valuesOf(const trace::Segment &segment) {
    const trace::OpList list(*segment.structure);
    std::vector<Computed> values(list.makers.size()), leaves(segment.leaves.size());
    std::vector<bool> failed;
    std::vector<DenseTensor> tensors;
    const Status given = tensorsOf(segment.leaves, failed, tensors);
    const auto noMemory = given ? nullptr : std::make_shared<const Error>(given.error());
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!given)
        leaves[i].error = noMemory;
      else if (!failed.empty() && failed[i])
        leaves[i].error = std::make_shared<const Error>(*segment.leaves[i]->stored()->error);
      else
        leaves[i].tensor = std::move(tensors[i]);
    }
    const std::vector<std::vector<uint32_t>> spent = lastReads(list);
    for (size_t op = 0; op < list.size(); ++op) {
      const std::span<Computed> results(values.data() + list.ops[op].value,
                                        list.ops[op + 1].value - list.ops[op].value);
      compute(segment, list, op, values, leaves, results);
      for (uint32_t value : spent[op])
        values[value].tensor.release();
    }
    return values;
  }

  static void compute(const trace::Segment &segment, const trace::OpList &list, size_t op,
                      const std::vector<Computed> &values, const std::vector<Computed> &leaves,
                      std::span<Computed> results) {
    const trace::Header header = list.header(op);
    std::vector<DenseTensor> operands;
    std::shared_ptr<const Error> error;
    for (size_t i = 0; i < header.operands && !error; ++i) {
      const uint32_t operand = list.operand(op, i);
      const Computed &read = operand & trace::leafBit ? leaves[operand & ~trace::leafBit] : values[operand];
      error = read.error;
      operands.push_back(read.tensor);
    }
    if (!error) {
      size_t integer = list.ops[op].integer;
      const auto [attrs, behind] =
          trace::decode(header.op, list.attributes(op).data(), [&] { return Expr(segment.integers[integer++]); });
      auto computed = evaluate(header.op, attrs, operands);
      observe::launched(0, 1, 0);
      if (computed)
        for (size_t i = 0; i < results.size(); ++i)
          results[i].tensor = std::move((*computed)[i]);
      else
        error = std::make_shared<const Error>(computed.takeError().at(trace::str((*segment.sites)[op])));
    }
    for (Computed &each : results)
      each.error = error;
  }

  /// By op, the values that it is the last to read and that no user gets.
  static std::vector<std::vector<uint32_t>> lastReads(const trace::OpList &list) {
    std::vector<uint32_t> reader(list.makers); // a value that nobody reads goes with its maker
    for (uint32_t op = 0; op < list.size(); ++op)
      for (uint32_t i = 0, n = list.header(op).operands; i < n; ++i)
        if (const uint32_t operand = list.operand(op, i); !(operand & trace::leafBit))
          reader[operand] = op;
    std::vector<bool> held(reader.size());
    for (uint32_t value : list.structure.results)
      held[value] = true;
    std::vector<std::vector<uint32_t>> spent(list.size());
    for (uint32_t value = 0; value < reader.size(); ++value)
      if (!held[value])
        spent[reader[value]].push_back(value);
    return spent;
  }
};

} // namespace

Backend &referenceBackend() {
  static auto *backend = new Reference; // the worker's thread may run to the very end of the process
  return *backend;
}

} // namespace pliant::api
