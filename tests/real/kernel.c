/* SPDX-License-Identifier: MIT */
/*
 * A program that spends most of its time in the kernel, in known calls, each from a function of its
 * own: reads, page faults; and some in its own code. In the end it says how long each took of its
 * thread's processor time, and how much of all was the kernel's: "reads=US faults=US computes=US
 * user=US kernel=US".
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000, TURN = 20 * MS, BYTES = 1 << 16, AREA = 1 << 22, PAGE = 4096 };

static volatile unsigned sink;
static int zero;
static char to[BYTES];

static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

__attribute__((noinline)) static void reads(void)
{
	for (int i = 0; i < 20; i++)
		if (read(zero, to, sizeof to) != sizeof to)
			exit(1);
}

__attribute__((noinline)) static void faults(void)
{
	char *at = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		exit(1);
	for (size_t i = 0; i < AREA; i += PAGE)
		at[i] = 1;
	if (munmap(at, AREA) != 0) /* and no jump into it, which would leave no frame */
		exit(1);
}

__attribute__((noinline)) static void computes(void)
{
	for (unsigned i = 0; i < 100000; i++)
		sink += i;
}

static long turn(void (*work)(void))
{
	long before = now();
	while (now() - before < TURN)
		work();
	return (now() - before) / 1000;
}

static long us(struct timeval t)
{
	return t.tv_sec * 1000000 + t.tv_usec;
}

int main(int argc, char **argv)
{
	struct rusage before, after;
	long spent[3] = { 0, 0, 0 };
	zero = open("/dev/zero", O_RDONLY);
	getrusage(RUSAGE_THREAD, &before);
	for (int i = argc > 1 ? atoi(argv[1]) : 10; i > 0; i--) {
		spent[0] += turn(reads);
		spent[1] += turn(faults);
		spent[2] += turn(computes);
	}
	getrusage(RUSAGE_THREAD, &after);
	printf("reads=%ld faults=%ld computes=%ld user=%ld kernel=%ld\n", spent[0], spent[1],
		spent[2], us(after.ru_utime) - us(before.ru_utime),
		us(after.ru_stime) - us(before.ru_stime));
	return 0;
}
