// SPDX-License-Identifier: Apache-2.0
#include "runtime/background_thread.h"
#include <csignal>
#include <pthread.h>

namespace pliant {

bool startBackgroundThread(const char *name, void *(*body)(void *), void *data) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool started = pthread_create(&thread, nullptr, body, data) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!started)
    return false;
  pthread_setname_np(thread, name);
  pthread_detach(thread);
  return true;
}

} // namespace pliant
