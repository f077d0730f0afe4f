/* SPDX-License-Identifier: MIT */
/*
 * Libraries that were loaded a moment ago compute, and are gone again: each where the one before
 * it lay, or not.
 *
 * usage: fresh ROUNDS NS LIBRARY...    so long in the first, twice in the second, ...
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t work(uint64_t s, int64_t ns);

static __attribute__((noinline)) uint64_t visit(const char *file, uint64_t s, int64_t ns)
{
	void *l = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	work *f = l ? (work *)(uintptr_t)dlsym(l, "fresh_work") : NULL;
	if (!f) {
		fprintf(stderr, "fresh: %s\n", dlerror());
		exit(1);
	}
	s = f(s, ns) + 1;
	dlclose(l);
	return s;
}

int main(int n, char **args)
{
	long rounds = n > 3 ? atol(args[1]) : 0;
	int64_t ns = n > 3 ? atoll(args[2]) : 0;
	uint64_t s = 1;
	for (long i = 0; i < rounds; i++)
		s = visit(args[3 + i % (n - 3)], s, ns * (1 + i % (n - 3)));
	printf("%u\n", (unsigned)s & 1);
	return 0;
}
