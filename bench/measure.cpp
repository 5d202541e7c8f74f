// SPDX-License-Identifier: Apache-2.0
#include "measure.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

namespace pliant::bench {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

namespace {

double read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Of this thread: what other processes take in between does not count.
double threadSeconds() { return read(CLOCK_THREAD_CPUTIME_ID); }

double quantile(std::vector<double> list, double at) {
  std::sort(list.begin(), list.end());
  return list[static_cast<size_t>(std::lround(at * static_cast<double>(list.size() - 1)))];
}

struct Sampler {
  const std::function<void()> &call;
  int repeats = 1;
  explicit Sampler(const std::function<void()> &call) : call(call) {
    call(); // pages and caches are warm afterwards
    double once = 1;
    for (int i = 0; i < 3; ++i)
      once = std::min(once, sample());
    repeats = std::max(1, static_cast<int>(1e-3 / once));
  }
  double sample() const {
    const double start = threadSeconds();
    for (int i = 0; i < repeats; ++i)
      call();
    return (threadSeconds() - start) / repeats;
  }
};

} // namespace

double processorSeconds() { return read(CLOCK_PROCESS_CPUTIME_ID); }

double median(std::vector<double> samples) { return quantile(std::move(samples), 0.5); }

Comparison compare(const std::function<void()> &ours, const std::function<void()> &theirs, double budget, int least) {
  const Sampler mine(ours), other(theirs);
  std::vector<double> times, otherTimes, ratios, same;
  const double until = seconds() + budget;
  for (int round = 0; round < least || seconds() < until; ++round) {
    double a = 0, b = 0; // next to each other, in either order
    if (round % 2)
      a = mine.sample(), b = other.sample();
    else
      b = other.sample(), a = mine.sample();
    const double c = other.sample();
    times.push_back(a);
    otherTimes.push_back(b);
    ratios.push_back(b / a);
    same.push_back(b / c);
  }
  return {quantile(times, 0.5),
          quantile(otherTimes, 0.5),
          quantile(ratios, 0.5),
          quantile(same, 0.5),
          (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / 2,
          static_cast<int>(ratios.size())};
}

} // namespace pliant::bench
