/* The fork server beside the supervisor. It starts shells through the zygote, keeps a few of them started
 * ahead, tells how they end, and kills whole trees. It knows nothing of HTTP, files or output: the supervisor
 * opens the pipes' ends through /proc/<launcher>/fd and then says O.
 *
 * Control (descriptor 3, a stream of lines):
 *   in   R id mode tty rows cols bytes + script · O id · K id · S id signal · W id rows cols
 *   out  h abi · s id pid in out · e id errno · x id waitstatus · k id · f id (nothing of its tree is left) */
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CONTROL = 3, JOBS = 512, AHEAD = 3, PIPE_BYTES = 256 * 1024, QUIET_MS = 6, STUCK_MS = 100 };

struct job {
  int used, assigned, exited, killing, told, pooled, opened, over;
  uint32_t serial;
  long id;
  enum mode mode;
  pid_t keeper, shell;
  int status, in, out, go, script, master;
};
static struct job jobs[JOBS];
static int zygote = -1, pending, abi;
static pid_t zygote_pid, self;
static uint32_t serials;
static enum mode ahead_mode = MODE_WORKSPACE_WRITE, last_mode = MODE_WORKSPACE_WRITE;
static int ahead_failed, strays_due;

static void drop(int *fd) { if (*fd >= 0) close(*fd); *fd = -1; }

static void tell(const char *format, ...) {
  char line[160];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  for (int at = 0; at < n;) {
    ssize_t w = write(CONTROL, line + at, (size_t)(n - at));
    if (w < 0 && errno == EAGAIN) { struct pollfd p = { CONTROL, POLLOUT, 0 }; poll(&p, 1, 1000); continue; }
    if (w < 0 && errno != EINTR) return;
    if (w > 0) at += (int)w;
  }
}

static struct job *by_id(long id) {
  for (int i = 0; i < JOBS; i++) if (jobs[i].used && jobs[i].assigned && jobs[i].id == id) return &jobs[i];
  return 0;
}

static void release(struct job *job) {
  drop(&job->status); drop(&job->in); drop(&job->out); drop(&job->go); drop(&job->script); drop(&job->master);
  job->used = 0;
}

/* It never began: the caller hears why, a spare one is just forgotten until the next quiet moment. */
static void fail(struct job *job, int error) {
  if (job->assigned) { tell("e %ld %d\n", job->id, error); }
  else ahead_failed = 1;
  release(job);
}

static void start_zygote(void) {
  int pair[2];
  if (zygote >= 0) { close(zygote); zygote = -1; }
  pending = 0;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) return;
  zygote_pid = fork();
  if (zygote_pid == 0) { signal(SIGPIPE, SIG_IGN); zygote_main(pair[1]); }
  close(pair[1]);
  if (zygote_pid < 0) { close(pair[0]); return; }
  zygote = pair[0];
}

static int make_pipe(int *reader, int *writer) {
  int pair[2];
  if (pipe2(pair, O_CLOEXEC)) return -1;
  fcntl(pair[1], F_SETPIPE_SZ, PIPE_BYTES);
  *reader = pair[0];
  *writer = pair[1];
  return 0;
}

static struct job *spawn(enum mode mode, const struct winsize *size) {
  struct job *job = 0;
  int fds[FD_MAX];
  for (int i = 0; i < JOBS && !job; i++) if (!jobs[i].used) job = &jobs[i];
  if (!job) { errno = EAGAIN; return 0; }
  if (zygote < 0) start_zygote();
  for (int i = 0; i < FD_MAX; i++) fds[i] = -1;
  *job = (struct job){ .used = 1, .mode = mode, .serial = ++serials,
    .status = -1, .in = -1, .out = -1, .go = -1, .script = -1, .master = -1 };
  int bad = zygote < 0 || make_pipe(&fds[FD_STDIN], &job->in) || make_pipe(&job->out, &fds[FD_STDOUT]) ||
    make_pipe(&job->status, &fds[FD_STATUS]) || make_pipe(&fds[FD_GO], &job->go) ||
    (job->script = memfd_create("script", MFD_CLOEXEC)) < 0;
  if (!bad && size) {
    bad = (job->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0 || unlockpt(job->master) ||
      ioctl(job->master, TIOCSWINSZ, size) ||
      (fds[FD_SLAVE] = ioctl(job->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0;
    fds[FD_MASTER] = job->master;
  }
  fds[FD_SCRIPT] = job->script;
  if (!bad) {
    struct spawn_request request = { job->serial, (uint32_t)mode, size != 0 };
    char control[CMSG_SPACE(sizeof(int) * FD_MAX)];
    size_t bytes = sizeof(int) * (size_t)(size ? FD_MAX : FD_MASTER);
    struct iovec iov = { &request, sizeof request };
    struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = CMSG_SPACE(bytes) };
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(bytes);
    memcpy(CMSG_DATA(c), fds, bytes);
    bad = sendmsg(zygote, &message, MSG_NOSIGNAL) < 0;
  }
  int error = errno;
  for (int i = 0; i < FD_MAX; i++) if (i != FD_SCRIPT && i != FD_MASTER && fds[i] >= 0) close(fds[i]);
  if (bad) { release(job); errno = error; return 0; }
  pending++;
  return job;
}

/* The supervisor learns of it when the shell exists; the script may already be running then. */
static void announce(struct job *job) {
  if (!job->assigned || job->told || !job->shell) return;
  job->told = 1;
  tell("s %ld %d %d %d\n", job->id, job->shell, job->in, job->out);
}

static void run(long id, enum mode mode, const struct winsize *size, const char *script, size_t bytes) {
  struct job *job = 0;
  if (!size)
    for (int i = 0; i < JOBS && !job; i++)
      if (jobs[i].used && jobs[i].pooled && !jobs[i].assigned && !jobs[i].exited && jobs[i].mode == mode &&
          jobs[i].shell && jobs[i].go >= 0)
        job = &jobs[i];
  /* One search between writes does not turn the spare shells over; two of a kind in a row do. */
  if (!size && mode == last_mode) ahead_mode = mode;
  if (!size) last_mode = mode;
  if (!job) job = spawn(mode, size);
  if (!job) { tell("e %ld %d\n", id, errno ? errno : EIO); return; }
  job->assigned = 1;
  job->id = id;
  if (job->pooled) { kill(job->keeper, SIGCONT); kill(job->shell, SIGCONT); }
  for (size_t at = 0; at < bytes;) {
    ssize_t n = pwrite(job->script, script + at, bytes - at, (off_t)at);
    if (n <= 0 && errno != EINTR) { fail(job, errno); return; }
    if (n > 0) at += (size_t)n;
  }
  if (write(job->go, "\n", 1) < 0) {
    int error = errno;
    if (!job->pooled) { fail(job, error); return; }
    /* A spare shell that somebody killed: it leaves by itself, the command gets another. */
    job->assigned = 0;
    drop(&job->go);
    run(id, mode, size, script, bytes);
    return;
  }
  drop(&job->go);
  drop(&job->script);
  announce(job);
}

/* A keeper that was killed leaves its tree to us, the next subreaper up: whatever is our child and no keeper. */
static void kill_strays(void) {
  pid_t known[JOBS + 1];
  int count = 0;
  if (pending) return; /* a keeper just born would look like a stray; the main loop comes again */
  strays_due = 0;
  known[count++] = zygote_pid;
  for (int i = 0; i < JOBS; i++) if (jobs[i].used && jobs[i].keeper) known[count++] = jobs[i].keeper;
  for (int round = 0; round < 50 && tree_kill_strays(self, known, count); round++) { }
}

static void on_report(struct job *job) {
  struct keeper_report report;
  ssize_t n = read(job->status, &report, sizeof report);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n != (ssize_t)sizeof report) { /* the keeper is gone */
    if (!job->shell) { fail(job, EAGAIN); return; }
    if (job->assigned && !job->exited) tell("x %ld %d\n", job->id, SIGKILL);
    if (job->assigned) { if (job->killing) tell("k %ld\n", job->id); tell("f %ld\n", job->id); }
    /* Its output may still be in a pipe that the supervisor has not opened yet. */
    job->over = 1;
    job->killing = 0;
    drop(&job->status);
    if (!job->assigned || job->opened) release(job);
    return;
  }
  if (report.type == 'E') { fail(job, report.value); return; }
  if (report.type == 'P') { job->shell = report.value; announce(job); }
  if (report.type == 'X') {
    job->exited = 1;
    if (job->assigned) tell("x %ld %d\n", job->id, report.value);
  }
}

static void on_children(int reaper) {
  struct signalfd_siginfo info;
  int killed = 0;
  while (read(reaper, &info, sizeof info) > 0) { }
  for (;;) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid <= 0) break;
    if (pid == zygote_pid) { zygote_pid = 0; if (zygote >= 0) close(zygote); zygote = -1; killed = 1; }
    if (WIFSIGNALED(status)) killed = 1;
    for (int i = 0; i < JOBS; i++) if (jobs[i].used && jobs[i].keeper == pid) jobs[i].keeper = 0;
  }
  if (!zygote_pid) {
    for (int i = 0; i < JOBS; i++) if (jobs[i].used && !jobs[i].keeper && !jobs[i].shell) fail(&jobs[i], EIO);
    start_zygote();
  }
  if (killed) strays_due = 1;
}

static void on_zygote(void) {
  struct spawn_reply reply;
  while (zygote >= 0) {
    ssize_t n = recv(zygote, &reply, sizeof reply, MSG_DONTWAIT);
    if (n == 0) { close(zygote); zygote = -1; }
    if (n != (ssize_t)sizeof reply) return;
    if (pending > 0) pending--;
    for (int i = 0; i < JOBS; i++) {
      if (!jobs[i].used || jobs[i].serial != reply.serial) continue;
      if (reply.pid < 0) fail(&jobs[i], -reply.pid);
      else jobs[i].keeper = reply.pid;
    }
  }
}

/* One round per turn of the main loop, so that a tree that dies slowly holds up nobody else. */
static void kill_step(struct job *job) {
  if (!job->keeper) return;
  kill(job->keeper, SIGCONT);
  for (int round = 0; round < 8; round++)
    if (!tree_kill_round(job->keeper)) {
      if (job->exited && job->killing == 1) { job->killing = 0; tell("k %ld\n", job->id); }
      return;
    }
}

static void on_line(char *line, char *payload, size_t bytes) {
  long id = 0, a = 0, b = 0, c = 0, d = 0;
  char what = 0;
  sscanf(line, "%c %ld %ld %ld %ld %ld", &what, &id, &a, &b, &c, &d);
  if (what == 'R') {
    struct winsize size = { .ws_row = (unsigned short)c, .ws_col = (unsigned short)d };
    run(id, a < 0 || a >= MODE_COUNT ? MODE_READ_ONLY : (enum mode)a, b ? &size : 0, payload, bytes);
    return;
  }
  struct job *job = by_id(id);
  if (!job) { if (what == 'K') tell("k %ld\n", id); return; }
  if (what == 'O') { job->opened = 1; drop(&job->in); drop(&job->out); if (job->over) release(job); return; }
  if (job->over) { if (what == 'K') tell("k %ld\n", id); return; }
  if (what == 'K') { job->killing = 1; kill_step(job); }
  if (what == 'S' && job->shell) {
    pid_t group = job->shell;
    if (job->master >= 0) ioctl(job->master, TIOCGPGRP, &group);
    if (group > 1) kill(-group, (int)a);
  }
  if (what == 'W' && job->master >= 0) {
    struct winsize size = { .ws_row = (unsigned short)a, .ws_col = (unsigned short)b };
    ioctl(job->master, TIOCSWINSZ, &size);
  }
}

static char *buffer;
static size_t have, room;

/* 0 when the supervisor is gone. */
static int on_control(void) {
  if (room - have < 65536) {
    char *grown = realloc(buffer, room + (room > 65536 ? room : 131072));
    if (!grown) return 0;
    room += room > 65536 ? room : 131072;
    buffer = grown;
  }
  ssize_t n = read(CONTROL, buffer + have, room - have - 1);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (n == 0) return 0;
  have += (size_t)n;
  size_t at = 0;
  for (;;) {
    char *end = memchr(buffer + at, '\n', have - at);
    if (!end) break;
    size_t head = (size_t)(end - (buffer + at)) + 1, bytes = 0;
    *end = 0;
    if (buffer[at] == 'R') { char *space = strrchr(buffer + at, ' '); bytes = space ? strtoul(space + 1, 0, 10) : 0; }
    if (have - at < head + bytes) { *end = '\n'; break; }
    on_line(buffer + at, buffer + at + head, bytes);
    at += head + bytes;
  }
  memmove(buffer, buffer + at, have - at);
  have -= at;
  return 1;
}

/* Shells started ahead: only in a quiet moment, since starting one competes with what runs. */
static int refill(void) {
  int ready = 0;
  for (int i = 0; i < JOBS; i++) {
    if (!jobs[i].used || !jobs[i].pooled || jobs[i].assigned || jobs[i].go < 0) continue;
    if (jobs[i].mode == ahead_mode) ready++;
    else drop(&jobs[i].go); /* of another mode: it reads end of file and leaves */
  }
  if (ready >= AHEAD || ahead_failed) return 0;
  struct job *job = spawn(ahead_mode, 0);
  if (job) job->pooled = 1;
  return job != 0 && ready + 1 < AHEAD;
}

/* A command may stop whatever is in the common domain: what is about to start another is woken again. */
static void wake_starters(void) {
  if (zygote_pid > 0) kill(zygote_pid, SIGCONT);
  for (int i = 0; i < JOBS; i++)
    if (jobs[i].used && jobs[i].keeper > 0 && !jobs[i].shell) kill(jobs[i].keeper, SIGCONT);
}

int main(void) {
  sigset_t set;
  static struct pollfd watch[JOBS + 3];
  static struct job *owner[JOBS + 3];
  self = getpid();
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  prctl(PR_SET_NAME, "launcher", 0, 0, 0);
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, 0);
  int reaper = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  fcntl(CONTROL, F_SETFD, FD_CLOEXEC);
  abi = domain_abi();
  start_zygote();
  tell("h %d\n", abi);
  int short_pool = 1;
  for (;;) {
    int n = 0, killing = 0, unborn = pending > 0;
    watch[n++] = (struct pollfd){ CONTROL, POLLIN, 0 };
    watch[n++] = (struct pollfd){ reaper, POLLIN, 0 };
    watch[n++] = (struct pollfd){ zygote, POLLIN, 0 };
    for (int i = 0; i < JOBS; i++)
      if (jobs[i].used) {
        owner[n] = &jobs[i];
        watch[n++] = (struct pollfd){ jobs[i].status, POLLIN, 0 };
        killing |= jobs[i].killing;
        unborn |= !jobs[i].shell;
      }
    int got = poll(watch, (nfds_t)n, killing ? 2 : short_pool ? QUIET_MS : unborn ? STUCK_MS : -1);
    if (got < 0 && errno != EINTR) break;
    if (got == 0 && unborn) wake_starters();
    if (got == 0 && !killing) { if (short_pool) short_pool = refill(); continue; }
    if (watch[2].revents) on_zygote();
    for (int i = 3; i < n; i++)
      if (watch[i].revents && owner[i]->used && owner[i]->status == watch[i].fd) on_report(owner[i]);
    if (watch[1].revents) { on_zygote(); on_children(reaper); ahead_failed = 0; }
    if (watch[0].revents) {
      if (!on_control()) break;
      if (!ahead_failed) short_pool = 1;
    }
    if (strays_due) kill_strays();
    for (int i = 0; i < JOBS; i++) if (jobs[i].used && jobs[i].killing) kill_step(&jobs[i]);
  }
  /* The supervisor is gone: nothing that it started outlives it. */
  for (int round = 0; round < 200 && tree_kill_round(self); round++)
    while (waitpid(-1, 0, WNOHANG) > 0) { }
  return 0;
}
