/* SPDX-License-Identifier: MIT */
/*
 * A program that makes code at run time, as other runtimes do, and a perf map for it.
 * usage: made_code good|open|link|old    whether the map is as it should be, writable by others, a link to
 * one, or older than the process
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, APART = 64 };

/* push rbp; mov rbp, rsp; 1: dec rdi; jnz 1b; pop rbp; ret */
static const unsigned char loop[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0x5d,
	0xc3 };

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int n, char **args)
{
	const char *how = n > 1 ? args[1] : "good";
	char path[64], other[80];
	unsigned char *code = mmap(
		NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 1;
	for (int i = 0; i < 3; i++)
		memcpy(code + i * APART, loop, sizeof loop);
	snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
	snprintf(other, sizeof other, "%s.other", path);
	FILE *f = fopen(strcmp(how, "link") == 0 ? other : path, "w");
	if (!f)
		return 1;
	fprintf(f, "%lx %x stale_name\n", (unsigned long)(uintptr_t)code, APART);
	fprintf(f, "nonsense\n0 10 nothing\n%lx ffffffffffff endless\n\n",
		(unsigned long)(uintptr_t)code);
	fprintf(f, "%lx %x planted_hot\n", (unsigned long)(uintptr_t)code, APART);
	fprintf(f, "%lx %x \033[31mred\a \303\251\n", (unsigned long)(uintptr_t)code + APART,
		APART);
	fclose(f);
	const struct timespec past[2] = { { 1000, 0 }, { 1000, 0 } };
	if ((strcmp(how, "open") == 0 && chmod(path, 0666) != 0) ||
		(strcmp(how, "link") == 0 && symlink(other, path) != 0) ||
		(strcmp(how, "old") == 0 && utimensat(AT_FDCWD, path, past, 0) != 0))
		return 1;
	for (int i = 0; i < 3; i++) {
		void (*run)(uint64_t);
		void *at = code + i * APART;
		memcpy(&run, &at, sizeof run);
		double end = cpu() + 0.15;
		while (cpu() < end)
			run(100000);
	}
	usleep(300000); /* the map is there until what was sampled is named */
	unlink(path);
	unlink(other);
	return 0;
}
