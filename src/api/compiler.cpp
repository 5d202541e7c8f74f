// SPDX-License-Identifier: Apache-2.0
// The border to the compiler library.
#include "api/compiler.h"
#include "api/session.h"
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <new>
#include <pthread.h>
#include <shared_mutex>
#include <thread>

namespace pliant {

static std::atomic<const driver::CompilerApi *> loaded{nullptr};

bool compilerLoaded() { return loaded.load() != nullptr; }

namespace {

struct Ending {
  std::shared_mutex mutex;           // shared by those who compile
  std::atomic<std::thread::id> by{}; // who ends the process
};

/// Never destroyed. A forked child has its own: those who compile in the parent are not there.
Ending &ending() {
  static Ending *only = [] {
    pthread_atfork(nullptr, nullptr, [] { new (&ending()) Ending; });
    return new Ending;
  }();
  return *only;
}

} // namespace

CompilerAtWork::CompilerAtWork() { ending().mutex.lock_shared(); }
CompilerAtWork::~CompilerAtWork() { ending().mutex.unlock_shared(); }

Status notEnding() {
  const std::thread::id by = ending().by.load();
  if (by == std::thread::id() || by == std::this_thread::get_id())
    return ok();
  return userError("compiler", "the process is ending: nothing more is computed", "",
                   "join the threads that compute before the end");
}

void endCompiles() {
  std::unique_lock alone(ending().mutex);
  ending().by = std::this_thread::get_id();
}

/// The folder of this library: the compiler lies beside it.
static std::string ownFolder() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void *>(&compilerLoaded), &info) || !info.dli_fname)
    return {};
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

std::string compilerPath() {
  const char *named = std::getenv("PLIANT_COMPILER");
  return named ? named : ownFolder() + "libpliant-compiler.so";
}

Result<const driver::CompilerApi *> compiler() {
  if (auto *api = loaded.load())
    return api;
  static std::mutex opening;
  std::lock_guard lock(opening);
  if (auto *api = loaded.load())
    return api;
  const std::string path = compilerPath();
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return userError("compiler", std::string("the compiler library cannot be opened: ") + dlerror(), "",
                     "set PLIANT_COMPILER to the path of libpliant-compiler.so");
  auto *entry = reinterpret_cast<const driver::CompilerApi *(*)()>(dlsym(handle, "pliantCompiler"));
  const driver::CompilerApi *api = entry ? entry() : nullptr;
  if (!api || api->version != driver::compilerApiVersion) {
    dlclose(handle);
    return userError("compiler", path + " is not the compiler of this library: it is of another version", "",
                     "use the libpliant-compiler.so that was built with this libpliant.so");
  }
  loaded.store(api);
  std::atexit([] { // before the compiler's statics go, which were made by dlopen
    pliant::api::Session::wait();
    endCompiles();
  });
  return api;
}

} // namespace pliant
