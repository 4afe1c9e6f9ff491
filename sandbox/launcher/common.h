/* Shared by the launcher's parts: the fork server (launcher.c), the zygote and its keepers (zygote.c),
 * the Landlock domains (domain.c) and the walk over a process tree (tree.c). */
#ifndef BATON_COMMON_H
#define BATON_COMMON_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <sys/types.h>

enum mode { MODE_READ_ONLY = 0, MODE_WORKSPACE_WRITE = 1, MODE_FULL_ACCESS = 2, MODE_COUNT = 3 };

/* One request to the zygote; the descriptors travel beside it in this order. */
enum { FD_STDIN, FD_STDOUT, FD_STATUS, FD_SCRIPT, FD_GO, FD_MASTER, FD_SLAVE, FD_MAX };
struct spawn_request { uint32_t serial; uint32_t mode; uint32_t tty; };
struct spawn_reply { uint32_t serial; int32_t pid; /* < 0: -errno */ };

/* What a keeper writes to its status pipe: P = pid of the shell, E = errno, X = wait status. */
struct keeper_report { char type; char pad[3]; int32_t value; };

/* domain.c */
int domain_abi(void);
int domain_prepare(void);                  /* rulesets of the common domain and of each mode */
int domain_enter_common(void);             /* once, by the zygote */
int domain_enter_mode(enum mode mode);     /* by each command's first process */

/* tree.c */
int tree_kill_round(pid_t root);           /* kills the living descendants of root, answers how many it found */
int tree_kill_strays(pid_t parent, const pid_t *known, int count); /* children of parent that are not known */

/* zygote.c */
void zygote_main(int sock) __attribute__((noreturn));

#endif
