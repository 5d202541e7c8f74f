// SPDX-License-Identifier: Apache-2.0
// What recording costs: nanoseconds an op, new or replayed, of two 4x4 operands, with the time to give the values up;
// bytes an op; and what a known segment costs until its value is there.
#include "api/programs.h"
#include "measure.h"
#include "trace/log.h"
#include <algorithm>
#include <cstdio>
#include <malloc.h>

using namespace pliant;
using trace::Handle;

namespace {

constexpr Site here("recording.cpp", 1);

Handle op(trace::Log &log, bool add, const Handle &a, const Handle &b) {
  trace::Node *operands[] = {a.get(), b.get()};
  return *(add ? log.record(AddAttrs{}, operands, here) : log.record(MulAttrs{}, operands, here));
}

/// A chain of `length` ops; `salt` changes its structure.
Handle chain(trace::Log &log, const Handle &x, const Handle &y, int length, unsigned salt) {
  Handle value = x;
  for (int i = 0; i < length; ++i)
    value = op(log, (salt >> (i % 31) ^ static_cast<unsigned>(i)) & 1, value, y);
  return value;
}

double median(std::vector<double> samples) {
  std::nth_element(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(samples.size() / 2), samples.end());
  return samples[samples.size() / 2];
}

/// Nanoseconds of f() by `per`, the median of many.
template <class F> double nanoseconds(int rounds, double per, F f) {
  std::vector<double> samples;
  for (int i = 0; i < rounds; ++i) {
    const double start = bench::seconds();
    f(i);
    samples.push_back((bench::seconds() - start) * 1e9 / per);
  }
  return median(std::move(samples));
}

} // namespace

int main() {
  constexpr int length = 200;
  trace::Log log;
  const Handle x = log.leaf(*DenseTensor::zeros(DType::F32, {4, 4})),
               y = log.leaf(*DenseTensor::zeros(DType::F32, {4, 4}));
  // A cut is timed by itself.
  auto recorded = [&](const char *how, bool same) {
    std::vector<double> samples, cuts;
    const uint64_t before = log.replayed();
    for (unsigned i = 0; i < 2000; ++i) {
      const double start = bench::seconds();
      chain(log, x, y, length, same ? 1 : i * 2654435761u);
      const double end = bench::seconds();
      log.cut();
      samples.push_back((end - start) * 1e9 / length);
      cuts.push_back((bench::seconds() - end) * 1e9 / length);
    }
    std::printf("%s: %.1f ns an op (%.0f %% replayed), and %.1f ns an op to cut\n", how, median(samples),
                100.0 * static_cast<double>(log.replayed() - before) / (2000.0 * length), median(cuts));
  };
  recorded("ever new", false);
  recorded("the same", true);

  api::Programs programs;
  for (int ops : {2, length}) {
    auto run = [&](int) {
      Handle result = chain(log, x, y, ops, 1);
      programs.run(log.cut());
      result->stored()->get();
    };
    run(0);
    const double each = nanoseconds(2000, 1, run);
    std::printf("%d ops recorded, run and read: %.0f ns, %.1f ns an op\n", ops, each, each / ops);
  }

  // A loop of the host: as many launches as trips.
  for (int trips : {64, 64, 63}) {
    const Handle w = log.leaf(*DenseTensor::zeros(DType::F32, {4, 4}));
    auto run = [&](int) {
      Handle value = x;
      for (int i = 0; i < trips; ++i) {
        trace::Node *operands[] = {value.get(), w.get()};
        value = op(log, true, *log.record(MatmulAttrs{}, operands, here), y);
      }
      programs.run(log.cut());
      value->stored()->get();
    };
    const double start = bench::seconds();
    run(0);
    const double first = bench::seconds() - start;
    const double each = nanoseconds(500, 1, run);
    std::printf("%d trips of matmul and add: first %.2f ms, then %.0f ns, %.0f ns a trip\n", trips, first * 1e3, each,
                each / trips);
  }

  constexpr int million = 1000000;
  for (int round = 0; round < 2; ++round) {
    const double start = bench::seconds();
    Handle value = x;
    for (int i = 0; i < million; ++i) {
      value = op(log, true, value, y);
      if (log.due() != trace::Log::Cut::Asked)
        programs.run(log.cut(log.due()));
    }
    programs.run(log.cut());
    value->stored()->get();
    std::printf("%d ops recorded, run and dropped: %.1f ns an op, %.1f MB held\n", million,
                (bench::seconds() - start) * 1e9 / million,
                static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd) / 1e6);
  }

  constexpr int many = 400000;
  for (const char *how : {"recorded", "replayed"}) {
    const size_t used = mallinfo2().uordblks + mallinfo2().hblkhd;
    const double start = bench::seconds();
    Handle result = chain(log, x, y, many, 5);
    const double taken = bench::seconds() - start;
    std::printf("%d ops %s: %.1f bytes and %.1f ns an op\n", many, how,
                static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd - used) / many, taken * 1e9 / many);
    result = Handle();
    log.cut();
  }
  return 0;
}
