// SPDX-License-Identifier: Apache-2.0
#include "api/observe.h"
#include "api/programs.h"
#include "runtime/memory.h"
#include "trace/log.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <deque>
#include <map>
#include <mutex>
#include <set>
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
  bool loaded;
  std::string why;
};
/// What the reads of a line have cost: the running of what was recorded before them, and the waiting.
struct Reads {
  int64_t times = 0, nanoseconds = 0;
};
using Line = std::pair<const char *, uint32_t>;
struct Event {
  const char *what;
  int64_t begin, end, thread, ops;
  std::string note;
};

struct Observed {
  std::atomic<int64_t> segments{0}, ops{0}, compiles{0}, loads{0}, hits{0}, failures{0}, evictions{0};
  std::atomic<int64_t> launches{0}, fallbacks{0}, donations{0}, bytesIn{0}, bytesOut{0};
  std::array<std::atomic<int64_t>, cuts> reasons{};
  Recorded opsPerSegment, compileTime, loadTime, runTime, waitTime;
  std::atomic<bool> drawing{false};

  std::mutex mutex; ///< of all below
  std::deque<Compile> history;
  static constexpr size_t remembered = 1000;
  std::vector<Event> events;
  int64_t origin = 0;
  std::function<void(const std::string &)> receiver;
  std::atomic<bool> listening{false};
  std::map<Line, int64_t> compilesAt;
  std::map<Line, Reads> readsAt;
  std::set<std::string> withoutKernel; ///< ops that were warned of
  std::vector<std::string> warnings;   ///< not told yet
  std::mutex telling;                  ///< held while the receiver is called

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
  if ((reason == Cut::Read || reason == Cut::Extent) && site.line) {
    std::lock_guard lock(state.mutex);
    const int64_t times = ++state.readsAt[{site.file, site.line}].times;
    if (state.listening.load(std::memory_order_relaxed) && (times == 100 || times == 10000))
      state.warnings.push_back("a value was read " + std::to_string(times) + " times at " + trace::str(site) +
                               ", and each time what was recorded so far had to run: read it later, or use observe()");
  }
  if (state.drawing.load(std::memory_order_relaxed))
    state.event("cut", now(), ops, std::string(name(reason)) + (site.line ? " at " + trace::str(site) : ""));
}

void hit() { Observed::only().hits.fetch_add(1, std::memory_order_relaxed); }

void evicted() { Observed::only().evictions.fetch_add(1, std::memory_order_relaxed); }

void compiled(int64_t begin, int64_t ops, bool loaded, Site site, std::string why) {
  Observed &state = Observed::only();
  const int64_t took = now() - begin;
  (loaded ? state.loads : state.compiles).fetch_add(1, std::memory_order_relaxed);
  (loaded ? state.loadTime : state.compileTime).add(took);
  state.event(loaded ? "load" : "compile", begin, ops, why);
  std::lock_guard lock(state.mutex);
  if (state.listening.load(std::memory_order_relaxed) && site.line)
    if (const int64_t times = ++state.compilesAt[{site.file, site.line}]; times == 8 || times == 64 || times == 512)
      state.warnings.push_back("what is recorded from " + trace::str(site) + " on needed another program " +
                               std::to_string(times) + " times; the last time " + why);
  if (state.history.size() == Observed::remembered)
    state.history.pop_front();
  state.history.push_back({ops, took, loaded, std::move(why)});
}

void launched(int64_t kernels, int64_t fallbacks, int64_t donations) {
  Observed &state = Observed::only();
  state.launches.fetch_add(kernels, std::memory_order_relaxed);
  if (fallbacks)
    state.fallbacks.fetch_add(fallbacks, std::memory_order_relaxed);
  if (donations)
    state.donations.fetch_add(donations, std::memory_order_relaxed);
}

void withoutKernel(const char *op, const std::string &where) {
  Observed &state = Observed::only();
  std::lock_guard lock(state.mutex);
  if (state.listening.load(std::memory_order_relaxed) && state.withoutKernel.insert(op).second)
    state.warnings.push_back(std::string(op) + (where.empty() ? "" : " at " + where) +
                             " has no kernel for what it is given: it runs as its reference, which is slow");
}

void handedIn(size_t bytes) {
  Observed::only().bytesIn.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
}
void handedOut(size_t bytes) {
  Observed::only().bytesOut.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
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

void read(int64_t begin, Site site) {
  if (!site.line)
    return;
  const int64_t took = now() - begin;
  Observed &state = Observed::only();
  std::lock_guard lock(state.mutex);
  if (const auto found = state.readsAt.find({site.file, site.line}); found != state.readsAt.end())
    found->second.nanoseconds += took;
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
  out.segments = state.segments, out.ops = state.ops, out.compiles = state.compiles, out.loads = state.loads;
  out.hits = state.hits, out.launches = state.launches, out.fallbacks = state.fallbacks;
  out.donations = state.donations, out.bytesIn = state.bytesIn, out.bytesOut = state.bytesOut;
  out.bytesLive = static_cast<int64_t>(liveMemory()), out.bytesPeak = static_cast<int64_t>(peakMemory());
  out.failures = state.failures, out.evictions = state.evictions;
  const api::Programs::Counts kept = api::Programs::all().counts();
  out.programs = kept.programs, out.programBytes = kept.bytes;
  for (size_t i = 0; i < cuts; ++i)
    out.cut[i] = state.reasons[i];
  out.opsPerSegment = state.opsPerSegment.read(), out.compileTime = state.compileTime.read();
  out.loadTime = state.loadTime.read(), out.runTime = state.runTime.read(), out.waitTime = state.waitTime.read();
  return out;
}

void resetCounters() {
  Observed &state = Observed::only();
  for (std::atomic<int64_t> *each :
       {&state.segments, &state.ops, &state.compiles, &state.loads, &state.hits, &state.failures, &state.evictions,
        &state.launches, &state.fallbacks, &state.donations, &state.bytesIn, &state.bytesOut})
    *each = 0;
  resetPeakMemory();
  for (auto &reason : state.reasons)
    reason = 0;
  for (Recorded *each : {&state.opsPerSegment, &state.compileTime, &state.loadTime, &state.runTime, &state.waitTime})
    each->reset();
  std::lock_guard lock(state.mutex);
  state.history.clear();
  state.readsAt.clear();
}

std::string Counters::text() const {
  auto bytes = [](int64_t count) { return byteCountText(static_cast<size_t>(std::max<int64_t>(count, 0))); };
  std::string out =
      std::to_string(segments) + " segments of " + std::to_string(ops) + " ops, " + std::to_string(failures) +
      " failed\nprograms: " + std::to_string(hits) + " times known, " + std::to_string(compiles) + " compiled, " +
      std::to_string(loads) + " from the disk cache; " + std::to_string(programs) + " kept, of " + bytes(programBytes) +
      "; " + std::to_string(evictions) + " given up\n" + std::to_string(launches) + " kernels launched, " +
      std::to_string(fallbacks) + " ops run as their reference, " + std::to_string(donations) +
      " results in the memory of what they replace\nbytes: " + bytes(bytesIn) + " handed in, " + bytes(bytesOut) +
      " handed out; " + bytes(bytesLive) + " in use, " + bytes(bytesPeak) + " at most\ncut by";
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
  line("load", loadTime);
  line("run", runTime);
  line("wait", waitTime);
  return out;
}

std::string explain() {
  Observed &state = Observed::only();
  std::lock_guard lock(state.mutex);
  std::string out;
  const auto made = static_cast<size_t>(state.compiles + state.loads);
  size_t number = made - std::min(state.history.size(), made);
  for (const Compile &each : state.history)
    out += "program " + std::to_string(++number) + ": " + std::to_string(each.ops) + " ops, " +
           duration(each.nanoseconds) + (each.loaded ? " from the disk cache: " : ": ") + each.why + "\n";
  std::vector<std::pair<Line, Reads>> lines(state.readsAt.begin(), state.readsAt.end());
  std::ranges::sort(lines, std::greater(), [](const auto &each) { return each.second.nanoseconds; });
  if (!lines.empty())
    out += "reads for which what was recorded had to run:\n";
  for (const auto &[line, reads] : lines)
    out += "  " + trace::str(Site(line.first, line.second)) + ": " + std::to_string(reads.times) +
           (reads.times == 1 ? " time, " : " times, ") + duration(reads.nanoseconds) + "\n";
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
