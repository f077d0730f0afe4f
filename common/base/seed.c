/* SPDX-License-Identifier: MIT */
/* Draws the secret numbers of hashes and trees when the program starts. */
#include "common/base/seed.h"

#include <string.h>
#include <sys/auxv.h>
#include <time.h>

uint64_t pv_seed;
struct pv_secret pv_secret;

enum { NUMBERS = 1 + sizeof(struct pv_secret) / sizeof(uint64_t) };

/*
 * The kernel gives every program 16 random bytes at its start. A system call instead could be the
 * end of a program with a filter on system calls, once a probe is loaded into it. Without the
 * random bytes: the time and an address, unknown to an input, too.
 */
static void draw_bits(uint64_t bits[2])
{
	const void *given = (const void *)(uintptr_t)getauxval(AT_RANDOM);
	struct timespec t = { 0, 0 };
	if (given) {
		memcpy(bits, given, 2 * sizeof *bits);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &t);
	bits[0] = (uint64_t)t.tv_nsec << 32 ^ (uint64_t)t.tv_sec;
	bits[1] = (uint64_t)(uintptr_t)bits;
}

/* The last step of splitmix64. */
static uint64_t mixed(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Runs before all other constructors: a map filled earlier could not be searched any more. */
__attribute__((constructor(101))) static void draw(void)
{
	uint64_t bits[2], number[NUMBERS];
	draw_bits(bits);
	for (unsigned i = 0; i < NUMBERS; i++)
		number[i] = mixed(bits[i % 2] + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
	pv_seed = number[0];
	memcpy(&pv_secret, number + 1, sizeof pv_secret);
	pv_secret.point >>= 4;
}
