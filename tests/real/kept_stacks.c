/* SPDX-License-Identifier: MIT */
/*
 * To be preloaded: samples the program by its processor time, walks each stack as the probe does and
 * keeps up to 64 KiB of it. At the end $KEPT_CHECK is run with pid and file while all is still
 * loaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "probe/unwind/unwind_set.h"
#include "probe/unwind/unwind_walk.h"
#include "tests/kit/kept_stack.h"

enum { PAGE = 4096, RED_ZONE = 128, PERIOD_NS = 4000000, REFRESH_NS = 2000000 };

static struct kept_file *file;
static _Atomic uint64_t taken;
static _Atomic _Bool ended;
static timer_t timer;
static pthread_t helper;

/* DWARF's order: System V ABI, figure 3.36. */
static const int order[KEPT_REGISTERS] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
	REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	REG_RIP };

/* Page by page, as far as there is memory. */
static uint64_t copy_stack(uint8_t *to, uint64_t from)
{
	uint64_t n = 0;
	while (n < KEPT_BYTES) {
		uint64_t part = PAGE - (from + n) % PAGE;
		part = part < KEPT_BYTES - n ? part : KEPT_BYTES - n;
		struct iovec here = { to + n, part },
			     there = { (void *)(uintptr_t)(from + n), part };
		if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != (ssize_t)part)
			break;
		n += part;
	}
	return n;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	const greg_t *r = ((const ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t at = atomic_fetch_add(&taken, 1);
	int before = errno;
	(void)number, (void)info;
	if (at >= KEPT_SAMPLES || atomic_load(&ended))
		return;
	struct kept *k = &file->sample[at];
	struct pvp_walk_stop stop;
	const struct pvp_registers here = { .pc = (uintptr_t)r[REG_RIP],
		.sp = (uintptr_t)r[REG_RSP],
		.fp = (uintptr_t)r[REG_RBP] };
	for (int i = 0; i < KEPT_REGISTERS; i++)
		k->registers[i] = (uint64_t)r[order[i]];
	k->n = pvp_unwind_walk(&here, k->caller, KEPT_CALLERS, &stop);
	k->end = stop.end;
	k->from = here.sp - RED_ZONE;
	k->bytes = copy_stack(k->stack, k->from);
	errno = before;
}

static void *refresh(void *arg)
{
	while (!atomic_load(&ended)) {
		pvp_unwind_refresh();
		nanosleep(&(struct timespec){ 0, REFRESH_NS }, NULL);
	}
	return arg;
}

static void begin_helper(void)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&helper, NULL, refresh, NULL) != 0)
		abort();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("KEPT_FILE");
	int number = SIGRTMAX - 5;
	struct sigaction a = { .sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = number };
	struct itimerspec t = { { 0, PERIOD_NS }, { 0, PERIOD_NS } };
	int fd = path ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
	unsetenv("LD_PRELOAD");
	if (fd < 0 || ftruncate(fd, sizeof *file) != 0)
		return;
	file = mmap(NULL, sizeof *file, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		abort();
	sigfillset(&a.sa_mask);
	pvp_unwind_refresh();
	begin_helper();
	if (sigaction(number, &a, NULL) != 0 ||
		timer_create(CLOCK_PROCESS_CPUTIME_ID, &e, &timer) != 0 ||
		timer_settime(timer, 0, &t, NULL) != 0)
		abort();
}

__attribute__((destructor)) static void end(void)
{
	extern char **environ;
	char pid[24], *path = getenv("KEPT_FILE"), *check = getenv("KEPT_CHECK");
	char *const args[] = { check, pid, path, NULL };
	pid_t child;
	int status = 0;
	if (!file || !check)
		return;
	timer_delete(timer);
	atomic_store(&ended, 1);
	pthread_join(helper, NULL);
	file->n = atomic_load(&taken);
	snprintf(pid, sizeof pid, "%ld", (long)getpid());
	if (posix_spawn(&child, check, NULL, NULL, args, environ) != 0 ||
		waitpid(child, &status, 0) != child || status != 0)
		fprintf(stderr, "the check of stacks failed: %d\n", status);
}
