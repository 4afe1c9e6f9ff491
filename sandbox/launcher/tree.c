/* The process tree as /proc shows it: who descends from whom, and a round of killing them. */
#include "common.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct proc { pid_t pid, ppid; char dead, mine; };
static struct proc *procs;
static int count, room;

static void scan(void) {
  DIR *dir = opendir("/proc");
  struct dirent *entry;
  count = 0;
  if (!dir) return;
  while ((entry = readdir(dir))) {
    char path[64], text[512];
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    snprintf(path, sizeof path, "/proc/%.20s/stat", entry->d_name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) continue;
    text[n] = 0;
    /* The name may hold anything, parentheses included: fields start after the last one. */
    char *rest = strrchr(text, ')');
    char state;
    int ppid;
    if (!rest || sscanf(rest + 1, " %c %d", &state, &ppid) != 2) continue;
    if (count == room) {
      int more = room ? room * 2 : 512;
      struct proc *grown = realloc(procs, sizeof *procs * (size_t)more);
      if (!grown) break;
      procs = grown;
      room = more;
    }
    procs[count++] = (struct proc){ atoi(entry->d_name), ppid, state == 'Z' || state == 'X', 0 };
  }
  closedir(dir);
}

static void spread(void) {
  for (int again = 1; again;) {
    again = 0;
    for (int i = 0; i < count; i++) {
      if (procs[i].mine) continue;
      for (int j = 0; j < count; j++)
        if (procs[j].mine && procs[j].pid == procs[i].ppid) { procs[i].mine = again = 1; break; }
    }
  }
}

/* Stopped first, so that fewer are born while the round goes on. */
static int kill_mine(pid_t but) {
  int found = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < count; i++)
      if (procs[i].mine && !procs[i].dead && procs[i].pid != but) {
        kill(procs[i].pid, pass ? SIGKILL : SIGSTOP);
        found += pass;
      }
  return found;
}

int tree_kill_round(pid_t root) {
  scan();
  for (int i = 0; i < count; i++) procs[i].mine = procs[i].pid == root;
  spread();
  return kill_mine(root);
}

int tree_kill_strays(pid_t parent, const pid_t *known, int known_count) {
  scan();
  for (int i = 0; i < count; i++) {
    procs[i].mine = procs[i].ppid == parent;
    for (int k = 0; procs[i].mine && k < known_count; k++)
      if (known[k] == procs[i].pid) procs[i].mine = 0;
  }
  /* What descends from a known child is not a stray: it only spreads from the marked ones. */
  spread();
  return kill_mine(parent);
}
