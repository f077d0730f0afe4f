/* SPDX-License-Identifier: MIT */
/*
 * A program to be sampled hard: threads that live for some milliseconds and call each other in known
 * ways, while another opens and closes libraries and calls them. Prints what it computed, which
 * nothing may change.
 *
 * usage: sampled_hard PIECES    a piece is some 0.1 ms
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 4, IN_LIFE = 50, DEEPEST = 12, STEPS = 30000, BYTES = 1 << 16, CALLS = 8 };

typedef unsigned long zlib_sum(unsigned long sum, const unsigned char *bytes, unsigned n);
typedef uint32_t lzma_sum(const unsigned char *bytes, size_t n, uint32_t sum);

static _Atomic uint64_t sum;
static _Atomic long pieces_left, opened, wrong;
static _Atomic _Bool done;
static unsigned char bytes[BYTES];

__attribute__((noinline)) static uint64_t leaf(uint64_t x)
{
	for (int i = 0; i < STEPS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

/* The addition keeps the compiler from turning calls into jumps. */
__attribute__((noinline)) static uint64_t down(uint64_t x, int levels)
{
	return levels ? down(x + 1, levels - 1) + 1 : leaf(x) + 1;
}

static void *short_life(void *unused)
{
	uint64_t mine = 0;
	for (int i = 0; i < IN_LIFE; i++) {
		long piece = atomic_fetch_sub(&pieces_left, 1);
		if (piece <= 0)
			break;
		mine += down((uint64_t)piece, (int)(piece % DEEPEST));
	}
	atomic_fetch_add(&sum, mine);
	return unused;
}

static void compare(unsigned long crc, unsigned long *first)
{
	if (*first && *first != crc)
		atomic_fetch_add(&wrong, 1);
	*first = crc;
}

__attribute__((noinline)) static void call_zlib(void *at)
{
	static unsigned long first;
	unsigned long crc = 0;
	zlib_sum *f;
	memcpy(&f, &at, sizeof f);
	for (int i = 0; i < CALLS; i++)
		crc = f(crc, bytes, BYTES);
	compare(crc, &first);
}

__attribute__((noinline)) static void call_lzma(void *at)
{
	static unsigned long first;
	uint32_t crc = 0;
	lzma_sum *f;
	memcpy(&f, &at, sizeof f);
	for (int i = 0; i < CALLS; i++)
		crc = f(bytes, BYTES, crc);
	compare(crc, &first);
}

static const struct library {
	const char *file, *function;
	void (*call)(void *);
} libraries[] = {
	{ "libz.so.1", "crc32", call_zlib },
	{ "liblzma.so.5", "lzma_crc32", call_lzma },
};

static void *come_and_go(void *unused)
{
	enum { N = sizeof libraries / sizeof *libraries };
	for (int i = 0; !atomic_load(&done); i = (i + 1) % N) {
		void *library = dlopen(libraries[i].file, RTLD_NOW | RTLD_LOCAL);
		void *function = library ? dlsym(library, libraries[i].function) : NULL;
		if (function)
			libraries[i].call(function);
		else
			atomic_fetch_add(&wrong, 1);
		if (library)
			dlclose(library);
		atomic_fetch_add(&opened, 1);
	}
	return unused;
}

int main(int n, char **args)
{
	pthread_t loader, thread[AT_ONCE];
	long threads = 0;
	if (n != 2)
		return 2;
	atomic_store(&pieces_left, atol(args[1]));
	for (int i = 0; i < BYTES; i++)
		bytes[i] = (unsigned char)(i * 7919);
	if (pthread_create(&loader, NULL, come_and_go, NULL) != 0)
		return 1;
	for (; atomic_load(&pieces_left) > 0; threads += AT_ONCE) {
		for (int i = 0; i < AT_ONCE; i++)
			if (pthread_create(&thread[i], NULL, short_life, NULL) != 0)
				return 1;
		for (int i = 0; i < AT_ONCE; i++)
			pthread_join(thread[i], NULL);
	}
	atomic_store(&done, 1);
	pthread_join(loader, NULL);
	printf("sum=%llu\n", (unsigned long long)atomic_load(&sum));
	fprintf(stderr, "%ld threads, %ld times opened, %ld wrong\n", threads, atomic_load(&opened),
		atomic_load(&wrong));
	return atomic_load(&wrong) != 0;
}
