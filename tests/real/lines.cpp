/* SPDX-License-Identifier: MIT */
/*
 * Planted hot lines: an inlined function, a macro, a template of two types. Each hot line ends in a
 * comment that names it.
 */
#include <cstdio>
#include <cstdlib>

static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
	for (int i = 0; i < 3000; i++)
		x = (x * 1664525u + 1013904223u) ^ x >> 7; /* inlined */
	return x;
}

#define STIR(x)                                                                                    \
	for (int j = 0; j < 1000; j++)                                                             \
	x = (x * 22695477u + 1u) ^ x >> 5

template <class T> static __attribute__((noinline)) T work(T x)
{
	unsigned y = mix((unsigned)x); /* calls inlined */
	STIR(y);                       /* macro */
	return (T)y;
}

static __attribute__((noinline)) unsigned both(unsigned i)
{
	unsigned s = work(i); /* first */
	return s + (unsigned)work((unsigned short)i) + s % 3; /* second */
}

int main(int n, char **v)
{
	unsigned s = 0;
	for (unsigned i = 0; i < (n > 1 ? (unsigned)atoi(v[1]) : 60000); i++)
		s += both(i); /* all */
	std::printf("%u\n", s);
	return 0;
}
