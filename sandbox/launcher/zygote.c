/* The zygote sits in the common domain and makes keepers; a keeper makes one shell and stays until nothing of
 * its tree is left. A keeper is the launcher's child (CLONE_PARENT), so the kernel tells the launcher how it
 * ended; a command cannot trace it, since the command is one domain deeper. */
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Waits for one line on 4, then runs the script that is in the file open on 3. C locale while reading, since
 * bytes that are no text must survive. */
static const char BOOT[] =
  "IFS= read -r -u 4 s || exit 125; exec 4<&-; LC_ALL=C IFS= read -r -d '' s <&3; exec 3<&-; eval \"unset s; $s\"";

static void report(int fd, char type, int value) {
  struct keeper_report r = { type, { 0 }, value };
  while (write(fd, &r, sizeof r) < 0 && errno == EINTR) { }
}

static void run_shell(const int *fds, enum mode mode, int tty) __attribute__((noreturn));
static void run_shell(const int *fds, enum mode mode, int tty) {
  sigset_t none;
  sigemptyset(&none);
  for (int s = 1; s < 65; s++) signal(s, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, 0);
  setsid();
  if (tty) ioctl(fds[FD_SLAVE], TIOCSCTTY, 0);
  if (domain_enter_mode(mode)) _exit(124); /* while its ruleset is still open */
  /* Lifted out of the way first: a source may sit at a number that is another's target. */
  int high[5], from[5] = { tty ? fds[FD_SLAVE] : fds[FD_STDIN], tty ? fds[FD_SLAVE] : fds[FD_STDOUT],
    tty ? fds[FD_SLAVE] : fds[FD_STDOUT], fds[FD_SCRIPT], fds[FD_GO] };
  for (int i = 0; i < 5; i++) high[i] = fcntl(from[i], F_DUPFD, 32);
  for (int i = 0; i < 5; i++) dup2(high[i], i);
  syscall(SYS_close_range, 5, ~0U, 0);
  struct rlimit no_core = { 0, 0 };
  setrlimit(RLIMIT_CORE, &no_core);
  char *argv[] = { "bash", "-c", (char *)BOOT, "bash", 0 };
  execve("/bin/bash", argv, environ);
  _exit(124);
}

/* Terminal bytes between the master and the two pipes. Never blocks on the master: a program that reads no
 * input must still be able to write. */
struct relay { int master, in, out; char pending[4096]; int have, sent; };

static void relay_output(struct relay *r) {
  char buffer[65536];
  for (;;) {
    ssize_t n = read(r->master, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) { close(r->master); close(r->out); if (r->in >= 0) close(r->in); r->master = r->out = r->in = -1; return; }
    for (ssize_t at = 0; at < n;) {
      ssize_t w = write(r->out, buffer + at, (size_t)(n - at));
      if (w < 0 && errno != EINTR) return;
      if (w > 0) at += w;
    }
  }
}

static void relay_input(struct relay *r) {
  if (r->sent == r->have && r->in >= 0) {
    ssize_t n = read(r->in, r->pending, sizeof r->pending);
    if (n <= 0) { if (n == 0) { close(r->in); r->in = -1; } return; }
    r->have = (int)n;
    r->sent = 0;
  }
  while (r->sent < r->have && r->master >= 0) {
    ssize_t n = write(r->master, r->pending + r->sent, (size_t)(r->have - r->sent));
    if (n < 0) return;
    r->sent += (int)n;
  }
}

static void keeper(const int *fds, enum mode mode, int tty) __attribute__((noreturn));
static void keeper(const int *fds, enum mode mode, int tty) {
  sigset_t set;
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  prctl(PR_SET_NAME, "keeper", 0, 0, 0);
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_SETMASK, &set, 0);
  signal(SIGPIPE, SIG_IGN);
  int reaper = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  pid_t shell = fork();
  if (shell == 0) run_shell(fds, mode, tty);
  if (shell < 0 || reaper < 0) { report(fds[FD_STATUS], 'E', errno); _exit(1); }
  struct relay relay = { .master = -1, .in = -1, .out = -1 };
  close(fds[FD_SCRIPT]);
  close(fds[FD_GO]);
  if (tty) {
    close(fds[FD_SLAVE]);
    relay = (struct relay){ .master = fds[FD_MASTER], .in = fds[FD_STDIN], .out = fds[FD_STDOUT] };
    fcntl(relay.master, F_SETFL, O_RDWR | O_NONBLOCK);
  } else { close(fds[FD_STDIN]); close(fds[FD_STDOUT]); }
  report(fds[FD_STATUS], 'P', shell);
  for (;;) {
    struct pollfd watch[4] = { { reaper, POLLIN, 0 }, { fds[FD_STATUS], 0, 0 },
      { relay.master, (short)(POLLIN | (relay.sent < relay.have ? POLLOUT : 0)), 0 },
      { relay.sent < relay.have ? -1 : relay.in, POLLIN, 0 } };
    if (poll(watch, 4, -1) < 0 && errno != EINTR) break;
    if (watch[1].revents) break; /* nobody reads the status any more: the launcher is gone */
    if (watch[3].revents || (watch[2].revents & POLLOUT)) relay_input(&relay);
    if (watch[2].revents & ~POLLOUT) relay_output(&relay);
    if (watch[0].revents) {
      struct signalfd_siginfo info;
      while (read(reaper, &info, sizeof info) > 0) { }
      for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid == 0) break;
        if (pid < 0) { if (errno == EINTR) continue; if (relay.master >= 0) relay_output(&relay); _exit(0); }
        if (pid == shell) {
          if (relay.master >= 0) relay_output(&relay);
          report(fds[FD_STATUS], 'X', status);
        }
      }
    }
  }
  while (tree_kill_round(getpid()) > 0) while (waitpid(-1, 0, WNOHANG) > 0) { }
  _exit(1);
}

void zygote_main(int sock) {
  /* Everything but the socket goes: a descriptor of another command here would keep its output open. */
  if (sock != 3) { dup2(sock, 3); sock = 3; }
  syscall(SYS_close_range, 4, ~0U, 0);
  prctl(PR_SET_NAME, "zygote", 0, 0, 0);
  int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) { if (write(score, "1000", 4) < 0) { } close(score); }
  if (domain_prepare() || domain_enter_common()) _exit(3);
  for (;;) {
    struct spawn_request request;
    char control[CMSG_SPACE(sizeof(int) * FD_MAX)];
    struct iovec iov = { &request, sizeof request };
    struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control };
    ssize_t n = recvmsg(sock, &message, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n != (ssize_t)sizeof request) _exit(0);
    int fds[FD_MAX], given = 0;
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    if (c && c->cmsg_type == SCM_RIGHTS) {
      given = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
      memcpy(fds, CMSG_DATA(c), sizeof(int) * (size_t)given);
    }
    pid_t pid = given >= 5 ? (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) : -1;
    if (pid == 0) { close(sock); keeper(fds, (enum mode)request.mode, (int)request.tty); }
    struct spawn_reply reply = { request.serial, pid < 0 ? -errno : pid };
    for (int i = 0; i < given; i++) close(fds[i]);
    if (send(sock, &reply, sizeof reply, MSG_NOSIGNAL) < 0) _exit(0);
  }
}
