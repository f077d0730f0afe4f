/* SPDX-License-Identifier: MIT */
/*
 * Memory of the unwind tables of a process that has loaded the given libraries besides its own.
 *
 * usage: unwind [LIBRARY ...]
 */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

#include "probe/unwind/unwind_set.h"
#include "tests/kit/unwind_bytes.h"

static double ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int n, char **libraries)
{
	enum { TURNS = 7 };
	double least = 1e9;
	for (int i = 1; i < n; i++)
		if (!dlopen(libraries[i], RTLD_LAZY))
			fprintf(stderr, "%s\n", dlerror());
	for (int i = 0; i < TURNS; i++) {
		pvp_unwind_finish();
		double begin = ms();
		pvp_unwind_refresh();
		double took = ms() - begin;
		least = took < least ? took : least;
	}
	printf("%zu bytes, %.2f ms of processor time\n", unwind_bytes(), least);
	return 0;
}
