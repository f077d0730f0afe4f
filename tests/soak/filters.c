/* SPDX-License-Identifier: MIT */
/*
 * Filters of system calls, and a service that lives under them.
 *
 * usage: filters under MODE NUMBER,... PROGRAM [ARGUMENT...]   sets a filter and becomes the program
 *        filters own MODE NUMBER,...                          the service sets it itself
 *        filters own strict                                   the same by mode 1, of one thread
 *        filters serve                                        the service
 *        filters learn PROGRAM [ARGUMENT...]                  the numbers that it makes, on stderr
 *
 * MODE: what is done for a call that is not listed: "kill" the process, or "refuse" it with EPERM.
 * The service computes in two threads, answers each line of its input, and ends with 7.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 512, THREADS = 2, PIECE = 6000000, PIECES = 20, OWN_END = 7, ENTRY = 1 };

static void set_filter(const char *mode, char *numbers)
{
	static struct sock_filter f[3 + 2 * MOST];
	unsigned short n = 0;
	unsigned other = *mode == 'k' ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
	for (char *at = strtok(numbers, ","); at && n < 2 * MOST; at = strtok(NULL, ",")) {
		unsigned number = (unsigned)strtoul(at, NULL, 10);
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, other);
	const struct sock_fprog p = { n, f };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &p) != 0) {
		perror("seccomp");
		exit(2);
	}
}

/* ---- the service */

static _Atomic bool over;

static uint64_t compute(uint64_t x)
{
	for (int i = 0; i < PIECE; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	free(malloc(x % 3000 + 1));
	return x;
}

static void *work(void *at)
{
	uint64_t *sum = at;
	while (!atomic_load(&over))
		*sum = compute(*sum);
	return NULL;
}

static void answer(void)
{
	char line[64];
	while (fgets(line, sizeof line, stdin)) {
		printf("%llu\n", (unsigned long long)compute(strtoull(line, NULL, 10)));
		fflush(stdout);
	}
}

static int serve(void)
{
	pthread_t thread[THREADS];
	uint64_t sum[THREADS] = { 1, 2 };
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, &sum[i]);
	answer();
	atomic_store(&over, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	puts("over");
	return OWN_END;
}

/* ---- the calls of a program */

static void note(pid_t pid, bool *seen)
{
	struct __ptrace_syscall_info info;
	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) > 0 && info.op == ENTRY &&
		info.entry.nr < MOST)
		seen[info.entry.nr] = true;
}

static int learn(char **command)
{
	static bool seen[MOST];
	int status, end = 0;
	pid_t first = fork(), pid;
	if (first == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(*command, command);
		_exit(2);
	}
	waitpid(first, &status, 0);
	ptrace(PTRACE_SETOPTIONS, first, NULL,
		PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
			PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC);
	ptrace(PTRACE_SYSCALL, first, NULL, 0L);
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status)) {
			end = pid == first ? status : end;
			continue;
		}
		int signal = WSTOPSIG(status);
		bool of_tracing = signal == (SIGTRAP | 0x80) || status >> 16 || signal == SIGSTOP;
		if (signal == (SIGTRAP | 0x80))
			note(pid, seen);
		ptrace(PTRACE_SYSCALL, pid, NULL, of_tracing ? 0L : (long)signal);
	}
	for (int i = 0; i < MOST; i++)
		if (seen[i])
			fprintf(stderr, "%d,", i);
	return WIFEXITED(end) ? WEXITSTATUS(end) : 2;
}

int main(int n, char **arg)
{
	if (n > 4 && strcmp(arg[1], "under") == 0) {
		set_filter(arg[2], arg[3]);
		execvp(arg[4], arg + 4);
		return 2;
	}
	if (n > 2 && strcmp(arg[1], "learn") == 0)
		return learn(arg + 2);
	if (n > 3 && strcmp(arg[1], "own") == 0)
		set_filter(arg[2], arg[3]);
	if (n == 3) {
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		uint64_t x = 0;
		for (int i = 0; i < PIECES; i++)
			for (int k = 0; k < PIECE; k++)
				x = x * 6364136223846793005u + 1;
		syscall(SYS_exit, write(1, x & 1 ? "odd\n" : "even\n", 4) == 4 ? OWN_END : 2);
	}
	return serve();
}
