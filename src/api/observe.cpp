// SPDX-License-Identifier: Apache-2.0
#include "api/observe.h"
#include "api/programs.h"
#include "trace/log.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <deque>
#include <map>
#include <mutex>
#include <sys/syscall.h>
#include <unistd.h>

namespace pliant {
namespace {

using api::observe::now;

/// A histogram that any thread may add to.
struct Recorded {
  std::array<std::atomic<int64_t>, 48> buckets{};
  std::atomic<int64_t> count{0}, sum{0}, largest{0};

  void add(int64_t value) {
    const auto bucket = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(value, 0))));
    buckets[std::min(bucket, buckets.size() - 1)].fetch_add(1, std::memory_order_relaxed);
    count.fetch_add(1, std::memory_order_relaxed);
    sum.fetch_add(value, std::memory_order_relaxed);
    int64_t seen = largest.load(std::memory_order_relaxed);
    while (seen < value && !largest.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }
  Histogram read() const {
    Histogram out;
    for (size_t i = 0; i < buckets.size(); ++i)
      out.buckets[i] = buckets[i].load(std::memory_order_relaxed);
    out.count = count.load(std::memory_order_relaxed), out.sum = sum.load(std::memory_order_relaxed);
    out.largest = largest.load(std::memory_order_relaxed);
    return out;
  }
  void reset() {
    for (auto &bucket : buckets)
      bucket.store(0, std::memory_order_relaxed);
    count = 0, sum = 0, largest = 0;
  }
};

struct Compile {
  int64_t ops;
  int64_t nanoseconds;
  std::string why;
};
struct Event {
  const char *what;
  int64_t begin, end, thread, ops;
  std::string note;
};

struct Observed {
  std::atomic<int64_t> segments{0}, ops{0}, compiles{0}, hits{0}, failures{0}, evictions{0};
  std::array<std::atomic<int64_t>, cuts> reasons{};
  Recorded opsPerSegment, compileTime, runTime, waitTime;
  std::atomic<bool> drawing{false};

  std::mutex mutex; ///< of all below
  std::deque<Compile> history;
  static constexpr size_t remembered = 1000;
  std::vector<Event> events;
  int64_t origin = 0;
  std::function<void(const std::string &)> receiver;
  std::atomic<bool> listening{false};
  std::map<std::pair<const char *, uint32_t>, int64_t> compilesAt, readsAt;
  std::vector<std::string> warnings; ///< not told yet
  std::mutex telling;                ///< held while the receiver is called

  static Observed &only() {
    static auto *state = new Observed; // threads may end after the process's statics are gone
    return *state;
  }
  void event(const char *what, int64_t begin, int64_t ops, std::string note = {}) {
    if (!drawing.load(std::memory_order_relaxed))
      return;
    const int64_t end = now();
    std::lock_guard lock(mutex);
    events.push_back({what, begin, end, syscall(SYS_gettid), ops, std::move(note)});
  }
};

std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
  }
  return out;
}

std::string duration(int64_t nanoseconds) {
  char buffer[40];
  const auto n = static_cast<double>(nanoseconds);
  if (nanoseconds < 10'000)
    std::snprintf(buffer, sizeof buffer, "%.2f us", n / 1e3);
  else if (nanoseconds < 10'000'000)
    std::snprintf(buffer, sizeof buffer, "%.3g ms", n / 1e6);
  else
    std::snprintf(buffer, sizeof buffer, "%.4g ms", n / 1e6);
  return buffer;
}

} // namespace

namespace api::observe {

void cut(Cut reason, int64_t ops, Site site) {
  Observed &state = Observed::only();
  state.segments.fetch_add(1, std::memory_order_relaxed);
  state.ops.fetch_add(ops, std::memory_order_relaxed);
  state.reasons[static_cast<size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  state.opsPerSegment.add(ops);
  if (reason == Cut::Read && site.line && state.listening.load(std::memory_order_relaxed)) {
    std::lock_guard lock(state.mutex);
    if (const int64_t times = ++state.readsAt[{site.file, site.line}]; times == 100 || times == 10000)
      state.warnings.push_back("a value was read " + std::to_string(times) + " times at " + trace::str(site) +
                               ", and each time what was recorded so far had to run: read it later, or use observe()");
  }
  if (state.drawing.load(std::memory_order_relaxed))
    state.event("cut", now(), ops, std::string(name(reason)) + (site.line ? " at " + trace::str(site) : ""));
}

void hit() { Observed::only().hits.fetch_add(1, std::memory_order_relaxed); }

void evicted() { Observed::only().evictions.fetch_add(1, std::memory_order_relaxed); }

void compiled(int64_t begin, int64_t ops, Site site, std::string why) {
  Observed &state = Observed::only();
  const int64_t took = now() - begin;
  state.compiles.fetch_add(1, std::memory_order_relaxed);
  state.compileTime.add(took);
  state.event("compile", begin, ops, why);
  std::lock_guard lock(state.mutex);
  if (state.listening.load(std::memory_order_relaxed) && site.line)
    if (const int64_t times = ++state.compilesAt[{site.file, site.line}]; times == 8 || times == 64 || times == 512)
      state.warnings.push_back("what is recorded from " + trace::str(site) + " on was compiled " +
                               std::to_string(times) + " times; the last time " + why);
  if (state.history.size() == Observed::remembered)
    state.history.pop_front();
  state.history.push_back({ops, took, std::move(why)});
}

void ran(int64_t begin, int64_t ops, bool failed) {
  Observed &state = Observed::only();
  state.runTime.add(now() - begin);
  state.failures.fetch_add(failed, std::memory_order_relaxed);
  state.event("run", begin, ops);
}

void waited(int64_t begin, Site site) {
  Observed &state = Observed::only();
  state.waitTime.add(now() - begin);
  if (state.drawing.load(std::memory_order_relaxed))
    state.event("wait", begin, 0, site.line ? trace::str(site) : "");
}

void warn() {
  Observed &state = Observed::only();
  if (!state.listening.load(std::memory_order_relaxed))
    return;
  std::vector<std::string> told;
  std::function<void(const std::string &)> receiver;
  {
    std::lock_guard lock(state.mutex);
    told.swap(state.warnings);
    receiver = state.receiver;
  }
  if (told.empty() || !receiver)
    return;
  std::lock_guard lock(state.telling);
  for (const std::string &text : told)
    receiver(text);
}

} // namespace api::observe

std::string_view name(Cut cut) {
  constexpr std::string_view names[cuts] = {"read", "barrier", "ops", "bytes", "other thread", "extent", "eager"};
  return names[static_cast<size_t>(cut)];
}

int64_t Histogram::quantile(double share) const {
  int64_t below = 0;
  for (size_t i = 0; i < buckets.size(); ++i)
    if ((below += buckets[i]) > static_cast<int64_t>(share * static_cast<double>(count)))
      return std::min(largest, i ? (int64_t(1) << i) - 1 : 0);
  return largest;
}

Counters counters() {
  const Observed &state = Observed::only();
  Counters out;
  out.segments = state.segments, out.ops = state.ops, out.compiles = state.compiles, out.hits = state.hits;
  out.failures = state.failures, out.evictions = state.evictions;
  const api::Programs::Counts kept = api::Programs::all().counts();
  out.programs = kept.programs, out.programBytes = kept.bytes;
  for (size_t i = 0; i < cuts; ++i)
    out.cut[i] = state.reasons[i];
  out.opsPerSegment = state.opsPerSegment.read(), out.compileTime = state.compileTime.read();
  out.runTime = state.runTime.read(), out.waitTime = state.waitTime.read();
  return out;
}

void resetCounters() {
  Observed &state = Observed::only();
  state.segments = 0, state.ops = 0, state.compiles = 0, state.hits = 0, state.failures = 0;
  state.evictions = 0;
  for (auto &reason : state.reasons)
    reason = 0;
  for (Recorded *each : {&state.opsPerSegment, &state.compileTime, &state.runTime, &state.waitTime})
    each->reset();
  std::lock_guard lock(state.mutex);
  state.history.clear();
}

std::string Counters::text() const {
  std::string out = std::to_string(segments) + " segments of " + std::to_string(ops) + " ops; " + std::to_string(hits) +
                    " with a known program, " + std::to_string(compiles) + " compiled, " + std::to_string(failures) +
                    " failed\n" + std::to_string(programs) + " programs kept, of " +
                    std::to_string((programBytes + 512) / 1024) + " KB; " + std::to_string(evictions) +
                    " given up\ncut by";
  for (size_t i = 0; i < cuts; ++i)
    if (cut[i])
      out += " " + std::string(name(static_cast<Cut>(i))) + " " + std::to_string(cut[i]);
  out += '\n';
  auto line = [&](const char *what, const Histogram &times) {
    if (times.count)
      out += std::string(what) + ": " + std::to_string(times.count) + " times, " + duration(times.sum) +
             " in all, median under " + duration(times.quantile(0.5)) + ", 99 of 100 under " +
             duration(times.quantile(0.99)) + ", longest " + duration(times.largest) + "\n";
  };
  line("compile", compileTime);
  line("run", runTime);
  line("wait", waitTime);
  return out;
}

std::string explain() {
  Observed &state = Observed::only();
  std::lock_guard lock(state.mutex);
  std::string out;
  size_t number =
      static_cast<size_t>(state.compiles) - std::min(state.history.size(), static_cast<size_t>(state.compiles));
  for (const Compile &each : state.history)
    out += "program " + std::to_string(++number) + ": " + std::to_string(each.ops) + " ops, " +
           duration(each.nanoseconds) + ": " + each.why + "\n";
  return out;
}

void onWarning(std::function<void(const std::string &)> receiver) {
  Observed &state = Observed::only();
  std::lock_guard lock(state.mutex);
  state.listening = static_cast<bool>(receiver);
  state.receiver.swap(receiver); // the old one goes without the lock, with the caller's argument
}

void startTimeline() {
  Observed &state = Observed::only();
  std::lock_guard lock(state.mutex);
  state.events.clear();
  state.origin = now();
  state.drawing = true;
}

std::string timeline() {
  Observed &state = Observed::only();
  std::lock_guard lock(state.mutex);
  std::string out = "{\"traceEvents\": [";
  const char *separator = "\n";
  for (const Event &event : state.events) {
    char times[120];
    std::snprintf(times, sizeof times, "\"ts\": %.3f, \"dur\": %.3f, \"pid\": 1, \"tid\": %lld",
                  static_cast<double>(event.begin - state.origin) / 1e3,
                  static_cast<double>(event.end - event.begin) / 1e3, static_cast<long long>(event.thread));
    out += std::string(separator) + "  {\"name\": \"" + event.what + "\", \"ph\": \"X\", " + times +
           ", \"args\": {\"ops\": " + std::to_string(event.ops) + ", \"note\": \"" + escaped(event.note) + "\"}}";
    separator = ",\n";
  }
  return out + "\n]}\n";
}

} // namespace pliant
