// SPDX-License-Identifier: Apache-2.0
// A run of shapes that were seen lately allocates and frees nothing, takes no lock and makes no system call: allocator
// and locks are counted in this executable, and a child runs under the kernel's strict mode.
#include "executable/idle.h"
#include "executable/program_testing.h"
#include <atomic>
#include <dlfcn.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {
std::atomic<bool> counting{false};
std::atomic<long> allocations{0}, locks{0};

void note(std::atomic<long> &what) {
  if (counting.load(std::memory_order_relaxed))
    what.fetch_add(1, std::memory_order_relaxed);
}
template <class F> F next(const char *name) { return reinterpret_cast<F>(dlsym(RTLD_NEXT, name)); }
} // namespace

// ---- what the whole process calls, operator new among it

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

void *malloc(size_t bytes) {
  note(allocations);
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  note(allocations);
  return __libc_calloc(count, bytes);
}
void *realloc(void *old, size_t bytes) {
  note(allocations);
  return __libc_realloc(old, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  note(allocations);
  return __libc_memalign(alignment, bytes);
}
void *memalign(size_t alignment, size_t bytes) {
  note(allocations);
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void **to, size_t alignment, size_t bytes) {
  note(allocations);
  *to = __libc_memalign(alignment, bytes);
  return *to ? 0 : ENOMEM;
}
void free(void *memory) {
  note(allocations);
  __libc_free(memory);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept {
  static const auto real = next<int (*)(pthread_mutex_t *)>("pthread_mutex_lock");
  note(locks);
  return real(mutex);
}
int pthread_mutex_trylock(pthread_mutex_t *mutex) noexcept {
  static const auto real = next<int (*)(pthread_mutex_t *)>("pthread_mutex_trylock");
  note(locks);
  return real(mutex);
}
int pthread_rwlock_rdlock(pthread_rwlock_t *lock) noexcept {
  static const auto real = next<int (*)(pthread_rwlock_t *)>("pthread_rwlock_rdlock");
  note(locks);
  return real(lock);
}
int pthread_rwlock_wrlock(pthread_rwlock_t *lock) noexcept {
  static const auto real = next<int (*)(pthread_rwlock_t *)>("pthread_rwlock_wrlock");
  note(locks);
  return real(lock);
}
}

using namespace pliant;

namespace {

class HotPath : public test::ProgramTest {
protected:
  bool runAll(int rounds) {
    bool good = true;
    for (int round = 0; round < rounds; ++round)
      for (const std::vector<DenseTensor> &tensors : inputs)
        good &= static_cast<bool>(executable->run(tensors, outputs));
    return good;
  }

  void prove(const std::string &what) {
    Idle::process().setTime(std::chrono::nanoseconds(0)); // its thread takes a lock now and then
    for (int threads : {3, 1}) {
      executable->setThreads(threads, 0);
      ASSERT_TRUE(runAll(3)); // now every shape was seen, and the blocks of outputs have found their sizes
      allocations = 0;
      locks = 0;
      counting = true;
      const bool good = runAll(5);
      counting = false;
      EXPECT_TRUE(good);
      EXPECT_EQ(allocations, 0) << what << " on " << threads << " threads";
      EXPECT_EQ(locks, 0) << what << " on " << threads << " threads";
    }
    // In strict mode every system call but read, write and exit kills.
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
        _exit(3);
      syscall(SYS_exit, runAll(2) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
      return; // a system without it
    EXPECT_TRUE(WIFEXITED(status)) << what << ": a system call (signal " << WTERMSIG(status) << ")";
    EXPECT_EQ(WEXITSTATUS(status), 0) << what;
  }

  void proveModel(const char *file, const std::string &shapes) {
    loadModel(file, shapes);
    if (HasFatalFailure() || IsSkipped())
      return;
    ASSERT_EQ(executable->fallbacks(), 0);
    ASSERT_GT(inputs.size(), 1u);
    prove(file);
  }
};

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PLIANT_SANITIZED
#endif
#endif

#ifndef PLIANT_SANITIZED // they put their own allocator in the place of ours

TEST_F(HotPath, CountsWhatItShould) {
  counting = true;
  allocations = 0;
  locks = 0;
  void *volatile memory = ::operator new(4); // a pair that the compiler sees through would be dropped
  ::operator delete(memory);
  memory = aligned_alloc(64, 64);
  free(memory);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  counting = false;
  EXPECT_EQ(allocations, 4);
  EXPECT_EQ(locks, 1);
}

TEST_F(HotPath, RandomGraphs) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    loadGraph(seed, 8);
    if (HasFatalFailure())
      return;
    if (executable->fallbacks() == 0)
      prove("seed " + std::to_string(seed));
  }
}

TEST_F(HotPath, Yunet) { proveModel("yunet_n_dynamic.onnx", "1,64,96;2,96,64;1,160,160"); }
TEST_F(HotPath, BertTiny) { proveModel("bert_tiny.onnx", "1,7;3,31;1,64"); }
TEST_F(HotPath, Gpt2TinyStep) { proveModel("gpt2_tiny_step.onnx", "1,1,0;3,1,17;1,2,64"); }

#endif

} // namespace
