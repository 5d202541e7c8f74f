// SPDX-License-Identifier: Apache-2.0
#include "apart.h"
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace pliant::differential {

std::optional<std::string> apart(unsigned seconds, const std::function<std::string()> &work, std::string &how) {
  int ends[2];
  if (pipe(ends) != 0)
    return std::nullopt;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(seconds);
    const std::string text = work();
    size_t done = 0;
    for (ssize_t n; done < text.size() && (n = write(ends[1], text.data() + done, text.size() - done)) > 0;)
      done += static_cast<size_t>(n);
    _exit(done == text.size() ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status == 0)
    return text;
  how = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit";
  return std::nullopt;
}

} // namespace pliant::differential
