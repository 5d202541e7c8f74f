// SPDX-License-Identifier: Apache-2.0
// pliant-bench-kernels [--json] [--quick] [FILTER]: kernels as users get them, against the multiply-add peak
// (contractions) and against hand-written loops, timed in turn. Ratios above 1 mean that ours is faster.
#include "cases.h"
#include "compare.h"
#include "files/json.h"
#include "handwritten.h"
#include "measure.h"
#include <cstdio>
#include <cstring>

namespace pliant::bench {
namespace {

using Dims = std::vector<int64_t>;
constexpr double gigabyte = 1e9;

struct Settings {
  bool json = false, quick = false;
  std::string filter;
  double budget() const { return quick ? 0.4 : 2.5; }
};

struct Row {
  std::string name;
  double work; ///< bytes moved or operations, of one call
  Comparison times;
};

class Bench {
public:
  Bench(const Settings &settings, const handwritten::Loops &best) : settings(settings), best(best) {}

  Status run() {
    PLIANT_CHECK(contraction("gemm_256", 256, 256, 256));
    PLIANT_CHECK(contraction("gemm_384_768", 384, 768, 768));
    // 128 MB in and as much out, and half of a 1 MB cache.
    struct Place {
      const char *name;
      Dims rows, square;
    };
    const Place places[] = {{"256MB", {32768, 1024}, {8192, 4096}}, {"cache", {128, 512}, {256, 256}}};
    for (const auto &[place, rows, square] : places) {
      const std::string suffix = std::string("_") + place;
      const int64_t m = rows[0], n = rows[1];
      const OneOp softmax{"Softmax", {{"M", "N"}}, {}, {{"axis", -1}}, {}, ""};
      PLIANT_CHECK(loops("softmax" + suffix, softmax, {rows}, rows,
                         [=, this](Inputs x, float *y) { best.softmax(x[0], y, m, n); }));
      const OneOp layerNorm{"LayerNormalization", {{"M", "N"}, {"N"}, {"N"}}, {}, {{"axis", -1}}, {}, ""};
      PLIANT_CHECK(loops("layer_norm" + suffix, layerNorm, {rows, {n}, {n}}, rows,
                         [=, this](Inputs x, float *y) { best.fusedLayerNorm(x[0], x[1], x[2], y, m, n); }));
      const OneOp biasRelu{"Add", {{"M", "N"}, {"N"}}, {}, {}, {}, "Relu"};
      PLIANT_CHECK(loops("bias_activation" + suffix, biasRelu, {rows, {n}}, rows,
                         [=, this](Inputs x, float *y) { best.biasRelu(x[0], x[1], y, m, n); }));
      const OneOp columnSum{"ReduceSum", {{"M", "N"}}, {}, {{"keepdims", 0}}, {0}, ""};
      const int64_t tall = 2 * m; // reads only
      PLIANT_CHECK(loops("column_sum" + suffix, columnSum, {{tall, n}}, {n},
                         [=, this](Inputs x, float *y) { best.columnSum(x[0], y, tall, n); }));
      const int64_t height = square[0], width = square[1];
      const OneOp transpose{"Transpose", {{"M", "N"}}, {}, {}, {}, ""};
      PLIANT_CHECK(loops("transpose" + suffix, transpose, {square}, {width, height},
                         [=, this](Inputs x, float *y) { best.transpose(x[0], y, height, width); }));
    }
    return ok();
  }

  void print() const {
    if (!settings.json) {
      std::printf("%-24s %10s %10s %8s %8s %8s %8s\n", "kernel", "ours us", "other us", "ratio", "spread", "A/A",
                  "G/s");
      for (const Row &row : rows)
        std::printf("%-24s %10.1f %10.1f %8.3f %8.3f %8.3f %8.1f\n", row.name.c_str(), row.times.ours * 1e6,
                    row.times.theirs * 1e6, row.times.ratio, row.times.spread, row.times.same,
                    row.work / row.times.ours / gigabyte);
      return;
    }
    files::JsonWriter json;
    json.beginObject();
    for (const Row &row : rows)
      json.field(row.name, row.times.ratio);
    json.key("details");
    json.beginObject();
    for (const Row &row : rows) {
      json.key(row.name);
      json.beginObject();
      json.field("ours_us", row.times.ours * 1e6);
      json.field("other_us", row.times.theirs * 1e6);
      json.field("spread", row.times.spread);
      json.field("same", row.times.same);
      json.field("rounds", row.times.rounds);
      json.endObject();
    }
    json.endObject();
    json.endObject();
    std::printf("%s\n", json.text().c_str());
  }

private:
  using Inputs = const std::vector<const float *> &;
  const Settings &settings;
  const handwritten::Loops &best;
  std::vector<Row> rows;

  bool wanted(const std::string &name) const { return name.find(settings.filter) != std::string::npos; }

  /// Matrix product with a constant right side and a symbolic number of rows, against multiply-adds alone: the ratio is
  /// the part of the peak that is reached.
  Status contraction(const std::string &name, int64_t m, int64_t n, int64_t k) {
    if (!wanted(name))
      return ok();
    const std::string inner = std::to_string(k);
    PLIANT_TRY(DenseTensor weight, drawn({k, n}));
    PLIANT_TRY(auto exe, compileOp({"MatMul", {{"M", inner.c_str()}}, {weight}, {}, {}, ""}));
    PLIANT_TRY(DenseTensor x, drawn({m, k}));
    PLIANT_CHECK(exe->run({&x, 1}));
    const double operations = 2.0 * static_cast<double>(m) * static_cast<double>(n * k);
    const auto rounds = static_cast<int64_t>(operations / best.operationsPerRound);
    rows.push_back({name, operations,
                    compare([&] { (void)exe->run({&x, 1}); }, [&] { best.multiplyAdds(rounds); }, settings.budget())});
    return ok();
  }

  Status loops(const std::string &name, const OneOp &op, const std::vector<Dims> &shapes, const Dims &result,
               const std::function<void(Inputs, float *)> &other) {
    if (!wanted(name))
      return ok();
    PLIANT_TRY(auto exe, compileOp(op));
    std::vector<DenseTensor> inputs;
    std::vector<const float *> pointers;
    double bytes = 0;
    for (const Dims &dims : shapes) {
      PLIANT_TRY(DenseTensor input, drawn(dims));
      pointers.push_back(input.as<float>());
      bytes += static_cast<double>(input.bytes());
      inputs.push_back(std::move(input));
    }
    PLIANT_TRY(DenseTensor theirs, DenseTensor::zeros(DType::F32, result));
    bytes += static_cast<double>(theirs.bytes());
    other(pointers, theirs.as<float>());
    {
      PLIANT_TRY(std::vector<DenseTensor> ours, exe->run(inputs));
      if (auto agreement = tool::compare(ours[0], theirs); !agreement.holds)
        return internalError("bench", name + ": the loops do not compute the same: " + agreement.reason);
    } // dropped, so that every later run writes the same memory again
    rows.push_back(
        {name, bytes,
         compare([&] { (void)exe->run(inputs); }, [&] { other(pointers, theirs.as<float>()); }, settings.budget())});
    return ok();
  }
};

} // namespace
} // namespace pliant::bench

int main(int argc, char **argv) {
  using namespace pliant;
  bench::Settings settings;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--json"))
      settings.json = true;
    else if (!std::strcmp(argv[i], "--quick"))
      settings.quick = true;
    else if (argv[i][0] != '-' && settings.filter.empty())
      settings.filter = argv[i];
    else {
      std::fprintf(stderr, "usage: pliant-bench-kernels [--json] [--quick] [FILTER]\n");
      return 2;
    }
  }
  const bench::handwritten::Loops *best = bench::handwritten::loops();
  if (!best) {
    std::fprintf(stderr, "the hand-written loops need AVX2\n");
    return 2;
  }
  bench::Bench bench(settings, *best);
  if (auto status = bench.run(); !status) {
    std::fprintf(stderr, "error: %s\n", status.error().text().c_str());
    return 1;
  }
  bench.print();
}
