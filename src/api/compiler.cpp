// SPDX-License-Identifier: Apache-2.0
// The border to the compiler library.
#include "api/compiler.h"
#include "api/session.h"
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

namespace pliant {

static std::atomic<const driver::CompilerApi *> loaded{nullptr};

bool compilerLoaded() { return loaded.load() != nullptr; }

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
    return userError("compiler", path + " is of another version");
  }
  loaded.store(api);
  std::atexit([] { pliant::api::Session::wait(); }); // before the compiler's statics go, which were made by dlopen
  return api;
}

} // namespace pliant
