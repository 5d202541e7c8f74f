// SPDX-License-Identifier: Apache-2.0
// The pool: each worker takes every n-th case and streams what became of it; one that dies is replaced after its case.
#include "pool.h"
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pliant::conformance {
namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// One line without the separators of the protocol.
std::string flat(const std::string &text) {
  std::string out;
  for (char c : text.substr(0, 4000))
    out += c == '\n' ? std::string(" | ") : std::string(1, c == '\t' || c == '\r' ? ' ' : c);
  return out;
}

void writeLine(int pipe, const std::string &line) {
  for (size_t done = 0; done < line.size();) {
    ssize_t count = write(pipe, line.data() + done, line.size() - done);
    if (count <= 0)
      _exit(3); // the parent is gone
    done += static_cast<size_t>(count);
  }
}

std::string encode(size_t index, const Outcome &o) {
  return "done\t" + std::to_string(index) + "\t" + std::to_string(static_cast<int>(o.verdict)) + "\t" +
         std::to_string(o.fallbacks) + "\t" + std::to_string(o.ms) + "\t" + flat(o.kept) + "\t" + flat(o.reason) + "\n";
}

class Worker {
public:
  Worker(const std::vector<Case> &cases, const PoolOptions &options, size_t first, size_t stride)
      : cases(cases), options(options), next(first), stride(stride) {}

  bool finished() const { return pid < 0 && next >= cases.size(); }
  bool running() const { return pid >= 0; }
  int file() const { return pipe; }
  bool late() const { return running() && seconds() - began > options.secondsPerCase; }

  void start(const std::vector<Worker> &others) {
    int ends[2];
    errors = memfd_create("stderr", MFD_CLOEXEC);
    if (::pipe(ends) != 0 || errors < 0)
      abort();
    fflush(nullptr);
    pid = fork();
    if (pid < 0)
      abort();
    if (pid == 0) {
      close(ends[0]);
      for (const Worker &other : others)
        if (other.running() && &other != this)
          close(other.pipe);
      work(ends[1]);
    }
    close(ends[1]);
    pipe = ends[0];
    pending.clear();
    current = cases.size();
    began = seconds();
  }

  /// Reads what there is. At the end of the stream the worker has died: its current case crashed.
  void read(std::vector<Outcome> &outcomes, const std::function<void(size_t, const Outcome &)> &progress) {
    char buffer[65536];
    ssize_t count = ::read(pipe, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
      return;
    if (count <= 0) {
      int status = 0;
      waitpid(pid, &status, 0);
      close(pipe);
      if (next < cases.size() && current == cases.size())
        current = next; // died before it said which case it took
      if (current < cases.size()) {
        outcomes[current] = {Verdict::Crashed, 0, 1e3 * (seconds() - began), "", crash(status)};
        progress(current, outcomes[current]);
        next = current + stride;
      }
      close(errors);
      pid = -1;
      return;
    }
    pending.append(buffer, static_cast<size_t>(count));
    for (size_t line; (line = pending.find('\n')) != pending.npos; pending.erase(0, line + 1))
      take(pending.substr(0, line), outcomes, progress);
  }

  void stop() {
    killed = true;
    kill(pid, SIGKILL);
  }

private:
  const std::vector<Case> &cases;
  const PoolOptions &options;
  size_t next, stride;
  size_t current = 0; ///< the case that the worker is in, or cases.size()
  pid_t pid = -1;
  int pipe = -1, errors = -1;
  double began = 0;
  bool killed = false;
  std::string pending;

  [[noreturn]] void work(int out) {
    dup2(errors, STDERR_FILENO); // the last words of a crash become its reason
    rlimit none{0, 0}, memory{options.bytes, options.bytes};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_AS, &memory);
    for (size_t i = next; i < cases.size(); i += stride) {
      writeLine(out, "start\t" + std::to_string(i) + "\n");
      writeLine(out, encode(i, runCase(cases[i])));
      if (ftruncate(STDERR_FILENO, 0) == 0)
        lseek(STDERR_FILENO, 0, SEEK_SET);
    }
    _exit(0);
  }

  void take(const std::string &line, std::vector<Outcome> &outcomes,
            const std::function<void(size_t, const Outcome &)> &progress) {
    std::vector<std::string> fields;
    size_t from = 0;
    for (size_t at; fields.size() < 6 && (at = line.find('\t', from)) != line.npos; from = at + 1)
      fields.push_back(line.substr(from, at - from));
    fields.push_back(line.substr(from));
    size_t index = fields.size() > 1 ? std::strtoull(fields[1].c_str(), nullptr, 10) : cases.size();
    if (index >= cases.size())
      return;
    began = seconds();
    if (fields[0] == "start") {
      current = index;
    } else if (fields.size() == 7) {
      outcomes[index] = {static_cast<Verdict>(std::atoi(fields[2].c_str())), std::atoll(fields[3].c_str()),
                         std::atof(fields[4].c_str()), fields[5], fields[6]};
      current = cases.size();
      next = index + stride;
      progress(index, outcomes[index]);
    }
  }

  std::string crash(int status) {
    std::string how = WIFSIGNALED(status) ? std::string("signal ") + strsignal(WTERMSIG(status))
                                          : "exit code " + std::to_string(WEXITSTATUS(status));
    if (killed)
      how = "killed after " + std::to_string(static_cast<int>(options.secondsPerCase)) + " s";
    killed = false;
    char words[2000];
    ssize_t count = pread(errors, words, sizeof words, 0);
    std::string said(words, static_cast<size_t>(std::max<ssize_t>(count, 0)));
    return how + (said.empty() ? "" : ": " + flat(said));
  }
};

} // namespace

std::vector<Outcome> runAll(const std::vector<Case> &cases, const PoolOptions &options,
                            const std::function<void(size_t, const Outcome &)> &progress) {
  std::vector<Outcome> outcomes(cases.size());
  std::vector<Worker> workers;
  for (int j = 0; j < options.jobs; ++j)
    workers.emplace_back(cases, options, static_cast<size_t>(j), static_cast<size_t>(options.jobs));
  for (;;) {
    std::vector<pollfd> files;
    std::vector<Worker *> of;
    for (Worker &worker : workers) {
      if (!worker.running() && !worker.finished())
        worker.start(workers);
      if (worker.running()) {
        files.push_back({worker.file(), POLLIN, 0});
        of.push_back(&worker);
      }
    }
    if (files.empty())
      return outcomes;
    poll(files.data(), files.size(), 1000);
    for (size_t i = 0; i < files.size(); ++i) {
      if (files[i].revents)
        of[i]->read(outcomes, progress);
      else if (of[i]->late())
        of[i]->stop();
    }
  }
}

} // namespace pliant::conformance
