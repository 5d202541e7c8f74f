// SPDX-License-Identifier: Apache-2.0
#include "pliant/run.h"
#include "api/compiler.h"
#include "api/record.h"

namespace pliant {

using api::Session;

void barrier() { Session::current().barrier(); }
void wait() { Session::wait(); }
bool crowded() { return Session::crowded(); }
void waitWhenCrowded(bool waits) { Session::waitsWhenCrowded = waits; }
void eval(std::span<const Tensor> tensors) {
  barrier();
  for (const Tensor &tensor : tensors)
    (void)tensor.array();
}
void eval(std::initializer_list<Tensor> tensors) { eval(std::span<const Tensor>(tensors)); }

void observe(std::vector<Tensor> tensors, std::function<void(const std::vector<Array> &)> receiver,
             std::function<void(const Exception &)> failed) {
  Session::current().after([tensors = std::move(tensors), receiver = std::move(receiver), failed = std::move(failed)] {
    try {
      std::vector<Array> arrays;
      for (const Tensor &tensor : tensors)
        arrays.push_back(tensor.array());
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
void setThreads(int count) {
  if (count < 1)
    api::raise("threads", std::to_string(count) + " threads", {}, "at least one is needed");
  api::Programs::all().setThreads(count);
}
void setProgramLimits(int64_t programs, int64_t bytes) {
  if (programs < 1 || bytes < 1)
    api::raise("programs",
               "limits of " + std::to_string(programs) + " programs and " + std::to_string(bytes) + " bytes", {},
               "at least one of each is needed");
  api::Programs::all().limit({programs, bytes});
}
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
