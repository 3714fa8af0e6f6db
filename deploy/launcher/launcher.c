/*
 * The executables of the image: `/manager`, `/kruise-daemon`, `/helm_hook` and `/kruise-state-metrics` are this program under four names.
 *
 * It becomes Node (exec, so the process id, the signals and the exit code are Node's) running the bundle of that name, with V8's heap limited
 * to three quarters of the memory that the container may use, a small young generation, and one malloc arena for all threads.
 * Statically linked: the image has no shell.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef NODE /* a test puts another program there */
#define NODE "/usr/local/bin/node"
#endif
#ifndef APPS
#define APPS "/app"
#endif
#define UNLIMITED (1ULL << 50) /* cgroup v1 writes a huge number instead of "max" */

#define NO_CODE_FROM_TEXT "--disallow-code-generation-from-strings" /* eval and new Function throw */
/*
 * Node's permission model: no other programs, no native addons, no WebAssembly system interface. Files are left to the container, whose root file
 * system is read-only: flags of the programs name files anywhere, and a link (how certificates are replaced) needs the right to all.
 */
#define RESTRICTED "--permission", "--allow-fs-read=*", "--allow-fs-write=*"
#define WITH_PROFILES "--allow-inspector" /* CPU and heap profiles of --enable-pprof */
#define WITH_THREADS "--allow-worker"     /* the webhook thread, which is restricted likewise */
#define MAY_RUN_PROGRAMS "--allow-child-process"
#define NO_WARNING "--disable-warning=SecurityWarning" /* that these are allowed is decided here, and no news in the log */
#define MAX_FLAGS 16

struct program {
  const char *name;
  const char *bundle;
  const char *threads; /* of libuv's pool (files, names of API servers, compression); NULL for its default */
  const char *flags[MAX_FLAGS]; /* of V8; the smallest young generation keeps resident memory low, and costs no CPU that can be measured */
};

static const struct program programs[] = {
    /* The second pair drops the bytecode and the baseline code of functions that no call has used since the last full collection, such as those of the
     start: V8 would keep the former for five more collections, and the latter permanently. */
    {"manager", APPS "/manager/main.mjs", NULL, {"--max-semi-space-size=1", "--v8-pool-size=1", "--flush-baseline-code", "--bytecode-old-age=1", NO_CODE_FROM_TEXT, RESTRICTED, WITH_PROFILES, WITH_THREADS, NO_WARNING}},
    /* Idle most of the time and on every node: no optimising compilers, whose code and threads cost more memory than they save time.
     One thread of the pool is enough: neither calls of the runtime nor hooks and probes use any. */
    {"kruise-daemon", APPS "/daemon/main.mjs", "1", {"--max-semi-space-size=1", "--v8-pool-size=1", "--optimize-for-size", "--no-opt", "--no-maglev", NO_CODE_FROM_TEXT, RESTRICTED, WITH_PROFILES, NO_WARNING}},
    /* Rendering and scrapes make much short-lived text. */
    {"kruise-state-metrics", APPS "/state-metrics/main.mjs", "2", {"--max-semi-space-size=4", "--v8-pool-size=1", NO_CODE_FROM_TEXT, RESTRICTED, NO_WARNING}},
    {"helm_hook", APPS "/helm-hook/main.mjs", NULL, {"--max-semi-space-size=1", NO_CODE_FROM_TEXT, RESTRICTED, NO_WARNING}},
};

/* The limit in a cgroup file in bytes, 0 when there is no file or no limit. */
static unsigned long long limit_in(const char *path) {
  unsigned long long limit = 0;
  FILE *file = fopen(path, "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%llu", &limit) != 1 || limit >= UNLIMITED) limit = 0;
  fclose(file);
  return limit;
}

static unsigned long long smaller(unsigned long long a, unsigned long long b) { return a == 0 || (b != 0 && b < a) ? b : a; }

/* Where the runtime shows the host's cgroup tree, our own cgroup stands in /proc/self/cgroup as `0::/path` or `N:...memory...:/path`. */
static unsigned long long limit_of_own_cgroup(void) {
  char line[4096], path[4352];
  unsigned long long limit = 0;
  FILE *file = fopen("/proc/self/cgroup", "r");
  if (file == NULL) return 0;
  while (fgets(line, sizeof line, file) != NULL) {
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (group == NULL) continue;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (controllers[1] == '\0') snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
    else if (strstr(controllers, "memory") != NULL) snprintf(path, sizeof path, "/sys/fs/cgroup/memory%s/memory.limit_in_bytes", group);
    else continue;
    limit = smaller(limit, limit_in(path));
  }
  fclose(file);
  return limit;
}

static unsigned long long memory_limit(void) {
  unsigned long long limit = smaller(limit_in("/sys/fs/cgroup/memory.max"), limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  return smaller(limit, limit_of_own_cgroup());
}

static const struct program *find(const char *called) {
  const char *slash = strrchr(called, '/');
  const char *name = slash == NULL ? called : slash + 1;
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    if (strcmp(programs[i].name, name) == 0) return &programs[i];
  return NULL;
}

/* Whether the user names a file that may name programs to run: credential plugins of a kubeconfig or of the agent. */
static int runs_programs(int argc, char **argv) {
  const char *kubeconfig = getenv("KUBECONFIG");
  if (kubeconfig != NULL && *kubeconfig != '\0') return 1;
  if (access("/kruise/CredentialProviderPlugin.yaml", F_OK) == 0) return 1; /* where the agent looks for its own when no flag names it */
  for (int i = 1; i < argc; i++) {
    const char *option = argv[i] + strspn(argv[i], "-");
    if (strncmp(option, "kubeconfig", 10) == 0 || strncmp(option, "plugin-config-file", 18) == 0) return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  const struct program *program = argc > 0 ? find(argv[0]) : NULL;
  if (program == NULL) {
    fprintf(stderr, "launcher: must be called manager, kruise-daemon, helm_hook or kruise-state-metrics, not \"%s\"\n", argc > 0 ? argv[0] : "");
    return 127;
  }
  const char **command = calloc((size_t)argc + 5 + MAX_FLAGS, sizeof *command);
  if (command == NULL) return 127;
  char heap[64];
  int count = 0;
  unsigned long long limit = memory_limit();
  command[count++] = argv[0];
  for (int i = 0; i < MAX_FLAGS && program->flags[i] != NULL; i++) command[count++] = program->flags[i];
  if (runs_programs(argc, argv)) command[count++] = MAY_RUN_PROGRAMS;
  if (limit != 0) {
    snprintf(heap, sizeof heap, "--max-old-space-size=%llu", limit / 4 * 3 >> 20);
    command[count++] = heap;
  }
  command[count++] = program->bundle;
  for (int i = 1; i < argc; i++) command[count++] = argv[i];
  setenv("MALLOC_ARENA_MAX", "1", 0);
  /* Large buffers, such as pages of a list, go back to the system when they are freed; left alone, the C library learns to keep them. */
  setenv("MALLOC_MMAP_THRESHOLD_", "131072", 0);
  setenv("MALLOC_TRIM_THRESHOLD_", "131072", 0);
  if (program->threads != NULL) setenv("UV_THREADPOOL_SIZE", program->threads, 0);
  execv(NODE, (char *const *)command);
  fprintf(stderr, "launcher: cannot run %s: %s\n", NODE, strerror(errno));
  return 127;
}
