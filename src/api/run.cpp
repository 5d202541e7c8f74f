// SPDX-License-Identifier: Apache-2.0
#include "pliant/run.h"
#include "api/backend.h"
#include "api/compiler.h"
#include "api/observe.h"
#include "api/record.h"
#include "executable/idle.h"

namespace pliant {

using api::Session;

void barrier(Site site) { Session::current().barrier(site); }
void wait() { Session::wait(); }
bool crowded() { return Session::crowded(); }
void waitWhenCrowded(bool waits) { Session::waitsWhenCrowded = waits; }

struct Reading::State {
  trace::Handle value;
  Site site;
  std::optional<int64_t> begin; ///< of the wait
};
Reading::Reading(const Tensor &tensor, Site site) : state(new State{api::Access::value(tensor, site), site, {}}) {}
Reading::~Reading() {
  if (!state->begin)
    return;
  api::observe::waited(*state->begin, state->site);
  api::observe::read(*state->begin, state->site);
}
bool Reading::ready() const { return Session::ready(*state->value.get()); }
void Reading::start() {
  const int64_t begin = api::observe::now();
  api::checked(Session::request(state->value.get(), state->site));
  if (!ready())
    state->begin = begin;
}
Array Reading::array() const {
  Array out = api::arrayOf(state->value, state->site);
  api::observe::warn(); // also of what was compiled for it
  return out;
}

void eval(std::span<const Tensor> tensors, Site site) {
  barrier(site);
  for (const Tensor &tensor : tensors)
    (void)tensor.array(site);
}
void eval(std::initializer_list<Tensor> tensors, Site site) { eval(std::span<const Tensor>(tensors), site); }

void observe(std::vector<Tensor> tensors, std::function<void(const std::vector<Array> &)> receiver,
             std::function<void(const Exception &)> failed, Site site) {
  Session::current().after(
      [tensors = std::move(tensors), receiver = std::move(receiver), failed = std::move(failed), site] {
        try {
          std::vector<Array> arrays;
          for (const Tensor &tensor : tensors)
            arrays.push_back(tensor.array(site));
          receiver(arrays);
        } catch (const Exception &e) {
          if (failed)
            failed(e);
        } catch (...) { // a thread of ours has nobody to hand it to
        }
      });
}

void finish() {
  Session::wait();
  endCompiles();
}
void setThreads(int count, int64_t serialBelow, Site site) {
  if (count < 1)
    api::raise("threads", std::to_string(count) + " threads", site, "at least one is needed");
  if (serialBelow < 0)
    api::raise("threads", std::to_string(serialBelow) + " nanoseconds of work", site, "0 splits whatever can be split");
  api::Programs::all().setThreads(count, serialBelow);
}
void setCutBudget(int64_t ops, int64_t bytes, Site site) {
  using Budget = trace::CutBudget;
  if (ops < 1 || ops > Budget::largestOps || bytes < 1)
    api::raise("cut budget", std::to_string(ops) + " ops and " + std::to_string(bytes) + " bytes", site,
               "at least one of each and at most " + std::to_string(Budget::largestOps) + " ops can be pending");
  trace::Log::budget.ops = static_cast<uint32_t>(ops);
  trace::Log::budget.bytes = bytes;
}
void setProgramLimits(int64_t programs, int64_t bytes, Site site) {
  if (programs < 1 || bytes < 1)
    api::raise("programs",
               "limits of " + std::to_string(programs) + " programs and " + std::to_string(bytes) + " bytes", site,
               "at least one of each is needed");
  api::Programs::all().limit({programs, bytes});
}
void setIdleTime(double seconds, Site site) {
  constexpr double most = 1e9; // no longer than nanoseconds can count
  if (!(seconds >= 0))
    api::raise("idle", std::to_string(seconds) + " seconds", site, "a time is not negative");
  Idle::process().setTime(std::chrono::nanoseconds(static_cast<int64_t>(std::min(seconds, most) * 1e9)));
}
void trim() { Idle::process().trim(); }
void setBackend(std::string_view name, Site site) {
  std::string known;
  for (api::Backend *each : api::Backend::all()) {
    if (each->name() == name)
      return api::Backend::choose(*each);
    known += (known.empty() ? "" : ", ") + std::string(each->name());
  }
  api::raise("backend", "there is none of the name '" + std::string(name) + "'", site, "known are " + known);
}
std::string_view backend() { return api::Backend::chosen().name(); }
void setEager(bool eager) { Session::current().eager = eager; }

struct NoEvaluation::State {
  Session::Closed closed;
};
NoEvaluation::NoEvaluation(Site site) : state(new State{Session::Closed(site)}) {}
NoEvaluation::~NoEvaluation() = default;

AtMostPrograms::AtMostPrograms(int64_t count) : outer(api::Programs::all().allowed()) {
  if (count < 0)
    api::raise("programs", "at most " + std::to_string(count) + " programs", {}, "0 forbids every compile");
  api::Programs::all().allow(std::min(outer, api::Programs::all().counts().compiles + count));
}
AtMostPrograms::~AtMostPrograms() { api::Programs::all().allow(outer); }

void prepare(const std::function<void()> &record) { api::checked(Session::current().prepare(record)); }

} // namespace pliant
