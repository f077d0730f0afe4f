/* SPDX-License-Identifier: MIT */
/* The programs of odd that come with a filter of system calls; the probe in them must not call what it kills for. */
#include "tests/real/odd.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { CALLS = 24, WORDS = CALLS * 2 + 2 };

static const int allowed[] = { SYS_read, SYS_write, SYS_exit, SYS_exit_group, SYS_rt_sigreturn,
	SYS_clock_gettime, SYS_futex, SYS_brk, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise,
	SYS_mremap, SYS_getrandom, SYS_sched_yield, SYS_getpid };

static int filter(unsigned flags, uint32_t otherwise)
{
	const size_t n = sizeof allowed / sizeof *allowed;
	struct sock_filter words[WORDS];
	unsigned short k = 0;
	words[k++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < n; i++) {
		words[k++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[i], 0, 1);
		words[k++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	words[k++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, otherwise);
	const struct sock_fprog program = { k, words };
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* Nothing but computing and memory, then an end without the exit handlers. */
static int work_within(unsigned flags, uint32_t otherwise)
{
	odd_burn(BRIEF_MS);
	if (filter(flags, otherwise) != 0)
		return 2;
	for (volatile long i = 0; i < 200000000; i++)
		;
	for (size_t i = 0; i < 100; i++)
		odd_allocate(1000 + i);
	odd_say("ok");
	_exit(0);
}

static int filter_kills(void)
{
	return work_within(0, SECCOMP_RET_KILL_PROCESS);
}

static int filter_kills_threads(void)
{
	return work_within(SECCOMP_FILTER_FLAG_TSYNC, SECCOMP_RET_KILL_PROCESS);
}

static int filter_refuses(void)
{
	return work_within(SECCOMP_FILTER_FLAG_TSYNC, SECCOMP_RET_ERRNO | EPERM);
}

static int strict(void)
{
	odd_burn(BRIEF_MS);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
	for (volatile long i = 0; i < 100000000; i++)
		;
	odd_say("ok");
	syscall(SYS_exit, 0);
	return 0;
}

const struct odd_row odd_filter_rows[] = {
	{ "filter-kills", filter_kills },
	{ "filter-kills-threads", filter_kills_threads },
	{ "filter-refuses", filter_refuses },
	{ "strict", strict },
	{ NULL, NULL },
};
