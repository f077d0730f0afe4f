/* SPDX-License-Identifier: MIT */
/* A program with an allocator of its own, which never gives anything back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 16 << 20, ALIGN = 16, TIMES = 1000 };

static _Alignas(ALIGN) char room[ROOM];
static size_t used;

void *malloc(size_t n)
{
	size_t at =
		__atomic_fetch_add(&used, (n + ALIGN - 1) & ~(size_t)(ALIGN - 1), __ATOMIC_RELAXED);
	return at + n <= ROOM ? room + at : NULL;
}

void free(void *block)
{
	(void)block;
}

void *calloc(size_t n, size_t each)
{
	return malloc(n * each);
}

void *realloc(void *block, size_t n)
{
	void *to = malloc(n);
	if (block && to)
		memmove(to, block, n);
	return to;
}

int main(void)
{
	for (int i = 0; i < TIMES; i++) {
		void *volatile block = malloc(100);
		free(block);
	}
	return 0;
}
