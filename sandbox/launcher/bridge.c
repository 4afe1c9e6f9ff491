/* Copies bytes between standard input and output and the supervisor's socket: the far end of the server's
 * attached exec. Two blocking copiers; when either side ends, both do. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void copy(int from, int to) {
  static char buffer[262144];
  for (;;) {
    ssize_t n = read(from, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    for (ssize_t at = 0; at < n;) {
      ssize_t w = write(to, buffer + at, (size_t)(n - at));
      if (w < 0 && errno == EINTR) continue;
      if (w < 0) return;
      at += w;
    }
  }
}

int main(void) {
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  static const char name[] = "baton-supervisor";
  memcpy(address.sun_path + 1, name, sizeof name - 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + sizeof name - 1);
  /* The container may have been started a moment ago. */
  for (int tries = 0; connect(fd, (struct sockaddr *)&address, size); tries++) {
    /* Refused by the domain: a command tries, and always will be. */
    if (tries > 2000 || errno == EPERM || errno == EACCES) return 69;
    usleep(5000);
  }
  signal(SIGPIPE, SIG_IGN);
  pid_t parent = getpid(), child = fork();
  if (child < 0) return 71;
  if (child == 0) {
    copy(0, fd);
    kill(parent, SIGKILL);
    _exit(0);
  }
  copy(fd, 1);
  kill(child, SIGKILL);
  return 0;
}
