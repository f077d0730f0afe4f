/* SPDX-License-Identifier: MIT */
/*
 * Programs that do what few programs do, one a word: odd NAME. Each says on its output how it went, ends with
 * a code of its own, and does so within a second or two.
 */
#include "tests/real/odd.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

extern char **environ;

/* ---- ends */

static void *work_and_say(void *arg)
{
	odd_burn(BRIEF_MS);
	odd_say("worker");
	return arg;
}

static void say_bye(void)
{
	odd_say("exit handler");
}

static int main_leaves(void)
{
	pthread_t t;
	atexit(say_bye);
	odd_burn(BRIEF_MS);
	pthread_create(&t, NULL, work_and_say, NULL);
	pthread_exit(NULL);
}

static int main_leaves_last(void)
{
	atexit(say_bye);
	odd_burn(BRIEF_MS);
	pthread_exit(NULL);
}

static int main_leaves_raw(void)
{
	atexit(say_bye);
	odd_burn(BRIEF_MS);
	syscall(SYS_exit, 5);
	return 0;
}

static void *kill_process(void *unused)
{
	odd_burn(BRIEF_MS);
	kill(getpid(), SIGTERM);
	while (pause() < 0)
		;
	return unused;
}

static int main_leaves_killed(void)
{
	pthread_t t;
	pthread_create(&t, NULL, kill_process, NULL);
	pthread_exit(NULL);
}

static int ends_at_once(void)
{
	odd_burn(BRIEF_MS);
	_exit(6);
}

static int aborts(void)
{
	odd_burn(BRIEF_MS);
	abort();
}

/* ---- stacks */

static void *touch_heap(void *gate)
{
	odd_allocate(50);
	pthread_barrier_wait(gate);
	return NULL;
}

static int tiny_stacks(void)
{
	enum { N = 200, STACK = 32 << 10 };
	static pthread_t t[N];
	pthread_barrier_t gate;
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_barrier_init(&gate, NULL, N + 1);
	for (int i = 0; i < N; i++)
		if (pthread_create(&t[i], &attr, touch_heap, &gate) != 0)
			return 2;
	pthread_barrier_wait(&gate);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	odd_say("all ran");
	return 3;
}

static ucontext_t back, there;

static void coroutine(void)
{
	uint64_t end = odd_cpu_ms() + 2 * BRIEF_MS;
	while (odd_cpu_ms() < end)
		for (int i = 0; i < 300; i++)
			odd_allocate((size_t)(i + 1));
}

/* With a page below that must not be touched. */
static int coroutines(void)
{
	enum { PAGE = 4096, STACK = 8 << 10, N = 4 };
	for (int i = 0; i < N; i++) {
		char *at = mmap(NULL, PAGE + STACK, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mprotect(at, PAGE, PROT_NONE);
		getcontext(&there);
		there.uc_stack.ss_sp = at + PAGE;
		there.uc_stack.ss_size = STACK;
		there.uc_link = &back;
		makecontext(&there, coroutine, 0);
		swapcontext(&back, &there);
	}
	odd_say("four coroutines");
	return 3;
}

static sigjmp_buf before_the_fault;
static volatile sig_atomic_t faults;

static void on_fault(int signal)
{
	(void)signal;
	faults++;
	siglongjmp(before_the_fault, 1);
}

static __attribute__((noinline)) int too_deep(int depth, int deepest)
{
	volatile char room[2000];
	room[0] = (char)depth;
	return depth < deepest ? too_deep(depth + 1, deepest) + room[0] : 0;
}

/* The stack overflows, and the handler goes on. */
static int overflows(void)
{
	enum { ROOM = 16 << 10, TIMES = 5 };
	stack_t own = { .ss_sp = malloc(ROOM), .ss_size = ROOM };
	struct sigaction a = { .sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER };
	sigaltstack(&own, NULL);
	sigaction(SIGSEGV, &a, NULL);
	while (faults < TIMES)
		if (!sigsetjmp(before_the_fault, 1))
			too_deep(0, 1 << 30);
	odd_burn(BRIEF_MS);
	odd_said("faults", faults);
	return 3;
}

/* ---- children */

static int forks(void)
{
	int code = 0;
	odd_burn(BRIEF_MS);
	for (int i = 0; i < 10; i++) {
		pid_t child = fork();
		if (child == 0) {
			odd_allocate(1000);
			_exit(i);
		}
		code += odd_code_of(child);
	}
	odd_said("codes", code);
	return 3;
}

static void *allocate(void *arg)
{
	const atomic_bool *stop = arg;
	while (!atomic_load(stop))
		odd_allocate(100);
	return NULL;
}

static int forks_with_threads(void)
{
	pthread_t t[2];
	atomic_bool stop = false;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, allocate, &stop);
	int code = forks();
	atomic_store(&stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return code;
}

static void on_urgent(int signal)
{
	(void)signal;
}

/* The library's own timer has no signal in such a one. */
static int forks_with_urgent(void)
{
	signal(SIGURG, on_urgent);
	return forks();
}

static int vforks(void)
{
	char *words[] = { (char[]){ "true" }, NULL };
	odd_burn(BRIEF_MS);
	pid_t child = vfork();
	if (child == 0) {
		for (int n = 1; n < NSIG; n++)
			signal(n, SIG_DFL);
		execv("/bin/true", words);
		_exit(9);
	}
	odd_said("child", odd_code_of(child));
	odd_burn(BRIEF_MS); /* the child's signals are its own */
	return 3;
}

static int clones_raw(void)
{
	odd_burn(BRIEF_MS);
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0) {
		odd_burn(BRIEF_MS);
		odd_allocate(100);
		syscall(SYS_exit_group, 4);
	}
	odd_said("child", odd_code_of(child));
	return 3;
}

static int spawns(void)
{
	char *words[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "exit 7" }, NULL };
	posix_spawnattr_t attr;
	sigset_t all;
	pid_t child;
	odd_burn(BRIEF_MS);
	sigfillset(&all);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	if (posix_spawn(&child, "/bin/sh", NULL, &attr, words, environ) != 0)
		return 2;
	odd_said("child", odd_code_of(child));
	return 3;
}

/* ---- descriptors, limits */

static int closes_all(void)
{
	odd_burn(BRIEF_MS);
	for (int fd = 3; fd < 4096; fd++)
		close(fd);
	int first = open("/dev/null", O_RDONLY | O_CLOEXEC);
	odd_said("first", first);
	odd_burn(BRIEF_MS);
	return 3;
}

static int limited(int what, rlim_t to)
{
	struct rlimit limit;
	odd_burn(BRIEF_MS);
	getrlimit((__rlimit_resource_t)what, &limit);
	limit.rlim_cur = to;
	int error = setrlimit((__rlimit_resource_t)what, &limit);
	odd_said("limit", error);
	odd_burn(2 * BRIEF_MS);
	odd_allocate(1000);
	return 3;
}

static int no_files(void)
{
	return limited(RLIMIT_NOFILE, 3);
}

static int no_processes(void)
{
	return limited(RLIMIT_NPROC, 1);
}

static int no_pending(void)
{
	limited(RLIMIT_SIGPENDING, 0);
	return forks();
}

static void on_large(int signal)
{
	(void)signal;
}

/* The log would be larger. */
static int no_file_size(void)
{
	signal(SIGXFSZ, on_large);
	return limited(RLIMIT_FSIZE, 0);
}

static int no_memory(void)
{
	return limited(RLIMIT_AS, (rlim_t)1 << 30);
}

static int small_stack(void)
{
	return limited(RLIMIT_STACK, 256 << 10);
}

/* ---- namespaces, identities */

static int leaves_users(void)
{
	odd_burn(BRIEF_MS);
	odd_said("unshare", unshare(CLONE_NEWUSER));
	odd_burn(BRIEF_MS);
	return 3;
}

static int enters_mounts(void)
{
	odd_burn(BRIEF_MS);
	int fd = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	odd_said("setns", setns(fd, CLONE_NEWNS));
	odd_burn(BRIEF_MS);
	return 3;
}

/* Capabilities are a thread's own. */
static int keeps_capabilities(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];
	odd_burn(BRIEF_MS);
	prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	odd_said("setresuid", setresuid(65534, 65534, 65534));
	syscall(SYS_capget, &head, data);
	for (int i = 0; i < 2; i++)
		data[i].effective = data[i].permitted;
	syscall(SYS_capset, &head, data);
	odd_said("setgroups", setgroups(0, NULL));
	odd_burn(BRIEF_MS);
	return 3;
}

static int drops_identity(void)
{
	odd_burn(BRIEF_MS);
	odd_said("setgid", setresgid(65534, 65534, 65534));
	odd_said("setuid", setresuid(65534, 65534, 65534));
	odd_burn(BRIEF_MS);
	return 3;
}

/* ---- */

static const struct odd_row rows[] = {
	{ "main-leaves", main_leaves },
	{ "main-leaves-last", main_leaves_last },
	{ "main-leaves-raw", main_leaves_raw },
	{ "main-leaves-killed", main_leaves_killed },
	{ "ends-at-once", ends_at_once },
	{ "aborts", aborts },
	{ "tiny-stacks", tiny_stacks },
	{ "coroutines", coroutines },
	{ "overflows", overflows },
	{ "forks", forks },
	{ "forks-with-threads", forks_with_threads },
	{ "forks-with-urgent", forks_with_urgent },
	{ "vforks", vforks },
	{ "clones-raw", clones_raw },
	{ "spawns", spawns },
	{ "closes-all", closes_all },
	{ "no-files", no_files },
	{ "no-processes", no_processes },
	{ "no-pending", no_pending },
	{ "no-file-size", no_file_size },
	{ "no-memory", no_memory },
	{ "small-stack", small_stack },
	{ "leaves-users", leaves_users },
	{ "enters-mounts", enters_mounts },
	{ "keeps-capabilities", keeps_capabilities },
	{ "drops-identity", drops_identity },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	const struct odd_row *all[] = { rows, odd_signal_rows, odd_filter_rows };
	for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
		for (const struct odd_row *r = all[i]; r->name; r++)
			if (strcmp(r->name, argv[1]) == 0)
				return r->run();
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) /* without a word: the names */
		for (const struct odd_row *r = all[i]; r->name; r++)
			odd_say(r->name);
	return argc > 1 ? 64 : 0;
}
