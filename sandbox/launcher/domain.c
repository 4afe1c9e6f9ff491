/* Landlock domains. Every command is in the common domain (entered once by the zygote: it bounds what can be
 * read, and whom commands may signal) and in one of its own for its mode, which bounds what it may write and
 * keeps it from tracing its keeper. The supervisor's state folder is in no list. */
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's interface, spelled out since the build image's headers are older than the kernels we meet. */
struct ruleset_attr { uint64_t fs, net, scoped; };
struct path_attr { uint64_t access; int32_t fd; } __attribute__((packed));
enum {
  FS_EXECUTE = 1 << 0, FS_WRITE_FILE = 1 << 1, FS_READ_FILE = 1 << 2, FS_READ_DIR = 1 << 3,
  FS_REMOVE_DIR = 1 << 4, FS_REMOVE_FILE = 1 << 5, FS_MAKE_CHAR = 1 << 6, FS_MAKE_DIR = 1 << 7,
  FS_MAKE_REG = 1 << 8, FS_MAKE_SOCK = 1 << 9, FS_MAKE_FIFO = 1 << 10, FS_MAKE_BLOCK = 1 << 11,
  FS_MAKE_SYM = 1 << 12, FS_REFER = 1 << 13, FS_TRUNCATE = 1 << 14,
};
enum { SCOPE_ABSTRACT_UNIX = 1 << 0, SCOPE_SIGNAL = 1 << 1 };

static const uint64_t READ = FS_EXECUTE | FS_READ_FILE | FS_READ_DIR;
static const uint64_t WRITE = FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_CHAR | FS_MAKE_DIR |
  FS_MAKE_REG | FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_BLOCK | FS_MAKE_SYM | FS_REFER | FS_TRUNCATE;
static const uint64_t OF_A_FILE = FS_EXECUTE | FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE;

/* Also written to by a command that may write everywhere. */
static const char *const ROOTS[] = {
  "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib32", "/lib64", "/libx32", "/media", "/mnt", "/opt",
  "/root", "/run", "/sbin", "/srv", "/tmp", "/usr", "/var", "/workspace", 0 };
/* Read only in every mode: writing here reaches other processes of the same user, the supervisor too. */
static const char *const KERNEL_ROOTS[] = { "/proc", "/sys", 0 };
static const char *const WRITE_ROOTS[] = { "/workspace", "/home", "/tmp", "/var/tmp", "/dev/shm", 0 };
static const char *const DEVICES[] = {
  "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", 0 };

static int common = -1, by_mode[MODE_COUNT] = { -1, -1, -1 };

int domain_abi(void) {
  long abi = syscall(SYS_landlock_create_ruleset, 0, 0, 1);
  return abi < 0 ? 0 : (int)abi;
}

static uint64_t known(uint64_t access, int abi) {
  if (abi < 2) access &= ~(uint64_t)FS_REFER;
  if (abi < 3) access &= ~(uint64_t)FS_TRUNCATE;
  return access;
}

static int ruleset(uint64_t fs, uint64_t scoped, int abi) {
  struct ruleset_attr attr = { known(fs, abi), 0, abi >= 6 ? scoped : 0 };
  size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  return (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
}

/* A path that does not exist on this image is no rule; anything else that fails leaves the domain stricter. */
static void allow(int rules, const char *path, uint64_t access, int abi) {
  int fd = open(path, O_PATH | O_CLOEXEC);
  struct stat st;
  if (fd < 0) return;
  if (fstat(fd, &st) == 0) {
    if (!S_ISDIR(st.st_mode)) access &= OF_A_FILE;
    struct path_attr attr = { known(access, abi), fd };
    if (attr.access) syscall(SYS_landlock_add_rule, rules, 1, &attr, 0);
  }
  close(fd);
}

static void allow_all(int rules, const char *const *paths, uint64_t access, int abi) {
  for (; *paths; paths++) allow(rules, *paths, access, abi);
}

int domain_prepare(void) {
  int abi = domain_abi();
  if (abi < 1) return 0;
  common = ruleset(READ | WRITE, SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL, abi);
  if (common < 0) return -1;
  allow_all(common, ROOTS, READ | WRITE, abi);
  allow_all(common, KERNEL_ROOTS, READ, abi);
  /* Names only: `ls /` and `find /` work, and what is inside the state folder still cannot be opened. */
  allow(common, "/", FS_READ_DIR, abi);
  for (int m = 0; m < MODE_COUNT; m++) {
    int rules = by_mode[m] = ruleset(m == MODE_FULL_ACCESS ? FS_REFER | FS_MAKE_BLOCK : WRITE, 0, abi);
    if (rules < 0) return -1;
    if (m == MODE_FULL_ACCESS) { allow(rules, "/", FS_REFER, abi); continue; }
    allow_all(rules, DEVICES, FS_WRITE_FILE | FS_TRUNCATE, abi);
    if (m == MODE_READ_ONLY) continue;
    allow_all(rules, WRITE_ROOTS, WRITE, abi);
  }
  return 0;
}

static int enter(int rules) {
  if (rules < 0) return 0;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
  return (int)syscall(SYS_landlock_restrict_self, rules, 0);
}

int domain_enter_common(void) { return enter(common); }
int domain_enter_mode(enum mode mode) { return enter(by_mode[mode]); }
